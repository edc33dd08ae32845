/* A scripted HTTP server on loopback: one thread accepts, one thread a connection answers. */
#include "lib/upstream.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "base/memory/buf.h"
#include "base/text/str.h"

enum { CONNECTIONS_MOST = 4096, REQUEST_MOST = 80 << 20 };

struct script {
    struct script *next;
    const char *target;
    struct upstream_piece *pieces;
    size_t n;
    enum upstream_end end;
    int times, used;
};

struct connection {
    struct upstream *u;
    pthread_t thread;
    int fd;
};

struct upstream {
    int listening, port;
    pthread_t thread;
    pthread_mutex_t lock; /* guards the rest */
    pthread_cond_t changed;
    struct bough_arena *arena;
    struct script *scripts;
    struct upstream_request *requests;
    size_t nrequests, gone;
    uint64_t allowed, taken; /* pieces that may go, and that went */
    struct connection *connections[CONNECTIONS_MOST];
    size_t nconnections;
    bool stopping;
};

/* ---- scripts ---- */

/* Take the next script for a request: the first of its target with uses left, else the last. */
static const struct script *take_script(struct upstream *u, const char *target)
{
    struct script *last = NULL, *found = NULL;

    for (struct script *s = u->scripts; s && !found; s = s->next) {
        if (strcmp(s->target, target) != 0)
            continue;
        last = s;
        if (s->used < (s->times ? s->times : 1))
            found = s;
    }
    if (!found && last && !last->times)
        found = last;
    if (found)
        found->used++;
    return found;
}

void upstream_script(struct upstream *u, const char *target, const struct upstream_script *script)
{
    struct script *s, **at;

    pthread_mutex_lock(&u->lock);
    s = arena_zalloc(u->arena, sizeof *s);
    s->target = arena_strdup(u->arena, target);
    s->pieces = arena_array(u->arena, script->n + 1, sizeof *s->pieces);
    s->n = script->n;
    s->end = script->end;
    s->times = script->times;
    for (size_t i = 0; i < s->n; i++) {
        const struct upstream_piece *p = &script->pieces[i];
        size_t n = p->n ? p->n : strlen(p->bytes);

        s->pieces[i] = (struct upstream_piece){ arena_dup(u->arena, p->bytes, n), n, p->wait };
    }
    for (at = &u->scripts; *at;)
        at = &(*at)->next;
    *at = s;
    pthread_mutex_unlock(&u->lock);
}

void upstream_say(struct upstream *u, const char *target, int status, const char *body)
{
    struct upstream_piece piece;
    struct buf b;

    buf_init(&b, REQUEST_MOST);
    buf_printf(&b,
               "HTTP/1.1 %d Said\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n",
               status, strlen(body));
    buf_puts(&b, body);
    piece = (struct upstream_piece){ b.p, b.n, false };
    upstream_script(u, target,
                    &(struct upstream_script){ .pieces = &piece, .n = 1, .end = UPSTREAM_KEEP });
    buf_finish(&b);
}

void upstream_forget(struct upstream *u, const char *target)
{
    pthread_mutex_lock(&u->lock);
    for (struct script **at = &u->scripts; *at;)
        if (strcmp((*at)->target, target) == 0)
            *at = (*at)->next;
        else
            at = &(*at)->next;
    pthread_mutex_unlock(&u->lock);
}

void upstream_let(struct upstream *u)
{
    pthread_mutex_lock(&u->lock);
    u->allowed++;
    pthread_cond_broadcast(&u->changed);
    pthread_mutex_unlock(&u->lock);
}

/* ---- requests ---- */

/* Read until there are `n` bytes, or (0) a whole head. Returns the length of the head; 0: the
 * connection ended. */
static size_t read_head(int fd, struct buf *b)
{
    for (;;) {
        const char *end = b->n ? memmem(b->p, b->n, "\r\n\r\n", 4) : NULL;
        char piece[16384];
        ssize_t n;

        if (end)
            return (size_t)(end - b->p) + 4;
        n = read(fd, piece, sizeof piece);
        if (n <= 0)
            return 0;
        buf_put(b, piece, (size_t)n);
    }
}

static bool read_body(int fd, struct buf *b, size_t whole)
{
    while (b->n < whole && !b->over) {
        char piece[16384];
        ssize_t n = read(fd, piece, sizeof piece);

        if (n <= 0)
            return false;
        buf_put(b, piece, (size_t)n);
    }
    return !b->over;
}

/* The value of a header in the lines of `head`, not terminated. */
static const char *find_header(const char *head, const char *name)
{
    size_t n = strlen(name);

    for (const char *line = head; *line; line = strchr(line, '\n') + 1)
        if (strncasecmp(line, name, n) == 0 && line[n] == ':')
            return line + n + 1 + strspn(line + n + 1, " ");
    return NULL;
}

/* Keep a request; *target: "GET /v1/models". */
static void keep_request(struct upstream *u, const struct buf *b, size_t head, size_t body,
                         char target[512])
{
    const char *line_end = memmem(b->p, head, "\r\n", 2);
    struct upstream_request r;
    size_t n;

    pthread_mutex_lock(&u->lock);
    r.line = arena_strndup(u->arena, b->p, (size_t)(line_end - b->p));
    r.head = arena_strndup(u->arena, line_end + 2, (size_t)(b->p + head - line_end) - 4);
    r.body = str_make(arena_strndup(u->arena, b->p + head, body), body);
    u->requests = arena_room(u->arena, u->requests, u->nrequests, sizeof *u->requests);
    u->requests[u->nrequests++] = r;
    pthread_cond_broadcast(&u->changed);
    pthread_mutex_unlock(&u->lock);
    n = strcspn(r.line, " ");
    n += 1 + strcspn(r.line + n + 1, " ?");
    (void)snprintf(target, 512, "%.*s", (int)n, r.line);
}

/* One request; false: the connection ended. What follows it stays in `b`. */
static bool take_request(struct upstream *u, int fd, struct buf *b, char target[512])
{
    size_t head = read_head(fd, b), body;
    const char *length;
    struct buf rest;

    if (!head)
        return false;
    length = find_header(b->p, "content-length");
    body = length ? strtoul(length, NULL, 10) : 0;
    if (!read_body(fd, b, head + body))
        return false;
    keep_request(u, b, head, body, target);
    buf_init(&rest, REQUEST_MOST);
    buf_put(&rest, b->p + head + body, b->n - head - body);
    buf_finish(b);
    *b = rest;
    return true;
}

/* ---- answers ---- */

/* Wait until this piece may go. False: the client left, or the server stops. */
static bool wait_for_let(struct upstream *u, int fd)
{
    for (;;) {
        struct pollfd left = { .fd = fd, .events = POLLRDHUP };
        bool go, stop;

        pthread_mutex_lock(&u->lock);
        go = u->taken < u->allowed;
        u->taken += go;
        stop = u->stopping;
        pthread_mutex_unlock(&u->lock);
        if (go || stop)
            return go;
        if (poll(&left, 1, 5) > 0 && (left.revents & (POLLRDHUP | POLLHUP | POLLERR))) {
            pthread_mutex_lock(&u->lock);
            u->gone++;
            pthread_mutex_unlock(&u->lock);
            return false;
        }
    }
}

static bool send_all(int fd, const char *p, size_t n)
{
    while (n) {
        ssize_t sent = send(fd, p, n, MSG_NOSIGNAL);

        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        p += sent;
        n -= (size_t)sent;
    }
    return true;
}

/* True: wait for another request. */
static bool answer(struct upstream *u, int fd, const struct script *s)
{
    static const char none[] = "HTTP/1.1 404 No script\r\nContent-Length: 0\r\n\r\n";

    if (!s)
        return send_all(fd, none, sizeof none - 1);
    for (size_t i = 0; i < s->n; i++) {
        if (s->pieces[i].wait && !wait_for_let(u, fd))
            return false;
        if (!send_all(fd, s->pieces[i].bytes, s->pieces[i].n))
            return false;
    }
    if (s->end == UPSTREAM_RESET) {
        struct linger now = { .l_onoff = 1, .l_linger = 0 };

        setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    }
    return s->end == UPSTREAM_KEEP;
}

static void *serve(void *user)
{
    struct connection *c = user;
    struct upstream *u = c->u;
    bool more = true;
    char target[512];
    struct buf b;
    int fd;

    buf_init(&b, REQUEST_MOST);
    while (more && take_request(u, c->fd, &b, target)) {
        const struct script *s;

        pthread_mutex_lock(&u->lock);
        s = take_script(u, target);
        s = s ? s : take_script(u, "*");
        pthread_mutex_unlock(&u->lock);
        more = answer(u, c->fd, s);
    }
    buf_finish(&b);
    pthread_mutex_lock(&u->lock);
    fd = c->fd;
    c->fd = -1;
    pthread_mutex_unlock(&u->lock);
    close(fd);
    return NULL;
}

/* ---- start and stop ---- */

static void *accept_all(void *user)
{
    struct upstream *u = user;
    int fd;

    while ((fd = accept4(u->listening, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
        struct connection *c;

        pthread_mutex_lock(&u->lock);
        c = arena_zalloc(u->arena, sizeof *c);
        *c = (struct connection){ .u = u, .fd = fd };
        if (u->nconnections < CONNECTIONS_MOST && !u->stopping &&
            pthread_create(&c->thread, NULL, serve, c) == 0)
            u->connections[u->nconnections++] = c;
        else
            close(fd);
        pthread_mutex_unlock(&u->lock);
    }
    return NULL;
}

struct upstream *upstream_start(void)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t n = sizeof at;
    struct upstream *u = calloc(1, sizeof *u);

    CHECK(u != NULL);
    u->arena = bough_arena_create();
    pthread_mutex_init(&u->lock, NULL);
    pthread_cond_init(&u->changed, NULL);
    u->listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(bind(u->listening, (const struct sockaddr *)&at, sizeof at) == 0);
    CHECK(listen(u->listening, 1024) == 0);
    CHECK(getsockname(u->listening, (struct sockaddr *)&at, &n) == 0);
    u->port = ntohs(at.sin_port);
    CHECK(pthread_create(&u->thread, NULL, accept_all, u) == 0);
    return u;
}

void upstream_stop(struct upstream *u)
{
    if (!u)
        return;
    pthread_mutex_lock(&u->lock);
    u->stopping = true;
    for (size_t i = 0; i < u->nconnections; i++)
        if (u->connections[i]->fd >= 0)
            shutdown(u->connections[i]->fd, SHUT_RDWR);
    pthread_mutex_unlock(&u->lock);
    shutdown(u->listening, SHUT_RDWR);
    pthread_join(u->thread, NULL);
    for (size_t i = 0; i < u->nconnections; i++)
        pthread_join(u->connections[i]->thread, NULL);
    close(u->listening);
    pthread_cond_destroy(&u->changed);
    pthread_mutex_destroy(&u->lock);
    bough_arena_destroy(u->arena);
    free(u);
}

/* ---- what the test asks ---- */

int upstream_port(const struct upstream *u)
{
    return u->port;
}

const char *upstream_url(struct test *t, const struct upstream *u, const char *path)
{
    return arena_printf(t->arena, "http://127.0.0.1:%d%s", u->port, path);
}

static size_t read_count(struct upstream *u, const size_t *count)
{
    size_t n;

    pthread_mutex_lock(&u->lock);
    n = *count;
    pthread_mutex_unlock(&u->lock);
    return n;
}

size_t upstream_count(struct upstream *u)
{
    return read_count(u, &u->nrequests);
}

size_t upstream_gone(struct upstream *u)
{
    return read_count(u, &u->gone);
}

size_t upstream_connections(struct upstream *u)
{
    return read_count(u, &u->nconnections);
}

struct upstream_request upstream_request(struct test *t, struct upstream *u, size_t i)
{
    struct upstream_request r = { "", "", { "", 0 } };

    pthread_mutex_lock(&u->lock);
    if (i < u->nrequests) {
        r.line = arena_strdup(t->arena, u->requests[i].line);
        r.head = arena_strdup(t->arena, u->requests[i].head);
        r.body = str_make(arena_strndup(t->arena, u->requests[i].body.p, u->requests[i].body.n),
                          u->requests[i].body.n);
    }
    pthread_mutex_unlock(&u->lock);
    return r;
}

const char *upstream_header(struct test *t, const struct upstream_request *r, const char *name)
{
    const char *value = find_header(r->head, name);

    return value ? arena_strndup(t->arena, value, strcspn(value, "\r\n")) : NULL;
}
