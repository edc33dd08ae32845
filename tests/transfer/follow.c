/* Following files: only the added part is read, with the same result as reading the whole file. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "base/memory/buf.h"
#include "base/text/str.h"
#include "databases.h"

static size_t line_end(struct bough_str text, size_t at)
{
    const char *end = memchr(text.p + at, '\n', text.n - at);

    return end ? (size_t)(end - text.p) + 1 : text.n;
}

/* The content of a session without its ids: path hash, counts and usage. */
static const char *told(struct test *t, const char *session)
{
    const struct bough_session *s = get(t, session);
    char hash[65];

    CHECK_OK(bough_path_hash(t->store, session, NULL, hash, &t->err));
    return arena_printf(t->arena, "%s %lld messages %lld calls in %lld out %lld title %s", hash,
                        (long long)s->messages, (long long)s->calls, (long long)s->own.input,
                        (long long)s->own.output, s->title);
}

/* Follow a file that grows by `step` bytes (0: by a line). *known counts entries that were read
 * again. Returns the session. */
static const char *grow(struct test *t, struct bough_str text, size_t step, int64_t *known)
{
    struct bough_import_file_result in = { .session = "" };
    const char *session = "";

    *known = 0;
    for (size_t at = 0; at < text.n;) {
        struct bough_import_file_options how = { .follow = true };

        at = step ? at + step : line_end(text, at);
        at = at < text.n ? at : text.n;
        /* without its first complete lines the file is not a session yet */
        if (bough_import_file(t->store, t->arena, file_make(t, "f.jsonl", text.p, at), &how, &in,
                              &t->err))
            continue;
        *known += in.known;
        session = *in.session ? in.session : session;
    }
    CHECK_INT(0, in.nproblems);
    return session;
}

/* Grow the file by lines and by arbitrary pieces. A complete import afterwards must find nothing
 * new. Growing by lines reads at most `most_known` entries again. */
static void check_growth(struct test *t, struct bough_str text, int64_t most_known)
{
    static const size_t steps[] = { 0, 997, 4000 };
    const char *session = import_file(t, file_make(t, "all.jsonl", text.p, text.n)).session;
    const char *want = told(t, session);
    int64_t known;

    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        fresh_store(t);
        session = grow(t, text, steps[i], &known);
        CHECK_STR(want, told(t, session));
        if (!steps[i] && known > most_known)
            CHECK_INT(most_known, known);
        CHECK_INT(0, import_file(t, file_make(t, "f.jsonl", text.p, text.n)).added);
        CHECK_INT(0, import_file(t, file_make(t, "copy.jsonl", text.p, text.n)).added);
        CHECK_STR(want, told(t, session));
    }
    fresh_store(t);
}

/* Of the lines of a file of this kind so many may be read again. */
struct grown {
    const char *name;
    int64_t most_known;
};

static struct bough_str text_of_file(struct test *t, const char *path)
{
    size_t n;
    const char *text = file_text(t, path, &n);

    CHECK(text != NULL);
    return str_make(text, n);
}

/* Files of tests/data, then those of the corpora; both lists end with a NULL name. */
static void check_grown(struct test *t, const struct grown *ours, const struct grown *theirs)
{
    for (; ours->name; ours++)
        check_growth(t, text_of_file(t, data_path(t, ours->name)), ours->most_known);
    if (corpora_here())
        for (; theirs->name; theirs++)
            check_growth(t, text_of_file(t, corpus_path(t, theirs->name)), theirs->most_known);
}

STORE_TEST_SECONDS(following_files_of_claude_code_reads_only_what_was_added, 60)
{
    static const struct grown ours[] = { { "claude-code/tools.jsonl", 30 },
                                         { "claude-code/content.jsonl", 30 },
                                         { "claude-code/compacted.jsonl", 30 },
                                         { "claude-code/delegated-agent.jsonl", 30 },
                                         { 0 } },
                              corpora[] = { { "claude-code-2.1.325/resumed.jsonl", 30 },
                                            { "claude-code-2.1.325/content.jsonl", 30 },
                                            { "claude-code-2.1.325/compacted.jsonl", 100 },
                                            { "claude-code-2.1.325/delegated-agent1.jsonl", 30 },
                                            { 0 } };

    check_grown(t, ours, corpora);
}

STORE_TEST_SECONDS(following_files_of_codex_reads_only_what_was_added, 60)
{
    static const struct grown ours[] = { { "codex/tools.jsonl", 0 },
                                         { "codex/content.jsonl", 0 },
                                         { 0 } },
                              corpora[] = { { "codex-0.166.0/resumed.jsonl", 0 },
                                            { "codex-0.166.0/content.jsonl", 0 },
                                            { 0 } };

    check_grown(t, ours, corpora);
}

STORE_TEST_SECONDS(following_files_of_pi_reads_only_what_was_added, 60)
{
    static const struct grown ours[] = { { "pi/multiturn.jsonl", 0 },
                                         { "pi/branched.jsonl", 0 },
                                         { "pi/v2.jsonl", 0 },
                                         { 0 } },
                              corpora[] = { { "pi-1.5.0/print-multiturn.jsonl", 0 },
                                            { "pi-1.5.0/sdk-branched.jsonl", 0 },
                                            { 0 } };

    check_grown(t, ours, corpora);
}

static void own_file_grows(struct test *t, const char *path)
{
    struct bough_import_file_result in = import_file(t, path);
    struct bough_str one = export_text(t, in.session, "bough");

    check_growth(t, one, 0);
}

STORE_TEST_SECONDS(following_files_of_our_own_reads_only_what_was_added, 60)
{
    each_file(t, FILES("codex/content.jsonl", "pi/branched.jsonl"),
              FILES("codex-0.166.0/content.jsonl"), own_file_grows);
}

/* ---- lines that depend on earlier lines ---- */

#define SIDE "{\"type\":\"queue-operation\",\"operation\":\"x\",\"sessionId\":\"s\"}\n"
#define CC(id, parent, text)                                                                       \
    "{\"parentUuid\":" parent ",\"sessionId\":\"s\",\"type\":\"user\",\"uuid\":\"" id              \
    "\",\"timestamp\":\"2026-11-15T20:00:01.000Z\",\"message\":{\"role\":\"user\",\"content\":"    \
    "\"" text "\"}}\n"

/* More responses than a follower reads again, so that the first ones are outside its window. */
STORE_TEST_SECONDS(following_finds_entries_that_claude_code_repeats_or_returns_to, 60)
{
    struct buf b;

    buf_init(&b, 1 << 20);
    buf_puts(&b, CC("a", "null", "1") SIDE);
    for (int i = 0; i < 24; i++) {
        buf_printf(&b,
                   "{\"parentUuid\":\"%s\",\"sessionId\":\"s\",\"type\":\"assistant\",\"uuid\":"
                   "\"r%d\",\"message\":{\"id\":\"m%d\",\"role\":\"assistant\",\"model\":\"x\","
                   "\"content\":[],\"usage\":{\"input_tokens\":%d}}}\n",
                   i ? arena_printf(t->arena, "r%d", i - 1) : "a", i, i, i + 1);
        if (i == 20)
            buf_puts(&b, SIDE SIDE); /* the same as an earlier line */
    }
    buf_puts(&b, CC("back", "\"a\"", "2")); /* a branch from outside the window */
    check_growth(t, buf_str(&b), 200);
    buf_finish(&b);
}

STORE_TEST(a_call_of_our_own_file_from_before_is_found_while_following)
{
    static const char text[] =
        "{\"bough\":1,\"type\":\"session\",\"id\":\"s\",\"created\":1794772800000}\n"
        "{\"type\":\"call\",\"n\":1,\"provider\":\"p\",\"model\":\"m\",\"used\":{\"input\":5}}\n"
        "{\"type\":\"entry\",\"id\":\"a\",\"kind\":\"message\",\"role\":\"assistant\",\"call\":1,"
        "\"parts\":[]}\n"
        "{\"type\":\"entry\",\"id\":\"b\",\"parent\":\"a\",\"kind\":\"message\",\"role\":"
        "\"assistant\","
        "\"call\":1,\"parts\":[]}\n";
    struct bough_entry *a, *b;

    check_growth(t, str_of(text), 1);
    import_file(t, file_make(t, "x.jsonl", text, sizeof text - 1));
    CHECK_OK(bough_entry_get(t->store, t->arena, "s", "a", &a, &t->err));
    CHECK_OK(bough_entry_get(t->store, t->arena, "s", "b", &b, &t->err));
    CHECK_STR(a->call, b->call);
}

STORE_TEST(lines_of_version_1_of_pi_are_counted_while_following)
{
    static const struct grown ours[] = { { "pi/v1.jsonl", 1000000 }, { 0 } },
                              corpora[] = { { "pi-0.30.2/print-multiturn.jsonl", 1000000 }, { 0 } };

    check_grown(t, ours, corpora);
}

/* ---- another file under the same name ---- */

#define CODEX(id)                                                                                  \
    "{\"timestamp\":\"2026-11-15T20:00:00.000Z\",\"type\":\"session_meta\",\"payload\":{\"id\":"   \
    "\"" id "\",\"cwd\":\"/p\"},\"ordinal\":0}\n"
#define SAID(n, text)                                                                              \
    "{\"timestamp\":\"2026-11-15T20:00:01.000Z\",\"type\":\"response_item\",\"payload\":{"         \
    "\"type\":\"message\",\"role\":\"user\",\"content\":[{\"type\":\"input_text\",\"text\":"       \
    "\"" text "\"}]},\"ordinal\":" #n "}\n"

static struct bough_import_file_result follow_text(struct test *t, const char *text)
{
    return follow_file(t, file_make(t, "f.jsonl", text, strlen(text)));
}

STORE_TEST(a_followed_file_that_is_cut_replaced_or_goes_back_is_read_whole_and_nothing_doubles)
{
    struct bough_import_file_result in;

    CHECK_INT(2, follow_text(t, CODEX("one") SAID(1, "a") SAID(2, "b")).added);
    in = follow_text(t, CODEX("one") SAID(1, "a")); /* truncated */
    CHECK_INT(0, in.added);
    CHECK_INT(1, in.known);
    in = follow_text(t, CODEX("one") SAID(1, "a") SAID(2, "b") SAID(3, "c")); /* grown again */
    CHECK_INT(1, in.added);
    in = follow_text(t, CODEX("two") SAID(1, "x") SAID(2, "y") SAID(3, "z") SAID(4, "long"));
    CHECK_INT(4, in.added);
    CHECK_INT(1, in.sessions);
    in = follow_text(t, CODEX("one") SAID(1, "a") SAID(2, "b") SAID(3, "c")); /* rotated back */
    CHECK_INT(0, in.added);
    CHECK_INT(3, get(t, "one")->messages);
    CHECK_INT(4, get(t, "two")->messages);
}

STORE_TEST(a_followed_file_of_another_beginning_is_another_file_whatever_its_end_is)
{
    const char *text = arena_printf(t->arena, CODEX("one") SAID(1, "%09000d"), 0),
               *other = arena_printf(t->arena, CODEX("six") SAID(1, "%09000d"), 0);
    struct bough_import_file_result in;

    CHECK_INT(1, follow_text(t, text).added);
    in = follow_text(t, other);
    CHECK_INT(1, in.added);
    CHECK_INT(1, in.sessions);
}

STORE_TEST(a_followed_file_that_did_not_change_is_not_read)
{
    struct bough_import_file_result in;

    follow_text(t, CODEX("one") SAID(1, "a"));
    follow_text(t, CODEX("one") SAID(1, "a") SAID(2, "b")); /* clears the checksum */
    in = follow_text(t, CODEX("one") SAID(1, "a") SAID(2, "b"));
    CHECK_INT(BOUGH_IMPORT_UNCHANGED, in.status);
    CHECK_INT(0, in.lines);
    CHECK_INT(0, in.known);
    in = import_file(t, in.path); /* a complete import reads every byte */
    CHECK_INT(2, in.known);
}

/* Two followers of one file: the one that claims it reads on, the other gets BOUGH_BUSY, and
 * nothing is doubled. */
STORE_TEST(two_followers_of_one_file_do_not_double)
{
    static const char *const texts[] = { CODEX("one") SAID(1, "a"),
                                         CODEX("one") SAID(1, "a") SAID(2, "b"),
                                         CODEX("one") SAID(1, "a") SAID(2, "b") SAID(3, "c") };
    struct bough_import_file_options first = { .follow = true, .owner = "first" },
                                     second = { .follow = true, .owner = "second" };
    struct bough_source *source;
    struct bough_import_file_result in;
    const char *path = "";

    for (size_t i = 0; i < 3; i++) {
        path = file_make(t, "f.jsonl", texts[i], strlen(texts[i]));
        CHECK_OK(
            bough_import_file(t->store, t->arena, path, i % 2 ? &second : &first, &in, &t->err));
        CHECK_INT(1, in.added);
        CHECK_OK(
            bough_import_file(t->store, t->arena, path, i % 2 ? &first : &second, &in, &t->err));
        CHECK_INT(0, in.added);
    }
    CHECK_INT(3, get(t, "one")->messages);
    CHECK_OK(bough_source_claim(t->store, t->arena, in.path, "first", 60000, &source, &t->err));
    CHECK_RC(BOUGH_BUSY, bough_import_file(t->store, t->arena, path, &second, &in, &t->err));
    CHECK_OK(bough_import_file(t->store, t->arena, path, &first, &in, &t->err));
    CHECK_INT(0, in.added);
}

/* Try to claim the file for another owner while 40 seconds pass between two pieces. */
static bool ask_for_it(void *user, int64_t done, int64_t total)
{
    struct test *t = user;
    char path[PATH_MAX];

    (void)total;
    if (!done)
        return true;
    CHECK(realpath(test_path(t, "f.jsonl"), path) != NULL);
    CHECK_RC(BOUGH_BUSY,
             bough_source_claim(t->store, t->arena, path, "other", 60000, NULL, &t->err));
    t->env.now += 40000;
    return true;
}

STORE_TEST(a_claim_lasts_as_long_as_the_import_of_a_large_file)
{
    struct bough_import_file_options how = { .progress = ask_for_it, .user = t };
    struct bough_import_file_result in;
    struct buf b;

    buf_init(&b, 64 << 20);
    buf_puts(&b, CODEX("one"));
    for (int i = 1; i < 20000; i++)
        buf_printf(
            &b, "{\"type\":\"event_msg\",\"payload\":{\"type\":\"x\",\"n\":%d},\"ordinal\":%d}\n",
            i, i);
    CHECK(b.n > 4 * 256 * 1024);
    CHECK_OK(bough_import_file(t->store, t->arena, file_make(t, "f.jsonl", b.p, b.n), &how, &in,
                               &t->err));
    CHECK_INT(19999, in.added);
    buf_finish(&b);
}

/* ---- databases ---- */

/* Follow the database of a tool that is running: every committed row is imported once. */
static void check_database(struct test *t, const char *schema, const char *first, const char *more,
                           const char *session)
{
    const char *path = db_make(t, "tool.db", schema, first);
    struct db *tool;

    CHECK_INT(1, follow_file(t, path).added);
    tool = db_open(t, path);
    CHECK_INT(0, follow_file(t, path).added);
    db_run(t, tool, more);
    CHECK_INT(1, follow_file(t, path).added);
    CHECK_INT(0, follow_file(t, path).added);
    db_close(tool);
    CHECK_INT(0, follow_file(t, path).added);
    CHECK_INT(2, get(t, session)->messages);
    fresh_store(t);
    unlink(path);
}

STORE_TEST(following_a_database_picks_up_new_rows)
{
    check_database(
        t, hygge_schema,
        "INSERT INTO sessions (id, project_dir, model_provider, model_name, created_at,"
        " updated_at) VALUES ('S', '/p', 'a', 'b', 1, 1); INSERT INTO messages (id,"
        " session_id, role, parts, created_at) VALUES ('1', 'S', 'user', '[]', 2);",
        "INSERT INTO messages (id, session_id, role, parts, created_at) VALUES ('2', 'S',"
        " 'assistant', '[]', 3);",
        "S");
    check_database(t, hecate_schema,
                   "INSERT INTO hecate_chat_sessions VALUES ('C', 'T', '2026-05-08T20:00:00Z',"
                   " '2026-05-08T20:00:00Z', ''); INSERT INTO hecate_chat_session_messages VALUES ("
                   "'1', 'C', 0, NULL, '{\"role\":\"user\",\"content\":\"x\"}',"
                   " '2026-05-08T20:00:00Z');",
                   "INSERT INTO hecate_chat_session_messages VALUES ('2', 'C', 1, NULL,"
                   " '{\"role\":\"assistant\",\"content\":\"y\"}', '2026-05-08T20:00:01Z');",
                   "C");
    check_database(
        t, opencode_schema,
        "INSERT INTO session (id, project_id, slug, directory, title, version,"
        " time_created, time_updated) VALUES ('ses_1', 'p', 's', '/p', 'T', '1', 1, 1);"
        "INSERT INTO message VALUES ('msg_1', 'ses_1', 1, 1, '{\"role\":\"user\"}');",
        "INSERT INTO message VALUES ('msg_2', 'ses_1', 2, 2, '{\"role\":\"assistant\"}');",
        "ses_1");
}
