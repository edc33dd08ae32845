/* Helpers for tests: files of other tools, and importing and exporting them. */
#include "corpus.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json/json.h"
#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/str.h"

const char *data_path(struct test *t, const char *name)
{
    const char *path = arena_printf(t->arena, "tests/data/%s", name);

    if (access("tests/data", R_OK) != 0)
        SKIP("run from the top of the source tree");
    if (access(path, R_OK) != 0)
        FAIL("%s is missing", path);
    return path;
}

static const char *corpora(void)
{
    const char *root = getenv("BOUGH_CORPORA");

    return root ? root : "../shared/corpora";
}

const char *corpus_path(struct test *t, const char *name)
{
    const char *path = arena_printf(t->arena, "%s/%s", corpora(), name);

    if (access(path, R_OK) != 0)
        SKIP("the corpora are not here; BOUGH_CORPORA says where they are");
    return path;
}

bool corpora_here(void)
{
    static bool said;

    if (access(corpora(), R_OK) == 0)
        return true;
    if (!said)
        printf("# NOTE the corpora are not here (BOUGH_CORPORA): only tests/data is used\n");
    said = true;
    return false;
}

/* An import only reads: the file has the same bytes and times afterwards. */
static void check_one(struct test *t, const char *path,
                      void (*check)(struct test *t, const char *path))
{
    struct stat before, after;

    CHECK(stat(path, &before) == 0);
    check(t, path);
    CHECK(stat(path, &after) == 0);
    CHECK(before.st_size == after.st_size && before.st_ino == after.st_ino &&
          before.st_mtim.tv_sec == after.st_mtim.tv_sec &&
          before.st_mtim.tv_nsec == after.st_mtim.tv_nsec);
}

void each_file(struct test *t, const char *const *ours, const char *const *theirs,
               void (*check)(struct test *t, const char *path))
{
    for (; *ours; ours++)
        check_one(t, data_path(t, *ours), check);
    if (!*theirs || !corpora_here())
        return;
    for (; *theirs; theirs++)
        check_one(t, corpus_path(t, *theirs), check);
}

char *file_text(struct test *t, const char *path, size_t *n)
{
    enum { MOST = 16 << 20 };
    char *p = arena_alloc(t->arena, MOST);
    FILE *f = fopen(path, "rb");

    if (!f)
        return NULL;
    *n = fread(p, 1, MOST - 1, f);
    p[*n] = '\0';
    fclose(f);
    return p;
}

const char *file_make(struct test *t, const char *name, const char *text, size_t n)
{
    const char *path = test_path(t, name);
    FILE *f = fopen(path, "wb");

    CHECK(f && fwrite(text, 1, n, f) == n);
    CHECK(fclose(f) == 0);
    return path;
}

enum bough_rc import_rc(struct test *t, const char *path, struct bough_import_file_result *out)
{
    return bough_import_file(t->store, t->arena, path, NULL, out, &t->err);
}

struct bough_import_file_result import_file(struct test *t, const char *path)
{
    struct bough_import_file_result out;

    CHECK_OK(import_rc(t, path, &out));
    return out;
}

struct bough_import_file_result follow_file(struct test *t, const char *path)
{
    struct bough_import_file_options how = { .follow = true };
    struct bough_import_file_result in;

    CHECK_OK(bough_import_file(t->store, t->arena, path, &how, &in, &t->err));
    return in;
}

static bool gather(void *user, struct bough_str bytes)
{
    buf_put_str(user, bytes);
    return true;
}

static bool ignore(void *user, struct bough_str bytes)
{
    (void)user;
    (void)bytes;
    return true;
}

enum bough_rc export_rc(struct test *t, const char *session, const char *format)
{
    struct bough_export_options how = { .format = format, .write = ignore };

    return bough_export_session(t->store, session, &how, &t->err);
}

struct bough_str export_text(struct test *t, const char *session, const char *format)
{
    struct buf b;
    struct bough_export_options how = { .format = format, .write = gather, .user = &b };
    struct bough_str out;

    buf_init(&b, LIMIT_JSON_BYTES);
    CHECK_OK(bough_export_session(t->store, session, &how, &t->err));
    out = str_make(arena_strndup(t->arena, b.p, b.n), b.n);
    buf_finish(&b);
    return out;
}

void check_cuts(struct test *t, const char *name, struct bough_str text, int64_t least)
{
    size_t step = text.n > 3000 ? text.n / 1500 : 1;
    int64_t whole = 0;

    for (size_t cut = 0; cut <= text.n; cut += step) {
        struct bough_import_file_result in;
        enum bough_rc rc;

        bough_store_close(&t->store);
        CHECK_OK(bough_store_open(&t->store, "memory:", NULL, &t->err));
        rc = import_rc(t, file_make(t, name, text.p, cut), &in);
        if (rc) {
            CHECK_INT(BOUGH_INVALID, rc);
            continue;
        }
        CHECK(in.added + (int64_t)in.nproblems >= whole);
        whole = in.added;
    }
    store_check(t, t->store);
    bough_store_close(&t->store);
    CHECK_OK(bough_store_open(&t->store, "memory:", NULL, &t->err));
    CHECK(import_file(t, file_make(t, name, text.p, text.n)).added >= least);
}

void fresh_store(struct test *t)
{
    store_check(t, t->store);
    bough_store_close(&t->store);
    CHECK_OK(bough_store_open(&t->store, "memory:", NULL, &t->err));
}

void next_store(struct test *t)
{
    store_check(t, t->store);
    bough_store_close(&t->store);
    if (store_lasts(t))
        store_remove(t->url);
    CHECK_OK(bough_store_open(&t->store, t->url, NULL, &t->err));
}

static struct bough_str next_line(struct bough_str *text)
{
    const char *end = memchr(text->p, '\n', text->n);
    struct bough_str line = str_make(text->p, end ? (size_t)(end - text->p) : text->n);
    size_t used = line.n + (end ? 1 : 0);

    *text = str_make(text->p + used, text->n - used);
    return line;
}

static const char *canon(struct test *t, struct bough_str line)
{
    const char *out;
    struct json j;
    struct buf b;

    CHECK_OK(json_parse(t->arena, line, &j, &t->err));
    buf_init(&b, LIMIT_JSON_BYTES);
    json_canon(&b, j);
    out = arena_strndup(t->arena, b.p, b.n);
    buf_finish(&b);
    return out;
}

void check_same_json(struct test *t, struct bough_str want, struct bough_str got)
{
    CHECK_STR(canon(t, want), canon(t, got));
}

void check_same_lines(struct test *t, struct bough_str want, struct bough_str got)
{
    while (want.n)
        CHECK_STR(canon(t, next_line(&want)), canon(t, next_line(&got)));
    CHECK_INT(0, got.n);
}

struct bough_str check_round(struct test *t, const char *path, const char *format)
{
    struct bough_import_file_result in = import_file(t, path);
    struct bough_str out = export_text(t, in.session, format);
    size_t n = 0;
    char *text = file_text(t, path, &n);

    CHECK(text != NULL);
    CHECK_INT(BOUGH_IMPORT_NEW, in.status);
    CHECK_STR(format, in.format);
    CHECK_STR("", in.nproblems ? in.problems[0].text : "");
    in = import_file(t, path);
    CHECK_INT(BOUGH_IMPORT_UNCHANGED, in.status);
    text[n++] = '\n'; /* different bytes, the same content */
    in = import_file(t, file_make(t, "again", text, n));
    CHECK_INT(0, in.added);
    in = import_file(t, file_make(t, "again", text, n - 1));
    CHECK_INT(0, in.added);
    CHECK_STR(out.p, export_text(t, in.session, format).p);
    fresh_store(t);
    in = import_file(t, file_make(t, "out", out.p, out.n));
    CHECK_STR(format, in.format);
    CHECK_STR("", in.nproblems ? in.problems[0].text : "");
    CHECK_STR(out.p, export_text(t, in.session, format).p);
    return out;
}
