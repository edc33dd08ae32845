/* Functions that the dialects share: the sources and notes of a context. Pure. */
#include "core/context/dialect.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/memory/arena.h"
#include "base/text/str.h"

/* Make room for one more element in an array of the arena. */
static void *grow(struct bough_arena *a, void *p, size_t n, size_t *cap, size_t size)
{
    size_t more = *cap ? 2 * *cap : 32;

    if (n < *cap)
        return p;
    p = arena_resize(a, p, *cap * size, more * size);
    *cap = more;
    return p;
}

void context_source(struct context_out *c, const struct bough_entry *e)
{
    struct bough_context_result *out = c->out;

    out->sources =
        grow(c->a, (void *)out->sources, out->count, &c->sources_cap, sizeof *out->sources);
    out->sources[out->count++] = e->id;
}

void context_note(struct context_out *c, const struct bough_entry *e, const char *what,
                  const char *fmt, ...)
{
    struct bough_context_result *out = c->out;
    struct bough_context_note *note;
    char why[256];
    va_list args;

    va_start(args, fmt);
    vsnprintf(why, sizeof why, fmt, args);
    va_end(args);
    out->notes = grow(c->a, out->notes, out->nnotes, &c->notes_cap, sizeof *out->notes);
    note = &out->notes[out->nnotes++];
    memcpy(note->entry, e->id, sizeof note->entry);
    note->what = what;
    note->why = arena_strdup(c->a, why);
}

bool context_left_out(struct context_out *c, const struct bough_entry *e)
{
    if (!e->deleted && !e->open)
        return false;
    context_note(c, e, "omitted", e->open ? "it is still being written" : "it was deleted");
    return true;
}

bool context_is(const struct bough_entry *e, const char *id)
{
    return !cstr_empty(id) && (cstr_eq(e->id, id) || cstr_eq(e->origin, id));
}
