/* Contexts: building one. Pure. */
#include "core/context/context.h"

#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/context/dialect.h"
#include "core/model/text.h"
#include "core/part/view.h"

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
    provider = json_cstr(a, view_data(a, e), "provider");
    model = json_cstr(a, view_data(a, e), answer ? "model" : "modelId");
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
    struct bough_part *part = arena_zalloc(c->a, sizeof *part);
    struct bough_entry *e = arena_zalloc(c->a, sizeof *e);
    const struct context_input *all = c->in;
    struct context_input one = { .dialect = all->dialect, .entries = e, .n = 1 };

    *part = (struct bough_part){ BOUGH_PART_TEXT, bough_part_text(c->a, memory_text(c->a, all)) };
    *e = (struct bough_entry){ .session = "",
                               .kind_name = "message",
                               .role = BOUGH_ROLE_SYSTEM,
                               .time = all->memories[all->nmemories - 1].updated,
                               .origin = "",
                               .finish = "",
                               .parts = part,
                               .nparts = 1 };
    context_note(c, e, "added", "%zu memories", all->nmemories);
    c->in = &one;
    dialect->build(c);
    c->in = all;
    c->out->marker = all->marker;
}

enum bough_rc context_build(struct bough_arena *a, const struct context_input *in,
                            struct bough_context_result *out, struct bough_error *err)
{
    struct context_out c = { .a = a, .in = in, .out = out };
    const struct context_dialect *dialect;
    struct context_input with; /* overlays */
    struct buf b;
    bool over;
    enum bough_rc rc = context_dialect_find(in->dialect, &dialect, err);

    if (rc)
        return rc;
    *out = (struct bough_context_result){ .marker = in->marker };
    find_settings(a, in, out);
    buf_init(&b, LIMIT_JSON_BYTES);
    jw_init(&c.w, &b);
    jw_arr(&c.w);
    if (in->nmemories)
        build_memories(&c, dialect);
    with = *in;
    c.in = &with;
    overlays_apply(&c, &with);
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
