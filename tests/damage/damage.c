/*
 * Mutated store files, each in a process of its own. The oracle: nothing crashes or hangs; a reader
 * never returns other content than was written, nor less of it without saying so, unless fsck finds
 * the damage; after repair everything is there that was readable before; and salvage finds at least
 * as much as was readable.
 *
 * The files are in tests/data/damage, and a mutation depends on its number alone, so every run does
 * the same. DAMAGE=N runs N mutations, DAMAGE_FROM=N begins at number N, DAMAGE_KEEP=DIR keeps the
 * files that break a promise. DAMAGE_FRESH=N mutates new files with content number N instead,
 * DAMAGE_KIND="copied page" makes all mutations of that kind.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/hash/hash.h"
#include "base/memory/arena.h"
#include "base/os/fs.h"
#include "base/text/str.h"
#include "damage/world.h"
#include "lib/patience.h"
#include "lib/unsynced.h"

enum { MUTATIONS = 2000, SECONDS = 120 }; /* a hang; usually a tenth of a second */

/* What one process learned about one mutation. */
struct seen {
    bool readable[ENTRIES_MOST]; /* by its id, before the repair */
    bool paths[SESSIONS_MOST], titles[SESSIONS_MOST];
    bool opened, wrong, bad_pages;
    char what[160]; /* the first thing that was wrong */
};

struct world {
    struct good *g;
    const char *path;
    struct bough_arena *a;
    struct seen seen;
    bool log_damaged;
};

/* A broken promise ends the process; the parent names the mutation. */
static _Noreturn void broken(const char *promise, const char *what)
{
    printf("# %s: %s\n", promise, what);
    fflush(stdout);
    _exit(1);
}

static bool open_it(struct world *w, bool write, struct bough_store **s)
{
    struct bough_store_open_options how = { .read_only = !write,
                                            .must_exist = true,
                                            .indexing = BOUGH_INDEX_ON_SEARCH };
    struct bough_error err = { 0 };
    enum bough_rc rc = bough_store_open(s, w->path, &how, &err);

    if (rc && !err.msg[0])
        broken("an error without a message", "open");
    return !rc;
}

static void note_wrong(struct world *w, const char *what, const char *id)
{
    if (!w->seen.wrong)
        snprintf(w->seen.what, sizeof w->seen.what, "%s %s", what, id);
    w->seen.wrong = true;
}

static void read_entries(struct world *w, struct bough_store *s, bool *readable)
{
    for (size_t i = 0; i < w->g->nentries; i++) {
        struct bough_entry *e;

        bough_arena_reset(w->a);
        readable[i] = bough_entry_get(s, w->a, NULL, w->g->entries[i].id, &e, NULL) == BOUGH_OK;
        if (readable[i] && entry_hash(e) != w->g->entries[i].parts) {
            note_wrong(w, "other parts in entry", w->g->entries[i].id);
            readable[i] = false;
        }
    }
}

/* A stand-in for a damaged entry says so. */
static bool is_stub(const struct bough_entry *e)
{
    return e->error.n && memmem(e->error.p, e->error.n, "bough.quarantined", 17);
}

/* The hash that a path of `n` entries must have. A damaged log may end at an earlier commit, as
 * after a power failure: SQLite cannot tell. */
static uint64_t path_then(const struct world *w, size_t session, size_t n)
{
    if (w->log_damaged && n < w->g->sessions[session].n)
        return w->g->sessions[session].paths[n];
    return w->g->sessions[session].path;
}

/* Titles that can be read and are right. After a repair, a session whose row was lost has a
 * stand-in for a title. */
static void read_titles(struct world *w, struct bough_store *s, bool repaired, bool *titles)
{
    for (size_t i = 0; i < w->g->nsessions; i++) {
        struct bough_session *session;

        bough_arena_reset(w->a);
        titles[i] = bough_session_get(s, w->a, w->g->sessions[i].id, &session, NULL) == BOUGH_OK;
        if (!titles[i] || strcmp(session->title, w->g->sessions[i].title) == 0)
            continue;
        titles[i] = false;
        if (!repaired || w->seen.titles[i] || strcmp(session->title, "Recovered") != 0)
            note_wrong(w, "another title of session", w->g->sessions[i].id);
    }
}

static void read_paths(struct world *w, struct bough_store *s, bool *paths)
{
    for (size_t i = 0; i < w->g->nsessions; i++) {
        struct bough_entries_read_result path;
        uint64_t h = 0;

        bough_arena_reset(w->a);
        paths[i] = bough_entries_read(s, w->a, w->g->sessions[i].id, NULL, &path, NULL) == BOUGH_OK;
        for (size_t k = 0; paths[i] && k < path.entries.n; k++) {
            h = hash_u64(h + entry_hash(&path.entries.at[k]));
            paths[i] &= !is_stub(&path.entries.at[k]);
        }
        if (paths[i] && h != path_then(w, i, path.entries.n)) {
            note_wrong(w, "another path in session", w->g->sessions[i].id);
            paths[i] = false;
        }
    }
}

static void use_rest(struct world *w, struct bough_store *s)
{
    struct bough_search_options query = { .query = "turn" };
    struct bough_context_options how = { .dialect = "pi" };
    struct bough_hits hits;
    struct bough_context_result context;
    struct bough_sessions list;
    struct bough_error err = { 0 };

    if (bough_session_list(s, w->a, NULL, &list, &err) && !err.msg[0])
        broken("an error without a message", "list");
    if (bough_search(s, w->a, &query, &hits, &err) && !err.msg[0])
        broken("an error without a message", "search");
    if (bough_context(s, w->a, w->g->sessions[0].id, &how, &context, &err) && !err.msg[0])
        broken("an error without a message", "context");
}

static int64_t errors_in(struct bough_store *s, bool *bad_pages)
{
    struct bough_store_fsck_result report;
    enum bough_rc rc = bough_store_fsck(s, BOUGH_FSCK_FULL, NULL, NULL, &report, NULL);

    *bad_pages = rc || report.bad_pages;
    return rc ? 1 : report.errors;
}

/* Read everything from the damaged store. Returns whether fsck finds errors. */
static bool look(struct world *w)
{
    struct bough_store *s = NULL;
    bool bad;

    if (!open_it(w, false, &s))
        return true;
    w->seen.opened = true;
    read_entries(w, s, w->seen.readable);
    read_paths(w, s, w->seen.paths);
    read_titles(w, s, false, w->seen.titles);
    use_rest(w, s);
    bad = errors_in(s, &w->seen.bad_pages) > 0;
    if (w->seen.wrong && !bad)
        broken("silently wrong", w->seen.what);
    bough_store_close(&s);
    return bad;
}

/* Repair as `bough fsck --repair` does. */
static void mend(struct world *w)
{
    struct bough_store *s = NULL;
    struct bough_error err = { 0 };
    enum bough_rc rc = BOUGH_CORRUPT;
    struct bough_rescue_result out;

    if (!w->seen.bad_pages && open_it(w, true, &s)) {
        rc = bough_store_repair(s, BOUGH_FSCK_FULL, NULL, NULL, NULL, NULL, &err);
        bough_store_close(&s);
    }
    if (rc == BOUGH_CORRUPT &&
        bough_rescue(w->path, NULL, NULL, NULL, NULL, w->a, &out, &err) != BOUGH_OK) {
        /* Refused: nothing was replaced, so all that was readable must still be. */
        if (err.rc != BOUGH_CORRUPT)
            for (size_t i = 0; i < w->g->nentries; i++)
                if (w->seen.readable[i])
                    broken("not rescued", err.msg);
        return;
    }
    if (rc && rc != BOUGH_CORRUPT)
        broken("not repaired", err.msg);
}

static void look_again(struct world *w)
{
    static bool readable[ENTRIES_MOST], paths[SESSIONS_MOST], titles[SESSIONS_MOST];
    struct bough_store *s = NULL;
    size_t had = 0;

    for (size_t i = 0; i < w->g->nentries; i++)
        had += w->seen.readable[i];
    if (!open_it(w, false, &s)) {
        if (had)
            broken("cannot be opened after the repair", "");
        return;
    }
    w->seen.wrong = false;
    read_entries(w, s, readable);
    read_paths(w, s, paths);
    read_titles(w, s, true, titles);
    for (size_t i = 0; i < w->g->nentries; i++)
        if (w->seen.readable[i] && !readable[i])
            broken("lost by the repair", w->g->entries[i].id);
    for (size_t i = 0; i < w->g->nsessions; i++)
        if (w->seen.paths[i] && !paths[i])
            broken("path lost by the repair", w->g->sessions[i].id);
    for (size_t i = 0; i < w->g->nsessions; i++)
        if (w->seen.titles[i] && !titles[i])
            broken("title lost by the repair", w->g->sessions[i].id);
    if (w->seen.wrong && !errors_in(s, &w->seen.bad_pages))
        broken("silently wrong after the repair", w->seen.what);
    bough_store_close(&s);
}

static bool count_entry(void *user, struct bough_str json)
{
    *(size_t *)user += json.n > 15 && memcmp(json.p, "{\"type\":\"entry\"", 15) == 0;
    return true;
}

static void salvage(struct world *w)
{
    size_t saved = 0, had = 0;
    struct bough_error err = { 0 };

    if (bough_salvage(w->path, count_entry, NULL, &saved, NULL, &err))
        broken("not salvaged", err.msg);
    for (size_t i = 0; i < w->g->nentries; i++)
        had += w->seen.readable[i];
    if (saved < had)
        broken("salvage saves less than is readable", "");
}

static void run_one(struct world *w, uint64_t i)
{
    w->a = bough_arena_create();
    mutate(w->g, w->path, i, &w->log_damaged);
    signal(SIGALRM, SIG_DFL);
    alarm((unsigned)(SECONDS * patience()));
    look(w);
    salvage(w);
    mend(w);
    look_again(w);
    bough_arena_destroy(w->a);
}

/* Remove what the last mutation left behind. */
static void clean(struct test *t)
{
    fs_remove_tree(test_path(t, "m"));
    CHECK_OK(fs_mkdirs(test_path(t, "m"), 0700, &t->err));
}

/* Run one mutation in a process of its own. 0: every promise holds. */
static int run_in_child(struct test *t, struct world *w, uint64_t i)
{
    int status = 0;
    pid_t pid;

    clean(t);
    fflush(stdout);
    pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
        run_one(w, i);
        _exit(0);
    }
    CHECK(waitpid(pid, &status, 0) == pid);
    return status;
}

/* Background work of a store that is opened for repair makes some results depend on time. A
 * mutation that breaks a promise is therefore tried again: only one that breaks it twice fails the
 * test, and the other is printed. */
static int run_all(struct test *t, struct good *g, uint64_t from, uint64_t n)
{
    int bad = 0;

    for (uint64_t i = from; i < from + n; i++) {
        struct world w = { .g = g, .path = test_path(t, "m/store.db") };
        int status = run_in_child(t, &w, i);
        bool twice;

        if (!status)
            continue;
        twice = run_in_child(t, &w, i) != 0;
        bad += twice;
        if (getenv("DAMAGE_KEEP"))
            w.path =
                arena_printf(t->arena, "%s/%llu.db", getenv("DAMAGE_KEEP"), (unsigned long long)i);
        printf("# mutation %llu (%s): %s %d%s\n", (unsigned long long)i,
               mutate(g, w.path, i, &w.log_damaged), WIFSIGNALED(status) ? "signal" : "exit",
               WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status), twice ? "" : ", once");
    }
    return bad;
}

static uint64_t asked(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);

    return text ? strtoull(text, NULL, 10) : otherwise;
}

static void damage(struct test *t, bool live, uint64_t share)
{
    struct good *g = arena_zalloc(t->arena, sizeof *g);
    uint64_t n = asked("DAMAGE", MUTATIONS) * share / 100;
    int bad;

    use_unsynced();
    good_build(t, live, g);
    printf("# %zu sessions, %zu entries, %zu pages, %zu bytes of log\n", g->nsessions, g->nentries,
           g->file.n / PAGE, g->log.n);
    bad = run_all(t, g, asked("DAMAGE_FROM", 1), n ? n : 1);
    if (bad)
        FAIL("%d of %llu mutations break a promise", bad, (unsigned long long)n);
}

TEST_SECONDS(a_damaged_store_says_so_and_repair_keeps_what_is_readable, 600)
{
    damage(t, false, 65);
}

TEST_SECONDS(a_damaged_store_with_a_log_says_so_and_repair_keeps_what_is_readable, 600)
{
    damage(t, true, 35);
}
