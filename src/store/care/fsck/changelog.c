/* fsck, changelog: every number once, every append in its branch, and which sessions are
 * pending. */
#include <inttypes.h>

#include "base/limits.h"
#include "store/care/fsck/fsck.h"

struct walk {
    struct fsck *f;
    size_t key;
};

static void bad_row(struct fsck *f, const struct changelog_row *row, const char *what)
{
    fsck_report(f, RULE_LOG, at_log(row->no), "%s", what);
    f->log_damaged = true;
}

/* Keys are sorted by number, so one pass over both is enough. `row` NULL: the end of the
 * changelog. */
static void match_keys(struct walk *w, const struct changelog_row *row)
{
    struct fsck *f = w->f;

    for (; w->key < f->nkeys && (!row || f->keys[w->key].no <= row->no); w->key++) {
        const struct fsck_key *k = &f->keys[w->key];

        if (!row || k->no != row->no)
            fsck_report(f, RULE_KEY, at_session(k->sid),
                        "an idempotency key points to log row %" PRId64 ", which does not exist",
                        k->no);
        else if (k->sid && k->sid != row->sid) /* 0: of the creation of a session */
            fsck_report(f, RULE_KEY, at_session(k->sid),
                        "an idempotency key points to log row %" PRId64 ", of another session",
                        k->no);
    }
}

/* ---- appends ---- */

/* The last depth of the row that must still exist. */
static int64_t there_to(const struct fsck_branch *b, const struct changelog_row *row)
{
    return b->row.cut >= 0 && row->depth > b->row.cut ? b->row.cut : row->depth;
}

/* Add number and depth of each entry, to compare with the sum over the entries. */
static void add_up(struct fsck_branch *b, const struct changelog_row *row)
{
    int64_t to = there_to(b, row);

    for (int64_t d = row->depth - row->n + 1; d <= to && d <= b->tip; d++)
        b->log_sum += fsck_mix((uint64_t)d, (uint64_t)(row->no - (row->depth - d)));
}

static void check_entries(struct fsck *f, const struct changelog_row *row)
{
    struct fsck_branch *b = fsck_branch_of(f, row->bid);
    int64_t first = row->depth - row->n + 1;

    if (!b || b->row.sid != row->sid) {
        bad_row(f, row, "it appends to a branch that is not its session's");
        return;
    }
    if (row->depth < row->n || first != b->logged + 1) {
        fsck_report(f, RULE_LOG, at_log(row->no),
                    "it appends from #%" PRId64 ".%" PRId64
                    " on, but the row before ended at %" PRId64,
                    row->bid, first, b->logged);
        b->log_damaged = f->log_damaged = true;
        b->logged = row->depth > b->logged && row->depth <= LIMIT_DEPTH ? row->depth : b->logged;
        return;
    }
    b->logged = row->depth;
    b->copied_deleted |= !row->record && row->ndeleted;
    if (there_to(b, row) > b->tip) {
        fsck_report(f, RULE_LOG, at_log(row->no),
                    "the entries it appended from #%" PRId64 ".%" PRId64 " on are missing",
                    row->bid, (b->tip >= first ? b->tip : first - 1) + 1);
        b->damaged = true;
        if (fsck_session_of(f, row->sid))
            fsck_session_of(f, row->sid)->damaged = true;
    }
    add_up(b, row);
}

/* Check the calls created by an append. In the row of a copy, the same column counts deleted
 * messages instead. */
static void check_calls(struct fsck *f, const struct changelog_row *row)
{
    int64_t most = row->record ? LIMIT_APPEND_ENTRIES + 1 : row->n;

    if (row->ncalls < 0 || row->ncalls > most) {
        bad_row(f, row, "it made more calls than an append can");
        return;
    }
    for (int64_t i = 0; row->record && i < row->ncalls; i++)
        if (!fsck_call_of(f, row->sid, row->record + i))
            fsck_report(f, RULE_LOG, at_log(row->no),
                        "its call, number %" PRId64 ", does not exist", row->record + i);
}

static void check_append(struct fsck *f, const struct changelog_row *row)
{
    const struct fsck_session *s = fsck_session_of(f, row->sid);

    if (!s)
        return; /* already reported */
    if (row->bid)
        check_entries(f, row);
    else if (row->n != 1)
        bad_row(f, row, "it appends entries to no branch");
    if (f->level >= BOUGH_FSCK_FULL && !s->purged && row->kind != CHANGELOG_RUN)
        check_calls(f, row);
}

static void note_deletion(struct fsck *f, const struct changelog_row *row)
{
    uint64_t slot = (uint64_t)row->bid << 32 | (uint64_t)row->depth;

    if (row->kind == CHANGELOG_ENTRY_DELETE)
        map_put(&f->log_deleted, slot, 1);
    if (row->kind == CHANGELOG_ENTRY_RESTORE)
        map_del(&f->log_deleted, slot);
}

/* Check what rows of the other kinds refer to. */
static void check_other(struct fsck *f, const struct changelog_row *row,
                        const struct fsck_session *s)
{
    if (s->purged || f->level < BOUGH_FSCK_FULL)
        return;
    note_deletion(f, row);
    if (row->kind == CHANGELOG_SEAL)
        check_calls(f, row);
    if (row->kind == CHANGELOG_SEAL && row->no > f->fulltext_mark && fsck_branch_of(f, row->bid))
        /* The document may be older than the sealed entry. */
        fsck_branch_of(f, row->bid)->text_damaged = true;
    if ((row->kind == CHANGELOG_ENTRY_DELETE || row->kind == CHANGELOG_ENTRY_RESTORE ||
         row->kind == CHANGELOG_SEAL) &&
        !fsck_entry_there(f, row->bid, row->depth) && !s->damaged)
        fsck_report(f, RULE_LOG, at_log(row->no),
                    "it is about #%" PRId64 ".%" PRId64 ", which does not exist", row->bid,
                    row->depth);
    if (row->kind == CHANGELOG_CALL_DELETE && !fsck_call_of(f, row->sid, row->record))
        fsck_report(f, RULE_LOG, at_log(row->no), "its call, number %" PRId64 ", does not exist",
                    row->record);
}

/* ---- pending sessions ---- */

/* Mark every session whose totals include this session's calls. */
static void forget_totals(struct fsck *f, struct fsck_session *s)
{
    while (s) {
        s->totals_unknown = true;
        s = s->kind == BOUGH_SUBAGENT && s->parent < s->sid ? fsck_session_of(f, s->parent) : NULL;
    }
}

static void note_pending(struct fsck *f, struct fsck_session *s)
{
    s->pending = true;
    forget_totals(f, s);
}

static void note_purge(struct fsck *f, const struct changelog_row *row, struct fsck_session *s)
{
    struct fsck_session *heir = row->heir ? fsck_session_of(f, row->heir) : &f->store;

    note_pending(f, s);
    forget_totals(f, heir == &f->store ? NULL : heir);
    if (heir)
        heir->spend_unknown = true;
    for (size_t i = 0; i < f->nsessions; i++)
        if (f->sessions[i].parent == row->sid)
            f->sessions[i].pending = true;
}

/* ---- sessions changed by a row ---- */

static void touch(struct fsck *f, const struct changelog_row *row, struct fsck_session *s)
{
    s->updated = row->time;
    s->rev = row->no;
    if (row->no > f->watermark)
        note_pending(f, s);
}

/* A propagated adjustment also changes the ancestors that were not purged at that time. `nsessions`
 * counts them, including the session itself. */
static void touch_parents(struct fsck *f, const struct changelog_row *row,
                          const struct fsck_session *s)
{
    int64_t left = row->nsessions - 1;

    while (left > 0 && s->parent && s->parent < s->sid) {
        struct fsck_session *up = fsck_session_of(f, s->parent);

        if (!up)
            return;
        if (!up->purge_logged) {
            touch(f, row, up);
            left--;
        }
        s = up;
    }
}

static void touch_all(struct fsck *f, const struct changelog_row *row, struct fsck_session *s)
{
    if (row->kind == CHANGELOG_PURGE) {
        s->purge_logged = true;
        if (row->no > f->watermark)
            note_purge(f, row, s);
        return;
    }
    touch(f, row, s);
    if (row->kind == CHANGELOG_ADJUST)
        touch_parents(f, row, s);
}

/* ---- the pass ---- */

/* The id of a session has no checksum; the row of its creation has what it was made of. */
static void check_id(struct fsck *f, const struct changelog_row *row, const struct fsck_session *s)
{
    if (s->came ? s->made < row->time : s->made != row->time)
        fsck_report(f, RULE_VALUE, at_session(s->sid),
                    "the time in its id is %" PRId64 ", but it was made at %" PRId64, s->made,
                    row->time);
    if (row->chk && row->chk - 1 != s->chk && !s->purged)
        fsck_report(f, RULE_VALUE, at_session(s->sid),
                    "the check bits in its id are %" PRId64 ", but it was made with %" PRId64,
                    s->chk, row->chk - 1);
}

static bool each_row(void *user, const struct raw_row *raw)
{
    const struct changelog_row *row = &raw->u.log;
    struct walk *w = user;
    struct fsck *f = w->f;
    struct fsck_session *s = fsck_session_of(f, row->sid);

    match_keys(w, row);
    if (row->n < 1 || row->no < 1 || row->no - row->n != f->last_no) {
        fsck_report(f, RULE_LOG, at_log(row->no),
                    "it takes %" PRId64 " numbers up to its own, but the row before is %" PRId64,
                    row->n, f->last_no);
        f->log_damaged = true;
    }
    f->last_no = row->no;
    if (row->sid && !s)
        bad_row(f, row, "its session does not exist");
    if (row->kind < CHANGELOG_SESSION_NEW || row->kind > CHANGELOG_LAST)
        bad_row(f, row, "it is of no known kind");
    fsck_range(f, at_log(row->no), "its time", row->time, 0, INT64_MAX);
    if ((changelog_adds(row) || row->kind == CHANGELOG_APPEND || row->kind == CHANGELOG_OPEN) &&
        row->n >= 1)
        check_append(f, row);
    if (s && row->kind == CHANGELOG_SESSION_NEW)
        check_id(f, row, s);
    if (s) {
        check_other(f, row, s);
        touch_all(f, row, s);
    }
    return true;
}

/* Report entries that no row appended. Entries with a wrong number show up in the sums. */
static void check_branches(struct fsck *f)
{
    for (size_t i = 0; i < f->nbranches; i++) {
        struct fsck_branch *b = &f->branches[i];

        if (b->logged >= b->tip || b->log_damaged)
            continue;
        fsck_report(f, RULE_LOG, at_entry(b->row.bid, b->logged + 1), "no log row appended it");
        b->log_damaged = f->log_damaged = true;
    }
}

/* The time of a deletion has no checksum, so it must agree with the changelog. A deletion whose row
 * is lost is believed if its time is possible. */
static void check_deletions(struct fsck *f)
{
    uint64_t slot, early;
    const struct fsck_branch *b;

    for (size_t pos = 0; map_next(&f->deleted, &pos, &slot, &early);) {
        b = fsck_branch_of(f, (int64_t)(slot >> 32));
        if (early && b && !b->copied_deleted && !map_get(&f->log_deleted, slot, NULL))
            fsck_report(f, RULE_VALUE, at_entry(b->row.bid, (int64_t)(slot & LIMIT_DEPTH)),
                        "it was deleted before it was made, and no log row says so");
    }
    for (size_t pos = 0; map_next(&f->log_deleted, &pos, &slot, NULL);) {
        b = fsck_branch_of(f, (int64_t)(slot >> 32));
        if (b && !b->damaged && fsck_entry_there(f, b->row.bid, (int64_t)(slot & LIMIT_DEPTH)) &&
            (b->row.cut < 0 || (int64_t)(slot & LIMIT_DEPTH) <= b->row.cut) &&
            !map_get(&f->deleted, slot, NULL))
            fsck_report(f, RULE_VALUE, at_entry(b->row.bid, (int64_t)(slot & LIMIT_DEPTH)),
                        "the log says that it was deleted, but it is shown");
    }
}

enum bough_rc fsck_changelog(struct fsck *f)
{
    struct walk w = { .f = f };
    enum bough_rc rc = f->ops->raw_scan(f->v, RAW_CHANGELOG, each_row, &w, f->err);

    if (rc)
        return rc;
    match_keys(&w, NULL);
    check_branches(f);
    if (f->level >= BOUGH_FSCK_FULL)
        check_deletions(f);
    if (f->watermark >= 0 && f->watermark <= f->last_no)
        return BOUGH_OK;
    fsck_report(f, RULE_LOG, at_log(f->watermark),
                "the lists are applied up to here, but the log ends at %" PRId64, f->last_no);
    f->log_damaged = true;
    return BOUGH_OK;
}
