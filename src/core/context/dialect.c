/* Functions that the dialects share: sources, notes, turns. Pure. */
#include "core/context/dialect.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/model/text.h"
#include "core/part/view.h"

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

/* ---- turns, for the dialects of providers ---- */

struct bough_entry *context_system(struct bough_arena *a, struct bough_str text, int64_t time)
{
    struct bough_part *part = arena_zalloc(a, sizeof *part);
    struct bough_entry *e = arena_zalloc(a, sizeof *e);

    *part = (struct bough_part){ BOUGH_PART_TEXT, bough_part_text(a, text) };
    *e = (struct bough_entry){ .session = "",
                               .kind_name = "message",
                               .role = BOUGH_ROLE_SYSTEM,
                               .time = time,
                               .origin = "",
                               .finish = "",
                               .parts = part,
                               .nparts = 1 };
    return e;
}

void context_take_note(void *c, const struct bough_entry *e, const char *what, const char *why)
{
    context_note(c, e, what, "%s", why);
}

struct buf *context_next(struct context_out *c)
{
    if (c->w.comma)
        buf_putc(c->w.out, ',');
    c->w.comma = true;
    return c->w.out;
}

/* The first message of the context is a system message, which is not a developer's. */
static bool begins_with_system(const struct context_out *c)
{
    const struct bough_entry *e = c->in->nleading ? c->in->leading[0] : NULL;

    for (size_t i = 0; i < c->in->n && !e; i++)
        if (c->in->entries[i].kind == BOUGH_ENTRY_MESSAGE && !c->in->entries[i].deleted)
            e = &c->in->entries[i];
    return e && e->role == BOUGH_ROLE_SYSTEM && !json_span_is(view_role_raw(e), "developer");
}

/* What stands before the path: the session's prompt, unless the path brings its own (C7), the
 * memories, and the system messages that a compaction hides. */
static size_t leading(struct context_out *c, const struct bough_entry ***out)
{
    const struct bough_entry **at = arena_array(c->a, c->in->nleading + 2, sizeof *at);
    size_t n = 0;

    if (!cstr_empty(c->in->system_prompt) && !begins_with_system(c)) {
        at[n++] = context_system(c->a, str_of(c->in->system_prompt), 0);
        context_note(c, at[0], "added", "the session's system prompt");
    }
    for (size_t i = 0; i < c->in->nleading; i++)
        at[n++] = c->in->leading[i];
    if (c->memories)
        at[n++] = c->memories;
    *out = at;
    return n;
}

/* The model that was in force before the entries. */
static const char *model_before(struct context_out *c)
{
    for (size_t i = 0; i < c->in->nbefore; i++) {
        const struct bough_entry *e = c->in->before[i];
        struct json data = view_data(c->a, e);
        const char *model = json_cstr(c->a, data, "modelId");

        if (!model && e->kind == BOUGH_ENTRY_MESSAGE)
            model = json_cstr(c->a, data, "model");
        if (!model && e->kind == BOUGH_ENTRY_MESSAGE)
            model = json_cstr(c->a, data, "modelID");
        if (model && !e->deleted)
            return model;
    }
    return NULL;
}

void context_turns(struct context_out *c, const struct turns_rules *rules, struct turns *out)
{
    const struct context_input *from = c->in;
    const struct bough_entry **before;
    struct turns_input in = { .entries = from->entries,
                              .n = from->n,
                              .marker = from->marker,
                              .model = model_before(c),
                              .to_model =
                                  cstr_empty(from->model) ? c->out->model_name : from->model,
                              .trailing = from->trailing,
                              .note = context_take_note,
                              .user = c };

    in.nleading = leading(c, &before);
    in.leading = before;
    turns_build(c->a, &in, rules, out);
}

void context_system_put(struct context_out *c, const struct piece *texts, const char *before,
                        const char *after)
{
    struct buf b;

    if (!texts)
        return;
    buf_init(&b, LIMIT_JSON_BYTES);
    buf_puts(&b, before);
    put_texts(&b, texts, "\\n\\n");
    buf_puts(&b, after);
    c->out->system = buf_give(&b, c->a);
}

bool context_results(struct context_out *c, const struct turn *t, const char *open,
                     void (*put)(struct buf *out, const struct piece *call))
{
    bool any = false;

    for (const struct piece *p = t->first; p; p = p->next) {
        if (p->kind != PIECE_CALL)
            continue;
        if (any) {
            buf_putc(c->w.out, ',');
        } else {
            context_source(c, p->result->e);
            buf_puts(context_next(c), open);
        }
        put(c->w.out, p);
        any = true;
    }
    return any;
}
