/* Lists: order, filters, search, previews, counts (H9, H10, H17, H17b, C16, U18). */
#include "lib/store_test.h"

#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"

static const char *make(struct test *t, const struct bough_session_create_options *in)
{
    struct bough_session *s;

    CHECK_OK(bough_session_create(t->store, t->arena, in, &s, &t->err));
    return s->id;
}

/* The titles of a list in its order, joined by spaces. */
static const char *titles_of(struct test *t, struct bough_store *store,
                             const struct bough_session_list_options *f)
{
    struct bough_sessions found;
    const char *all = "";

    CHECK_OK(bough_session_list(store, t->arena, f, &found, &t->err));
    for (size_t i = 0; i < found.n; i++)
        all = arena_printf(t->arena, "%s%s%s", all, i ? " " : "", found.at[i].title);
    return all;
}

/* The list is the same before and after folding, and from a second handle. */
static void check_list(struct test *t, const char *want, const struct bough_session_list_options *f)
{
    struct bough_store *other = NULL;

    CHECK_STR(want, titles_of(t, t->store, f));
    CHECK_OK(bough_store_upkeep(t->store, &t->err));
    CHECK_STR(want, titles_of(t, t->store, f));
    if (store_lasts(t))
        CHECK_OK(bough_store_open(&other, t->url, NULL, &t->err));
    else
        other = bough_store_scoped(t->store, NULL);
    CHECK_STR(want, titles_of(t, other, f));
    bough_store_close(&other);
}

/* --- H9 --- */

STORE_TEST(H9_the_newest_created_session_comes_first_whatever_happened_since)
{
    const char *a = new_session(t, "a");

    new_session(t, "b");
    new_session(t, "c");
    user(t, a, "active");
    check_list(t, "c b a", NULL);
    check_list(t, "c b a", &(struct bough_session_list_options){ .limit = 0 });
}

STORE_TEST(H9_sessions_created_at_the_same_moment_are_ordered_by_id)
{
    struct bough_session_create_options in = { .created = 1000 };

    for (const char *p = "a\0b\0c\0"; *p; p += 2) {
        in.title = p;
        make(t, &in);
    }
    check_list(t, "c b a", NULL);
    for (int order = BOUGH_BY_CREATED; order <= BOUGH_BY_MODIFIED; order++)
        check_list(
            t, "c b a",
            &(struct bough_session_list_options){ .order = (enum bough_session_order)order });
}

STORE_TEST(H9_deleted_sessions_are_listed_only_when_asked_for)
{
    const char *a = new_session(t, "a");

    new_session(t, "b");
    CHECK_OK(bough_session_delete(t->store, a, &t->err));
    check_list(t, "b", NULL);
    check_list(t, "b a", &(struct bough_session_list_options){ .include_deleted = true });
    check_list(t, "a", &(struct bough_session_list_options){ .only_deleted = true });
    CHECK_OK(bough_session_restore(t->store, a, &t->err));
    check_list(t, "b a", NULL);
    check_list(t, "", &(struct bough_session_list_options){ .only_deleted = true });
}

STORE_TEST(H9_all_kinds_are_listed_unless_one_is_asked_for)
{
    const char *p = new_session(t, "p");

    make(t, &(struct bough_session_create_options){
                .title = "s", .kind = BOUGH_SUBAGENT, .parent = p });
    check_list(t, "s p", NULL);
    check_list(t, "p", &(struct bough_session_list_options){ .kinds = BOUGH_KINDS_PRIMARY });
    check_list(t, "s", &(struct bough_session_list_options){ .kinds = BOUGH_KINDS_SUBAGENT });
}

STORE_TEST(H9_a_parent_filter_gives_forks_and_subagents_alike)
{
    const char *p = new_session(t, "p");
    struct bough_session_create_options in = { .title = "f",
                                               .parent = p,
                                               .fork_entry = user(t, p, "one") };
    const char *f = make(t, &in);

    make(t, &(struct bough_session_create_options){
                .title = "s", .kind = BOUGH_SUBAGENT, .parent = p });
    make(t, &(struct bough_session_create_options){
                .title = "ss", .kind = BOUGH_SUBAGENT, .parent = f });
    check_list(t, "s f", &(struct bough_session_list_options){ .parent = p });
    check_list(t, "ss", &(struct bough_session_list_options){ .parent = f });
    check_list(t, "p", &(struct bough_session_list_options){ .roots = true });
    check_list(t, "f",
               &(struct bough_session_list_options){ .parent = p, .kinds = BOUGH_KINDS_PRIMARY });
    check_list(t, "", &(struct bough_session_list_options){ .parent = p, .roots = true });
}

STORE_TEST(H9_an_unknown_parent_or_project_matches_nothing)
{
    new_session(t, "a");
    check_list(t, "", &(struct bough_session_list_options){ .project = "/nowhere" });
    check_list(t, "", &(struct bough_session_list_options){ .workspace = "/nowhere" });
    check_list(t, "", &(struct bough_session_list_options){ .account = "nobody" });
    check_list(t, "", &(struct bough_session_list_options){ .parent = "nobody" });
}

STORE_TEST(H9_a_limit_of_0_is_50)
{
    struct bough_sessions found;

    for (int i = 0; i < 51; i++)
        new_session(t, arena_printf(t->arena, "t%d", i));
    CHECK_OK(bough_session_list(t->store, t->arena, NULL, &found, &t->err));
    CHECK_INT(50, found.n);
    CHECK_STR("t50", found.at[0].title);
    CHECK_STR("t1", found.at[49].title);
    CHECK(*found.next);
}

/* --- U18: every filter --- */

static void fill(struct test *t)
{
    make(t, &(struct bough_session_create_options){ .title = "a",
                                                    .project = "/p",
                                                    .workspace = "w",
                                                    .account = "x",
                                                    .role_name = "r",
                                                    .provider_path = "direct",
                                                    .model_provider = "mp",
                                                    .model_name = "mn",
                                                    .created = 1000 });
    make(t, &(struct bough_session_create_options){ .title = "b",
                                                    .project = "/p",
                                                    .workspace = "v",
                                                    .account = "x",
                                                    .role_name = "q",
                                                    .provider_path = "opencode",
                                                    .model_provider = "mp",
                                                    .model_name = "other",
                                                    .created = 2000 });
    make(t, &(struct bough_session_create_options){ .title = "c",
                                                    .project = "/p/q",
                                                    .workspace = "w",
                                                    .account = "y",
                                                    .role_name = "r",
                                                    .provider_path = "direct",
                                                    .model_provider = "zz",
                                                    .model_name = "mn",
                                                    .created = 3000 });
    new_session(t, "d");
}

STORE_TEST(U18_every_filter_by_a_name_is_exact)
{
    fill(t);
    check_list(t, "b a", &(struct bough_session_list_options){ .project = "/p" });
    check_list(t, "c a", &(struct bough_session_list_options){ .workspace = "w" });
    check_list(t, "b a", &(struct bough_session_list_options){ .account = "x" });
    check_list(t, "c a", &(struct bough_session_list_options){ .role_name = "r" });
    check_list(t, "c a", &(struct bough_session_list_options){ .provider_path = "direct" });
    check_list(t, "b a", &(struct bough_session_list_options){ .model_provider = "mp" });
    check_list(t, "c a", &(struct bough_session_list_options){ .model_name = "mn" });
    check_list(t, "", &(struct bough_session_list_options){ .role_name = "R" });
}

STORE_TEST(U18_filters_together_are_all_required)
{
    fill(t);
    check_list(t, "a", &(struct bough_session_list_options){ .project = "/p", .workspace = "w" });
    check_list(t, "a",
               &(struct bough_session_list_options){ .model_provider = "mp", .model_name = "mn" });
    check_list(t, "", &(struct bough_session_list_options){ .project = "/p", .account = "y" });
    check_list(t, "c",
               &(struct bough_session_list_options){ .role_name = "r", .created_from = 2000 });
    check_list(t, "b", &(struct bough_session_list_options){ .project = "/p", .query = "B" });
    check_list(t, "c a",
               &(struct bough_session_list_options){
                   .workspace = "w", .role_name = "r", .provider_path = "direct", .active = true });
}

STORE_TEST(U18_a_range_has_its_beginning_and_not_its_end)
{
    fill(t);
    check_list(t, "b a", &(struct bough_session_list_options){ .created_to = 3000 });
    check_list(t, "b",
               &(struct bough_session_list_options){ .created_from = 2000, .created_to = 3000 });
    check_list(t, "d c b", &(struct bough_session_list_options){ .created_from = 2000 });
}

STORE_TEST(U18_a_range_of_updated_times)
{
    const char *a = new_session(t, "a"), *b = new_session(t, "b");
    int64_t at;

    test_later(t, 1000);
    user(t, a, "x");
    at = get(t, a)->updated;
    check_list(t, "a", &(struct bough_session_list_options){ .updated_from = at });
    check_list(t, "b", &(struct bough_session_list_options){ .updated_to = at });
    check_list(t, "a",
               &(struct bough_session_list_options){ .updated_from = at, .updated_to = at + 1 });
    check_list(t, "", &(struct bough_session_list_options){ .updated_from = at + 1 });
    CHECK(get(t, b)->updated < at);
}

static void fill_statuses(struct test *t)
{
    const char *b, *r, *x;

    new_session(t, "i");
    b = new_session(t, "b");
    r = new_session(t, "r");
    x = new_session(t, "x");
    CHECK_OK(bough_session_status(t->store, b, BOUGH_STATUS_BUSY, "o", 9999, NULL, &t->err));
    CHECK_OK(bough_session_status(t->store, r, BOUGH_STATUS_BUSY, "o", 9999, NULL, &t->err));
    CHECK_OK(bough_session_status(t->store, r, BOUGH_STATUS_RETRY, "o", 0, NULL, &t->err));
    CHECK_OK(bough_session_archive(t->store, x, &t->err));
}

STORE_TEST(U18_status_is_any_of_the_words)
{
    struct bough_sessions found;

    fill_statuses(t);
    check_list(t, "i", &(struct bough_session_list_options){ .status = "idle" });
    check_list(t, "r b", &(struct bough_session_list_options){ .status = "busy retry" });
    check_list(t, "x", &(struct bough_session_list_options){ .status = "archived" });
    check_list(t, "x r b i", &(struct bough_session_list_options){ .status = "" });
    CHECK_RC(BOUGH_INVALID,
             bough_session_list(t->store, t->arena,
                                &(struct bough_session_list_options){ .status = "idle lazy" },
                                &found, &t->err));
}

STORE_TEST(U18_active_is_not_archived)
{
    fill_statuses(t);
    check_list(t, "r b i", &(struct bough_session_list_options){ .active = true });
    check_list(t, "x", &(struct bough_session_list_options){ .archived = true });
    check_list(t, "b",
               &(struct bough_session_list_options){ .active = true, .status = "busy archived" });
}

STORE_TEST(U18_statuses_that_exclude_each_other_match_nothing)
{
    fill_statuses(t);
    check_list(t, "", &(struct bough_session_list_options){ .active = true, .status = "archived" });
    check_list(t, "", &(struct bough_session_list_options){ .archived = true, .status = "idle" });
    check_list(t, "", &(struct bough_session_list_options){ .archived = true, .active = true });
}

/* --- U18: orders --- */

STORE_TEST(U18_three_orders_created_updated_modified)
{
    const char *a = new_session(t, "a"), *b = new_session(t, "b"), *c = new_session(t, "c");

    user(t, b, "x");
    user(t, a, "y");
    CHECK_OK(bough_session_update(
        t->store, c, &(struct bough_session_update_options){ .role_name = "r" }, &t->err));
    check_list(t, "c b a", &(struct bough_session_list_options){ .order = BOUGH_BY_CREATED });
    check_list(t, "c a b", &(struct bough_session_list_options){ .order = BOUGH_BY_UPDATED });
    check_list(t, "a b c", &(struct bough_session_list_options){ .order = BOUGH_BY_MODIFIED });
}

STORE_TEST(U18_modified_is_the_last_user_or_assistant_message)
{
    const char *s = new_session(t, "a");
    struct bough_session *before;

    CHECK_INT(get(t, s)->created, get(t, s)->modified);
    test_later(t, 1000);
    user(t, s, "u");
    before = get(t, s);
    CHECK(before->modified >= before->created + 1000);
    test_later(t, 1000);
    add(t, s, BOUGH_ROLE_TOOL, "result");
    add(t, s, BOUGH_ROLE_SYSTEM, "be kind");
    CHECK_INT(before->modified, get(t, s)->modified);
    CHECK(get(t, s)->updated > before->updated);
    agent(t, s, "a");
    CHECK(get(t, s)->modified >= before->modified + 1000);
}

STORE_TEST(U18_append_bumps_updated)
{
    const char *s = new_session(t, "a");
    int64_t before = get(t, s)->updated;

    test_later(t, 1000);
    user(t, s, "u");
    CHECK(get(t, s)->updated >= before + 1000);
    CHECK_OK(bough_store_upkeep(t->store, &t->err));
    CHECK(get(t, s)->updated >= before + 1000);
}

/* --- H10: search --- */

STORE_TEST(H10_a_query_looks_at_slug_title_directory_and_first_user_text)
{
    const char *s;

    make(t, &(struct bough_session_create_options){ .title = "t", .slug = "needle-slug" });
    make(t, &(struct bough_session_create_options){ .title = "needle" });
    make(t, &(struct bough_session_create_options){ .title = "d", .project = "/src/needle/x" });
    s = new_session(t, "u");
    user(t, s, "where is the needle now");
    s = new_session(t, "no");
    agent(t, s, "needle");
    user(t, s, "first");
    user(t, s, "needle");
    check_list(t, "u d needle t", &(struct bough_session_list_options){ .query = "needle" });
    check_list(t, "", &(struct bough_session_list_options){ .query = "needles" });
}

STORE_TEST(H10_a_query_is_applied_before_the_limit)
{
    new_session(t, "needle");
    for (int i = 0; i < 60; i++)
        new_session(t, "hay");
    check_list(t, "needle", &(struct bough_session_list_options){ .query = "needle" });
    check_list(t, "needle", &(struct bough_session_list_options){ .query = "needle", .limit = 1 });
}

STORE_TEST(H10_a_query_does_not_mind_case_also_beyond_ascii)
{
    const char *s = new_session(t, "x");

    user(t, s, "GRÖSSE und Straße");
    check_list(t, "x", &(struct bough_session_list_options){ .query = "größe" });
    check_list(t, "x", &(struct bough_session_list_options){ .query = "STRASSE" });
    check_list(
        t, "x",
        &(struct bough_session_list_options){ .query = "gro\xcc\x88sse" }); /* combining mark */
}

STORE_TEST(H10_percent_and_underscore_are_only_characters)
{
    new_session(t, "100%");
    new_session(t, "1000");
    new_session(t, "a_b");
    new_session(t, "axb");
    new_session(t, "back\\slash");
    new_session(t, "star*[x]");
    check_list(t, "100%", &(struct bough_session_list_options){ .query = "0%" });
    check_list(t, "a_b", &(struct bough_session_list_options){ .query = "a_b" });
    check_list(t, "", &(struct bough_session_list_options){ .query = "%_%" });
    check_list(t, "back\\slash", &(struct bough_session_list_options){ .query = "K\\S" });
    check_list(t, "star*[x]", &(struct bough_session_list_options){ .query = "*[X" });
    check_list(t, "", &(struct bough_session_list_options){ .query = "a*b" });
}

STORE_TEST(H10_a_query_finds_the_new_title_and_not_the_old_one)
{
    const char *s =
        make(t, &(struct bough_session_create_options){ .title = "before", .slug = "s" });

    CHECK_OK(bough_store_upkeep(t->store, &t->err));
    CHECK_OK(bough_session_rename(t->store, s, "after", &t->err));
    check_list(t, "after", &(struct bough_session_list_options){ .query = "AFTER" });
    check_list(t, "", &(struct bough_session_list_options){ .query = "before" });
    CHECK_OK(bough_session_update(
        t->store, s, &(struct bough_session_update_options){ .project = "/moved" }, &t->err));
    check_list(t, "after", &(struct bough_session_list_options){ .query = "moved" });
}

/* --- C16: counts --- */

STORE_TEST(C16_counts_and_the_last_call_are_real_in_the_list_too)
{
    const char *s = new_session(t, "x"), *two;
    struct bough_call_new call = {
        .request_id = "req-1", .provider = "p1", .model = "m1", .used = { .input = 1, .cost = 1000 }
    };
    struct bough_entry_new e = { .role = BOUGH_ROLE_ASSISTANT, .text = "a", .by_call = true };
    struct bough_append_options in = { .entries = &e, .n = 1, .call = &call };
    struct bough_sessions found;
    struct bough_append_result out;

    user(t, s, "u");
    CHECK_OK(bough_append(t->store, t->arena, s, &in, &out, &t->err));
    two = user(t, s, "u2");
    call = (struct bough_call_new){
        .request_id = "req-2", .provider = "p2", .model = "m2", .used = { .cost = 2345 }
    };
    CHECK_OK(bough_append(t->store, t->arena, s, &in, &out, &t->err));
    for (int folded = 0; folded < 2; folded++) {
        CHECK_OK(bough_session_list(t->store, t->arena, NULL, &found, &t->err));
        CHECK_INT(1, found.n);
        CHECK_INT(4, found.at[0].messages);
        CHECK_INT(2, found.at[0].calls);
        CHECK_STR("m2", found.at[0].last_model);
        CHECK_STR("p2", found.at[0].last_provider);
        CHECK_STR("req-2", found.at[0].last_request_id);
        CHECK_INT(2345, found.at[0].last_cost);
        CHECK_INT(3345, found.at[0].own.cost);
        CHECK_OK(bough_store_upkeep(t->store, &t->err));
    }
    CHECK_OK(bough_entry_delete(t->store, s, two, &t->err));
    CHECK_INT(3, get(t, s)->messages);
    CHECK_OK(bough_store_upkeep(t->store, &t->err));
    CHECK_INT(3, get(t, s)->messages);
    CHECK_OK(bough_entry_restore(t->store, s, two, &t->err));
    CHECK_INT(4, get(t, s)->messages);
}

STORE_TEST(C16_only_own_messages_are_counted_and_only_messages)
{
    const char *s = new_session(t, "x"), *f;
    struct bough_entry_new e = { .kind = BOUGH_ENTRY_MODEL_CHANGE, .data = str_of("{\"a\":1}") };
    struct bough_append_options in = { .entries = &e, .n = 1 };
    struct bough_append_result out;

    user(t, s, "one");
    f = fork_at(t, s, agent(t, s, "two"));
    CHECK_INT(0, get(t, f)->messages);
    user(t, f, "three");
    CHECK_OK(bough_append(t->store, t->arena, f, &in, &out, &t->err));
    CHECK_INT(1, get(t, f)->messages);
    CHECK_INT(2, get(t, s)->messages);
    CHECK_OK(bough_store_upkeep(t->store, &t->err));
    CHECK_INT(1, get(t, f)->messages);
    CHECK_INT(2, get(t, s)->messages);
}
