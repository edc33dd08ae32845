/* Fuzz: the three JSON readers agree, spans lie inside the input, written JSON reads back. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json/json.h"
#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "base/text/utf8.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n);

#ifdef WITH_SIMDJSON
/* 1: accepted, 0: refused, -1: refused for a limit of simdjson (depth, number range, size). */
int simdjson_accepts(const char *p, size_t n);
#endif

#define MUST(cond)                                                                                 \
    do {                                                                                           \
        if (!(cond)) {                                                                             \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #cond);                             \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

static enum bough_rc pull_all(struct bough_str text, size_t *values)
{
    struct json_event ev = { .type = JSON_KEY };
    struct json_pull p;
    enum bough_rc rc = BOUGH_OK;

    json_pull_init(&p, text);
    while (!rc && ev.type != JSON_DONE) {
        rc = json_pull_next(&p, &ev, NULL);
        if (rc)
            break;
        MUST(ev.raw.p >= text.p && ev.raw.p + ev.raw.n <= text.p + text.n);
        *values += ev.type == JSON_VALUE || ev.type == JSON_BEGIN;
    }
    return rc;
}

static void check_scalar(struct bough_arena *a, struct json j)
{
    struct bough_str s;
    int64_t i;
    double d;

    if (json_str(a, j, &s)) {
        MUST(utf8_valid(s.p, s.n) == s.n);
        MUST(memchr(s.p, 0, s.n) || json_is(j, s.p) || memmem(s.p, s.n, "\xef\xbf\xbd", 3));
    }
    if (json_i64(j, &i)) {
        MUST(json_f64(j, &d));
        MUST((double)i == d);
    }
}

/* Visit and count all values, and write them again from their decoded forms. */
static size_t walk(struct bough_arena *a, struct json j, struct bough_str text,
                   struct json_writer *w)
{
    struct json_iter it = json_iter(j);
    struct bough_str raw = json_raw(j), s;
    size_t n = 1;

    MUST(raw.n > 0 && raw.p >= text.p && raw.p + raw.n <= text.p + text.n);
    if (json_type(j) < JSON_ARRAY) {
        check_scalar(a, j);
        if (json_str(a, j, &s))
            jw_str(w, s);
        else
            jw_raw(w, raw);
        return n;
    }
    if (it.object)
        jw_obj(w);
    else
        jw_arr(w);
    while (json_next(&it)) {
        if (it.object) {
            MUST(json_str(a, it.key, &s));
            jw_key_str(w, s);
        }
        n += walk(a, it.value, text, w);
    }
    if (it.object)
        jw_end_obj(w);
    else
        jw_end_arr(w);
    return n;
}

/* Canonical form is idempotent. */
static void check_canon(struct bough_arena *a, struct json root)
{
    struct buf once, twice;
    struct json again;

    buf_init(&once, 64 << 20);
    buf_init(&twice, 64 << 20);
    json_canon(&once, root);
    MUST(!once.over);
    MUST(json_parse(a, buf_str(&once), &again, NULL) == BOUGH_OK);
    json_canon(&twice, again);
    MUST(str_eq(buf_str(&once), buf_str(&twice)));
    buf_finish(&once);
    buf_finish(&twice);
}

static void check_valid(struct bough_arena *a, struct bough_str text, size_t pulled)
{
    struct json root, again;
    struct json_writer w;
    struct buf out;

    MUST(json_parse(a, text, &root, NULL) == BOUGH_OK);
    buf_init(&out, 64 << 20);
    jw_init(&w, &out);
    MUST(walk(a, root, text, &w) == pulled);
    MUST(!out.over);
    MUST(json_parse(a, buf_str(&out), &again, NULL) == BOUGH_OK);
    MUST(json_count(root) == json_count(again));
    MUST(json_type(root) == json_type(again));
    check_canon(a, root);
    buf_finish(&out);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n)
{
    struct bough_str text = str_make((const char *)data, n);
    struct bough_arena *a = bough_arena_create();
    struct bough_error err = { 0 };
    struct json root;
    size_t pulled = 0;
    enum bough_rc rc = json_check(text, LIMIT_JSON_DEPTH, &err);

    MUST(rc == BOUGH_OK || rc == BOUGH_INVALID || rc == BOUGH_TOO_DEEP);
    MUST(rc == BOUGH_OK || err.msg[0]);
    MUST(json_parse(a, text, &root, NULL) == rc);
    MUST(pull_all(text, &pulled) == rc);
    if (rc == BOUGH_OK)
        check_valid(a, text, pulled);
#ifdef WITH_SIMDJSON
    /* simdjson refuses lone surrogates, large numbers and deeper nesting; skip those. */
    {
        int theirs = simdjson_accepts(text.p, text.n);
        struct bough_str bom = str_of("\xef\xbb\xbf");

        if (theirs == 1 && !str_starts(text, bom.p))
            MUST(rc == BOUGH_OK || rc == BOUGH_TOO_DEEP);
        if (theirs == 0 && !memmem(text.p, text.n, "\\u", 2))
            MUST(rc != BOUGH_OK);
    }
#endif
    bough_arena_destroy(a);
    return 0;
}
