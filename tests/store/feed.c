/* The feed: every change after a mark, once and in order, from any writer. */
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "lib/store_test.h"

/* Read until `want` changes of this kind have come. Numbers must have no gap. */
static struct bough_mark follow(struct test *t, struct bough_mark from, const char *kind, int want)
{
    struct bough_feed_next_result f;
    int64_t last = from.no;
    int seen = 0;

    while (seen < want) {
        CHECK_OK(bough_feed_next(t->store, t->arena, from, 7, 5000, &f, &t->err));
        CHECK(!f.reset);
        CHECK(f.changes.n > 0);
        for (size_t i = 0; i < f.changes.n; i++) {
            CHECK_INT(last + f.changes.at[i].count, f.changes.at[i].no);
            last = f.changes.at[i].no;
            seen += strcmp(f.changes.at[i].kind, kind) == 0;
        }
        CHECK_INT(last, f.next.no);
        from = f.next;
    }
    CHECK_INT(want, seen);
    return from;
}

STORE_TEST(a_follower_gets_every_change_once_and_in_order)
{
    const char *s = new_session(t, "x");
    struct bough_mark at = { 0 };

    at = follow(t, at, "create", 1);
    for (int i = 0; i < 25; i++)
        user(t, s, "m");
    at = follow(t, at, "append", 25);
    CHECK_OK(bough_session_rename(t->store, s, "y", &t->err));
    at = follow(t, at, "update", 1);
    if (store_lasts(t)) { /* the mark is valid for another handle too */
        store_reopen(t);
        user(t, s, "after");
        follow(t, at, "append", 1);
    }
}

STORE_TEST(nothing_new_is_no_error_and_takes_the_time_asked_for)
{
    struct bough_mark end;
    struct bough_feed_next_result f;
    int64_t start = mono_us();

    new_session(t, "");
    CHECK_OK(bough_feed_end(t->store, &end, &t->err));
    CHECK_OK(bough_feed_next(t->store, t->arena, end, 0, 60, &f, &t->err));
    CHECK_INT(0, f.changes.n);
    CHECK(!f.reset);
    CHECK_INT(end.no, f.next.no);
    CHECK(mono_us() - start >= 60000);
}

STORE_TEST(a_mark_of_another_past_is_told_to_start_again)
{
    struct bough_mark end;
    struct bough_feed_next_result f;

    new_session(t, "");
    CHECK_OK(bough_feed_end(t->store, &end, &t->err));
    end.epoch++;
    CHECK_OK(bough_feed_next(t->store, t->arena, end, 0, 0, &f, &t->err));
    CHECK(f.reset);
    CHECK_INT(end.epoch - 1, f.next.epoch);
    CHECK_INT(0, f.next.no);
    end.epoch--;
    end.no += 5;
    CHECK_OK(bough_feed_next(t->store, t->arena, end, 0, 0, &f, &t->err));
    CHECK(f.reset);
}

STORE_TEST(a_cancelled_follower_stops_waiting)
{
    bool cancel = true;
    struct bough_store *scoped =
        bough_store_scoped(t->store, &(struct bough_store_scoped_options){ .cancel = &cancel });
    struct bough_mark end;
    struct bough_feed_next_result f;

    CHECK_OK(bough_feed_end(t->store, &end, &t->err));
    CHECK_RC(BOUGH_CANCELLED, bough_feed_next(scoped, t->arena, end, 0, 5000, &f, &t->err));
    bough_store_close(&scoped);
}

struct writer {
    struct bough_store *store;
    const char *session;
    int n;
};

static void *write_many(void *arg)
{
    struct writer *w = arg;
    struct bough_arena *a = bough_arena_create();

    for (int i = 0; i < w->n; i++) {
        struct bough_entry_new e = { .role = BOUGH_ROLE_USER, .text = "m" };
        struct bough_append_result out;

        if (bough_append(w->store, a, w->session,
                         &(struct bough_append_options){ .entries = &e, .n = 1 }, &out, NULL))
            break;
        bough_arena_reset(a);
    }
    bough_arena_destroy(a);
    return NULL;
}

STORE_TEST(a_follower_beside_four_writing_threads_misses_nothing)
{
    struct writer w = { t->store, new_session(t, ""), 100 };
    struct bough_mark at;
    pthread_t threads[4];

    CHECK_OK(bough_feed_end(t->store, &at, &t->err));
    for (int i = 0; i < 4; i++)
        CHECK_INT(0, pthread_create(&threads[i], NULL, write_many, &w));
    follow(t, at, "append", 400);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
}

SHARED_TEST(two_processes_follow_what_a_third_one_writes, 30)
{
    const char *url = t->url;
    struct bough_session *s;
    struct writer w = { .n = 200 };
    pid_t child[2];
    int status;

    CHECK_OK(bough_store_open(&t->store, url, NULL, &t->err));
    CHECK_OK(bough_session_create(t->store, t->arena, NULL, &s, &t->err));
    bough_store_close(&t->store); /* no open store may be inherited by the child */
    for (int i = 0; i < 2; i++) {
        child[i] = fork();
        if (child[i] == 0) {
            CHECK_OK(bough_store_open(&t->store, url, NULL, &t->err));
            follow(t, (struct bough_mark){ 0 }, "append", 200);
            bough_store_close(&t->store);
            _exit(0);
        }
    }
    CHECK_OK(bough_store_open(&t->store, url, NULL, &t->err));
    w.store = t->store;
    w.session = s->id;
    write_many(&w);
    for (int i = 0; i < 2; i++) {
        CHECK_INT(child[i], waitpid(child[i], &status, 0));
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    store_check(t, t->store);
    bough_store_close(&t->store);
}

STORE_TEST(a_change_names_the_calls_and_the_record_it_brought)
{
    const char *s = new_session(t, "one");
    struct bough_entry_new e = { .role = BOUGH_ROLE_ASSISTANT, .text = "b", .by_call = true };
    struct bough_call_new call = { .provider = "p", .model = "m" };
    struct bough_append_options in = { .entries = &e, .n = 1, .call = &call };
    struct bough_append_result out;
    struct bough_store_log_options how = { .after = 1 };
    struct bough_changes log;

    CHECK_OK(bough_append(t->store, t->arena, s, &in, &out, &t->err));
    CHECK_OK(bough_label_set(t->store, s, out.ids[0], "x", &t->err));
    CHECK_OK(bough_entry_delete(t->store, s, out.ids[0], &t->err));
    CHECK_OK(bough_store_log(t->store, t->arena, &how, &log, &t->err));
    CHECK_INT(3, log.n);
    CHECK_INT(1, log.at[0].ncalls);
    CHECK_STR(out.call, log.at[0].calls[0]);
    CHECK_STR("label", log.at[1].record);
    CHECK_STR(out.ids[0], log.at[2].entry);
    CHECK_OK(bough_call_delete(t->store, out.call, &t->err));
    how.limit = 1;
    CHECK_OK(bough_store_log(t->store, t->arena, &how, &log, &t->err));
    CHECK_INT(0, log.at[0].ncalls);
}
