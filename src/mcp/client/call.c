/* Calls of a server's tools, and what their results become. */
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "base/text/utf8.h"
#include "mcp/client/inside.h"

enum { NAMED_MOST = 300 };

/* ---- results ---- */

static const char *or_word(const char *text, const char *word)
{
    return text ? text : word;
}

static void put_text(struct buf *out, struct bough_str text)
{
    if (out->n)
        buf_putc(out, '\n');
    if (text.n > out->max - out->n) /* keep what fits */
        text.n = utf8_cut(text.p, text.n, out->max - out->n);
    buf_put_str(out, text);
}

static void put_block(struct bough_arena *a, struct buf *out, struct json block)
{
    const char *type = or_word(json_cstr(a, block, "type"), "");
    struct json resource = json_member(block, "resource");
    struct bough_str text;

    if (strcmp(type, "text") == 0 && json_str(a, json_member(block, "text"), &text))
        put_text(out, text);
    else if (strcmp(type, "resource") == 0 && json_str(a, json_member(resource, "text"), &text))
        put_text(out, text);
    else if (strcmp(type, "resource") == 0)
        put_text(out,
                 str_of(arena_printf(a, "[file %.*s]", NAMED_MOST,
                                     or_word(json_cstr(a, resource, "uri"), "without a URI"))));
    else if (strcmp(type, "resource_link") == 0)
        put_text(out, str_of(arena_printf(a, "[link %.*s %.*s]", NAMED_MOST,
                                          or_word(json_cstr(a, block, "name"), ""), NAMED_MOST,
                                          or_word(json_cstr(a, block, "uri"), ""))));
    else
        put_text(out,
                 str_of(arena_printf(a, "[%.*s %.*s]", NAMED_MOST, *type ? type : "unknown",
                                     NAMED_MOST, or_word(json_cstr(a, block, "mimeType"), ""))));
}

static void fail(struct bough_arena *a, struct mcp_client_result *out, const char *text)
{
    out->is_error = true;
    out->text = str_of(arena_strdup(a, text));
}

/* Blank secrets that were hidden by escapes of JSON. */
static struct bough_str blanked(struct mcp_client *c, struct buf *text, struct bough_arena *a)
{
    if (text->n)
        mcp_blank(c, text->p, text->n);
    return buf_give(text, a);
}

static void take_result(struct mcp_client *c, struct bough_arena *a, struct json result,
                        struct mcp_client_result *out)
{
    struct json content = json_member(result, "content"), structured;
    struct json_iter it = json_iter(content);
    struct buf text;

    (void)json_bool(json_member(result, "isError"), &out->is_error);
    if (json_get(result, "structuredContent", &structured))
        out->structured = json_raw(structured);
    if (json_type(content) == JSON_ARRAY)
        out->content = json_raw(content);
    buf_init(&text, MCP_TEXT_MOST);
    if (json_type(content) == JSON_ARRAY)
        while (json_next(&it) && !text.over)
            put_block(a, &text, it.value);
    if (!text.n && out->structured.n && out->structured.n <= MCP_TEXT_MOST)
        buf_put_str(&text, out->structured);
    out->text = blanked(c, &text, a);
    buf_finish(&text);
}

static void take_error(struct mcp_client *c, struct bough_arena *a, struct json error,
                       struct mcp_client_result *out)
{
    const char *said = json_cstr(a, error, "message");
    struct buf text;

    buf_init(&text, MCP_TEXT_MOST);
    buf_printf(&text, "tool server \"%s\" answered with an error: %s", c->in.name,
               said ? said : "no reason given");
    out->is_error = true;
    out->text = blanked(c, &text, a);
    buf_finish(&text);
}

/* ---- calling ---- */

/* The members of the request's params; false: the arguments are not an object. */
static bool put_members(struct bough_arena *a, struct buf *out, const struct mcp_client_call *in)
{
    struct bough_str args = in->args.n ? in->args : str_of("{}");
    struct bough_error err;
    struct json root;

    if (json_parse(a, args, &root, &err) || json_type(root) != JSON_OBJECT)
        return false;
    buf_puts(out, "\"name\":\"");
    json_escape(out, str_of(in->name));
    buf_puts(out, "\",\"arguments\":");
    buf_put_str(out, json_raw(root));
    return true;
}

void mcp_client_call(struct mcp_client *c, struct bough_arena *a, const struct mcp_client_call *in,
                     struct mcp_client_result *out)
{
    struct mcp_ask ask = { .method = "tools/call",
                           .name = in->name,
                           .token = true,
                           .silent_ms = c->in.silent_ms,
                           .whole_ms = c->in.whole_ms,
                           .cancel = in->cancel,
                           .progress = in->progress,
                           .user = in->user };
    struct mcp_listed listed = { 0 };
    struct rpc_message m = { 0 };
    struct bough_error err;
    struct buf members;
    enum bough_rc rc;

    *out = (struct mcp_client_result){ .text = str_of(""),
                                       .content = str_of("[]"),
                                       .structured = str_of("") };
    buf_init(&members, MCP_MESSAGE_MOST);
    if (!put_members(a, &members, in)) {
        fail(a, out, "the arguments are not a JSON object");
        buf_finish(&members);
        return;
    }
    if (mcp_find_listed(c, a, in->name, &listed))
        ask.headers = mcp_param_lines(a, &listed, in->args);
    ask.members = buf_str(&members);
    rc = members.over ? bough_fail(&err, BOUGH_TOO_LARGE, "the arguments are too large")
                      : mcp_exchange(c, a, &ask, &m, &err);
    buf_finish(&members);
    out->cancelled = rc == BOUGH_CANCELLED;
    if (rc)
        fail(a, out, err.msg);
    else if (m.error.doc)
        take_error(c, a, m.error, out);
    else if (json_is(json_member(m.result, "resultType"), "input_required"))
        fail(a, out,
             arena_printf(a,
                          "tool server \"%s\" asks for more input from a person or a model, which "
                          "is not supported here",
                          c->in.name));
    else
        take_result(c, a, m.result, out);
}
