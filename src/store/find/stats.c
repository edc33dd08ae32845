/* Statistics of a store, counted row by row. */
#include "base/required.h"
#include "core/model/totals.h"
#include "store/engine/engine.h"

struct count {
    struct bough_store_stats_result *out;
    struct map purged; /* purged sessions: their remaining records do not count */
    struct bough_error *err;
};

static bool purged(const struct count *c, int64_t sid)
{
    return map_get(&c->purged, (uint64_t)sid, NULL);
}

static bool count_session(void *user, const struct raw_row *row)
{
    struct count *c = user;

    if (row->u.session.purged)
        map_put(&c->purged, (uint64_t)row->u.session.sid, 1);
    else
        c->out->sessions++;
    return true;
}

static bool count_head(void *user, const struct raw_row *row)
{
    struct count *c = user;

    if (row->u.head.deleted && !purged(c, row->u.head.sid))
        c->out->deleted_sessions++;
    return true;
}

static bool count_branch(void *user, const struct raw_row *row)
{
    struct count *c = user;

    (void)row;
    c->out->branches++;
    return true;
}

static bool count_entry(void *user, const struct raw_row *row)
{
    struct count *c = user;

    c->out->entries++;
    c->out->messages += row->u.entry.kind == BOUGH_ENTRY_MESSAGE && !row->u.entry.deleted &&
                        !(row->u.entry.mask & MASK_OPEN);
    c->out->content_bytes += (int64_t)row->u.entry.body.n;
    return true;
}

/* Saturates on overflow, as list rows do. */
static void spend(struct count *c, const struct bough_totals *t)
{
    if (!totals_add(&c->out->spent, t))
        c->out->spent = (struct bough_totals){ .input = INT64_MAX,
                                               .output = INT64_MAX,
                                               .reasoning = INT64_MAX,
                                               .cache_read = INT64_MAX,
                                               .cache_write = INT64_MAX,
                                               .cost = INT64_MAX };
}

static bool count_blob(void *user, const struct raw_row *row)
{
    struct count *c = user;

    c->out->attachments += row->u.blob.state != BLOB_WRITING;
    return true;
}

static bool count_chunk(void *user, const struct raw_row *row)
{
    struct count *c = user;

    c->out->attachment_bytes += (int64_t)row->u.chunk.body.n;
    return true;
}

static bool count_record(void *user, const struct raw_row *row)
{
    const struct record_row *r = &row->u.record;
    struct count *c = user;
    struct adjust_body adjust;
    struct call_body call;

    if (purged(c, r->sid))
        return true;
    c->out->records++;
    if (r->kind == RECORD_CALL && !r->deleted && !body_read(call_fields, r->body, &call, NULL)) {
        c->out->calls++;
        spend(c, &call.used);
    }
    if (r->kind == RECORD_ADJUST && !body_read(adjust_fields, r->body, &adjust, NULL))
        spend(c, &adjust.delta);
    return true;
}

static bool count_log(void *user, const struct raw_row *row)
{
    struct count *c = user;

    (void)row;
    c->out->log_rows++;
    return true;
}

static enum bough_rc count_all(struct snap *snap, struct count *c)
{
    static const struct {
        enum raw_table table;
        raw_fn fn;
    } passes[] = {
        { RAW_SESSION, count_session }, { RAW_HEAD, count_head },     { RAW_BRANCH, count_branch },
        { RAW_ENTRY, count_entry },     { RAW_RECORD, count_record }, { RAW_CHANGELOG, count_log },
        { RAW_BLOB, count_blob },       { RAW_CHUNK, count_chunk },
    };
    enum bough_rc rc = BOUGH_OK;

    for (size_t i = 0; i < sizeof passes / sizeof *passes && !rc; i++)
        rc = snap->ops->raw_scan(snap->v, passes[i].table, passes[i].fn, c, c->err);
    return rc;
}

enum bough_rc bough_store_stats(struct bough_store *s, struct bough_store_stats_result *out,
                                struct bough_error *err)
{
    REQUIRE(s && out, err);

    struct bough_arena *tmp = bough_arena_create();
    struct count c = { .out = out, .err = err };
    struct backend_info info;
    struct snap snap;
    enum bough_rc rc = s->e->ops->info(s->e->backend, tmp, &info, err);

    *out = (struct bough_store_stats_result){ 0 };
    if (!rc)
        rc = snap_begin(s, &snap, err);
    if (rc)
        goto out;
    out->file_bytes = info.file_bytes;
    map_init(&c.purged);
    rc = count_all(&snap, &c);
    map_finish(&c.purged);
    snap_end(&snap);
out:
    bough_arena_destroy(tmp);
    return rc;
}
