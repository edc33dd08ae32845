/* Contexts for providers through the store: what is read besides the path. */
#include "base/memory/arena.h"
#include "base/text/base64.h"
#include "base/text/str.h"
#include "lib/store_test.h"
#include "lib/strict.h"

static struct bough_context_result context(struct test *t, const char *session,
                                           struct bough_context_options how)
{
    struct bough_context_result c;
    const char *why;

    CHECK_OK(bough_context(t->store, t->arena, session, &how, &c, &t->err));
    why = strict_check(t->arena, how.dialect, &c, how.trailing);
    if (why)
        FAIL("%s: %s: %s", how.dialect, why, c.messages.p);
    return c;
}

#define CONTEXT(session, ...) context(t, session, (struct bough_context_options){ __VA_ARGS__ })

static void add_part(struct test *t, const char *session, const char *part)
{
    struct bough_str parts[1] = { str_of(part) };
    struct bough_entry_new e = { .role = BOUGH_ROLE_USER, .parts = parts, .nparts = 1 };
    struct bough_append_options in = { .entries = &e, .n = 1 };
    struct bough_append_result out;

    CHECK_OK(bough_append(t->store, t->arena, session, &in, &out, &t->err));
}

STORE_TEST(C7_a_context_for_a_provider_begins_with_the_prompt_of_the_session)
{
    struct bough_session_create_options in = { .system_prompt = "be kind" };
    struct bough_context_result c;
    struct bough_session *s;

    CHECK_OK(bough_session_create(t->store, t->arena, &in, &s, &t->err));
    user(t, s->id, "hello");
    c = CONTEXT(s->id, .dialect = "anthropic");
    CHECK_SPAN("[{\"type\":\"text\",\"text\":\"be kind\"}]", c.system);
    c = CONTEXT(s->id, .dialect = "openai-chat");
    CHECK(str_starts(c.messages, "[{\"role\":\"system\",\"content\":\"be kind\"},"));
    CHECK_INT(1, c.nnotes);
    CHECK_STR("", c.notes[0].entry);
    c = CONTEXT(s->id, .dialect = "anthropic", .at_nothing = true);
    CHECK_SPAN("[]", c.messages);
}

STORE_TEST(system_messages_at_the_root_stay_when_a_compaction_hides_them)
{
    const char *s = new_session(t, "");
    struct bough_compact_options in = { .summary = "so far" };
    struct bough_context_result c;
    char id[BOUGH_ID_LEN + 1];

    add(t, s, BOUGH_ROLE_SYSTEM, "be kind");
    user(t, s, "old");
    add(t, s, BOUGH_ROLE_SYSTEM, "later");
    in.first_kept = agent(t, s, "kept");
    CHECK_OK(bough_compact(t->store, s, &in, id, &t->err));
    user(t, s, "new");
    c = CONTEXT(s, .dialect = "anthropic");
    CHECK_SPAN("[{\"type\":\"text\",\"text\":\"be kind\"}]", c.system);
    CHECK(!strstr(c.messages.p, "old") && !strstr(c.messages.p, "later"));
    CHECK(strstr(c.messages.p, "so far") && strstr(c.messages.p, "kept") &&
          strstr(c.messages.p, "new"));
    CHECK_STR(id, c.marker->id);
}

STORE_TEST(a_fork_of_a_compacted_session_sends_the_summary_to_a_provider) /* U14 */
{
    const char *s = new_session(t, "");
    struct bough_compact_options in = { .summary = "so far" };
    struct bough_context_result c;
    const char *fork;
    char id[BOUGH_ID_LEN + 1];

    user(t, s, "old");
    CHECK_OK(bough_compact(t->store, s, &in, id, &t->err));
    fork = fork_at(t, s, user(t, s, "new"));
    c = CONTEXT(fork, .dialect = "gemini");
    CHECK(strstr(c.messages.p, "so far") && !strstr(c.messages.p, "old"));
}

STORE_TEST(an_attachment_is_sent_with_its_bytes)
{
    static const char bytes[] = "\x89PNG\r\n\x1a\n and more";
    const char *s = new_session(t, "");
    struct bough_attachment_writer *w = NULL;
    struct bough_attachment file;
    struct bough_context_result c;
    char base64[64];

    CHECK_OK(bough_attachment_begin(t->store, &w, &t->err));
    CHECK_OK(bough_attachment_write(w, bytes, sizeof bytes - 1, &t->err));
    CHECK_OK(bough_attachment_finish(&w, &file, &t->err));
    add_part(t, s,
             arena_printf(t->arena,
                          "{\"type\":\"file\",\"mime\":\"image/png\",\"url\":\"%s\","
                          "\"filename\":\"a.png\"}",
                          file.url));
    memset(base64, 0, sizeof base64);
    base64_encode(bytes, sizeof bytes - 1, base64);
    c = CONTEXT(s, .dialect = "anthropic");
    CHECK_SPAN(
        arena_printf(t->arena,
                     "[{\"role\":\"user\",\"content\":[{\"type\":\"image\",\"source\":"
                     "{\"type\":\"base64\",\"media_type\":\"image/png\",\"data\":\"%s\"}}]}]",
                     base64),
        c.messages);
    CHECK_OK(bough_context(t->store, t->arena, s,
                           &(struct bough_context_options){ .dialect = "ui" }, &c, &t->err));
    /* other dialects show its name */
    CHECK(strstr(c.messages.p, "bough:sha256-") != NULL);
}

STORE_TEST(reasoning_goes_to_the_last_model_of_the_path_unless_another_is_named)
{
    const char *s = new_session(t, "");
    struct bough_str parts[2] = {
        str_of("{\"type\":\"thinking\",\"thinking\":\"hm\",\"signature\":\"sig\"}"),
        str_of("{\"type\":\"text\",\"text\":\"yes\"}")
    };
    struct bough_entry_new e = { .role = BOUGH_ROLE_ASSISTANT,
                                 .parts = parts,
                                 .nparts = 2,
                                 .data = str_of("{\"model\":\"m1\"}") };
    struct bough_append_options in = { .entries = &e, .n = 1 };
    struct bough_append_result out;
    struct bough_context_result c;

    user(t, s, "well?");
    CHECK_OK(bough_append(t->store, t->arena, s, &in, &out, &t->err));
    user(t, s, "and?");
    c = CONTEXT(s, .dialect = "anthropic");
    CHECK(strstr(c.messages.p, "\"signature\":\"sig\"") != NULL);
    c = CONTEXT(s, .dialect = "anthropic", .model = "m2");
    CHECK(!strstr(c.messages.p, "hm"));
}
