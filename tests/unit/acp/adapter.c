/* Adapters: presets, settings, and the environment of an agent. */
#include "acp/adapter.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory/arena.h"
#include "lib/test.h"

static struct adapters *adapters(struct test *t, const struct adapter_line *lines, size_t n)
{
    struct adapters *all = arena_zalloc(t->arena, sizeof *all);

    CHECK_OK(adapters_read(t->arena, all, lines, n, &t->err));
    return all;
}

TEST(the_presets_are_there_and_settings_change_single_members)
{
    const struct adapter_line lines[] = {
        { "agent \"claude\"", "command", "npx \"my agent\" --flag" },
        { "provider \"x\"", "command", "ignored" },
        { "agent \"own\"", "command", "own-agent" },
        { "agent \"own\"", "approve", "deny" },
        { "agent \"own\"", "memory", "2G" },
        { "agent \"own\"", "handover", "no" },
    };
    const struct adapters *all = adapters(t, lines, 6);
    const struct adapter *ad = adapter_find(all, "claude");

    CHECK_INT(6, all->n);
    CHECK_INT(3, ad->command.n);
    CHECK_STR("my agent", ad->command.at[1]);
    CHECK(ad->command.at[3] == NULL);
    CHECK_STR("Claude Code", ad->title);
    CHECK_STR("workspace-write", adapter_find(all, "codex")->mode);
    ad = adapter_find(all, "own");
    CHECK_INT(ADAPTER_DENY, ad->approve);
    CHECK(!ad->handover && ad->memory == INT64_C(2) << 30);
    CHECK(adapter_find(all, "nobody") == NULL);
}

static void refuse(struct test *t, const char *section, const char *name, const char *value)
{
    struct adapters *all = arena_zalloc(t->arena, sizeof *all);
    struct adapter_line l = { section, name, value };

    CHECK_RC(BOUGH_INVALID, adapters_read(t->arena, all, &l, 1, &t->err));
    CHECK(strstr(t->err.msg, "agent") != NULL);
}

TEST(wrong_settings_are_named)
{
    refuse(t, "agent \"x\"", "title", "no command");
    refuse(t, "agent \"claude\"", "colour", "red");
    refuse(t, "agent \"claude\"", "approve", "perhaps");
    refuse(t, "agent \"claude\"", "command", "");
    refuse(t, "agent \"claude\"", "command", "a \"b");
    refuse(t, "agent \"claude\"", "memory", "2X");
    refuse(t, "agent \"claude\"", "set", "=x");
    refuse(t, "agent \"a/b\"", "command", "x");
}

static const char *value(const struct adapter_environment *e, const char *name)
{
    size_t n = strlen(name);

    for (const char **at = e->env; *at; at++)
        if (strncmp(*at, name, n) == 0 && (*at)[n] == '=')
            return *at + n + 1;
    return NULL;
}

static bool is_secret(const struct adapter_environment *e, const char *what)
{
    for (const char **at = e->secrets; *at; at++)
        if (strcmp(*at, what) == 0)
            return true;
    return false;
}

TEST(an_agent_gets_only_what_is_usual_listed_or_set)
{
    char *path = test_path(t, "key");
    const struct adapter_line lines[] = {
        { "agent \"own\"", "command", "own-agent" },
        { "agent \"own\"", "env", "LISTED LISTED_KEY" },
        { "agent \"own\"", "set", "URL=${gateway}/v1" },
        { "agent \"own\"", "set", "TOKEN=${run_token}" },
        { "agent \"own\"", "set", "FROM_ENV=$CANARY" },
        { "agent \"own\"", "set", arena_printf(t->arena, "FROM_FILE=file:%s", path) },
        { "agent \"own\"", "set", "LISTED=changed" },
    };
    const struct adapter *ad = adapter_find(adapters(t, lines, 7), "own");
    struct adapter_variables v = { "http://127.0.0.1:1", "tok-123456" };
    struct adapter_environment e;
    FILE *f = fopen(path, "w");

    fputs("key of a file\n", f);
    fclose(f);
    setenv("CANARY", "a canary", 1);
    setenv("LISTED", "was this", 1);
    setenv("LISTED_KEY", "a listed key", 1);
    setenv("LC_CANARY", "C", 1);
    CHECK_OK(adapter_environment(t->arena, ad, &v, &e, &t->err));
    CHECK(value(&e, "CANARY") == NULL);
    CHECK_STR("C", value(&e, "LC_CANARY"));
    CHECK_STR("changed", value(&e, "LISTED"));
    CHECK_STR("http://127.0.0.1:1/v1", value(&e, "URL"));
    CHECK_STR("tok-123456", value(&e, "TOKEN"));
    CHECK_STR("a canary", value(&e, "FROM_ENV"));
    CHECK_STR("key of a file", value(&e, "FROM_FILE"));
    CHECK(is_secret(&e, "a canary") && is_secret(&e, "key of a file"));
    CHECK(is_secret(&e, "tok-123456") && is_secret(&e, "a listed key"));
    CHECK(adapter_wants_token(ad));
    v.run_token = NULL;
    CHECK_RC(BOUGH_INVALID, adapter_environment(t->arena, ad, &v, &e, &t->err));
    unsetenv("CANARY");
    v.run_token = "tok-123456";
    CHECK_RC(BOUGH_INVALID, adapter_environment(t->arena, ad, &v, &e, &t->err));
}
