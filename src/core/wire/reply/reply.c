/* Replies: what all wires share. Bytes to events, steps, and the result. */
#include "core/wire/reply/reply.h"

#include <string.h>

#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/memory/mem.h"
#include "base/text/str.h"
#include "core/model/text.h"
#include "core/wire/reply/inside.h"

enum { NAME_MOST = BOUGH_LIMIT_NAME };

static const struct reply_wire *const wires[] = {
    [WIRE_CHAT] = &reply_chat,
    [WIRE_RESPONSES] = &reply_items,
    [WIRE_MESSAGES] = &reply_blocks,
};

struct reply *reply_create(enum wire wire, bool stream)
{
    struct reply *r = mem_zalloc(sizeof *r);

    r->wire = wire;
    r->stream = stream;
    r->how = wires[wire];
    r->sequence = -1;
    r->a = bough_arena_create();
    sse_init(&r->sse, EVENT_MOST);
    buf_init(&r->body, (size_t)LIMIT_MESSAGE_BYTES);
    buf_init(&r->id, NAME_MOST);
    buf_init(&r->model, NAME_MOST);
    buf_init(&r->finish, NAME_MOST);
    buf_init(&r->usage, LIMIT_METADATA);
    buf_init(&r->error, LIMIT_METADATA);
    buf_init(&r->final, EVENT_MOST);
    return r;
}

void reply_destroy(struct reply *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < r->npieces; i++)
        piece_finish(&r->pieces[i]);
    mem_free(r->pieces);
    gather_finish(&r->about);
    sse_finish(&r->sse);
    buf_finish(&r->body);
    buf_finish(&r->id);
    buf_finish(&r->model);
    buf_finish(&r->finish);
    buf_finish(&r->usage);
    buf_finish(&r->error);
    buf_finish(&r->final);
    mem_free(r->steps);
    mem_free(r->flows);
    bough_arena_destroy(r->a);
    bough_arena_destroy(r->tmp);
    bough_arena_destroy(r->step_arena);
    mem_free(r);
}

/* ---- steps ---- */

const struct bough_step *reply_steps(struct reply *r, size_t *n)
{
    *n = r->nsteps - r->given;
    r->given = r->nsteps;
    return r->steps ? r->steps + r->nsteps - *n : NULL;
}

void reply_steps_drop(struct reply *r)
{
    if (r->given < r->nsteps)
        return;
    r->given = r->nsteps = 0;
    mem_free(r->steps);
    r->steps = NULL;
    bough_arena_destroy(r->step_arena);
    r->step_arena = NULL;
}

/* What reading needs. Thousands of replies may grow at a time: little of it stays in between. */
static void begin_reading(struct reply *r)
{
    reply_steps_drop(r);
    r->tmp = bough_arena_create();
    if (!r->step_arena)
        r->step_arena = bough_arena_create();
}

/* ---- bytes ---- */

static void take_event(void *user, const struct sse_event *event)
{
    struct reply *r = user;
    struct json data;

    if (str_is(event->data, "[DONE]")) {
        r->ended = true;
        return;
    }
    if (!event->data.n)
        return;
    bough_arena_reset(r->tmp);
    if (json_parse(r->tmp, event->data, &data, NULL) || json_type(data) != JSON_OBJECT) {
        r->malformed++;
        return;
    }
    r->how->event(r, event->name, data);
}

/* A provider may answer with a document when it was asked for a stream, and the other way round.
 * The first byte tells: an object begins with a brace, an event with the name of a field or a
 * colon. */
static void notice_form(struct reply *r, const char *p, size_t n)
{
    size_t i = 0;

    while (i < n && (p[i] == ' ' || p[i] == '\t' || p[i] == '\r' || p[i] == '\n'))
        i++;
    if (r->form_known || i == n)
        return;
    r->form_known = true;
    if (p[i] == '{')
        r->stream = false;
    else if (strchr(":deir", p[i]) && p[i])
        r->stream = true;
}

void reply_feed(struct reply *r, const char *p, size_t n)
{
    notice_form(r, p, n);
    if (!r->stream) {
        buf_put(&r->body, p, n);
        return;
    }
    begin_reading(r);
    sse_feed(&r->sse, p, n, take_event, r);
    bough_arena_destroy(r->tmp);
    r->tmp = NULL;
}

bool reply_ended(const struct reply *r)
{
    return r->ended;
}

/* ---- the result ---- */

static void take_document(struct reply *r)
{
    struct json body;

    if (r->body.over || json_parse(r->tmp, buf_str(&r->body), &body, NULL) ||
        json_type(body) != JSON_OBJECT) {
        r->malformed++;
        r->truncated = r->body.over;
        return;
    }
    reply_set_raw(&r->error, json_member(body, "error"));
    r->how->document(r, body);
    r->ended = true;
}

const struct reply_result *reply_end(struct reply *r)
{
    struct reply_result *out = arena_zalloc(r->a, sizeof *out);
    struct reply_choice *choices = NULL;

    begin_reading(r);
    if (r->stream)
        sse_end(&r->sse, take_event, r);
    else
        take_document(r);
    r->truncated = r->truncated || r->sse.dropped;
    r->malformed += r->sse.dropped;
    r->cut = r->cut || (!r->ended && !r->finish.n);
    r->how->choices(r, &choices, &out->nchoices);
    if (!out->nchoices) {
        choices = arena_zalloc(r->a, sizeof *choices);
        choices->finish = reply_word(r, &r->finish);
        choices->cut = r->cut;
        out->nchoices = 1;
    }
    out->choices = choices;
    out->id = reply_word(r, &r->id);
    out->model = reply_word(r, &r->model);
    out->usage = arena_str(r->a, buf_str(&r->usage));
    out->error = arena_str(r->a, buf_str(&r->error));
    out->ended = r->ended;
    out->truncated = r->truncated;
    out->malformed = r->malformed;
    out->sequence = r->sequence;
    out->text_bytes = r->text_bytes;
    return out;
}
