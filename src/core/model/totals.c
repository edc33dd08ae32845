/* Totals: adding up tokens and money. Pure. */
#include "core/model/totals.h"

#include <string.h>

#include "base/limits.h"
#include "base/memory/arena.h"

bool totals_add(struct bough_totals *sum, const struct bough_totals *add)
{
    struct bough_totals t = { 0 };
    bool over = false;

    over |= __builtin_add_overflow(sum->input, add->input, &t.input);
    over |= __builtin_add_overflow(sum->output, add->output, &t.output);
    over |= __builtin_add_overflow(sum->reasoning, add->reasoning, &t.reasoning);
    over |= __builtin_add_overflow(sum->cache_read, add->cache_read, &t.cache_read);
    over |= __builtin_add_overflow(sum->cache_write, add->cache_write, &t.cache_write);
    over |= __builtin_add_overflow(sum->cost, add->cost, &t.cost);
    if (over)
        return false;
    *sum = t;
    return true;
}

bool totals_neg(const struct bough_totals *t, struct bough_totals *out)
{
    struct bough_totals n = { 0 };
    bool over = false;

    over |= __builtin_sub_overflow(INT64_C(0), t->input, &n.input);
    over |= __builtin_sub_overflow(INT64_C(0), t->output, &n.output);
    over |= __builtin_sub_overflow(INT64_C(0), t->reasoning, &n.reasoning);
    over |= __builtin_sub_overflow(INT64_C(0), t->cache_read, &n.cache_read);
    over |= __builtin_sub_overflow(INT64_C(0), t->cache_write, &n.cache_write);
    over |= __builtin_sub_overflow(INT64_C(0), t->cost, &n.cost);
    if (over)
        return false;
    *out = n;
    return true;
}

bool totals_valid(const struct bough_totals *t)
{
    const int64_t tokens[] = { t->input, t->output, t->reasoning, t->cache_read, t->cache_write };

    for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++)
        if (tokens[i] < 0 || tokens[i] > LIMIT_TOKENS)
            return false;
    return t->cost >= 0 && t->cost <= LIMIT_COST;
}

bool totals_cost_known(const struct bough_totals *used, struct bough_str report,
                       enum bough_cost_source source)
{
    if (source != BOUGH_COST_UNSAID)
        return source != BOUGH_COST_UNKNOWN;
    return used->cost ||
           !(used->input || used->output || used->reasoning || used->cache_read ||
             used->cache_write) ||
           (report.n && memmem(report.p, report.n, "cost", 4));
}

const struct bough_totals *totals_keep(struct bough_arena *a, const struct bough_totals *t)
{
    return t ? arena_dup(a, t, sizeof *t) : NULL;
}

bool totals_equal(const struct bough_totals *a, const struct bough_totals *b)
{
    return a->input == b->input && a->output == b->output && a->reasoning == b->reasoning &&
           a->cache_read == b->cache_read && a->cache_write == b->cache_write && a->cost == b->cost;
}

bool totals_is_zero(const struct bough_totals *t)
{
    return !t->input && !t->output && !t->reasoning && !t->cache_read && !t->cache_write &&
           !t->cost;
}

bool totals_modest(const struct bough_totals *t)
{
    const int64_t all[] = { t->input,      t->output,      t->reasoning,
                            t->cache_read, t->cache_write, t->cost };

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i] > LIMIT_ADJUST || all[i] < -LIMIT_ADJUST)
            return false;
    return true;
}
