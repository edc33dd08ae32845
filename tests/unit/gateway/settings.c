/* Settings of providers: defaults, refusals, and rows of prices. */
#include <stdlib.h>

#include "base/memory/arena.h"
#include "base/text/iso.h"
#include "base/text/str.h"
#include "core/price/price.h"
#include "unit/gateway/config.h"

static struct provider *only(struct providers *p)
{
    CHECK_INT(1, p->set->n);
    return p->set->at[0];
}

TEST(a_provider_needs_only_its_kind)
{
    struct providers *p = providers_of(t, "[provider \"a\"]\nkind = openai\n");
    const struct provider *one = only(p);

    CHECK_STR("a", one->name);
    CHECK_STR("https://api.openai.com/v1", one->base);
    CHECK_STR("https://api.openai.com", one->origin);
    CHECK_STR("openai", one->price_name);
    CHECK_INT(KEY_ENV, one->source);
    CHECK_STR("OPENAI_API_KEY", one->key);
    CHECK_INT(1 << WIRE_CHAT | 1 << WIRE_RESPONSES, one->wires);
    CHECK_INT(10000, one->connect_ms);
    CHECK_INT(600000, one->first_ms);
    CHECK_INT(300000, one->between_ms);
    CHECK_INT(3600000, one->whole_ms);
    CHECK_INT(0, one->retries);
    CHECK(one->ask_usage && !one->allow_private && !one->local);
    providers_destroy(p);
}

TEST(every_kind_has_its_own_defaults)
{
    static const struct {
        const char *text, *base, *price, *key;
        unsigned wires;
    } rows[] = {
        { "kind = anthropic\n", "https://api.anthropic.com/v1", "anthropic", "ANTHROPIC_API_KEY",
          1 << WIRE_MESSAGES },
        { "kind = gemini\n", "https://generativelanguage.googleapis.com/v1beta/openai", "google",
          "GEMINI_API_KEY", 1 << WIRE_CHAT },
        { "kind = openai-compatible\nbase_url = https://x.example\n", "https://x.example/v1", "a",
          NULL, 1 << WIRE_CHAT },
        { "kind = demo\n", "http://demo.invalid/v1", "demo", NULL, 1 << WIRE_CHAT },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct providers *p =
            providers_of(t, arena_printf(t->arena, "[provider \"a\"]\n%s", rows[i].text));
        const struct provider *one = only(p);

        CHECK_STR(rows[i].base, one->base);
        CHECK_STR(rows[i].price, one->price_name);
        CHECK(cstr_eq(rows[i].key, one->key));
        CHECK_INT(rows[i].wires, one->wires);
        CHECK_INT(rows[i].key ? PROVIDER_KEY : PROVIDER_NO_AUTH, one->auth);
        providers_destroy(p);
    }
}

TEST(all_settings_of_a_provider_are_read)
{
    struct providers *p = providers_of(
        t, "[provider \"a\"]\nkind = openai-compatible\nbase_url = http://10.0.0.1:8080/llm/v2/\n"
           "allow_private = yes\nkey_file = /k\nauth = key\nmodels = x-1, y*\nmodels = z\n"
           "alias = fast=x-1 smart=y-2\nwires = chat messages\nprice_provider = vllm\n"
           "fallback = b\nretries = 5\nconnect_timeout = 500ms\nfirst_timeout = 2 m\n"
           "between_timeout = 7\nwhole_timeout = 1h\nask_usage = no\n"
           "[provider \"b\"]\nkind = openai\n[gateway]\ndefault = b\nrecord = off\n");
    const struct provider *one = p->set->at[0];

    CHECK_INT(2, p->set->n);
    CHECK_STR("http://10.0.0.1:8080/llm/v2", one->base);
    CHECK_STR("http://10.0.0.1:8080", one->origin);
    CHECK_INT(KEY_FILE, one->source);
    CHECK_INT(3, one->models.n);
    CHECK_STR("z", one->models.at[2]);
    CHECK_INT(2, one->naliases);
    CHECK_STR("smart", one->aliases[1].name);
    CHECK_STR("y-2", one->aliases[1].model);
    CHECK_INT(1 << WIRE_CHAT | 1 << WIRE_MESSAGES, one->wires);
    CHECK_INT(RUNTIME_VLLM, one->runtime);
    CHECK_STR("b", one->fallback.at[0]);
    CHECK_INT(5, one->retries);
    CHECK_INT(500, one->connect_ms);
    CHECK_INT(120000, one->first_ms);
    CHECK_INT(7000, one->between_ms);
    CHECK_INT(3600000, one->whole_ms);
    CHECK(!one->ask_usage && one->local);
    CHECK_STR("b", p->set->preferred);
    providers_destroy(p);
}

#define A "[provider \"a\"]\n"
#define COMPATIBLE A "kind = openai-compatible\n"

TEST(a_wrong_setting_is_refused_by_section_and_name)
{
    static const struct {
        const char *text, *says;
    } rows[] = {
        { A "kind = openai\nmodell = x\n",
          "[provider \"a\"] modell: there is no such setting; did you mean models?" },
        { A "kind = azure\n",
          "[provider \"a\"] kind: expected openai, anthropic, gemini, openai-compatible or demo" },
        { A "retries = 1\n", "[provider \"a\"] kind: it is needed" },
        { A "kind = openai\nkind = openai\n", "[provider \"a\"] kind: it is set twice" },
        { A "kind = openai\nretries = 6\n", "[provider \"a\"] retries: expected 0 to 5" },
        { A "kind = openai\nretries = -1\n", "[provider \"a\"] retries: expected 0 to 5" },
        { A "kind = openai\nallow_private = maybe\n",
          "[provider \"a\"] allow_private: expected yes or no" },
        { A "kind = openai\nconnect_timeout = soon\n",
          "[provider \"a\"] connect_timeout: expected a time such as 500ms, 10s, 5m or 1h, up to "
          "24h" },
        { A "kind = openai\nwhole_timeout = 25h\n",
          "[provider \"a\"] whole_timeout: expected a time such as 500ms, 10s, 5m or 1h, up to "
          "24h" },
        { A "kind = openai\nfirst_timeout = 0\n",
          "[provider \"a\"] first_timeout: expected a time such as 500ms, 10s, 5m or 1h, up to "
          "24h" },
        { A "kind = openai\nwires = gemini\n",
          "[provider \"a\"] wires: expected chat, responses or messages" },
        { A "kind = openai\nalias = fast\n",
          "[provider \"a\"] alias: expected pairs such as fast=gpt-5-mini, separated by blanks" },
        { A "kind = openai\nfallback = b\n",
          "[provider \"a\"] fallback: it names no other provider" },
        { A "kind = openai\nfallback = a\n",
          "[provider \"a\"] fallback: it names no other provider" },
        { A "kind = openai\nfallback = b\n[provider \"b\"]\nkind = anthropic\n",
          "[provider \"a\"] fallback: the two have no wire in common" },
        { A "kind = openai\nkey_env = A\nkey_file = /b\n",
          "[provider \"a\"] key_file: only one of key_env, key_file and key_command can be set" },
        { A "kind = openai\nkey_env = sk-secret\n",
          "[provider \"a\"] key_env: expected the name of an environment variable, not the key" },
        { A "kind = openai\nkey_file = here\n",
          "[provider \"a\"] key_file: expected a path from /" },
        { A "kind = openai\nauth = client\nkey_env = A\n",
          "[provider \"a\"] auth: with a key it can only be key" },
        { COMPATIBLE "base_url = https://x\nauth = key\n",
          "[provider \"a\"] auth: set key_env, key_file or key_command too" },
        { COMPATIBLE, "[provider \"a\"] base_url: an openai-compatible provider needs one" },
        { "[gateway]\ndefault = b\n", "[gateway] default: there is no provider \"b\"" },
        { "[gateway]\ndiscover = often\n", "[gateway] discover: expected yes or no" },
        { "[gateway]\nollama_port = x\n",
          "[gateway] ollama_port: expected a port, or 0 to not look for it" },
        { "[provider]\nkind = openai\n", NULL },
        { "[provider \"a/b\"]\nkind = openai\n", NULL },
        { "[provider \"\"]\nkind = openai\n", NULL },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *got = refusal_of(t, rows[i].text);

        if (rows[i].says)
            CHECK_STR(rows[i].says, got);
        else
            CHECK(strstr(got, "expected [provider \"name\"]") != NULL);
    }
}

TEST(a_base_url_is_https_or_private_and_nothing_else)
{
    static const struct {
        const char *url, *becomes;
        bool allow_private;
    } rows[] = {
        { "https://x.example", "https://x.example/v1", false },
        { "https://x.example/", "https://x.example/v1", false },
        { "https://x.example:8443/a/b/", "https://x.example:8443/a/b", false },
        { "http://127.0.0.1:11434", "http://127.0.0.1:11434/v1", true },
        { "http://[::1]:8080/v1", "http://[::1]:8080/v1", true },
        { "http://x.example", NULL, false },
        { "https://user:secret@x.example", NULL, true },
        { "https://user@x.example", NULL, true },
        { "https://x.example/v1?key=1", NULL, true },
        { "https://x.example/v1#a", NULL, true },
        { "https://x.example/../v1", NULL, true },
        { "https://x.example//v1", NULL, true },
        { "https://x.example/%2e/v1", NULL, true },
        { "https://x.example\\@y.example", NULL, true },
        { "https://x.example:0", NULL, true },
        { "https://x.example:99999", NULL, true },
        { "https://x.example:", NULL, true },
        { "https://", NULL, true },
        { "https:///v1", NULL, true },
        { "https://[::1", NULL, true },
        { "https://x y", NULL, true },
        { "file:///etc/passwd", NULL, true },
        { "ftp://x.example", NULL, true },
        { "x.example", NULL, true },
        { "", NULL, true },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *origin, *why,
            *got = value_url(t->arena, rows[i].url, rows[i].allow_private, &origin, &why);

        if (!cstr_eq(rows[i].becomes, got))
            FAIL("%s becomes %s", rows[i].url, got ? got : "nothing");
    }
}

TEST(a_refused_url_is_not_shown_because_it_may_hold_a_password)
{
    const char *got = refusal_of(t, COMPATIBLE "base_url = https://me:canary@x.example\n");

    CHECK(strstr(got, "canary") == NULL);
    CHECK_STR("[provider \"a\"] base_url: it must have no user, password, query or fragment", got);
}

TEST(without_sections_the_usual_variables_make_providers)
{
    struct providers *p;

    setenv("OPENAI_API_KEY", "sk-1", 1);
    setenv("ANTHROPIC_API_KEY", "sk-2", 1);
    p = providers_of(t, "");
    CHECK_INT(2, p->set->n);
    CHECK_STR("openai", p->set->at[0]->name);
    CHECK_STR("anthropic", p->set->at[1]->name);
    CHECK(p->set->at[0]->state.due == INT64_MAX); /* not asked before it is used */
    providers_destroy(p);
    p = providers_of(t, "[provider \"a\"]\nkind = openai\n");
    CHECK_STR("a", only(p)->name);
    providers_destroy(p);
    unsetenv("OPENAI_API_KEY");
    unsetenv("ANTHROPIC_API_KEY");
    p = providers_of(t, "");
    CHECK_INT(0, p->set->n);
    providers_destroy(p);
}

TEST(discovery_adds_the_local_runtimes_that_are_not_configured)
{
    struct providers *p = providers_of(
        t, "[gateway]\ndiscover = yes\nollama_port = 4711\nlmstudio_port = 0\n"
           "[provider \"vllm\"]\nkind = openai-compatible\nbase_url = https://gpu.example\n");

    CHECK_INT(3, p->set->n);
    CHECK_STR("vllm", p->set->at[0]->name);
    CHECK(!p->set->at[0]->discovered);
    CHECK_STR("ollama", p->set->at[1]->name);
    CHECK_STR("http://127.0.0.1:4711/v1", p->set->at[1]->base);
    CHECK(p->set->at[1]->discovered && p->set->at[1]->allow_private);
    CHECK_STR("llamacpp", p->set->at[2]->name);
    providers_destroy(p);
}

/* ---- prices ---- */

static int64_t price_at(struct test *t, struct providers *p, const char *model, const char *day,
                        enum price_cell cell)
{
    struct price_table table;
    const struct price *found;

    CHECK_OK(providers_prices(p, t->arena, &table, &t->err));
    found = price_find(&table, "openai", model, iso_parse(day));
    CHECK(found != NULL);
    return found->cell[cell];
}

TEST(a_price_of_the_configuration_overrides_ours_on_every_day)
{
    struct providers *p = providers_of(t, "[price \"openai/gpt-5.5\"]\ninput = 1.5\n"
                                          "[price \"openai/my-model*\"]\ninput = 10\noutput = 20\n"
                                          "valid_from = 2026-02-01\nnote = a contract\n"),
                     *none = providers_of(t, "");

    CHECK_INT(1500, price_at(t, p, "gpt-5.5", "2026-11-16T00:00:00Z", PRICE_INPUT));
    /* what the section does not say stays */
    CHECK_INT(price_at(t, none, "gpt-5.5", "2026-11-16T00:00:00Z", PRICE_OUTPUT),
              price_at(t, p, "gpt-5.5", "2026-11-16T00:00:00Z", PRICE_OUTPUT));
    CHECK_INT(10000, price_at(t, p, "my-model-7", "2026-11-16T00:00:00Z", PRICE_INPUT));
    CHECK_INT(0, providers_price_rows(none, t->arena).n);
    providers_destroy(p);
    providers_destroy(none);
}

TEST(a_wrong_price_is_refused_by_section)
{
    CHECK_STR("[price \"openai\"]: expected [price \"provider/model\"]",
              refusal_of(t, "[price \"openai\"]\ninput = 1\n"));
    CHECK_STR("[price \"a/b\"] inputt: there is no such price",
              refusal_of(t, "[price \"a/b\"]\ninputt = 1\n"));
    CHECK_STR("[price \"a/b\"]: input and output are needed",
              refusal_of(t, "[price \"a/b\"]\ninput = 1\n"));
    CHECK_STR("[price \"a/b\"]: input is a number with up to three decimals",
              refusal_of(t, "[price \"a/b\"]\ninput = cheap\noutput = 1\n"));
    CHECK_STR("[price \"a/b\"]: valid_from is a day such as 2026-01-31",
              refusal_of(t, "[price \"a/b\"]\ninput = 1\noutput = 1\nvalid_from = today\n"));
    CHECK_STR("[price \"a/b\"] input: there must be no comma and no quote",
              refusal_of(t, "[price \"a/b\"]\ninput = 1,5\noutput = 1\n"));
}
