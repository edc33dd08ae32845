/* pi's files in and out: contexts are those of the real pi, nothing is doubled or lost. */
#include <stdio.h>
#include <stdlib.h>

#include "base/json/json.h"
#include "base/memory/arena.h"
#include "base/memory/buf.h"
#include "base/text/str.h"
#include "corpus.h"

static const char *origin(struct test *t, const char *id)
{
    struct bough_entry *e;

    CHECK_OK(bough_entry_get(t->store, t->arena, NULL, id, &e, &t->err));
    return e->origin;
}

/* Ids and roles of a context's messages: "id:role id:role". */
static const char *sources_of(struct test *t, const struct bough_context_result *c, bool ids)
{
    struct json messages;
    struct json_iter it;
    const char *out = "";
    size_t i = 0;

    CHECK_OK(json_parse(t->arena, c->messages, &messages, &t->err));
    for (it = json_iter(messages); json_next(&it); i++)
        out = arena_printf(t->arena, "%s %s:%s", out, ids ? origin(t, c->sources[i]) : "",
                           json_cstr(t->arena, it.value, "role"));
    return out;
}

static const char *sources_wanted(struct test *t, struct json want, bool ids)
{
    struct json_iter it = json_iter(want);
    const char *out = "";

    while (json_next(&it)) {
        struct json_iter pair = json_iter(it.value);
        struct bough_str id, role;

        json_next(&pair);
        json_str(t->arena, pair.value, &id);
        json_next(&pair);
        json_str(t->arena, pair.value, &role);
        out = arena_printf(t->arena, "%s %s:%s", out, ids ? id.p : "", role.p);
    }
    return out;
}

static void check_leaf(struct test *t, const char *session, struct json want, bool ids)
{
    const char *leaf = json_cstr(t->arena, want, "leaf");
    struct bough_context_options how = { .dialect = "pi", .at = ids ? leaf : NULL };
    struct bough_context_result got;

    CHECK_OK(bough_context(t->store, t->arena, session, &how, &got, &t->err));
    CHECK_STR(sources_wanted(t, json_member(want, "sources"), ids), sources_of(t, &got, ids));
    CHECK_STR(json_cstr(t->arena, want, "thinkingLevel"), got.thinking_level);
}

/* Import, compare every leaf's context with the real pi's, export, import into a fresh store,
 * export again: the same bytes. */
static void check_file(struct test *t, const char *dir, struct json want)
{
    const char *file = json_cstr(t->arena, want, "file"), *path;
    struct json_iter it = json_iter(json_member(want, "leaves"));
    struct bough_import_file_result in;
    struct bough_str out, again;
    /* pi makes up ids for files of version 1 */
    bool ids = json_cstr(t->arena, json_member(want, "context"), "leaf")[0] != '#';

    path = arena_printf(t->arena, "%s/%s", dir, file);
    in = import_file(t, path);
    CHECK_INT(BOUGH_IMPORT_NEW, in.status);
    if (json_count(json_member(want, "leaves")))
        while (json_next(&it))
            check_leaf(t, in.session, it.value, ids);
    if (ids)
        CHECK_STR(json_cstr(t->arena, json_member(want, "context"), "leaf"),
                  origin(t, arena_printf(t->arena, "#%lld.%lld",
                                         (long long)get(t, in.session)->head.branch,
                                         (long long)get(t, in.session)->head.depth)));
    in = import_file(t, path);
    CHECK_INT(BOUGH_IMPORT_UNCHANGED, in.status);
    CHECK_INT(0, in.added);
    out = export_text(t, in.session, "pi");
    store_check(t, t->store);
    bough_store_close(&t->store);
    CHECK_OK(bough_store_open(&t->store, "memory:", NULL, &t->err));
    in = import_file(t, file_make(t, file, out.p, out.n));
    again = export_text(t, in.session, "pi");
    CHECK_STR(out.p, again.p);
}

/* What pi makes of the files of a folder stands in a file beside them, a line each. */
static void check_release(struct test *t, const char *dir, const char *expected)
{
    size_t n = 0;
    const char *path = arena_printf(t->arena, "%s/%s", dir, expected);
    const char *text = file_text(t, path, &n), *end;
    struct json j;

    for (; n; n -= (size_t)(end + 1 - text), text = end + 1) {
        end = memchr(text, '\n', n);
        CHECK(end);
        CHECK_OK(json_parse(t->arena, str_make(text, (size_t)(end - text)), &j, &t->err));
        bough_store_close(&t->store);
        CHECK_OK(bough_store_open(&t->store, t->url, NULL, &t->err));
        check_file(t, dir, j);
        bough_store_close(&t->store);
        CHECK_OK(bough_store_open(&t->store, t->url, NULL, &t->err));
    }
}

STORE_TEST(files_of_every_version_of_pi_are_imported_as_pi_reads_them)
{
    check_release(t, data_path(t, "pi"), "expected.ndjson");
}

STORE_TEST(files_of_pi_0_30_are_imported_as_pi_1_5_reads_them)
{
    check_release(t, corpus_path(t, "pi-0.30.2"), "expected-by-1.5.0.ndjson");
}

STORE_TEST(files_of_pi_0_73_are_imported_as_pi_1_5_reads_them)
{
    check_release(t, corpus_path(t, "pi-0.73.1"), "expected-by-1.5.0.ndjson");
}

STORE_TEST(files_of_pi_1_5_are_imported_as_pi_1_5_reads_them)
{
    check_release(t, corpus_path(t, "pi-1.5.0"), "expected-by-1.5.0.ndjson");
}

/* ---- growing and editing ---- */

#define HEADER                                                                                     \
    "{\"type\":\"session\",\"version\":3,\"id\":\"s-1\",\"timestamp\":\"2026-11-15T20:00:00."      \
    "000Z\","                                                                                      \
    "\"cwd\":\"/srv/toy\"}\n"

static const char *said(struct test *t, const char *id, const char *parent, const char *role,
                        const char *text)
{
    return arena_printf(
        t->arena,
        "{\"type\":\"message\",\"id\":\"%s\",\"parentId\":%s,\"timestamp\":"
        "\"2026-11-15T20:00:01.000Z\",\"message\":{\"role\":\"%s\",\"content\":\"%s\","
        "\"timestamp\":1}}\n",
        id, parent ? arena_printf(t->arena, "\"%s\"", parent) : "null", role, text);
}

static struct bough_import_file_result import_lines(struct test *t, const char *text)
{
    return import_file(t, file_make(t, "s.jsonl", text, strlen(text)));
}

STORE_TEST(a_file_that_grew_adds_only_what_is_new)
{
    const char *two = arena_printf(t->arena, HEADER "%s%s", said(t, "a", NULL, "user", "one"),
                                   said(t, "b", "a", "assistant", "two"));
    struct bough_import_file_result in = import_lines(t, two);
    const char *session = in.session;

    CHECK_INT(2, in.added);
    in = import_lines(t, arena_printf(t->arena, "%s%s%s", two, said(t, "c", "b", "user", "three"),
                                      said(t, "d", "a", "assistant", "other")));
    CHECK_INT(BOUGH_IMPORT_GREW, in.status);
    CHECK_INT(2, in.added);
    CHECK_INT(0, in.known); /* what was read before is not read again */
    CHECK_INT(2, in.lines);
    CHECK_STR(session, in.session);
    CHECK_STR("one other", path_text(t, session));
    CHECK_INT(4, get(t, session)->messages);
}

STORE_TEST(an_edited_file_becomes_a_branch_and_nothing_is_lost)
{
    struct bough_import_file_result in =
        import_lines(t, arena_printf(t->arena, HEADER "%s%s", said(t, "a", NULL, "user", "one"),
                                     said(t, "b", "a", "assistant", "two")));
    const char *session = in.session;
    struct bough_entry *old;

    in = import_lines(t, arena_printf(t->arena, HEADER "%s%s%s", said(t, "a", NULL, "user", "one"),
                                      said(t, "b", "a", "assistant", "TWO"),
                                      said(t, "c", "b", "user", "three")));
    CHECK_INT(BOUGH_IMPORT_EDITED, in.status);
    CHECK_INT(2, in.added);
    CHECK_STR("one TWO three", path_text(t, session));
    CHECK_OK(bough_entry_get(t->store, t->arena, session, "b", &old, &t->err));
    CHECK_STR("two", text_of(t, old));
    in = import_lines(
        t, arena_printf(t->arena, HEADER "%s%s%s%s", said(t, "a", NULL, "user", "one"),
                        said(t, "b", "a", "assistant", "TWO"), said(t, "c", "b", "user", "three"),
                        said(t, "d", "c", "assistant", "four")));
    CHECK_INT(BOUGH_IMPORT_GREW, in.status);
    CHECK_INT(1, in.added);
    CHECK_STR("one TWO three four", path_text(t, session));
}

STORE_TEST(a_fork_s_file_becomes_a_fork_by_reference)
{
    const char *one = said(t, "a", NULL, "user", "one"),
               *two = said(t, "b", "a", "assistant", "two");
    const char *text = arena_printf(t->arena, HEADER "%s%s", one, two), *fork;
    struct bough_import_file_result parent, child;
    struct bough_str out;

    parent = import_file(t, file_make(t, "x_s-1.jsonl", text, strlen(text)));
    fork =
        arena_printf(t->arena,
                     "{\"type\":\"session\",\"version\":3,\"id\":\"s-2\",\"timestamp\":"
                     "\"2026-11-15T21:00:00.000Z\",\"cwd\":\"/srv/toy\",\"parentSession\":\"%s\"}\n"
                     "%s%s",
                     "/elsewhere/x_s-1.jsonl", one, said(t, "c", "a", "assistant", "other"));
    child = import_file(t, file_make(t, "y_s-2.jsonl", fork, strlen(fork)));
    CHECK_INT(1, child.added);
    CHECK_STR(parent.session, get(t, child.session)->parent);
    CHECK_STR("a", origin(t, get(t, child.session)->fork_entry));
    CHECK_STR("one other", path_text(t, child.session));
    out = export_text(t, child.session, "pi");
    CHECK(strstr(out.p, "\"parentSession\":\"/elsewhere/x_s-1.jsonl\""));
    CHECK(strstr(out.p, "\"id\":\"a\"") && strstr(out.p, "\"id\":\"c\",\"parentId\":\"a\""));
}

STORE_TEST(U23_a_head_that_is_not_the_last_line_survives_export_and_import)
{
    struct bough_import_file_result in = import_lines(
        t, arena_printf(t->arena, HEADER "%s%s%s", said(t, "a", NULL, "user", "one"),
                        said(t, "b", "a", "assistant", "two"), said(t, "c", "b", "user", "three")));
    struct bough_str out;

    CHECK_OK(bough_head_move(t->store, in.session, "b", &t->err));
    out = export_text(t, in.session, "pi");
    CHECK(strstr(out.p, "\"customType\":\"bough.head\",\"id\":\"b0090ead\",\"parentId\":\"b\""));
    bough_store_close(&t->store);
    CHECK_OK(bough_store_open(&t->store, "memory:", NULL, &t->err));
    in = import_file(t, file_make(t, "again.jsonl", out.p, out.n));
    CHECK_STR("one two", path_text(t, in.session));
    CHECK_INT(3, get(t, in.session)->messages);
    CHECK_STR(out.p, export_text(t, in.session, "pi").p);
}

STORE_TEST(U13_a_session_with_an_open_message_is_not_exported)
{
    const char *s = new_session(t, "s");
    struct bough_entry_new e = { .role = BOUGH_ROLE_ASSISTANT };
    struct bough_message_open_options in = { .entry = &e };
    struct bough_message_open_result open;
    struct bough_entry *sealed;

    user(t, s, "hello");
    CHECK_OK(bough_message_open(t->store, t->arena, s, &in, &open, &t->err));
    CHECK_RC(BOUGH_CONFLICT, export_rc(t, s, "pi"));
    CHECK_OK(bough_message_seal(t->store, t->arena, &open.writing, NULL, &sealed, &t->err));
    CHECK_OK(export_rc(t, s, "pi"));
}

/* ---- damage ---- */

STORE_TEST(broken_lines_are_reported_by_number_and_the_rest_is_imported)
{
    const char *text = arena_printf(
        t->arena,
        "\xef\xbb\xbf" HEADER "%s{\"torn\n\n[1]\n%s%s%s%s{\"type\":\"message\",\"id\":\"e\"",
        said(t, "a", NULL, "user", "one"), said(t, "b", "a", "assistant", "two"),
        said(t, "b", "a", "assistant", "two again"), said(t, "d", "nowhere", "user", "orphan"),
        said(t, "c", "c", "user", "its own parent"));
    struct bough_import_file_result in = import_lines(t, text);

    CHECK_INT(5, in.added);
    CHECK_INT(5, in.nproblems);
    CHECK_INT(3, in.problems[0].line);
    CHECK_INT(5, in.problems[1].line);
    CHECK_INT(8, in.problems[2].line); /* the torn line may have been its parent */
    CHECK_INT(10, in.problems[3].line);
    CHECK_INT(9, in.problems[4].line);
}

STORE_TEST(a_file_without_a_header_is_an_error_and_nothing_is_written)
{
    const char *text = said(t, "a", NULL, "user", "one");
    struct bough_import_file_options how = { .format = "pi" };
    struct bough_import_file_result in;
    struct bough_sessions list;

    CHECK_RC(BOUGH_INVALID,
             bough_import_file(t->store, t->arena, file_make(t, "s.jsonl", text, strlen(text)),
                               &how, &in, &t->err));
    CHECK_OK(bough_session_list(t->store, t->arena, NULL, &list, &t->err));
    CHECK_INT(0, list.n);
    CHECK_RC(BOUGH_NOT_FOUND, import_rc(t, "/nonexistent/s.jsonl", &in));
}

/* Cut the file after every byte: whole lines are imported, the rest is reported, never a crash. */
static void cut_anywhere(struct test *t, const char *path)
{
    size_t n, whole = 0;
    const char *text = file_text(t, path, &n);
    size_t step = n > 3000 ? n / 1500 : 1;

    for (size_t cut = 0; cut <= n; cut += step) {
        struct bough_import_file_result in;
        enum bough_rc rc;

        bough_store_close(&t->store);
        CHECK_OK(bough_store_open(&t->store, "memory:", NULL, &t->err));
        rc = import_rc(t, file_make(t, "cut.jsonl", text, cut), &in);
        if (rc) {
            CHECK_INT(BOUGH_INVALID, rc);
            continue;
        }
        CHECK(in.added + (int64_t)in.nproblems >= (int64_t)whole);
        whole = (size_t)in.added;
    }
    CHECK(whole > 3);
}

STORE_TEST_SECONDS(a_file_cut_after_any_byte_gives_what_was_whole, 120)
{
    each_file(t, FILES("pi/two-compactions.jsonl", "pi/v1.jsonl"),
              FILES("pi-damaged/two-compactions.jsonl"), cut_anywhere);
}

/* ---- labels and names set in the store ---- */

STORE_TEST(labels_and_names_set_here_are_lines_of_pi_and_come_back_as_what_they_were)
{
    const char *s = new_session(t, "A name"), *one = user(t, s, "one"), *path;
    struct bough_labels labels;
    struct bough_import_file_result in;
    struct bough_str out;

    agent(t, s, "two");
    CHECK_OK(bough_label_set(t->store, s, one, "here", &t->err));
    out = export_text(t, s, "pi");
    CHECK(strstr(out.p, "\"type\":\"label\""));
    CHECK(strstr(out.p, "\"label\":\"here\""));
    CHECK(strstr(out.p, "\"type\":\"session_info\""));
    CHECK(strstr(out.p, "\"name\":\"A name\""));
    path = file_make(t, "x.jsonl", out.p, out.n);
    in = import_file(t, path);
    CHECK_INT(0, in.added);
    CHECK_STR(out.p, export_text(t, s, "pi").p);
    fresh_store(t);
    in = import_file(t, path);
    CHECK_INT(2, in.added);
    CHECK_INT(0, in.nproblems);
    CHECK_STR("A name", get(t, in.session)->title);
    CHECK_OK(bough_label_list(t->store, t->arena, in.session, &labels, &t->err));
    CHECK_INT(1, labels.n);
    CHECK_STR("here", labels.at[0].text);
    CHECK_STR(out.p, export_text(t, in.session, "pi").p);
    CHECK_INT(0, import_file(t, path).added);
}

STORE_TEST(a_label_of_pi_that_was_changed_or_taken_away_here_is_said_at_the_end)
{
    static const char file[] =
        "{\"type\":\"session\",\"version\":3,\"id\":\"s\",\"timestamp\":"
        "\"2026-11-15T20:00:00.000Z\",\"cwd\":\"/p\"}\n"
        "{\"type\":\"message\",\"id\":\"a\",\"parentId\":null,\"timestamp\":"
        "\"2026-11-15T20:00:01.000Z\",\"message\":{\"role\":\"user\",\"content\":\"x\"}}\n"
        "{\"type\":\"label\",\"id\":\"l\",\"parentId\":\"a\",\"timestamp\":"
        "\"2026-11-15T20:00:02.000Z\",\"targetId\":\"a\",\"label\":\"first\"}\n";
    const char *path = file_make(t, "y.jsonl", file, sizeof file - 1), *text;
    struct bough_import_file_result in = import_file(t, path);
    struct bough_str out;

    CHECK_STR(file, export_text(t, in.session, "pi").p); /* unchanged */
    CHECK_OK(bough_label_set(t->store, in.session, "a", "second", &t->err));
    CHECK(strstr(export_text(t, in.session, "pi").p, "\"label\":\"second\""));
    CHECK_OK(bough_label_set(t->store, in.session, "a", "", &t->err));
    out = export_text(t, in.session, "pi");
    fresh_store(t);
    in = import_file(t, file_make(t, "z.jsonl", out.p, out.n));
    CHECK_OK(bough_label_get(t->store, t->arena, in.session, "a", &text, &t->err));
    CHECK_STR("", text);
    CHECK_STR(out.p, export_text(t, in.session, "pi").p);
}

STORE_TEST(entries_pi_adds_after_a_line_of_ours_follow_their_parent)
{
    const char *s = new_session(t, "T"), *one = user(t, s, "one"), *last, *id, *more, *text;
    struct bough_import_file_result in;
    struct bough_str out;

    agent(t, s, "two");
    CHECK_OK(bough_head_move(t->store, s, one, &t->err));
    CHECK_OK(bough_label_set(t->store, s, one, "here", &t->err));
    out = export_text(t, s, "pi");
    last = strrchr(arena_strndup(t->arena, out.p, out.n - 1), '\n') + 1;
    id = strstr(last, "\"id\":\"") + 6;
    more = arena_printf(t->arena,
                        "%s{\"type\":\"message\",\"id\":\"0000000f\",\"parentId\":\"%.8s\","
                        "\"timestamp\":\"2026-11-15T20:00:01.000Z\",\"message\":{\"role\":"
                        "\"user\",\"content\":\"three\"}}\n",
                        out.p, id);
    fresh_store(t);
    in = import_file(t, file_make(t, "w.jsonl", more, strlen(more)));
    CHECK_INT(0, in.nproblems);
    CHECK_STR("one three", path_text(t, in.session));
    text = export_text(t, in.session, "pi").p;
    fresh_store(t);
    in = import_file(t, file_make(t, "v.jsonl", text, strlen(text)));
    CHECK_STR("one three", path_text(t, in.session));
}

STORE_TEST_SECONDS(more_entries_than_are_held_in_memory_keep_their_parents_and_are_no_doubles, 120)
{
    enum { MANY = 140000 };
    const char *path;
    struct bough_import_file_result in;
    struct bough_entry *e;
    struct buf b;

    buf_init(&b, (size_t)1 << 28);
    buf_puts(&b, "{\"type\":\"session\",\"version\":3,\"id\":\"s\",\"timestamp\":"
                 "\"2026-11-15T20:00:00.000Z\",\"cwd\":\"/p\"}\n");
    for (int i = 0; i < MANY; i++) {
        char parent[16] = "null";

        if (i)
            snprintf(parent, sizeof parent, "\"%08x\"", (unsigned)i - 1);
        buf_printf(&b,
                   "{\"type\":\"custom\",\"id\":\"%08x\",\"parentId\":%s,\"timestamp\":"
                   "\"2026-11-15T20:00:01.000Z\",\"customType\":\"x\"}\n",
                   (unsigned)i, parent);
    }
    /* a branch at the first entry, and an id that occurs again */
    buf_puts(&b, "{\"type\":\"custom\",\"id\":\"late\",\"parentId\":\"00000001\",\"timestamp\":"
                 "\"2026-11-15T20:00:01.000Z\",\"customType\":\"y\"}\n"
                 "{\"type\":\"custom\",\"id\":\"00000002\",\"parentId\":\"late\",\"timestamp\":"
                 "\"2026-11-15T20:00:01.000Z\",\"customType\":\"z\"}\n");
    path = file_make(t, "many.jsonl", b.p, b.n);
    buf_finish(&b);
    in = import_file(t, path);
    CHECK_INT(0, in.nproblems);
    CHECK_INT(MANY + 2, in.added);
    CHECK_OK(bough_entry_get(t->store, t->arena, "s", "late", &e, &t->err));
    CHECK_INT(3, e->at.depth);
    CHECK_OK(bough_entry_get(t->store, t->arena, "s", "00000002~2", &e, &t->err));
    CHECK_INT(4, e->at.depth);
}

#define LINE(id, parent, text)                                                                     \
    "{\"type\":\"message\",\"id\":\"" id "\",\"parentId\":" parent                                 \
    ",\"timestamp\":\"2026-11-15T20:00:01.000Z\",\"message\":{\"role\":\"user\",\"content\":"      \
    "\"" text "\"}}\n"
#define FOLLOWED                                                                                   \
    "{\"type\":\"session\",\"version\":3,\"id\":\"f\",\"timestamp\":\"2026-11-15T20:00:00.000Z\"," \
    "\"cwd\":\"/p\"}\n"

static const char *put_file(struct test *t, const char *text)
{
    return file_make(t, "follow.jsonl", text, strlen(text));
}

STORE_TEST(following_a_file_of_pi_reads_only_what_was_added)
{
    struct bough_import_file_result in;

    follow_file(t, put_file(t, FOLLOWED LINE("a", "null", "one") LINE("b", "\"a\"", "two")));
    in = follow_file(t, put_file(t, FOLLOWED LINE("a", "null", "one") LINE("b", "\"a\"", "two")
                                        LINE("c", "\"b\"", "three")));
    CHECK_INT(BOUGH_IMPORT_GREW, in.status);
    CHECK_INT(1, in.added);
    CHECK_INT(0, in.known); /* earlier entries were not read */
    CHECK_STR("one two three", path_text(t, "f"));
    /* a branch from an old entry, and a broken line with its number */
    in = follow_file(t, put_file(t, FOLLOWED LINE("a", "null", "one") LINE("b", "\"a\"", "two")
                                        LINE("c", "\"b\"", "three")
                                            LINE("d", "\"a\"", "other") "{torn}\n"));
    CHECK_INT(1, in.added);
    CHECK_INT(1, in.nproblems);
    CHECK_INT(6, in.problems[0].line);
    CHECK_STR("one other", path_text(t, "f"));
    CHECK_INT(0, import_file(t, put_file(t, FOLLOWED LINE("a", "null", "one") LINE(
                                                "b", "\"a\"", "two") LINE("c", "\"b\"", "three")
                                                LINE("d", "\"a\"", "other") "{torn}\n"))
                     .added);
}

STORE_TEST(a_followed_file_with_a_torn_line_goes_on_with_that_line)
{
    struct bough_import_file_result in;

    follow_file(t, put_file(t, FOLLOWED LINE("a", "null", "one") "{\"type\":\"mess"));
    in = follow_file(t, put_file(t, FOLLOWED LINE("a", "null", "one") LINE("b", "\"a\"", "two")));
    CHECK_INT(1, in.added);
    CHECK_INT(0, in.known);
    CHECK_INT(0, in.nproblems);
    CHECK_STR("one two", path_text(t, "f"));
}

STORE_TEST(a_followed_file_that_was_edited_or_hangs_on_the_unknown_is_read_whole)
{
    struct bough_import_file_result in;

    follow_file(t, put_file(t, FOLLOWED LINE("a", "null", "one") LINE("b", "\"a\"", "two")));
    in = follow_file(t, put_file(t, FOLLOWED LINE("a", "null", "ONE") LINE("b", "\"a\"", "two")
                                        LINE("c", "\"b\"", "three")));
    CHECK_INT(BOUGH_IMPORT_EDITED, in.status);
    CHECK_STR("ONE two three", path_text(t, "f"));
    in = follow_file(t, put_file(t, FOLLOWED LINE("a", "null", "ONE") LINE("b", "\"a\"", "two")
                                        LINE("c", "\"b\"", "three") LINE("d", "\"gone\"", "x")));
    CHECK_INT(1, in.added);
    CHECK_INT(3, in.known);
    CHECK_INT(1, in.nproblems);
}
