/* Probing an agent: which stage it reaches, and what is said about it. */
#include "acp/probe.h"

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "child/child.h"
#include "world.h"

static void probe(struct test *t, const char *setting, struct acp_probe *out)
{
    const struct adapter_line lines[] = {
        { "agent \"fake\"", "command", "node tests/fakes/acp-agent.mjs" },
        { "agent \"fake\"", "install", "install it" },
        { "agent \"fake\"", "set", setting },
    };
    struct adapters *all = arena_zalloc(t->arena, sizeof *all);
    struct acp_probe_options in = { .ms = 60000 };

    if (!child_lookup(t->arena, "node",
                      (const char *const[]){ "PATH=/usr/local/bin:/usr/bin:/bin", NULL }))
        SKIP("Node is not installed");
    CHECK_OK(adapters_read(t->arena, all, lines, 3, &t->err));
    CHECK_OK(children_create(&in.children, &t->err));
    in.adapter = adapter_find(all, "fake");
    if (strcmp(setting, "FAKE_INIT=silent") == 0)
        in.ms = 500;
    acp_probe(t->arena, &in, out);
    children_destroy(in.children);
}

TEST_SECONDS(a_probe_goes_through_all_stages, 60)
{
    struct acp_probe p;

    probe(t, "A=b", &p);
    CHECK_STR("", p.error);
    CHECK_STR("ready", acp_stage_name(p.stage));
    CHECK_STR("ready", acp_health_name(p.health));
    CHECK_STR("fake", p.agent);
    CHECK_STR("1.2.3", p.version);
    CHECK(strstr(p.options.p, "fake-large") != NULL);
}

TEST_SECONDS(a_probe_says_what_is_wrong_and_what_to_do, 90)
{
    struct acp_probe p;

    probe(t, "PATH=/nowhere", &p);
    CHECK_STR("lookup", acp_stage_name(p.stage));
    CHECK_STR("not_installed", acp_health_name(p.health));
    CHECK_STR("install it", p.hint);
    probe(t, "FAKE_INIT=exit", &p);
    CHECK_STR("initialize", acp_stage_name(p.stage));
    CHECK_STR("error", acp_health_name(p.health));
    CHECK_STR("the agent's process exited with 7", p.error);
    probe(t, "FAKE_INIT=silent", &p);
    CHECK_STR("error", acp_health_name(p.health));
    probe(t, "FAKE_NEW=auth", &p);
    CHECK_STR("new_session", acp_stage_name(p.stage));
    CHECK_STR("auth_required", acp_health_name(p.health));
    CHECK_STR("sign in to the agent: Log in", p.hint);
}
