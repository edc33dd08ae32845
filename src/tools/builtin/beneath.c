/* Files below a workspace: openat2 with RESOLVE_BENEATH for every path. */
#include "tools/builtin/beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/env.h"
#include "base/memory/arena.h"
#include "base/memory/mem.h"
#include "base/os/fs.h"
#include "base/text/str.h"

enum { PATH_MOST = 4096, NAME_MOST = 255, TRIES = 32 };

static int open_beneath(int dir, const char *path, uint64_t flags, uint64_t resolve)
{
    struct open_how how = { .flags = flags | O_CLOEXEC,
                            .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | resolve };
    int fd = -1;

    /* EAGAIN: something was renamed while the kernel looked at "..". */
    for (int i = 0; i < TRIES; i++) {
        fd = (int)syscall(SYS_openat2, dir, path, &how, sizeof how);
        if (fd >= 0 || (errno != EAGAIN && errno != EINTR))
            break;
    }
    return fd;
}

static enum bough_rc refused(const char *path, struct bough_error *err)
{
    switch (errno) {
    case EXDEV:
        return bough_fail(err, BOUGH_DENIED, "%.120s leads out of the workspace", path);
    case ELOOP:
        return bough_fail(err, BOUGH_DENIED, "%.120s: a part of it is a symbolic link", path);
    case ENOENT:
        return bough_fail(err, BOUGH_NOT_FOUND, "there is no %.120s", path);
    case ENOTDIR:
        return bough_fail(err, BOUGH_INVALID, "a part of %.120s is not a folder", path);
    case EISDIR:
        return bough_fail(err, BOUGH_INVALID, "%.120s is a folder", path);
    default:
        return bough_fail(err, fs_rc(errno), "%.120s: %s", path, strerror(errno));
    }
}

enum bough_rc beneath_path(struct bough_arena *a, const char *workspace, const char *path,
                           const char **out, struct bough_error *err)
{
    size_t n = strlen(workspace);

    if (strlen(path) >= PATH_MOST)
        return bough_fail(err, BOUGH_INVALID, "the path is too long");
    if (*path == '/') {
        if (strncmp(path, workspace, n) != 0 || (path[n] && path[n] != '/'))
            return bough_fail(err, BOUGH_DENIED,
                              "%.120s is outside of the workspace: use a path inside of it", path);
        path += n;
    }
    path += strspn(path, "/");
    *out = *path ? arena_strdup(a, path) : ".";
    return BOUGH_OK;
}

enum bough_rc beneath_open(int dir, const char *path, bool folder, int *fd, struct bough_error *err)
{
    struct stat st;

    /* Not blocking: a named pipe must not make us wait. */
    *fd = open_beneath(dir, path, O_RDONLY | O_NONBLOCK | O_NOCTTY | (folder ? O_DIRECTORY : 0), 0);
    if (*fd < 0)
        return refused(path, err);
    if (!folder && (fstat(*fd, &st) || !S_ISREG(st.st_mode))) {
        close(*fd);
        *fd = -1;
        return bough_fail(err, BOUGH_INVALID, "%.120s is not a regular file", path);
    }
    return BOUGH_OK;
}

static enum bough_rc read_all(int fd, char *to, size_t room, size_t *got, const char *path,
                              struct bough_error *err)
{
    *got = 0;
    while (*got < room) {
        ssize_t n = read(fd, to + *got, room - *got);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return refused(path, err);
        if (n == 0)
            break;
        *got += (size_t)n;
    }
    return BOUGH_OK;
}

enum bough_rc beneath_read(struct bough_arena *a, int dir, const char *path, size_t most,
                           struct bough_str *out, struct bough_error *err)
{
    struct stat st = { 0 };
    enum bough_rc rc;
    size_t room, n;
    char *p;
    int fd;

    rc = beneath_open(dir, path, false, &fd, err);
    if (rc)
        return rc;
    if (fstat(fd, &st) || (uint64_t)st.st_size > most) {
        close(fd);
        return bough_fail(err, BOUGH_TOO_LARGE, "%.120s has %lld bytes, more than %zu", path,
                          (long long)st.st_size, most);
    }
    room = (size_t)st.st_size + 1; /* one more: to notice that it grew */
    p = arena_alloc(a, room + 1);
    rc = read_all(fd, p, room, &n, path, err);
    close(fd);
    if (!rc && n == room)
        rc = bough_fail(err, BOUGH_CONFLICT, "%.120s grew while it was read; try again", path);
    p[rc ? 0 : n] = '\0';
    *out = str_make(p, rc ? 0 : n);
    return rc;
}

/* ---- writing ---- */

/* May this part of a path be written below? */
static enum bough_rc check_name(struct bough_str name, const char *path, struct bough_error *err)
{
    if (name.n > NAME_MOST)
        return bough_fail(err, BOUGH_INVALID, "a name in the path is too long");
    if (name.n == 4 && strncasecmp(name.p, ".git", 4) == 0)
        return bough_fail(err, BOUGH_DENIED, "%.120s: files of git itself are not changed", path);
    return BOUGH_OK;
}

/* Go one folder down from `*at`, which is closed; create it if it is not there. */
static enum bough_rc go_down(int *at, const char *name, const char *path, struct bough_error *err)
{
    int next;

    if (mkdirat(*at, name, 0777) && errno != EEXIST)
        return refused(path, err);
    /* Over no link, or a link to ".git" would get around check_name(). */
    next = open_beneath(*at, name, O_DIRECTORY | O_RDONLY, RESOLVE_NO_SYMLINKS);
    if (next < 0)
        return refused(path, err);
    close(*at);
    *at = next;
    return BOUGH_OK;
}

/* The folder that the file is in, created if needed, and the file's own name. */
static enum bough_rc open_parent(int dir, const char *path, int *parent, char name[NAME_MOST + 1],
                                 struct bough_error *err)
{
    const char *p = path;
    enum bough_rc rc = BOUGH_OK;

    *parent = open_beneath(dir, ".", O_DIRECTORY | O_RDONLY, 0);
    if (*parent < 0)
        return refused(path, err);
    while (!rc) {
        size_t n = strcspn(p, "/");
        const char *rest = p + n + strspn(p + n, "/");

        rc = check_name(str_make(p, n), path, err);
        if (rc)
            break;
        snprintf(name, NAME_MOST + 1, "%.*s", (int)n, p);
        if (!*rest && !p[n])
            break;
        if (strcmp(name, "..") == 0)
            rc = bough_fail(err, BOUGH_DENIED, "%.120s: \"..\" is not allowed here", path);
        if (!rc)
            rc = go_down(parent, name, path, err);
        p = rest;
    }
    if (!rc && (!*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0))
        rc = bough_fail(err, BOUGH_INVALID, "%.120s is a folder", path);
    if (rc)
        close(*parent);
    return rc;
}

/* The mode of the file that is replaced; *created: there is none. */
static enum bough_rc old_mode(int parent, const char *name, const char *path, mode_t *mode,
                              bool *created, struct bough_error *err)
{
    struct stat st;

    *mode = 0666;
    *created = fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) != 0;
    if (*created)
        return errno == ENOENT ? BOUGH_OK : refused(path, err);
    if (S_ISLNK(st.st_mode))
        return bough_fail(err, BOUGH_DENIED, "%.120s is a symbolic link: name the file itself",
                          path);
    if (!S_ISREG(st.st_mode))
        return bough_fail(err, BOUGH_INVALID, "%.120s is not a regular file", path);
    *mode = st.st_mode & 0777;
    return BOUGH_OK;
}

static bool write_all(int fd, struct bough_str data)
{
    while (data.n) {
        ssize_t n = write(fd, data.p, data.n);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        data.p += n;
        data.n -= (size_t)n;
    }
    return true;
}

static enum bough_rc replace(int parent, const char *name, const char *path, struct bough_str data,
                             mode_t mode, bool created, struct bough_error *err)
{
    char temporary[64];
    bool good;
    int fd;

    snprintf(temporary, sizeof temporary, ".bough-%016llx.tmp",
             (unsigned long long)env_u64(&env_system));
    fd = openat(parent, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (fd < 0)
        return refused(path, err);
    good = write_all(fd, data) && (created || fchmod(fd, mode) == 0) &&
           renameat(parent, temporary, parent, name) == 0;
    if (!good) {
        enum bough_rc rc = refused(path, err);

        (void)unlinkat(parent, temporary, 0);
        close(fd);
        return rc;
    }
    close(fd);
    return BOUGH_OK;
}

enum bough_rc beneath_write(int dir, const char *path, struct bough_str data, bool *created,
                            struct bough_error *err)
{
    char name[NAME_MOST + 1];
    enum bough_rc rc;
    mode_t mode;
    int parent;

    rc = open_parent(dir, path, &parent, name, err);
    if (rc)
        return rc;
    rc = old_mode(parent, name, path, &mode, created, err);
    if (!rc)
        rc = replace(parent, name, path, data, mode, *created, err);
    close(parent);
    return rc;
}
