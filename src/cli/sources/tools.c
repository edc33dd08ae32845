/* Finds the session files of other tools. */
#include "cli/sources/tools.h"

#include <dirent.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory/arena.h"
#include "base/memory/map.h"
#include "base/os/fs.h"
#include "base/text/str.h"
#include "formats/common/format.h"

enum {
    FILES_MOST = 1000000,
    DEPTH_MOST = 16, /* of nested directories */
};

enum { FOUND_MOST = 64 };

/* As the XDG specification says: the variable if it is absolute, else a directory in $HOME. */
static const char *xdg(struct bough_arena *a, const char *home, const char *name, const char *below)
{
    const char *set = getenv(name);

    return set && *set == '/' ? set : fs_join(a, home, below);
}

static const char *base_dir(struct bough_arena *a, const char *home, enum format_base base)
{
    switch (base) {
    case IN_HOME:
        return home;
    case IN_DATA:
        return xdg(a, home, "XDG_DATA_HOME", ".local/share");
    case IN_STATE:
        return xdg(a, home, "XDG_STATE_HOME", ".local/state");
    case IN_CURRENT:
        return ".";
    }
    return home;
}

/* Add what matches a place and exists. */
static void find_place(struct bough_arena *a, const char *tool, const char *pattern,
                       struct tool_place *out, size_t *n)
{
    glob_t g = { 0 };

    if (glob(pattern, GLOB_NOCHECK | GLOB_NOESCAPE, NULL, &g) != 0)
        return;
    for (size_t k = 0; k < g.gl_pathc && *n < FOUND_MOST; k++) {
        struct stat st;

        if (stat(g.gl_pathv[k], &st) == 0 && (S_ISDIR(st.st_mode) || S_ISREG(st.st_mode)))
            out[(*n)++] = (struct tool_place){ tool, arena_strdup(a, g.gl_pathv[k]) };
    }
    globfree(&g);
}

struct tool_place *tools_find(struct bough_arena *a, const char *home, size_t *n)
{
    struct tool_place *out = arena_array(a, FOUND_MOST, sizeof *out);

    *n = 0;
    for (size_t i = 0; all_formats[i]; i++) {
        const struct format_place *p = all_formats[i]->places;

        for (; p && p->path; p++)
            find_place(a, all_formats[i]->name, fs_join(a, base_dir(a, home, p->base), p->path),
                       out, n);
    }
    return out;
}

const char *tools_names(struct bough_arena *a, const char *word)
{
    const char *out = "", *last = NULL;

    for (size_t i = 0; all_formats[i]; i++) {
        if (!all_formats[i]->places)
            continue;
        if (last)
            out = arena_printf(a, "%s%s%s", out, *out ? ", " : "", last);
        last = all_formats[i]->tool;
    }
    return arena_printf(a, "%s %s %s", out, word, last ? last : "");
}

void tools_push(struct bough_arena *a, struct tool_files *out, const char *path)
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

struct walk {
    struct bough_arena *a;
    struct tool_files *out;
    struct smap seen; /* device and inode of the directories: links could form a loop */
};

static bool is_new(struct walk *w, const struct stat *st)
{
    const uint64_t id[2] = { (uint64_t)st->st_dev, (uint64_t)st->st_ino };
    struct bough_str key = str_make((const char *)id, sizeof id);

    if (smap_get(&w->seen, key, NULL))
        return false;
    smap_put(&w->seen, key, 1);
    return true;
}

static void walk(struct walk *w, const char *dir, int depth)
{
    DIR *d = opendir(dir);
    struct dirent *e;

    while (d && (e = readdir(d))) {
        const char *path;
        struct stat st;

        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        path = fs_join(w->a, dir, e->d_name);
        if (stat(path, &st) != 0)
            continue;
        if (S_ISDIR(st.st_mode) && depth < DEPTH_MOST && is_new(w, &st))
            walk(w, path, depth + 1);
        else if (S_ISREG(st.st_mode) && format_is_file(e->d_name))
            tools_push(w->a, w->out, path);
    }
    if (d)
        closedir(d);
}

bool tools_files(struct bough_arena *a, const char *path, struct tool_files *out)
{
    struct walk w = { .a = a, .out = out };
    struct stat st;

    if (stat(path, &st) != 0)
        return false;
    if (!S_ISDIR(st.st_mode)) {
        tools_push(a, out, arena_strdup(a, path));
        return true;
    }
    smap_init(&w.seen);
    (void)is_new(&w, &st);
    walk(&w, path, 0);
    smap_finish(&w.seen);
    return true;
}

static int by_name(const void *x, const void *y)
{
    const char *a = *(const char *const *)x, *b = *(const char *const *)y;
    const char *sa = strrchr(a, '/'), *sb = strrchr(b, '/');
    int c = strcmp(sa ? sa : a, sb ? sb : b); /* most names begin with a timestamp */

    return c ? c : strcmp(a, b);
}

void tools_sort(struct tool_files *files)
{
    if (files->n)
        qsort(files->at, files->n, sizeof *files->at, by_name);
}
