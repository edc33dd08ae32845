/* fsck, open messages: every lease has its entry, every draft its lease, and steps are readable and
 * have no gap. */
#include <inttypes.h>

#include "base/text/str.h"
#include "core/part/draft.h"
#include "store/care/fsck/fsck.h"

static bool each_open(void *user, const struct raw_row *raw)
{
    const struct open_row *row = &raw->u.open;
    struct fsck *f = user;
    struct fsck_where at = at_entry(row->bid, row->depth);
    const struct fsck_branch *b = fsck_branch_of(f, row->bid);

    f->opens = fsck_push(f->opens, &f->nopens, &f->opens_cap, sizeof *f->opens);
    f->opens[f->nopens - 1] = (struct fsck_open){ row->bid, row->depth, false };
    if (!b || b->row.sid != row->sid)
        fsck_report(f, RULE_OPEN, at,
                    "its lease is of session #%" PRId64 ", which has no such branch", row->sid);
    fsck_range(f, at, "the epoch of its lease", row->epoch, 1, INT64_MAX);
    fsck_range(f, at, "the time its lease ends", row->expires, 0, INT64_MAX);
    fsck_text(f, at, "the owner of its lease", str_of(row->owner));
    return true;
}

struct steps {
    struct fsck *f;
    int64_t bid, depth;
    struct draft draft;
    bool bad; /* already reported */
};

static bool each_draft(void *user, const struct raw_row *raw)
{
    const struct draft_row *row = &raw->u.draft;
    struct steps *s = user;
    struct fsck_where at = at_entry(row->bid, row->depth);
    struct bough_error why;
    int64_t last;

    if (row->bid != s->bid || row->depth != s->depth) {
        draft_finish(&s->draft);
        draft_init(&s->draft);
        s->bid = row->bid;
        s->depth = row->depth;
        s->bad = !fsck_open_of(s->f, row->bid, row->depth);
        if (s->bad)
            fsck_report(s->f, RULE_OPEN, at, "it has steps, but no lease");
    }
    last = s->draft.last;
    if (s->bad)
        return true;
    s->bad = true;
    if (draft_unpack(&s->draft, row->body, row->step, &why))
        fsck_report(s->f, RULE_OPEN, at, "%.150s", why.msg);
    else if ((int64_t)draft_size(&s->draft) != row->end)
        fsck_report(s->f, RULE_OPEN, at, "its steps come to %zu bytes, not %" PRId64,
                    draft_size(&s->draft), row->end);
    else if (row->step <= last)
        fsck_report(s->f, RULE_OPEN, at, "step %" PRId64 " comes after step %" PRId64, row->step,
                    last);
    else
        s->bad = false;
    return true;
}

enum bough_rc fsck_opens(struct fsck *f)
{
    struct steps s = { .f = f, .bid = -1 };
    enum bough_rc rc = f->ops->raw_scan(f->v, RAW_OPEN, each_open, f, f->err);

    draft_init(&s.draft);
    if (!rc)
        rc = f->ops->raw_scan(f->v, RAW_DRAFT, each_draft, &s, f->err);
    draft_finish(&s.draft);
    return rc;
}

void fsck_unmatched(struct fsck *f)
{
    for (size_t i = 0; i < f->nopens; i++) {
        const struct fsck_branch *b = fsck_branch_of(f, f->opens[i].bid);

        if (f->opens[i].matched)
            continue;
        if (b && b->row.cut >= 0 && f->opens[i].depth > b->row.cut &&
            fsck_session_of(f, b->row.sid))
            fsck_leftover(f, fsck_session_of(f, b->row.sid));
        else if (!b || !b->damaged)
            fsck_report(f, RULE_OPEN, at_entry(f->opens[i].bid, f->opens[i].depth),
                        "it has a lease, but is not open");
    }
}
