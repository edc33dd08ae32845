/* Rows of the SQLite backend: lists compared with list_matches(), scans, purging, raw access. */
#include <sqlite3.h>
#include <stdio.h>

#include "base/memory/arena.h"
#include "core/search/search.h"
#include "fixture.h"
#include "store/sqlite/conn/db.h"

/* ---- lists ---- */

enum { ROWS = 400 };

struct lists {
    struct list_row rows[ROWS];
    const struct list_row *want[ROWS];
    size_t n, got;
    bool wrong;
};

static uint64_t next(struct test *t)
{
    return env_u64(&t->env.env);
}

static const char *word(uint64_t r)
{
    static const char *const words[] = { "", "a", "bb", "a bb", "zzz" };

    return words[r % 5];
}

static void fill(struct test *t, struct backend *b, struct lists *l)
{
    struct change *c = arena_array(t->arena, ROWS, sizeof *c);
    struct txn txn = { .changes = c, .nchanges = ROWS, .relaxed = true };

    for (int i = 0; i < ROWS; i++) {
        uint64_t r = next(t);

        l->rows[i] = (struct list_row){
            .sid = i + 1,
            .kind = (int64_t)(r & 1),
            .status = (int64_t)(r >> 1 & 3),
            .project = (int64_t)(r >> 3 & 3),
            .workspace = (int64_t)(r >> 5 & 1),
            .account = (int64_t)(r >> 6 & 1),
            .parent = (int64_t)(r >> 7 & 3),
            .created = (int64_t)(r >> 10 & 31) + 1,
            .updated = (int64_t)(r >> 15 & 31) + 1,
            .modified = (int64_t)(r >> 20 & 31) + 1,
            .deleted = (r >> 25 & 3) == 0 ? 9 : 0,
            .role_name = word(r >> 28),
            .provider_path = word(r >> 33),
            .model_provider = word(r >> 38),
            .model_name = word(r >> 43),
            .hay = word(r >> 48),
            .body = { "body", 4 },
            .errors = (int64_t)(r >> 53 & 3) % 3,
            .last_state = (int64_t)(r >> 55 & 7) % 5,
            .cost = (int64_t)(r >> 58 & 31),
            .last_model = word(r >> 59),
        };
        c[i] = (struct change){ .op = CHANGE_LIST_PUT };
        c[i].u.list = l->rows[i];
    }
    CHECK_INT(TXN_DONE, run(t, b, &txn));
}

static struct list_query random_query(struct test *t)
{
    uint64_t r = next(t), s = next(t), which = next(t);
    struct list_query q = {
        .role_name = "", .provider_path = "", .model_provider = "", .model_name = "", .hay = ""
    };

    which &= next(t); /* keep about a quarter of the conditions */
    q.project = which & 1 ? (int64_t)(r & 3) : 0;
    q.workspace = which & 2 ? (int64_t)(r >> 2 & 1) : 0;
    q.account = which & 4 ? (int64_t)(r >> 3 & 1) : 0;
    q.parent = which & 8 ? (int64_t)(r >> 4 & 3) : 0;
    q.kinds = (int64_t)(r >> 6 & 3);
    q.statuses = which & 16 ? (int64_t)(r >> 8 & 15) : 0;
    q.roots = which & 32;
    q.alive = r >> 12 & 1;
    q.dead = !q.alive && (r >> 13 & 1);
    q.role_name = which & 64 ? word(s) : "";
    q.provider_path = which & 128 ? word(s >> 5) : "";
    q.model_provider = which & 256 ? word(s >> 10) : "";
    q.model_name = which & 512 ? word(s >> 15) : "";
    q.hay = which & 1024 ? word(s >> 20) : "";
    q.created_from = which & 2048 ? (int64_t)(s >> 25 & 15) : 0;
    q.created_to = which & 4096 ? (int64_t)(s >> 29 & 31) : 0;
    q.updated_from = which & 8192 ? (int64_t)(s >> 34 & 15) : 0;
    q.updated_to = which & 16384 ? (int64_t)(s >> 38 & 31) : 0;
    q.errors = which & 32768;
    q.last_state = which & 65536 ? (int64_t)(r >> 40 & 7) % 5 : 0;
    q.cost_from = which & 131072 ? (int64_t)(r >> 44 & 31) : 0;
    q.order = (enum list_order)(s >> 44 & 0xff) % 4;
    q.after_set = s >> 52 & 1;
    q.after_key = (int64_t)(s >> 53 & 31);
    q.after_sid = (int64_t)(r >> 20) % ROWS;
    return q;
}

static void expect(struct lists *l, const struct list_query *q)
{
    l->n = l->got = 0;
    for (int i = 0; i < ROWS; i++) {
        size_t at = l->n;

        if (!list_matches(q, &l->rows[i]))
            continue;
        for (; at > 0 && list_compare(q->order, &l->rows[i], l->want[at - 1]) < 0; at--)
            l->want[at] = l->want[at - 1];
        l->want[at] = &l->rows[i];
        l->n++;
    }
}

static bool compare(void *user, const struct list_row *row)
{
    struct lists *l = user;
    const struct list_row *want = l->got < l->n ? l->want[l->got] : NULL;

    l->got++;
    if (!want || want->sid != row->sid || want->updated != row->updated ||
        strcmp(want->hay, row->hay) != 0 || row->body.n != 4 || want->deleted != row->deleted)
        l->wrong = true;
    return !l->wrong;
}

static void check_queries(struct test *t, struct backend *b, struct lists *l)
{
    struct snapshot *v = look(t, b);
    int64_t matches, read;

    for (int i = 0; i < 1000; i++) {
        struct list_query q = random_query(t);

        if (i % 100 == 99) { /* a snapshot has a deadline */
            b->ops->snapshot_end(v);
            v = look(t, b);
        }

        expect(l, &q);
        CHECK_OK(b->ops->list_scan(v, &q, compare, l, &t->err));
        if (l->wrong || l->got != l->n)
            FAIL("query %d: row %zu of %zu", i, l->got, l->n);
        q.after_set = false;
        expect(l, &q);
        CHECK_OK(b->ops->list_count(v, &q, ROWS + 1, &matches, &read, &t->err));
        CHECK_INT(l->n, matches);
        CHECK(read >= matches && read <= ROWS);
        CHECK_OK(b->ops->list_count(v, &q, 3, &matches, &read, &t->err));
        CHECK(read <= 3 && matches <= read);
    }
    b->ops->snapshot_end(v);
}

TEST(lists_are_what_list_matches_says)
{
    struct backend *b = open_at(t, test_path(t, "s.db"));
    struct lists *l = arena_zalloc(t->arena, sizeof *l);

    fill(t, b, l);
    check_queries(t, b, l);
    fill(t, b, l); /* every row gets new values */
    check_queries(t, b, l);
    b->ops->close(b);
}

/* A list with only an order, a project or a parent comes straight from an index. */
TEST(lists_never_sort)
{
    const char *path = test_path(t, "s.db");
    struct backend *b = open_at(t, path);
    struct list_query q = { .role_name = "", .alive = true };
    struct lists *l = arena_zalloc(t->arena, sizeof *l);
    int looked = 0;

    fill(t, b, l);
    for (int shape = 0; shape < 36; shape++) {
        struct snapshot *v = look(t, b);

        q.order = (enum list_order)(shape % 3);
        q.project = shape / 3 % 3 == 1;
        q.parent = shape / 3 % 3 == 2;
        q.kinds = shape / 9 % 2;
        q.alive = shape / 18;
        expect(l, &q);
        CHECK_OK(b->ops->list_scan(v, &q, compare, l, &t->err));
        CHECK(!l->wrong);
        CHECK_INT(l->n, l->got);
        for (int i = 0; i < LIST_CACHE; i++) {
            sqlite3_stmt *st = conn_of(v)->list[i].stmt;

            looked += st != NULL;
            CHECK_INT(0, st ? sqlite3_stmt_status(st, SQLITE_STMTSTATUS_SORT, 0) : 0);
            CHECK_INT(0, st ? sqlite3_stmt_status(st, SQLITE_STMTSTATUS_FULLSCAN_STEP, 0) : 0);
        }
        b->ops->snapshot_end(v);
    }
    CHECK(looked >= 36);
    b->ops->close(b);
}

/* ---- scans ---- */

struct seen {
    int64_t depths[64];
    int n;
    struct backend *b;
    struct snapshot *v;
};

static bool note(void *user, const struct entry_row *row)
{
    struct seen *s = user;

    s->depths[s->n++] = row->depth;
    return s->n < 64;
}

static bool note_twice(void *user, const struct entry_row *row)
{
    struct entry_range again = { .bid = row->bid, .from = 1, .to = 2 };
    struct seen *s = user;

    return s->b->ops->entry_scan(s->v, &again, note, s, NULL) == BOUGH_OK && s->n < 60;
}

TEST(scans_filter_and_nest)
{
    struct backend *b = open_at(t, test_path(t, "s.db"));
    struct change c[6];
    struct txn txn = { .changes = c, .nchanges = 6, .log = { .kind = CHANGELOG_APPEND, .n = 6 } };
    struct entry_range r = { .from = 1, .to = 6 };
    struct seen s = { .b = b };
    int64_t depth, bid;

    add_session(t, b, "one", &bid);
    for (int i = 0; i < 6; i++) {
        c[i] = entry_at(t, bid, i + 1, "x");
        c[i].u.entry.kind = i == 1 || i == 4 ? BOUGH_ENTRY_COMPACTION : BOUGH_ENTRY_MESSAGE;
        c[i].u.entry.mask = i % 2 ? MASK_USAGE : MASK_PART;
        c[i].u.entry.deleted = i == 4 ? 7 : 0;
    }
    CHECK_INT(TXN_DONE, run(t, b, &txn));
    s.v = look(t, b);
    r.bid = bid;
    CHECK_OK(b->ops->entry_scan(s.v, &r, note, &s, &t->err));
    CHECK_INT(5, s.n);
    CHECK_INT(6, s.depths[4]);
    r.deleted = r.backwards = true;
    s.n = 0;
    CHECK_OK(b->ops->entry_scan(s.v, &r, note, &s, &t->err));
    CHECK_INT(6, s.n);
    CHECK_INT(6, s.depths[0]);
    r.mask = MASK_USAGE;
    r.kinds = 1 << BOUGH_ENTRY_MESSAGE;
    s.n = 0;
    CHECK_OK(b->ops->entry_scan(s.v, &r, note, &s, &t->err));
    CHECK_INT(2, s.n);
    CHECK_INT(6, s.depths[0]);
    CHECK_INT(4, s.depths[1]);
    r = (struct entry_range){ .bid = bid, .from = 1, .to = 6 };
    s.n = 0;
    CHECK_OK(b->ops->entry_scan(s.v, &r, note_twice, &s, &t->err));
    CHECK_INT(10, s.n);
    CHECK_OK(b->ops->mark_find(s.v, bid, BOUGH_ENTRY_COMPACTION, 6, &depth, &t->err));
    CHECK_INT(2, depth); /* the marker at depth 5 is deleted */
    CHECK_OK(b->ops->mark_find(s.v, bid, BOUGH_ENTRY_COMPACTION, 1, &depth, &t->err));
    CHECK_INT(0, depth);
    CHECK_OK(b->ops->mark_find(s.v, bid, BOUGH_ENTRY_THINKING_LEVEL_CHANGE, 6, &depth, &t->err));
    CHECK_INT(0, depth);
    b->ops->snapshot_end(s.v);
    b->ops->close(b);
}

static bool forever(void *user, const struct changelog_row *row)
{
    (void)user;
    (void)row;
    return true;
}

TEST(a_scan_ends_when_patience_does)
{
    struct backend *b = open_at(t, test_path(t, "s.db"));
    struct deadline p = soon();
    bool cancel = false;
    struct snapshot *v;
    int64_t bid, sid = add_session(t, b, "one", &bid);
    struct change *c = arena_array(t->arena, 4000, sizeof *c);
    struct txn txn = { .changes = c,
                       .nchanges = 4000,
                       .log = { .kind = CHANGELOG_APPEND, .n = 4000 } };
    struct list_query q = { .provider_path = "none" }; /* no index has it */

    (void)sid;
    for (int i = 0; i < 4000; i++) {
        c[i] = (struct change){ .op = CHANGE_LIST_PUT };
        c[i].u.list = (struct list_row){ .sid = i + 1, .role_name = "x" };
    }
    CHECK_INT(TXN_DONE, run(t, b, &txn));
    p.cancel = &cancel;
    CHECK_OK(b->ops->snapshot_begin(b, &v, &p, &t->err));
    cancel = true;
    CHECK_RC(BOUGH_CANCELLED, b->ops->list_scan(v, &q, NULL, NULL, &t->err));
    /* The snapshot stays timed out if the caller ignores the error. */
    CHECK_RC(BOUGH_CANCELLED, b->ops->changelog_scan(v, 0, forever, NULL, &t->err));
    b->ops->snapshot_end(v);
    v = look(t, b);
    CHECK_OK(b->ops->changelog_scan(v, 0, forever, NULL, &t->err));
    b->ops->snapshot_end(v);
    b->ops->close(b);
}

/* ---- purging and raw access ---- */

static bool count(void *user, const struct raw_row *row)
{
    (void)row;
    ++*(int *)user;
    return true;
}

static int rows_in(struct test *t, struct backend *b, enum raw_table table)
{
    struct snapshot *v = look(t, b);
    int n = 0;

    CHECK_OK(b->ops->raw_scan(v, table, count, &n, &t->err));
    b->ops->snapshot_end(v);
    return n;
}

static void add_things(struct test *t, struct backend *b, int64_t sid)
{
    struct change c[4] = { { .op = CHANGE_RECORD_PUT },
                           { .op = CHANGE_ALIAS_ADD },
                           { .op = CHANGE_ALIAS_ADD },
                           { .op = CHANGE_KEY_PUT } };
    struct txn txn = { .changes = c, .nchanges = 4, .log = { .kind = CHANGELOG_RECORD, .n = 1 } };

    c[0].u.record = (struct record_row){ .sid = sid, .kind = RECORD_TODO, .body = { "r", 1 } };
    c[1].u.alias = (struct alias_row){ "entry", sid, ALIAS_ENTRY, 1, 1 };
    c[2].u.alias = (struct alias_row){ arena_printf(t->arena, "session%d", (int)sid), 0,
                                       ALIAS_SESSION, sid, 0 };
    c[3].u.key = (struct key_row){ .key = arena_printf(t->arena, "me\x1f%d\x1fk", (int)sid) };
    CHECK_INT(TXN_DONE, run(t, b, &txn));
}

TEST(purging_removes_only_what_it_may)
{
    struct backend *b = open_at(t, test_path(t, "s.db"));
    struct deadline p = soon();
    int64_t entries = 0, records = 0, bid, other, sid = add_session(t, b, "one", &bid);
    int64_t sid2 = add_session(t, b, "two", &other);
    struct branch_row cut = { .bid = bid, .cut = 3 };
    bool left = true;
    int slices = 0;

    for (int d = 1; d <= 10; d++) {
        CHECK_INT(TXN_DONE, append(t, b, sid, bid, d, "mine"));
        CHECK_INT(TXN_DONE, append(t, b, sid2, other, d, "other"));
    }
    add_things(t, b, sid);
    add_things(t, b, sid2);
    CHECK_OK(b->ops->branch_cut(b, &cut, 1, &p, &t->err));
    for (; left; slices++)
        CHECK_OK(b->ops->purge_slice(b, sid, 4, &left, &entries, &records, &p, &t->err));
    CHECK_INT(3, slices);
    CHECK_INT(7, entries);
    CHECK_INT(1, records);
    CHECK_INT(13, rows_in(t, b, RAW_ENTRY));
    CHECK_INT(1, rows_in(t, b, RAW_RECORD));
    CHECK_INT(2, rows_in(t, b, RAW_ALIAS));
    CHECK_INT(1, rows_in(t, b, RAW_KEY));
    CHECK_INT(3, tip_of(t, b, bid));
    b->ops->upkeep(b, false);
    b->ops->close(b);
}

static bool first(void *user, const struct raw_row *row)
{
    *(struct raw_row *)user = *row;
    return false;
}

static void complain(void *user, const char *text)
{
    (void)text;
    ++*(int *)user;
}

TEST(raw_rows_can_be_taken_out_and_put_back)
{
    struct backend *b = open_at(t, test_path(t, "s.db"));
    struct change c = { .op = CHANGE_LIST_PUT }, text = { .op = CHANGE_FULLTEXT_PUT };
    struct txn txn = { .changes = &c, .nchanges = 1 };
    struct search_words words = { .field = { { "mine", 4 } } };
    struct snapshot *v;
    int found = 0;
    int64_t bid, sid = add_session(t, b, "one", &bid);

    append(t, b, sid, bid, 1, "mine");
    add_things(t, b, sid);
    text.u.text = (struct fulltext_row){ .no = 2, .bid = bid, .depth = 1, .words = &words };
    CHECK_INT(TXN_DONE, run(t, b, &(struct txn){ .changes = &text, .nchanges = 1 }));
    c.u.list = (struct list_row){ .sid = sid, .deleted = 4, .hay = "h" };
    CHECK_INT(TXN_DONE, run(t, b, &txn));
    c = (struct change){
        .op = CHANGE_OPEN_ADD,
        .u.open = { .bid = bid, .depth = 1, .sid = sid, .ver = 1, .owner = "o", .process = "p" }
    };
    CHECK_INT(TXN_DONE, run(t, b, &txn));
    c = (struct change){ .op = CHANGE_DRAFT_ADD,
                         .u.draft = {
                             .bid = bid, .depth = 1, .end = 3, .step = 1, .body = { "d", 1 } } };
    CHECK_INT(TXN_DONE, run(t, b, &txn));
    for (int table = 0; table < RAW_TABLES; table++) {
        struct raw_row row;
        int n = rows_in(t, b, (enum raw_table)table);

        if (table >= RAW_BLOB) /* tested in tests/store/fsck_blobs.c */
            continue;
        v = look(t, b); /* open until the row is put back */
        CHECK(n > 0);
        CHECK_OK(b->ops->raw_scan(v, (enum raw_table)table, first, &row, &t->err));
        switch (table) { /* texts of a scanned row are valid only in the callback */
        case RAW_SESSION:
            row.u.session.slug = "one";
            row.u.session.body = (struct bough_str){ "b", 1 };
            break;
        case RAW_HEAD:
            row.u.head.lease_owner = "";
            break;
        case RAW_ENTRY:
            row.u.entry.body = body(t, "mine", 200);
            break;
        case RAW_RECORD:
            row.u.record.body = (struct bough_str){ "r", 1 };
            break;
        case RAW_ALIAS:
            row.u.alias.id = "entry";
            break;
        case RAW_KEY:
            row.u.key.key = "me\x1f"
                            "1\x1fk";
            break;
        case RAW_LIST:
            row.u.list = (struct list_row){ .sid = sid, .deleted = 4, .hay = "h" };
            break;
        case RAW_OPEN:
            row.u.open.owner = row.u.open.process = "x";
            break;
        case RAW_DRAFT:
            row.u.draft.body = (struct bough_str){ "d", 1 };
            break;
        default:
            break;
        }
        CHECK_OK(b->ops->raw_fix(b, &row, true, &t->err));
        CHECK_INT(n - 1, rows_in(t, b, (enum raw_table)table));
        CHECK_OK(b->ops->raw_fix(b, &row, false, &t->err));
        CHECK_INT(n, rows_in(t, b, (enum raw_table)table));
        b->ops->snapshot_end(v);
    }
    CHECK_RC(BOUGH_INVALID,
             b->ops->raw_fix(b, &(struct raw_row){ .table = RAW_TABLES }, true, &t->err));
    v = look(t, b);
    CHECK_OK(b->ops->engine_check(v, true, complain, &found, &t->err));
    CHECK_OK(b->ops->engine_check(v, false, complain, &found, &t->err));
    CHECK_INT(0, found);
    b->ops->snapshot_end(v);
    b->ops->close(b);
}
