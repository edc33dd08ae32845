/* Replacing a store's file: a complete copy is built beside it and renamed over it, and the old
 * file is kept under another name. */
#include "store/swap.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/env.h"
#include "base/memory/arena.h"
#include "base/os/fs.h"
#include "base/text/str.h"

enum {
    NAME_ROOM = 64, /* for suffixes added to a path */
    KEPT_TRIES = 100,
};

static enum bough_rc fail_errno(const char *doing, const char *path, struct bough_error *err)
{
    int e = errno;

    return bough_fail(err, fs_rc(e), "cannot %s %s: %s", doing, path, strerror(e));
}

enum bough_rc swap_path(const char *url, const char **path, struct bough_error *err)
{
    if (cstr_empty(url))
        return bough_fail(err, BOUGH_INVALID, "no file was named");
    *path = strncmp(url, "sqlite:", 7) == 0 ? url + 7 : url;
    if (strncmp(*path, "memory:", 7) == 0 || strstr(*path, "://") || !**path)
        return bough_fail(err, BOUGH_INVALID, "%.100s is not a file", url);
    if (strlen(*path) + NAME_ROOM >= PATH_MAX)
        return bough_fail(err, BOUGH_INVALID, "the path is too long: %.100s", *path);
    return BOUGH_OK;
}

bool file_there(const char *path)
{
    struct stat st;

    return path && lstat(path, &st) == 0;
}

static const char *directory_of(struct bough_arena *a, const char *path)
{
    const char *slash = strrchr(path, '/');

    return !slash ? "." : slash == path ? "/" : arena_strndup(a, path, (size_t)(slash - path));
}

static enum bough_rc sync_directory(struct bough_arena *a, const char *path,
                                    struct bough_error *err)
{
    const char *dir = directory_of(a, path);
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    enum bough_rc rc = BOUGH_OK;

    if (fd < 0 || fsync(fd) != 0)
        rc = fail_errno("sync", dir, err);
    if (fd >= 0)
        close(fd);
    return rc;
}

/* ---- the temporary copy ---- */

/* Files that SQLite keeps next to a database: two kinds of log, and an index it can rebuild. */
enum { LOGS = SWAP_LOGS, BESIDE = 3 };
static const char *const beside[BESIDE] = { "-wal", "-journal", "-shm" };

static void remove_beside(struct bough_arena *a, const char *path)
{
    for (size_t i = 0; i < BESIDE; i++)
        unlink(arena_printf(a, "%s%s", path, beside[i]));
}

/* Is this the name of a new file for the path: a dot, 16 hex digits and ".tmp"? */
static bool is_new_file(const char *name, const char *of)
{
    size_t n = strlen(of);

    return strncmp(name, of, n) == 0 && name[n] == '.' &&
           strspn(name + n + 1, "0123456789abcdef") == 16 && strcmp(name + n + 17, ".tmp") == 0;
}

/* A new file is locked by the process that writes it. One without a lock was left by a process that
 * was killed. */
static void drop_left(struct new_file *d, const char *dir, const char *name)
{
    const char *path = arena_printf(d->a, "%s/%s", dir, name);
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

    if (fd < 0)
        return;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
        unlink(path);
        remove_beside(d->a, path);
    }
    close(fd);
}

static void tidy(struct new_file *d)
{
    const char *dir = directory_of(d->a, d->path), *slash = strrchr(d->path, '/');
    DIR *all = opendir(dir);
    const struct dirent *e;

    while (all && (e = readdir(all)))
        if (is_new_file(e->d_name, slash ? slash + 1 : d->path))
            drop_left(d, dir, e->d_name);
    if (all)
        closedir(all);
}

enum bough_rc new_file_make(struct new_file *d, struct bough_error *err)
{
    const char *temp =
        arena_printf(d->a, "%s.%016llx.tmp", d->path, (unsigned long long)env_u64(&env_system));

    tidy(d);
    d->lock = open(temp, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (d->lock < 0)
        return fail_errno("create", temp, err);
    d->temp = temp;
    /* Not a POSIX lock: closing a descriptor of SQLite's would drop that one. */
    if (flock(d->lock, LOCK_EX | LOCK_NB) != 0)
        return fail_errno("lock", temp, err);
    return BOUGH_OK;
}

void new_file_finish(struct new_file *d)
{
    if (*d->temp && d->lock >= 0)
        close(d->lock);
}

void new_file_drop(struct new_file *d)
{
    if (!*d->temp)
        return;
    unlink(d->temp);
    remove_beside(d->a, d->temp);
}

enum bough_rc new_file_seal(struct new_file *d, struct bough_error *err)
{
    int fd = open(d->temp, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    enum bough_rc rc = BOUGH_OK;

    if (fd < 0 || fsync(fd) != 0)
        rc = fail_errno("sync", d->temp, err);
    if (fd >= 0)
        close(fd);
    remove_beside(d->a, d->temp);
    return rc;
}

enum bough_rc new_file_place(struct new_file *d, struct bough_error *err)
{
    bool ok = renameat2(AT_FDCWD, d->temp, AT_FDCWD, d->path, RENAME_NOREPLACE) == 0;
    enum bough_rc rc;

    if (!ok && (errno == EINVAL || errno == ENOSYS)) { /* the file system lacks RENAME_NOREPLACE */
        ok = link(d->temp, d->path) == 0;
        if (ok)
            unlink(d->temp);
    }
    if (!ok)
        return fail_errno("create", d->path, err);
    rc = sync_directory(d->a, d->path, err);
    if (rc)
        unlink(d->path);
    return rc;
}

/* ---- restore: move the old store away ---- */

static const char *side(struct swap *w, const char *path, size_t i)
{
    return arena_printf(w->d.a, "%s%s", path, beside[i]);
}

static const char *kept_name(struct swap *w, int try)
{
    time_t seconds = (time_t)(w->now / 1000);
    char when[32];
    struct tm tm;

    gmtime_r(&seconds, &tm);
    strftime(when, sizeof when, "%Y%m%dT%H%M%SZ", &tm);
    return try ? arena_printf(w->d.a, "%s.before-%s-%s-%d", w->d.path, w->word, when, try + 1)
               : arena_printf(w->d.a, "%s.before-%s-%s", w->d.path, w->word, when);
}

/* Link the old file under a second name, so that it always has one. */
static enum bough_rc keep_old(struct swap *w, struct bough_error *err)
{
    for (int try = 0; try < KEPT_TRIES; try++) {
        w->kept = kept_name(w, try);
        if (file_there(w->kept) || file_there(side(w, w->kept, 0)) ||
            file_there(side(w, w->kept, 1)))
            continue;
        if (w->force || !w->old)
            return BOUGH_OK;
        w->linked = link(w->d.path, w->kept) == 0;
        if (w->linked)
            return BOUGH_OK;
        if (errno != EEXIST)
            break;
    }
    return fail_errno("keep the old store as", w->kept, err);
}

/* Move the old file's logs away before the new file takes its name: SQLite would apply an old log
 * to the new file. The log of an intact file is empty by now; the log of a damaged file is kept
 * with it. */
static enum bough_rc move_sides(struct swap *w, struct bough_error *err)
{
    for (size_t i = 0; i < LOGS; i++) {
        const char *from = side(w, w->d.path, i);

        w->moved[i] = rename(from, side(w, w->kept, i)) == 0;
        if (!w->moved[i] && errno != ENOENT)
            return fail_errno("move", from, err);
    }
    if (unlink(arena_printf(w->d.a, "%s-shm", w->d.path)) != 0 && errno != ENOENT)
        return fail_errno("remove the index of", w->d.path, err);
    return sync_directory(w->d.a, w->d.path, err);
}

static void swap_undo(struct swap *w)
{
    for (size_t i = 0; i < LOGS; i++)
        if (w->moved[i])
            rename(side(w, w->kept, i), side(w, w->d.path, i));
    if (w->linked)
        unlink(w->kept);
}

/* Remove the moved logs if they are empty or the old store is not kept. */
static void swap_tidy(struct swap *w)
{
    for (size_t i = 0; i < LOGS; i++)
        if (w->moved[i] && (w->force || fs_size(side(w, w->kept, i)) == 0))
            unlink(side(w, w->kept, i));
}

enum bough_rc swap_in(struct swap *w, struct bough_error *err)
{
    enum bough_rc rc = w->old && !w->untouched ? sqlite_seized_fold(w->old, err) : BOUGH_OK;

    if (!rc)
        rc = keep_old(w, err);
    if (!rc)
        rc = move_sides(w, err);
    if (!rc && !w->old)
        rc = new_file_place(&w->d, err);
    else if (!rc && rename(w->d.temp, w->d.path) != 0)
        rc = fail_errno("replace", w->d.path, err);
    if (rc) {
        swap_undo(w);
        return rc;
    }
    swap_tidy(w);
    if (!w->old || sync_directory(w->d.a, w->d.path, NULL) == BOUGH_OK)
        return BOUGH_OK;
    return bough_fail(err, BOUGH_UNKNOWN,
                      "%s was replaced, but its directory cannot be synced: after a power failure "
                      "it may be the old one again",
                      w->d.path);
}
