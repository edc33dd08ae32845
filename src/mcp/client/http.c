/*
 * MCP over streamable HTTP. A request is a POST in the thread that asks; its answer is JSON, or a
 * stream of events in which progress and requests of the server come before it.
 *
 * Up to 2025-11-25 a stream that breaks can be resumed with a GET, and another GET brings what
 * concerns no request. 2026-07-28 has neither: there a request that stays open brings changes.
 */
#include <bough/bough.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/env.h"
#include "base/memory/arena.h"
#include "base/memory/mem.h"
#include "base/text/str.h"
#include "core/wire/reply/sse.h"
#include "gateway/client/easy.h"
#include "gateway/client/fetch.h"
#include "mcp/client/inside.h"

enum {
    CONNECT_MS = 10000,
    TELL_MS = 3000,
    BODY_MOST = 1024 * 1024, /* of an answer that is not 2xx */
    RETRY_MS = 1000,         /* if the server does not say */
    RETRY_MOST_MS = 30000,
    RESUMES_MOST = 100,
    NAP_MS = 50,
    SAID_MOST = 200,
};

struct mcp_http {
    char session[MCP_NAME_MOST]; /* guarded by the client's lock */
    char *listening;             /* the message that the listener sends; NULL: it is a GET */
    pthread_t listener;
    bool has_listener;
    bool stop; /* atomic: the client is closed */
};

/* One request and its answer. */
struct attempt {
    struct mcp_client *c;
    const struct mcp_ask *ask; /* NULL: nobody waits */
    struct mcp_pending *p;
    int64_t began;
    struct sse sse;
    struct buf body; /* JSON of a 2xx answer */
    bool is_stream;
    bool stop; /* atomic */
    enum bough_rc rc;
    struct bough_error err;
};

/* ---- headers ---- */

struct headers {
    struct bough_arena *a;
    const char **at;
    size_t n;
};

static void add(struct headers *h, const char *line)
{
    h->at = arena_room(h->a, h->at, h->n, sizeof *h->at);
    h->at[h->n++] = line;
}

static void add_all(struct headers *h, const char *const *lines)
{
    for (; lines && *lines; lines++)
        add(h, *lines);
}

static void add_named(struct headers *h, const char *name, const char *value)
{
    if (!cstr_empty(value))
        add(h, arena_printf(h->a, "%s: %s", name, value));
}

/* What all requests have. */
static void begin_headers(struct mcp_client *c, struct headers *h)
{
    char session[MCP_NAME_MOST];

    pthread_mutex_lock(&c->lock);
    memcpy(session, c->http->session, sizeof session);
    pthread_mutex_unlock(&c->lock);
    add_all(h, c->in.headers);
    add_named(h, "MCP-Protocol-Version", c->protocol);
    add_named(h, "Mcp-Session-Id", session);
}

static const char *const *post_headers(struct mcp_client *c, struct bough_arena *a,
                                       const char *method, const struct mcp_ask *ask)
{
    struct headers h = { .a = a };

    begin_headers(c, &h);
    add(&h, "Content-Type: application/json");
    add(&h, "Accept: application/json, text/event-stream");
    if (c->era == MCP_STATELESS) {
        add_named(&h, "Mcp-Method", method);
        if (ask && ask->name)
            add_named(&h, "Mcp-Name", mcp_header_value(a, str_of(ask->name)));
        add_all(&h, ask ? ask->headers : NULL);
    }
    add(&h, NULL);
    return h.at;
}

static const char *const *get_headers(struct mcp_client *c, struct bough_arena *a,
                                      const char *last_event)
{
    struct headers h = { .a = a };

    begin_headers(c, &h);
    add(&h, "Accept: text/event-stream");
    add_named(&h, "Last-Event-ID", last_event);
    add(&h, NULL);
    return h.at;
}

/* ---- the answer as it comes ---- */

static void on_field(void *user, const char *line, size_t n)
{
    static const char type[] = "content-type:", session[] = "mcp-session-id:";
    struct attempt *t = user;
    struct mcp_client *c = t->c;

    if (n >= sizeof type - 1 && strncasecmp(line, type, sizeof type - 1) == 0) {
        t->is_stream = memmem(line, n, "text/event-stream", 17) != NULL;
    } else if (n >= sizeof session - 1 && strncasecmp(line, session, sizeof session - 1) == 0 &&
               c->era == MCP_UNKNOWN) {
        line += sizeof session - 1;
        n -= sizeof session - 1;
        while (n && *line == ' ') {
            line++;
            n--;
        }
        pthread_mutex_lock(&c->lock);
        snprintf(c->http->session, sizeof c->http->session, "%.*s", (int)n, line);
        pthread_mutex_unlock(&c->lock);
    }
}

static void on_event(void *user, const struct sse_event *event)
{
    struct attempt *t = user;

    if (event->data.n)
        mcp_take(t->c, event->data);
}

static void stop_when_done(struct attempt *t)
{
    if (t->p && mcp_is_done(t->c, t->p))
        __atomic_store_n(&t->stop, true, __ATOMIC_RELEASE);
}

static void on_bytes(void *user, const char *p, size_t n)
{
    struct attempt *t = user;

    if (t->is_stream)
        sse_feed(&t->sse, p, n, on_event, t);
    else
        buf_put(&t->body, p, n);
    stop_when_done(t);
}

/* Ten times a second. */
static void on_beat(void *user)
{
    struct attempt *t = user;

    if (t->ask && t->p) {
        mcp_pass_progress(t->c, t->ask, t->p);
        if (!t->rc)
            t->rc = mcp_over(t->c, t->ask, t->p, t->began, &t->err);
    }
    stop_when_done(t);
    if (t->rc || __atomic_load_n(&t->c->http->stop, __ATOMIC_ACQUIRE))
        __atomic_store_n(&t->stop, true, __ATOMIC_RELEASE);
}

static void attempt_init(struct attempt *t, struct mcp_client *c)
{
    *t = (struct attempt){ .c = c, .began = mono_us() };
    sse_init(&t->sse, MCP_MESSAGE_MOST);
    buf_init(&t->body, MCP_MESSAGE_MOST);
}

static void attempt_finish(struct attempt *t)
{
    sse_finish(&t->sse);
    buf_finish(&t->body);
}

/* Send one request. False: there was no whole answer. */
static bool send_request(struct attempt *t, struct bough_arena *a, const char *method,
                         const char *const *headers, struct bough_str body, int64_t whole_ms,
                         struct fetch_answer *answer)
{
    const struct fetch_options how = { .url = t->c->in.url,
                                       .method = method,
                                       .headers = headers,
                                       .body = body,
                                       .allow_private = t->c->in.allow_private,
                                       .connect_ms = CONNECT_MS,
                                       .whole_ms = whole_ms,
                                       .most = BODY_MOST,
                                       .take = on_bytes,
                                       .field = on_field,
                                       .beat = on_beat,
                                       .user = t,
                                       .stop = &t->stop };

    t->is_stream = false;
    return fetch(a, &how, answer);
}

/* ---- requests ---- */

/* An answer that is no JSON-RPC is made one: callers tell it apart by its code. */
static void refuse(struct attempt *t, int status, struct bough_str body)
{
    struct json_writer w;
    struct buf out;

    buf_init(&out, 64 * 1024);
    jw_init(&w, &out);
    jw_obj(&w);
    jw_kv_cstr(&w, "jsonrpc", "2.0");
    jw_kv_i64(&w, "id", t->p->id);
    jw_key(&w, "error");
    jw_obj(&w);
    jw_kv_i64(&w, "code", RPC_INTERNAL);
    if (body.n > SAID_MOST)
        body.n = SAID_MOST;
    buf_puts(w.out, ",\"message\":\"");
    buf_printf(w.out, "HTTP %d%s", status,
               status == 401 || status == 403 ? " (check the headers of its configuration)" : "");
    buf_puts(w.out, body.n ? ": " : "");
    json_escape(w.out, body);
    buf_putc(w.out, '"');
    jw_end_obj(&w);
    jw_end_obj(&w);
    mcp_take(t->c, buf_str(&out));
    buf_finish(&out);
}

/* A JSON-RPC error without id, as an answer to this request. */
static void take_error_body(struct attempt *t, struct bough_arena *a, int status,
                            struct bough_str body)
{
    struct bough_error err;
    struct json root, error;
    struct buf out;

    if (json_parse(a, body, &root, &err) || !json_get(root, "error", &error) ||
        json_type(error) != JSON_OBJECT) {
        refuse(t, status, body);
        return;
    }
    buf_init(&out, MCP_MESSAGE_MOST);
    buf_printf(&out, "{\"jsonrpc\":\"2.0\",\"id\":%lld,\"error\":", (long long)t->p->id);
    buf_put_str(&out, json_raw(error));
    buf_putc(&out, '}');
    mcp_take(t->c, buf_str(&out));
    buf_finish(&out);
}

static bool has_session(struct mcp_client *c)
{
    bool has;

    pthread_mutex_lock(&c->lock);
    has = *c->http->session;
    pthread_mutex_unlock(&c->lock);
    return has;
}

/* The answer is complete, but not handed to its caller yet. */
static void take_whole(struct attempt *t, struct bough_arena *a, const struct fetch_answer *answer)
{
    if (answer->status == 404 && t->c->era == MCP_HANDSHAKE && has_session(t->c))
        mcp_ended(t->c, "does not know its session any more");
    else if (answer->status / 100 != 2)
        take_error_body(t, a, answer->status, answer->body);
    else if (t->is_stream)
        sse_end(&t->sse, on_event, t);
    else if (t->body.n)
        mcp_take(t->c, buf_str(&t->body));
}

/* Wait as long as the server asked for. False: it is over. */
static bool wait_to_resume(struct attempt *t)
{
    static const struct timespec nap = { 0, NAP_MS * 1000000L };
    int64_t ms = t->sse.retry_ms < 0               ? RETRY_MS
                 : t->sse.retry_ms > RETRY_MOST_MS ? RETRY_MOST_MS
                                                   : t->sse.retry_ms;
    int64_t until = mono_us() + ms * 1000;

    while (mono_us() < until) {
        on_beat(t);
        if (__atomic_load_n(&t->stop, __ATOMIC_ACQUIRE))
            return false;
        nanosleep(&nap, NULL);
    }
    return true;
}

/* A stream broke that had numbered events: ask for the rest. */
static void resume(struct attempt *t, struct bough_arena *a, struct fetch_answer *answer)
{
    for (int i = 0; i < RESUMES_MOST && t->sse.id.n && wait_to_resume(t); i++) {
        const char *const *headers = get_headers(t->c, a, t->sse.id.p);
        bool whole = send_request(t, a, "GET", headers, str_of(""), 0, answer);

        if (whole && answer->status / 100 != 2)
            return;
        if (t->rc || mcp_is_done(t->c, t->p))
            return;
    }
}

static enum bough_rc http_ask(struct mcp_client *c, const struct mcp_ask *ask,
                              struct bough_str request, struct mcp_pending *p,
                              struct bough_error *err)
{
    struct bough_arena *a = bough_arena_create();
    struct fetch_answer answer;
    struct attempt t;
    bool whole;

    attempt_init(&t, c);
    t.ask = ask;
    t.p = p;
    whole = send_request(&t, a, "POST", post_headers(c, a, ask->method, ask), request, 0, &answer);
    if (whole && !mcp_is_done(c, p))
        take_whole(&t, a, &answer);
    if (!t.rc && !mcp_is_done(c, p) && t.is_stream && c->era != MCP_STATELESS)
        resume(&t, a, &answer);
    if (t.rc && err && !mcp_is_done(c, p))
        *err = t.err;
    if (mcp_is_done(c, p))
        t.rc = BOUGH_OK;
    else if (!t.rc)
        t.rc = bough_fail(err, BOUGH_IO, "tool server \"%s\": %s", c->in.name,
                          whole ? "it answered without a result"
                                : (answer.why ? answer.why : "the connection ended early"));
    mcp_pass_progress(c, ask, p);
    attempt_finish(&t);
    bough_arena_destroy(a);
    return t.rc;
}

static void http_tell(struct mcp_client *c, const char *method, struct bough_str message)
{
    struct bough_arena *a;
    struct fetch_answer answer;
    struct attempt t;

    if (c->era == MCP_STATELESS && strcmp(method, "notifications/cancelled") == 0)
        return; /* the stream was closed, which says it */
    a = bough_arena_create();
    attempt_init(&t, c);
    (void)send_request(&t, a, "POST", post_headers(c, a, method, NULL), message, TELL_MS, &answer);
    attempt_finish(&t);
    bough_arena_destroy(a);
}

/* ---- the listener ---- */

/* One stream. False: the server offers none. */
static bool listen_once(struct attempt *t, struct bough_arena *a)
{
    struct mcp_client *c = t->c;
    struct fetch_answer answer;
    bool whole;

    if (c->http->listening)
        whole = send_request(t, a, "POST", post_headers(c, a, "subscriptions/listen", NULL),
                             str_of(c->http->listening), 0, &answer);
    else
        whole = send_request(t, a, "GET", get_headers(c, a, t->sse.id.n ? t->sse.id.p : NULL),
                             str_of(""), 0, &answer);
    return !whole || (answer.status / 100 == 2 && t->is_stream);
}

static void *listen_on(void *user)
{
    struct mcp_client *c = user;
    struct bough_arena *a = bough_arena_create();
    struct attempt t;

    attempt_init(&t, c);
    while (!__atomic_load_n(&c->http->stop, __ATOMIC_ACQUIRE) && listen_once(&t, a)) {
        bough_arena_reset(a);
        if (!wait_to_resume(&t))
            break;
        /* What happened in between is not known. */
        pthread_mutex_lock(&c->lock);
        c->stale = true;
        pthread_mutex_unlock(&c->lock);
    }
    attempt_finish(&t);
    bough_arena_destroy(a);
    return NULL;
}

static void http_listen(struct mcp_client *c)
{
    static const char subscribe[] =
        "{\"jsonrpc\":\"2.0\",\"id\":\"listen\",\"method\":\"subscriptions/listen\",\"params\":{"
        "\"notifications\":{\"toolsListChanged\":true},\"_meta\":{\"" MCP_META
        "protocolVersion\":\"" MCP_MODERN "\",\"" MCP_META "clientInfo\":{\"name\":\"bough\","
        "\"version\":\"" BOUGH_VERSION_TEXT "\"},\"" MCP_META "clientCapabilities\":{}}}}";

    if (c->era == MCP_STATELESS) {
        if (!c->tells_changes)
            return;
        c->http->listening = arena_strdup(c->a, subscribe);
    }
    c->http->has_listener = pthread_create(&c->http->listener, NULL, listen_on, c) == 0;
}

/* ---- the whole ---- */

static enum bough_rc http_open(struct mcp_client *c, struct bough_error *err)
{
    (void)err;
    easy_library();
    c->http = mem_zalloc(sizeof *c->http);
    return BOUGH_OK;
}

static void http_end(struct mcp_client *c)
{
    mcp_ended(c, "is being closed");
}

static void http_close(struct mcp_client *c)
{
    struct bough_arena *a = bough_arena_create();
    struct fetch_answer answer;
    struct attempt t;

    __atomic_store_n(&c->http->stop, true, __ATOMIC_RELEASE);
    if (c->http->has_listener)
        pthread_join(c->http->listener, NULL);
    __atomic_store_n(&c->http->stop, false, __ATOMIC_RELEASE);
    if (has_session(c) && mcp_client_alive(c)) {
        struct headers h = { .a = a };

        begin_headers(c, &h);
        add(&h, NULL);
        attempt_init(&t, c);
        (void)send_request(&t, a, "DELETE", h.at, str_of(""), TELL_MS, &answer);
        attempt_finish(&t);
    }
    bough_arena_destroy(a);
    mem_free(c->http);
}

const struct mcp_transport mcp_over_http = { http_open,   http_ask, http_tell,
                                             http_listen, http_end, http_close };
