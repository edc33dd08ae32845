/* The prompt queue (C22, U22): order, recorded settings, exactly one taker per prompt. */
#include <pthread.h>
#include <stdio.h>

#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "store/fsck_world.h"

static struct bough_prompt *ask(struct test *t, const char *session, const char *content)
{
    struct bough_prompt in = { .content = content }, *out;

    CHECK_OK(bough_queue_add(t->store, t->arena, session, &in, &out, &t->err));
    return out;
}

static const char *waiting(struct test *t, const char *session)
{
    struct bough_prompts all;
    const char *text = "";

    CHECK_OK(bough_queue_list(t->store, t->arena, session, &all, &t->err));
    for (size_t i = 0; i < all.n; i++)
        text = arena_printf(t->arena, "%s%s%s", text, i ? " " : "", all.at[i].content);
    return text;
}

static const char *take(struct test *t, const char *session)
{
    struct bough_prompt *p;

    CHECK_OK(bough_queue_take(t->store, t->arena, session, &p, &t->err));
    return p->content;
}

static enum bough_rc take_rc(struct test *t, const char *session)
{
    struct bough_prompt *p;

    return bough_queue_take(t->store, t->arena, session, &p, &t->err);
}

static enum bough_rc edit(struct test *t, const char *session, const char *id, const char *content)
{
    struct bough_queue_edit_options e = { .content = content };

    return bough_queue_edit(t->store, t->arena, session, id, &e, NULL, &t->err);
}

static int64_t last_change(struct test *t)
{
    struct bough_store_info_result info;

    CHECK_OK(bough_store_info(t->store, t->arena, &info, &t->err));
    return info.last_no;
}

/* --- order --- */

STORE_TEST(U22_queued_prompts_are_taken_in_the_order_they_came)
{
    const char *s = new_session(t, "x");

    CHECK_STR("", waiting(t, s));
    CHECK_RC(BOUGH_NOT_FOUND, take_rc(t, s));
    ask(t, s, "one");
    ask(t, s, "two");
    ask(t, s, "three");
    CHECK_STR("one two three", waiting(t, s));
    CHECK_STR("one", take(t, s));
    ask(t, s, "four");
    if (store_lasts(t))
        store_reopen(t);
    CHECK_STR("two three four", waiting(t, s));
    CHECK_STR("two", take(t, s));
    CHECK_STR("three", take(t, s));
    CHECK_STR("four", take(t, s));
    CHECK_RC(BOUGH_NOT_FOUND, take_rc(t, s));
    CHECK_STR("", waiting(t, s));
}

STORE_TEST(U22_a_promoted_prompt_is_next_and_the_rest_of_the_queue_keeps_its_rows)
{
    const char *s = new_session(t, "x"), *b, *c;

    ask(t, s, "a");
    b = ask(t, s, "b")->id;
    c = ask(t, s, "c")->id;
    ask(t, s, "d");
    CHECK_OK(bough_queue_promote(t->store, s, c, &t->err));
    CHECK_STR("c a b d", waiting(t, s));
    CHECK_OK(bough_queue_promote(t->store, s, b, &t->err));
    CHECK_STR("b c a d", waiting(t, s));
    CHECK_INT(1, row_of(t, RAW_RECORD, 1, RECORD_QUEUE, 1)->u.record.ver);
    CHECK_INT(2, row_of(t, RAW_RECORD, 1, RECORD_QUEUE, 2)->u.record.ver);
    CHECK_INT(2, row_of(t, RAW_RECORD, 1, RECORD_QUEUE, 3)->u.record.ver);
    CHECK_INT(1, row_of(t, RAW_RECORD, 1, RECORD_QUEUE, 4)->u.record.ver);
    CHECK_STR("b", take(t, s));
    ask(t, s, "e");
    CHECK_STR("c a d e", waiting(t, s));
    CHECK_RC(BOUGH_NOT_FOUND, bough_queue_promote(t->store, s, b, &t->err));
}

STORE_TEST(U22_promoting_the_first_of_a_queue_changes_nothing)
{
    const char *s = new_session(t, "x"), *a = ask(t, s, "a")->id;
    int64_t no;

    ask(t, s, "b");
    no = last_change(t);
    CHECK_OK(bough_queue_promote(t->store, s, a, &t->err));
    CHECK_INT(no, last_change(t));
    CHECK_STR("a b", waiting(t, s));
}

/* Compare the queue with a plain array over random operations. */
STORE_TEST(U22_a_queue_is_like_a_list_that_only_grows_at_its_end)
{
    const char *s = new_session(t, "x"), *want[LIMIT_PENDING], *ids[LIMIT_PENDING];
    size_t n = 0;

    for (int i = 0; i < 300; i++) {
        uint64_t dice = env_u64(&t->env.env);
        size_t k = n ? dice / 8 % n : 0;
        struct bough_prompts all;

        if (dice % 8 < 3 || !n) {
            want[n] = arena_printf(t->arena, "%d", i);
            ids[n] = ask(t, s, want[n])->id;
            n++;
        } else if (dice % 8 < 5) {
            const char *id = ids[k], *text = want[k];

            CHECK_OK(bough_queue_promote(t->store, s, id, &t->err));
            memmove(ids + 1, ids, k * sizeof *ids);
            memmove(want + 1, want, k * sizeof *want);
            ids[0] = id;
            want[0] = text;
        } else {
            if (dice % 8 < 7) {
                k = 0;
                CHECK_STR(want[0], take(t, s));
            } else {
                CHECK_OK(bough_queue_remove(t->store, s, ids[k], &t->err));
            }
            n--;
            memmove(ids + k, ids + k + 1, (n - k) * sizeof *ids);
            memmove(want + k, want + k + 1, (n - k) * sizeof *want);
        }
        CHECK_OK(bough_queue_list(t->store, t->arena, s, &all, &t->err));
        CHECK_INT(n, all.n);
        for (k = 0; k < n; k++) {
            CHECK_STR(want[k], all.at[k].content);
            CHECK_STR(ids[k], all.at[k].id);
        }
    }
}

/* --- contents of a prompt --- */

STORE_TEST(C22_a_queued_prompt_keeps_the_circumstances_of_its_moment)
{
    const char *s = new_session(t, "x"), *data = "{ \"b\":1.50, \"a\":[\"\\ud800\"], \"b\":2 }";
    struct bough_prompt in = { .content = " as given\n",
                               .runtime_kind = "agent",
                               .provider = "anthropic",
                               .model = "m1",
                               .workspace = "/w",
                               .system_prompt = "be brief",
                               .adapter_id = "acp",
                               .data = str_of(data) },
                        *p;
    struct bough_prompts all;

    CHECK_OK(bough_queue_add(t->store, t->arena, s, &in, &p, &t->err));
    CHECK(p->created > 0 && p->created == p->updated);
    CHECK_STR("{}", ask(t, s, "bare")->data.p);
    CHECK_OK(bough_session_update(
        t->store, s, &(struct bough_session_update_options){ .model_name = "m2" }, &t->err));
    if (store_lasts(t))
        store_reopen(t);
    CHECK_OK(bough_queue_list(t->store, t->arena, s, &all, &t->err));
    CHECK_STR(p->id, all.at[0].id);
    CHECK_STR("", all.at[1].model);
    CHECK_STR("", all.at[1].adapter_id);
    CHECK_OK(bough_queue_take(t->store, t->arena, s, &p, &t->err));
    CHECK_STR(all.at[0].id, p->id);
    CHECK_STR(s, p->session);
    CHECK_STR(" as given\n", p->content);
    CHECK_STR("agent", p->runtime_kind);
    CHECK_STR("anthropic", p->provider);
    CHECK_STR("m1", p->model);
    CHECK_STR("/w", p->workspace);
    CHECK_STR("be brief", p->system_prompt);
    CHECK_STR("acp", p->adapter_id);
    CHECK_SPAN(data, p->data);
    CHECK_INT(all.at[0].created, p->created);
}

STORE_TEST(C22_blank_and_broken_prompts_are_not_queued)
{
    const char *s = new_session(t, "x"), *id = ask(t, s, "good")->id;
    const struct {
        enum bough_rc rc;
        struct bough_prompt in;
    } bad[] = {
        { BOUGH_INVALID, { .content = NULL } },
        { BOUGH_INVALID, { .content = "" } },
        { BOUGH_INVALID, { .content = " \n\t\xc2\xa0" } },
        { BOUGH_INVALID, { .content = "\xff" } },
        { BOUGH_INVALID, { .content = "x", .data = str_of("[]") } },
        { BOUGH_INVALID, { .content = "x", .data = str_of("{\"a\":}") } },
        { BOUGH_INVALID, { .content = "x", .model = "\xc3" } },
    };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct bough_queue_edit_options e = { .content = bad[i].in.content,
                                              .data = bad[i].in.data };

        CHECK_RC(bad[i].rc, bough_queue_add(t->store, t->arena, s, &bad[i].in, NULL, &t->err));
        if (e.content && !bad[i].in.model)
            CHECK_RC(bad[i].rc, bough_queue_edit(t->store, t->arena, s, id, &e, NULL, &t->err));
    }
    CHECK_STR("good", waiting(t, s));
}

STORE_TEST(a_queued_prompt_of_the_largest_size_fits_and_one_byte_more_does_not)
{
    const char *s = new_session(t, "x");
    char *big = arena_zalloc(t->arena, LIMIT_TEXT + 2);
    struct bough_prompt in = { .content = big };

    memset(big, 'x', LIMIT_TEXT + 1);
    CHECK_RC(BOUGH_TOO_LARGE, bough_queue_add(t->store, t->arena, s, &in, NULL, &t->err));
    big[LIMIT_TEXT] = '\0';
    CHECK_OK(bough_queue_add(t->store, t->arena, s, &in, NULL, &t->err));
    CHECK_INT(LIMIT_TEXT, strlen(take(t, s)));
}

STORE_TEST(U22_an_edit_changes_what_is_given_where_it_stands_in_the_queue)
{
    const char *s = new_session(t, "x"), *id;
    struct bough_queue_edit_options e = { .data = str_of("{\"n\":1}") };
    struct bough_prompt *p, *q;
    int64_t no;

    ask(t, s, "a");
    id = ask(t, s, "b")->id;
    ask(t, s, "c");
    CHECK_OK(edit(t, s, id, "B"));
    CHECK_STR("a B c", waiting(t, s));
    CHECK_OK(bough_queue_edit(t->store, t->arena, s, id, &e, &p, &t->err));
    CHECK_STR("B", p->content);
    CHECK_SPAN("{\"n\":1}", p->data);
    CHECK(p->updated > p->created);
    no = last_change(t);
    CHECK_OK(bough_queue_edit(t->store, t->arena, s, id, &(struct bough_queue_edit_options){ 0 },
                              &q, &t->err));
    CHECK_INT(no, last_change(t));
    CHECK_INT(p->updated, q->updated);
    CHECK_STR("B", q->content);
}

STORE_TEST(U22_a_taken_prompt_cannot_be_changed_and_its_number_is_not_reused)
{
    const char *s = new_session(t, "x"), *a, *b, *c;

    a = ask(t, s, "a")->id;
    b = ask(t, s, "b")->id;
    CHECK_STR("a", take(t, s));
    CHECK_OK(bough_queue_remove(t->store, s, b, &t->err));
    CHECK_RC(BOUGH_NOT_FOUND, edit(t, s, a, "x"));
    CHECK_RC(BOUGH_NOT_FOUND, edit(t, s, b, "x"));
    CHECK_RC(BOUGH_NOT_FOUND, bough_queue_remove(t->store, s, b, &t->err));
    CHECK_RC(BOUGH_NOT_FOUND, bough_queue_promote(t->store, s, a, &t->err));
    c = ask(t, s, "c")->id;
    CHECK(strcmp(b, c) != 0);
    CHECK(row_of(t, RAW_RECORD, 1, RECORD_QUEUE, 1)->u.record.deleted);
    CHECK(row_of(t, RAW_RECORD, 1, RECORD_QUEUE, 2)->u.record.deleted);
    CHECK(!row_of(t, RAW_RECORD, 1, RECORD_QUEUE, 3)->u.record.deleted);
    CHECK_STR("c", waiting(t, s));
}

/* --- scope of a queue --- */

STORE_TEST(a_queue_belongs_to_one_session)
{
    const char *s = new_session(t, "x"), *other = new_session(t, "y"), *id = ask(t, s, "a")->id;
    const char *fork = fork_at(t, s, user(t, s, "one"));
    struct bough_prompt in = { .content = "x" };
    struct bough_prompts all;

    CHECK_STR("", waiting(t, other));
    CHECK_STR("", waiting(t, fork));
    CHECK_RC(BOUGH_NOT_FOUND, edit(t, other, id, "x"));
    CHECK_RC(BOUGH_NOT_FOUND, bough_queue_remove(t->store, other, id, &t->err));
    CHECK_RC(BOUGH_NOT_FOUND, bough_queue_promote(t->store, fork, id, &t->err));
    CHECK_RC(BOUGH_NOT_FOUND, bough_queue_remove(t->store, s, "nothing", &t->err));
    CHECK_RC(BOUGH_NOT_FOUND, bough_queue_remove(t->store, s, NULL, &t->err));
    CHECK_RC(BOUGH_NOT_FOUND, bough_queue_remove(t->store, s, s, &t->err));
    CHECK_RC(BOUGH_NOT_FOUND, bough_queue_add(t->store, t->arena, "nobody", &in, NULL, &t->err));
    CHECK_RC(BOUGH_NOT_FOUND, bough_queue_list(t->store, t->arena, "nobody", &all, &t->err));
    CHECK_RC(BOUGH_NOT_FOUND, take_rc(t, "nobody"));
    CHECK_STR("a", waiting(t, s));
}

STORE_TEST(an_archived_queue_can_be_read_and_not_changed)
{
    const char *s = new_session(t, "x"), *id = ask(t, s, "a")->id;
    struct bough_prompt in = { .content = "x" };

    CHECK_OK(bough_session_archive(t->store, s, &t->err));
    CHECK_RC(BOUGH_ARCHIVED, bough_queue_add(t->store, t->arena, s, &in, NULL, &t->err));
    CHECK_RC(BOUGH_ARCHIVED, edit(t, s, id, "x"));
    CHECK_RC(BOUGH_ARCHIVED, bough_queue_remove(t->store, s, id, &t->err));
    CHECK_RC(BOUGH_ARCHIVED, bough_queue_promote(t->store, s, id, &t->err));
    CHECK_RC(BOUGH_ARCHIVED, take_rc(t, s));
    CHECK_STR("a", waiting(t, s));
    CHECK_OK(bough_session_unarchive(t->store, s, &t->err));
    CHECK_STR("a", take(t, s));
}

STORE_TEST(C22_a_queue_goes_with_its_session)
{
    const char *s = new_session(t, "x"), *other = new_session(t, "y");
    struct bough_session_purge_result report;
    struct bough_prompt in = { .content = "x" };
    struct bough_prompts all;

    ask(t, s, "a");
    ask(t, s, "b");
    ask(t, other, "c");
    CHECK_STR("a", take(t, s));
    CHECK_OK(bough_session_purge(t->store, t->arena, s, &report, &t->err));
    CHECK_INT(2, report.records);
    CHECK_RC(BOUGH_GONE, bough_queue_list(t->store, t->arena, s, &all, &t->err));
    CHECK_RC(BOUGH_GONE, take_rc(t, s));
    CHECK_RC(BOUGH_GONE, bough_queue_add(t->store, t->arena, s, &in, NULL, &t->err));
    CHECK_STR("c", waiting(t, other));
}

STORE_TEST(every_change_of_a_queue_is_one_row_of_the_log)
{
    const char *s = new_session(t, "x"), *a = ask(t, s, "a")->id, *b = ask(t, s, "b")->id;
    int64_t from = last_change(t);
    struct bough_changes log;

    CHECK_OK(bough_queue_promote(t->store, s, b, &t->err));
    CHECK_OK(edit(t, s, a, "A"));
    CHECK_OK(bough_queue_remove(t->store, s, a, &t->err));
    CHECK_STR("b", take(t, s));
    ask(t, s, "c");
    CHECK_OK(bough_store_log(t->store, t->arena, &(struct bough_store_log_options){ .after = from },
                             &log, &t->err));
    CHECK_INT(5, log.n);
    for (size_t i = 0; i < log.n; i++) {
        CHECK_STR("record", log.at[i].kind);
        CHECK_STR(s, log.at[i].session);
        CHECK_INT(1, log.at[i].count);
    }
}

STORE_TEST(a_damaged_prompt_is_corrupt_and_the_others_are_not_held_up)
{
    const char *s = new_session(t, "x"), *a = ask(t, s, "a")->id, *b = ask(t, s, "b")->id;
    struct raw_row *r = row_of(t, RAW_RECORD, 1, RECORD_QUEUE, 1);

    ((char *)(uintptr_t)r->u.record.body.p)[0] ^= 1;
    put(t, r);
    CHECK_RC(BOUGH_CORRUPT, edit(t, s, a, "x"));
    CHECK_RC(BOUGH_CORRUPT, bough_queue_remove(t->store, s, a, &t->err));
    CHECK_OK(edit(t, s, b, "x"));
    put_back(t);
    CHECK_STR("a x", waiting(t, s));
}

/* --- many at once; on the system clock, because the test clock is not thread-safe --- */

enum { THREADS = 8, PROMPTS = 64 };

struct worker {
    struct bough_store *store;
    const char *session;
    int adds;        /* prompts to add before taking until the queue is empty */
    int took[1024];  /* how often each number was taken */
    int taken, full; /* prompts taken; adds refused for lack of room */
    enum bough_rc rc;
    struct bough_error err;
};

static void *work(void *arg)
{
    struct worker *w = arg;
    struct bough_arena *a = bough_arena_create();

    for (int i = 0; i < w->adds && !w->rc; i++) {
        struct bough_prompt in = { .content = arena_printf(a, "%d", i) };

        w->rc = bough_queue_add(w->store, a, w->session, &in, NULL, &w->err);
        if (w->rc == BOUGH_OVERLOADED) {
            w->rc = BOUGH_OK;
            w->full++;
        }
    }
    while (!w->adds && !w->rc) {
        struct bough_prompt *p;
        int number;

        w->rc = bough_queue_take(w->store, a, w->session, &p, &w->err);
        if (w->rc)
            break;
        if (sscanf(p->content, "%d", &number) == 1 && number < 1024)
            w->took[number]++;
        w->taken++;
    }
    if (w->rc == BOUGH_NOT_FOUND && !w->adds)
        w->rc = BOUGH_OK;
    bough_arena_destroy(a);
    return NULL;
}

static struct worker *workers(struct test *t, const char *session, int adds)
{
    struct worker *w = arena_array(t->arena, THREADS, sizeof *w);

    for (size_t i = 0; i < THREADS; i++) {
        w[i].store = t->store;
        w[i].session = session;
        w[i].adds = adds;
    }
    return w;
}

static void run_all(struct worker *w)
{
    pthread_t threads[THREADS];

    for (size_t i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, work, &w[i]) == 0);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (size_t i = 0; i < THREADS; i++)
        if (w[i].rc)
            FAIL("thread %zu: %s (%s)", i, bough_rc_name(w[i].rc), w[i].err.msg);
}

static void use_machine(struct test *t)
{
    bough_store_close(&t->store);
    CHECK_OK(bough_store_open(&t->store, t->url, NULL, &t->err));
}

static void check_each_once(struct worker *w)
{
    int taken = 0;

    for (int k = 0; k < PROMPTS; k++) {
        int times = 0;

        for (size_t i = 0; i < THREADS; i++)
            times += w[i].took[k];
        CHECK_INT(1, times);
    }
    for (size_t i = 0; i < THREADS; i++)
        taken += w[i].taken;
    CHECK_INT(PROMPTS, taken);
}

STORE_TEST(U22_of_many_takers_exactly_one_gets_each_queued_prompt)
{
    struct worker *w;
    const char *s;

    use_machine(t);
    s = new_session(t, "x");
    for (int i = 0; i < PROMPTS; i++)
        ask(t, s, arena_printf(t->arena, "%d", i));
    w = workers(t, s, 0);
    run_all(w);
    check_each_once(w);
}

STORE_TEST(U22_two_stores_on_one_file_never_take_the_same_prompt_of_a_queue)
{
    struct bough_store *other;
    struct worker *w;
    const char *s;

    if (!store_lasts(t))
        return;
    use_machine(t);
    s = new_session(t, "x");
    for (int i = 0; i < PROMPTS; i++)
        ask(t, s, arena_printf(t->arena, "%d", i));
    CHECK_OK(bough_store_open(&other, t->url, NULL, &t->err));
    w = workers(t, s, 0);
    for (size_t i = 0; i < THREADS; i += 2)
        w[i].store = other;
    run_all(w);
    bough_store_close(&other);
    check_each_once(w);
}

STORE_TEST_SECONDS(a_queue_holds_256_prompts_also_when_many_add_at_once, 60)
{
    struct bough_prompt in = { .content = "x" };
    struct bough_prompts all;
    struct worker *w;
    const char *s;
    int full = 0;

    use_machine(t);
    s = new_session(t, "x");
    w = workers(t, s, LIMIT_PENDING / THREADS + 4);
    run_all(w);
    for (size_t i = 0; i < THREADS; i++)
        full += w[i].full;
    CHECK_INT(4 * THREADS, full);
    CHECK_OK(bough_queue_list(t->store, t->arena, s, &all, &t->err));
    CHECK_INT(LIMIT_PENDING, all.n);
    CHECK_RC(BOUGH_OVERLOADED, bough_queue_add(t->store, t->arena, s, &in, NULL, &t->err));
    take(t, s);
    CHECK_OK(bough_queue_add(t->store, t->arena, s, &in, NULL, &t->err));
}

STORE_TEST(queueing_does_not_conflict_with_appends)
{
    struct worker *w;
    const char *s;
    pthread_t thread;

    use_machine(t);
    s = new_session(t, "x");
    w = workers(t, s, 50);
    CHECK(pthread_create(&thread, NULL, work, w) == 0);
    for (int i = 0; i < 50; i++)
        user(t, s, "m");
    pthread_join(thread, NULL);
    CHECK_INT(BOUGH_OK, w->rc);
    CHECK_INT(50, get(t, s)->messages);
    CHECK_STR("0", take(t, s));
}

/* --- fsck --- */

STORE_TEST(fsck_I_29_sees_queued_prompts_that_are_empty_or_hidden)
{
    const char *s = new_session(t, "x");
    struct queue_body b;
    struct raw_row *r;

    ask(t, s, "a");
    ask(t, s, "b");
    ask(t, s, "c");
    CHECK_OK(bough_store_upkeep(t->store, &t->err));
    for (int i = 0; i < 4; i++) {
        r = row_of(t, RAW_RECORD, 1, RECORD_QUEUE, 3);
        body_of_row(t, r, &b);
        CHECK_INT(1, b.from);
        b.from = i == 0 ? 2 : i == 1 ? 0 : i == 2 ? 3 : 1;
        b.content = i == 3 ? "" : b.content;
        body_put(t, r, &b);
        expect(t, "I-29", "", "record 1.6.3");
    }
    r = row_of(t, RAW_RECORD, 1, RECORD_QUEUE, 1);
    r->u.record.deleted = 1; /* as if taken: the newest row's `from` may then be 2 */
    put(t, r);
    r = row_of(t, RAW_RECORD, 1, RECORD_QUEUE, 3);
    b.from = 2;
    b.content = "c";
    body_put(t, r, &b);
    check_clean(t);
    put_back(t);
}
