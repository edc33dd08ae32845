/* Exchanges of a gateway: what a long tool loop takes on disk, and what it costs to find where a
 * request belongs. */
#include <stdlib.h>
#include <string.h>

#include "base/json/json.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "bench.h"
#include "core/match/chain.h"
#include "store/exchange/exchange.h"
#include "store/lookup/find.h"

/* A tool loop: a question, then a call and its result in turns, all sent with every request. */
struct loop {
    struct bough_arena *a;
    struct bough_entry_new *sent;
    size_t n;
    size_t unique; /* bytes of all parts, each once */
    uint64_t rng;
};

static void loop_begin(struct loop *l, size_t turns, uint64_t seed)
{
    *l = (struct loop){ .a = bough_arena_create(), .rng = seed };
    l->sent = arena_array(l->a, 2 * turns + 1, sizeof *l->sent);
    l->sent[0] = message_entry(seed % MESSAGES);
    l->sent[0].role = BOUGH_ROLE_USER;
    l->n = 1;
    for (size_t i = 0; i < l->sent[0].nparts; i++)
        l->unique += l->sent[0].parts[i].n;
}

static void loop_add(struct loop *l, enum bough_role role, struct bough_str part)
{
    struct bough_str *parts = arena_array(l->a, 1, sizeof *parts);

    parts[0] = part;
    l->unique += part.n;
    l->sent[l->n++] = (struct bough_entry_new){ .role = role, .parts = parts, .nparts = 1 };
}

/* The output of a tool as a JSON string, about `bytes` long. */
static struct bough_str output(struct loop *l, size_t bytes)
{
    struct bough_str tool = message_tool(l->a, &l->rng, bytes);
    struct json all, state;
    struct bough_error err;

    must(json_parse(l->a, tool, &all, &err), &err, "the part of a tool");
    state = json_member(all, "state");
    return json_raw(json_member(state, "output"));
}

/* One exchange of the loop; its reply is a call, whose result comes with the next one. */
static void loop_turn(struct bough_store *s, struct loop *l, const char *key)
{
    struct bough_exchange_begin_options in = { .key = key, .history = l->sent, .nhistory = l->n };
    struct bough_call_new call = { .provider = "p",
                                   .model = "m",
                                   .status = "ok",
                                   .used = { .input = 1000, .output = 100, .cost = 1000 } };
    struct bough_exchange_reply reply = { .nparts = 1, .finish = "tool_use" };
    struct bough_exchange_finish_options end = { .reply = &reply, .call = &call };
    const char *id = arena_printf(l->a, "toolu_%012llu",
                                  (unsigned long long)(rng_next(&l->rng) % 1000000000000U));
    struct bough_str text = output(l, 100), result = output(l, 3000);
    struct bough_exchange *x;
    struct bough_error err;

    loop_add(l, BOUGH_ROLE_ASSISTANT,
             str_of(arena_printf(l->a,
                                 "{\"type\":\"tool_use\",\"id\":\"%s\",\"name\":\"read\","
                                 "\"input\":{\"path\":%.*s}}",
                                 id, (int)text.n, text.p)));
    reply.parts = l->sent[l->n - 1].parts;
    must(bough_exchange_begin(s, &in, &x, NULL, &err), &err, "begin");
    must(bough_exchange_finish(s, x, &end, NULL, &err), &err, "finish");
    bough_exchange_destroy(x);
    loop_add(l, BOUGH_ROLE_USER,
             str_of(arena_printf(
                 l->a, "{\"type\":\"tool_result\",\"tool_use_id\":\"%s\",\"content\":%.*s}", id,
                 (int)result.n, result.p)));
}

void bench_replay(struct bench *b)
{
    const char *dir = scratch(b, "replay-500");
    struct bough_store *s = store_new(dir, false);
    struct bough_store_stats_result stats;
    struct bough_error err;
    double stored;
    struct loop l;

    syncs_skip(true);
    loop_begin(&l, 500, 1);
    for (int i = 0; i < 500; i++)
        loop_turn(s, &l, "loop");
    l.unique -= l.sent[l.n - 1].parts[0].n; /* the last result was not sent */
    must(bough_store_upkeep(s, &err), &err, "upkeep");
    must(bough_store_stats(s, &stats, &err), &err, "stats");
    syncs_skip(false);
    stored = (double)(stats.content_bytes + stats.attachment_bytes);
    note("%zu bytes of content, %.0f stored, a file of %lld", l.unique, stored,
         (long long)stats.file_bytes);
    figure(b, "replay_500_turns_stored_over_unique", stored / (double)l.unique);
    bough_store_close(&s);
    bough_arena_destroy(l.a);
    scratch_remove(dir);
}

/* ---- the place ---- */

/* A request that was read and hashed. */
struct matching {
    struct bough_store *s;
    struct bough_arena *a;
    struct loop l;
    struct sent sent;
};

static void run_match(void *user, size_t i)
{
    struct matching *m = user;
    struct anchor anchor;
    struct where w;
    struct snap snap;
    struct bough_error err;
    bool found = false;

    (void)i;
    bough_arena_reset(m->a);
    must(snap_begin(m->s, &snap, &err), &err, "snapshot");
    must(seen_anchor(&snap, m->a, &m->sent, seen_scope(m->s->principal, ""), 0, &anchor, &err),
         &err, "anchor");
    must(decide_anchored(&snap, m->a, &m->sent, &anchor, &w, &found, &err), &err, "place");
    snap_end(&snap);
    if (!found || w.how != BOUGH_EXCHANGE_APPENDED || w.message != m->l.n - 1)
        exit(2);
}

static void matching_begin(struct matching *m, struct bough_store *s, size_t turns)
{
    struct bough_exchange_begin_options in = { 0 };
    struct bough_error err;

    m->s = s;
    m->a = bough_arena_create();
    loop_begin(&m->l, turns, turns);
    for (size_t i = 0; i < turns; i++)
        loop_turn(s, &m->l, NULL);
    in.history = m->l.sent;
    in.nhistory = m->l.n;
    must(sent_read(m->l.a, &in, &m->sent, &err), &err, "request");
}

void bench_match(struct bench *b)
{
    const char *dir = scratch(b, "match");
    struct bough_store *s = store_new(dir, true);
    struct matching m[2];
    struct side sides[2] = { { .name = "place of 10 turns", .run = run_match, .user = &m[0] },
                             { .name = "place of 1,000 turns", .run = run_match, .user = &m[1] } };
    struct bough_error err;

    syncs_skip(true);
    matching_begin(&m[0], s, 10);
    matching_begin(&m[1], s, 1000);
    must(bough_store_upkeep(s, &err), &err, "upkeep");
    syncs_skip(false);
    interleave(sides, 2, b->full ? 400 : 100, 20);
    figure(b, "match_longest_prefix_1000_turns_vs_10", median(&sides[1].us) / median(&sides[0].us));
    sides_finish(sides, 2);
    for (size_t i = 0; i < 2; i++) {
        sent_finish(&m[i].sent);
        bough_arena_destroy(m[i].l.a);
        bough_arena_destroy(m[i].a);
    }
    bough_store_close(&s);
    scratch_remove(dir);
}
