/* Files of the corpora, and importing and exporting them, for tests. */
#include "corpus.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"

const char *corpus_path(struct test *t, const char *name)
{
    const char *root = getenv("BOUGH_CORPORA");
    const char *path = arena_printf(t->arena, "%s/%s", root ? root : "../shared/corpora", name);

    if (access(path, R_OK) != 0)
        SKIP("the corpora are not here; BOUGH_CORPORA says where they are");
    return path;
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

enum bough_rc import_rc(struct test *t, const char *path, struct bough_imported *out)
{
    return bough_import_file(t->store, t->arena, path, NULL, out, &t->err);
}

struct bough_imported import_file(struct test *t, const char *path)
{
    struct bough_imported out;

    CHECK_OK(import_rc(t, path, &out));
    return out;
}

static bool gather(void *user, struct bough_str bytes)
{
    buf_put_str(user, bytes);
    return true;
}

struct bough_str export_text(struct test *t, const char *session, const char *format)
{
    struct buf b;
    struct bough_export how = { .format = format, .write = gather, .user = &b };
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
        struct bough_imported in;
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
