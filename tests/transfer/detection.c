/* Which format a file has, and what a reader must not change or join without a word. */
#include <stdlib.h>
#include <string.h>

#include "base/memory/arena.h"
#include "base/memory/buf.h"
#include "base/text/str.h"
#include "corpus.h"

#define PI_HEADER(version)                                                                         \
    "{\"type\":\"session\",\"version\":" version ",\"id\":\"p-1\",\"timestamp\":"                  \
    "\"2026-11-15T20:00:00.000Z\",\"cwd\":\"/srv\"}\n"
#define PI_LINE(id, parent, text)                                                                  \
    "{\"type\":\"message\",\"id\":\"" id "\",\"parentId\":" parent ",\"timestamp\":"               \
    "\"2026-11-15T20:00:01.000Z\",\"message\":{\"role\":\"user\",\"content\":\"" text "\"}}\n"
/* Two answers to one question: a flat reading would put one behind the other. */
#define PI_TREE                                                                                    \
    PI_LINE("a1", "null", "one") PI_LINE("a2", "\"a1\"", "two") PI_LINE("a3", "\"a1\"", "three")

static const char *detected(const char *text)
{
    const char *name = bough_format_detect(str_of(text));

    return name ? name : "none";
}

static struct bough_import_file_result import_text(struct test *t, const char *name,
                                                   const char *text)
{
    return import_file(t, file_make(t, name, text, strlen(text)));
}

/* Is there a problem of this line with these words? */
static bool told(const struct bough_import_file_result *in, int64_t line, const char *words)
{
    for (size_t i = 0; i < in->nproblems; i++)
        if (in->problems[i].line == line && strstr(in->problems[i].text, words))
            return true;
    return false;
}

TEST(lines_with_a_session_id_are_claude_code_s_only_if_they_look_like_its_lines)
{
    CHECK_STR("none", detected("{\"sessionId\":\"x\",\"event\":\"click\",\"at\":12}\n"));
    CHECK_STR("none", detected("{\"level\":\"info\",\"sessionId\":\"x\",\"type\":\"log\"}\n"));
    CHECK_STR("none", detected("{\"sessionId\":\"x\",\"otherHash\":\"y\",\"kind\":\"main\"}\n"
                               "{\"id\":\"1\",\"type\":\"user\",\"content\":\"hi\"}\n"));
    CHECK_STR("claude-code", detected("{\"type\":\"queue-operation\",\"operation\":\"enqueue\","
                                      "\"sessionId\":\"x\"}\n"));
    CHECK_STR("claude-code", detected("{\"type\":\"summary\",\"summary\":\"A title\","
                                      "\"leafUuid\":\"u\"}\n"));
    CHECK_STR("claude-code", detected("{\"type\":\"of-a-later-version\",\"sessionId\":\"x\"}\n"
                                      "{\"parentUuid\":null,\"sessionId\":\"x\"}\n"));
    CHECK_STR("claude-code", detected("{\"isSidechain\":false,\"parentUuid\":null,\"type\":"
                                      "\"user\",\"sessionId\":\"x\",\"uuid\":\"u\"}\n"));
}

STORE_TEST(lines_before_a_header_that_are_not_json_are_skipped_and_reported)
{
    struct bough_import_file_result in =
        import_text(t, "junk.jsonl", "not json\n{\"torn\":\n" PI_HEADER("3") PI_TREE);

    CHECK_STR("pi", in.format);
    CHECK_INT(3, in.added);
    CHECK_INT(2, in.nproblems);
    CHECK(told(&in, 1, "not JSON") && told(&in, 2, "not JSON"));
    CHECK_STR("codex", detected("garbage\n{\"timestamp\":\"t\",\"type\":\"session_meta\","
                                "\"payload\":{\"id\":\"x\"}}\n"));
    CHECK_STR("none", detected("[\n{\"type\":\"session\",\"id\":\"x\"}\n]\n"));
    CHECK_STR("none", detected("garbage\nmore garbage\n"));
    CHECK_STR("none", detected("{\"a\":1}\n" PI_HEADER("3"))); /* pi refuses it, too */
}

/* The tree of PI_TREE, and the header as it was. */
static void check_version(struct test *t, const char *text, const char *version)
{
    struct bough_import_file_result in = import_text(t, "version.jsonl", text);
    struct bough_branches branches;
    struct bough_str out;

    CHECK_INT(3, in.added);
    CHECK_OK(bough_tree_branches(t->store, t->arena, in.session, &branches, &t->err));
    CHECK_INT(2, branches.n);
    out = export_text(t, in.session, "pi");
    if (!strstr(out.p, version))
        FAIL("no %s in %s", version, out.p);
    CHECK(strstr(out.p, "\"id\":\"a3\",\"parentId\":\"a1\""));
    fresh_store(t);
    in = import_file(t, file_make(t, "again.jsonl", out.p, out.n));
    CHECK_STR(out.p, export_text(t, in.session, "pi").p);
    next_store(t);
}

STORE_TEST(a_version_of_pi_that_is_written_otherwise_does_not_flatten_the_tree)
{
    check_version(t, PI_HEADER("\"3\"") PI_TREE, "\"version\":\"3\",");
    check_version(t, PI_HEADER("3.0") PI_TREE, "\"version\":3.0,");
    check_version(t, PI_HEADER("\"next\"") PI_TREE, "\"version\":\"next\",");
}

STORE_TEST(a_later_version_of_pi_is_kept_and_reported)
{
    struct bough_import_file_result in = import_text(t, "four.jsonl", PI_HEADER("4") PI_TREE);

    CHECK_INT(1, in.nproblems);
    CHECK(told(&in, 1, "version"));
    next_store(t);
    check_version(t, PI_HEADER("4") PI_TREE, "\"version\":4,");
    in = import_text(t, "three.jsonl", PI_HEADER("3") PI_TREE);
    CHECK_INT(0, in.nproblems);
}

#define CLAUDE_LINE(session, uuid, parent, text)                                                   \
    "{\"parentUuid\":" parent ",\"isSidechain\":false,\"type\":\"user\",\"message\":{\"role\":"    \
    "\"user\",\"content\":\"" text "\"},\"uuid\":\"" uuid "\",\"timestamp\":"                      \
    "\"2026-11-15T20:00:01.000Z\",\"cwd\":\"/srv\",\"sessionId\":\"" session "\"}\n"

STORE_TEST(a_second_session_in_a_file_of_claude_code_is_reported_once)
{
    struct bough_import_file_result in = import_text(
        t, "two.jsonl",
        CLAUDE_LINE("s-1", "u1", "null", "one") CLAUDE_LINE("s-2", "u2", "null", "two")
            CLAUDE_LINE("s-2", "u3", "\"u2\"", "three") CLAUDE_LINE("s-1", "u4", "\"u1\"", "four"));

    CHECK_INT(4, in.added);
    CHECK_INT(1, in.nproblems);
    CHECK(told(&in, 2, "s-2"));
}

#define CODEX_META(id, more)                                                                       \
    "{\"timestamp\":\"2026-11-15T20:00:00.000Z\",\"type\":\"session_meta\",\"payload\":{\"id\":"   \
    "\"" id "\",\"timestamp\":\"2026-11-15T20:00:00.000Z\",\"cwd\":\"/srv\"" more "}}\n"
#define CODEX_LINE(text)                                                                           \
    "{\"timestamp\":\"2026-11-15T20:00:01.000Z\",\"type\":\"response_item\",\"payload\":{"         \
    "\"type\":\"message\",\"role\":\"user\",\"content\":[{\"type\":\"input_text\",\"text\":"       \
    "\"" text "\"}]}}\n"

STORE_TEST(a_second_session_in_a_file_of_codex_is_reported)
{
    struct bough_import_file_result in = import_text(t, "two.jsonl",
                                                     CODEX_META("c-1", "") CODEX_LINE("one")
                                                         CODEX_META("c-2", "") CODEX_LINE("two"));

    CHECK_INT(3, in.added);
    CHECK_INT(1, in.nproblems);
    CHECK(told(&in, 3, "c-2"));
    /* A resumed session repeats its own header, a fork that of the session it copies. */
    in =
        import_text(t, "same.jsonl", CODEX_META("c-3", "") CODEX_LINE("one") CODEX_META("c-3", ""));
    CHECK_INT(0, in.nproblems);
    in = import_text(t, "fork.jsonl",
                     CODEX_META("c-4", ",\"forked_from_id\":\"c-3\"") CODEX_META("c-3", ""));
    CHECK_INT(0, in.nproblems);
}

/* ---- forks of Claude Code ---- */

#define FORK_ID "c5b0c1d2-7c0a-4f0e-9a51-2f7a4f6f9b11"

/* The file as --fork-session writes it: the lines with a uuid, under another session and with other
 * promptIds; then lines of its own. */
static struct bough_str fork_of(struct test *t, const char *text, const char *last)
{
    struct buf out;
    struct bough_str kept;
    int n = 0;

    buf_init(&out, 1 << 20);
    for (const char *end; *text; text = end + 1) {
        const char *key = "\"promptId\":\"", *id;

        end = strchr(text, '\n');
        if (!end)
            break;
        if (strncmp(text, "{\"parentUuid\"", 13) != 0)
            continue;
        id = strstr(text, key);
        if (id && id < end) {
            id += strlen(key);
            buf_put(&out, text, (size_t)(id - text));
            buf_printf(&out, "other-%d", n++);
            text = strchr(id, '"');
        }
        buf_put(&out, text, (size_t)(end + 1 - text));
    }
    CHECK(n > 0);
    buf_printf(&out,
               "{\"parentUuid\":\"%s\",\"isSidechain\":false,\"type\":\"user\",\"message\":{"
               "\"role\":\"user\",\"content\":\"another way\"},\"uuid\":"
               "\"0a3c9f3e-0f5e-4c1c-8a63-1b6a2c1d9e10\",\"timestamp\":"
               "\"2026-11-16T21:00:00.000Z\",\"cwd\":\"/srv\",\"sessionId\":\"" FORK_ID "\"}\n"
               "{\"type\":\"last-prompt\",\"lastPrompt\":\"another way\",\"sessionId\":"
               "\"" FORK_ID "\"}\n",
               last);
    kept = str_make(arena_strndup(t->arena, out.p, out.n), out.n);
    buf_finish(&out);
    return kept;
}

/* Put another session id into all lines. */
static struct bough_str with_session(struct test *t, struct bough_str text, const char *old)
{
    struct buf out;
    struct bough_str kept;
    const char *p = text.p, *at;

    buf_init(&out, 1 << 20);
    for (; (at = strstr(p, old)) != NULL; p = at + strlen(old)) {
        buf_put(&out, p, (size_t)(at - p));
        buf_puts(&out, FORK_ID);
    }
    buf_puts(&out, p);
    kept = str_make(arena_strndup(t->arena, out.p, out.n), out.n);
    buf_finish(&out);
    return kept;
}

static void check_claude_fork(struct test *t, const char *path, const char *session,
                              const char *last)
{
    size_t n;
    const char *text = file_text(t, path, &n);
    struct bough_str fork = with_session(t, fork_of(t, text, last), session), out;
    struct bough_import_file_result parent = import_file(t, path), in;
    struct bough_str before = export_text(t, parent.session, "claude-code");

    in = import_file(t, file_make(t, "fork.jsonl", fork.p, fork.n));
    CHECK_STR(parent.session, get(t, in.session)->parent);
    out = export_text(t, in.session, "claude-code");
    check_same_lines(t, fork, out);
    CHECK_STR(before.p, export_text(t, parent.session, "claude-code").p);
    in = import_file(t, file_make(t, "fork2.jsonl", out.p, out.n));
    CHECK_INT(0, in.added);
    /* A store that is moved keeps it. */
    out = export_text(t, in.session, "bough");
    fresh_store(t);
    in = import_file(t, file_make(t, "moved.jsonl", out.p, out.n));
    check_same_lines(t, fork, export_text(t, in.session, "claude-code"));
    next_store(t);
}

STORE_TEST(a_claude_code_fork_beside_its_parent_comes_back_as_it_was)
{
    check_claude_fork(t, data_path(t, "claude-code/tools.jsonl"),
                      "6a2aac6d-80da-4f6a-80a0-8d50fd4e714e",
                      "282f768f-402e-4ba8-8cef-3af60bd384d8");
    if (corpora_here())
        check_claude_fork(t, corpus_path(t, "claude-code-2.1.325/resumed.jsonl"),
                          "371e685c-91c1-4617-8c3b-762ec17c981d",
                          "40371fbc-7047-4a7c-9b83-9bc61684f8a5");
}

/* ---- ids ---- */

STORE_TEST(ids_with_a_tilde_come_back_whole)
{
    const char *text = PI_HEADER("3") PI_LINE("a", "null", "one") PI_LINE("a~2", "\"a\"", "two")
        PI_LINE("x~y", "\"a~2\"", "three") PI_LINE("b~2", "\"x~y\"", "four")
            PI_LINE("~", "\"b~2\"", "five");
    struct bough_import_file_result in = import_text(t, "tilde.jsonl", text);

    CHECK_INT(5, in.added);
    CHECK_STR(text, export_text(t, in.session, "pi").p);
    CHECK_INT(0, import_text(t, "tilde2.jsonl", text).added);
}

STORE_TEST(an_edited_entry_is_exported_under_the_id_of_its_file)
{
    struct bough_str out;
    struct bough_import_file_result in;

    import_text(t, "edited.jsonl", PI_HEADER("3") PI_LINE("a1", "null", "one"));
    in = import_text(t, "edited.jsonl", PI_HEADER("3") PI_LINE("a1", "null", "two"));
    CHECK_INT(1, in.added);
    out = export_text(t, in.session, "ai-sdk");
    CHECK(strstr(out.p, "\"id\":\"a1\"") && strstr(out.p, "two"));
}

/* ---- bytes that cannot be kept ---- */

STORE_TEST(bytes_that_are_not_utf_8_are_reported)
{
    struct bough_import_file_result in = import_text(
        t, "bytes.jsonl",
        PI_HEADER("3") PI_LINE("a1", "null", "good") PI_LINE("a2", "\"a1\"",
                                                             "b\xff"
                                                             "d") PI_LINE("a3", "\"a2\"", "fine"));

    CHECK_INT(3, in.added);
    CHECK_INT(1, in.nproblems);
    CHECK(told(&in, 3, "UTF-8"));
}

STORE_TEST(repeated_keys_are_reported)
{
    struct bough_import_file_result in = import_text(
        t, "keys.jsonl",
        PI_HEADER("3") "{\"type\":\"message\",\"id\":\"a1\",\"\\u0069d\":\"a2\",\"parentId\":null,"
                       "\"message\":{\"role\":\"user\",\"content\":\"x\"}}\n"
                       "{\"type\":\"message\",\"id\":\"a3\",\"parentId\":\"a2\",\"message\":{"
                       "\"role\":\"user\",\"content\":\"x\",\"content\":\"y\"}}\n");

    CHECK_INT(2, in.added);
    CHECK_INT(2, in.nproblems);
    CHECK(told(&in, 2, "\"id\" is repeated") && told(&in, 3, "\"content\" is repeated"));
    in = import_text(t, "keys.json",
                     "[{\"id\":\"m\",\"role\":\"user\",\"role\":\"assistant\","
                     "\"parts\":[{\"type\":\"text\",\"text\":\"x\"}]}]");
    CHECK_INT(1, in.nproblems);
    CHECK(strstr(in.problems[0].text, "\"role\" is repeated"));
}

STORE_TEST(a_key_that_is_repeated_among_many_is_found)
{
    struct bough_import_file_result in;
    struct buf text;

    buf_init(&text, 1 << 20);
    buf_puts(&text, PI_HEADER("3") "{\"type\":\"custom\",\"id\":\"a1\",\"parentId\":null,");
    for (int i = 0; i < 5000; i++)
        buf_printf(&text, "\"key%d\":%d,", i, i);
    buf_puts(&text, "\"key77\":0}\n");
    in = import_text(t, "many.jsonl", text.p);
    buf_finish(&text);
    CHECK_INT(1, in.nproblems);
    CHECK(told(&in, 2, "\"key77\" is repeated"));
}
