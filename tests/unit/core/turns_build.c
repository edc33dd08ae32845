/* Helpers for tests of turns. */
#include "turns_build.h"

#include "base/text/str.h"
#include "lib/strict.h"

struct bough_context_result turns_context(struct path *p, const char *dialect, struct asked how)
{
    struct test *t = p->t;
    struct context_input in = { .dialect = dialect,
                                .entries = p->at,
                                .n = p->n,
                                .marker = how.marker,
                                .model = how.model,
                                .system_prompt = how.prompt,
                                .memories = how.memories,
                                .nmemories = how.nmemories,
                                .trailing = !how.no_trailing };
    struct bough_context_result c;
    const char *why;

    CHECK_OK(context_build(t->arena, &in, &c, &t->err));
    why = strict_check(t->arena, dialect, &c, in.trailing);
    if (why)
        FAIL("%s: %s: %s", dialect, why, c.messages.p);
    return c;
}
