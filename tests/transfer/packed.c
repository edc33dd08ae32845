/* Compressed files: imported like the files in them; damaged and endless ones are refused. */
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "corpus.h"
#include "transfer/sources/packed.h"

static struct bough_str gzip(struct test *t, struct bough_str text)
{
    z_stream z = { 0 };
    size_t cap = text.n + 1024;
    char *out = arena_alloc(t->arena, cap);

    CHECK_INT(Z_OK, deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY));
    z.next_in = (Bytef *)(uintptr_t)text.p;
    z.avail_in = (uInt)text.n;
    z.next_out = (Bytef *)out;
    z.avail_out = (uInt)cap;
    CHECK_INT(Z_STREAM_END, deflate(&z, Z_FINISH));
    cap -= z.avail_out;
    deflateEnd(&z);
    return str_make(out, cap);
}

static struct bough_str zstd(struct test *t, struct bough_str text)
{
    size_t cap = ZSTD_compressBound(text.n);
    char *out = arena_alloc(t->arena, cap);

    cap = ZSTD_compress(out, cap, text.p, text.n, 3);
    CHECK(!ZSTD_isError(cap));
    return str_make(out, cap);
}

static struct bough_str plain(struct test *t)
{
    size_t n;
    char *text = file_text(t, data_path(t, "pi/multiturn.jsonl"), &n);

    return str_make(text, n);
}

static struct bough_str twice(struct test *t, struct bough_str a, struct bough_str b)
{
    char *out = arena_alloc(t->arena, a.n + b.n);

    memcpy(out, a.p, a.n);
    memcpy(out + a.n, b.p, b.n);
    return str_make(out, a.n + b.n);
}

typedef struct bough_str pack(struct test *t, struct bough_str text);

static void check_packed(struct test *t, pack *with)
{
    struct bough_str text = plain(t), one = with(t, text), grown;
    const char *line =
        "{\"type\":\"message\",\"id\":\"ffff0001\",\"parentId\":null,\"timestamp\":"
        "\"2026-11-15T21:00:00.000Z\",\"message\":{\"role\":\"user\",\"content\":\"new\"}}\n";
    struct bough_import_file_result in = import_file(t, file_make(t, "s.jsonl.x", one.p, one.n));
    int64_t added = in.added;

    CHECK_STR("pi", in.format);
    CHECK(added > 3);
    in = import_file(t, file_make(t, "s.jsonl.x", one.p, one.n));
    CHECK_INT(BOUGH_IMPORT_UNCHANGED, in.status);
    CHECK_INT(0, import_file(t, file_make(t, "plain.jsonl", text.p, text.n)).added);
    /* A packed file grows by another frame. */
    grown = twice(t, one, with(t, str_of(line)));
    in = import_file(t, file_make(t, "s.jsonl.x", grown.p, grown.n));
    CHECK_INT(1, in.added);
}

STORE_TEST(a_gzip_file_is_imported_like_the_file_in_it)
{
    check_packed(t, gzip);
}

STORE_TEST(a_zstd_file_is_imported_like_the_file_in_it)
{
    check_packed(t, zstd);
}

/* Cut or changed anywhere: imported whole or refused, and nothing is left of it. */
static void check_damaged(struct test *t, pack *with)
{
    struct bough_str one = with(t, plain(t));
    char *bytes = arena_strndup(t->arena, one.p, one.n);
    struct bough_import_file_result in;
    struct bough_sessions list;

    for (size_t cut = 4; cut < one.n; cut += 1 + one.n / 50)
        CHECK_RC(BOUGH_CORRUPT, import_rc(t, file_make(t, "cut.x", one.p, cut), &in));
    bytes[one.n / 2] = (char)(bytes[one.n / 2] ^ 0x55);
    CHECK(import_rc(t, file_make(t, "changed.x", bytes, one.n), &in) != BOUGH_OK);
    CHECK_OK(bough_session_list(t->store, t->arena, NULL, &list, &t->err));
    CHECK_INT(0, list.n);
}

STORE_TEST(a_damaged_gzip_file_is_refused_and_nothing_is_written)
{
    check_damaged(t, gzip);
}

STORE_TEST(a_truncated_zstd_file_is_refused_and_nothing_is_written)
{
    struct bough_str one = zstd(t, plain(t));
    struct bough_import_file_result in;

    for (size_t cut = 4; cut < one.n; cut += 1 + one.n / 50)
        CHECK_RC(BOUGH_CORRUPT, import_rc(t, file_make(t, "cut.x", one.p, cut), &in));
}

STORE_TEST(a_packed_database_says_to_unpack_it)
{
    struct bough_str db = gzip(t, str_make("SQLite format 3\0more of it follows", 34));
    struct bough_import_file_result in;

    CHECK_RC(BOUGH_INVALID, import_rc(t, file_make(t, "tool.db.gz", db.p, db.n), &in));
    CHECK(strstr(t->err.msg, "packed with gzip") != NULL);
    CHECK(strstr(t->err.hint, "unpack it") != NULL);
}
