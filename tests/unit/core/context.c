/* What all dialects share. */
#include "core/context.h"

#include "base/str.h"
#include "build.h"

TEST(an_unknown_dialect_is_refused_and_the_known_ones_listed)
{
    struct context_input in = { .dialect = "klingon" };
    struct bough_context c;

    CHECK_RC(BOUGH_INVALID, context_build(t->arena, &in, &c, &t->err));
    CHECK(strstr(t->err.msg, "klingon") && strstr(t->err.msg, "pi, hygge, ui"));
    in.dialect = NULL;
    CHECK_RC(BOUGH_INVALID, context_build(t->arena, &in, &c, &t->err));
}

TEST(the_context_of_nothing_is_an_empty_list) /* P21 */
{
    static const char *const dialects[] = { "pi", "hygge", "ui" };
    struct path p = { .t = t };
    size_t i;

    for (i = 0; i < 3; i++) {
        struct bough_context c = context_of(&p, dialects[i], NULL);

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
    struct bough_context c;

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
    static const char *const dialects[] = { "pi", "hygge", "ui" };
    struct path p = { .t = t };
    struct bough_entry *gone;
    size_t i;

    add_message(&p, BOUGH_ROLE_USER, "\"a\"", NULL);
    gone = add_message(&p, BOUGH_ROLE_USER, "\"b\"", NULL);
    gone->deleted = 1;
    for (i = 0; i < 3; i++) {
        struct bough_context c = context_of(&p, dialects[i], NULL);

        CHECK_INT(1, c.count);
        CHECK_STR(p.at[0].id, c.sources[0]);
        CHECK_INT(1, notes_about(&c, gone, "omitted"));
    }
}
