/* Contexts: the list of dialects and what they share. Pure. */
#include "core/context.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/limits.h"
#include "base/str.h"
#include "core/text.h"
#include "core/view.h"

const struct context_dialect *const context_dialects[] = {
    &context_pi,
    &context_hygge,
    &context_ui,
    NULL,
};

/* Room for one more in a growing array of the arena. */
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
    struct bough_context *out = c->out;

    out->sources =
        grow(c->a, (void *)out->sources, out->count, &c->sources_cap, sizeof *out->sources);
    out->sources[out->count++] = e->id;
}

void context_note(struct context_out *c, const struct bough_entry *e, const char *what,
                  const char *fmt, ...)
{
    struct bough_context *out = c->out;
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

/* What an entry says about the model (an answer says which it was, too: P23) or the level. */
static void take_setting(struct bough_arena *a, const struct bough_entry *e,
                         struct bough_context *out)
{
    bool answer = e->kind == BOUGH_ENTRY_MESSAGE && e->role == BOUGH_ROLE_ASSISTANT;
    const char *provider, *model;

    if (e->deleted)
        return;
    if (e->kind == BOUGH_ENTRY_THINKING_LEVEL_CHANGE && !out->thinking_level)
        out->thinking_level = json_cstr(a, view_data(a, e), "thinkingLevel");
    if ((!answer && e->kind != BOUGH_ENTRY_MODEL_CHANGE) || out->model_name)
        return;
    provider = json_cstr(a, view_data(a, e), "provider");
    model = json_cstr(a, view_data(a, e), answer ? "model" : "modelId");
    if (!provider && !model)
        return;
    out->model_provider = provider ? provider : "";
    out->model_name = model ? model : "";
}

/* The last change on the path wins: from its end, until both are known. */
static void find_settings(struct bough_arena *a, const struct context_input *in,
                          struct bough_context *out)
{
    for (size_t i = in->n; i-- > 0 && !(out->thinking_level && out->model_name);)
        take_setting(a, &in->entries[i], out);
    for (size_t i = 0; i < in->nbefore; i++)
        take_setting(a, in->before[i], out);
    out->thinking_level = out->thinking_level ? out->thinking_level : "off";
    out->model_provider = out->model_provider ? out->model_provider : "";
    out->model_name = out->model_name ? out->model_name : "";
}

static const struct context_dialect *find_dialect(const char *name)
{
    size_t i;

    for (i = 0; context_dialects[i]; i++) {
        if (cstr_eq(context_dialects[i]->name, name))
            return context_dialects[i];
    }
    return NULL;
}

static enum bough_rc unknown_dialect(const char *name, struct bough_error *err)
{
    char known[128] = "";
    size_t i, n = 0;

    for (i = 0; context_dialects[i] && n < sizeof known; i++)
        n += (size_t)snprintf(known + n, sizeof known - n, "%s%s", i ? ", " : "",
                              context_dialects[i]->name);
    return bough_fail(err, BOUGH_INVALID, "there is no dialect \"%.40s\"; there are %s",
                      name ? name : "", known);
}

enum bough_rc context_build(struct bough_arena *a, const struct context_input *in,
                            struct bough_context *out, struct bough_error *err)
{
    const struct context_dialect *dialect = find_dialect(in->dialect);
    struct context_out c = { .a = a, .in = in, .out = out };
    struct buf b;
    bool over;

    if (!dialect)
        return unknown_dialect(in->dialect, err);
    *out = (struct bough_context){ .marker = in->marker };
    find_settings(a, in, out);
    buf_init(&b, LIMIT_JSON_BYTES);
    jw_init(&c.w, &b);
    jw_arr(&c.w);
    dialect->build(&c);
    jw_end_arr(&c.w);
    over = b.over;
    if (!over)
        out->messages = text_keep(a, &b);
    buf_finish(&b);
    if (over)
        return bough_fail(err, BOUGH_TOO_LARGE, "the context is larger than 4 GiB");
    return BOUGH_OK;
}
