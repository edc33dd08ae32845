/* bough agents: the external agents that can be started, and whether they work. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "child/child.h"
#include "cli/kit/cli.h"
#include "cli/kit/config.h"
#include "cli/term/print.h"
#include "cli/term/table.h"
#include "run/external/agents.h"

struct listing {
    struct cli *c;
    struct children *children;
    struct agents *agents;
};

static int open_agents(struct listing *l)
{
    struct agents_config config = { .store = l->c->s };
    struct config_pairs all;
    struct cli *c = l->c;

    if (config_each(c->a, &all, &c->err) || children_create(&l->children, &c->err))
        return cli_failed(c);
    config.children = l->children;
    config.settings = all.at;
    config.n = all.n;
    return agents_create(&l->agents, &config, &c->err) ? cli_failed(c) : CLI_DONE;
}

static void close_agents(struct listing *l)
{
    agents_destroy(l->agents);
    children_destroy(l->children);
}

/* ---- ls ---- */

static void put_json(struct cli *c, const struct adapter *ad, const char *path)
{
    struct json_writer *w = out_json(&c->out);

    jw_obj(w);
    jw_kv_cstr(w, "name", ad->name);
    jw_kv_cstr(w, "title", ad->title);
    jw_kv_cstr(w, "program", ad->command.at[0]);
    jw_kv_cstr(w, "path", path);
    jw_kv_bool(w, "off", ad->off);
    jw_kv_cstr(w, "install", ad->install);
    jw_end_obj(w);
    out_json_end(&c->out);
}

static int list(struct listing *l)
{
    static const struct table_column columns[] = {
        { "AGENT", .look = PRINT_YELLOW },
        { "TITLE", .drop = 1 },
        { "STATE", .flex = false },
        { "NEXT STEP", .flex = true, .optional = true },
    };
    const struct adapters *all = agents_list(l->agents);
    struct cli *c = l->c;
    struct table t;

    table_init(&t, c->a, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < all->n; i++) {
        const struct adapter *ad = &all->at[i];
        const char *path = agents_lookup(l->agents, c->a, ad);

        if (c->out.json) {
            put_json(c, ad, path);
            continue;
        }
        table_put(&t, ad->name);
        table_put(&t, ad->title);
        table_put(&t, ad->off ? "off" : path ? "installed" : "not installed");
        table_put(&t, path ? "" : ad->install);
    }
    if (!c->out.json)
        table_print(&t, &c->out);
    return CLI_DONE;
}

/* ---- test ---- */

/* What an agent says is data: it cannot steer the terminal. */
static void put_line(const char *text)
{
    print_line(stdout, text);
    putchar('\n');
}

static void print_probe(struct cli *c, const char *name, const struct acp_probe *p)
{
    if (c->out.json) {
        acp_probe_json(out_json(&c->out), name, p);
        out_json_end(&c->out);
        return;
    }
    if (p->health == ACP_IS_READY)
        put_line(arena_printf(c->a, "%s: ready (%s %s)", name, p->agent, p->version));
    else
        put_line(arena_printf(c->a, "%s: %s at %s: %s", name, acp_health_name(p->health),
                              acp_stage_name(p->stage), p->error));
    if (*p->hint)
        put_line(arena_printf(c->a, "  what to do: %s", p->hint));
    if (p->health != ACP_IS_READY && p->err_tail.n)
        put_line(arena_printf(c->a, "  it said: %.*s", (int)p->err_tail.n, p->err_tail.p));
}

/* One agent, or all that are installed. */
static int test(struct listing *l, const char *only)
{
    const struct adapters *all = agents_list(l->agents);
    struct cli *c = l->c;
    char here[4096];
    size_t tested = 0, failed = 0;

    for (size_t i = 0; i < all->n; i++) {
        const struct adapter *ad = &all->at[i];
        struct acp_probe p;

        if (only ? strcmp(only, ad->name) != 0 : ad->off || !agents_lookup(l->agents, c->a, ad))
            continue;
        if (agents_probe(l->agents, c->a, ad->name, getcwd(here, sizeof here), NULL, &p, &c->err))
            return cli_failed(c);
        print_probe(c, ad->name, &p);
        tested++;
        failed += p.health != ACP_IS_READY;
    }
    if (!tested && only) {
        bough_fail(&c->err, BOUGH_NOT_FOUND, "there is no agent %.60s: see `bough agents`", only);
        return cli_failed(c);
    }
    if (!tested)
        cli_say(c, "no agent is installed");
    return failed ? CLI_FAILED : CLI_DONE;
}

/* ---- the command ---- */

static const char *const actions[] = { "ls", "test", NULL };

static int run(struct cli *c)
{
    struct listing l = { .c = c };
    bool tests = c->argc && strcmp(c->argv[0], "test") == 0;
    int rc;

    if (c->argc && !tests && strcmp(c->argv[0], "ls") != 0)
        return cli_usage(c, "%s is no action: see bough agents --help", c->argv[0]);
    if (c->argc > 1 && !tests)
        return cli_usage(c, "ls takes no name");
    rc = open_agents(&l);
    if (!rc)
        rc = tests ? test(&l, c->argc > 1 ? c->argv[1] : NULL) : list(&l);
    close_agents(&l);
    return rc;
}

static const struct cli_option options[] = {
    { "json", 0, NULL, "JSON Lines" },
    { 0 },
};

const struct cli_cmd cmd_agents = {
    .name = "agents",
    .args = "[action] [agent]",
    .summary = "list external agents, and test whether they work",
    .options = options,
    .run = run,
    .arg_words = actions,
    .about = "ls lists the agents of the configuration and the presets, and whether their programs "
             "are installed. test starts one, or all that are installed, begins a session in this "
             "folder and ends it; no prompt is sent. It says how far that came, and what to do.",
    .columns = "ls: agent, title, state, next step",
    .fields =
        "name, title, program, path, off, install; test: name, stage, status, program, agent, "
        "version, error, hint, stderr, options",
    .examples = "bough agents\n"
                "bough agents test claude",
};
