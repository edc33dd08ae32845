/* fsck of the full text: documents, titles, the watermark and the index. */
#include <sqlite3.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/search/search.h"
#include "store/fsck_world.h"

struct nth_text {
    struct test *t;
    bool title;
    struct raw_row got;
};

static bool pick_text(void *user, const struct raw_row *row)
{
    struct nth_text *n = user;

    if (!row->u.text.bid != n->title)
        return true;
    n->got = *row;
    if (row->u.text.words) {
        struct search_words *w = arena_dup(n->t->arena, row->u.text.words, sizeof *w);

        w->field[SEARCH_TITLE] = str_of(arena_strdup(n->t->arena, w->field[SEARCH_TITLE].p));
        n->got.u.text.words = w;
    }
    return false;
}

static struct raw_row fulltext_row(struct test *t, bool title)
{
    struct engine *e = t->store->e;
    struct nth_text n = { t, title, { .table = RAW_TABLES } };
    struct snapshot *v;

    CHECK_OK(
        e->ops->snapshot_begin(e->backend, &v, &(struct deadline){ INT64_MAX, NULL }, &t->err));
    CHECK_OK(e->ops->raw_scan(v, RAW_FULLTEXT, pick_text, &n, &t->err));
    e->ops->snapshot_end(v);
    CHECK_INT(RAW_FULLTEXT, n.got.table);
    return n.got;
}

BREAKS(I_41_sees_documents_that_are_missing_or_not_of_their_entry)
{
    struct raw_row r = fulltext_row(t, false);
    const char *branch = arena_printf(t->arena, "branch %lld", (long long)r.u.text.bid);

    drop(t, &r);
    expect(t, "I-41", "", branch);
    r.u.text.time++;
    put(t, &r);
    expect(t, "I-41", "", branch);
    r.u.text.time--;
    r.u.text.depth = 4000;
    put(t, &r);
    expect(t, "I-41", "", arena_printf(t->arena, "document %lld", (long long)r.u.text.no));
}

BREAKS(I_41_sees_documents_of_a_branch_without_a_session)
{
    struct raw_row branch = { .table = RAW_BRANCH,
                              .u.branch = { .bid = 4000, .sid = 4000, .cut = -1 } };
    struct raw_row r = fulltext_row(t, false);

    put(t, &branch);
    r.u.text.bid = 4000;
    put(t, &r);
    expect(t, "I-22 I-41", "", "branch 4000");
}

BREAKS(I_41_sees_titles_that_are_not_what_a_search_finds)
{
    struct raw_row r = fulltext_row(t, true);
    struct search_words words = *r.u.text.words;
    const char *session = arena_printf(t->arena, "#%lld", (long long)r.u.text.depth);

    drop(t, &r);
    expect(t, "I-41", "", session);
    words.field[SEARCH_TITLE] = str_of("another");
    r.u.text.words = &words;
    put(t, &r);
    expect(t, "I-41", "", session);
    r = fulltext_row(t, true);
    r.u.text.depth = 4000;
    put(t, &r);
    expect(t, "I-41", "", arena_printf(t->arena, "document %lld", (long long)r.u.text.no));
}

static void set_mark(struct test *t, int64_t mark)
{
    struct engine *e = t->store->e;
    struct change c = { .op = CHANGE_FULLTEXT_MARK, .u.watermark = mark };
    struct txn txn = { .changes = &c, .nchanges = 1 }, *txns = &txn;

    CHECK_OK(e->ops->commit(e->backend, &txns, 1, &(struct deadline){ INT64_MAX, NULL }, &t->err));
}

BREAKS(I_41_sees_a_watermark_that_is_wrong)
{
    struct bough_store_info_result info;

    store_indexing(t->store, false);
    CHECK_OK(bough_store_info(t->store, t->arena, &info, &t->err));
    set_mark(t, info.last_no + 1);
    CHECK_STR("I-41", look(t, BOUGH_FSCK_FULL, false).errors);
    set_mark(t, 3);
    CHECK_STR("I-41", look(t, BOUGH_FSCK_FULL, false).errors);
    set_mark(t, info.last_no);
    check_clean(t);
}

BREAKS(I_41_sees_an_index_that_has_lost_its_words)
{
    sqlite3 *db;

    if (!store_has_file(t))
        SKIP("this backend has no index");
    CHECK_INT(SQLITE_OK, sqlite3_open(test_path(t, "store.db"), &db));
    sqlite3_busy_timeout(db, 60000); /* the store's background thread may be writing */
    CHECK_INT(SQLITE_OK,
              sqlite3_exec(db, "INSERT INTO text_index (text_index) VALUES ('delete-all')", NULL,
                           NULL, NULL));
    sqlite3_close(db);
    CHECK_STR("I-41", look(t, BOUGH_FSCK_FULL, false).errors);
    CHECK_OK(bough_search_rebuild(t->store, &t->err));
    CHECK_OK(bough_store_upkeep(t->store, &t->err));
    check_clean(t);
}

BREAKS(I_42_sees_columns_of_outcomes_that_are_wrong)
{
    struct raw_row *r = row_of(t, RAW_LIST, AGENT, 0, 0);

    r->u.list.errors = 3;
    put(t, r);
    expect(t, "I-42", "", "#5");
    r = row_of(t, RAW_LIST, AGENT, 0, 0);
    r->u.list.last_state = BOUGH_OUTCOME_OPEN;
    put(t, r);
    expect(t, "I-42", "", "#5");
    r = row_of(t, RAW_LIST, AGENT, 0, 0);
    r->u.list.cost++;
    put(t, r);
    expect(t, "I-42", "", "#5");
    r = row_of(t, RAW_LIST, AGENT, 0, 0);
    r->u.list.last_model = "another";
    put(t, r);
    expect(t, "I-42", "", "#5");
}

BREAKS(I_04_sees_a_mask_that_says_another_outcome)
{
    struct raw_row *r = row_of(t, RAW_ENTRY, 1, 1, 0);

    r->u.entry.mask |= MASK_FAILED;
    put(t, r);
    expect(t, "I-04", "", "#1.1");
    r = row_of(t, RAW_ENTRY, 1, 1, 0);
    r->u.entry.mask |= INT64_C(2) << MASK_ERRORS;
    put(t, r);
    expect(t, "I-04", "", "#1.1");
}

/* What an older bough wrote: the rebuild of the migration says in the mask what failed. */
STORE_TEST(masks_without_outcomes_get_them_when_lists_are_rebuilt)
{
    struct bough_store_repair_result report;
    const char *s = new_session(t, "one");
    struct bough_entry_new e = { .role = BOUGH_ROLE_ASSISTANT, .finish = "error" };
    struct bough_append_options in = { .entries = &e, .n = 1 };
    struct bough_append_result out;
    struct raw_row *r;

    CHECK_OK(bough_append(t->store, t->arena, s, &in, &out, &t->err));
    r = row_of(t, RAW_ENTRY, 1, 1, 0);
    CHECK_INT(MASK_FAILED | INT64_C(1) << MASK_ERRORS, r->u.entry.mask & MASK_OUTCOME);
    r->u.entry.mask &= ~MASK_OUTCOME;
    put(t, r);
    CHECK_OK(bough_store_repair(t->store, BOUGH_FSCK_FULL, NULL, NULL, NULL, &report, &t->err));
    CHECK_INT(MASK_FAILED | INT64_C(1) << MASK_ERRORS,
              row_of(t, RAW_ENTRY, 1, 1, 0)->u.entry.mask & MASK_OUTCOME);
    CHECK_INT(1, get(t, s)->errors);
}
