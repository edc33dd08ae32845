/*
 * Handing an open message from one process to another.
 *
 * One process at a time collects the steps of a message: its holder, `process` in the lease row.
 * Its unsaved steps are only in its memory, so another process that gets a step or the seal first
 * asks for the message: it puts itself into `wanted`. The holder looks for such requests every
 * quarter of a second, saves its steps and names the other process as the holder, in one txn. Every
 * save checks the version of the row, so a process that is not the holder any more cannot save.
 */
#include "store/live/handover.h"

#include <string.h>
#include <time.h>

#include "base/os/process.h"

enum {
    ASK_US = 20000,        /* look this often whether the holder has answered */
    PATIENCE_US = 3000000, /* wait this long for a holder on another machine */
};

struct asking {
    struct bough_head at;
    int64_t epoch;
    const char *self;
    bool force; /* take it away from a holder that does not answer */
    bool held;  /* result: this process is the holder */
    bool near;  /* result: the holder is a living process of this machine, and will answer */
};

static enum bough_rc ask_prepare(struct prep *p, void *user, struct bough_error *err)
{
    struct asking *k = user;
    struct open_row row;
    enum bough_rc rc = open_held(p, k->at, k->epoch, &row, err);

    k->held = !rc && strcmp(row.process, k->self) == 0;
    if (rc || k->held)
        return rc;
    if (k->force || !*row.process || process_dead(row.process)) {
        row.process = k->self;
        row.wanted = "";
        k->held = true;
    } else {
        k->near = process_here(row.process);
        if (strcmp(row.wanted, k->self) == 0)
            return BOUGH_OK; /* asked already */
        row.wanted = k->self;
    }
    txn_change(p, CHANGE_OPEN_SET)->u.open = row;
    p->t->relaxed = true;
    return BOUGH_OK;
}

/* Usual case: the row already names this process. False also when the row cannot be read. */
static bool is_holder(struct bough_store *s, const struct asking *k)
{
    struct bough_arena *tmp = bough_arena_create();
    struct open_row row;
    struct snap snap;
    bool there = false, held = false;

    if (!snap_begin(s, &snap, NULL)) {
        held = !open_get(&snap, tmp, k->at, &row, &there, NULL) && there && row.epoch == k->epoch &&
               strcmp(row.process, k->self) == 0;
        snap_end(&snap);
    }
    bough_arena_destroy(tmp);
    return held;
}

enum bough_rc handover_take(struct bough_store *s, struct bough_head at, int64_t epoch,
                            bool numbered, struct bough_error *err)
{
    static const struct timespec pause = { 0, ASK_US * 1000L };
    int64_t until = mono_us() + PATIENCE_US;
    struct deadline deadline = store_deadline(s);
    char self[PROCESS_TEXT];
    struct asking k = { .at = at, .epoch = epoch, .self = self };
    enum bough_rc rc = BOUGH_OK;

    process_self(self);
    if (is_holder(s, &k))
        return BOUGH_OK;
    while (!rc && !k.held) {
        struct request r = { .prepare = ask_prepare, .user = &k };

        rc = write_once(s, &r, err);
        if (rc || k.held)
            break;
        if (mono_us() >= until && !k.near && !numbered)
            return bough_fail(err, BOUGH_BUSY,
                              "another server collects the steps of this message and does not "
                              "answer: number the steps, or wait until its lease expires");
        k.force = mono_us() >= until && !k.near;
        if (!k.force)
            nanosleep(&pause, NULL);
        if (deadline_passed(&deadline))
            rc =
                bough_fail(err, BOUGH_TIMEOUT, "another server collects the steps of this message");
    }
    return rc;
}

struct wishes {
    struct bough_arena *a;
    const char *self;
    struct bough_head *at;
    size_t n;
};

static bool take_wish(void *user, const struct open_row *row)
{
    struct wishes *w = user;

    if (!*row->wanted || strcmp(row->process, w->self) != 0)
        return true;
    w->at = arena_room(w->a, w->at, w->n, sizeof *w->at);
    w->at[w->n++] = (struct bough_head){ row->bid, row->depth };
    return true;
}

enum bough_rc handover_wishes(struct bough_store *s, struct bough_arena *a, struct bough_head **at,
                              size_t *n, struct bough_error *err)
{
    char self[PROCESS_TEXT];
    struct wishes w = { .a = a, .self = self };
    struct snap snap;
    enum bough_rc rc = snap_begin(s, &snap, err);

    process_self(self);
    if (!rc) {
        rc = snap.ops->open_scan(snap.v, 0, 0, 0, take_wish, &w, err);
        snap_end(&snap);
    }
    *at = w.at;
    *n = w.n;
    return rc;
}
