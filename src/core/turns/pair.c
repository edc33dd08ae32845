/*
 * Calls and results. A result belongs to the last turn with calls, and there to the first call with
 * its id that has none; position comes first, because some runtimes repeat ids ("call_0"). A result
 * that finds no call there belongs to the latest call with its id anywhere before. One without an
 * id, or with an id that no call has, answers the first call that waits. Pure.
 */
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/turns/turns_in.h"

static const char interrupted[] = "[Tool execution was interrupted]";

void call_add(struct building *b, struct turn *t, struct piece *call)
{
    uint64_t v;

    if (smap_get(&b->calls, call->s.call, &v))
        call->nth = ((const struct piece *)(uintptr_t)v)->nth + 1;
    smap_put(&b->calls, call->s.call, (uint64_t)(uintptr_t)call);
    t->calls++;
    b->round = t;
}

static struct piece *next_call(struct piece *p)
{
    while (p && p->kind != PIECE_CALL)
        p = p->next;
    return p;
}

/* The first call of the turn with that id and without a result; else the last one that has one. */
static struct piece *by_id(const struct turn *t, struct bough_str id)
{
    struct piece *answered = NULL;

    for (struct piece *p = next_call(t->first); p; p = next_call(p->next)) {
        if (!str_eq(p->s.call, id))
            continue;
        if (!p->result)
            return p;
        answered = p;
    }
    return answered;
}

/* The first call that waits, if possible of that tool. */
static struct piece *by_position(const struct turn *t, struct bough_str tool)
{
    struct piece *first = NULL;

    for (struct piece *p = next_call(t->first); p; p = next_call(p->next)) {
        if (p->result)
            continue;
        if (tool.n > 2 && str_eq(p->s.tool, tool))
            return p;
        if (!first)
            first = p;
    }
    return first;
}

static struct piece *find_call(const struct building *b, struct bough_str id, struct bough_str tool)
{
    struct piece *call = NULL;
    uint64_t v;

    if (id.n > 2 && b->round)
        call = by_id(b->round, id);
    if (!call && id.n > 2 && smap_get(&b->calls, id, &v))
        call = (struct piece *)(uintptr_t)v;
    if (!call && b->round && b->round == b->out->last)
        call = by_position(b->round, tool);
    return call;
}

void result_add(struct building *b, struct bough_str id, struct bough_str tool, bool failed,
                struct piece *content)
{
    struct piece *call = find_call(b, id, tool);
    struct result *r;

    if (!call) {
        turns_note(b, b->e, "omitted", "a result whose call is not here");
        return;
    }
    if (call->result)
        turns_note(b, call->result->e, "omitted", "another result for the same call came later");
    r = arena_zalloc(b->a, sizeof *r);
    *r = (struct result){ .e = b->e, .at = b->at, .content = content, .failed = failed };
    call->result = r;
    if (b->round)
        b->round->answered = true;
}

void calls_finish(struct building *b, struct turn *t)
{
    for (struct piece *p = next_call(t->first); p; p = next_call(p->next)) {
        if (p->result)
            continue;
        b->e = p->e;
        b->at = p->at;
        p->result = arena_zalloc(b->a, sizeof *p->result);
        *p->result = (struct result){ .e = p->e,
                                      .at = p->at,
                                      .content = piece_said(b, interrupted),
                                      .failed = true,
                                      .made = true };
        turns_note(b, p->e, "added", "a call without a result: the tool was interrupted");
    }
}
