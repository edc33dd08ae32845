/* Scopes: words and bits. */
#include <string.h>

#include "auth/auth.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"

static const char *const words[] = {
    "read", "append", "fork", "delete", "export", "admin", "gateway", "mcp",
};

enum { WORDS = sizeof words / sizeof *words };

const char *auth_scope_name(enum auth_scope one)
{
    for (unsigned i = 0; i < WORDS; i++)
        if ((unsigned)one == 1u << i)
            return words[i];
    return "";
}

enum bough_rc auth_scopes_parse(const char *text, unsigned *out, struct bough_error *err)
{
    *out = 0;
    while (*text) {
        size_t n = strcspn(text, ", "), i;

        for (i = 0; i < WORDS; i++)
            if (str_is(str_make(text, n), words[i]))
                break;
        if (i < WORDS)
            *out |= 1u << i;
        else if (str_is(str_make(text, n), "all"))
            *out |= AUTH_ALL;
        else if (n)
            return bough_fail(err, BOUGH_INVALID,
                              "%.*s is no scope: read, append, fork, delete, export, admin, "
                              "gateway, mcp or all",
                              n > 40 ? 40 : (int)n, text);
        text += n;
        text += *text != '\0';
    }
    return *out ? BOUGH_OK : bough_fail(err, BOUGH_INVALID, "a token needs a scope");
}

const char *auth_scopes_text(struct bough_arena *a, unsigned scopes)
{
    struct buf b;
    char *text;

    if ((scopes & AUTH_ALL) == AUTH_ALL)
        return "all";
    buf_init(&b, 256);
    for (unsigned i = 0; i < WORDS; i++)
        if (scopes & 1u << i)
            buf_printf(&b, "%s%s", b.n ? "," : "", words[i]);
    text = arena_strndup(a, b.p, b.n);
    buf_finish(&b);
    return text;
}
