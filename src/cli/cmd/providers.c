/* bough providers: the providers of models in the configuration, and whether they answer. */
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "cli/kit/cli.h"
#include "cli/kit/models.h"
#include "cli/term/table.h"
#include "gateway/kit/try.h"
#include "gateway/providers_api.h"

/* ---- printing ---- */

static const char *routes_of(struct cli *c, const struct provider_info *p)
{
    const char *text = "";

    for (unsigned w = WIRE_CHAT; w <= WIRE_MESSAGES; w++)
        if (p->wires & 1u << w)
            text = arena_printf(c->a, "%s%s%s", text, *text ? " " : "", wire_name((enum wire)w));
    return text;
}

static const char *state_of(const struct provider_info *p)
{
    return p->blocked ? p->blocked : p->asked ? "ok" : "not asked";
}

static void put_row(struct cli *c, struct table *t, const struct provider_info *p)
{
    if (c->out.json) {
        provider_form(out_json(&c->out), p, true);
        out_json_end(&c->out);
        return;
    }
    table_put(t, p->name);
    table_put(t, provider_kind_name(p->kind));
    table_put(t, state_of(p));
    table_put(t, p->asked && p->reachable ? arena_printf(c->a, "%d ms", (int)p->latency_ms) : "");
    table_put(t, p->models_time ? arena_printf(c->a, "%zu", p->nmodels) : "");
    table_put(t, routes_of(c, p));
    table_put(t, *p->key_source ? p->key_source : provider_auth_name(p->auth));
    table_put(t, p->nsteps ? p->steps[0].text : p->asked ? p->last_error : "");
}

static void put_all(struct cli *c, const struct provider_infos *all, const char *only)
{
    static const struct table_column columns[] = {
        { "PROVIDER", .look = PRINT_YELLOW },
        { "KIND", .drop = 4 },
        { "STATE", .flex = false },
        { "LATENCY", .right = true, .drop = 3, .optional = true },
        { "MODELS", .right = true, .drop = 2, .optional = true },
        { "WIRES", .drop = 5 },
        { "KEY", .drop = 1 },
        { "NEXT STEP", .flex = true, .optional = true },
    };
    struct table t;

    table_init(&t, c->a, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < all->n; i++)
        if (!only || strcmp(all->at[i].name, only) == 0)
            put_row(c, &t, &all->at[i]);
    table_print(&t, &c->out);
}

static int no_providers(void)
{
    fputs("no providers: set OPENAI_API_KEY or ANTHROPIC_API_KEY, or add [provider \"name\"] "
          "sections to the configuration file (see `bough help providers`)\n",
          stderr);
    return CLI_FAILED;
}

/* ---- verbs ---- */

static int list(struct cli *c, struct gateway *g)
{
    struct provider_infos all;

    providers_list(gateway_providers(g), c->a, &all);
    if (!all.n)
        return no_providers();
    put_all(c, &all, NULL);
    return CLI_DONE;
}

static int call(struct cli *c, struct gateway *g, const char *name, const char *model)
{
    struct provider_tried tried;

    if (providers_try(gateway_providers(g), c->a, name, model, &tried, &c->err))
        return cli_failed(c);
    if (c->out.json) {
        struct json_writer *w = out_json(&c->out);

        jw_obj(w);
        jw_kv_cstr(w, "provider", tried.provider);
        jw_kv_cstr(w, "route", tried.path);
        jw_kv_i64(w, "status", tried.status);
        jw_kv_i64(w, "latency_ms", tried.ms);
        jw_kv_cstr(w, "error", *tried.why ? tried.why : NULL);
        jw_end_obj(w);
        out_json_end(&c->out);
    } else {
        print_line(stdout, *tried.why ? arena_printf(c->a, "%s did not answer %s: %s",
                                                     tried.provider, tried.path, tried.why)
                                      : arena_printf(c->a, "%s answered %s in %d ms",
                                                     tried.provider, tried.path, (int)tried.ms));
        putchar('\n');
    }
    return *tried.why ? CLI_FAILED : CLI_DONE;
}

static int test(struct cli *c, struct gateway *g)
{
    const char *name = c->argc > 1 ? c->argv[1] : NULL, *model = cli_value(c, "call");
    struct provider_infos all;
    bool failed = false, any = false;

    if (providers_refresh(gateway_providers(g), name, &c->err))
        return cli_failed(c);
    providers_list(gateway_providers(g), c->a, &all);
    for (size_t i = 0; i < all.n; i++)
        if (!name || strcmp(all.at[i].name, name) == 0) {
            any = true;
            failed |=
                all.at[i].blocked != NULL || (!all.at[i].models_time && all.at[i].last_error[0]);
        }
    if (!any)
        return no_providers();
    put_all(c, &all, name);
    if (model && !failed)
        return call(c, g, name, model);
    return failed ? CLI_FAILED : CLI_DONE;
}

static int run(struct cli *c)
{
    const char *verb = c->argc ? c->argv[0] : "ls";
    struct gateway *g = NULL;
    int rc;

    if (strcmp(verb, "ls") != 0 && strcmp(verb, "test") != 0)
        return cli_usage(c, "expected ls or test, not \"%s\"", verb);
    if (strcmp(verb, "ls") == 0 && (c->argc > 1 || cli_has(c, "call")))
        return cli_usage(c, "providers ls takes no argument and no --call");
    rc = cli_models(c, &g);
    if (g)
        rc = strcmp(verb, "ls") == 0 ? list(c, g) : test(c, g);
    gateway_destroy(g);
    return rc;
}

static const struct cli_option options[] = {
    { "call", 0, "MODEL", "test: also send one request of a few tokens, which costs money" },
    { "json", 0, NULL, "JSON Lines" },
    { 0 },
};

const struct cli_cmd cmd_providers = {
    .name = "providers",
    .args = "[ls|test] [provider]",
    .arg_words = (const char *const[]){ "ls", "test", NULL },
    .summary = "list the providers of models, and test whether they answer",
    .options = options,
    .run = run,
    .about =
        "Providers are configured in sections of the configuration file, [provider \"name\"], "
        "with kind = openai, anthropic, gemini, openai-compatible or demo; docs/gateway.md has all "
        "settings. Without such a section, openai and anthropic are there if OPENAI_API_KEY or "
        "ANTHROPIC_API_KEY is set. With discover = yes in [gateway], runtimes on this machine are "
        "looked for: Ollama, LM Studio, llama.cpp, vLLM.\n\ntest asks each provider for its list "
        "of "
        "models, which costs nothing, and fails if one cannot be used. A key is never printed, "
        "only where it comes from.",
    .columns = "name, kind, state, latency, number of models, wires, source of the key, next step",
    .fields = "those of GET /api/v1/providers/{provider}; with --call also provider, route, "
              "status, latency_ms, error",
    .examples = "bough providers test  # can all of them be used?\nbough providers test openai "
                "--call gpt-5-mini  # and does it answer?",
};
