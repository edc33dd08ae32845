/* Costs of imported calls whose files have tokens only. */
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "corpus.h"

static const char *import_text(struct test *t, const char *name, const char *text)
{
    return import_file(t, file_make(t, name, text, strlen(text))).session;
}

/* The cost of each call, and where it comes from. */
static const char *costs(struct test *t, const char *session)
{
    struct bough_calls calls;
    const char *all = "";

    CHECK_OK(bough_call_list(t->store, t->arena, session, &calls, &t->err));
    for (size_t i = 0; i < calls.n; i++)
        all = arena_printf(t->arena, "%s%s%lld %s", all, i ? ", " : "",
                           (long long)calls.at[i].used.cost,
                           bough_cost_source_name(calls.at[i].cost_source));
    return all;
}

/* A line of Claude Code: a reply with this usage, and more members. */
static const char *claude_line(struct test *t, int n, const char *id, const char *model,
                               const char *usage, const char *more)
{
    return arena_printf(t->arena,
                        "{\"parentUuid\":%s,\"type\":\"assistant\",\"uuid\":\"u%d\",\"sessionId\":"
                        "\"s\",\"cwd\":\"/p\",\"timestamp\":\"2026-06-01T00:00:0%d.000Z\",%s"
                        "\"message\":{\"id\":\"%s\",\"role\":\"assistant\",\"model\":\"%s\","
                        "\"content\":[],\"usage\":{%s}}}\n",
                        n ? arena_printf(t->arena, "\"u%d\"", n - 1) : "null", n, n, more, id,
                        model, usage);
}

STORE_TEST(calls_of_claude_code_cost_what_the_list_says)
{
    const char *text = claude_line(t, 0, "m0", "claude-sonnet-4-5-20250929",
                                   "\"input_tokens\":3,\"cache_creation_input_tokens\":12304,"
                                   "\"output_tokens\":500",
                                   ""),
               *s;

    text = arena_printf(
        t->arena, "%s%s%s%s%s", text,
        claude_line(t, 1, "m0", "claude-sonnet-4-5-20250929", /* a later block */
                    "\"input_tokens\":3,\"cache_creation_input_tokens\":12304,"
                    "\"output_tokens\":550",
                    ""),
        claude_line(t, 2, "m2", "claude-opus-5",
                    "\"input_tokens\":0,\"cache_creation_input_tokens\":344139,"
                    "\"cache_creation\":{\"ephemeral_1h_input_tokens\":344139},"
                    "\"output_tokens\":0",
                    ""),
        claude_line(t, 3, "m3", "claude-opus-5", "\"input_tokens\":7,\"output_tokens\":1",
                    "\"costUSD\":0.5,"),
        claude_line(t, 4, "m4", "no-such-model", "\"input_tokens\":7,\"output_tokens\":1", ""));
    s = import_text(t, "c.jsonl", text);
    CHECK_STR("53649000 list, 750000 list, 3441390000 list, 500000000 reported, 0 ", costs(t, s));
    CHECK_INT(54399000 + INT64_C(3441390000) + 500000000, get(t, s)->own.cost);
}

static const char *codex_text(struct test *t, const char *provider, const char *model)
{
    return arena_printf(
        t->arena,
        "{\"timestamp\":\"2026-06-01T00:00:00.000Z\",\"type\":\"session_meta\",\"payload\":{\"id\":"
        "\"ee570cec-4be4-4b5a-8077-2e04d60cc0c4\",\"cwd\":\"/p\",\"model_provider\":\"%s\"}}\n"
        "{\"timestamp\":\"2026-06-01T00:00:01.000Z\",\"type\":\"turn_context\",\"payload\":{"
        "\"model\":\"%s\"}}\n"
        "{\"timestamp\":\"2026-06-01T00:00:02.000Z\",\"type\":\"token_usage_record\",\"payload\":{"
        "\"response_id\":\"r1\",\"usage\":{\"input_tokens\":300000,\"cached_input_tokens\":200000,"
        "\"output_tokens\":1000,\"reasoning_output_tokens\":10}}}\n",
        provider, model);
}

STORE_TEST(calls_of_codex_cost_what_the_list_says)
{
    CHECK_STR("1245000000 list",
              costs(t, import_text(t, "c.jsonl", codex_text(t, "openai", "gpt-5.5"))));
    next_store(t);
    CHECK_STR("0 ", costs(t, import_text(t, "c.jsonl", codex_text(t, "testhost", "gpt-5.5"))));
}
