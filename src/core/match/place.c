/* Where a request belongs on a stored path. */
#include "core/match/place.h"

#include <string.h>

#include "base/hash/sha256.h"
#include "base/text/str.h"
#include "core/context/normal.h"

enum {
    TRIES = 256,       /* alignments from the middle of a request: each costs its length */
    LINE_LEAST = 12,   /* characters of a line that says something */
    LINE_PERCENT = 60, /* of a summary's lines that must come back */
};

void history_units(struct bough_arena *a, struct history *h, bool stored)
{
    h->units = (struct units){ .a = a };
    for (size_t i = 0; i < h->n; i++)
        units_add(&h->units, &h->entries[i], stored);
    units_end(&h->units);
}

/* ---- what is left to store ---- */

static bool equal(const struct bough_entry *a, const struct bough_entry *b)
{
    unsigned char x[SHA256_LEN], y[SHA256_LEN];

    normal_message_hash(a, x);
    normal_message_hash(b, y);
    return memcmp(x, y, sizeof x) == 0;
}

void place_rest(const struct place_input *in, struct place *p)
{
    const struct history *sent = in->sent, *stored = in->stored;
    const struct unit *last = p->units ? &sent->units.at[p->units - 1] : NULL;
    const struct unit *next = p->units < sent->units.n ? &sent->units.at[p->units] : NULL;

    p->message = last ? last->message + 1 : 0;
    p->part = 0;
    if (last && next && next->message == last->message) {
        p->message = last->message;
        p->part = next->part == last->part ? next->part : last->part + 1;
    }
    /* Messages without units are never compared. Where the match ends, those that are equal on both
     * sides are known, and the stored ones do not make a branch. */
    while (!p->part && p->message < sent->n && p->at < stored->n &&
           units_none(&sent->units, p->message) && units_none(&stored->units, p->at) &&
           equal(&sent->entries[p->message], &stored->entries[p->at])) {
        p->message++;
        p->at++;
    }
    while (p->at < stored->n && units_none(&stored->units, p->at))
        p->at++;
}

/* ---- the outcomes ---- */

/* Does the last unit of the path up to message `at` - 1 belong to the model? */
static bool ends_with_reply(const struct history *stored, size_t at)
{
    for (size_t m = at; m-- > 0;)
        if (!units_none(&stored->units, m))
            return stored->units.messages[m].model;
    return false;
}

/* The request agrees with the path from its root on. */
static void agreed(const struct place_input *in, const struct aligned *run, struct place *out)
{
    bool all = run->sent == in->sent->units.n;

    *out = (struct place){ .at = run->messages,
                           .units = run->sent,
                           .variants = run->variants,
                           .nvariants = run->nvariants };
    place_rest(in, out);
    if (!run->to_end)
        out->how = all ? PLACE_SIBLING : PLACE_BRANCH;
    else if (all && out->message == in->sent->n && !ends_with_reply(in->stored, out->at))
        out->how = PLACE_REPLY;
    else
        out->how = PLACE_APPEND;
}

/* The request begins in the middle of the path and reaches its end, with a reply among it. */
static bool trimmed(const struct place_input *in, struct place *out)
{
    size_t tries = TRIES;

    for (size_t k = 1; k < in->stored->n && tries; k++) {
        struct aligned run;

        if (!units_begin_alike(&in->sent->units, 0, &in->stored->units, k))
            continue;
        tries--;
        run = units_align(&in->sent->units, 0, &in->stored->units, k);
        if (!run.to_end || !run.replies)
            continue;
        agreed(in, &run, out);
        out->how = PLACE_TRIMMED;
        out->from = k;
        return true;
    }
    return false;
}

/* ---- compaction by the client ---- */

/* Is the text, apart from white space, one of the path's? */
static bool is_known(const struct units *stored, const struct unit *text)
{
    for (size_t i = 0; i < stored->n; i++)
        if (stored->at[i].kind == text->kind && units_same_text(stored->at[i].text, text->text))
            return true;
    return false;
}

bool place_is_unknown(const struct place_input *in, size_t unit)
{
    const struct unit *one = &in->sent->units.at[unit];

    return (one->kind == UNIT_USER || one->kind == UNIT_MODEL) &&
           !is_known(&in->stored->units, one);
}

/* Is there a text in front that the path does not have? */
static bool has_unknown(const struct place_input *in, size_t units)
{
    for (size_t i = 0; i < units; i++)
        if (place_is_unknown(in, i))
            return true;
    return false;
}

static void compacted(const struct place_input *in, const struct aligned *run, size_t window,
                      size_t keep, struct place *out)
{
    *out = (struct place){ .how = PLACE_COMPACTED,
                           .at = run->messages,
                           .units = run->sent,
                           .window = window,
                           .keep = keep,
                           .variants = run->variants,
                           .nvariants = run->nvariants };
    place_rest(in, out);
}

/* Unknown texts, then a run of stored units that reaches the end of the path, with a call, a result
 * or a text of the model in it. The longest such run counts. */
static bool kept_run(const struct place_input *in, struct place *out)
{
    size_t tries = TRIES;

    for (size_t k = 0; k < in->stored->n; k++) {
        for (size_t i = 1; i < in->sent->units.n && tries; i++) {
            struct aligned run;

            if (!units_begin_alike(&in->sent->units, i, &in->stored->units, k))
                continue;
            tries--;
            run = units_align(&in->sent->units, i, &in->stored->units, k);
            if (!run.to_end || run.replies + run.results == 0 || !has_unknown(in, i))
                continue;
            compacted(in, &run, i, k, out);
            return true;
        }
    }
    return false;
}

static bool has_line(struct bough_str text, struct bough_str line)
{
    return memmem(text.p, text.n, line.p, line.n) != NULL;
}

static struct bough_str trimmed_line(struct bough_str s)
{
    while (s.n && strchr(" \t\r", *s.p))
        s = str_make(s.p + 1, s.n - 1);
    while (s.n && strchr(" \t\r", s.p[s.n - 1]))
        s.n--;
    return s;
}

bool place_holds_summary(struct bough_str text, struct bough_str summary)
{
    size_t lines = 0, found = 0;

    while (summary.n) {
        const char *end = memchr(summary.p, '\n', summary.n);
        size_t n = end ? (size_t)(end - summary.p) : summary.n;
        struct bough_str line = trimmed_line(str_make(summary.p, n));

        summary = str_make(summary.p + n + (end != NULL), summary.n - n - (end != NULL));
        if (line.n < LINE_LEAST)
            continue;
        lines++;
        found += has_line(text, line);
    }
    return lines && found * 100 >= lines * LINE_PERCENT;
}

/* A text of the request holds the reply to a request for a compaction: all up to it is the
 * window. */
static bool summarised(const struct place_input *in, struct place *out)
{
    const struct units *u = &in->sent->units;

    for (size_t i = 0; i < u->n; i++) {
        if (u->at[i].kind != UNIT_USER && u->at[i].kind != UNIT_MODEL)
            continue;
        for (size_t k = 0; k < in->nsummaries; k++) {
            struct aligned end = { .sent = i + 1, .messages = in->stored->n };

            if (!place_holds_summary(u->at[i].text, in->summaries[k]))
                continue;
            compacted(in, &end, i + 1, SIZE_MAX, out);
            return true;
        }
    }
    return false;
}

/* ---- deciding ---- */

static bool has_reply(const struct units *u)
{
    for (size_t i = 0; i < u->n; i++)
        if (u->at[i].model)
            return true;
    return false;
}

void place_decide(const struct place_input *in, struct place *out)
{
    struct aligned run = units_align(&in->sent->units, 0, &in->stored->units, 0);
    bool given = in->given != PLACE_BY_CONTENT;

    *out = (struct place){ .how = PLACE_NONE, .at = in->stored->n };
    if (run.replies || (given && !in->stored->units.n))
        agreed(in, &run, out);
    else if (trimmed(in, out) || kept_run(in, out) || (given && summarised(in, out)))
        return;
    else if (given && run.sent)
        agreed(in, &run, out);
    else if (in->given == PLACE_EXPLICIT && !has_reply(&in->sent->units))
        out->how = PLACE_BEHIND;
    else if (given)
        *out = (struct place){ .how = PLACE_ROOT };
}
