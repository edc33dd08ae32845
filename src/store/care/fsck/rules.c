/* The rules of fsck in one table, functions to report a violation, and lookups in the rows that
 * passes have collected. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/json/json.h"
#include "base/limits.h"
#include "base/memory/mem.h"
#include "base/text/str.h"
#include "base/text/utf8.h"
#include "store/care/fsck/fsck.h"

const struct fsck_rule_row fsck_rules[RULES] = {
    [RULE_ENGINE] = { "I-00", true, "the storage engine's own check is clean" },
    [RULE_VALUE] = { "I-04", true,
                     "every value is in its range, text is UTF-8, JSON is JSON, checksums hold" },
    [RULE_ORPHAN] = { "I-05", true,
                      "every living session has its head and list row, no row is without its "
                      "session" },
    [RULE_GROUP] = { "I-06", true, "the project, workspace and account of a session exist" },
    [RULE_DEPTH] = { "I-10", true, "an entry lies where its own bytes say" },
    [RULE_GAP] = { "I-11", true, "depths of a branch and ordinals of records have no gap" },
    [RULE_HEAD] = { "I-12", true, "a head is nowhere, or on an entry of a path of its session" },
    [RULE_TIME] = { "I-14", false, "times are plausible and numbers grow along a branch" },
    [RULE_MNO] = { "I-15", true, "message numbers count the messages of a path" },
    [RULE_PURGE] = { "I-17", false, "a purged session leaves no rows but those that forks show" },
    [RULE_PARENT] = { "I-20", true, "the parent of a session exists and has a smaller number" },
    [RULE_CYCLE] = { "I-21", true, "no session is its own ancestor" },
    [RULE_BRANCH] = { "I-22", true, "a branch hangs on an entry that its parent branch owns" },
    [RULE_FORK] = { "I-23", true, "a fork begins where its session says, on a path of its parent" },
    [RULE_FORK_PARENT] = { "I-24", true, "a session with a fork point has a parent" },
    [RULE_KEPT] = { "I-27", true, "a purge keeps every entry that another session still shows" },
    [RULE_MARKER] = { "I-28", true, "a compaction keeps from a depth above its own" },
    [RULE_NOTE] = { "I-29", true,
                    "labels point to entries, todos, memories and prompts say something" },
    [RULE_TOTALS] = { "I-33", true, "totals and counts are the sums of what they stand for" },
    [RULE_CALL] = { "I-34", true,
                    "an entry's call exists, and calls never cost less than nothing" },
    [RULE_SPEND] = { "I-35", true, "what was spent by day and model is what the calls add up to" },
    [RULE_SEEN] = { "I-36", true, "a later request finds every reply of an exchange, and only it" },
    [RULE_TEXT] = { "I-41", true, "every entry and title with words is found by them, once" },
    [RULE_LIST] = { "I-42", true, "previews and other columns of a list row are what they show" },
    [RULE_LOG] = { "I-43", true, "the log has every number once and every entry in its row" },
    [RULE_KEY] = { "I-44", true, "an idempotency key points to the log row that answers it" },
    [RULE_ALIAS] = { "I-45", true, "an alias and the thing it names know each other" },
    [RULE_OPEN] = { "I-48", true,
                    "an open message has its lease and whole steps, and nothing else has" },
    [RULE_RUN] = { "I-49", true,
                   "a session that a run holds has that one live run, approvals of ended runs are "
                   "settled, a run's entries lie on its branch" },
    [RULE_BLOB] = { "I-46", true,
                    "an attachment has all its bytes, and they are those of its name" },
    [RULE_QUARANTINE] = { "I-50", false, "nothing had to be quarantined" },
    [RULE_LINK] = { "I-47", true, "what an entry shows is there and linked, and nothing else is" },
};

/* ---- locations ---- */

struct fsck_where at_engine(void)
{
    return (struct fsck_where){ .before = "engine", .text = "" };
}

struct fsck_where at_session(int64_t sid)
{
    return (struct fsck_where){ "#", NULL, { sid }, 1 };
}

struct fsck_where at_branch(int64_t bid)
{
    return (struct fsck_where){ "branch ", NULL, { bid }, 1 };
}

struct fsck_where at_entry(int64_t bid, int64_t depth)
{
    return (struct fsck_where){ "#", NULL, { bid, depth }, 2 };
}

struct fsck_where at_record(int64_t sid, int64_t kind, int64_t ord)
{
    return (struct fsck_where){ "record ", NULL, { sid, kind, ord }, 3 };
}

struct fsck_where at_log(int64_t no)
{
    return (struct fsck_where){ "log ", NULL, { no }, 1 };
}

struct fsck_where at_number(const char *what, int64_t n)
{
    return (struct fsck_where){ what, NULL, { n }, 1 };
}

struct fsck_where at_text(const char *what, const char *text)
{
    return (struct fsck_where){ .before = what, .text = text };
}

void fsck_where_text(const struct fsck_where *w, char *to, size_t cap)
{
    size_t n;

    if (w->text) {
        snprintf(to, cap, "%s%s", w->before, w->text);
        to[utf8_valid(to, strlen(to))] = '\0'; /* do not cut a character in half */
        return;
    }
    n = (size_t)snprintf(to, cap, "%s%" PRId64, w->before, w->numbers[0]);
    for (int i = 1; i < w->n && n < cap; i++)
        n += (size_t)snprintf(to + n, cap - n, ".%" PRId64, w->numbers[i]);
}

/* ---- reporting ---- */

void fsck_report(struct fsck *f, enum fsck_rule rule, struct fsck_where where, const char *fmt, ...)
{
    struct bough_finding finding = { .code = fsck_rules[rule].code,
                                     .error = fsck_rules[rule].error };
    va_list ap;

    fsck_where_text(&where, finding.where, sizeof finding.where);
    va_start(ap, fmt);
    vsnprintf(finding.text, sizeof finding.text, fmt, ap);
    va_end(ap);
    if (finding.error)
        f->report->errors++;
    else
        f->report->warnings++;
    if (f->found)
        f->found(f->user, &finding);
}

bool fsck_range(struct fsck *f, struct fsck_where where, const char *what, int64_t v, int64_t min,
                int64_t max)
{
    if (v >= min && v <= max)
        return true;
    fsck_report(f, RULE_VALUE, where, "%s is %" PRId64 ", not between %" PRId64 " and %" PRId64,
                what, v, min, max);
    return false;
}

bool fsck_text(struct fsck *f, struct fsck_where where, const char *what, struct bough_str s)
{
    size_t valid = utf8_valid(s.p, s.n);

    if (valid == s.n)
        return true;
    fsck_report(f, RULE_VALUE, where, "%s is not UTF-8 at byte %zu", what, valid);
    return false;
}

bool fsck_json(struct fsck *f, struct fsck_where where, const char *what, struct bough_str s)
{
    struct bough_error why = { 0 };

    if (!s.n || json_check(s, LIMIT_JSON_DEPTH, &why) == BOUGH_OK)
        return true;
    fsck_report(f, RULE_VALUE, where, "%s is not JSON: %.120s", what, why.msg);
    return false;
}

bool fsck_texts(struct fsck *f, struct fsck_where where, const struct body_field *table,
                const void *body)
{
    bool good = true;
    char what[32];

    for (const struct body_field *x = table; x->tag; x++) {
        const char *at = (const char *)body + x->offset;

        snprintf(what, sizeof what, "field %d", x->tag);
        if (x->type == FIELD_CSTR)
            good &= fsck_text(f, where, what, str_of(*(const char *const *)(const void *)at));
        else if (x->type == FIELD_STR)
            good &= fsck_json(f, where, what, *(const struct bough_str *)(const void *)at);
    }
    return good;
}

/* ---- the facts so far ---- */

struct fsck_session *fsck_session_of(const struct fsck *f, int64_t sid)
{
    uint64_t i;

    return map_get(&f->by_sid, (uint64_t)sid, &i) ? &f->sessions[i] : NULL;
}

struct fsck_branch *fsck_branch_of(const struct fsck *f, int64_t bid)
{
    uint64_t i;

    return map_get(&f->by_bid, (uint64_t)bid, &i) ? &f->branches[i] : NULL;
}

const struct fsck_call *fsck_call_of(const struct fsck *f, int64_t sid, int64_t ord)
{
    uint64_t run;
    size_t lo, hi;

    if (ord < 1 || !map_get(&f->calls_of, (uint64_t)sid, &run))
        return NULL;
    lo = (size_t)(run >> 32);
    hi = lo + (size_t)(run & UINT32_MAX);
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;

        if (f->calls[mid].ord < ord)
            lo = mid + 1;
        else
            hi = mid;
    }
    hi = (size_t)(run >> 32) + (size_t)(run & UINT32_MAX);
    return lo < hi && f->calls[lo].ord == ord ? &f->calls[lo] : NULL;
}

const struct fsck_group *fsck_group_of(const struct fsck *f, int64_t kind, int64_t ord)
{
    uint64_t p;

    return map_get(&f->groups, (uint64_t)kind << 32 | (uint64_t)ord, &p)
               ? (const struct fsck_group *)(uintptr_t)p
               : NULL;
}

struct fsck_open *fsck_open_of(const struct fsck *f, int64_t bid, int64_t depth)
{
    for (size_t i = 0; i < f->nopens; i++)
        if (f->opens[i].bid == bid && f->opens[i].depth == depth)
            return &f->opens[i];
    return NULL;
}

bool fsck_entry_there(const struct fsck *f, int64_t bid, int64_t depth)
{
    const struct fsck_branch *b = fsck_branch_of(f, bid);

    return b && depth > b->row.base && depth <= b->tip;
}

/* Walk from a branch towards the root. `hangs` guarantees that the parent exists and has a smaller
 * number, so the walk ends. */
static bool runs_through(const struct fsck *f, const struct fsck_branch *b, int64_t bid,
                         int64_t depth)
{
    while (b && b->row.bid != bid && b->hangs && b->row.base >= depth)
        b = fsck_branch_of(f, b->row.parent);
    return b && b->row.bid == bid;
}

bool fsck_visible(const struct fsck *f, const struct fsck_session *s, int64_t bid, int64_t depth)
{
    for (size_t i = s->first; i; i = f->branches[i - 1].next)
        if (runs_through(f, &f->branches[i - 1], bid, depth))
            return true;
    return false;
}

void fsck_leftover(struct fsck *f, struct fsck_session *s)
{
    if (!s->leftover)
        fsck_report(f, RULE_PURGE, at_session(s->sid), "its purge has not been finished");
    s->leftover = true;
}

void *fsck_push(void *at, size_t *n, size_t *cap, size_t size)
{
    if (*n == *cap) {
        *cap = *cap ? 2 * *cap : 64;
        at = mem_realloc(at, mem_array(*cap, size));
    }
    memset((char *)at + *n * size, 0, size);
    ++*n;
    return at;
}

uint64_t fsck_mix(uint64_t a, uint64_t b)
{
    return hash_u64(hash_u64(a) + b);
}

uint32_t fsck_call_id(int64_t made, int64_t chk)
{
    return (uint32_t)fsck_mix((uint64_t)made, (uint64_t)chk) | 1;
}
