/*
 * Fuzz: every query is accepted, FTS5 and the memory scan return the same hits, and words, matches
 * and snippets of any text are consistent.
 *
 * The input is a query, then optionally a newline and a text.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bough/bough.h>

#include "base/memory/arena.h"
#include "base/os/fs.h"
#include "base/text/str.h"
#include "base/text/utf8.h"
#include "core/model/text.h"
#include "core/search/search.h"
#include "core/search/tokenizer.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n);

#define MUST(cond)                                                                                 \
    do {                                                                                           \
        if (!(cond)) {                                                                             \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #cond);                             \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/* ---- two stores with the same content ---- */

static struct bough_store *stores[2];
static char dir[] = "/tmp/bough-fuzz-search-XXXXXX";

static void finish(void)
{
    struct bough_arena *a = bough_arena_create();

    bough_store_close(&stores[0]);
    bough_store_close(&stores[1]);
    (void)unlink(fs_join(a, dir, "s.db"));
    (void)rmdir(dir);
    bough_arena_destroy(a);
}

static void fill(struct bough_store *s, struct bough_arena *a)
{
    static const char *const texts[] = {
        "the quick brown fox",        "Caf\xc3\xa9 a b c",
        "don't 10.0.0.1 multi-agent", "\xe6\x90\x9c\xe7\xb4\xa2\xe5\xbc\x95\xe6\x93\x8e",
        "\xf0\x9f\x9a\x80 ship it",   "role user text title",
    };
    struct bough_session *session;

    for (int i = 0; i < 3; i++) {
        MUST(bough_session_create(
                 s, a,
                 &(struct bough_session_create_options){ .title = "a quick title",
                                                         .slug = i ? i == 1 ? "x" : "y" : "a" },
                 &session, NULL) == BOUGH_OK);
        for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
            struct bough_entry_new e = { .role = k % 2 ? BOUGH_ROLE_USER : BOUGH_ROLE_ASSISTANT,
                                         .text = texts[k],
                                         .time = 1000 };
            struct bough_append_options in = { .entries = &e, .n = 1 };
            struct bough_append_result out;

            MUST(bough_append(s, a, session->id, &in, &out, NULL) == BOUGH_OK);
        }
    }
}

static void start(void)
{
    struct bough_arena *a = bough_arena_create();

    MUST(mkdtemp(dir));
    MUST(bough_store_open(&stores[0], "memory:", NULL, NULL) == BOUGH_OK);
    MUST(bough_store_open(&stores[1], fs_join(a, dir, "s.db"), NULL, NULL) == BOUGH_OK);
    for (int i = 0; i < 2; i++) {
        fill(stores[i], a);
        MUST(bough_store_upkeep(stores[i], NULL) == BOUGH_OK);
    }
    bough_arena_destroy(a);
    atexit(finish);
}

static void check_stores(struct bough_arena *a, struct bough_str query)
{
    struct bough_search_options in = { .query = arena_strndup(a, query.p, query.n), .limit = 50 };
    struct bough_hits one, two;

    MUST(bough_search(stores[0], a, &in, &one, NULL) == BOUGH_OK);
    MUST(bough_search(stores[1], a, &in, &two, NULL) == BOUGH_OK);
    MUST(one.n == two.n && strcmp(one.next, two.next) == 0 && one.ignored == two.ignored);
    for (size_t i = 0; i < one.n; i++) {
        MUST(one.at[i].no == two.at[i].no && str_eq(one.at[i].snippet, two.at[i].snippet));
        MUST(one.at[i].nmatches == two.at[i].nmatches);
    }
}

/* ---- pure functions ---- */

static void check_tokens(struct bough_str text)
{
    struct tokenizer t, again;
    struct token w, x;
    size_t last = 0;

    token_init(&t, text);
    while (token_next(&t, &w)) {
        MUST(w.n > 0 && w.n <= TOKEN_MAX && w.from < w.to && w.to <= text.n && w.from >= last);
        MUST(utf8_valid(w.text, w.n) == w.n && !memchr(w.text, ' ', w.n));
        last = w.from;
        /* The folded word must be valid input for the tokenizer too. */
        token_init(&again, str_make(w.text, w.n));
        if (w.n < TOKEN_MAX / 2 && token_next(&again, &x))
            MUST(x.n <= TOKEN_MAX);
    }
}

static void check_snippet(struct bough_arena *a, const struct search_query *q,
                          struct bough_str text)
{
    struct search_piece pieces[] = { { SEARCH_TEXT, 0, text }, { SEARCH_OUTPUT, 1, text } };
    struct search_words words;
    struct search_snippet s;
    bool matches;
    size_t at = 0;

    search_words(a, pieces, 2, &words);
    MUST(words.field[SEARCH_TEXT].n + words.field[SEARCH_OUTPUT].n <= LIMIT_SEARCH_WORDS);
    matches = search_match(q, &words);
    MUST(search_snippet(a, q, pieces, 2, &s));
    MUST(s.text.n <= LIMIT_SNIPPET && utf8_valid(s.text.p, s.text.n) == s.text.n);
    for (size_t i = 0; i < s.nranges; i++) {
        MUST(s.ranges[i].n > 0 && s.ranges[i].from >= at);
        at = s.ranges[i].from + s.ranges[i].n;
        MUST(at <= s.text.n);
    }
    for (size_t i = 0; matches && i < q->n; i++)
        if (!q->terms[i].negated && q->terms[i].words.n < 100 &&
            q->terms[i].fields & 1 << SEARCH_TEXT)
            MUST(s.nranges > 0); /* a snippet marks its matches */
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n)
{
    struct bough_arena *a = bough_arena_create();
    struct bough_str query = str_make((const char *)data, n), text = str_of("");
    const char *line = n ? memchr(data, '\n', n) : NULL;
    struct search_query *q = arena_alloc(a, sizeof *q);

    if (!stores[0])
        start();
    if (line) {
        query.n = (size_t)(line - query.p);
        text = text_clean(a, str_make(line + 1, n - query.n - 1));
    }
    search_parse(a, query, 1794700800000, q);
    MUST(q->n <= LIMIT_SEARCH_TERMS && q->session && q->project);
    for (size_t i = 0; i < q->n; i++)
        MUST(q->terms[i].words.n && q->terms[i].fields && !(q->terms[i].fields & ~SEARCH_ANY));
    check_tokens(str_make((const char *)data, n));
    check_tokens(text);
    if (text.n)
        check_snippet(a, q, text);
    check_stores(a, query);
    bough_arena_destroy(a);
    return 0;
}
