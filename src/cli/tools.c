/* Where other tools keep their sessions, and the files in there. */
#include "cli/tools.h"

#include <dirent.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/fs.h"
#include "base/str.h"

enum {
    FILES_MOST = 1000000,
    DEPTH_MOST = 16, /* directories below each other */
};

enum base { IN_HOME, IN_DATA, IN_STATE, HERE };

static const struct {
    const char *tool;
    enum base base;
    const char *path; /* a directory, or files by a pattern */
} places[] = {
    { "pi", IN_HOME, ".pi/agent/sessions" },
    { "claude-code", IN_HOME, ".claude/projects" },
    { "codex", IN_HOME, ".codex/sessions" },
    { "opencode", IN_DATA, "opencode/storage/session" },
    { "opencode", IN_DATA, "opencode/opencode*.db" }, /* one a channel */
    { "hygge", IN_STATE, "hygge/sessions.db" },
    { "hecate", IN_DATA, "sh.hecate.app/hecate.db" },
    { "hecate", HERE, ".data/hecate.db" },
};

enum { FOUND_MOST = 64 };

/* As the XDG base directories have it: a variable, else a place in the user's home. */
static const char *base_dir(struct bough_arena *a, const char *home, enum base base)
{
    static const char *const names[] = {
        [IN_DATA] = "XDG_DATA_HOME", [IN_STATE] = "XDG_STATE_HOME"
    };
    static const char *const below[] = { [IN_DATA] = ".local/share", [IN_STATE] = ".local/state" };
    const char *set;

    if (base == IN_HOME || base == HERE)
        return base == HERE ? "." : home;
    set = getenv(names[base]);
    return set && *set == '/' ? set : fs_join(a, home, below[base]);
}

struct tool_place *tools_find(struct bough_arena *a, const char *home, size_t *n)
{
    struct tool_place *out = arena_array(a, FOUND_MOST, sizeof *out);

    *n = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const char *pattern = fs_join(a, base_dir(a, home, places[i].base), places[i].path);
        glob_t g = { 0 };

        if (glob(pattern, GLOB_NOCHECK | GLOB_NOESCAPE, NULL, &g) != 0)
            continue;
        for (size_t k = 0; k < g.gl_pathc && *n < FOUND_MOST; k++) {
            struct stat st;

            if (stat(g.gl_pathv[k], &st) == 0 && (S_ISDIR(st.st_mode) || S_ISREG(st.st_mode)))
                out[(*n)++] = (struct tool_place){ places[i].tool, arena_strdup(a, g.gl_pathv[k]) };
        }
        globfree(&g);
    }
    return out;
}

static bool is_session(const char *name)
{
    const char *dot = strrchr(name, '.');

    return dot &&
           (strcmp(dot, ".jsonl") == 0 || strcmp(dot, ".json") == 0 || strcmp(dot, ".db") == 0);
}

static void push(struct bough_arena *a, struct tool_files *out, const char *path)
{
    size_t cap = out->cap ? 2 * out->cap : 64;

    if (out->n >= FILES_MOST) {
        out->more++;
        return;
    }
    if (out->n == out->cap) {
        out->at = arena_resize(a, out->at, out->cap * sizeof *out->at, cap * sizeof *out->at);
        out->cap = cap;
    }
    out->at[out->n++] = path;
}

/* Links to directories are not followed: one may lead back up. */
static void walk(struct bough_arena *a, const char *dir, int depth, struct tool_files *out)
{
    DIR *d = opendir(dir);
    struct dirent *e;

    while (d && (e = readdir(d))) {
        const char *path;
        struct stat st;

        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        path = fs_join(a, dir, e->d_name);
        if (lstat(path, &st) != 0)
            continue;
        if (S_ISDIR(st.st_mode) && depth < DEPTH_MOST)
            walk(a, path, depth + 1, out);
        else if (is_session(e->d_name) && !S_ISDIR(st.st_mode))
            push(a, out, path);
    }
    if (d)
        closedir(d);
}

bool tools_files(struct bough_arena *a, const char *path, struct tool_files *out)
{
    struct stat st;

    if (stat(path, &st) != 0)
        return false;
    if (S_ISDIR(st.st_mode))
        walk(a, path, 0, out);
    else
        push(a, out, arena_strdup(a, path));
    return true;
}

static int by_name(const void *x, const void *y)
{
    const char *a = *(const char *const *)x, *b = *(const char *const *)y;
    const char *sa = strrchr(a, '/'), *sb = strrchr(b, '/');
    int c = strcmp(sa ? sa : a, sb ? sb : b); /* names begin with a time */

    return c ? c : strcmp(a, b);
}

void tools_sort(struct tool_files *files)
{
    if (files->n)
        qsort(files->at, files->n, sizeof *files->at, by_name);
}
