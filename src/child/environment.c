/* The environment of children: which of our variables they get, and how settings name secrets. */
#include "child/environment.h"

#include <string.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "base/os/fs.h"
#include "base/text/str.h"

extern char **environ;

enum { SECRET_MOST = 16 * 1024 };

bool environment_is_usual(struct bough_str name)
{
    static const char *const names[] = { "PATH", "HOME", "USER",   "LOGNAME", "LANG",
                                         "TZ",   "TERM", "TMPDIR", NULL };

    return str_among(name, names) || str_starts(name, "LC_") || str_starts(name, "XDG_");
}

bool environment_is_secret(struct bough_str name)
{
    static const char *const words[] = { "KEY", "TOKEN", "SECRET", "PASSWORD" };

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (memmem(name.p, name.n, words[i], strlen(words[i])))
            return true;
    return false;
}

static const char *find(const char *const *from, const char *name)
{
    size_t n = strlen(name);

    for (; from && *from; from++)
        if (strncmp(*from, name, n) == 0 && (*from)[n] == '=')
            return *from + n + 1;
    return "";
}

enum bough_rc environment_value(struct bough_arena *a, const char *const *from, const char *text,
                                const char **out, bool *secret, struct bough_error *err)
{
    struct bough_error inner;
    struct bough_str file;

    *secret = true;
    if (*text == '$' && text[1] != '{') {
        *out = arena_strdup(a, find(from ? from : (const char *const *)environ, text + 1));
        return **out ? BOUGH_OK
                     : bough_fail(err, BOUGH_INVALID, "%.60s is not in the environment", text);
    }
    if (strncmp(text, "file:", 5) == 0) {
        if (fs_read(a, text + 5, SECRET_MOST, &file, &inner))
            return bough_fail(err, BOUGH_INVALID, "%.150s", inner.msg);
        while (file.n && (file.p[file.n - 1] == '\n' || file.p[file.n - 1] == '\r'))
            file.n--;
        *out = arena_strndup(a, file.p, file.n);
        return file.n ? BOUGH_OK : bough_fail(err, BOUGH_INVALID, "%.150s is empty", text);
    }
    *secret = false;
    *out = text;
    return BOUGH_OK;
}
