/* Raw access for fsck and migrations: scan a whole table, write unchecked rows. */
#include <stdio.h>

#include "core/search/search.h"
#include "store/postgres/conn/writer.h"
#include "store/postgres/wire/array.h"

enum { PIECE = 256 };

/* The columns, key order and statements of a table. `put` inserts or replaces a row. */
struct raw_text {
    const char *columns, *table, *order;
    const char *put, *put_types;
    const char *del, *del_types;
};

#define PUT(table, columns, values, key, set)                                                      \
    "INSERT INTO " table " (" columns ") VALUES (" values ") ON CONFLICT (" key                    \
    ") DO UPDATE SET " set

static const struct raw_text texts[RAW_TABLES] = {
    [RAW_SESSION] = { SESSION_COLS, "session", "sid",
                      PUT("session", SESSION_COLS ", doc, data, metadata, id",
                          "$1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13", "sid",
                          "ver = $2, made = $3, chk = $4, parent = $5, kind = $6, purged = $7,"
                          " slug = $8, body = $9, doc = $10, data = $11, metadata = $12, id = $13"),
                      "iiiiiiitbtttt", "DELETE FROM session WHERE sid = $1", "i" },
    [RAW_HEAD] = { HEAD_COLS, "head", "sid",
                   PUT("head", HEAD_COLS, "$1, $2, $3, $4, $5, $6, $7, $8, $9, $10", "sid",
                       "ver = $2, bid = $3, depth = $4, status = $5, deleted = $6,"
                       " lease_epoch = $7, lease_since = $8, lease_expires = $9, lease_owner = "
                       "$10"),
                   "iiiiiiiiit", "DELETE FROM head WHERE sid = $1", "i" },
    [RAW_BRANCH] = { BRANCH_COLS, "branch", "bid",
                     PUT("branch", BRANCH_COLS, "$1, $2, $3, $4, $5", "bid",
                         "sid = $2, parent = $3, base = $4, cut = $5"),
                     "iiiii", "DELETE FROM branch WHERE bid = $1", "i" },
    [RAW_ENTRY] = { ENTRY_COLS, "entry", "bid, depth",
                    PUT("entry", ENTRY_ALL,
                        "$1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11::smallint, $12, $13, $14, "
                        "$15",
                        "bid, depth",
                        "kind = $3, mask = $4, over = $5, body = $6, parts = $7, no = $8,"
                        " mno = $9, time = $10, role = $11::smallint, id = $12, data = $13, "
                        "metadata = $14, types = $15"),
                    "iiiiibtiiiitttt", "DELETE FROM entry WHERE bid = $1 AND depth = $2", "ii" },
    [RAW_RECORD] = { RECORD_COLS, "record", "sid, kind, ord",
                     PUT("record", RECORD_COLS ", doc", "$1, $2, $3, $4, $5, $6, $7",
                         "sid, kind, ord", "ver = $4, over = $5, body = $6, doc = $7"),
                     "iiiiibt", "DELETE FROM record WHERE sid = $1 AND kind = $2 AND ord = $3",
                     "iii" },
    [RAW_ALIAS] = { ALIAS_COLS, "alias", "id, scope",
                    PUT("alias", ALIAS_COLS, "$1, $2, $3, $4, $5", "id, scope",
                        "what = $3, a = $4, b = $5"),
                    "biiii", "DELETE FROM alias WHERE id = $1 AND scope = $2", "bi" },
    [RAW_KEY] = { KEY_COLS, "key", "key",
                  PUT("key", "sid, " KEY_COLS, "$1, $2, $3, $4, $5, $6, $7", "sid, key",
                      "hash = $3, no = $4, expires = $5, bid = $6, depth = $7"),
                  "ibbiiii", "DELETE FROM key WHERE sid = $1 AND key = $2", "ib" },
    [RAW_CHANGELOG] = { LOG_COLS, "log", "no",
                        PUT("log", LOG_COLS, "$1, $2, $3, $4, $5, $6, $7, $8, $9", "no",
                            "n = $2, sid = $3, kind = $4, time = $5, bid = $6, depth = $7, record "
                            "= $8,"
                            " aux = $9"),
                        "iiiiiiiii", "DELETE FROM log WHERE no = $1", "i" },
    [RAW_LIST] = { LIST_COLS, "list", "sid", NULL, NULL, "DELETE FROM list WHERE sid = $1", "i" },
    [RAW_OPEN] = { OPEN_COLS, "open", "bid, depth",
                   PUT("open", OPEN_COLS, "$1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12",
                       "bid, depth",
                       "sid = $3, ver = $4, epoch = $5, since = $6, expires = $7, lease_ms = $8,"
                       " owner = $9, process = $10, client = $11, wanted = $12"),
                   "iiiiiiiittit", "DELETE FROM open WHERE bid = $1 AND depth = $2", "ii" },
    [RAW_DRAFT] = { DRAFT_COLS, "draft", "bid, depth, upto",
                    PUT("draft", DRAFT_COLS, "$1, $2, $3, $4, $5", "bid, depth, upto",
                        "step = $4, body = $5"),
                    "iiiib", "DELETE FROM draft WHERE bid = $1 AND depth = $2 AND upto = $3",
                    "iii" },
    [RAW_BLOB] = { BLOB_COLS, "blob", "bno",
                   PUT("blob", BLOB_COLS, "$1, $2, $3, $4, $5", "bno",
                       "state = $2, size = $3, since = $4, hash = $5"),
                   "iiiib", "DELETE FROM blob WHERE bno = $1", "i" },
    [RAW_CHUNK] = { CHUNK_COLS, "chunk", "bno, idx",
                    PUT("chunk", CHUNK_COLS, "$1, $2, $3, $4", "bno, idx", "sum = $3, body = $4"),
                    "iiib", "DELETE FROM chunk WHERE bno = $1 AND idx = $2", "ii" },
    [RAW_LINK] = { LINK_COLS, "blob_link", "bid, depth, bno",
                   PUT("blob_link", LINK_COLS, "$1, $2, $3", "bid, depth, bno", "bno = $3"), "iii",
                   "DELETE FROM blob_link WHERE bid = $1 AND depth = $2 AND bno = $3", "iii" },
    [RAW_FULLTEXT] = { TEXT_COLS, "text_doc", "id",
                       "INSERT INTO text_doc (" TEXT_ALL ") VALUES ($1, $2, $3, $4, $5, $6, $7,"
                       " $8 <> 0, array_to_tsvector($9)) ON CONFLICT (id) DO UPDATE SET bid = $2,"
                       " depth = $3, time = $4, words = $5, vec = excluded.vec",
                       "iiiibiiiT", "DELETE FROM text_doc WHERE id = $1", "i" },
    [RAW_SPEND] = { SPEND_COLS, "spend", SPEND_KEY,
                    PUT("spend", SPEND_COLS,
                        "$1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16",
                        SPEND_KEY,
                        "calls = $8, unknown = $9, input = $10, output = $11, reasoning = $12,"
                        " cache_read = $13, cache_write = $14, cost = $15, duration = $16"),
                    "iiiitttiiiiiiiii",
                    "DELETE FROM spend WHERE (" SPEND_KEY ") = ($1, $2, $3, $4, $5, $6, $7)",
                    "iiiittt" },
    [RAW_SEEN] = { SEEN_COLS, "seen", "key, no",
                   PUT("seen", SEEN_COLS, "$1, $2, $3, $4, $5", "key, no",
                       "bid = $3, depth = $4, strict = $5"),
                   "biiii", "DELETE FROM seen WHERE key = $1 AND no = $2", "bi" },
};

/* ---- reading ---- */

static void raw_read(struct bough_arena *a, const PGresult *r, int i, struct raw_row *row)
{
    switch (row->table) {
    case RAW_SESSION:
        pg_row_session(r, i, &row->u.session);
        break;
    case RAW_HEAD:
        pg_row_head(r, i, &row->u.head);
        break;
    case RAW_BRANCH:
        pg_row_branch(r, i, &row->u.branch);
        break;
    case RAW_ENTRY:
        pg_row_entry(a, r, i, &row->u.entry);
        break;
    case RAW_RECORD:
        pg_row_record(r, i, &row->u.record);
        break;
    case RAW_ALIAS:
        pg_row_alias(r, i, &row->u.alias);
        break;
    case RAW_KEY:
        pg_row_key(r, i, &row->u.key);
        break;
    case RAW_CHANGELOG:
        pg_row_log(r, i, &row->u.log);
        break;
    case RAW_LIST:
        pg_row_list(r, i, &row->u.list);
        break;
    case RAW_OPEN:
        pg_row_open(r, i, &row->u.open);
        break;
    case RAW_DRAFT:
        pg_row_draft(r, i, &row->u.draft);
        break;
    case RAW_BLOB:
        pg_row_blob(r, i, &row->u.blob);
        break;
    case RAW_CHUNK:
        pg_row_chunk(r, i, &row->u.chunk);
        break;
    case RAW_LINK:
        pg_row_link(r, i, &row->u.link);
        break;
    case RAW_FULLTEXT:
        pg_row_text(a, r, i, &row->u.text);
        break;
    case RAW_SPEND:
        pg_row_spend(r, i, &row->u.spend);
        break;
    case RAW_SEEN:
        pg_row_seen(r, i, &row->u.seen);
        break;
    case RAW_TABLES:
        break;
    }
}

/* Run SQL text in the snapshot; *out is the result of the last statement. */
static enum bough_rc say(struct snapshot *v, const char *text, PGresult **out,
                         struct bough_error *err)
{
    enum bough_rc rc = pg_ask_begin(v, err);

    if (!rc)
        rc = pg_send_text(conn_of(v), NULL, NULL, text, "", NULL, err);
    return rc ? rc : pg_answer(v, out, err);
}

static enum bough_rc scan(struct snapshot *v, const char *cursor, struct raw_row *row, raw_fn fn,
                          void *user, struct bough_error *err)
{
    struct bough_arena *a = bough_arena_create();
    char text[80];
    bool more = true;
    enum bough_rc rc = BOUGH_OK;

    snprintf(text, sizeof text, "FETCH %d FROM %s", PIECE, cursor);
    while (!rc && more) {
        PGresult *r;

        rc = say(v, text, &r, err);
        if (rc)
            break;
        more = PQntuples(r) == PIECE;
        for (int i = 0; i < PQntuples(r); i++) {
            bough_arena_reset(a);
            raw_read(a, r, i, row);
            if (!fn(user, row)) {
                more = false;
                break;
            }
        }
        PQclear(r);
    }
    bough_arena_destroy(a);
    return rc;
}

enum bough_rc postgres_raw_scan(struct snapshot *v, enum raw_table table, raw_fn fn, void *user,
                                struct bough_error *err)
{
    struct raw_row row = { .table = table };
    char cursor[32], text[640];
    PGresult *r;
    enum bough_rc rc;

    if ((unsigned)table >= RAW_TABLES)
        return bough_fail(err, BOUGH_INVALID, "there is no table %d", (int)table);
    snprintf(cursor, sizeof cursor, "raw_%u", conn_of(v)->cursors++);
    snprintf(text, sizeof text, "DECLARE %s NO SCROLL CURSOR FOR SELECT %s FROM %s ORDER BY %s",
             cursor, texts[table].columns, texts[table].table, texts[table].order);
    rc = say(v, text, &r, err);
    if (rc)
        return rc;
    PQclear(r);
    rc = scan(v, cursor, &row, fn, user, err);
    if (rc || pg_over(v, err))
        return rc ? rc : pg_over(v, err);
    snprintf(text, sizeof text, "CLOSE %s", cursor);
    rc = say(v, text, &r, err);
    if (!rc)
        PQclear(r);
    return rc;
}

enum bough_rc postgres_engine_check(struct snapshot *v, bool full,
                                    void (*found)(void *user, const char *text), void *user,
                                    struct bough_error *err)
{
    struct bough_arena *a;
    PGresult *r;
    enum bough_rc rc = pg_ask(v, SQL_BROKEN, NULL, &r, err);

    (void)full; /* amcheck needs the database owner: docs/postgres.md */
    if (rc)
        return rc;
    a = bough_arena_create();
    for (int i = 0; i < PQntuples(r); i++)
        found(user, arena_printf(a, "index %s is not valid: REINDEX it", got_text(r, i, 0)));
    bough_arena_destroy(a);
    PQclear(r);
    return BOUGH_OK;
}

/* ---- writing ---- */

static void key_args(struct args *v, const struct raw_row *row)
{
    switch (row->table) {
    case RAW_SESSION:
        args_int(v, row->u.session.sid);
        break;
    case RAW_HEAD:
        args_int(v, row->u.head.sid);
        break;
    case RAW_BRANCH:
        args_int(v, row->u.branch.bid);
        break;
    case RAW_ENTRY:
        args_ints(v, (int64_t[]){ row->u.entry.bid, row->u.entry.depth }, 2);
        break;
    case RAW_RECORD:
        args_ints(v, (int64_t[]){ row->u.record.sid, row->u.record.kind, row->u.record.ord }, 3);
        break;
    case RAW_ALIAS:
        args_text(v, row->u.alias.id);
        args_int(v, row->u.alias.scope);
        break;
    case RAW_KEY:
        args_int(v, key_session(row->u.key.key));
        args_text(v, row->u.key.key);
        break;
    case RAW_CHANGELOG:
        args_int(v, row->u.log.no);
        break;
    case RAW_LIST:
        args_int(v, row->u.list.sid);
        break;
    case RAW_OPEN:
        args_ints(v, (int64_t[]){ row->u.open.bid, row->u.open.depth }, 2);
        break;
    case RAW_DRAFT:
        args_ints(v, (int64_t[]){ row->u.draft.bid, row->u.draft.depth, row->u.draft.end }, 3);
        break;
    case RAW_BLOB:
        args_int(v, row->u.blob.bno);
        break;
    case RAW_CHUNK:
        args_ints(v, (int64_t[]){ row->u.chunk.bno, row->u.chunk.index }, 2);
        break;
    case RAW_LINK:
        args_ints(v, (int64_t[]){ row->u.link.bid, row->u.link.depth, row->u.link.bno }, 3);
        break;
    case RAW_FULLTEXT:
        args_int(v, fulltext_order(&row->u.text));
        break;
    case RAW_SPEND:
        args_spend(v, &row->u.spend);
        v->n = 7;
        break;
    case RAW_SEEN:
        args_seen(v, &row->u.seen);
        v->n = 2;
        break;
    case RAW_TABLES:
        break;
    }
}

/* The parameters behind the key. Tables whose rows have a writer in values.c start over. */
static void row_args(struct bough_arena *a, struct args *v, const struct raw_row *row)
{
    const struct blob_row *blob = &row->u.blob;

    switch (row->table) {
    case RAW_SESSION:
        v->n = 0;
        args_session(a, v, &row->u.session);
        break;
    case RAW_HEAD:
        v->n = 0;
        args_head(v, &row->u.head);
        break;
    case RAW_BRANCH:
        args_ints(v,
                  (int64_t[]){ row->u.branch.sid, row->u.branch.parent, row->u.branch.base,
                               row->u.branch.cut },
                  4);
        break;
    case RAW_ENTRY:
        v->n = 0;
        args_entry(a, v, &row->u.entry);
        break;
    case RAW_RECORD:
        v->n = 0;
        args_record(a, v, &row->u.record);
        break;
    case RAW_ALIAS:
        args_ints(v, (int64_t[]){ row->u.alias.what, row->u.alias.a, row->u.alias.b }, 3);
        break;
    case RAW_KEY:
        args_str(v, (struct bough_str){ row->u.key.hash, sizeof row->u.key.hash });
        args_ints(
            v, (int64_t[]){ row->u.key.no, row->u.key.expires, row->u.key.bid, row->u.key.depth },
            4);
        break;
    case RAW_CHANGELOG:
        v->n = 0;
        args_changelog(v, &row->u.log);
        break;
    case RAW_LIST:
        v->n = 0;
        args_list(v, &row->u.list);
        break;
    case RAW_OPEN:
        v->n = 0;
        args_open(v, &row->u.open);
        break;
    case RAW_DRAFT:
        args_int(v, row->u.draft.step);
        args_str(v, row->u.draft.body);
        break;
    case RAW_BLOB:
        args_ints(v, (int64_t[]){ blob->state, blob->size, blob->since }, 3);
        args_str(v, (struct bough_str){ (const char *)blob->hash, blob->state ? 32 : 0 });
        break;
    case RAW_CHUNK:
        args_int(v, row->u.chunk.sum);
        args_str(v, row->u.chunk.body);
        break;
    case RAW_FULLTEXT:
        v->n = 0;
        args_document(a, v, &row->u.text);
        break;
    case RAW_SPEND:
        v->n = 0;
        args_spend(v, &row->u.spend);
        break;
    case RAW_SEEN:
        v->n = 0;
        args_seen(v, &row->u.seen);
        break;
    case RAW_LINK:
    case RAW_TABLES:
        break;
    }
}

struct fix {
    const struct raw_row *row;
    bool remove;
};

/* To put back an entry's document its words must be computed again: they are not stored. */
static enum bough_rc words_again(struct postgres *s, struct fulltext_row *row,
                                 struct bough_error *err)
{
    struct search_words *words = arena_zalloc(s->scratch, sizeof *words);
    struct entry_row entry;
    struct bough_entry e;
    struct args a = { 0 };
    PGresult *r;
    enum bough_rc rc;

    args_ints(&a, (int64_t[]){ row->bid, row->depth }, 2);
    rc = pg_writer_ask(s, SQL_ENTRY_GET, &a, &r, err);
    if (rc)
        return rc;
    if (PQntuples(r)) {
        pg_row_entry(s->scratch, r, 0, &entry);
        if (search_packed_words(s->scratch, keep_bytes(s->scratch, entry.body), &e, words)) {
            row->words = words;
            row->role = e.role;
            row->kind = e.kind;
        }
    }
    PQclear(r);
    return BOUGH_OK;
}

enum bough_rc pg_raw_send(struct postgres *s, const struct raw_row *row, bool remove,
                          struct bough_error *err)
{
    const struct raw_text *t = &texts[row->table];
    struct args a = { 0 }, one = { 0 };
    char name[16];

    key_args(&a, row);
    if (!remove)
        row_args(s->scratch, &a, row);
    if (!remove && !t->put) {
        args_columns(s->scratch, &one, &a, 1, pg_sql[SQL_LIST_PUT].types);
        return pg_send(s->writer, SQL_LIST_PUT, &one, err);
    }
    snprintf(name, sizeof name, "raw%d", (int)row->table);
    return pg_send_text(s->writer, remove ? NULL : name, &s->writer->raw[row->table],
                        remove ? t->del : t->put, remove ? t->del_types : t->put_types, &a, err);
}

static enum bough_rc fix_row(struct postgres *s, void *user, struct bough_error *err)
{
    const struct fix *f = user;
    struct raw_row row = *f->row;
    enum bough_rc rc = BOUGH_OK;

    if (row.table == RAW_FULLTEXT && !f->remove && row.u.text.bid)
        rc = words_again(s, &row.u.text, err);
    if (!rc)
        rc = pg_raw_send(s, &row, f->remove, err);
    if (!rc)
        rc = pg_sync(s->writer, err);
    return rc ? rc : pg_drain(s->writer, err);
}

enum bough_rc postgres_raw_fix(struct backend *b, const struct raw_row *row, bool remove,
                               struct bough_error *err)
{
    struct deadline p = { mono_us() + 10000000, NULL };
    struct fix f = { row, remove };

    if ((unsigned)row->table >= RAW_TABLES)
        return bough_fail(err, BOUGH_INVALID, "there is no table %d", (int)row->table);
    return pg_writer_txn(postgres_of(b), false, &p, fix_row, &f, err);
}
