/* The full-text index: pending and complete, several processes, purged bytes. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "lib/store_test.h"
#include "store/project/fulltext.h"

static struct bough_hits ask(struct test *t, struct bough_store *s, const char *query,
                             int64_t wait_ms)
{
    struct bough_search_options in = { .query = query, .wait_ms = wait_ms, .limit = 1000 };
    struct bough_hits out;

    CHECK_OK(bough_search(s, t->arena, &in, &out, &t->err));
    return out;
}

static struct bough_store *open_with(struct test *t, const struct bough_store_open_options *o)
{
    struct bough_store *s;

    CHECK_OK(bough_store_open(&s, t->url, o, &t->err));
    return s;
}

/* ---- pending and complete ---- */

STORE_TEST(a_search_that_does_not_wait_says_what_is_pending)
{
    struct bough_store_open_options off = { .indexing = BOUGH_INDEX_ON_SEARCH };
    struct bough_store *s = store_lasts(t) ? NULL : t->store;
    struct bough_session *session;
    struct bough_entry_new e = { .role = BOUGH_ROLE_USER, .text = "late word" };
    struct bough_append_options in = { .entries = &e, .n = 1 };
    struct bough_append_result done;
    struct bough_hits h;

    if (!s) {
        bough_store_close(&t->store);
        s = t->store = open_with(t, &off);
    } else {
        store_indexing(s, false);
    }
    CHECK_OK(bough_session_create(s, t->arena, &(struct bough_session_create_options){ 0 },
                                  &session, &t->err));
    for (int i = 0; i < 5; i++)
        CHECK_OK(bough_append(s, t->arena, session->id, &in, &done, &t->err));
    h = ask(t, s, "late", -1);
    CHECK(!h.complete);
    CHECK_INT(6, h.pending);
    CHECK_INT(0, h.n);
    h = ask(t, s, "late", 0);
    CHECK(h.complete);
    CHECK_INT(0, h.pending);
    CHECK_INT(5, h.n);
    CHECK_OK(bough_append(s, t->arena, session->id, &in, &done, &t->err));
    h = ask(t, s, "late", -1);
    CHECK_INT(1, h.pending);
    CHECK_INT(5, h.n);
}

STORE_TEST(catching_up_stops_when_its_time_is_over_and_goes_on_later)
{
    struct deadline none = { 0, NULL }, some = { INT64_MAX, NULL };
    struct engine *e = t->store->e;
    const char *s = new_session(t, "");
    struct bough_entry_new many[700];
    struct bough_append_options in = { .entries = many, .n = 700 };
    struct bough_append_result out;
    struct fulltext_slice slice;
    int64_t reached;

    store_indexing(t->store, false);
    for (int i = 0; i < 700; i++)
        many[i] = (struct bough_entry_new){ .role = BOUGH_ROLE_USER, .text = "one of many" };
    CHECK_OK(bough_append(t->store, t->arena, s, &in, &out, &t->err));
    CHECK_OK(fulltext_catch_up(e, &none, out.no, &reached, &t->err));
    CHECK_INT(0, reached);
    CHECK_INT(0, ask(t, t->store, "many", -1).n);
    /* The slice ends in the middle of an append. */
    CHECK_OK(fulltext_slice_prepare(e, &some, 100, &slice, &t->err));
    CHECK(slice.left);
    CHECK_INT(100, slice.documents);
    CHECK(slice.to < out.no && slice.to > out.no - 700);
    fulltext_slice_finish(&slice);
    CHECK_OK(fulltext_catch_up(e, &some, 300, &reached, &t->err));
    CHECK(reached >= 300 && reached < out.no);
    CHECK_INT(out.no - reached, ask(t, t->store, "many", -1).pending);
    store_check(t, t->store);
    CHECK_INT(700, ask(t, t->store, "many", 0).n);
}

static int64_t text_pending(struct test *t)
{
    struct bough_store_info_result info;

    CHECK_OK(bough_store_info(t->store, t->arena, &info, &t->err));
    return info.text_pending;
}

STORE_TEST(the_backlog_of_the_full_text_counts_entries_and_shrinks_with_every_slice)
{
    struct deadline some = { INT64_MAX, NULL };
    const char *s = new_session(t, "");
    struct bough_entry_new *many = bough_arena_alloc(t->arena, 3000 * sizeof *many);
    struct bough_append_options in = { .entries = many, .n = 3000 };
    struct bough_append_result out;
    int64_t reached, before;

    for (int i = 0; i < 3000; i++)
        many[i] = (struct bough_entry_new){ .role = BOUGH_ROLE_USER, .text = "one of many" };
    CHECK_OK(bough_store_upkeep(t->store, &t->err));
    CHECK_INT(0, text_pending(t));
    store_indexing(t->store, false);
    CHECK_OK(bough_append(t->store, t->arena, s, &in, &out, &t->err));
    before = text_pending(t);
    CHECK_INT(3000, before);
    CHECK_OK(fulltext_catch_up(t->store->e, &some, out.no - 2900, &reached, &t->err));
    CHECK(reached >= out.no - 2900 && reached < out.no);
    CHECK_INT(before - (reached - (out.no - 3000)), text_pending(t));
    CHECK_OK(fulltext_catch_up(t->store->e, &some, INT64_MAX, &reached, &t->err));
    CHECK_INT(out.no, reached);
    CHECK_INT(0, text_pending(t));
}

STORE_TEST(rows_without_text_do_not_make_a_search_incomplete)
{
    const char *s = new_session(t, "");
    struct bough_hits h;

    user(t, s, "word");
    CHECK_INT(1, ask(t, t->store, "word", 0).n);
    for (int i = 0; i < 5; i++) {
        CHECK_OK(bough_session_delete(t->store, s, &t->err));
        CHECK_OK(bough_session_restore(t->store, s, &t->err));
    }
    h = ask(t, t->store, "word", 0);
    CHECK(h.complete && h.n == 1);
}

STORE_TEST(entries_of_an_earlier_process_are_indexed_by_the_next)
{
    const char *s;
    struct bough_hits h = { 0 };

    if (!store_lasts(t))
        SKIP("nothing is left of this backend");
    store_indexing(t->store, false);
    s = new_session(t, "left over");
    user(t, s, "left behind");
    store_reopen(t);
    for (struct wait w = { 0 }; !h.complete && wait_more(&w);) {
        h = ask(t, t->store, "left", -1);
    }
    CHECK(h.complete);
    CHECK_INT(2, h.n);
}

STORE_TEST(a_store_opened_for_reading_is_searched_as_far_as_it_is_indexed)
{
    struct bough_store_open_options ro = { .read_only = true };
    struct bough_store *reader;
    const char *s;
    struct bough_hits h;

    if (!store_lasts(t))
        SKIP("this backend has one handle");
    store_indexing(t->store, false);
    s = new_session(t, "");
    user(t, s, "first word");
    CHECK_INT(1, ask(t, t->store, "word", 0).n);
    user(t, s, "second word");
    reader = open_with(t, &ro);
    h = ask(t, reader, "word", 0);
    CHECK(!h.complete && h.pending == 1 && h.n == 1);
    CHECK_RC(BOUGH_READ_ONLY, bough_search_rebuild(reader, &t->err));
    bough_store_close(&reader);
}

STORE_TEST(the_index_can_be_forgotten_and_built_again)
{
    const char *s = new_session(t, "a title"), *fork;
    struct bough_hits before, after;

    user(t, s, "a word");
    fork = fork_at(t, s, NULL);
    agent(t, fork, "a word of a fork");
    CHECK_OK(bough_session_rename(t->store, fork, "a fork", &t->err));
    before = ask(t, t->store, "a", 0);
    CHECK_OK(bough_search_rebuild(t->store, &t->err));
    after = ask(t, t->store, "a", 0);
    CHECK(after.complete);
    CHECK_INT(4, before.n);
    CHECK_INT(before.n, after.n);
    for (size_t i = 0; i < after.n; i++) {
        CHECK_INT(before.at[i].no, after.at[i].no);
        CHECK_STR(before.at[i].entry, after.at[i].entry);
    }
}

STORE_TEST(a_copy_is_found_beside_its_original)
{
    const char *s = new_session(t, "copied title");
    struct bough_session_fork_options how = { .copy = true };
    struct bough_session *copy;

    user(t, s, "copied text");
    how.title = "copied name";
    CHECK_OK(bough_session_fork(t->store, t->arena, s, &how, &copy, &t->err));
    CHECK_INT(4, ask(t, t->store, "copied", 0).n);
    CHECK_STR(copy->id, ask(t, t->store, "name", 0).at[0].session);
}

STORE_TEST(a_name_that_came_as_an_entry_is_the_title_that_is_found)
{
    const char *s = new_session(t, "given name");
    struct bough_entry_new e = { .kind = BOUGH_ENTRY_SESSION_INFO,
                                 .data = str_of("{\"name\":\"proper name\"}") };
    struct bough_append_options in = { .entries = &e, .n = 1 };
    struct bough_append_result out;
    struct bough_hits h;

    CHECK_OK(bough_append(t->store, t->arena, s, &in, &out, &t->err));
    h = ask(t, t->store, "name", 0);
    CHECK_INT(1, h.n);
    CHECK_SPAN("proper name", h.at[0].snippet);
    CHECK_STR("title", h.at[0].field);
    CHECK_INT(0, ask(t, t->store, "given", 0).n);
}

/* ---- several processes and threads ---- */

STORE_TEST(entries_of_another_process_are_found)
{
    struct bough_hits h;
    const char *s;
    pid_t pid;
    int status;

    if (!store_lasts(t))
        SKIP("this backend has one process");
    s = new_session(t, "");
    bough_store_close(&t->store); /* TSan: a child of a threaded process must not start threads */
    pid = fork();
    if (pid == 0) {
        struct bough_store *other;
        struct bough_entry_new e = { .role = BOUGH_ROLE_USER, .text = "from elsewhere" };
        struct bough_append_options in = { .entries = &e, .n = 1 };
        struct bough_arena *a = bough_arena_create();
        struct bough_append_result out;
        struct bough_hits found;

        struct bough_env env = { .now = t->env.env.now,
                                 .random = t->env.env.random,
                                 .user = t->env.env.user };

        if (bough_store_open(&other, t->url, &(struct bough_store_open_options){ .env = &env },
                             NULL))
            _exit(1);
        for (int i = 0; i < 50; i++)
            if (bough_append(other, a, s, &in, &out, NULL) ||
                bough_search(other, a,
                             &(struct bough_search_options){ .query = "elsewhere", .limit = 100 },
                             &found, NULL) ||
                (found.complete && found.n != (size_t)i + 1))
                _exit(2);
        bough_store_close(&other);
        _exit(0);
    }
    store_reopen(t);
    for (int i = 0; i < 50; i++) {
        user(t, s, "from here");
        h = ask(t, t->store, "here", 0);
        CHECK(!h.complete || h.n == (size_t)i + 1);
    }
    CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
    CHECK_INT(0, WEXITSTATUS(status));
    h = ask(t, t->store, "from", 2000);
    CHECK(h.complete);
    CHECK_INT(100, h.n);
}

struct worker {
    struct bough_store *s;
    const char *session;
    int bad;
};

static void *work(void *arg)
{
    struct worker *w = arg;
    struct bough_arena *a = bough_arena_create();
    struct bough_entry_new e = { .role = BOUGH_ROLE_USER, .text = "busy bee" };
    struct bough_append_options in = { .entries = &e, .n = 1 };
    struct bough_append_result out;
    struct bough_hits h;

    for (int i = 0; i < 40; i++) {
        w->bad += bough_append(w->s, a, w->session, &in, &out, NULL) != BOUGH_OK;
        w->bad +=
            bough_search(w->s, a, &(struct bough_search_options){ .query = "bee", .limit = 1000 },
                         &h, NULL) != BOUGH_OK;
        w->bad += h.complete && h.n < (size_t)i + 1;
    }
    bough_arena_destroy(a);
    return NULL;
}

STORE_TEST_SECONDS(threads_that_append_and_search_find_their_own, 60)
{
    struct worker w[4];
    pthread_t threads[4];

    for (int i = 0; i < 4; i++) {
        w[i] = (struct worker){ t->store, new_session(t, ""), 0 };
        CHECK_INT(0, pthread_create(&threads[i], NULL, work, &w[i]));
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        CHECK_INT(0, w[i].bad);
    }
    CHECK_INT(160, ask(t, t->store, "bee", 2000).n);
}

/* ---- purged bytes ---- */

STORE_TEST(words_made_before_a_purge_and_written_after_it_are_not_kept)
{
    struct deadline p = { INT64_MAX, NULL };
    struct engine *e = t->store->e;
    struct txn *txn;
    struct fulltext_slice slice;
    const char *s;

    store_indexing(t->store, false);
    s = new_session(t, "slow title");
    user(t, s, "slow words");
    CHECK_OK(fulltext_slice_prepare(e, &p, 100, &slice, &t->err));
    CHECK(slice.documents >= 2);
    CHECK_OK(bough_session_purge(t->store, t->arena, s, NULL, &t->err));
    txn = &slice.txn;
    CHECK_OK(e->ops->commit(e->backend, &txn, 1, &p, &t->err));
    CHECK_INT(TXN_DONE, slice.txn.state);
    fulltext_slice_finish(&slice);
    CHECK_INT(0, ask(t, t->store, "slow", 0).n);
    store_check(t, t->store); /* no document is left */
}

static bool file_has(const char *path, const char *word)
{
    int fd = open(path, O_RDONLY);
    struct stat st;
    bool found;
    void *p;

    if (fd < 0)
        return false;
    if (fstat(fd, &st) || !st.st_size) {
        close(fd);
        return false;
    }
    p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    found = p != MAP_FAILED && memmem(p, (size_t)st.st_size, word, strlen(word));
    munmap(p, (size_t)st.st_size);
    close(fd);
    return found;
}

static bool any_file_has(struct test *t, const char *word)
{
    const char *path = test_path(t, "store.db");

    return file_has(path, word) || file_has(arena_printf(t->arena, "%s-wal", path), word);
}

STORE_TEST(purged_words_are_in_no_file)
{
    /* Prefixes are shared by words in the index; the unique endings must be gone as well. */
    static const char *const own[] = { "wqvxk", "jhgqz", "pfwyx", "vkdqj" };
    const char *s, *other;

    if (!store_has_file(t))
        SKIP("this backend has no file");
    other = new_session(t, "stays");
    s = new_session(t, "a zqcanarywqvxk name");
    for (int i = 0; i < 50; i++) {
        user(t, other, arena_printf(t->arena, "zq stays %d zqcanarz", i));
        user(t, s, "zqcanaryjhgqz is said");
        agent(t, s, "and zqcanarypfwyx too");
        if (i % 10 == 0)
            CHECK(ask(t, t->store, "zq*", 0).complete);
    }
    CHECK_OK(bough_session_rename(t->store, s, "a zqcanaryvkdqj name", &t->err));
    CHECK_INT(101, ask(t, t->store, "zqcanary*", 0).n);
    CHECK(any_file_has(t, "wqvxk") && any_file_has(t, "jhgqz"));
    CHECK_OK(bough_session_purge(t->store, t->arena, s, NULL, &t->err));
    CHECK_INT(0, ask(t, t->store, "zqcanary*", 0).n);
    CHECK_INT(50, ask(t, t->store, "zqcanarz", 0).n);
    CHECK_OK(bough_store_upkeep(t->store, &t->err));
    /* An open snapshot, perhaps of the store's own thread, may keep the WAL for a while. */
    for (struct wait w = { 0 }; any_file_has(t, "jhgqz") && wait_more(&w);) {
        CHECK_OK(bough_store_upkeep(t->store, &t->err));
    }
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (any_file_has(t, own[i]))
            FAIL("%s is still there", own[i]);
    CHECK(any_file_has(t, "stays"));
}
