/* The client of streams: opens many, reads them to their end, checks every byte. See gateway.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/hash/sha256.h"
#include "base/memory/mem.h"
#include "gateway.h"

enum { HEAD_MOST = 4096, SECONDS_MOST = 120 };

static const char end_mark[] = "data: [DONE]\n\n";

enum at { AT_HEAD, AT_SIZE, AT_BYTES, AT_END };

struct reading {
    int fd;
    double began, last_event;
    enum at at;
    char head[HEAD_MOST];
    size_t head_n;
    size_t size, left; /* of the chunk; left includes its line end */
    bool size_begun, first;
    char event[EVENT_BYTES];
    size_t event_n, nevents;
    struct sha256 sum;
    char hex[2 * SHA256_LEN + 1];
};

struct flooding {
    const struct flood *how;
    struct flooded *out;
    struct reading *at;
    int epoll;
    size_t opened, firsts, halves, done;
};

static void fail(const struct reading *r, const char *what)
{
    fprintf(stderr, "bench: a stream %s: %.*s\n", what, (int)r->head_n, r->head);
    exit(2);
}

/* ---- what arrives ---- */

static void take_event(struct flooding *f, struct reading *r, double now)
{
    char digits[EVENT_TIME_DIGITS + 1];
    size_t texts = f->how->events;

    memcpy(digits, r->event + EVENT_TIME_AT, EVENT_TIME_DIGITS);
    digits[EVENT_TIME_DIGITS] = '\0';
    sample(&f->out->lag, now - strtod(digits, NULL));
    r->last_event = now;
    if (r->nevents < texts)
        sha256_update(&r->sum, r->event, EVENT_BYTES);
    if (r->nevents == texts) {
        unsigned char sum[SHA256_LEN];

        sha256_final(&r->sum, sum);
        sha256_hex(sum, r->hex);
        if (!memmem(r->event, EVENT_BYTES, r->hex, 2 * SHA256_LEN))
            fail(r, "was changed on its way");
    }
    r->nevents++;
    r->event_n = 0;
    if (r->nevents == (texts + 1) / 2)
        f->halves++;
}

/* Bytes of the body. Behind the last event there is only the end mark. */
static void take_bytes(struct flooding *f, struct reading *r, const char *p, size_t n, double now)
{
    if (!r->first) {
        r->first = true;
        f->firsts++;
        sample(&f->out->first, now - r->began);
    }
    while (n) {
        size_t part = EVENT_BYTES - r->event_n;

        if (part > n)
            part = n;
        memcpy(r->event + r->event_n, p, part);
        r->event_n += part;
        p += part;
        n -= part;
        if (r->event_n == EVENT_BYTES)
            take_event(f, r, now);
    }
    if (r->nevents == f->how->events + 2 && r->event_n == sizeof end_mark - 1)
        sample(&f->out->tail, now - r->last_event);
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'                 ? c - '0'
           : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10
                                                : -1;
}

static void end_stream(struct flooding *f, struct reading *r)
{
    if (r->nevents != f->how->events + 2 || r->event_n != sizeof end_mark - 1 ||
        memcmp(r->event, end_mark, sizeof end_mark - 1) != 0)
        fail(r, "is not complete");
    r->at = AT_END;
    close(r->fd);
    f->done++;
}

/* A byte of the line that has the size of a chunk. */
static void take_size(struct flooding *f, struct reading *r, char c)
{
    int digit = hex_digit(c);

    if (digit >= 0) {
        r->size = r->size * 16 + (size_t)digit;
        r->size_begun = true;
    }
    if (c != '\n')
        return;
    if (!r->size_begun)
        fail(r, "has a bad chunk");
    if (!r->size) {
        end_stream(f, r);
        return;
    }
    r->left = r->size + 2;
    r->size = 0;
    r->size_begun = false;
    r->at = AT_BYTES;
}

/* Returns how many bytes belong to the head. */
static size_t take_head(struct reading *r, const char *p, size_t n)
{
    size_t before = r->head_n, room = HEAD_MOST - 1 - before;
    const char *end;

    memcpy(r->head + before, p, n < room ? n : room);
    r->head_n += n < room ? n : room;
    r->head[r->head_n] = '\0';
    end = strstr(r->head, "\r\n\r\n");
    if (!end && r->head_n == HEAD_MOST - 1)
        fail(r, "has a long head");
    if (!end)
        return n;
    if (strncmp(r->head, "HTTP/1.1 200", 12) != 0 || !strcasestr(r->head, "chunked"))
        fail(r, "was refused");
    r->at = AT_SIZE;
    return (size_t)(end + 4 - r->head) - before;
}

static void take(struct flooding *f, struct reading *r, const char *p, size_t n, double now)
{
    while (n && r->at != AT_END) {
        size_t used = 1;

        if (r->at == AT_HEAD) {
            used = take_head(r, p, n);
        } else if (r->at == AT_SIZE) {
            take_size(f, r, *p);
        } else {
            used = n < r->left ? n : r->left;
            if (r->left > 2)
                take_bytes(f, r, p, used < r->left - 2 ? used : r->left - 2, now);
            r->left -= used;
            if (!r->left)
                r->at = AT_SIZE;
        }
        p += used;
        n -= used;
    }
}

/* ---- the streams ---- */

static void open_one(struct flooding *f, size_t i)
{
    static unsigned long number;
    struct reading *r = &f->at[i];
    struct epoll_event e = { .events = EPOLLIN, .data.u64 = i };
    char body[512], text[1024], token[256] = "";
    int n;

    if (f->how->ntokens)
        snprintf(token, sizeof token, "Authorization: Bearer %s\r\n",
                 f->how->tokens[i % f->how->ntokens]);
    snprintf(
        body, sizeof body,
        "{\"model\":\"bench\",\"stream\":true,\"stream_options\":{\"include_usage\":true},"
        "\"messages\":[{\"role\":\"user\",\"content\":\"bench: %zu %ld, request %lu of %d\"}]}",
        f->how->events, f->how->pace_us, number++, (int)getpid());
    n = snprintf(text, sizeof text,
                 "POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n%s"
                 "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
                 f->how->port, token, strlen(body), body);
    sha256_init(&r->sum);
    r->began = now_us();
    r->fd = connect_to(f->how->port);
    send_all(r->fd, (struct bough_str){ text, (size_t)n });
    if (epoll_ctl(f->epoll, EPOLL_CTL_ADD, r->fd, &e) != 0)
        fail(r, "cannot be watched");
    f->opened++;
}

static void open_more(struct flooding *f)
{
    size_t wave = f->how->wave ? f->how->wave : f->how->streams;

    if (f->firsts < f->opened)
        return;
    for (size_t i = 0; i < wave && f->opened < f->how->streams; i++)
        open_one(f, f->opened);
}

static void hear(struct flooding *f, struct reading *r)
{
    static char in[128 * 1024];
    ssize_t n = recv(r->fd, in, sizeof in, MSG_DONTWAIT);

    if (n < 0 && errno == EAGAIN)
        return;
    if (n <= 0)
        fail(r, "was cut");
    take(f, r, in, (size_t)n, now_us());
}

void flood_run(const struct flood *how, struct flooded *out)
{
    struct flooding f = { .how = how, .out = out, .epoll = epoll_create1(EPOLL_CLOEXEC) };
    struct epoll_event events[256];
    double began = now_us();
    bool told = false;

    f.at = mem_zalloc(mem_array(how->streams, sizeof *f.at));
    while (f.done < how->streams) {
        int n;

        open_more(&f);
        n = epoll_wait(f.epoll, events, 256, 1000);
        for (int i = 0; i < n; i++)
            hear(&f, &f.at[events[i].data.u64]);
        if (how->middle && !told && f.halves == how->streams) {
            told = true;
            how->middle(how->user);
        }
        if (now_us() - began > SECONDS_MOST * 1e6) {
            fprintf(stderr, "bench: %zu of %zu streams ended in time\n", f.done, how->streams);
            exit(2);
        }
    }
    out->seconds += (now_us() - began) / 1e6;
    for (size_t i = 0; i < how->streams; i++)
        sha256_finish(&f.at[i].sum);
    close(f.epoll);
    mem_free(f.at);
}

void flooded_finish(struct flooded *f)
{
    samples_finish(&f->first);
    samples_finish(&f->lag);
    samples_finish(&f->tail);
}
