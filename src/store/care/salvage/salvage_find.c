/* Salvage: find the rows in the pages of a damaged SQLite file, and recognize their tables. */
#include <stdlib.h>
#include <string.h>

#include "base/hash/crc32c.h"
#include "base/hash/hash.h"
#include "base/limits.h"
#include "base/memory/mem.h"
#include "base/text/str.h"
#include "store/care/salvage/salvage.h"
#include "store/contract/rows.h"

/* ---- recognizing rows ---- */

bool salvage_shaped(const struct pages_row *row, const char *shape)
{
    static const char letters[] = { [PAGES_NULL] = 'n',
                                    [PAGES_INT] = 'i',
                                    [PAGES_REAL] = 'r',
                                    [PAGES_TEXT] = 't',
                                    [PAGES_BLOB] = 'b' };

    for (int i = 0; i < row->n; i++)
        if (!shape[i] || letters[row->at[i].type] != shape[i])
            return false;
    return !shape[row->n];
}

bool salvage_sum_holds(struct bough_str body)
{
    uint32_t sum = 0;

    if (body.n < 4)
        return false;
    for (int i = 3; i >= 0; i--)
        sum = sum << 8 | (unsigned char)body.p[i];
    return sum == crc32c(0, body.p + 4, body.n - 4);
}

static bool entry_holds(const struct pages_row *row)
{
    struct pack_head h;

    return pack_entry_sound(row->at[4].bytes) && pack_entry_head(row->at[4].bytes, &h) &&
           h.depth > 0 && h.depth <= LIMIT_DEPTH;
}

static bool entry_slot(int64_t k)
{
    return k >> 32 > 0 && k >> 32 <= LIMIT_BRANCH && (k & LIMIT_DEPTH) > 0;
}

static bool is_blob(const struct pages_row *row)
{
    return salvage_shaped(row, "niiib") && row->at[4].bytes.n == 32 &&
           row->at[1].number > BLOB_WRITING && row->at[1].number <= BLOB_LAST;
}

static bool is_branch(const struct pages_row *row)
{
    return salvage_shaped(row, "niiii") && row->rowid > 0 && row->rowid <= LIMIT_BRANCH &&
           row->at[1].number > 0 && row->at[3].number >= 0 && row->at[3].number <= LIMIT_DEPTH;
}

/* Its checksum fails, but only entries have this shape. */
static bool was_entry(const struct pages_row *row)
{
    return row->at[4].bytes.n > PACK_PREFIX && row->at[1].number >= 0 &&
           row->at[1].number <= BOUGH_ENTRY_LAST;
}

/* Columns 0 to 8 of a head row are numbers without a checksum. */
static bool is_head(const struct pages_row *row)
{
    return salvage_shaped(row, "niiiiiiiit") && row->rowid > 0 && row->rowid <= LIMIT_SESSION &&
           row->at[1].number > 0 && row->at[2].number >= 0 && row->at[2].number <= LIMIT_BRANCH &&
           row->at[3].number >= 0 && row->at[3].number <= LIMIT_DEPTH && row->at[4].number >= 0 &&
           row->at[4].number <= BOUGH_STATUS_LAST && row->at[5].number >= 0;
}

static bool is_log(const struct pages_row *row)
{
    const struct pages_value *at = row->at;

    return salvage_shaped(row, "niiiiiiii") && row->rowid > 0 && at[1].number > 0 &&
           at[1].number <= row->rowid && at[2].number >= 0 && at[2].number <= LIMIT_SESSION &&
           at[3].number >= CHANGELOG_SESSION_NEW && at[3].number <= CHANGELOG_LAST &&
           at[4].number >= 0 && at[5].number >= 0 && at[6].number >= 0;
}

/* A row that was written before schema 7 ends after its ninth column. */
static bool is_open(const struct pages_row *row)
{
    return (salvage_shaped(row, "niiiiiittit") || salvage_shaped(row, "niiiiiitt")) &&
           entry_slot(row->rowid);
}

/* Tables without a rowid, and indexes. */
static enum salvage_table classify_index(const struct pages_row *row)
{
    if (salvage_shaped(row, "tiiii"))
        return SALVAGE_ALIAS;
    if (salvage_shaped(row, "itbiiii") && row->at[2].bytes.n == 32)
        return SALVAGE_KEY;
    if (salvage_shaped(row, "iiib") && entry_slot(row->at[0].number))
        return SALVAGE_DRAFT;
    if (salvage_shaped(row, "tt"))
        return SALVAGE_META;
    return salvage_shaped(row, "ti") ? SALVAGE_COUNTER : SALVAGE_NONE;
}

/* SQLite also reads a row whose column types are damaged: bytes as text, NULL as 0, and it ignores
 * further columns. Accepted only with a checksum that holds. */
static bool resembles(const struct pages_row *row, const char *shape)
{
    int i = 0;

    for (; i < row->n && shape[i]; i++) {
        enum pages_type type = row->at[i].type;
        bool bytes = type == PAGES_TEXT || type == PAGES_BLOB;

        if (shape[i] == 'b' || shape[i] == 't' ? !bytes : bytes || type == PAGES_REAL)
            return false;
    }
    return !shape[i];
}

static enum salvage_table classify_damaged(const struct pages_row *row)
{
    if (resembles(row, "niiiiiitb") && row->rowid > 0 && row->rowid <= LIMIT_SESSION &&
        salvage_sum_holds(row->at[8].bytes))
        return SALVAGE_SESSION;
    if (resembles(row, "niiib") && entry_slot(row->rowid) && entry_holds(row))
        return SALVAGE_ENTRY;
    if (resembles(row, "niib") && (row->rowid >> 28 & 15) && salvage_sum_holds(row->at[3].bytes))
        return SALVAGE_RECORD;
    if (resembles(row, "nib") && row->rowid > 0 && row->at[2].bytes.n <= LIMIT_CHUNK &&
        (int64_t)crc32c(0, row->at[2].bytes.p, row->at[2].bytes.n) == row->at[1].number)
        return SALVAGE_CHUNK;
    return SALVAGE_NONE;
}

/* Tables whose rows have a checksum. */
static enum salvage_table classify_summed(const struct pages_row *row, bool *whole)
{
    const struct pages_value *at = row->at;

    if (salvage_shaped(row, "nib") && row->rowid > 0 && at[2].bytes.n <= LIMIT_CHUNK) {
        *whole = (int64_t)crc32c(0, at[2].bytes.p, at[2].bytes.n) == at[1].number;
        return SALVAGE_CHUNK;
    }
    if (salvage_shaped(row, "niib") && (row->rowid >> 28 & 15)) {
        *whole = salvage_sum_holds(at[3].bytes);
        return SALVAGE_RECORD;
    }
    if (salvage_shaped(row, "niiiiiitb") && row->rowid > 0 && row->rowid <= LIMIT_SESSION) {
        *whole = at[6].number || salvage_sum_holds(at[8].bytes);
        return SALVAGE_SESSION;
    }
    return SALVAGE_NONE;
}

/* Tables without one: their values must be plausible. */
static enum salvage_table classify_plain(const struct pages_row *row)
{
    if (is_blob(row))
        return SALVAGE_BLOB;
    if (is_branch(row))
        return SALVAGE_BRANCH;
    if (is_head(row))
        return SALVAGE_HEAD;
    if (is_log(row))
        return SALVAGE_LOG;
    return is_open(row) ? SALVAGE_OPEN : SALVAGE_NONE;
}

/* The table of a row. *whole: its checksum holds, or it has no checksum and its values are
 * plausible. */
static enum salvage_table classify(const struct pages_row *row, bool *whole)
{
    bool entry = salvage_shaped(row, "niiib") && entry_slot(row->rowid);
    enum salvage_table table;

    *whole = true;
    if (row->index)
        return classify_index(row);
    if (entry && entry_holds(row))
        return SALVAGE_ENTRY;
    table = classify_plain(row);
    if (!table)
        table = classify_summed(row, whole);
    if (!table)
        table = classify_damaged(row);
    if (table)
        return table;
    *whole = false;
    return entry && was_entry(row) ? SALVAGE_ENTRY : SALVAGE_NONE;
}

/* ---- finding ---- */

/* The key of an entry whose body is intact ends with the depth in its body: the key itself has no
 * checksum. A table without a rowid has a text or two numbers as its key. */
static int64_t key_of(const struct pages_row *row, enum salvage_table table, bool whole)
{
    struct pack_head h;
    uint64_t key = 0;

    if (table == SALVAGE_ENTRY && whole && pack_entry_head(row->at[4].bytes, &h))
        return row->rowid >> 32 << 32 | h.depth;
    if (!row->index)
        return row->rowid;
    for (int i = 0; i < 2 && i < row->n; i++)
        key = hash_u64(key + (row->at[i].type == PAGES_INT
                                  ? hash_u64((uint64_t)row->at[i].number)
                                  : hash_bytes(row->at[i].bytes.p, row->at[i].bytes.n)));
    return (int64_t)key;
}

static bool note_row(void *user, const struct pages_row *row)
{
    struct salvage *s = user;
    bool whole;
    enum salvage_table table = classify(row, &whole);
    struct salvage_hit *h;
    uint64_t n;

    if (table == SALVAGE_NONE)
        return true;
    s->at = mem_room(s->at, s->n, sizeof *s->at);
    h = &s->at[s->n];
    *h = (struct salvage_hit){ key_of(row, table, whole), row->place, (uint32_t)s->n,
                               (uint8_t)table, whole };
    s->n++;
    if (table == SALVAGE_BLOB && whole) {
        struct bough_str hash = row->at[4].bytes;

        if (!smap_get(&s->blobs, hash, &n))
            smap_put(&s->blobs, hash, (uint64_t)row->rowid);
        if (!map_get(&s->sizes, (uint64_t)row->rowid, &n))
            map_put(&s->sizes, (uint64_t)row->rowid, (uint64_t)row->at[2].number);
    }
    return true;
}

/* By table and key; intact rows first, then newest first (the order of the scan). */
static int by_key(const void *a, const void *b)
{
    const struct salvage_hit *x = a, *y = b;

    if (x->table != y->table)
        return x->table < y->table ? -1 : 1;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    if (x->whole != y->whole)
        return x->whole ? -1 : 1;
    return (x->seq > y->seq) - (x->seq < y->seq);
}

/* Keep one version of each row: the first in sort order. */
static void sort_hits(struct salvage *s)
{
    size_t n = 0;

    if (s->n)
        qsort(s->at, s->n, sizeof *s->at, by_key);
    for (size_t i = 0; i < s->n; i++)
        if (!n || s->at[n - 1].table != s->at[i].table || s->at[n - 1].key != s->at[i].key)
            s->at[n++] = s->at[i];
    s->n = n;
    for (size_t i = 0; i < n; i++)
        if (s->at[i].table == SALVAGE_CHUNK && s->at[i].whole)
            map_put(&s->chunks, (uint64_t)s->at[i].key, i);
}

enum bough_rc salvage_begin(struct salvage *s, const char *path, struct bough_error *err)
{
    enum bough_rc rc;

    if (cstr_empty(path))
        return bough_fail(err, BOUGH_INVALID, "no file was named");
    rc = pages_open(strncmp(path, "sqlite:", 7) == 0 ? path + 7 : path, &s->pages, err);
    if (rc)
        return rc;
    s->a = bough_arena_create();
    smap_init(&s->blobs);
    map_init(&s->sizes);
    map_init(&s->chunks);
    pages_scan(s->pages, note_row, s);
    sort_hits(s);
    return BOUGH_OK;
}

void salvage_end(struct salvage *s)
{
    mem_free(s->at);
    smap_finish(&s->blobs);
    map_finish(&s->sizes);
    map_finish(&s->chunks);
    bough_arena_destroy(s->a);
    pages_close(s->pages);
}
