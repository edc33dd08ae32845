/* Approvals, grants, and what is left of a run whose owner is gone. */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "store/run_world.h"

STORE_TEST(an_approval_is_settled_once_and_the_second_writer_learns_by_whom_and_when)
{
    const struct bough_store_scoped_options who = { .principal = "token:ann" };
    struct bough_store *ann = bough_store_scoped(t->store, &who);
    struct bough_approval_resolve_options yes = { .status = BOUGH_APPROVAL_APPROVED, .note = "ok" };
    struct bough_run *c = claim(t, start(t, new_session(t, "x"), "go")->id);
    struct bough_approval *p = request(t, c, call_tool(t, c)), *out;

    CHECK_INT(BOUGH_APPROVAL_PENDING, p->status);
    CHECK_STR(c->id, p->run);
    CHECK_STR("files/write", p->tool);
    CHECK_INT(1, run_of(t, c->id)->approvals);
    CHECK_OK(bough_approval_resolve(ann, t->arena, p->id, &yes, &out, &t->err));
    CHECK_INT(BOUGH_APPROVAL_APPROVED, out->status);
    CHECK_STR("token:ann", out->by);
    CHECK_INT(BOUGH_PATH_PERSON, out->path);
    CHECK_RC(BOUGH_CONFLICT, settle(t, p->id, BOUGH_APPROVAL_REJECTED, &out));
    CHECK(strstr(t->err.msg, "approved since 20") && strstr(t->err.msg, "token:ann"));
    CHECK_INT(BOUGH_APPROVAL_APPROVED, out->status);
    CHECK_STR("ok", out->note);
    CHECK_INT(1, run_of(t, c->id)->settled);
    end(t, c, BOUGH_RUN_COMPLETED);
    bough_store_close(&ann);
}

STORE_TEST(a_waiting_run_needs_no_process_and_is_claimed_once_its_approval_is_settled)
{
    const char *s = new_session(t, "x");
    struct bough_run *c = claim(t, start(t, s, "go")->id), *r;
    struct bough_approval *p, *out;
    struct bough_run_claim_options two = { .host = "two" };

    CHECK_RC(BOUGH_CONFLICT, bough_run_wait(t->store, c->id, c->lease->epoch, 0, &t->err));
    p = request(t, c, call_tool(t, c));
    CHECK_RC(BOUGH_CONFLICT, bough_run_wait(t->store, c->id, c->lease->epoch, 1, &t->err));
    CHECK_OK(bough_run_wait(t->store, c->id, c->lease->epoch, 0, &t->err));
    CHECK_RC(BOUGH_LEASE_LOST, bough_run_renew(t->store, c->id, c->lease->epoch, 0, NULL, &t->err));
    if (store_lasts(t))
        store_reopen(t);
    later(t, INT64_C(7) * 24 * 3600 * 1000);
    CHECK_OK(bough_run_recover(t->store, NULL, &t->err));
    r = run_of(t, c->id);
    CHECK_INT(BOUGH_RUN_AWAITING_APPROVAL, r->status);
    CHECK(r->waited_ms >= INT64_C(7) * 24 * 3600 * 1000);
    CHECK_RC(BOUGH_CONFLICT, bough_run_claim(t->store, t->arena, c->id, &two, &r, &t->err));
    CHECK_OK(settle(t, p->id, BOUGH_APPROVAL_REJECTED, &out));
    CHECK_OK(bough_run_claim(t->store, t->arena, c->id, &two, &r, &t->err));
    CHECK_INT(BOUGH_RUN_RUNNING, r->status);
    CHECK(r->lease->epoch > c->lease->epoch);
    CHECK_INT(1, r->settled);
    end(t, r, BOUGH_RUN_COMPLETED);
    CHECK_STR("1 completed", runs_text(t, s));
}

STORE_TEST(an_approval_that_is_settled_while_the_owner_gives_the_run_back_is_not_missed)
{
    struct bough_run *c = claim(t, start(t, new_session(t, "x"), "go")->id);
    const char *entry = call_tool(t, c);
    struct bough_approval *one = request(t, c, entry), *out;

    request(t, c, entry);
    CHECK_OK(settle(t, one->id, BOUGH_APPROVAL_APPROVED, &out));
    CHECK_RC(BOUGH_CONFLICT, bough_run_wait(t->store, c->id, c->lease->epoch, 0, &t->err));
    CHECK_OK(bough_run_wait(t->store, c->id, c->lease->epoch, 1, &t->err));
    CHECK_RC(BOUGH_CONFLICT,
             bough_run_claim(t->store, t->arena, c->id,
                             &(struct bough_run_claim_options){ .host = "one" }, &c, &t->err));
}

STORE_TEST(a_wish_to_cancel_a_run_while_its_owner_gives_it_back_is_not_missed)
{
    struct bough_run *c = claim(t, start(t, new_session(t, "x"), "go")->id), *r;

    request(t, c, call_tool(t, c));
    CHECK_OK(bough_run_cancel(t->store, t->arena, c->id, NULL, &r, &t->err));
    CHECK_INT(BOUGH_RUN_RUNNING, r->status);
    CHECK_RC(BOUGH_CONFLICT, bough_run_wait(t->store, c->id, c->lease->epoch, 0, &t->err));
    CHECK(strstr(t->err.msg, "cancelled"));
    end(t, c, BOUGH_RUN_CANCELLED);
}

STORE_TEST(the_end_of_a_run_cancels_its_pending_approvals)
{
    struct bough_run *c = claim(t, start(t, new_session(t, "x"), "go")->id);
    const char *entry = call_tool(t, c);
    struct bough_approval *one = request(t, c, entry), *two = request(t, c, entry), *out;
    struct bough_approval_list_options f = { .status = "pending" };
    struct bough_approvals all;

    CHECK_OK(settle(t, one->id, BOUGH_APPROVAL_APPROVED, &out));
    CHECK_OK(bough_approval_list(t->store, t->arena, &f, &all, &t->err));
    CHECK_INT(1, all.n);
    CHECK_STR(two->id, all.at[0].id);
    end(t, c, BOUGH_RUN_CANCELLED);
    CHECK_OK(bough_approval_get(t->store, t->arena, two->id, &out, &t->err));
    CHECK_INT(BOUGH_APPROVAL_CANCELLED, out->status);
    CHECK_INT(BOUGH_PATH_RUN_ENDED, out->path);
    CHECK_RC(BOUGH_CONFLICT, settle(t, two->id, BOUGH_APPROVAL_APPROVED, &out));
    CHECK(strstr(t->err.msg, "run_ended"));
    f = (struct bough_approval_list_options){ .run = c->id, .limit = 1 };
    CHECK_OK(bough_approval_list(t->store, t->arena, &f, &all, &t->err));
    CHECK_INT(1, all.n);
    CHECK_STR(two->id, all.at[0].id);
    f.cursor = all.next;
    CHECK_OK(bough_approval_list(t->store, t->arena, &f, &all, &t->err));
    CHECK_STR(one->id, all.at[0].id);
    CHECK_STR("", all.next);
}

STORE_TEST(only_the_owner_asks_and_only_about_messages_of_its_run)
{
    const char *s = new_session(t, "x"), *before = user(t, s, "before");
    struct bough_run *c = claim(t, start(t, s, "go")->id);
    struct bough_approval_add_options in = { .entry = before, .tool = "a/b" };
    struct bough_approval *out;

    CHECK_RC(BOUGH_INVALID,
             bough_approval_add(t->store, t->arena, c->id, c->lease->epoch, &in, &out, &t->err));
    in.entry = c->prompt;
    CHECK_RC(BOUGH_LEASE_LOST, bough_approval_add(t->store, t->arena, c->id, c->lease->epoch - 1,
                                                  &in, &out, &t->err));
    in.tool = "";
    CHECK_RC(BOUGH_INVALID,
             bough_approval_add(t->store, t->arena, c->id, c->lease->epoch, &in, &out, &t->err));
    in = (struct bough_approval_add_options){ .entry = c->prompt,
                                              .tool = "a/b",
                                              .status = BOUGH_APPROVAL_REJECTED,
                                              .path = BOUGH_PATH_POLICY };
    CHECK_OK(bough_approval_add(t->store, t->arena, c->id, c->lease->epoch, &in, &out, &t->err));
    CHECK_INT(BOUGH_APPROVAL_REJECTED, out->status);
    CHECK(out->settled);
    in.path = BOUGH_PATH_PERSON;
    CHECK_RC(BOUGH_INVALID,
             bough_approval_add(t->store, t->arena, c->id, c->lease->epoch, &in, &out, &t->err));
}

STORE_TEST(an_approval_with_a_scope_makes_a_grant_and_a_grant_can_be_taken_back)
{
    const char *s = new_session(t, "x");
    struct bough_run *c = claim(t, start(t, s, "go")->id);
    const char *entry = call_tool(t, c);
    struct bough_approval_resolve_options yes = { .status = BOUGH_APPROVAL_APPROVED,
                                                  .scope = BOUGH_SCOPE_SESSION };
    struct bough_grant_list_options f = { .session = s, .whole_store = true };
    struct bough_grant_add_options add = { .scope = BOUGH_SCOPE_WORKSPACE,
                                           .workspace = "/w",
                                           .tool = "shell/run" };
    struct bough_approval *one = request(t, c, entry), *two = request(t, c, entry), *out;
    struct bough_grants all;
    struct bough_grant *g, *again;

    CHECK_OK(bough_approval_resolve(t->store, t->arena, one->id, &yes, &out, &t->err));
    yes.scope = BOUGH_SCOPE_WORKSPACE; /* the run has none */
    CHECK_RC(BOUGH_INVALID,
             bough_approval_resolve(t->store, t->arena, two->id, &yes, &out, &t->err));
    yes.scope = BOUGH_SCOPE_ALWAYS;
    CHECK_OK(bough_approval_resolve(t->store, t->arena, two->id, &yes, &out, &t->err));
    CHECK_OK(bough_grant_add(t->store, t->arena, &add, &g, &t->err));
    CHECK_OK(bough_grant_add(t->store, t->arena, &add, &again, &t->err));
    CHECK_STR(g->id, again->id);
    CHECK_OK(bough_grant_list(t->store, t->arena, &f, &all, &t->err));
    CHECK_INT(3, all.n);
    CHECK_INT(BOUGH_SCOPE_SESSION, all.at[0].scope);
    CHECK_STR(one->id, all.at[0].approval);
    CHECK_STR(s, all.at[0].session);
    CHECK_STR("/w", all.at[1].workspace);
    CHECK_INT(BOUGH_SCOPE_ALWAYS, all.at[2].scope);
    f.workspace = "/other";
    f.tool = "files/write";
    CHECK_OK(bough_grant_list(t->store, t->arena, &f, &all, &t->err));
    CHECK_INT(2, all.n);
    CHECK_OK(bough_grant_remove(t->store, all.at[0].id, &t->err));
    CHECK_RC(BOUGH_NOT_FOUND, bough_grant_remove(t->store, all.at[0].id, &t->err));
    CHECK_OK(bough_grant_list(t->store, t->arena, &f, &all, &t->err));
    CHECK_INT(1, all.n);
    request(t, c, entry); /* ordinals of grants and approvals do not meet */
    end(t, c, BOUGH_RUN_COMPLETED);
    add.scope = BOUGH_SCOPE_ONCE;
    CHECK_RC(BOUGH_INVALID, bough_grant_add(t->store, t->arena, &add, &g, &t->err));
}

/* ---- recovery ---- */

STORE_TEST(C20_a_run_whose_owner_is_gone_fails_with_its_messages_sealed_as_interrupted)
{
    const char *s = new_session(t, "x"), *other = new_session(t, "y");
    struct bough_run *c = claim(t, start(t, s, "go")->id), *waits = start(t, other, "wait");
    struct bough_approval *p = request(t, c, call_tool(t, c));
    struct bough_entry_new e = { .role = BOUGH_ROLE_TOOL };
    struct bough_message_open_options how = { .entry = &e,
                                              .owner = c->lease->owner,
                                              .epoch = c->lease->epoch,
                                              .client = true,
                                              .lease_ms = 3600000 };
    struct bough_str part =
        str_of("{\"type\":\"tool\",\"callID\":\"c1\",\"tool\":\"write\","
               "\"state\":{\"status\":\"running\",\"input\":{},\"time\":{\"start\":1}}}");
    struct bough_message_open_result open;
    struct bough_approval *out;
    struct bough_entry *sealed;
    int64_t n;

    CHECK_OK(bough_message_open(t->store, t->arena, s, &how, &open, &t->err));
    CHECK_OK(bough_message_step(t->store, &open.writing, 0,
                                &(struct bough_step){ .kind = BOUGH_STEP_PART, .bytes = part }, 1,
                                NULL, &t->err));
    CHECK_RC(BOUGH_CONFLICT,
             bough_run_end(t->store, t->arena, c->id, c->lease->epoch,
                           &(struct bough_run_end_options){ .status = BOUGH_RUN_COMPLETED },
                           &(struct bough_run_end_result){ 0 }, &t->err));
    CHECK_OK(bough_run_recover(t->store, &n, &t->err));
    CHECK_INT(0, n);
    later(t, 30000);
    CHECK_OK(bough_run_recover(t->store, &n, &t->err));
    CHECK_INT(1, n);
    c = run_of(t, c->id);
    CHECK_INT(BOUGH_RUN_FAILED, c->status);
    CHECK_STR("interrupted", c->error_code);
    CHECK_INT(3, c->last.depth);
    CHECK_OK(bough_entry_get(t->store, t->arena, s, open.writing.id, &sealed, &t->err));
    CHECK(!sealed->open);
    CHECK_STR("interrupted", sealed->finish);
    CHECK(strstr(sealed->parts[0].json.p, "\"error\":\"interrupted\""));
    CHECK_OK(bough_approval_get(t->store, t->arena, p->id, &out, &t->err));
    CHECK_INT(BOUGH_APPROVAL_CANCELLED, out->status);
    CHECK_INT(BOUGH_STATUS_IDLE, get(t, s)->status);
    CHECK_INT(BOUGH_RUN_QUEUED, run_of(t, waits->id)->status);
    CHECK_OK(bough_run_recover(t->store, &n, &t->err));
    CHECK_INT(0, n);
    CHECK_RC(BOUGH_LEASE_LOST,
             bough_message_seal(t->store, t->arena, &open.writing, NULL, NULL, &t->err));
}

STORE_TEST(a_new_prompt_recovers_the_run_of_a_dead_owner_and_a_wish_to_stop_it_counts)
{
    const char *s = new_session(t, "x");
    struct bough_run *c = claim(t, start(t, s, "one")->id);

    CHECK_OK(bough_run_cancel(t->store, t->arena, c->id, NULL, NULL, &t->err));
    later(t, 30001);
    start(t, s, "two");
    CHECK_STR("2 queued, 1 cancelled", runs_text(t, s));
    CHECK_STR("one two", path_text(t, s));
}

/* ---- processes ---- */

static int child(const char *url, const char *run, bool cancel)
{
    struct bough_arena *a = bough_arena_create();
    struct bough_run_claim_options in = { .host = "one", .lease_ms = 3600000 };
    struct bough_error err = { 0 };
    struct bough_store *s;
    struct bough_run *out;
    enum bough_rc rc = bough_store_open(&s, url, NULL, &err);

    if (!rc && cancel)
        rc = bough_run_cancel(s, a, run, NULL, &out, &err);
    else if (!rc)
        rc = bough_run_claim(s, a, run, &in, &out, &err);
    bough_store_close(&s);
    bough_arena_destroy(a);
    return rc == BOUGH_OK ? 0 : rc == BOUGH_CONFLICT ? 1 : 2;
}

static int children(struct test *t, const char *run, int n, bool cancel)
{
    pid_t pid[8];
    int won = 0, status;

    for (int i = 0; i < n; i++) {
        pid[i] = fork();
        if (pid[i] == 0)
            _exit(child(t->url, run, cancel));
    }
    for (int i = 0; i < n; i++) {
        CHECK(waitpid(pid[i], &status, 0) == pid[i] && WIFEXITED(status));
        CHECK(WEXITSTATUS(status) < 2);
        won += WEXITSTATUS(status) == 0;
    }
    return won;
}

SHARED_TEST(of_several_processes_one_claims_a_run_and_any_of_them_cancels_it, 60)
{
    struct bough_store *s;
    struct bough_run_start_options in = { .text = "go", .host = "one" };
    struct bough_run_start_result out;
    struct bough_session *x;
    struct bough_run *r;

    CHECK_OK(bough_store_open(&s, t->url, NULL, &t->err));
    CHECK_OK(bough_session_create(s, t->arena, NULL, &x, &t->err));
    CHECK_OK(bough_run_start(s, t->arena, x->id, &in, &out, &t->err));
    bough_store_close(&s);
    CHECK_INT(1, children(t, out.run->id, 6, false));
    CHECK_INT(2, children(t, out.run->id, 2, true));
    CHECK_OK(bough_store_open(&s, t->url, NULL, &t->err));
    CHECK_OK(bough_run_get(s, t->arena, out.run->id, &r, &t->err));
    CHECK_INT(BOUGH_RUN_RUNNING, r->status);
    CHECK(r->cancel);
    store_check(t, s);
    bough_store_close(&s);
}

/* ---- fsck ---- */

static struct raw_row *state(struct test *t, int64_t ord, const struct body_field *fields,
                             void *body)
{
    struct raw_row *row = row_of(t, RAW_RECORD, 12, RECORD_STATE, ord);

    CHECK_OK(body_read(fields, row->u.record.body, body, &t->err));
    return row;
}

static void put_state(struct test *t, struct raw_row *row, const struct body_field *fields,
                      const void *body)
{
    row->u.record.body = body_pack(t->arena, fields, body);
    put(t, row);
}

/* Session 12 with run 1, approval 2; and run 3, which lives. */
static void build_runs(struct test *t)
{
    const char *s;
    struct bough_run *c;

    s = new_session(t, "runs");
    CHECK_INT(12, get(t, s)->number);
    c = claim(t, start(t, s, "one")->id);
    request(t, c, call_tool(t, c));
    end(t, c, BOUGH_RUN_COMPLETED);
    start(t, s, "two");
    CHECK_OK(bough_store_upkeep(t->store, &t->err));
}

BREAKS(I_49_sees_runs_that_do_not_hold_their_session_and_sessions_held_by_none)
{
    struct run_body b;
    struct raw_row *row;

    build_runs(t);
    row = state(t, 3, run_fields, &b);
    b.status = BOUGH_RUN_FAILED;
    put_state(t, row, run_fields, &b);
    expect(t, "I-49", "", "record 12.15.3");
    row = state(t, 1, run_fields, &b);
    b.status = BOUGH_RUN_RUNNING;
    put_state(t, row, run_fields, &b);
    expect(t, "I-49", "", "record 12.15.1");
    row = row_of(t, RAW_HEAD, 12, 0, 0);
    row->u.head.lease_owner = "someone";
    put(t, row);
    expect(t, "I-49", "", "record 12.15.3");
    row = row_of(t, RAW_HEAD, 12, 0, 0);
    row->u.head.lease_owner = "run:gone";
    put(t, row);
    expect(t, "I-49", "", "record 12.15.3");
    row = row_of(t, RAW_HEAD, ROOT, 0, 0);
    row->u.head.lease_owner = "run:01ARZ3NDEKTSV4RRFFQ69G5FAV";
    row->u.head.status = BOUGH_STATUS_BUSY;
    put(t, row);
    CHECK(strstr(look(t, BOUGH_FSCK_FULL, false).errors, "I-49"));
    put_back(t);
}

BREAKS(I_49_sees_pending_approvals_of_ended_runs_and_entries_beside_the_branch)
{
    struct approval_body p;
    struct order_body o;
    struct run_body b;
    struct raw_row *row;

    build_runs(t);
    row = state(t, 2, approval_fields, &p);
    p.status = BOUGH_APPROVAL_PENDING;
    p.path = BOUGH_PATH_NONE;
    p.settled = 0;
    put_state(t, row, approval_fields, &p);
    expect(t, "I-49", "", "record 12.15.2");
    row = state(t, 2, approval_fields, &p);
    p.run = 3;
    put_state(t, row, approval_fields, &p);
    expect(t, "I-49", "", "record 12.15.2");
    row = state(t, 1, run_fields, &b);
    b.last = 900;
    put_state(t, row, run_fields, &b);
    expect(t, "I-49", "", "record 12.15.1");
    b.last = 2;
    b.bid = 1;
    put_state(t, row, run_fields, &b);
    expect(t, "I-49", "", "record 12.15.1");
    row = state(t, 3, run_fields, &b);
    b.number = 7;
    put_state(t, row, run_fields, &b);
    expect(t, "I-49", "", "record 12.15.3");
    row = row_of(t, RAW_RECORD, 0, RECORD_ORDER, 2);
    CHECK_OK(body_read(order_fields, row->u.record.body, &o, &t->err));
    o.ord = 9;
    put_state(t, row, order_fields, &o);
    expect(t, "I-49", "", "record 12.15.2");
}
