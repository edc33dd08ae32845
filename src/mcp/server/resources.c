/* Resources: sessions as Markdown, bough://session/{session}. */
#include <inttypes.h>
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "base/text/utf8.h"
#include "mcp/server/inside.h"

static const char prefix[] = "bough://session/";

enum {
    EXPORT_MAX = 32 * 1024 * 1024, /* Markdown of a session that is looked through for its end */
    BEGINNING = MCP_RESULT_MAX / 4,
    END = MCP_RESULT_MAX / 2,
    URI_MAX = 512,
};

/* ---- Markdown ---- */

/* Begin behind a whole character: the bytes of one begin with 10. */
static struct bough_str tail(struct bough_str text, size_t n)
{
    struct bough_str end = str_make(text.p + text.n - n, n);

    while (end.n && ((unsigned char)*end.p & 0xc0) == 0x80) {
        end.p++;
        end.n--;
    }
    return end;
}

/* A name that no session can have (400, 422) is not found either. */
static bool is_missing(int status)
{
    return status == 400 || status == 404 || status == 410 || status == 422;
}

static enum bough_rc failed(struct bough_arena *a, const struct http_reply *reply,
                            struct bough_error *err)
{
    struct json root, error = { 0 };
    const char *message;

    if (!json_parse(a, reply->body, &root, NULL))
        error = json_member(root, "error");
    message = json_cstr(a, error, "message");
    return bough_fail(err, is_missing(reply->status) ? BOUGH_NOT_FOUND : BOUGH_IO, "%s",
                      message ? message : "the session cannot be read");
}

enum bough_rc mcp_markdown(const struct mcp_peer *peer, struct bough_arena *a, const char *session,
                           struct bough_str *out, struct bough_error *err)
{
    struct api_ask ask = { .method = "GET", .most = EXPORT_MAX };
    struct http_reply reply;
    struct buf target, text;

    buf_init(&target, 64 * 1024);
    buf_puts(&target, "/api/v1/sessions/");
    mcp_encode(&target, mcp_session_name(session));
    buf_puts(&target, "/export?format=markdown");
    ask.target = buf_give(&target, a).p;
    if (!mcp_ask(peer, a, &ask, &reply))
        return failed(a, &reply, err);
    buf_init(&text, 2 * MCP_RESULT_MAX);
    buf_printf(&text, "> %s\n\n", mcp_notice);
    if (reply.body.n <= BEGINNING + END) {
        buf_put_str(&text, reply.body);
    } else {
        struct bough_str end = tail(reply.body, END);
        size_t begin = utf8_cut(reply.body.p, reply.body.n, BEGINNING);

        buf_put(&text, reply.body.p, begin);
        buf_printf(&text,
                   "\n\n> %zu bytes are left out here%s. The tool get_chat_session reads all of it "
                   "in pages.\n\n",
                   reply.body.n - begin - end.n, reply.cut ? ", and more behind the end" : "");
        buf_put_str(&text, end);
    }
    *out = buf_give(&text, a);
    return BOUGH_OK;
}

/* ---- list ---- */

static void put_session(struct mcp_call *c, struct json_writer *w, struct json s)
{
    const char *title = json_cstr(c->a, s, "title"), *slug = json_cstr(c->a, s, "slug");
    const char *project = json_cstr(c->a, s, "project"), *id = json_cstr(c->a, s, "id");
    const char *updated = json_cstr(c->a, s, "updated");

    jw_obj(w);
    jw_kv_cstr(w, "uri", arena_printf(c->a, "%s%s", prefix, id));
    jw_kv_cstr(w, "name", slug);
    jw_opt_cstr(w, "title", title);
    jw_kv_cstr(w, "description",
               cstr_empty(project) ? "Recorded conversation"
                                   : arena_printf(c->a, "Recorded conversation in %s", project));
    jw_kv_cstr(w, "mimeType", "text/markdown");
    if (!cstr_empty(updated)) {
        jw_key(w, "annotations");
        jw_obj(w);
        jw_kv_cstr(w, "lastModified", updated);
        jw_end_obj(w);
    }
    jw_end_obj(w);
}

void mcp_resources_list(struct mcp_call *c)
{
    struct api_ask ask = { .method = "GET" };
    const char *cursor = mcp_param(c, "cursor");
    struct http_reply reply;
    struct json root = { 0 };
    struct json_writer *w;
    struct json_iter it;
    struct buf target;

    buf_init(&target, 8 * 1024);
    buf_puts(&target, "/api/v1/sessions?order=updated&limit=50");
    if (!cstr_empty(cursor) && strlen(cursor) < 1024) {
        buf_puts(&target, "&cursor=");
        mcp_encode(&target, cursor);
    }
    ask.target = buf_give(&target, c->a).p;
    if (!mcp_ask(c->peer, c->a, &ask, &reply) || json_parse(c->a, reply.body, &root, NULL)) {
        mcp_error(c, cursor ? RPC_INVALID_PARAMS : RPC_INTERNAL, "%s",
                  cursor ? "cursor must be nextCursor of the previous result"
                         : "the sessions cannot be listed");
        return;
    }
    w = mcp_begin(c);
    jw_key(w, "resources");
    jw_arr(w);
    for (it = json_iter(json_member(root, "items")); json_next(&it);)
        put_session(c, w, it.value);
    jw_end_arr(w);
    jw_opt_cstr(w, "nextCursor", json_cstr(c->a, root, "next"));
    mcp_end(c, MCP_KEEP_LISTS);
}

void mcp_resources_templates(struct mcp_call *c)
{
    struct json_writer *w = mcp_begin(c);

    jw_key(w, "resourceTemplates");
    jw_arr(w);
    jw_obj(w);
    jw_kv_cstr(w, "uriTemplate", "bough://session/{session}");
    jw_kv_cstr(w, "name", "session");
    jw_kv_cstr(w, "title", "Recorded conversation");
    jw_kv_cstr(
        w, "description",
        "A session as Markdown, by its id or slug; of a long one the beginning and the end.");
    jw_kv_cstr(w, "mimeType", "text/markdown");
    jw_end_obj(w);
    jw_end_arr(w);
    mcp_end(c, MCP_KEEP_STATIC);
}

/* ---- read ---- */

/* The error's data names the URI, unless it is longer than any of ours. */
static void not_found(struct mcp_call *c, const char *uri, const char *why)
{
    struct json_writer w;
    struct buf data;

    buf_init(&data, 8 * URI_MAX);
    jw_init(&w, &data);
    jw_obj(&w);
    if (strlen(uri) <= URI_MAX)
        jw_kv_cstr(&w, "uri", uri);
    jw_end_obj(&w);
    rpc_error(c->out, c->id, c->modern ? RPC_INVALID_PARAMS : MCP_NO_RESOURCE,
              arena_printf(c->a, "Resource not found: %s", why), buf_str(&data));
    buf_finish(&data);
}

void mcp_resources_read(struct mcp_call *c)
{
    const char *uri = mcp_param(c, "uri");
    struct bough_str text = { 0 };
    struct bough_error err;
    struct json_writer *w;
    enum bough_rc rc;

    if (!uri) {
        mcp_error(c, RPC_INVALID_PARAMS, "uri is required and must be a string");
        return;
    }
    if (strncmp(uri, prefix, sizeof prefix - 1) != 0 || strlen(uri) > URI_MAX) {
        not_found(c, uri, "only bough://session/{session} is served");
        return;
    }
    rc = mcp_markdown(c->peer, c->a, uri + sizeof prefix - 1, &text, &err);
    if (rc == BOUGH_NOT_FOUND) {
        not_found(c, uri, err.msg);
        return;
    }
    if (rc) {
        mcp_error(c, RPC_INTERNAL, "%s", err.msg);
        return;
    }
    w = mcp_begin(c);
    jw_key(w, "contents");
    jw_arr(w);
    jw_obj(w);
    jw_kv_cstr(w, "uri", uri);
    jw_kv_cstr(w, "mimeType", "text/markdown");
    jw_kv_str(w, "text", text);
    jw_end_obj(w);
    jw_end_arr(w);
    mcp_end(c, MCP_KEEP_LISTS);
}
