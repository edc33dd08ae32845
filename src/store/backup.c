/* Backup and restore. Both write a complete copy to a temporary file next to the target, check the
 * copy in full, and only then rename it. At every moment the target is either the old file or the
 * new file, complete. */
#include <stdio.h>
#include <sys/stat.h>

#include "base/os/fs.h"
#include "base/required.h"
#include "base/reserved.h"
#include "base/text/str.h"
#include "store/engine/engine.h"
#include "store/sqlite/sqlite.h"
#include "store/swap.h"

enum { WEEK_MS = 7 * 24 * 3600 * 1000 }; /* copying and checking have no deadline in practice */

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
                                struct bough_backup_result *out, struct count *count,
                                int64_t *epoch, struct bough_error *err)
{
    struct bough_finding first = { 0 };
    struct bough_store_fsck_result found;
    struct bough_store_info_result info;
    struct snap snap;
    enum bough_rc rc = bough_store_fsck(s, BOUGH_FSCK_FULL, keep_first, &first, &found, err);

    if (rc)
        return rc;
    if (found.errors)
        return bough_fail(err, BOUGH_CORRUPT, "the copy has %lld errors; the first: %s %s: %.120s",
                          (long long)found.errors, first.code, first.where, first.text);
    rc = bough_store_info(s, a, &info, err);
    if (!rc)
        rc = snap_begin(s, &snap, err);
    if (rc)
        return rc;
    rc = count_sessions(&snap, count, err);
    snap_end(&snap);
    *out = (struct bough_backup_result){ .sessions = count->living,
                                         .entries = found.entries,
                                         .last_no = info.last_no };
    *epoch = info.epoch;
    return rc;
}

/* Open the copy like any store, run a full fsck and count its rows. */
static enum bough_rc check_copy(struct new_file *d, const struct bough_store_open_options *options,
                                const bool *cancel, struct bough_backup_result *out,
                                struct count *count, int64_t *epoch, struct bough_error *err)
{
    struct bough_store_scoped_options scope = { .deadline_ms = WEEK_MS, .cancel = cancel };
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

/* Copy one snapshot of the store; *last_no and *count describe that snapshot. */
static enum bough_rc copy_moment(struct bough_store *s, const char *temp, copy_fn progress,
                                 void *user, int64_t *last_no, struct count *count,
                                 struct bough_error *err)
{
    struct deadline p = { INT64_MAX, s->cancel };
    struct snap snap;
    enum bough_rc rc = snap_begin_engine(s->e, &p, &snap, err);

    if (rc)
        return rc;
    rc = snap.ops->changelog_last(snap.v, last_no, err);
    if (!rc)
        rc = count_sessions(&snap, count, err);
    if (!rc)
        rc = snap.ops->backup(snap.v, temp, progress, user, err);
    snap_end(&snap);
    return rc;
}

static enum bough_rc write_backup(struct bough_store *s, struct new_file *d, copy_fn progress,
                                  void *user, struct bough_backup_result *out,
                                  struct bough_error *err)
{
    const struct env *e = &s->e->env;
    struct bough_env env = { .now = e->now, .random = e->random, .user = e->user };
    struct bough_store_open_options options = { .read_only = true, .env = &env };
    struct count had = { 0 }, has = { 0 };
    int64_t last_no = 0, epoch = 0;
    enum bough_rc rc = new_file_make(d, err);

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
        rc = new_file_seal(d, err);
    return rc ? rc : new_file_place(d, err);
}

enum bough_rc bough_backup(struct bough_store *s, const char *path,
                           const struct bough_backup_options *how, struct bough_backup_result *out,
                           struct bough_error *err)
{
    REQUIRE(s, err);

    struct new_file d = { .a = bough_arena_create(), .temp = "" };
    struct bough_backup_result done = { 0 };
    enum bough_rc rc = RESERVED_CHECK(bough_backup_options, how, err);

    if (!rc)
        rc = swap_path(path, &d.path, err);
    if (!rc && file_there(d.path))
        rc = bough_fail(err, BOUGH_EXISTS, "%s already exists", d.path);
    if (!rc)
        rc = write_backup(s, &d, how ? how->progress : NULL, how ? how->user : NULL, &done, err);
    if (rc)
        new_file_drop(&d);
    else if (out)
        *out = done;
    new_file_finish(&d);
    bough_arena_destroy(d.a);
    return rc;
}

/* ---- restore ---- */

static bool same_file(const char *one, const char *other)
{
    struct stat a, b;

    return one && other && stat(one, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

/* An epoch higher than that of both stores. If the old store's epoch is unreadable, use seconds
 * since 1970, which no number of restores reaches. */
static int64_t next_epoch(const struct swap *w, int64_t theirs, int64_t old)
{
    if (old < 0)
        old = w->now / 1000;
    return (theirs > old ? theirs : old) + 1;
}

static enum bough_rc run_restore(struct swap *w, const char *from,
                                 const struct bough_restore_options *how,
                                 struct bough_restore_result *out, struct bough_error *err)
{
    struct bough_store_open_options options = { .must_exist = true, .env = how->env };
    int64_t old_epoch = 0, epoch = 0;
    struct count count;
    enum bough_rc rc = BOUGH_OK;

    if (same_file(from, w->d.path))
        return bough_fail(err, BOUGH_INVALID, "%s is the store itself", from);
    if (file_there(w->d.path))
        rc = sqlite_seize(w->d.path, &w->old, &old_epoch, err);
    if (!rc)
        rc = new_file_make(&w->d, err);
    if (!rc)
        rc = sqlite_copy(from, w->d.temp, how->progress, how->user, err);
    if (!rc)
        rc = check_copy(&w->d, &options, NULL, &out->copied, &count, &epoch, err);
    if (!rc) {
        out->epoch = next_epoch(w, epoch, old_epoch);
        rc = sqlite_epoch_set(w->d.temp, out->epoch, err);
    }
    if (!rc)
        rc = new_file_seal(&w->d, err);
    return rc ? rc : swap_in(w, err);
}

enum bough_rc bough_restore(const char *backup, const char *url,
                            const struct bough_restore_options *how, struct bough_arena *a,
                            struct bough_restore_result *out, struct bough_error *err)
{
    REQUIRE(a, err);

    static const struct bough_restore_options plainly;
    struct swap w = { .d = { .a = bough_arena_create(), .temp = "" }, .word = "restore" };
    struct bough_restore_result done = { 0 };
    const char *from = "";
    enum bough_rc rc = RESERVED_CHECK(bough_restore_options, how, err);

    how = how ? how : &plainly;
    if (!rc)
        rc = RESERVED_CHECK(bough_env, how->env, err);
    if (!rc)
        rc = swap_path(backup, &from, err);
    w.force = how->force;
    if (!rc)
        w.now = how->env ? how->env->now(how->env->user) : env_now(&env_system);
    if (!rc)
        rc = swap_path(url, &w.d.path, err);
    if (!rc)
        rc = run_restore(&w, from, how, &done, err);
    if (rc)
        new_file_drop(&w.d);
    sqlite_unseize(w.old);
    if (!rc && out) {
        *out = done;
        out->kept = arena_strdup(a, w.linked ? w.kept : "");
    }
    new_file_finish(&w.d);
    bough_arena_destroy(w.d.a);
    return rc;
}
