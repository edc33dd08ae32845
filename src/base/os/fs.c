/* Files and directories: whole-file reads and crash-safe writes. */
#include "base/os/fs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/env.h"
#include "base/memory/arena.h"

enum bough_rc fs_rc(int errnum)
{
    switch (errnum) {
    case ENOENT:
    case ENOTDIR:
        return BOUGH_NOT_FOUND;
    case EEXIST:
        return BOUGH_EXISTS;
    case EACCES:
    case EPERM:
        return BOUGH_DENIED;
    case EROFS:
        return BOUGH_READ_ONLY;
    case ENOSPC:
    case EDQUOT:
        return BOUGH_FULL;
    default:
        return BOUGH_IO;
    }
}

static enum bough_rc fail_errno(const char *doing, const char *path, struct bough_error *err)
{
    int e = errno;

    return bough_fail(err, fs_rc(e), "cannot %s %s: %s", doing, path, strerror(e));
}

enum bough_rc fs_mkdirs(const char *path, mode_t mode, struct bough_error *err)
{
    char part[PATH_MAX];
    size_t n = strlen(path), i;
    struct stat st;

    if (n == 0 || n >= sizeof part)
        return bough_fail(err, BOUGH_INVALID, "a path of %zu bytes", n);
    for (i = 1; i <= n; i++) {
        if (path[i] != '/' && path[i] != '\0')
            continue;
        memcpy(part, path, i);
        part[i] = '\0';
        /* EEXIST is usual. EROFS or EACCES (on /) matter only if the directory is missing. */
        if (mkdir(part, mode) == 0 || errno == EEXIST)
            continue;
        if (stat(part, &st) != 0)
            return fail_errno("make", part, err);
    }
    if (stat(path, &st) == 0 && !S_ISDIR(st.st_mode))
        return bough_fail(err, BOUGH_EXISTS, "%s exists and is not a directory", path);
    return BOUGH_OK;
}

/* Read to the end and ignore the reported size: it is 0 in /proc, and growing files exceed it. */
static enum bough_rc read_all(struct bough_arena *a, int fd, size_t cap, size_t max,
                              const char *path, struct bough_str *out, struct bough_error *err)
{
    char *p = arena_alloc(a, cap + 1);
    size_t n = 0;

    for (;;) {
        ssize_t got = read(fd, p + n, cap - n);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return fail_errno("read", path, err);
        n += (size_t)got;
        if (n > max)
            return bough_fail(err, BOUGH_TOO_LARGE, "%s is over %zu bytes", path, max);
        if (got == 0)
            break;
        if (n == cap) {
            p = arena_resize(a, p, cap + 1, cap * 2 + 1);
            cap *= 2;
        }
    }
    p = arena_resize(a, p, cap + 1, n + 1);
    p[n] = '\0';
    *out = (struct bough_str){ p, n };
    return BOUGH_OK;
}

enum bough_rc fs_read(struct bough_arena *a, const char *path, size_t max, struct bough_str *out,
                      struct bough_error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe must not make it wait */
    enum bough_rc rc;
    struct stat st;

    if (fd < 0)
        return fail_errno("open", path, err);
    if (fstat(fd, &st) != 0)
        rc = fail_errno("read", path, err);
    else if (S_ISDIR(st.st_mode))
        rc = bough_fail(err, BOUGH_INVALID, "%s is a directory", path);
    else if (S_ISFIFO(st.st_mode))
        rc = bough_fail(err, BOUGH_INVALID, "%s is a pipe, not a file", path);
    else if (S_ISREG(st.st_mode) && (uint64_t)st.st_size > max)
        rc = bough_fail(err, BOUGH_TOO_LARGE, "%s is over %zu bytes", path, max);
    else /* one byte more than the size, so that end of file is seen without growing */
        rc = read_all(a, fd, S_ISREG(st.st_mode) ? (size_t)st.st_size + 1 : 4096, max, path, out,
                      err);
    close(fd);
    return rc;
}

static bool write_all(int fd, struct bough_str data)
{
    size_t n = 0;

    while (n < data.n) {
        ssize_t put = write(fd, data.p + n, data.n - n);

        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return false;
        n += (size_t)put;
    }
    return true;
}

/* A rename is durable only once its directory is synced. */
static bool sync_parent(const char *path)
{
    char dir[PATH_MAX];
    const char *slash = strrchr(path, '/');
    size_t n = slash ? (size_t)(slash - path) : 0;
    bool ok;
    int fd;

    if (n == 0) {
        n = 1;
        dir[0] = slash ? '/' : '.';
    } else {
        memcpy(dir, path, n);
    }
    dir[n] = '\0';
    fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ok = fsync(fd) == 0;
    close(fd);
    return ok;
}

/* link() fails on an existing name on every file system; not all support RENAME_NOREPLACE. */
static bool put_in_place(const char *temp, const char *path, bool replace)
{
    if (replace)
        return rename(temp, path) == 0;
    if (link(temp, path) == 0)
        return unlink(temp) == 0;
    if (errno != EPERM && errno != EOPNOTSUPP && errno != EMLINK)
        return false;
    return renameat2(AT_FDCWD, temp, AT_FDCWD, path, RENAME_NOREPLACE) == 0;
}

static enum bough_rc write_file(const char *path, struct bough_str data, mode_t mode, bool replace,
                                struct bough_error *err)
{
    char temp[PATH_MAX];
    enum bough_rc rc = BOUGH_OK;
    int fd, n;

    n = snprintf(temp, sizeof temp, "%s.%016llx.tmp", path,
                 (unsigned long long)env_u64(&env_system));
    if (n < 0 || (size_t)n >= sizeof temp)
        return bough_fail(err, BOUGH_INVALID, "the path is too long: %.100s", path);
    fd = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd < 0)
        return fail_errno("create", temp, err);
    /* fchmod: apply the caller's mode, not one reduced by the umask. */
    if (fchmod(fd, mode) != 0 || !write_all(fd, data) || fsync(fd) != 0)
        rc = fail_errno("write", temp, err);
    if (close(fd) != 0 && !rc)
        rc = fail_errno("write", temp, err);
    if (!rc && !put_in_place(temp, path, replace))
        rc = fail_errno("create", path, err);
    if (rc) {
        unlink(temp);
        return rc;
    }
    return sync_parent(path) ? BOUGH_OK : fail_errno("sync the directory of", path, err);
}

enum bough_rc fs_write_new(const char *path, struct bough_str data, mode_t mode,
                           struct bough_error *err)
{
    return write_file(path, data, mode, false, err);
}

enum bough_rc fs_write(const char *path, struct bough_str data, mode_t mode,
                       struct bough_error *err)
{
    return write_file(path, data, mode, true, err);
}

bool fs_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

int64_t fs_size(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISREG(st.st_mode) ? (int64_t)st.st_size : -1;
}

char *fs_join(struct bough_arena *a, const char *dir, const char *name)
{
    size_t n = strlen(dir);

    if (n == 0 || name[0] == '/')
        return arena_strdup(a, name);
    while (n > 1 && dir[n - 1] == '/')
        n--;
    return arena_printf(a, "%.*s%s%s", (int)n, dir, dir[n - 1] == '/' ? "" : "/", name);
}

char *fs_temp_dir(struct bough_arena *a, const char *prefix)
{
    const char *base = getenv("TMPDIR");
    char *path = arena_printf(a, "%s/%s-XXXXXX", base && *base ? base : "/tmp", prefix);

    return mkdtemp(path);
}

int fs_nameless(void)
{
    const char *base = getenv("TMPDIR");
    char path[4096];
    int fd;

    base = base && *base ? base : "/tmp";
    fd = open(base, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0 || (size_t)snprintf(path, sizeof path, "%s/bough-XXXXXX", base) >= sizeof path)
        return fd;
    fd = mkostemp(path, O_CLOEXEC); /* the file system lacks O_TMPFILE */
    if (fd >= 0)
        unlink(path);
    return fd;
}
