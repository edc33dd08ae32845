/* The table of formats: every row is complete, documented, and has files for the other tests. */
#include "formats/common/format.h"

#include <glob.h>
#include <string.h>

#include "base/memory/arena.h"
#include "base/memory/buf.h"
#include "base/text/str.h"
#include "corpus.h"

TEST(every_format_has_a_name_of_its_own_and_reads_or_writes)
{
    size_t n;
    struct bough_format *list = bough_format_list(t->arena, &n);

    for (size_t i = 0; i < n; i++) {
        CHECK(!cstr_empty(list[i].name) && !cstr_empty(list[i].about));
        CHECK(!cstr_empty(list[i].suffix) && *list[i].suffix != '.');
        CHECK(list[i].reads || list[i].writes);
        CHECK(format_find(list[i].name) == all_formats[i]);
    }
    CHECK(n > 0 && !all_formats[n]);
}

TEST(a_format_with_usual_places_names_its_tool_and_can_be_read)
{
    for (size_t i = 0; all_formats[i]; i++) {
        if (!all_formats[i]->places)
            continue;
        CHECK(format_reads(all_formats[i]) && !cstr_empty(all_formats[i]->tool));
        CHECK(all_formats[i]->places[0].path);
    }
}

TEST(session_files_end_as_the_formats_that_can_be_read)
{
    CHECK(format_is_file("a.jsonl") && format_is_file("/a/b.json") && format_is_file("a.b.db"));
    CHECK(!format_is_file("a.html") && !format_is_file("a.md") && !format_is_file("json"));
    CHECK(!format_is_file("a.json.tmp") && !format_is_file("") && !format_is_file("a."));
}

/* Has the text a row of a table, "| ...", with these words in it? */
static bool has_row(const char *text, const char *words, const char *more)
{
    const char *end;

    for (; *text; text = *end ? end + 1 : end) {
        const char *at, *also;

        end = text + strcspn(text, "\n");
        at = *text == '|' ? strstr(text, words) : NULL;
        also = at ? strstr(text, more) : NULL;
        if (also && at < end && also < end)
            return true;
    }
    return false;
}

TEST(every_format_has_a_row_in_the_documentation_and_every_place_of_a_tool)
{
    size_t n;
    const char *text = file_text(t, "docs/formats.md", &n);

    if (!text)
        SKIP("run from the top of the source tree");
    for (size_t i = 0; all_formats[i]; i++) {
        const char *name = arena_printf(t->arena, "`%s`", all_formats[i]->name);
        const struct format_place *p = all_formats[i]->places;

        if (!has_row(text, name, "|"))
            FAIL("docs/formats.md has no row for the format %s", name);
        for (; p && p->path; p++)
            if (!has_row(text, name, p->path))
                FAIL("docs/formats.md has no row with %s and %s", name, p->path);
    }
}

static bool exists(const char *pattern)
{
    glob_t g = { 0 };
    bool found = glob(pattern, 0, NULL, &g) == 0;

    globfree(&g);
    return found;
}

/* The files of a format are tests/transfer/golden/<name>*.in or .sql, and a seed for fuzzing. */
TEST(every_format_that_can_be_read_has_a_golden_file_and_a_seed)
{
    const char *name;

    (void)data_path(t, "README.md");
    for (size_t i = 0; (name = format_read_name(i)) != NULL; i++) {
        if (!exists(arena_printf(t->arena, "tests/transfer/golden/%s*.in", name)) &&
            !exists(arena_printf(t->arena, "tests/transfer/golden/%s*.sql", name)))
            FAIL("%s has no file in tests/transfer/golden", name);
        if (!exists(arena_printf(t->arena, "tests/fuzz/corpus/formats/%s*", name)))
            FAIL("%s has no file in tests/fuzz/corpus/formats", name);
    }
}

static bool no_more(void *user, int64_t done, int64_t total)
{
    (void)done;
    (void)total;
    return --*(int *)user > 0;
}

/* A file of pi with this many messages, one behind the other. */
static const char *long_file(struct test *t, int n)
{
    struct buf text;
    const char *path;

    buf_init(&text, 4 << 20);
    buf_puts(&text, "{\"type\":\"session\",\"version\":3,\"id\":\"s\",\"timestamp\":"
                    "\"2026-11-15T20:00:00.000Z\",\"cwd\":\"/p\"}\n");
    for (int i = 1; i <= n; i++)
        buf_puts(&text, arena_printf(t->arena,
                                     "{\"type\":\"message\",\"id\":\"m%d\",\"parentId\":%s,"
                                     "\"timestamp\":\"2026-11-15T20:00:01.000Z\",\"message\":"
                                     "{\"role\":\"user\",\"content\":\"one\"}}\n",
                                     i, i > 1 ? arena_printf(t->arena, "\"m%d\"", i - 1) : "null"));
    path = file_make(t, "long.jsonl", text.p, text.n);
    buf_finish(&text);
    return path;
}

STORE_TEST(an_import_that_was_stopped_within_a_file_goes_on_and_doubles_nothing)
{
    int pieces = 2;
    struct bough_import_file_options how = { .progress = no_more, .user = &pieces };
    struct bough_import_file_result out;
    const char *path = long_file(t, 8000);

    CHECK_RC(BOUGH_CANCELLED, bough_import_file(t->store, t->arena, path, &how, &out, &t->err));
    CHECK(get(t, "s")->messages > 0);
    CHECK(get(t, "s")->messages < 8000);
    import_file(t, path); /* the claim was given back */
    CHECK_INT(8000, get(t, "s")->messages);
    CHECK_INT(BOUGH_IMPORT_UNCHANGED, import_file(t, path).status);
}

STORE_TEST(an_import_is_few_large_transactions)
{
    struct bough_store_info_result before, after;

    CHECK_OK(bough_store_info(t->store, t->arena, &before, &t->err));
    CHECK_INT(8000, import_file(t, long_file(t, 8000)).added);
    CHECK_OK(bough_store_info(t->store, t->arena, &after, &t->err));
    /* The claim, the session, two batches, the head, the source: not one for every few entries. */
    CHECK(after.batched - before.batched <= 12);
}

/* ---- a line that is too long ---- */

enum { TOO_LONG = 64 * 1024 * 1024 };

static void put_message(struct test *t, struct buf *b, int i, const char *parent, size_t text)
{
    buf_puts(b, arena_printf(t->arena,
                             "{\"type\":\"message\",\"id\":\"m%d\",\"parentId\":%s,"
                             "\"timestamp\":\"2026-11-15T20:00:0%d.000Z\",\"message\":"
                             "{\"role\":\"user\",\"content\":\"",
                             i, parent, i));
    for (size_t k = 0; k < text; k++)
        buf_putc(b, 'x');
    buf_puts(b, "\"}}\n");
}

/* The line, its number in the report, and nothing else of the file is lost. */
STORE_TEST(a_line_that_is_too_long_is_left_out_and_the_rest_of_the_file_is_read)
{
    struct bough_import_file_options follow = { .follow = true };
    struct bough_import_file_result in;
    struct buf text;

    buf_init(&text, 2 * (size_t)TOO_LONG);
    buf_puts(&text, "{\"type\":\"session\",\"version\":3,\"id\":\"s\",\"timestamp\":"
                    "\"2026-11-15T20:00:00.000Z\",\"cwd\":\"/p\"}\n");
    put_message(t, &text, 1, "null", 3);
    put_message(t, &text, 2, "\"m1\"", TOO_LONG);
    put_message(t, &text, 3, "\"m1\"", 3);
    in = import_file(t, file_make(t, "long.jsonl", text.p, text.n));
    CHECK_INT(2, in.added);
    CHECK_INT(4, in.lines);
    CHECK_INT(1, in.nproblems);
    CHECK_INT(3, in.problems[0].line);
    CHECK_STR("a line of more than 67108864 bytes was left out", in.problems[0].text);
    /* At the end, where it may still grow: the next import reads on. */
    put_message(t, &text, 4, "\"m3\"", 3);
    put_message(t, &text, 5, "\"m4\"", 3);
    text.n--;
    CHECK_OK(bough_import_file(t->store, t->arena, file_make(t, "long.jsonl", text.p, text.n),
                               &follow, &in, &t->err));
    CHECK_INT(2, in.added);
    CHECK_INT(0, in.nproblems);
    CHECK_INT(4, get(t, "s")->messages);
    buf_finish(&text);
}

STORE_TEST(a_last_line_that_is_too_long_is_left_out_until_it_is_complete)
{
    struct bough_import_file_options follow = { .follow = true };
    struct bough_import_file_result in;
    struct buf text;

    buf_init(&text, 2 * (size_t)TOO_LONG);
    buf_puts(&text, "{\"type\":\"session\",\"version\":3,\"id\":\"s\",\"timestamp\":"
                    "\"2026-11-15T20:00:00.000Z\",\"cwd\":\"/p\"}\n");
    put_message(t, &text, 1, "null", 3);
    put_message(t, &text, 2, "\"m1\"", TOO_LONG);
    in = import_file(t, file_make(t, "long.jsonl", text.p, text.n - 5));
    CHECK_INT(1, in.added);
    CHECK_INT(1, in.nproblems);
    put_message(t, &text, 3, "\"m1\"", 3);
    CHECK_OK(bough_import_file(t->store, t->arena, file_make(t, "long.jsonl", text.p, text.n),
                               &follow, &in, &t->err));
    CHECK_INT(1, in.added);
    CHECK_INT(1, in.nproblems); /* it was read again, from its beginning */
    CHECK_INT(3, in.problems[0].line);
    CHECK_INT(2, get(t, "s")->messages);
    buf_finish(&text);
}

STORE_TEST(a_line_that_nests_too_deep_is_left_out_and_the_rest_of_the_file_is_read)
{
    struct bough_import_file_result in;
    struct buf text;

    buf_init(&text, 1 << 20);
    buf_puts(&text, "{\"type\":\"session\",\"version\":3,\"id\":\"s\",\"timestamp\":"
                    "\"2026-11-15T20:00:00.000Z\",\"cwd\":\"/p\"}\n");
    put_message(t, &text, 1, "null", 3);
    buf_puts(&text, "{\"type\":\"message\",\"id\":\"m2\",\"parentId\":\"m1\",\"z\":");
    for (int i = 0; i < 3000; i++)
        buf_putc(&text, '[');
    for (int i = 0; i < 3000; i++)
        buf_putc(&text, ']');
    buf_puts(&text, "}\n");
    put_message(t, &text, 3, "\"m1\"", 3);
    in = import_file(t, file_make(t, "deep.jsonl", text.p, text.n));
    buf_finish(&text);
    CHECK_INT(2, in.added);
    CHECK_INT(1, in.nproblems);
    CHECK_INT(3, in.problems[0].line);
    CHECK(strstr(in.problems[0].text, "nests deeper than 512 levels") != NULL);
}

static const char *format_of(struct test *t, const char *session)
{
    const char *name = NULL;

    CHECK_OK(bough_import_format(t->store, get(t, session), &name, &t->err));
    return name;
}

STORE_TEST(a_session_knows_the_format_it_was_imported_from)
{
    struct bough_session_create_options in = { .id = "mine" };
    struct bough_session *s;

    CHECK_STR("pi", format_of(t, import_file(t, data_path(t, "pi/multiturn.jsonl")).session));
    CHECK_STR("codex", format_of(t, import_file(t, data_path(t, "codex/tools.jsonl")).session));
    CHECK_OK(bough_session_create(t->store, t->arena, &in, &s, &t->err));
    CHECK_STR("", format_of(t, s->id));
    CHECK_STR("", format_of(t, new_session(t, "made here")));
}
