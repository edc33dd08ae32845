/* A stored path as a client sees it: behind a compaction that the client made, its window. */
#include "store/seen/stored.h"

#include "core/match/window.h"
#include "store/lookup/path.h"

const struct bough_entry *stored_marker(const struct stored *s, int64_t depth)
{
    for (size_t i = s->nall; i-- > 0;)
        if (s->all[i].at.depth <= depth && s->all[i].kind == BOUGH_ENTRY_COMPACTION &&
            window_has(&s->all[i]))
            return &s->all[i];
    return NULL;
}

static void push(struct stored *s, struct bough_entry *entries, const struct bough_entry *e,
                 struct bough_head slot)
{
    entries[s->h.n] = *e;
    s->slots[s->h.n++] = slot;
}

/* Messages behind the marker, and those that it keeps. */
static bool is_shown(const struct bough_entry *e, const struct bough_entry *marker)
{
    if (e->kind != BOUGH_ENTRY_MESSAGE)
        return false;
    if (!marker || e->at.depth > marker->at.depth)
        return true;
    return marker->keep_from && e->at.depth >= marker->keep_from;
}

static void arrange(struct bough_arena *a, const struct bough_entry *marker, struct stored *s)
{
    struct bough_entry *window = NULL, *entries;

    if (marker)
        window = window_read(a, marker, s->all, s->nall, &s->window);
    entries = arena_array(a, s->nall + s->window + 1, sizeof *entries);
    s->slots = arena_array(a, s->nall + s->window + 1, sizeof *s->slots);
    for (size_t i = 0; window && i < s->window; i++)
        push(s, entries, &window[i], (struct bough_head){ 0, 0 });
    for (size_t i = 0; i < s->nall; i++)
        if (is_shown(&s->all[i], marker))
            push(s, entries, &s->all[i], s->all[i].at);
    if (marker)
        s->marker = marker->at;
    s->h.entries = entries;
    history_units(a, &s->h, true);
}

/* Message numbers count deleted messages, too. */
static bool has_holes(const struct stored *s)
{
    int64_t n = 0, last = 0;

    for (size_t i = 0; i < s->nall; i++) {
        if (s->all[i].kind != BOUGH_ENTRY_MESSAGE)
            continue;
        n++;
        last = s->all[i].mno;
        if (s->all[i].open)
            return true;
    }
    return n != last;
}

enum bough_rc stored_read(struct snap *snap, struct bough_arena *a, struct bough_head end, int what,
                          struct stored *out, struct bough_error *err)
{
    struct path_filter f = { .kinds = 1 << BOUGH_ENTRY_MESSAGE | 1 << BOUGH_ENTRY_CUSTOM |
                                      1 << BOUGH_ENTRY_COMPACTION,
                             .deleted = what & STORED_DELETED };
    struct entry_list list = { .a = a };
    struct segs segs;
    enum bough_rc rc = path_segs(snap, a, end, 1, &segs, err);

    *out = (struct stored){ 0 };
    if (!rc)
        rc = path_read(snap, &segs, &f, &list, NULL, err);
    if (rc)
        return rc;
    if (segs.n)
        out->end = (struct bough_head){ segs.at[0].bid, segs.at[0].to };
    out->all = list.at;
    out->nall = list.n;
    out->holes = has_holes(out);
    arrange(a, what & STORED_WHOLE ? NULL : stored_marker(out, end.depth), out);
    return BOUGH_OK;
}

struct bough_head stored_slot(const struct stored *s, size_t n)
{
    struct bough_head at = n ? s->slots[n - 1] : (struct bough_head){ 0, 0 };

    if (n && n == s->h.n)
        return s->end;
    /* What follows the window, or what the marker keeps, is behind the marker. */
    if (s->marker.branch && (!at.branch || at.depth < s->marker.depth) &&
        s->slots[n].depth > s->marker.depth)
        return s->marker;
    return at;
}
