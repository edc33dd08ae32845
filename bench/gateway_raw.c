/* A relay that copies bytes between two sockets and looks at none: one thread, epoll. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/memory/mem.h"
#include "gateway.h"

enum { BYTES = 64 * 1024 };

/* One end of a pair. */
struct end {
    int fd;
    struct end *other;
    char *left; /* bytes for this end that it did not take; NULL: none */
    size_t left_n, left_at;
    bool closed;
    struct end *next; /* in `closing` */
};

static int epoll;
static struct end *closing; /* freed behind the events of one wait */
static volatile sig_atomic_t stopped;

static void on_term(int sig)
{
    (void)sig;
    stopped = 1;
}

static void watch(struct end *e, int op, uint32_t events)
{
    struct epoll_event ev = { .events = events, .data.ptr = e };

    (void)epoll_ctl(epoll, op, e->fd, &ev);
}

static void close_pair(struct end *e)
{
    struct end *pair[] = { e, e->other };

    for (size_t i = 0; i < 2; i++) {
        if (pair[i]->closed)
            continue;
        pair[i]->closed = true;
        close(pair[i]->fd);
        pair[i]->next = closing;
        closing = pair[i];
    }
}

static void free_closed(void)
{
    while (closing) {
        struct end *e = closing;

        closing = e->next;
        mem_free(e->left);
        mem_free(e);
    }
}

/* Read from one end and write to the other. What the other does not take stops the reading. */
static void copy(struct end *from)
{
    static char bytes[BYTES];
    struct end *to = from->other;
    ssize_t n = recv(from->fd, bytes, sizeof bytes, MSG_DONTWAIT), sent;

    if (n < 0 && errno == EAGAIN)
        return;
    if (n <= 0) {
        close_pair(from);
        return;
    }
    sent = send(to->fd, bytes, (size_t)n, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno != EAGAIN) {
        close_pair(from);
        return;
    }
    if (sent == n)
        return;
    if (sent < 0)
        sent = 0;
    to->left_n = (size_t)(n - sent);
    to->left_at = 0;
    to->left = mem_alloc(to->left_n);
    memcpy(to->left, bytes + sent, to->left_n);
    watch(to, EPOLL_CTL_MOD, EPOLLIN | EPOLLOUT);
    watch(from, EPOLL_CTL_MOD, 0);
}

static void go_on(struct end *to)
{
    ssize_t n;

    if (!to->left)
        return;
    n = send(to->fd, to->left + to->left_at, to->left_n - to->left_at, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0) {
        if (errno != EAGAIN)
            close_pair(to);
        return;
    }
    to->left_at += (size_t)n;
    if (to->left_at < to->left_n)
        return;
    mem_free(to->left);
    to->left = NULL;
    watch(to, EPOLL_CTL_MOD, EPOLLIN);
    watch(to->other, EPOLL_CTL_MOD, EPOLLIN);
}

static void take(int listener, int up_port)
{
    int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC), on = 1;
    struct end *a, *b;

    if (fd < 0)
        return;
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    a = mem_zalloc(sizeof *a);
    b = mem_zalloc(sizeof *b);
    a->fd = fd;
    b->fd = connect_to(up_port); /* on loopback it does not wait */
    a->other = b;
    b->other = a;
    watch(a, EPOLL_CTL_ADD, EPOLLIN);
    watch(b, EPOLL_CTL_ADD, EPOLLIN);
}

int listen_any(void)
{
    struct sockaddr_in addr = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t n = sizeof addr;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd < 0 || bind(fd, (struct sockaddr *)&addr, n) != 0 || listen(fd, 4096) != 0 ||
        getsockname(fd, (struct sockaddr *)&addr, &n) != 0) {
        perror("bench: listen");
        exit(2);
    }
    printf("http://127.0.0.1:%d\n", ntohs(addr.sin_port));
    fflush(stdout);
    return fd;
}

int raw_main(const char *up_port)
{
    struct sigaction term = { .sa_handler = on_term };
    struct epoll_event events[256], e = { .events = EPOLLIN };
    int listener = listen_any(), port = (int)strtol(up_port, NULL, 10);

    sigaction(SIGTERM, &term, NULL);
    epoll = epoll_create1(EPOLL_CLOEXEC);
    (void)epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &e); /* data NULL: the listener */
    while (!stopped) {
        int n = epoll_wait(epoll, events, 256, 1000);

        for (int i = 0; i < n; i++) {
            struct end *at = events[i].data.ptr;

            if (!at)
                take(listener, port);
            else if (!at->closed && events[i].events & EPOLLOUT)
                go_on(at);
            if (at && !at->closed && events[i].events & ~(uint32_t)EPOLLOUT)
                copy(at);
        }
        free_closed();
    }
    return 0;
}
