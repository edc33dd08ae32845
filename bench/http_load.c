/* The HTTP client: one thread, many connections, minimal parsing. See http.h. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/memory/mem.h"
#include "http.h"

enum { HEAD_MAX = 4096, READ = 256 * 1024 };

struct conn {
    int fd;
    size_t i;    /* index of its next request */
    bool busy;   /* waiting for an answer */
    double from; /* when the request was sent */
    char head[HEAD_MAX];
    size_t nhead;
    size_t left; /* bytes of the body still missing */
    bool in_body;
};

struct load {
    load_request *request;
    void *user;
    struct conn *at;
    size_t n;
    int epoll;
    size_t answers, errors, bytes;
    char bad[512]; /* the first answer that was an error */
    bool going;    /* send the next request after each answer */
    struct samples *us;
};

static void die(const char *what)
{
    perror(what);
    exit(2);
}

int connect_to(int port)
{
    struct sockaddr_in addr = { .sin_family = AF_INET,
                                .sin_port = htons((uint16_t)port),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;

    if (fd < 0 || connect(fd, (struct sockaddr *)&addr, sizeof addr) != 0)
        die("bench: connect");
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return fd;
}

void send_all(int fd, struct bough_str s)
{
    for (size_t at = 0; at < s.n;) {
        ssize_t n = send(fd, s.p + at, s.n - at, MSG_NOSIGNAL);

        if (n <= 0)
            die("bench: send");
        at += (size_t)n;
    }
}

struct load *load_open(int port, size_t connections, load_request *request, void *user)
{
    struct load *l = mem_zalloc(sizeof *l);

    l->request = request;
    l->user = user;
    l->n = connections;
    l->at = mem_zalloc(mem_array(connections, sizeof *l->at));
    l->epoll = epoll_create1(EPOLL_CLOEXEC);
    for (size_t i = 0; i < connections; i++) {
        struct epoll_event e = { .events = EPOLLIN, .data.u64 = i };

        l->at[i].fd = connect_to(port);
        if (epoll_ctl(l->epoll, EPOLL_CTL_ADD, l->at[i].fd, &e) != 0)
            die("bench: epoll");
    }
    return l;
}

void load_close(struct load *l)
{
    for (size_t i = 0; i < l->n; i++)
        close(l->at[i].fd);
    close(l->epoll);
    mem_free(l->at);
    mem_free(l);
}

static void ask(struct load *l, size_t i)
{
    struct conn *c = &l->at[i];

    c->busy = true;
    c->from = l->us ? now_us() : 0;
    send_all(c->fd, l->request(l->user, i, c->i++));
}

static void failed(struct load *l, const char *text, size_t n)
{
    if (!l->errors++)
        snprintf(l->bad, sizeof l->bad, "%.*s", (int)(n < 500 ? n : 500), text);
}

static void answered(struct load *l, size_t i)
{
    struct conn *c = &l->at[i];

    l->answers++;
    if (l->us)
        sample(l->us, now_us() - c->from);
    if (strncmp(c->head, "HTTP/1.1 2", 10) != 0)
        failed(l, c->head, c->nhead);
    c->busy = c->in_body = false;
    c->nhead = 0;
    if (l->going)
        ask(l, i);
}

/* The end of the head and the length of the body; NULL: the head is incomplete. All measured
 * answers have a Content-Length. */
static const char *read_head(struct conn *c, size_t *length)
{
    const char *end, *at;

    c->head[c->nhead] = '\0';
    end = strstr(c->head, "\r\n\r\n");
    if (!end)
        return NULL;
    at = strcasestr(c->head, "\r\nContent-Length:");
    *length = at && at < end ? strtoul(at + 17, NULL, 10) : 0;
    return end + 4;
}

static void take(struct load *l, size_t i, const char *p, size_t n)
{
    struct conn *c = &l->at[i];
    size_t had = c->nhead, room = HEAD_MAX - 1 - had, part = n < room ? n : room, length;
    const char *end;

    if (c->in_body) {
        c->left -= n < c->left ? n : c->left;
    } else {
        memcpy(c->head + had, p, part);
        c->nhead += part;
        end = read_head(c, &length);
        if (!end && c->nhead == HEAD_MAX - 1)
            die("bench: a head without an end");
        if (!end)
            return;
        n -= (size_t)(end - c->head) - had;
        l->bytes = length;
        c->in_body = true;
        c->left = length - (n < length ? n : length);
    }
    if (!c->left)
        answered(l, i);
}

static void wait_some(struct load *l, int ms)
{
    static char in[READ];
    struct epoll_event events[64];
    int n = epoll_wait(l->epoll, events, 64, ms);

    for (int k = 0; k < n; k++) {
        size_t i = events[k].data.u64;
        ssize_t got = recv(l->at[i].fd, in, sizeof in, MSG_DONTWAIT);

        if (got < 0 && errno == EAGAIN)
            continue;
        if (got <= 0) {
            fprintf(stderr, "bench: the server closed a connection: %.300s\n", l->at[i].head);
            exit(2);
        }
        take(l, i, in, (size_t)got);
    }
}

static void settle(struct load *l)
{
    l->going = false;
    for (size_t i = 0; i < l->n; i++)
        while (l->at[i].busy)
            wait_some(l, 1000);
}

double load_run(struct load *l, size_t requests)
{
    double from = now_us();
    size_t until = l->answers + requests;

    l->going = true;
    for (size_t i = 0; i < l->n; i++)
        ask(l, i);
    while (l->answers + l->n < until)
        wait_some(l, 1000);
    settle(l);
    return (now_us() - from) / 1e6;
}

double load_for(struct load *l, double seconds)
{
    double from = now_us();
    size_t before = l->answers;

    l->going = true;
    for (size_t i = 0; i < l->n; i++)
        ask(l, i);
    while (now_us() - from < seconds * 1e6)
        wait_some(l, 100);
    settle(l);
    return (double)(l->answers - before) / (now_us() - from) * 1e6;
}

void load_paced(struct load *l, double rate, double seconds, struct samples *us)
{
    double from = now_us(), due;
    size_t asked = 0;

    l->us = us;
    while ((due = (now_us() - from) / 1e6) < seconds) {
        for (size_t i = 0; i < l->n && (double)asked < due * rate; i++)
            if (!l->at[i].busy) {
                ask(l, i);
                asked++;
            }
        wait_some(l, 1);
    }
    settle(l);
    l->us = NULL;
    note("%zu requests in %.0f s", asked, seconds);
    if ((double)asked < 0.98 * rate * seconds)
        failed(l, "the server could not keep up", 28);
}

size_t load_errors(const struct load *l)
{
    return l->errors;
}

size_t load_body_bytes(const struct load *l)
{
    return l->bytes;
}

void load_check(const struct load *l, const char *what)
{
    if (!l->errors)
        return;
    fprintf(stderr, "bench: %s: %zu answers were errors; the first:\n%s\n", what, l->errors,
            l->bad);
    exit(2);
}
