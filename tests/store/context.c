/* Contexts through the store: whole cases for each dialect (P21-P25, H20, H30, U14). */
#include "core/context/context.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "lib/store_test.h"

static struct bough_context_result context(struct test *t, const char *session,
                                           struct bough_context_options how)
{
    struct bough_context_result c;

    CHECK_OK(bough_context(t->store, t->arena, session, &how, &c, &t->err));
    return c;
}

/* The words occur in the messages in this order. */
static void check_order(struct test *t, const struct bough_context_result *c, const char *words)
{
    char *copy = bough_arena_strdup(t->arena, words), *rest = copy, *word;
    const char *at = arena_strndup(t->arena, c->messages.p, c->messages.n), *all = at;

    while ((word = strsep(&rest, " "))) {
        const char *found = strstr(at, word);

        if (!found)
            FAIL("\"%s\" is not (in this order) in %s", word, all);
        at = found + strlen(word);
    }
}

static void check_absent(struct test *t, const struct bough_context_result *c, const char *word)
{
    if (strstr(arena_strndup(t->arena, c->messages.p, c->messages.n), word))
        FAIL("\"%s\" is in %.*s", word, (int)c->messages.n, c->messages.p);
}

static const char *compact(struct test *t, const char *session, const char *before,
                           const char *first_kept)
{
    struct bough_compact_options in = { .summary = "SUMMARY",
                                        .before = before,
                                        .first_kept = first_kept };
    char *id = bough_arena_alloc(t->arena, BOUGH_ID_LEN + 1);

    CHECK_OK(bough_compact(t->store, session, &in, id, &t->err));
    return id;
}

STORE_TEST(P21_the_context_of_nothing_is_empty)
{
    const char *s = new_session(t, "");
    struct bough_context_result c =
        context(t, s, (struct bough_context_options){ .dialect = "pi" });

    CHECK_INT(0, c.count);
    CHECK_SPAN("[]", c.messages);
    CHECK_STR("off", c.thinking_level);
    user(t, s, "a");
    c = context(t, s, (struct bough_context_options){ .dialect = "pi", .at_nothing = true });
    CHECK_INT(0, c.count);
}

STORE_TEST(P24_pi_shows_the_summary_what_is_kept_and_the_rest)
{
    const char *s = new_session(t, ""), *kept, *marker;
    struct bough_context_result c;

    user(t, s, "one");
    kept = agent(t, s, "two");
    user(t, s, "three");
    marker = compact(t, s, NULL, kept);
    user(t, s, "four");
    c = context(t, s, (struct bough_context_options){ .dialect = "pi" });
    check_order(t, &c, "SUMMARY two three four");
    check_absent(t, &c, "one");
    CHECK_INT(4, c.count);
    CHECK_STR(marker, c.marker->id);
    CHECK_STR(marker, c.sources[0]);
    CHECK_STR(kept, c.sources[1]);
}

STORE_TEST(P23_pi_takes_model_and_thinking_from_the_whole_path)
{
    const char *s = new_session(t, "");
    struct bough_entry_new e[] = { { .kind = BOUGH_ENTRY_THINKING_LEVEL_CHANGE,
                                     .data = str_of("{\"thinkingLevel\":\"high\"}") },
                                   { .kind = BOUGH_ENTRY_MODEL_CHANGE,
                                     .data = str_of("{\"provider\":\"p1\",\"modelId\":\"m1\"}") },
                                   { .role = BOUGH_ROLE_USER, .text = "a" } };
    struct bough_append_options in = { .entries = e, .n = 3 };
    struct bough_append_result out;
    struct bough_context_result c;

    CHECK_OK(bough_append(t->store, t->arena, s, &in, &out, &t->err));
    compact(t, s, NULL, NULL);
    c = context(t, s, (struct bough_context_options){ .dialect = "pi" });
    CHECK_STR("high", c.thinking_level);
    CHECK_STR("m1", c.model_name);
    CHECK_STR("p1", c.model_provider);
    CHECK_INT(1, c.count); /* only the summary */
}

STORE_TEST(P25_a_branch_summary_is_shown_where_it_stands)
{
    const char *s = new_session(t, ""), *a = user(t, s, "one");
    char id[BOUGH_ID_LEN + 1];
    struct bough_context_result c;

    agent(t, s, "abandoned");
    CHECK_OK(bough_branch_with_summary(
        t->store, s, &(struct bough_branch_with_summary_options){ .target = a, .summary = "TRIED" },
        id, &t->err));
    agent(t, s, "better");
    c = context(t, s, (struct bough_context_options){ .dialect = "pi" });
    check_order(t, &c, "one TRIED better");
    check_absent(t, &c, "abandoned");
    CHECK_INT(3, c.count);
    CHECK_STR(id, c.sources[1]);
}

STORE_TEST(P21_the_context_at_an_entry_is_that_entrys_path)
{
    const char *s = new_session(t, ""), *a = user(t, s, "one");
    struct bough_context_result c;

    agent(t, s, "two");
    c = context(t, s, (struct bough_context_options){ .dialect = "pi", .at = a });
    CHECK_INT(1, c.count);
    check_order(t, &c, "one");
}

STORE_TEST(deleted_entries_are_in_no_context)
{
    const char *s = new_session(t, ""), *b, *f;

    user(t, s, "one");
    b = agent(t, s, "two");
    user(t, s, "three");
    f = fork_at(t, s, NULL);
    CHECK_OK(bough_entry_delete(t->store, s, b, &t->err));
    for (size_t i = 0; context_dialect_name(i); i++) {
        struct bough_context_result c =
            context(t, f, (struct bough_context_options){ .dialect = context_dialect_name(i) });

        check_order(t, &c, "one three");
        check_absent(t, &c, "two");
    }
}

STORE_TEST(U14_pi_inherits_a_compaction_through_a_fork)
{
    const char *s = new_session(t, ""), *f;
    struct bough_context_result c;

    user(t, s, "one");
    compact(t, s, NULL, user(t, s, "two"));
    f = fork_at(t, s, NULL);
    user(t, f, "three");
    c = context(t, f, (struct bough_context_options){ .dialect = "pi" });
    check_order(t, &c, "SUMMARY two three");
    check_absent(t, &c, "one");
}

static void put(struct test *t, const char *session, struct bough_entry_new e)
{
    struct bough_append_options in = { .entries = &e, .n = 1 };
    struct bough_append_result out;

    CHECK_OK(bough_append(t->store, t->arena, session, &in, &out, &t->err));
}

/* A context that starts at a marker skips earlier entries, but still knows model and level. */
STORE_TEST(P23_model_and_level_that_were_set_before_the_marker_hold)
{
    const char *s = new_session(t, ""), *f;
    struct bough_context_result c;

    put(t, s,
        (struct bough_entry_new){ .kind = BOUGH_ENTRY_THINKING_LEVEL_CHANGE,
                                  .data = str_of("{\"thinkingLevel\":\"high\"}") });
    put(t, s,
        (struct bough_entry_new){ .kind = BOUGH_ENTRY_MODEL_CHANGE,
                                  .data = str_of("{\"provider\":\"p\",\"modelId\":\"m\"}") });
    for (int i = 0; i < 200; i++)
        user(t, s, "far away");
    f = fork_at(t, s, NULL);
    compact(t, f, NULL, user(t, f, "kept"));
    c = context(t, f, (struct bough_context_options){ .dialect = "pi" });
    check_order(t, &c, "SUMMARY kept");
    check_absent(t, &c, "far away");
    CHECK_STR("high", c.thinking_level);
    CHECK_STR("p", c.model_provider);
    CHECK_STR("m", c.model_name);
    CHECK_STR("its summary replaces 202 earlier entries", c.notes[0].why);
    put(t, s,
        (struct bough_entry_new){ .role = BOUGH_ROLE_ASSISTANT,
                                  .text = "an answer",
                                  .data = str_of("{\"provider\":\"q\",\"model\":\"n\"}") });
    compact(t, s, NULL, user(t, s, "last"));
    c = context(t, s, (struct bough_context_options){ .dialect = "hygge" });
    CHECK_STR("high", c.thinking_level);
    CHECK_STR("q", c.model_provider);
    CHECK_STR("n", c.model_name);
}

STORE_TEST(P22_a_marker_that_keeps_nothing_stands_first)
{
    const char *s = new_session(t, "");
    struct bough_context_result c;

    user(t, s, "one");
    compact(t, s, NULL, NULL);
    c = context(t, s, (struct bough_context_options){ .dialect = "pi" });
    CHECK_INT(1, c.count);
    check_order(t, &c, "SUMMARY");
    CHECK(c.marker);
    user(t, s, "two");
    c = context(t, s, (struct bough_context_options){ .dialect = "pi" });
    check_order(t, &c, "SUMMARY two");
    check_absent(t, &c, "one");
}

STORE_TEST(H29_hygge_looks_at_its_own_markers_unless_asked_to_inherit)
{
    const char *s = new_session(t, ""), *f;
    struct bough_context_result c;

    compact(t, s, user(t, s, "one"), NULL);
    user(t, s, "two");
    f = fork_at(t, s, NULL);
    user(t, f, "three");
    c = context(t, f, (struct bough_context_options){ .dialect = "hygge" });
    check_order(t, &c, "one two three");
    check_absent(t, &c, "SUMMARY");
    CHECK(!c.marker);
    c = context(t, f, (struct bough_context_options){ .dialect = "hygge", .inherit = true });
    check_order(t, &c, "two three");
    check_absent(t, &c, "one");
    CHECK(c.marker);
    c = context(t, s, (struct bough_context_options){ .dialect = "hygge" });
    check_absent(t, &c, "one");
}

STORE_TEST(H30_before_and_first_kept_mean_the_same_place)
{
    const char *s = new_session(t, ""), *o = new_session(t, ""), *one, *two;
    struct bough_context_result x, y;

    one = user(t, s, "one");
    user(t, s, "two");
    compact(t, s, one, NULL);
    user(t, o, "one");
    two = user(t, o, "two");
    compact(t, o, NULL, two);
    x = context(t, s, (struct bough_context_options){ .dialect = "hygge" });
    y = context(t, o, (struct bough_context_options){ .dialect = "hygge" });
    CHECK_INT(x.count, y.count);
    check_absent(t, &x, "one");
    check_absent(t, &y, "one");
    check_order(t, &x, "two");
    check_order(t, &y, "two");
}

STORE_TEST(U14_a_first_kept_entry_of_another_branch_keeps_nothing)
{
    const char *s = new_session(t, ""), *a = user(t, s, "one"), *far;
    struct bough_entry_new e = { .kind = BOUGH_ENTRY_COMPACTION };
    struct bough_append_options in = { .entries = &e, .n = 1 };
    struct bough_append_result out;
    struct bough_context_result c;

    for (int i = 0; i < 4; i++)
        far = agent(t, s, "side");
    CHECK_OK(bough_head_move(t->store, s, a, &t->err));
    user(t, s, "two");
    e.data = str_of(arena_printf(
        t->arena, "{\"summary\":\"SUMMARY\",\"firstKeptEntryId\":\"%s\",\"tokensBefore\":1}", far));
    CHECK_OK(bough_append(t->store, t->arena, s, &in, &out, &t->err));
    user(t, s, "three");
    c = context(t, s, (struct bough_context_options){ .dialect = "pi" });
    CHECK_INT(2, c.count);
    check_order(t, &c, "SUMMARY three");
}

STORE_TEST(A15_ui_drops_no_message)
{
    const char *s = new_session(t, "");
    struct bough_str parts[] = {
        str_of("{\"type\":\"text\",\"text\":\"look\"}"),
        str_of("{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"ls\",\"input\":{\"p\":\".\"}}"),
    };
    struct bough_entry_new e = { .role = BOUGH_ROLE_ASSISTANT, .parts = parts, .nparts = 2 };
    struct bough_append_options in = { .entries = &e, .n = 1 };
    struct bough_append_result out;
    struct bough_context_result c;

    user(t, s, "one");
    CHECK_OK(bough_append(t->store, t->arena, s, &in, &out, &t->err));
    user(t, s, "three");
    c = context(t, s, (struct bough_context_options){ .dialect = "ui" });
    CHECK_INT(3, c.count);
    check_order(t, &c, "\"parts\" one look ls three");
}

STORE_TEST(an_unknown_dialect_is_refused_by_name)
{
    const char *s = new_session(t, "");
    struct bough_context_options how = { .dialect = "klingon" };
    struct bough_context_result c;

    CHECK_RC(BOUGH_INVALID, bough_context(t->store, t->arena, s, &how, &c, &t->err));
    CHECK(strstr(t->err.msg, "klingon"));
    how.dialect = NULL;
    CHECK_RC(BOUGH_INVALID, bough_context(t->store, t->arena, s, &how, &c, &t->err));
    how.dialect = "pi";
    how.at = "nothing";
    CHECK_RC(BOUGH_NOT_FOUND, bough_context(t->store, t->arena, s, &how, &c, &t->err));
    CHECK_RC(BOUGH_NOT_FOUND, bough_context(t->store, t->arena, "nobody", &how, &c, &t->err));
}

STORE_TEST(a_context_without_a_dialect_is_refused)
{
    const char *s = new_session(t, "x");
    struct bough_context_result c;

    CHECK_RC(BOUGH_INVALID, bough_context(t->store, t->arena, s, NULL, &c, &t->err));
    CHECK(strstr(t->err.msg, "dialect"));
    CHECK_RC(BOUGH_INVALID, bough_context(t->store, t->arena, s,
                                          &(struct bough_context_options){ 0 }, &c, &t->err));
    CHECK_RC(BOUGH_INVALID,
             bough_context(t->store, t->arena, s,
                           &(struct bough_context_options){ .dialect = "klingon" }, &c, &t->err));
}
