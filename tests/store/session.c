/* Sessions: create, read, rename, update, delete, clear, root (H6-H8, H13, H14, H36, A2, A5). */
#include "lib/store_test.h"

#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"

static struct bough_session *make(struct test *t, const struct bough_session_create_options *in)
{
    struct bough_session *s;

    CHECK_OK(bough_session_create(t->store, t->arena, in, &s, &t->err));
    return s;
}

/* Creating must fail with `want` and leave nothing behind. Returns the message. */
static const char *refused(struct test *t, enum bough_rc want,
                           const struct bough_session_create_options *in)
{
    struct bough_session *s;
    struct bough_store_stats_result before, after;

    CHECK_OK(bough_store_stats(t->store, &before, &t->err));
    CHECK_RC(want, bough_session_create(t->store, t->arena, in, &s, &t->err));
    CHECK_OK(bough_store_stats(t->store, &after, NULL));
    CHECK_INT(before.sessions, after.sessions);
    CHECK_INT(before.log_rows, after.log_rows);
    CHECK(t->err.msg[0]);
    return t->err.msg;
}

static int64_t last_no(struct test *t)
{
    struct bough_store_info_result info;

    CHECK_OK(bough_store_info(t->store, t->arena, &info, &t->err));
    return info.last_no;
}

/* --- H6: creating --- */

STORE_TEST(H6_what_is_required_is_asked_for_in_the_order_project_model_kind_parent)
{
    struct bough_session_create_options in = { .require =
                                                   BOUGH_REQUIRE_PROJECT | BOUGH_REQUIRE_MODEL,
                                               .kind = (enum bough_session_kind)7,
                                               .parent = "nobody" };

    CHECK(strstr(refused(t, BOUGH_INVALID, &in), "project"));
    in.project = "/src/app";
    CHECK(strstr(refused(t, BOUGH_INVALID, &in), "model"));
    in.model_provider = "anthropic";
    CHECK(strstr(refused(t, BOUGH_INVALID, &in), "model"));
    in.model_provider = "";
    in.model_name = "opus";
    CHECK(strstr(refused(t, BOUGH_INVALID, &in), "model"));
    in.model_provider = "anthropic";
    CHECK(strstr(refused(t, BOUGH_INVALID, &in), "subagent"));
    in.kind = BOUGH_PRIMARY;
    CHECK(strstr(refused(t, BOUGH_INVALID, &in), "fork"));
    in.parent = "";
    CHECK_STR("/src/app", make(t, &in)->project);
}

STORE_TEST(H6_nothing_is_required_unless_asked_for)
{
    struct bough_session *s = make(t, &(struct bough_session_create_options){ .title = NULL });

    CHECK_STR("", s->title);
    CHECK_STR("", s->project);
    CHECK_STR("", s->model_name);
    CHECK_INT(BOUGH_PRIMARY, s->kind);
}

STORE_TEST(H6_created_and_updated_are_the_same_moment)
{
    struct bough_session *s = make(t, &(struct bough_session_create_options){ .title = "x" });

    CHECK(s->created > 0);
    CHECK_INT(s->created, s->updated);
    CHECK_INT(0, s->deleted);
    CHECK_SPAN("{}", s->metadata);
}

STORE_TEST(H6_a_created_time_of_the_caller_is_kept)
{
    struct bough_session *s = make(t, &(struct bough_session_create_options){ .created = 12345 });

    CHECK_INT(12345, s->created);
    CHECK_INT(12345, get(t, s->id)->created);
}

STORE_TEST(H6_a_parent_without_a_fork_point_needs_a_subagent)
{
    const char *p = new_session(t, "parent");
    struct bough_session_create_options in = { .parent = p };

    refused(t, BOUGH_INVALID, &in);
    in.kind = BOUGH_SUBAGENT;
    CHECK_STR(p, make(t, &in)->parent);
}

STORE_TEST(H6_a_missing_parent_is_not_found)
{
    refused(t, BOUGH_NOT_FOUND,
            &(struct bough_session_create_options){ .kind = BOUGH_SUBAGENT,
                                                    .parent = "nobody-at-all" });
}

STORE_TEST(H6_a_purged_parent_is_gone)
{
    const char *p = new_session(t, "parent");

    CHECK_OK(bough_session_purge(t->store, t->arena, p, NULL, &t->err));
    refused(t, BOUGH_GONE,
            &(struct bough_session_create_options){ .kind = BOUGH_SUBAGENT, .parent = p });
}

STORE_TEST(H6_a_fork_point_without_a_parent_is_refused)
{
    const char *p = new_session(t, "parent");

    refused(t, BOUGH_INVALID,
            &(struct bough_session_create_options){ .fork_entry = user(t, p, "one") });
}

STORE_TEST(H6_creating_with_parent_and_fork_point_is_a_fork)
{
    const char *p = new_session(t, "parent"), *two;
    struct bough_session *f;

    user(t, p, "one");
    two = agent(t, p, "two");
    user(t, p, "three");
    f = make(t, &(struct bough_session_create_options){ .parent = p, .fork_entry = two });
    CHECK_STR("one two", path_text(t, f->id));
    CHECK_STR(two, f->fork_entry);
    CHECK_STR(p, f->parent);
    CHECK_INT(BOUGH_PRIMARY, f->kind);
}

STORE_TEST(H6_creating_a_fork_at_a_foreign_entry_is_refused)
{
    const char *p = new_session(t, "parent"), *other = new_session(t, "other"), *foreign;

    user(t, p, "one");
    foreign = user(t, other, "o1");
    refused(t, BOUGH_INVALID,
            &(struct bough_session_create_options){ .parent = p, .fork_entry = foreign });
}

STORE_TEST(H6_creating_a_fork_at_an_unknown_entry_is_refused)
{
    const char *p = new_session(t, "parent");

    user(t, p, "one");
    refused(t, BOUGH_NOT_FOUND,
            &(struct bough_session_create_options){ .parent = p, .fork_entry = "e9" });
}

STORE_TEST(H6_creating_a_fork_at_an_inherited_entry_stops_there)
{
    const char *g = new_session(t, "g"), *one, *p;
    struct bough_session *f;

    one = user(t, g, "g1");
    p = fork_at(t, g, agent(t, g, "g2"));
    user(t, p, "p1");
    f = make(t, &(struct bough_session_create_options){ .parent = p, .fork_entry = one });
    CHECK_STR("g1", path_text(t, f->id));
    CHECK_STR(p, f->parent);
}

/* --- H7: subagents --- */

STORE_TEST(H7_a_subagent_sees_only_its_own_messages)
{
    const char *p = new_session(t, "parent");
    struct bough_session *s;

    user(t, p, "p1");
    s = make(t, &(struct bough_session_create_options){
                    .kind = BOUGH_SUBAGENT, .parent = p, .parent_tool_use_id = "toolu_1" });
    CHECK_STR("", path_text(t, s->id));
    user(t, s->id, "s1");
    CHECK_STR("s1", path_text(t, s->id));
    CHECK_STR("p1", path_text(t, p));
    CHECK_STR("toolu_1", get(t, s->id)->parent_tool_use_id);
    CHECK_STR("", get(t, s->id)->fork_entry);
    CHECK_INT(BOUGH_SUBAGENT, get(t, s->id)->kind);
}

STORE_TEST(H7_a_subagent_with_a_fork_point_inherits_like_a_fork)
{
    const char *p = new_session(t, "parent"), *one;
    struct bough_session *s;

    one = user(t, p, "p1");
    agent(t, p, "p2");
    s = make(t, &(struct bough_session_create_options){
                    .kind = BOUGH_SUBAGENT, .parent = p, .fork_entry = one });
    CHECK_INT(BOUGH_SUBAGENT, s->kind);
    user(t, s->id, "s1");
    CHECK_STR("p1 s1", path_text(t, s->id));
}

STORE_TEST(H7_a_subagent_may_have_no_parent)
{
    struct bough_session *s =
        make(t, &(struct bough_session_create_options){ .kind = BOUGH_SUBAGENT });

    CHECK_STR("", s->parent);
    CHECK_INT(BOUGH_SUBAGENT, get(t, s->id)->kind);
}

/* --- H8: reading --- */

STORE_TEST(H8_get_gives_deleted_sessions_too)
{
    const char *s = new_session(t, "x");

    CHECK_OK(bough_session_delete(t->store, s, &t->err));
    CHECK_STR("x", get(t, s)->title);
    CHECK(get(t, s)->deleted > 0);
}

STORE_TEST(H8_get_of_an_unknown_session_is_not_found)
{
    struct bough_session *s;
    char id[BOUGH_ID_LEN + 1];

    bough_id_new(id);
    CHECK_RC(BOUGH_NOT_FOUND, bough_session_get(t->store, t->arena, id, &s, &t->err));
    CHECK_RC(BOUGH_NOT_FOUND, bough_session_get(t->store, t->arena, "nobody", &s, &t->err));
    CHECK_RC(BOUGH_INVALID, bough_session_get(t->store, t->arena, "", &s, &t->err));
    CHECK_RC(BOUGH_INVALID, bough_session_get(t->store, t->arena, NULL, &s, &t->err));
}

STORE_TEST(H8_an_id_with_one_character_changed_is_not_found)
{
    char *id = arena_strdup(t->arena, new_session(t, "x"));
    struct bough_session *s;

    id[25] = id[25] == '0' ? '1' : '0';
    CHECK_RC(BOUGH_NOT_FOUND, bough_session_get(t->store, t->arena, id, &s, &t->err));
}

/* --- H13: rename --- */

STORE_TEST(H13_a_title_is_free_text_and_need_not_be_unique)
{
    const char *a = new_session(t, "one"), *b = new_session(t, "two");

    CHECK_OK(bough_session_rename(t->store, a, "  Zwei: \"Ü\"\n\t🌳 ", &t->err));
    CHECK_OK(bough_session_rename(t->store, b, "  Zwei: \"Ü\"\n\t🌳 ", &t->err));
    CHECK_STR("  Zwei: \"Ü\"\n\t🌳 ", get(t, a)->title);
    CHECK_STR("  Zwei: \"Ü\"\n\t🌳 ", get(t, b)->title);
}

STORE_TEST(H13_an_empty_title_clears_it)
{
    const char *s = new_session(t, "one"), *r = new_session(t, "two");

    CHECK_OK(bough_session_rename(t->store, s, "", &t->err));
    CHECK_OK(bough_session_rename(t->store, r, NULL, &t->err));
    CHECK_STR("", get(t, s)->title);
    CHECK_STR("", get(t, r)->title);
}

STORE_TEST(H13_the_same_title_changes_nothing)
{
    const char *s = new_session(t, "one");
    struct bough_session *before = get(t, s), *after;
    int64_t no = last_no(t);

    test_later(t, 5000);
    CHECK_OK(bough_session_rename(t->store, s, "one", &t->err));
    after = get(t, s);
    CHECK_INT(before->updated, after->updated);
    CHECK_INT(before->rev, after->rev);
    CHECK_INT(no, last_no(t));
}

STORE_TEST(H13_another_title_bumps_updated_but_not_modified)
{
    const char *s = new_session(t, "one");
    struct bough_session *before, *after;

    user(t, s, "u");
    before = get(t, s);
    test_later(t, 5000);
    CHECK_OK(bough_session_rename(t->store, s, "other", &t->err));
    after = get(t, s);
    CHECK(after->updated >= before->updated + 5000);
    CHECK_INT(before->modified, after->modified);
    CHECK_INT(before->created, after->created);
    CHECK_INT(last_no(t), after->rev);
}

STORE_TEST(H13_a_deleted_session_can_be_renamed)
{
    const char *s = new_session(t, "one");

    CHECK_OK(bough_session_delete(t->store, s, &t->err));
    CHECK_OK(bough_session_rename(t->store, s, "other", &t->err));
    CHECK_STR("other", get(t, s)->title);
    CHECK(get(t, s)->deleted > 0);
}

STORE_TEST(H13_renaming_an_unknown_session_is_not_found)
{
    CHECK_RC(BOUGH_NOT_FOUND, bough_session_rename(t->store, "nobody", "x", &t->err));
}

STORE_TEST(H13_a_title_that_is_not_utf8_is_refused)
{
    const char *s = new_session(t, "one");

    CHECK_RC(BOUGH_INVALID, bough_session_rename(t->store, s, "a\xff", &t->err));
    CHECK_STR("one", get(t, s)->title);
}

/* --- H14: delete and restore --- */

STORE_TEST(H14_delete_sets_deleted_and_updated_once_and_keeps_the_first_time)
{
    const char *s = new_session(t, "x");
    struct bough_session *first, *second;
    int64_t no;

    test_later(t, 1000);
    CHECK_OK(bough_session_delete(t->store, s, &t->err));
    first = get(t, s);
    no = last_no(t);
    CHECK(first->deleted >= first->created + 1000);
    CHECK_INT(first->deleted, first->updated);
    test_later(t, 5000);
    CHECK_OK(bough_session_delete(t->store, s, &t->err));
    second = get(t, s);
    CHECK_INT(first->deleted, second->deleted);
    CHECK_INT(first->updated, second->updated);
    CHECK_INT(no, last_no(t));
}

STORE_TEST(H14_deleting_an_unknown_session_is_not_found)
{
    CHECK_RC(BOUGH_NOT_FOUND, bough_session_delete(t->store, "nobody", &t->err));
    CHECK_RC(BOUGH_NOT_FOUND, bough_session_restore(t->store, "nobody", &t->err));
}

STORE_TEST(H14_a_deleted_session_stays_readable_appendable_and_forkable)
{
    const char *s = new_session(t, "x"), *f;

    user(t, s, "one");
    CHECK_OK(bough_session_delete(t->store, s, &t->err));
    CHECK_STR("one", path_text(t, s));
    f = fork_at(t, s, agent(t, s, "two"));
    CHECK_STR("one two", path_text(t, s));
    CHECK_STR("one two", path_text(t, f));
    CHECK_INT(0, get(t, f)->deleted);
}

STORE_TEST(U20_restore_brings_a_deleted_session_back_and_again_is_a_no_op)
{
    const char *s = new_session(t, "x");
    int64_t no;

    CHECK_OK(bough_session_delete(t->store, s, &t->err));
    CHECK_OK(bough_session_restore(t->store, s, &t->err));
    CHECK_INT(0, get(t, s)->deleted);
    no = last_no(t);
    CHECK_OK(bough_session_restore(t->store, s, &t->err));
    CHECK_INT(no, last_no(t));
    CHECK_OK(bough_session_delete(t->store, s, &t->err));
    CHECK(get(t, s)->deleted > 0);
}

/* --- A2: every column --- */

static void check_columns(struct test *t, const struct bough_session *s)
{
    CHECK_STR("T", s->title);
    CHECK_STR("/src/a", s->project);
    CHECK_STR("ws-1", s->workspace);
    CHECK_STR("acct-1", s->account);
    CHECK_STR("opencode", s->provider_path);
    CHECK_STR("architect", s->role_name);
    CHECK_STR("anthropic", s->model_provider);
    CHECK_STR("opus", s->model_name);
    CHECK_STR("be kind", s->system_prompt);
    CHECK_STR("ada", s->user_name);
    CHECK_STR("7", s->version);
    CHECK_SPAN("{\"scope\" : [1e400, \"\\u0000\"]}", s->data);
    CHECK_SPAN("{\"b\":1,\"a\":2,\"b\":3}", s->metadata);
    CHECK_INT(BOUGH_TOTALS_MANUAL, s->totals_mode);
    CHECK_STR("tool-1", s->parent_tool_use_id);
    CHECK_STR("ses_x", s->origin);
    CHECK_INT(99, s->created);
    (void)t;
}

STORE_TEST(A2_every_column_comes_back_as_given)
{
    struct bough_session_create_options in = { .id = "ses_x",
                                               .title = "T",
                                               .kind = BOUGH_SUBAGENT,
                                               .parent_tool_use_id = "tool-1",
                                               .project = "/src/a",
                                               .workspace = "ws-1",
                                               .account = "acct-1",
                                               .provider_path = "opencode",
                                               .role_name = "architect",
                                               .model_provider = "anthropic",
                                               .model_name = "opus",
                                               .system_prompt = "be kind",
                                               .user_name = "ada",
                                               .version = "7",
                                               .data = str_of("{\"scope\" : [1e400, \"\\u0000\"]}"),
                                               .metadata = str_of("{\"b\":1,\"a\":2,\"b\":3}"),
                                               .totals_mode = BOUGH_TOTALS_MANUAL,
                                               .created = 99 };
    struct bough_session *s = make(t, &in);

    check_columns(t, s);
    check_columns(t, get(t, s->id));
    if (!store_lasts(t))
        return;
    store_reopen(t);
    check_columns(t, get(t, s->id));
}

STORE_TEST(A2_defaults_are_idle_version_1_and_empty_objects)
{
    struct bough_session *s = get(t, new_session(t, ""));

    CHECK_INT(BOUGH_STATUS_IDLE, s->status);
    CHECK_STR("1", s->version);
    CHECK_SPAN("{}", s->data);
    CHECK_SPAN("{}", s->metadata);
    CHECK_STR("", s->title);
    CHECK_STR("", s->workspace);
    CHECK_STR("", s->account);
    CHECK_STR("", s->parent);
    CHECK_STR("", s->origin);
    CHECK_STR("", s->last_model);
    CHECK_STR("", s->first_user);
    CHECK_STR("", s->last_user);
    CHECK_STR("", s->last_agent);
    CHECK(!s->lease);
    CHECK_INT(0, s->messages);
    CHECK_INT(0, s->calls);
    CHECK_INT(0, s->head.branch);
    CHECK(*s->slug);
}

STORE_TEST(A2_data_that_is_not_json_is_refused)
{
    refused(t, BOUGH_INVALID, &(struct bough_session_create_options){ .data = str_of("{nope}") });
    refused(t, BOUGH_INVALID,
            &(struct bough_session_create_options){ .metadata = str_of("{\"a\":}") });
}

STORE_TEST(A2_update_sets_what_is_given_and_leaves_the_rest)
{
    struct bough_session_create_options in = {
        .title = "T", .project = "/a", .role_name = "r", .data = str_of("{\"a\":1}")
    };
    struct bough_session *s = make(t, &in), *after;
    struct bough_session_update_options edit = { .project = "/b",
                                                 .model_name = "m",
                                                 .role_name = "" };

    test_later(t, 1000);
    CHECK_OK(bough_session_update(t->store, s->id, &edit, &t->err));
    after = get(t, s->id);
    CHECK_STR("T", after->title);
    CHECK_STR("/b", after->project);
    CHECK_STR("m", after->model_name);
    CHECK_STR("", after->role_name);
    CHECK_SPAN("{\"a\":1}", after->data);
    CHECK_STR(s->slug, after->slug);
    CHECK(after->updated >= s->updated + 1000);
    CHECK_INT(s->created, after->created);
}

STORE_TEST(A2_an_update_to_the_same_values_changes_nothing)
{
    struct bough_session_create_options in = { .title = "T",
                                               .project = "/a",
                                               .data = str_of("{\"a\":1}") };
    struct bough_session *s = make(t, &in);
    struct bough_session_update_options edit = { .title = "T", .project = "/a", .data = in.data };
    int64_t no = last_no(t);

    CHECK_OK(bough_session_update(t->store, s->id, &edit, &t->err));
    CHECK_INT(no, last_no(t));
    CHECK_INT(s->updated, get(t, s->id)->updated);
}

STORE_TEST(A2_an_update_that_is_refused_changes_nothing)
{
    const char *s = new_session(t, "T");
    struct bough_session_update_options edit = { .title = "other", .data = str_of("nope") };

    CHECK_RC(BOUGH_INVALID, bough_session_update(t->store, s, &edit, &t->err));
    CHECK_STR("T", get(t, s)->title);
    edit.data = str_of("{}");
    CHECK_RC(BOUGH_NOT_FOUND, bough_session_update(t->store, "nobody", &edit, &t->err));
}

/* --- U20: clear --- */

STORE_TEST(U20_clear_puts_the_head_at_nothing_and_removes_nothing)
{
    const char *s = new_session(t, "x"), *one;
    struct bough_entry *e;

    one = user(t, s, "one");
    agent(t, s, "two");
    CHECK_OK(bough_session_clear(t->store, s, &t->err));
    CHECK_STR("", path_text(t, s));
    CHECK_INT(0, get(t, s)->head.branch);
    CHECK_INT(0, get(t, s)->head.depth);
    CHECK_OK(bough_entry_get(t->store, t->arena, s, one, &e, &t->err));
    CHECK_STR("one", text_of(t, e));
    CHECK_STR("one two",
              read_text(t, s, &(struct bough_entries_read_options){ .what = BOUGH_ENTRIES_OWN }));
    user(t, s, "three");
    CHECK_STR("three", path_text(t, s));
    CHECK_STR(s, get(t, s)->id);
    CHECK_INT(3, get(t, s)->messages);
    CHECK_OK(bough_head_move(t->store, s, one, &t->err));
    CHECK_STR("one", path_text(t, s));
}

STORE_TEST(U20_clearing_an_empty_session_changes_nothing)
{
    const char *s = new_session(t, "x");
    int64_t no = last_no(t);

    CHECK_OK(bough_session_clear(t->store, s, &t->err));
    CHECK_INT(no, last_no(t));
    CHECK_RC(BOUGH_NOT_FOUND, bough_session_clear(t->store, "nobody", &t->err));
}

static void same_bytes(void *user, void *out, size_t n)
{
    (void)user;
    memset(out, 0x5a, n);
}

STORE_TEST(sessions_can_be_created_when_the_random_source_repeats_itself)
{
    struct bough_session_create_options in = { .title = "The same title" };
    struct bough_env env = { .now = t->env.env.now, .random = same_bytes, .user = t->env.env.user };
    struct bough_store *store = NULL;
    struct bough_session *s;

    CHECK_OK(bough_store_open(&store, store_url(t, "same"),
                              &(struct bough_store_open_options){ .env = &env }, &t->err));
    for (int i = 0; i < 100; i++)
        CHECK_OK(bough_session_create(store, t->arena, i % 2 ? &in : NULL, &s, &t->err));
    bough_store_close(&store);
}
