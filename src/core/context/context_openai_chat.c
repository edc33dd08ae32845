/* Dialect "openai-chat": OpenAI's chat completions: `messages`. Pure. */
#include "core/context/dialect.h"

static void build(struct context_out *c)
{
    struct turns turns;

    context_turns(c, &chat_rules, &turns);
    for (const struct turn *t = turns.first; t; t = t->next) {
        context_source(c, t->e);
        for (const struct piece *p = t->first; p; p = p->next)
            if (p->kind == PIECE_CALL)
                context_source(c, p->result->e);
        (void)chat_put(context_next(c), c->a, t);
    }
}

const struct context_dialect context_openai_chat = {
    .name = "openai-chat",
    .about = "OpenAI's chat completions",
    .since_marker = true,
    .inherits = true,
    .turns = true,
    .build = build,
};
