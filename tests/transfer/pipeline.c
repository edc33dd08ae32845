/* The queue between the reader of a file and the importer, and imports that go through it. */
#include "transfer/pipeline/item_queue.h"

#include <pthread.h>
#include <string.h>

#include "base/memory/arena.h"
#include "base/memory/buf.h"
#include "base/text/str.h"
#include "corpus.h"
#include "lib/patience.h"
#include "store/write/import_api.h"

/* ---- the queue ---- */

enum { MANY = 2000 };

/* A reader that pushes problems of 10 KB, numbered by their lines. */
struct pushing {
    struct item_queue *q;
    int n;
    enum bough_rc ends_with;
    enum bough_rc rc; /* of the last push */
};

static void *push_many(void *user)
{
    struct pushing *p = user;
    struct bough_error err = { 0 };
    char text[10000];

    for (int i = 1; i <= p->n && !p->rc; i++) {
        struct item item = { .kind = ITEM_ENTRY, .line = i };
        struct bough_str part = { text, sizeof text };

        memset(text, 'a' + i % 26, sizeof text);
        item.u.entry = (struct item_entry){ .entry = { .parts = &part, .nparts = 1 } };
        p->rc = item_queue_push(p->q, &item, &err);
    }
    if (p->ends_with)
        (void)bough_fail(&err, p->ends_with, "the reader has a reason");
    item_queue_end(p->q, p->ends_with, &err);
    return NULL;
}

static pthread_t start(struct test *t __attribute__((unused)), struct pushing *p)
{
    pthread_t thread;

    p->q = item_queue_create(NULL);
    CHECK(pthread_create(&thread, NULL, push_many, p) == 0);
    return thread;
}

/* Take the rest, and check that it comes in order and unchanged. Returns the last line. */
static int64_t take_rest(struct test *t, struct item_queue *q, int64_t line, enum bough_rc *rc)
{
    const struct item_block *b;

    while ((b = item_queue_take(q, rc, &t->err)) != NULL)
        for (const struct queued_item *i = b->first; i; i = i->next) {
            const struct bough_str *part = i->item.u.entry.entry.parts;

            CHECK_INT(line + 1, i->item.line);
            line = i->item.line;
            CHECK(part->n == 10000 && part->p[0] == 'a' + line % 26 && part->p[9999] == *part->p);
        }
    return line;
}

TEST(a_reader_waits_while_the_queue_is_full_and_order_is_kept)
{
    struct pushing p = { .n = MANY };
    pthread_t thread = start(t, &p);
    enum bough_rc rc;

    /* Nothing is taken until the reader must wait. */
    for (struct wait w = { 0 };
         item_queue_peak(p.q) + QUEUE_BLOCK_BYTES + 10000 < QUEUE_BYTES && wait_more(&w);)
        continue;
    CHECK_INT(MANY, take_rest(t, p.q, 0, &rc));
    CHECK_OK(rc);
    pthread_join(thread, NULL);
    CHECK_OK(p.rc);
    CHECK(item_queue_peak(p.q) <= QUEUE_BYTES);
    item_queue_destroy(p.q);
}

TEST(an_error_of_the_reader_comes_behind_the_items_it_gave_before)
{
    struct pushing p = { .n = 3, .ends_with = BOUGH_CORRUPT };
    pthread_t thread = start(t, &p);
    enum bough_rc rc;

    CHECK_INT(3, take_rest(t, p.q, 0, &rc));
    CHECK_INT(BOUGH_CORRUPT, rc);
    CHECK_STR("the reader has a reason", t->err.msg);
    pthread_join(thread, NULL);
    item_queue_destroy(p.q);
}

TEST(a_reader_ends_when_the_importer_has_stopped)
{
    struct pushing p = { .n = MANY };
    pthread_t thread = start(t, &p);
    enum bough_rc rc;

    CHECK(item_queue_take(p.q, &rc, &t->err) != NULL);
    item_queue_stop(p.q);
    pthread_join(thread, NULL); /* it does not wait for room */
    CHECK_INT(BOUGH_CANCELLED, p.rc);
    item_queue_destroy(p.q);
}

/* ---- imports ---- */

/* A file of pi with n messages "m1 text", one behind the other; line `torn` cannot be read. */
static const char *pi_file(struct test *t, int n, int torn)
{
    struct buf text;
    const char *path;

    buf_init(&text, 64 << 20);
    buf_puts(&text, "{\"type\":\"session\",\"version\":3,\"id\":\"s\",\"timestamp\":"
                    "\"2026-11-15T20:00:00.000Z\",\"cwd\":\"/p\"}\n");
    for (int i = 1; i <= n; i++) {
        if (i + 1 == torn)
            buf_puts(&text, "{\"torn\n");
        else
            buf_printf(&text,
                       "{\"type\":\"message\",\"id\":\"m%d\",\"parentId\":%s%.0d%s,\"timestamp\":"
                       "\"2026-11-15T20:00:01.000Z\",\"message\":{\"role\":\"user\",\"content\":"
                       "\"number %d of a conversation, which is compressed: %0200d\"}}\n",
                       i, i > 1 ? "\"m" : "null", i - 1, i > 1 ? "\"" : "", i, i);
    }
    path = file_make(t, "many.jsonl", text.p, text.n);
    buf_finish(&text);
    return path;
}

/* The messages of "s" are the first ones of the file, in order. Returns how many. */
static int64_t check_prefix(struct test *t)
{
    struct bough_entries_read_options how = { 0 };
    struct bough_entries_read_result got;

    CHECK_OK(bough_entries_read(t->store, t->arena, "s", &how, &got, &t->err));
    for (size_t i = 0; i < got.entries.n; i++)
        CHECK_STR(arena_printf(t->arena, "m%zu", i + 1), got.entries.at[i].origin);
    return (int64_t)got.entries.n;
}

STORE_TEST(an_import_keeps_the_order_of_a_file_of_many_blocks)
{
    CHECK_INT(6000, import_file(t, pi_file(t, 6000, 0)).added);
    CHECK_INT(6000, check_prefix(t));
}

static bool not_yet(void *user, int64_t done, int64_t total)
{
    (void)total;
    return done < *(int64_t *)user;
}

STORE_TEST(an_import_that_is_stopped_in_the_middle_keeps_a_prefix)
{
    int64_t enough = 700000, kept;
    struct bough_import_file_options how = { .progress = not_yet, .user = &enough };
    struct bough_import_file_result out;
    const char *path = pi_file(t, 6000, 0);

    CHECK_RC(BOUGH_CANCELLED, bough_import_file(t->store, t->arena, path, &how, &out, &t->err));
    kept = check_prefix(t);
    CHECK(kept > 1000 && kept < 4000);
    CHECK_INT(6000 - kept, import_file(t, path).added);
    CHECK_INT(6000, check_prefix(t));
}

STORE_TEST(a_problem_that_the_reader_finds_is_told_with_its_line)
{
    struct bough_import_file_result out = import_file(t, pi_file(t, 6000, 5000));

    CHECK_INT(5999, out.added);
    CHECK_INT(6001, out.lines);
    CHECK_INT(2, out.nproblems);
    CHECK_INT(5000, out.problems[0].line);
    CHECK_INT(5001, out.problems[1].line); /* its parent is the line that cannot be read */
}

/* Entries that were packed ahead are stored as those that were not. */
STORE_TEST(an_entry_with_a_taken_id_is_stored_with_its_own_name)
{
    static const char file[] =
        "{\"type\":\"session\",\"version\":3,\"id\":\"s\",\"timestamp\":\"2026-11-15T20:00:00."
        "000Z\","
        "\"cwd\":\"/p\"}\n"
        "{\"type\":\"message\",\"id\":\"a\",\"parentId\":null,\"timestamp\":\"2026-11-15T20:00:01."
        "000Z\",\"message\":{\"role\":\"user\",\"content\":\"one\"}}\n"
        "{\"type\":\"message\",\"id\":\"a\",\"parentId\":\"a\",\"timestamp\":\"2026-11-15T20:00:02."
        "000Z\",\"message\":{\"role\":\"user\",\"content\":\"two\"}}\n";
    struct bough_entry *e;

    CHECK_INT(2, import_file(t, file_make(t, "x.jsonl", file, sizeof file - 1)).added);
    CHECK_OK(bough_entry_get(t->store, t->arena, "s", "a~2", &e, &t->err));
    CHECK_STR("two", text_of(t, e));
    CHECK_STR("a~2", e->origin);
}

/* ---- full text ---- */

static int64_t text_pending(struct test *t)
{
    struct bough_store_info_result info;

    CHECK_OK(bough_store_info(t->store, t->arena, &info, &t->err));
    return info.text_pending;
}

STORE_TEST(the_full_text_waits_while_an_import_runs_and_is_indexed_after_it)
{
    struct bough_search_options how = { .query = "conversation", .wait_ms = -1 };
    struct bough_hits hits;

    CHECK_OK(bough_store_upkeep(t->store, &t->err));
    import_hold(t->store);
    CHECK_INT(3000, import_file(t, pi_file(t, 3000, 0)).added); /* holds it itself, too */
    for (int i = 0; i < 10; i++) /* as if idle: the background thread would index now */
        (void)wait_more(&(struct wait){ 0 });
    CHECK(text_pending(t) >= 3000);
    CHECK_OK(bough_search(t->store, t->arena, &how, &hits, &t->err));
    CHECK(!hits.complete && hits.pending >= 3000);
    import_go_on(t->store);
    for (struct wait w = { 0 }; text_pending(t) && wait_more(&w);)
        continue;
    CHECK_OK(bough_search(t->store, t->arena, &how, &hits, &t->err));
    CHECK(hits.complete && hits.n == 20);
}

STORE_TEST(the_next_process_indexes_the_backlog_of_an_import)
{
    struct bough_search_options how = { .query = "conversation", .wait_ms = -1 };
    struct bough_hits hits;

    if (!store_lasts(t))
        SKIP("nothing is kept");
    import_hold(t->store);
    CHECK_INT(3000, import_file(t, pi_file(t, 3000, 0)).added);
    store_reopen(t); /* before anything was indexed */
    for (struct wait w = { 0 }; text_pending(t) && wait_more(&w);)
        continue;
    CHECK_OK(bough_search(t->store, t->arena, &how, &hits, &t->err));
    CHECK(hits.complete && hits.n == 20);
}
