/* What the configuration says about runs: the server's name, workers, workspaces, rules. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "gateway/values.h"
#include "run/runner.h"

enum { RULES_MOST = 1000, ROOTS_MOST = 64, WORKERS_MOST = 256, CHAT_TURNS_MOST = 1000000 };

static bool is_section(const struct gateway_setting *s, const char *section, const char *name)
{
    return strcmp(s->section, section) == 0 && strcmp(s->name, name) == 0;
}

/* ---- rules ---- */

static bool take_word(const char **at, struct bough_arena *a, const char **word)
{
    size_t n;

    *at += strspn(*at, " \t");
    n = strcspn(*at, " \t");
    *word = arena_strndup(a, *at, n);
    *at += n;
    return n > 0;
}

static enum bough_rc bad_rule(const char *value, struct bough_error *err)
{
    return bough_fail(err, BOUGH_INVALID,
                      "[approvals] rule: %.80s is not \"allow|ask|deny SERVER/TOOL "
                      "[workspace=FOLDER]\"",
                      value);
}

static bool says_of(const char *word, enum rule_says *out)
{
    static const char *const words[] = { "allow", "ask", "deny" };

    for (size_t i = 0; i < 3; i++)
        if (strcmp(word, words[i]) == 0) {
            *out = (enum rule_says)i;
            return true;
        }
    return false;
}

static enum bough_rc take_rule(struct bough_arena *a, const char *value, struct run_settings *out,
                               struct bough_error *err)
{
    struct rule rule = { .workspace = "" };
    const char *at = value, *word;

    if (!take_word(&at, a, &word) || !says_of(word, &rule.says) || !take_word(&at, a, &rule.tool))
        return bad_rule(value, err);
    if (take_word(&at, a, &word)) {
        if (strncmp(word, "workspace=/", 11) != 0 || at[strspn(at, " \t")])
            return bad_rule(value, err);
        rule.workspace = word + 10;
    }
    if (out->nrules >= RULES_MOST)
        return bough_fail(err, BOUGH_INVALID, "[approvals] has more than %d rules", RULES_MOST);
    out->rules = arena_room(a, out->rules, out->nrules, sizeof *out->rules);
    out->rules[out->nrules++] = rule;
    return BOUGH_OK;
}

/* `*` stands for any text, also for none. */
static bool matches(const char *pattern, const char *text)
{
    const char *star = NULL, *retry = NULL;

    while (*text) {
        if (*pattern == '*') {
            star = ++pattern;
            retry = text;
        } else if (*pattern == *text) {
            pattern++;
            text++;
        } else if (star) {
            pattern = star;
            text = ++retry;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return !*pattern;
}

/* Is the folder `root`, or below it? */
static bool is_under(const char *folder, const char *root)
{
    size_t n = strlen(root);

    while (n > 1 && root[n - 1] == '/')
        n--;
    return strncmp(folder, root, n) == 0 && (n == 1 || !folder[n] || folder[n] == '/');
}

bool rules_find(const struct run_settings *s, const char *tool, const char *workspace,
                bool only_deny, enum rule_says *out)
{
    for (size_t i = 0; i < s->nrules; i++) {
        const struct rule *r = &s->rules[i];

        if ((only_deny && r->says != RULE_DENY) || !matches(r->tool, tool) ||
            (*r->workspace && !(*workspace && is_under(workspace, r->workspace))))
            continue;
        *out = r->says;
        return true;
    }
    return false;
}

bool runner_allows_all(const struct runner *r)
{
    enum rule_says says;

    /* Names that no rule for a certain tool matches. */
    return rules_find(&r->settings, "\x01/\x01", "", false, &says) && says == RULE_ALLOW;
}

/* ---- folders ---- */

static enum bough_rc add_root(struct bough_arena *a, const char *folder, struct run_settings *out,
                              struct bough_error *err)
{
    char *real = realpath(folder, NULL);

    if (!real)
        return bough_fail(err, BOUGH_INVALID, "[workspaces] root: %.150s: %s", folder,
                          strerror(errno));
    if (out->nroots >= ROOTS_MOST) {
        free(real);
        return bough_fail(err, BOUGH_INVALID, "[workspaces] has more than %d roots", ROOTS_MOST);
    }
    out->roots = arena_room(a, out->roots, out->nroots, sizeof *out->roots);
    out->roots[out->nroots++] = arena_strdup(a, real);
    free(real);
    return BOUGH_OK;
}

enum bough_rc workspace_resolve(const struct run_settings *s, struct bough_arena *a,
                                const char *folder, const char **out, struct bough_error *err)
{
    char *real;

    if (!s->nroots)
        return bough_fail(err, BOUGH_NOT_READY,
                          "this server has no workspaces: set `[workspaces] root` to the folder "
                          "that holds them");
    if (*folder != '/')
        return bough_fail(err, BOUGH_INVALID, "a workspace is an absolute path");
    real = realpath(folder, NULL);
    if (!real)
        return bough_fail(err, BOUGH_NOT_READY, "workspace %.150s: %s", folder, strerror(errno));
    *out = arena_strdup(a, real);
    free(real);
    for (size_t i = 0; i < s->nroots; i++)
        if (is_under(*out, s->roots[i]))
            return BOUGH_OK;
    return bough_fail(err, BOUGH_NOT_READY,
                      "workspace %.120s is not under a folder of `[workspaces] root`", folder);
}

enum bough_rc workspace_check(const char *folder, const char *project, struct bough_error *err)
{
    char *real;
    bool inside;

    if (cstr_empty(project) || *project != '/')
        return BOUGH_OK;
    real = realpath(project, NULL);
    inside = real && is_under(folder, real);
    free(real);
    return inside ? BOUGH_OK
                  : bough_fail(err, BOUGH_DENIED,
                               "this token is bound to one project: workspace %.120s is not in it",
                               folder);
}

/* ---- the rest ---- */

static enum bough_rc take_workers(const char *value, struct run_settings *out,
                                  struct bough_error *err)
{
    char *end;
    long n = strtol(value, &end, 10);

    if (!*value || *end || n < 0 || n > WORKERS_MOST)
        return bough_fail(err, BOUGH_INVALID, "[runs] workers: %.40s is not a number up to %d",
                          value, WORKERS_MOST);
    out->workers = n;
    return BOUGH_OK;
}

/* A time is "90s", "30m", "8h"; without a unit seconds. */
static enum bough_rc take_chat_limit(const struct gateway_setting *s, struct chat_limits *out,
                                     struct bough_error *err)
{
    bool ok;

    if (strcmp(s->name, "turns") == 0)
        ok = value_i64(s->value, 0, CHAT_TURNS_MOST, &out->turns);
    else if (strcmp(s->name, "duration") == 0)
        ok = value_ms(s->value, &out->duration_ms);
    else if (strcmp(s->name, "idle") == 0)
        ok = value_ms(s->value, &out->idle_ms);
    else
        return bough_fail(err, BOUGH_INVALID,
                          "[chats] has the settings turns, duration and idle, not %.40s", s->name);
    return ok ? BOUGH_OK
              : bough_fail(err, BOUGH_INVALID, "[chats] %s: %.40s is not such a limit", s->name,
                           s->value);
}

static enum bough_rc take_setting(struct bough_arena *a, const struct gateway_setting *s,
                                  struct run_settings *out, struct bough_error *err)
{
    if (is_section(s, "server", "name") && !out->host)
        out->host = arena_strdup(a, s->value);
    else if (is_section(s, "runs", "workers"))
        return take_workers(s->value, out, err);
    else if (is_section(s, "workspaces", "root"))
        return add_root(a, s->value, out, err);
    else if (is_section(s, "approvals", "rule"))
        return take_rule(a, s->value, out, err);
    else if (strcmp(s->section, "chats") == 0)
        return take_chat_limit(s, &out->chat, err);
    return BOUGH_OK;
}

static const char *machine_name(struct bough_arena *a)
{
    char name[256] = "";

    return gethostname(name, sizeof name - 1) || !*name ? "bough" : arena_strdup(a, name);
}

enum bough_rc run_settings_read(struct bough_arena *a, const struct runner_config *config,
                                struct run_settings *out, struct bough_error *err)
{
    enum bough_rc rc = BOUGH_OK;

    *out = (struct run_settings){ .workers = RUN_WORKERS,
                                  .host = config->host ? arena_strdup(a, config->host) : NULL };
    for (size_t i = 0; i < config->n && !rc; i++)
        rc = take_setting(a, &config->settings[i], out, err);
    if (!rc && !cstr_empty(config->workspace))
        rc = add_root(a, config->workspace, out, err);
    if (cstr_empty(out->host))
        out->host = machine_name(a);
    return rc;
}
