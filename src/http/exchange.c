/* The steps of an exchange: gate, pieces, handler, pulls, end. See exchange.h. */
#include <string.h>

#include "base/env.h"
#include "base/hash/hash.h"
#include "base/memory/arena.h"
#include "base/os/log.h"
#include "base/text/str.h"
#include "http/exchange.h"

/* ---- creation ---- */

static struct bough_str put(char **to, struct bough_str s)
{
    char *at = *to;

    memcpy(at, s.p, s.n);
    at[s.n] = '\0';
    *to += s.n + 1;
    return str_make(at, s.n);
}

/* Copy names and values as C strings: the connection's buffer will be reused. */
static void copy_headers(struct http_req *req, const struct parse_head *head)
{
    size_t n = head->nheaders, bytes = 1;
    char *to;

    for (size_t i = 0; i < n; i++)
        bytes += head->headers[i].name.n + head->headers[i].value.n + 2;
    to = arena_alloc(req->arena, bytes);
    req->headers = arena_array(req->arena, n ? n : 1, sizeof *req->headers);
    req->nheaders = n;
    for (size_t i = 0; i < n; i++) {
        req->headers[i].name = put(&to, head->headers[i].name);
        req->headers[i].value = put(&to, head->headers[i].value);
    }
}

static bool sane_id(const char *s)
{
    size_t n = s ? strlen(s) : 0;

    for (size_t i = 0; i < n; i++)
        if (!((s[i] >= '0' && s[i] <= '9') || (s[i] >= 'A' && s[i] <= 'Z') ||
              (s[i] >= 'a' && s[i] <= 'z') || s[i] == '-' || s[i] == '_' || s[i] == '.'))
            return false;
    return n > 0 && n <= 64;
}

void http_set_id(struct http_res *res, const char *id)
{
    if (sane_id(id))
        res->id = id;
}

static const char *request_id(struct http_req *req)
{
    static uint64_t count;
    const char *given = http_header(req, "x-request-id");
    uint64_t n;
    char *made;

    if (sane_id(given))
        return given;
    /* Unique in this process, and unlikely to repeat in another: the hash is keyed with a
     * secret. */
    n = hash_u64(__atomic_add_fetch(&count, 1, __ATOMIC_RELAXED));
    made = arena_alloc(req->arena, 17);
    for (int i = 15; i >= 0; i--, n >>= 4)
        made[i] = "0123456789abcdef"[n & 15];
    made[16] = '\0';
    return made;
}

/* Compressed bodies are refused before they are read: nothing here decompresses them. */
static void check_encoding(struct exchange *x)
{
    const char *encoding = http_header(&x->req, "content-encoding");

    if (x->answered || x->req.route->flags & HTTP_ENCODED || !encoding ||
        parse_token_is(str_of(encoding), "identity"))
        return;
    exchange_refuse(x, 415, "unsupported_encoding", "send the body without Content-Encoding");
    http_set(&x->res, "Accept-Encoding", "identity");
}

/* Clients that try a WebSocket first go on with plain requests after 426, and at once. */
static bool wants_websocket(struct exchange *x)
{
    const char *upgrade = http_header(&x->req, "upgrade");

    if (!upgrade || !parse_token_is(str_of(upgrade), "websocket"))
        return false;
    exchange_refuse(x, 426, "upgrade_required", "there are no WebSockets here: use plain requests");
    x->keep_alive = false;
    return true;
}

static void find_route(struct exchange *x)
{
    struct http_req *req = &x->req;
    const struct http_route *r;
    const char *allow = "";

    if (!router_find(req, &allow)) {
        if (!*allow) {
            exchange_refuse(x, 404, "not_found", "there is nothing at this path");
            return;
        }
        exchange_refuse(x, 405, "method_not_allowed", "this path does not take that method");
        http_set(&x->res, "Allow", allow);
        return;
    }
    r = req->route;
    x->body_max = r->body_max;
    if (!x->body_max &&
        (req->method == HTTP_POST || req->method == HTTP_PUT || req->method == HTTP_PATCH))
        x->body_max = HTTP_BODY_JSON;
    if (x->length > 0 && (uint64_t)x->length > x->body_max)
        exchange_refuse(x, 413, "too_large",
                        x->body_max ? "the body is too large for this path"
                                    : "this path takes no body");
    else if (x->chunked_in && !x->body_max)
        exchange_refuse(x, 413, "too_large", "this path takes no body");
}

struct exchange *exchange_create(const struct http_app *app, const struct parse_head *head,
                                 enum http_via via, const char *peer)
{
    struct bough_arena *a = bough_arena_create();
    struct exchange *x = arena_zalloc(a, sizeof *x);
    struct http_req *req = &x->req;

    x->keep_alive = head->keep_alive;
    x->http10 = head->minor == 0;
    x->length = head->length;
    x->chunked_in = head->chunked;
    x->expects = head->expects;
    req->arena = a;
    req->app = app;
    req->method = head->method;
    req->via = via;
    req->target = str_make(arena_strndup(a, head->target.p, head->target.n), head->target.n);
    req->query = str_make(arena_strndup(a, head->query.p, head->query.n), head->query.n);
    req->body = str_of("");
    req->peer = arena_strdup(a, peer);
    req->cancel = &x->cancelled;
    req->trace = mono_us();
    copy_headers(req, head);
    req->id = request_id(req);
    response_init(&x->res, req);
    buf_init(&x->piece, HTTP_BODY_FILE);
    if (!parse_path(a, head->path, &req->path)) {
        req->path = "";
        exchange_refuse(x, 400, "bad_path", "this path cannot be read in one way");
    } else if (!wants_websocket(x)) {
        find_route(x);
        check_encoding(x);
    }
    return x;
}

void exchange_destroy(struct exchange *x)
{
    if (!x)
        return;
    response_finish(&x->res);
    buf_finish(&x->piece);
    bough_arena_destroy(x->req.arena);
}

void exchange_refuse(struct exchange *x, int status, const char *code, const char *why)
{
    (void)http_refuse(&x->res, status, code, "%s", why);
    x->answered = true;
    x->more = HTTP_END;
}

bool exchange_unfinished(const struct exchange *x)
{
    return x->begun && !x->over;
}

/* ---- steps ---- */

/* The stream never went live: free its user data now. */
static void close_events(struct http_res *res)
{
    if (res->events && res->sse.closed)
        res->sse.closed(res->sse.user);
    res->events = false;
}

static void end(struct exchange *x)
{
    if (x->over || !x->begun)
        return;
    if (x->called && x->req.route->drop)
        x->req.route->drop(&x->req);
    close_events(&x->res);
    if (x->req.app->end)
        x->req.app->end(&x->req);
    x->over = true;
}

/* Answer with the error, unless the handler has already answered with http_refuse(). */
static void fail(struct exchange *x, enum bough_rc rc, struct bough_error *err)
{
    struct http_res *res = &x->res;

    close_events(res);
    res->flow = NULL;
    if (!res->refused) {
        if (err->rc != rc)
            bough_fail(err, rc, "%s", bough_rc_hint(rc));
        http_fail(res, err);
    }
    x->answered = true;
    x->more = HTTP_END;
    end(x);
}

static bool gate(struct exchange *x)
{
    struct bough_error err = { 0 };
    enum bough_rc rc;

    if (x->gated)
        return true;
    x->gated = x->begun = true;
    rc = x->req.app->gate ? x->req.app->gate(&x->req, &x->res, &err) : BOUGH_OK;
    if (!rc && x->req.app->begin)
        x->req.app->begin(&x->req);
    if (!rc)
        return true;
    fail(x, rc, &err);
    return false;
}

/* Finish the answer: spill the rest, answer 304 if the ETag matches, compress. */
static void settle(struct exchange *x)
{
    struct http_res *res = &x->res;
    struct bough_error err;

    response_settle(res);
    if (res->out.over || res->lost) {
        bough_fail(&err, res->lost ? BOUGH_FULL : BOUGH_TOO_LARGE, "%s",
                   res->lost ? "no space to put the answer together" : "the answer is too large");
        fail(x, err.rc, &err);
        return;
    }
    if (res->etag[0] && !res->failed && res->status == 200 &&
        (x->req.method == HTTP_GET || x->req.method == HTTP_HEAD) &&
        response_none_match(&x->req, res->etag)) {
        res->status = 304;
        buf_reset(&res->out);
        res->pull = NULL;
        res->spilled = res->taken;
    }
    x->answered = true;
    x->more = res->events || res->pull || res->taken < res->spilled ? HTTP_MORE : HTTP_END;
    if (x->req.method == HTTP_HEAD)
        x->more = HTTP_END;
    else if (gzip_wanted(&x->req, res))
        res->gzip = gzip_create();
    if (res->gzip)
        gzip_pass(res->gzip, &res->out, x->more == HTTP_END);
    if (x->more == HTTP_END)
        end(x);
}

static void call(struct exchange *x)
{
    struct bough_error err = { 0 };
    enum bough_rc rc;

    if (!gate(x))
        return;
    rc = router_check(&x->req, &x->res, &err);
    if (!rc) {
        x->called = true;
        rc = x->req.route->handler(&x->req, &x->res, &err);
    }
    if (rc)
        fail(x, rc, &err);
    else if (x->res.flow)
        x->more = HTTP_MORE; /* the loop goes on */
    else
        settle(x);
}

static void piece(struct exchange *x)
{
    struct bough_error err = { 0 };
    enum bough_rc rc;

    x->called = true;
    rc = x->req.route->piece(&x->req, buf_str(&x->piece), &err);
    buf_reset(&x->piece);
    if (rc)
        fail(x, rc, &err);
}

/* The status is already sent, so an error here truncates the answer. */
static void pull(struct exchange *x, bool replay)
{
    struct http_res *res = &x->res;
    struct bough_error err = { 0 };
    enum bough_rc rc = BOUGH_OK;

    buf_reset(&res->out);
    if (x->req.app->still && !x->req.app->still(&x->req)) {
        rc = bough_fail(&err, BOUGH_DENIED, "the credential is no longer valid");
    } else if (replay) {
        rc = res->sse.replay(res->sse.user, &x->req, res, &res->sse.at, &err);
    } else if (res->spill >= 0) {
        x->cut = !response_unspill(res);
        x->more = res->taken < res->spilled ? HTTP_MORE : HTTP_END;
    } else {
        x->more = HTTP_END;
        rc = res->pull(&x->req, res, &x->more, &err);
    }
    if (rc)
        log_msg(LOG_WARN, "http id=%s cut=%s msg=%s", x->req.id, bough_rc_name(rc), err.msg);
    x->cut = x->cut || rc || res->out.over;
    if (res->gzip)
        gzip_pass(res->gzip, &res->out, x->more == HTTP_END);
    if (x->cut || (!replay && x->more == HTTP_END))
        end(x);
}

void exchange_run(struct exchange *x, enum exchange_step step)
{
    int64_t begun = mono_us();

    switch (step) {
    case EXCHANGE_GATE:
        (void)gate(x);
        break;
    case EXCHANGE_CALL:
        call(x);
        break;
    case EXCHANGE_PIECE:
        piece(x);
        break;
    case EXCHANGE_PULL:
        pull(x, false);
        break;
    case EXCHANGE_REPLAY:
        pull(x, true);
        break;
    case EXCHANGE_WORK:
        x->res.flow->work(x->res.flow_user);
        break;
    case EXCHANGE_END:
        end(x);
        break;
    }
    x->worker_us += mono_us() - begun;
}
