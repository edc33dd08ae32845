/* Plans: check and pack the entries of an append in the caller's thread. */
#include "store/write/plan.h"

#include <string.h>

#include "base/hash/sha256.h"
#include "base/json/json.h"
#include "base/limits.h"
#include "base/reserved.h"
#include "base/text/str.h"
#include "core/model/totals.h"
#include "core/part/part.h"
#include "store/lookup/check.h"
#include "store/lookup/find.h"
#include "store/lookup/path.h"

enum { STORE_TRIES = 8 }; /* the sweep may remove stored bytes before they are linked */

/* ---- entries ---- */

static enum bough_rc check_kind(const struct bough_entry_new *in, struct bough_error *err)
{
    if ((unsigned)in->kind > BOUGH_ENTRY_LAST)
        return bough_fail(err, BOUGH_INVALID, "no entry has the kind %d", (int)in->kind);
    if ((unsigned)in->role > BOUGH_ROLE_LAST)
        return bough_fail(err, BOUGH_INVALID, "no message has the role %d", (int)in->role);
    if (in->kind == BOUGH_ENTRY_OTHER && cstr_empty(in->kind_name))
        return bough_fail(err, BOUGH_INVALID, "an entry of another kind needs the kind's name");
    if (in->kind == BOUGH_ENTRY_MESSAGE && in->role == BOUGH_ROLE_NONE)
        return bough_fail(err, BOUGH_INVALID, "a message needs a role");
    if (in->nparts + (in->text ? 1 : 0) > LIMIT_PARTS)
        return bough_fail(err, BOUGH_TOO_LARGE, "a message has at most %d parts, not %zu",
                          LIMIT_PARTS, in->nparts);
    if (in->by_call && !cstr_empty(in->call))
        return bough_fail(err, BOUGH_INVALID, "a message is produced by one call, not by two");
    return BOUGH_OK;
}

static enum bough_rc check_numbers(const struct bough_entry_new *in, struct bough_error *err)
{
    if (in->usage && !totals_valid(in->usage))
        return bough_fail(err, BOUGH_INVALID,
                          "tokens and cost are neither negative nor beyond what a call can spend");
    if ((unsigned)in->call_cost_source > BOUGH_COST_SOURCE_LAST)
        return bough_fail(err, BOUGH_INVALID, "there is no source %d of a cost",
                          (int)in->call_cost_source);
    if (in->duration < 0 || in->time < 0 || in->keep_from < 0)
        return bough_fail(err, BOUGH_INVALID, "a time, a duration or a depth is never negative");
    if (in->keep_from && in->kind != BOUGH_ENTRY_COMPACTION)
        return bough_fail(err, BOUGH_INVALID, "only a compaction has keep_from");
    return BOUGH_OK;
}

static enum bough_rc check_texts(const struct bough_entry_new *in, struct bough_error *err)
{
    enum bough_rc rc = check_text("the id", in->id, LIMIT_ID, err);

    if (!rc)
        rc = check_text("the finish reason", in->finish, LIMIT_NAME, err);
    if (!rc)
        rc = check_text("the kind's name", in->kind_name, LIMIT_NAME, err);
    if (!rc)
        rc = check_text("the call's provider", in->call_provider, LIMIT_NAME, err);
    if (!rc)
        rc = check_text("the call's model", in->call_model, LIMIT_NAME, err);
    if (!rc)
        rc = check_text("the call's request id", in->call_request_id, LIMIT_NAME, err);
    if (!rc)
        rc = check_text("the text", in->text, LIMIT_MESSAGE_BYTES, err);
    if (!rc)
        rc = check_json("error", in->error, LIMIT_DATA, err);
    if (!rc)
        rc = check_object("data", in->data, LIMIT_DATA, err);
    return rc ? rc : check_object("metadata", in->metadata, LIMIT_METADATA, err);
}

static enum bough_rc take_parts(struct bough_arena *a, const struct bough_entry_new *in,
                                struct plan_entry *pe, size_t index, struct bough_error *err)
{
    size_t n = in->nparts + (in->text ? 1 : 0), bytes = 0;
    struct bough_part *parts = arena_alloc(a, (n ? n : 1) * sizeof *parts);
    struct bough_error why;
    enum bough_rc rc;

    for (size_t i = 0; i < in->nparts; i++) {
        parts[i].json = in->parts[i];
        bytes += in->parts[i].n;
        rc = bough_part_check(in->parts[i], &parts[i].type, &why);
        if (rc)
            return bough_fail(err, rc, "entry %zu, part %zu: %.200s", index + 1, i + 1, why.msg);
    }
    if (in->text) {
        parts[n - 1] = (struct bough_part){ BOUGH_PART_TEXT, bough_part_text(a, str_of(in->text)) };
        bytes += parts[n - 1].json.n;
    }
    if (bytes > LIMIT_MESSAGE_BYTES)
        return bough_fail(err, BOUGH_TOO_LARGE, "entry %zu has %zu bytes; at most %lld fit",
                          index + 1, bytes, (long long)LIMIT_MESSAGE_BYTES);
    pe->e.parts = parts;
    pe->e.nparts = n;
    return BOUGH_OK;
}

static void take_fields(const struct bough_entry_new *in, int64_t now, struct plan_entry *pe)
{
    struct bough_entry *e = &pe->e;

    e->kind = in->kind;
    e->kind_name = in->kind == BOUGH_ENTRY_OTHER ? in->kind_name : "";
    e->role = in->role;
    e->time = in->time ? in->time : now;
    e->finish = in->finish;
    e->error = in->error;
    e->data = in->data;
    e->metadata = in->metadata;
    e->usage = in->usage;
    e->duration = in->duration;
    e->keep_from = in->keep_from;
    e->origin = in->id;
    pe->id = in->id;
    pe->given_time = in->time;
    pe->call = in->call;
    pe->mask = entry_mask(e);
}

/* Read the data of kinds that change something else: the target of a label, the new title of the
 * session. */
static enum bough_rc take_meaning(struct bough_arena *a, struct plan_entry *pe,
                                  struct bough_error *err)
{
    struct json data = { 0 };
    enum bough_rc rc;

    if (pe->e.kind != BOUGH_ENTRY_LABEL && pe->e.kind != BOUGH_ENTRY_SESSION_INFO)
        return BOUGH_OK;
    rc = json_parse(a, pe->e.data.n ? pe->e.data : str_of("{}"), &data, err);
    if (rc)
        return rc;
    if (pe->e.kind == BOUGH_ENTRY_SESSION_INFO) {
        pe->title = json_cstr(a, data, "name");
        return check_text("the name", pe->title, LIMIT_TITLE, err);
    }
    pe->label = json_cstr(a, data, "label");
    if (!json_cstr(a, data, "targetId"))
        return bough_fail(err, BOUGH_INVALID, "a label entry needs data.targetId");
    return check_text("the label", pe->label, LIMIT_TITLE, err);
}

static void repack(const struct engine *e, struct bough_arena *a, struct plan_entry *pe)
{
    struct bough_entry stored = pe->e;

    stored.parts = pe->blobs.parts;
    pack_tail_moved(a, &stored, pe->blobs.moved, pe->blobs.nmoved, e->zstd_from, &pe->tail);
}

void plan_repack(struct bough_store *s, struct bough_arena *a, struct plan_entry *pe)
{
    repack(s->e, a, pe);
}

/* Check the entry, and fill in what does not depend on other rows. */
static enum bough_rc check_one(struct bough_arena *a, const struct bough_entry_new *in,
                               size_t index, int64_t now, struct plan_entry *pe,
                               struct bough_error *err)
{
    enum bough_rc rc = reserved_check("bough_entry_new", in->reserved,
                                      sizeof(in->reserved) / sizeof(*in->reserved), err);

    if (!rc)
        rc = RESERVED_CHECK(bough_totals, in->usage, err);
    if (!rc)
        rc = check_kind(in, err);
    if (!rc)
        rc = check_numbers(in, err);
    if (!rc)
        rc = check_texts(in, err);
    if (!rc)
        rc = take_parts(a, in, pe, index, err);
    if (rc)
        return rc;
    take_fields(in, now, pe);
    blob_split(a, pe->e.parts, pe->e.nparts, &pe->blobs);
    return BOUGH_OK;
}

static enum bough_rc plan_one(struct bough_store *s, struct bough_arena *a,
                              const struct bough_entry_new *in, const struct packed_entry *packed,
                              size_t index, int64_t now, struct plan_entry *pe,
                              struct bough_error *err)
{
    enum bough_rc rc;

    if (packed) {
        take_fields(in, now, pe);
        pe->tail = packed->tail;
        pe->mask = packed->mask;
        return BOUGH_OK;
    }
    rc = check_one(a, in, index, now, pe, err);
    if (!rc)
        rc = take_meaning(a, pe, err);
    if (!rc)
        plan_repack(s, a, pe);
    return rc;
}

bool plan_pack_ahead(const struct bough_store *s, struct bough_arena *a,
                     const struct bough_entry_new *in, struct packed_entry *out)
{
    struct plan_entry pe = { 0 };

    if (in->kind != BOUGH_ENTRY_MESSAGE || !in->time ||
        check_one(a, in, 0, in->time, &pe, NULL) != BOUGH_OK || pe.blobs.nmoved || pe.blobs.nwants)
        return false;
    repack(s->e, a, &pe);
    *out = (struct packed_entry){ .tail = pe.tail, .mask = pe.mask };
    return true;
}

/* ---- calls ---- */

static enum bough_rc check_call(const struct bough_call_new *c, struct bough_error *err)
{
    const char *const names[] = { c->id,        c->request_id, c->want_provider, c->want_model,
                                  c->want_kind, c->provider,   c->model,         c->kind,
                                  c->status,    c->exchange,   c->purpose };
    const struct bough_totals *used = &c->used;
    enum bough_rc rc = RESERVED_CHECK(bough_call_new, c, err);

    if (!rc)
        rc = RESERVED_CHECK(bough_totals, used, err);
    for (size_t i = 0; i < sizeof names / sizeof *names && !rc; i++)
        rc = check_text("a name in the call", names[i], LIMIT_NAME, err);
    if (!rc)
        rc = check_json("the call's error", c->error, LIMIT_DATA, err);
    if (!rc)
        rc = check_json("the call's usage", c->usage, LIMIT_METADATA, err);
    if (!rc)
        rc = check_object("the call's notes", c->notes, LIMIT_METADATA, err);
    if (!rc && (unsigned)c->cost_source > BOUGH_COST_SOURCE_LAST)
        rc = bough_fail(err, BOUGH_INVALID, "there is no source %d of a cost", (int)c->cost_source);
    if (!rc && (!totals_valid(&c->used) || c->total_tokens < 0 || c->duration < 0 || c->time < 0 ||
                c->attempt < 0 || c->first_byte < 0))
        rc = bough_fail(err, BOUGH_INVALID,
                        "tokens, cost and times of a call are neither negative nor beyond belief");
    return rc;
}

/* A call that an import brings was made by another program: it names no principal. */
static void put_call(const struct bough_store *s, struct plan *plan, const struct call_body *body,
                     int64_t given_time)
{
    struct plan_call *pc = &plan->calls[plan->ncalls++];

    pc->body = *body;
    pc->body.principal = s->import ? "" : s->principal;
    pc->given_time = given_time;
}

static struct call_body call_of(const struct bough_call_new *c, int64_t now, int64_t chk)
{
    return (struct call_body){ .made = now,
                               .chk = chk,
                               .origin = c->id,
                               .request_id = c->request_id,
                               .want_provider = c->want_provider,
                               .want_model = c->want_model,
                               .want_kind = c->want_kind,
                               .provider = c->provider,
                               .model = c->model,
                               .kind = c->kind,
                               .status = c->status,
                               .error = c->error,
                               .usage = c->usage,
                               .used = c->used,
                               .total_tokens = c->total_tokens,
                               .duration = c->duration,
                               .time = c->time ? c->time : now,
                               .cost_source = (int64_t)c->cost_source,
                               .attempt = c->attempt,
                               .exchange = c->exchange,
                               .first_byte = c->first_byte,
                               .purpose = c->purpose,
                               .notes = c->notes };
}

/* A message with usage always has a call: create one if the caller gave none (U17). */
static void own_call(const struct bough_store *s, struct plan *plan,
                     const struct bough_entry_new *in, struct plan_entry *pe, int64_t now,
                     int64_t chk)
{
    struct call_body body = { .made = now,
                              .chk = chk,
                              .provider = in->call_provider,
                              .model = in->call_model,
                              .request_id = in->call_request_id,
                              .used = *pe->e.usage,
                              .duration = pe->e.duration,
                              .time = pe->e.time,
                              .cost_source = (int64_t)in->call_cost_source };

    put_call(s, plan, &body, pe->given_time);
    pe->call_new = (int)plan->ncalls;
}

static void link_call(struct plan_entry *pe, const struct plan *plan)
{
    if (!pe->call_new)
        return;
    pe->x.call_made = plan->calls[pe->call_new - 1].body.made;
    pe->x.call_chk = plan->calls[pe->call_new - 1].body.chk;
}

/* Entries of one append must not bring the same id twice. */
static enum bough_rc check_ids(const struct plan *plan, struct bough_error *err)
{
    enum bough_rc rc = BOUGH_OK;
    struct smap seen;

    smap_init(&seen);
    for (size_t i = 0; i < plan->n && !rc; i++) {
        const char *id = plan->entries[i].id;

        if (!cstr_empty(id) && smap_get(&seen, str_of(id), NULL))
            rc = bough_fail(err, BOUGH_EXISTS, "two entries of this append have the id %.60s", id);
        if (!cstr_empty(id))
            smap_put(&seen, str_of(id), 1);
    }
    smap_finish(&seen);
    return rc;
}

static void show_attachments(struct blob_parts *parts)
{
    for (size_t i = 0; i < parts->nwants; i++)
        parts->wants[i].shown = true;
}

/* The call of entry `i`: that of the append, one made for its usage, or none. */
static enum bough_rc find_call(const struct bough_store *s, const struct bough_append_options *in,
                               const struct plan_how *how, struct plan *plan, size_t i, int64_t chk,
                               struct bough_error *err)
{
    struct plan_entry *pe = &plan->entries[i];

    if (in->entries[i].by_call && !in->call)
        return bough_fail(err, BOUGH_INVALID, "entry %zu is by a call, but no call was given",
                          i + 1);
    pe->call_new = in->entries[i].by_call ? 1 : 0;
    if (pe->e.usage && !pe->call_new && cstr_empty(pe->call) && !s->uncounted && !how->uncounted)
        own_call(s, plan, &in->entries[i], pe, pe->x.made, chk);
    link_call(pe, plan);
    return BOUGH_OK;
}

enum bough_rc plan_build_how(struct bough_store *s, struct bough_arena *a,
                             const struct bough_append_options *in, const struct plan_how *how,
                             struct plan *out, struct bough_error *err)
{
    const struct bough_entry_new *entries = in->entries;
    int64_t now = env_now(&s->e->env);
    size_t n = in->n;
    uint16_t *chk;
    enum bough_rc rc = in->call ? check_call(in->call, err) : BOUGH_OK;

    if (rc)
        return rc;
    if (n > LIMIT_APPEND_ENTRIES)
        return bough_fail(err, BOUGH_TOO_LARGE, "an append has at most %d entries, not %zu",
                          LIMIT_APPEND_ENTRIES, n);
    *out = (struct plan){ .n = n };
    out->entries = arena_array(a, n ? n : 1, sizeof *out->entries);
    out->calls = arena_array(a, n + 1, sizeof *out->calls);
    chk = arena_alloc(a, (2 * n + 1) * sizeof *chk);
    env_random(&s->e->env, chk, (2 * n + 1) * sizeof *chk);
    if (in->call) {
        struct call_body body = call_of(in->call, now, chk[2 * n]);

        put_call(s, out, &body, in->call->time);
    }
    for (size_t i = 0; i < n; i++) {
        struct plan_entry *pe = &out->entries[i];

        rc = plan_one(s, a, &entries[i], how->packed ? how->packed[i] : NULL, i, now, pe, err);
        if (rc)
            return rc;
        if (how->copies)
            show_attachments(&pe->blobs);
        pe->x.made = now;
        pe->x.chk = chk[i];
        rc = find_call(s, in, how, out, i, chk[n + i], err);
        if (rc)
            return rc;
        out->resolve = out->resolve || !cstr_empty(pe->call) || pe->e.kind == BOUGH_ENTRY_LABEL ||
                       pe->e.kind == BOUGH_ENTRY_COMPACTION;
    }
    return n > 1 ? check_ids(out, err) : BOUGH_OK;
}

enum bough_rc plan_build(struct bough_store *s, struct bough_arena *a,
                         const struct bough_entry_new *entries, size_t n,
                         const struct bough_call_new *call, struct plan *out,
                         struct bough_error *err)
{
    const struct bough_append_options in = { .entries = entries, .n = n, .call = call };

    return plan_build_how(s, a, &in, &(struct plan_how){ 0 }, out, err);
}

void plan_add_calls(struct prep *p, const struct plan *plan, int64_t sid, const int64_t groups[2])
{
    for (size_t i = 0; i < plan->ncalls; i++) {
        const struct plan_call *call = &plan->calls[i];
        struct call_body body = call->body;

        body.project = groups[0];
        body.account = groups[1];
        txn_change(p, CHANGE_RECORD_PUT)->u.record = (struct record_row){
            .sid = sid, .kind = RECORD_CALL, .body = body_pack(p->a, call_fields, &body)
        };
        if (!cstr_empty(call->body.origin))
            txn_change(p, CHANGE_ALIAS_ADD)->u.alias =
                (struct alias_row){ .id = call->body.origin,
                                    .scope = sid,
                                    .what = (int64_t)RECORD_CALL << 8 | ALIAS_RECORD,
                                    .a = sid,
                                    .b = NEW_RECORD(i) };
    }
}

/* ---- resolving references ---- */

static bool alias_record(void *user, const struct alias_row *row)
{
    int64_t *ord = user;

    if (row->what == ((int64_t)RECORD_CALL << 8 | ALIAS_RECORD))
        *ord = row->b & LIMIT_RECORD;
    return true;
}

static enum bough_rc resolve_call(struct snap *snap, struct bough_arena *a, int64_t sid,
                                  struct plan_entry *pe, struct bough_error *err)
{
    struct record_row row;
    struct call_body body;
    int64_t owner = sid, ord = 0;
    enum bough_rc rc = BOUGH_OK;

    if (find_record(snap, pe->call, RECORD_CALL, BOUGH_NOT_FOUND, &owner, &ord, NULL))
        rc = snap->ops->alias_find(snap->v, pe->call, sid, alias_record, &ord, err);
    if (rc)
        return rc;
    rc = owner == sid && ord ? snap->ops->record_get(snap->v, a, sid, RECORD_CALL, ord, &row, NULL)
                             : BOUGH_NOT_FOUND;
    if (!rc)
        rc = body_read(call_fields, row.body, &body, err);
    if (rc || row.deleted)
        return bough_fail(err, BOUGH_NOT_FOUND, "no call %.40s in this session", pe->call);
    pe->x.call_ord = ord;
    pe->x.call_made = body.made;
    pe->x.call_chk = body.chk;
    return BOUGH_OK;
}

/* Resolve pi's firstKeptEntryId, or the last entry that hygge summarized. If the entry is not found
 * the marker keeps nothing (U14). */
static void resolve_kept(struct snap *snap, struct bough_arena *a, int64_t sid,
                         struct plan_entry *pe)
{
    struct bough_head at;
    struct json data;
    const char *first, *before;

    if (pe->e.keep_from || !pe->e.data.n || json_parse(a, pe->e.data, &data, NULL))
        return;
    first = json_cstr(a, data, "firstKeptEntryId");
    before = first ? NULL : json_cstr(a, data, "beforeMessageId");
    if ((first || before) && find_entry(snap, sid, first ? first : before, &at, NULL) == BOUGH_OK) {
        pe->e.keep_from = first ? at.depth : at.depth + 1;
        pe->kept = at;
    }
}

enum bough_rc plan_resolve(struct snap *snap, struct bough_arena *a, int64_t sid, struct plan *plan,
                           struct bough_error *err)
{
    enum bough_rc rc = BOUGH_OK;

    for (size_t i = 0; i < plan->n && !rc; i++) {
        struct plan_entry *pe = &plan->entries[i];
        struct json data;

        if (!cstr_empty(pe->call))
            rc = resolve_call(snap, a, sid, pe, err);
        if (!rc && pe->e.kind == BOUGH_ENTRY_COMPACTION) {
            resolve_kept(snap, a, sid, pe);
            repack(snap->e, a, pe);
        }
        if (!rc && pe->e.kind == BOUGH_ENTRY_LABEL && !json_parse(a, pe->e.data, &data, NULL))
            rc = find_entry(snap, sid, json_cstr(a, data, "targetId"), &pe->label_target, err);
    }
    return rc;
}

static void hash_text(struct sha256 *h, const char *s)
{
    sha256_update(h, s ? s : "", (s ? strlen(s) : 0) + 1);
}

/* Hash everything the caller gave and nothing that differs when the same request is repeated. */
void plan_hash(struct bough_arena *a, const struct plan *plan,
               const struct bough_append_options *in, unsigned char out[32])
{
    int64_t flags = in ? in->at_root | in->keep_head << 1 : 0;
    struct sha256 h;

    sha256_init(&h);
    sha256_update(&h, &flags, sizeof flags);
    hash_text(&h, in ? in->at : NULL);
    for (size_t i = 0; i < plan->n; i++) {
        const struct plan_entry *pe = &plan->entries[i];
        int64_t numbers[] = { (int64_t)pe->e.kind, (int64_t)pe->e.role, pe->given_time,
                              pe->call_new, (int64_t)pe->tail.raw };

        sha256_update(&h, numbers, sizeof numbers);
        sha256_update(&h, pe->tail.bytes.p, pe->tail.bytes.n);
        hash_text(&h, pe->call);
    }
    for (size_t i = 0; i < plan->ncalls; i++) {
        struct call_body b = plan->calls[i].body;
        struct bough_str packed;

        b.made = b.chk = 0;
        b.time = plan->calls[i].given_time;
        packed = body_pack(a, call_fields, &b);
        sha256_update(&h, packed.p, packed.n);
    }
    sha256_final(&h, out);
}

enum bough_rc plan_write(struct bough_store *s, struct bough_arena *a, const struct plan *plan,
                         struct request *r, bool *restore, struct bough_error *err)
{
    enum bough_rc rc;
    int tries = 0;

    do {
        *restore = false;
        rc = BOUGH_OK;
        for (size_t i = 0; i < plan->n && !rc; i++)
            rc = blob_store(s, &plan->entries[i].blobs, err);
        if (!rc)
            rc = write_run(s, a, r, err);
    } while (rc == BOUGH_NOT_FOUND && *restore && ++tries < STORE_TRIES);
    return rc;
}
