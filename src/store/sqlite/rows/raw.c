/* Raw access for fsck and migrations: scan a whole table, run SQLite's own check, write unchecked
 * rows. */
#include "store/sqlite/conn/db.h"

/* The three statements of a table. `put` takes all columns in order; `del` takes the key. */
struct raw_text {
    const char *scan, *put, *del;
};

static const struct raw_text texts[RAW_TABLES] = {
    [RAW_SESSION] = { "SELECT " SESSION_COLS " FROM session ORDER BY sid",
                      "INSERT OR REPLACE INTO session (" SESSION_COLS
                      ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
                      "DELETE FROM session WHERE sid = ?1" },
    [RAW_HEAD] = { "SELECT " HEAD_COLS " FROM head ORDER BY sid",
                   "INSERT OR REPLACE INTO head (" HEAD_COLS
                   ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
                   "DELETE FROM head WHERE sid = ?1" },
    [RAW_BRANCH] = { "SELECT " BRANCH_COLS " FROM branch ORDER BY bid",
                     "INSERT OR REPLACE INTO branch (" BRANCH_COLS ") VALUES (?1, ?2, ?3, ?4, ?5)",
                     "DELETE FROM branch WHERE bid = ?1" },
    [RAW_ENTRY] = { "SELECT " ENTRY_COLS " FROM entry ORDER BY k",
                    "INSERT OR REPLACE INTO entry (" ENTRY_COLS ") VALUES (?1, ?2, ?3, ?4, ?5)",
                    "DELETE FROM entry WHERE k = ?1" },
    [RAW_RECORD] = { "SELECT " RECORD_COLS " FROM record ORDER BY k",
                     "INSERT OR REPLACE INTO record (" RECORD_COLS ") VALUES (?1, ?2, ?3, ?4)",
                     "DELETE FROM record WHERE k = ?1" },
    [RAW_ALIAS] = { "SELECT " ALIAS_COLS " FROM alias ORDER BY id, scope",
                    "INSERT OR REPLACE INTO alias (" ALIAS_COLS ") VALUES (?1, ?2, ?3, ?4, ?5)",
                    "DELETE FROM alias WHERE id = ?1 AND scope = ?2" },
    [RAW_KEY] = { "SELECT " KEY_COLS " FROM key ORDER BY key",
                  "INSERT OR REPLACE INTO key (" KEY_COLS ", sid)"
                  " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                  "DELETE FROM key WHERE key = ?1 AND sid = ?2" },
    [RAW_CHANGELOG] = { "SELECT " LOG_COLS " FROM log ORDER BY no",
                        "INSERT OR REPLACE INTO log (" LOG_COLS
                        ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
                        "DELETE FROM log WHERE no = ?1" },
    /* A row whose `gone`, the column of the indexes, is wrong shows a deletion time that no row
       has. */
    [RAW_LIST] = { "SELECT sid, kind, status, project, workspace, account, parent, created, "
                   "updated,"
                   " modified, iif(gone = (deleted <> 0), deleted, -1), role_name, provider_path,"
                   " model_provider, model_name, hay, body, errors, last_state, cost, last_model"
                   " FROM list ORDER BY sid",
                   "INSERT OR REPLACE INTO list (" LIST_COLS ", gone) VALUES (?1, ?2, ?3, ?4, ?5,"
                   " ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21,"
                   " ?22)",
                   "DELETE FROM list WHERE sid = ?1" },
    [RAW_OPEN] = { "SELECT " OPEN_COLS " FROM open ORDER BY k",
                   "INSERT OR REPLACE INTO open (" OPEN_COLS
                   ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
                   "DELETE FROM open WHERE k = ?1" },
    [RAW_DRAFT] = { "SELECT " DRAFT_COLS " FROM draft ORDER BY k, upto",
                    "INSERT OR REPLACE INTO draft (" DRAFT_COLS ") VALUES (?1, ?2, ?3, ?4)",
                    "DELETE FROM draft WHERE k = ?1 AND upto = ?2" },
    [RAW_BLOB] = { "SELECT " BLOB_COLS " FROM blob ORDER BY bno",
                   "INSERT OR REPLACE INTO blob (" BLOB_COLS ") VALUES (?1, ?2, ?3, ?4, ?5)",
                   "DELETE FROM blob WHERE bno = ?1" },
    [RAW_CHUNK] = { "SELECT " CHUNK_COLS " FROM chunk ORDER BY k",
                    "INSERT OR REPLACE INTO chunk (" CHUNK_COLS ") VALUES (?1, ?2, ?3)",
                    "DELETE FROM chunk WHERE k = ?1" },
    [RAW_LINK] = { "SELECT " LINK_COLS " FROM blob_link ORDER BY k, bno",
                   "INSERT OR REPLACE INTO blob_link (" LINK_COLS ") VALUES (?1, ?2)",
                   "DELETE FROM blob_link WHERE k = ?1 AND bno = ?2" },
    [RAW_FULLTEXT] = { "SELECT " TEXT_COLS " FROM text_doc ORDER BY id",
                       "INSERT OR REPLACE INTO text_doc (" TEXT_COLS ") VALUES (?1, ?2, ?3, ?4)",
                       "DELETE FROM text_doc WHERE id = ?1" },
    [RAW_SPEND] = { "SELECT " SPEND_COLS " FROM spend ORDER BY " SPEND_KEY,
                    "INSERT OR REPLACE INTO spend (" SPEND_COLS ") VALUES (?1, ?2, ?3, ?4, ?5, ?6,"
                    " ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)",
                    "DELETE FROM spend WHERE day = ?1 AND sid = ?2 AND project = ?3 AND"
                    " account = ?4 AND provider = ?5 AND model = ?6 AND principal = ?7" },
    [RAW_SEEN] = { "SELECT " SEEN_COLS " FROM seen ORDER BY key, no",
                   "INSERT OR REPLACE INTO seen (" SEEN_COLS ") VALUES (?1, ?2, ?3, ?4, ?5)",
                   "DELETE FROM seen WHERE key = ?1 AND no = ?2" },
};

static void raw_read(struct bough_arena *a, sqlite3_stmt *st, struct raw_row *row)
{
    switch (row->table) {
    case RAW_SESSION:
        row_session(st, &row->u.session);
        break;
    case RAW_HEAD:
        row_head(st, &row->u.head);
        break;
    case RAW_BRANCH:
        row_branch(st, &row->u.branch);
        break;
    case RAW_ENTRY:
        row_entry(st, &row->u.entry);
        break;
    case RAW_RECORD:
        row_record(st, &row->u.record);
        break;
    case RAW_ALIAS:
        row_alias(st, &row->u.alias);
        break;
    case RAW_KEY:
        row_key(st, &row->u.key);
        break;
    case RAW_CHANGELOG:
        row_changelog(st, &row->u.log);
        break;
    case RAW_LIST:
        row_list(st, &row->u.list);
        break;
    case RAW_OPEN:
        row_open(st, &row->u.open);
        break;
    case RAW_DRAFT:
        row_draft(st, &row->u.draft);
        break;
    case RAW_BLOB:
        row_blob(st, &row->u.blob);
        break;
    case RAW_CHUNK:
        row_chunk(st, &row->u.chunk);
        break;
    case RAW_LINK:
        row_link(st, &row->u.link);
        break;
    case RAW_FULLTEXT:
        bough_arena_reset(a);
        row_text(a, st, &row->u.text);
        break;
    case RAW_SPEND:
        row_spend(st, &row->u.spend);
        break;
    case RAW_SEEN:
        row_seen(st, &row->u.seen);
        break;
    case RAW_TABLES:
        break;
    }
}

/* A damaged B-tree may show a page twice, or lead in a circle. Keys that are numbers must grow. */
static bool moves_on(sqlite3_stmt *st, enum raw_table table, int64_t *last)
{
    /* The first of several numbers may repeat. */
    bool pair = table == RAW_DRAFT || table == RAW_LINK || table == RAW_SPEND;
    int64_t key = sqlite3_column_int64(st, 0);

    if (table == RAW_ALIAS || table == RAW_KEY || table == RAW_SEEN)
        return true;
    if (key < *last || (key == *last && !pair))
        return false;
    *last = key;
    return true;
}

enum bough_rc sqlite_raw_scan(struct snapshot *v, enum raw_table table, raw_fn fn, void *user,
                              struct bough_error *err)
{
    struct conn *c = conn_of(v);
    struct raw_row row = { .table = table };
    struct bough_arena *a;
    enum bough_rc rc = BOUGH_OK;
    int64_t last = INT64_MIN;
    sqlite3_stmt *st = NULL;
    int code;

    if ((unsigned)table >= RAW_TABLES)
        return bough_fail(err, BOUGH_INVALID, "there is no table %d", (int)table);
    a = bough_arena_create();
    code = sqlite3_prepare_v2(c->db, texts[table].scan, -1, &st, NULL);
    while (code == SQLITE_OK || code == SQLITE_ROW) {
        code = sqlite3_step(st);
        if (code != SQLITE_ROW)
            break;
        if (!moves_on(st, table, &last)) {
            code = SQLITE_CORRUPT;
            break;
        }
        raw_read(a, st, &row);
        if (!fn(user, &row))
            break;
    }
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        rc = conn_fail(c, code, err);
    else if (snapshot_over(c))
        rc = conn_fail(c, c->code, err);
    sqlite3_finalize(st);
    bough_arena_destroy(a);
    return rc;
}

static void bind_numbers(sqlite3_stmt *st, const int64_t *numbers, int n)
{
    for (int i = 0; i < n; i++)
        sqlite3_bind_int64(st, 1 + i, numbers[i]);
}

static void bind_session(sqlite3_stmt *st, const struct session_row *r)
{
    bind_numbers(st, (int64_t[]){ r->sid, r->ver, r->made, r->chk, r->parent, r->kind, r->purged },
                 7);
    bind_text(st, 8, r->slug);
    bind_bytes(st, 9, r->body);
}

static void bind_head(sqlite3_stmt *st, const struct head_row *r)
{
    bind_numbers(st,
                 (int64_t[]){ r->sid, r->ver, r->bid, r->depth, r->status, r->deleted,
                              r->lease_epoch, r->lease_since, r->lease_expires },
                 9);
    bind_text(st, 10, r->lease_owner);
}

static void bind_key(sqlite3_stmt *st, const struct key_row *r, bool remove)
{
    bind_text(st, 1, r->key);
    if (remove) {
        sqlite3_bind_int64(st, 2, key_session(r->key));
        return;
    }
    bind_bytes(st, 2, (struct bough_str){ r->hash, sizeof r->hash });
    sqlite3_bind_int64(st, 3, r->no);
    sqlite3_bind_int64(st, 4, r->expires);
    sqlite3_bind_int64(st, 5, r->bid);
    sqlite3_bind_int64(st, 6, r->depth);
    sqlite3_bind_int64(st, 7, key_session(r->key));
}

/* A DELETE has fewer parameters. SQLite rejects the extra binds, which is harmless. */
static void raw_bind(sqlite3_stmt *st, const struct raw_row *row, bool remove)
{
    const struct entry_row *e = &row->u.entry;
    const struct record_row *r = &row->u.record;
    const struct branch_row *b = &row->u.branch;
    const struct alias_row *a = &row->u.alias;
    const struct changelog_row *l = &row->u.log;

    switch (row->table) {
    case RAW_SESSION:
        bind_session(st, &row->u.session);
        break;
    case RAW_HEAD:
        bind_head(st, &row->u.head);
        break;
    case RAW_BRANCH:
        bind_numbers(st, (int64_t[]){ b->bid, b->sid, b->parent, b->base, b->cut }, 5);
        break;
    case RAW_ENTRY:
        bind_numbers(st, (int64_t[]){ entry_key(e->bid, e->depth), e->kind, e->mask, e->deleted },
                     4);
        bind_bytes(st, 5, e->body);
        break;
    case RAW_RECORD:
        bind_numbers(st, (int64_t[]){ record_key(r->sid, r->kind, r->ord), r->ver, r->deleted }, 3);
        bind_bytes(st, 4, r->body);
        break;
    case RAW_ALIAS:
        bind_numbers(st, (int64_t[]){ 0, a->scope, a->what, a->a, a->b }, 5);
        bind_text(st, 1, a->id);
        break;
    case RAW_KEY:
        bind_key(st, &row->u.key, remove);
        break;
    case RAW_CHANGELOG:
        bind_numbers(st,
                     (int64_t[]){ l->no, l->n, l->sid, l->kind, l->time, l->bid, l->depth,
                                  l->record, l->aux },
                     9);
        break;
    case RAW_LIST:
        bind_list(st, &row->u.list);
        break;
    case RAW_OPEN:
        bind_open(st, &row->u.open, row->u.open.bid);
        break;
    case RAW_DRAFT:
        bind_draft(st, &row->u.draft);
        break;
    case RAW_BLOB:
        bind_blob(st, &row->u.blob);
        break;
    case RAW_CHUNK:
        bind_chunk(st, &row->u.chunk);
        break;
    case RAW_LINK:
        bind_link(st, &row->u.link);
        break;
    case RAW_FULLTEXT:
        bind_document(st, &row->u.text);
        break;
    case RAW_SPEND:
        bind_spend(st, &row->u.spend);
        break;
    case RAW_SEEN:
        bind_seen(st, &row->u.seen);
        break;
    case RAW_TABLES:
        break;
    }
}

enum bough_rc raw_put(struct conn *c, const struct raw_row *rows, size_t n, struct bough_error *err)
{
    sqlite3_stmt *st = NULL;
    int code = SQLITE_OK;

    if (n)
        code = sqlite3_prepare_v2(c->db, texts[rows->table].put, -1, &st, NULL);
    for (size_t i = 0; i < n && code == SQLITE_OK; i++) {
        raw_bind(st, &rows[i], false);
        code = sqlite3_step(st);
        sqlite3_reset(st);
        code = code == SQLITE_DONE ? SQLITE_OK : code;
    }
    sqlite3_finalize(st);
    return code == SQLITE_OK ? BOUGH_OK : conn_fail(c, code, err);
}

enum bough_rc sqlite_raw_fix(struct backend *b, const struct raw_row *row, bool remove,
                             struct bough_error *err)
{
    struct sqlite *s = sqlite_of(b);
    struct deadline p = { mono_us() + 10000000, NULL };
    sqlite3_stmt *st = NULL;
    enum bough_rc rc;
    int code;

    if ((unsigned)row->table >= RAW_TABLES)
        return bough_fail(err, BOUGH_INVALID, "there is no table %d", (int)row->table);
    rc = writer_enter(s, &p, err);
    if (rc)
        return rc;
    rc = writer_begin(s, false, err);
    if (rc)
        goto out;
    code = sqlite3_prepare_v2(s->writer->db, remove ? texts[row->table].del : texts[row->table].put,
                              -1, &st, NULL);
    if (code == SQLITE_OK) {
        raw_bind(st, row, remove);
        code = sqlite3_step(st);
    }
    sqlite3_finalize(st);
    if (code != SQLITE_DONE) {
        rc = conn_fail(s->writer, code, err);
        writer_undo(s);
    } else {
        rc = writer_end(s, err);
        s->cache.valid = false;
    }
out:
    writer_leave(s);
    return rc;
}

enum bough_rc sqlite_engine_check(struct snapshot *v, bool full,
                                  void (*found)(void *user, const char *text), void *user,
                                  struct bough_error *err)
{
    struct conn *c = conn_of(v);
    enum bough_rc rc = BOUGH_OK;
    sqlite3_stmt *st = NULL;
    int code;

    /* FTS5's check trusts index data that its connection cached from an older snapshot. A query
     * makes FTS5 reload it. An error here shows up again in the check. */
    sqlite3_exec(c->db, "SELECT rowid FROM text_index WHERE text_index MATCH 'd' LIMIT 1", NULL,
                 NULL, NULL);
    code = sqlite3_prepare_v2(
        c->db, full ? "PRAGMA integrity_check(100)" : "PRAGMA quick_check(100)", -1, &st, NULL);

    if (code == SQLITE_OK)
        code = sqlite3_step(st);
    while (code == SQLITE_ROW) {
        const char *text = (const char *)sqlite3_column_text(st, 0);

        if (text && sqlite3_stricmp(text, "ok") != 0)
            found(user, text);
        code = sqlite3_step(st);
    }
    if ((code & 0xff) == SQLITE_CORRUPT || (code & 0xff) == SQLITE_NOTADB)
        /* Corruption is a finding, not a failure of the check. */
        found(user, sqlite3_errmsg(c->db));
    else if (code != SQLITE_DONE)
        rc = conn_fail(c, code, err);
    sqlite3_finalize(st);
    return rc;
}
