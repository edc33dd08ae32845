/* Contexts: the list of dialects, and building a context. Pure. */
#include "core/context/context.h"

#include <stdio.h>

#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/context/dialect.h"
#include "core/model/text.h"
#include "core/part/view.h"
#include "core/turns/turns.h"

/* ---- the list of dialects ---- */

const struct context_dialect *const context_dialects[] = {
    &context_pi,
    &context_hygge,
    &context_ui,
    &context_openai_chat,
    &context_openai_responses,
    &context_anthropic,
    &context_gemini,
    NULL,
};

const char *context_dialect_name(size_t i)
{
    return context_dialects[i] ? context_dialects[i]->name : NULL;
}

static enum bough_rc unknown(const char *name, struct bough_error *err)
{
    char known[200] = "";
    size_t i, n = 0;

    for (i = 0; context_dialects[i] && n < sizeof known; i++)
        n += (size_t)snprintf(known + n, sizeof known - n, "%s%s", i ? ", " : "",
                              context_dialects[i]->name);
    if (cstr_empty(name))
        return bough_fail(err, BOUGH_INVALID, "say which dialect: %s", known);
    return bough_fail(err, BOUGH_INVALID, "there is no dialect \"%.40s\"; there are %s", name,
                      known);
}

enum bough_rc context_dialect_find(const char *name, const struct context_dialect **out,
                                   struct bough_error *err)
{
    size_t i;

    for (i = 0; context_dialects[i]; i++) {
        if (cstr_eq(context_dialects[i]->name, name)) {
            *out = context_dialects[i];
            return BOUGH_OK;
        }
    }
    return unknown(name, err);
}

/* ---- building ---- */

/* A string of the entry's data, under the name of pi or of opencode. */
static const char *member_of(struct bough_arena *a, const struct bough_entry *e, const char *name,
                             const char *other)
{
    struct json data = view_data(a, e);
    const char *s = json_cstr(a, data, name);

    return s || !other ? s : json_cstr(a, data, other);
}

/*
 * Take the model and the thinking level from an entry, unless already known. An assistant message
 * sets the model as well (P23).
 */
static void take_setting(struct bough_arena *a, const struct bough_entry *e,
                         struct bough_context_result *out)
{
    bool answer = e->kind == BOUGH_ENTRY_MESSAGE && e->role == BOUGH_ROLE_ASSISTANT;
    const char *provider, *model;

    if (e->deleted)
        return;
    if (e->kind == BOUGH_ENTRY_THINKING_LEVEL_CHANGE && !out->thinking_level)
        out->thinking_level = json_cstr(a, view_data(a, e), "thinkingLevel");
    if ((!answer && e->kind != BOUGH_ENTRY_MODEL_CHANGE) || out->model_name)
        return;
    provider = member_of(a, e, "provider", "providerID");
    model = answer ? member_of(a, e, "model", "modelID") : member_of(a, e, "modelId", NULL);
    if (!provider && !model)
        return;
    out->model_provider = provider ? provider : "";
    out->model_name = model ? model : "";
}

/* The last change on the path wins: search from its end until both are known. */
static void find_settings(struct bough_arena *a, const struct context_input *in,
                          struct bough_context_result *out)
{
    for (size_t i = in->n; i-- > 0 && !(out->thinking_level && out->model_name);)
        take_setting(a, &in->entries[i], out);
    for (size_t i = 0; i < in->nbefore; i++)
        take_setting(a, in->before[i], out);
    out->thinking_level = out->thinking_level ? out->thinking_level : "off";
    out->model_provider = out->model_provider ? out->model_provider : "";
    out->model_name = out->model_name ? out->model_name : "";
}

static struct bough_str memory_text(struct bough_arena *a, const struct context_input *in)
{
    struct bough_str out;
    struct buf b;

    buf_init(&b, LIMIT_JSON_BYTES);
    buf_puts(&b, "Remember:\n");
    for (size_t i = 0; i < in->nmemories; i++) {
        buf_puts(&b, "\n- ");
        if (!cstr_empty(in->memories[i].title)) {
            buf_puts(&b, in->memories[i].title);
            buf_puts(&b, ": ");
        }
        buf_puts(&b, in->memories[i].content);
    }
    out = text_keep(a, &b);
    buf_finish(&b);
    return out;
}

/* Build a path of one system message in the dialect; the path itself follows. */
static void build_memories(struct context_out *c, const struct context_dialect *dialect)
{
    const struct context_input *all = c->in;
    struct bough_entry *e =
        context_system(c->a, memory_text(c->a, all), all->memories[all->nmemories - 1].updated);
    struct context_input one = { .dialect = all->dialect, .entries = e, .n = 1 };

    context_note(c, e, "added", "%zu memories", all->nmemories);
    if (dialect->turns) { /* part of the system text */
        c->memories = e;
        return;
    }
    c->in = &one;
    dialect->build(c);
    c->in = all;
    c->out->marker = all->marker;
}

/* About as much as the messages will take. */
static size_t likely_bytes(const struct context_input *in)
{
    enum { AROUND = 128 }; /* a part */
    size_t n = AROUND;

    for (size_t i = 0; i < in->n; i++)
        for (size_t k = 0; k < in->entries[i].nparts; k++)
            n += in->entries[i].parts[k].json.n + AROUND;
    return n < LIMIT_JSON_BYTES ? n : LIMIT_JSON_BYTES;
}

enum bough_rc context_build(struct bough_arena *a, const struct context_input *in,
                            struct bough_context_result *out, struct bough_error *err)
{
    struct context_out c = { .a = a, .in = in, .out = out };
    const struct context_dialect *dialect = NULL;
    struct context_input with; /* overlays */
    struct turns_input over = { .note = context_take_note, .user = &c };
    struct buf b;
    bool full;
    enum bough_rc rc = context_dialect_find(in->dialect, &dialect, err);

    if (!dialect)
        return rc;
    *out = (struct bough_context_result){ .marker = in->marker };
    find_settings(a, in, out);
    buf_init(&b, LIMIT_JSON_BYTES);
    (void)buf_reserve(&b, likely_bytes(in));
    jw_init(&c.w, &b);
    jw_arr(&c.w);
    if (in->nmemories)
        build_memories(&c, dialect);
    with = *in;
    c.in = &with;
    over.entries = in->entries;
    over.n = in->n;
    overlays_apply(a, &over, dialect->turns);
    with.entries = (struct bough_entry *)over.entries;
    dialect->build(&c);
    jw_end_arr(&c.w);
    full = b.over;
    if (!full)
        out->messages = buf_give(&b, a);
    buf_finish(&b);
    if (full)
        return bough_fail(err, BOUGH_TOO_LARGE, "the context is larger than 4 GiB");
    return BOUGH_OK;
}
