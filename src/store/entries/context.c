/* Build a context: read the part of the path that a dialect needs, and pass it to core. */
#include "core/context/context.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory/arena.h"
#include "base/memory/mem.h"
#include "base/required.h"
#include "base/reserved.h"
#include "base/text/base64.h"
#include "base/text/str.h"
#include "store/engine/engine.h"
#include "store/lookup/blob.h"
#include "store/lookup/path.h"
#include "store/lookup/session_load.h"

enum {
    ANSWERS = 16, /* assistant messages to look back at for the last answer */
    LEADING = 16, /* entries at the root among which system messages are looked for */
    FILES_MOST = 32 * 1024 * 1024, /* bytes of attachments: no provider takes more */
};

/* ---- settings from before the part that is read ---- */

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

/* The last assistant messages on the path, down to depth `down_to`. */
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

static enum bough_rc read_before(struct snap *snap, struct bough_arena *a,
                                 const struct bough_entry *first, struct before *out,
                                 struct bough_error *err)
{
    struct bough_head end = { first->at.branch, first->at.depth - 1 };
    int64_t near = end.depth > 4 * ANSWERS ? end.depth - 4 * ANSWERS : 1;
    enum bough_rc rc;

    if (!end.depth)
        return BOUGH_OK;
    rc = add_answers(snap, a, end, near, out, err);
    if (!rc && !out->n && near > 1)
        rc = add_answers(snap, a, end, 1, out, err);
    if (!rc)
        rc = add_last(snap, a, end, BOUGH_ENTRY_MODEL_CHANGE, out, err);
    if (!rc)
        rc = add_last(snap, a, end, BOUGH_ENTRY_THINKING_LEVEL_CHANGE, out, err);
    if (out->n)
        qsort(out->at, out->n, sizeof *out->at, newest_first);
    return rc;
}

/* ---- the path ---- */

/* Put the marker first, unless the entries it keeps begin before it. */
static void put_marker(struct bough_arena *a, struct bough_entries_read_result *path)
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

/* ---- for the dialects of providers ---- */

/* The system messages that begin the path, if a marker hides them. */
static enum bough_rc read_leading(struct snap *snap, struct bough_arena *a, int64_t sid,
                                  const struct bough_context_options *how, struct context_input *in,
                                  struct bough_error *err)
{
    struct bough_entries_read_options read = { .at = how->at,
                                               .what = BOUGH_ENTRIES_PATH,
                                               .limit = LEADING };
    struct bough_entries_read_result path = { 0 };
    const struct bough_entry **list;
    enum bough_rc rc;

    if (!in->marker || (in->n && in->entries[0].at.depth == 1))
        return BOUGH_OK;
    rc = snap_entries(snap, a, sid, &read, &path, err);
    list = arena_array(a, path.entries.n + 1, sizeof *list);
    for (size_t i = 0; i < path.entries.n && !rc; i++) {
        const struct bough_entry *e = &path.entries.at[i];
        bool shown = in->n && e->at.depth >= in->entries[0].at.depth;

        if (shown || (e->kind == BOUGH_ENTRY_MESSAGE && e->role != BOUGH_ROLE_SYSTEM))
            break;
        if (e->kind == BOUGH_ENTRY_MESSAGE && e->at.depth < in->marker->at.depth)
            list[in->nleading++] = e;
    }
    in->leading = list;
    return rc;
}

/* A file part that names an attachment gets its bytes: `at` is where the name is in its JSON. */
static enum bough_rc fill_file(struct snap *snap, struct bough_arena *a,
                               const unsigned char hash[32], size_t at, struct bough_part *part,
                               size_t *room, struct bough_error *err)
{
    struct bough_str was = part->json;
    const char *mime, *name, *head;
    struct blob_row row;
    char *bytes, *to;
    size_t n;
    enum bough_rc rc = snap->ops->blob_find(snap->v, hash, &row, err);

    if (rc || row.size <= 0 || (size_t)row.size > *room)
        return rc == BOUGH_NOT_FOUND ? BOUGH_OK : rc; /* it stays a name */
    bytes = mem_alloc((size_t)row.size);
    rc = blob_read(snap, &row, 0, (size_t)row.size, bytes, err);
    if (!rc) {
        attach_about(a, was, at, &mime, &name);
        if (!*mime || strspn(mime, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                   "0123456789/+.-") != strlen(mime))
            mime = "application/octet-stream"; /* a type that needs no escapes */
        head = arena_printf(a, "data:%s;base64,", mime);
        n = strlen(head) + base64_length((size_t)row.size);
        to = arena_alloc(a, was.n - ATTACH_NAME_LEN + n + 1);
        memcpy(to, was.p, at);
        memcpy(to + at, head, strlen(head));
        base64_encode(bytes, (size_t)row.size, to + at + strlen(head));
        memcpy(to + at + n, was.p + at + ATTACH_NAME_LEN, was.n - at - ATTACH_NAME_LEN);
        part->json = str_make(to, was.n - ATTACH_NAME_LEN + n);
        *room -= (size_t)row.size;
    }
    mem_free(bytes);
    return rc;
}

static enum bough_rc fill_files(struct snap *snap, struct bough_arena *a, struct context_input *in,
                                struct bough_error *err)
{
    size_t room = FILES_MOST, at;
    enum bough_rc rc = BOUGH_OK;
    unsigned char hash[32];

    for (size_t i = 0; i < in->n; i++)
        for (size_t k = 0; k < in->entries[i].nparts && !rc; k++) {
            struct bough_entry *e = &in->entries[i];

            if (e->parts[k].type == BOUGH_PART_FILE && attach_named(&e->parts[k], hash, &at))
                rc = fill_file(snap, a, hash, at, (struct bough_part *)&e->parts[k], &room, err);
        }
    return rc;
}

static enum bough_rc read_more(struct snap *snap, struct bough_arena *a, int64_t sid,
                               const struct bough_context_options *how, struct context_input *in,
                               struct bough_error *err)
{
    struct session_loaded session;
    enum bough_rc rc = session_load(snap, a, sid, &session, err);

    if (!rc)
        rc = read_leading(snap, a, sid, how, in, err);
    if (!rc)
        rc = fill_files(snap, a, in, err);
    in->system_prompt = rc ? NULL : session.body.system_prompt;
    in->model = how->model;
    in->trailing = how->trailing;
    return rc;
}

/* Read the path, and what the dialect needs from before it, as of one snapshot. */
static enum bough_rc read_input(struct snap *snap, struct bough_arena *a, int64_t sid,
                                const struct bough_context_options *how,
                                const struct context_dialect *dialect, struct context_input *in,
                                struct before *before, struct bough_error *err)
{
    struct bough_entries_read_options read = { .at = how->at,
                                               .what = dialect->since_marker
                                                           ? BOUGH_ENTRIES_SINCE_MARKER
                                                           : BOUGH_ENTRIES_PATH,
                                               .inherit = dialect->inherits || how->inherit,
                                               .deleted = true };
    struct bough_entries_read_result path = { 0 };
    enum bough_rc rc = how->at_nothing ? BOUGH_OK : snap_entries(snap, a, sid, &read, &path, err);

    if (!rc && dialect->marker_first)
        put_marker(a, &path);
    if (!rc && path.entries.n)
        rc = read_before(snap, a, &path.entries.at[0], before, err);
    in->entries = path.entries.at;
    in->n = path.entries.n;
    in->before = before->at;
    in->nbefore = before->n;
    in->marker = path.marker;
    return rc || !dialect->turns ? rc : read_more(snap, a, sid, how, in, err);
}

/* Those of the session, then of its project, then of the store. */
static enum bough_rc read_memories(struct bough_store *s, struct bough_arena *a,
                                   const char *session, unsigned scopes, struct context_input *in,
                                   struct bough_error *err)
{
    struct bough_memories of[3] = { { 0 } };
    struct bough_memory *all;
    struct bough_session *x;
    enum bough_rc rc = bough_session_get(s, a, session, &x, err);

    if (!rc && scopes & 1 << BOUGH_MEMORY_OF_SESSION)
        rc = bough_memory_list(s, a, BOUGH_MEMORY_OF_SESSION, x->id, &of[0], err);
    if (!rc && *x->project && scopes & 1 << BOUGH_MEMORY_OF_PROJECT)
        rc = bough_memory_list(s, a, BOUGH_MEMORY_OF_PROJECT, x->project, &of[1], err);
    if (!rc && scopes & 1 << BOUGH_MEMORY_OF_STORE)
        rc = bough_memory_list(s, a, BOUGH_MEMORY_OF_STORE, "", &of[2], err);
    if (rc)
        return rc;
    all = arena_array(a, of[0].n + of[1].n + of[2].n + 1, sizeof *all);
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < of[i].n; k++)
            all[in->nmemories++] = of[i].at[k];
    in->memories = all;
    return BOUGH_OK;
}

enum bough_rc bough_context(struct bough_store *s, struct bough_arena *a, const char *session,
                            const struct bough_context_options *how,
                            struct bough_context_result *out, struct bough_error *err)
{
    REQUIRE(s && a && out, err);

    const struct context_dialect *dialect;
    struct before before = { .n = 0 };
    struct context_input in = { 0 };
    struct snap snap;
    int64_t sid;
    enum bough_rc rc = RESERVED_CHECK(bough_context_options, how, err);

    *out = (struct bough_context_result){ 0 };
    if (!rc)
        rc = context_dialect_find(how ? how->dialect : NULL, &dialect, err);
    if (!rc)
        rc = snap_session(s, session, &snap, &sid, err);
    if (rc)
        return rc;
    in.dialect = dialect->name;
    snap.bounded = true;
    rc = read_input(&snap, a, sid, how, dialect, &in, &before, err);
    snap_end(&snap);
    if (!rc && how->memories)
        rc = read_memories(s, a, session, how->memories, &in, err);
    return rc ? rc : context_build(a, &in, out, err);
}
