/*
 * Backup and restore. Both write a whole copy beside its place, under a name nobody knows, check
 * it there in full, and only then give it its name: at every moment, the file of that name is the
 * old one or the new one, whole.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/str.h"
#include "store/engine.h"
#include "store/sqlite/sqlite.h"

enum {
    WEEK_MS = 7 * 24 * 3600 * 1000, /* copying and checking take as long as they take */
    NAME_ROOM = 64,                 /* for what is put behind a name */
    KEPT_TRIES = 100,
};

static enum bough_rc fail_errno(const char *doing, const char *path, struct bough_error *err)
{
    int e = errno;

    return bough_fail(err, fs_rc(e), "cannot %s %s: %s", doing, path, strerror(e));
}

/* The file of a "sqlite:PATH" or a plain path. */
static enum bough_rc file_of(const char *url, const char **path, struct bough_error *err)
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

static bool there(const char *path)
{
    struct stat st;

    return path && lstat(path, &st) == 0;
}

static enum bough_rc sync_directory(struct bough_arena *a, const char *path,
                                    struct bough_error *err)
{
    const char *slash = strrchr(path, '/');
    const char *dir = !slash          ? "."
                      : slash == path ? "/"
                                      : arena_strndup(a, path, (size_t)(slash - path));
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    enum bough_rc rc = BOUGH_OK;

    if (fd < 0 || fsync(fd) != 0)
        rc = fail_errno("sync", dir, err);
    if (fd >= 0)
        close(fd);
    return rc;
}

/* ---- a copy without a name yet ---- */

struct draft {
    struct bough_arena *a;
    const char *path; /* what it shall be called */
    const char *temp; /* what it is called, "" before it is there */
};

/* What SQLite keeps beside a file: two kinds of log, and an index that it can make again. */
enum { LOGS = 2, BESIDE = 3 };
static const char *const beside[BESIDE] = { "-wal", "-journal", "-shm" };

static void remove_beside(struct bough_arena *a, const char *path)
{
    for (size_t i = 0; i < BESIDE; i++)
        unlink(arena_printf(a, "%s%s", path, beside[i]));
}

static enum bough_rc draft_make(struct draft *d, struct bough_error *err)
{
    const char *temp =
        arena_printf(d->a, "%s.%016llx.tmp", d->path, (unsigned long long)env_u64(&env_system));
    int fd = open(temp, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

    if (fd < 0)
        return fail_errno("create", temp, err);
    close(fd);
    d->temp = temp;
    return BOUGH_OK;
}

static void draft_drop(struct draft *d)
{
    if (!*d->temp)
        return;
    unlink(d->temp);
    remove_beside(d->a, d->temp);
}

/* It is closed and complete: nothing beside it counts any more, all of it goes to the disk. */
static enum bough_rc draft_seal(struct draft *d, struct bough_error *err)
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

/* Never over something that came there meanwhile. */
static enum bough_rc draft_place_new(struct draft *d, struct bough_error *err)
{
    bool ok = renameat2(AT_FDCWD, d->temp, AT_FDCWD, d->path, RENAME_NOREPLACE) == 0;
    enum bough_rc rc;

    if (!ok && (errno == EINVAL || errno == ENOSYS)) { /* this file system cannot */
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

/* ---- counting and checking ---- */

struct count {
    int64_t all, living;
};

static bool count_session(void *user, const struct raw_row *row)
{
    struct count *c = user;

    c->all++;
    c->living += !row->u.session.purged;
    return true;
}

static enum bough_rc count_sessions(struct snap *snap, struct count *out, struct bough_error *err)
{
    *out = (struct count){ 0 };
    return snap->ops->raw_scan(snap->v, RAW_SESSION, count_session, out, err);
}

static void keep_first(void *user, const struct bough_finding *f)
{
    struct bough_finding *first = user;

    if (f->error && !first->error)
        *first = *f;
}

static enum bough_rc check_open(struct bough_store *s, struct bough_arena *a,
                                struct bough_backup_report *out, struct count *count,
                                int64_t *epoch, struct bough_error *err)
{
    struct bough_finding first = { 0 };
    struct bough_fsck_report found;
    struct bough_info info;
    struct snap snap;
    enum bough_rc rc = bough_store_fsck(s, BOUGH_FSCK_FULL, keep_first, &first, &found, err);

    if (rc)
        return rc;
    if (found.errors)
        return bough_fail(err, BOUGH_CORRUPT,
                          "%lld things are wrong in the copy; the first: %s %s: %.120s",
                          (long long)found.errors, first.code, first.where, first.text);
    rc = bough_store_info(s, a, &info, err);
    if (!rc)
        rc = snap_begin(s, &snap, err);
    if (rc)
        return rc;
    rc = count_sessions(&snap, count, err);
    snap_end(&snap);
    *out = (struct bough_backup_report){ .sessions = count->living,
                                         .entries = found.entries,
                                         .last_no = info.last_no };
    *epoch = info.epoch;
    return rc;
}

/* Open the copy as anybody would and prove all of it. */
static enum bough_rc check_copy(struct draft *d, const struct bough_options *options,
                                const bool *cancel, struct bough_backup_report *out,
                                struct count *count, int64_t *epoch, struct bough_error *err)
{
    struct bough_scope scope = { .deadline_ms = WEEK_MS, .cancel = cancel };
    struct bough_store *s = NULL, *patient;
    enum bough_rc rc;

    rc = bough_store_open(&s, arena_printf(d->a, "sqlite:%s", d->temp), options, err);
    if (rc)
        return rc;
    patient = bough_store_scoped(s, &scope);
    rc = check_open(patient, d->a, out, count, epoch, err);
    bough_store_close(&patient);
    bough_store_close(&s);
    out->bytes = fs_size(d->temp);
    return rc;
}

/* ---- backup ---- */

/* Copy one moment of the store; what it had then is in *last_no and *count. */
static enum bough_rc copy_moment(struct bough_store *s, const char *temp, copy_fn progress,
                                 void *user, int64_t *last_no, struct count *count,
                                 struct bough_error *err)
{
    struct patience p = { INT64_MAX, s->cancel };
    struct snap snap;
    enum bough_rc rc = snap_begin_engine(s->e, &p, &snap, err);

    if (rc)
        return rc;
    rc = snap.ops->log_last(snap.v, last_no, err);
    if (!rc)
        rc = count_sessions(&snap, count, err);
    if (!rc)
        rc = snap.ops->backup(snap.v, temp, progress, user, err);
    snap_end(&snap);
    return rc;
}

static enum bough_rc write_backup(struct bough_store *s, struct draft *d, copy_fn progress,
                                  void *user, struct bough_backup_report *out,
                                  struct bough_error *err)
{
    const struct env *e = &s->e->env;
    struct bough_env env = { e->now, e->random, e->user };
    struct bough_options options = { .read_only = true, .env = &env };
    struct count had = { 0 }, has = { 0 };
    int64_t last_no = 0, epoch = 0;
    enum bough_rc rc = draft_make(d, err);

    if (!rc)
        rc = copy_moment(s, d->temp, progress, user, &last_no, &had, err);
    if (!rc)
        rc = check_copy(d, &options, s->cancel, out, &has, &epoch, err);
    if (!rc && (out->last_no != last_no || has.all != had.all || has.living != had.living))
        rc = bough_fail(err, BOUGH_CORRUPT,
                        "the copy has %lld sessions and ends at %lld; the store had %lld and %lld",
                        (long long)has.all, (long long)out->last_no, (long long)had.all,
                        (long long)last_no);
    if (!rc)
        rc = draft_seal(d, err);
    return rc ? rc : draft_place_new(d, err);
}

enum bough_rc bough_backup(struct bough_store *s, const char *path,
                           bool (*progress)(void *user, int64_t done, int64_t total), void *user,
                           struct bough_backup_report *report, struct bough_error *err)
{
    struct draft d = { .a = bough_arena_create(), .temp = "" };
    struct bough_backup_report out = { 0 };
    enum bough_rc rc = file_of(path, &d.path, err);

    if (!rc && there(d.path))
        rc = bough_fail(err, BOUGH_EXISTS, "%s is there already", d.path);
    if (!rc)
        rc = write_backup(s, &d, progress, user, &out, err);
    if (rc)
        draft_drop(&d);
    else if (report)
        *report = out;
    bough_arena_destroy(d.a);
    return rc;
}

/* ---- restore: out with the old ---- */

struct swap {
    struct draft d;
    struct sqlite_seized *old; /* NULL: nothing is there */
    bool force;
    int64_t now;
    const char *kept; /* where the old one goes */
    bool linked;      /* it has that name now, besides its own */
    bool moved[LOGS]; /* its logs are called after `kept` now */
};

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
    return try ? arena_printf(w->d.a, "%s.before-restore-%s-%d", w->d.path, when, try + 1)
               : arena_printf(w->d.a, "%s.before-restore-%s", w->d.path, when);
}

/* A second name for the old file: it is never without one. */
static enum bough_rc keep_old(struct swap *w, struct bough_error *err)
{
    for (int try = 0; try < KEPT_TRIES; try++) {
        w->kept = kept_name(w, try);
        if (there(w->kept) || there(side(w, w->kept, 0)) || there(side(w, w->kept, 1)))
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

/*
 * What lies beside the old file must be gone before the new one has its name: SQLite would take an
 * old log for the new file's. A sound file's log is empty by now; a damaged one's goes along.
 */
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

/* An empty log is not worth keeping. */
static void swap_tidy(struct swap *w)
{
    for (size_t i = 0; i < LOGS; i++)
        if (w->moved[i] && (w->force || fs_size(side(w, w->kept, i)) == 0))
            unlink(side(w, w->kept, i));
}

static enum bough_rc swap_in(struct swap *w, struct bough_error *err)
{
    enum bough_rc rc = w->old ? sqlite_seized_fold(w->old, err) : BOUGH_OK;

    if (!rc)
        rc = keep_old(w, err);
    if (!rc)
        rc = move_sides(w, err);
    if (!rc && !w->old)
        rc = draft_place_new(&w->d, err);
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

/* ---- restore: in with the new ---- */

static bool same_file(const char *one, const char *other)
{
    struct stat a, b;

    return one && other && stat(one, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

/* One more than either has seen. When the old one cannot be asked: seconds since 1970, which no
 * count of restores reaches. */
static int64_t next_epoch(const struct swap *w, int64_t theirs, int64_t old)
{
    if (old < 0)
        old = w->now / 1000;
    return (theirs > old ? theirs : old) + 1;
}

static enum bough_rc run_restore(struct swap *w, const char *from, const struct bough_restore *how,
                                 struct bough_restored *out, struct bough_error *err)
{
    struct bough_options options = { .create_not = true, .env = how->env };
    int64_t old_epoch = 0, epoch = 0;
    struct count count;
    enum bough_rc rc = BOUGH_OK;

    if (same_file(from, w->d.path))
        return bough_fail(err, BOUGH_INVALID, "%s is the store itself", from);
    if (there(w->d.path))
        rc = sqlite_seize(w->d.path, &w->old, &old_epoch, err);
    if (!rc)
        rc = draft_make(&w->d, err);
    if (!rc)
        rc = sqlite_copy(from, w->d.temp, how->progress, how->user, err);
    if (!rc)
        rc = check_copy(&w->d, &options, NULL, &out->copied, &count, &epoch, err);
    if (!rc) {
        out->epoch = next_epoch(w, epoch, old_epoch);
        rc = sqlite_epoch_set(w->d.temp, out->epoch, err);
    }
    if (!rc)
        rc = draft_seal(&w->d, err);
    return rc ? rc : swap_in(w, err);
}

enum bough_rc bough_restore(const char *backup, const char *url, const struct bough_restore *how,
                            struct bough_arena *a, struct bough_restored *out,
                            struct bough_error *err)
{
    static const struct bough_restore plainly;
    struct swap w = { .d = { .a = bough_arena_create(), .temp = "" } };
    struct bough_restored done = { 0 };
    const char *from = "";
    enum bough_rc rc = file_of(backup, &from, err);

    how = how ? how : &plainly;
    w.force = how->force;
    w.now = how->env ? how->env->now(how->env->user) : env_now(&env_system);
    if (!rc)
        rc = file_of(url, &w.d.path, err);
    if (!rc)
        rc = run_restore(&w, from, how, &done, err);
    if (rc)
        draft_drop(&w.d);
    sqlite_unseize(w.old);
    if (!rc && out) {
        *out = done;
        out->kept = arena_strdup(a, w.linked ? w.kept : "");
    }
    bough_arena_destroy(w.d.a);
    return rc;
}
