/* Where the time of a run went. Pure. */
#include "core/activity/inside.h"

/* The time from one moment to another; 0 when one is not known, or the clock went back. */
static int64_t between(int64_t from, int64_t to)
{
    from = fact_time(from);
    to = fact_time(to);
    return from && to > from ? to - from : 0;
}

/* Both are at most a few thousand years, so that millions of them do not overflow. */
static void add(int64_t *sum, int64_t ms)
{
    *sum = ms > INT64_MAX - *sum ? INT64_MAX : *sum + ms;
}

void clock_model(struct clock_sum *c, const struct bough_entry *e, const struct bough_call *call)
{
    int64_t ms = call ? fact_time(call->duration) : 0;

    c->turns++;
    add(&c->model, ms ? ms : fact_time(e->duration));
    add(&c->turn, fact_time(e->duration));
}

void clock_tool(struct clock_sum *c, int64_t start, int64_t end)
{
    if (c->tool_until > start)
        start = c->tool_until;
    if (between(start, end)) {
        add(&c->tool, end - start);
        c->tool_until = end;
    }
}

static int64_t at_least_0(int64_t ms)
{
    return ms > 0 ? ms : 0;
}

static void find_bottleneck(struct activity_timing *t)
{
    const struct {
        const char *name;
        int64_t ms;
    } rows[] = {
        { "model", t->model }, { "tools", t->tool },        { "approval", t->approval_wait },
        { "queue", t->queue }, { "overhead", t->overhead },
    };

    t->bottleneck = "";
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].ms > t->bottleneck_ms) {
            t->bottleneck = rows[i].name;
            t->bottleneck_ms = rows[i].ms;
        }
}

static size_t larger(size_t counted, int64_t reported)
{
    return reported > 0 && (uint64_t)reported > counted ? (size_t)reported : counted;
}

void clock_finish(const struct clock_sum *c, const struct activity_input *in,
                  struct activity_timing *out)
{
    const struct bough_run *run = in->run;
    int64_t end = run->ended ? run->ended : in->now ? in->now : run->updated;
    int64_t rest;

    *out = (struct activity_timing){ .model = c->model, .tool = c->tool };
    out->total = between(run->created, end);
    out->queue = between(run->created, run->started ? run->started : end);
    out->approval_wait = fact_time(run->waited_ms);
    if (run->runtime == BOUGH_RUNTIME_EXTERNAL)
        out->model = at_least_0(at_least_0(c->turn - c->tool) - out->approval_wait);
    rest = at_least_0(out->total - out->queue);
    rest = at_least_0(rest - out->approval_wait);
    rest = at_least_0(rest - out->tool);
    out->overhead = at_least_0(rest - out->model);
    out->turns = larger(c->turns, run->turns);
    out->tools = larger(c->tools, run->tools);
    find_bottleneck(out);
}
