/* Adapters of external agents: presets and settings. */
#include "acp/adapter.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"

extern const char data_agents[]; /* data/agents.ini, made by scripts/embed */

enum { NAME_MOST = 40, WORDS_MOST = 128 };

/* ---- values ---- */

static bool add_word(struct bough_arena *a, struct adapter_words *w, const char *p, size_t n)
{
    if (w->n >= WORDS_MOST)
        return false;
    w->at =
        arena_resize(a, w->at, w->n ? (w->n + 1) * sizeof *w->at : 0, (w->n + 2) * sizeof *w->at);
    w->at[w->n++] = arena_strndup(a, p, n);
    w->at[w->n] = NULL;
    return true;
}

/* Words between blanks; "..." and '...' hold blanks. Nothing else is special: no shell. */
static bool split(struct bough_arena *a, const char *s, struct adapter_words *out)
{
    *out = (struct adapter_words){ 0 };
    for (s += strspn(s, " \t"); *s; s += strspn(s, " \t")) {
        char quote = *s == '"' || *s == '\'' ? *s : 0;
        const char *end = quote ? strchr(s + 1, quote) : s + strcspn(s, " \t");

        if (!end || !add_word(a, out, s + !!quote, (size_t)(end - s) - !!quote))
            return false;
        s = quote ? end + 1 : end;
    }
    return true;
}

static bool yes_or_no(const char *s, bool *out)
{
    *out = strcmp(s, "yes") == 0 || strcmp(s, "true") == 0 || strcmp(s, "on") == 0;
    return *out || strcmp(s, "no") == 0 || strcmp(s, "false") == 0 || strcmp(s, "off") == 0;
}

/* "512M", "2G", or bytes. */
static bool bytes(const char *s, int64_t *out)
{
    char *end;
    long long n = strtoll(s, &end, 10);
    int shift = *end == 'G' ? 30 : *end == 'M' ? 20 : *end == 'K' ? 10 : 0;

    if (end == s || n < 0 || n > INT64_MAX >> 31 || end[shift > 0])
        return false;
    *out = (int64_t)n << shift;
    return true;
}

static bool approve(const char *s, enum adapter_approve *out)
{
    static const char *const words[] = { "ask", "allow", "deny" };

    for (size_t i = 0; i < 3; i++)
        if (strcmp(s, words[i]) == 0) {
            *out = (enum adapter_approve)i;
            return true;
        }
    return false;
}

/* ---- settings ---- */

static bool set_title(struct bough_arena *a, struct adapter *ad, const char *v)
{
    (void)a;
    ad->title = v;
    return *v != '\0';
}

static bool set_command(struct bough_arena *a, struct adapter *ad, const char *v)
{
    return split(a, v, &ad->command) && ad->command.n > 0;
}

static bool set_env(struct bough_arena *a, struct adapter *ad, const char *v)
{
    return split(a, v, &ad->env);
}

/* One variable a line, so that a value may hold anything. */
static bool set_set(struct bough_arena *a, struct adapter *ad, const char *v)
{
    const char *eq = strchr(v, '=');

    return eq && eq > v && add_word(a, &ad->set, v, strlen(v));
}

static bool set_approve(struct bough_arena *a, struct adapter *ad, const char *v)
{
    (void)a;
    return approve(v, &ad->approve);
}

static bool set_mode(struct bough_arena *a, struct adapter *ad, const char *v)
{
    (void)a;
    ad->mode = v;
    return true;
}

static bool set_auth(struct bough_arena *a, struct adapter *ad, const char *v)
{
    (void)a;
    ad->auth = v;
    return true;
}

static bool set_handover(struct bough_arena *a, struct adapter *ad, const char *v)
{
    (void)a;
    return yes_or_no(v, &ad->handover);
}

static bool set_off(struct bough_arena *a, struct adapter *ad, const char *v)
{
    (void)a;
    return yes_or_no(v, &ad->off);
}

static bool set_memory(struct bough_arena *a, struct adapter *ad, const char *v)
{
    (void)a;
    return bytes(v, &ad->memory);
}

static bool set_install(struct bough_arena *a, struct adapter *ad, const char *v)
{
    (void)a;
    ad->install = v;
    return true;
}

static bool set_login(struct bough_arena *a, struct adapter *ad, const char *v)
{
    (void)a;
    ad->login = v;
    return true;
}

static const struct {
    const char *name;
    bool (*set)(struct bough_arena *a, struct adapter *ad, const char *value);
    const char *wants;
} settings[] = {
    { "title", set_title, "a name" },
    { "command", set_command, "a program and its arguments" },
    { "env", set_env, "names of variables" },
    { "set", set_set, "NAME=value" },
    { "approve", set_approve, "ask, allow or deny" },
    { "mode", set_mode, "a mode" },
    { "auth", set_auth, "a method" },
    { "handover", set_handover, "yes or no" },
    { "off", set_off, "yes or no" },
    { "memory", set_memory, "a size, such as 2G" },
    { "install", set_install, "a text" },
    { "login", set_login, "a text" },
};

/* `agent "claude"`: the name in it, in `a`; NULL: another section. */
static const char *name_in(struct bough_arena *a, const char *section)
{
    size_t n = strlen(section);

    if (strncmp(section, "agent \"", 7) != 0 || n < 9 || section[n - 1] != '"')
        return NULL;
    return arena_strndup(a, section + 7, n - 8);
}

static bool is_name(const char *s)
{
    size_t n = strlen(s);

    for (const char *p = s; *p; p++)
        if (!isalnum((unsigned char)*p) && !strchr("-_.", *p))
            return false;
    return n > 0 && n <= NAME_MOST;
}

static struct adapter *find(struct adapters *all, const char *name)
{
    for (size_t i = 0; i < all->n; i++)
        if (strcmp(all->at[i].name, name) == 0)
            return &all->at[i];
    return NULL;
}

static struct adapter *find_or_add(struct adapters *all, const char *name)
{
    struct adapter *ad = find(all, name);

    if (ad || all->n == ADAPTERS_MOST)
        return ad;
    ad = &all->at[all->n++];
    *ad = (struct adapter){ .name = name,
                            .title = name,
                            .mode = "",
                            .auth = "",
                            .handover = true,
                            .install = "",
                            .login = "" };
    return ad;
}

static enum bough_rc take_line(struct bough_arena *a, struct adapters *all,
                               const struct adapter_line *l, struct bough_error *err)
{
    const char *name = name_in(a, l->section);
    struct adapter *ad;

    if (!name)
        return BOUGH_OK;
    if (!is_name(name))
        return bough_fail(err, BOUGH_INVALID,
                          "[agent \"%.60s\"]: a name has at most 40 letters, digits, - _ and .",
                          name);
    ad = find_or_add(all, name);
    if (!ad)
        return bough_fail(err, BOUGH_INVALID, "there are more than %d agents", ADAPTERS_MOST);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        if (strcmp(settings[i].name, l->name) != 0)
            continue;
        if (settings[i].set(a, ad, arena_strdup(a, l->value)))
            return BOUGH_OK;
        return bough_fail(err, BOUGH_INVALID, "[agent \"%s\"] %s: expected %s", name, l->name,
                          settings[i].wants);
    }
    return bough_fail(err, BOUGH_INVALID, "[agent \"%s\"] has no setting \"%.60s\"", name, l->name);
}

/* ---- the presets ---- */

static const char *trimmed(struct bough_arena *a, const char *p, const char *end)
{
    while (p < end && isspace((unsigned char)*p))
        p++;
    while (end > p && isspace((unsigned char)end[-1]))
        end--;
    return arena_strndup(a, p, (size_t)(end - p));
}

/* Our own file, so only its plain form is read: sections, name = value, comments behind ";". */
static enum bough_rc take_presets(struct bough_arena *a, struct adapters *all,
                                  struct bough_error *err)
{
    struct adapter_line l = { .section = "" };
    enum bough_rc rc = BOUGH_OK;

    for (const char *p = data_agents; *p && !rc;) {
        const char *end = p + strcspn(p, "\n"), *eq = memchr(p, '=', (size_t)(end - p));

        if (*p == '[') {
            l.section = arena_strndup(a, p + 1, strcspn(p, "]") - 1);
        } else if (*p != ';' && eq) {
            l.name = trimmed(a, p, eq);
            l.value = trimmed(a, eq + 1, end);
            rc = take_line(a, all, &l, err);
        }
        p = *end ? end + 1 : end;
    }
    return rc;
}

enum bough_rc adapters_read(struct bough_arena *a, struct adapters *out,
                            const struct adapter_line *lines, size_t n, struct bough_error *err)
{
    enum bough_rc rc;

    out->n = 0;
    rc = take_presets(a, out, err);
    for (size_t i = 0; i < n && !rc; i++)
        rc = take_line(a, out, &lines[i], err);
    for (size_t i = 0; i < out->n && !rc; i++)
        if (out->at[i].command.n == 0)
            rc = bough_fail(err, BOUGH_INVALID, "[agent \"%s\"] has no command", out->at[i].name);
    return rc;
}

const struct adapter *adapter_find(const struct adapters *all, const char *name)
{
    for (size_t i = 0; i < all->n; i++)
        if (strcmp(all->at[i].name, name) == 0)
            return &all->at[i];
    return NULL;
}
