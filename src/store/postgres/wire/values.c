/* Rows as parameters of statements, in the order of the *_COLS in sql.h, and the readable columns
 * for SQL users. */
#include <string.h>

#include "base/text/str.h"
#include "core/pack/pack.h"
#include "store/contract/id.h"
#include "store/contract/record_body.h"
#include "store/postgres/wire/db.h"

/* ---- JSON documents for SQL users ---- */

static void args_doc(struct args *v, struct bough_str doc)
{
    if (doc.n)
        args_str(v, doc);
    else
        args_null(v);
}

/* The columns doc, data and metadata. */
void args_session_docs(struct bough_arena *a, struct args *v, const struct session_row *row)
{
    struct bough_str data = str_make(NULL, 0), metadata = data, doc = data;
    struct session_body b;

    if (row->body.n && body_read(session_fields, row->body, &b, NULL) == BOUGH_OK) {
        data = b.data;
        metadata = b.metadata;
        b.data = b.metadata = str_make(NULL, 0);
        doc = body_json(a, session_fields, &b);
    }
    args_doc(v, doc);
    args_doc(v, data);
    args_doc(v, metadata);
}

static struct bough_str record_doc(struct bough_arena *a, const struct record_row *row)
{
    const struct body_field *fields = record_fields(row->kind, row->body);
    union record_body b;

    if (!fields || !row->body.n || body_read(fields, row->body, &b, NULL) != BOUGH_OK)
        return str_make(NULL, 0);
    return body_json(a, fields, &b);
}

/* ---- rows ---- */

void args_session(struct bough_arena *a, struct args *v, const struct session_row *row)
{
    char *id = arena_alloc(a, BOUGH_ID_LEN + 1);

    id_session(row->made, row->sid, row->chk, id);
    args_ints(
        v,
        (int64_t[]){ row->sid, row->ver, row->made, row->chk, row->parent, row->kind, row->purged },
        7);
    args_text(v, row->slug);
    args_str(v, row->body);
    args_session_docs(a, v, row);
    args_text(v, id);
}

void args_head(struct args *v, const struct head_row *row)
{
    args_ints(v,
              (int64_t[]){ row->sid, row->ver, row->bid, row->depth, row->status, row->deleted,
                           row->lease_epoch, row->lease_since, row->lease_expires },
              9);
    args_text(v, row->lease_owner);
}

void args_entry(struct bough_arena *a, struct args *v, const struct entry_row *row)
{
    char *id = arena_alloc(a, BOUGH_ID_LEN + 1);
    struct pack_pieces p;
    struct pack_head h;

    if (!pack_split(a, row->body, &p))
        p = (struct pack_pieces){ .front = row->body };
    if (!pack_entry_head(row->body, &h))
        h = (struct pack_head){ 0 };
    id_entry(h.made, row->bid, row->depth, h.chk, id);
    args_ints(v, (int64_t[]){ row->bid, row->depth, row->kind, row->mask, row->deleted }, 5);
    args_str(v, p.front);
    args_doc(v, p.parts);
    args_ints(v, (int64_t[]){ h.no, h.mno, h.time, h.role }, 4);
    args_text(v, id);
    args_doc(v, p.data);
    args_doc(v, p.metadata);
    args_doc(v, p.types);
}

void args_open(struct args *v, const struct open_row *row)
{
    args_ints(v,
              (int64_t[]){ row->bid, row->depth, row->sid, row->ver, row->epoch, row->since,
                           row->expires, row->lease_ms },
              8);
    args_text(v, row->owner);
    args_text(v, row->process);
    args_ints(v, &row->client, 1);
    args_text(v, row->wanted);
}

void args_record(struct bough_arena *a, struct args *v, const struct record_row *row)
{
    args_ints(v, (int64_t[]){ row->sid, row->kind, row->ord, row->ver, row->deleted }, 5);
    args_str(v, row->body);
    args_doc(v, record_doc(a, row));
}

void args_changelog(struct args *v, const struct changelog_row *row)
{
    args_ints(v,
              (int64_t[]){ row->no, row->n, row->sid, row->kind, row->time, row->bid, row->depth,
                           row->record, row->aux },
              9);
}

void args_list(struct args *v, const struct list_row *row)
{
    args_ints(v,
              (int64_t[]){ row->sid, row->kind, row->status, row->project, row->workspace,
                           row->account, row->parent, row->created, row->updated, row->modified,
                           row->deleted },
              11);
    args_text(v, row->role_name);
    args_text(v, row->provider_path);
    args_text(v, row->model_provider);
    args_text(v, row->model_name);
    args_text(v, row->hay);
    args_str(v, row->body);
    args_ints(v, (int64_t[]){ row->errors, row->last_state, row->cost }, 3);
    args_text(v, row->last_model);
}

void args_spend(struct args *v, const struct spend_row *row)
{
    args_ints(v, (int64_t[]){ row->day, row->sid, row->project, row->account }, 4);
    args_text(v, row->provider);
    args_text(v, row->model);
    args_text(v, row->principal);
    args_ints(v, &row->calls, SPEND_NUMBERS);
}

void args_seen(struct args *v, const struct seen_row *row)
{
    args_str(v, (struct bough_str){ (const char *)row->key, sizeof row->key });
    args_ints(v, (int64_t[]){ row->no, row->bid, row->depth, row->strict }, 4);
}
