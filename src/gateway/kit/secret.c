/* Blanks keys of providers in their answers. */
#include "gateway/kit/secret.h"

#include <string.h>
#include <strings.h>

#include "base/memory/arena.h"
#include "base/text/str.h"

enum { KEY_LEAST = 8 }; /* shorter ones are words of errors, too */

/* The value of a header line that carries a key; NULL: it carries none. */
static const char *key_in(const char *line)
{
    static const char *const names[] = { "x-api-key: ", "Authorization: Bearer " };

    for (size_t i = 0; i < 2; i++)
        if (strncasecmp(line, names[i], strlen(names[i])) == 0)
            return line + strlen(names[i]);
    return NULL;
}

void secret_blank(const struct provider_target *to, char *p, size_t n)
{
    for (const char *const *line = to->headers; line && *line; line++) {
        const char *key = key_in(*line);
        size_t len = key ? strlen(key) : 0;
        char *at = p;

        if (len < KEY_LEAST)
            continue;
        while ((at = memmem(at, n - (size_t)(at - p), key, len))) {
            memset(at, '*', len);
            at += len;
        }
    }
}

struct bough_str secret_without(struct bough_arena *a, const struct provider_target *to,
                                struct bough_str text)
{
    char *copy = arena_strndup(a, text.p ? text.p : "", text.n);

    secret_blank(to, copy, text.n);
    return str_make(copy, text.n);
}
