/* An API on real sockets, and clients that read its event streams. */
#include "api/stream.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/env.h"
#include "base/memory/arena.h"

void live_start(struct test *t, struct live *l)
{
    struct http_listen where = { .fd = -1 };
    struct http_limits limits = { .beat_ms = 200,
                                  .write_queue = 64 * 1024 * 1024,
                                  .write_ms = 120000 };

    world_open(t, &l->w);
    l->path = test_path(t, "sock");
    where.path = l->path;
    CHECK_OK(http_server_start(&l->server, api_app(l->w.api), &where, 1, &limits, &t->err));
}

void live_stop(struct live *l)
{
    http_server_destroy(l->server);
    world_close(&l->w);
}

void reader_open_only(struct test *t, struct reader *r, const struct live *l, const char *target,
                      const char *headers)
{
    struct sockaddr_un to = { .sun_family = AF_UNIX };
    const char *ask =
        arena_printf(t->arena, "GET %s HTTP/1.1\r\nHost: localhost\r\n%s\r\n", target, headers);

    buf_init(&r->got, 256 * 1024 * 1024);
    r->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(r->fd >= 0);
    snprintf(to.sun_path, sizeof to.sun_path, "%s", l->path);
    CHECK_INT(0, connect(r->fd, (struct sockaddr *)&to, sizeof to));
    CHECK_INT(strlen(ask), write(r->fd, ask, strlen(ask)));
}

void reader_open(struct test *t, struct reader *r, const struct live *l, const char *target,
                 const char *headers)
{
    reader_open_only(t, r, l, target, headers);
    CHECK(reader_hears(r, "\r\n\r\n", 1, 5000));
}

void reader_close(struct reader *r)
{
    close(r->fd);
    buf_finish(&r->got);
}

/* Count `text` from *at on. *at moves behind the last match, or to where the next match may begin,
 * so that each byte is scanned only once. */
static int count(const struct buf *b, const char *text, size_t *at)
{
    size_t len = strlen(text);
    const char *p;
    int n = 0;

    for (; (p = memmem(b->p + *at, b->n - *at, text, len)); n++)
        *at = (size_t)(p - b->p) + len;
    if (b->n >= len && *at < b->n - len + 1)
        *at = b->n - len + 1;
    return n;
}

bool reader_hears(struct reader *r, const char *text, int times, int ms)
{
    int64_t until = mono_us() + (int64_t)(ms * 1000.0 * patience());
    size_t at = 0;
    int seen = 0;

    while ((seen += count(&r->got, text, &at)) < times) {
        struct pollfd p = { .fd = r->fd, .events = POLLIN };
        int64_t left = (until - mono_us()) / 1000;
        char piece[65536];
        ssize_t n;

        if (left <= 0 || poll(&p, 1, (int)left) <= 0)
            return false;
        n = read(r->fd, piece, sizeof piece);
        if (n <= 0)
            return false;
        buf_put(&r->got, piece, (size_t)n);
    }
    return true;
}

const char *reader_last_id(struct test *t, const struct reader *r)
{
    const char *found = NULL, *end = r->got.p;

    for (const char *p = end; (p = strstr(p, "\n\n")); p += 2)
        end = p;
    for (const char *p = r->got.p; (p = strstr(p, "\nid: ")) && p < end; p++)
        found = p + 5;
    return found ? arena_strndup(t->arena, found, strcspn(found, "\n")) : "";
}
