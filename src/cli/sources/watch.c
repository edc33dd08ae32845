/* Watches files for changes with inotify. */
#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "base/memory/map.h"
#include "base/memory/mem.h"
#include "base/os/fs.h"
#include "base/text/str.h"
#include "cli/sources/tools.h"
#include "formats/common/format.h"

enum { DEPTH_MOST = 16, GATHER_MS = 50 };

/* A watched directory: all files in it, or only those in `named`. A file is watched through its
 * directory, so that a rename over it and its -wal file are noticed. */
struct watched {
    const char *path;
    bool all;
};

struct watch {
    int fd;
    struct bough_arena *a;
    struct map paths;  /* watch descriptor -> struct watched * */
    struct smap named; /* files passed to watch_add() */
};

struct watch *watch_open(void)
{
    int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    struct watch *w;

    if (fd < 0)
        return NULL;
    w = mem_zalloc(sizeof *w);
    w->fd = fd;
    w->a = bough_arena_create();
    map_init(&w->paths);
    smap_init(&w->named);
    return w;
}

void watch_close(struct watch *w)
{
    if (!w)
        return;
    close(w->fd);
    map_finish(&w->paths);
    smap_finish(&w->named);
    bough_arena_destroy(w->a);
    mem_free(w);
}

static bool listen_to(struct watch *w, const char *path, bool all)
{
    int wd = inotify_add_watch(w->fd, path,
                               IN_MODIFY | IN_CLOSE_WRITE | IN_CREATE | IN_MOVED_TO |
                                   IN_DONT_FOLLOW | IN_EXCL_UNLINK);
    struct watched *it;
    uint64_t val;

    if (wd < 0)
        return false;
    if (map_get(&w->paths, (uint64_t)wd, &val)) { /* `all` includes named files */
        it = (struct watched *)(uintptr_t)val;
        it->all = it->all || all;
        return true;
    }
    it = arena_zalloc(w->a, sizeof *it);
    *it = (struct watched){ arena_strdup(w->a, path), all };
    map_put(&w->paths, (uint64_t)wd, (uint64_t)(uintptr_t)it);
    return true;
}

static bool add(struct watch *w, const char *path, int depth)
{
    struct dirent *e;
    struct stat st;
    DIR *d;

    if (!listen_to(w, path, true))
        return false;
    d = depth < DEPTH_MOST ? opendir(path) : NULL;
    while (d && (e = readdir(d))) {
        const char *below;

        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        below = fs_join(w->a, path, e->d_name);
        if (lstat(below, &st) == 0 && S_ISDIR(st.st_mode))
            (void)add(w, below, depth + 1);
    }
    if (d)
        closedir(d);
    return true;
}

bool watch_add(struct watch *w, const char *path)
{
    const char *slash = strrchr(path, '/'), *dir = ".";
    struct stat st;

    if (stat(path, &st) != 0 || S_ISDIR(st.st_mode))
        return add(w, path, 0);
    if (slash)
        dir = slash == path ? "/" : arena_strndup(w->a, path, (size_t)(slash - path));
    path = fs_join(w->a, dir, slash ? slash + 1 : path);
    smap_put(&w->named, str_of(path), 1);
    return listen_to(w, dir, false);
}

/* The session file behind a changed file: a SQLite database for its -wal file. NULL for other
 * files, unless they were named. */
static const char *file_of(struct bough_arena *a, const char *path, bool by_name)
{
    size_t n = strlen(path);

    if (n > 4 && strcmp(path + n - 4, "-wal") == 0)
        path = arena_strndup(a, path, n - 4);
    return !by_name || format_is_file(path) ? path : NULL;
}

static const char *first_match(struct bough_arena *a, const char *pattern)
{
    const char *out = NULL;
    glob_t g = { 0 };

    if (glob(pattern, GLOB_NOESCAPE, NULL, &g) == 0 && g.gl_pathc)
        out = arena_strdup(a, g.gl_pathv[0]);
    globfree(&g);
    return out;
}

/* opencode keeps messages and parts in files of their own: map them to the session's file. */
static const char *storage_session(struct bough_arena *a, const char *path)
{
    static const char message[] = "/storage/message/", part[] = "/storage/part/";
    const char *at = strstr(path, part), *id;

    if (at) {
        id = at + strlen(part);
        path = first_match(a, arena_printf(a, "%.*s%s*/%.*s.json", (int)(at - path), path, message,
                                           (int)strcspn(id, "/"), id));
    }
    at = path ? strstr(path, message) : NULL;
    if (!at)
        return path;
    id = at + strlen(message);
    return first_match(a, arena_printf(a, "%.*s/storage/session/*/%.*s.json", (int)(at - path),
                                       path, (int)strcspn(id, "/"), id));
}

/* A new directory may already contain files when its event arrives. */
static void heard(struct watch *w, struct bough_arena *a, const struct inotify_event *ev,
                  struct tool_files *out)
{
    const struct watched *in;
    const char *path;
    struct stat st;
    uint64_t val;

    if (!map_get(&w->paths, (uint64_t)ev->wd, &val))
        return;
    in = (const struct watched *)(uintptr_t)val;
    path = in->path;
    if (ev->len)
        path = fs_join(a, path, ev->name);
    if (lstat(path, &st) != 0)
        return;
    if (S_ISDIR(st.st_mode) && in->all)
        (void)add(w, path, 1);
    else if (S_ISDIR(st.st_mode) || (path = file_of(a, path, in->all)) == NULL ||
             (path = storage_session(a, path)) == NULL)
        return;
    if (in->all || smap_get(&w->named, str_of(path), &val))
        (void)tools_files(a, path, out);
}

static void each_once(struct tool_files *f)
{
    size_t n = 0;

    tools_sort(f);
    for (size_t i = 0; i < f->n; i++)
        if (!n || strcmp(f->at[n - 1], f->at[i]) != 0)
            f->at[n++] = f->at[i];
    f->n = n;
}

void watch_next(struct watch *w, struct bough_arena *a, int ms, struct tool_files *out)
{
    struct pollfd p = { .fd = w->fd, .events = POLLIN };
    _Alignas(struct inotify_event) char buf[16384];
    ssize_t n;

    *out = (struct tool_files){ 0 };
    while (poll(&p, 1, ms) > 0) {
        n = read(w->fd, buf, sizeof buf);
        if (n <= 0)
            break;
        for (char *at = buf; at < buf + n;) {
            const struct inotify_event *ev = (const struct inotify_event *)(void *)at;

            heard(w, a, ev, out);
            at += sizeof *ev + ev->len;
        }
        ms = GATHER_MS; /* collect changes that follow shortly */
    }
    each_once(out);
}
