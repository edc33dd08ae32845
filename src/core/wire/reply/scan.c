/* Looking at a stream while it passes: borders of events, and the end mark. */
#include "core/wire/reply/scan.h"

#include <string.h>

enum { HELD_MOST = 16 * 1024 * 1024 };

/* The beginnings of the events that end a reply. */
static const char *const chat_marks[] = { "data: [DONE]", "data:[DONE]", NULL };
static const char *const messages_marks[] = { "event: message_stop", "event:message_stop",
                                              "data: {\"type\":\"message_stop\"",
                                              "data:{\"type\":\"message_stop\"", NULL };
static const char *const responses_marks[] = {
    "event: response.completed",
    "event: response.incomplete",
    "event: response.failed",
    "event:response.completed",
    "event:response.incomplete",
    "event:response.failed",
    "data: {\"type\":\"response.completed",
    "data: {\"type\":\"response.incomplete",
    "data: {\"type\":\"response.failed",
    "data:{\"type\":\"response.completed",
    "data:{\"type\":\"response.incomplete",
    "data:{\"type\":\"response.failed",
    NULL,
};
static const char *const no_marks[] = { NULL };

static const char *const *marks_of(enum wire wire)
{
    switch (wire) {
    case WIRE_CHAT:
        return chat_marks;
    case WIRE_RESPONSES:
        return responses_marks;
    case WIRE_MESSAGES:
        return messages_marks;
    case WIRE_GEMINI:
        break;
    }
    return no_marks;
}

enum verdict { MARK_NO, MARK_MAYBE, MARK_YES };

static enum verdict is_mark(const struct wire_scan *s)
{
    enum verdict best = MARK_NO;

    for (const char *const *m = marks_of(s->wire); *m; m++) {
        size_t n = strlen(*m);

        if (s->nhead >= n ? memcmp(s->head, *m, n) == 0 : memcmp(s->head, *m, s->nhead) == 0)
            best = s->nhead >= n ? MARK_YES : best == MARK_YES ? best : MARK_MAYBE;
    }
    return best;
}

void wire_scan_init(struct wire_scan *s, enum wire wire, bool drop_usage)
{
    *s = (struct wire_scan){ .wire = wire, .drop_usage = drop_usage };
    buf_init(&s->held, HELD_MOST + 1024 * 1024);
}

void wire_scan_finish(struct wire_scan *s)
{
    buf_finish(&s->held);
}

/* An event of the chat wire that has usage and no choice. */
static bool only_usage(const char *p, size_t n)
{
    return (memmem(p, n, "\"choices\":[]", 12) || memmem(p, n, "\"choices\": []", 13)) &&
           (memmem(p, n, "\"usage\":{", 9) || memmem(p, n, "\"usage\": {", 10));
}

/* The bytes of one call. */
struct feeding {
    const char *p;
    size_t n;
    size_t given; /* bytes up to here are given, held or dropped */
    wire_scan_fn *give;
    void *user;
};

static void give_to(struct feeding *f, size_t to)
{
    if (to > f->given)
        f->give(f->user, f->p + f->given, to - f->given);
    f->given = to;
}

static void hold_to(struct wire_scan *s, struct feeding *f, size_t to)
{
    buf_put(&s->held, f->p + f->given, to - f->given);
    f->given = to;
}

void wire_scan_flush(struct wire_scan *s, wire_scan_fn *give, void *user)
{
    if (s->held.n)
        give(user, s->held.p, s->held.n);
    buf_reset(&s->held);
}

bool wire_scan_complete(const struct wire_scan *s)
{
    if (!s->ended)
        return false;
    return s->wire == WIRE_CHAT || memmem(s->held.p, s->held.n, "\n\n", 2) ||
           memmem(s->held.p, s->held.n, "\n\r\n", 3);
}

/* The event ends at `to`. */
static void end_event(struct wire_scan *s, struct feeding *f, size_t to)
{
    if (s->drop_usage && !s->passing) {
        hold_to(s, f, to);
        if (only_usage(s->held.p, s->held.n))
            buf_reset(&s->held);
        else
            wire_scan_flush(s, f->give, f->user);
    }
    s->nhead = 0;
    s->decided = s->passing = s->event_begun = false;
}

/* Look at the first bytes of an event. True: the end mark has come. */
static bool decide(struct wire_scan *s, const char *p, size_t n)
{
    size_t room = sizeof s->head - s->nhead;

    if (n > room)
        n = room;
    memcpy(s->head + s->nhead, p, n);
    s->nhead += n;
    switch (is_mark(s)) {
    case MARK_YES:
        return true;
    case MARK_NO:
        s->decided = true;
        break;
    case MARK_MAYBE:
        break;
    }
    return false;
}

static void look_at_line(struct wire_scan *s, const char *p, size_t n)
{
    if (n > 1 || (n == 1 && *p != '\r'))
        s->line_begun = s->event_begun = true;
}

/* What is left of the bytes belongs to an event that is not complete. */
static void keep_rest(struct wire_scan *s, struct feeding *f)
{
    bool hold = !s->decided || (s->drop_usage && !s->passing);

    if (hold && s->nhead) {
        hold_to(s, f, f->n);
        if (s->held.n < HELD_MOST)
            return;
        s->passing = s->decided = true;
    }
    if (s->passing)
        wire_scan_flush(s, f->give, f->user);
    give_to(f, f->n);
}

void wire_scan_feed(struct wire_scan *s, const char *p, size_t n, wire_scan_fn *give, void *user)
{
    struct feeding f = { p, n, 0, give, user };
    size_t at = 0, begins = 0; /* begins: of the event, in these bytes */

    if (s->ended) {
        hold_to(s, &f, n);
        return;
    }
    while (at < n) {
        const char *nl = memchr(p + at, '\n', n - at);
        size_t to = nl ? (size_t)(nl - p) + 1 : n;

        if (!s->decided && decide(s, p + at, to - at)) {
            give_to(&f, begins);
            s->ended = true;
            hold_to(s, &f, n);
            return;
        }
        if (s->decided && !s->drop_usage && s->held.n)
            wire_scan_flush(s, give, user);
        look_at_line(s, p + at, to - at - (nl ? 1 : 0));
        at = to;
        if (!nl)
            break;
        if (!s->line_begun) {
            if (s->drop_usage)
                give_to(&f, begins);
            end_event(s, &f, to);
            begins = to;
        }
        s->line_begun = false;
    }
    if (s->drop_usage || !s->decided)
        give_to(&f, begins);
    keep_rest(s, &f);
}
