/*
 * Fuzz: any bytes of an upstream become parts that a store takes, in one piece and byte by byte the
 * same, and the steps of a stream are steps that an open message takes.
 *
 * The input is a digit (the wire, and 4 more for a document), then the body.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/part/draft.h"
#include "core/wire/reply/reply.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n);

#define MUST(cond)                                                                                 \
    do {                                                                                           \
        if (!(cond)) {                                                                             \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #cond);                             \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

static bool is_json(struct bough_str s)
{
    return !s.n || json_check(s, LIMIT_JSON_DEPTH, NULL) == BOUGH_OK;
}

static void take_steps(struct reply *r, struct draft *d)
{
    size_t n;
    const struct bough_step *steps = reply_steps(r, &n);

    for (size_t i = 0; i < n; i++)
        MUST(draft_step(d, &steps[i], NULL) == BOUGH_OK);
}

static const struct reply_result *read_all(struct reply *r, struct bough_str body, size_t size)
{
    const struct reply_result *out;
    struct draft d;

    draft_init(&d);
    for (size_t at = 0; at < body.n; at += size) {
        reply_feed(r, body.p + at, size < body.n - at ? size : body.n - at);
        take_steps(r, &d);
    }
    out = reply_end(r);
    draft_finish(&d);
    return out;
}

static void check_choice(const struct reply_choice *c)
{
    enum bough_part_type type;

    for (size_t i = 0; i < c->nparts; i++)
        MUST(bough_part_check(c->parts[i], &type, NULL) == BOUGH_OK);
    MUST(c->finish && is_json(c->data));
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n)
{
    struct bough_str body = str_make((const char *)data + 1, n ? n - 1 : 0);
    const struct reply_result *whole, *bytes;
    struct reply *one, *other;

    if (!n)
        return 0;
    one = reply_create((enum wire)(data[0] % 3), !(data[0] & 4));
    other = reply_create((enum wire)(data[0] % 3), !(data[0] & 4));
    whole = read_all(one, body, body.n ? body.n : 1);
    bytes = read_all(other, body, 1);
    MUST(whole->nchoices == bytes->nchoices && whole->nchoices >= 1);
    MUST(is_json(whole->usage) && is_json(whole->error));
    for (size_t i = 0; i < whole->nchoices; i++) {
        check_choice(&whole->choices[i]);
        MUST(whole->choices[i].nparts == bytes->choices[i].nparts);
        for (size_t k = 0; k < whole->choices[i].nparts; k++)
            MUST(str_eq(whole->choices[i].parts[k], bytes->choices[i].parts[k]));
        MUST(str_eq(whole->choices[i].data, bytes->choices[i].data));
    }
    reply_destroy(one);
    reply_destroy(other);
    return 0;
}
