/* The demo provider's end of a connection: a thread reads one HTTP request, writes the answer, and
 * ends. The other end is libcurl in this process, so only what libcurl sends is understood. */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/text/str.h"
#include "gateway/demo/demo.h"
#include "gateway/demo/inside.h"

enum {
    OPEN_MOST = 64,         /* requests at once */
    STRANGERS_MOST = 16,    /* connections of other processes before it gives up */
    HEAD_MOST = 256 * 1024, /* bytes */
    BODY_MOST = 64 << 20,
    STACK = 256 * 1024,
    WAIT_S = 60,  /* for bytes of a request, and for room in the socket */
    WORD_MS = 12, /* between two pieces of a stream: about 80 words a second */
};

static int open_now; /* requests that are served, in all threads; atomic */

/* ---- reading ---- */

static bool read_some(int fd, struct buf *in)
{
    enum { PIECE = 16 * 1024 };
    char *to = buf_reserve(in, PIECE);
    ssize_t n = to ? recv(fd, to, PIECE, 0) : -1;

    if (n <= 0)
        return false;
    in->n += (size_t)n;
    buf_end(in);
    return true;
}

static size_t body_length(const char *head)
{
    const char *line = strcasestr(head, "\r\ncontent-length:");

    return line ? (size_t)strtoull(line + strlen("\r\ncontent-length:"), NULL, 10) : 0;
}

/* The request line is at the beginning of `in`; the body is its end. */
static bool read_request(int fd, struct buf *in, struct bough_str *body)
{
    const char *end;
    size_t head, n;

    while (!(end = in->n ? strstr(in->p, "\r\n\r\n") : NULL))
        if (in->n > HEAD_MOST || !read_some(fd, in))
            return false;
    head = (size_t)(end - in->p) + 4;
    n = body_length(in->p);
    if (n > BODY_MOST)
        return false;
    while (in->n < head + n)
        if (!read_some(fd, in))
            return false;
    *body = str_make(in->p + head, n);
    return true;
}

/* ---- writing ---- */

static bool send_all(int fd, const char *p, size_t n)
{
    while (n) {
        ssize_t sent = send(fd, p, n, MSG_NOSIGNAL);

        if (sent <= 0)
            return false;
        p += sent;
        n -= (size_t)sent;
    }
    return true;
}

static void send_answer(int fd, int status, const struct buf *body)
{
    struct buf head;

    buf_init(&head, HEAD_MOST);
    buf_printf(&head,
               "HTTP/1.1 %d Demo\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n"
               "Connection: close\r\n\r\n",
               status, body->n);
    if (send_all(fd, head.p, head.n))
        (void)send_all(fd, body->n ? body->p : "", body->n);
    buf_finish(&head);
}

static void send_stream(int fd, const struct demo_reply *r)
{
    static const char head[] = "HTTP/1.1 200 Demo\r\nContent-Type: text/event-stream\r\n"
                               "Connection: close\r\n\r\n";
    static const struct timespec pause = { 0, WORD_MS * 1000000L };
    struct demo_place place = { 0 };
    struct buf event;

    buf_init(&event, DEMO_CHUNK);
    if (send_all(fd, head, sizeof head - 1))
        while (demo_print_next(&event, r, &place) && send_all(fd, event.p, event.n)) {
            buf_reset(&event);
            nanosleep(&pause, NULL);
        }
    buf_finish(&event);
}

static void answer(int fd, const struct buf *in, struct bough_str body)
{
    struct bough_arena *a = bough_arena_create();
    struct demo_reply reply = { .status = 404, .text = "the demo provider has no such path" };
    struct buf out;

    buf_init(&out, BODY_MOST);
    if (strncmp(in->p, "POST /v1/chat/completions ", 26) == 0)
        demo_answer(a, body, &reply);
    if (strncmp(in->p, "GET /v1/models ", 15) == 0) {
        demo_print_models(&out);
        send_answer(fd, 200, &out);
    } else if (reply.status == 200 && reply.stream) {
        send_stream(fd, &reply);
    } else {
        demo_print(&out, &reply);
        send_answer(fd, reply.status, &out);
    }
    buf_finish(&out);
    bough_arena_destroy(a);
}

static void set_patience(int fd)
{
    struct timeval most = { .tv_sec = WAIT_S };

    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most);
    (void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof most);
}

/* Other processes could guess the address: they are sent away. -1: this process did not come. */
static int accept_own(int listener)
{
    for (int tries = 0; tries < STRANGERS_MOST; tries++) {
        int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
        struct ucred who = { 0 };
        socklen_t n = sizeof who;

        if (fd < 0)
            return -1;
        if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &n) == 0 && who.pid == getpid())
            return fd;
        close(fd);
    }
    return -1;
}

static void *serve(void *user)
{
    int listener = (int)(intptr_t)user, fd = accept_own(listener);
    struct bough_str body;
    struct buf in;

    close(listener);
    buf_init(&in, HEAD_MOST + BODY_MOST);
    if (fd >= 0) {
        set_patience(fd);
        if (read_request(fd, &in, &body))
            answer(fd, &in, body);
        close(fd);
    }
    buf_finish(&in);
    __atomic_sub_fetch(&open_now, 1, __ATOMIC_ACQ_REL);
    return NULL;
}

/* ---- dialling ---- */

/* Signals belong to the threads that wait for them. */
static bool start(int fd)
{
    pthread_attr_t how;
    sigset_t all, before;
    pthread_t thread;
    bool started;

    pthread_attr_init(&how);
    pthread_attr_setdetachstate(&how, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&how, STACK);
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    started = pthread_create(&thread, &how, serve, (void *)(intptr_t)fd) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&how);
    return started;
}

bool demo_is(const char *url)
{
    return strncmp(url, DEMO_BASE "/", sizeof DEMO_BASE) == 0;
}

/* A listening socket with a name that the system chooses, outside of the file system. */
static int listen_anywhere(struct sockaddr *to, size_t most, unsigned *len)
{
    struct sockaddr_un name = { .sun_family = AF_UNIX };
    socklen_t n = sizeof name;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd >= 0 && bind(fd, (struct sockaddr *)&name, sizeof name.sun_family) == 0 &&
        listen(fd, STRANGERS_MOST) == 0 && getsockname(fd, (struct sockaddr *)&name, &n) == 0 &&
        n <= most) {
        memcpy(to, &name, n);
        *len = n;
        set_patience(fd);
        return fd;
    }
    if (fd >= 0)
        close(fd);
    return -1;
}

int demo_dial(struct sockaddr *to, size_t most, unsigned *len)
{
    int listener = -1, fd = -1;

    if (__atomic_add_fetch(&open_now, 1, __ATOMIC_ACQ_REL) <= OPEN_MOST)
        listener = listen_anywhere(to, most, len);
    if (listener >= 0)
        fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && start(listener))
        return fd;
    if (fd >= 0)
        close(fd);
    if (listener >= 0)
        close(listener);
    __atomic_sub_fetch(&open_now, 1, __ATOMIC_ACQ_REL);
    return -1;
}
