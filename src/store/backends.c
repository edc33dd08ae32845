/* The list of backends, and the choice of one by URL. */
#include "store/contract/backend.h"

#include <bough/store.h>
#include <string.h>

#include "base/memory/arena.h"
#include "store/memory/memory.h"
#include "store/postgres/postgres.h"
#include "store/sqlite/sqlite.h"

const struct backend_ops *const all_backends[] = {
    &memory_backend,
    &sqlite_backend,
    &postgres_backend,
    NULL,
};

/* The URL without "scheme:", or NULL if it has another scheme. */
static const char *behind_scheme(const char *url, const char *scheme)
{
    size_t n = scheme ? strlen(scheme) : 0;

    return n && strncmp(url, scheme, n) == 0 && url[n] == ':' ? url + n + 1 : NULL;
}

const struct backend_ops *backend_choose(const char *url, const char **rest)
{
    for (size_t i = 0; all_backends[i]; i++) {
        *rest = behind_scheme(url, all_backends[i]->scheme);
        if (!*rest)
            *rest = behind_scheme(url, all_backends[i]->also);
        if (*rest)
            return all_backends[i];
    }
    *rest = url;
    return strstr(url, "://") ? NULL : &sqlite_backend;
}

/* Replace [from, to) of the URL by three asterisks. */
static const char *masked(struct bough_arena *a, const char *url, const char *from, const char *to)
{
    return arena_printf(a, "%.*s***%s", (int)(from - url), url, to);
}

const char *bough_url_shown(struct bough_arena *a, const char *url)
{
    const char *at = strstr(url, "://"), *end, *colon, *option;

    if (!at)
        return url;
    at += 3;
    end = at + strcspn(at, "/?#"); /* a password may contain an @: the last one ends it */
    for (const char *p = strchr(at, '@'); p && (p < end || !strchr(p, '/')); p = strchr(p + 1, '@'))
        end = p > end ? p : end;
    end = memrchr(at, '@', (size_t)(end - at) + (*end == '@'));
    colon = end ? memchr(at, ':', (size_t)(end - at)) : NULL;
    if (colon)
        url = masked(a, url, colon + 1, end);
    option = strstr(url, "password=");
    if (option && (option[-1] == '?' || option[-1] == '&')) {
        option += strlen("password=");
        url = masked(a, url, option, option + strcspn(option, "&"));
    }
    return url;
}
