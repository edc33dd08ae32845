/* Import of a large file, compared with the same work by SQLite alone, and the full text of it,
 * compared with the same words in a bare FTS5 table. */
#include <fcntl.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "base/json/json.h"
#include "base/memory/arena.h"
#include "base/memory/mem.h"
#include "base/os/fs.h"
#include "base/text/str.h"
#include "bench.h"
#include "core/search/search.h"
#include "store/write/import_api.h"

enum {
    ENTRIES = 42000, /* 48 MB */
    BATCH = 4096,    /* entries of a transaction; as the importer's */
    BATCH_BYTES = 2 * 1024 * 1024,
    PIECE = 256 * 1024,
    SLICE_BYTES = 1024 * 1024, /* bytes of words of a transaction; as the projector's */
};

struct importing {
    struct bench *b;
    const char *dir, *file;
    struct bough_arena *names;
    const char *imported;       /* a store with the file, without its full text */
    struct search_words *words; /* of its entries */
    size_t nwords;
    struct program program;
};

static const char *numbered(struct importing *m, const char *name, size_t i)
{
    return fs_join(m->names, m->dir, arena_printf(m->names, "%s-%zu", name, i));
}

static void removed(const char *path)
{
    char more[4096];

    (void)unlink(path);
    for (size_t i = 0; i < 2; i++) {
        snprintf(more, sizeof more, "%s-%s", path, i ? "wal" : "shm");
        (void)unlink(more);
    }
}

static void import_new(struct importing *m, const char *path)
{
    struct bough_store_open_options options = { .indexing = BOUGH_INDEX_ON_SEARCH,
                                                .cache_bytes = 16 << 20 };
    struct bough_arena *a = bough_arena_create();
    struct bough_import_file_result out;
    struct bough_store *s;
    struct bough_error err;

    must(bough_store_open(&s, path, &options, &err), &err, "open");
    must(bough_import_file(s, a, m->file, NULL, &out, &err), &err, "import");
    if (out.added != ENTRIES || out.nproblems) {
        fprintf(stderr, "bench: the import is not what it should be\n");
        exit(2);
    }
    bough_store_close(&s);
    bough_arena_destroy(a);
}

/* Import into a new store and close it: everything is durable, and in one file. */
static void run_import(void *user, size_t i)
{
    struct importing *m = user;
    const char *path = numbered(m, "store", i);

    import_new(m, path);
    removed(path);
}

/* ---- the floor ---- */

static void sql(sqlite3 *db, const char *text)
{
    if (sqlite3_exec(db, text, NULL, NULL, NULL) != SQLITE_OK) {
        fprintf(stderr, "bench: %s: %s\n", text, sqlite3_errmsg(db));
        exit(2);
    }
}

static sqlite3_stmt *statement(sqlite3 *db, const char *text)
{
    sqlite3_stmt *st;

    if (sqlite3_prepare_v2(db, text, -1, &st, NULL) != SQLITE_OK) {
        fprintf(stderr, "bench: %s: %s\n", text, sqlite3_errmsg(db));
        exit(2);
    }
    return st;
}

static void step(sqlite3_stmt *st)
{
    if (sqlite3_step(st) != SQLITE_DONE) {
        fprintf(stderr, "bench: %s\n", sqlite3_errmsg(sqlite3_db_handle(st)));
        exit(2);
    }
    sqlite3_reset(st);
}

static sqlite3 *bare_open(const char *path, const char *sync)
{
    sqlite3 *db;

    if (sqlite3_open(path, &db) != SQLITE_OK)
        exit(2);
    sql(db, "PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA cache_size = -16384;"
            "PRAGMA wal_autocheckpoint = 2048"); /* 16 MB, as ours */
    sql(db, sync);
    return db;
}

struct floor {
    sqlite3 *db;
    sqlite3_stmt *entry, *alias, *record;
    ZSTD_CCtx *zstd;
    struct bough_arena *a;
    char packed[ZSTD_COMPRESSBOUND(64 * 1024)];
    size_t n, batch, bytes;
    int64_t calls;
};

static void floor_commit(struct floor *f)
{
    if (f->batch)
        sql(f->db, "COMMIT");
    f->batch = f->bytes = 0;
}

/* One line: parse it, compress its message, insert it, its id, and the call of an answer. */
static void floor_line(struct floor *f, struct bough_str line)
{
    struct json all, message, usage;
    struct bough_error err;
    struct bough_str id, body;
    size_t n;

    bough_arena_reset(f->a);
    must(json_parse(f->a, line, &all, &err), &err, "parse");
    if (!json_get(all, "message", &message))
        return;
    id = str_of(json_cstr(f->a, all, "id"));
    body = json_raw(message);
    n = ZSTD_compressCCtx(f->zstd, f->packed, sizeof f->packed, body.p, body.n, 1);
    if (ZSTD_isError(n))
        exit(2);
    if (!f->batch)
        sql(f->db, "BEGIN IMMEDIATE");
    sqlite3_bind_int64(f->entry, 1, (int64_t)1 << 32 | (int64_t)++f->n);
    sqlite3_bind_blob(f->entry, 2, f->packed, (int)n, SQLITE_STATIC);
    step(f->entry);
    sqlite3_bind_text(f->alias, 1, id.p, (int)id.n, SQLITE_STATIC);
    sqlite3_bind_int64(f->alias, 2, (int64_t)f->n);
    step(f->alias);
    if (json_get(message, "usage", &usage)) { /* a call takes 60 bytes in a store */
        struct bough_str raw = json_raw(usage);

        sqlite3_bind_int64(f->record, 1, (int64_t)1 << 32 | ++f->calls);
        sqlite3_bind_blob(f->record, 2, raw.p, (int)(raw.n < 60 ? raw.n : 60), SQLITE_STATIC);
        step(f->record);
    }
    f->bytes += line.n;
    if (++f->batch == BATCH || f->bytes >= BATCH_BYTES)
        floor_commit(f);
}

static void floor_read(struct floor *f, const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    char *piece = mem_alloc(2 * PIECE);
    size_t held = 0;
    ssize_t got;

    while ((got = read(fd, piece + held, PIECE)) > 0) {
        char *p = piece, *end, *last = piece + held + got;

        while ((end = memchr(p, '\n', (size_t)(last - p))) != NULL) {
            floor_line(f, str_make(p, (size_t)(end - p)));
            p = end + 1;
        }
        held = (size_t)(last - p);
        memmove(piece, p, held);
    }
    mem_free(piece);
    close(fd);
}

/* Read, parse, compress and insert, in one thread, as few transactions as ours; no checksum, no
 * checks, no lists. */
static void run_floor(void *user, size_t i)
{
    struct importing *m = user;
    struct floor *f = mem_zalloc(sizeof *f);
    const char *path = numbered(m, "floor", i);

    f->db = bare_open(path, "PRAGMA synchronous = FULL");
    sql(f->db,
        "CREATE TABLE entry (k INTEGER PRIMARY KEY, kind INTEGER, mask INTEGER, over INTEGER,"
        " body BLOB) STRICT;"
        "CREATE TABLE record (k INTEGER PRIMARY KEY, ver INTEGER, over INTEGER, body BLOB) STRICT;"
        "CREATE TABLE alias (id TEXT NOT NULL, scope INTEGER, what INTEGER, a INTEGER, b INTEGER,"
        " PRIMARY KEY (id, scope)) STRICT, WITHOUT ROWID;"
        "CREATE INDEX alias_scope ON alias (scope) WHERE scope <> 0");
    f->entry = statement(f->db, "INSERT INTO entry VALUES (?1, 0, 1, 0, ?2)");
    f->alias = statement(f->db, "INSERT INTO alias VALUES (?1, 1, 2, 1, ?2)");
    f->record = statement(f->db, "INSERT INTO record VALUES (?1, 1, 0, ?2)");
    f->zstd = ZSTD_createCCtx();
    f->a = bough_arena_create();
    floor_read(f, m->file);
    floor_commit(f);
    if (f->n != ENTRIES)
        exit(2);
    sqlite3_finalize(f->entry);
    sqlite3_finalize(f->alias);
    sqlite3_finalize(f->record);
    sqlite3_close(f->db);
    ZSTD_freeCCtx(f->zstd);
    bough_arena_destroy(f->a);
    mem_free(f);
    removed(path);
}

void bench_import(struct bench *b)
{
    struct importing m = { .b = b, .dir = scratch(b, "import"), .names = bough_arena_create() };
    struct side sides[] = { { .name = "import", .run = run_import, .user = &m },
                            { .name = "floor", .run = run_floor, .user = &m } };

    m.file = fs_join(m.names, m.dir, "session.jsonl");
    pi_file_write(m.file, pi_file_id, ENTRIES, 0);
    interleave(sides, 2, b->full ? 15 : 5, 1);
    figure(b, "import_vs_floor", median(&sides[0].us) / median(&sides[1].us));
    sides_finish(sides, 2);
    scratch_remove(m.dir);
    bough_arena_destroy(m.names);
}

/* ---- the whole command ---- */

static void run_command(void *user, size_t i)
{
    struct importing *m = user;
    const char *path = numbered(m, "command", i);

    m->program.argv[2] = path;
    run_program(&m->program, i);
    removed(path);
}

void bench_import_command(struct bench *b)
{
    struct importing m = { .b = b, .dir = scratch(b, "command"), .names = bough_arena_create() };
    struct side side = { .name = "bough import", .run = run_command, .user = &m };

    m.file = fs_join(m.names, m.dir, "session.jsonl");
    pi_file_write(m.file, pi_file_id, ENTRIES, 0);
    m.program =
        (struct program){ .argv = { bough_program(b, m.names), "--store", "", "import", m.file } };
    interleave(&side, 1, b->full ? 15 : 5, 1);
    figure(b, "import_48mb_s", median(&side.us) / 1e6);
    sides_finish(&side, 1);
    scratch_remove(m.dir);
    bough_arena_destroy(m.names);
}

/* ---- full text ---- */

/* Index the whole store, as `bough search --wait` does. */
static void run_index(void *user, size_t i)
{
    struct importing *m = user;
    struct bough_store_info_result info = { .text_pending = 1 };
    struct bough_arena *a = bough_arena_create();
    struct bough_store *s;
    struct bough_error err;

    (void)i;
    must(bough_store_open(&s, m->imported, NULL, &err), &err, "open");
    import_hold(s);
    while (info.text_pending) {
        must(bough_store_upkeep(s, &err), &err, "upkeep");
        must(bough_store_info(s, a, &info, &err), &err, "info");
    }
    import_go_on(s);
    bough_store_close(&s);
    bough_arena_destroy(a);
}

/* The same words into the same columns of an index of its own. */
static void run_fts5(void *user, size_t i)
{
    struct importing *m = user;
    const char *path = numbered(m, "fts5", i);
    sqlite3 *db = bare_open(path, "PRAGMA synchronous = NORMAL");
    sqlite3_stmt *st;
    size_t bytes = 0;

    sql(db, "CREATE VIRTUAL TABLE w USING fts5 (tag, text, reasoning, tool, input, output, file,"
            " title, content = '', columnsize = 0, tokenize = 'ascii');"
            "INSERT INTO w (w, rank) VALUES ('pgsz', 4000); BEGIN IMMEDIATE");
    st = statement(db, "INSERT INTO w (rowid, tag, text, reasoning, tool, input, output, file,"
                       " title) VALUES (?1, 'd r1 k0 b1', ?2, ?3, ?4, ?5, ?6, ?7, ?8)");
    for (size_t k = 0; k < m->nwords; k++) {
        sqlite3_bind_int64(st, 1, (int64_t)k + 1);
        for (int f = 0; f < SEARCH_FIELDS; f++) {
            struct bough_str w = m->words[k].field[f];

            sqlite3_bind_text(st, 2 + f, w.p, (int)w.n, SQLITE_STATIC);
            bytes += w.n;
        }
        step(st);
        if (bytes >= SLICE_BYTES)
            sql(db, "COMMIT; BEGIN IMMEDIATE");
        bytes = bytes >= SLICE_BYTES ? 0 : bytes;
    }
    sql(db, "COMMIT");
    sqlite3_finalize(st);
    sqlite3_close(db);
    removed(path);
}

/* The words of all entries, from the rows that the import has written. */
static void read_words(struct importing *m)
{
    struct bough_arena *tmp = bough_arena_create();
    struct bough_entry e;
    sqlite3_stmt *st;
    sqlite3 *db;

    if (sqlite3_open_v2(m->imported, &db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK)
        exit(2);
    m->words = arena_array(m->names, ENTRIES, sizeof *m->words);
    st = statement(db, "SELECT body FROM entry ORDER BY k");
    while (sqlite3_step(st) == SQLITE_ROW && m->nwords < ENTRIES) {
        struct bough_str body = { sqlite3_column_blob(st, 0), (size_t)sqlite3_column_bytes(st, 0) };

        bough_arena_reset(tmp);
        if (search_packed_words(m->names, body, &e, &m->words[m->nwords]))
            m->nwords++;
    }
    sqlite3_finalize(st);
    sqlite3_close(db);
    bough_arena_destroy(tmp);
}

static void time_one(struct side *side)
{
    double from = now_us();

    side->run(side->user, side->i++);
    sample(&side->us, now_us() - from);
}

void bench_import_text(struct bench *b)
{
    struct importing m = { .b = b, .dir = scratch(b, "text"), .names = bough_arena_create() };
    struct side sides[] = { { .name = "full text", .run = run_index, .user = &m },
                            { .name = "bare FTS5", .run = run_fts5, .user = &m } };

    m.file = fs_join(m.names, m.dir, "session.jsonl");
    pi_file_write(m.file, pi_file_id, ENTRIES, 0);
    for (size_t i = 0; i < (b->full ? 15u : 5u); i++) {
        m.imported = numbered(&m, "imported", i);
        syncs_skip(true);
        import_new(&m, m.imported);
        syncs_skip(false);
        if (!m.words)
            read_words(&m);
        time_one(&sides[i % 2]);
        time_one(&sides[1 - i % 2]);
        removed(m.imported);
    }
    samples_note(sides[0].name, &sides[0].us);
    samples_note(sides[1].name, &sides[1].us);
    note("%zu entries with words", m.nwords);
    figure(b, "import_text_vs_fts5", median(&sides[0].us) / median(&sides[1].us));
    sides_finish(sides, 2);
    scratch_remove(m.dir);
    bough_arena_destroy(m.names);
}
