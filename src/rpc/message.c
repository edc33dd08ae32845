/* Messages of JSON-RPC 2.0. */
#include "rpc/message.h"

#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"

static bool refuse(struct rpc_bad *bad, enum rpc_code code, const char *why)
{
    bad->code = code;
    bad->why = why;
    return false;
}

/* ---- reading ---- */

static bool read_id(struct json root, struct rpc_message *out, struct rpc_bad *bad)
{
    struct json id;

    if (!json_get(root, "id", &id))
        return true;
    if (json_type(id) != JSON_STRING && json_type(id) != JSON_NUMBER)
        return refuse(bad, RPC_INVALID_REQUEST, "id must be a string or a number");
    out->id = id;
    bad->id = id;
    return true;
}

static bool read_call(struct bough_arena *a, struct json root, struct json method,
                      struct rpc_message *out, struct rpc_bad *bad)
{
    struct bough_str name;
    enum json_type type;

    out->kind = out->id.doc ? RPC_REQUEST : RPC_NOTIFICATION;
    out->method = json_str(a, method, &name) && strlen(name.p) == name.n ? name.p : NULL;
    if (cstr_empty(out->method))
        return refuse(bad, RPC_INVALID_REQUEST, "method must be a string");
    if (!json_get(root, "params", &out->params))
        return true;
    type = json_type(out->params);
    if (type != JSON_OBJECT && type != JSON_ARRAY)
        return refuse(bad, RPC_INVALID_REQUEST, "params must be an object or an array");
    return true;
}

static bool read_answer(struct json root, struct rpc_message *out, struct rpc_bad *bad)
{
    bool result = json_get(root, "result", &out->result);
    bool error = json_get(root, "error", &out->error);

    out->kind = RPC_ANSWER;
    if (result == error)
        return refuse(bad, RPC_INVALID_REQUEST,
                      "a message needs a method, or a result or an error");
    if (error && json_type(out->error) != JSON_OBJECT)
        return refuse(bad, RPC_INVALID_REQUEST, "error must be an object");
    return true;
}

bool rpc_read(struct bough_arena *a, struct bough_str line, struct rpc_message *out,
              struct rpc_bad *bad)
{
    struct bough_error err;
    struct bough_str twice;
    struct json root, method;

    *out = (struct rpc_message){ .method = "" };
    *bad = (struct rpc_bad){ 0 };
    if (json_parse(a, line, &root, &err))
        return refuse(bad, RPC_PARSE_ERROR, arena_printf(a, "not JSON: %s", err.msg));
    if (json_type(root) == JSON_ARRAY)
        return refuse(bad, RPC_INVALID_REQUEST, "batches are not supported: send one message");
    if (json_type(root) != JSON_OBJECT)
        return refuse(bad, RPC_INVALID_REQUEST, "a message must be an object");
    if (json_repeated(a, root, &twice))
        return refuse(bad, RPC_INVALID_REQUEST, "a member is there twice");
    if (!read_id(root, out, bad))
        return false;
    if (!json_is(json_member(root, "jsonrpc"), "2.0"))
        return refuse(bad, RPC_INVALID_REQUEST, "jsonrpc must be \"2.0\"");
    return json_get(root, "method", &method) ? read_call(a, root, method, out, bad)
                                             : read_answer(root, out, bad);
}

bool rpc_same_id(struct bough_arena *a, struct json one, struct json other)
{
    struct bough_str x, y;

    if (!one.doc || !other.doc || json_type(one) != json_type(other))
        return false;
    if (json_str(a, one, &x) && json_str(a, other, &y))
        return str_eq(x, y);
    return str_eq(json_raw(one), json_raw(other));
}

/* ---- writing ---- */

static void begin(struct json_writer *w, struct buf *out, struct json id)
{
    jw_init(w, out);
    jw_obj(w);
    jw_kv_cstr(w, "jsonrpc", "2.0");
    jw_kv_raw(w, "id", id.doc ? json_raw(id) : str_make("", 0));
}

void rpc_begin_result(struct json_writer *w, struct buf *out, struct json id)
{
    begin(w, out, id);
    jw_key(w, "result");
}

void rpc_end(struct json_writer *w)
{
    jw_end_obj(w);
    if (jw_has_breaks(w))
        jw_drop_breaks(w);
    buf_end(w->out);
}

void rpc_error(struct buf *out, struct json id, int code, const char *message,
               struct bough_str data)
{
    struct json_writer w;

    begin(&w, out, id);
    jw_key(&w, "error");
    jw_obj(&w);
    jw_kv_i64(&w, "code", code);
    jw_kv_cstr(&w, "message", message);
    jw_opt_raw(&w, "data", data);
    jw_end_obj(&w);
    rpc_end(&w);
}
