/* The cost of a call at a price. */
#include "base/limits.h"
#include "base/text/str.h"
#include "core/price/price.h"

/* Of an estimate: bytes a token, and the tokens of a long reply. */
enum { TOKEN_BYTES = 4, REPLY_TOKENS = 4096 };

/* A sum in pico-USD. */
struct adding {
    const struct price *p;
    __int128 pico;
    bool over;      /* the second tier counts */
    bool estimated; /* a price was not known and another one was taken */
};

/* The price of a cell, by the tier; -1: not known. */
static int64_t amount(const struct adding *s, enum price_cell cell, enum price_cell over)
{
    int64_t second = s->over && over < PRICE_CELLS ? s->p->cell[over] : -1;

    return second >= 0 ? second : s->p->cell[cell];
}

static int64_t input_price(const struct adding *s)
{
    return amount(s, PRICE_INPUT, PRICE_OVER_INPUT);
}

static int64_t output_price(const struct adding *s)
{
    return amount(s, PRICE_OUTPUT, PRICE_OVER_OUTPUT);
}

/* Add tokens at a price, or if that is not known at another one. */
static void add(struct adding *s, int64_t tokens, int64_t pico, int64_t otherwise)
{
    if (tokens <= 0)
        return;
    if (pico < 0) {
        s->estimated = true;
        pico = otherwise;
    }
    s->pico += (__int128)tokens * (pico < 0 ? 0 : pico);
}

/* Tokens of a kind leave their bucket if the kind has a price of its own. */
static void add_kind(struct adding *s, int64_t tokens, enum price_cell cell, int64_t *bucket)
{
    tokens = tokens < *bucket ? tokens : *bucket;
    if (s->p->cell[cell] < 0)
        return;
    add(s, tokens, s->p->cell[cell], 0);
    *bucket -= tokens;
}

static void add_all(struct adding *s, const struct usage *u)
{
    int64_t in = u->input, out = u->output, write_5m;

    add_kind(s, u->audio_in, PRICE_AUDIO_IN, &in);
    add_kind(s, u->audio_out, PRICE_AUDIO_OUT, &out);
    add_kind(s, u->image_out, PRICE_IMAGE_OUT, &out);
    add_kind(s, u->reasoning, PRICE_REASONING, &out); /* else it costs as other output */
    add(s, in, input_price(s), 0);
    add(s, out, output_price(s), 0);
    add(s, u->cache_read, amount(s, PRICE_CACHE_READ, PRICE_OVER_CACHE_READ), input_price(s));
    write_5m = amount(s, PRICE_WRITE_5M, PRICE_OVER_WRITE_5M);
    add(s, u->write_5m, write_5m, input_price(s));
    add(s, u->write_1h, amount(s, PRICE_WRITE_1H, PRICE_OVER_WRITE_1H),
        write_5m >= 0 ? write_5m : input_price(s));
    add(s, u->searches, s->p->cell[PRICE_WEB_SEARCH], 0);
}

/* To nano-USD, half to even. */
static int64_t rounded(__int128 pico)
{
    __int128 nano = pico / 1000;
    int rest = (int)(pico % 1000);

    nano += rest > 500 || (rest == 500 && nano % 2);
    return nano > LIMIT_COST ? LIMIT_COST : (int64_t)nano;
}

struct cost cost_at(const struct price *p, const struct usage *u)
{
    struct adding s = { .p = p };

    if (u->cost >= 0)
        return (struct cost){ u->cost, BOUGH_COST_REPORTED, NULL };
    if (!p || p->cell[PRICE_INPUT] < 0 || p->cell[PRICE_OUTPUT] < 0)
        return (struct cost){ 0, BOUGH_COST_UNKNOWN, NULL };
    s.over = p->cell[PRICE_OVER_TOKENS] >= 0 &&
             u->input + u->cache_read + u->write_5m + u->write_1h > p->cell[PRICE_OVER_TOKENS];
    add_all(&s, u);
    return (struct cost){ rounded(s.pico),
                          s.estimated || u->clamped || u->special ? BOUGH_COST_ESTIMATED
                                                                  : BOUGH_COST_LIST,
                          p };
}

struct cost cost_of_usage(const struct price_table *t, const struct answered *of,
                          const struct usage *u)
{
    const struct price *p = price_find(t, of->provider, of->model, of->time);

    if (!p && !cstr_empty(of->want_model))
        p = price_find(t, of->provider, of->want_model, of->time);
    return cost_at(p, u);
}

struct cost cost_estimate(const struct price *p, int64_t bytes, int64_t max_tokens)
{
    bool capped = max_tokens > 0 && max_tokens < REPLY_TOKENS;
    struct usage u = { .input = bytes > 0 ? (bytes - 1) / TOKEN_BYTES + 1 : 0,
                       .output = capped ? max_tokens : REPLY_TOKENS,
                       .cost = -1 };
    struct cost c = cost_at(p, &u);

    if (!c.price)
        return c;
    c.source = BOUGH_COST_ESTIMATED;
    if (!c.nano && (p->cell[PRICE_INPUT] > 0 || p->cell[PRICE_OUTPUT] > 0))
        c.nano = 1;
    return c;
}
