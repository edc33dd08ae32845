/* Runs: their states, their one owner, the lease of the session, the queue, cancelling. */
#include <pthread.h>
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "store/run_world.h"

static enum bough_rc claim_rc(struct test *t, const char *run, const char *host)
{
    struct bough_run_claim_options in = { .host = host };
    struct bough_run *out;

    return bough_run_claim(t->store, t->arena, run, &in, &out, &t->err);
}

static enum bough_rc end_rc(struct test *t, const char *run, int64_t epoch,
                            enum bough_run_status status)
{
    struct bough_run_end_options in = { .status = status,
                                        .error_code = status == BOUGH_RUN_FAILED ? "x" : NULL };
    struct bough_run_end_result out;

    return bough_run_end(t->store, t->arena, run, epoch, &in, &out, &t->err);
}

static enum bough_rc append_rc(struct test *t, const char *session, const char *owner,
                               int64_t epoch)
{
    struct bough_entry_new e = { .role = BOUGH_ROLE_ASSISTANT, .text = "hello" };
    struct bough_append_options in = { .entries = &e, .n = 1, .owner = owner, .epoch = epoch };
    struct bough_append_result out;

    return bough_append(t->store, t->arena, session, &in, &out, &t->err);
}

STORE_TEST(C21_a_run_its_prompt_and_the_busy_session_are_stored_together)
{
    const char *s = new_session(t, "x");
    struct bough_run *r;
    struct bough_entry *e;

    user(t, s, "before");
    agent(t, s, "yes");
    r = start(t, s, "do it");
    if (store_lasts(t))
        store_reopen(t);
    r = run_of(t, r->id);
    CHECK_INT(1, r->number);
    CHECK_INT(BOUGH_RUN_QUEUED, r->status);
    CHECK_INT(BOUGH_RUNTIME_AGENT, r->runtime);
    CHECK_STR(r->id, r->task);
    CHECK_STR("", r->after);
    CHECK_STR("m", r->model);
    CHECK_STR("one", r->host);
    CHECK_INT(3, r->first.depth);
    CHECK_INT(3, r->last.depth);
    CHECK_OK(bough_entry_get(t->store, t->arena, s, r->prompt, &e, &t->err));
    CHECK_STR(arena_printf(t->arena, "{\"run\":\"%s\"}", r->id), e->data.p);
    CHECK_INT(r->first.branch, e->at.branch);
    CHECK_STR("before yes do it", path_text(t, s));
    CHECK_INT(BOUGH_STATUS_BUSY, get(t, s)->status);
    CHECK_STR(arena_printf(t->arena, "run:%s", r->id), get(t, s)->lease->owner);
    CHECK_INT(3, get(t, s)->messages);
}

STORE_TEST(C21_a_session_with_a_live_run_refuses_turns_appends_and_moves_of_others)
{
    const char *s = new_session(t, "x"), *first = user(t, s, "before");
    struct bough_run_start_options in = { .text = "another" };
    struct bough_run_start_result out;
    struct bough_run *r = start(t, s, "do it");

    CHECK_RC(BOUGH_BUSY, bough_run_start(t->store, t->arena, s, &in, &out, &t->err));
    CHECK(strstr(t->err.msg, r->id));
    CHECK_RC(BOUGH_BUSY, append_rc(t, s, NULL, 0));
    CHECK_RC(BOUGH_BUSY,
             bough_session_status(t->store, s, BOUGH_STATUS_BUSY, "me", 0, NULL, &t->err));
    CHECK_RC(BOUGH_BUSY,
             bough_session_status(t->store, s, BOUGH_STATUS_IDLE, NULL, 0, NULL, &t->err));
    CHECK_RC(BOUGH_INVALID,
             bough_session_status(t->store, s, BOUGH_STATUS_IDLE, "run:x", 0, NULL, &t->err));
    CHECK_RC(BOUGH_BUSY, bough_session_clear(t->store, s, &t->err));
    CHECK_RC(BOUGH_BUSY, bough_head_move(t->store, s, first, &t->err));
    later(t, INT64_C(7) * 24 * 3600 * 1000); /* a queued run holds it without end */
    CHECK_RC(BOUGH_BUSY, append_rc(t, s, NULL, 0));
    CHECK_STR("before do it", path_text(t, s));
    fork_at(t, s, first);
}

STORE_TEST(a_run_goes_from_queued_to_running_to_completed_and_never_changes_again)
{
    const char *s = new_session(t, "x");
    struct bough_run *r = start(t, s, "do it"), *c;
    struct bough_run_set_options set = BOUGH_RUN_SET_NOTHING;
    struct bough_run_end_result ended;

    CHECK_RC(BOUGH_LEASE_LOST, end_rc(t, r->id, r->lease->epoch, BOUGH_RUN_COMPLETED));
    c = claim(t, r->id);
    CHECK_INT(BOUGH_RUN_RUNNING, c->status);
    CHECK_STR(arena_printf(t->arena, "run:%s@one", r->id), c->lease->owner);
    CHECK_INT(r->lease->epoch + 1, c->lease->epoch);
    CHECK_RC(BOUGH_CONFLICT, claim_rc(t, r->id, "two"));
    CHECK_RC(BOUGH_LEASE_LOST, append_rc(t, s, c->lease->owner, c->lease->epoch + 1));
    CHECK_OK(append_rc(t, s, c->lease->owner, c->lease->epoch));
    set.turns = 2;
    set.context_used = 100;
    CHECK_RC(BOUGH_LEASE_LOST,
             bough_run_set(t->store, t->arena, r->id, c->lease->epoch - 1, &set, NULL, &t->err));
    CHECK_OK(bough_run_set(t->store, t->arena, r->id, c->lease->epoch, &set, &r, &t->err));
    CHECK_INT(2, r->turns);
    CHECK_INT(0, r->tools);
    CHECK_INT(2, r->last.depth);
    ended = end(t, c, BOUGH_RUN_COMPLETED);
    CHECK_INT(BOUGH_RUN_COMPLETED, ended.run->status);
    CHECK(!ended.next && !ended.run->lease && ended.run->ended);
    CHECK_INT(100, ended.run->context_used);
    CHECK_INT(BOUGH_STATUS_IDLE, get(t, s)->status);
    CHECK_RC(BOUGH_CONFLICT, end_rc(t, r->id, c->lease->epoch, BOUGH_RUN_FAILED));
    CHECK_RC(BOUGH_CONFLICT, claim_rc(t, r->id, "one"));
    CHECK_RC(BOUGH_CONFLICT,
             bough_run_set(t->store, t->arena, r->id, c->lease->epoch, &set, NULL, &t->err));
    CHECK_RC(BOUGH_CONFLICT, bough_run_renew(t->store, r->id, c->lease->epoch, 0, NULL, &t->err));
    CHECK_RC(BOUGH_CONFLICT, bough_run_cancel(t->store, t->arena, r->id, NULL, NULL, &t->err));
    CHECK_OK(append_rc(t, s, NULL, 0));
}

STORE_TEST(a_run_that_keeps_its_owner_may_wait_and_go_on_but_does_not_complete_while_it_waits)
{
    const char *s = new_session(t, "x");
    struct bough_run *c = claim(t, start(t, s, "do it")->id), *r;
    enum bough_run_status waits = BOUGH_RUN_AWAITING_APPROVAL, runs = BOUGH_RUN_RUNNING,
                          done = BOUGH_RUN_COMPLETED;
    struct bough_run_set_options set = BOUGH_RUN_SET_NOTHING;

    set.status = &waits;
    CHECK_OK(bough_run_set(t->store, t->arena, c->id, c->lease->epoch, &set, &r, &t->err));
    CHECK_INT(BOUGH_RUN_AWAITING_APPROVAL, r->status);
    CHECK_STR(c->lease->owner, r->lease->owner);
    CHECK_RC(BOUGH_CONFLICT, end_rc(t, c->id, c->lease->epoch, BOUGH_RUN_COMPLETED));
    CHECK_RC(BOUGH_CONFLICT, claim_rc(t, c->id, "one"));
    later(t, 1000);
    set.status = &done;
    CHECK_RC(BOUGH_INVALID,
             bough_run_set(t->store, t->arena, c->id, c->lease->epoch, &set, &r, &t->err));
    set.status = &runs;
    CHECK_OK(bough_run_set(t->store, t->arena, c->id, c->lease->epoch, &set, &r, &t->err));
    CHECK(r->waited_ms >= 1000 && r->waited_ms < 2000);
    set.status = &waits;
    CHECK_OK(bough_run_set(t->store, t->arena, c->id, c->lease->epoch, &set, &r, &t->err));
    CHECK_INT(BOUGH_RUN_FAILED, end(t, c, BOUGH_RUN_FAILED).run->status);
}

STORE_TEST(a_run_with_a_workspace_is_claimed_on_its_host_only)
{
    const char *s = new_session(t, "x");
    struct bough_run_start_options in = { .text = "go", .host = "one", .workspace = "/srv/w" };
    struct bough_run_start_result out;

    CHECK_OK(bough_run_start(t->store, t->arena, s, &in, &out, &t->err));
    CHECK_RC(BOUGH_DENIED, claim_rc(t, out.run->id, "two"));
    CHECK_OK(claim_rc(t, out.run->id, "one"));
}

STORE_TEST(a_run_may_begin_claimed_and_renews_its_lease)
{
    const char *s = new_session(t, "x");
    struct bough_run_start_options in = { .text = "go", .host = "one", .claim = true };
    struct bough_run_start_result out;
    struct bough_run_renew_result renewed;

    CHECK_OK(bough_run_start(t->store, t->arena, s, &in, &out, &t->err));
    CHECK_INT(BOUGH_RUN_RUNNING, out.run->status);
    CHECK_INT(out.epoch, out.run->lease->epoch);
    CHECK_INT(30000, out.run->lease->expires - out.run->lease->since);
    later(t, 20000);
    CHECK_OK(bough_run_renew(t->store, out.run->id, out.epoch, 0, &renewed, &t->err));
    CHECK(!renewed.cancel);
    later(t, 20000);
    CHECK_OK(append_rc(t, s, out.run->lease->owner, out.epoch));
    CHECK_RC(BOUGH_LEASE_LOST, bough_run_renew(t->store, out.run->id, 77, 0, NULL, &t->err));
    later(t, 20000);
    CHECK_RC(BOUGH_LEASE_LOST, bough_run_renew(t->store, out.run->id, out.epoch, 0, NULL, &t->err));
    CHECK_RC(BOUGH_LEASE_LOST, append_rc(t, s, out.run->lease->owner, out.epoch));
}

/* ---- one winner ---- */

enum { CLAIMERS = 8 };
struct claimer {
    struct bough_store *store;
    const char *run;
    pthread_t thread;
    enum bough_rc rc;
};

static void *claim_thread(void *user)
{
    struct claimer *c = user;
    struct bough_arena *a = bough_arena_create();
    struct bough_run_claim_options in = { .host = "one" };
    struct bough_error err;
    struct bough_run *out;

    c->rc = bough_run_claim(c->store, a, c->run, &in, &out, &err);
    bough_arena_destroy(a);
    return NULL;
}

STORE_TEST(of_many_that_claim_a_run_at_once_exactly_one_gets_it)
{
    const char *s = new_session(t, "x");

    for (int round = 0; round < 10; round++) {
        struct bough_run *r = start(t, s, "do it");
        struct claimer all[CLAIMERS];
        int won = 0;

        for (int i = 0; i < CLAIMERS; i++) {
            all[i] = (struct claimer){ .store = t->store, .run = r->id };
            CHECK_INT(0, pthread_create(&all[i].thread, NULL, claim_thread, &all[i]));
        }
        for (int i = 0; i < CLAIMERS; i++) {
            pthread_join(all[i].thread, NULL);
            won += all[i].rc == BOUGH_OK;
            CHECK(all[i].rc == BOUGH_OK || all[i].rc == BOUGH_CONFLICT);
        }
        CHECK_INT(1, won);
        r = run_of(t, r->id);
        end(t, r, BOUGH_RUN_COMPLETED);
    }
    CHECK_INT(10, get(t, s)->messages);
}

/* ---- the queue ---- */

static struct bough_run_start_result queue(struct test *t, const char *s, const char *text)
{
    struct bough_run_start_options in = { .text = text,
                                          .runtime = BOUGH_RUNTIME_AGENT,
                                          .model = "m",
                                          .workspace = "",
                                          .servers = str_of("[\"files\"]"),
                                          .limits = { .turns = 3 },
                                          .queue = true };
    struct bough_run_start_result out;

    CHECK_OK(bough_run_start(t->store, t->arena, s, &in, &out, &t->err));
    return out;
}

STORE_TEST(U22_the_end_of_a_run_makes_the_next_queued_prompt_a_run_in_the_same_commit)
{
    const char *s = new_session(t, "x");
    struct bough_run *c;
    struct bough_run_end_result ended;
    struct bough_prompts waiting;
    struct bough_changes log;
    struct bough_mark mark;
    struct bough_feed_next_result feed;

    c = claim(t, queue(t, s, "one").run->id); /* the session was idle: it starts at once */
    CHECK_STR("two", queue(t, s, "two").queued->content);
    CHECK(queue(t, s, "three").run == NULL);
    append_rc(t, s, c->lease->owner, c->lease->epoch);
    CHECK_OK(bough_feed_end(t->store, &mark, &t->err));
    ended = end(t, c, BOUGH_RUN_FAILED);
    CHECK_OK(bough_feed_next(t->store, t->arena, mark, 0, 0, &feed, &t->err));
    log = feed.changes;
    CHECK_INT(1, log.n);
    CHECK_STR("run", log.at[0].kind);
    CHECK_STR(ended.next->id, log.at[0].about);
    CHECK_STR(c->id, log.at[0].ended);
    CHECK_STR(ended.next->prompt, log.at[0].entry);
    CHECK_INT(BOUGH_RUN_QUEUED, ended.next->status);
    CHECK_INT(2, ended.next->number);
    CHECK_INT(BOUGH_RUN_CONTINUE, ended.next->why);
    CHECK_STR(c->id, ended.next->after);
    CHECK_STR(c->id, ended.next->task);
    CHECK_STR("m", ended.next->model);
    CHECK_STR("[\"files\"]", ended.next->servers.p);
    CHECK_INT(3, ended.next->limits.turns);
    CHECK_INT(2, ended.run->last.depth);
    CHECK_INT(3, ended.next->first.depth);
    CHECK_INT(BOUGH_STATUS_BUSY, get(t, s)->status);
    CHECK_OK(bough_queue_list(t->store, t->arena, s, &waiting, &t->err));
    CHECK_INT(1, waiting.n);
    CHECK_STR("one hello two", path_text(t, s));
    CHECK_STR("2 queued, 1 failed", runs_text(t, s));
    CHECK_OK(bough_run_cancel(t->store, t->arena, ended.next->id, NULL, NULL, &t->err));
    CHECK_STR("one hello two three", path_text(t, s));
    CHECK_STR("3 queued, 2 cancelled, 1 failed", runs_text(t, s));
}

STORE_TEST(a_run_can_end_without_starting_the_queue)
{
    const char *s = new_session(t, "x");
    struct bough_run *c = claim(t, start(t, s, "one")->id);
    struct bough_run_end_options in = { .status = BOUGH_RUN_CANCELLED, .keep_queue = true };
    struct bough_run_end_result out;

    queue(t, s, "two");
    CHECK_OK(bough_run_end(t->store, t->arena, c->id, c->lease->epoch, &in, &out, &t->err));
    CHECK(!out.next);
    CHECK_INT(BOUGH_STATUS_IDLE, get(t, s)->status);
    CHECK_STR("one", path_text(t, s));
}

/* ---- cancel ---- */

STORE_TEST(a_run_without_an_owner_is_cancelled_at_once_and_an_owner_sees_the_wish)
{
    const struct bough_store_scoped_options who = { .principal = "token:ann" };
    struct bough_store *ann = bough_store_scoped(t->store, &who);
    struct bough_run_cancel_options in = { .note = "enough" };
    const char *s = new_session(t, "x");
    struct bough_run *r = start(t, s, "one"), *c;
    struct bough_run_renew_result renewed;

    CHECK_OK(bough_run_cancel(ann, t->arena, r->id, &in, &r, &t->err));
    CHECK_INT(BOUGH_RUN_CANCELLED, r->status);
    CHECK_STR("token:ann", r->cancel->by);
    CHECK_INT(BOUGH_STATUS_IDLE, get(t, s)->status);
    c = claim(t, start(t, s, "two")->id);
    CHECK_OK(bough_run_cancel(ann, t->arena, c->id, &in, &r, &t->err));
    CHECK_INT(BOUGH_RUN_RUNNING, r->status);
    CHECK_STR("enough", r->cancel->note);
    later(t, 5);
    CHECK_OK(bough_run_cancel(t->store, t->arena, c->id, NULL, &r, &t->err));
    CHECK_STR("token:ann", r->cancel->by);
    CHECK_OK(bough_run_renew(t->store, c->id, c->lease->epoch, 0, &renewed, &t->err));
    CHECK(renewed.cancel);
    CHECK_INT(BOUGH_RUN_CANCELLED, end(t, c, BOUGH_RUN_CANCELLED).run->status);
    bough_store_close(&ann);
}

/* ---- resume, retry, keys ---- */

STORE_TEST(a_resumed_run_goes_on_from_the_head_and_a_retried_one_branches)
{
    const char *s = new_session(t, "x");
    struct bough_run *c = claim(t, start(t, s, "one")->id);
    struct bough_run_start_options in = { .why = BOUGH_RUN_RESUME, .after = c->id };
    struct bough_run_start_result out;
    struct bough_run_end_result ended;

    CHECK_RC(BOUGH_BUSY, bough_run_start(t->store, t->arena, s, &in, &out, &t->err));
    CHECK_OK(append_rc(t, s, c->lease->owner, c->lease->epoch));
    end(t, c, BOUGH_RUN_FAILED);
    CHECK_OK(bough_run_start(t->store, t->arena, s, &in, &out, &t->err));
    CHECK_STR(c->id, out.run->task);
    CHECK_STR("", out.run->prompt);
    CHECK_INT(0, out.run->first.branch);
    c = claim(t, out.run->id);
    CHECK_OK(append_rc(t, s, c->lease->owner, c->lease->epoch));
    ended = end(t, c, BOUGH_RUN_COMPLETED);
    CHECK_INT(3, ended.run->first.depth);
    CHECK_INT(3, ended.run->last.depth);
    CHECK_STR("one hello hello", path_text(t, s));
    in = (struct bough_run_start_options){ .why = BOUGH_RUN_RETRY, .after = c->id, .at = "#1.1" };
    CHECK_OK(bough_run_start(t->store, t->arena, s, &in, &out, &t->err));
    CHECK_STR("one", path_text(t, s));
    c = claim(t, out.run->id);
    CHECK_OK(append_rc(t, s, c->lease->owner, c->lease->epoch));
    ended = end(t, c, BOUGH_RUN_COMPLETED);
    CHECK_INT(2, ended.run->first.depth);
    CHECK(ended.run->first.branch != 1);
    CHECK_STR("one hello", path_text(t, s));
}

STORE_TEST(C24_a_repeated_start_with_its_key_gives_the_same_run)
{
    const char *s = new_session(t, "x");
    struct bough_run_start_options in = { .text = "go", .key = "k" };
    struct bough_run_start_result one, two;

    CHECK_OK(bough_run_start(t->store, t->arena, s, &in, &one, &t->err));
    CHECK_OK(bough_run_start(t->store, t->arena, s, &in, &two, &t->err));
    CHECK(two.replayed && !one.replayed);
    CHECK_STR(one.run->id, two.run->id);
    end(t, claim(t, one.run->id), BOUGH_RUN_COMPLETED);
    CHECK_OK(bough_run_start(t->store, t->arena, s, &in, &two, &t->err));
    CHECK_INT(BOUGH_RUN_COMPLETED, two.run->status);
    in.model = "other";
    CHECK_RC(BOUGH_KEY_CONFLICT, bough_run_start(t->store, t->arena, s, &in, &two, &t->err));
    CHECK_STR("go", path_text(t, s));
}

STORE_TEST(a_run_is_refused_when_something_is_missing)
{
    const char *s = new_session(t, "x"), *other = new_session(t, "y");
    struct bough_run *r = start(t, other, "o");
    struct bough_run_start_options bad[] = {
        { 0 },
        { .text = "a", .why = BOUGH_RUN_CONTINUE },
        { .text = "a", .after = r->id },
        { .text = "a", .why = BOUGH_RUN_CONTINUE, .after = r->id },
        { .text = "a", .runtime = BOUGH_RUNTIME_EXTERNAL },
        { .text = "a", .limits = { .turns = -1 } },
        { .text = "a", .claim = true },
        { .text = "a", .servers = str_of("{}") },
        { .text = "a", .key = "k", .queue = true },
        { .text = "a", .runtime = (enum bough_run_runtime)9 },
        { .text = "a", .reserved = { 1 } },
    };
    struct bough_run_start_result out;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK_RC(BOUGH_INVALID, bough_run_start(t->store, t->arena, s, &bad[i], &out, &t->err));
    CHECK_RC(BOUGH_NOT_FOUND, claim_rc(t, "01ARZ3NDEKTSV4RRFFQ69G5FAV", "one"));
    CHECK_RC(BOUGH_NOT_FOUND, claim_rc(t, s, "one"));
    CHECK_RC(BOUGH_NOT_FOUND, claim_rc(t, NULL, "one"));
    CHECK_INT(0, get(t, s)->messages);
    CHECK_STR("", runs_text(t, s));
}

/* ---- lists ---- */

STORE_TEST(runs_are_listed_newest_first_by_session_status_host_and_project)
{
    struct bough_session_create_options home = { .project = "/p" };
    struct bough_session *p;
    const char *s[3];
    struct bough_run_list_options f = { .limit = 2 };
    struct bough_runs page;

    CHECK_OK(bough_session_create(t->store, t->arena, &home, &p, &t->err));
    s[0] = new_session(t, "a");
    s[1] = p->id;
    s[2] = new_session(t, "c");
    for (int i = 0; i < 6; i++) {
        struct bough_run *r = start(t, s[i % 3], "go");

        later(t, 10);
        if (i < 3)
            end(t, claim(t, r->id), BOUGH_RUN_COMPLETED);
    }
    CHECK_OK(bough_run_list(t->store, t->arena, &f, &page, &t->err));
    CHECK_INT(2, page.n);
    CHECK_STR(s[2], page.at[0].session);
    CHECK_STR(s[1], page.at[1].session);
    f.cursor = page.next;
    f.limit = 10;
    CHECK_OK(bough_run_list(t->store, t->arena, &f, &page, &t->err));
    CHECK_INT(4, page.n);
    CHECK_STR("", page.next);
    f = (struct bough_run_list_options){ .status = "completed" };
    CHECK_OK(bough_run_list(t->store, t->arena, &f, &page, &t->err));
    CHECK_INT(3, page.n);
    f = (struct bough_run_list_options){ .status = "queued running", .limit = 2 };
    CHECK_OK(bough_run_list(t->store, t->arena, &f, &page, &t->err));
    CHECK_INT(2, page.n);
    CHECK_STR(s[2], page.at[0].session);
    f.cursor = page.next;
    CHECK_OK(bough_run_list(t->store, t->arena, &f, &page, &t->err));
    CHECK_INT(1, page.n);
    CHECK_STR(s[0], page.at[0].session);
    f = (struct bough_run_list_options){ .project = "/p", .host = "one" };
    CHECK_OK(bough_run_list(t->store, t->arena, &f, &page, &t->err));
    CHECK_INT(2, page.n);
    f.host = "two";
    CHECK_OK(bough_run_list(t->store, t->arena, &f, &page, &t->err));
    CHECK_INT(0, page.n);
    f = (struct bough_run_list_options){ .status = "sleeping" };
    CHECK_RC(BOUGH_INVALID, bough_run_list(t->store, t->arena, &f, &page, &t->err));
    f = (struct bough_run_list_options){ .cursor = "x" };
    CHECK_RC(BOUGH_INVALID, bough_run_list(t->store, t->arena, &f, &page, &t->err));
    CHECK_OK(bough_session_purge(t->store, t->arena, s[1], NULL, &t->err));
    CHECK_OK(bough_run_list(t->store, t->arena, NULL, &page, &t->err));
    CHECK_INT(4, page.n);
}

struct busy_store {
    struct test *t;
    struct bough_run *first;
    bool done; /* atomic */
};

/* Writes until the lists are done. */
static void *write_on(void *user)
{
    struct busy_store *b = user;
    bool ok = true;

    for (int i = 0; ok && !__atomic_load_n(&b->done, __ATOMIC_ACQUIRE); i++)
        ok = bough_session_rename(b->t->store, "s", i % 2 ? "a" : "b", NULL) == BOUGH_OK;
    return ok ? NULL : b;
}

STORE_TEST(live_runs_are_listed_while_others_write)
{
    struct bough_run_list_options live = { .status = "queued running awaiting_approval" };
    struct busy_store b = { .t = t };
    struct bough_runs found;
    pthread_t writers[2];
    enum bough_rc rc = BOUGH_OK;
    void *failure;

    start(t, new_session(t, "s"), "go");
    for (int i = 0; i < 2; i++)
        CHECK_INT(0, pthread_create(&writers[i], NULL, write_on, &b));
    for (int i = 0; !rc && i < 1000; i++) {
        struct bough_arena *a = bough_arena_create();

        rc = bough_run_list(t->store, a, &live, &found, &t->err);
        bough_arena_destroy(a);
    }
    __atomic_store_n(&b.done, true, __ATOMIC_RELEASE);
    for (int i = 0; i < 2; i++) {
        CHECK_INT(0, pthread_join(writers[i], &failure));
        CHECK(failure == NULL);
    }
    CHECK_OK(rc);
}

/* Ends one run after the other; each end makes the next queued prompt a run. */
static void *end_all(void *user)
{
    struct busy_store *b = user;
    struct bough_run_claim_options host = { .host = "one" };
    struct bough_run_end_options end = { .status = BOUGH_RUN_COMPLETED };
    struct bough_run_end_result ended = { 0 };
    struct bough_arena *a = bough_arena_create();
    struct bough_error err;
    struct bough_run *run = b->first;
    enum bough_rc rc = BOUGH_OK;

    while (!rc && run) {
        rc = bough_run_claim(b->t->store, a, run->id, &host, &run, &err);
        if (!rc)
            rc = bough_run_end(b->t->store, a, run->id, run->lease->epoch, &end, &ended, &err);
        run = ended.next;
    }
    __atomic_store_n(&b->done, true, __ATOMIC_RELEASE);
    bough_arena_destroy(a);
    return rc ? b : NULL;
}

STORE_TEST(a_live_run_is_listed_also_while_the_next_one_takes_its_place)
{
    struct bough_run_list_options live = { .status = "queued running awaiting_approval" };
    struct bough_run_start_options how = { .text = "go", .model = "m", .queue = true };
    struct busy_store b = { .t = t };
    struct bough_run_start_result out;
    const char *session = new_session(t, "s");
    struct bough_runs found;
    pthread_t thread;
    void *failure;
    bool missed = false, done = false;

    for (int i = 0; i < 100; i++) {
        CHECK_OK(bough_run_start(t->store, t->arena, session, &how, &out, &t->err));
        b.first = i ? b.first : out.run;
    }
    CHECK_INT(0, pthread_create(&thread, NULL, end_all, &b));
    while (!done && !missed) {
        struct bough_arena *a = bough_arena_create();
        enum bough_rc rc = bough_run_list(t->store, a, &live, &found, &t->err);

        done = __atomic_load_n(&b.done, __ATOMIC_ACQUIRE);
        /* No run begins after the last one has ended: a session that is busy now was busy then. */
        missed = rc || (!found.n && get(t, session)->status == BOUGH_STATUS_BUSY);
        bough_arena_destroy(a);
    }
    CHECK_INT(0, pthread_join(thread, &failure));
    CHECK(failure == NULL);
    CHECK(!missed);
}
