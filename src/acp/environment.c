/* What an agent gets of our environment, and what is set for it. */
#include <string.h>
#include <unistd.h>

#include "acp/adapter.h"
#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/memory/buf.h"
#include "base/os/fs.h"
#include "base/text/str.h"

extern char **environ;

enum { VARIABLES_MOST = 512, VALUE_MOST = 128 << 10 };

struct making {
    struct bough_arena *a;
    const struct adapter_variables *v;
    const char **env, **secrets;
    size_t n, nsecrets;
};

static bool is_usual(const char *name, size_t n)
{
    static const char *const names[] = { "PATH", "HOME", "USER", "LOGNAME",
                                         "LANG", "TZ",   "TERM", "TMPDIR" };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == n && memcmp(names[i], name, n) == 0)
            return true;
    return (n > 3 && memcmp(name, "LC_", 3) == 0) || (n > 4 && memcmp(name, "XDG_", 4) == 0);
}

static bool is_listed(const struct adapter *ad, const char *name, size_t n)
{
    for (size_t i = 0; i < ad->env.n; i++)
        if (strlen(ad->env.at[i]) == n && memcmp(ad->env.at[i], name, n) == 0)
            return true;
    return false;
}

/* A later value of a name replaces an earlier one. */
static void put(struct making *m, const char *pair)
{
    size_t n = strcspn(pair, "=") + 1, i = 0;

    while (i < m->n && strncmp(m->env[i], pair, n) != 0)
        i++;
    if (i == VARIABLES_MOST)
        return;
    m->env[i] = pair;
    if (i == m->n)
        m->n++;
}

static void hide(struct making *m, const char *value)
{
    if (*value && m->nsecrets < VARIABLES_MOST)
        m->secrets[m->nsecrets++] = value;
}

/* What an adapter lists by name may be a key, as the presets do: its value is a secret if the name
 * says so. */
static bool sounds_secret(const char *name, size_t n)
{
    static const char *const words[] = { "KEY", "TOKEN", "SECRET", "PASSWORD" };

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (memmem(name, n, words[i], strlen(words[i])))
            return true;
    return false;
}

static const char *const *ours(const struct making *m)
{
    return m->v->from ? m->v->from : (const char *const *)environ;
}

static void pass_on(struct making *m, const struct adapter *ad)
{
    for (const char *const *e = ours(m); e && *e; e++) {
        size_t n = strcspn(*e, "=");

        if (!(*e)[n] || !(is_usual(*e, n) || is_listed(ad, *e, n)))
            continue;
        put(m, arena_strdup(m->a, *e));
        if (is_listed(ad, *e, n) && sounds_secret(*e, n))
            hide(m, arena_strdup(m->a, *e + n + 1));
    }
}

/* ---- values that are set ---- */

static const char *from_environment(struct making *m, const char *name)
{
    size_t n = strlen(name);

    for (const char *const *e = ours(m); e && *e; e++)
        if (strncmp(*e, name, n) == 0 && (*e)[n] == '=')
            return arena_strdup(m->a, *e + n + 1);
    return NULL;
}

static const char *from_file(struct bough_arena *a, const char *path)
{
    struct bough_str text;

    if (fs_read(a, path, VALUE_MOST, &text, NULL))
        return NULL;
    while (text.n && (text.p[text.n - 1] == '\n' || text.p[text.n - 1] == '\r'))
        text.n--;
    return arena_strndup(a, text.p, text.n);
}

/* Replace ${gateway} and ${run_token}. NULL: one of them is not there. */
static const char *replace(struct making *m, const char *value)
{
    struct buf b;

    buf_init(&b, VALUE_MOST);
    while (*value) {
        bool gateway = strncmp(value, "${gateway}", 10) == 0;
        bool token = strncmp(value, "${run_token}", 12) == 0;
        const char *with = gateway ? m->v->gateway : token ? m->v->run_token : NULL;

        if ((gateway || token) && !with) {
            buf_finish(&b);
            return NULL;
        }
        if (with) {
            buf_puts(&b, with);
            value += gateway ? 10 : 12;
        } else {
            buf_putc(&b, *value++);
        }
    }
    if (m->v->run_token)
        hide(m, arena_strdup(m->a, m->v->run_token));
    return buf_give(&b, m->a).p;
}

static enum bough_rc set_one(struct making *m, const struct adapter *ad, const char *pair,
                             struct bough_error *err)
{
    size_t n = strcspn(pair, "=");
    const char *value = pair + n + 1, *got;
    bool secret = true;

    if (*value == '$' && value[1] != '{') {
        got = from_environment(m, value + 1);
    } else if (strncmp(value, "file:", 5) == 0) {
        got = from_file(m->a, value + 5);
    } else {
        got = replace(m, value);
        secret = false;
    }
    if (!got)
        return bough_fail(err, BOUGH_INVALID,
                          "[agent \"%s\"] set: %.*s needs %.80s, which is not there", ad->name,
                          (int)n, pair, value);
    if (secret)
        hide(m, got);
    put(m, arena_printf(m->a, "%.*s=%s", (int)n, pair, got));
    return BOUGH_OK;
}

enum bough_rc adapter_environment(struct bough_arena *a, const struct adapter *ad,
                                  const struct adapter_variables *v,
                                  struct adapter_environment *out, struct bough_error *err)
{
    struct making m = { a,
                        v,
                        arena_array(a, VARIABLES_MOST + 1, sizeof(char *)),
                        arena_array(a, VARIABLES_MOST + 1, sizeof(char *)),
                        0,
                        0 };
    enum bough_rc rc = BOUGH_OK;

    pass_on(&m, ad);
    for (size_t i = 0; i < ad->set.n && !rc; i++)
        rc = set_one(&m, ad, ad->set.at[i], err);
    *out = (struct adapter_environment){ m.env, m.secrets };
    return rc;
}

bool adapter_wants_token(const struct adapter *ad)
{
    for (size_t i = 0; i < ad->set.n; i++)
        if (strstr(ad->set.at[i], "${run_token}"))
            return true;
    return false;
}
