/* Rescue: load the rows found in a damaged file into a new one, with stand-ins for lost rows that
 * others need. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/memory/mem.h"
#include "base/text/str.h"
#include "core/pack/attach.h"
#include "core/pack/pack.h"
#include "store/care/salvage/rescue.h"
#include "store/contract/row_copy.h"

#define GAP_MOST (INT64_C(1) << 32) /* a changelog row behind a larger gap is damaged */

/* ---- writing rows ---- */

void rescue_flush(struct rescue *r)
{
    if (!r->rc && r->n)
        r->rc = r->to->ops->raw_load(r->to, r->rows, r->n, &r->numbers, r->err);
    r->n = r->bytes = 0;
    bough_arena_reset(r->a);
}

void rescue_load(struct rescue *r, const struct raw_row *row, size_t bytes)
{
    r->rows[r->n++] = *row;
    r->bytes += bytes;
    if (r->n == RESCUE_ROWS || r->bytes >= RESCUE_BYTES)
        rescue_flush(r);
}

static void top(int64_t *max, int64_t v)
{
    *max = v > *max ? v : *max;
}

/* ---- what the file holds ---- */

void rescue_each(struct rescue *r, enum salvage_table table,
                 void (*fn)(struct rescue *r, const struct salvage_hit *h,
                            const struct pages_row *row))
{
    struct pages_row row;

    for (size_t i = 0; i < r->s.n && !r->rc; i++) {
        const struct salvage_hit *h = &r->s.at[i];

        if (h->table != table)
            continue;
        if (pages_again(r->s.pages, h->place, &row))
            fn(r, h, &row);
        else
            r->s.report->broken++;
    }
}

/* Hits are sorted by table and key. */
static bool was_found(const struct rescue *r, enum salvage_table table, int64_t key)
{
    size_t from = 0, to = r->s.n;

    while (from < to) {
        size_t middle = (from + to) / 2;
        const struct salvage_hit *h = &r->s.at[middle];

        if (h->table < table || (h->table == table && h->key < key))
            from = middle + 1;
        else
            to = middle;
    }
    return from < r->s.n && r->s.at[from].table == table && r->s.at[from].key == key;
}

/* A row of a transaction that was perhaps never committed counts only if the file also has what it
 * is about: otherwise a stand-in would take the place of an entry that nobody saw. */
static bool is_torn(const struct rescue *r, const struct changelog_row *l)
{
    if (l->sid && !was_found(r, SALVAGE_SESSION, l->sid))
        return true;
    return changelog_adds(l) && !was_found(r, SALVAGE_ENTRY, l->bid << 32 | l->depth);
}

static void see_log(struct rescue *r, const struct salvage_hit *h, const struct pages_row *row)
{
    int64_t last = r->nlog ? r->log[r->nlog - 1].no : 0;
    struct raw_row raw;
    const struct changelog_row *l = &raw.u.log;

    (void)h;
    rescue_row(SALVAGE_LOG, row, &raw);
    if (l->no - l->n < last || l->no - last > GAP_MOST || (row->stray && is_torn(r, l)))
        return;
    r->log = mem_room(r->log, r->nlog, sizeof *r->log);
    r->log[r->nlog++] = *l;
    if (l->sid && !map_get(&r->log_sids, (uint64_t)l->sid, NULL))
        map_put(&r->log_sids, (uint64_t)l->sid, (uint64_t)l->time);
    if (l->kind == CHANGELOG_PURGE)
        map_put(&r->purged, (uint64_t)l->sid, 1);
    if (changelog_adds(l))
        map_put(&r->log_bids, (uint64_t)l->bid, (uint64_t)l->sid);
    top(&r->numbers.no, l->no);
}

static void see_meta(struct rescue *r, const struct salvage_hit *h, const struct pages_row *row)
{
    const char *key = arena_strndup(r->keep, row->at[0].bytes.p, row->at[0].bytes.n);

    (void)h;
    if (strcmp(key, "store") == 0 && row->at[1].bytes.n)
        r->numbers.store_id = arena_strndup(r->keep, row->at[1].bytes.p, row->at[1].bytes.n);
    if (strcmp(key, "epoch") == 0)
        r->numbers.epoch =
            strtoll(arena_strndup(r->keep, row->at[1].bytes.p, row->at[1].bytes.n), NULL, 10);
}

static void see_counter(struct rescue *r, const struct salvage_hit *h, const struct pages_row *row)
{
    int64_t value = row->at[1].number;

    (void)h;
    if (value < 0 || value > LIMIT_SESSION)
        return;
    if (str_is(row->at[0].bytes, "session"))
        top(&r->numbers.sessions, value);
    if (str_is(row->at[0].bytes, "branch"))
        top(&r->numbers.branches, value);
    if (str_is(row->at[0].bytes, "blob"))
        top(&r->numbers.blobs, value);
}

static void see_all(struct rescue *r)
{
    r->numbers.store_id = r->numbers.moving = "";
    rescue_each(r, SALVAGE_META, see_meta);
    rescue_each(r, SALVAGE_COUNTER, see_counter);
    rescue_each(r, SALVAGE_LOG, see_log);
    for (size_t i = 0; i < r->s.n; i++) {
        const struct salvage_hit *h = &r->s.at[i];

        if (h->table == SALVAGE_SESSION)
            top(&r->numbers.sessions, h->key);
        if (h->table == SALVAGE_BRANCH)
            top(&r->numbers.branches, h->key);
        if (h->table == SALVAGE_ENTRY)
            top(&r->numbers.branches, h->key >> 32);
        if (h->table == SALVAGE_BLOB)
            top(&r->numbers.blobs, h->key);
    }
    if (cstr_empty(r->numbers.store_id))
        r->numbers.store_id =
            arena_printf(r->keep, "%016" PRIx64 "%016" PRIx64, env_u64(r->env), env_u64(r->env));
    /* Without the old epoch: seconds since 1970, which no number of restores reaches. */
    r->numbers.epoch = (r->numbers.epoch > 0 ? r->numbers.epoch : env_now(r->env) / 1000) + 1;
}

/* ---- entries and the changelog ---- */

/* The changelog row that covers a number; NULL: it is lost. */
static const struct changelog_row *log_of(const struct rescue *r, int64_t no)
{
    size_t from = 0, to = r->nfound;

    while (from < to) {
        size_t middle = (from + to) / 2;

        if (r->log[middle].no < no)
            from = middle + 1;
        else
            to = middle;
    }
    return from < r->nfound && r->log[from].no - r->log[from].n < no ? &r->log[from] : NULL;
}

/* Note a changelog row for an entry whose own row is lost. */
static void log_entry(struct rescue *r, const struct entry_row *e, const struct pack_head *h)
{
    const struct changelog_row *l = log_of(r, h->no);
    uint64_t sid = 0;

    /* The number is not covered by the entry's checksum: a number that is taken is wrong. */
    if (l || h->no < 1 || h->no > r->numbers.no + GAP_MOST ||
        !map_get(&r->bids, (uint64_t)e->bid, &sid))
        return;
    r->log = mem_room(r->log, r->nlog, sizeof *r->log);
    r->log[r->nlog++] = (struct changelog_row){ .no = h->no,
                                                .n = 1,
                                                .sid = (int64_t)sid,
                                                .kind = CHANGELOG_APPEND,
                                                .time = h->time > 0 ? h->time : 0,
                                                .bid = e->bid,
                                                .depth = e->depth };
}

static void link_to(struct rescue *r, const struct entry_row *e, struct bough_str json, size_t at)
{
    unsigned char hash[32];
    uint64_t bno;

    if (at + ATTACH_NAME_LEN > json.n ||
        !attach_parse(str_make(json.p + at, ATTACH_NAME_LEN), hash) ||
        !smap_get(&r->s.blobs, str_make((const char *)hash, 32), &bno))
        return;
    r->links = mem_room(r->links, r->nlinks, sizeof *r->links);
    r->links[r->nlinks++] = (struct link_row){ e->bid, e->depth, (int64_t)bno };
}

/* Links are derived from the attachments that entries show. */
static void link_entry(struct rescue *r, const struct entry_row *row)
{
    struct bough_arena *a = r->s.a;
    unsigned char hash[32];
    struct bough_entry e;
    struct pack_extra x;
    size_t at;

    if (!(row->mask &
          ((int64_t)MASK_PART << BOUGH_PART_FILE | (int64_t)MASK_PART << BOUGH_PART_TOOL)) ||
        pack_entry_read(a, row->body, &e, &x, NULL))
        return;
    for (size_t i = 0; i < e.nparts; i++)
        if (attach_named(&e.parts[i], hash, &at))
            link_to(r, row, e.parts[i].json, at);
    for (size_t i = 0; i < x.nmoved; i++)
        link_to(r, row, e.parts[x.moved[i].part].json, x.moved[i].at);
}

static bool is_entry(const struct rescue *r, size_t i, int64_t key)
{
    return i < r->s.n && r->s.at[i].table == SALVAGE_ENTRY && r->s.at[i].key == key;
}

/* Hits are sorted by key. */
static bool has_neighbour(const struct rescue *r, const struct salvage_hit *h)
{
    size_t i = (size_t)(h - r->s.at);

    return (i && is_entry(r, i - 1, h->key - 1)) || is_entry(r, i + 1, h->key + 1);
}

static void put_entry(struct rescue *r, const struct salvage_hit *h, const struct pages_row *row)
{
    struct pack_head head;
    struct raw_row raw;

    if (!h->whole && !has_neighbour(r, h)) {
        r->s.report->broken++;
        return; /* its key is damaged too: it could be anywhere */
    }
    rescue_row(SALVAGE_ENTRY, row, &raw);
    raw.u.entry.depth = h->key & LIMIT_DEPTH;
    raw.u.entry.body = arena_str(r->a, raw.u.entry.body);
    bough_arena_reset(r->s.a);
    if (h->whole && pack_entry_head(raw.u.entry.body, &head))
        log_entry(r, &raw.u.entry, &head);
    if (h->whole)
        link_entry(r, &raw.u.entry);
    r->s.report->entries += h->whole;
    r->s.report->broken += !h->whole;
    rescue_load(r, &raw, raw.u.entry.body.n);
}

static int by_no(const void *a, const void *b)
{
    const struct changelog_row *x = a, *y = b;

    return (x->no > y->no) - (x->no < y->no);
}

/* Write the changelog without gaps: a lost row that appended nothing that is left becomes a row
 * that says only that something was changed. */
static void put_log(struct rescue *r)
{
    int64_t last = 0;

    if (r->nlog)
        qsort(r->log, r->nlog, sizeof *r->log, by_no);
    for (size_t i = 0; i < r->nlog && !r->rc; i++) {
        const struct changelog_row *l = &r->log[i];
        struct raw_row raw = { .table = RAW_CHANGELOG };

        if (l->no - l->n < last)
            continue; /* two entries claim one number */
        raw.u.log = (struct changelog_row){ .no = l->no - l->n,
                                            .n = l->no - l->n - last,
                                            .kind = CHANGELOG_RECORD,
                                            .time = l->time,
                                            .record_kind = RECORD_AUDIT };
        if (raw.u.log.n)
            rescue_load(r, &raw, 0);
        raw.u.log = *l;
        rescue_load(r, &raw, 0);
        last = l->no;
    }
    rescue_flush(r);
    /* The lists are complete up to the end of the log, and empty: so repair rebuilds them. Folding
     * the log again instead would need rows that were purged since. */
    r->numbers.lists = last;
    if (!r->rc)
        r->rc = r->to->ops->raw_load(r->to, NULL, 0, &r->numbers, r->err);
}

/* ---- the other tables ---- */

static void put_text(struct rescue *r, const char **to, const struct pages_value *v)
{
    *to = arena_strndup(r->a, v->bytes.p, v->bytes.n);
}

static void put_row(struct rescue *r, const struct salvage_hit *h, const struct pages_row *row)
{
    const struct changelog_row *l;
    struct raw_row raw = { .table = RAW_TABLES };
    uint64_t bno;
    size_t n = 0;

    rescue_row(h->table, row, &raw);
    switch (raw.table) {
    case RAW_HEAD:
        put_text(r, &raw.u.head.lease_owner, &row->at[9]);
        break;
    case RAW_OPEN:
        put_text(r, &raw.u.open.owner, &row->at[7]);
        put_text(r, &raw.u.open.process, &row->at[8]);
        break;
    case RAW_ALIAS:
        put_text(r, &raw.u.alias.id, &row->at[0]);
        break;
    case RAW_KEY:
        put_text(r, &raw.u.key.key, &row->at[1]);
        l = log_of(r, raw.u.key.no);
        if (!l || l->no != raw.u.key.no)
            return;
        if (key_session(raw.u.key.key) && l->sid != key_session(raw.u.key.key))
            return; /* keys of new sessions belong to no session */
        break;
    case RAW_DRAFT:
        raw.u.draft.body = arena_str(r->a, raw.u.draft.body);
        n = raw.u.draft.body.n;
        break;
    case RAW_RECORD:
        raw.u.record.body = arena_str(r->a, raw.u.record.body);
        n = raw.u.record.body.n;
        r->s.report->records++;
        break;
    case RAW_BLOB:
        if (smap_get(&r->s.blobs, row->at[4].bytes, &bno) && bno != (uint64_t)h->key)
            return; /* a second one with the same hash */
        r->s.report->attachments++;
        break;
    case RAW_CHUNK:
        if (!map_get(&r->s.sizes, (uint64_t)raw.u.chunk.bno, NULL))
            return; /* an upload that was not finished */
        raw.u.chunk.body = arena_str(r->a, raw.u.chunk.body);
        n = raw.u.chunk.body.n;
        break;
    case RAW_SESSION:
    case RAW_BRANCH:
    case RAW_ENTRY:
    case RAW_CHANGELOG:
    case RAW_LIST:
    case RAW_LINK:
    case RAW_FULLTEXT:
    case RAW_SPEND:
    case RAW_SEEN:
    case RAW_TABLES:
        return;
    }
    rescue_load(r, &raw, n);
}

static void put_all(struct rescue *r)
{
    static const enum salvage_table plain[] = { SALVAGE_HEAD, SALVAGE_RECORD, SALVAGE_ALIAS,
                                                SALVAGE_KEY,  SALVAGE_OPEN,   SALVAGE_DRAFT,
                                                SALVAGE_BLOB, SALVAGE_CHUNK };

    rescue_tree(r);
    rescue_each(r, SALVAGE_ENTRY, put_entry);
    rescue_flush(r);
    for (size_t i = 0; i < sizeof plain / sizeof *plain && !r->rc; i++) {
        rescue_each(r, plain[i], put_row);
        rescue_flush(r);
    }
    for (size_t i = 0; i < r->nlinks && !r->rc; i++)
        rescue_load(r, &(struct raw_row){ .table = RAW_LINK, .u.link = r->links[i] }, 0);
    rescue_flush(r);
    put_log(r);
}

static enum bough_rc run(struct rescue *r, const char *to, struct bough_error *err)
{
    struct backend_config config = { .path = to,
                                     .env = r->env,
                                     .deadline = { mono_us() + LIMIT_DEADLINE_MS * 1000, NULL } };
    enum bough_rc rc = sqlite_backend.open(&r->to, &config, err);

    if (rc)
        return rc;
    see_all(r);
    r->nfound = r->nlog;
    put_all(r);
    r->to->ops->close(r->to);
    return r->rc;
}

enum bough_rc rescue_build(const char *from, const char *to, const struct env *env,
                           struct bough_salvage_result *report, struct bough_error *err)
{
    struct bough_arena *keep = bough_arena_create();
    struct rescue *r = arena_zalloc(keep, sizeof *r);
    struct map *const maps[] = { &r->sids, &r->bids, &r->log_sids, &r->log_bids, &r->purged };
    enum bough_rc rc;

    *report = (struct bough_salvage_result){ 0 };
    r->keep = keep;
    r->a = bough_arena_create();
    r->env = env;
    r->err = err;
    r->s.report = report;
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        map_init(maps[i]);
    smap_init(&r->slugs);
    rc = salvage_begin(&r->s, from, err);
    if (!rc) {
        rc = run(r, to, err);
        report->pages = pages_count(r->s.pages);
        report->broken += pages_unreadable(r->s.pages);
        salvage_end(&r->s);
    }
    mem_free(r->log);
    mem_free(r->links);
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        map_finish(maps[i]);
    smap_finish(&r->slugs);
    bough_arena_destroy(r->a);
    bough_arena_destroy(keep);
    return rc;
}
