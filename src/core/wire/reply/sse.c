/* Server-sent events, reading. */
#include "core/wire/reply/sse.h"

#include <string.h>

#include "base/text/str.h"

enum { ID_MOST = 1024, RETRY_DIGITS = 9 };

void sse_init(struct sse *s, size_t most)
{
    *s = (struct sse){ .retry_ms = -1 };
    buf_init(&s->line, most);
    buf_init(&s->name, 1024);
    buf_init(&s->data, most);
    buf_init(&s->id, ID_MOST);
}

void sse_finish(struct sse *s)
{
    buf_finish(&s->line);
    buf_finish(&s->name);
    buf_finish(&s->data);
    buf_finish(&s->id);
}

/* The blank line: give the event and begin the next one. */
static void dispatch(struct sse *s, sse_fn *fn, void *user)
{
    struct sse_event event = { buf_str(&s->name), buf_str(&s->data) };

    s->dropped += s->oversized || s->data.over;
    if (s->has_data && !s->oversized && !s->data.over)
        fn(user, &event);
    buf_reset(&s->name);
    buf_reset(&s->data);
    s->has_data = s->oversized = false;
}

/* The value behind the colon, without one space. */
static struct bough_str value_of(struct bough_str line, size_t name)
{
    size_t from = name + 1 < line.n && line.p[name + 1] == ' ' ? name + 2 : name + 1;

    return from < line.n ? str_make(line.p + from, line.n - from) : str_of("");
}

/* Digits only; anything else is ignored. */
static void take_retry(struct sse *s, struct bough_str value)
{
    int64_t ms = 0;

    if (!value.n || value.n > RETRY_DIGITS)
        return;
    for (size_t i = 0; i < value.n; i++) {
        if (value.p[i] < '0' || value.p[i] > '9')
            return;
        ms = ms * 10 + (value.p[i] - '0');
    }
    s->retry_ms = ms;
}

static void field(struct sse *s, struct bough_str line)
{
    const char *colon = memchr(line.p, ':', line.n);
    size_t n = colon ? (size_t)(colon - line.p) : line.n;
    struct bough_str name = str_make(line.p, n), value = colon ? value_of(line, n) : str_of("");

    if (str_is(name, "data")) {
        if (s->has_data)
            buf_putc(&s->data, '\n');
        s->has_data = true;
        buf_put_str(&s->data, value);
    } else if (str_is(name, "event")) {
        buf_reset(&s->name);
        buf_put_str(&s->name, value);
    } else if (str_is(name, "id")) {
        buf_reset(&s->id);
        if (!memchr(value.p, '\0', value.n))
            buf_put_str(&s->id, value);
    } else if (str_is(name, "retry")) {
        take_retry(s, value);
    }
}

static void end_line(struct sse *s, sse_fn *fn, void *user)
{
    struct bough_str line = buf_str(&s->line);

    if (!s->begun && str_starts(line, "\xef\xbb\xbf"))
        line = str_make(line.p + 3, line.n - 3);
    s->begun = true;
    if (s->line.over)
        s->oversized = true;
    else if (!line.n)
        dispatch(s, fn, user);
    else
        field(s, line);
    buf_reset(&s->line);
}

/* The first CR or LF, or the end. */
static const char *line_end(const char *p, const char *end)
{
    const char *lf = memchr(p, '\n', (size_t)(end - p)), *stop = lf ? lf : end;
    const char *cr = memchr(p, '\r', (size_t)(stop - p));

    return cr ? cr : stop;
}

void sse_feed(struct sse *s, const char *p, size_t n, sse_fn *fn, void *user)
{
    const char *end = p + n;

    while (p < end) {
        const char *stop;

        if (s->cr && *p == '\n') {
            s->cr = false;
            p++;
            continue;
        }
        s->cr = false;
        stop = line_end(p, end);
        buf_put(&s->line, p, (size_t)(stop - p));
        if (stop == end)
            return;
        s->cr = *stop == '\r';
        end_line(s, fn, user);
        p = stop + 1;
    }
}

void sse_end(struct sse *s, sse_fn *fn, void *user)
{
    if (s->line.n || s->line.over)
        end_line(s, fn, user);
    dispatch(s, fn, user);
}
