/* Lists: paging by cursor, and the previews in lists (U18, H17, H17b). */
#include "lib/store_test.h"

#include <stdio.h>
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"

/* --- U18: pages --- */

/* The titles of all pages of `limit`, joined by spaces. `between` runs after each page. */
static const char *all_pages(struct test *t, struct bough_session_list_options f, int64_t limit,
                             void (*between)(struct test *t))
{
    struct bough_sessions page;
    const char *all = "";

    f.limit = limit;
    do {
        CHECK_OK(bough_session_list(t->store, t->arena, &f, &page, &t->err));
        CHECK(page.n <= (size_t)limit);
        for (size_t i = 0; i < page.n; i++)
            all = arena_printf(t->arena, "%s%s%s", all, *all ? " " : "", page.at[i].title);
        CHECK(!*page.next || page.n == (size_t)limit);
        f.cursor = page.next;
        if (between)
            between(t);
    } while (*page.next);
    return all;
}

static void seven(struct test *t)
{
    struct bough_session_create_options in = { 0 };
    struct bough_session *s;

    for (int i = 0; i < 7; i++) {
        in.title = arena_printf(t->arena, "%c", 'a' + i);
        in.created = 1000 + i / 3; /* ties */
        CHECK_OK(bough_session_create(t->store, t->arena, &in, &s, &t->err));
        if (i == 3)
            CHECK_OK(bough_store_upkeep(t->store, &t->err));
    }
}

STORE_TEST(U18_pages_of_every_size_have_no_gap_and_no_duplicate)
{
    seven(t);
    for (int order = BOUGH_BY_CREATED; order <= BOUGH_BY_MODIFIED; order++)
        for (int64_t limit = 1; limit <= 8; limit++)
            CHECK_STR("g f e d c b a", all_pages(t,
                                                 (struct bough_session_list_options){
                                                     .order = (enum bough_session_order)order },
                                                 limit, NULL));
}

STORE_TEST(U18_pages_with_a_filter_have_no_gap_and_no_duplicate)
{
    struct bough_session_list_options f = { .query = "x" };

    for (int i = 0; i < 20; i++)
        new_session(t, arena_printf(t->arena, "%s%d", i % 3 ? "x" : "y", i));
    CHECK_STR("x19 x17 x16 x14 x13 x11 x10 x8 x7 x5 x4 x2 x1", all_pages(t, f, 3, NULL));
    CHECK_OK(bough_store_upkeep(t->store, &t->err));
    CHECK_STR("x19 x17 x16 x14 x13 x11 x10 x8 x7 x5 x4 x2 x1", all_pages(t, f, 3, NULL));
}

static void new_one(struct test *t)
{
    new_session(t, "new");
}

STORE_TEST(U18_sessions_made_between_pages_do_not_shift_them)
{
    seven(t);
    CHECK_STR("g f e d c b a", all_pages(t, (struct bough_session_list_options){ 0 }, 2, new_one));
}

static void touch_and_fold(struct test *t)
{
    struct bough_sessions found;

    CHECK_OK(bough_session_list(t->store, t->arena,
                                &(struct bough_session_list_options){ .limit = 1000 }, &found,
                                &t->err));
    for (size_t i = 0; i < found.n; i++)
        user(t, found.at[i].id, "touched");
    CHECK_OK(bough_store_upkeep(t->store, &t->err));
}

STORE_TEST(U18_sessions_that_change_between_pages_stay_in_place_by_created)
{
    seven(t);
    CHECK_STR("g f e d c b a",
              all_pages(t, (struct bough_session_list_options){ 0 }, 2, touch_and_fold));
}

STORE_TEST(U18_a_session_deleted_at_the_cursor_leaves_the_rest_as_it_is)
{
    struct bough_session_list_options f = { .limit = 3 };
    struct bough_sessions page;

    seven(t);
    CHECK_OK(bough_session_list(t->store, t->arena, &f, &page, &t->err));
    CHECK_STR("e", page.at[2].title);
    CHECK_OK(bough_session_delete(t->store, page.at[2].id, &t->err));
    f.cursor = page.next;
    CHECK_OK(bough_session_list(t->store, t->arena, &f, &page, &t->err));
    CHECK_INT(3, page.n);
    CHECK_STR("d", page.at[0].title);
    CHECK_STR("b", page.at[2].title);
}

STORE_TEST(U18_a_cursor_of_another_order_or_of_nothing_is_refused)
{
    struct bough_session_list_options f = { .limit = 3 };
    struct bough_sessions page;
    const char *bad[] = { "x", "0.1", "0.1.2.3", "9.1.1", "0.1.1 " };

    seven(t);
    CHECK_OK(bough_session_list(t->store, t->arena, &f, &page, &t->err));
    f.cursor = page.next;
    f.order = BOUGH_BY_UPDATED;
    CHECK_RC(BOUGH_INVALID, bough_session_list(t->store, t->arena, &f, &page, &t->err));
    f.order = BOUGH_BY_CREATED;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        f.cursor = bad[i];
        CHECK_RC(BOUGH_INVALID, bough_session_list(t->store, t->arena, &f, &page, &t->err));
    }
    f.cursor = "";
    f.order = (enum bough_session_order)7;
    CHECK_RC(BOUGH_INVALID, bough_session_list(t->store, t->arena, &f, &page, &t->err));
}

STORE_TEST(U18_an_exact_last_page_has_no_next)
{
    struct bough_session_list_options f = { .limit = 7 };
    struct bough_sessions page;

    seven(t);
    CHECK_OK(bough_session_list(t->store, t->arena, &f, &page, &t->err));
    CHECK_INT(7, page.n);
    CHECK_STR("", page.next);
}

STORE_TEST_SECONDS(U18_three_hundred_pending_sessions_page_like_folded_ones, 60)
{
    const char *pending, *folded;

    for (int i = 0; i < 300; i++)
        new_session(t, arena_printf(t->arena, "%d", i));
    pending = all_pages(t, (struct bough_session_list_options){ 0 }, 7, NULL);
    CHECK_OK(bough_store_upkeep(t->store, &t->err));
    folded = all_pages(t, (struct bough_session_list_options){ 0 }, 11, NULL);
    CHECK_STR(folded, pending);
    CHECK(strncmp(folded, "299 298 297 ", 12) == 0);
    CHECK(strcmp(folded + strlen(folded) - 6, " 2 1 0") == 0);
}

/* --- H17, H17b: previews --- */

static void check_previews(struct test *t, const char *s, const char *first, const char *last,
                           const char *said)
{
    struct bough_sessions found;

    for (int i = 0; i < 2; i++) {
        CHECK_STR(first, get(t, s)->first_user);
        CHECK_STR(last, get(t, s)->last_user);
        CHECK_STR(said, get(t, s)->last_agent);
        CHECK_OK(bough_session_list(t->store, t->arena,
                                    &(struct bough_session_list_options){ .roots = true }, &found,
                                    &t->err));
        CHECK_STR(first, found.at[found.n - 1].first_user);
        CHECK_STR(last, found.at[found.n - 1].last_user);
        CHECK_STR(said, found.at[found.n - 1].last_agent);
        CHECK_OK(bough_store_upkeep(t->store, &t->err));
    }
}

static const char *add_parts(struct test *t, const char *s, enum bough_role role, const char *json)
{
    struct bough_entry_new e = { .role = role };
    struct bough_append_options in = { .entries = &e, .n = 1 };
    struct bough_append_result out;
    struct bough_str *parts;

    CHECK_OK(bough_parts_split(t->arena, str_of(json), &parts, &e.nparts, &t->err));
    e.parts = parts;
    CHECK_OK(bough_append(t->store, t->arena, s, &in, &out, &t->err));
    return out.ids[0];
}

STORE_TEST(H17_previews_follow_the_first_and_last_messages)
{
    const char *s = new_session(t, "x");

    check_previews(t, s, "", "", "");
    user(t, s, "u1");
    check_previews(t, s, "u1", "u1", "");
    agent(t, s, "a1");
    user(t, s, "u2");
    agent(t, s, "a2");
    add(t, s, BOUGH_ROLE_TOOL, "tool");
    check_previews(t, s, "u1", "u2", "a2");
}

STORE_TEST(H17_the_first_preview_is_of_the_first_user_message_with_text)
{
    const char *s = new_session(t, "x");

    add(t, s, BOUGH_ROLE_SYSTEM, "system");
    add_parts(t, s, BOUGH_ROLE_USER, "[{\"type\":\"tool_result\",\"tool_use_id\":\"x\"}]");
    add_parts(t, s, BOUGH_ROLE_USER, "[{\"type\":\"text\",\"text\":\"\"}]");
    check_previews(t, s, "", "", "");
    add_parts(t, s, BOUGH_ROLE_USER,
              "[{\"type\":\"reasoning\",\"text\":\"r\"},{\"type\":\"text\",\"text\":\"\"},"
              "{\"type\":\"text\",\"text\":\"real\"},{\"type\":\"text\",\"text\":\"more\"}]");
    check_previews(t, s, "real", "real", "");
}

STORE_TEST(H17_previews_are_cut_at_256_and_160_bytes)
{
    const char *s = new_session(t, "x");
    char text[401], first[257], last[161];

    memset(text, 'a', 400);
    text[400] = '\0';
    memset(first, 'a', 256);
    first[256] = '\0';
    memset(last, 'a', 160);
    last[160] = '\0';
    user(t, s, text);
    agent(t, s, text);
    check_previews(t, s, first, last, last);
}

STORE_TEST(H17_previews_are_cut_between_characters)
{
    const char *s = new_session(t, "x");
    char text[401] = "", first[257], last[161];

    for (size_t i = 0; i < 400; i += 4)
        memcpy(text + i, "🌳", 5);
    memmove(text + 1, text, 396); /* shift, so that the limits fall inside a character */
    text[0] = 'x';
    text[397] = '\0';
    snprintf(first, sizeof first, "%.253s", text);
    snprintf(last, sizeof last, "%.157s", text);
    user(t, s, text);
    agent(t, s, text);
    check_previews(t, s, first, last, last);
}

STORE_TEST(H17_a_preview_of_exactly_256_bytes_is_whole)
{
    const char *s = new_session(t, "x");
    char text[257], last[161];

    memset(text, 'a', 254);
    memcpy(text + 254, "ü", 3);
    memset(last, 'a', 160);
    last[160] = '\0';
    user(t, s, text);
    check_previews(t, s, text, last, "");
}

STORE_TEST(H17_escapes_count_as_the_characters_they_are)
{
    const char *s = new_session(t, "x");

    add_parts(t, s, BOUGH_ROLE_USER,
              "[{\"type\":\"text\",\"text\":\"\\u00fc\\n\\ud83c\\udf33\\u0000\\\"\"}]");
    check_previews(t, s, "ü\n🌳 \"", "ü\n🌳 \"", "");
}

STORE_TEST(H17_a_fork_starts_with_empty_previews)
{
    const char *s = new_session(t, "x"), *f;

    user(t, s, "u1");
    f = fork_at(t, s, agent(t, s, "a1"));
    CHECK_STR("", get(t, f)->first_user);
    CHECK_STR("", get(t, f)->last_agent);
    user(t, f, "f1");
    CHECK_STR("f1", get(t, f)->first_user);
    CHECK_STR("u1", get(t, s)->first_user);
}

STORE_TEST(H17b_the_last_previews_fall_back_when_a_message_is_deleted)
{
    const char *s = new_session(t, "x"), *u2, *a2;

    user(t, s, "u1");
    agent(t, s, "a1");
    u2 = user(t, s, "u2");
    a2 = agent(t, s, "a2");
    CHECK_OK(bough_entry_delete(t->store, s, u2, &t->err));
    check_previews(t, s, "u1", "u1", "a2");
    CHECK_OK(bough_entry_delete(t->store, s, a2, &t->err));
    check_previews(t, s, "u1", "u1", "a1");
    CHECK_OK(bough_entry_restore(t->store, s, u2, &t->err));
    check_previews(t, s, "u1", "u2", "a1");
    CHECK_OK(bough_entry_restore(t->store, s, a2, &t->err));
    check_previews(t, s, "u1", "u2", "a2");
}

STORE_TEST(H17b_the_last_previews_skip_messages_without_text)
{
    const char *s = new_session(t, "x");

    user(t, s, "u1");
    agent(t, s, "a1");
    add_parts(t, s, BOUGH_ROLE_USER, "[{\"type\":\"tool_result\",\"tool_use_id\":\"x\"}]");
    add_parts(t, s, BOUGH_ROLE_ASSISTANT, "[{\"type\":\"tool_use\",\"id\":\"x\",\"name\":\"n\"}]");
    add_parts(t, s, BOUGH_ROLE_ASSISTANT, "[]");
    check_previews(t, s, "u1", "u1", "a1");
}
