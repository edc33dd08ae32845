/* The MCP client: opening, the two eras, closing. */
#include "mcp/client/client.h"

#include <bough/bough.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/env.h"
#include "base/memory/arena.h"
#include "base/memory/mem.h"
#include "base/text/str.h"
#include "base/text/utf8.h"
#include "mcp/client/inside.h"

enum {
    DISCOVER_MS = 3000, /* silence means a server of the older era */
    AGAIN_MS = 10000,   /* of a second server/discover, when the handshake was refused */
    SECRET_MOST = 1024 * 1024,
};

/* ---- what the configuration says ---- */

static const char *const *copy_list(struct bough_arena *a, const char *const *list)
{
    const char **copy = NULL;
    size_t n = 0;

    for (; list && list[n]; n++) {
        copy = arena_room(a, copy, n, sizeof *copy);
        copy[n] = arena_strdup(a, list[n]);
    }
    copy = arena_room(a, copy, n, sizeof *copy);
    copy[n] = NULL;
    return copy;
}

/* The secrets, and as JSON writes them where that is different. */
static const char *const *secrets_of(struct bough_arena *a, const char *const *list)
{
    const char **all = NULL;
    size_t n = 0;

    for (; list && *list; list++) {
        struct buf out;

        all = arena_room(a, all, n, sizeof *all);
        all[n++] = arena_strdup(a, *list);
        buf_init(&out, SECRET_MOST);
        json_escape(&out, str_of(*list));
        if (strcmp(out.p, *list) != 0) {
            all = arena_room(a, all, n, sizeof *all);
            all[n++] = buf_give(&out, a).p;
        }
        buf_finish(&out);
    }
    all = arena_room(a, all, n, sizeof *all);
    all[n] = NULL;
    return all;
}

static void copy_options(struct mcp_client *c, const struct mcp_client_options *in)
{
    c->in = *in;
    c->in.name = arena_strdup(c->a, in->name);
    c->in.argv = copy_list(c->a, in->argv);
    c->in.env = copy_list(c->a, in->env);
    c->in.dir = arena_strdup(c->a, in->dir);
    c->in.url = arena_strdup(c->a, in->url);
    c->in.headers = copy_list(c->a, in->headers);
    c->in.secrets = secrets_of(c->a, in->secrets);
    if (!c->in.start_ms)
        c->in.start_ms = 60000;
    if (!c->in.silent_ms)
        c->in.silent_ms = 60000;
    if (!c->in.whole_ms)
        c->in.whole_ms = 600000;
}

/* ---- the eras ---- */

static void keep_text(struct bough_arena *a, struct json from, const char *name,
                      char out[MCP_NAME_MOST])
{
    const char *text = json_cstr(a, from, name);

    snprintf(out, MCP_NAME_MOST, "%s", text ? text : "");
}

static void keep_server(struct mcp_client *c, struct bough_arena *a, struct json result)
{
    struct json info, tools = { 0 };
    bool changes = false;

    if (!json_get(result, "serverInfo", &info))
        info = json_member(json_member(result, "_meta"), MCP_META "serverInfo");
    keep_text(a, info, "version", c->version);
    c->has_tools = json_get(json_member(result, "capabilities"), "tools", &tools);
    (void)json_bool(json_member(tools, "listChanged"), &changes);
    c->tells_changes = changes;
}

static bool supports_modern(struct json versions)
{
    struct json_iter it = json_iter(versions);

    while (json_next(&it))
        if (json_is(it.value, MCP_MODERN))
            return true;
    return false;
}

/* Ask once. BOUGH_VERSION: it refuses the version, but names it among those that it supports. */
static enum bough_rc discover_once(struct mcp_client *c, struct bough_arena *a, int64_t ms,
                                   struct bough_error *err)
{
    struct mcp_ask ask = { .method = "server/discover", .silent_ms = ms, .whole_ms = ms };
    struct rpc_message m;
    enum bough_rc rc;
    int64_t code = 0;

    c->era = MCP_STATELESS; /* for the message */
    snprintf(c->protocol, sizeof c->protocol, "%s", MCP_MODERN);
    rc = mcp_exchange(c, a, &ask, &m, err);
    if (!rc && !m.error.doc && supports_modern(json_member(m.result, "supportedVersions"))) {
        keep_server(c, a, m.result);
        return BOUGH_OK;
    }
    if (!rc && m.error.doc && json_i64(json_member(m.error, "code"), &code) &&
        code == MCP_NO_VERSION &&
        supports_modern(json_member(json_member(m.error, "data"), "supported")))
        rc = bough_fail(err, BOUGH_VERSION,
                        "tool server \"%s\" refuses the version that it supports", c->in.name);
    c->era = MCP_UNKNOWN;
    *c->protocol = '\0';
    return rc == BOUGH_TIMEOUT ? BOUGH_OK : rc;
}

/* Ask a server of 2026-07-28 what it is. BOUGH_OK with era MCP_UNKNOWN: it is of the older era. */
static enum bough_rc discover(struct mcp_client *c, struct bough_arena *a, int64_t ms,
                              struct bough_error *err)
{
    enum bough_rc rc = discover_once(c, a, ms, err);

    return rc == BOUGH_VERSION ? discover_once(c, a, ms, err) : rc;
}

static bool older_version(const char *version)
{
    static const char *const known[] = { MCP_OLDER, "2025-06-18", "2025-03-26", "2024-11-05",
                                         NULL };

    return str_among(str_of(version), known);
}

static enum bough_rc handshake(struct mcp_client *c, struct bough_arena *a, struct bough_error *err)
{
    static const char members[] =
        "\"protocolVersion\":\"" MCP_OLDER "\",\"capabilities\":{},"
        "\"clientInfo\":{\"name\":\"bough\",\"version\":\"" BOUGH_VERSION_TEXT "\"}";
    struct mcp_ask ask = { .method = "initialize",
                           .members = str_of(members),
                           .silent_ms = c->in.start_ms,
                           .whole_ms = c->in.start_ms };
    struct rpc_message m;
    enum bough_rc rc = mcp_exchange(c, a, &ask, &m, err);
    const char *said;

    if (rc)
        return rc;
    if (m.error.doc) {
        said = json_cstr(a, m.error, "message");
        return bough_fail(err, BOUGH_INVALID, "tool server \"%s\" refused the handshake: %.120s",
                          c->in.name, said ? said : "no reason given");
    }
    keep_text(a, m.result, "protocolVersion", c->protocol);
    if (!older_version(c->protocol))
        return bough_fail(err, BOUGH_VERSION,
                          "tool server \"%s\" speaks version \"%.40s\" of the protocol, which is "
                          "not known here",
                          c->in.name, c->protocol);
    c->era = MCP_HANDSHAKE;
    keep_server(c, a, m.result);
    mcp_notify(c, "notifications/initialized", str_of(""));
    return BOUGH_OK;
}

static enum bough_rc agree(struct mcp_client *c, struct bough_error *err)
{
    struct bough_arena *a = bough_arena_create();
    struct bough_error first;
    enum bough_rc rc = discover(c, a, DISCOVER_MS, err);

    if (!rc && c->era == MCP_UNKNOWN) {
        rc = handshake(c, a, err);
        /* A server of 2026-07-28 that took more than 3 seconds to start. */
        if (rc == BOUGH_INVALID && !discover(c, a, AGAIN_MS, &first) && c->era == MCP_STATELESS)
            rc = BOUGH_OK;
    }
    if (!rc && c->has_tools)
        c->transport->listen(c);
    bough_arena_destroy(a);
    return rc;
}

/* ---- the whole ---- */

enum bough_rc mcp_client_open(struct mcp_client **out, const struct mcp_client_options *in,
                              struct bough_error *err)
{
    struct mcp_client *c = mem_zalloc(sizeof *c);
    pthread_condattr_t attr;
    enum bough_rc rc;

    c->a = bough_arena_create();
    copy_options(c, in);
    c->transport = in->url ? &mcp_over_http : &mcp_over_stdio;
    pthread_mutex_init(&c->lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&c->changed, &attr);
    pthread_condattr_destroy(&attr);
    rpc_lines_init(&c->lines, MCP_MESSAGE_MOST);
    buf_init(&c->err_text, 0);
    *out = c;
    rc = c->transport->open(c, err);
    return rc ? rc : agree(c, err);
}

void mcp_client_end(struct mcp_client *c)
{
    c->transport->end(c);
}

void mcp_client_close(struct mcp_client *c)
{
    if (!c)
        return;
    c->transport->close(c);
    rpc_lines_finish(&c->lines);
    buf_finish(&c->err_text);
    bough_arena_destroy(c->list_a);
    pthread_cond_destroy(&c->changed);
    pthread_mutex_destroy(&c->lock);
    bough_arena_destroy(c->a);
    mem_free(c);
}
