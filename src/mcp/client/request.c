/* Requests of the MCP client: numbering, waiting, progress, and messages that the server sends. */
#include <bough/bough.h>
#include <string.h>

#include "base/env.h"
#include "base/memory/arena.h"
#include "base/memory/mem.h"
#include "base/text/str.h"
#include "base/text/utf8.h"
#include "mcp/client/inside.h"

enum { REQUEST_MOST = 64 * 1024 * 1024 };

/* ---- writing ---- */

static void put_meta(const struct mcp_client *c, struct json_writer *w, const struct mcp_ask *ask,
                     int64_t id)
{
    bool modern = c->era == MCP_STATELESS;

    if (!modern && !(ask && ask->token))
        return;
    jw_key(w, "_meta");
    jw_obj(w);
    if (modern) {
        jw_kv_cstr(w, MCP_META "protocolVersion", MCP_MODERN);
        jw_key(w, MCP_META "clientInfo");
        jw_obj(w);
        jw_kv_cstr(w, "name", "bough");
        jw_kv_cstr(w, "version", BOUGH_VERSION_TEXT);
        jw_end_obj(w);
        jw_key(w, MCP_META "clientCapabilities");
        jw_obj(w);
        jw_end_obj(w);
    }
    if (ask && ask->token)
        jw_kv_i64(w, "progressToken", id);
    jw_end_obj(w);
}

/* One line. `id` 0: a notification. */
static void put_message(const struct mcp_client *c, struct buf *out, const char *method,
                        struct bough_str members, const struct mcp_ask *ask, int64_t id)
{
    struct json_writer w;

    jw_init(&w, out);
    jw_obj(&w);
    jw_kv_cstr(&w, "jsonrpc", "2.0");
    if (id)
        jw_kv_i64(&w, "id", id);
    jw_kv_cstr(&w, "method", method);
    jw_key(&w, "params");
    jw_obj(&w);
    if (members.n) {
        buf_put_str(out, members);
        w.comma = true;
    }
    put_meta(c, &w, ask, id);
    jw_end_obj(&w);
    jw_end_obj(&w);
    if (jw_has_breaks(&w))
        jw_drop_breaks(&w);
}

static int64_t next_id(struct mcp_client *c)
{
    int64_t id;

    pthread_mutex_lock(&c->lock);
    id = ++c->last_id;
    pthread_mutex_unlock(&c->lock);
    return id;
}

static void tell(struct mcp_client *c, const char *method, struct bough_str members, int64_t id)
{
    struct buf out;

    buf_init(&out, REQUEST_MOST);
    put_message(c, &out, method, members, NULL, id);
    if (!out.over)
        c->transport->tell(c, method, buf_str(&out));
    buf_finish(&out);
}

void mcp_notify(struct mcp_client *c, const char *method, struct bough_str members)
{
    tell(c, method, members, 0);
}

void mcp_send(struct mcp_client *c, const char *method, struct bough_str members)
{
    tell(c, method, members, next_id(c));
}

/* ---- waiting ---- */

static void pending_add(struct mcp_client *c, struct mcp_pending *p)
{
    pthread_mutex_lock(&c->lock);
    p->id = ++c->last_id;
    p->heard_us = mono_us();
    p->next = c->pending;
    c->pending = p;
    if (c->ended) {
        p->done = true;
        memcpy(p->why, c->why, sizeof p->why);
    }
    pthread_mutex_unlock(&c->lock);
}

static void pending_remove(struct mcp_client *c, const struct mcp_pending *p)
{
    struct mcp_pending **at = &c->pending;

    pthread_mutex_lock(&c->lock);
    while (*at && *at != p)
        at = &(*at)->next;
    if (*at)
        *at = p->next;
    pthread_mutex_unlock(&c->lock);
}

bool mcp_is_done(struct mcp_client *c, struct mcp_pending *p)
{
    bool done;

    pthread_mutex_lock(&c->lock);
    done = p->done;
    pthread_mutex_unlock(&c->lock);
    return done;
}

enum bough_rc mcp_over(struct mcp_client *c, const struct mcp_ask *ask, const struct mcp_pending *p,
                       int64_t began_us, struct bough_error *err)
{
    int64_t now = mono_us(), heard;

    pthread_mutex_lock(&c->lock);
    heard = p->heard_us;
    pthread_mutex_unlock(&c->lock);
    if (ask->cancel && __atomic_load_n(ask->cancel, __ATOMIC_ACQUIRE))
        return bough_fail(err, BOUGH_CANCELLED, "cancelled");
    if (now - heard > ask->silent_ms * 1000)
        return bough_fail(err, BOUGH_TIMEOUT,
                          "tool server \"%s\" did not answer %s for %lld seconds", c->in.name,
                          ask->method, (long long)(ask->silent_ms + 999) / 1000);
    if (now - began_us > ask->whole_ms * 1000)
        return bough_fail(err, BOUGH_TIMEOUT,
                          "tool server \"%s\" was not done with %s after %lld seconds", c->in.name,
                          ask->method, (long long)(ask->whole_ms + 999) / 1000);
    return BOUGH_OK;
}

void mcp_pass_progress(struct mcp_client *c, const struct mcp_ask *ask, struct mcp_pending *p)
{
    char text[MCP_PROGRESS_MOST];
    bool has;

    pthread_mutex_lock(&c->lock);
    has = p->has_progress;
    p->has_progress = false;
    if (has)
        memcpy(text, p->progress, sizeof text);
    pthread_mutex_unlock(&c->lock);
    if (has && ask->progress)
        ask->progress(ask->user, str_of(text));
}

/* Tell the server that its answer is of no use any more. A stream that was closed says it too. */
static void cancel(struct mcp_client *c, const struct mcp_pending *p, const char *why)
{
    struct buf out;

    buf_init(&out, 1024);
    buf_printf(&out, "\"requestId\":%lld,\"reason\":\"%s\"", (long long)p->id, why);
    mcp_notify(c, "notifications/cancelled", buf_str(&out));
    buf_finish(&out);
}

static enum bough_rc read_answer(struct mcp_client *c, struct bough_arena *a, struct mcp_pending *p,
                                 struct rpc_message *out, struct bough_error *err)
{
    struct rpc_bad bad;

    if (!p->line)
        return bough_fail(err, BOUGH_IO, "tool server \"%s\" %s", c->in.name, p->why);
    arena_adopt(a, p->line, p->n);
    if (!rpc_read(a, str_make(p->line, p->n), out, &bad)) /* it was read before, so it is valid */
        return bough_fail(err, BOUGH_IO, "tool server \"%s\": %s", c->in.name, bad.why);
    return BOUGH_OK;
}

enum bough_rc mcp_exchange(struct mcp_client *c, struct bough_arena *a, const struct mcp_ask *ask,
                           struct rpc_message *out, struct bough_error *err)
{
    struct mcp_pending p = { 0 };
    struct bough_error why;
    struct buf request;
    enum bough_rc rc;

    pending_add(c, &p);
    buf_init(&request, REQUEST_MOST);
    put_message(c, &request, ask->method, ask->members, ask, p.id);
    rc = request.over         ? bough_fail(&why, BOUGH_TOO_LARGE, "the arguments are too large")
         : mcp_is_done(c, &p) ? BOUGH_OK
                              : c->transport->ask(c, ask, buf_str(&request), &p, &why);
    buf_finish(&request);
    pending_remove(c, &p);
    if (!rc)
        return read_answer(c, a, &p, out, err);
    mem_free(p.line);
    if ((rc == BOUGH_CANCELLED || rc == BOUGH_TIMEOUT) && c->era != MCP_UNKNOWN)
        cancel(c, &p, rc == BOUGH_CANCELLED ? "cancelled" : "timeout");
    if (err)
        *err = why;
    return rc;
}

/* ---- what the server sends ---- */

static struct mcp_pending *find(struct mcp_client *c, struct json id)
{
    struct mcp_pending *p = NULL;
    int64_t n;

    if (json_type(id) == JSON_NUMBER && json_i64(id, &n))
        for (p = c->pending; p && p->id != n;)
            p = p->next;
    return p;
}

/* An answer without a waiting call, or a second one, is dropped. */
static void take_answer(struct mcp_client *c, const struct rpc_message *m, struct bough_str line)
{
    struct mcp_pending *p;

    pthread_mutex_lock(&c->lock);
    p = find(c, m->id);
    if (p && !p->done) {
        p->line = mem_alloc(line.n + 1);
        memcpy(p->line, line.p, line.n);
        p->line[line.n] = '\0';
        p->n = line.n;
        mcp_blank(c, p->line, p->n);
        p->done = true;
        pthread_cond_broadcast(&c->changed);
    }
    pthread_mutex_unlock(&c->lock);
}

static void progress_text(struct bough_arena *a, struct json params, char out[MCP_PROGRESS_MOST])
{
    const char *message = json_cstr(a, params, "message");
    struct json now = json_member(params, "progress"), total;
    struct buf text;

    buf_init(&text, MCP_PROGRESS_MOST - 1);
    if (message)
        buf_put(&text, message, utf8_cut(message, strlen(message), MCP_PROGRESS_MOST / 2));
    else if (json_type(now) == JSON_NUMBER && json_raw(now).n < 64) {
        buf_put_str(&text, json_raw(now));
        if (json_get(params, "total", &total) && json_type(total) == JSON_NUMBER &&
            json_raw(total).n < 64) {
            buf_puts(&text, " of ");
            buf_put_str(&text, json_raw(total));
        }
    }
    memcpy(out, text.p, text.n + 1);
    buf_finish(&text);
}

/* Only the last text counts, so a flood costs nothing. */
static void take_progress(struct mcp_client *c, struct bough_arena *a, struct json params)
{
    char text[MCP_PROGRESS_MOST];
    struct mcp_pending *p;

    progress_text(a, params, text);
    mcp_blank(c, text, strlen(text));
    pthread_mutex_lock(&c->lock);
    p = find(c, json_member(params, "progressToken"));
    if (p) {
        p->heard_us = mono_us();
        memcpy(p->progress, text, sizeof p->progress);
        p->has_progress = true;
        pthread_cond_broadcast(&c->changed);
    }
    pthread_mutex_unlock(&c->lock);
}

static void take_request(struct mcp_client *c, const struct rpc_message *m)
{
    struct json_writer w;
    struct buf out;

    buf_init(&out, 64 * 1024);
    if (strcmp(m->method, "ping") == 0) {
        rpc_begin_result(&w, &out, m->id);
        jw_obj(&w);
        jw_end_obj(&w);
        rpc_end(&w);
    } else {
        rpc_error(&out, m->id, RPC_NO_METHOD, "this client does not offer that", str_of(""));
    }
    if (!out.over)
        c->transport->tell(c, "", buf_str(&out));
    buf_finish(&out);
}

void mcp_take(struct mcp_client *c, struct bough_str line)
{
    struct bough_arena *a = bough_arena_create();
    struct rpc_message m;
    struct rpc_bad bad;

    if (rpc_read(a, line, &m, &bad)) {
        if (m.kind == RPC_ANSWER) {
            take_answer(c, &m, line);
        } else if (m.kind == RPC_REQUEST) {
            take_request(c, &m);
        } else if (strcmp(m.method, "notifications/progress") == 0) {
            take_progress(c, a, m.params);
        } else if (strcmp(m.method, "notifications/tools/list_changed") == 0) {
            pthread_mutex_lock(&c->lock);
            c->stale = true;
            pthread_mutex_unlock(&c->lock);
        }
    }
    bough_arena_destroy(a);
}
