/* Lines that cannot be read: they are left out and named, and the conversation goes on around them.
 */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/memory/buf.h"
#include "base/text/str.h"
#include "corpus.h"

/* How the text of the lost message is written. */
enum damage { TOO_LONG, TOO_DEEP, TORN };

static void put_text(struct buf *out, enum damage how)
{
    if (how == TORN) {
        buf_puts(out, "\"torn");
        return;
    }
    if (how == TOO_LONG) {
        char *room = buf_reserve(out, LIMIT_MESSAGE_BYTES);

        buf_putc(out, '"');
        memset(room + 1, 'x', LIMIT_MESSAGE_BYTES - 1);
        out->n += LIMIT_MESSAGE_BYTES - 1;
        buf_end(out);
        buf_puts(out, "\"}");
        return;
    }
    for (int i = 0; i <= LIMIT_JSON_DEPTH; i++)
        buf_putc(out, '[');
    for (int i = 0; i <= LIMIT_JSON_DEPTH; i++)
        buf_putc(out, ']');
    buf_putc(out, '}');
}

static void put_pi(struct buf *out, enum damage how)
{
    buf_puts(out,
             "{\"type\":\"session\",\"version\":3,\"id\":\"5b6a2402-61f2-4924-8bb0-9a1c7bf1ee1f\","
             "\"timestamp\":\"2026-11-15T20:00:00.000Z\",\"cwd\":\"/srv\"}\n"
             "{\"type\":\"message\",\"id\":\"a0000001\",\"parentId\":null,\"timestamp\":\"2026-11-"
             "15T20:00:01.000Z\",\"message\":{\"role\":\"user\",\"content\":\"first\"}}\n"
             "{\"type\":\"message\",\"id\":\"a0000002\",\"parentId\":\"a0000001\",\"timestamp\":"
             "\"2026-11-15T20:00:02.000Z\",\"message\":{\"role\":\"user\",\"content\":");
    put_text(out, how);
    buf_puts(
        out,
        "}\n"
        "{\"type\":\"message\",\"id\":\"a0000003\",\"parentId\":\"a0000002\",\"timestamp\":"
        "\"2026-11-15T20:00:03.000Z\",\"message\":{\"role\":\"user\",\"content\":\"third\"}}\n"
        "{\"type\":\"message\",\"id\":\"a0000004\",\"parentId\":\"a0000003\",\"timestamp\":"
        "\"2026-11-15T20:00:04.000Z\",\"message\":{\"role\":\"user\",\"content\":\"fourth\"}}\n"
        "{\"type\":\"message\",\"id\":\"a0000005\",\"parentId\":\"a0000002\",\"timestamp\":"
        "\"2026-11-15T20:00:05.000Z\",\"message\":{\"role\":\"user\",\"content\":\"fifth\"}}\n");
}

static void put_claude(struct buf *out, enum damage how)
{
    static const char *const ids[] = { "11111111-1111-4111-8111-111111111111",
                                       "22222222-2222-4222-8222-222222222222",
                                       "33333333-3333-4333-8333-333333333333" };

    for (int i = 0; i < 3; i++) {
        buf_printf(out,
                   "{\"parentUuid\":%s%s%s,\"isSidechain\":false,\"sessionId\":"
                   "\"99999999-9999-4999-8999-999999999999\",\"cwd\":\"/srv\",\"type\":\"user\","
                   "\"uuid\":\"%s\",\"timestamp\":\"2026-11-15T20:00:0%d.000Z\",\"message\":{"
                   "\"role\":\"user\",\"content\":",
                   i ? "\"" : "", i ? ids[i - 1] : "null", i ? "\"" : "", ids[i], i);
        if (i == 1)
            put_text(out, how);
        else
            buf_printf(out, "\"text %d\"}", i);
        buf_puts(out, "}\n");
    }
}

static const char *text_at(struct test *t, const char *session, int64_t depth)
{
    struct bough_entries_read_options how = { .from_depth = depth, .limit = 1 };
    struct bough_entries_read_result page;

    CHECK_OK(bough_entries_read(t->store, t->arena, session, &how, &page, &t->err));
    return page.entries.n ? text_of(t, &page.entries.at[0]) : "";
}

static struct bough_import_file_result take(struct test *t, void (*put)(struct buf *, enum damage),
                                            enum damage how, const char **path)
{
    struct bough_import_file_result in;
    struct buf text;

    buf_init(&text, 2 * (size_t)LIMIT_MESSAGE_BYTES);
    put(&text, how);
    *path = file_make(t, "lost.jsonl", text.p, text.n);
    buf_finish(&text);
    in = import_file(t, *path);
    CHECK_INT(2, in.nproblems);
    return in;
}

static void check_pi(struct test *t, enum damage how, const char *says)
{
    const char *path;
    struct bough_import_file_result in = take(t, put_pi, how, &path);
    const struct bough_session *s;

    CHECK_INT(4, in.added);
    CHECK_INT(3, in.problems[0].line);
    CHECK(strstr(in.problems[0].text, says) != NULL);
    CHECK_INT(4, in.problems[1].line);
    s = get(t, in.session);
    CHECK_INT(4, s->messages);
    /* The last line hangs on the lost one as the fourth does: both follow the first. */
    CHECK_STR("first", text_at(t, in.session, 1));
    CHECK_STR("fifth", text_at(t, in.session, 2));
    CHECK_INT(0, import_file(t, path).added);
}

STORE_TEST(a_line_of_pi_that_is_too_long_is_left_out_and_the_rest_follows_what_was_before)
{
    check_pi(t, TOO_LONG, "a line of more than 67108864 bytes was left out");
}

STORE_TEST(a_line_of_pi_that_is_nested_too_deep_is_left_out_and_the_rest_follows_what_was_before)
{
    check_pi(t, TOO_DEEP, "it is not JSON");
}

STORE_TEST(a_torn_line_of_pi_is_left_out_and_the_rest_follows_what_was_before)
{
    check_pi(t, TORN, "it is not JSON");
}

STORE_TEST(a_line_of_claude_code_that_is_too_long_is_left_out_and_the_rest_kept)
{
    const char *path;
    struct bough_import_file_result in = take(t, put_claude, TOO_LONG, &path);

    CHECK_INT(2, in.added);
    CHECK_STR("text 0", text_at(t, in.session, 1));
    CHECK_STR("text 2", text_at(t, in.session, 2));
    CHECK_INT(0, follow_file(t, path).added);
}
