/* What an agent gets of our environment, and what is set for it. */
#include <string.h>
#include <unistd.h>

#include "acp/adapter.h"
#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/memory/buf.h"
#include "base/text/str.h"
#include "child/environment.h"

extern char **environ;

enum { VARIABLES_MOST = 512, VALUE_MOST = 128 << 10 };

struct making {
    struct bough_arena *a;
    const struct adapter_variables *v;
    const char **env, **secrets;
    size_t n, nsecrets;
};

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

static const char *const *ours(const struct making *m)
{
    return m->v->from ? m->v->from : (const char *const *)environ;
}

/* A variable that an adapter lists may be a key, as in the presets: its name tells. */
static void pass_on(struct making *m, const struct adapter *ad)
{
    for (const char *const *e = ours(m); e && *e; e++) {
        struct bough_str name = str_make(*e, strcspn(*e, "="));
        bool listed = is_listed(ad, name.p, name.n);

        if (!(*e)[name.n] || !(listed || environment_is_usual(name)))
            continue;
        put(m, arena_strdup(m->a, *e));
        if (listed && environment_is_secret(name))
            hide(m, arena_strdup(m->a, *e + name.n + 1));
    }
}

/* ---- values that are set ---- */

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
    const char *value = pair + n + 1, *got = NULL;
    bool secret = false;

    if (environment_value(m->a, m->v->from, value, &got, &secret, NULL))
        got = NULL;
    else if (!secret)
        got = replace(m, value);
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
