/* Checks of a store's path before SQLite opens it. Creates the file if allowed, and refuses unsafe
 * directories and files that are not stores. */
#include "store/sqlite/conn/db.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/os/fs.h"
#include "base/text/str.h"

/*
 * Closing any descriptor of a file drops all POSIX locks that this process holds on it. So this
 * backend opens the file itself only to create it, under this lock. The creating thread has closed
 * its descriptor before another thread can pass the file on to SQLite.
 */
static pthread_mutex_t create_lock = PTHREAD_MUTEX_INITIALIZER;

static enum bough_rc find_directory(const char *path, bool make, char real[PATH_MAX],
                                    struct bough_error *err)
{
    const char *slash = strrchr(path, '/');
    size_t n = slash ? (size_t)(slash - path) : 0;
    char dir[PATH_MAX];
    struct stat st;

    memcpy(dir, n ? path : slash ? "/" : ".", n ? n : 1);
    dir[n ? n : 1] = '\0';
    if (stat(dir, &st) != 0) {
        enum bough_rc rc;

        if (errno != ENOENT)
            return bough_fail(err, fs_rc(errno), "cannot examine %s: %s", dir, strerror(errno));
        if (!make)
            return bough_fail(err, BOUGH_NOT_FOUND, "there is no store at %s", path);
        rc = fs_mkdirs(dir, 0700, err);
        if (rc)
            return rc;
    }
    if (!realpath(dir, real) || stat(real, &st) != 0)
        return bough_fail(err, fs_rc(errno), "cannot examine %s: %s", dir, strerror(errno));
    if (!S_ISDIR(st.st_mode))
        return bough_fail(err, BOUGH_INVALID, "%s is not a directory", dir);
    if ((st.st_mode & S_IWOTH) && !(st.st_mode & S_ISVTX))
        return bough_fail(err, BOUGH_DENIED,
                          "any user may replace files in %s: keep the store in another directory",
                          dir);
    return BOUGH_OK;
}

/* Find or create the file, check that it is a regular file, and remember its inode. */
static enum bough_rc find_file(struct sqlite *s, bool make, struct bough_error *err)
{
    struct stat st;
    int fd;

    if (lstat(s->path, &st) != 0) {
        if (errno != ENOENT)
            return bough_fail(err, fs_rc(errno), "cannot examine %s: %s", s->path, strerror(errno));
        if (!make)
            return bough_fail(err, BOUGH_NOT_FOUND, "there is no store at %s", s->path);
        fd = open(s->path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (fd >= 0)
            close(fd);
        else if (errno != EEXIST)
            return bough_fail(err, fs_rc(errno), "cannot create %s: %s", s->path, strerror(errno));
        if (lstat(s->path, &st) != 0)
            return bough_fail(err, fs_rc(errno), "cannot examine %s: %s", s->path, strerror(errno));
    }
    if (S_ISLNK(st.st_mode))
        return bough_fail(err, BOUGH_INVALID, "%s is a symbolic link; give the file itself",
                          s->path);
    if (!S_ISREG(st.st_mode))
        return bough_fail(err, BOUGH_INVALID, "%s is not a file", s->path);
    /* Another user could change it under us, or have made it for us. Root may be trusted, and root
     * may look at anything. */
    if (st.st_uid != geteuid() && st.st_uid != 0 && geteuid() != 0)
        return bough_fail(err, BOUGH_DENIED,
                          "%s belongs to user %u: run bough as that user, or copy the file",
                          s->path, (unsigned)st.st_uid);
    if (st.st_mode & S_IWOTH)
        return bough_fail(err, BOUGH_DENIED, "any user may change %s: run chmod 600 on it",
                          s->path);
    /* SQLite finds the WAL by the file's name: under a second name it would miss commits, and
     * damage the file with its own. */
    if (st.st_nlink > 1)
        return bough_fail(err, BOUGH_INVALID,
                          "%s has %lu names (hard links), and a store must have one: remove the "
                          "others (find -samefile shows them), or copy it with bough backup",
                          s->path, (unsigned long)st.st_nlink);
    if (st.st_size > 0 && st.st_size < 100) /* SQLite treats a file of one or two bytes as empty */
        return bough_fail(err, BOUGH_INVALID, "%s is not a bough store", s->path);
    s->dev = st.st_dev;
    s->ino = st.st_ino;
    return BOUGH_OK;
}

enum bough_rc file_prepare(struct sqlite *s, const struct backend_config *config,
                           struct bough_error *err)
{
    bool make = !config->read_only && !config->must_exist;
    const char *path = config->path;
    const char *slash, *name;
    char real[PATH_MAX];
    enum bough_rc rc;

    if (cstr_empty(path))
        return bough_fail(err, BOUGH_INVALID, "the path of the store is empty");
    if (strlen(path) >= PATH_MAX - 16)
        return bough_fail(err, BOUGH_INVALID, "the path of the store is too long");
    slash = strrchr(path, '/');
    name = slash ? slash + 1 : path;
    if (!*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return bough_fail(err, BOUGH_INVALID, "%s is a directory; a store is a file", path);

    pthread_mutex_lock(&create_lock);
    rc = find_directory(path, make, real, err);
    if (!rc) {
        s->path = fs_join(s->arena, real, name);
        s->log_path = arena_printf(s->arena, "%s-wal", s->path);
        if (fs_network(s->path))
            rc = bough_fail(err, BOUGH_INVALID,
                            "%s is on a network file system, where locks cannot "
                            "be trusted; keep the store on a local disk",
                            s->path);
    }
    if (!rc)
        rc = find_file(s, make, err);
    pthread_mutex_unlock(&create_lock);
    if (rc)
        return rc;
    /* A read-only directory without a WAL: the file cannot change, and SQLite could not create its
     * WAL index. Open it as immutable. */
    s->immutable = config->read_only && access(real, W_OK) != 0 &&
                   !fs_exists(arena_printf(s->arena, "%s-wal", s->path));
    return BOUGH_OK;
}

/* A power failure during a checkpoint may tear the first page of the file. The WAL still has it, so
 * SQLite reads the right one. */
static bool store_in_wal(struct conn *c)
{
    sqlite3_stmt *st = NULL;
    bool ours = sqlite3_prepare_v2(c->db, "PRAGMA application_id", -1, &st, NULL) == SQLITE_OK &&
                sqlite3_step(st) == SQLITE_ROW &&
                (uint32_t)sqlite3_column_int64(st, 0) == APPLICATION;

    sqlite3_finalize(st);
    return ours;
}

enum bough_rc file_sniff(struct conn *c, struct bough_error *err)
{
    static const unsigned char zero[100];
    const char *path = c->store->path;
    sqlite3_file *f = NULL;
    unsigned char head[100];
    sqlite3_int64 size = 0;
    uint32_t app;

    sqlite3_file_control(c->db, "main", SQLITE_FCNTL_FILE_POINTER, &f);
    if (!f || !f->pMethods || f->pMethods->xFileSize(f, &size) != SQLITE_OK)
        return bough_fail(err, BOUGH_IO, "cannot read %s", path);
    if (size == 0)
        return BOUGH_OK;
    /* A process that died while creating the file leaves a rollback journal. SQLite rolls it back
     * first; db_migrate() checks the file after that. */
    if (fs_exists(arena_printf(c->arena, "%s-journal", path)))
        return BOUGH_OK;
    if (size < (sqlite3_int64)sizeof head)
        return bough_fail(err, BOUGH_INVALID, "%s is not a bough store", path);
    if (f->pMethods->xRead(f, head, sizeof head, 0) != SQLITE_OK)
        return bough_fail(err, BOUGH_IO, "cannot read %s", path);
    if (memcmp(head, zero, sizeof head) == 0)
        return BOUGH_OK;
    app = (uint32_t)head[68] << 24 | (uint32_t)head[69] << 16 | (uint32_t)head[70] << 8 | head[71];
    if (memcmp(head, "SQLite format 3", 16) == 0 && app == APPLICATION)
        return BOUGH_OK;
    if (fs_exists(arena_printf(c->arena, "%s-wal", path)) && store_in_wal(c))
        return BOUGH_OK;
    return bough_fail(err, BOUGH_INVALID, "%s is not a bough store", path);
}

/* Which file is at this path? Asked before every commit, so its times are not read: since Linux
 * 6.13 the first write after a look at a file's times updates them at once, which makes the inode
 * dirty and the next sync of the file slower. */
static bool identity(const char *path, dev_t *dev, ino_t *ino)
{
    struct statx st;

    if (statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_INO, &st) != 0)
        return false;
    *dev = makedev(st.stx_dev_major, st.stx_dev_minor);
    *ino = st.stx_ino;
    return true;
}

enum bough_rc file_same(struct sqlite *s, struct bough_error *err)
{
    dev_t dev;
    ino_t ino;

    if (identity(s->path, &dev, &ino) && dev == s->dev && ino == s->ino)
        return BOUGH_OK;
    return bough_fail(err, BOUGH_IO,
                      "%s was replaced or removed while it was open; nothing was "
                      "written",
                      s->path);
}

/* SQLite never removes the WAL while a connection is open. */
enum bough_rc file_log_same(struct sqlite *s, struct bough_error *err)
{
    dev_t dev;
    ino_t ino = 0;
    bool there = identity(s->log_path, &dev, &ino);

    if (!s->log_ino && there)
        s->log_ino = ino;
    if (!s->log_ino || (there && ino == s->log_ino))
        return BOUGH_OK;
    return bough_fail(err, BOUGH_IO,
                      "%s was removed or replaced while the store was open; nothing was written: "
                      "close the store in all processes, and run bough fsck",
                      s->log_path);
}
