/* Helpers for the tests of runs. */
#include "store/run_world.h"

#include "base/memory/arena.h"
#include "base/text/str.h"

struct bough_run *start(struct test *t, const char *session, const char *text)
{
    struct bough_run_start_options in = {
        .text = text, .runtime = BOUGH_RUNTIME_AGENT, .model = "m", .host = "one"
    };
    struct bough_run_start_result out;

    CHECK_OK(bough_run_start(t->store, t->arena, session, &in, &out, &t->err));
    return out.run;
}

struct bough_run *claim(struct test *t, const char *run)
{
    struct bough_run_claim_options in = { .host = "one" };
    struct bough_run *out;

    CHECK_OK(bough_run_claim(t->store, t->arena, run, &in, &out, &t->err));
    return out;
}

struct bough_run *run_of(struct test *t, const char *id)
{
    struct bough_run *out;

    CHECK_OK(bough_run_get(t->store, t->arena, id, &out, &t->err));
    return out;
}

struct bough_run_end_result end(struct test *t, const struct bough_run *claimed,
                                enum bough_run_status status)
{
    struct bough_run_end_options in = { .status = status };
    struct bough_run_end_result out;

    if (status == BOUGH_RUN_FAILED)
        in.error_code = "turns";
    CHECK_OK(
        bough_run_end(t->store, t->arena, claimed->id, claimed->lease->epoch, &in, &out, &t->err));
    return out;
}

const char *call_tool(struct test *t, const struct bough_run *claimed)
{
    struct bough_str part =
        str_of("{\"type\":\"tool\",\"callID\":\"c1\",\"tool\":\"write\","
               "\"state\":{\"status\":\"pending\",\"input\":{\"path\":\"a\"},\"raw\":\"\"}}");
    struct bough_entry_new e = { .role = BOUGH_ROLE_ASSISTANT, .parts = &part, .nparts = 1 };
    struct bough_append_options in = {
        .entries = &e, .n = 1, .owner = claimed->lease->owner, .epoch = claimed->lease->epoch
    };
    struct bough_append_result out;

    CHECK_OK(bough_append(t->store, t->arena, claimed->session, &in, &out, &t->err));
    return out.ids[0];
}

struct bough_approval *request(struct test *t, const struct bough_run *claimed, const char *entry)
{
    struct bough_approval_add_options in = {
        .entry = entry, .tool = "files/write", .kind = "edit", .title = "Write a"
    };
    struct bough_approval *out;

    CHECK_OK(bough_approval_add(t->store, t->arena, claimed->id, claimed->lease->epoch, &in, &out,
                                &t->err));
    return out;
}

enum bough_rc settle(struct test *t, const char *approval, enum bough_approval_status status,
                     struct bough_approval **out)
{
    struct bough_approval_resolve_options in = { .status = status, .note = "fine" };

    return bough_approval_resolve(t->store, t->arena, approval, &in, out, &t->err);
}

void later(struct test *t, int64_t ms)
{
    test_later(t, ms);
}

const char *runs_text(struct test *t, const char *session)
{
    struct bough_run_list_options in = { .session = session };
    struct bough_runs all;
    const char *text = "";

    CHECK_OK(bough_run_list(t->store, t->arena, &in, &all, &t->err));
    for (size_t i = 0; i < all.n; i++)
        text = arena_printf(t->arena, "%s%s%lld %s", text, i ? ", " : "",
                            (long long)all.at[i].number, bough_run_status_name(all.at[i].status));
    return text;
}
