/* PostgreSQL: operations on many rows take only a few round trips. */
#include "lib/store_test.h"
#include "store/engine/engine.h"
#include "store/postgres/wire/db.h"

enum { SESSIONS = 40, MESSAGES = 120 };

static unsigned long rounds(const struct bough_store *s)
{
    return ((struct postgres *)s->e->backend)->rounds;
}

/* Create sessions with a message and a call each, and open a reader without background work. */
static struct bough_store *world(struct test *t)
{
    struct bough_call_new call = { .model = "m", .provider = "p", .used = { .input = 7 } };
    struct bough_entry_new e = { .role = BOUGH_ROLE_ASSISTANT,
                                 .text = "a heron stood there",
                                 .by_call = true };
    struct bough_append_options in = { .entries = &e, .n = 1, .call = &call };
    struct bough_store *reader;
    const char *session[SESSIONS];

    if (store_has_file(t) || !store_lasts(t))
        SKIP("a question costs little here");
    for (int i = 0; i < SESSIONS; i++)
        session[i] = new_session(t, "by the water");
    for (int i = 0; i < MESSAGES; i++) {
        struct bough_append_result out;

        CHECK_OK(bough_append(t->store, t->arena, session[i % SESSIONS], &in, &out, &t->err));
    }
    CHECK_OK(bough_store_open(&reader, t->url,
                              &(struct bough_store_open_options){ .read_only = true }, &t->err));
    return reader;
}

STORE_TEST(a_list_is_a_few_round_trips)
{
    struct bough_store *s = world(t);
    struct bough_session_list_options filter = { .limit = SESSIONS };
    struct bough_sessions out;
    unsigned long before = rounds(s);

    CHECK_OK(bough_session_list(s, t->arena, &filter, &out, &t->err));
    CHECK_INT(SESSIONS, out.n);
    CHECK_INT(MESSAGES / SESSIONS * 7, out.at[0].rolled.input);
    CHECK(rounds(s) - before <= 10);
    bough_store_close(&s);
}

STORE_TEST(a_page_with_its_calls_is_a_few_round_trips)
{
    struct bough_store *s = world(t);
    struct bough_entries_read_options how = { .calls = true };
    struct bough_entries_read_result out;
    unsigned long before = rounds(s);

    CHECK_OK(bough_entries_read(s, t->arena, "#1", &how, &out, &t->err));
    CHECK_INT(MESSAGES / SESSIONS, out.entries.n);
    CHECK_INT(MESSAGES / SESSIONS, out.calls->n);
    CHECK_INT(7, out.calls->at[2].used.input);
    CHECK(rounds(s) - before <= 6);
    bough_store_close(&s);
}

STORE_TEST(an_outline_of_many_branches_is_a_few_round_trips)
{
    struct bough_store *s = world(t);
    struct bough_entry_new e = { .role = BOUGH_ROLE_USER, .text = "another way" };
    struct bough_append_options in = { .entries = &e, .n = 1, .at = "#1.1" };
    struct bough_tree_outline_result out;
    unsigned long before;

    for (int i = 0; i < MESSAGES; i++) {
        struct bough_append_result done;

        CHECK_OK(bough_append(t->store, t->arena, "#1", &in, &done, &t->err));
        CHECK_OK(bough_label_set(t->store, "#1", done.ids[0], "tried", &t->err));
    }
    before = rounds(s);
    CHECK_OK(bough_tree_outline(s, t->arena, "#1", NULL, &out, &t->err));
    CHECK_INT(MESSAGES + 1, out.nbranches);
    CHECK_INT(MESSAGES, out.nmarks);
    CHECK_STR("another way", out.branches[MESSAGES].preview);
    CHECK(rounds(s) - before <= 24);
    bough_store_close(&s);
}

STORE_TEST(following_is_a_few_round_trips)
{
    struct bough_store *s = world(t);
    struct bough_feed_next_result f;
    unsigned long before = rounds(s);

    CHECK_OK(bough_feed_next(s, t->arena, (struct bough_mark){ 0 }, 1000, 0, &f, &t->err));
    CHECK_INT(SESSIONS + MESSAGES, f.changes.n);
    for (size_t i = SESSIONS; i < f.changes.n; i++) {
        CHECK(*f.changes.at[i].entry && *f.changes.at[i].session);
        CHECK_INT(1, f.changes.at[i].ncalls);
    }
    CHECK(rounds(s) - before <= 4);
    bough_store_close(&s);
}

STORE_TEST(a_search_is_a_few_round_trips)
{
    struct bough_store *s = world(t);
    struct bough_search_options in = { .query = "heron", .limit = 30 };
    struct bough_hits out;
    unsigned long before;

    CHECK_OK(bough_store_upkeep(t->store, &t->err));
    before = rounds(s);
    CHECK_OK(bough_search(s, t->arena, &in, &out, &t->err));
    CHECK_INT(30, out.n);
    CHECK(rounds(s) - before <= 12);
    bough_store_close(&s);
}

STORE_TEST(bringing_lists_and_text_up_to_date_is_a_few_round_trips)
{
    struct bough_store *s, *other;
    unsigned long before;

    store_indexing(t->store, false); /* only the reader indexes */
    s = world(t);
    bough_store_close(&s);
    CHECK_OK(bough_store_open(&other, t->url, NULL, &t->err));
    before = rounds(other);
    CHECK_OK(bough_store_upkeep(other, &t->err));
    CHECK(rounds(other) - before <= 40);
    bough_store_close(&other);
}

/* With both ways to configure a connection: once, and in every transaction. */
STORE_TEST(rows_can_be_announced_before_the_first_read)
{
    const struct wanted want[] = { { WANT_SESSION, 1, 0 }, { WANT_SESSION, 2, 0 } };
    const char *url[] = { t->url, arena_printf(t->arena, "%s&prepare=off", t->url) };

    if (store_has_file(t) || !store_lasts(t))
        SKIP("a question costs little here");
    new_session(t, "one");
    new_session(t, "two");
    for (int i = 0; i < 2; i++) {
        struct bough_store_open_options how = { .read_only = true };
        struct bough_store *s;
        struct session_row row;
        struct head_now head;
        struct snap snap;
        unsigned long before;

        CHECK_OK(bough_store_open(&s, url[i], &how, &t->err));
        CHECK_OK(snap_begin(s, &snap, &t->err));
        before = rounds(s);
        snap.ops->ahead(snap.v, want, 2);
        CHECK_OK(snap.ops->session_get(snap.v, t->arena, 2, &row, &t->err));
        CHECK_STR("two", row.slug);
        CHECK_OK(snap.ops->head_get(snap.v, t->arena, 1, &head, &t->err));
        CHECK_INT(1, head.row.sid);
        CHECK_INT(1, rounds(s) - before);
        snap_end(&snap);
        bough_store_close(&s);
    }
}

STORE_TEST(a_follower_that_is_behind_does_not_sleep_between_pages)
{
    struct bough_store *s = world(t);
    struct bough_mark at = { 0 };
    struct bough_feed_next_result f = { 0 };

    do {
        CHECK_OK(bough_feed_next(s, t->arena, at, 50, 5000, &f, &t->err));
        /* A follower waits only at the end. */
        CHECK_INT(f.next.no + (*f.changes.next != '\0'), s->e->feed.no);
        at = f.next;
    } while (*f.changes.next);
    bough_store_close(&s);
}

/* With both ways to configure a connection: the server must end statements that wait too long. */
STORE_TEST(a_connection_waits_for_nothing_for_ever)
{
    static const char sql[] = "SELECT current_setting('lock_timeout') || ' ' ||"
                              " current_setting('statement_timeout') || ' ' ||"
                              " current_setting('idle_in_transaction_session_timeout')";
    const char *url[] = { t->url, arena_printf(t->arena, "%s&prepare=off", t->url) };

    if (store_has_file(t) || !store_lasts(t))
        SKIP("it has no connections");
    for (int i = 0; i < 2; i++) {
        struct bough_store *s;
        struct snap snap;
        PGresult *r;

        CHECK_OK(bough_store_open(
            &s, url[i], &(struct bough_store_open_options){ .read_only = true }, &t->err));
        CHECK_OK(snap_begin(s, &snap, &t->err));
        CHECK_OK(pg_ask_begin(snap.v, &t->err));
        CHECK_OK(pg_send_text(conn_of(snap.v), NULL, NULL, sql, "", NULL, &t->err));
        CHECK_OK(pg_answer(snap.v, &r, &t->err));
        CHECK_STR("1min 10min 1min", PQgetvalue(r, 0, 0));
        PQclear(r);
        snap_end(&snap);
        bough_store_close(&s);
    }
}
