/* The places on a path that people jump to: messages of the user and compactions. */
#include "base/limits.h"
#include "base/required.h"
#include "base/reserved.h"
#include "base/text/str.h"
#include "core/part/part.h"
#include "store/contract/id.h"
#include "store/lookup/cursor.h"
#include "store/lookup/find.h"
#include "store/lookup/path.h"
#include "store/lookup/session_load.h"
#include "store/tree/peek.h"

const char *peek_text(struct bough_arena *a, struct bough_arena *tmp, const struct entry_row *row)
{
    struct arena_mark mark = arena_mark(tmp);
    struct pack_extra x;
    struct bough_entry e;
    struct fields f;
    const char *text = "";

    /* Moved base64 is left where it is: no text needs it. */
    if (pack_is_stub(row->body) || pack_entry_read(tmp, row->body, &e, &x, NULL))
        return "";
    if (e.kind == BOUGH_ENTRY_MESSAGE)
        text = preview_text(a, e.parts, e.nparts, PEEK_BYTES);
    else if ((e.kind == BOUGH_ENTRY_COMPACTION || e.kind == BOUGH_ENTRY_BRANCH_SUMMARY) &&
             fields_read(&f, e.data, NULL) == BOUGH_OK)
        text = preview_string(a, fields_raw(&f, "summary", JSON_STRING), PEEK_BYTES);
    arena_rewind(tmp, mark);
    return text;
}

struct reading {
    struct bough_arena *a, *tmp;
    struct bough_tree_prompts_result *out;
    size_t limit; /* 0: all */
    bool more;
    enum bough_rc rc;
    struct bough_error *err;
};

static bool take(void *user, const struct entry_row *row)
{
    struct reading *r = user;
    struct bough_tree_prompts_result *out = r->out;
    struct bough_tree_prompt *to;
    struct pack_head h;

    if (r->limit && out->n == r->limit) {
        r->more = true;
        return false;
    }
    if (!pack_entry_head(row->body, &h)) {
        r->rc = bough_fail(r->err, BOUGH_CORRUPT, "entry #%lld.%lld cannot be read",
                           (long long)row->bid, (long long)row->depth);
        return false;
    }
    out->at = arena_room(r->a, out->at, out->n, sizeof *out->at);
    to = &out->at[out->n++];
    *to = (struct bough_tree_prompt){ .at = { row->bid, row->depth },
                                      .kind = (enum bough_entry_kind)row->kind,
                                      .time = h.time,
                                      .mno = h.mno };
    id_entry(h.made, row->bid, row->depth, h.chk, to->entry);
    to->preview = peek_text(r->a, r->tmp, row);
    return true;
}

static void reverse(struct bough_tree_prompts_result *l)
{
    for (size_t i = 0, k = l->n; i + 1 < k; i++) {
        struct bough_tree_prompt t = l->at[i];

        l->at[i] = l->at[--k];
        l->at[k] = t;
    }
}

/* A message has a role, so of both kinds only compactions have the bit of BOUGH_ROLE_NONE. */
static enum bough_rc read_runs(struct snap *snap, const struct segs *segs, int64_t edge,
                               bool newest, struct reading *r)
{
    enum bough_rc rc = BOUGH_OK;

    for (size_t i = 0; i < segs->n && !rc && !r->more; i++) {
        const struct seg *s = &segs->at[newest ? i : segs->n - 1 - i];
        struct entry_range range = {
            .bid = s->bid,
            .from = newest || s->from > edge ? s->from : edge,
            .to = newest && edge && s->to > edge ? edge : s->to,
            .backwards = newest,
            .kinds = 1 << BOUGH_ENTRY_MESSAGE | 1 << BOUGH_ENTRY_COMPACTION,
            .mask = (int64_t)MASK_ROLE << BOUGH_ROLE_USER | (int64_t)MASK_ROLE << BOUGH_ROLE_NONE,
        };

        if (range.from <= range.to)
            rc = snap->ops->entry_scan(snap->v, &range, take, r, r->err);
        if (!rc)
            rc = r->rc;
    }
    return rc;
}

static enum bough_rc read_path(struct snap *snap, int64_t sid,
                               const struct bough_tree_prompts_options *how, int64_t edge,
                               struct reading *r)
{
    struct bough_head at = { 0 };
    struct head_now now;
    struct segs segs;
    enum bough_rc rc;

    if (!cstr_empty(how->at)) {
        rc = find_entry(snap, sid, how->at, &at, r->err);
    } else {
        rc = snap->ops->head_get(snap->v, r->a, sid, &now, r->err);
        if (!rc)
            at = (struct bough_head){ now.row.bid, now.depth };
    }
    if (!rc)
        rc = path_segs(snap, r->a, at, how->newest ? 1 : edge, &segs, r->err);
    return rc ? rc : read_runs(snap, &segs, edge, how->newest, r);
}

enum bough_rc bough_tree_prompts(struct bough_store *s, struct bough_arena *a, const char *session,
                                 const struct bough_tree_prompts_options *how,
                                 struct bough_tree_prompts_result *out, struct bough_error *err)
{
    REQUIRE(s && a && out, err);

    static const struct bough_tree_prompts_options all;
    struct reading r = { .a = a, .out = out, .err = err };
    int64_t sid, edge = 0; /* the depth that the page begins at, in its direction */
    struct snap snap;
    enum bough_rc rc = RESERVED_CHECK(bough_tree_prompts_options, how, err);

    how = how ? how : &all;
    *out = (struct bough_tree_prompts_result){ .next = "" };
    if (!rc && how->limit < 0)
        rc = bough_fail(err, BOUGH_INVALID, "a limit is never negative");
    if (!rc)
        rc = cursor_read(how->cursor, &edge, 1, err);
    if (!rc && edge < 0)
        rc = cursor_bad(err);
    if (!rc)
        rc = snap_session(s, session, &snap, &sid, err);
    if (rc)
        return rc;
    r.limit = (size_t)how->limit;
    r.tmp = bough_arena_create();
    rc = read_path(&snap, sid, how, edge, &r);
    bough_arena_destroy(r.tmp);
    snap_end(&snap);
    if (!rc && r.more) {
        edge = out->at[out->n - 1].at.depth + (how->newest ? -1 : 1);
        out->next = cursor_write(a, &edge, 1);
    }
    if (how->newest)
        reverse(out);
    return rc;
}
