/* What a caller may do: its project, and scopes as words and bits. */
#include <stdio.h>
#include <string.h>

#include "auth/auth.h"
#include "base/memory/arena.h"
#include "base/memory/buf.h"
#include "base/text/str.h"

static const char *const words[] = {
    "read", "append", "fork", "delete", "export", "admin", "gateway", "mcp", "run", "approve",
};

enum { WORDS = sizeof words / sizeof *words };
_Static_assert((1u << WORDS) - 1 == AUTH_ALL, "every scope has its word, in the order of the bits");

const char *auth_scope_word(size_t i)
{
    return i < WORDS ? words[i] : i == WORDS ? "all" : NULL;
}

const char *auth_scope_name(enum auth_scope one)
{
    for (unsigned i = 0; i < WORDS; i++)
        if ((unsigned)one == 1u << i)
            return words[i];
    return "";
}

static enum bough_rc unknown(struct bough_str word, struct bough_error *err)
{
    char known[160] = "";
    size_t n = 0;

    for (size_t i = 0; i < WORDS && n < sizeof known; i++)
        n += (size_t)snprintf(known + n, sizeof known - n, "%s%s", i ? ", " : "", words[i]);
    return bough_fail(err, BOUGH_INVALID, "%.*s is not a scope: use %s or all",
                      word.n > 40 ? 40 : (int)word.n, word.p, known);
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
            return unknown(str_make(text, n), err);
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

const struct auth_who *auth_who(const struct http_req *req)
{
    return req->who;
}

bool auth_sees(const struct auth_who *who, const char *project)
{
    return !*who->project || strcmp(who->project, project) == 0;
}
