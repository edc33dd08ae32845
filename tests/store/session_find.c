/* Finding sessions: ids, slugs, numbers, prefixes; roots, groups (U8, U19, A5, A6, H36). */
#include "lib/store_test.h"

#include <ctype.h>
#include <string.h>

#include "base/memory/arena.h"
#include "store/fsck_world.h"

static struct bough_session *make(struct test *t, const struct bough_session_create_options *in)
{
    struct bough_session *s;

    CHECK_OK(bough_session_create(t->store, t->arena, in, &s, &t->err));
    return s;
}

static enum bough_rc find(struct test *t, const char *id, struct bough_session **s)
{
    return bough_session_get(t->store, t->arena, id, s, &t->err);
}

static const char *slug_of(struct test *t, const char *title)
{
    return make(t, &(struct bough_session_create_options){ .title = title })->slug;
}

/* --- U8: ids --- */

STORE_TEST(U8_an_id_is_26_upper_case_characters_and_unique)
{
    const char *a = new_session(t, "a"), *b = new_session(t, "b");

    CHECK_INT(BOUGH_ID_LEN, strlen(a));
    CHECK_INT(BOUGH_ID_LEN, strspn(a, "0123456789ABCDEFGHJKMNPQRSTVWXYZ"));
    CHECK(strcmp(a, b) != 0);
}

STORE_TEST(U8_a_callers_id_is_kept_verbatim_and_finds_the_session)
{
    struct bough_session *s = make(t,
                                   &(struct bough_session_create_options){ .id = "Chat_Ünï/1 %" }),
                         *found;

    CHECK_STR("Chat_Ünï/1 %", s->origin);
    CHECK_OK(find(t, "Chat_Ünï/1 %", &found));
    CHECK_STR(s->id, found->id);
    CHECK_RC(BOUGH_NOT_FOUND, find(t, "chat_ünï/1 %", &found));
    user(t, "Chat_Ünï/1 %", "hello");
    CHECK_STR("hello", path_text(t, s->id));
}

STORE_TEST(U8_a_callers_id_that_is_taken_exists)
{
    struct bough_session *s = make(t, &(struct bough_session_create_options){ .id = "one" }), *out;

    CHECK_RC(BOUGH_EXISTS,
             bough_session_create(t->store, t->arena,
                                  &(struct bough_session_create_options){ .id = "one" }, &out,
                                  &t->err));
    CHECK_RC(BOUGH_EXISTS, bough_session_fork(t->store, t->arena, s->id,
                                              &(struct bough_session_fork_options){ .id = "one" },
                                              &out, &t->err));
    CHECK_OK(find(t, "one", &out));
    CHECK_STR(s->id, out->id);
}

TEST(U8_a_new_id_has_the_form_of_ours_and_is_another_one_each_time)
{
    char ids[100][BOUGH_ID_LEN + 1];

    for (int i = 0; i < 100; i++) {
        bough_id_new(ids[i]);
        CHECK_INT(BOUGH_ID_LEN, strlen(ids[i]));
        CHECK_INT(BOUGH_ID_LEN, strspn(ids[i], "0123456789ABCDEFGHJKMNPQRSTVWXYZ"));
        for (int k = 0; k < i; k++)
            CHECK(strcmp(ids[i], ids[k]) != 0);
    }
}

STORE_TEST(U8_a_ulid_of_the_caller_is_kept_too)
{
    struct bough_session *s, *found;
    char id[BOUGH_ID_LEN + 1];

    bough_id_new(id);
    s = make(t, &(struct bough_session_create_options){ .id = id });
    CHECK_OK(find(t, id, &found));
    CHECK_STR(s->id, found->id);
    CHECK_STR(id, found->origin);
}

static const char *add_with_id(struct test *t, const char *s, const char *id, const char *text)
{
    struct bough_entry_new e = { .role = BOUGH_ROLE_USER, .text = text, .id = id };
    struct bough_append_options in = { .entries = &e, .n = 1 };
    struct bough_append_result out;

    CHECK_OK(bough_append(t->store, t->arena, s, &in, &out, &t->err));
    return out.ids[0];
}

STORE_TEST(U8_entry_ids_are_unique_per_session_and_ambiguous_without_one)
{
    const char *a = new_session(t, "a"), *b = new_session(t, "b"), *ours;
    struct bough_entry_new twice = { .role = BOUGH_ROLE_USER, .text = "x", .id = "deadbeef" };
    struct bough_append_options in = { .entries = &twice, .n = 1 };
    struct bough_append_result out;
    struct bough_entry *e;

    ours = add_with_id(t, a, "deadbeef", "in-a");
    add_with_id(t, b, "deadbeef", "in-b");
    CHECK_RC(BOUGH_AMBIGUOUS, bough_entry_get(t->store, t->arena, NULL, "deadbeef", &e, &t->err));
    CHECK_OK(bough_entry_get(t->store, t->arena, a, "deadbeef", &e, &t->err));
    CHECK_STR("in-a", text_of(t, e));
    CHECK_STR("deadbeef", e->origin);
    CHECK_STR(ours, e->id);
    CHECK_OK(bough_entry_get(t->store, t->arena, b, "deadbeef", &e, &t->err));
    CHECK_STR("in-b", text_of(t, e));
    CHECK_OK(bough_entry_get(t->store, t->arena, NULL, ours, &e, &t->err));
    CHECK_STR("in-a", text_of(t, e));
    CHECK_RC(BOUGH_EXISTS, bough_append(t->store, t->arena, a, &in, &out, &t->err));
    CHECK_STR("in-a", path_text(t, a));
}

STORE_TEST(U8_an_id_of_an_inherited_entry_is_found_in_the_fork)
{
    const char *a = new_session(t, "a"), *f, *other = new_session(t, "b");
    struct bough_entry *e;

    add_with_id(t, a, "e1", "one");
    add_with_id(t, a, "e2", "two");
    f = fork_at(t, a, "e1");
    CHECK_OK(bough_entry_get(t->store, t->arena, f, "e1", &e, &t->err));
    CHECK_STR("one", text_of(t, e));
    CHECK_RC(BOUGH_NOT_FOUND, bough_entry_get(t->store, t->arena, f, "e2", &e, &t->err));
    CHECK_RC(BOUGH_NOT_FOUND, bough_entry_get(t->store, t->arena, other, "e1", &e, &t->err));
}

STORE_TEST(U9_a_clock_that_goes_back_does_not_disturb_the_order)
{
    const char *s = new_session(t, "x"), *f, *two;

    user(t, s, "one");
    t->env.now -= 86400000;
    two = agent(t, s, "two");
    t->env.now -= 86400000;
    user(t, s, "three");
    CHECK_STR("one two three", path_text(t, s));
    f = fork_at(t, s, two);
    t->env.now -= 86400000;
    user(t, f, "four");
    CHECK_STR("one two four", path_text(t, f));
    CHECK_STR("one two three",
              read_text(t, s, &(struct bough_entries_read_options){ .what = BOUGH_ENTRIES_OWN }));
    test_later(t, 4 * 86400000); /* fsck warns about times in the future */
}

/* --- names cannot be taken from another session --- */

static enum bough_rc with_id(struct test *t, const char *id)
{
    struct bough_session_create_options in = { .id = id };
    struct bough_session *s;

    return bough_session_create(t->store, t->arena, &in, &s, &t->err);
}

STORE_TEST(U8_an_id_that_is_another_sessions_slug_or_own_id_exists)
{
    const struct bough_session *s = get(t, new_session(t, "cache bug"));
    struct bough_session *out;

    CHECK_RC(BOUGH_EXISTS, with_id(t, "cache-bug"));
    CHECK_RC(BOUGH_EXISTS, with_id(t, s->id));
    CHECK_RC(BOUGH_EXISTS,
             bough_session_fork(t->store, t->arena, s->id,
                                &(struct bough_session_fork_options){ .id = "cache-bug" }, &out,
                                &t->err));
    CHECK_OK(find(t, "cache-bug", &out));
    CHECK_STR(s->id, out->id);
}

STORE_TEST(U8_an_id_that_reads_as_a_number_or_as_one_of_our_ids_is_invalid)
{
    const char *s = new_session(t, "x");
    char *other = arena_strdup(t->arena, s);

    CHECK_RC(BOUGH_INVALID, with_id(t, "#1"));
    CHECK_RC(BOUGH_INVALID, with_id(t, "#99"));
    CHECK_RC(BOUGH_INVALID, with_id(t, arena_strndup(t->arena, s, 8)));
    CHECK_RC(BOUGH_INVALID, with_id(t, arena_strndup(t->arena, s, 25)));
    other[9] = other[9] == 'Z' ? 'Y' : 'Z'; /* another time: no session has it yet */
    CHECK_RC(BOUGH_INVALID, with_id(t, other));
    CHECK_OK(with_id(t, arena_strndup(t->arena, s, 7)));
    CHECK_OK(with_id(t, "deadbeef"));
}

STORE_TEST(U19_a_slug_that_is_another_sessions_given_id_is_taken)
{
    struct bough_session_create_options in = { .id = "cache-bug" };
    const struct bough_session *s = make(t, &in);
    struct bough_session *out;

    CHECK_RC(BOUGH_EXISTS,
             bough_session_create(t->store, t->arena,
                                  &(struct bough_session_create_options){ .slug = "cache-bug" },
                                  &out, &t->err));
    CHECK(strncmp(slug_of(t, "cache bug"), "cache-bug-", 10) == 0);
    CHECK_OK(find(t, "cache-bug", &out));
    CHECK_STR(s->id, out->id);
}

/* --- U19, A6: slugs --- */

STORE_TEST(A6_a_slug_is_the_title_in_lower_case_with_hyphens)
{
    CHECK_STR("fix-the-login-bug", slug_of(t, "Fix the  Login Bug!"));
    CHECK_STR("v2-0-plan", slug_of(t, "  V2 0 Plan "));
}

STORE_TEST(U19_a_slug_is_folded_to_ascii)
{
    CHECK_STR("uber-cafe-ero", slug_of(t, "Über Café ero"));
}

STORE_TEST(U19_a_slug_of_nothing_is_two_random_words)
{
    const char *titles[] = { "", "!!!", "🌳", "日本" };

    for (size_t i = 0; i < 4; i++) {
        const char *slug = slug_of(t, titles[i]);
        size_t n = strspn(slug, "abcdefghijklmnopqrstuvwxyz");

        CHECK(n >= 3);
        CHECK(slug[n] == '-');
        CHECK(strlen(slug) >= n + 4);
        CHECK_INT(strlen(slug + n + 1), strspn(slug + n + 1, "abcdefghijklmnopqrstuvwxyz"));
    }
}

STORE_TEST(U19_slugs_of_nothing_are_all_different)
{
    const char *slugs[150];

    for (size_t i = 0; i < 150; i++) {
        slugs[i] = slug_of(t, "");
        for (size_t k = 0; k < i; k++)
            if (strcmp(slugs[i], slugs[k]) == 0)
                FAIL("%s twice", slugs[i]);
    }
}

STORE_TEST(U19_a_slug_has_at_most_64_bytes_and_no_hyphen_at_the_end)
{
    char title[301];
    const char *slug, *other;

    memset(title, 'a', 300);
    for (size_t i = 7; i < 300; i += 8)
        title[i] = ' ';
    title[300] = '\0';
    slug = slug_of(t, title);
    CHECK(strlen(slug) <= 64 && strlen(slug) >= 56);
    CHECK(slug[strlen(slug) - 1] != '-');
    other = slug_of(t, title);
    CHECK(strlen(other) <= 64);
    CHECK(strcmp(slug, other) != 0);
}

STORE_TEST(A6_a_taken_slug_gets_a_short_random_suffix)
{
    const char *one = slug_of(t, "same title"), *two = slug_of(t, "Same Title");
    struct bough_session *s;

    CHECK_STR("same-title", one);
    CHECK(strncmp(two, "same-title-", 11) == 0);
    CHECK(strlen(two) > 11 && strlen(two) <= 20);
    CHECK_OK(find(t, "same-title", &s));
    CHECK_STR(one, s->slug);
    CHECK_OK(find(t, two, &s));
    CHECK_STR("Same Title", s->title);
}

STORE_TEST(U19_a_deleted_session_keeps_its_slug)
{
    const char *s = new_session(t, "same title");

    CHECK_OK(bough_session_delete(t->store, s, &t->err));
    CHECK(strcmp("same-title", slug_of(t, "same title")) != 0);
    CHECK_STR("same-title", get(t, s)->slug);
}

STORE_TEST(U19_rename_keeps_the_slug)
{
    const char *s = new_session(t, "first title");

    CHECK_OK(bough_session_rename(t->store, s, "second title", &t->err));
    CHECK_STR("first-title", get(t, s)->slug);
    CHECK_OK(bough_session_rename(t->store, s, "", &t->err));
    CHECK_STR("first-title", get(t, "first-title")->slug);
}

STORE_TEST(U19_a_slug_asked_for_by_name_is_given_or_exists)
{
    struct bough_session_create_options in = { .title = "x", .slug = "my-slug" };
    struct bough_session *s;

    CHECK_STR("my-slug", make(t, &in)->slug);
    CHECK_RC(BOUGH_EXISTS, bough_session_create(t->store, t->arena, &in, &s, &t->err));
    in.slug = "Not A Slug";
    CHECK_RC(BOUGH_INVALID, bough_session_create(t->store, t->arena, &in, &s, &t->err));
    in.slug = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"; /* 65 */
    CHECK_RC(BOUGH_INVALID, bough_session_create(t->store, t->arena, &in, &s, &t->err));
}

/* --- lookups --- */

STORE_TEST(U8_a_session_is_found_by_slug_number_and_lower_case_id)
{
    struct bough_session *a = make(t, &(struct bough_session_create_options){ .title = "find me" }),
                         *s;
    char *lower = arena_strdup(t->arena, a->id);

    new_session(t, "other");
    CHECK_OK(find(t, "find-me", &s));
    CHECK_STR(a->id, s->id);
    CHECK_OK(find(t, arena_printf(t->arena, "#%lld", (long long)a->number), &s));
    CHECK_STR(a->id, s->id);
    for (char *p = lower; *p; p++)
        *p = (char)tolower((unsigned char)*p);
    CHECK_OK(find(t, lower, &s));
    CHECK_STR(a->id, s->id);
}

STORE_TEST(U8_numbers_that_are_none_are_not_found)
{
    struct bough_session *s;
    const char *bad[] = { "#0", "#2", "#-1", "#", "#1x", "#99999999999999999999" };

    new_session(t, "one");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK_RC(BOUGH_NOT_FOUND, find(t, bad[i], &s));
}

STORE_TEST(H12_a_unique_prefix_of_an_id_is_enough_and_a_shared_one_is_ambiguous)
{
    const char *a = new_session(t, "a"), *b;
    struct bough_session *s;

    CHECK_OK(find(t, arena_strndup(t->arena, a, 8), &s));
    CHECK_STR(a, s->id);
    t->env.step = 0;
    b = new_session(t, "b");
    CHECK(strncmp(a, b, 7) == 0);
    t->env.now = get(t, a)->created;
    CHECK_OK(find(t, arena_strndup(t->arena, b, 25), &s));
    CHECK_STR(b, s->id);
    CHECK_OK(find(t, arena_strndup(t->arena, a, 25), &s));
    CHECK_STR(a, s->id);
    CHECK_RC(BOUGH_AMBIGUOUS, find(t, arena_strndup(t->arena, a, 8), &s));
}

STORE_TEST(H12_a_prefix_that_two_sessions_share_is_ambiguous)
{
    const char *a, *b;
    struct bough_session *s;

    t->env.step = 0;
    a = new_session(t, "a");
    b = new_session(t, "b");
    CHECK(strncmp(a, b, 10) == 0);
    CHECK_RC(BOUGH_AMBIGUOUS, find(t, arena_strndup(t->arena, a, 8), &s));
    CHECK_RC(BOUGH_AMBIGUOUS, find(t, arena_strndup(t->arena, a, 10), &s));
    CHECK_RC(BOUGH_AMBIGUOUS,
             bough_session_rename(t->store, arena_strndup(t->arena, a, 9), "x", &t->err));
}

STORE_TEST(H12_an_ambiguous_prefix_lists_the_candidates)
{
    const char *a, *b;
    struct bough_session *s;

    t->env.step = 0;
    a = new_session(t, "a");
    b = new_session(t, "b");
    CHECK_RC(BOUGH_AMBIGUOUS, find(t, arena_strndup(t->arena, a, 9), &s));
    CHECK(strstr(t->err.msg, a) != NULL);
    CHECK(strstr(t->err.msg, b) != NULL);
    CHECK(strstr(t->err.msg, "...") == NULL);
    for (int i = 0; i < 6; i++)
        new_session(t, arena_printf(t->arena, "s%d", i));
    CHECK_RC(BOUGH_AMBIGUOUS, find(t, arena_strndup(t->arena, a, 9), &s));
    CHECK(strstr(t->err.msg, ", ...") != NULL);
    CHECK_INT(5 * BOUGH_ID_LEN + 5 * 2 + 3,
              strlen(strchr(t->err.msg, ':') + 2)); /* five, and more */
}

STORE_TEST(H12_a_prefix_of_less_than_8_characters_is_not_looked_up)
{
    const char *a = new_session(t, "a");
    struct bough_session *s;

    CHECK_RC(BOUGH_NOT_FOUND, find(t, arena_strndup(t->arena, a, 7), &s));
}

STORE_TEST(U8_a_purged_session_is_gone_by_id_and_number)
{
    struct bough_session *a = make(t, &(struct bough_session_create_options){ .title = "x",
                                                                              .id = "mine" }),
                         *s;

    CHECK_OK(bough_session_purge(t->store, t->arena, a->id, NULL, &t->err));
    CHECK_RC(BOUGH_GONE, find(t, a->id, &s));
    CHECK_RC(BOUGH_GONE, find(t, "#1", &s));
    CHECK_RC(BOUGH_NOT_FOUND, find(t, "x", &s));
    CHECK_RC(BOUGH_GONE, bough_session_rename(t->store, a->id, "y", &t->err));
    CHECK_RC(BOUGH_GONE, bough_session_purge(t->store, t->arena, a->id, NULL, &t->err));
    CHECK_INT(2, make(t, &(struct bough_session_create_options){ .title = "x" })->number);
}

/* --- H36: root --- */

STORE_TEST(H36_the_root_is_the_ancestor_without_a_parent)
{
    const char *g = new_session(t, "g"), *f;
    struct bough_session *sub;
    char root[BOUGH_ID_LEN + 1];

    f = fork_at(t, g, user(t, g, "one"));
    sub = make(t, &(struct bough_session_create_options){ .kind = BOUGH_SUBAGENT, .parent = f });
    CHECK_OK(bough_session_root(t->store, sub->id, root, &t->err));
    CHECK_STR(g, root);
    CHECK_OK(bough_session_root(t->store, g, root, &t->err));
    CHECK_STR(g, root);
    CHECK_RC(BOUGH_NOT_FOUND, bough_session_root(t->store, "nobody", root, &t->err));
    CHECK_RC(BOUGH_INVALID, bough_session_root(t->store, "", root, &t->err));
}

STORE_TEST(H36_the_root_is_found_through_more_than_32_levels)
{
    const char *g = new_session(t, "g"), *s = g;
    char root[BOUGH_ID_LEN + 1];

    for (int i = 0; i < 40; i++)
        s = make(t, &(struct bough_session_create_options){ .kind = BOUGH_SUBAGENT, .parent = s })
                ->id;
    CHECK_OK(bough_session_root(t->store, s, root, &t->err));
    CHECK_STR(g, root);
}

STORE_TEST(H36_a_purged_ancestor_is_no_root)
{
    const char *g = new_session(t, "g"), *f = fork_at(t, g, user(t, g, "one"));
    char root[BOUGH_ID_LEN + 1];

    CHECK_OK(bough_session_purge(t->store, t->arena, g, NULL, &t->err));
    CHECK_OK(bough_session_root(t->store, f, root, &t->err));
    CHECK_STR(f, root);
}

/* --- continue --- */

STORE_TEST(P37_continue_gives_the_most_recently_modified_living_session_of_the_project)
{
    struct bough_session_create_options in = { .project = "/a" };
    const char *one = make(t, &in)->id, *two = make(t, &in)->id, *elsewhere;
    struct bough_session *s;

    in.project = "/b";
    elsewhere = make(t, &in)->id;
    user(t, two, "x");
    user(t, one, "y");
    user(t, elsewhere, "z");
    CHECK_OK(bough_session_continue(t->store, t->arena, "/a", &s, &t->err));
    CHECK_STR(one, s->id);
    CHECK_OK(bough_session_rename(t->store, two, "renamed", &t->err));
    CHECK_OK(bough_session_continue(t->store, t->arena, "/a", &s, &t->err));
    CHECK_STR(one, s->id);
    CHECK_OK(bough_session_delete(t->store, one, &t->err));
    CHECK_OK(bough_session_continue(t->store, t->arena, "/a", &s, &t->err));
    CHECK_STR(two, s->id);
    CHECK_OK(bough_session_continue(t->store, t->arena, NULL, &s, &t->err));
    CHECK_STR(elsewhere, s->id);
    CHECK_RC(BOUGH_NOT_FOUND, bough_session_continue(t->store, t->arena, "/none", &s, &t->err));
}

/* --- A5: groups and cascades --- */

STORE_TEST(the_log_row_of_a_new_project_names_its_record)
{
    struct raw_row *log, *record;
    struct bough_changes changes;

    make(t, &(struct bough_session_create_options){ .project = "/a" });
    make(t, &(struct bough_session_create_options){ .project = "/b" });
    CHECK_OK(bough_store_log(t->store, t->arena, NULL, &changes, &t->err));
    CHECK_INT(4, changes.n);
    for (int i = 0; i < 2; i++) {
        log = row_of(t, RAW_CHANGELOG, changes.at[2 * i].no, 0, 0);
        record = row_of(t, RAW_RECORD, 0, RECORD_PROJECT, i + 1);
        CHECK_INT(record->u.record.ord, log->u.log.record);
    }
}

STORE_TEST(A5_deleting_a_project_purges_its_sessions_and_no_others)
{
    struct bough_session *a = make(t, &(struct bough_session_create_options){ .project = "/a" }),
                         *b = make(t, &(struct bough_session_create_options){ .project = "/a" }),
                         *c = make(t, &(struct bough_session_create_options){ .project = "/b" }),
                         *s;
    struct bough_groups places;
    struct bough_entry *e;
    const char *one = user(t, a->id, "one");
    int64_t n = 0;

    user(t, c->id, "kept");
    CHECK_OK(bough_session_delete(t->store, b->id, &t->err));
    CHECK_OK(bough_group_delete(t->store, "project", "/a", &n, &t->err));
    CHECK_INT(2, n);
    CHECK_RC(BOUGH_GONE, find(t, a->id, &s));
    CHECK_RC(BOUGH_GONE, find(t, b->id, &s));
    CHECK_RC(BOUGH_GONE, bough_entry_get(t->store, t->arena, NULL, one, &e, &t->err));
    CHECK_STR("kept", path_text(t, c->id));
    CHECK_OK(bough_group_list(t->store, t->arena, "project", &places, &t->err));
    CHECK_INT(1, places.n);
    CHECK_STR("/b", places.at[0].name);
    CHECK_INT(1, places.at[0].sessions);
    CHECK_RC(BOUGH_NOT_FOUND, bough_group_delete(t->store, "project", "/a", &n, &t->err));
    CHECK_RC(BOUGH_INVALID, bough_group_delete(t->store, "planet", "/a", &n, &t->err));
}

STORE_TEST(A5_deleting_an_account_or_workspace_keeps_the_sessions)
{
    struct bough_session *a = make(t, &(struct bough_session_create_options){
                                          .project = "/a", .account = "ada", .workspace = "ws" });
    struct bough_session *b = make(t, &(struct bough_session_create_options){ .account = "ada" });
    int64_t n = 0;

    user(t, a->id, "one");
    CHECK_OK(bough_session_archive(t->store, b->id, &t->err));
    CHECK_OK(bough_group_delete(t->store, "account", "ada", &n, &t->err));
    CHECK_INT(2, n);
    CHECK_STR("", get(t, a->id)->account);
    CHECK_STR("", get(t, b->id)->account);
    CHECK_STR("ws", get(t, a->id)->workspace);
    CHECK_OK(bough_group_delete(t->store, "workspace", "ws", &n, &t->err));
    CHECK_INT(1, n);
    CHECK_STR("", get(t, a->id)->workspace);
    CHECK_STR("/a", get(t, a->id)->project);
    CHECK_STR("one", path_text(t, a->id));
}

STORE_TEST(A5_a_deleted_place_can_be_named_again)
{
    int64_t n;

    make(t, &(struct bough_session_create_options){ .project = "/a", .account = "ada" });
    CHECK_OK(bough_group_delete(t->store, "account", "ada", &n, &t->err));
    CHECK_OK(bough_group_delete(t->store, "project", "/a", &n, &t->err));
    CHECK_STR("/a", make(t, &(struct bough_session_create_options){ .project = "/a" })->project);
    CHECK_STR("ada", make(t, &(struct bough_session_create_options){ .account = "ada" })->account);
}

STORE_TEST(A5_purging_a_parent_detaches_its_children_who_keep_their_history)
{
    const char *p = new_session(t, "p"), *f;
    struct bough_session *sub =
        make(t, &(struct bough_session_create_options){ .kind = BOUGH_SUBAGENT, .parent = p });
    struct bough_session_purge_result report;

    user(t, sub->id, "s1");
    f = fork_at(t, p, user(t, p, "one"));
    agent(t, p, "two");
    CHECK_OK(bough_session_purge(t->store, t->arena, p, &report, &t->err));
    CHECK_INT(2, report.ndetached);
    CHECK_INT(1, report.kept);
    CHECK_INT(1, report.entries);
    CHECK_INT(1, report.nkeepers);
    CHECK_STR(f, report.keepers[0]);
    CHECK_STR("", get(t, f)->parent);
    CHECK_STR("", get(t, sub->id)->parent);
    CHECK_INT(BOUGH_SUBAGENT, get(t, sub->id)->kind);
    CHECK_STR("one", path_text(t, f));
    CHECK_STR("s1", path_text(t, sub->id));
}

STORE_TEST(U8_new_ids_increase_within_a_millisecond)
{
    enum { MANY = 20000 };
    char last[BOUGH_ID_LEN + 1], next[BOUGH_ID_LEN + 1];

    (void)t;
    bough_id_new(last);
    for (int i = 0; i < MANY; i++) { /* many of them in each millisecond */
        bough_id_new(next);
        CHECK(strcmp(last, next) < 0);
        memcpy(last, next, sizeof last);
    }
}
