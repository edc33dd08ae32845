/*
 * The fake provider: POST with "bench: EVENTS PACE_US" in its body is answered with a stream of
 * chat events, any GET with a list of one model. One thread, epoll.
 */
#include <errno.h>
#include <math.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/hash/sha256.h"
#include "base/memory/mem.h"
#include "gateway.h"

enum {
    STREAMS = 4096,
    WORDS = 8,
    OUT_BYTES = 16 * 1024,
    FRAME = EVENT_BYTES + 7 /* "140\r\n", the event, "\r\n" */
};

struct stream {
    int fd;
    char in[4096];
    size_t in_n;
    bool streams, done;
    size_t events, made;
    double pace, next; /* microseconds; next: when the next event is due */
    struct sha256 sum;
    char out[OUT_BYTES];
    size_t out_n, out_at;
};

static struct stream *all[STREAMS];
static char words[WORDS][EVENT_BYTES];
static int top; /* above the highest descriptor in use so far */
static size_t begun;
static int epoll, timer;
static volatile sig_atomic_t stopped;

/* ---- events ---- */

static void make_event(char out[EVENT_BYTES], const char *delta, const char *finish,
                       const char *usage)
{
    char text[EVENT_BYTES + 1];
    int n = snprintf(text, sizeof text,
                     "data: {\"id\":\"chatcmpl-b1\",\"object\":\"chat.completion.chunk\","
                     "\"created\":1763400000,\"model\":\"bench\",\"choices\":[{\"index\":0,"
                     "\"delta\":%s,\"finish_reason\":%s}],\"usage\":%s,\"pad\":\"",
                     delta, finish, usage);

    if (n < 0 || n > EVENT_TIME_AT) {
        fprintf(stderr, "bench: an event is too long\n");
        exit(2);
    }
    memset(out, 'x', EVENT_BYTES);
    memcpy(out, text, (size_t)n);
    memcpy(out + EVENT_TIME_AT + EVENT_TIME_DIGITS, "\"}\n\n", 4);
}

static void stamp(char event[EVENT_BYTES])
{
    unsigned long long us = (unsigned long long)now_us();

    for (int i = EVENT_TIME_DIGITS - 1; i >= 0; i--, us /= 10)
        event[EVENT_TIME_AT + i] = (char)('0' + us % 10);
}

static void make_words(void)
{
    static const char *const say[WORDS] = { " the", " model", " says",  " a",
                                            " few", " plain", " words", "." };

    for (size_t i = 0; i < WORDS; i++) {
        char delta[64];

        snprintf(delta, sizeof delta, "{\"content\":\"%s\"}", say[i]);
        make_event(words[i], delta, "null", "null");
    }
}

/* ---- a stream ---- */

static void put(struct stream *s, const char *p, size_t n)
{
    memcpy(s->out + s->out_n, p, n);
    s->out_n += n;
}

static void put_event(struct stream *s, char event[EVENT_BYTES])
{
    stamp(event);
    put(s, "140\r\n", 5);
    put(s, event, EVENT_BYTES);
    put(s, "\r\n", 2);
}

/* The digest, the reason to stop with the usage, the end mark. */
static void put_end(struct stream *s)
{
    static const char last[] = "e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n";
    unsigned char sum[SHA256_LEN];
    char hex[2 * SHA256_LEN + 1], delta[128], event[EVENT_BYTES], usage[96];

    sha256_final(&s->sum, sum);
    sha256_hex(sum, hex);
    snprintf(delta, sizeof delta, "{\"content\":\"%s\"}", hex);
    make_event(event, delta, "null", "null");
    put_event(s, event);
    snprintf(usage, sizeof usage,
             "{\"prompt_tokens\":9,\"completion_tokens\":%zu,\"total_tokens\":%zu}", s->events,
             s->events + 9);
    make_event(event, "{}", "\"stop\"", usage);
    put_event(s, event);
    put(s, last, sizeof last - 1);
    s->done = true;
}

static void make_next(struct stream *s)
{
    char *event;

    if (s->made == s->events) {
        put_end(s);
        return;
    }
    event = words[s->made++ % WORDS];
    put_event(s, event);
    sha256_update(&s->sum, event, EVENT_BYTES);
}

static void drop(struct stream *s)
{
    close(s->fd);
    all[s->fd] = NULL;
    sha256_finish(&s->sum);
    mem_free(s);
}

static void watch(const struct stream *s, int op, uint32_t events)
{
    struct epoll_event e = { .events = events, .data.fd = s->fd };

    if (epoll_ctl(epoll, op, s->fd, &e) != 0)
        exit(2);
}

/* Send what is ready; with pace 0 make and send until the socket is full. */
static void send_some(struct stream *s)
{
    for (;;) {
        ssize_t n;

        while (s->streams && s->pace == 0 && !s->done && s->out_n + 4 * FRAME < OUT_BYTES)
            make_next(s);
        if (s->out_at == s->out_n)
            break;
        n = send(s->fd, s->out + s->out_at, s->out_n - s->out_at, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && errno == EAGAIN) {
            watch(s, EPOLL_CTL_MOD, EPOLLIN | EPOLLOUT);
            return;
        }
        if (n < 0) {
            drop(s);
            return;
        }
        s->out_at += (size_t)n;
        if (s->out_at == s->out_n)
            s->out_at = s->out_n = 0;
    }
    if (s->done) { /* ready for another request */
        s->streams = s->done = false;
        s->in_n = 0;
        s->made = 0;
    }
}

static void begin(struct stream *s, const char *how)
{
    static const char head[] = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                               "Transfer-Encoding: chunked\r\n\r\n";
    char *end;

    s->events = strtoul(how, &end, 10);
    s->pace = (double)strtol(end, NULL, 10);
    /* Streams that begin together do not send together: phases by the golden ratio. */
    s->next = now_us() + s->pace * (0.5 + fmod((double)begun++ * 0.6180339887, 1));
    s->streams = true;
    sha256_finish(&s->sum);
    sha256_init(&s->sum);
    put(s, head, sizeof head - 1);
    make_next(s);
    send_some(s);
}

static void answer_models(struct stream *s)
{
    static const char body[] = "{\"object\":\"list\",\"data\":[{\"id\":\"bench\",\"object\":"
                               "\"model\",\"created\":1,\"owned_by\":\"bench\"}]}";
    char text[256];
    int n = snprintf(text, sizeof text,
                     "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                     "Content-Length: %zu\r\n\r\n%s",
                     sizeof body - 1, body);

    s->in_n = 0;
    put(s, text, (size_t)n);
    send_some(s);
}

static void hear(struct stream *s)
{
    static const char mark[] = "bench: ";
    ssize_t n = recv(s->fd, s->in + s->in_n, sizeof s->in - 1 - s->in_n, MSG_DONTWAIT);
    const char *how;

    if (n < 0 && errno == EAGAIN)
        return;
    if (n <= 0) {
        drop(s);
        return;
    }
    s->in_n += (size_t)n;
    s->in[s->in_n] = '\0';
    if (strncmp(s->in, "GET", 3) == 0 && strstr(s->in, "\r\n\r\n")) {
        answer_models(s);
        return;
    }
    how = strstr(s->in, mark);
    if (how && s->in[s->in_n - 1] == '}' && !s->streams)
        begin(s, how + sizeof mark - 1);
}

/* ---- the loop ---- */

static void take(int listener)
{
    int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC), on = 1;

    if (fd < 0)
        return;
    if (fd >= STREAMS) {
        close(fd);
        return;
    }
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    all[fd] = mem_zalloc(sizeof *all[fd]);
    all[fd]->fd = fd;
    if (fd >= top)
        top = fd + 1;
    watch(all[fd], EPOLL_CTL_ADD, EPOLLIN);
}

/* Send the events that are due, and set the timer for the next one. */
static void send_due(void)
{
    double now = now_us(), next = 0;
    struct itimerspec at = { 0 };

    for (int i = 0; i < top; i++) {
        struct stream *s = all[i];

        if (!s || !s->streams || s->pace == 0)
            continue;
        if (s->next <= now && s->out_n + 4 * FRAME < OUT_BYTES) {
            s->next += s->pace;
            make_next(s);
            send_some(s);
            s = all[i];
        }
        if (s && s->streams && (next == 0 || s->next < next))
            next = s->next;
    }
    if (next > 0) {
        double wait = next - now_us();

        at.it_value.tv_nsec = wait > 20 ? (long)(wait * 1e3) % 1000000000 : 20000;
        at.it_value.tv_sec = wait > 20 ? (time_t)(wait / 1e6) : 0;
    }
    (void)timerfd_settime(timer, 0, &at, NULL);
}

static void on_term(int sig)
{
    (void)sig;
    stopped = 1;
}

static void serve(int listener)
{
    struct epoll_event events[256];
    uint64_t ticks;

    while (!stopped) {
        int n = epoll_wait(epoll, events, 256, 1000);

        for (int i = 0; i < n; i++) {
            int fd = events[i].data.fd;

            if (fd == listener) {
                take(listener);
            } else if (fd == timer) {
                (void)!read(timer, &ticks, sizeof ticks);
            } else {
                if (all[fd] && events[i].events & EPOLLOUT) {
                    watch(all[fd], EPOLL_CTL_MOD, EPOLLIN);
                    send_some(all[fd]);
                }
                if (all[fd] && events[i].events & ~(uint32_t)EPOLLOUT)
                    hear(all[fd]);
            }
        }
        send_due();
    }
}

int upstream_main(void)
{
    struct sigaction term = { .sa_handler = on_term };
    int listener = listen_any();
    struct epoll_event e = { .events = EPOLLIN };

    pin(CORE_CLIENT);
    make_words();
    sigaction(SIGTERM, &term, NULL);
    epoll = epoll_create1(EPOLL_CLOEXEC);
    timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    e.data.fd = listener;
    (void)epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &e);
    e.data.fd = timer;
    (void)epoll_ctl(epoll, EPOLL_CTL_ADD, timer, &e);
    serve(listener);
    return 0;
}
