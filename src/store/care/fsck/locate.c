/*
 * fsck: find the rows behind sums that differ. For each damaged branch the changelog and the
 * aliases are read again and compared with its entries one by one. Does nothing when all sums
 * agree.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/memory/mem.h"
#include "base/text/str.h"
#include "store/care/fsck/fsck.h"

/* What a changelog or alias row states about an entry. */
struct claim {
    int64_t bid, depth;
    int64_t from, no; /* changelog: depths from..depth; the last one has this number */
    uint64_t text;    /* alias: hash of its id */
    bool matched;
    const char *id;
};

struct locate {
    struct fsck *f;
    enum raw_table table;
    struct claim *at;
    size_t n, cap;
};

static bool numbers_differ(const struct fsck_branch *b)
{
    return !b->damaged && !b->log_damaged && b->entry_sum != b->log_sum;
}

static bool names_differ(const struct fsck_branch *b)
{
    return !b->damaged && b->origin_sum != b->alias_sum;
}

static bool differs(const struct locate *l, const struct fsck_branch *b)
{
    return b && (l->table == RAW_CHANGELOG ? numbers_differ(b) : names_differ(b));
}

static bool gather_log(void *user, const struct raw_row *raw)
{
    const struct changelog_row *row = &raw->u.log;
    struct locate *l = user;

    if (!changelog_adds(row) || !differs(l, fsck_branch_of(l->f, row->bid)))
        return true;
    l->at = fsck_push(l->at, &l->n, &l->cap, sizeof *l->at);
    l->at[l->n - 1] = (struct claim){
        .bid = row->bid, .depth = row->depth, .from = row->depth - row->n + 1, .no = row->no
    };
    return true;
}

static bool gather_alias(void *user, const struct raw_row *raw)
{
    const struct alias_row *row = &raw->u.alias;
    struct locate *l = user;
    const struct fsck_branch *b = fsck_branch_of(l->f, row->a);

    if (row->what != ALIAS_ENTRY || !differs(l, b) || b->row.sid != row->scope)
        return true;
    l->at = fsck_push(l->at, &l->n, &l->cap, sizeof *l->at);
    l->at[l->n - 1] = (struct claim){ .bid = row->a,
                                      .depth = row->b,
                                      .from = row->b,
                                      .text = hash_bytes(row->id, strlen(row->id)),
                                      .id = arena_strdup(l->f->keep, row->id) };
    return true;
}

static int by_place(const void *a, const void *b)
{
    const struct claim *x = a, *y = b;

    if (x->bid != y->bid)
        return x->bid < y->bid ? -1 : 1;
    return (x->depth > y->depth) - (x->depth < y->depth);
}

/* The first claim at or after (bid, depth), if it covers that entry. */
static struct claim *find(const struct locate *l, int64_t bid, int64_t depth)
{
    struct claim want = { .bid = bid, .depth = depth };
    size_t lo = 0, hi = l->n;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;

        if (by_place(&l->at[mid], &want) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < l->n && l->at[lo].bid == bid && l->at[lo].from <= depth ? &l->at[lo] : NULL;
}

static void compare_number(struct locate *l, const struct entry_row *row, int64_t no)
{
    const struct claim *c = find(l, row->bid, row->depth);
    struct fsck_session *s = fsck_session_of(l->f, fsck_branch_of(l->f, row->bid)->row.sid);
    int64_t want = c ? c->no - (c->depth - row->depth) : 0;

    if (no == want)
        return;
    fsck_report(l->f, RULE_LOG, at_entry(row->bid, row->depth),
                "its number is %" PRId64 ", the log says %" PRId64, no, want);
    l->f->log_damaged = true;
    if (s) /* previews are identified by the entry's number */
        s->damaged = true;
}

/* An entry has one origin. Several aliases of one entry are adjacent. */
static void compare_name(struct locate *l, const struct entry_row *row, const char *origin)
{
    struct claim *c = find(l, row->bid, row->depth);
    uint64_t text = hash_bytes(origin, strlen(origin));
    bool matched = false;

    for (; c && c < l->at + l->n && c->bid == row->bid && c->depth == row->depth; c++) {
        c->matched = true;
        if (*origin && c->text == text)
            matched = true;
        else
            fsck_report(l->f, RULE_ALIAS, at_text("alias ", c->id),
                        "#%" PRId64 ".%" PRId64 " did not come with it", row->bid, row->depth);
    }
    if (*origin && !matched)
        fsck_report(l->f, RULE_ALIAS, at_entry(row->bid, row->depth),
                    "the id it came with has no alias");
}

static bool each_entry(void *user, const struct raw_row *raw)
{
    const struct entry_row *row = &raw->u.entry;
    struct locate *l = user;
    const struct fsck_branch *b = fsck_branch_of(l->f, row->bid);
    struct bough_entry e;
    struct pack_extra x;

    if (!differs(l, b) || (b->row.cut >= 0 && row->depth > b->row.cut))
        return true;
    bough_arena_reset(l->f->tmp);
    if (pack_entry_read(l->f->tmp, row->body, &e, &x, NULL))
        return true; /* already reported */
    if (l->table == RAW_CHANGELOG)
        compare_number(l, row, e.no);
    else
        compare_name(l, row, e.origin);
    return true;
}

static enum bough_rc locate(struct fsck *f, enum raw_table table, raw_fn gather)
{
    struct locate l = { .f = f, .table = table };
    bool any = false;
    enum bough_rc rc;

    for (size_t i = 0; i < f->nbranches && !any; i++)
        any = differs(&l, &f->branches[i]);
    if (!any)
        return BOUGH_OK;
    rc = f->ops->raw_scan(f->v, table, gather, &l, f->err);
    if (!rc && l.n)
        qsort(l.at, l.n, sizeof *l.at, by_place);
    if (!rc)
        rc = f->ops->raw_scan(f->v, RAW_ENTRY, each_entry, &l, f->err);
    mem_free(l.at);
    return rc;
}

enum bough_rc fsck_locate(struct fsck *f)
{
    enum bough_rc rc = locate(f, RAW_CHANGELOG, gather_log);

    return rc ? rc : locate(f, RAW_ALIAS, gather_alias);
}
