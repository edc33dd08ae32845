/* Search: random queries on a random corpus give the same, correct hits in memory and in SQLite. */
#include <stdio.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/search/search.h"
#include "lib/store_test.h"

static struct bough_hits ask(struct test *t, struct bough_store *s, const char *query,
                             int64_t wait_ms)
{
    struct bough_search_options in = { .query = query, .wait_ms = wait_ms, .limit = 1000 };
    struct bough_hits out;

    CHECK_OK(bough_search(s, t->arena, &in, &out, &t->err));
    return out;
}

static uint64_t roll(struct test *t, uint64_t n)
{
    return env_u64(&t->env.env) % n;
}

static const char *const vocabulary[] = { "alpha",
                                          "beta",
                                          "Gamma",
                                          "delta",
                                          "alphabet",
                                          "b\xc3\xa9ta",
                                          "x1",
                                          "\xe6\x90\x9c\xe7\xb4\xa2",
                                          "\xe7\xb4\xa2",
                                          "\xf0\x9f\x9a\x80",
                                          "don't",
                                          "a_b",
                                          "Stra\303\237e",
                                          "strasse",
                                          "10.0.0.1" };
enum { VOCABULARY = sizeof vocabulary / sizeof *vocabulary };

static const char *sentence(struct test *t)
{
    const char *s = "";

    for (uint64_t i = 0, n = 1 + roll(t, 6); i < n; i++)
        s = arena_printf(t->arena, "%s%s%s", s, i ? " " : "", vocabulary[roll(t, VOCABULARY)]);
    return s;
}

static const char *query(struct test *t)
{
    static const char *const fields[] = {
        "", "", "", "text:", "title:", "tool:", "output:", "input:", "-text:", "-", "reasoning:"
    };
    static const char *const filters[] = { "role:user",    "-role:user",   "role:assistant",
                                           "kind:message", "branch:2",     "session:#1",
                                           "session:#3",   "since:1971",   "before:1971",
                                           "project:p1",   "-kind:message" };
    const char *q = "";

    for (uint64_t i = 0, n = 1 + roll(t, 3); i < n; i++) {
        const char *w = vocabulary[roll(t, VOCABULARY)],
                   *f = fields[roll(t, sizeof fields / sizeof *fields)];

        switch (roll(t, 5)) {
        case 0:
            w = arena_printf(t->arena, "\"%s %s\"", w, vocabulary[roll(t, VOCABULARY)]);
            break;
        case 1:
            w = arena_printf(t->arena, "%.*s*", (int)(2 + roll(t, 3)), "alphabet");
            break;
        default:
            break;
        }
        q = arena_printf(t->arena, "%s %s%s", q, f, w);
    }
    if (roll(t, 3) == 0)
        q = arena_printf(t->arena, "%s %s", q, filters[roll(t, sizeof filters / sizeof *filters)]);
    return q;
}

/* One random step, drawn once and applied to both stores. */
struct step {
    int what;
    int session, at;
    const char *text, *more;
    int64_t time;
};

static enum bough_rc apply(struct test *t, struct bough_store *s, const struct step *x)
{
    const char *session = arena_printf(t->arena, "#%d", x->session);
    struct bough_str parts[] = {
        bough_part_text(t->arena, str_of(x->text)),
        str_of(arena_printf(
            t->arena,
            "{\"type\":\"tool_use\",\"id\":\"c\",\"name\":\"beta\",\"input\":{\"q\":\"%s\"}}",
            x->more)),
        str_of(arena_printf(t->arena,
                            "{\"type\":\"tool_result\",\"tool_use_id\":\"c\",\"content\":\"%s\"}",
                            x->more)),
        str_of(arena_printf(t->arena, "{\"type\":\"reasoning\",\"text\":\"%s\"}", x->text)),
    };
    struct bough_entry_new e = { .role = x->at % 2 ? BOUGH_ROLE_USER : BOUGH_ROLE_ASSISTANT,
                                 .parts = parts,
                                 .nparts = 1 + (size_t)x->at % 4,
                                 .time = x->time };
    struct bough_append_options in = { .entries = &e, .n = 1 };
    struct bough_append_result out;
    struct bough_session *made;
    const char *entry = arena_printf(t->arena, "#%d.%d", x->session, 1 + x->at);

    /* Many steps are refused, the same ones by every store. */
    switch (x->what) {
    case 0:
        return bough_session_create(
            s, t->arena,
            &(struct bough_session_create_options){ .title = x->text,
                                                    .project = x->at % 2 ? "/c/p1" : "/c/p2" },
            &made, NULL);
    case 1:
        return bough_session_fork(s, t->arena, session,
                                  &(struct bough_session_fork_options){ .entry = entry }, &made,
                                  NULL);
    case 2:
        return bough_entry_delete(s, session, entry, NULL);
    case 3:
        return bough_entry_restore(s, session, entry, NULL);
    case 4:
        return bough_session_delete(s, session, NULL);
    case 5:
        return bough_session_restore(s, session, NULL);
    case 6:
        return bough_session_rename(s, session, x->more, NULL);
    case 7:
        return x->at ? BOUGH_OK : bough_session_purge(s, t->arena, session, NULL, NULL);
    default:
        return bough_append(s, t->arena, session, &in, &out, NULL);
    }
}

static void same_hits(struct test *t, const char *q, const struct bough_hits *a,
                      const struct bough_hits *b)
{
    bool same = a->n == b->n && a->next == b->next && a->complete && b->complete;

    for (size_t i = 0; same && i < a->n; i++) {
        const struct bough_hit *x = &a->at[i], *y = &b->at[i];

        same = x->no == y->no && x->time == y->time && cstr_eq(x->slug, y->slug) &&
               cstr_eq(x->field, y->field) && str_eq(x->snippet, y->snippet) &&
               x->nmatches == y->nmatches && !*x->entry == !*y->entry;
    }
    if (!same)
        FAIL("%s: %zu hits in memory, %zu in SQLite", q, a->n, b->n);
    (void)t;
}

/* Check each hit: it contains the words and belongs to a living session. */
static void right_hits(struct test *t, struct bough_store *s, const char *text,
                       const struct bough_hits *h)
{
    struct search_query q;

    search_parse(t->arena, str_of(text), t->env.now, &q);
    for (size_t i = 0; i < h->n; i++) {
        struct bough_session *session;
        struct search_pieces pieces;
        struct search_words words;
        struct bough_entry *e;

        CHECK_OK(bough_session_get(s, t->arena, h->at[i].session, &session, &t->err));
        CHECK_INT(0, session->deleted);
        if (!*h->at[i].entry)
            continue;
        CHECK_OK(bough_entry_get(s, t->arena, h->at[i].session, h->at[i].entry, &e, &t->err));
        CHECK_INT(0, e->deleted);
        search_pieces(t->arena, e, &pieces);
        search_words(t->arena, pieces.at, pieces.n, &words);
        CHECK(search_match(&q, &words));
    }
}

TEST_SECONDS(a_random_corpus_is_found_the_same_in_memory_and_sqlite, 120)
{
    enum { STEPS = 400, QUERIES = 250 };
    struct bough_env env = { .now = t->env.env.now,
                             .random = t->env.env.random,
                             .user = t->env.env.user };
    struct bough_store_open_options options = { .env = &env };
    struct bough_store *m, *s;
    size_t hits = 0;

    CHECK_OK(bough_store_open(&m, "memory:", &options, &t->err));
    CHECK_OK(bough_store_open(&s, arena_printf(t->arena, "sqlite:%s", test_path(t, "s.db")),
                              &options, &t->err));
    for (int i = 0; i < STEPS; i++) {
        struct step x = { .what = i < 6 ? 0 : (int)roll(t, 40),
                          .session = 1 + (int)roll(t, 12),
                          .at = (int)roll(t, 12),
                          .time = 1 + (int64_t)roll(t, 2) * 63072000000 };
        enum bough_rc rc;
        uint64_t seed;

        x.text = sentence(t);
        x.more = sentence(t);
        seed = t->env.seed;
        rc = apply(t, m, &x);
        t->env.seed = seed; /* so that slugs are the same too */
        CHECK_INT(rc, apply(t, s, &x));
        if (i % 40 == 39) {
            struct bough_hits a = ask(t, m, "alpha", 5000), b = ask(t, s, "alpha", 5000);

            same_hits(t, "alpha", &a, &b);
        }
    }
    for (int i = 0; i < QUERIES; i++) {
        const char *q = query(t);
        struct bough_hits a = ask(t, m, q, 5000), b = ask(t, s, q, 5000);

        same_hits(t, q, &a, &b);
        right_hits(t, s, q, &b);
        hits += a.n;
    }
    printf("# %zu hits of %d queries\n", hits, QUERIES);
    CHECK(hits > QUERIES);
    store_check(t, m);
    store_check(t, s);
    bough_store_close(&m);
    bough_store_close(&s);
}
