/* Repair: run fsck, fix each finding as far as possible, and repeat until nothing changes. Derived
 * rows are rebuilt and damaged rows are quarantined. No message is rewritten. */
#include "store/care/repair.h"

#include <string.h>

#include "base/memory/mem.h"
#include "base/required.h"
#include "base/text/str.h"
#include "store/sessions/purge.h"

enum {
    ROUNDS = 4,        /* one repair may uncover another finding */
    FILL_MOST = 10000, /* stubs for missing entries per finding; a larger gap means a different file
                        */
};

/* Write the collected rows in the writer role. Drops the cached session states, which may be stale
 * now. */
static enum bough_rc write_rows(struct repair *r)
{
    struct engine *e = r->s->e;
    struct deadline p = store_deadline(r->s);
    enum bough_rc rc = r->nrows ? role_take(e, &p, r->err) : BOUGH_OK;

    if (rc || !r->nrows)
        return rc;
    for (size_t i = 0; i < r->nrows && !rc; i++)
        rc = e->ops->raw_fix(e->backend, &r->rows[i].row, r->rows[i].remove, r->err);
    r->nrows = 0;
    state_drop_all(e);
    role_give(e);
    return rc;
}

/* ---- findings ---- */

struct found {
    struct bough_finding *at;
    size_t n;
};

static void keep(void *user, const struct bough_finding *f)
{
    struct found *list = user;

    for (size_t i = list->n; i-- > 0 && list->n - i < 8;) /* drop repeated findings about one row */
        if (strcmp(list->at[i].where, f->where) == 0 && strcmp(list->at[i].code, f->code) == 0)
            return;
    list->at = mem_room(list->at, list->n, sizeof *list->at);
    list->at[list->n++] = *f;
}

/* ---- one finding ---- */

static bool is(const struct bough_finding *f, const char *code)
{
    return strcmp(f->code, code) == 0;
}

static enum bough_rc fix_changelog(struct repair *r, struct snap *snap,
                                   const struct bough_finding *f, int64_t no)
{
    struct changelog_row row;

    if (snap->ops->changelog_get(snap->v, no, &row, NULL) || !changelog_adds(&row) ||
        !strstr(f->text, "missing"))
        return BOUGH_OK;
    return repair_fill_gap(r, snap, f, row.bid, row.depth);
}

/* Fix an entry, a record or a session. */
static enum bough_rc fix_row(struct repair *r, struct snap *snap, const struct bough_finding *f)
{
    int64_t at[3] = { 0 };

    if (repair_numbers(f->where, "#", at) == 2)
        return repair_entry(r, snap, f, at[0], at[1]);
    if (repair_numbers(f->where, "record ", at) == 3)
        return repair_record(r, snap, f, at);
    if (repair_numbers(f->where, "#", at) == 1)
        return repair_session(r, snap, f, at[0]);
    return BOUGH_OK;
}

static enum bough_rc fix_one(struct repair *r, struct snap *snap, const struct bough_finding *f)
{
    static const char *const rows[] = { "I-04", "I-05", "I-10", "I-12", "I-29" };
    int64_t at[3] = { 0 };

    if (is(f, "I-45"))
        return repair_add_names(r, snap, f);
    if (is(f, "I-47") && repair_numbers(f->where, "#", at) == 2)
        return repair_links(r, snap, f, at[0], at[1]);
    if (is(f, "I-47") && repair_numbers(f->where, "attachment ", at) == 1)
        return repair_loosen(r, snap, f, at[0]);
    if (is(f, "I-48") && repair_numbers(f->where, "#", at) == 2)
        return repair_open(r, snap, f, at[0], at[1]);
    if (is(f, "I-11") && repair_numbers(f->where, "#", at) == 2)
        return repair_gap(r, snap, f, at[0], at[1]);
    if (is(f, "I-11") && repair_numbers(f->where, "record ", at) == 3)
        return repair_fill_records(r, snap, f, at);
    if (is(f, "I-22") && repair_numbers(f->where, "branch ", at) == 1)
        return repair_base(r, snap, f, at[0]);
    if (is(f, "I-43") && repair_numbers(f->where, "log ", at) == 1)
        return fix_changelog(r, snap, f, at[0]);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (is(f, rows[i]))
            return fix_row(r, snap, f);
    return BOUGH_OK;
}

/* ---- the run ---- */

static enum bough_rc fix_snapped(struct repair *r, const struct bough_finding *f)
{
    struct snap snap;
    enum bough_rc rc = snap_begin(r->s, &snap, r->err);

    if (rc)
        return rc;
    bough_arena_reset(r->a);
    r->again = false;
    if (!f)
        rc = repair_drop_names(r, &snap);
    if (!f && !rc)
        rc = repair_drop_links(r, &snap);
    if (f)
        rc = fix_one(r, &snap, f);
    snap_end(&snap);
    if (f && rc == BOUGH_NOT_FOUND) { /* other damage hides what the fix needs: leave the finding */
        r->nrows = 0;
        return BOUGH_OK;
    }
    return rc ? rc : write_rows(r);
}

static enum bough_rc fix_found(struct repair *r, const struct found *list)
{
    enum bough_rc rc = BOUGH_OK;

    for (size_t i = 0; i < list->n && !rc; i++) {
        int times = 0;

        do
            rc = fix_snapped(r, &list->at[i]);
        while (!rc && r->again && ++times < FILL_MOST);
    }
    return rc ? rc : fix_snapped(r, NULL);
}

static enum bough_rc rebuild_all(struct repair *r)
{
    struct deadline until = store_deadline(r->s);
    enum bough_rc rc = BOUGH_OK;

    for (const struct projection *p = all_projections; p->name && !rc; p++) {
        struct bough_arena *a = bough_arena_create();
        struct request q = { .prepare = p->rebuild };

        rc = write_run(r->s, a, &q, r->err);
        bough_arena_destroy(a);
    }
    /* Conflicts before the deadline without another writer: the row of a watermark is lost. */
    if (rc == BOUGH_TIMEOUT && !deadline_passed(&until))
        rc = bough_fail(r->err, BOUGH_CORRUPT,
                        "the lists cannot be rebuilt in this file: close it everywhere, and rescue "
                        "what is intact with bough fsck --repair");
    return rc;
}

static enum bough_rc check(struct repair *r, enum bough_fsck_level level, struct found *list)
{
    list->n = 0;
    return bough_store_fsck(r->s, level, keep, list, &r->report->left, r->err);
}

/* Is there a finding other than rows already quarantined (I-50)? */
static bool to_do(const struct found *list)
{
    for (size_t i = 0; i < list->n; i++)
        if (!is(&list->at[i], "I-50"))
            return true;
    return false;
}

/* Pages are damaged: a write could destroy rows that can still be read. */
static enum bough_rc refuse_pages(struct repair *r, const struct found *list)
{
    const char *first = "";

    for (size_t i = list->n; i-- > 0;)
        if (is(&list->at[i], "I-00"))
            first = list->at[i].text;
    return bough_fail(r->err, BOUGH_CORRUPT,
                      "the file itself is damaged (%.100s); nothing was written into it: close it, "
                      "and rescue what is intact with bough fsck --repair",
                      first);
}

static enum bough_rc run(struct repair *r, enum bough_fsck_level level, struct found *list)
{
    enum bough_rc rc = check(r, level, list);

    if (!rc && r->report->left.bad_pages)
        return refuse_pages(r, list);
    for (int round = 0; round < ROUNDS && !rc && to_do(list); round++) {
        r->done = 0;
        rc = purge_resume(r->s, r->err);
        if (!rc)
            rc = fix_found(r, list);
        if (!rc)
            rc = rebuild_all(r);
        if (!rc && !round)
            r->report->fixed++;
        if (!rc)
            rc = check(r, level, list);
        if (!r->done && round)
            break;
    }
    return rc;
}

enum bough_rc bough_store_repair(struct bough_store *s, enum bough_fsck_level level,
                                 void (*did)(void *user, const struct bough_finding *f),
                                 void (*left)(void *user, const struct bough_finding *f),
                                 void *user, struct bough_store_repair_result *report,
                                 struct bough_error *err)
{
    REQUIRE(s, err);

    struct bough_store_repair_result unused = { 0 };
    struct found list = { 0 };
    struct repair r = { .s = s, .did = did, .user = user, .err = err };
    enum bough_rc rc;

    r.report = report ? report : &unused;
    *r.report = (struct bough_store_repair_result){ 0 };
    if (s->e->read_only)
        return bough_fail(err, BOUGH_READ_ONLY, "the store was opened read-only");
    r.a = bough_arena_create();
    r.now = env_now(&s->e->env);
    rc = run(&r, level, &list);
    for (size_t i = 0; i < list.n && !rc && left; i++)
        left(user, &list.at[i]);
    mem_free(list.at);
    mem_free(r.rows);
    bough_arena_destroy(r.a);
    return rc;
}
