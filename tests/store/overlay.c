/* Corrections, compacted outputs, and memories in contexts. */
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "lib/store_test.h"

static struct bough_context_result context(struct test *t, const char *s, const char *dialect,
                                           unsigned memories)
{
    struct bough_context_options how = { .dialect = dialect, .memories = memories };
    struct bough_context_result out;

    CHECK_OK(bough_context(t->store, t->arena, s, &how, &out, &t->err));
    return out;
}

static bool noted(const struct bough_context_result *c, const char *entry, const char *what)
{
    for (size_t i = 0; i < c->nnotes; i++)
        if (strcmp(c->notes[i].entry, entry) == 0 && strcmp(c->notes[i].what, what) == 0)
            return true;
    return false;
}

static const char *const dialects[] = { "pi", "hygge", "ui" };

STORE_TEST(U13_a_correction_is_an_entry_and_contexts_show_both)
{
    const char *s = new_session(t, "x"), *one = user(t, s, "wrong"), *before = user(t, s, "next");
    struct bough_str part = str_of("{\"type\":\"text\",\"text\":\"right\"}");
    struct bough_context_options early = { .dialect = "pi", .at = before };
    struct bough_context_result c;
    struct bough_entry *e;
    char id[BOUGH_ID_LEN + 1];

    CHECK_OK(bough_entry_amend(t->store, s, one, &part, 1, id, &t->err));
    CHECK_OK(bough_entry_get(t->store, t->arena, s, id, &e, &t->err));
    CHECK_INT(BOUGH_ENTRY_CUSTOM, e->kind);
    CHECK(strstr(e->data.p, "bough.amend"));
    CHECK_OK(bough_entry_get(t->store, t->arena, s, one, &e, &t->err));
    CHECK_INT(1, (int)e->nparts); /* the message itself never changes */
    for (size_t i = 0; i < 3; i++) {
        c = context(t, s, dialects[i], 0);
        CHECK_INT(2, (int)c.count);
        CHECK(strstr(c.messages.p, "wrong") && strstr(c.messages.p, "right"));
        CHECK(strstr(c.messages.p, "wrong") < strstr(c.messages.p, "right"));
        CHECK(strstr(c.messages.p, "right") < strstr(c.messages.p, "next"));
        CHECK(noted(&c, one, "amended"));
    }
    CHECK_OK(bough_context(t->store, t->arena, s, &early, &c, &t->err));
    CHECK(!strstr(c.messages.p, "right")); /* the path to there does not have it */
}

STORE_TEST(U13_only_a_sealed_message_is_corrected_and_with_valid_parts)
{
    const char *s = new_session(t, "x"), *one = user(t, s, "wrong");
    struct bough_str part = str_of("{\"type\":\"text\",\"text\":\"right\"}"), bad = str_of("{}");
    struct bough_entry_new e = { .role = BOUGH_ROLE_ASSISTANT };
    struct bough_message_open_options in = { .entry = &e };
    struct bough_message_open_result open;
    char id[BOUGH_ID_LEN + 1];

    CHECK_RC(BOUGH_INVALID, bough_entry_amend(t->store, s, one, NULL, 0, id, &t->err));
    CHECK_RC(BOUGH_INVALID_PART, bough_entry_amend(t->store, s, one, &bad, 1, id, &t->err));
    CHECK_RC(BOUGH_NOT_FOUND, bough_entry_amend(t->store, s, "nobody", &part, 1, id, &t->err));
    CHECK_OK(bough_message_open(t->store, t->arena, s, &in, &open, &t->err));
    CHECK_RC(BOUGH_CONFLICT,
             bough_entry_amend(t->store, s, open.writing.id, &part, 1, id, &t->err));
    CHECK_RC(BOUGH_CONFLICT, bough_entry_compact(t->store, s, open.writing.id, -1, id, &t->err));
    CHECK_RC(BOUGH_INVALID, bough_entry_compact(t->store, s, one, -1, id, &t->err));
}

STORE_TEST(U13_a_compacted_output_is_cleared_in_contexts_and_kept_in_the_store)
{
    static const char *const outputs[] = {
        "{\"type\":\"tool\",\"tool\":\"ls\",\"callID\":\"c\",\"state\":{\"status\":"
        "\"completed\",\"input\":{},\"output\":\"much\",\"title\":\"\",\"metadata\":{},\"time\":"
        "{\"start\":1,\"end\":2}}}",
        "{\"type\":\"tool-ls\",\"toolCallId\":\"c\",\"state\":\"output-available\",\"input\":{},"
        "\"output\":\"much\"}",
        "{\"type\":\"tool_result\",\"tool_use_id\":\"c\",\"content\":\"much\"}",
    };

    for (size_t k = 0; k < sizeof outputs / sizeof *outputs; k++) {
        const char *s = new_session(t, "");
        struct bough_str part = str_of(outputs[k]);
        struct bough_entry_new e = { .role = BOUGH_ROLE_ASSISTANT, .parts = &part, .nparts = 1 };
        struct bough_append_options in = { .entries = &e, .n = 1 };
        struct bough_append_result made;
        struct bough_context_result c;
        struct bough_entry *got;
        char id[BOUGH_ID_LEN + 1];

        CHECK_OK(bough_append(t->store, t->arena, s, &in, &made, &t->err));
        CHECK_RC(BOUGH_INVALID, bough_entry_compact(t->store, s, made.ids[0], 1, id, &t->err));
        CHECK_OK(bough_entry_compact(t->store, s, made.ids[0], k ? 0 : -1, id, &t->err));
        for (size_t i = 0; i < 3; i++) {
            c = context(t, s, dialects[i], 0);
            CHECK(!strstr(c.messages.p, "much"));
            CHECK(noted(&c, made.ids[0], "compacted"));
        }
        CHECK_OK(bough_entry_get(t->store, t->arena, s, made.ids[0], &got, &t->err));
        CHECK_SPAN(outputs[k], got->parts[0].json);
    }
}

static void remember(struct test *t, enum bough_memory_scope scope, const char *of,
                     const char *content)
{
    struct bough_memory in = { .scope = scope, .of = of, .content = content };

    CHECK_OK(bough_memory_add(t->store, t->arena, &in, NULL, &t->err));
}

STORE_TEST(a_context_begins_with_the_memories_that_are_asked_for_and_says_so)
{
    struct bough_session_create_options in = { .title = "x", .project = "p" };
    struct bough_compact_options sum = { .summary = "so far" };
    struct bough_context_result c;
    struct bough_session *s;
    char id[BOUGH_ID_LEN + 1];

    CHECK_OK(bough_session_create(t->store, t->arena, &in, &s, &t->err));
    remember(t, BOUGH_MEMORY_OF_SESSION, s->id, "of the session");
    remember(t, BOUGH_MEMORY_OF_PROJECT, "p", "of the project");
    remember(t, BOUGH_MEMORY_OF_PROJECT, "q", "of another");
    remember(t, BOUGH_MEMORY_OF_STORE, "", "of all");
    user(t, s->id, "hello");
    for (int compacted = 0; compacted < 2; compacted++) {
        for (size_t i = 0; i < 3; i++) {
            c = context(t, s->id, dialects[i], 0);
            CHECK(!strstr(c.messages.p, "of the"));
            c = context(t, s->id, dialects[i], BOUGH_MEMORIES_ALL);
            CHECK(strstr(c.messages.p, "of the session") && strstr(c.messages.p, "of all"));
            CHECK(strstr(c.messages.p, "of the project") && !strstr(c.messages.p, "of another"));
            CHECK(strstr(c.messages.p, "\"system\""));
            CHECK_STR("", c.sources[0]);
            CHECK(noted(&c, "", "added"));
            CHECK(compacted || strstr(c.messages.p, "of all") < strstr(c.messages.p, "hello"));
            c = context(t, s->id, dialects[i], 1 << BOUGH_MEMORY_OF_SESSION);
            CHECK(strstr(c.messages.p, "of the session") && !strstr(c.messages.p, "of all"));
        }
        CHECK_OK(bough_compact(t->store, s->id, &sum, id, &t->err));
    }
}
