/* The application and the clients of the socket tests. */
#include "http/world.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "base/text/str.h"

struct http_hub *world_hub;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct world_seen seen;
static bool released;

#define SEEN(what)                                                                                 \
    do {                                                                                           \
        pthread_mutex_lock(&lock);                                                                 \
        what;                                                                                      \
        pthread_cond_broadcast(&changed);                                                          \
        pthread_mutex_unlock(&lock);                                                               \
    } while (0)

void world_reset(void)
{
    SEEN(memset(&seen, 0, sizeof seen); released = false);
}

struct world_seen world_look(void)
{
    struct world_seen s;

    SEEN(s = seen);
    return s;
}

void world_release(void)
{
    SEEN(released = true);
}

static struct timespec in_seconds(int n)
{
    struct timespec ts;

    clock_gettime(CLOCK_REALTIME, &ts);
    ts.tv_sec += n;
    return ts;
}

bool world_wait(int64_t (*what)(const struct world_seen *s), int64_t least)
{
    struct timespec until = in_seconds(5);
    bool ok;

    pthread_mutex_lock(&lock);
    while (what(&seen) < least && pthread_cond_timedwait(&changed, &lock, &until) == 0)
        ;
    ok = what(&seen) >= least;
    pthread_mutex_unlock(&lock);
    return ok;
}

/* ---- handlers ---- */

static enum bough_rc hello(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    (void)req;
    (void)err;
    SEEN(seen.calls++);
    http_text(res, 200, "text/plain");
    http_puts(res, "hello");
    return BOUGH_OK;
}

static enum bough_rc echo(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct json_writer *w;
    struct json body;
    enum bough_rc rc = http_body_json(req, &body, err);

    SEEN(seen.calls++);
    if (rc)
        return rc;
    w = http_json(res, 201);
    jw_obj(w);
    jw_kv_cstr(w, "id", http_param(req, "id"));
    jw_kv_raw(w, "body", json_raw(body));
    jw_end_obj(w);
    return BOUGH_OK;
}

/* Wait for world_release(), at most ten seconds, or until the client disconnects. */
static enum bough_rc hold(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    bool gone = false;

    (void)err;
    SEEN(seen.holding++);
    for (int i = 0; i < 2000 && !gone; i++) {
        bool now;

        SEEN(now = released);
        if (now)
            break;
        gone = __atomic_load_n(req->cancel, __ATOMIC_RELAXED);
        usleep(5000);
    }
    SEEN(seen.holding--; seen.cancelled += gone);
    http_text(res, 200, "text/plain");
    http_puts(res, gone ? "gone" : "held");
    return BOUGH_OK;
}

static enum bough_rc numbers_pull(struct http_req *req, struct http_res *res, enum http_more *more,
                                  struct bough_error *err)
{
    int64_t *at = req->state, n;

    if (http_query_i64(req, "n", 10, 0, INT64_MAX, &n, err))
        return BOUGH_INVALID;
    for (int i = 0; i < 4096 && *at < n; i++) {
        char line[32];

        snprintf(line, sizeof line, "%015lld\n", (long long)(*at)++);
        http_write(res, line, 16);
    }
    *more = *at < n ? HTTP_MORE : HTTP_END;
    if (http_query(req, "fail") && *at >= n / 2)
        return bough_fail(err, BOUGH_IO, "on purpose");
    return BOUGH_OK;
}

static enum bough_rc numbers(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    (void)err;
    req->state = arena_zalloc(req->arena, sizeof(int64_t));
    http_text(res, 200, "text/plain");
    http_pull(res, numbers_pull, 0);
    return BOUGH_OK;
}

static void drop(struct http_req *req)
{
    (void)req;
    SEEN(seen.dropped++);
}

static enum bough_rc spilled(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    int64_t n;
    enum bough_rc rc = http_query_i64(req, "n", 10, 0, INT64_MAX, &n, err);

    http_text(res, 200, "text/plain");
    for (int64_t i = 0; i < n; i++) {
        char line[32];

        snprintf(line, sizeof line, "%015lld\n", (long long)i);
        http_write(res, line, 16);
    }
    return rc;
}

static enum bough_rc upload_piece(struct http_req *req, struct bough_str piece,
                                  struct bough_error *err)
{
    int64_t *sum = req->state;

    if (!sum)
        sum = req->state = arena_zalloc(req->arena, sizeof *sum);
    *sum += (int64_t)piece.n;
    SEEN(seen.pieces++);
    if (memchr(piece.p, '!', piece.n))
        return bough_fail(err, BOUGH_INVALID, "no exclamation marks");
    return BOUGH_OK;
}

static enum bough_rc upload(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct json_writer *w = http_json(res, 200);
    int64_t *sum = req->state;

    (void)err;
    jw_obj(w);
    jw_kv_i64(w, "bytes", sum ? *sum : 0);
    jw_end_obj(w);
    return BOUGH_OK;
}

static enum bough_rc later_pull(struct http_req *req, struct http_res *res, enum http_more *more,
                                struct bough_error *err)
{
    int64_t *at = req->state;

    (void)err;
    http_puts(res, "tick\n");
    *more = ++*at < 3 ? HTTP_LATER : HTTP_END;
    return BOUGH_OK;
}

static enum bough_rc later(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    (void)err;
    req->state = arena_zalloc(req->arena, sizeof(int64_t));
    http_text(res, 200, "text/plain");
    http_pull(res, later_pull, 20);
    return BOUGH_OK;
}

static enum bough_rc tagged(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct json_writer *w;
    enum bough_rc rc = http_if_match(req, res, "v1", err);

    if (rc)
        return rc;
    http_etag(res, "v%d", 1);
    w = http_json(res, 200);
    jw_obj(w);
    jw_end_obj(w);
    return BOUGH_OK;
}

static enum bough_rc ranged(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    int64_t from, length;
    enum bough_rc rc;

    http_text(res, 200, "application/octet-stream");
    rc = http_range(req, res, 10, &from, &length, err);
    if (!rc)
        http_write(res, "0123456789" + from, (size_t)length);
    return rc;
}

static enum bough_rc failing(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    enum bough_rc rc = bough_fail(err, BOUGH_CONFLICT, "the head moved");

    (void)req;
    http_puts(res, "half an answer");
    err->head = (struct bough_head){ 3, 17 };
    return rc;
}

/* ---- events: the past is one "event n" for every n up to the hub ---- */

static enum bough_rc replay(void *user, struct http_req *req, struct http_res *res, int64_t *at,
                            struct bough_error *err)
{
    (void)user;
    (void)req;
    (void)err;
    for (int i = 0; i < 100 && *at < http_hub_at(world_hub); i++) {
        char id[24], data[48];

        snprintf(id, sizeof id, "%lld", (long long)++*at);
        snprintf(data, sizeof data, "{\"n\":%lld}", (long long)*at);
        http_sse_write(
            res, &(struct http_event){ .at = *at, .id = id, .name = "n", .data = str_of(data) });
    }
    return BOUGH_OK;
}

static bool wants(void *user, const void *about, size_t n)
{
    return !user || !n || *(const char *)about != 'x';
}

static void closed(void *user)
{
    (void)user;
    SEEN(seen.closed_streams++);
}

static enum bough_rc events(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    const char *last = http_header(req, "last-event-id");
    struct http_sse how = { .hub = world_hub, .replay = replay, .wants = wants, .closed = closed };

    (void)err;
    how.at = last ? strtoll(last, NULL, 10) : http_hub_at(world_hub);
    how.user = http_query(req, "picky") ? (void *)&lock : NULL;
    http_sse(res, &how);
    return BOUGH_OK;
}

static enum bough_rc gate(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    const char *word = http_header(req, "x-word");

    (void)err;
    if (word && strcmp(word, "wrong") == 0)
        return http_refuse(res, 401, "unauthorized", "say the word");
    return BOUGH_OK;
}

/* Errors in a form of their own. */
static void put_short(struct json_writer *w, const struct http_req *req, const char *code,
                      const char *message, struct bough_str detail)
{
    (void)req;
    (void)message;
    jw_obj(w);
    jw_kv_cstr(w, "wrong", code);
    jw_kv_raw(w, "detail", detail);
    jw_end_obj(w);
}

static const struct http_error_form short_errors = { "Short", put_short };

static const struct http_field count_query[] = { { "n", HTTP_INTEGER, "How many." },
                                                 { "fail", HTTP_BOOLEAN, "Break off." },
                                                 { 0 } };
static const struct http_field picky_query[] = { { "picky", HTTP_BOOLEAN, "Not x." }, { 0 } };

static const struct http_route routes[] = {
    { "GET", "/", hello, 1, "Hello.", .query = NULL },
    { "POST", "/things/{id}", echo, 1, "Echo.", .body_max = 1 << 20 },
    { "PUT", "/things/{id}", echo, 1, "Echo.", .body_max = 1 << 20 },
    { "GET", "/hold", hold, 1, "Wait.", .query = NULL },
    { "GET", "/alive", hello, 1, "Hello, without a worker.", .flags = HTTP_ON_LOOP },
    { "GET", "/numbers", numbers, 1, "Many lines.", .query = count_query, .drop = drop },
    { "GET", "/spilled", spilled, 1, "Many lines.", .query = count_query },
    { "POST", "/upload", upload, 1, "A body in pieces.", .flags = HTTP_RAW_BODY,
      .body_max = HTTP_BODY_FILE, .piece = upload_piece, .drop = drop },
    { "GET", "/later", later, 1, "Slow lines.", .flags = HTTP_STREAMS },
    { "GET", "/tagged", tagged, 1, "With a tag.", .query = NULL },
    { "GET", "/ranged", ranged, 1, "Ten bytes.", .query = NULL },
    { "POST", "/files/{id...}", echo, 1, "Echo.", .body_max = 1 << 20 },
    { "GET", "/shortly/failing", failing, 1, "An error.", .errors = &short_errors },
    { "GET", "/failing", failing, 1, "An error.", .query = NULL },
    { "GET", "/events", events, 1, "Events.", .query = picky_query, .flags = HTTP_STREAMS },
    { 0 },
};

static const struct http_route *const tables[] = { routes, NULL };
const struct http_app world_app = { .tables = tables, .gate = gate };

/* ---- servers and clients ---- */

const char *world_socket(struct test *t)
{
    return test_path(t, "sock");
}

struct http_server *world_start(struct test *t, const struct http_limits *limits)
{
    struct http_listen where[] = { { .host = "127.0.0.1", .fd = -1 },
                                   { .path = world_socket(t), .fd = -1 },
                                   { .host = "::1", .fd = -1 } };
    struct http_server *s;

    world_reset();
    if (http_server_start(&s, &world_app, where, 3, limits, &t->err) != BOUGH_OK)
        CHECK_OK(http_server_start(&s, &world_app, where, 2, limits, &t->err)); /* without IPv6 */
    return s;
}

static void client_connect(struct client *c, int family, const struct sockaddr *addr, socklen_t n)
{
    c->fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    buf_init(&c->got, 512 << 20);
    if (c->fd < 0 || connect(c->fd, addr, n) != 0)
        FAIL("cannot connect: %s", strerror(errno));
}

void client_tcp(struct test *t, struct client *c, const struct http_server *s)
{
    struct sockaddr_in addr = { .sin_family = AF_INET,
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                                .sin_port = htons((uint16_t)http_server_port(s, 0)) };

    (void)t;
    client_connect(c, AF_INET, (struct sockaddr *)&addr, sizeof addr);
}

void client_unix(struct test *t, struct client *c)
{
    struct sockaddr_un addr = { .sun_family = AF_UNIX };

    snprintf(addr.sun_path, sizeof addr.sun_path, "%s", world_socket(t));
    client_connect(c, AF_UNIX, (struct sockaddr *)&addr, sizeof addr);
}

void client_close(struct client *c)
{
    close(c->fd);
    buf_finish(&c->got);
}

void client_send(struct client *c, const void *p, size_t n)
{
    const char *at = p;

    while (n) {
        ssize_t sent = send(c->fd, at, n, MSG_NOSIGNAL);

        if (sent <= 0)
            return; /* refused and closed by the server: the test reads its reply next */
        at += sent;
        n -= (size_t)sent;
    }
}

void client_say(struct client *c, const char *text)
{
    client_send(c, text, strlen(text));
}

static int64_t now_ms(void)
{
    return mono_us() / 1000;
}

/* Returns 1: more bytes, 0: end of stream, -1: timeout. */
static int client_read(struct client *c, int64_t until)
{
    struct pollfd p = { .fd = c->fd, .events = POLLIN };
    int64_t left = until - now_ms();
    char *to;
    ssize_t n;

    if (left <= 0 || poll(&p, 1, (int)left) != 1)
        return -1;
    to = buf_reserve(&c->got, 65536);
    n = recv(c->fd, to, 65536, 0);
    if (n <= 0)
        return 0;
    c->got.n += (size_t)n;
    buf_end(&c->got);
    return 1;
}

/* Count `text` in b from *at on; *at moves behind what was scanned. */
static int count(const struct buf *b, const char *text, size_t *at)
{
    size_t n = strlen(text);
    int found = 0;

    while (*at < b->n) {
        const char *p = memmem(b->p + *at, b->n - *at, text, n);

        if (!p) {
            *at = b->n - *at >= n ? b->n - n + 1 : *at;
            break;
        }
        *at = (size_t)(p - b->p) + n;
        found++;
    }
    return found;
}

bool client_hears(struct client *c, const char *text, int times, int ms)
{
    int64_t until = now_ms() + (int64_t)(ms * patience());
    size_t at = 0;
    int found = count(&c->got, text, &at);

    while (found < times) {
        if (client_read(c, until) != 1)
            return false;
        found += count(&c->got, text, &at);
    }
    return true;
}

bool client_ended(struct client *c, int ms)
{
    int64_t until = now_ms() + (int64_t)(ms * patience());
    int rc;

    do {
        rc = client_read(c, until);
    } while (rc == 1);
    return rc == 0;
}

const char *world_ask(struct test *t, const struct http_server *s, const char *text)
{
    struct client c;
    const char *answer;

    client_tcp(t, &c, s);
    client_say(&c, text);
    if (!client_ended(&c, 10000))
        FAIL("no end of the answer: %.300s", c.got.p);
    answer = arena_strndup(t->arena, c.got.p, c.got.n);
    client_close(&c);
    return answer;
}

int status_of(const char *answer)
{
    return strncmp(answer, "HTTP/1.1 ", 9) == 0 ? (int)strtol(answer + 9, NULL, 10) : 0;
}
