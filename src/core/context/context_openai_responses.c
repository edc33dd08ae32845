/* Dialect "openai-responses": OpenAI's responses: `input`. Pure. */
#include "core/context/dialect.h"

static void build(struct context_out *c)
{
    struct turns turns;

    context_turns(c, &responses_rules, &turns);
    for (const struct turn *t = turns.first; t; t = t->next) {
        const struct piece *p = t->first;

        while (p) {
            context_source(c, p->e);
            (void)responses_put(context_next(c), c->a, t, &p);
        }
        for (p = t->first; p; p = p->next) {
            if (p->kind != PIECE_CALL)
                continue;
            context_source(c, p->result->e);
            responses_put_result(context_next(c), p);
        }
    }
}

const struct context_dialect context_openai_responses = {
    .name = "openai-responses",
    .about = "OpenAI's responses: input items",
    .since_marker = true,
    .inherits = true,
    .turns = true,
    .build = build,
};
