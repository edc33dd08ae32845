/* The demo provider, as clients and turns see it. */
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "gateway/demo/demo.h"
#include "gateway/world.h"

static const char *demo_world(struct test *t, struct world *w)
{
    struct bough_session *s;

    CHECK_OK(bough_session_create(t->store, t->arena, NULL, &s, &t->err));
    world_prepare(t, w);
    world_set(w, "provider \"demo\"", "kind", "demo");
    world_start(w);
    CHECK_OK(providers_refresh(gateway_providers(w->gateway), "demo", &t->err));
    return s->id;
}

static struct got turn(struct world *w, const char *session, const char *body)
{
    return ask(w, arena_printf(w->t->arena, "/api/v1/sessions/%s/turns", session), "", body);
}

static void wait_idle(struct test *t, const char *session)
{
    for (struct wait w = { 0 }; get(t, session)->status != BOUGH_STATUS_IDLE;)
        CHECK(wait_more(&w));
}

/* All parts of all messages, as they are stored. */
static const char *all_parts(struct test *t, const char *session)
{
    struct bough_entries_read_options how = { .messages = true };
    struct bough_entries_read_result path;
    struct buf b;

    CHECK_OK(bough_entries_read(t->store, t->arena, session, &how, &path, &t->err));
    buf_init(&b, 1 << 20);
    for (size_t i = 0; i < path.entries.n; i++)
        for (size_t k = 0; k < path.entries.at[i].nparts; k++)
            buf_put_str(&b, path.entries.at[i].parts[k].json);
    return buf_give(&b, t->arena).p;
}

STORE_TEST(the_demo_provider_lists_its_models_without_a_network)
{
    struct provider_info info;
    struct world w;

    demo_world(t, &w);
    CHECK_OK(providers_info(gateway_providers(w.gateway), t->arena, "demo", &info, &t->err));
    CHECK(info.configured && info.reachable && !info.blocked);
    CHECK_INT(PROVIDER_NO_AUTH, info.auth);
    CHECK_INT(2, info.nmodels);
    CHECK_STR("demo-small", info.models[0].id);
    CHECK_INT(128000, info.models[0].context);
    world_close(&w);
}

STORE_TEST(a_turn_of_the_demo_streams_thoughts_and_text)
{
    struct world w;
    const char *s = demo_world(t, &w), *said;

    CHECK_INT(202,
              turn(&w, s, "{\"content\":\"hello\",\"provider\":\"demo\",\"model\":\"demo-small\"}")
                  .status);
    wait_idle(t, s);
    said = all_parts(t, s);
    CHECK(strstr(said, "reasoning"));
    CHECK(strstr(said, "This is the **demo provider**"));
    CHECK(strstr(said, "You wrote: hello"));
    CHECK(strstr(said, "Tools are **off**"));
    CHECK(strstr(calls_text(&w, s), "ok demo-small"));
    world_close(&w);
}

STORE_TEST(the_demo_calls_demo_tools_and_reads_their_result)
{
    struct world w;
    const char *s = demo_world(t, &w), *said;

    CHECK_INT(
        202,
        turn(&w, s,
             "{\"content\":\"weather in Bergen\",\"provider\":\"demo\",\"model\":\"demo-small\","
             "\"servers\":[\"demo\"]}")
            .status);
    wait_idle(t, s);
    said = all_parts(t, s);
    CHECK(strstr(said, "\\\"city\\\":\\\"Bergen\\\"") || strstr(said, "\"city\":\"Bergen\""));
    CHECK(strstr(said, "invented by the demo tool"));
    CHECK(strstr(said, "read this result of a tool"));
    world_close(&w);
}

STORE_TEST(a_model_that_the_demo_does_not_have_is_not_ready)
{
    struct world w;
    const char *s = demo_world(t, &w);
    struct got g = turn(&w, s, "{\"content\":\"hi\",\"provider\":\"demo\",\"model\":\"gpt-9\"}");

    CHECK_INT(404, g.status);
    CHECK(strstr(g.body.p, "it has demo-small, demo-large"));
    world_close(&w);
}

STORE_TEST(the_demo_fails_when_it_is_asked_to)
{
    struct world w;
    struct got g;

    demo_world(t, &w);
    g = ask(
        &w, "/v1/chat/completions", "",
        "{\"model\":\"demo/demo-large\",\"messages\":[{\"role\":\"user\",\"content\":\"fail\"}]}");
    CHECK_INT(500, g.status);
    CHECK(strstr(g.body.p, "the demo provider fails"));
    world_close(&w);
}

STORE_TEST(the_demo_summarises_also_a_conversation_about_failures)
{
    struct world w;
    struct got g;

    demo_world(t, &w);
    g = ask(&w, "/v1/chat/completions", "",
            "{\"model\":\"demo/demo-large\",\"messages\":[{\"role\":\"system\",\"content\":"
            "\"You summarise.\"},{\"role\":\"user\",\"content\":\"why did it fail?\"}]}");
    CHECK_INT(200, g.status);
    CHECK(strstr(g.body.p, "A summary by the demo provider"));
    world_close(&w);
}

STORE_TEST(the_demo_answers_clients_that_do_not_stream)
{
    struct world w;
    struct got g;

    demo_world(t, &w);
    g = ask(&w, "/v1/chat/completions", "",
            "{\"model\":\"demo/demo-large\",\"messages\":[{\"role\":\"user\",\"content\":\"show "
            "code\"}]}");
    CHECK_INT(200, g.status);
    CHECK(strstr(g.body.p, "\"finish_reason\":\"stop\""));
    CHECK(strstr(g.body.p, "def fib"));
    CHECK(strstr(g.body.p, "\"reasoning_tokens\":"));
    world_close(&w);
}

STORE_TEST(the_demo_refuses_what_it_does_not_know)
{
    struct world w;
    struct got g;

    demo_world(t, &w);
    g = ask(&w, "/v1/embeddings", "", "{\"model\":\"demo/demo-large\",\"input\":\"x\"}");
    CHECK(g.status >= 400);
    world_close(&w);
}

/* Only the exact base belongs to it. */
TEST(the_urls_of_the_demo_are_exact)
{
    (void)t;
    CHECK(demo_is("http://demo.invalid/v1/models"));
    CHECK(!demo_is("http://demo.invalid.example.com/v1/models"));
    CHECK(!demo_is("http://demo.invalid/v1"));
    CHECK(!demo_is("https://api.openai.com/v1/models"));
}

STORE_TEST(a_provider_is_tested_with_a_small_request)
{
    struct world w;
    struct got g;

    demo_world(t, &w);
    g = ask(&w, "/api/v1/providers/demo/test", "", "{\"model\":\"demo-small\"}");
    CHECK_INT(200, g.status);
    CHECK(strstr(g.body.p, "\"answered\":true") && strstr(g.body.p, "\"status\":200"));
    g = ask(&w, "/api/v1/providers/demo/test", "", "{\"model\":\"gpt-9\"}");
    CHECK_INT(404, g.status);
    CHECK_INT(422, ask(&w, "/api/v1/providers/demo/test", "", "{}").status);
    CHECK_INT(404, ask(&w, "/api/v1/providers/nobody/test", "", "{\"model\":\"x\"}").status);
    world_close(&w);
}
