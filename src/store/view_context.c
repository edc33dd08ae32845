/* Context: reads the part of the path a dialect needs and lets core build it. */
#include "core/context.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/str.h"
#include "store/engine.h"
#include "store/path.h"

enum { ANSWERS = 16 }; /* so far back the last answer usually is */

/* ---- what was set before the part that is read ---- */

struct before {
    struct bough_entry *at[3 + ANSWERS];
    size_t n;
};

static enum bough_rc add_last(struct snap *snap, struct bough_arena *a, struct bough_head end,
                              enum bough_entry_kind kind, struct before *out,
                              struct bough_error *err)
{
    struct bough_head at;
    enum bough_rc rc = path_last(snap, end, kind, 0, &at, err);

    if (rc || !at.branch)
        return rc;
    return entry_load(snap, a, at, &out->at[out->n++], err);
}

/* The last answers of the path, not further back than `down_to`. */
static enum bough_rc add_answers(struct snap *snap, struct bough_arena *a, struct bough_head end,
                                 int64_t down_to, struct before *out, struct bough_error *err)
{
    struct path_filter f = { .kinds = 1 << BOUGH_ENTRY_MESSAGE,
                             .mask = (int64_t)MASK_ROLE << BOUGH_ROLE_ASSISTANT,
                             .limit = ANSWERS,
                             .newest = true };
    struct entry_list list = { .a = a };
    struct segs segs;
    enum bough_rc rc = path_segs(snap, a, end, down_to, &segs, err);

    if (!rc)
        rc = path_read(snap, &segs, &f, &list, NULL, err);
    for (size_t i = list.n; i-- > 0 && !rc;)
        out->at[out->n++] = &list.at[i];
    return rc;
}

static int newest_first(const void *a, const void *b)
{
    const struct bough_entry *x = *(struct bough_entry *const *)a;
    const struct bough_entry *y = *(struct bough_entry *const *)b;

    return (x->at.depth < y->at.depth) - (x->at.depth > y->at.depth);
}

static enum bough_rc read_before(struct bough_store *s, struct bough_arena *a,
                                 const struct bough_entry *first, struct before *out,
                                 struct bough_error *err)
{
    struct bough_head end = { first->at.branch, first->at.depth - 1 };
    int64_t near = end.depth > 4 * ANSWERS ? end.depth - 4 * ANSWERS : 1;
    struct snap snap;
    enum bough_rc rc = end.depth ? snap_begin(s, &snap, err) : BOUGH_OK;

    if (rc || !end.depth)
        return rc;
    rc = add_answers(&snap, a, end, near, out, err);
    if (!rc && !out->n && near > 1)
        rc = add_answers(&snap, a, end, 1, out, err);
    if (!rc)
        rc = add_last(&snap, a, end, BOUGH_ENTRY_MODEL_CHANGE, out, err);
    if (!rc)
        rc = add_last(&snap, a, end, BOUGH_ENTRY_THINKING_LEVEL_CHANGE, out, err);
    snap_end(&snap);
    if (out->n)
        qsort(out->at, out->n, sizeof *out->at, newest_first);
    return rc;
}

/* ---- the path ---- */

/* The marker goes first when it keeps nothing that stands before it. */
static void put_marker(struct bough_arena *a, struct bough_path *path)
{
    struct bough_entries *e = &path->entries;
    struct bough_entry *with;

    if (!path->marker || (e->n && e->at[0].at.depth <= path->marker->at.depth))
        return;
    with = arena_array(a, e->n + 1, sizeof *with);
    with[0] = *path->marker;
    if (e->n)
        memcpy(with + 1, e->at, e->n * sizeof *with);
    e->at = with;
    e->n++;
}

static enum bough_rc context_of(struct bough_store *s, struct bough_arena *a, const char *session,
                                const struct bough_context_options *how, struct bough_context *out,
                                struct bough_error *err)
{
    bool pi = cstr_eq(how->dialect, "pi"), hygge = cstr_eq(how->dialect, "hygge");
    struct bough_read read = { .at = how->at,
                               .what = pi || hygge ? BOUGH_SINCE_MARKER : BOUGH_PATH,
                               .inherit = pi || how->inherit,
                               .deleted = true };
    struct context_input in = { .dialect = how->dialect, .inherit = how->inherit };
    struct bough_path path = { 0 };
    struct before before = { .n = 0 };
    struct bough_session *there;
    enum bough_rc rc;

    rc = how->at_nothing ? bough_session_get(s, a, session, &there, err)
                         : bough_entries_read(s, a, session, &read, &path, err);
    if (!rc && pi)
        put_marker(a, &path);
    if (!rc && path.entries.n)
        rc = read_before(s, a, &path.entries.at[0], &before, err);
    if (rc)
        return rc;
    in.entries = path.entries.at;
    in.n = path.entries.n;
    in.before = before.at;
    in.nbefore = before.n;
    in.marker = path.marker;
    return context_build(a, &in, out, err);
}

enum bough_rc bough_context(struct bough_store *s, struct bough_arena *a, const char *session,
                            const struct bough_context_options *how, struct bough_context *out,
                            struct bough_error *err)
{
    *out = (struct bough_context){ 0 };
    if (!how || cstr_empty(how->dialect))
        return bough_fail(err, BOUGH_INVALID, "say which dialect: pi, hygge or ui");
    return context_of(s, a, session, how, out, err);
}
