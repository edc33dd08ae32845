/* Results of bounded size: fewer items when they take too much, then shorter texts. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api/kit/forms.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "mcp/server/inside.h"

enum {
    TRIES = 12,                    /* of a page with fewer items: 200 halve to 1 in 8 */
    ANSWER_MAX = 64 * 1024 * 1024, /* of a route: the context of a long session */
    SHORTEST = 64,                 /* texts that are cut keep this much */
};

bool mcp_ask(const struct mcp_peer *peer, struct bough_arena *a, const struct api_ask *ask,
             struct http_reply *out)
{
    struct api_ask mine = *ask;

    mine.who = peer->who;
    mine.cancel = peer->cancel;
    if (!mine.most)
        mine.most = ANSWER_MAX;
    api_ask(peer->api, a, &mine, out);
    if (out->status >= 200 && out->status < 300 && out->cut && mine.most == ANSWER_MAX) {
        out->status = 413;
        out->body = str_of("{\"error\":{\"code\":\"too_large\",\"message\":\"the answer is too "
                           "large: ask for less\"}}");
    }
    return out->status >= 200 && out->status < 300;
}

/* Cut the texts of an object until it fits. False: it does not, however short they are. */
static bool shorten(struct bough_arena *a, struct bough_str *json, size_t most)
{
    for (size_t longest = most / 4; json->n > most && longest >= SHORTEST; longest /= 4) {
        struct json_writer w;
        struct buf b;

        buf_init(&b, ANSWER_MAX);
        jw_init(&w, &b);
        form_cut(&w, *json, longest);
        if (b.over) {
            buf_finish(&b);
            return false;
        }
        if (b.n <= most)
            *json = buf_give(&b, a);
        buf_finish(&b);
    }
    return json->n <= most;
}

static void fail(struct mcp_result *out, struct bough_str error)
{
    out->failed = true;
    out->json = error;
}

static void fail_large(struct mcp_result *out)
{
    fail(out, str_of("{\"error\":{\"code\":\"too_large\",\"message\":\"the result is larger than "
                     "64 KB: ask for less, with a smaller limit or text_limit\"}}"));
}

/* ---- pages of the route ---- */

/* The cursor of the next page; NULL: this is the last. */
static const char *next_of(struct bough_arena *a, const struct mcp_tool *tool,
                           struct json arguments, struct bough_str body)
{
    struct json root;
    const char *next, *offset;
    bool more = false;

    if (tool->paging == MCP_WHOLE || json_parse(a, body, &root, NULL))
        return NULL;
    if (tool->paging == MCP_BY_CURSOR) {
        next = json_cstr(a, root, "next");
        return cstr_empty(next) ? NULL : next;
    }
    if (!json_bool(json_member(root, "has_more"), &more) || !more)
        return NULL;
    offset = mcp_value(a, mcp_field(tool, "cursor"), arguments);
    return arena_printf(a, "%lld",
                        (offset ? strtoll(offset, NULL, 10) : 0) +
                            (long long)json_count(json_member(root, "data")));
}

static int64_t first_limit(struct bough_arena *a, const struct mcp_tool *tool,
                           struct json arguments)
{
    const struct mcp_field *f = mcp_field(tool, "limit");

    return f ? strtoll(mcp_value(a, f, arguments), NULL, 10) : 0;
}

/* Ask with fewer and fewer items until the answer fits; a single item that does not is cut. */
static void run_page(const struct mcp_peer *peer, struct bough_arena *a,
                     const struct mcp_tool *tool, struct json arguments, struct mcp_result *out)
{
    size_t most = MCP_RESULT_MAX - out->first.n;
    int64_t limit = first_limit(a, tool, arguments);
    struct http_reply reply;
    struct api_ask ask;

    for (int i = 0; i < TRIES; i++) {
        struct arena_mark mark = arena_mark(a);

        mcp_request(a, tool, arguments, limit, &ask);
        if (!mcp_ask(peer, a, &ask, &reply)) {
            fail(out, reply.body);
            return;
        }
        if (reply.body.n <= most || limit <= 1)
            break;
        /* A little less than in proportion, because items differ in size. */
        limit = limit * (int64_t)most / (int64_t)reply.body.n * 3 / 4;
        if (limit < 1 || i == TRIES - 2)
            limit = 1; /* the last try ends the loop */
        arena_rewind(a, mark);
    }
    out->next = next_of(a, tool, arguments, reply.body);
    out->json = reply.body.n ? reply.body : str_of("{}");
    if (shorten(a, &out->json, most))
        return;
    if (strcmp(tool->method, "GET") == 0)
        fail_large(out);
    else /* it is written: that must not look like a failure */
        out->json = str_of("{\"written\":true}");
}

/* ---- pages of a context ---- */

/* Write elements of an array while they fit; returns the index behind the last. */
static uint32_t put_some(struct bough_arena *a, struct json_writer *w, struct json array,
                         uint32_t from, size_t room)
{
    struct json_iter it = json_iter(array);
    uint32_t i = 0, to = from;
    size_t start = w->out->n;

    jw_arr(w);
    for (; json_next(&it); i++) {
        struct bough_str one = json_raw(it.value);

        if (i < from)
            continue;
        if (w->out->n - start + one.n > room && (i > from || !shorten(a, &one, room)))
            break;
        jw_raw(w, one);
        to = i + 1;
    }
    jw_end_arr(w);
    return to;
}

/* The elements `from` to `to` of an array of short texts. */
static void put_range(struct json_writer *w, struct json array, uint32_t from, uint32_t to)
{
    struct json_iter it = json_iter(array);

    jw_arr(w);
    for (uint32_t i = 0; json_next(&it) && i < to; i++)
        if (i >= from)
            jw_raw(w, json_raw(it.value));
    jw_end_arr(w);
}

/* The members of a context besides its lists. False: they are too large. */
static bool put_others(struct bough_arena *a, struct json_writer *w, struct json root)
{
    struct json_iter it = json_iter(root);
    struct bough_str name, others;
    struct json_writer inner;
    struct json small;
    struct buf b;

    buf_init(&b, ANSWER_MAX);
    jw_init(&inner, &b);
    jw_obj(&inner);
    while (json_next(&it))
        if (json_type(it.value) != JSON_ARRAY && json_str(a, it.key, &name)) {
            jw_key_str(&inner, name);
            jw_raw(&inner, json_raw(it.value));
        }
    jw_end_obj(&inner);
    others = buf_give(&b, a);
    if (!shorten(a, &others, MCP_RESULT_MAX / 8) || json_parse(a, others, &small, NULL))
        return false;
    for (it = json_iter(small); json_next(&it);)
        if (json_str(a, it.key, &name)) {
            jw_key_str(w, name);
            jw_raw(w, json_raw(it.value));
        }
    return true;
}

/* A context as the route gives it, from message `from` on. Notes and the other members are on the
 * first page. *to: the first message that is left for the next one. False: it does not fit. */
static bool slice(struct bough_arena *a, struct json root, uint32_t from, uint32_t *to,
                  struct bough_str *out)
{
    struct json_writer w;
    struct buf b;
    bool fits = true;

    buf_init(&b, MCP_RESULT_MAX);
    jw_init(&w, &b);
    jw_obj(&w);
    if (!from) {
        fits = put_others(a, &w, root);
        jw_key(&w, "notes");
        put_some(a, &w, json_member(root, "notes"), 0, MCP_RESULT_MAX / 8);
    }
    jw_key(&w, "messages");
    *to = put_some(a, &w, json_member(root, "messages"), from, MCP_RESULT_MAX / 2);
    jw_key(&w, "sources");
    put_range(&w, json_member(root, "sources"), from, *to);
    jw_end_obj(&w);
    fits = fits && !b.over;
    *out = buf_give(&b, a);
    return fits;
}

static void run_context(const struct mcp_peer *peer, struct bough_arena *a,
                        const struct mcp_tool *tool, struct json arguments, struct mcp_result *out)
{
    const char *cursor = mcp_value(a, mcp_field(tool, "cursor"), arguments);
    uint32_t from = cursor ? (uint32_t)strtoul(cursor, NULL, 10) : 0, to, all;
    struct http_reply reply;
    struct api_ask ask;
    struct json root;

    if (cursor && (!*cursor || cursor[strspn(cursor, "0123456789")])) {
        fail(out, str_of("{\"error\":{\"code\":\"invalid\",\"message\":\"cursor must be "
                         "next_cursor of the previous result\"}}"));
        return;
    }
    mcp_request(a, tool, arguments, 0, &ask);
    if (!mcp_ask(peer, a, &ask, &reply)) {
        fail(out, reply.body);
        return;
    }
    if (json_parse(a, reply.body, &root, NULL) || !slice(a, root, from, &to, &out->json)) {
        fail_large(out);
        return;
    }
    all = json_count(json_member(root, "messages"));
    if (to < all && to == from)
        fail_large(out);
    else if (to < all)
        out->next = arena_printf(a, "%" PRIu32, to);
}

void mcp_run(const struct mcp_peer *peer, struct bough_arena *a, const struct mcp_tool *tool,
             struct json arguments, struct mcp_result *out)
{
    struct http_reply reply;

    *out = (struct mcp_result){ 0 };
    if (tool->first && !json_member(arguments, "cursor").doc) {
        struct api_ask ask = { .method = "GET",
                               .target = mcp_path(a, tool, tool->first, arguments) };

        if (!mcp_ask(peer, a, &ask, &reply)) {
            fail(out, reply.body);
            return;
        }
        out->first = reply.body;
        if (!shorten(a, &out->first, MCP_RESULT_MAX / 4)) {
            fail_large(out);
            return;
        }
    }
    if (tool->paging == MCP_BY_MESSAGE)
        run_context(peer, a, tool, arguments, out);
    else
        run_page(peer, a, tool, arguments, out);
}
