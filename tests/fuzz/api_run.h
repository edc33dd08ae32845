/* Fuzzing the API: the state of a run, and taking arguments from the bytes of the input. */
#ifndef TESTS_FUZZ_API_RUN_H
#define TESTS_FUZZ_API_RUN_H

#include <bough/bough.h>

#include "base/memory/arena.h"
#include "base/text/str.h"

enum { MOST_CALLS = 200, MOST_SESSIONS = 24, MOST_ENTRIES = 200, MOST_PARTS = 4, BATCH = 3 };

struct run {
    const unsigned char *p, *end;
    struct bough_store *s;
    struct bough_arena *a;
    struct bough_error err;
    int64_t now; /* now and seed are shared with the writer thread */
    uint64_t seed;
    char sessions[MOST_SESSIONS][BOUGH_ID_LEN + 1];
    char entries[MOST_ENTRIES][BOUGH_ID_LEN + 1];
    char call[BOUGH_ID_LEN + 1], memory[BOUGH_ID_LEN + 1];
    size_t nsessions, nentries;
};

/* ---- taking arguments ---- */

static unsigned take(struct run *r)
{
    return r->p < r->end ? *r->p++ : 0;
}

static bool flag(struct run *r)
{
    return take(r) & 1;
}

/* Up to 39 raw bytes, cut at a NUL; NULL if the length is 0. */
static const char *raw_text(struct run *r)
{
    size_t n = take(r) % 40, left = (size_t)(r->end - r->p);
    const char *text;

    n = n < left ? n : left;
    text = n ? arena_strndup(r->a, (const char *)r->p, n) : NULL;
    r->p += n;
    return text;
}

static const char *word(struct run *r)
{
    static const char *const words[] = {
        NULL, "",   "Alpha",   "alpha", "b c", "/p/1",     "/p/2",
        "x",  "k1", "pending", "me",    "m",   "\xc3\xa4", "#1.1"
    };
    unsigned i = take(r);

    return i < 200 ? words[i % (sizeof words / sizeof *words)] : raw_text(r);
}

static struct bough_str json(struct run *r)
{
    static const char *const texts[] = { "",        "",     "",      "{}",          "{\"a\":1}",
                                         "[1,2]",   "null", "\"s\"", "{\"a\":1e5}", "{",
                                         "\"\\u0\"" };
    unsigned i = take(r);

    return str_of(i < 230 ? texts[i % (sizeof texts / sizeof *texts)] : raw_text(r));
}

static int64_t number(struct run *r)
{
    static const int64_t numbers[] = {
        0, 0, 1, 2, 3, 7, 100, 1000, -1, -5, INT64_MAX, INT64_MIN, 1000000000000, 12
    };

    return numbers[take(r) % (sizeof numbers / sizeof *numbers)];
}

static struct bough_totals totals(struct run *r)
{
    struct bough_totals t = { .input = number(r), .output = number(r), .cost = number(r) };

    return t;
}

static const char *session(struct run *r)
{
    unsigned i = take(r);

    if (i >= 240 || !r->nsessions)
        return word(r);
    return r->sessions[i % r->nsessions];
}

static const char *entry(struct run *r)
{
    unsigned i = take(r);

    if (i >= 230 || !r->nentries)
        return word(r);
    return r->entries[i % r->nentries];
}

#endif
