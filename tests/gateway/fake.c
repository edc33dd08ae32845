/* A provider for tests. One thread accepts; each connection has its own. */
#include "gateway/fake.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "base/memory/buf.h"
#include "base/memory/mem.h"
#include "base/text/str.h"

enum { MOST = 1024, CONNECTIONS = 2048, REQUEST_MOST = 80 << 20 };

struct fake {
    struct test *t;
    int fd, port;
    bool stop; /* atomic */
    pthread_t thread;
    pthread_t threads[CONNECTIONS];
    int fds[CONNECTIONS];
    size_t nthreads;
    pthread_mutex_t lock; /* guards what follows */
    struct fake_answer answers[MOST], otherwise;
    size_t nanswers, taken;
    char *asked[MOST];
    size_t nasked, left, goes, stalls;
};

/* ---- a connection ---- */

struct connection {
    struct fake *u;
    int fd;
    size_t slot;
};

static bool stopped(struct fake *u)
{
    return __atomic_load_n(&u->stop, __ATOMIC_ACQUIRE);
}

/* Read more; false at the end. */
static bool read_some(struct connection *c, struct buf *b)
{
    struct pollfd p = { c->fd, POLLIN, 0 };
    char *to = buf_reserve(b, 65536);
    ssize_t n;

    while (!stopped(c->u) && poll(&p, 1, 50) == 0)
        ;
    n = to && !stopped(c->u) ? read(c->fd, to, 65536) : -1;
    if (n <= 0)
        return false;
    b->n += (size_t)n;
    buf_end(b);
    return true;
}

static bool read_request(struct connection *c, struct buf *b)
{
    const char *end = NULL, *length;
    size_t want;

    buf_reset(b);
    buf_puts(b, "");
    while (!(end = b->n ? strstr(b->p, "\r\n\r\n") : NULL))
        if (!read_some(c, b))
            return false;
    length = strcasestr(b->p, "\r\ncontent-length:");
    want = (size_t)(end - b->p) + 4 + (length && length < end ? strtoul(length + 17, NULL, 10) : 0);
    while (b->n < want)
        if (!read_some(c, b))
            return false;
    return true;
}

static struct fake_answer take_answer(struct fake *u, const struct buf *asked)
{
    struct fake_answer a;

    pthread_mutex_lock(&u->lock);
    a = u->taken < u->nanswers ? u->answers[u->taken++] : u->otherwise;
    if (u->nasked < MOST) {
        u->asked[u->nasked] = mem_alloc(asked->n + 1);
        memcpy(u->asked[u->nasked++], asked->p, asked->n + 1);
    }
    pthread_mutex_unlock(&u->lock);
    return a;
}

/* Has the other side ended? */
static bool is_left(int fd)
{
    struct pollfd p = { fd, POLLIN | POLLRDHUP, 0 };

    return poll(&p, 1, 0) > 0 && (p.revents & (POLLRDHUP | POLLHUP | POLLERR));
}

static bool wait_go(struct connection *c)
{
    for (;;) {
        bool go;

        pthread_mutex_lock(&c->u->lock);
        go = c->u->goes > 0;
        if (go)
            c->u->goes--;
        pthread_mutex_unlock(&c->u->lock);
        if (go)
            return true;
        if (stopped(c->u) || is_left(c->fd))
            return false;
        usleep(2000);
    }
}

static bool write_range(struct connection *c, const struct fake_answer *a, size_t from, size_t to)
{
    while (from < to) {
        size_t n = a->piece && a->piece < to - from ? a->piece : to - from;
        struct pollfd p = { c->fd, POLLOUT, 0 };
        ssize_t done;

        for (int waits = 0; !stopped(c->u) && poll(&p, 1, 50) == 0; waits++)
            if (waits == 10) {
                pthread_mutex_lock(&c->u->lock);
                c->u->stalls++;
                pthread_mutex_unlock(&c->u->lock);
            }
        done = stopped(c->u) ? -1 : send(c->fd, a->bytes.p + from, n, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (done <= 0)
            return false;
        from += (size_t)done;
    }
    return true;
}

static bool write_answer(struct connection *c, const struct fake_answer *a)
{
    size_t first = a->stop_at ? a->stop_at : a->bytes.n;

    if (!write_range(c, a, 0, first))
        return false;
    if (a->stop_at && !wait_go(c))
        return false;
    do {
        if (!write_range(c, a, first, a->bytes.n))
            return false;
    } while (a->endless && !stopped(c->u));
    return true;
}

/* Wait until a request begins, without reading it. */
static void wait_request(struct connection *c)
{
    struct pollfd p = { c->fd, POLLIN, 0 };

    while (!stopped(c->u) && poll(&p, 1, 50) == 0)
        ;
}

static void *serve(void *user)
{
    struct connection *c = user;
    struct fake *u = c->u;
    struct buf b;

    buf_init(&b, REQUEST_MOST);
    while (read_request(c, &b)) {
        struct fake_answer a = take_answer(u, &b);

        if (!write_answer(c, &a)) {
            pthread_mutex_lock(&u->lock);
            u->left++;
            pthread_mutex_unlock(&u->lock);
            break;
        }
        if (a.reset_next)
            wait_request(c);
        if (a.reset || a.reset_next) {
            struct linger now = { 1, 0 };

            setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
        }
        if (a.cut || a.reset || a.reset_next)
            break;
    }
    buf_finish(&b);
    close(c->fd);
    mem_free(c);
    return NULL;
}

static void *accept_all(void *user)
{
    struct fake *u = user;

    while (!stopped(u) && u->nthreads < CONNECTIONS) {
        struct pollfd p = { u->fd, POLLIN, 0 };
        struct connection *c;
        int fd, on = 1;

        if (poll(&p, 1, 20) <= 0)
            continue;
        fd = accept4(u->fd, NULL, NULL, SOCK_CLOEXEC);
        if (fd < 0)
            continue;
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        c = mem_zalloc(sizeof *c);
        *c = (struct connection){ u, fd, u->nthreads };
        if (pthread_create(&u->threads[u->nthreads], NULL, serve, c) != 0)
            abort();
        __atomic_store_n(&u->nthreads, u->nthreads + 1, __ATOMIC_RELEASE);
    }
    return NULL;
}

/* ---- for tests ---- */

struct fake *fake_start(struct test *t)
{
    struct fake *u = mem_zalloc(sizeof *u);
    struct sockaddr_in to = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t n = sizeof to;

    u->t = t;
    u->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(bind(u->fd, (struct sockaddr *)&to, sizeof to) == 0 && listen(u->fd, 1024) == 0);
    CHECK(getsockname(u->fd, (struct sockaddr *)&to, &n) == 0);
    u->port = ntohs(to.sin_port);
    pthread_mutex_init(&u->lock, NULL);
    u->otherwise = (struct fake_answer){ str_of("HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n") };
    CHECK(pthread_create(&u->thread, NULL, accept_all, u) == 0);
    return u;
}

void fake_stop(struct fake *u)
{
    if (!u)
        return;
    __atomic_store_n(&u->stop, true, __ATOMIC_RELEASE);
    pthread_join(u->thread, NULL);
    for (size_t i = 0; i < u->nthreads; i++)
        pthread_join(u->threads[i], NULL);
    close(u->fd);
    for (size_t i = 0; i < u->nasked; i++)
        mem_free(u->asked[i]);
    for (size_t i = 0; i < u->nanswers; i++)
        mem_free((char *)u->answers[i].bytes.p);
    pthread_mutex_destroy(&u->lock);
    mem_free(u);
}

int fake_port(const struct fake *u)
{
    return u->port;
}

void fake_say(struct fake *u, const struct fake_answer *a)
{
    char *copy = mem_alloc(a->bytes.n + 1);

    memcpy(copy, a->bytes.p, a->bytes.n);
    pthread_mutex_lock(&u->lock);
    CHECK(u->nanswers < MOST);
    u->answers[u->nanswers] = *a;
    u->answers[u->nanswers++].bytes.p = copy;
    pthread_mutex_unlock(&u->lock);
}

void fake_json(struct fake *u, int status, const char *body)
{
    const char *text =
        arena_printf(u->t->arena,
                     "HTTP/1.1 %d Status\r\nContent-Type: application/json\r\nContent-Length: %zu"
                     "\r\nx-request-id: req_up_1\r\n\r\n%s",
                     status, strlen(body), body);

    fake_say(u, &(struct fake_answer){ .bytes = str_of(text) });
}

void fake_events(struct fake *u, const char *events)
{
    const char *text = arena_printf(u->t->arena,
                                    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                                    "Transfer-Encoding: chunked\r\n\r\n%zx\r\n%s\r\n0\r\n\r\n",
                                    strlen(events), events);

    fake_say(u, &(struct fake_answer){ .bytes = str_of(text) });
}

void fake_otherwise(struct fake *u, const struct fake_answer *a)
{
    pthread_mutex_lock(&u->lock);
    u->otherwise = *a;
    pthread_mutex_unlock(&u->lock);
}

void fake_go(struct fake *u)
{
    pthread_mutex_lock(&u->lock);
    u->goes++;
    pthread_mutex_unlock(&u->lock);
}

static size_t read_count(struct fake *u, const size_t *what)
{
    size_t n;

    pthread_mutex_lock(&u->lock);
    n = *what;
    pthread_mutex_unlock(&u->lock);
    return n;
}

size_t fake_count(struct fake *u)
{
    return read_count(u, &u->nasked);
}

const char *fake_asked(struct fake *u, size_t i)
{
    for (struct wait w = { 0 }; fake_count(u) <= i;)
        if (!wait_more(&w))
            return NULL;
    return arena_strdup(u->t->arena, u->asked[i]);
}

bool fake_left(struct fake *u, size_t n)
{
    for (struct wait w = { 0 }; read_count(u, &u->left) < n;)
        if (!wait_more(&w))
            return false;
    return true;
}

bool fake_stalls(struct fake *u)
{
    for (struct wait w = { 0 }; read_count(u, &u->stalls) < 1;)
        if (!wait_more(&w))
            return false;
    return true;
}

size_t fake_connections(struct fake *u)
{
    return __atomic_load_n(&u->nthreads, __ATOMIC_ACQUIRE);
}
