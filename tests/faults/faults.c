/* I/O faults: every public operation with each of its I/O calls failing, once or permanently. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "base/os/fs.h"
#include "world.h"

/* What a scenario did while the fault was armed. */
struct outcome {
    enum bough_rc rc;
    int more;      /* entries the operation may have added to the main session */
    bool opened;   /* streaming: the message was opened, */
    int64_t saved; /* and steps up to this one were saved */
};

enum {
    FRESH = 1,  /* start without a file */
    OLD = 2,    /* start with a file of an older schema */
    OPENS = 4,  /* the fault is armed before the store is opened */
    CLOSES = 8, /* the fault stays armed until the store is closed */
    HURT = 16,  /* an entry's bytes are not what they were */
};

struct scenario {
    const char *name;
    unsigned is;
    /* Run the operation on an open store and record the outcome. */
    void (*run)(struct world *w, struct bough_store *s, struct outcome *o);
    /* On the reopened store: repeat the operation; its effect must be there exactly once. */
    void (*settle)(struct world *w, struct bough_store *s, const struct outcome *o);
};

/* Only success and error codes that a failed disk may cause are accepted. */
static void check_typed(enum bough_rc rc, const char *msg)
{
    switch (rc) {
    case BOUGH_OK:
    case BOUGH_NOT_DONE:
    case BOUGH_UNKNOWN:
    case BOUGH_FULL:
    case BOUGH_IO:
    case BOUGH_CORRUPT:
    case BOUGH_READ_ONLY:
    case BOUGH_TIMEOUT:
        return;
    default:
        FAIL("%s: %s", bough_rc_name(rc), msg);
    }
}

/* True if this code promises that nothing was written. The other errors leave it open. */
static bool refused(enum bough_rc rc)
{
    return rc == BOUGH_NOT_DONE || rc == BOUGH_FULL || rc == BOUGH_TIMEOUT || rc == BOUGH_READ_ONLY;
}

/* ---- the operations ---- */

static enum bough_rc append_keyed(struct world *w, struct bough_store *s, int n)
{
    struct test *t = w->t;
    struct bough_entry_new e[BATCH];
    struct bough_call_new call = { .model = "m", .used = { .input = 3 } };
    struct bough_append_options in = { .entries = e, .n = (size_t)n, .key = KEY };
    struct bough_append_result done;

    for (int i = 0; i < n; i++)
        e[i] = (struct bough_entry_new){ .role = BOUGH_ROLE_ASSISTANT,
                                         .text = arena_printf(t->arena, "new %d", i),
                                         .by_call = n > 1 };
    in.call = n > 1 ? &call : NULL;
    return bough_append(s, t->arena, ID_MAIN, &in, &done, &t->err);
}

static void settle_appended(struct world *w, struct bough_store *s, const struct outcome *o, int n)
{
    struct test *t = w->t;

    for (int i = 0; i < n; i++) {
        int there = world_count(w, s, ID_MAIN, arena_printf(t->arena, "new %d", i));

        if (o->rc == BOUGH_OK)
            CHECK_INT(1, there);
        else
            CHECK(there <= !refused(o->rc));
    }
    CHECK_OK(append_keyed(w, s, n));
    for (int i = 0; i < n; i++)
        CHECK_INT(1, world_count(w, s, ID_MAIN, arena_printf(t->arena, "new %d", i)));
}

static void run_append(struct world *w, struct bough_store *s, struct outcome *o)
{
    o->rc = append_keyed(w, s, 1);
    o->more = 1;
}

static void settle_append(struct world *w, struct bough_store *s, const struct outcome *o)
{
    settle_appended(w, s, o, 1);
}

static void run_batch(struct world *w, struct bough_store *s, struct outcome *o)
{
    o->rc = append_keyed(w, s, BATCH);
    o->more = BATCH;
}

static void settle_batch(struct world *w, struct bough_store *s, const struct outcome *o)
{
    settle_appended(w, s, o, BATCH);
}

static enum bough_rc create(struct world *w, struct bough_store *s)
{
    struct bough_session_create_options in = { .id = ID_NEW,
                                               .title = "new",
                                               .project = "/tmp/other" };
    struct bough_session *out;

    return bough_session_create(s, w->t->arena, &in, &out, &w->t->err);
}

static enum bough_rc fork_it(struct world *w, struct bough_store *s)
{
    struct bough_session_fork_options how = { .id = ID_NEW };
    struct bough_session *out;

    return bough_session_fork(s, w->t->arena, ID_MAIN, &how, &out, &w->t->err);
}

static void run_create(struct world *w, struct bough_store *s, struct outcome *o)
{
    o->rc = create(w, s);
}

static void run_fork(struct world *w, struct bough_store *s, struct outcome *o)
{
    o->rc = fork_it(w, s);
}

/* The session exists if `o` reports success, and does not if it reports a refusal. After a repeated
 * request it exists. */
static void settle_made(struct world *w, struct bough_store *s, const struct outcome *o,
                        enum bough_rc (*again)(struct world *w, struct bough_store *s))
{
    struct test *t = w->t;
    struct bough_session *got;
    enum bough_rc rc = bough_session_get(s, t->arena, ID_NEW, &got, &t->err);

    CHECK(rc == BOUGH_OK || rc == BOUGH_NOT_FOUND);
    if (o->rc == BOUGH_OK || refused(o->rc))
        CHECK_INT(o->rc == BOUGH_OK, rc == BOUGH_OK);
    CHECK_RC(rc == BOUGH_OK ? BOUGH_EXISTS : BOUGH_OK, again(w, s));
    CHECK_OK(bough_session_get(s, t->arena, ID_NEW, &got, &t->err));
}

static void settle_create(struct world *w, struct bough_store *s, const struct outcome *o)
{
    settle_made(w, s, o, create);
}

static void settle_fork(struct world *w, struct bough_store *s, const struct outcome *o)
{
    settle_made(w, s, o, fork_it);
}

static void run_purge(struct world *w, struct bough_store *s, struct outcome *o)
{
    struct bough_session_purge_result report;

    o->rc = bough_session_purge(s, w->t->arena, ID_DOOMED, &report, &w->t->err);
}

static void settle_purge(struct world *w, struct bough_store *s, const struct outcome *o)
{
    struct test *t = w->t;
    struct bough_session_purge_result report;
    struct bough_session *got;
    enum bough_rc rc;

    if (o->rc == BOUGH_OK)
        CHECK_RC(BOUGH_NOT_FOUND, bough_session_get(s, t->arena, ID_DOOMED, &got, &t->err));
    rc = bough_session_purge(s, t->arena, ID_DOOMED, &report, &t->err);
    if (rc != BOUGH_OK && rc != BOUGH_GONE && rc != BOUGH_NOT_FOUND)
        FAIL("purging again: %s: %s", bough_rc_name(rc), t->err.msg);
    rc = bough_session_get(s, t->arena, ID_DOOMED, &got, &t->err);
    CHECK(rc == BOUGH_GONE || rc == BOUGH_NOT_FOUND);
}

static void run_read(struct world *w, struct bough_store *s, struct outcome *o)
{
    struct bough_entries_read_options how = { 0 };
    struct bough_entries_read_result path;
    struct bough_session_list_options filter = { .project = "/tmp/project" };
    struct bough_sessions list;

    o->rc = bough_session_list(s, w->t->arena, &filter, &list, &w->t->err);
    check_typed(o->rc, w->t->err.msg);
    o->rc = bough_entries_read(s, w->t->arena, ID_FORK, &how, &path, &w->t->err);
    if (o->rc == BOUGH_OK)
        CHECK_INT(WORLD_ENTRIES / 2, path.entries.n);
}

/* Search indexes first. It must find everything or report an incomplete search. */
static void run_search(struct world *w, struct bough_store *s, struct outcome *o)
{
    struct bough_search_options in = { .session = ID_MAIN, .limit = 100 };
    struct bough_hits hits;

    o->rc = bough_search(s, w->t->arena, &in, &hits, &w->t->err);
    check_typed(o->rc, w->t->err.msg);
    if (o->rc == BOUGH_OK && hits.complete)
        CHECK(hits.n >= WORLD_ENTRIES);
}

static void run_upkeep(struct world *w, struct bough_store *s, struct outcome *o)
{
    o->rc = append_keyed(w, s, 1);
    o->more = 1;
    check_typed(bough_store_upkeep(s, &w->t->err), w->t->err.msg);
}

/* Open a message, save its steps, seal it. */
static void run_seal(struct world *w, struct bough_store *s, struct outcome *o)
{
    struct test *t = w->t;
    struct bough_entry_new entry = { .role = BOUGH_ROLE_ASSISTANT, .id = "streamed" };
    struct bough_message_open_options in = { .entry = &entry };
    struct bough_step steps[] = {
        { .kind = BOUGH_STEP_PART, .bytes = { "{\"type\":\"text\",\"text\":\"\"}", 25 } },
        { .kind = BOUGH_STEP_TEXT, .bytes = { "streamed text", 13 } },
    };
    struct bough_message_open_result open;
    struct bough_message_step_result told = { 0 };

    o->more = 1;
    o->rc = bough_message_open(s, t->arena, ID_MAIN, &in, &open, &t->err);
    if (o->rc)
        return;
    o->opened = true;
    o->rc = bough_message_step(s, &open.writing, 1, steps, 2, &told, &t->err);
    if (!o->rc)
        o->rc = bough_message_flush(s, &open.writing, &told, &t->err);
    o->saved = told.saved;
    if (!o->rc)
        o->rc = bough_message_seal(s, t->arena, &open.writing, NULL, NULL, &t->err);
}

static void settle_seal(struct world *w, struct bough_store *s, const struct outcome *o)
{
    struct test *t = w->t;
    struct bough_open_messages open;
    struct bough_message_open_result mine;
    struct bough_writing writing = { .epoch = 1 };
    struct bough_entry *e;
    enum bough_rc rc = bough_entry_get(s, t->arena, ID_MAIN, "streamed", &e, &t->err);

    if (!o->opened && rc)
        return;
    CHECK_OK(rc);
    CHECK(o->rc || !e->open);
    CHECK_OK(bough_message_list(s, t->arena, NULL, &open, &t->err));
    CHECK_INT(e->open, open.n);
    if (e->open) { /* its owner, this process, is alive: only time ends the lease */
        CHECK_RC(BOUGH_BUSY, bough_message_take(s, e->id, NULL, &mine, &t->err));
        memcpy(writing.id, e->id, sizeof writing.id);
        CHECK_OK(bough_message_seal(s, t->arena, &writing, NULL, &e, &t->err));
    }
    CHECK(o->saved < 2 || e->nparts == 1);
}

/* ---- attachments ---- */

static int images(struct world *w, struct bough_store *s, struct bough_str part)
{
    struct test *t = w->t;
    struct bough_entries_read_result path;
    int n = 0;

    CHECK_OK(bough_entries_read(s, t->arena, ID_MAIN, NULL, &path, &t->err));
    for (size_t i = 0; i < path.entries.n; i++)
        n += path.entries.at[i].nparts == 1 && path.entries.at[i].parts[0].json.n == part.n &&
             memcmp(path.entries.at[i].parts[0].json.p, part.p, part.n) == 0;
    return n;
}

static void run_image(struct world *w, struct bough_store *s, struct outcome *o)
{
    o->rc = world_show(w, s, ID_MAIN, world_image(w, 'I'), KEY);
    o->more = 1;
}

static void settle_image(struct world *w, struct bough_store *s, const struct outcome *o)
{
    struct test *t = w->t;
    struct bough_str part = world_image(w, 'I');
    int there = images(w, s, part);

    if (o->rc == BOUGH_OK)
        CHECK_INT(1, there);
    else
        CHECK(there <= !refused(o->rc));
    CHECK_OK(world_show(w, s, ID_MAIN, part, KEY));
    CHECK_INT(1, images(w, s, part));
}

static enum bough_rc store_file(struct world *w, struct bough_store *s,
                                struct bough_attachment *out)
{
    struct bough_attachment_writer *a = NULL;
    struct bough_str bytes = world_image(w, 'F');
    enum bough_rc rc = bough_attachment_begin(s, &a, &w->t->err);

    if (!rc)
        rc = bough_attachment_write(a, bytes.p, bytes.n, &w->t->err);
    if (!rc)
        return bough_attachment_finish(&a, out, &w->t->err);
    bough_attachment_cancel(&a);
    return rc;
}

static void run_store(struct world *w, struct bough_store *s, struct outcome *o)
{
    struct bough_attachment out;

    o->rc = store_file(w, s, &out);
}

/* Whatever the outcome: after storing the file again an entry can show it. */
static void settle_store(struct world *w, struct bough_store *s, const struct outcome *o)
{
    struct test *t = w->t;
    struct bough_attachment out;
    struct bough_session_create_options in = { .title = "shows" };
    struct bough_session *made;
    const char *json;

    (void)o;
    CHECK_OK(store_file(w, s, &out));
    CHECK_OK(bough_session_create(s, t->arena, &in, &made, &t->err));
    json = arena_printf(t->arena, "{\"type\":\"file\",\"mime\":\"a/b\",\"url\":\"%s\"}", out.url);
    CHECK_OK(world_show(w, s, made->id, (struct bough_str){ json, strlen(json) }, NULL));
}

static void run_backup(struct world *w, struct bough_store *s, struct outcome *o)
{
    const char *path = test_path(w->t, "copy.db");

    unlink(path);
    o->rc = bough_backup(s, path, NULL, NULL, &w->t->err);
}

/* The backup is complete, or there is no file. */
static void settle_backup(struct world *w, struct bough_store *s, const struct outcome *o)
{
    struct test *t = w->t;
    const char *path = test_path(t, "copy.db");
    struct bough_store_open_options options = { .read_only = true };
    struct bough_store *copy = NULL;
    struct bough_entries_read_result entries;

    CHECK_INT(o->rc == BOUGH_OK, access(path, F_OK) == 0);
    if (o->rc)
        CHECK_OK(bough_backup(s, path, NULL, NULL, &t->err));
    CHECK_OK(bough_store_open(&copy, path, &options, &t->err));
    CHECK_OK(bough_entries_read(copy, t->arena, ID_DOOMED, NULL, &entries, &t->err));
    CHECK_INT(WORLD_ENTRIES + 1, entries.entries.n); /* plus one with an image */
    bough_store_close(&copy);
}

/* ---- repairing ---- */

/* An entry that no session but its own shows. */
static void hurt(struct world *w)
{
    const char *text = world_text(w, ID_DOOMED, WORLD_ENTRIES - 1);
    struct test *t = w->t;
    struct bough_str all;
    char *at;

    CHECK_OK(fs_read(t->arena, w->path, 1 << 26, &all, &t->err));
    at = memmem(all.p, all.n, text, strcspn(text, "\\"));
    CHECK(at);
    at[0] ^= 1;
    CHECK_OK(fs_write(w->path, all, 0600, &t->err));
}

static void run_repair(struct world *w, struct bough_store *s, struct outcome *o)
{
    o->rc = bough_store_repair(s, BOUGH_FSCK_FULL, NULL, NULL, NULL, NULL, &w->t->err);
}

/* When it said that it was done, it was. */
static void settle_repair(struct world *w, struct bough_store *s, const struct outcome *o)
{
    struct test *t = w->t;
    struct bough_store_repair_result report;
    struct bough_store_fsck_result found;

    CHECK_OK(bough_store_fsck(s, BOUGH_FSCK_FULL, NULL, NULL, &found, &t->err));
    if (o->rc == BOUGH_OK)
        CHECK_INT(0, found.errors);
    CHECK_OK(bough_store_repair(s, BOUGH_FSCK_FULL, NULL, NULL, NULL, &report, &t->err));
    CHECK_INT(0, report.left.errors);
    /* What was moved aside; once more when that was as far as the first repair came. */
    CHECK_INT(true, report.left.warnings == 1 || (o->rc && report.left.warnings == 2));
}

static void run_nothing(struct world *w, struct bough_store *s, struct outcome *o)
{
    (void)w;
    (void)s;
    o->rc = BOUGH_OK;
}

static void settle_nothing(struct world *w, struct bough_store *s, const struct outcome *o)
{
    (void)w;
    (void)s;
    (void)o;
}

static const struct scenario scenarios[] = {
    { "opening_a_new_store", FRESH | OPENS, run_create, settle_create },
    { "opening_a_store", OPENS | CLOSES, run_nothing, settle_nothing },
    { "migrating_a_store", OLD | OPENS, run_nothing, settle_nothing },
    { "creating_a_session", 0, run_create, settle_create },
    { "appending_an_entry", 0, run_append, settle_append },
    { "appending_a_batch", 0, run_batch, settle_batch },
    { "forking_a_session", 0, run_fork, settle_fork },
    { "purging_a_session", 0, run_purge, settle_purge },
    { "streaming_and_sealing_a_message", 0, run_seal, settle_seal },
    { "reading", 0, run_read, settle_nothing },
    { "searching", 0, run_search, settle_nothing },
    { "upkeep", CLOSES, run_upkeep, settle_append },
    { "appending_an_image", 0, run_image, settle_image },
    { "storing_an_attachment", 0, run_store, settle_store },
    { "backing_up", 0, run_backup, settle_backup },
    { "repairing", HURT, run_repair, settle_repair },
};

/* ---- one fault ---- */

/* Run the scenario with the n-th call failing. Returns whether the fault was triggered. */
static bool suffer(struct world *w, const struct scenario *sc, enum faulty_kind kind, int n,
                   bool sticky, struct outcome *o)
{
    struct test *t = w->t;
    struct bough_store *s = NULL;

    *o = (struct outcome){ .rc = BOUGH_OK };
    world_reset(w, sc->is & FRESH ? NULL : sc->is & OLD ? w->old : w->pristine);
    if (sc->is & HURT)
        hurt(w);
    faulty_vfs_install();
    if (!(sc->is & OPENS))
        s = world_open(w);
    faulty_arm(kind, n, sticky);
    if (sc->is & OPENS)
        o->rc = bough_store_open(&s, w->path, NULL, &t->err);
    if (s)
        sc->run(w, s, o);
    check_typed(o->rc, t->err.msg);
    if (sc->is & CLOSES)
        bough_store_close(&s);
    sticky = faulty_disarm();
    if (s)
        world_check_lock(w, 2000); /* the idle thread holds locks only briefly */
    bough_store_close(&s);
    faulty_vfs_remove();
    return sticky;
}

static void check_settled(struct world *w, const struct scenario *sc, const struct outcome *o)
{
    struct bough_store *s = world_open(w);

    sc->settle(w, s, o);
    bough_store_close(&s);
    if (!(sc->is & FRESH))
        world_check(w, o->more);
}

static void every_call(struct world *w, const struct scenario *sc, enum faulty_kind kind,
                       bool sticky)
{
    int calm = 0;

    /*
     * Idle work varies between runs, so a single run without a fault may be luck. Stop after two.
     */
    for (int n = 1; calm < 2; n++) {
        struct outcome o;
        bool fired;

        fired = suffer(w, sc, kind, n, sticky, &o);
        calm = fired ? 0 : calm + 1;
        if (getenv("FAULTS"))
            fprintf(stderr, "%s %s %d%s: %s\n", sc->name, faulty_name(kind), n,
                    sticky ? " lasting" : "",
                    o.rc    ? w->t->err.msg
                    : fired ? "ok"
                            : "none");
        if (!fired)
            CHECK_INT(BOUGH_OK, o.rc);
        check_settled(w, sc, &o);
    }
}

/* ---- registration: one test per scenario and kind of fault ---- */

struct param {
    const struct scenario *sc;
    enum faulty_kind kind;
};

static void run_param(struct test *t)
{
    const struct param *p = t->param;
    struct world w;

    world_make(&w, t);
    every_call(&w, p->sc, p->kind, false);
    every_call(&w, p->sc, p->kind, true);
}

static void after(struct test *t)
{
    (void)t;
    faulty_disarm();
    faulty_vfs_remove();
}

static void before(struct test *t)
{
    (void)t;
}

__attribute__((constructor)) static void register_all(void)
{
    enum { SCENARIOS = sizeof scenarios / sizeof *scenarios };
    static struct param params[SCENARIOS * FAULTY_KINDS];
    static char names[SCENARIOS * FAULTY_KINDS][64];
    int n = 0;

    for (int i = 0; i < SCENARIOS; i++)
        for (int kind = 0; kind < FAULTY_KINDS; kind++, n++) {
            params[n] = (struct param){ &scenarios[i], (enum faulty_kind)kind };
            snprintf(names[n], sizeof *names, "%s_with_%s", scenarios[i].name, faulty_name(kind));
            test_wrap(names[n], before, run_param, after, &params[n], 300);
        }
}
