/* Salvage: rows that are whole, whatever the file around them looks like. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/base64.h"
#include "base/crc32c.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/str.h"
#include "core/attach.h"
#include "core/pack.h"
#include "store/rows.h"
#include "store/salvage.h"
#include "store/sqlite/pages.h"

/* ---- which table a row is of ---- */

/* "n": NULL (the key), "i": a number, "t": text, "b": bytes. */
static bool shaped(const struct pages_row *row, const char *shape)
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

static bool sum_holds(struct bough_str body)
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
           h.depth == (row->rowid & LIMIT_DEPTH);
}

static bool entry_place(int64_t k)
{
    return k >> 32 > 0 && k >> 32 <= LIMIT_BRANCH && (k & LIMIT_DEPTH) > 0;
}

static bool is_blob(const struct pages_row *row)
{
    return shaped(row, "niiib") && row->at[4].bytes.n == 32 && row->at[1].number > BLOB_WRITING &&
           row->at[1].number <= BLOB_LINKED;
}

static bool is_branch(const struct pages_row *row)
{
    return shaped(row, "niiii") && row->rowid > 0 && row->rowid <= LIMIT_BRANCH &&
           row->at[1].number > 0 && row->at[3].number >= 0 && row->at[3].number <= LIMIT_DEPTH;
}

/* Its checksum does not hold, but nothing else has this shape. */
static bool was_entry(const struct pages_row *row)
{
    return row->at[4].bytes.n > PACK_PREFIX && row->at[1].number >= 0 &&
           row->at[1].number <= BOUGH_ENTRY_OTHER;
}

/* What it is; *whole: its checksum holds, or it has none and says nothing absurd. */
static enum salvage_table classify(const struct pages_row *row, bool *whole)
{
    const struct pages_value *at = row->at;
    bool entry = shaped(row, "niiib") && entry_place(row->rowid);

    *whole = true;
    if (entry && entry_holds(row))
        return SALVAGE_ENTRY;
    if (is_blob(row))
        return SALVAGE_BLOB;
    if (is_branch(row))
        return SALVAGE_BRANCH;
    if (shaped(row, "nib") && row->rowid > 0 && at[2].bytes.n <= LIMIT_CHUNK) {
        *whole = (int64_t)crc32c(0, at[2].bytes.p, at[2].bytes.n) == at[1].number;
        return SALVAGE_CHUNK;
    }
    if (shaped(row, "niib") && (row->rowid >> 28 & 15)) {
        *whole = sum_holds(at[3].bytes);
        return SALVAGE_RECORD;
    }
    if (shaped(row, "niiiiiitb") && row->rowid > 0 && row->rowid <= LIMIT_SESSION) {
        *whole = at[6].number || sum_holds(at[8].bytes);
        return SALVAGE_SESSION;
    }
    *whole = false;
    return entry && was_entry(row) ? SALVAGE_ENTRY : SALVAGE_NONE;
}

/* ---- finding ---- */

static bool note_row(void *user, const struct pages_row *row)
{
    struct salvage *s = user;
    bool whole;
    enum salvage_table table = classify(row, &whole);
    struct salvage_hit *h;
    uint64_t n;

    if (table == SALVAGE_NONE)
        return true;
    if (s->n == s->cap) {
        s->cap = s->cap ? 2 * s->cap : 1024;
        s->at = mem_realloc(s->at, mem_array(s->cap, sizeof *s->at));
    }
    h = &s->at[s->n];
    *h = (struct salvage_hit){ row->rowid, row->place, (uint32_t)s->n, (uint8_t)table, whole };
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

/* By table and key; whole ones first, then in the order they were found: newest first. */
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

/* The same row in several versions of its page: the first counts. */
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

static void say_lost(struct salvage *s, const char *fmt, ...) BOUGH_PRINTF(2, 3);
static void say_lost(struct salvage *s, const char *fmt, ...)
{
    char text[256];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (s->lost && !s->lost(s->user, text))
        s->stop = true;
}

/* ---- attachments ---- */

/* All bytes of a blob in the arena; false when a piece is missing. */
static bool blob_bytes(struct salvage *s, const unsigned char hash[32], struct bough_str *out)
{
    uint64_t bno, size, hit;
    struct pages_row row;
    size_t n = 0;
    char *to;

    if (!smap_get(&s->blobs, str_make((const char *)hash, 32), &bno) ||
        !map_get(&s->sizes, bno, &size) || size > (uint64_t)LIMIT_MESSAGE_BYTES)
        return false;
    to = arena_alloc(s->a, (size_t)size + 1);
    for (uint64_t i = 0; n < size; i++) {
        struct bough_str piece;

        if (!map_get(&s->chunks, bno << 24 | i, &hit) ||
            !pages_again(s->pages, s->at[hit].place, &row) || !shaped(&row, "nib"))
            return false;
        piece = row.at[2].bytes;
        if (!piece.n || piece.n > size - n)
            return false;
        memcpy(to + n, piece.p, piece.n);
        n += piece.n;
    }
    *out = str_make(to, n);
    return true;
}

/* The part with its base64 back in place, as far as that is there. */
static struct bough_str whole_part(struct salvage *s, const struct bough_entry *e,
                                   const struct pack_extra *x, size_t part, int64_t *gone)
{
    struct bough_str json = e->parts[part].json, bytes;
    size_t from = 0;
    struct buf out;

    buf_init(&out, SALVAGE_LINE);
    for (size_t i = 0; i < x->nmoved; i++) {
        const struct pack_moved *m = &x->moved[i];
        unsigned char hash[32];
        char *room;

        if (m->part != part)
            continue;
        if (!attach_parse(str_make(json.p + m->at, ATTACH_NAME_LEN), hash) ||
            !blob_bytes(s, hash, &bytes)) {
            ++*gone;
            continue;
        }
        buf_put(&out, json.p + from, m->at - from);
        room = buf_reserve(&out, base64_length(bytes.n) + 1);
        if (room) {
            base64_encode(bytes.p, bytes.n, room);
            out.n += base64_length(bytes.n);
            buf_end(&out);
        }
        from = m->at + ATTACH_NAME_LEN;
    }
    if (from) {
        buf_put(&out, json.p + from, json.n - from);
        if (!out.over)
            json = str_make(arena_dup(s->a, out.p, out.n), out.n);
    }
    buf_finish(&out);
    return json;
}

/* ---- saving ---- */

/* Entries between others of their branch that are not there. */
static void note_gap(struct salvage *s, const struct salvage_hit *h)
{
    int64_t bid = h->key >> 32, depth = h->key & LIMIT_DEPTH;

    if (s->last_bid == bid && depth > s->last_depth + 1) {
        s->report->missing += depth - s->last_depth - 1;
        say_lost(s, "#%" PRId64 ".%" PRId64 " to #%" PRId64 ".%" PRId64 " are missing", bid,
                 s->last_depth + 1, bid, depth - 1);
    }
    s->last_bid = bid;
    s->last_depth = depth;
}

static void save_entry(struct salvage *s, const struct salvage_hit *h, const struct pages_row *row)
{
    struct bough_str body =
        str_make(arena_dup(s->a, row->at[4].bytes.p, row->at[4].bytes.n), row->at[4].bytes.n);
    int64_t over = row->at[3].number, gone = 0;
    struct bough_part *parts;
    struct bough_entry e;
    struct pack_extra x;

    if (pack_entry_read(s->a, body, &e, &x, NULL)) {
        s->report->broken++;
        say_lost(s, "#%" PRId64 ".%" PRId64 " is damaged", h->key >> 32, h->key & LIMIT_DEPTH);
        return;
    }
    parts = arena_dup(s->a, e.parts, (e.nparts ? e.nparts : 1) * sizeof *parts);
    for (size_t i = 0; i < e.nparts; i++)
        parts[i].json = x.nmoved ? whole_part(s, &e, &x, i, &gone) : e.parts[i].json;
    e.parts = parts;
    e.at = (struct bough_head){ h->key >> 32, h->key & LIMIT_DEPTH };
    e.deleted = over;
    s->report->entries++;
    salvage_entry_line(s, &e, &x);
    if (gone)
        say_lost(s, "#%" PRId64 ".%" PRId64 " has lost %" PRId64 " images", h->key >> 32,
                 h->key & LIMIT_DEPTH, gone);
}

static const char *const names[] = {
    [SALVAGE_SESSION] = "session", [SALVAGE_BRANCH] = "branch",   [SALVAGE_ENTRY] = "entry",
    [SALVAGE_RECORD] = "record",   [SALVAGE_BLOB] = "attachment", [SALVAGE_CHUNK] = "piece"
};

static void save_row(struct salvage *s, const struct salvage_hit *h, const struct pages_row *row)
{
    switch ((enum salvage_table)h->table) {
    case SALVAGE_SESSION:
        s->report->sessions += !row->at[6].number;
        salvage_session_line(s, row);
        break;
    case SALVAGE_BRANCH:
        s->report->branches++;
        salvage_branch_line(s, row);
        break;
    case SALVAGE_ENTRY:
        save_entry(s, h, row);
        break;
    case SALVAGE_RECORD:
        s->report->records++;
        salvage_record_line(s, row);
        break;
    case SALVAGE_BLOB:
        s->report->attachments++;
        salvage_blob_line(s, row);
        break;
    case SALVAGE_CHUNK:
        salvage_chunk_line(s, row);
        break;
    case SALVAGE_NONE:
        break;
    }
}

static void save_all(struct salvage *s)
{
    struct pages_row row;

    for (size_t i = 0; i < s->n && !s->stop; i++) {
        const struct salvage_hit *h = &s->at[i];

        bough_arena_reset(s->a);
        if (h->table == SALVAGE_ENTRY)
            note_gap(s, h);
        if (h->whole && pages_again(s->pages, h->place, &row)) {
            save_row(s, h, &row);
            continue;
        }
        s->report->broken++;
        if (h->table == SALVAGE_ENTRY)
            say_lost(s, "#%" PRId64 ".%" PRId64 " is damaged", h->key >> 32, h->key & LIMIT_DEPTH);
        else
            say_lost(s, "%s %" PRId64 " is damaged", names[h->table], h->key);
    }
}

enum bough_rc bough_salvage(const char *path, bool (*line)(void *user, struct bough_str json),
                            bool (*lost)(void *user, const char *what), void *user,
                            struct bough_salvage_report *report, struct bough_error *err)
{
    struct bough_salvage_report nobody = { 0 };
    struct salvage s = { .line = line, .lost = lost, .user = user };
    enum bough_rc rc;

    s.report = report ? report : &nobody;
    *s.report = (struct bough_salvage_report){ 0 };
    if (cstr_empty(path))
        return bough_fail(err, BOUGH_INVALID, "no file was named");
    rc = pages_open(strncmp(path, "sqlite:", 7) == 0 ? path + 7 : path, &s.pages, err);
    if (rc)
        return rc;
    s.a = bough_arena_create();
    smap_init(&s.blobs);
    map_init(&s.sizes);
    map_init(&s.chunks);
    rc = pages_scan(s.pages, note_row, &s, err);
    sort_hits(&s);
    if (!rc)
        save_all(&s);
    s.report->pages = pages_count(s.pages);
    s.report->broken += pages_unreadable(s.pages);
    if (!rc && s.stop)
        rc = bough_fail(err, BOUGH_TIMEOUT, "salvaging %s was stopped", path);
    mem_free(s.at);
    smap_finish(&s.blobs);
    map_finish(&s.sizes);
    map_finish(&s.chunks);
    bough_arena_destroy(s.a);
    pages_close(s.pages);
    return rc;
}
