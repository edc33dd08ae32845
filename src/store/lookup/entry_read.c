/* Read entries: one entry, a path, the entries a session wrote itself, and those since a marker. */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/required.h"
#include "base/reserved.h"
#include "base/text/str.h"
#include "store/contract/id.h"
#include "store/lookup/cursor.h"
#include "store/lookup/find.h"
#include "store/lookup/path.h"
#include "store/lookup/session_load.h"

/* An id of this store locates its row: one lookup, then compare the ids. */
static bool get_located(struct snap *snap, struct bough_arena *a, const char *text,
                        struct bough_entry **out)
{
    struct id id;

    return text && id_parse(str_of(text), &id) && id.space == 0 && id.position > 0 &&
           entry_load(snap, a, (struct bough_head){ id.number, id.position }, out, NULL) ==
               BOUGH_OK &&
           strcasecmp((*out)->id, text) == 0;
}

enum bough_rc bough_entry_get(struct bough_store *s, struct bough_arena *a, const char *session,
                              const char *entry, struct bough_entry **out, struct bough_error *err)
{
    REQUIRE(s && a && out, err);

    struct bough_head at = { 0 };
    struct snap snap;
    int64_t sid = 0;
    enum bough_rc rc = snap_begin(s, &snap, err);

    if (rc)
        return rc;
    if (cstr_empty(session) && get_located(&snap, a, entry, out))
        goto out;
    if (!cstr_empty(session))
        rc = find_session(&snap, session, &sid, err);
    if (!rc)
        rc = find_entry(&snap, sid, entry, &at, err);
    if (!rc)
        rc = entry_load(&snap, a, at, out, err);
out:
    snap_end(&snap);
    return rc;
}

enum bough_rc bough_part_get(struct bough_store *s, struct bough_arena *a, const char *part,
                             struct bough_part *out, struct bough_error *err)
{
    REQUIRE(s && a && out, err);

    struct bough_entry *e;
    const char *dot = part ? strrchr(part, '.') : NULL;
    unsigned long i = 0;
    enum bough_rc rc;

    if (!dot || strlen(dot + 1) != 4 || strspn(dot + 1, "0123456789abcdefABCDEF") != 4)
        return bough_fail(err, BOUGH_INVALID,
                          "a part's id is an entry's id, a dot and four hex digits");
    i = strtoul(dot + 1, NULL, 16);
    rc = bough_entry_get(s, a, NULL, arena_strndup(a, part, (size_t)(dot - part)), &e, err);
    if (rc)
        return rc;
    if (i >= e->nparts)
        return bough_fail(err, BOUGH_NOT_FOUND, "entry %s has %zu parts", e->id, e->nparts);
    *out = e->parts[i];
    return BOUGH_OK;
}

/* ---- paths ---- */

static struct path_filter filter_of(const struct bough_entries_read_options *how)
{
    struct path_filter f = { .deleted = how->deleted, .limit = how->limit, .newest = how->newest };

    if (how->messages || how->user)
        f.kinds = 1 << BOUGH_ENTRY_MESSAGE;
    if (how->user)
        f.mask = (int64_t)MASK_ROLE << BOUGH_ROLE_USER;
    if (how->tool)
        f.also = (int64_t)MASK_PART << BOUGH_PART_TOOL;
    return f;
}

static enum bough_rc end_of_path(struct snap *snap, struct bough_arena *a, int64_t sid,
                                 const struct bough_entries_read_options *how,
                                 struct bough_head *out, struct bough_error *err)
{
    struct head_now now;
    enum bough_rc rc;

    if (!cstr_empty(how->at))
        return find_entry(snap, sid, how->at, out, err);
    rc = snap->ops->head_get(snap->v, a, sid, &now, err);
    *out = (struct bough_head){ now.row.bid, now.depth };
    return rc;
}

/* Where the page of a cursor begins: the slot of the next entry in the page's direction. Branch 0:
 * the first page. */
static enum bough_rc read_cursor(const struct bough_entries_read_options *how,
                                 struct bough_head *out, struct bough_error *err)
{
    int64_t at[2] = { 0 };
    enum bough_rc rc = cursor_read(how->cursor, at, 2, err);

    if (!rc && !cstr_empty(how->cursor) && (at[0] < 1 || at[1] < 1))
        rc = cursor_bad(err);
    *out = (struct bough_head){ at[0], at[1] };
    return rc;
}

static const char *cursor_at(struct bough_arena *a, struct bough_head at)
{
    return cursor_write(a, (int64_t[]){ at.branch, at.depth }, 2);
}

/* Cut the runs to depths from...to. */
static void cut_segs(struct segs *segs, int64_t from, int64_t to)
{
    size_t n = 0;

    for (size_t i = 0; i < segs->n; i++) {
        struct seg s = segs->at[i];

        s.to = s.to < to ? s.to : to;
        s.from = s.from > from ? s.from : from;
        if (s.from <= s.to)
            segs->at[n++] = s;
    }
    segs->n = n;
}

/* The depth of how->from, which must be on the path to `at`; 1 without it. */
static enum bough_rc first_depth(struct snap *snap, int64_t sid, struct bough_head at,
                                 const struct bough_entries_read_options *how, int64_t *depth,
                                 struct bough_error *err)
{
    struct bough_head from;
    int64_t owner = 0;
    enum bough_rc rc;

    *depth = 1;
    if (cstr_empty(how->from))
        return BOUGH_OK;
    rc = find_entry(snap, sid, how->from, &from, err);
    if (!rc && from.depth <= at.depth)
        rc = path_owner(snap, at, from.depth, &owner, err);
    if (!rc && owner != from.branch)
        rc = bough_fail(err, BOUGH_INVALID, "entry %.60s is not on the path", how->from);
    if (!rc)
        *depth = from.depth;
    return rc;
}

static int64_t forks_on(const struct segs *segs)
{
    int64_t forks = 0;

    for (size_t i = 1; i < segs->n; i++)
        forks += segs->at[i].sid != segs->at[i - 1].sid;
    return forks;
}

static enum bough_rc read_segs(struct snap *snap, struct bough_arena *a, struct segs *segs,
                               const struct bough_entries_read_options *how,
                               struct bough_entries *out, struct bough_error *err)
{
    struct path_filter f = filter_of(how);
    struct entry_list list = { .a = a };
    struct bough_head edge;
    bool more;
    enum bough_rc rc = path_read(snap, segs, &f, &list, &more, err);

    out->at = list.at;
    out->n = list.n;
    if (rc || !more || !list.n)
        return rc;
    edge = how->newest ? list.at[0].at : list.at[list.n - 1].at;
    edge.depth += how->newest ? -1 : 1;
    out->next = cursor_at(a, edge);
    return BOUGH_OK;
}

/* The marker in force on the path to `at`, or NULL, and the first depth it still shows. */
static enum bough_rc find_marker(struct snap *snap, struct bough_arena *a, int64_t sid,
                                 struct bough_head at, struct bough_entry **out, int64_t *down_to,
                                 struct bough_error *err)
{
    struct bough_head mark;
    enum bough_rc rc = path_last(snap, at, BOUGH_ENTRY_COMPACTION, sid, &mark, err);

    if (!rc && mark.branch)
        rc = entry_load(snap, a, mark, out, err);
    if (!rc && *out)
        *down_to = (*out)->keep_from ? (*out)->keep_from : (*out)->at.depth + 1;
    return rc;
}

static enum bough_rc read_path(struct snap *snap, struct bough_arena *a, int64_t sid,
                               const struct bough_entries_read_options *how, struct bough_head page,
                               struct bough_entries_read_result *out, struct bough_error *err)
{
    int64_t down_to = 1, first;
    struct bough_head at;
    struct segs segs;
    enum bough_rc rc = end_of_path(snap, a, sid, how, &at, err);

    if (rc)
        return rc;
    out->depth = at.depth;
    rc = first_depth(snap, sid, at, how, &first, err);
    if (!rc && how->what == BOUGH_ENTRIES_SINCE_MARKER)
        rc = find_marker(snap, a, how->inherit ? 0 : sid, at, &out->marker, &down_to, err);
    /* A marker limits how much of the path is resolved. Counting forks needs the whole path. */
    if (!rc)
        rc = path_segs(snap, a, at, how->max_forks ? 1 : down_to, &segs, err);
    if (rc)
        return rc;
    if (how->max_forks && forks_on(&segs) > how->max_forks)
        return bough_fail(err, BOUGH_TOO_DEEP, "the path runs through more than %lld forks",
                          (long long)how->max_forks);
    if (page.branch && !how->newest && page.depth > first)
        first = page.depth;
    if (how->from_depth > first)
        first = how->from_depth;
    cut_segs(&segs, first > down_to ? first : down_to,
             page.branch && how->newest ? page.depth : LIMIT_DEPTH);
    return read_segs(snap, a, &segs, how, &out->entries, err);
}

/* ---- entries a session wrote itself ---- */

struct own {
    struct snap *snap;
    struct segs segs;
    struct bough_arena *a;
};

static bool own_branch(void *user, const struct branch_row *b)
{
    struct own *o = user;

    o->segs.at = arena_room(o->a, o->segs.at, o->segs.n, sizeof *o->segs.at);
    o->segs.at[o->segs.n++] = (struct seg){ b->bid, b->sid, b->base + 1, LIMIT_DEPTH };
    return true;
}

/* The changelog numbers between which the entries of this page lie. The entry of a cursor may be
 * filtered out by now, so pages are bounded by numbers. */
static enum bough_rc own_bounds(struct snap *snap, int64_t sid,
                                const struct bough_entries_read_options *how,
                                struct bough_head page, int64_t bounds[2], struct bough_error *err)
{
    struct bough_head from = { 0 };
    struct pack_head h = { 0 };
    enum bough_rc rc = BOUGH_OK;

    bounds[0] = 0;
    bounds[1] = INT64_MAX;
    if (!cstr_empty(how->from)) {
        rc = find_entry(snap, sid, how->from, &from, err);
        if (!rc)
            rc = entry_head_at(snap, from, &h, err);
        if (!rc)
            bounds[0] = h.no;
    }
    if (rc || !page.branch)
        return rc;
    if (entry_head_at(snap, page, &h, NULL))
        return cursor_bad(err);
    if (how->newest)
        bounds[1] = h.no;
    else if (h.no > bounds[0])
        bounds[0] = h.no;
    return BOUGH_OK;
}

/* Cut a page out of the list. */
static void own_page(const struct bough_entries_read_options *how, const int64_t bounds[2],
                     const struct entry_list *list, struct bough_entries *out)
{
    size_t first = 0, end = list->n, limit = (size_t)how->limit;
    bool more;

    while (first < end && list->at[first].no < bounds[0])
        first++;
    while (end > first && list->at[end - 1].no > bounds[1])
        end--;
    more = limit && end - first > limit;
    if (more && how->newest)
        first = end - limit;
    else if (more)
        end = first + limit;
    out->at = first ? list->at + first : list->at; /* the pointer may be NULL: add no offset to it
                                                    */
    out->n = end - first;
    if (more)
        out->next = cursor_at(list->a, list->at[how->newest ? first - 1 : end].at);
}

static enum bough_rc read_own(struct snap *snap, struct bough_arena *a, int64_t sid,
                              const struct bough_entries_read_options *how, struct bough_head page,
                              struct bough_entries_read_result *out, struct bough_error *err)
{
    struct path_filter f = filter_of(how);
    struct own o = { .snap = snap, .a = a };
    struct entry_list list = { .a = a };
    struct head_now now;
    int64_t bounds[2];
    enum bough_rc rc = own_bounds(snap, sid, how, page, bounds, err);

    if (!rc)
        rc = snap->ops->head_get(snap->v, a, sid, &now, err);
    if (!rc)
        rc = snap->ops->branch_of(snap->v, sid, own_branch, &o, err);
    f.limit = 0;
    f.newest = false;
    if (!rc)
        rc = path_read(snap, &o.segs, &f, &list, NULL, err);
    if (rc)
        return rc;
    entries_in_time(&list);
    own_page(how, bounds, &list, &out->entries);
    out->depth = now.depth;
    return BOUGH_OK;
}

enum bough_rc snap_entries(struct snap *snap, struct bough_arena *a, int64_t sid,
                           const struct bough_entries_read_options *how,
                           struct bough_entries_read_result *out, struct bough_error *err)
{
    struct bough_head page;
    enum bough_rc rc;

    *out = (struct bough_entries_read_result){ .entries.next = "" };
    if (how->limit < 0 || how->from_depth < 0)
        return bough_fail(err, BOUGH_INVALID, "a limit or a depth is never negative");
    if (how->from_depth && how->what == BOUGH_ENTRIES_OWN)
        return bough_fail(err, BOUGH_INVALID, "from_depth needs a path");
    rc = read_cursor(how, &page, err);
    if (rc)
        return rc;
    rc = how->what == BOUGH_ENTRIES_OWN ? read_own(snap, a, sid, how, page, out, err)
                                        : read_path(snap, a, sid, how, page, out, err);
    return rc || !how->calls ? rc : calls_load(snap, a, &out->entries, &out->calls, err);
}

enum bough_rc bough_entries_read(struct bough_store *s, struct bough_arena *a, const char *session,
                                 const struct bough_entries_read_options *how,
                                 struct bough_entries_read_result *out, struct bough_error *err)
{
    REQUIRE(s && a && out, err);

    static const struct bough_entries_read_options all;
    struct snap snap;
    int64_t sid;
    enum bough_rc rc = RESERVED_CHECK(bough_entries_read_options, how, err);

    *out = (struct bough_entries_read_result){ .entries.next = "" };
    if (!rc)
        rc = snap_session(s, session, &snap, &sid, err);
    if (rc)
        return rc;
    rc = snap_entries(&snap, a, sid, how ? how : &all, out, err);
    snap_end(&snap);
    return rc;
}

/* ---- single messages ---- */

enum bough_rc bough_latest_user_entry(struct bough_store *s, const char *session,
                                      char out[BOUGH_ID_LEN + 1], struct bough_error *err)
{
    REQUIRE(s && out, err);

    struct bough_arena *tmp = bough_arena_create();
    struct bough_entries_read_options how = {
        .what = BOUGH_ENTRIES_OWN, .user = true, .newest = true, .limit = 1
    };
    struct bough_entries_read_result path = { 0 };
    enum bough_rc rc = bough_entries_read(s, tmp, session, &how, &path, err);

    out[0] = '\0';
    if (!rc && path.entries.n)
        memcpy(out, path.entries.at[path.entries.n - 1].id, BOUGH_ID_LEN + 1);
    bough_arena_destroy(tmp);
    return rc;
}

/* mno grows along the path: bisect for the first entry with the wanted number. */
static enum bough_rc bisect(struct snap *snap, struct bough_head end, int64_t mno,
                            struct bough_head *out, struct bough_error *err)
{
    int64_t lo = 1, hi = end.depth, bid;
    struct pack_head h;
    enum bough_rc rc;

    while (lo < hi) {
        int64_t mid = lo + (hi - lo) / 2;

        rc = path_owner(snap, end, mid, &bid, err);
        if (!rc)
            rc = entry_head_at(snap, (struct bough_head){ bid, mid }, &h, err);
        if (rc)
            return rc;
        if (h.mno < mno)
            lo = mid + 1;
        else
            hi = mid;
    }
    rc = path_owner(snap, end, lo, &bid, err);
    if (!rc)
        rc = entry_head_at(snap, (struct bough_head){ bid, lo }, &h, err);
    if (!rc && h.mno != mno)
        rc =
            bough_fail(err, BOUGH_NOT_FOUND, "the path has no message number %lld", (long long)mno);
    *out = (struct bough_head){ bid, lo };
    return rc;
}

enum bough_rc bough_entry_by_number(struct bough_store *s, struct bough_arena *a,
                                    const char *session, int64_t mno, struct bough_entry **out,
                                    struct bough_error *err)
{
    REQUIRE(s && a && out, err);

    struct head_now now;
    struct bough_head at = { 0 };
    struct snap snap;
    int64_t sid;
    enum bough_rc rc = snap_session(s, session, &snap, &sid, err);

    if (rc)
        return rc;
    rc = snap.ops->head_get(snap.v, a, sid, &now, err);
    if (!rc && (mno < 1 || !now.depth))
        rc =
            bough_fail(err, BOUGH_NOT_FOUND, "the path has no message number %lld", (long long)mno);
    if (!rc)
        rc = bisect(&snap, (struct bough_head){ now.row.bid, now.depth }, mno, &at, err);
    if (!rc)
        rc = entry_load(&snap, a, at, out, err);
    snap_end(&snap);
    return rc;
}
