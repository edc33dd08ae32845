/* What a call cost. */
#include "gateway/kit/call.h"

static struct usage guess(struct bough_arena *a, const struct call_asked *asked,
                          const struct reply_result *reply, bool *guessed)
{
    struct usage u = { .cost = -1 };
    bool reported = reply->usage.n && usage_read(a, reply->usage, &u);
    int64_t output = (reply->text_bytes + 3) / 4;

    *guessed = !reported || reply->choices[0].cut;
    if (!reported && reply->error.n && !output) { /* refused: nothing was made, nothing is billed */
        *guessed = false;
        return u;
    }
    if (!reported)
        u = (struct usage){ .input = asked->bytes / 4, .cost = -1 };
    if (*guessed && u.output < output)
        u.output = output;
    return u;
}

void call_money(struct bough_arena *a, const struct price_table *prices,
                const struct call_asked *asked, const struct reply_result *reply,
                struct bough_call_new *call)
{
    struct answered who = { .provider = asked->price_name,
                            .model = *reply->model ? reply->model : asked->model,
                            .want_model = asked->model,
                            .time = call->time };
    bool guessed;
    struct usage u = guess(a, asked, reply, &guessed);
    struct cost cost = cost_of_usage(prices, &who, &u);

    if (guessed && cost.source != BOUGH_COST_UNKNOWN)
        cost.source = BOUGH_COST_ESTIMATED;
    call->usage = reply->usage;
    call->used = usage_totals(&u);
    call->used.cost = cost.nano;
    call->cost_source = cost.source;
}
