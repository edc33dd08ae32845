/* Compaction markers: write one, and find the markers of a session. */
#include <stdlib.h>

#include "base/json/json.h"
#include "base/limits.h"
#include "base/reserved.h"
#include "base/text/str.h"
#include "core/model/text.h"
#include "store/lookup/check.h"
#include "store/lookup/find.h"
#include "store/lookup/path.h"
#include "store/lookup/session_load.h"
#include "store/sessions/session.h"
#include "store/write/append.h"

static enum bough_rc marker_data(struct bough_arena *a, const struct bough_compact_options *in,
                                 const char *first_kept, struct bough_str *out,
                                 struct bough_error *err)
{
    struct json_writer w;
    struct buf b;

    buf_init(&b, LIMIT_DATA);
    jw_init(&w, &b);
    jw_obj(&w);
    jw_kv_cstr(&w, "summary", in->summary ? in->summary : "");
    jw_opt_cstr(&w, "firstKeptEntryId", first_kept);
    jw_opt_cstr(&w, "beforeMessageId", in->before);
    jw_kv_i64(&w, "tokensBefore", in->tokens_before);
    jw_opt_i64(&w, "tokensSaved", in->tokens_saved);
    jw_opt_raw(&w, "details", in->details);
    if (in->from_hook)
        jw_kv_bool(&w, "fromHook", true);
    jw_end_obj(&w);
    *out = text_keep(a, &b);
    buf_finish(&b);
    if (b.over)
        return bough_fail(err, BOUGH_TOO_LARGE, "a summary of more than %lld bytes",
                          (long long)LIMIT_DATA);
    return BOUGH_OK;
}

/* The first depth that the marker keeps. The named entry must be on the head's path (U14), else
 * BOUGH_INVALID. *depth 0: no entry before the marker is kept. */
static enum bough_rc keep_from(struct snap *snap, struct bough_arena *a, int64_t sid,
                               const struct bough_compact_options *in, int64_t *depth,
                               struct bough_error *err)
{
    const char *named = cstr_empty(in->before) ? in->first_kept : in->before;
    struct bough_head at;
    struct head_now now;
    int64_t owner = 0;
    enum bough_rc rc;

    *depth = 0;
    if (cstr_empty(named))
        return BOUGH_OK;
    rc = find_entry(snap, sid, named, &at, err);
    if (!rc)
        rc = snap->ops->head_get(snap->v, a, sid, &now, err);
    if (!rc && now.row.bid)
        rc = path_owner(snap, (struct bough_head){ now.row.bid, now.depth }, at.depth, &owner, err);
    if (rc)
        return rc;
    if (owner != at.branch || at.depth > now.depth)
        return bough_fail(err, BOUGH_INVALID, "entry %.40s is not on the head's path", named);
    *depth = cstr_empty(in->before) ? at.depth : at.depth + 1;
    return BOUGH_OK;
}

static enum bough_rc check_compaction(const struct bough_compact_options *in,
                                      struct bough_error *err)
{
    enum bough_rc rc = check_text("the summary", in->summary, LIMIT_TEXT, err);

    if (!rc && !cstr_empty(in->before) && !cstr_empty(in->first_kept))
        rc = bough_fail(err, BOUGH_INVALID,
                        "give the last summarised entry or the first kept one, not both");
    if (!rc && (in->tokens_before < 0 || in->tokens_saved < 0))
        rc = bough_fail(err, BOUGH_INVALID, "tokens are never negative");
    return rc ? rc : check_json("details", in->details, LIMIT_DATA, err);
}

static enum bough_rc compact(struct bough_store *s, struct bough_arena *a, const char *session,
                             const struct bough_compact_options *in,
                             struct bough_append_result *out, struct bough_error *err)
{
    struct bough_entry_new e = { .kind = BOUGH_ENTRY_COMPACTION };
    struct append_job j = { .s = s };
    struct snap snap;
    int64_t from;
    enum bough_rc rc = snap_session(s, session, &snap, &j.sid, err);

    if (rc)
        return rc;
    rc = keep_from(&snap, a, j.sid, in, &from, err);
    snap_end(&snap);
    if (!rc)
        rc = marker_data(a, in, in->first_kept, &e.data, err);
    if (!rc)
        rc = plan_build(s, a, &e, 1, NULL, &j.plan, err);
    if (rc)
        return rc;
    j.plan.entries[0].e.keep_from = from;
    plan_repack(s, a, &j.plan.entries[0]);
    if (!cstr_empty(in->key)) {
        j.key = append_key(s, a, j.sid, in->key, err);
        if (!j.key)
            return BOUGH_INVALID;
        plan_hash(a, &j.plan, NULL, j.hash);
    }
    return append_run(s, a, &j, out, err);
}

enum bough_rc bough_compact(struct bough_store *s, const char *session,
                            const struct bough_compact_options *in, char id[BOUGH_ID_LEN + 1],
                            struct bough_error *err)
{
    struct bough_arena *tmp = bough_arena_create();
    struct bough_append_result out;
    enum bough_rc rc = RESERVED_CHECK(bough_compact_options, in, err);

    if (!rc)
        rc = check_compaction(in, err);
    if (!rc)
        rc = compact(s, tmp, session, in, &out, err);
    if (!rc)
        memcpy(id, out.ids[0], BOUGH_ID_LEN + 1);
    bough_arena_destroy(tmp);
    return rc;
}

/* ---- finding ---- */

struct own_marks {
    struct snap *snap;
    struct entry_list list;
    enum bough_rc rc;
    struct bough_error *err;
};

static bool marks_of_branch(void *user, const struct branch_row *b)
{
    struct own_marks *o = user;
    struct seg seg = { b->bid, b->sid, b->base + 1, LIMIT_DEPTH };
    struct segs segs = { &seg, 1 };
    struct path_filter f = { .kinds = 1 << BOUGH_ENTRY_COMPACTION };

    o->rc = path_read(o->snap, &segs, &f, &o->list, NULL, o->err);
    return !o->rc;
}

enum bough_rc bough_marker_list(struct bough_store *s, struct bough_arena *a, const char *session,
                                struct bough_entries *out, struct bough_error *err)
{
    struct own_marks o = { .list = { .a = a }, .err = err };
    struct snap snap;
    int64_t sid;
    enum bough_rc rc = snap_session(s, session, &snap, &sid, err);

    *out = (struct bough_entries){ .next = "" };
    if (rc)
        return rc;
    o.snap = &snap;
    rc = snap.ops->branch_of(snap.v, sid, marks_of_branch, &o, err);
    if (!rc)
        rc = o.rc;
    snap_end(&snap);
    if (!rc)
        entries_in_time(&o.list);
    out->at = o.list.at;
    out->n = o.list.n;
    return rc;
}

enum bough_rc bough_marker_latest(struct bough_store *s, struct bough_arena *a, const char *session,
                                  bool inherit, struct bough_entry **out, struct bough_error *err)
{
    struct bough_head mark = { 0 };
    struct head_now now;
    struct snap snap;
    int64_t sid;
    enum bough_rc rc = snap_session(s, session, &snap, &sid, err);

    *out = NULL;
    if (rc)
        return rc;
    rc = snap.ops->head_get(snap.v, a, sid, &now, err);
    if (!rc)
        rc = path_last(&snap, (struct bough_head){ now.row.bid, now.depth }, BOUGH_ENTRY_COMPACTION,
                       inherit ? 0 : sid, &mark, err);
    if (!rc && mark.branch)
        rc = entry_load(&snap, a, mark, out, err);
    snap_end(&snap);
    return rc;
}

static const char *text_of(struct bough_arena *a, struct json data, const char *name)
{
    const char *text = json_cstr(a, data, name);

    return text ? text : "";
}

enum bough_rc bough_marker_read(struct bough_arena *a, const struct bough_entry *entry,
                                struct bough_marker *out, struct bough_error *err)
{
    struct json data = { 0 };

    if (!entry || !out || entry->kind != BOUGH_ENTRY_COMPACTION)
        return bough_fail(err, BOUGH_INVALID, "the entry is not a compaction");
    if (entry->data.n && json_parse(a, entry->data, &data, NULL))
        data = (struct json){ 0 };
    *out = (struct bough_marker){ .summary = text_of(a, data, "summary"),
                                  .first_kept = text_of(a, data, "firstKeptEntryId"),
                                  .before = text_of(a, data, "beforeMessageId"),
                                  .keep_from = entry->keep_from };
    (void)json_i64(json_member(data, "tokensBefore"), &out->tokens_before);
    (void)json_i64(json_member(data, "tokensSaved"), &out->tokens_saved);
    (void)json_bool(json_member(data, "fromHook"), &out->from_hook);
    if (json_type(json_member(data, "details")) != JSON_NULL)
        out->details = json_raw(json_member(data, "details"));
    return BOUGH_OK;
}
