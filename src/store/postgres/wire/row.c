/* Read rows from results. The column order is that of the *_COLS in sql.h. */
#include <string.h>

#include "base/limits.h"
#include "base/text/str.h"
#include "core/pack/pack.h"
#include "core/search/search.h"
#include "store/postgres/wire/db.h"

int64_t got_int(const PGresult *r, int row, int col)
{
    const unsigned char *p = (const unsigned char *)PQgetvalue(r, row, col);
    int n = PQgetlength(r, row, col);
    uint64_t v = n && p[0] & 0x80 ? UINT64_MAX : 0;

    for (int i = 0; i < n && i < 8; i++)
        v = v << 8 | p[i];
    return (int64_t)v;
}

struct bough_str got_bytes(const PGresult *r, int row, int col)
{
    return (struct bough_str){ PQgetvalue(r, row, col), (size_t)PQgetlength(r, row, col) };
}

const char *got_text(const PGresult *r, int row, int col)
{
    return PQgetvalue(r, row, col);
}

void pg_row_session(const PGresult *r, int i, struct session_row *out)
{
    out->sid = got_int(r, i, 0);
    out->ver = got_int(r, i, 1);
    out->made = got_int(r, i, 2);
    out->chk = got_int(r, i, 3);
    out->parent = got_int(r, i, 4);
    out->kind = got_int(r, i, 5);
    out->purged = got_int(r, i, 6) != 0;
    out->slug = got_text(r, i, 7);
    out->body = got_bytes(r, i, 8);
}

void pg_row_head(const PGresult *r, int i, struct head_row *out)
{
    out->sid = got_int(r, i, 0);
    out->ver = got_int(r, i, 1);
    out->bid = got_int(r, i, 2);
    out->depth = got_int(r, i, 3);
    out->status = got_int(r, i, 4);
    out->deleted = got_int(r, i, 5);
    out->lease_epoch = got_int(r, i, 6);
    out->lease_since = got_int(r, i, 7);
    out->lease_expires = got_int(r, i, 8);
    out->lease_owner = got_text(r, i, 9);
}

/* Clamp a damaged depth: it stays invalid, so fsck finds it, but arithmetic with it cannot
 * overflow. */
static int64_t got_depth(const PGresult *r, int i, int col)
{
    int64_t depth = got_int(r, i, col);

    return depth < -1 ? -1 : depth > LIMIT_DEPTH + 1 ? LIMIT_DEPTH + 1 : depth;
}

void pg_row_branch(const PGresult *r, int i, struct branch_row *out)
{
    out->bid = got_int(r, i, 0);
    out->sid = got_int(r, i, 1);
    out->parent = got_int(r, i, 2);
    out->base = got_depth(r, i, 3);
    out->cut = got_depth(r, i, 4);
}

void pg_row_entry(struct bough_arena *a, const PGresult *r, int i, struct entry_row *out)
{
    out->bid = got_int(r, i, 0);
    out->depth = got_int(r, i, 1);
    out->kind = got_int(r, i, 2);
    out->mask = got_int(r, i, 3);
    out->deleted = got_int(r, i, 4);
    out->body = got_bytes(r, i, 5);
    if (!PQgetisnull(r, i, 6))
        out->body = pack_join(a, out->body, got_bytes(r, i, 6));
}

void pg_row_open(const PGresult *r, int i, struct open_row *out)
{
    out->bid = got_int(r, i, 0);
    out->depth = got_int(r, i, 1);
    out->sid = got_int(r, i, 2);
    out->ver = got_int(r, i, 3);
    out->epoch = got_int(r, i, 4);
    out->since = got_int(r, i, 5);
    out->expires = got_int(r, i, 6);
    out->lease_ms = got_int(r, i, 7);
    out->owner = got_text(r, i, 8);
    out->process = got_text(r, i, 9);
    out->client = got_int(r, i, 10);
    out->wanted = got_text(r, i, 11);
}

void pg_row_draft(const PGresult *r, int i, struct draft_row *out)
{
    out->bid = got_int(r, i, 0);
    out->depth = got_int(r, i, 1);
    out->end = got_int(r, i, 2);
    out->step = got_int(r, i, 3);
    out->body = got_bytes(r, i, 4);
}

void pg_row_record(const PGresult *r, int i, struct record_row *out)
{
    out->sid = got_int(r, i, 0);
    out->kind = got_int(r, i, 1);
    out->ord = got_int(r, i, 2);
    out->ver = got_int(r, i, 3);
    out->deleted = got_int(r, i, 4);
    out->body = got_bytes(r, i, 5);
}

void pg_row_alias(const PGresult *r, int i, struct alias_row *out)
{
    out->id = got_text(r, i, 0);
    out->scope = got_int(r, i, 1);
    out->what = got_int(r, i, 2);
    out->a = got_int(r, i, 3);
    out->b = got_int(r, i, 4);
}

void pg_row_key(const PGresult *r, int i, struct key_row *out)
{
    struct bough_str hash = got_bytes(r, i, 1);

    out->key = got_text(r, i, 0);
    memset(out->hash, 0, sizeof out->hash);
    memcpy(out->hash, hash.p, hash.n < sizeof out->hash ? hash.n : sizeof out->hash);
    out->no = got_int(r, i, 2);
    out->expires = got_int(r, i, 3);
    out->bid = got_int(r, i, 4);
    out->depth = got_int(r, i, 5);
}

void pg_row_log(const PGresult *r, int i, struct changelog_row *out)
{
    out->no = got_int(r, i, 0);
    out->n = got_int(r, i, 1);
    out->sid = got_int(r, i, 2);
    out->kind = got_int(r, i, 3);
    out->time = got_int(r, i, 4);
    out->bid = got_int(r, i, 5);
    out->depth = got_int(r, i, 6);
    out->record = got_int(r, i, 7);
    out->aux = got_int(r, i, 8);
}

void pg_row_list(const PGresult *r, int i, struct list_row *out)
{
    out->sid = got_int(r, i, 0);
    out->kind = got_int(r, i, 1);
    out->status = got_int(r, i, 2);
    out->project = got_int(r, i, 3);
    out->workspace = got_int(r, i, 4);
    out->account = got_int(r, i, 5);
    out->parent = got_int(r, i, 6);
    out->created = got_int(r, i, 7);
    out->updated = got_int(r, i, 8);
    out->modified = got_int(r, i, 9);
    out->deleted = got_int(r, i, 10);
    out->role_name = got_text(r, i, 11);
    out->provider_path = got_text(r, i, 12);
    out->model_provider = got_text(r, i, 13);
    out->model_name = got_text(r, i, 14);
    out->hay = got_text(r, i, 15);
    out->body = got_bytes(r, i, 16);
    out->errors = got_int(r, i, 17);
    out->last_state = got_int(r, i, 18);
    out->cost = got_int(r, i, 19);
    out->last_model = got_text(r, i, 20);
}

void pg_row_spend(const PGresult *r, int i, struct spend_row *out)
{
    int64_t *numbers = spend_numbers(out);

    out->day = got_int(r, i, 0);
    out->sid = got_int(r, i, 1);
    out->project = got_int(r, i, 2);
    out->account = got_int(r, i, 3);
    out->provider = got_text(r, i, 4);
    out->model = got_text(r, i, 5);
    out->principal = got_text(r, i, 6);
    for (int k = 0; k < SPEND_NUMBERS; k++)
        numbers[k] = got_int(r, i, 7 + k);
}

void pg_row_seen(const PGresult *r, int i, struct seen_row *out)
{
    struct bough_str key = got_bytes(r, i, 0);

    memset(out->key, 0, sizeof out->key);
    memcpy(out->key, key.p, key.n < sizeof out->key ? key.n : sizeof out->key);
    out->no = got_int(r, i, 1);
    out->bid = got_int(r, i, 2);
    out->depth = got_int(r, i, 3);
    out->strict = got_int(r, i, 4);
}

void pg_row_blob(const PGresult *r, int i, struct blob_row *out)
{
    struct bough_str hash = got_bytes(r, i, 4);

    out->bno = got_int(r, i, 0);
    out->state = got_int(r, i, 1);
    out->size = got_int(r, i, 2);
    out->since = got_int(r, i, 3);
    memset(out->hash, 0, sizeof out->hash);
    if (hash.n == sizeof out->hash)
        memcpy(out->hash, hash.p, sizeof out->hash);
}

void pg_row_chunk(const PGresult *r, int i, struct chunk_row *out)
{
    out->bno = got_int(r, i, 0);
    out->index = got_int(r, i, 1);
    out->sum = got_int(r, i, 2);
    out->body = got_bytes(r, i, 3);
}

void pg_row_link(const PGresult *r, int i, struct link_row *out)
{
    *out = (struct link_row){ got_int(r, i, 0), got_int(r, i, 1), got_int(r, i, 2) };
}

void pg_row_text(struct bough_arena *a, const PGresult *r, int i, struct fulltext_row *out)
{
    struct bough_str words = got_bytes(r, i, 4);
    struct search_words *w;

    *out = (struct fulltext_row){ .no = got_int(r, i, 0) >> 1,
                                  .bid = got_int(r, i, 1),
                                  .depth = got_int(r, i, 2),
                                  .time = got_int(r, i, 3) };
    if (!a || !words.n)
        return;
    w = arena_zalloc(a, sizeof *w);
    for (int f = 0; f < SEARCH_FIELDS; f++)
        w->field[f] = str_make(NULL, 0);
    w->field[SEARCH_TITLE] = keep_bytes(a, words);
    out->words = w;
}
