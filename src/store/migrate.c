/* Migration: copy all rows of one store to an empty one, in key order, then compare the two. */
#include <bough/migrate.h>
#include <bough/session.h>
#include <bough/tree.h>

#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/reserved.h"
#include "base/text/str.h"
#include "core/model/totals.h"
#include "core/pack/pack.h"
#include "store/contract/backend.h"
#include "store/contract/row_copy.h"

enum {
    ROWS_MOST = 2000, /* rows and bytes per transaction */
    BYTES_MOST = 4 * 1024 * 1024,
};

/* The full-text index is not copied. The changelog comes last: a store without it is recognizably
 * incomplete. */
static const enum raw_table order[] = { RAW_SESSION, RAW_HEAD,  RAW_BRANCH, RAW_ENTRY,
                                        RAW_RECORD,  RAW_ALIAS, RAW_KEY,    RAW_LIST,
                                        RAW_SPEND,   RAW_SEEN,  RAW_OPEN,   RAW_DRAFT,
                                        RAW_BLOB,    RAW_CHUNK, RAW_LINK,   RAW_CHANGELOG };
enum { TABLES = sizeof order / sizeof *order };

struct side {
    const struct backend_ops *ops;
    struct backend *b;
};

struct moving {
    struct side from, to;
    const struct bough_migrate_options *how;
    struct bough_migrate_result *out;
    struct raw_numbers numbers; /* counters of the source */
    struct bough_arena *keep;   /* lives until the end */
    struct bough_arena *a;      /* rows of the current batch */
    struct raw_row rows[ROWS_MOST];
    size_t n, bytes;
    size_t table;       /* index into order[] */
    int64_t done, skip; /* rows of this table seen; rows that an earlier run has copied */
    bool complete;      /* an earlier run has copied everything */
    int64_t told;       /* rows reported to progress() */
    enum bough_rc rc;
    struct bough_error *err;
};

/* ---- both sides ---- */

static enum bough_rc open_side(struct side *s, const char *url, bool source,
                               struct bough_error *err)
{
    struct backend_config config = { .read_only = source,
                                     .must_exist = source,
                                     .env = &env_system,
                                     .deadline = { mono_us() + LIMIT_DEADLINE_MS * 1000, NULL } };

    s->ops = backend_choose(url, &config.path);
    if (!s->ops)
        return bough_fail(err, BOUGH_INVALID, "unknown kind of store: %.*s", (int)strcspn(url, ":"),
                          url);
    return s->ops->open(&s->b, &config, err);
}

static void close_side(struct side *s)
{
    if (s->b)
        s->ops->close(s->b);
}

static enum bough_rc snapshot_of(const struct side *s, struct snapshot **out,
                                 struct bough_error *err)
{
    return s->ops->snapshot_begin(s->b, out, &(struct deadline){ INT64_MAX, NULL }, err);
}

/* ---- progress ---- */

/* Progress mark stored in the target: "source id, source's last number, table, rows". "" when
 * done. */
static const char *mark_of(struct moving *m, bool over)
{
    if (over)
        return "";
    return arena_printf(m->a, "%s %lld %zu %lld", m->numbers.store_id, (long long)m->numbers.no,
                        m->table, (long long)m->done);
}

static enum bough_rc resume(struct moving *m, const char *mark)
{
    char id[64] = "";
    long long no = -1, rows = 0;
    size_t table = 0;

    if (sscanf(mark, "%63s %lld %zu %lld", id, &no, &table, &rows) != 4 || table > TABLES)
        return bough_fail(m->err, BOUGH_CORRUPT, "the mark of a migration cannot be read: %s",
                          mark);
    if (strcmp(id, m->numbers.store_id) != 0 || no != m->numbers.no)
        return bough_fail(m->err, BOUGH_CONFLICT,
                          "a migration of %s was begun here: empty the target, and begin again",
                          strcmp(id, m->numbers.store_id) != 0 ? "another store"
                                                               : "an earlier state of the source");
    m->table = table;
    m->skip = rows;
    m->out->resumed = true;
    return BOUGH_OK;
}

/* The target must be empty or hold an unfinished run of the same migration. */
static enum bough_rc look_at_target(struct moving *m)
{
    struct raw_numbers there;
    struct snapshot *v;
    enum bough_rc rc = snapshot_of(&m->to, &v, m->err);

    if (rc)
        return rc;
    rc = m->to.ops->raw_numbers(v, m->keep, &there, m->err);
    m->to.ops->snapshot_end(v);
    if (rc)
        return rc;
    if (*there.moving)
        return resume(m, there.moving);
    /* A run that was killed behind its last batch: everything is there, and is compared again. */
    if (there.no && there.no == m->numbers.no && strcmp(there.store_id, m->numbers.store_id) == 0) {
        m->complete = m->out->resumed = true;
        return BOUGH_OK;
    }
    if (there.no || there.sessions)
        return bough_fail(
            m->err, BOUGH_EXISTS,
            "the target is not empty: it holds %lld changes; name an empty database, another"
            " schema= of it, or a new file",
            (long long)there.no);
    return BOUGH_OK;
}

/* ---- rows ---- */

static bool tell(struct moving *m)
{
    int64_t total = 2 * m->numbers.no + 1, done = m->told < total ? m->told : total;

    return !m->how->progress || m->how->progress(m->how->user, done, total);
}

/* Write the current batch and the progress mark as one unit. */
static enum bough_rc flush(struct moving *m, bool over)
{
    struct raw_numbers numbers = m->numbers;
    enum bough_rc rc;

    numbers.moving = mark_of(m, over);
    rc = m->to.ops->raw_load(m->to.b, m->rows, m->n, &numbers, m->err);
    m->out->rows += (int64_t)m->n;
    m->told += (int64_t)m->n;
    m->n = m->bytes = 0;
    bough_arena_reset(m->a);
    if (!rc && !tell(m))
        rc = bough_fail(m->err, BOUGH_CANCELLED, "stopped; the same call continues from here");
    return rc;
}

static struct bough_str keep(struct moving *m, struct bough_str s)
{
    m->bytes += s.n;
    return keep_bytes(m->a, s);
}

static const char *keep_text(struct moving *m, const char *s)
{
    return arena_strdup(m->a, s);
}

/* Copy the bytes a row points to: they are valid only during the callback. Entry bodies are
 * recompressed as the target wants them. */
static void keep_row(struct moving *m, struct raw_row *r)
{
    switch (r->table) {
    case RAW_SESSION:
        r->u.session.slug = keep_text(m, r->u.session.slug);
        r->u.session.body = keep(m, r->u.session.body);
        break;
    case RAW_HEAD:
        r->u.head.lease_owner = keep_text(m, r->u.head.lease_owner);
        break;
    case RAW_ENTRY:
        r->u.entry.body =
            keep(m, pack_entry_again(m->a, r->u.entry.body, m->to.ops->plain ? 0 : SQUEEZE_FROM));
        m->out->entries++;
        break;
    case RAW_RECORD:
        r->u.record.body = keep(m, r->u.record.body);
        break;
    case RAW_ALIAS:
        r->u.alias.id = keep_text(m, r->u.alias.id);
        break;
    case RAW_KEY:
        r->u.key.key = keep_text(m, r->u.key.key);
        break;
    case RAW_LIST:
        keep_list(m->a, &r->u.list);
        m->bytes += r->u.list.body.n;
        break;
    case RAW_SEEN:
        break;
    case RAW_SPEND:
        r->u.spend.provider = keep_text(m, r->u.spend.provider);
        r->u.spend.model = keep_text(m, r->u.spend.model);
        r->u.spend.principal = keep_text(m, r->u.spend.principal);
        break;
    case RAW_OPEN:
        r->u.open.owner = keep_text(m, r->u.open.owner);
        r->u.open.process = keep_text(m, r->u.open.process);
        r->u.open.wanted = keep_text(m, r->u.open.wanted);
        break;
    case RAW_DRAFT:
        r->u.draft.body = keep(m, r->u.draft.body);
        break;
    case RAW_CHUNK:
        r->u.chunk.body = keep(m, r->u.chunk.body);
        break;
    case RAW_BRANCH:
    case RAW_CHANGELOG:
    case RAW_BLOB:
    case RAW_LINK:
    case RAW_FULLTEXT:
    case RAW_TABLES:
        break;
    }
}

static bool take_row(void *user, const struct raw_row *row)
{
    struct moving *m = user;

    if (m->done < m->skip) {
        m->done++;
        m->told++;
        return true;
    }
    m->rows[m->n] = *row;
    keep_row(m, &m->rows[m->n++]);
    m->done++;
    if (m->n == ROWS_MOST || m->bytes >= BYTES_MOST)
        m->rc = flush(m, false);
    return !m->rc;
}

static enum bough_rc move_rows(struct moving *m, struct snapshot *v)
{
    enum bough_rc rc = BOUGH_OK;

    for (; m->table < TABLES && !rc; m->table++, m->skip = 0) {
        m->done = 0;
        rc = m->from.ops->raw_scan(v, order[m->table], take_row, m, m->err);
        rc = m->rc ? m->rc : rc;
        if (!rc && m->n)
            rc = flush(m, false);
    }
    return rc ? rc : flush(m, true);
}

static enum bough_rc move(struct moving *m)
{
    struct snapshot *v;
    enum bough_rc rc = snapshot_of(&m->from, &v, m->err);

    if (rc)
        return rc;
    rc = m->from.ops->raw_numbers(v, m->keep, &m->numbers, m->err);
    if (!rc && *m->numbers.moving)
        rc = bough_fail(m->err, BOUGH_BUSY, "another store is still being moved into the source");
    if (!rc)
        rc = look_at_target(m);
    if (!rc && !m->complete)
        rc = move_rows(m, v);
    m->from.ops->snapshot_end(v);
    m->out->last_no = m->numbers.no;
    m->out->sessions = m->numbers.sessions;
    return rc;
}

/* ---- comparing ---- */

static enum bough_rc compare_session(struct bough_store *one, struct bough_store *two,
                                     struct bough_arena *a, const struct bough_session *s,
                                     struct bough_error *err)
{
    char hash[65] = "", other[65] = "";
    struct bough_session *t;
    enum bough_rc rc = bough_session_get(two, a, s->id, &t, err);

    if (!rc && s->head.branch)
        rc = bough_path_hash(one, s->id, NULL, hash, err);
    if (!rc && s->head.branch)
        rc = bough_path_hash(two, s->id, NULL, other, err);
    if (rc)
        return rc;
    if (strcmp(hash, other) == 0 && totals_equal(&s->own, &t->own) &&
        totals_equal(&s->rolled, &t->rolled) && s->messages == t->messages &&
        s->calls == t->calls && s->rev == t->rev && strcmp(s->title, t->title) == 0)
        return BOUGH_OK;
    return bough_fail(err, BOUGH_CORRUPT, "session %s is not the same in both stores", s->id);
}

static enum bough_rc compare_all(struct bough_store *one, struct bough_store *two, struct moving *m)
{
    struct bough_session_list_options filter = { .include_deleted = true, .limit = 200 };
    struct bough_sessions page;
    enum bough_rc rc;

    do {
        struct bough_arena *a = bough_arena_create();

        filter.cursor = filter.cursor ? arena_strdup(m->keep, filter.cursor) : NULL;
        rc = bough_session_list(one, a, &filter, &page, m->err);
        for (size_t i = 0; !rc && i < page.n; i++) {
            rc = compare_session(one, two, a, &page.at[i], m->err);
            m->out->compared += !rc;
        }
        filter.cursor = !rc && !cstr_empty(page.next) ? arena_strdup(m->keep, page.next) : NULL;
        bough_arena_destroy(a);
    } while (!rc && filter.cursor);
    return rc;
}

static enum bough_rc verify(struct moving *m, const char *from, const char *to)
{
    struct bough_store *one = NULL, *two = NULL;
    enum bough_rc rc = bough_store_open(
        &one, from, &(struct bough_store_open_options){ .read_only = true }, m->err);

    if (!rc)
        rc = bough_store_open(
            &two, to, &(struct bough_store_open_options){ .indexing = BOUGH_INDEX_ON_SEARCH },
            m->err);
    if (!rc)
        rc = compare_all(one, two, m);
    bough_store_close(&one);
    bough_store_close(&two);
    return rc;
}

enum bough_rc bough_migrate(const char *from, const char *to,
                            const struct bough_migrate_options *how,
                            struct bough_migrate_result *out, struct bough_error *err)
{
    struct bough_arena *keep = bough_arena_create();
    struct moving *m = arena_zalloc(keep, sizeof *m);
    struct bough_migrate_result ignored = { 0 };
    enum bough_rc rc;

    m->keep = keep;
    m->a = bough_arena_create();
    m->how = how ? how : arena_zalloc(keep, sizeof *how);
    m->out = out ? out : &ignored;
    *m->out = (struct bough_migrate_result){ 0 };
    m->err = err;
    rc = RESERVED_CHECK(bough_migrate_options, how, err);
    if (!rc)
        rc = open_side(&m->from, from, true, err);
    if (!rc)
        rc = open_side(&m->to, to, false, err);
    if (!rc)
        rc = move(m);
    close_side(&m->from);
    close_side(&m->to);
    if (!rc && m->how->verify == BOUGH_VERIFY_ALL)
        rc = verify(m, from, to);
    bough_arena_destroy(m->a);
    bough_arena_destroy(keep);
    return rc;
}
