/* Dialect "gemini": Gemini: `contents`, and `systemInstruction` apart. Pure. */
#include "base/text/str.h"
#include "core/context/dialect.h"

/* Gemini before 3 knows no signature that is to be skipped. */
static bool wants_signatures(const struct context_out *c)
{
    const char *model = cstr_empty(c->in->model) ? c->out->model_name : c->in->model;

    return !str_starts(str_of(model), "gemini-1") && !str_starts(str_of(model), "gemini-2");
}

static void put_content(struct context_out *c, const struct turn *t)
{
    bool sign = t->kind == TURN_MODEL && wants_signatures(c);

    context_source(c, t->e);
    if (t->kind == TURN_MODEL)
        PUT(context_next(c), "{\"role\":\"model\",\"parts\":[");
    else
        PUT(context_next(c), "{\"role\":\"user\",\"parts\":[");
    for (const struct piece *p = t->first; p; p = p->next) {
        if (p != t->first)
            buf_putc(c->w.out, ',');
        gemini_put(c->w.out, c->a, p, sign);
        sign = sign && p->kind != PIECE_CALL;
    }
    PUT(c->w.out, "]}");
}

static void build(struct context_out *c)
{
    struct turns turns;

    context_turns(c, &gemini_rules, &turns);
    for (const struct turn *t = turns.first; t; t = t->next) {
        put_content(c, t);
        /* As many responses as calls, in the next content. */
        if (context_results(c, t, "{\"role\":\"user\",\"parts\":[", gemini_put_result))
            PUT(c->w.out, "]}");
    }
    context_system_put(c, turns.system, "{\"parts\":[{\"text\":", "}]}");
}

const struct context_dialect context_gemini = {
    .name = "gemini",
    .about = "Gemini: contents",
    .since_marker = true,
    .inherits = true,
    .turns = true,
    .build = build,
};
