/* Many threads on one store: nothing is lost or doubled, and no partial batch is ever visible.
 * These stores use the system clock, because the test clock is not thread-safe. */
#include <libpq-fe.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

#include "base/env.h"
#include "base/memory/arena.h"
#include "lib/store_test.h"

/* Reopen the store with the system's clock and randomness. */
static void use_machine(struct test *t)
{
    bough_store_close(&t->store);
    CHECK_OK(bough_store_open(&t->store, t->url, NULL, &t->err));
}

struct work {
    struct bough_store *store;
    const char *session;
    int number, times;
    _Atomic int *stop;
    enum bough_rc rc; /* the first error */
    struct bough_error err;
    int64_t seen; /* a result of the work */
};

/* Threads only report results; checks run in the test's own thread. */
static void run_all(struct test *t, struct work *w, size_t n, void *(*fn)(void *))
{
    pthread_t *threads = arena_array(t->arena, n, sizeof *threads);

    for (size_t i = 0; i < n; i++)
        CHECK(pthread_create(&threads[i], NULL, fn, &w[i]) == 0);
    for (size_t i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    for (size_t i = 0; i < n; i++)
        if (w[i].rc)
            FAIL("thread %zu: %s (%s)", i, bough_rc_name(w[i].rc), w[i].err.msg);
}

static enum bough_rc say(struct work *w, struct bough_arena *a, const char *text)
{
    struct bough_entry_new e = { .role = BOUGH_ROLE_USER, .text = text };
    struct bough_append_options in = { .entries = &e, .n = 1 };
    struct bough_append_result out;

    return bough_append(w->store, a, w->session, &in, &out, &w->err);
}

static void *add_some(void *arg)
{
    struct work *w = arg;
    struct bough_arena *a = bough_arena_create();

    for (int i = 0; i < w->times && !w->rc; i++)
        w->rc = say(w, a, arena_printf(a, "%d.%d", w->number, i));
    bough_arena_destroy(a);
    return NULL;
}

/* Depths and message numbers have no gap, and each "writer.number" is there once and in order. */
static void check_path(struct test *t, const char *session, int writers, int times)
{
    int *next = arena_array(t->arena, (size_t)writers, sizeof *next);
    struct bough_entries_read_result path;

    CHECK_OK(bough_entries_read(t->store, t->arena, session, NULL, &path, &t->err));
    CHECK_INT(writers * times, path.entries.n);
    for (size_t i = 0; i < path.entries.n; i++) {
        int writer, number;

        CHECK_INT(i + 1, path.entries.at[i].at.depth);
        CHECK_INT(i + 1, path.entries.at[i].mno);
        CHECK_INT(2, sscanf(text_of(t, &path.entries.at[i]), "%d.%d", &writer, &number));
        CHECK_INT(next[writer], number);
        next[writer]++;
    }
    CHECK_INT(writers * times, get(t, session)->messages);
}

STORE_TEST(a_hundred_threads_add_to_one_session)
{
    const char *s;
    struct work w[100];

    use_machine(t);
    s = new_session(t, "shared");
    for (int i = 0; i < 100; i++)
        w[i] = (struct work){ .store = t->store, .session = s, .number = i, .times = 1 };
    run_all(t, w, 100, add_some);
    check_path(t, s, 100, 1);
}

STORE_TEST(eight_threads_add_many_to_one_session_each_in_its_own_order)
{
    const char *s;
    struct work w[8];

    use_machine(t);
    s = new_session(t, "shared");
    for (int i = 0; i < 8; i++)
        w[i] = (struct work){ .store = t->store, .session = s, .number = i, .times = 50 };
    run_all(t, w, 8, add_some);
    check_path(t, s, 8, 50);
}

STORE_TEST(sixteen_threads_add_to_sessions_of_their_own)
{
    struct work w[16];
    struct bough_sessions list;

    use_machine(t);
    for (int i = 0; i < 16; i++)
        w[i] = (struct work){ .store = t->store, .session = new_session(t, ""), .times = 40 };
    run_all(t, w, 16, add_some);
    for (int i = 0; i < 16; i++)
        check_path(t, w[i].session, 1, 40);
    CHECK_OK(bough_session_list(t->store, t->arena, NULL, &list, &t->err));
    CHECK_INT(16, list.n);
    for (size_t i = 0; i < list.n; i++)
        CHECK_INT(40, list.at[i].messages);
}

STORE_TEST(two_handles_on_one_store_write_side_by_side)
{
    const char *s;
    struct bough_store *other;
    struct work w[6];

    use_machine(t);
    s = new_session(t, "");
    other =
        bough_store_scoped(t->store, &(struct bough_store_scoped_options){ .principal = "other" });
    for (int i = 0; i < 6; i++)
        w[i] = (struct work){
            .store = i % 2 ? other : t->store, .session = s, .number = i, .times = 30
        };
    run_all(t, w, 6, add_some);
    bough_store_close(&other);
    check_path(t, s, 6, 30);
}

STORE_TEST(two_stores_opened_on_one_file_write_side_by_side)
{
    const char *s;
    struct bough_store *other = NULL;
    struct work w[6];

    if (!store_lasts(t))
        return; /* each memory store is separate */
    use_machine(t);
    s = new_session(t, "");
    CHECK_OK(bough_store_open(&other, t->url, NULL, &t->err));
    for (int i = 0; i < 6; i++)
        w[i] = (struct work){
            .store = i % 2 ? other : t->store, .session = s, .number = i, .times = 30
        };
    run_all(t, w, 6, add_some);
    bough_store_close(&other);
    check_path(t, s, 6, 30);
}

/* --- readers --- */

enum { BATCH = 3 };

static void *add_batches(void *arg)
{
    struct work *w = arg;
    struct bough_arena *a = bough_arena_create();
    struct bough_entry_new e[BATCH];
    struct bough_append_options in = { .entries = e, .n = BATCH };
    struct bough_append_result out;

    for (int i = 0; i < BATCH; i++)
        e[i] = (struct bough_entry_new){ .role = BOUGH_ROLE_USER, .text = "part of a batch" };
    for (int i = 0; i < w->times && !w->rc; i++)
        w->rc = bough_append(w->store, a, w->session, &in, &out, &w->err);
    atomic_store(w->stop, 1);
    bough_arena_destroy(a);
    return NULL;
}

/* Only whole batches are visible, and never fewer than before. */
static void *look_on(void *arg)
{
    struct work *w = arg;
    struct bough_arena *a = bough_arena_create();
    struct bough_session *s;
    struct bough_entries_read_result path;
    size_t had = 0;

    while (!atomic_load(w->stop) && !w->rc) {
        bough_arena_reset(a);
        w->rc = bough_entries_read(w->store, a, w->session, NULL, &path, &w->err);
        if (!w->rc && (path.entries.n % BATCH || path.entries.n < had))
            w->rc = bough_fail(&w->err, BOUGH_INVALID, "%zu entries seen after %zu", path.entries.n,
                               had);
        had = path.entries.n;
        if (!w->rc)
            w->rc = bough_session_get(w->store, a, w->session, &s, &w->err);
        if (!w->rc && (s->messages % BATCH || s->head.depth != s->messages))
            w->rc =
                bough_fail(&w->err, BOUGH_INVALID, "the session has %lld messages at depth %lld",
                           (long long)s->messages, (long long)s->head.depth);
        w->seen++;
    }
    bough_arena_destroy(a);
    return NULL;
}

static void *half_of_each(void *arg)
{
    return ((struct work *)arg)->number ? look_on(arg) : add_batches(arg);
}

STORE_TEST(readers_see_only_whole_batches)
{
    _Atomic int stop = 0;
    const char *s;
    struct work w[4];

    use_machine(t);
    s = new_session(t, "");
    for (int i = 0; i < 4; i++)
        w[i] = (struct work){
            .store = t->store, .session = s, .number = i, .times = 200, .stop = &stop
        };
    run_all(t, w, 4, half_of_each);
    CHECK_INT(600, get(t, s)->messages);
}

static void *clear_often(void *arg)
{
    struct work *w = arg;
    struct bough_arena *a = bough_arena_create();

    if (w->number)
        return bough_arena_destroy(a), add_some(arg);
    for (int i = 0; i < w->times && !w->rc; i++)
        w->rc = bough_session_clear(w->store, w->session, &w->err);
    bough_arena_destroy(a);
    return NULL;
}

STORE_TEST(adding_while_others_clear_loses_nothing)
{
    const char *s;
    struct bough_entries all;
    struct work w[4];

    use_machine(t);
    s = new_session(t, "");
    for (int i = 0; i < 4; i++)
        w[i] = (struct work){ .store = t->store, .session = s, .number = i, .times = 50 };
    run_all(t, w, 4, clear_often);
    CHECK_OK(bough_tree_entries(t->store, t->arena, s, NULL, &all, &t->err));
    CHECK_INT(150, all.n); /* on several roots, but complete */
    CHECK_INT(150, get(t, s)->messages);
}

/* --- creating the same thing at once --- */

static void *make_in_new_project(void *arg)
{
    struct work *w = arg;
    struct bough_arena *a = bough_arena_create();
    struct bough_session_create_options in = { .project = "/same/project", .title = "same title" };
    struct bough_session *s;

    for (int i = 0; i < w->times && !w->rc; i++)
        w->rc = bough_session_create(w->store, a, &in, &s, &w->err);
    bough_arena_destroy(a);
    return NULL;
}

STORE_TEST(many_threads_name_the_same_new_project_and_title)
{
    struct bough_groups places;
    struct work w[12];

    use_machine(t);
    for (int i = 0; i < 12; i++)
        w[i] = (struct work){ .store = t->store, .times = 3 };
    run_all(t, w, 12, make_in_new_project);
    CHECK_OK(bough_group_list(t->store, t->arena, "project", &places, &t->err));
    CHECK_INT(1, places.n);
    CHECK_INT(36, places.at[0].sessions);
}

static void *same_key(void *arg)
{
    struct work *w = arg;
    struct bough_arena *a = bough_arena_create();
    struct bough_entry_new e = { .role = BOUGH_ROLE_USER, .text = "once" };
    struct bough_append_options in = { .entries = &e, .n = 1, .key = "the key" };
    struct bough_append_result out;

    w->rc = bough_append(w->store, a, w->session, &in, &out, &w->err);
    w->seen = w->rc ? 0 : out.no;
    bough_arena_destroy(a);
    return NULL;
}

STORE_TEST(many_threads_with_one_key_write_once_and_get_one_answer)
{
    struct work w[16];
    const char *s;

    use_machine(t);
    s = new_session(t, "");
    for (int i = 0; i < 16; i++)
        w[i] = (struct work){ .store = t->store, .session = s };
    run_all(t, w, 16, same_key);
    for (int i = 1; i < 16; i++)
        CHECK_INT(w[0].seen, w[i].seen);
    CHECK_INT(1, get(t, s)->messages);
}

static void *expect_nothing(void *arg)
{
    struct work *w = arg;
    struct bough_arena *a = bough_arena_create();
    struct bough_entry_new e = { .role = BOUGH_ROLE_USER, .text = "first" };
    struct bough_head nothing = { 0 };
    struct bough_append_options in = { .entries = &e, .n = 1, .expect_head = &nothing };
    struct bough_append_result out;
    enum bough_rc rc = bough_append(w->store, a, w->session, &in, &out, &w->err);

    w->seen = rc == BOUGH_OK;
    w->rc = rc == BOUGH_CONFLICT ? BOUGH_OK : rc;
    bough_arena_destroy(a);
    return NULL;
}

STORE_TEST(of_many_that_expect_the_same_head_one_wins)
{
    struct work w[16];
    const char *s;
    int64_t won = 0;

    use_machine(t);
    s = new_session(t, "");
    for (int i = 0; i < 16; i++)
        w[i] = (struct work){ .store = t->store, .session = s };
    run_all(t, w, 16, expect_nothing);
    for (int i = 0; i < 16; i++)
        won += w[i].seen;
    CHECK_INT(1, won);
    CHECK_STR("first", path_text(t, s));
}

/* Purge parents while children are read, forked and listed: no stale list, no lost history. */
static void *purge_and_list(void *arg)
{
    struct work *w = arg;
    struct bough_arena *a = bough_arena_create();

    for (int i = 0; i < w->times && !w->rc; i++) {
        struct bough_session *parent, *child;
        struct bough_sessions list;

        w->rc = bough_session_create(w->store, a, NULL, &parent, &w->err);
        if (!w->rc)
            w->rc = bough_session_create(w->store, a,
                                         &(struct bough_session_create_options){
                                             .kind = BOUGH_SUBAGENT, .parent = parent->id },
                                         &child, &w->err);
        if (!w->rc)
            w->rc = bough_session_purge(w->store, a, parent->id, NULL, &w->err);
        if (!w->rc)
            w->rc = bough_session_list(
                w->store, a, &(struct bough_session_list_options){ .roots = true, .limit = 5 },
                &list, &w->err);
    }
    bough_arena_destroy(a);
    return NULL;
}

STORE_TEST(children_of_purged_parents_become_roots_during_folds_too)
{
    struct bough_sessions list;
    struct work w[4];

    use_machine(t);
    for (int i = 0; i < 4; i++)
        w[i] = (struct work){ .store = t->store, .times = 20 };
    run_all(t, w, 4, purge_and_list);
    CHECK_OK(bough_store_upkeep(t->store, &t->err));
    CHECK_OK(bough_session_list(
        t->store, t->arena, &(struct bough_session_list_options){ .roots = true, .limit = 1000 },
        &list, &t->err));
    CHECK_INT(80, list.n);
}

/* --- deadlines and cancelling --- */

STORE_TEST(a_call_that_was_cancelled_before_it_began_writes_nothing)
{
    bool cancel = true;
    const char *s = new_session(t, "");
    struct bough_store *scoped =
        bough_store_scoped(t->store, &(struct bough_store_scoped_options){ .cancel = &cancel });
    struct work w = { .store = scoped, .session = s };

    CHECK_INT(BOUGH_CANCELLED, say(&w, t->arena, "no"));
    CHECK(*w.err.msg);
    CHECK_INT(0, get(t, s)->messages);
    cancel = false;
    CHECK_INT(BOUGH_OK, say(&w, t->arena, "yes"));
    bough_store_close(&scoped);
    CHECK_STR("yes", path_text(t, s));
}

/* A writer outside the store that holds the write lock. */
struct holder {
    sqlite3 *db;
    PGconn *pg;
};

static struct holder hold(struct test *t)
{
    struct holder h = { NULL, NULL };

    if (store_has_file(t)) {
        CHECK(sqlite3_open(strchr(t->url, ':') + 1, &h.db) == SQLITE_OK);
        sqlite3_busy_timeout(h.db, 60000); /* the store's background thread may be writing */
        CHECK(sqlite3_exec(h.db, "BEGIN IMMEDIATE", NULL, NULL, NULL) == SQLITE_OK);
        return h;
    }
    h.pg = postgres_connect(t);
    PQclear(PQexec(h.pg, "BEGIN; UPDATE counter SET commits = commits"));
    CHECK(PQtransactionStatus(h.pg) == PQTRANS_INTRANS);
    return h;
}

static void let_go(struct holder h)
{
    if (h.db)
        sqlite3_exec(h.db, "ROLLBACK", NULL, NULL, NULL);
    sqlite3_close(h.db);
    PQfinish(h.pg);
}

STORE_TEST(a_deadline_is_kept_while_another_holds_the_file)
{
    struct bough_store *scoped;
    struct work w;
    int64_t began;
    struct holder db;

    if (!store_lasts(t))
        return; /* a memory store has no other writer */
    use_machine(t);
    scoped =
        bough_store_scoped(t->store, &(struct bough_store_scoped_options){ .deadline_ms = 300 });
    w = (struct work){ .store = scoped, .session = new_session(t, "") };
    db = hold(t);
    began = mono_us();
    CHECK_INT(BOUGH_TIMEOUT, say(&w, t->arena, "late"));
    CHECK(*w.err.msg);
    CHECK(mono_us() - began >= 250 * 1000 && mono_us() - began < 3000 * 1000);
    CHECK_INT(0, get(t, w.session)->messages); /* readers are not blocked */
    let_go(db);
    CHECK_INT(BOUGH_OK, say(&w, t->arena, "in time"));
    bough_store_close(&scoped);
    CHECK_STR("in time", path_text(t, w.session));
}

static void *say_first(void *arg)
{
    struct work *w = arg;
    struct bough_arena *a = bough_arena_create();

    w->rc = say(w, a, "first");
    bough_arena_destroy(a);
    return NULL;
}

STORE_TEST(a_call_that_waits_behind_another_one_withdraws_when_its_time_is_over)
{
    struct bough_store *scoped;
    struct work w, behind;
    pthread_t thread;
    int64_t began;
    struct holder db;

    if (!store_lasts(t))
        return;
    use_machine(t);
    scoped =
        bough_store_scoped(t->store, &(struct bough_store_scoped_options){ .deadline_ms = 300 });
    w = (struct work){ .store = t->store, .session = new_session(t, "") };
    behind = (struct work){ .store = scoped, .session = w.session };
    db = hold(t);
    CHECK(pthread_create(&thread, NULL, say_first, &w) == 0);
    nanosleep(&(struct timespec){ 0, 200000000 }, NULL); /* it has the writer's role, and waits */
    began = mono_us();
    CHECK_INT(BOUGH_TIMEOUT, say(&behind, t->arena, "never"));
    CHECK(mono_us() - began < 3000 * 1000);
    let_go(db);
    pthread_join(thread, NULL);
    CHECK_INT(BOUGH_OK, w.rc);
    CHECK_INT(BOUGH_OK, say(&behind, t->arena, "second"));
    bough_store_close(&scoped);
    CHECK_STR("first second", path_text(t, w.session));
}

struct canceller {
    bool *flag;
};

static void *cancel_soon(void *arg)
{
    nanosleep(&(struct timespec){ 0, 100000000 }, NULL);
    __atomic_store_n(((struct canceller *)arg)->flag, true, __ATOMIC_RELAXED);
    return NULL;
}

STORE_TEST(a_cancelled_call_gives_up_while_another_holds_the_file)
{
    bool cancel = false;
    struct canceller c = { &cancel };
    struct bough_store *scoped;
    struct work w;
    pthread_t thread;
    int64_t began;
    struct holder db;

    if (!store_lasts(t))
        return;
    use_machine(t);
    scoped =
        bough_store_scoped(t->store, &(struct bough_store_scoped_options){ .cancel = &cancel });
    w = (struct work){ .store = scoped, .session = new_session(t, "") };
    db = hold(t);
    began = mono_us();
    CHECK(pthread_create(&thread, NULL, cancel_soon, &c) == 0);
    CHECK_INT(BOUGH_CANCELLED, say(&w, t->arena, "no"));
    CHECK(mono_us() - began < 3000 * 1000);
    pthread_join(thread, NULL);
    let_go(db);
    bough_store_close(&scoped);
    CHECK_INT(0, get(t, w.session)->messages);
    CHECK_STR("after", (user(t, w.session, "after"), path_text(t, w.session)));
}
