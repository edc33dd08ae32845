/* Reading whole sessions, compared with a flat file of the same bodies and with JSONL. */
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/json/json.h"
#include "base/memory/arena.h"
#include "base/memory/buf.h"
#include "base/memory/mem.h"
#include "base/os/fs.h"
#include "base/text/str.h"
#include "bench.h"
#include "core/pack/pack.h"

static const struct bough_entries_read_options everything = { 0 };

struct load {
    struct bough_store *s;
    struct bough_arena *a;
    char session[BOUGH_ID_LEN + 1];
    const char *flat, *jsonl;
    size_t n;
};

static void expect(size_t got, size_t n)
{
    if (got == n)
        return;
    fprintf(stderr, "bench: %zu entries were read, not %zu\n", got, n);
    exit(2);
}

static void run_store(void *user, size_t i)
{
    struct load *l = user;

    (void)i;
    expect(read_path(l->s, l->a, l->session, &everything), l->n);
}

static void run_flat(void *user, size_t i)
{
    struct load *l = user;
    struct bough_entry *out;
    struct bough_error err;
    struct bough_str all;
    struct pack_extra x;
    size_t got = 0;
    uint32_t len;

    (void)i;
    bough_arena_reset(l->a);
    must(fs_read(l->a, l->flat, SIZE_MAX / 2, &all, &err), &err, "flat");
    out = arena_alloc(l->a, l->n * sizeof *out);
    for (size_t at = 0; at < all.n; at += sizeof len + len) {
        memcpy(&len, all.p + at, sizeof len);
        must(pack_entry_read(l->a, str_make(all.p + at + sizeof len, len), &out[got++], &x, &err),
             &err, "decode");
    }
    expect(got, l->n);
}

static enum bough_part_type part_type(struct json part)
{
    struct json type = json_member(part, "type");
    enum bough_part_type t = BOUGH_PART_TEXT;

    while (t < BOUGH_PART_OTHER && !json_is(type, bough_part_type_name(t)))
        t++;
    return t;
}

/* What a program that stores JSONL must do to get the same entries: parse each line, find its
 * members, and collect the parts with their types. */
static void fill_from_json(struct bough_arena *a, struct json line, size_t n,
                           struct bough_entry *out)
{
    struct json parts = json_member(line, "parts");
    struct json_iter it = json_iter(parts);
    struct bough_part *to = arena_alloc(a, (json_count(parts) + 1) * sizeof *to);
    struct bough_str id = { "", 0 };

    memset(out, 0, sizeof *out);
    if (json_str(a, json_member(line, "id"), &id) && id.n <= BOUGH_ID_LEN)
        memcpy(out->id, id.p, id.n);
    out->role = bough_role_parse(json_cstr(a, line, "role"));
    (void)json_i64(json_member(line, "time"), &out->time);
    out->at.depth = out->no = out->mno = (int64_t)n;
    out->kind_name = bough_entry_kind_name(out->kind);
    out->origin = out->finish = out->session = "";
    out->parts = to;
    while (json_next(&it))
        to[out->nparts++] = (struct bough_part){ part_type(it.value), json_raw(it.value) };
}

static void run_jsonl(void *user, size_t i)
{
    struct load *l = user;
    struct bough_entry *out;
    struct bough_error err;
    struct bough_str all;
    struct json root;
    size_t got = 0;

    (void)i;
    bough_arena_reset(l->a);
    must(fs_read(l->a, l->jsonl, SIZE_MAX / 2, &all, &err), &err, "jsonl");
    out = arena_alloc(l->a, l->n * sizeof *out);
    for (const char *p = all.p, *end = p + all.n; p < end && got < l->n; got++) {
        const char *eol = memchr(p, '\n', (size_t)(end - p));

        must(json_parse(l->a, str_make(p, (size_t)(eol - p)), &root, &err), &err, "parse");
        fill_from_json(l->a, root, got + 1, &out[got]);
        p = eol + 1;
    }
    expect(got, l->n);
}

/* --- input files */

static void write_file(const char *path, const char *mode, struct bough_str s)
{
    FILE *f = fopen(path, mode);

    if (!f || fwrite(s.p, 1, s.n, f) != s.n || fclose(f) != 0) {
        perror(path);
        exit(2);
    }
}

/* The packed bodies of the last session, as they are stored in its rows. */
static void write_flat(const char *dir, const char *path, size_t n)
{
    struct bough_arena *a = bough_arena_create();
    sqlite3_stmt *st = NULL;
    sqlite3 *db = NULL;
    struct buf b;

    buf_init(&b, (size_t)1 << 31);
    if (sqlite3_open_v2(fs_join(a, dir, "store"), &db, SQLITE_OPEN_READONLY, NULL) ||
        sqlite3_prepare_v2(db, "SELECT body FROM entry ORDER BY k DESC LIMIT ?1", -1, &st, NULL) ||
        sqlite3_bind_int64(st, 1, (sqlite3_int64)n))
        exit(2);
    while (sqlite3_step(st) == SQLITE_ROW) {
        uint32_t len = (uint32_t)sqlite3_column_bytes(st, 0);

        buf_put(&b, &len, sizeof len);
        buf_put(&b, sqlite3_column_blob(st, 0), len);
    }
    sqlite3_finalize(st);
    sqlite3_close(db);
    write_file(path, "w", buf_str(&b));
    buf_finish(&b);
    bough_arena_destroy(a);
}

static void write_jsonl(const char *path, size_t n)
{
    struct buf b;

    buf_init(&b, (size_t)1 << 31);
    for (size_t i = 0; i < n; i++) {
        const struct message *m = message(i);

        buf_printf(&b, "{\"id\":\"%016zx\",\"role\":\"%s\",\"time\":1731676800123,\"parts\":[", i,
                   bough_role_name(m->role));
        for (size_t k = 0; k < m->n; k++) {
            if (k)
                buf_putc(&b, ',');
            buf_put_str(&b, m->parts[k]);
        }
        buf_puts(&b, "]}\n");
    }
    write_file(path, "w", buf_str(&b));
    buf_finish(&b);
}

static void measure(struct bench *b, const char *dir, struct bough_store *s, size_t n,
                    const char *vs_flat, const char *vs_jsonl)
{
    struct bough_arena *a = bough_arena_create();
    struct load load[3];
    struct side sides[3] = { { .name = "store", .run = run_store },
                             { .name = "flat file", .run = run_flat },
                             { .name = "JSONL", .run = run_jsonl } };

    load[0] = (struct load){ .s = s, .n = n };
    load[0].flat = fs_join(a, dir, "flat");
    load[0].jsonl = fs_join(a, dir, "jsonl");
    session_new(s, "load", load[0].session);
    append_many(s, load[0].session, 0, n);
    write_flat(dir, load[0].flat, n);
    write_jsonl(load[0].jsonl, n);
    load[1] = load[2] = load[0];
    for (size_t i = 0; i < 3; i++) {
        load[i].a = bough_arena_create();
        sides[i].user = &load[i];
    }
    interleave(sides, vs_jsonl ? 3 : 2, (b->full ? 400000 : 120000) / n + 9, 1);
    figure(b, vs_flat, median(&sides[1].us) / median(&sides[0].us));
    if (vs_jsonl)
        figure(b, vs_jsonl, median(&sides[2].us) / median(&sides[0].us));
    for (size_t i = 0; i < 3; i++)
        bough_arena_destroy(load[i].a);
    sides_finish(sides, 3);
    bough_arena_destroy(a);
}

void bench_load(struct bench *b)
{
    const char *dir = scratch(b, "load");
    struct bough_store *s = store_new(dir, false);

    syncs_skip(true);
    measure(b, dir, s, 10000, "load_10k_vs_flat", NULL);
    measure(b, dir, s, 100000, "load_100k_vs_flat", "load_100k_vs_jsonl_parse");
    syncs_skip(false);
    bough_store_close(&s);
    scratch_remove(dir);
}
