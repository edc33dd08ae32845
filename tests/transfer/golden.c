/*
 * Golden files: an input of each format, and for each of its traps, beside the expected export in
 * our own format. For a database the input is the SQL that fills it. UPDATE=1 writes the expected
 * files; read the diff afterwards.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "base/memory/buf.h"
#include "base/os/fs.h"
#include "base/text/str.h"
#include "databases.h"

#define GOLDEN "tests/transfer/golden"

/* True for the time of the import. Times in the files are in two fixed ranges. */
static bool is_now(const char *text, size_t n)
{
    return n == 13 && strspn(text, "0123456789") >= 13 && strncmp(text, "17947728", 8) != 0 &&
           strncmp(text, "17632368", 8) != 0;
}

/* Replace random slugs, our ids and current times. */
static void put_masked(struct buf *b, const char *text)
{
    while (*text) {
        size_t n;

        if (strncmp(text, "\"slug\":\"", 8) == 0) {
            buf_puts(b, "\"slug\":\"SLUG\"");
            text = strchr(text + 8, '"') + 1;
            continue;
        }
        n = strspn(text, "0123456789ABCDEFGHJKMNPQRSTVWXYZ");
        if (n == BOUGH_ID_LEN) {
            buf_puts(b, "ID");
            text += n;
            continue;
        }
        if (is_now(text, n)) {
            buf_puts(b, "NOW");
            text += n;
            continue;
        }
        n = n ? n : 1;
        buf_put(b, text, n);
        text += n;
    }
}

/* The import's problems, then the export of every session, oldest first. */
static const char *told(struct test *t, const char *path)
{
    struct bough_session_list_options all = { .include_deleted = true };
    struct bough_sessions list;
    struct bough_import_file_result in;
    const char *out;
    struct buf b;
    enum bough_rc rc = import_rc(t, path, &in);

    buf_init(&b, 1 << 20);
    buf_printf(&b, "%s, %lld added\n", rc ? bough_rc_name(rc) : in.format, (long long)in.added);
    for (size_t i = 0; i < in.nproblems; i++)
        buf_printf(&b, "line %lld: %s\n", (long long)in.problems[i].line, in.problems[i].text);
    CHECK_OK(bough_session_list(t->store, t->arena, &all, &list, &t->err));
    for (size_t i = list.n; i-- > 0;)
        put_masked(&b, export_text(t, list.at[i].id, "bough").p);
    out = arena_strdup(t->arena, b.p);
    buf_finish(&b);
    return out;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static size_t inputs(struct test *t, const char **out, size_t most)
{
    DIR *d = opendir(GOLDEN);
    struct dirent *e;
    size_t n = 0;

    if (!d)
        SKIP("run from the top of the source tree");
    while ((e = readdir(d)) && n < most) {
        size_t len = strlen(e->d_name);

        if (len > 3 && strcmp(e->d_name + len - 3, ".in") == 0)
            out[n++] = arena_strdup(t->arena, e->d_name);
        if (len > 4 && strcmp(e->d_name + len - 4, ".sql") == 0)
            out[n++] = arena_strdup(t->arena, e->d_name);
    }
    closedir(d);
    qsort(out, n, sizeof *out, by_name);
    return n;
}

/* The path of the input file, or of the database that its SQL creates. */
static const char *input(struct test *t, const char *name)
{
    const char *path = arena_printf(t->arena, GOLDEN "/%s", name), *sql;
    const char *schema = str_starts(str_of(name), "hygge")    ? hygge_schema
                         : str_starts(str_of(name), "hecate") ? hecate_schema
                         : str_starts(str_of(name), "llm")    ? llm_schema
                                                              : opencode_schema;
    size_t n;

    if (strcmp(strrchr(name, '.'), ".sql") != 0)
        return path;
    sql = file_text(t, path, &n);
    CHECK(sql != NULL);
    return db_make(t, "golden.db", schema, sql);
}

STORE_TEST(every_golden_file_becomes_what_is_expected_of_it)
{
    const char *names[256];
    size_t n = inputs(t, names, 256);

    CHECK(n >= 10);
    for (size_t i = 0; i < n; i++) {
        const char *got = told(t, input(t, names[i])),
                   *path = arena_printf(t->arena, GOLDEN "/%.*s.expected",
                                        (int)strcspn(names[i], "."), names[i]),
                   *want;
        size_t bytes;

        if (getenv("UPDATE"))
            CHECK_OK(fs_write(path, str_of(got), 0644, &t->err));
        want = file_text(t, path, &bytes);
        if (!want || strcmp(want, got) != 0)
            FAIL("%s:\n%s\nis not\n%s", names[i], got, want ? want : "there");
        fresh_store(t);
    }
}
