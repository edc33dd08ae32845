/* The tools of a server: read through all pages, kept until they change. */
#include <string.h>

#include "base/env.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "mcp/client/inside.h"

enum { PAGES_MOST = 200, TTL_MOST_MS = 3600 * 1000 };

struct listing {
    struct bough_arena *a; /* of the list */
    struct mcp_list *list;
    int64_t ttl_ms; /* -1: the server did not say */
};

/* ---- one tool ---- */

static const char *text_of(struct bough_arena *a, struct json from, const char *name)
{
    const char *text = json_cstr(a, from, name);

    return text ? text : "";
}

static bool hint(struct json annotations, const char *name, bool fallback)
{
    (void)json_bool(json_member(annotations, name), &fallback);
    return fallback;
}

/* Can the tool be offered? Its parts are copied. */
static bool read_tool(struct mcp_client *c, struct bough_arena *a, struct json from,
                      struct mcp_listed *out)
{
    struct json schema = json_member(from, "inputSchema"), hints = json_member(from, "annotations");
    const char *name = json_cstr(a, from, "name");

    if (cstr_empty(name) || json_type(schema) != JSON_OBJECT)
        return false;
    if (json_is(json_member(json_member(from, "execution"), "taskSupport"), "required"))
        return false;
    *out = (struct mcp_listed){ .tool = { .name = name,
                                          .title = text_of(a, from, "title"),
                                          .description = text_of(a, from, "description"),
                                          .schema = arena_str(a, json_raw(schema)),
                                          .reads_only = hint(hints, "readOnlyHint", false),
                                          .destructive = hint(hints, "destructiveHint", true) } };
    if (!*out->tool.title)
        out->tool.title = text_of(a, hints, "title");
    return !c->in.url || c->era != MCP_STATELESS || mcp_read_params(a, schema, out);
}

static bool is_listed(const struct mcp_list *l, const char *name)
{
    for (size_t i = 0; i < l->n; i++)
        if (strcmp(l->at[i].tool.name, name) == 0)
            return true;
    return false;
}

/* ---- pages ---- */

static enum bough_rc read_page(struct mcp_client *c, struct listing *l, struct json result,
                               struct bough_error *err)
{
    struct json tools = json_member(result, "tools");
    struct json_iter it = json_iter(tools);
    int64_t ttl;

    if (json_type(tools) != JSON_ARRAY)
        return bough_fail(err, BOUGH_IO, "tool server \"%s\" answered tools/list without tools",
                          c->in.name);
    if (json_i64(json_member(result, "ttlMs"), &ttl) && ttl >= 0)
        l->ttl_ms = l->ttl_ms < 0 || ttl < l->ttl_ms ? ttl : l->ttl_ms;
    while (json_next(&it)) {
        struct mcp_listed one;

        if (!read_tool(c, l->a, it.value, &one) || is_listed(l->list, one.tool.name))
            continue;
        if (l->list->n == MCP_TOOLS_MOST)
            return bough_fail(err, BOUGH_TOO_LARGE, "tool server \"%s\" has more than %d tools",
                              c->in.name, MCP_TOOLS_MOST);
        l->list->at = arena_room(l->a, l->list->at, l->list->n, sizeof *l->list->at);
        l->list->at[l->list->n++] = one;
    }
    return BOUGH_OK;
}

static enum bough_rc ask_page(struct mcp_client *c, struct bough_arena *a, const char *cursor,
                              struct json *result, struct bough_error *err)
{
    struct mcp_ask ask = { .method = "tools/list",
                           .silent_ms = c->in.start_ms,
                           .whole_ms = c->in.start_ms };
    struct rpc_message m = { 0 };
    struct buf members;
    const char *said;
    enum bough_rc rc;

    buf_init(&members, 64 * 1024);
    if (cursor) {
        buf_puts(&members, "\"cursor\":\"");
        json_escape(&members, str_of(cursor));
        buf_putc(&members, '"');
    }
    ask.members = buf_str(&members);
    rc = members.over ? bough_fail(err, BOUGH_TOO_LARGE, "tool server \"%s\": a cursor is too long",
                                   c->in.name)
                      : mcp_exchange(c, a, &ask, &m, err);
    buf_finish(&members);
    if (rc)
        return rc;
    *result = m.result;
    said = m.error.doc ? json_cstr(a, m.error, "message") : NULL;
    return m.error.doc ? bough_fail(err, BOUGH_IO, "tool server \"%s\" does not list tools: %.120s",
                                    c->in.name, said ? said : "no reason given")
                       : BOUGH_OK;
}

static enum bough_rc read_pages(struct mcp_client *c, struct listing *l, struct bough_error *err)
{
    struct bough_arena *page = bough_arena_create(), *last = bough_arena_create(), *other;
    const char *cursor = NULL, *next;
    enum bough_rc rc = BOUGH_OK;
    struct json result;
    size_t n = 0;

    do {
        bough_arena_reset(page);
        rc = ask_page(c, page, cursor, &result, err);
        if (!rc)
            rc = read_page(c, l, result, err);
        next = rc ? NULL : json_cstr(page, result, "nextCursor");
        if (next && (++n == PAGES_MOST || (cursor && strcmp(cursor, next) == 0)))
            rc = bough_fail(err, BOUGH_IO, "tool server \"%s\": its list of tools does not end",
                            c->in.name);
        cursor = next;
        other = last;
        last = page;
        page = other;
    } while (!rc && cursor);
    bough_arena_destroy(page);
    bough_arena_destroy(last);
    return rc;
}

/* ---- the list ---- */

static enum bough_rc refresh(struct mcp_client *c, struct bough_error *err)
{
    struct bough_arena *a = bough_arena_create(), *old = a;
    struct listing l = { .a = a, .ttl_ms = -1 };
    enum bough_rc rc = BOUGH_OK;

    l.list = arena_zalloc(a, sizeof *l.list);
    pthread_mutex_lock(&c->lock);
    c->stale = false; /* before asking: a change in between counts again */
    pthread_mutex_unlock(&c->lock);
    if (c->has_tools)
        rc = read_pages(c, &l, err);
    pthread_mutex_lock(&c->lock);
    if (rc) {
        c->stale = true;
    } else {
        old = c->list_a;
        c->list_a = a;
        c->list = l.list;
        if (l.ttl_ms > TTL_MOST_MS)
            l.ttl_ms = TTL_MOST_MS;
        c->tools_until = l.ttl_ms < 0 ? INT64_MAX : mono_us() + l.ttl_ms * 1000;
    }
    pthread_mutex_unlock(&c->lock);
    bough_arena_destroy(old);
    return rc;
}

static bool is_fresh(struct mcp_client *c)
{
    bool fresh;

    pthread_mutex_lock(&c->lock);
    fresh = c->list && !c->stale && mono_us() < c->tools_until;
    pthread_mutex_unlock(&c->lock);
    return fresh;
}

static void copy_tool(struct bough_arena *a, const struct mcp_client_tool *from,
                      struct mcp_client_tool *to)
{
    *to = *from;
    to->name = arena_strdup(a, from->name);
    to->title = arena_strdup(a, from->title);
    to->description = arena_strdup(a, from->description);
    to->schema = arena_str(a, from->schema);
}

enum bough_rc mcp_client_tools(struct mcp_client *c, struct bough_arena *a,
                               struct mcp_client_tools *out, struct bough_error *err)
{
    enum bough_rc rc = is_fresh(c) ? BOUGH_OK : refresh(c, err);

    if (rc)
        return rc;
    pthread_mutex_lock(&c->lock);
    out->n = c->list->n;
    out->at = arena_array(a, out->n + 1, sizeof *out->at);
    for (size_t i = 0; i < out->n; i++)
        copy_tool(a, &c->list->at[i].tool, &out->at[i]);
    pthread_mutex_unlock(&c->lock);
    return BOUGH_OK;
}

static const struct mcp_param *copy_params(struct bough_arena *a, const struct mcp_param *from,
                                           size_t n)
{
    struct mcp_param *to = arena_array(a, n + 1, sizeof *to);

    for (size_t i = 0; i < n; i++) {
        const char **path = NULL;
        size_t k = 0;

        for (; from[i].path[k]; k++) {
            path = arena_room(a, path, k, sizeof *path);
            path[k] = arena_strdup(a, from[i].path[k]);
        }
        path = arena_room(a, path, k, sizeof *path);
        path[k] = NULL;
        to[i] = (struct mcp_param){ arena_strdup(a, from[i].header), path };
    }
    return to;
}

bool mcp_find_listed(struct mcp_client *c, struct bough_arena *a, const char *name,
                     struct mcp_listed *out)
{
    bool found = false;

    pthread_mutex_lock(&c->lock);
    for (size_t i = 0; c->list && i < c->list->n && !found; i++) {
        const struct mcp_listed *l = &c->list->at[i];

        found = strcmp(l->tool.name, name) == 0;
        if (found)
            *out = (struct mcp_listed){ .params = copy_params(a, l->params, l->nparams),
                                        .nparams = l->nparams };
    }
    pthread_mutex_unlock(&c->lock);
    return found;
}
