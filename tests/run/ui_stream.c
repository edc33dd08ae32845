/* A run as the AI SDK's UI message stream. */
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "run/script.h"

#define WANTS_STREAM "Accept: text/event-stream\r\n"
#define WITH_DEMO "{\"content\":\"go\",\"model\":\"gpt-5.5\",\"servers\":[\"demo\"]}"

/* The types of the chunks in their order, with blanks between them. */
static const char *types(struct test *t, const struct got *g)
{
    const char *out = "";

    for (const char *p = g->body.p; (p = strstr(p, "data: ")); p++) {
        static const char key[] = "{\"type\":\"";
        const char *type = "[DONE]";

        if (strncmp(p + 6, key, sizeof key - 1) == 0) {
            const char *from = p + 6 + sizeof key - 1;

            type = arena_strndup(t->arena, from, strcspn(from, "\""));
        }
        out = arena_printf(t->arena, "%s%s%s", out, *out ? " " : "", type);
    }
    return out;
}

/* The only run of the session, once it is there. */
static const char *run_of(struct world *w, const char *session)
{
    struct bough_run_list_options how = { .session = session };
    struct bough_runs runs = { 0 };
    struct test *t = w->t;

    for (struct wait wait = { 0 }; !runs.n;) {
        CHECK(wait_more(&wait));
        CHECK_OK(bough_run_list(t->store, t->arena, &how, &runs, &t->err));
    }
    return runs.at[0].id;
}

static struct talk begin(struct world *w, const char *session, const char *body)
{
    return talk_begin(w, arena_printf(w->t->arena, "/api/v1/sessions/%s/turns", session),
                      WANTS_STREAM, body);
}

STORE_TEST(a_run_is_streamed_as_one_message_with_steps_approvals_and_results)
{
    struct world w;
    const char *s = new_session(t, "s"), *run, *asked;
    struct bough_entries_read_result path;
    struct talk k;
    struct got g;

    script_open(t, &w, NULL);
    say_call(&w, "demo_edit", "{\"path\":\"a\",\"content\":\"b\"}");
    say_text(&w, "done");
    k = begin(&w, s, WITH_DEMO);
    CHECK(talk_hears(&k, "tool-approval-request"));
    run = run_of(&w, s);
    asked = wait_asked(&w, run, 1)->id;
    CHECK(talk_hears(
        &k, arena_printf(t->arena, "\"approvalId\":\"%s\",\"toolCallId\":\"call_0\"", asked)));
    CHECK_INT(200, resolve(&w, asked, "{\"decision\":\"approve\"}"));
    g = talk_end(&k);
    CHECK_INT(200, g.status);
    CHECK(g.complete);
    CHECK_STR("v1", head_value(t, &g, "x-vercel-ai-ui-message-stream"));
    CHECK_STR("start start-step tool-input-start tool-input-available tool-approval-request "
              "tool-approval-response tool-output-available finish-step start-step text-start "
              "text-delta text-end finish-step finish [DONE]",
              types(t, &g));
    CHECK(strstr(g.body.p, "\"approved\":true"));
    CHECK_OK(bough_entries_read(t->store, t->arena, s, NULL, &path, &t->err));
    CHECK(strstr(g.body.p, arena_printf(t->arena, "\"messageId\":\"%s\"", path.entries.at[1].id)));

    /* Later, all of it again; approvals that are settled are not asked for any more. */
    g = get_path(&w, arena_printf(t->arena, "/api/v1/runs/%s/ui-stream", run));
    CHECK_STR("start start-step tool-input-start tool-input-available tool-output-available "
              "finish-step start-step text-start text-delta text-end finish-step finish [DONE]",
              types(t, &g));
    world_close(&w);
}

STORE_TEST(a_stream_of_a_run_says_what_was_rejected_and_that_it_was_stopped)
{
    struct world w;
    const char *s = new_session(t, "s"), *run;
    struct talk k;
    struct got g;

    script_open(t, &w, NULL);
    say_call(&w, "demo_edit", "{\"path\":\"a\",\"content\":\"b\"}");
    say_call(&w, "demo_edit", "{\"path\":\"c\",\"content\":\"d\"}");
    k = begin(&w, s, WITH_DEMO);
    CHECK(talk_hears(&k, "tool-approval-request"));
    run = run_of(&w, s);
    CHECK_INT(200, resolve(&w, wait_asked(&w, run, 1)->id,
                           "{\"decision\":\"reject\",\"note\":\"not there\"}"));
    CHECK(talk_hears(&k, "tool-output-error"));
    CHECK(wait_asked(&w, run, 1));
    CHECK_INT(202, post(&w, arena_printf(t->arena, "/api/v1/runs/%s/cancel", run), "{}").status);
    g = talk_end(&k);
    CHECK(g.complete);
    CHECK(strstr(g.body.p, "\"approved\":false,\"reason\":\"not there\""));
    CHECK(str_ends(str_of(types(t, &g)), "finish-step abort finish [DONE]"));
    world_close(&w);
}

STORE_TEST(a_stream_of_a_run_that_failed_ends_with_its_error)
{
    struct world w;
    const char *s = new_session(t, "s");
    struct got g;

    script_open(t, &w, NULL);
    fake_json(w.up, 400, "{\"error\":{\"message\":\"too dear\"}}");
    g = ask(&w, arena_printf(t->arena, "/api/v1/sessions/%s/turns", s), WANTS_STREAM, WITH_DEMO);
    CHECK_INT(200, g.status);
    CHECK(g.complete);
    CHECK(str_ends(str_of(types(t, &g)), "error finish [DONE]"));
    CHECK(strstr(g.body.p, "too dear"));
    world_close(&w);
}

STORE_TEST(a_turn_without_tools_is_streamed_as_it_comes)
{
    struct world w;
    const char *s = new_session(t, "s");
    struct got g;

    script_open(t, &w, NULL);
    say_text(&w, "hello");
    g = ask(&w, arena_printf(t->arena, "/api/v1/sessions/%s/turns", s), WANTS_STREAM,
            "{\"content\":\"hi\",\"model\":\"gpt-5.5\"}");
    CHECK_STR("start start-step text-start text-delta text-end finish-step finish [DONE]",
              types(t, &g));
    world_close(&w);
}
