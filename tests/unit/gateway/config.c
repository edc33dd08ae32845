/* A configuration in one text, for tests of the gateway. */
#include "unit/gateway/config.h"

#include "base/memory/arena.h"

struct config config_of(struct test *t, const char *text)
{
    const char *section = "";
    struct config c = { 0 };

    while (*text) {
        size_t n = strcspn(text, "\n");
        char *line = arena_strndup(t->arena, text, n), *equal = strstr(line, " = ");

        text += n + (text[n] == '\n');
        if (*line == '[') {
            section = line + 1;
            line[n - 1] = '\0';
        } else if (equal) {
            *equal = '\0';
            c.at = arena_room(t->arena, c.at, c.n, sizeof *c.at);
            c.at[c.n++] = (struct gateway_setting){ section, line, equal + 3 };
        }
    }
    return c;
}

struct providers *providers_of(struct test *t, const char *text)
{
    struct config c = config_of(t, text);
    struct providers *p = NULL;

    CHECK_OK(providers_create(&p, c.at, c.n, &t->err));
    return p;
}

const char *refusal_of(struct test *t, const char *text)
{
    struct config c = config_of(t, text);
    struct providers *p;

    CHECK_RC(BOUGH_INVALID, providers_create(&p, c.at, c.n, &t->err));
    return arena_strdup(t->arena, t->err.msg);
}

struct providers *local(struct test *t, struct upstream *u, const char *name, const char *more)
{
    return providers_of(t,
                        arena_printf(t->arena,
                                     "[provider \"%s\"]\nkind = openai-compatible\nbase_url = %s\n"
                                     "allow_private = yes\n%s",
                                     name, upstream_url(t, u, ""), more));
}

struct provider_info info(struct test *t, struct providers *p, const char *name)
{
    struct provider_info out;

    CHECK_OK(providers_info(p, t->arena, name, &out, &t->err));
    return out;
}

struct provider_info refreshed(struct test *t, struct providers *p, const char *name)
{
    CHECK_OK(providers_refresh(p, name, &t->err));
    return info(t, p, name);
}
