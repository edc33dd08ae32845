/* Reads the [tools "name"] sections of the configuration. */
#include <ctype.h>
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/near.h"
#include "base/text/str.h"
#include "gateway/providers.h"
#include "tools/inside.h"

enum { NAME_MOST = 32, WORDS_MOST = 256, WORD_MOST = 4096, URL_MOST = 2000, SHELL_MOST_S = 3600 };

struct reading {
    struct tool_host *host;
    const struct gateway_setting *at; /* the line that is read */
    struct bough_error *err;
};

static enum bough_rc bad(const struct reading *r, const char *what)
{
    return bough_fail(r->err, BOUGH_INVALID, "[%.60s] %.40s: %s", r->at->section, r->at->name,
                      what);
}

/* ---- words of a command ---- */

/* One word at *text, without the quotes around it or inside of it. False: a quote is not closed. */
static bool take_word(struct bough_arena *a, const char **text, const char **out)
{
    struct buf word;
    char quote = '\0';

    buf_init(&word, WORD_MOST);
    for (; **text && (quote || !strchr(" \t\r\n", **text)); ++*text) {
        if (quote && **text == quote)
            quote = '\0';
        else if (!quote && (**text == '"' || **text == '\''))
            quote = **text;
        else
            buf_putc(&word, **text);
    }
    *out = word.n ? buf_give(&word, a).p : "";
    if (word.over)
        quote = '"';
    buf_finish(&word);
    return !quote;
}

static enum bough_rc take_words(struct reading *r, struct words *to, const char *text)
{
    struct bough_arena *a = r->host->a;

    for (text += strspn(text, " \t\r\n"); *text; text += strspn(text, " \t\r\n")) {
        const char *word;

        if (!take_word(a, &text, &word))
            return bad(r, "a quote is not closed, or a word is too long");
        if (to->n == WORDS_MOST)
            return bad(r, "there are too many words");
        to->at = arena_room(a, to->at, to->n, sizeof *to->at);
        to->at[to->n++] = word;
    }
    return to->n ? BOUGH_OK : bad(r, "a value is needed");
}

/* ---- one function a setting ---- */

static enum bough_rc take_command(struct reading *r, struct remote *m, const char *value)
{
    return take_words(r, &m->command, value);
}

static enum bough_rc take_url(struct reading *r, struct remote *m, const char *value)
{
    if (strncmp(value, "https://", 8) != 0 && strncmp(value, "http://", 7) != 0)
        return bad(r, "expected https://host/path");
    if (strlen(value) > URL_MOST || strpbrk(value, "@# \t\"\\"))
        return bad(r, "it must have no user, password, fragment or blank");
    m->url = arena_strdup(r->host->a, value);
    return BOUGH_OK;
}

static bool is_variable(const char *name, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isalnum((unsigned char)name[i]) && name[i] != '_')
            return false;
    return n > 0;
}

static enum bough_rc take_env(struct reading *r, struct remote *m, const char *value)
{
    enum bough_rc rc = take_words(r, &m->env, value);

    for (size_t i = 0; i < m->env.n && !rc; i++)
        if (!is_variable(m->env.at[i], strlen(m->env.at[i])))
            rc = bad(r, "expected names of environment variables; values are set with `set`");
    return rc;
}

static enum bough_rc take_set(struct reading *r, struct remote *m, const char *value)
{
    enum bough_rc rc = take_words(r, &m->set, value);

    for (size_t i = 0; i < m->set.n && !rc; i++) {
        size_t n = strcspn(m->set.at[i], "=");

        if (!m->set.at[i][n] || !is_variable(m->set.at[i], n))
            rc = bad(r, "expected NAME=value, NAME=$OTHER or NAME=file:/path");
    }
    return rc;
}

static enum bough_rc take_header(struct reading *r, struct remote *m, const char *value)
{
    size_t n = strcspn(value, ":");

    for (size_t i = 0; i < n; i++)
        if (!isalnum((unsigned char)value[i]) && !strchr("-_.", value[i]))
            n = 0;
    if (!n || value[n] != ':' || value[n + 1] != ' ' || !value[n + 2])
        return bad(r, "expected \"Name: value\", with $NAME or file:/path for a secret");
    if (m->headers.n == WORDS_MOST)
        return bad(r, "there are too many");
    m->headers.at = arena_room(r->host->a, m->headers.at, m->headers.n, sizeof *m->headers.at);
    m->headers.at[m->headers.n++] = arena_strdup(r->host->a, value);
    return BOUGH_OK;
}

static enum bough_rc take_dir(struct reading *r, struct remote *m, const char *value)
{
    m->dir = arena_strdup(r->host->a, value);
    return *value == '/' ? BOUGH_OK : bad(r, "expected a path from /");
}

static enum bough_rc take_flag(struct reading *r, bool *out, const char *value)
{
    return value_bool(value, out) ? BOUGH_OK : bad(r, "expected yes or no");
}

static enum bough_rc take_trust(struct reading *r, struct remote *m, const char *value)
{
    return take_flag(r, &m->trust, value);
}

static enum bough_rc take_private(struct reading *r, struct remote *m, const char *value)
{
    return take_flag(r, &m->allow_private, value);
}

static enum bough_rc take_off(struct reading *r, struct remote *m, const char *value)
{
    return take_flag(r, &m->off, value);
}

static enum bough_rc take_time(struct reading *r, int64_t *out, const char *value)
{
    return value_ms(value, out) ? BOUGH_OK
                                : bad(r, "expected a time such as 500ms, 10s, 5m or 1h, up to 24h");
}

static enum bough_rc take_start(struct reading *r, struct remote *m, const char *value)
{
    return take_time(r, &m->start_ms, value);
}

static enum bough_rc take_silent(struct reading *r, struct remote *m, const char *value)
{
    return take_time(r, &m->silent_ms, value);
}

static enum bough_rc take_whole(struct reading *r, struct remote *m, const char *value)
{
    return take_time(r, &m->whole_ms, value);
}

static const struct setting_row {
    const char *name;
    enum bough_rc (*take)(struct reading *r, struct remote *m, const char *value);
    bool list; /* may be given more than once */
} rows[] = {
    { "allow_private", take_private },
    { "command", take_command, true },
    { "dir", take_dir },
    { "env", take_env, true },
    { "header", take_header, true },
    { "off", take_off },
    { "set", take_set, true },
    { "silent_timeout", take_silent },
    { "start_timeout", take_start },
    { "trust", take_trust },
    { "url", take_url },
    { "whole_timeout", take_whole },
};

enum { ROWS = sizeof rows / sizeof *rows };
_Static_assert(ROWS <= 32, "one bit of remote.seen a setting");

static enum bough_rc take_setting(struct reading *r, struct remote *m)
{
    struct near n = near_begin(r->at->name);

    for (size_t i = 0; i < ROWS; i++) {
        near_try(&n, rows[i].name);
        if (strcmp(r->at->name, rows[i].name) != 0)
            continue;
        if (!rows[i].list && (m->seen & 1u << i))
            return bad(r, "it is set twice");
        m->seen |= 1u << i;
        return rows[i].take(r, m, r->at->value);
    }
    return near_best(&n)
               ? bad(r, arena_printf(r->host->a, "there is no such setting; did you mean %s?",
                                     near_best(&n)))
               : bad(r, "there is no such setting");
}

/* ---- the shell ---- */

static enum bough_rc take_shell(struct reading *r)
{
    struct shell_rules *shell = &r->host->shell;
    const char *name = r->at->name, *value = r->at->value;
    struct words names = { 0 };
    enum bough_rc rc;
    int64_t ms;

    if (strcmp(name, "on") == 0)
        return take_flag(r, &shell->on, value);
    if (strcmp(name, "confine") == 0)
        return take_flag(r, &shell->confine, value);
    if (strcmp(name, "timeout") == 0) {
        rc = take_time(r, &ms, value);
        if (!rc && ms > SHELL_MOST_S * INT64_C(1000))
            return bad(r, "expected at most 1h");
        shell->most_s = rc ? shell->most_s : (ms + 999) / 1000;
        return rc;
    }
    if (strcmp(name, "env") != 0)
        return bad(r, "the shell has on, confine, timeout and env");
    rc = take_words(r, &names, value);
    if (!rc) { /* ended by NULL */
        names.at = arena_room(r->host->a, names.at, names.n, sizeof *names.at);
        names.at[names.n] = NULL;
        shell->env = names.at;
    }
    return rc;
}

/* ---- sections ---- */

/* The name in `tools "name"`; empty: it is another section. */
static struct bough_str section_name(const char *section)
{
    static const char word[] = "tools \"";
    size_t n = strlen(section);

    if (strncmp(section, word, sizeof word - 1) != 0 || n < sizeof word || section[n - 1] != '"')
        return str_of("");
    return str_make(section + sizeof word - 1, n - sizeof word);
}

static bool is_name(struct bough_str name)
{
    for (size_t i = 0; i < name.n; i++)
        if (!isalnum((unsigned char)name.p[i]) && !strchr("-_", name.p[i]))
            return false;
    return name.n && name.n <= NAME_MOST && isalnum((unsigned char)*name.p);
}

static bool is_builtin(struct bough_str name)
{
    for (const struct builtin_server *const *b = builtin_servers; *b; b++)
        if (str_is(name, (*b)->name))
            return true;
    return false;
}

struct remote *remote_named(struct tool_host *h, const char *name)
{
    for (size_t i = 0; i < h->n; i++)
        if (strcmp(h->remotes[i].name, name) == 0)
            return &h->remotes[i];
    return NULL;
}

static enum bough_rc read_section(struct reading *r)
{
    struct bough_str name = section_name(r->at->section);
    struct tool_host *h = r->host;
    struct remote *m;

    if (str_is(name, "shell"))
        return take_shell(r);
    if (!is_name(name))
        return bough_fail(r->err, BOUGH_INVALID,
                          "[%.60s]: expected [tools \"name\"] with a name of up to %d letters, "
                          "digits, dashes and underscores",
                          r->at->section, NAME_MOST);
    if (is_builtin(name))
        return bough_fail(r->err, BOUGH_INVALID, "[%.60s]: this name is that of built-in tools",
                          r->at->section);
    m = remote_named(h, arena_strndup(h->a, name.p, name.n));
    if (!m && h->n == TOOL_REMOTES_MOST)
        return bough_fail(r->err, BOUGH_INVALID, "[%.60s]: there can be %d tool servers",
                          r->at->section, TOOL_REMOTES_MOST);
    if (!m) {
        m = &h->remotes[h->n++];
        m->name = arena_strndup(h->a, name.p, name.n);
    }
    return take_setting(r, m);
}

static enum bough_rc misfit(const struct remote *m, const char *what, struct bough_error *err)
{
    return bough_fail(err, BOUGH_INVALID, "[tools \"%s\"]: %s", m->name, what);
}

/* Settings that must fit together. */
static enum bough_rc check(const struct remote *m, struct bough_error *err)
{
    if (!m->command.n == !m->url)
        return misfit(m, "it needs a command or a url, and not both", err);
    if (m->url && (m->env.n || m->set.n || m->dir))
        return misfit(m, "env, set and dir are for a command", err);
    if (m->command.n && m->headers.n)
        return misfit(m, "header is for a url", err);
    if (m->url && strncmp(m->url, "http:", 5) == 0 && !m->allow_private)
        return misfit(m, "http is allowed only with allow_private = yes", err);
    return BOUGH_OK;
}

enum bough_rc settings_read(struct tool_host *h, const struct gateway_setting *settings, size_t n,
                            struct bough_error *err)
{
    struct reading r = { .host = h, .err = err };
    enum bough_rc rc = BOUGH_OK;

    h->remotes = arena_array(h->a, TOOL_REMOTES_MOST, sizeof *h->remotes);
    h->shell = (struct shell_rules){ .confine = true, .most_s = 120 };
    for (size_t i = 0; i < n && !rc; i++) {
        r.at = &settings[i];
        if (strncmp(r.at->section, "tools", 5) == 0)
            rc = read_section(&r);
    }
    for (size_t i = 0; i < h->n && !rc; i++)
        rc = check(&h->remotes[i], err);
    return rc;
}
