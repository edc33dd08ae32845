/* Entries: get one, read a path, what a session wrote itself, what is still shown to a model. */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "store/find.h"
#include "store/id.h"
#include "store/path.h"
#include "store/session.h"

/* An id of ours says where its row is: one look, and the row itself says whether it is the one. */
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

static struct path_filter filter_of(const struct bough_read *how)
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
                                 const struct bough_read *how, struct bough_head *out,
                                 struct bough_error *err)
{
    struct head_now now;
    enum bough_rc rc;

    if (!cstr_empty(how->at))
        return find_entry(snap, sid, how->at, out, err);
    rc = snap->ops->head_get(snap->v, a, sid, &now, err);
    *out = (struct bough_head){ now.row.bid, now.depth };
    return rc;
}

/* Where a page begins or ends: `from` is the next entry to give, going the way of the page. */
static void cut_page(struct segs *segs, const struct bough_read *how)
{
    int64_t depth = how->from.depth;
    size_t n = 0;

    if (!how->from.branch)
        return;
    for (size_t i = 0; i < segs->n; i++) {
        struct seg s = segs->at[i];

        if (how->newest && s.to > depth)
            s.to = depth;
        if (!how->newest && s.from < depth)
            s.from = depth;
        if (s.from <= s.to)
            segs->at[n++] = s;
    }
    segs->n = n;
}

static int64_t forks_on(const struct segs *segs)
{
    int64_t forks = 0;

    for (size_t i = 1; i < segs->n; i++)
        forks += segs->at[i].sid != segs->at[i - 1].sid;
    return forks;
}

/* `next`: the entry behind the last one given (or before the first, for pages from the end). */
static void set_next(struct bough_entries *page, bool newest)
{
    const struct bough_entry *edge;

    if (!page->more || !page->n)
        return;
    edge = newest ? &page->at[0] : &page->at[page->n - 1];
    page->next = (struct bough_head){ edge->at.branch, edge->at.depth + (newest ? -1 : 1) };
}

static enum bough_rc read_segs(struct snap *snap, struct bough_arena *a, struct segs *segs,
                               const struct bough_read *how, struct bough_entries *out,
                               struct bough_error *err)
{
    struct path_filter f = filter_of(how);
    struct entry_list list = { .a = a };
    enum bough_rc rc;

    cut_page(segs, how);
    rc = path_read(snap, segs, &f, &list, &out->more, err);
    out->at = list.at;
    out->n = list.n;
    set_next(out, how->newest);
    return rc;
}

static enum bough_rc read_path(struct snap *snap, struct bough_arena *a, int64_t sid,
                               const struct bough_read *how, struct bough_path *out,
                               struct bough_error *err)
{
    struct bough_head at, mark;
    struct segs segs;
    int64_t down_to = 1;
    enum bough_rc rc = end_of_path(snap, a, sid, how, &at, err);

    if (rc)
        return rc;
    if (how->what == BOUGH_SINCE_MARKER) {
        rc = path_last(snap, at, BOUGH_ENTRY_COMPACTION, how->inherit ? 0 : sid, &mark, err);
        if (!rc && mark.branch)
            rc = entry_load(snap, a, mark, &out->marker, err);
        if (rc)
            return rc;
        if (out->marker)
            down_to = out->marker->keep_from ? out->marker->keep_from : out->marker->at.depth + 1;
    }
    /* From the end a page needs only as much of the path as it covers; a limit of forks needs all
     * of it. */
    rc = path_segs(snap, a, at, how->max_forks ? 1 : down_to, &segs, err);
    if (rc)
        return rc;
    if (how->max_forks && forks_on(&segs) > how->max_forks)
        return bough_fail(err, BOUGH_TOO_DEEP, "the path runs through more than %lld forks",
                          (long long)how->max_forks);
    if (how->max_forks && down_to > 1)
        rc = path_segs(snap, a, at, down_to, &segs, err);
    return rc ? rc : read_segs(snap, a, &segs, how, &out->entries, err);
}

/* ---- what a session wrote itself ---- */

struct own {
    struct snap *snap;
    struct segs segs;
    struct bough_arena *a;
};

static bool own_branch(void *user, const struct branch_row *b)
{
    struct own *o = user;

    o->segs.at = arena_resize(o->a, o->segs.at, o->segs.n * sizeof *o->segs.at,
                              (o->segs.n + 1) * sizeof *o->segs.at);
    o->segs.at[o->segs.n++] = (struct seg){ b->bid, b->sid, b->base + 1, LIMIT_DEPTH };
    return true;
}

/* A page of what a session wrote: `from` is the place of the next entry to give. */
static void direct_page(const struct bough_read *how, const struct entry_list *list,
                        struct bough_entries *out)
{
    size_t first = 0, end = list->n, limit = (size_t)how->limit;

    for (size_t i = 0; how->from.branch && i < list->n; i++)
        if (list->at[i].at.branch == how->from.branch && list->at[i].at.depth == how->from.depth) {
            first = how->newest ? 0 : i;
            end = how->newest ? i + 1 : end;
        }
    out->more = limit && end - first > limit;
    if (out->more && how->newest)
        first = end - limit;
    else if (out->more)
        end = first + limit;
    out->at = first ? list->at + first : list->at; /* an empty list is NULL */
    out->n = end - first;
    if (out->more)
        out->next = list->at[how->newest ? first - 1 : end].at;
}

static enum bough_rc read_direct(struct snap *snap, struct bough_arena *a, int64_t sid,
                                 const struct bough_read *how, struct bough_entries *out,
                                 struct bough_error *err)
{
    struct path_filter f = filter_of(how);
    struct own o = { .snap = snap, .a = a };
    struct entry_list list = { .a = a };
    enum bough_rc rc = snap->ops->branch_of(snap->v, sid, own_branch, &o, err);

    f.limit = 0;
    f.newest = false;
    if (!rc)
        rc = path_read(snap, &o.segs, &f, &list, NULL, err);
    if (rc)
        return rc;
    entries_in_time(&list);
    direct_page(how, &list, out);
    return BOUGH_OK;
}

enum bough_rc bough_entries_read(struct bough_store *s, struct bough_arena *a, const char *session,
                                 const struct bough_read *how, struct bough_path *out,
                                 struct bough_error *err)
{
    static const struct bough_read all;
    struct snap snap;
    int64_t sid;
    enum bough_rc rc = snap_session(s, session, &snap, &sid, err);

    how = how ? how : &all;
    *out = (struct bough_path){ 0 };
    if (rc)
        return rc;
    if (!rc && how->limit < 0)
        rc = bough_fail(err, BOUGH_INVALID, "a limit is never negative");
    if (!rc && how->what == BOUGH_DIRECT)
        rc = read_direct(&snap, a, sid, how, &out->entries, err);
    else if (!rc)
        rc = read_path(&snap, a, sid, how, out, err);
    snap_end(&snap);
    return rc;
}

/* ---- single messages ---- */

enum bough_rc bough_latest_user_entry(struct bough_store *s, const char *session,
                                      char out[BOUGH_ID_LEN + 1], struct bough_error *err)
{
    struct bough_arena *tmp = bough_arena_create();
    struct bough_read how = { .what = BOUGH_DIRECT, .user = true, .newest = true, .limit = 1 };
    struct bough_path path;
    enum bough_rc rc = bough_entries_read(s, tmp, session, &how, &path, err);

    out[0] = '\0';
    if (!rc && path.entries.n)
        memcpy(out, path.entries.at[path.entries.n - 1].id, BOUGH_ID_LEN + 1);
    bough_arena_destroy(tmp);
    return rc;
}

/* mno grows along the path: bisect for the entry that brings it to the wanted number. */
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
