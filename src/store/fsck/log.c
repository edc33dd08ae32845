/* fsck, the log: every number once, every append in its branch, and what is not yet in the lists.
 */
#include <inttypes.h>

#include "base/limits.h"
#include "store/fsck/fsck.h"

struct walk {
    struct fsck *f;
    size_t key;
};

static void bad_row(struct fsck *f, const struct log_row *row, const char *what)
{
    fsck_say(f, RULE_LOG, at_log(row->no), "%s", what);
    f->log_doubt = true;
}

/* Keys are sorted by number, so both move on together. `row` NULL: the log has ended. */
static void match_keys(struct walk *w, const struct log_row *row)
{
    struct fsck *f = w->f;

    for (; w->key < f->nkeys && (!row || f->keys[w->key].no <= row->no); w->key++) {
        const struct fsck_key *k = &f->keys[w->key];

        if (!row || k->no != row->no)
            fsck_say(f, RULE_KEY, at_session(k->sid),
                     "an idempotency key points to log row %" PRId64 ", which does not exist",
                     k->no);
        else if (k->sid != row->sid)
            fsck_say(f, RULE_KEY, at_session(k->sid),
                     "an idempotency key points to log row %" PRId64 ", of another session", k->no);
    }
}

/* ---- appends ---- */

/* Up to which depth of the row there should be an entry. */
static int64_t there_to(const struct fsck_branch *b, const struct log_row *row)
{
    return b->row.cut >= 0 && row->depth > b->row.cut ? b->row.cut : row->depth;
}

/* Number and depth of each entry, to be compared with what the entries say. */
static void add_up(struct fsck_branch *b, const struct log_row *row)
{
    int64_t to = there_to(b, row);

    for (int64_t d = row->depth - row->n + 1; d <= to && d <= b->tip; d++)
        b->log_sum += fsck_mix((uint64_t)d, (uint64_t)(row->no - (row->depth - d)));
}

static void check_entries(struct fsck *f, const struct log_row *row)
{
    struct fsck_branch *b = fsck_branch_of(f, row->bid);
    int64_t first = row->depth - row->n + 1;

    if (!b || b->row.sid != row->sid) {
        bad_row(f, row, "it appends to a branch that is not its session's");
        return;
    }
    if (row->depth < row->n || first != b->logged + 1) {
        fsck_say(f, RULE_LOG, at_log(row->no),
                 "it appends from #%" PRId64 ".%" PRId64
                 " on, but the row before ended at %" PRId64,
                 row->bid, first, b->logged);
        b->log_doubt = f->log_doubt = true;
        b->logged = row->depth > b->logged && row->depth <= LIMIT_DEPTH ? row->depth : b->logged;
        return;
    }
    b->logged = row->depth;
    if (there_to(b, row) > b->tip) {
        fsck_say(f, RULE_LOG, at_log(row->no),
                 "the entries it appended from #%" PRId64 ".%" PRId64 " on are missing", row->bid,
                 (b->tip >= first ? b->tip : first - 1) + 1);
        b->doubt = true;
        if (fsck_session_of(f, row->sid))
            fsck_session_of(f, row->sid)->doubt = true;
    }
    add_up(b, row);
}

/* The calls it made; a copy says instead how many of its messages were deleted. */
static void check_calls(struct fsck *f, const struct log_row *row)
{
    int64_t most = row->record ? LIMIT_APPEND_ENTRIES + 1 : row->n;

    if (row->aux < 0 || row->aux > most) {
        bad_row(f, row, "it made more calls than an append can");
        return;
    }
    for (int64_t i = 0; row->record && i < row->aux; i++)
        if (!fsck_call_of(f, row->sid, row->record + i))
            fsck_say(f, RULE_LOG, at_log(row->no), "its call, number %" PRId64 ", does not exist",
                     row->record + i);
}

static void check_append(struct fsck *f, const struct log_row *row)
{
    const struct fsck_session *s = fsck_session_of(f, row->sid);

    if (!s)
        return; /* said already */
    if (row->bid)
        check_entries(f, row);
    else if (row->n != 1)
        bad_row(f, row, "it appends entries to no branch");
    if (f->level >= BOUGH_FSCK_FULL && !s->purged)
        check_calls(f, row);
}

/* What the other kinds are about. */
static void check_other(struct fsck *f, const struct log_row *row, const struct fsck_session *s)
{
    if (s->purged || f->level < BOUGH_FSCK_FULL)
        return;
    if (row->kind == LOG_SEAL)
        check_calls(f, row);
    if (row->kind == LOG_SEAL && row->no > f->text_mark && fsck_branch_of(f, row->bid))
        fsck_branch_of(f, row->bid)->text_doubt = true; /* older than its text */
    if ((row->kind == LOG_ENTRY_DELETE || row->kind == LOG_ENTRY_RESTORE ||
         row->kind == LOG_SEAL) &&
        !fsck_entry_there(f, row->bid, row->depth) && !s->doubt)
        fsck_say(f, RULE_LOG, at_log(row->no),
                 "it is about #%" PRId64 ".%" PRId64 ", which does not exist", row->bid,
                 row->depth);
    if (row->kind == LOG_CALL_DELETE && !fsck_call_of(f, row->sid, row->record))
        fsck_say(f, RULE_LOG, at_log(row->no), "its call, number %" PRId64 ", does not exist",
                 row->record);
}

/* ---- what is pending ---- */

/* Every total this session's calls are in. */
static void shake(struct fsck *f, struct fsck_session *s)
{
    while (s) {
        s->shaky = true;
        s = s->kind == BOUGH_SUBAGENT && s->parent < s->sid ? fsck_session_of(f, s->parent) : NULL;
    }
}

static void note_pending(struct fsck *f, struct fsck_session *s)
{
    s->pending = true;
    shake(f, s);
}

static void note_purge(struct fsck *f, const struct log_row *row, struct fsck_session *s)
{
    note_pending(f, s);
    shake(f, fsck_session_of(f, row->bid));
    for (size_t i = 0; i < f->nsessions; i++)
        if (f->sessions[i].parent == row->sid)
            f->sessions[i].pending = true;
}

/* ---- whose row it is ---- */

static void touch(struct fsck *f, const struct log_row *row, struct fsck_session *s)
{
    s->updated = row->time;
    s->rev = row->no;
    if (row->no > f->watermark)
        note_pending(f, s);
}

/* A propagated adjustment changes the parents that lived then, aux of them with the session itself.
 */
static void touch_parents(struct fsck *f, const struct log_row *row, const struct fsck_session *s)
{
    int64_t left = row->aux - 1;

    while (left > 0 && s->parent && s->parent < s->sid) {
        struct fsck_session *up = fsck_session_of(f, s->parent);

        if (!up)
            return;
        if (!up->gone) {
            touch(f, row, up);
            left--;
        }
        s = up;
    }
}

static void touch_all(struct fsck *f, const struct log_row *row, struct fsck_session *s)
{
    if (row->kind == LOG_PURGE) {
        s->gone = true;
        if (row->no > f->watermark)
            note_purge(f, row, s);
        return;
    }
    touch(f, row, s);
    if (row->kind == LOG_ADJUST)
        touch_parents(f, row, s);
}

/* ---- the pass ---- */

static bool each_row(void *user, const struct raw_row *raw)
{
    const struct log_row *row = &raw->u.log;
    struct walk *w = user;
    struct fsck *f = w->f;
    struct fsck_session *s = fsck_session_of(f, row->sid);

    match_keys(w, row);
    if (row->n < 1 || row->no < 1 || row->no - row->n != f->last_no) {
        fsck_say(f, RULE_LOG, at_log(row->no),
                 "it takes %" PRId64 " numbers up to its own, but the row before is %" PRId64,
                 row->n, f->last_no);
        f->log_doubt = true;
    }
    f->last_no = row->no;
    if (row->sid && !s)
        bad_row(f, row, "its session does not exist");
    if (row->kind < LOG_SESSION_NEW || row->kind > LOG_SEAL)
        bad_row(f, row, "it is of no known kind");
    fsck_range(f, at_log(row->no), "its time", row->time, 0, INT64_MAX);
    if ((row->kind == LOG_APPEND || row->kind == LOG_OPEN) && row->n >= 1)
        check_append(f, row);
    if (s) {
        check_other(f, row, s);
        touch_all(f, row, s);
    }
    return true;
}

/* Entries that no row appended; those that another row appended show in the sums. */
static void check_branches(struct fsck *f)
{
    for (size_t i = 0; i < f->nbranches; i++) {
        struct fsck_branch *b = &f->branches[i];

        if (b->logged >= b->tip || b->log_doubt)
            continue;
        fsck_say(f, RULE_LOG, at_entry(b->row.bid, b->logged + 1), "no log row appended it");
        b->log_doubt = f->log_doubt = true;
    }
}

enum bough_rc fsck_log(struct fsck *f)
{
    struct walk w = { .f = f };
    enum bough_rc rc = f->ops->raw_scan(f->v, RAW_LOG, each_row, &w, f->err);

    if (rc)
        return rc;
    match_keys(&w, NULL);
    check_branches(f);
    if (f->watermark >= 0 && f->watermark <= f->last_no)
        return BOUGH_OK;
    fsck_say(f, RULE_LOG, at_log(f->watermark),
             "the lists are applied up to here, but the log ends at %" PRId64, f->last_no);
    f->log_doubt = true;
    return BOUGH_OK;
}
