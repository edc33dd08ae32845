/* Rescue: salvage a damaged store into a new file, verify it, and put it in the old one's place. */
#include <bough/salvage.h>

#include <sys/stat.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "store/care/salvage/rescue.h"
#include "store/engine/engine.h"
#include "store/swap.h"

enum { WEEK_MS = 7 * 24 * 3600 * 1000 }; /* repairing has no deadline in practice */

struct rescuing {
    struct swap w;
    const char *from;
    void (*did)(void *user, const struct bough_finding *f);
    void (*left)(void *user, const struct bough_finding *f);
    void *user;
    struct bough_rescue_result out;
};

static enum bough_rc repair_copy(struct rescuing *r, struct bough_error *err)
{
    struct bough_store_scoped_options scope = { .deadline_ms = WEEK_MS };
    struct bough_store *s = NULL, *patient;
    enum bough_rc rc =
        bough_store_open(&s, arena_printf(r->w.d.a, "sqlite:%s", r->w.d.temp),
                         &(struct bough_store_open_options){ .must_exist = true }, err);

    if (rc)
        return rc;
    patient = bough_store_scoped(s, &scope);
    rc = bough_store_repair(patient, BOUGH_FSCK_FULL, r->did, r->left, r->user, &r->out.repaired,
                            err);
    if (!rc)
        rc = bough_store_upkeep(patient, err);
    bough_store_close(&patient);
    bough_store_close(&s);
    return rc;
}

static enum bough_rc build(struct rescuing *r, struct bough_error *err)
{
    struct bough_salvage_result *saved = &r->out.saved;
    enum bough_rc rc = new_file_make(&r->w.d, err);

    if (!rc)
        rc = rescue_build(r->from, r->w.d.temp, &env_system, saved, err);
    if (!rc && !saved->sessions && !saved->entries)
        rc = bough_fail(err, BOUGH_CORRUPT, "no intact session or entry was found in %s", r->from);
    if (!rc)
        rc = rescue_compare(r->from, r->w.d.temp, false, err);
    if (!rc)
        rc = repair_copy(r, err);
    if (!rc)
        rc = rescue_compare(r->from, r->w.d.temp, true, err);
    return rc ? rc : new_file_seal(&r->w.d, err);
}

/* The state of the damaged file and its WAL, to notice a write between reading and replacing. */
struct state {
    struct stat file, log;
};

static struct state state_of(struct rescuing *r)
{
    struct state s = { 0 };

    if (stat(r->from, &s.file))
        s.file.st_size = -1;
    if (stat(arena_printf(r->w.d.a, "%s-wal", r->from), &s.log))
        s.log.st_size = -1;
    return s;
}

static bool same_stat(const struct stat *a, const struct stat *b)
{
    return a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* Replace the store, which must not be open anywhere. It is seized twice: to refuse early, and to
 * replace it. In between it is not locked, because closing the descriptors that read its pages
 * would drop the locks. */
static enum bough_rc replace(struct rescuing *r, struct bough_error *err)
{
    struct state before, now;
    enum bough_rc rc = sqlite_seize_damaged(r->from, &r->w.old, err);

    sqlite_unseize(r->w.old);
    r->w.old = NULL;
    before = state_of(r);
    if (!rc)
        rc = build(r, err);
    if (!rc)
        rc = sqlite_seize_damaged(r->from, &r->w.old, err);
    if (rc)
        return rc;
    now = state_of(r);
    if (!same_stat(&before.file, &now.file) || !same_stat(&before.log, &now.log))
        return bough_fail(err, BOUGH_BUSY, "%s was written meanwhile; close it first", r->from);
    r->w.untouched = true;
    return swap_in(&r->w, err);
}

enum bough_rc bough_rescue(const char *path, const char *to,
                           void (*did)(void *user, const struct bough_finding *f),
                           void (*left)(void *user, const struct bough_finding *f), void *user,
                           struct bough_arena *a, struct bough_rescue_result *out,
                           struct bough_error *err)
{
    struct rescuing r = { .did = did, .left = left, .user = user };
    enum bough_rc rc = swap_path(path, &r.from, err);

    r.w = (struct swap){ .d = { .a = bough_arena_create(), .temp = "" },
                         .now = env_now(&env_system),
                         .word = "repair" };
    if (!rc)
        rc = swap_path(to ? to : path, &r.w.d.path, err);
    if (!rc && to && file_there(r.w.d.path))
        rc = bough_fail(err, BOUGH_EXISTS, "%s already exists", r.w.d.path);
    if (!rc && !to)
        rc = replace(&r, err);
    else if (!rc)
        rc = build(&r, err);
    if (!rc && to)
        rc = new_file_place(&r.w.d, err);
    if (rc)
        new_file_drop(&r.w.d);
    sqlite_unseize(r.w.old);
    if (!rc && out) {
        *out = r.out;
        out->kept = arena_strdup(a, r.w.linked ? r.w.kept : "");
    }
    new_file_finish(&r.w.d);
    bough_arena_destroy(r.w.d.a);
    return rc;
}
