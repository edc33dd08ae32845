/* What tool servers and commands get of our environment, and secrets for them. */
#include <stdlib.h>
#include <string.h>

#include "base/memory/arena.h"
#include "base/memory/buf.h"
#include "base/text/str.h"
#include "child/environment.h"
#include "tools/inside.h"

extern char **environ;

enum { VALUE_MOST = 64 * 1024 };

struct list {
    struct bough_arena *a;
    const char **at;
    size_t n;
};

static void add(struct list *l, const char *text)
{
    l->at = arena_room(l->a, l->at, l->n, sizeof *l->at);
    l->at[l->n++] = text;
}

static const char **ended(struct list *l)
{
    add(l, NULL);
    return l->at;
}

/* ---- variables ---- */

const char **usual_environment(struct bough_arena *a, const char *const *names)
{
    static const char *const none[] = { NULL };
    struct list l = { .a = a };

    for (char **e = environ; e && *e; e++) {
        struct bough_str name = str_make(*e, strcspn(*e, "="));

        if (environment_is_usual(name) || str_among(name, names ? names : none))
            add(&l, arena_strdup(a, *e));
    }
    return ended(&l);
}

/* ---- secrets ---- */

/* environment_value(), with the section in the message. */
static enum bough_rc resolve(struct bough_arena *a, const struct remote *r, const char *text,
                             const char **out, bool *secret, struct bough_error *err)
{
    struct bough_error inner;

    return environment_value(a, NULL, text, out, secret, &inner)
               ? bough_fail(err, BOUGH_INVALID, "[tools \"%s\"]: %.200s", r->name, inner.msg)
               : BOUGH_OK;
}

static enum bough_rc set_variables(const struct remote *r, struct list *env, struct list *secrets,
                                   struct bough_error *err)
{
    enum bough_rc rc = BOUGH_OK;

    for (size_t i = 0; i < r->set.n && !rc; i++) {
        const char *pair = r->set.at[i], *value = "";
        size_t n = strcspn(pair, "=") + 1;
        bool secret;

        rc = resolve(env->a, r, pair + n, &value, &secret, err);
        if (rc)
            break;
        if (secret)
            add(secrets, value);
        add(env, arena_printf(env->a, "%.*s%s", (int)n, pair, value));
    }
    return rc;
}

/* A secret stands alone or behind one word: "Bearer $NAME". */
static enum bough_rc set_headers(const struct remote *r, struct list *headers, struct list *secrets,
                                 struct bough_error *err)
{
    enum bough_rc rc = BOUGH_OK;

    for (size_t i = 0; i < r->headers.n && !rc; i++) {
        const char *line = r->headers.at[i], *value = strchr(line, ':') + 2, *space, *got = "";
        bool secret;

        space = strchr(value, ' ');
        if (space && (space[1] == '$' || strncmp(space + 1, "file:", 5) == 0))
            value = space + 1;
        rc = resolve(headers->a, r, value, &got, &secret, err);
        if (!rc && strpbrk(got, "\r\n"))
            rc = bough_fail(err, BOUGH_INVALID, "[tools \"%s\"] header: it has a line break",
                            r->name);
        if (rc)
            break;
        if (secret)
            add(secrets, got);
        add(headers, arena_printf(headers->a, "%.*s%s", (int)(value - line), line, got));
    }
    return rc;
}

/* Values of variables that are passed on by name count as secrets if the name says so. */
static void hide_passed(const struct remote *r, struct list *secrets)
{
    for (size_t i = 0; i < r->env.n; i++)
        if (environment_is_secret(str_of(r->env.at[i])) && !cstr_empty(getenv(r->env.at[i])))
            add(secrets, arena_strdup(secrets->a, getenv(r->env.at[i])));
}

/* ---- the command ---- */

#define WORKSPACE "${workspace}"

bool remote_wants_workspace(const struct remote *r)
{
    for (size_t i = 0; i < r->command.n; i++)
        if (strstr(r->command.at[i], WORKSPACE))
            return true;
    return false;
}

static const char *with_workspace(struct bough_arena *a, const char *text, const char *workspace)
{
    const char *at;
    struct buf out;

    buf_init(&out, VALUE_MOST);
    for (; (at = strstr(text, WORKSPACE)); text = at + sizeof WORKSPACE - 1) {
        buf_put(&out, text, (size_t)(at - text));
        buf_puts(&out, workspace);
    }
    buf_puts(&out, text);
    text = out.n ? buf_give(&out, a).p : "";
    buf_finish(&out);
    return text;
}

enum bough_rc remote_surroundings(struct bough_arena *a, const struct remote *r,
                                  const char *workspace, struct surroundings *out,
                                  struct bough_error *err)
{
    struct list argv = { .a = a }, env = { .a = a }, headers = { .a = a }, secrets = { .a = a };
    struct list names = { .a = a };
    enum bough_rc rc;

    if (remote_wants_workspace(r) && !*workspace)
        return bough_fail(err, BOUGH_INVALID, "tool server \"%s\": it needs a workspace", r->name);
    for (size_t i = 0; i < r->command.n; i++)
        add(&argv, with_workspace(a, r->command.at[i], workspace));
    for (size_t i = 0; i < r->env.n; i++)
        add(&names, r->env.at[i]);
    for (const char **e = usual_environment(a, ended(&names)); *e; e++)
        add(&env, *e);
    hide_passed(r, &secrets);
    rc = set_variables(r, &env, &secrets, err);
    if (!rc)
        rc = set_headers(r, &headers, &secrets, err);
    if (!rc)
        *out = (struct surroundings){ ended(&argv), ended(&env), ended(&headers), ended(&secrets) };
    return rc;
}
