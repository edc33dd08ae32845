/* Dialect "anthropic": Anthropic's messages: `messages`, and `system` apart. Pure. */
#include "core/context/dialect.h"

static void put_blocks(struct context_out *c, const struct piece *first, bool more)
{
    for (; first; first = first->next, more = true) {
        if (more)
            buf_putc(c->w.out, ',');
        anthropic_put(c->w.out, c->a, first);
    }
}

/* The message of the user that follows a turn with calls begins with the results. */
static const struct turn *put_model(struct context_out *c, const struct turn *t)
{
    const struct turn *next = t->next;

    context_source(c, t->e);
    PUT(context_next(c), "{\"role\":\"assistant\",\"content\":[");
    put_blocks(c, t->first, false);
    PUT(c->w.out, "]}");
    if (!context_results(c, t, "{\"role\":\"user\",\"content\":[", anthropic_put_result))
        return next;
    if (next && next->kind == TURN_USER) {
        put_blocks(c, next->first, true);
        next = next->next;
    }
    PUT(c->w.out, "]}");
    return next;
}

static void put_user(struct context_out *c, const struct turn *t)
{
    context_source(c, t->e);
    PUT(context_next(c), "{\"role\":\"user\",\"content\":[");
    put_blocks(c, t->first, false);
    PUT(c->w.out, "]}");
}

static void build(struct context_out *c)
{
    struct turns turns;

    context_turns(c, &anthropic_rules, &turns);
    for (const struct turn *t = turns.first; t;) {
        if (t->kind == TURN_MODEL) {
            t = put_model(c, t);
        } else {
            put_user(c, t);
            t = t->next;
        }
    }
    context_system_put(c, turns.system, "[{\"type\":\"text\",\"text\":", "}]");
}

const struct context_dialect context_anthropic = {
    .name = "anthropic",
    .about = "Anthropic's messages",
    .since_marker = true,
    .inherits = true,
    .turns = true,
    .build = build,
};
