/* Contexts: rules that all dialects share. */
#include "core/context/context.h"

#include "base/text/str.h"
#include "build.h"

TEST(an_unknown_dialect_is_refused_and_the_known_ones_listed)
{
    struct context_input in = { .dialect = "klingon" };
    struct bough_context_result c;

    CHECK_RC(BOUGH_INVALID, context_build(t->arena, &in, &c, &t->err));
    CHECK(strstr(t->err.msg, "klingon") && strstr(t->err.msg, context_dialect_name(1)));
    in.dialect = NULL;
    CHECK_RC(BOUGH_INVALID, context_build(t->arena, &in, &c, &t->err));
    CHECK(strstr(t->err.msg, "say which dialect: ") && strstr(t->err.msg, context_dialect_name(1)));
}

TEST(every_dialect_has_a_name_of_its_own_and_a_description)
{
    const struct context_dialect *found;

    for (size_t i = 0; context_dialects[i]; i++) {
        CHECK(!cstr_empty(context_dialects[i]->about) && context_dialects[i]->build);
        CHECK_OK(context_dialect_find(context_dialect_name(i), &found, &t->err));
        CHECK(found == context_dialects[i]);
    }
}

TEST(the_context_of_nothing_is_an_empty_list) /* P21 */
{
    struct path p = { .t = t };

    for (size_t i = 0; context_dialect_name(i); i++) {
        struct bough_context_result c = context_of(&p, context_dialect_name(i), NULL);

        CHECK_SPAN("[]", c.messages);
        CHECK_INT(0, c.count);
        CHECK_STR("off", c.thinking_level);
        CHECK_STR("", c.model_name);
        CHECK(c.marker == NULL);
        CHECK_INT(0, c.nnotes);
    }
}

TEST(model_and_thinking_level_are_the_last_on_the_path) /* P23 */
{
    struct path p = { .t = t };
    struct bough_context_result c;

    add_entry(&p, "thinking_level_change", "{\"thinkingLevel\":\"high\"}");
    add_entry(&p, "model_change", "{\"provider\":\"a\",\"modelId\":\"m1\"}");
    c = context_of(&p, "pi", NULL);
    CHECK_STR("high", c.thinking_level);
    CHECK_STR("a", c.model_provider);
    CHECK_STR("m1", c.model_name);
    add_message(&p, BOUGH_ROLE_ASSISTANT, "\"x\"", "{\"provider\":\"b\",\"model\":\"m2\"}");
    add_message(&p, BOUGH_ROLE_ASSISTANT, "\"y\"", NULL);
    add_entry(&p, "thinking_level_change", "{\"thinkingLevel\":\"low\"}")->deleted = 1;
    c = context_of(&p, "pi", NULL);
    CHECK_STR("b", c.model_provider);
    CHECK_STR("m2", c.model_name);
    CHECK_STR("high", c.thinking_level);
}

TEST(deleted_entries_are_left_out_and_noted_in_every_dialect) /* H22 */
{
    struct path p = { .t = t };
    struct bough_entry *gone;

    add_message(&p, BOUGH_ROLE_USER, "\"a\"", NULL);
    gone = add_message(&p, BOUGH_ROLE_USER, "\"b\"", NULL);
    gone->deleted = 1;
    for (size_t i = 0; context_dialect_name(i); i++) {
        struct bough_context_result c = context_of(&p, context_dialect_name(i), NULL);

        CHECK_INT(1, c.count);
        CHECK_STR(p.at[0].id, c.sources[0]);
        CHECK_INT(1, notes_about(&c, gone, "omitted"));
    }
}

TEST(a_system_message_with_its_text_in_data_is_in_every_context)
{
    static const char *const dialects[] = { "pi", "hygge", "ui" };

    for (size_t i = 0; i < 3; i++) {
        struct path p = { .t = t };
        struct bough_context_result c;

        add_message(&p, BOUGH_ROLE_SYSTEM, NULL, "{\"content\":\"be nice\"}");
        add_message(&p, BOUGH_ROLE_USER, "\"hi\"", NULL);
        c = context_of(&p, dialects[i], NULL);
        if (!strstr(c.messages.p, "be nice"))
            FAIL("%s: %s", dialects[i], c.messages.p);
    }
}
