/* Keys of providers: where they are read, how long they are kept, and that they are never shown. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "base/os/fs.h"
#include "base/os/log.h"
#include "base/text/str.h"
#include "unit/gateway/config.h"

TEST(a_key_is_read_anew_from_its_file_which_others_must_not_read)
{
    const char *path = test_path(t, "key");
    struct upstream *u = upstream_start();
    struct providers *p = local(t, u, "x", arena_printf(t->arena, "key_file = %s\n", path));
    struct provider_info i = info(t, p, "x");
    struct upstream_request r;

    CHECK(!i.configured);
    CHECK_STR("no_key", i.blocked);
    CHECK_STR("set_key", i.steps[0].act);
    CHECK(strstr(i.steps[0].text, "does not exist") != NULL);
    upstream_say(u, "GET /v1/models", 200, LIST);
    CHECK(strstr(refreshed(t, p, "x").last_error, "has no key") != NULL);
    CHECK_INT(0, upstream_count(u)); /* not asked without a key */
    CHECK_OK(fs_write(path, str_of("sk-one\n"), 0600, &t->err));
    i = refreshed(t, p, "x");
    CHECK(i.configured && !i.blocked);
    CHECK_STR(arena_printf(t->arena, "file %s", path), i.key_source);
    CHECK_OK(fs_write(path, str_of("sk-two\r\nmore\n"), 0600, &t->err));
    CHECK_INT(2, refreshed(t, p, "x").nmodels);
    r = upstream_request(t, u, 0);
    CHECK_STR("Bearer sk-one", upstream_header(t, &r, "Authorization"));
    r = upstream_request(t, u, 1);
    CHECK_STR("Bearer sk-two", upstream_header(t, &r, "Authorization"));
    CHECK_INT(0, chmod(path, 0644));
    CHECK(strstr(refreshed(t, p, "x").steps[0].text, "chmod 600") != NULL);
    CHECK_INT(2, upstream_count(u));
    CHECK_OK(fs_write(path, str_of("a b\n"), 0600, &t->err));
    CHECK(strstr(info(t, p, "x").steps[0].text, "character that a key cannot have") != NULL);
    CHECK_OK(fs_write(path, str_of(""), 0600, &t->err));
    CHECK(strstr(info(t, p, "x").steps[0].text, "is empty") != NULL);
    providers_destroy(p);
    upstream_stop(u);
}

static const char *run_command(struct test *t, const char *command, const char *const *without,
                               int64_t ms)
{
    char *line;

    if (command_line(command, without, ms, &line, &t->err))
        return arena_printf(t->arena, "%s: %s", bough_rc_name(t->err.rc), t->err.msg);
    command = arena_strdup(t->arena, line);
    key_wipe(line);
    return command;
}

TEST(a_command_prints_the_key_on_its_first_line_within_its_time)
{
    static const char *const none[] = { NULL }, *const secret[] = { "BOUGH_TEST_SECRET", NULL };

    CHECK_STR("sk-1", run_command(t, "echo sk-1; echo more", none, 10000));
    CHECK_STR("denied: it printed no key and ended with 0", run_command(t, "true", none, 10000));
    CHECK_STR("denied: it printed no key and ended with 3",
              run_command(t, "echo x; exit 3", none, 10000));
    CHECK_STR("denied: it printed no key and ended with 127",
              run_command(t, "no-such-command-here 2>&-", none, 10000));
    CHECK(strncmp("timeout: ", run_command(t, "echo x; sleep 1000", none, 200), 9) == 0);
    CHECK(strncmp("timeout: ", run_command(t, "cat /dev/zero", none, 10000), 9) == 0);
    /* a process in the background does not hold it up for long */
    CHECK(strncmp("timeout: ", run_command(t, "sleep 1000 & echo x", none, 200), 9) == 0);
    setenv("BOUGH_TEST_SECRET", "canary", 1);
    CHECK_STR("[]", run_command(t, "echo \"[$BOUGH_TEST_SECRET]\"", secret, 10000));
    CHECK_STR("[canary]", run_command(t, "echo \"[$BOUGH_TEST_SECRET]\"", none, 10000));
    unsetenv("BOUGH_TEST_SECRET");
}

TEST(the_key_of_a_command_is_kept_for_a_minute_and_forgotten_when_it_is_refused)
{
    const char *runs = test_path(t, "runs");
    struct upstream *u = upstream_start();
    struct providers *p =
        local(t, u, "x", arena_printf(t->arena, "key_command = echo >> %s; echo sk-1\n", runs));
    struct provider_ask ask = { .wire = WIRE_CHAT, .path = "/chat/completions", .model = "x/m" };
    struct provider_route out;

    p->env = t->env.env;
    for (int i = 0; i < 3; i++)
        CHECK_OK(providers_route(p, t->arena, &ask, &out, &t->err));
    CHECK_STR("Authorization: Bearer sk-1", out.targets[0].headers[0]);
    CHECK_INT(1, fs_size(runs));
    t->env.now += KEY_KEPT_MS;
    CHECK_OK(providers_route(p, t->arena, &ask, &out, &t->err));
    CHECK_INT(2, fs_size(runs));
    upstream_say(u, "GET /v1/models", 401, "{}");
    CHECK_OK(providers_refresh(p, "x", &t->err));
    CHECK_INT(3, fs_size(runs));
    CHECK_OK(providers_route(p, t->arena, &ask, &out, &t->err));
    CHECK_INT(4, fs_size(runs));
    CHECK_STR("key_refused", info(t, p, "x").blocked);
    CHECK_STR("command", info(t, p, "x").key_source);
    providers_destroy(p);
    upstream_stop(u);
}

/* Everything that is logged while a test runs. */
static char logged[65536];

static void on_log(void *user, enum log_level level, const char *line)
{
    size_t n = strlen(logged);

    (void)user;
    (void)level;
    (void)snprintf(logged + n, sizeof logged - n, "%s\n", line);
}

static void no_canary(const char *text)
{
    if (strstr(text, "canary"))
        FAIL("the key is in: %s", text);
}

static void check_info(const struct provider_info *i)
{
    no_canary(i->key_source);
    no_canary(i->base_url);
    no_canary(i->last_error);
    for (size_t k = 0; k < i->nsteps; k++)
        no_canary(i->steps[k].text);
}

TEST(a_key_is_in_no_message_report_log_or_environment)
{
    static const char *const sources[] = { "key_env = BOUGH_TEST_CANARY\n", "key_file = %s\n",
                                           "key_command = echo sk-canary\n" };
    static const char *const bodies[] = { "{\"error\":\"bad key sk-canary\"}", "sk-canary", LIST };
    static const int statuses[] = { 401, 500, 200 };
    const char *path = test_path(t, "key");
    struct upstream *u = upstream_start();

    logged[0] = '\0';
    log_set_sink(on_log, NULL);
    CHECK_OK(fs_write(path, str_of("sk-canary\n"), 0600, &t->err));
    for (size_t s = 0; s < 3; s++) {
        const char *more = s == 1 ? arena_printf(t->arena, "key_file = %s\n", path) : sources[s];
        struct provider_ask ask = { .wire = WIRE_MESSAGES, .path = "/messages", .model = "x/m" };
        struct provider_route out;
        struct providers *p;

        setenv("BOUGH_TEST_CANARY", "sk-canary", 1);
        p = local(t, u, "x", more);
        providers_hide_keys(p);
        if (s == 0)
            CHECK_STR("", getenv("BOUGH_TEST_CANARY"));
        for (size_t b = 0; b < 3; b++) {
            struct upstream_request r;
            struct provider_info i;

            upstream_forget(u, "GET /v1/models");
            upstream_say(u, "GET /v1/models", statuses[b], bodies[b]);
            i = refreshed(t, p, "x");
            check_info(&i);
            r = upstream_request(t, u, upstream_count(u) - 1);
            CHECK_STR("Bearer sk-canary", upstream_header(t, &r, "authorization"));
        }
        CHECK_RC(BOUGH_INVALID, providers_route(p, t->arena, &ask, &out, &t->err));
        no_canary(t->err.msg);
        providers_destroy(p);
    }
    no_canary(logged);
    log_set_sink(NULL, NULL);
    unsetenv("BOUGH_TEST_CANARY");
    upstream_stop(u);
}

TEST(a_key_that_a_header_cannot_carry_is_refused_without_being_shown)
{
    struct providers *p =
        providers_of(t, "[provider \"x\"]\nkind = openai\nkey_env = BOUGH_TEST_CANARY\n");
    struct provider_ask ask = { .wire = WIRE_CHAT, .path = "/chat/completions", .model = "x/m" };
    struct provider_route out;

    CHECK_RC(BOUGH_DENIED, providers_route(p, t->arena, &ask, &out, &t->err));
    CHECK_STR("provider \"x\" has no key: set BOUGH_TEST_CANARY in the server's environment",
              t->err.msg);
    setenv("BOUGH_TEST_CANARY", "canary\r\nX-Evil: 1", 1);
    CHECK_RC(BOUGH_DENIED, providers_route(p, t->arena, &ask, &out, &t->err));
    CHECK(strstr(t->err.msg, "canary") == NULL);
    unsetenv("BOUGH_TEST_CANARY");
    providers_destroy(p);
}

TEST(a_hidden_key_is_still_used_after_the_configuration_was_read_again)
{
    struct config more =
        config_of(t, "[provider \"x\"]\nkind = openai\nkey_env = BOUGH_TEST_CANARY\n");
    struct providers *p;

    setenv("OPENAI_API_KEY", "sk-1", 1);
    p = providers_of(t, "");
    providers_hide_keys(p);
    CHECK_STR("", getenv("OPENAI_API_KEY"));
    setenv("BOUGH_TEST_CANARY", "sk-2", 1);
    CHECK_OK(providers_reload(p, NULL, 0, &t->err));
    CHECK(info(t, p, "openai").configured);
    CHECK_OK(providers_reload(p, more.at, more.n, &t->err));
    CHECK_STR("", getenv("BOUGH_TEST_CANARY")); /* a key that is named later is hidden too */
    CHECK(info(t, p, "x").configured);
    unsetenv("BOUGH_TEST_CANARY");
    unsetenv("OPENAI_API_KEY");
    providers_destroy(p);
}
