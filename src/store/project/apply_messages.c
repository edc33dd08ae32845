/* Applying changelog rows to message counts and previews in list rows. */
#include "base/limits.h"
#include "base/memory/mem.h"
#include "core/part/part.h"
#include "store/project/overlay_work.h"

static void note_candidate(struct overlay_work *w, const struct candidate *c)
{
    w->cand = mem_room(w->cand, w->ncand, sizeof *w->cand);
    w->cand[w->ncand++] = *c;
}

struct scan {
    struct overlay_work *w;
    struct summary *sh;
};

/* What a message that is not deleted adds to errors and the last state. */
static void take_outcome(struct list_body *b, int64_t no, int64_t mask)
{
    b->errors += (mask & MASK_OUTCOME) >> MASK_ERRORS;
    if (no < b->last_no)
        return;
    b->last_no = no;
    b->last_state = mask & MASK_OPEN      ? BOUGH_OUTCOME_OPEN
                    : mask & MASK_STOPPED ? BOUGH_OUTCOME_INTERRUPTED
                    : mask & MASK_FAILED  ? BOUGH_OUTCOME_ERROR
                                          : BOUGH_OUTCOME_OK;
}

static bool scan_entry(void *user, const struct entry_row *row)
{
    struct scan *s = user;
    struct pack_head h;

    if (row->kind != BOUGH_ENTRY_MESSAGE || !pack_entry_head(row->body, &h))
        return true;
    s->sh->body.messages++;
    if (row->deleted)
        s->sh->recount = true;
    else
        take_outcome(&s->sh->body, h.no, row->mask);
    if (h.role != BOUGH_ROLE_USER && h.role != BOUGH_ROLE_ASSISTANT)
        return true;
    if (h.time > s->sh->body.last_said)
        s->sh->body.last_said = h.time;
    if (row->mask & MASK_PART << BOUGH_PART_TEXT && !row->deleted)
        note_candidate(s->w, &(struct candidate){ s->sh->sid, row->bid, row->depth, h.no,
                                                  (enum bough_role)h.role });
    return true;
}

void apply_append(struct overlay_work *w, const struct changelog_row *row)
{
    struct entry_range range = { .bid = row->bid,
                                 .from = row->depth - row->n + 1,
                                 .to = row->depth,
                                 .deleted = true,
                                 .fronts = true };
    struct scan s = { w, overlay_touch(w, row->sid) };

    if (s.sh && row->bid && !w->rc)
        w->rc = w->snap->ops->entry_scan(w->snap->v, &range, scan_entry, &s, w->err);
    for (int64_t i = 0; changelog_calls(row) && i < row->ncalls; i++)
        apply_call(w, row->sid, row->record + i);
    if (s.sh && !row->record)
        s.sh->body.messages -= row->ndeleted; /* a copy: these messages were already deleted in the
                                            original */
}

/* The preview of an entry; "" if it has no text. */
static const char *preview_of(struct overlay_work *w, const struct candidate *c, size_t max)
{
    struct entry_row row;
    struct bough_entry e;
    struct pack_extra x;

    if (w->snap->ops->entry_get(w->snap->v, w->o->a, c->bid, c->depth, &row, NULL) ||
        pack_entry_read(w->o->a, row.body, &e, &x, NULL))
        return "";
    return preview_text(w->o->a, e.parts, e.nparts, max);
}

static void take_first(struct overlay_work *w, struct summary *sh, const struct candidate *c)
{
    const char *text;

    if (c->role != BOUGH_ROLE_USER || (sh->body.first_user_no && sh->body.first_user_no <= c->no))
        return;
    text = preview_of(w, c, PREVIEW_FIRST_BYTES);
    if (!*text)
        return;
    sh->body.first_user = text;
    sh->body.first_user_no = c->no;
}

static void take_last(struct overlay_work *w, struct summary *sh, const struct candidate *c)
{
    bool user = c->role == BOUGH_ROLE_USER;
    int64_t *no = user ? &sh->body.last_user_no : &sh->body.last_agent_no;
    const char *text;

    if (*no >= c->no)
        return;
    text = preview_of(w, c, PREVIEW_LAST_BYTES);
    if (!*text)
        return;
    *(user ? &sh->body.last_user : &sh->body.last_agent) = text;
    *no = c->no;
}

/* Prefetch the newest candidate per session and side; older ones are read only if it has no
 * text. */
static void previews_ahead(struct overlay_work *w)
{
    for (size_t i = w->ncand; i-- > 0;) {
        const struct candidate *c = &w->cand[i];
        struct summary *sh = overlay_get(w->o, c->sid);
        unsigned side = c->role == BOUGH_ROLE_USER ? 1 : 2;

        if (!sh || sh->gone || sh->ahead & side)
            continue;
        sh->ahead |= side;
        ahead_add(&w->ahead, WANT_ENTRY, c->bid, c->depth);
    }
    ahead_read(&w->ahead);
}

/* Take the first preview scanning forward and the last ones backward, so each is read only once. */
void settle_previews(struct overlay_work *w)
{
    previews_ahead(w);
    for (size_t i = 0; i < w->ncand; i++) {
        struct summary *sh = overlay_get(w->o, w->cand[i].sid);

        if (sh && !sh->gone)
            take_first(w, sh, &w->cand[i]);
    }
    for (size_t i = w->ncand; i-- > 0;) {
        struct summary *sh = overlay_get(w->o, w->cand[i].sid);

        if (sh && !sh->gone)
            take_last(w, sh, &w->cand[i]);
    }
}

static bool gather_entry(void *user, const struct entry_row *row)
{
    struct scan *s = user;
    struct pack_head h;

    if (pack_entry_head(row->body, &h))
        note_candidate(s->w, &(struct candidate){ s->sh->sid, row->bid, row->depth, h.no,
                                                  (enum bough_role)h.role });
    return true;
}

/* Collect all messages of the session: after a deletion, any of them may be first or last. */
static bool gather_branch(void *user, const struct branch_row *b)
{
    struct scan *s = user;
    struct entry_range range = { .bid = b->bid,
                                 .from = b->base + 1,
                                 .to = LIMIT_DEPTH,
                                 .kinds = 1 << BOUGH_ENTRY_MESSAGE,
                                 .fronts = true,
                                 .mask = MASK_ROLE << BOUGH_ROLE_USER |
                                         MASK_ROLE << BOUGH_ROLE_ASSISTANT };

    s->w->rc = s->w->snap->ops->entry_scan(s->w->snap->v, &range, gather_entry, s, s->w->err);
    return !s->w->rc;
}

static void again_previews(struct overlay_work *w, struct summary *sh)
{
    struct scan s = { w, sh };

    sh->body.first_user = sh->body.last_user = sh->body.last_agent = "";
    sh->body.first_user_no = sh->body.last_user_no = sh->body.last_agent_no = 0;
    w->rc = w->snap->ops->branch_of(w->snap->v, sh->sid, gather_branch, &s, w->err);
}

static bool is_message(struct overlay_work *w, const struct changelog_row *row)
{
    struct entry_row e;

    return w->snap->ops->entry_get(w->snap->v, w->o->a, row->bid, row->depth, &e, NULL) ==
               BOUGH_OK &&
           e.kind == BOUGH_ENTRY_MESSAGE;
}

void apply_entry_delete(struct overlay_work *w, const struct changelog_row *row)
{
    struct summary *sh = overlay_touch(w, row->sid);

    if (!sh || !is_message(w, row))
        return;
    sh->body.messages += row->kind == CHANGELOG_ENTRY_DELETE ? -1 : 1;
    sh->recount = true;
    again_previews(w, sh);
}

/* ---- errors and the last state ---- */

void apply_open(struct overlay_work *w, const struct changelog_row *row)
{
    struct summary *sh = overlay_touch(w, row->sid);
    struct changelog_row before = *row; /* what was appended with it */

    before.no--;
    before.depth--;
    if (--before.n > 0)
        apply_append(w, &before);
    if (sh)
        take_outcome(&sh->body, row->no, MASK_OPEN);
}

static bool count_entry(void *user, const struct entry_row *row)
{
    struct scan *s = user;
    struct pack_head h;

    if (pack_entry_head(row->body, &h))
        take_outcome(&s->sh->body, h.no, row->mask);
    return true;
}

static bool count_branch(void *user, const struct branch_row *b)
{
    struct scan *s = user;
    struct entry_range range = { .bid = b->bid,
                                 .from = b->base + 1,
                                 .to = LIMIT_DEPTH,
                                 .kinds = 1 << BOUGH_ENTRY_MESSAGE,
                                 .fronts = true };

    s->w->rc = s->w->snap->ops->entry_scan(s->w->snap->v, &range, count_entry, s, s->w->err);
    return !s->w->rc;
}

void settle_outcomes(struct overlay_work *w)
{
    size_t pos = 0;
    uint64_t val;

    while (!w->rc && map_next(&w->o->summaries, &pos, NULL, &val)) {
        struct summary *sh = (struct summary *)(uintptr_t)val;
        struct scan s = { w, sh };

        if (!sh->recount || sh->gone)
            continue;
        sh->body.errors = sh->body.last_no = 0;
        sh->body.last_state = BOUGH_OUTCOME_NONE;
        w->rc = w->snap->ops->branch_of(w->snap->v, sh->sid, count_branch, &s, w->err);
    }
}
