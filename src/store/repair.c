/*
 * Repair: runs fsck, does what can be done about each finding, and runs it again until nothing more
 * changes. What is derived is built again, what is broken is moved aside, no message is rewritten.
 */
#include "store/repair.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "store/purge.h"

enum {
    ROUNDS = 4,        /* one repair may bring another to light */
    FILL_MOST = 10000, /* entries put in for missing ones: more is no gap, it is another file */
};

void repair_say(struct repair *r, const char *code, const char *where, const char *fmt, ...)
{
    struct bough_finding what = { .code = code };
    va_list ap;

    snprintf(what.where, sizeof what.where, "%s", where);
    va_start(ap, fmt);
    vsnprintf(what.text, sizeof what.text, fmt, ap);
    va_end(ap);
    r->report->fixed++;
    r->done++;
    if (r->did)
        r->did(r->user, &what);
}

void repair_write(struct repair *r, const struct raw_row *row, bool remove)
{
    if (r->nrows == r->rows_cap) {
        r->rows_cap = r->rows_cap ? 2 * r->rows_cap : 16;
        r->rows = mem_realloc(r->rows, mem_array(r->rows_cap, sizeof *r->rows));
    }
    r->rows[r->nrows++] = (struct repair_row){ *row, remove };
}

/* In the writer's role; what it remembers of sessions may be wrong now. */
static enum bough_rc write_rows(struct repair *r)
{
    struct engine *e = r->s->e;
    struct patience p = store_patience(r->s);
    enum bough_rc rc = r->nrows ? writer_take(e, &p, r->err) : BOUGH_OK;

    if (rc || !r->nrows)
        return rc;
    for (size_t i = 0; i < r->nrows && !rc; i++)
        rc = e->ops->raw_fix(e->backend, &r->rows[i].row, r->rows[i].remove, r->err);
    r->nrows = 0;
    state_drop_all(e);
    writer_give(e);
    return rc;
}

/* ---- what was found ---- */

struct found {
    struct bough_finding *at;
    size_t n, cap;
};

static void keep(void *user, const struct bough_finding *f)
{
    struct found *list = user;

    for (size_t i = list->n; i-- > 0 && list->n - i < 8;) /* the same row, again */
        if (strcmp(list->at[i].where, f->where) == 0 && strcmp(list->at[i].code, f->code) == 0)
            return;
    if (list->n == list->cap) {
        list->cap = list->cap ? 2 * list->cap : 64;
        list->at = mem_realloc(list->at, mem_array(list->cap, sizeof *list->at));
    }
    list->at[list->n++] = *f;
}

/* "#1.2", "#1", "record 1.2.3", "log 7": how many numbers follow the word. */
int repair_numbers(const char *where, const char *word, int64_t out[3])
{
    size_t n = strlen(word);
    char *end;
    int k = 0;

    if (strncmp(where, word, n) != 0)
        return 0;
    for (const char *p = where + n; k < 3 && *p >= '0' && *p <= '9'; p = end + (*end == '.')) {
        out[k++] = strtoll(p, &end, 10);
        if (*end != '.' && *end)
            return 0;
    }
    return k;
}

/* ---- one finding ---- */

static bool is(const struct bough_finding *f, const char *code)
{
    return strcmp(f->code, code) == 0;
}

static enum bough_rc fix_log(struct repair *r, struct snap *snap, const struct bough_finding *f,
                             int64_t no)
{
    struct log_row row;

    if (snap->ops->log_get(snap->v, no, &row, NULL) || row.kind != LOG_APPEND || !row.bid ||
        !strstr(f->text, "missing"))
        return BOUGH_OK;
    return repair_fill_gap(r, snap, f, row.bid, row.depth);
}

/* What is about an entry, a record or a session. */
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
    if (is(f, "I-11") && repair_numbers(f->where, "#", at) == 2)
        return repair_fill_gap(r, snap, f, at[0], at[1] - 1);
    if (is(f, "I-11") && repair_numbers(f->where, "record ", at) == 3)
        return repair_fill_records(r, snap, f, at);
    if (is(f, "I-43") && repair_numbers(f->where, "log ", at) == 1)
        return fix_log(r, snap, f, at[0]);
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
    enum bough_rc rc = BOUGH_OK;

    for (const struct projection *p = all_projections; p->name && !rc; p++) {
        struct bough_arena *a = bough_arena_create();
        struct request q = { .prepare = p->rebuild };

        rc = write_run(r->s, a, &q, r->err);
        bough_arena_destroy(a);
    }
    return rc;
}

static enum bough_rc check(struct repair *r, enum bough_fsck_level level, struct found *list)
{
    list->n = 0;
    return bough_store_fsck(r->s, level, keep, list, &r->report->left, r->err);
}

/* Something besides what is quarantined already. */
static bool to_do(const struct found *list)
{
    for (size_t i = 0; i < list->n; i++)
        if (!is(&list->at[i], "I-50"))
            return true;
    return false;
}

static enum bough_rc run(struct repair *r, enum bough_fsck_level level, struct found *list)
{
    enum bough_rc rc = check(r, level, list);

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
                                 void *user, struct bough_repair_report *report,
                                 struct bough_error *err)
{
    struct bough_repair_report nobody = { 0 };
    struct found list = { 0 };
    struct repair r = { .s = s, .did = did, .user = user, .err = err };
    enum bough_rc rc;

    r.report = report ? report : &nobody;
    *r.report = (struct bough_repair_report){ 0 };
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
