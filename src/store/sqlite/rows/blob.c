/* Attachments of the SQLite backend: pieces are rows, and a complete blob is found by its hash. */
#include "store/sqlite/rows/apply.h"

#include <string.h>

#include "base/limits.h"
#include "base/memory/map.h"
#include "store/sqlite/rows/read.h"

enum { PIECE_BITS = 24 }; /* of a chunk's key: stored */
_Static_assert(LIMIT_ATTACHMENT_BYTES / LIMIT_CHUNK <= 1 << PIECE_BITS,
               "every piece of an attachment has a number");

static int64_t chunk_key(int64_t bno, int64_t index)
{
    return (int64_t)((uint64_t)bno << PIECE_BITS | (uint64_t)index);
}

static struct bough_str hash_str(const unsigned char hash[32])
{
    return (struct bough_str){ (const char *)hash, 32 };
}

void row_blob(sqlite3_stmt *st, struct blob_row *out)
{
    const void *hash = sqlite3_column_blob(st, 4);
    int n = sqlite3_column_bytes(st, 4);

    out->bno = sqlite3_column_int64(st, 0);
    out->state = sqlite3_column_int64(st, 1);
    out->size = sqlite3_column_int64(st, 2);
    out->since = sqlite3_column_int64(st, 3);
    memset(out->hash, 0, sizeof out->hash);
    if (hash && n == (int)sizeof out->hash)
        memcpy(out->hash, hash, sizeof out->hash);
}

void row_chunk(sqlite3_stmt *st, struct chunk_row *out)
{
    int64_t k = sqlite3_column_int64(st, 0);
    const char *p = sqlite3_column_blob(st, 2);

    out->bno = k >> PIECE_BITS;
    out->index = k & ((1 << PIECE_BITS) - 1);
    out->sum = sqlite3_column_int64(st, 1);
    out->body = (struct bough_str){ p ? p : "", (size_t)sqlite3_column_bytes(st, 2) };
}

void row_link(sqlite3_stmt *st, struct link_row *out)
{
    int64_t k = sqlite3_column_int64(st, 0);

    *out = (struct link_row){ k >> 32, k & LIMIT_DEPTH, sqlite3_column_int64(st, 1) };
}

void bind_blob(sqlite3_stmt *st, const struct blob_row *row)
{
    sqlite3_bind_int64(st, 1, row->bno);
    sqlite3_bind_int64(st, 2, row->state);
    sqlite3_bind_int64(st, 3, row->size);
    sqlite3_bind_int64(st, 4, row->since);
    bind_bytes(st, 5, (struct bough_str){ (const char *)row->hash, row->state ? 32 : 0 });
}

void bind_chunk(sqlite3_stmt *st, const struct chunk_row *row)
{
    sqlite3_bind_int64(st, 1, chunk_key(row->bno, row->index));
    sqlite3_bind_int64(st, 2, row->sum);
    bind_bytes(st, 3, row->body);
}

void bind_link(sqlite3_stmt *st, const struct link_row *row)
{
    sqlite3_bind_int64(st, 1, entry_key(row->bid, row->depth));
    sqlite3_bind_int64(st, 2, row->bno);
}

/* Run a prepared statement that returns no row. `changed` may be NULL. */
static enum bough_rc run(struct conn *c, enum sql id, sqlite3_stmt *st, int *changed,
                         struct bough_error *err)
{
    int code = sqlite3_step(st);

    if (changed)
        *changed = sqlite3_changes(c->db);
    conn_done(c, id, st);
    return code == SQLITE_DONE ? BOUGH_OK : conn_fail(c, code, err);
}

/* Like run(), with n numbers bound first. */
static enum bough_rc run_numbers(struct conn *c, enum sql id, const int64_t *numbers, int n,
                                 int *changed, struct bough_error *err)
{
    sqlite3_stmt *st = NULL;
    enum bough_rc rc = conn_stmt(c, id, &st, err);

    if (rc)
        return rc;
    for (int i = 0; i < n; i++)
        sqlite3_bind_int64(st, 1 + i, numbers[i]);
    return run(c, id, st, changed, err);
}

/* Run `work` in a transaction of its own. */
static enum bough_rc in_txn(struct sqlite *s, bool relaxed, const struct deadline *p,
                            enum bough_rc (*work)(struct sqlite *s, void *user,
                                                  struct bough_error *err),
                            void *user, struct bough_error *err)
{
    enum bough_rc rc = writer_enter(s, p, err);

    if (rc)
        return rc;
    rc = writer_begin(s, relaxed, err);
    if (!rc) {
        rc = work(s, user, err);
        if (rc)
            writer_undo(s);
        else
            rc = writer_end(s, err);
    }
    if (!rc)
        checkpoint_if_large(s);
    writer_leave(s);
    return rc;
}

/* ---- writing ---- */

struct put {
    int64_t *bno;
    const struct chunk_row *chunk;
};

static enum bough_rc begin_blob(struct conn *c, int64_t *bno, int64_t now, struct bough_error *err)
{
    struct blob_row row = { .since = now };
    sqlite3_stmt *st;
    enum bough_rc rc = conn_run(c, SQL_BLOB_COUNT, err);

    if (!rc)
        rc = conn_int(c, SQL_BLOB_NUMBER, 0, &row.bno, err);
    if (!rc)
        rc = conn_stmt(c, SQL_BLOB_ADD, &st, err);
    if (rc)
        return rc;
    bind_blob(st, &row);
    *bno = row.bno;
    return run(c, SQL_BLOB_ADD, st, NULL, err);
}

static enum bough_rc put_piece(struct sqlite *s, void *user, struct bough_error *err)
{
    struct put *put = user;
    struct chunk_row row = *put->chunk;
    struct conn *c = s->writer;
    int64_t now = env_now(s->env), bno = *put->bno;
    enum bough_rc rc = BOUGH_OK;
    sqlite3_stmt *st;
    int changed = 1;

    if (!bno)
        rc = begin_blob(c, &bno, now, err);
    else
        rc = run_numbers(c, SQL_BLOB_TOUCH, (int64_t[]){ bno, now }, 2, &changed, err);
    if (!rc && !changed)
        return bough_fail(err, BOUGH_GONE, "the attachment was not finished within a day");
    if (!rc)
        rc = conn_stmt(c, SQL_CHUNK_ADD, &st, err);
    if (rc)
        return rc;
    row.bno = bno;
    bind_chunk(st, &row);
    rc = run(c, SQL_CHUNK_ADD, st, NULL, err);
    if (!rc)
        *put->bno = bno;
    return rc;
}

enum bough_rc sqlite_blob_put(struct backend *b, int64_t *bno, const struct chunk_row *chunk,
                              const struct deadline *p, struct bough_error *err)
{
    struct put put = { bno, chunk };
    int64_t before = *bno;
    enum bough_rc rc = in_txn(sqlite_of(b), true, p, put_piece, &put, err);

    if (rc)
        *bno = before;
    return rc;
}

static enum bough_rc find_hash(struct conn *c, const unsigned char hash[32], struct blob_row *out,
                               struct bough_error *err)
{
    sqlite3_stmt *st;
    enum bough_rc rc = conn_stmt(c, SQL_BLOB_FIND, &st, err);
    int code;

    if (rc)
        return rc;
    bind_bytes(st, 1, hash_str(hash));
    code = sqlite3_step(st);
    if (code == SQLITE_ROW)
        row_blob(st, out);
    else if (code == SQLITE_DONE)
        rc = bough_fail(err, BOUGH_NOT_FOUND, "there is no such attachment");
    else
        rc = conn_fail(c, code, err);
    conn_done(c, SQL_BLOB_FIND, st);
    return rc;
}

static enum bough_rc seal(struct sqlite *s, void *user, struct bough_error *err)
{
    struct blob_row *row = user, twin = { 0 };
    struct conn *c = s->writer;
    int64_t bytes = 0, now = row->since;
    sqlite3_stmt *st;
    int changed;
    enum bough_rc rc = find_hash(c, row->hash, &twin, err);

    if (!rc) {
        rc = run_numbers(c, SQL_BLOB_SEEN, (int64_t[]){ twin.bno, now }, 2, NULL, err);
        if (!rc)
            rc = run_numbers(c, SQL_BLOB_GIVE_UP, &row->bno, 1, NULL, err);
        if (twin.since < now)
            twin.since = now;
        *row = twin;
        return rc;
    }
    if (rc != BOUGH_NOT_FOUND)
        return rc;
    rc = apply_seek(c, SQL_CHUNK_BYTES, chunk_key(row->bno, 0), chunk_key(row->bno + 1, 0) - 1, 0,
                    &bytes, err);
    if (!rc && bytes != row->size)
        return bough_fail(err, BOUGH_CORRUPT, "%lld bytes of the attachment are there, not %lld",
                          (long long)bytes, (long long)row->size);
    if (!rc)
        rc = conn_stmt(c, SQL_BLOB_SEAL, &st, err);
    if (rc)
        return rc;
    row->state = BLOB_LOOSE;
    bind_blob(st, row);
    rc = run(c, SQL_BLOB_SEAL, st, &changed, err);
    if (!rc && !changed)
        return bough_fail(err, BOUGH_GONE, "the attachment was not finished within a day");
    return rc;
}

enum bough_rc sqlite_blob_seal(struct backend *b, struct blob_row *row, bool relaxed,
                               const struct deadline *p, struct bough_error *err)
{
    return in_txn(sqlite_of(b), relaxed, p, seal, row, err);
}

/* Link a blob to an entry. The txn is lost when no complete blob has the hash. */
enum bough_rc apply_link(struct apply *ap, const struct change *c, struct bough_error *err)
{
    struct link_row row = { branch_of(&ap->made, c->u.link.bid), c->u.link.depth, 0 };
    struct blob_row blob = { 0 };
    sqlite3_stmt *st;
    enum bough_rc rc = find_hash(ap->c, c->u.link.hash, &blob, err);

    if (rc == BOUGH_NOT_FOUND) {
        ap->t->lost = "blob";
        return BOUGH_OK;
    }
    if (!rc && blob.state != BLOB_LINKED)
        rc = run_numbers(ap->c, SQL_BLOB_LINKED, &blob.bno, 1, NULL, err);
    if (!rc)
        rc = conn_stmt(ap->c, SQL_LINK_ADD, &st, err);
    if (rc)
        return rc;
    row.bno = blob.bno;
    bind_link(st, &row);
    return run(ap->c, SQL_LINK_ADD, st, NULL, err);
}

/* ---- removing ---- */

enum bough_rc purge_links(struct conn *c, int64_t from, int64_t to, int64_t *room,
                          struct bough_error *err)
{
    const int64_t range[] = { from, to, *room };
    int changed = 0;
    enum bough_rc rc = BOUGH_OK;

    if (*room <= 0)
        return BOUGH_OK;
    rc = run_numbers(c, SQL_PURGE_LOOSEN, range, 3, NULL, err);
    if (!rc)
        rc = run_numbers(c, SQL_PURGE_LINKS, range, 3, &changed, err);
    *room -= changed;
    return rc;
}

struct sweep {
    int64_t only, room, before;
    bool found; /* at least one blob was (partly) removed */
    struct map
        seen; /* blobs that were linked or removed: an index that shows one again is damaged */
};

/* The sweep found the blob through an index. Without its row the sweep would find it for ever. */
static enum bough_rc not_there(struct conn *c, int64_t bno, struct bough_error *err)
{
    return bough_fail(err, BOUGH_CORRUPT, "%s is damaged: attachment %lld is only in an index",
                      c->store->path, (long long)bno);
}

/* Remove an unlinked blob. It is hidden first, so that a partly removed blob cannot be found. */
static enum bough_rc remove_blob(struct conn *c, int64_t bno, struct sweep *w,
                                 struct bough_error *err)
{
    int changed = 0;
    enum bough_rc rc = run_numbers(c, SQL_BLOB_GIVE_UP, &bno, 1, NULL, err);

    if (!rc)
        rc = run_numbers(c, SQL_PURGE_CHUNKS,
                         (int64_t[]){ chunk_key(bno, 0), chunk_key(bno + 1, 0) - 1, w->room }, 3,
                         &changed, err);
    w->room -= changed;
    w->found = true;
    if (rc || w->room <= 0)
        return rc;
    w->room--;
    rc = run_numbers(c, SQL_BLOB_DEL, &bno, 1, &changed, err);
    return rc || changed ? rc : not_there(c, bno, err);
}

static enum bough_rc sweep_some(struct sqlite *s, void *user, struct bough_error *err)
{
    struct sweep *w = user;
    struct conn *c = s->writer;
    enum bough_rc rc = BOUGH_OK;
    int64_t bno = 0, links;
    int changed = 0;

    while (!rc && w->room > 0) {
        rc = w->only ? apply_seek(c, SQL_BLOB_WRITING, w->only, -1, 0, &bno, err)
                     : apply_seek(c, SQL_BLOB_OLD, w->before, -1, 0, &bno, err);
        if (rc || !bno)
            break;
        if (map_get(&w->seen, (uint64_t)bno, NULL))
            return not_there(c, bno, err);
        map_put(&w->seen, (uint64_t)bno, 1);
        rc = apply_seek(c, SQL_LINK_ANY, bno, -1, 0, &links, err);
        if (!rc && links) {
            rc = run_numbers(c, SQL_BLOB_LINKED, &bno, 1, &changed, err);
            if (!rc && !changed)
                rc = not_there(c, bno, err);
            w->room--;
        } else if (!rc) {
            rc = remove_blob(c, bno, w, err);
        }
    }
    return rc;
}

/* Usually nothing is loose. Check this without starting a transaction or reading the clock. */
static enum bough_rc loose_since(struct sqlite *s, const struct deadline *p, int64_t *since,
                                 struct bough_error *err)
{
    enum bough_rc rc = writer_enter(s, p, err);

    if (rc)
        return rc;
    rc = conn_int(s->writer, SQL_BLOB_OLDEST, -1, since, err);
    writer_leave(s);
    return rc;
}

enum bough_rc sqlite_blob_sweep(struct backend *b, int64_t only, int64_t limit, bool *left,
                                const struct deadline *p, struct bough_error *err)
{
    struct sqlite *s = sqlite_of(b);
    struct sweep w = { .only = only, .room = limit > 0 ? limit : 1 };
    int64_t since = 0;
    enum bough_rc rc = BOUGH_OK;

    *left = false;
    if (!only) {
        rc = loose_since(s, p, &since, err);
        if (rc || since < 0)
            return rc;
        w.before = env_now(s->env) - LIMIT_LOOSE_MS;
        if (since > w.before)
            return BOUGH_OK;
    }
    map_init(&w.seen);
    rc = in_txn(s, false, p, sweep_some, &w, err);
    map_finish(&w.seen);
    *left = !rc && w.room <= 0;
    if (!rc && w.found)
        s->scrub = true;
    return rc;
}

/* ---- reading ---- */

enum bough_rc sqlite_blob_find(struct snapshot *v, const unsigned char hash[32],
                               struct blob_row *out, struct bough_error *err)
{
    return find_hash(conn_of(v), hash, out, err);
}

enum bough_rc sqlite_chunk_get(struct snapshot *v, struct bough_arena *a, int64_t bno,
                               int64_t index, struct chunk_row *out, struct bough_error *err)
{
    struct conn *c = conn_of(v);
    sqlite3_stmt *st;
    enum bough_rc rc = conn_stmt(c, SQL_CHUNK_GET, &st, err);
    int code;

    if (rc)
        return rc;
    sqlite3_bind_int64(st, 1, chunk_key(bno, index));
    code = sqlite3_step(st);
    if (code == SQLITE_ROW) {
        row_chunk(st, out);
        out->body = keep_bytes(a, out->body);
    } else if (code == SQLITE_DONE) {
        rc = bough_fail(err, BOUGH_NOT_FOUND, "piece %lld of attachment %lld is not there",
                        (long long)index, (long long)bno);
    } else {
        rc = conn_fail(c, code, err);
    }
    conn_done(c, SQL_CHUNK_GET, st);
    return rc;
}

enum bough_rc sqlite_link_scan(struct snapshot *v, int64_t bno, link_fn fn, void *user,
                               struct bough_error *err)
{
    struct conn *c = conn_of(v);
    struct link_row row;
    sqlite3_stmt *st;
    enum bough_rc rc = conn_stmt(c, SQL_LINK_OF, &st, err);
    int code = SQLITE_DONE;

    if (rc)
        return rc;
    sqlite3_bind_int64(st, 1, bno);
    while ((code = sqlite3_step(st)) == SQLITE_ROW) {
        row_link(st, &row);
        if (!fn(user, &row))
            break;
    }
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        rc = conn_fail(c, code, err);
    else if (snapshot_over(c))
        rc = conn_fail(c, c->code, err);
    conn_done(c, SQL_LINK_OF, st);
    return rc;
}
