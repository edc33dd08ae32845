/* Values of settings: yes and no, numbers, times, lists and base URLs. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "gateway/providers/provider.h"

enum { WORDS_MOST = 1000, URL_MOST = 500 };

bool value_bool(const char *text, bool *out)
{
    if (strcmp(text, "yes") != 0 && strcmp(text, "true") != 0 && strcmp(text, "no") != 0 &&
        strcmp(text, "false") != 0)
        return false;
    *out = *text == 'y' || *text == 't';
    return true;
}

bool value_i64(const char *text, int64_t least, int64_t most, int64_t *out)
{
    char *end = NULL;
    long long v = isdigit((unsigned char)*text) ? strtoll(text, &end, 10) : -1;

    if (!end || *end || v < least || v > most)
        return false;
    *out = v;
    return true;
}

bool value_ms(const char *text, int64_t *out)
{
    static const struct {
        const char *unit;
        int64_t ms;
    } units[] = { { "", 1000 }, { "ms", 1 }, { "s", 1000 }, { "m", 60000 }, { "h", 3600000 } };
    size_t n = strspn(text, "0123456789");
    const char *unit = text + n + strspn(text + n, " ");

    if (!n || n > 9)
        return false;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(unit, units[i].unit) == 0) {
            *out = strtoll(text, NULL, 10) * units[i].ms;
            return *out > 0 && *out <= 24 * 3600000;
        }
    return false;
}

bool value_words(struct bough_arena *a, const char *text, struct words *out)
{
    static const char between[] = " \t\r\n,";

    for (text += strspn(text, between); *text; text += strspn(text, between)) {
        size_t n = strcspn(text, between);

        if (out->n == WORDS_MOST || n > MODEL_MOST)
            return false;
        out->at = arena_room(a, out->at, out->n, sizeof *out->at);
        out->at[out->n++] = arena_strndup(a, text, n);
        text += n;
    }
    return true;
}

/* ---- base URLs ---- */

/* The end of "host" or "host:port" at `p`; NULL: it is none. */
static const char *authority_end(const char *p)
{
    const char *host = p;

    if (*p == '[') {
        p++;
        p += strspn(p, "0123456789abcdefABCDEF:.");
        if (*p != ']' || p == host + 1)
            return NULL;
        p++;
    } else {
        while (isalnum((unsigned char)*p) || *p == '-' || *p == '.' || *p == '_')
            p++;
    }
    if (p == host)
        return NULL;
    if (*p == ':') {
        size_t digits = strspn(p + 1, "0123456789");
        long port = strtol(p + 1, NULL, 10);

        if (!digits || digits > 5 || port < 1 || port > 65535)
            return NULL;
        p += 1 + digits;
    }
    return *p == '/' || !*p ? p : NULL;
}

/* A path that means one thing to everybody: no query, no fragment, no escapes, no "..". */
static bool path_is_plain(const char *path)
{
    for (const char *p = path; *p; p++)
        if (!isalnum((unsigned char)*p) && !strchr("/-._~", *p))
            return false;
    return !strstr(path, "/.") && !strstr(path, "//");
}

const char *value_url(struct bough_arena *a, const char *text, bool allow_private,
                      const char **origin, const char **why)
{
    const char *host = text + (strncmp(text, "https://", 8) == 0 ? 8 : 7), *end;
    size_t n;

    *why = "it is not https://host/path";
    if (strncmp(text, "https://", 8) != 0 && strncmp(text, "http://", 7) != 0)
        return NULL;
    if (strpbrk(text, "@?#") || strlen(text) > URL_MOST) {
        *why = "it must have no user, password, query or fragment";
        return NULL;
    }
    end = authority_end(host);
    if (!end || !path_is_plain(end))
        return NULL;
    *why = "http is allowed only with allow_private = yes";
    if (host == text + 7 && !allow_private)
        return NULL;
    *origin = arena_strndup(a, text, (size_t)(end - text));
    n = strlen(end);
    while (n && end[n - 1] == '/')
        n--;
    return n ? arena_printf(a, "%s%.*s", *origin, (int)n, end) : arena_printf(a, "%s/v1", *origin);
}

bool url_is_loopback(const char *origin)
{
    const char *host = strstr(origin, "://") + 3;
    size_t n = *host == '[' ? strcspn(host, "]") + 1 : strcspn(host, ":");

    return str_is(str_make(host, n), "localhost") || str_is(str_make(host, n), "[::1]") ||
           strncmp(host, "127.", 4) == 0;
}
