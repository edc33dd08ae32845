/* Salvage output: one JSON object per line. */
#include "base/json/json.h"
#include "base/json/write.h"
#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/base64.h"
#include "base/text/str.h"
#include "core/pack/attach.h"
#include "core/pack/bodies.h"
#include "store/care/salvage/salvage.h"
#include "store/contract/id.h"
#include "store/contract/record_body.h"
#include "store/contract/rows.h"

struct line {
    struct salvage *s;
    struct buf buf;
    struct json_writer w;
};

static void begin(struct line *l, struct salvage *s, const char *type)
{
    l->s = s;
    buf_init(&l->buf, SALVAGE_LINE);
    jw_init(&l->w, &l->buf);
    jw_obj(&l->w);
    jw_kv_cstr(&l->w, "type", type);
}

static void end(struct line *l)
{
    jw_end_obj(&l->w);
    jw_drop_breaks(&l->w);
    if (!l->buf.over && !l->s->line(l->s->user, buf_str(&l->buf)))
        l->s->stop = true;
    buf_finish(&l->buf);
}

/* Write a value as raw JSON if it is valid, otherwise as a string, so the line stays valid JSON. */
static void opt_json(struct line *l, const char *key, struct bough_str json)
{
    if (json.n && json_check(json, LIMIT_JSON_DEPTH, NULL) == BOUGH_OK)
        jw_kv_raw(&l->w, key, json);
    else
        jw_opt_str(&l->w, key, json);
}

static void kv_base64(struct line *l, const char *key, struct bough_str bytes)
{
    size_t n = base64_length(bytes.n);
    char *text = arena_alloc(l->s->a, n + 1);

    base64_encode(bytes.p, bytes.n, text);
    jw_kv_str(&l->w, key, str_make(text, n));
}

void salvage_session_line(struct salvage *s, const struct pages_row *row)
{
    struct session_body b;
    char id[BOUGH_ID_LEN + 1];
    struct line l;

    begin(&l, s, "session");
    id_session(row->at[2].number, row->rowid, row->at[3].number, id);
    jw_kv_cstr(&l.w, "id", id);
    jw_kv_i64(&l.w, "number", row->rowid);
    jw_opt_i64(&l.w, "parent", row->at[4].number);
    jw_kv_cstr(&l.w, "kind", row->at[5].number == BOUGH_SUBAGENT ? "subagent" : "primary");
    if (row->at[6].number) {
        jw_kv_bool(&l.w, "purged", true);
        end(&l);
        return;
    }
    jw_kv_str(&l.w, "slug", row->at[7].bytes);
    if (body_read(session_fields, row->at[8].bytes, &b, NULL) == BOUGH_OK) {
        jw_opt_cstr(&l.w, "title", b.title);
        jw_opt_cstr(&l.w, "origin", b.origin);
        jw_opt_cstr(&l.w, "fork_entry", b.fork_entry);
        jw_opt_cstr(&l.w, "provider_path", b.provider_path);
        jw_opt_cstr(&l.w, "role_name", b.role_name);
        jw_opt_cstr(&l.w, "model_provider", b.model_provider);
        jw_opt_cstr(&l.w, "model_name", b.model_name);
        jw_opt_cstr(&l.w, "system_prompt", b.system_prompt);
        jw_opt_cstr(&l.w, "user_name", b.user_name);
        jw_opt_cstr(&l.w, "version", b.version);
        jw_opt_i64(&l.w, "project", b.project);
        jw_kv_i64(&l.w, "created", b.created);
        opt_json(&l, "data", b.data);
        opt_json(&l, "metadata", b.metadata);
    }
    end(&l);
}

void salvage_branch_line(struct salvage *s, const struct pages_row *row)
{
    struct line l;

    begin(&l, s, "branch");
    jw_kv_i64(&l.w, "branch", row->rowid);
    jw_kv_i64(&l.w, "session", row->at[1].number);
    jw_kv_i64(&l.w, "parent", row->at[2].number);
    jw_kv_i64(&l.w, "base", row->at[3].number);
    end(&l);
}

void salvage_entry_line(struct salvage *s, const struct bough_entry *e, const struct pack_extra *x)
{
    char id[BOUGH_ID_LEN + 1];
    struct line l;

    begin(&l, s, "entry");
    id_entry(x->made, e->at.branch, e->at.depth, x->chk, id);
    jw_kv_cstr(&l.w, "id", id);
    jw_kv_i64(&l.w, "branch", e->at.branch);
    jw_kv_i64(&l.w, "depth", e->at.depth);
    jw_kv_i64(&l.w, "no", e->no);
    jw_kv_cstr(&l.w, "kind", e->kind_name);
    jw_opt_cstr(&l.w, "role", bough_role_name(e->role));
    jw_kv_i64(&l.w, "time", e->time);
    jw_opt_i64(&l.w, "deleted", e->deleted);
    jw_opt_cstr(&l.w, "finish", e->finish);
    jw_opt_cstr(&l.w, "origin", e->origin);
    jw_opt_i64(&l.w, "keep_from", e->keep_from);
    opt_json(&l, "error", e->error);
    opt_json(&l, "data", e->data);
    opt_json(&l, "metadata", e->metadata);
    jw_key(&l.w, "parts");
    jw_arr(&l.w);
    for (size_t i = 0; i < e->nparts; i++)
        if (json_check(e->parts[i].json, LIMIT_JSON_DEPTH, NULL) == BOUGH_OK)
            jw_raw(&l.w, e->parts[i].json);
        else
            jw_str(&l.w, e->parts[i].json);
    jw_end_arr(&l.w);
    end(&l);
}

/* ---- records ---- */

/* Print the fields that users wrote and costs. The other fields are only in the raw bytes. */
static void put_said(struct line *l, int64_t kind, const union record_body *u)
{
    switch (kind) {
    case RECORD_CALL:
        jw_opt_cstr(&l->w, "provider", u->call.provider);
        jw_opt_cstr(&l->w, "model", u->call.model);
        jw_opt_cstr(&l->w, "request_id", u->call.request_id);
        jw_opt_i64(&l->w, "input", u->call.used.input);
        jw_opt_i64(&l->w, "output", u->call.used.output);
        jw_opt_i64(&l->w, "cost", u->call.used.cost);
        jw_kv_i64(&l->w, "time", u->call.time);
        opt_json(l, "error", u->call.error);
        opt_json(l, "usage", u->call.usage);
        break;
    case RECORD_ADJUST:
        jw_opt_i64(&l->w, "cost", u->adjust.delta.cost);
        break;
    case RECORD_MEMORY:
        jw_opt_cstr(&l->w, "title", u->memory.title);
        jw_opt_cstr(&l->w, "body", u->memory.body);
        jw_kv_cstr(&l->w, "content", u->memory.content);
        break;
    case RECORD_LABEL:
        jw_kv_cstr(&l->w, "entry", u->label.entry);
        jw_kv_cstr(&l->w, "text", u->label.text);
        break;
    case RECORD_TODO:
        opt_json(l, "items", u->todo.items);
        break;
    case RECORD_QUEUE:
        jw_kv_cstr(&l->w, "content", u->queue.content);
        break;
    case RECORD_STATE:
        jw_kv_cstr(&l->w, "name", u->state.name);
        break;
    case RECORD_SOURCE:
        jw_kv_cstr(&l->w, "path", u->source.path);
        break;
    case RECORD_PROJECT:
    case RECORD_WORKSPACE:
    case RECORD_ACCOUNT:
        jw_kv_cstr(&l->w, "name", u->place.name);
        break;
    }
}

void salvage_record_line(struct salvage *s, const struct pages_row *row)
{
    int64_t kind = row->rowid >> 28 & 15;
    union record_body u;
    struct line l;

    begin(&l, s, "record");
    jw_kv_i64(&l.w, "session", row->rowid >> 32);
    if (record_bodies[kind].name)
        jw_kv_cstr(&l.w, "kind", record_bodies[kind].name);
    else
        jw_kv_i64(&l.w, "kind", kind);
    jw_kv_i64(&l.w, "ordinal", row->rowid & LIMIT_RECORD);
    jw_opt_i64(&l.w, "deleted", row->at[2].number);
    if (record_bodies[kind].fields &&
        !body_read(record_bodies[kind].fields, row->at[3].bytes, &u, NULL))
        put_said(&l, kind, &u);
    kv_base64(&l, "bytes", row->at[3].bytes);
    end(&l);
}

void salvage_blob_line(struct salvage *s, const struct pages_row *row)
{
    char name[ATTACH_NAME_LEN + 1];
    struct line l;

    begin(&l, s, "attachment");
    attach_name((const unsigned char *)row->at[4].bytes.p, name);
    jw_kv_cstr(&l.w, "url", name);
    jw_kv_i64(&l.w, "number", row->rowid);
    jw_kv_i64(&l.w, "size", row->at[2].number);
    end(&l);
}

void salvage_chunk_line(struct salvage *s, const struct pages_row *row)
{
    struct line l;

    begin(&l, s, "piece");
    jw_kv_i64(&l.w, "attachment", row->rowid >> 24);
    jw_kv_i64(&l.w, "piece", row->rowid & 0xffffff);
    kv_base64(&l, "data", row->at[2].bytes);
    end(&l);
}
