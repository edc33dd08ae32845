/* Messages as turns: who says what, and where a turn of the model ends. Pure. */
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/part/view.h"
#include "core/turns/turns_in.h"

/* ---- turns ---- */

struct turn *turn_new(struct building *b, enum turn_kind kind)
{
    struct turn *t = arena_zalloc(b->a, sizeof *t);

    t->kind = kind;
    t->e = b->e;
    t->at = b->at;
    t->kept = b->at;
    if (b->out->last)
        b->out->last->next = t;
    else
        b->out->first = t;
    b->out->last = t;
    b->out->n++;
    return t;
}

void turn_put(struct turn *t, struct piece *p)
{
    if (t->last)
        t->last->next = p;
    else
        t->first = p;
    t->last = p;
}

/* The turn of the user, or of the system, that this entry's pieces go into. */
static struct turn *turn_of(struct building *b, enum turn_kind kind)
{
    struct turn *t = b->out->last;

    if (t && t->kind == kind && t->at == b->at)
        return t;
    t = turn_new(b, kind);
    t->developer = b->facts.developer;
    return t;
}

/* Does a piece of the model belong to the last turn? Lines of one response (Claude Code writes one
 * a block), items of one response (Codex: one a call) and parallel calls of one message do. */
static bool goes_on(const struct building *b, const struct part_spans *s)
{
    const struct turn *t = b->out->last;
    bool call = s->kind == VIEW_CALL || s->kind == VIEW_TOOL;

    if (!t || t->kind != TURN_MODEL)
        return false;
    if (!t->last || (t->last->at == b->at && !t->answered && !t->over))
        return true;
    if (t->last->at == b->at)
        return call && t->last->kind == PIECE_CALL && !t->over;
    if (b->facts.response.n > 2 && str_eq(b->facts.response, b->response))
        return true;
    return !t->answered && s->item_wise && t->last->s.item_wise;
}

static void put_model(struct building *b, enum piece_kind kind, const struct part_spans *s)
{
    struct turn *t = goes_on(b, s) ? b->out->last : turn_new(b, TURN_MODEL);
    struct piece *p = piece_new(b, kind);

    p->s = *s;
    p->model = b->model;
    p->api = b->facts.api;
    turn_put(t, p);
    b->response = b->facts.response;
    if (kind == PIECE_CALL)
        call_add(b, t, p);
}

/* ---- parts ---- */

static void say_text(struct building *b, enum turn_kind by, const struct part_spans *s)
{
    struct piece *p;

    if (s->ignored) {
        turns_note(b, b->e, "omitted", "a text part is marked as ignored");
    } else if (json_span_blank(s->text)) {
        if (by == TURN_USER)
            turn_of(b, by)->empty = true;
    } else if (by == TURN_MODEL) {
        put_model(b, PIECE_TEXT, s);
    } else {
        p = piece_new(b, PIECE_TEXT);
        p->s = *s;
        turn_put(turn_of(b, by), p);
    }
}

void say_line(struct building *b, enum turn_kind by, struct piece *line)
{
    if (by == TURN_MODEL)
        put_model(b, PIECE_TEXT, &line->s);
    else
        turn_put(turn_of(b, by), line);
}

/* Text files that a tool has put into the prompt already, as synthetic text (A12). */
static bool told_elsewhere(const struct building *b, const struct part_spans *s)
{
    struct part_spans other;

    if (!json_span_is(s->mime, "text/plain") && !json_span_is(s->mime, "application/x-directory"))
        return false;
    for (size_t i = 0; i < b->e->nparts; i++) {
        if (b->e->parts[i].type != BOUGH_PART_TEXT)
            continue;
        part_spans_read(b->a, &b->e->parts[i], &other);
        if (other.synthetic)
            return true;
    }
    return false;
}

/* A file that a run left for people: {"data":{"artifact":KIND}}. */
static bool is_artifact(const struct part_spans *s)
{
    struct fields f, data;

    return memmem(s->raw.p, s->raw.n, "\"artifact\"", 10) && fields_scan(&f, s->raw) &&
           fields_scan(&data, fields_raw(&f, "data", JSON_OBJECT)) &&
           fields_raw(&data, "artifact", JSON_STRING).n;
}

static void say_file(struct building *b, enum turn_kind by, const struct part_spans *s)
{
    struct piece *p;

    if (is_artifact(s)) {
        turns_note(b, b->e, "omitted", "a file that a run left for people");
        return;
    }
    if (told_elsewhere(b, s)) {
        turns_note(b, b->e, "omitted", "a file whose text is in the message");
        return;
    }
    if (by == TURN_MODEL) {
        put_model(b, PIECE_FILE, s);
        return;
    }
    p = piece_new(b, PIECE_FILE);
    p->s = *s;
    turn_put(turn_of(b, by == TURN_SYSTEM ? TURN_USER : by), p);
}

static void give_result(struct building *b, const struct part_spans *s)
{
    bool partial = s->partial.n > 2; /* it was interrupted, but had written something (A13) */
    struct piece *content = s->cleared ? piece_said(b, "[Old tool result content cleared]")
                                       : content_of(b, partial ? s->partial : s->output, s->files);

    result_add(b, s->call, s->tool, s->failed && !partial, content);
}

static void say_tool(struct building *b, enum turn_kind by, const struct part_spans *s)
{
    bool finished = s->state == BOUGH_TOOL_COMPLETED || s->state == BOUGH_TOOL_ERROR;

    if (s->server) {
        put_model(b, PIECE_SERVER, s);
        return;
    }
    if (s->kind == VIEW_TOOL &&
        b->e->role == BOUGH_ROLE_TOOL) { /* of a run: its call came before */
        if (finished)
            give_result(b, s);
        return;
    }
    if (s->kind != VIEW_RESULT && by != TURN_MODEL) {
        turns_note(b, b->e, "omitted", "a call that is not the model's");
        return;
    }
    if (s->kind != VIEW_RESULT)
        put_model(b, PIECE_CALL, s);
    if (s->kind == VIEW_RESULT || (s->kind == VIEW_TOOL && finished))
        give_result(b, s);
}

static void say_other(struct building *b, enum turn_kind by, struct part_spans *s)
{
    switch (s->type) {
    case BOUGH_PART_STEP_START:
        if (b->out->last && b->out->last->kind == TURN_MODEL && b->out->last->calls)
            b->out->last->over = true;
        return;
    case BOUGH_PART_COMPACTION:
        if (by == TURN_USER)
            say_line(b, by, piece_said(b, "What did we do so far?"));
        return;
    case BOUGH_PART_SUBTASK:
        if (by == TURN_USER)
            say_line(b, by, piece_said(b, "The user ran this as a separate task."));
        return;
    case BOUGH_PART_OTHER:
        unknown_read(s);
        if (s->server)
            put_model(b, PIECE_SERVER, s);
        else if (s->kind == VIEW_TEXT)
            say_text(b, by, s);
        else if (s->kind == VIEW_CALL || s->kind == VIEW_RESULT)
            say_tool(b, by, s);
        else
            turns_note(b, b->e, "omitted", "there is no form for this %.*s part",
                       (int)(s->word.n > 2 && s->word.n < 60 ? s->word.n - 2 : 5),
                       s->word.n > 2 && s->word.n < 60 ? s->word.p + 1 : "other");
        return;
    case BOUGH_PART_TEXT:
    case BOUGH_PART_REASONING:
    case BOUGH_PART_TOOL:
    case BOUGH_PART_FILE:
    case BOUGH_PART_STEP_FINISH:
    case BOUGH_PART_PATCH:
    case BOUGH_PART_SNAPSHOT:
    case BOUGH_PART_AGENT:
    case BOUGH_PART_RETRY:
        return;
    }
}

static void say_part(struct building *b, enum turn_kind by, const struct bough_part *part)
{
    struct part_spans s;

    part_spans_read(b->a, part, &s);
    spans_mend(b, &s);
    switch (s.kind) {
    case VIEW_TEXT:
        say_text(b, by, &s);
        break;
    case VIEW_REASONING:
        if (by == TURN_MODEL)
            put_model(b, PIECE_REASONING, &s);
        break;
    case VIEW_CALL:
    case VIEW_TOOL:
    case VIEW_RESULT:
        say_tool(b, by, &s);
        break;
    case VIEW_FILE:
        say_file(b, by, &s);
        break;
    case VIEW_OTHER:
        say_other(b, by, &s);
        break;
    }
}

/* ---- messages ---- */

/* Content that is in data instead of parts: pi's `!command` and custom messages, alkhub's system.
 */
static void say_data(struct building *b, enum turn_kind by)
{
    struct bough_str content;
    struct piece *p, *next;
    struct fields f;

    if (b->e->role == BOUGH_ROLE_BASH) {
        say_line(b, by, piece_plain(b, view_bash_text(b->a, view_data(b->a, b->e))));
        return;
    }
    if (!b->e->data.n || !fields_scan(&f, b->e->data))
        return;
    content = fields_raw(&f, "content", JSON_STRING);
    if (!content.n)
        content = fields_raw(&f, "content", JSON_ARRAY);
    for (p = content.n ? content_of(b, json_span_mend(b->a, content), str_make(NULL, 0)) : NULL; p;
         p = next) {
        next = p->next;
        p->next = NULL;
        say_line(b, by, p);
    }
}

static enum turn_kind speaker(const struct bough_entry *e)
{
    switch (e->role) {
    case BOUGH_ROLE_ASSISTANT:
        return TURN_MODEL;
    case BOUGH_ROLE_SYSTEM:
        return TURN_SYSTEM;
    case BOUGH_ROLE_NONE:
    case BOUGH_ROLE_USER:
    case BOUGH_ROLE_TOOL:
    case BOUGH_ROLE_BASH:
    case BOUGH_ROLE_CUSTOM:
    case BOUGH_ROLE_OTHER:
        break;
    }
    return TURN_USER;
}

/* A tool message that is one result: its call is named beside its content, or nowhere. */
static bool is_one_result(const struct bough_entry *e, const struct facts *facts)
{
    if (e->role != BOUGH_ROLE_TOOL)
        return false;
    if (facts->call.n > 2)
        return true;
    for (size_t i = 0; i < e->nparts; i++)
        if (e->parts[i].type == BOUGH_PART_TOOL || e->parts[i].type == BOUGH_PART_OTHER)
            return false;
    return true;
}

void message_say(struct building *b)
{
    const struct bough_entry *e = b->e;
    enum turn_kind by = speaker(e);
    size_t turns = b->out->n;

    if (by == TURN_MODEL && b->facts.model.n > 2)
        b->model = b->facts.model;
    if (e->role == BOUGH_ROLE_TOOL && !e->nparts && strcmp(e->finish, "interrupted") == 0)
        return; /* its writer is gone: the call has no result */
    if (is_one_result(e, &b->facts)) {
        result_add(b, b->facts.call, b->facts.tool, b->facts.failed, content_of_parts(b, e));
        return;
    }
    for (size_t i = 0; i < e->nparts; i++)
        say_part(b, by, &e->parts[i]);
    if (!e->nparts && e->role != BOUGH_ROLE_USER && by != TURN_MODEL)
        say_data(b, by);
    if (by == TURN_USER && e->role == BOUGH_ROLE_USER && b->out->n == turns)
        turn_of(b, by)->empty = true;
}
