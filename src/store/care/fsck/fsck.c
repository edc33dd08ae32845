/* fsck: runs the passes over one snapshot. */
#include "store/care/fsck/fsck.h"

#include <string.h>

#include "base/memory/mem.h"
#include "base/required.h"

/* A full-text index whose content is wrong is stored in sound pages, so repair can rebuild it. */
static void engine_says(void *user, const char *text)
{
    struct fsck *f = user;

    fsck_report(f, RULE_ENGINE, at_engine(), "%s", text);
    f->report->bad_pages += !strstr(text, "inverted index for FTS5");
}

/* The passes in order: rows first, then their relations, then derived data. */
static const struct pass {
    enum bough_rc (*run)(struct fsck *f);
    bool full, quick; /* the levels at which the pass runs */
} rows[] = {
    { fsck_sessions, true, true }, { fsck_branches, true, true }, { fsck_records, true, false },
    { fsck_blobs, true, false },   { fsck_opens, true, false },   { fsck_entries, true, false },
    { fsck_tips, false, true },    { fsck_links, true, false },
}, rest[] = {
    { fsck_names, true, false }, { fsck_changelog, true, true },        { fsck_locate, true, false },
    { fsck_lists, true, true },  { fsck_documents, true, false }, { fsck_seen, true, false },
};

static enum bough_rc run_passes(struct fsck *f, const struct pass *at, size_t n)
{
    enum bough_rc rc = BOUGH_OK;

    for (size_t i = 0; i < n && !rc; i++)
        if (f->level >= BOUGH_FSCK_FULL ? at[i].full : at[i].quick)
            rc = at[i].run(f);
    return rc;
}

static enum bough_rc run(struct fsck *f)
{
    bool full = f->level >= BOUGH_FSCK_FULL;
    enum bough_rc rc = f->ops->engine_check(f->v, full, engine_says, f, f->err);

    if (!rc)
        rc = f->ops->watermark(f->v, &f->watermark, f->err);
    if (!rc)
        rc = f->ops->fulltext_mark(f->v, &f->fulltext_mark, f->err);
    if (!rc)
        rc = run_passes(f, rows, sizeof rows / sizeof *rows);
    if (rc)
        return rc;
    fsck_unmatched(f);
    fsck_relations(f);
    if (full)
        fsck_runs(f);
    return run_passes(f, rest, sizeof rest / sizeof *rest);
}

static void begin(struct fsck *f)
{
    map_init(&f->by_sid);
    map_init(&f->by_bid);
    map_init(&f->calls_of);
    map_init(&f->groups);
    map_init(&f->order);
    smap_init(&f->slugs);
    map_init(&f->by_bno);
    smap_init(&f->by_hash);
    map_init(&f->shown);
    map_init(&f->unread);
    map_init(&f->deleted);
    map_init(&f->log_deleted);
    f->keep = bough_arena_create();
    f->tmp = bough_arena_create();
}

static void end(struct fsck *f)
{
    map_finish(&f->by_sid);
    map_finish(&f->by_bid);
    map_finish(&f->calls_of);
    map_finish(&f->groups);
    map_finish(&f->order);
    smap_finish(&f->slugs);
    map_finish(&f->by_bno);
    smap_finish(&f->by_hash);
    map_finish(&f->shown);
    map_finish(&f->unread);
    map_finish(&f->deleted);
    map_finish(&f->log_deleted);
    mem_free(f->blobs);
    mem_free(f->sessions);
    mem_free(f->branches);
    mem_free(f->calls);
    mem_free(f->notes);
    mem_free(f->keys);
    mem_free(f->runs);
    mem_free(f->opens);
    bough_arena_destroy(f->keep);
    bough_arena_destroy(f->tmp);
}

enum bough_rc bough_store_fsck(struct bough_store *s, enum bough_fsck_level level,
                               void (*found)(void *user, const struct bough_finding *f), void *user,
                               struct bough_store_fsck_result *report, struct bough_error *err)
{
    REQUIRE(s, err);

    struct bough_store_fsck_result unused = { 0 };
    struct bough_error why = { 0 };
    struct fsck f = { .level = level, .found = found, .user = user, .err = &why };
    struct snap snap;
    enum bough_rc rc;

    f.report = report ? report : &unused;
    *f.report = (struct bough_store_fsck_result){ 0 };
    rc = snap_begin(s, &snap, err);
    if (rc)
        return rc;
    f.snap = &snap;
    f.ops = snap.ops;
    f.v = snap.v;
    f.now = env_now(&s->e->env);
    begin(&f);
    rc = run(&f);
    /* A table that cannot be read to its end is a finding, not a failure of fsck. */
    if (rc == BOUGH_CORRUPT) {
        fsck_report(&f, RULE_ENGINE, at_engine(), "%.180s", why.msg);
        f.report->bad_pages++;
        rc = BOUGH_OK;
    }
    end(&f);
    if (rc && err)
        *err = why;
    snap_end(&snap);
    return rc;
}
