/* Salvage: write the intact rows of a damaged SQLite file as lines of JSON. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/base64.h"
#include "base/text/str.h"
#include "core/pack/attach.h"
#include "core/pack/pack.h"
#include "store/care/salvage/salvage.h"
#include "store/contract/rows.h"
#include "store/sqlite/pages.h"

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

/* Read all bytes of a blob into the arena; false when a chunk is missing. */
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
            !pages_again(s->pages, s->at[hit].place, &row) || !salvage_shaped(&row, "nib"))
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

/* Put the base64 back into a part. *gone counts the attachments that are missing. */
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
            json = arena_str(s->a, buf_str(&out));
    }
    buf_finish(&out);
    return json;
}

/* ---- saving ---- */

/* Count and report missing entries between two entries of one branch. */
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
    struct bough_str body = arena_str(s->a, row->at[4].bytes);
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

/* Rows of other tables are derived, or only a new store can use them; see rescue.c. */
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
    case SALVAGE_HEAD:
    case SALVAGE_OPEN:
    case SALVAGE_LOG:
    case SALVAGE_ALIAS:
    case SALVAGE_KEY:
    case SALVAGE_DRAFT:
    case SALVAGE_META:
    case SALVAGE_COUNTER:
        break;
    }
}

static void save_all(struct salvage *s)
{
    struct pages_row row;

    for (size_t i = 0; i < s->n && s->at[i].table <= SALVAGE_CHUNK && !s->stop; i++) {
        const struct salvage_hit *h = &s->at[i];

        bough_arena_reset(s->a);
        if (!i && !s->line(s->user, str_of(SALVAGE_FIRST_LINE)))
            s->stop = true;
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
                            struct bough_salvage_result *report, struct bough_error *err)
{
    struct bough_salvage_result unused = { 0 };
    struct salvage s = { .line = line, .lost = lost, .user = user };
    enum bough_rc rc;

    s.report = report ? report : &unused;
    *s.report = (struct bough_salvage_result){ 0 };
    rc = salvage_begin(&s, path, err);
    if (rc)
        return rc;
    save_all(&s);
    s.report->pages = pages_count(s.pages);
    s.report->broken += pages_unreadable(s.pages);
    if (s.stop)
        rc = bough_fail(err, BOUGH_CANCELLED, "salvaging %s was stopped", path);
    salvage_end(&s);
    return rc;
}
