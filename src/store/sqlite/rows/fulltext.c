/* Full text of the SQLite backend: documents in a table, their words in FTS5. Words arrive folded
 * and split by the tokenizer. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/memory/buf.h"
#include "base/text/str.h"
#include "core/pack/pack.h"
#include "core/search/search.h"
#include "store/sqlite/conn/db.h"

/* Removing words from a large index is slow: a slice ends after this time. */
enum { PURGE_US = 20000 };

#define TOP INT64_C(1099511627776) /* TEXT_TOP as a number */

void bind_document(sqlite3_stmt *st, const struct fulltext_row *row)
{
    struct bough_str words = str_make(NULL, 0);

    if (row->words && !row->bid)
        words = row->words->field[SEARCH_TITLE];
    sqlite3_bind_int64(st, 1, fulltext_order(row));
    sqlite3_bind_int64(st, 2, row->bid ? entry_key(row->bid, row->depth) : -row->depth);
    sqlite3_bind_int64(st, 3, row->time);
    sqlite3_bind_text(st, 4, words.p, (int)words.n, SQLITE_STATIC);
}

void row_text(struct bough_arena *a, sqlite3_stmt *st, struct fulltext_row *out)
{
    int64_t k = sqlite3_column_int64(st, 1);
    const char *words = (const char *)sqlite3_column_text(st, 3);
    struct search_words *w;

    *out = (struct fulltext_row){ .no = sqlite3_column_int64(st, 0) >> 1,
                                  .bid = k > 0 ? (int64_t)((uint64_t)k >> 32) : 0,
                                  .depth = k > 0 ? k & LIMIT_DEPTH : -k,
                                  .time = sqlite3_column_int64(st, 2) };
    if (!a || !words || !*words)
        return;
    w = arena_zalloc(a, sizeof *w);
    for (int f = 0; f < SEARCH_FIELDS; f++)
        w->field[f] = str_make(NULL, 0);
    w->field[SEARCH_TITLE] = str_make(arena_strdup(a, words), (size_t)sqlite3_column_bytes(st, 3));
    out->words = w;
}

/* ---- writing ---- */

static enum bough_rc run(struct conn *c, sqlite3_stmt *st, struct bough_error *err)
{
    int code = sqlite3_step(st);

    sqlite3_reset(st);
    return code == SQLITE_DONE ? BOUGH_OK : conn_fail(c, code, err);
}

/* Tags of a document, used to filter by role, kind, branch or session. */
static const char *tags_of(struct bough_arena *a, const struct fulltext_row *row)
{
    if (!row->bid)
        return arena_printf(a, "d t%" PRId64, row->depth);
    return arena_printf(a, "d r%" PRId64 " k%" PRId64 " b%" PRId64, row->role, row->kind, row->bid);
}

/* Add a document to the index or remove it. FTS5 needs the same words for both. */
static enum bough_rc index_change(struct conn *c, struct bough_arena *a, enum sql id,
                                  const struct fulltext_row *row, struct bough_error *err)
{
    sqlite3_stmt *st;
    enum bough_rc rc;

    conn_split_words(c);
    rc = conn_stmt(c, id, &st, err);
    if (rc)
        return rc;
    sqlite3_bind_int64(st, 1, TOP - fulltext_order(row));
    bind_text(st, 2, tags_of(a, row));
    for (int f = 0; f < SEARCH_FIELDS; f++)
        sqlite3_bind_text(st, 3 + f, row->words->field[f].p, (int)row->words->field[f].n,
                          SQLITE_STATIC);
    rc = run(c, st, err);
    sqlite3_clear_bindings(st);
    return rc;
}

static enum bough_rc remove_doc(struct conn *c, int64_t id, struct bough_error *err)
{
    sqlite3_stmt *st;
    enum bough_rc rc = conn_stmt(c, SQL_TEXT_DEL, &st, err);

    if (rc)
        return rc;
    sqlite3_bind_int64(st, 1, id);
    return run(c, st, err);
}

/* Remove the document of a session's title, if there is one. */
static enum bough_rc remove_title(struct conn *c, struct bough_arena *a, int64_t sid,
                                  struct bough_error *err)
{
    struct fulltext_row old = { 0 };
    sqlite3_stmt *st;
    enum bough_rc rc = conn_stmt(c, SQL_TEXT_TITLE, &st, err);
    int code;

    if (rc)
        return rc;
    sqlite3_bind_int64(st, 1, -sid);
    code = sqlite3_step(st);
    if (code == SQLITE_ROW)
        row_text(a, st, &old);
    conn_done(c, SQL_TEXT_TITLE, st);
    if (code != SQLITE_ROW)
        return code == SQLITE_DONE ? BOUGH_OK : conn_fail(c, code, err);
    if (old.words)
        rc = index_change(c, a, SQL_TEXT_UNINDEX, &old, err);
    return rc ? rc : remove_doc(c, fulltext_order(&old), err);
}

enum bough_rc text_put(struct conn *c, struct bough_arena *a, const struct fulltext_row *row,
                       struct bough_error *err)
{
    sqlite3_stmt *st;
    enum bough_rc rc = row->bid ? BOUGH_OK : remove_title(c, a, row->depth, err);

    if (rc || !row->words)
        return rc;
    rc = conn_stmt(c, row->bid ? SQL_TEXT_ADD : SQL_TEXT_ADD_TITLE, &st, err);
    if (rc)
        return rc;
    bind_document(st, row);
    rc = run(c, st, err);
    if (rc || sqlite3_changes(c->db) == 0)
        return rc;
    return index_change(c, a, SQL_TEXT_INDEX, row, err);
}

enum bough_rc text_clear(struct conn *c, struct bough_error *err)
{
    return conn_exec(c,
                     "INSERT INTO text_index (text_index) VALUES ('delete-all');"
                     "DELETE FROM text_doc; UPDATE projection SET no = 0 WHERE name = 'text'",
                     err);
}

/* ---- purging ---- */

/* Compute the words of an entry again, as they were when it was indexed. False: the entry is
 * unreadable. */
static bool words_again(struct bough_arena *a, const struct entry_row *entry,
                        struct fulltext_row *row)
{
    struct search_words *w = arena_alloc(a, sizeof *w);
    struct bough_entry e;

    if (!search_packed_words(a, entry->body, &e, w))
        return false;
    row->role = e.role;
    row->kind = e.kind;
    row->words = w;
    return true;
}

/* Remove one document with a key in [from, to]. *id is 0 when there is none left. */
static enum bough_rc purge_one(struct conn *c, struct bough_arena *a, int64_t from, int64_t to,
                               int64_t *id, struct bough_error *err)
{
    struct fulltext_row row = { 0 };
    struct entry_row entry;
    sqlite3_stmt *st;
    bool known = false;
    enum bough_rc rc = conn_stmt(c, SQL_PURGE_TEXT, &st, err);
    int code;

    *id = 0;
    if (rc)
        return rc;
    sqlite3_bind_int64(st, 1, from);
    sqlite3_bind_int64(st, 2, to);
    code = sqlite3_step(st);
    if (code == SQLITE_ROW) {
        *id = sqlite3_column_int64(st, 0);
        row.no = *id >> 1;
        entry.body = keep_bytes(a, (struct bough_str){ sqlite3_column_blob(st, 5),
                                                       (size_t)sqlite3_column_bytes(st, 5) });
        row.bid = (int64_t)((uint64_t)sqlite3_column_int64(st, 1) >> 32);
        known = entry.body.n && words_again(a, &entry, &row);
    }
    conn_done(c, SQL_PURGE_TEXT, st);
    if (code != SQLITE_ROW)
        return code == SQLITE_DONE ? BOUGH_OK : conn_fail(c, code, err);
    if (known)
        rc = index_change(c, a, SQL_TEXT_UNINDEX, &row, err);
    if (!rc)
        rc = remove_doc(c, *id, err);
    if (!rc && sqlite3_changes(c->db) == 0) /* the caller would find it for ever */
        rc = bough_fail(err, BOUGH_CORRUPT, "%s is damaged: document %lld is only in an index",
                        c->store->path, (long long)*id);
    return rc;
}

static enum bough_rc purge_branch(struct conn *c, struct bough_arena *a, const struct branch_row *b,
                                  int64_t until, int64_t *room, struct bough_error *err)
{
    enum bough_rc rc = BOUGH_OK;
    int64_t id = 1;

    while (!rc && id && *room > 0) {
        struct arena_mark mark = arena_mark(a);

        rc = purge_one(c, a, entry_key(b->bid, b->cut) + 1, entry_key(b->bid, LIMIT_DEPTH), &id,
                       err);
        arena_rewind(a, mark);
        if (id)
            *room = mono_us() < until ? *room - 1 : 0;
    }
    return rc;
}

enum bough_rc text_purge(struct conn *c, struct bough_arena *a, int64_t sid, int64_t *room,
                         struct bough_error *err)
{
    sqlite3_stmt *st;
    int64_t until = mono_us() + PURGE_US;
    enum bough_rc rc = remove_title(c, a, sid, err);
    int code = SQLITE_ROW;

    if (!rc)
        rc = conn_stmt(c, SQL_BRANCH_OF, &st, err);
    if (rc)
        return rc;
    sqlite3_bind_int64(st, 1, sid);
    while (!rc && *room > 0 && (code = sqlite3_step(st)) == SQLITE_ROW) {
        struct branch_row b;

        row_branch(st, &b);
        if (b.cut >= 0)
            rc = purge_branch(c, a, &b, until, room, err);
    }
    if (!rc && code != SQLITE_ROW && code != SQLITE_DONE)
        rc = conn_fail(c, code, err);
    conn_done(c, SQL_BRANCH_OF, st);
    return rc;
}

/* ---- finding ---- */

#define ALL_FIELDS "{text reasoning tool input output file title}"

/* Words contain only letters and digits, so they cannot contain FTS5 syntax. */
static void put_term(struct buf *b, const struct search_term *t)
{
    if (t->fields == SEARCH_ANY) {
        buf_puts(b, ALL_FIELDS);
    } else {
        buf_puts(b, "{");
        for (int f = 0; f < SEARCH_FIELDS; f++)
            if (t->fields & 1u << f)
                buf_printf(b, " %s", search_field_name((enum search_field)f));
        buf_puts(b, "}");
    }
    buf_puts(b, ":\"");
    buf_put_str(b, t->words);
    buf_puts(b, t->prefix ? "\"*" : "\"");
}

/* Match any of the tags. */
static void put_tags(struct buf *b, char letter, unsigned bits)
{
    const char *between = "";

    buf_puts(b, " AND tag:(");
    for (int i = 0; i < 32; i++)
        if (bits >> i & 1) {
            buf_printf(b, "%s\"%c%d\"", between, letter, i);
            between = " OR ";
        }
    buf_puts(b, ")");
}

static void put_within(struct buf *b, const struct fulltext_query *q)
{
    const char *between = "";

    buf_puts(b, " AND tag:(");
    for (size_t i = 0; i < q->nbids; i++, between = " OR ")
        buf_printf(b, "%s\"b%" PRId64 "\"", between, q->bids[i]);
    for (size_t i = 0; i < q->nsids; i++, between = " OR ")
        buf_printf(b, "%s\"t%" PRId64 "\"", between, q->sids[i]);
    buf_puts(b, ")");
}

static void put_nots(struct buf *b, const struct search_query *q)
{
    for (size_t i = 0; i < q->n; i++)
        if (q->terms[i].negated) {
            buf_puts(b, " NOT ");
            put_term(b, &q->terms[i]);
        }
    for (int i = 0; i < 32; i++) {
        if (q->not_roles >> i & 1)
            buf_printf(b, " NOT tag:\"r%d\"", i);
        if (q->not_kinds >> i & 1)
            buf_printf(b, " NOT tag:\"k%d\"", i);
    }
}

static void put_query(struct buf *b, const struct fulltext_query *tq)
{
    const struct search_query *q = tq->q;
    const char *between = "";

    buf_puts(b, "(");
    for (size_t i = 0; i < q->n; i++)
        if (!q->terms[i].negated) {
            buf_puts(b, between);
            put_term(b, &q->terms[i]);
            between = " AND ";
        }
    if (!*between)
        buf_puts(b, "tag:\"d\"");
    if (q->roles)
        put_tags(b, 'r', q->roles);
    if (q->kinds)
        put_tags(b, 'k', q->kinds);
    if (tq->within)
        put_within(b, tq);
    buf_puts(b, ")");
    put_nots(b, q);
}

enum bough_rc sqlite_text_mark(struct snapshot *v, int64_t *no, struct bough_error *err)
{
    return conn_int(conn_of(v), SQL_TEXT_MARK, 0, no, err);
}

enum bough_rc sqlite_text_find(struct snapshot *v, const struct fulltext_query *q, fulltext_fn fn,
                               void *user, struct bough_error *err)
{
    struct conn *c = conn_of(v);
    struct buf b;
    sqlite3_stmt *st;
    int code = SQLITE_ROW;
    enum bough_rc rc;

    if (q->within && !q->nbids && !q->nsids)
        return BOUGH_OK;
    rc = conn_stmt(c, SQL_TEXT_FIND, &st, err);
    if (rc)
        return rc;
    buf_init(&b, 4 * 1024 * 1024);
    put_query(&b, q);
    sqlite3_bind_text(st, 1, b.p, (int)b.n, SQLITE_STATIC);
    sqlite3_bind_int64(st, 2, q->before < INT64_MAX ? TOP - q->before : INT64_MIN);
    sqlite3_bind_int64(st, 3, q->q->since ? q->q->since : INT64_MIN);
    sqlite3_bind_int64(st, 4, q->q->before ? q->q->before : INT64_MAX);
    while ((code = snapshot_over(c) ? c->code : sqlite3_step(st)) == SQLITE_ROW) {
        struct fulltext_row row;

        row_text(NULL, st, &row);
        if (!fn(user, &row))
            break;
    }
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        rc = conn_fail(c, code, err);
    else if (snapshot_over(c))
        rc = conn_fail(c, c->code, err);
    /* The bound query is freed here: every user of the statement binds its own. */
    conn_done(c, SQL_TEXT_FIND, st);
    buf_finish(&b);
    return rc;
}
