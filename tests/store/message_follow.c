/* Open messages (U13): what they block, and followers. */
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/context/context.h"
#include "message_world.h"

#define PENDING                                                                                    \
    "{\"type\":\"tool\",\"callID\":\"c1\",\"tool\":\"bash\",\"state\":{\"status\":\"pending\","    \
    "\"input\":{},"                                                                                \
    "\"raw\":\"\"}}"

/* --- what an open message blocks --- */

STORE_TEST(forking_at_or_behind_an_open_message_is_a_conflict_until_it_is_sealed)
{
    const char *s = new_session(t, "s"), *before = user(t, s, "before"), *behind;
    struct bough_writing w = begin_text(t, s);
    struct bough_session_fork_options how = { 0 };
    struct bough_session *f;

    say(t, &w, "answer");
    behind = user(t, s, "behind");
    CHECK_RC(BOUGH_CONFLICT, bough_session_fork(t->store, t->arena, s, NULL, &f, &t->err));
    how.entry = behind;
    CHECK_RC(BOUGH_CONFLICT, bough_session_fork(t->store, t->arena, s, &how, &f, &t->err));
    how.entry = w.id;
    how.copy = true;
    CHECK_RC(BOUGH_CONFLICT, bough_session_fork(t->store, t->arena, s, &how, &f, &t->err));
    CHECK_STR("before", path_text(t, fork_at(t, s, before)));
    CHECK_RC(BOUGH_CONFLICT, bough_entry_delete(t->store, s, w.id, &t->err));
    seal(t, &w);
    CHECK_STR("before answer behind", path_text(t, fork_at(t, s, behind)));
}

STORE_TEST(an_open_message_of_a_dead_writer_does_not_block_a_fork)
{
    const char *s = new_session(t, "s");
    struct bough_writing w = open_message(t, s, 1000);
    struct bough_session *f;

    CHECK_OK(step(t, &w, 0, BOUGH_STEP_PART, 0, TEXT_PART));
    say(t, &w, "cut");
    test_later(t, 2000);
    CHECK_OK(bough_session_fork(t->store, t->arena, s, NULL, &f, &t->err));
    CHECK_STR("cut", path_text(t, f->id));
}

STORE_TEST(contexts_leave_an_open_message_out_and_say_so)
{
    const char *s = new_session(t, "s");
    struct bough_writing w;

    user(t, s, "hello");
    w = begin_text(t, s);
    say(t, &w, "unfinished");
    flush_steps(t, &w);
    for (size_t i = 0; context_dialect_name(i); i++) {
        struct bough_context_options how = { .dialect = context_dialect_name(i) };
        struct bough_context_result c;

        CHECK_OK(bough_context(t->store, t->arena, s, &how, &c, &t->err));
        CHECK_INT(1, c.count);
        CHECK_INT(1, c.nnotes);
        CHECK_STR(w.id, c.notes[0].entry);
        CHECK(strstr(c.notes[0].why, "still being written"));
    }
}

STORE_TEST(purging_a_session_takes_its_open_messages_along)
{
    const char *s = new_session(t, "s");
    struct bough_writing w = begin_text(t, s);
    struct bough_open_messages open;

    say(t, &w, "gone");
    flush_steps(t, &w);
    say(t, &w, " for ever");
    CHECK_OK(bough_session_purge(t->store, t->arena, s, NULL, &t->err));
    CHECK_OK(bough_message_list(t->store, t->arena, NULL, &open, &t->err));
    CHECK_INT(0, open.n);
    CHECK_OK(step(t, &w, 0, BOUGH_STEP_TEXT, 0, "?")); /* only in memory so far */
    CHECK_RC(BOUGH_NOT_FOUND, bough_message_flush(t->store, &w, NULL, &t->err));
}

static size_t hits(struct test *t, const char *query)
{
    struct bough_search_options how = { .query = query };
    struct bough_hits found;

    CHECK_OK(bough_search(t->store, t->arena, &how, &found, &t->err));
    CHECK(found.complete);
    return found.n;
}

STORE_TEST(a_message_is_found_by_its_words_once_it_is_sealed)
{
    const char *s = new_session(t, "s");
    struct bough_writing w = begin_text(t, s);

    say(t, &w, "a quokka");
    flush_steps(t, &w);
    CHECK_INT(0, hits(t, "quokka"));
    user(t, s, "unrelated");
    CHECK_INT(0, hits(t, "quokka")); /* the index is already past its number */
    seal(t, &w);
    CHECK_INT(1, hits(t, "quokka"));
}

/* --- following --- */

STORE_TEST(a_late_follower_gets_the_text_so_far_and_then_what_comes_by_offset)
{
    const char *s = new_session(t, "s");
    struct bough_writing w = begin_text(t, s);
    struct bough_message_follow_result f;
    int64_t middle;

    say(t, &w, "Hello ");
    middle = follow(t, w.id, -1).offset;
    say(t, &w, "wor");
    f = follow(t, w.id, -1);
    CHECK(!f.sealed);
    CHECK_INT(1, f.nparts);
    CHECK_STR("{\"type\":\"text\",\"text\":\"Hello wor\"}", f.parts[0].json.p);
    say(t, &w, "ld");
    CHECK_OK(step(t, &w, 0, BOUGH_STEP_PART, 0, PENDING));
    say(t, &w, "!");
    f = follow(t, w.id, f.offset);
    CHECK_INT(3, f.ndeltas);
    CHECK_STR("ld", f.deltas[0].bytes.p);
    CHECK_INT(9, f.deltas[0].at);
    CHECK_INT(BOUGH_STEP_PART, f.deltas[1].kind);
    CHECK_INT(1, f.deltas[1].part);
    CHECK_STR(PENDING, f.deltas[1].bytes.p);
    CHECK_STR("!", f.deltas[2].bytes.p);
    CHECK_INT(11, f.deltas[2].at);
    CHECK_INT(0, follow(t, w.id, f.offset).ndeltas);
    f = follow(t, w.id, middle); /* an offset inside steps that are merged now */
    CHECK_STR("world", f.deltas[0].bytes.p);
    CHECK_INT(6, f.deltas[0].at);
    CHECK_RC(BOUGH_INVALID,
             bough_message_follow(t->store, t->arena, w.id, f.offset + 1, 0, &f, &t->err));
    seal(t, &w);
    f = follow(t, w.id, middle);
    CHECK(f.sealed);
    CHECK_STR("Hello world!", text_of(t, f.entry));
}

struct follower {
    struct bough_store *s;
    const char *id;
    char text[4096];
    size_t n;
    enum bough_rc rc;
};

static void *read_along(void *arg)
{
    struct follower *f = arg;
    struct bough_arena *a = bough_arena_create();
    struct bough_message_follow_result got;
    int64_t offset = 0;

    do {
        bough_arena_reset(a);
        f->rc = bough_message_follow(f->s, a, f->id, offset, 5000, &got, NULL);
        for (size_t i = 0; !f->rc && i < got.ndeltas; i++)
            if (got.deltas[i].kind == BOUGH_STEP_TEXT) {
                memcpy(f->text + f->n, got.deltas[i].bytes.p, got.deltas[i].bytes.n);
                f->n += got.deltas[i].bytes.n;
            }
        offset = got.offset;
    } while (!f->rc && !got.sealed);
    bough_arena_destroy(a);
    return NULL;
}

STORE_TEST(followers_in_other_threads_get_every_byte_once_and_hear_of_the_end)
{
    const char *s = new_session(t, "s");
    struct bough_writing w = begin_text(t, s);
    struct follower *f = arena_array(t->arena, 3, sizeof *f);
    pthread_t threads[3];
    char word[16];

    for (int i = 0; i < 3; i++) {
        f[i].s = t->store;
        f[i].id = w.id;
        CHECK(pthread_create(&threads[i], NULL, read_along, &f[i]) == 0);
    }
    for (int i = 0; i < 300; i++) {
        snprintf(word, sizeof word, "%d ", i);
        say(t, &w, word);
        if (i == 299) /* let followers read the last words before the seal */
            nanosleep(&(struct timespec){ 0, 100000000 }, NULL);
    }
    nanosleep(&(struct timespec){ 0, 100000000 }, NULL);
    seal(t, &w);
    for (int i = 0; i < 3; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
        CHECK_INT(BOUGH_OK, f[i].rc);
        CHECK_STR(text_of(t, entry_at(t, w.id)), f[i].text);
    }
}

static void *follow_once(void *arg)
{
    struct follower *f = arg;
    struct bough_arena *a = bough_arena_create();
    struct bough_message_follow_result got;

    f->rc = bough_message_follow(f->s, a, f->id, (int64_t)f->n, 15000, &got, NULL);
    f->n = !f->rc && got.sealed;
    bough_arena_destroy(a);
    return NULL;
}

STORE_TEST(a_follower_that_waits_hears_of_the_seal_at_once)
{
    const char *s = new_session(t, "s");
    struct bough_writing w = begin_text(t, s);
    struct follower f = { .s = t->store, .id = w.id };
    pthread_t thread;
    int64_t began;

    f.n = (size_t)follow(t, w.id, -1).offset;
    CHECK(pthread_create(&thread, NULL, follow_once, &f) == 0);
    nanosleep(&(struct timespec){ 0, 100000000 }, NULL);
    began = mono_us();
    seal(t, &w);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(mono_us() - began < 10 * 1000 * 1000);
    CHECK_INT(BOUGH_OK, f.rc);
    CHECK_INT(1, f.n);
}

/* Writes in a child process; the parent and another child follow. */
static void write_along(struct test *t, const char *s, int to)
{
    struct bough_writing w = begin_text(t, s);
    char word[16];

    if (write(to, &w, sizeof w) != (ssize_t)sizeof w)
        _exit(3);
    for (int i = 0; i < 200; i++) {
        snprintf(word, sizeof word, "%d ", i);
        say(t, &w, word);
        nanosleep(&(struct timespec){ 0, 3000000 }, NULL);
    }
    flush_steps(t, &w);
    nanosleep(&(struct timespec){ 0, 200000000 }, NULL);
    seal(t, &w);
}

STORE_TEST_SECONDS(two_processes_follow_what_a_third_writes, 60)
{
    const char *s = new_session(t, "s");
    struct bough_writing w;
    struct follower f = { 0 };
    pid_t pids[2];
    int fds[2], back[2], status;

    if (!store_lasts(t))
        return;
    bough_store_close(&t->store);
    CHECK(pipe(fds) == 0 && pipe(back) == 0);
    fflush(stdout);
    for (int i = 0; i < 2; i++) {
        pids[i] = fork();
        if (pids[i])
            continue;
        if (bough_store_open(&t->store, t->url, NULL, &t->err))
            _exit(2);
        if (i == 0) {
            write_along(t, s, fds[1]);
        } else {
            if (read(back[0], &w, sizeof w) != (ssize_t)sizeof w)
                _exit(5);
            f = (struct follower){ .s = t->store, .id = w.id };
            read_along(&f);
            if (f.rc || strcmp(f.text, text_of(t, entry_at(t, w.id))) != 0)
                _exit(4);
        }
        bough_store_close(&t->store);
        _exit(0);
    }
    CHECK(read(fds[0], &w, sizeof w) == (ssize_t)sizeof w);
    CHECK(write(back[1], &w, sizeof w) == (ssize_t)sizeof w);
    CHECK_OK(bough_store_open(&t->store, t->url, NULL, &t->err));
    f = (struct follower){ .s = t->store, .id = w.id };
    read_along(&f);
    CHECK_INT(BOUGH_OK, f.rc);
    for (int i = 0; i < 2; i++)
        CHECK(waitpid(pids[i], &status, 0) == pids[i] && WIFEXITED(status) &&
              WEXITSTATUS(status) == 0);
    CHECK_STR(text_of(t, entry_at(t, w.id)), f.text);
    close(fds[0]);
    close(fds[1]);
    close(back[0]);
    close(back[1]);
}
