/* One open message and several processes: steps change hands, nothing acknowledged is lost. */
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "message_world.h"
#include "store/fsck_world.h"

/* A child that opened a message, took some steps and waits. */
struct holder {
    pid_t pid;
    int out, in; /* the child says that it is ready; closing `in` ends it */
    struct bough_writing w;
};

/* In the child: open the message of a client and take unsaved steps. */
_Noreturn static void hold(struct test *t, const char *s, int ready, int end)
{
    struct bough_entry_new e = { .role = BOUGH_ROLE_ASSISTANT };
    struct bough_message_open_options in = { .entry = &e, .lease_ms = 120000, .client = true };
    struct bough_message_open_result out;
    char c;

    if (bough_store_open(&t->store, t->url, NULL, &t->err) ||
        bough_message_open(t->store, t->arena, s, &in, &out, &t->err))
        _exit(2);
    if (step(t, &out.writing, 1, BOUGH_STEP_PART, 0, TEXT_PART))
        _exit(3);
    say(t, &out.writing, "one ");
    flush_steps(t, &out.writing);
    say(t, &out.writing, "two");
    if (write(ready, &out.writing, sizeof out.writing) != (ssize_t)sizeof out.writing)
        _exit(4);
    (void)!read(end, &c, 1);
    bough_store_close(&t->store);
    _exit(0);
}

/* Start the child; the store of this process is opened after it is ready. */
static struct holder start(struct test *t, const char *s)
{
    struct holder h = { 0 };
    int ready[2], end[2];

    bough_store_close(&t->store);
    CHECK(pipe(ready) == 0 && pipe(end) == 0);
    fflush(stdout);
    h.pid = fork();
    CHECK(h.pid >= 0);
    if (h.pid == 0) {
        close(end[1]);
        hold(t, s, ready[1], end[0]);
    }
    close(ready[1]);
    close(end[0]);
    h.out = ready[0];
    h.in = end[1];
    CHECK(read(h.out, &h.w, sizeof h.w) == (ssize_t)sizeof h.w);
    CHECK_OK(bough_store_open(&t->store, t->url, NULL, &t->err));
    return h;
}

static void finish(struct holder *h)
{
    int status;

    close(h->in);
    CHECK(waitpid(h->pid, &status, 0) == h->pid);
    close(h->out);
}

STORE_TEST_SECONDS(a_seal_by_another_process_keeps_unsaved_steps_of_the_first, 60)
{
    const char *s = new_session(t, "s");

    if (!store_lasts(t))
        SKIP("this backend has one process");
    for (int i = 0; i < 3; i++) {
        struct holder h = start(t, s);

        CHECK_STR("one two", text_of(t, seal(t, &h.w)));
        finish(&h);
    }
}

STORE_TEST_SECONDS(steps_sent_to_two_processes_in_turn_all_arrive, 60)
{
    const char *s = new_session(t, "s");
    struct bough_message_step_result out;
    struct holder h;

    if (!store_lasts(t))
        SKIP("this backend has one process");
    h = start(t, s);
    CHECK_OK(step(t, &h.w, 0, BOUGH_STEP_TEXT, 0, " three"));
    out = flush_steps(t, &h.w);
    CHECK_INT(4, out.last);
    CHECK_INT(4, out.saved);
    CHECK_INT(4, out.durable);
    CHECK_STR("one two three", text_of(t, seal(t, &h.w)));
    finish(&h);
}

STORE_TEST_SECONDS(a_clients_message_goes_on_after_its_server_was_killed, 60)
{
    const char *s = new_session(t, "s");
    struct bough_message_seal_options all = { .last = 3 };
    struct bough_entry *e;
    struct holder h;

    if (!store_lasts(t))
        SKIP("this backend has one process");
    h = start(t, s);
    bough_store_close(&t->store);
    kill(h.pid, SIGKILL);
    finish(&h);
    CHECK_OK(bough_store_open(&t->store, t->url, NULL, &t->err));
    CHECK(entry_at(t, h.w.id)->open);
    if (bough_message_seal(t->store, t->arena, &h.w, &all, &e, &t->err) == BOUGH_CONFLICT) {
        CHECK(strstr(t->err.msg, "the last step is 2")); /* the third was not saved */
        CHECK_RC(BOUGH_CONFLICT, step(t, &h.w, 4, BOUGH_STEP_TEXT, 0, "a gap"));
        CHECK_OK(step(t, &h.w, 3, BOUGH_STEP_TEXT, 0, "two"));
        CHECK_OK(bough_message_seal(t->store, t->arena, &h.w, &all, &e, &t->err));
    }
    CHECK_STR("one two", text_of(t, e));
}

/* A server on another machine cannot be asked whether it lives. */
STORE_TEST_SECONDS(a_holder_that_does_not_answer_loses_only_to_numbered_steps, 60)
{
    const char *s = new_session(t, "s");
    struct bough_writing w = begin_text(t, s);
    struct bough_entry *e;
    struct raw_row *row;

    if (!store_lasts(t))
        SKIP("this backend has one process");
    say(t, &w, "one ");
    flush_steps(t, &w);
    e = entry_at(t, w.id);
    store_reopen(t);
    row = row_of(t, RAW_OPEN, e->at.branch, e->at.depth, 0);
    row->u.open.process = "another machine/1/1";
    row->u.open.ver++;
    put(t, row);
    CHECK_RC(BOUGH_BUSY, step(t, &w, 0, BOUGH_STEP_TEXT, 0, "never"));
    CHECK_RC(BOUGH_CONFLICT, step(t, &w, 4, BOUGH_STEP_TEXT, 0, "a gap"));
    CHECK_OK(step(t, &w, 3, BOUGH_STEP_TEXT, 0, "two"));
    CHECK_STR("one two", text_of(t, seal(t, &w)));
}
