/* Which provider a request goes to. */
#include <stdlib.h>
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "gateway/kit/try.h"
#include "unit/gateway/config.h"

static const char *const paths[] = {
    [WIRE_CHAT] = "/chat/completions",
    [WIRE_RESPONSES] = "/responses",
    [WIRE_MESSAGES] = "/messages",
};

static struct provider_route route(struct test *t, struct providers *p, enum wire wire,
                                   const char *model)
{
    struct provider_ask ask = { .wire = wire, .path = paths[wire], .model = model };
    struct provider_route out = { 0 };

    CHECK_OK(providers_route(p, t->arena, &ask, &out, &t->err));
    return out;
}

/* "provider: model", or the message of the refusal. */
static const char *goes(struct test *t, struct providers *p, enum wire wire, const char *model)
{
    struct provider_ask ask = { .wire = wire, .path = paths[wire], .model = model };
    struct provider_route out;

    if (providers_route(p, t->arena, &ask, &out, &t->err))
        return arena_printf(t->arena, "%s: %s", bough_rc_name(t->err.rc), t->err.msg);
    return arena_printf(t->arena, "%s: %s", out.targets[0].provider,
                        out.targets[0].model ? out.targets[0].model : "as it came");
}

/* Give a provider a list of models that was read `age` ms ago. */
static void set_list(struct providers *p, const char *name, const char *json, int64_t age)
{
    struct provider *one = provider_find(p->set, str_of(name));

    list_finish(&one->state.list);
    CHECK(list_read(one, str_of(json), &one->state.list));
    one->state.list.time = env_now(&p->env) - age;
    one->state.reachable = one->state.asked = true;
}

#define TWO                                                                                        \
    "[provider \"openai\"]\nkind = openai\nauth = none\nmodels = gpt-5* o4-mini\n"                 \
    "alias = fast=gpt-5-mini\n"                                                                    \
    "[provider \"anthropic\"]\nkind = anthropic\nauth = none\nmodels = claude-*\n"

TEST(a_prefix_an_alias_a_name_a_pattern_and_the_wire_decide_in_this_order)
{
    struct providers *p = providers_of(
        t, TWO "[provider \"groq\"]\nkind = openai-compatible\n"
               "base_url = https://groq.example/openai/v1\nmodels = llama* gpt-5-oss*\n"
               "alias = quick=llama-3\n");

    CHECK_STR("groq: anything", goes(t, p, WIRE_CHAT, "groq/anything"));
    CHECK_STR("groq: a/b", goes(t, p, WIRE_CHAT, "groq/a/b"));
    CHECK_STR("groq: llama-3", goes(t, p, WIRE_CHAT, "groq/quick"));
    CHECK_STR("openai: gpt-5-mini", goes(t, p, WIRE_CHAT, "fast"));
    CHECK_STR("groq: llama-3", goes(t, p, WIRE_CHAT, "quick"));
    CHECK_STR("openai: as it came", goes(t, p, WIRE_RESPONSES, "o4-mini"));
    CHECK_STR("openai: as it came", goes(t, p, WIRE_CHAT, "gpt-5.5"));
    CHECK_STR("groq: as it came", goes(t, p, WIRE_CHAT, "gpt-5-oss-120b")); /* the longer one */
    CHECK_STR("anthropic: as it came", goes(t, p, WIRE_MESSAGES, "claude-opus-5"));
    /* not listed: hosted lists are incomplete */
    CHECK_STR("openai: as it came", goes(t, p, WIRE_CHAT, "new-model"));
    CHECK_STR("anthropic: as it came", goes(t, p, WIRE_MESSAGES, "new-model"));
    CHECK_STR("openai: as it came", goes(t, p, WIRE_CHAT, "unknown/model"));
    CHECK_STR("openai: as it came", goes(t, p, WIRE_RESPONSES, ""));
    providers_destroy(p);
}

TEST(a_discovered_name_counts_like_a_configured_one)
{
    struct providers *p = providers_of(t, TWO);

    set_list(p, "anthropic", "{\"data\":[{\"id\":\"gpt-5-not\"},{\"id\":\"odd\"}]}", 0);
    CHECK_STR("anthropic: as it came", goes(t, p, WIRE_MESSAGES, "odd"));
    CHECK_STR("openai: as it came", goes(t, p, WIRE_CHAT, "gpt-5-not"));
    providers_destroy(p);
}

TEST(a_model_of_another_wire_is_refused_with_the_path_that_has_it)
{
    struct providers *p = providers_of(t, TWO);

    CHECK_STR("invalid: the model \"claude-opus-5\" is of provider \"anthropic\", which answers "
              "/v1/messages: send it there",
              goes(t, p, WIRE_CHAT, "claude-opus-5"));
    CHECK_STR("invalid: the model \"openai/x\" is of provider \"openai\", which answers "
              "/v1/chat/completions or /v1/responses: send it there",
              goes(t, p, WIRE_MESSAGES, "openai/x"));
    CHECK_STR("invalid: the model \"fast\" is of provider \"openai\", which answers "
              "/v1/chat/completions or /v1/responses: send it there",
              goes(t, p, WIRE_MESSAGES, "fast"));
    providers_destroy(p);
}

TEST(a_name_that_another_wire_lists_is_not_refused_before_all_lists_are_there)
{
    struct providers *p = providers_of(t, "[provider \"a\"]\nkind = openai\nauth = none\n"
                                          "[provider \"b\"]\nkind = anthropic\nauth = none\n");

    set_list(p, "a", "{\"data\":[{\"id\":\"both\"},{\"id\":\"one\"}]}", 0);
    CHECK_STR("b: as it came", goes(t, p, WIRE_MESSAGES, "both")); /* b was not asked yet */
    set_list(p, "b", "{\"data\":[{\"id\":\"both\"}]}", 0);
    CHECK_STR("b: as it came", goes(t, p, WIRE_MESSAGES, "both"));
    CHECK_STR("invalid: the model \"one\" is of provider \"a\", which answers "
              "/v1/chat/completions or /v1/responses: send it there",
              goes(t, p, WIRE_MESSAGES, "one"));
    providers_destroy(p);
}

TEST(the_default_decides_between_providers_of_one_wire)
{
    static const char both[] = "[provider \"a\"]\nkind = openai\nauth = none\nmodels = m\n"
                               "[provider \"b\"]\nkind = openai\nauth = none\nmodels = m\n";
    struct providers *p = providers_of(t, both);

    CHECK_STR("a: as it came", goes(t, p, WIRE_CHAT, "m"));
    CHECK(strncmp(goes(t, p, WIRE_CHAT, "x"),
                  "not_found: no provider has the model \"x\" for "
                  "/v1/chat/completions",
                  60) == 0);
    providers_destroy(p);
    p = providers_of(t, arena_printf(t->arena, "%s[gateway]\ndefault = b\n", both));
    CHECK_STR("b: as it came", goes(t, p, WIRE_CHAT, "x"));
    CHECK_STR("b: as it came", goes(t, p, WIRE_CHAT, "m"));
    CHECK_STR("not_found: no provider has the model \"x\" for /v1/messages: send provider/model, "
              "list it in the models of a provider, or set default in [gateway]",
              goes(t, p, WIRE_MESSAGES, "x"));
    providers_destroy(p);
    p = providers_of(t, "");
    CHECK(strstr(goes(t, p, WIRE_CHAT, "x"), "no provider is configured") != NULL);
    providers_destroy(p);
}

#define OLLAMA                                                                                     \
    "[provider \"ollama\"]\nkind = openai-compatible\nbase_url = http://127.0.0.1:11434\n"         \
    "allow_private = yes\n"

TEST(a_local_runtime_refuses_a_model_it_does_not_have_while_its_list_is_fresh)
{
    struct providers *p = providers_of(t, OLLAMA);
    static const char tags[] = "{\"models\":[{\"name\":\"llama3:8b\"},{\"name\":\"qwen:7b\"}]}";

    CHECK_STR("ollama: as it came", goes(t, p, WIRE_CHAT, "phi")); /* nothing is known yet */
    set_list(p, "ollama", tags, 0);
    CHECK_STR("ollama: as it came", goes(t, p, WIRE_CHAT, "qwen:7b"));
    CHECK_STR("not_found: ollama has no model \"phi\" (it has llama3:8b, qwen:7b): get it with: "
              "ollama pull phi",
              goes(t, p, WIRE_CHAT, "phi"));
    CHECK_STR("not_found: ollama has no model \"phi\" (it has llama3:8b, qwen:7b): get it with: "
              "ollama pull phi",
              goes(t, p, WIRE_CHAT, "ollama/phi"));
    set_list(p, "ollama", "{\"models\":[]}", 0);
    CHECK_STR("not_found: ollama has no model \"phi\" (it has none): get it with: ollama pull phi",
              goes(t, p, WIRE_CHAT, "phi"));
    set_list(p, "ollama", tags, FRESH_MS + 1000);
    CHECK_STR("ollama: as it came", goes(t, p, WIRE_CHAT, "phi"));
    providers_destroy(p);
}

TEST(a_runtime_that_was_looked_for_gets_requests_once_it_is_found)
{
    struct providers *p = providers_of(t, TWO "[gateway]\ndiscover = yes\n");

    CHECK_STR("openai: as it came", goes(t, p, WIRE_CHAT, "ollama/qwen:7b"));
    set_list(p, "ollama", "{\"models\":[{\"name\":\"qwen:7b\"}]}", 0);
    CHECK_STR("ollama: qwen:7b", goes(t, p, WIRE_CHAT, "ollama/qwen:7b"));
    CHECK_STR("ollama: as it came", goes(t, p, WIRE_CHAT, "qwen:7b"));
    CHECK_STR("openai: as it came", goes(t, p, WIRE_CHAT, "phi"));
    providers_destroy(p);
}

TEST(fallbacks_follow_in_their_order_with_their_own_names)
{
    struct providers *p = providers_of(
        t, "[provider \"a\"]\nkind = openai\nauth = none\nfallback = b c d\nretries = 3\n"
           "[provider \"b\"]\nkind = openai-compatible\nbase_url = https://b.example\n"
           "alias = m=b-m\n"
           "[provider \"c\"]\nkind = openai\nkey_env = BOUGH_TEST_NO_KEY\n"
           "[provider \"d\"]\nkind = openai-compatible\nbase_url = https://d.example\n"
           "wires = chat responses\n[gateway]\ndefault = a\n");
    struct provider_route r = route(t, p, WIRE_CHAT, "a/m");

    CHECK_INT(3, r.retries);
    CHECK_INT(3, r.n); /* c has no key */
    CHECK_STR("a", r.targets[0].provider);
    CHECK_STR("m", r.targets[0].model);
    CHECK_STR("b", r.targets[1].provider);
    CHECK_STR("b-m", r.targets[1].model);
    CHECK_STR("https://b.example/v1/chat/completions", r.targets[1].url);
    CHECK_STR("d", r.targets[2].provider);
    r = route(t, p, WIRE_RESPONSES, "a/m");
    CHECK_INT(2, r.n); /* b has no such wire */
    CHECK_STR("m", r.targets[0].model);
    CHECK_STR("m", r.targets[1].model);
    providers_destroy(p);
}

TEST(a_target_says_everything_a_request_needs)
{
    struct providers *p = providers_of(
        t, "[provider \"o\"]\nkind = openai\nkey_env = BOUGH_TEST_KEY\n"
           "[provider \"m\"]\nkind = anthropic\nkey_env = BOUGH_TEST_KEY\nwhole_timeout = 2m\n"
           "[provider \"mine\"]\nkind = openai-compatible\nbase_url = https://x.example\n"
           "auth = client\nwires = chat messages\nask_usage = no\n"
           "[provider \"both\"]\nkind = openai-compatible\nbase_url = https://y.example\n"
           "key_env = BOUGH_TEST_KEY\nwires = chat messages\n");
    struct provider_route r;

    setenv("BOUGH_TEST_KEY", "sk-123", 1);
    r = route(t, p, WIRE_CHAT, "o/x");
    CHECK_STR("https://api.openai.com/v1/chat/completions", r.targets[0].url);
    CHECK_STR("Authorization: Bearer sk-123", r.targets[0].headers[0]);
    CHECK(!r.targets[0].headers[1]);
    CHECK_STR("openai", r.targets[0].price_name);
    CHECK(r.targets[0].ask_usage && !r.targets[0].client_key && !r.targets[0].allow_private);
    r = route(t, p, WIRE_MESSAGES, "m/x");
    CHECK_STR("https://api.anthropic.com/v1/messages", r.targets[0].url);
    CHECK_STR("x-api-key: sk-123", r.targets[0].headers[0]);
    CHECK_INT(120000, r.targets[0].whole_ms);
    r = route(t, p, WIRE_CHAT, "mine/x");
    CHECK(!r.targets[0].headers[0] && r.targets[0].client_key && !r.targets[0].ask_usage);
    r = route(t, p, WIRE_MESSAGES, "both/x");
    CHECK_STR("x-api-key: sk-123", r.targets[0].headers[0]);
    r = route(t, p, WIRE_CHAT, "both/x");
    CHECK_STR("Authorization: Bearer sk-123", r.targets[0].headers[0]);
    providers_no_usage(p, "o");
    CHECK(!route(t, p, WIRE_CHAT, "o/x").targets[0].ask_usage);
    unsetenv("BOUGH_TEST_KEY");
    providers_destroy(p);
}

TEST(a_path_of_the_client_cannot_leave_the_base_url)
{
    struct providers *p = providers_of(t, TWO);
    struct provider_ask ask = { .wire = WIRE_RESPONSES, .model = "", .name = "openai" };
    static const char *const bad[] = { "", "x", "/../a", "/a/../b", "/a//b", "/.", "/a/.b" };
    struct provider_route out;

    ask.path = "/responses/resp_1?x=#%\r\n@/cancel";
    CHECK_OK(providers_route(p, t->arena, &ask, &out, &t->err));
    CHECK_STR("https://api.openai.com/v1/responses/resp_1%3Fx%3D%23%25%0D%0A%40/cancel",
              out.targets[0].url);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ask.path = bad[i];
        CHECK_RC(BOUGH_NOT_FOUND, providers_route(p, t->arena, &ask, &out, &t->err));
    }
    providers_destroy(p);
}

TEST(a_request_can_name_its_provider)
{
    struct providers *p = providers_of(t, TWO);
    struct provider_ask ask = {
        .wire = WIRE_CHAT, .path = "/chat/completions", .model = "openai/gpt-5", .name = "openai"
    };
    struct provider_route out;

    CHECK_OK(providers_route(p, t->arena, &ask, &out, &t->err));
    CHECK_STR("gpt-5", out.targets[0].model);
    ask.name = "anthropic";
    CHECK_RC(BOUGH_INVALID, providers_route(p, t->arena, &ask, &out, &t->err));
    ask.name = "other";
    CHECK_RC(BOUGH_NOT_FOUND, providers_route(p, t->arena, &ask, &out, &t->err));
    CHECK_STR("there is no provider \"other\"", t->err.msg);
    providers_destroy(p);
}

TEST(patterns_match_with_stars_anywhere)
{
    CHECK(model_matches("*", ""));
    CHECK(model_matches("gpt-*", "gpt-5"));
    CHECK(model_matches("*-mini", "gpt-5-mini"));
    CHECK(model_matches("a*b*c", "aXbYbZc"));
    CHECK(!model_matches("a*b*c", "aXbYbZ"));
    CHECK(!model_matches("gpt-*", "gp"));
    CHECK(!model_matches("gpt", "gpt-5"));
    CHECK(!model_matches("", "x"));
}

TEST(another_configuration_counts_at_once_and_keeps_what_is_known)
{
    struct providers *p = providers_of(t, OLLAMA);
    struct config c = config_of(t, OLLAMA "models = extra\n[provider \"a\"]\nkind = openai\n"
                                          "auth = none\n");
    struct config wrong = config_of(t, "[provider \"a\"]\nkind = x\n");

    set_list(p, "ollama", "{\"models\":[{\"name\":\"qwen:7b\"}]}", 0);
    CHECK_RC(BOUGH_INVALID, providers_reload(p, wrong.at, wrong.n, &t->err));
    CHECK_STR("ollama: as it came", goes(t, p, WIRE_CHAT, "qwen:7b"));
    CHECK_OK(providers_reload(p, c.at, c.n, &t->err));
    CHECK_STR("ollama: as it came", goes(t, p, WIRE_CHAT, "qwen:7b"));
    CHECK_STR("ollama: as it came", goes(t, p, WIRE_CHAT, "extra"));
    CHECK_STR("a: as it came", goes(t, p, WIRE_CHAT, "gpt-5"));
    providers_destroy(p);
}

TEST(lists_and_settings_say_which_models_take_tools)
{
    struct providers *p = providers_of(t, "[provider \"router\"]\nkind = openai-compatible\n"
                                          "base_url = https://router.example/v1\n"
                                          "no_tools = old-*\n");

    set_list(p, "router",
             "{\"data\":[{\"id\":\"a\",\"supported_parameters\":[\"seed\",\"tools\"]},"
             "{\"id\":\"b\",\"supported_parameters\":[\"seed\"]},"
             "{\"id\":\"c\",\"capabilities\":{\"function_calling\":true}},"
             "{\"id\":\"d\",\"capabilities\":{\"function_calling\":false}},"
             "{\"id\":\"e\",\"capabilities\":[\"completion\"]},"
             "{\"id\":\"old-1\",\"supported_parameters\":[\"tools\"]}]}",
             0);
    CHECK_INT(1, providers_tools(p, "router", "a"));
    CHECK_INT(0, providers_tools(p, "router", "b"));
    CHECK_INT(1, providers_tools(p, "router", "c"));
    CHECK_INT(0, providers_tools(p, "router", "d"));
    CHECK_INT(-1, providers_tools(p, "router", "e"));
    CHECK_INT(-1, providers_tools(p, "router", "unknown"));
    CHECK_INT(0, providers_tools(p, "router", "old-1"));
    CHECK_INT(-1, providers_tools(p, "nobody", "a"));
    providers_destroy(p);
}

/* Where a turn goes: "provider wire", or the message of the refusal. */
static const char *any(struct test *t, struct providers *p, const char *model, const char *name)
{
    struct provider_ask ask = { .model = model, .name = name };
    struct provider_route out;

    if (providers_route_any(p, t->arena, &ask, &out, &t->err))
        return arena_printf(t->arena, "%s: %s", bough_rc_name(t->err.rc), t->err.msg);
    return arena_printf(t->arena, "%s %s", out.targets[0].provider, ask.path);
}

TEST(a_model_without_provider_goes_to_the_one_that_lists_it_whatever_its_wire)
{
    struct providers *p = providers_of(
        t, "[provider \"openai\"]\nkind = openai\nauth = none\n"
           "[provider \"router\"]\nkind = openai-compatible\nbase_url = https://r.example/v1\n"
           "[provider \"patterns\"]\nkind = openai-compatible\n"
           "base_url = https://p.example/v1\nmodels = llama-* odd-*\nalias = quick=llama-9\n"
           "[provider \"anthropic\"]\nkind = anthropic\nauth = none\nmodels = claude-x\n"
           "[provider \"locked\"]\nkind = openai-compatible\nbase_url = https://l.example/v1\n"
           "key_env = ROUTE_TEST_NO_SUCH_KEY\nmodels = secret-1\n");

    /* openai was not asked for its models yet, and may have any. */
    set_list(p, "router", "{\"data\":[{\"id\":\"llama-3\"},{\"id\":\"gpt-odd\"}]}", 0);
    CHECK_STR("router /chat/completions", any(t, p, "llama-3", NULL));
    CHECK_STR("router /chat/completions", any(t, p, "gpt-odd", NULL));
    CHECK_STR("anthropic /messages", any(t, p, "claude-x", NULL));
    CHECK_STR("patterns /chat/completions", any(t, p, "llama-4", NULL));
    CHECK_STR("patterns /chat/completions", any(t, p, "quick", NULL));
    CHECK_STR("openai /responses", any(t, p, "gpt-5.5", NULL));
    CHECK_STR("openai /responses", any(t, p, "llama-3", "openai"));
    CHECK_STR("openai /responses", any(t, p, "openai/llama-3", NULL));
    CHECK(strstr(any(t, p, "secret-1", NULL), "ROUTE_TEST_NO_SUCH_KEY"));
    providers_destroy(p);
}
