/* Beginning an exchange: list what is new, and append it where it belongs. */
#include <string.h>

#include "base/limits.h"
#include "base/text/str.h"
#include "core/model/text.h"
#include "store/exchange/beginning.h"
#include "store/lookup/session_load.h"

static enum bough_rc read_head(struct beginning *b, struct snap *snap, struct session_loaded *l)
{
    enum bough_rc rc = session_load(snap, b->a, b->w.sid, l, b->err);

    b->head = (struct bough_head){ l->head.row.bid, l->head.depth };
    return rc;
}

/* Has another request moved the head since it was decided? Also what goes behind the head is
 * decided again then: its chain is that of the path it was compared with. */
static bool has_moved(const struct beginning *b)
{
    return b->decided == b->w.sid &&
           (b->head.branch != b->decided_head.branch || b->head.depth != b->decided_head.depth);
}

/* The entry that the head shows, by the branch that owns it. */
static enum bough_rc head_entry(struct beginning *b, struct snap *snap, struct bough_head *out)
{
    *out = b->head;
    if (!b->head.branch || !b->head.depth) {
        *out = (struct bough_head){ 0, 0 };
        return BOUGH_OK;
    }
    return path_owner(snap, b->head, b->head.depth, &out->branch, b->err);
}

static struct bough_str take_buf(struct bough_arena *a, struct buf *b)
{
    struct bough_str out = b->n > 2 && !b->over ? text_keep(a, b) : str_make(NULL, 0);

    buf_finish(b);
    return out;
}

/* The path, to see which variants it has already. */
static enum bough_rc read_known(struct beginning *b, struct snap *snap)
{
    struct stored *s = arena_zalloc(b->a, sizeof *s);

    b->w.stored = s;
    return stored_read(snap, b->a, b->w.at, STORED_WHOLE, s, b->err);
}

/* Everything to append: notes, the marker, the new messages. */
static enum bough_rc list_entries(struct beginning *b, struct snap *snap, const char *prompt,
                                  struct entries *to, size_t *messages)
{
    const struct where *w = &b->w;
    struct noted *noted = &b->x->noted;
    struct json_writer told;
    struct buf notes;
    int64_t depth = w->at.depth + 1;
    enum bough_rc rc = notes_last(snap, b->a, w, noted, b->err);

    if (!rc && w->ndiffers && !w->stored)
        rc = read_known(b, snap);
    if (rc)
        return rc;
    buf_init(&notes, LIMIT_METADATA);
    jw_init(&told, &notes);
    jw_obj(&told);
    if (w->ndiffers) {
        jw_key(&told, "variants");
        jw_arr(&told);
        b->out.variants = notes_differs(&b->sent, w, to, &told);
        jw_end_arr(&told);
    }
    jw_opt_i64(&told, "from", w->from);
    jw_end_obj(&told);
    b->x->notes = take_buf(b->x->a, &notes);
    if (!*prompt || !str_is(b->sent.system, prompt))
        rc = notes_system(snap, &b->sent, b->in, w, depth + (int64_t)to->n, noted, to, b->err);
    if (rc)
        return rc;
    notes_request(b->in, &b->sent, depth + (int64_t)to->n, noted, to);
    if (w->how == BOUGH_EXCHANGE_COMPACTED)
        notes_marker(&b->sent, w, to);
    *messages = 0;
    for (size_t i = w->message; i < b->in->nhistory; i++, ++*messages) {
        struct bough_entry_new *e = entries_push(to);

        *e = notes_rest(b->a, &b->in->history[i], i == w->message ? w->part : 0);
        e->id = e->call = e->call_provider = e->call_model = e->call_request_id = NULL;
        e->usage = NULL;
        e->by_call = false;
        e->time = e->time ? e->time : b->in->time;
    }
    return BOUGH_OK;
}

/* Move the head to where the reply goes, if nothing is appended there. */
static enum bough_rc move_head(struct beginning *b, const struct bough_head *shown)
{
    struct append_job j = { .s = b->s, .sid = b->w.sid, .expect_head = &b->head };

    if (b->keep_head || (shown->branch == b->w.at.branch && shown->depth == b->w.at.depth))
        return BOUGH_OK;
    return append_head_to(b->s, b->a, &j, b->w.at, b->err);
}

static void take_open(struct beginning *b, struct bough_head at, const char *id)
{
    struct bough_exchange *x = b->x;

    x->open = true;
    x->open_at = at;
    x->writing = (struct bough_writing){ .epoch = 1 };
    memcpy(x->writing.id, id, sizeof x->writing.id);
    b->out.writing = x->writing;
}

static enum bough_rc append_new(struct beginning *b, struct entries *list,
                                const struct bough_head *shown)
{
    bool behind_head = shown->branch == b->w.at.branch && shown->depth == b->w.at.depth;
    struct append_job j = { .s = b->s,
                            .sid = b->w.sid,
                            .expect_head = &b->head,
                            .heed_lease = b->explicit != 0,
                            .as = b->in->owner,
                            .at_set = !behind_head || b->keep_head,
                            .at = b->w.at,
                            .keep_head = b->keep_head,
                            .touch_head = b->keep_head };
    struct bough_append_result done;
    size_t before = list->n;
    struct seen_row first = { .depth = b->w.sid };
    struct open_row row;
    enum bough_rc rc = BOUGH_OK;

    /* Written now: a process that dies cannot write it when the request has failed. An open reply
     * tells later requests that this one still runs. */
    if (b->in->open && begin_is_first(b)) {
        seen_key(SEEN_FIRST, b->scope, b->sent.whole.loose, SHA256_LEN, first.key);
        j.seen = &first;
        j.nseen = 1;
    }
    if (b->in->open) {
        entries_push(list)->role = BOUGH_ROLE_ASSISTANT;
        j.open = &row;
        rc = open_row_of(b->a, b->in->open, &row, b->err);
    }
    if (!rc)
        rc = plan_build(b->s, b->a, list->at, list->n, NULL, &j.plan, b->err);
    if (!rc)
        rc = append_run(b->s, b->a, &j, &done, b->err);
    if (rc)
        return rc;
    if (before)
        b->w.at = (struct bough_head){ j.first.branch, j.first.depth + (int64_t)before - 1 };
    if (b->in->open)
        take_open(b, (struct bough_head){ j.first.branch, j.first.depth + (int64_t)before },
                  done.ids[before]);
    return BOUGH_OK;
}

enum bough_rc begin_write(struct beginning *b)
{
    struct entries list = { .a = b->a };
    struct session_loaded l;
    struct bough_head shown = { 0, 0 };
    struct snap snap;
    size_t messages = 0;
    enum bough_rc rc = snap_begin(b->s, &snap, b->err);

    if (rc)
        return rc;
    rc = read_head(b, &snap, &l);
    if (!rc && has_moved(b))
        rc = bough_fail(b->err, BOUGH_CONFLICT, "the session has changed meanwhile");
    if (!rc)
        rc = head_entry(b, &snap, &shown);
    if (!rc && b->w.how == BOUGH_EXCHANGE_BEHIND)
        b->w.at = shown;
    if (!rc)
        rc = list_entries(b, &snap, b->explicit ? l.body.system_prompt : "", &list, &messages);
    snap_end(&snap);
    if (rc)
        return rc;
    b->out.known = b->w.message;
    b->out.appended = messages;
    return list.n || b->in->open ? append_new(b, &list, &shown) : move_head(b, &shown);
}
