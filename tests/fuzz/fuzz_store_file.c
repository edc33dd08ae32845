/*
 * Fuzz: a store file with wrong bytes in it is salvaged, opened, listed, read, checked and
 * repaired; nothing may crash or hang, and every refusal says why.
 *
 * An input is a byte of flags (1: open for writing), then patches of the one good file that is made
 * at the start: page (1 byte), offset (2 bytes, modulo the page), length - 1 (1 byte, modulo 32),
 * then so many bytes. A page past the end, or flag 2, cuts the file at that page first.
 */
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bough/bough.h>

#include "base/arena.h"
#include "base/fs.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/str.h"
#include "store/sqlite/sqlite.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n);

#define MUST(cond)                                                                                 \
    do {                                                                                           \
        if (!(cond)) {                                                                             \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #cond);                             \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

enum { PAGE = 8192, FLAG_WRITE = 1, FLAG_CUT = 2, MOST_MS = 2000 };

static struct {
    struct bough_arena *arena;
    const char *dir, *path;
    struct bough_str good;
    char *bad;
} world;

/* ---- files that are never synced: the only slow thing here, and nobody's power fails ---- */

static int sync_nothing(sqlite3_file *f, int flags)
{
    (void)f;
    (void)flags;
    return SQLITE_OK;
}

/* The real VFS has a few tables of methods; ours are theirs but for one. */
static const sqlite3_io_methods *unsynced(const sqlite3_io_methods *real)
{
    static struct {
        const sqlite3_io_methods *real;
        sqlite3_io_methods ours;
    } known[8];
    size_t i = 0;

    while (i < 7 && known[i].real && known[i].real != real)
        i++;
    MUST(!known[i].real || known[i].real == real);
    if (!known[i].real) {
        known[i].ours = *real;
        known[i].ours.xSync = sync_nothing;
        known[i].real = real;
    }
    return &known[i].ours;
}

static int open_unsynced(sqlite3_vfs *v, const char *name, sqlite3_file *f, int flags, int *out)
{
    sqlite3_vfs *real = v->pAppData;
    int code = real->xOpen(real, name, f, flags, out);

    if (f->pMethods)
        f->pMethods = unsynced(f->pMethods);
    return code;
}

static void use_unsynced(void)
{
    static sqlite3_vfs vfs;

    sqlite3_initialize();
    vfs = *sqlite3_vfs_find(NULL);
    vfs.pAppData = sqlite3_vfs_find(NULL);
    vfs.pNext = NULL;
    vfs.zName = "unsynced";
    vfs.xOpen = open_unsynced;
    sqlite3_vfs_register(&vfs, 0);
    sqlite_backend_use_vfs("unsynced");
}

/* ---- the good file ---- */

/* A clock and a randomness of its own: the file is the same every time. */
static int64_t fixed_now(void *user)
{
    return 1800000000000 + (*(int64_t *)user)++;
}

static void fixed_random(void *user, void *out, size_t n)
{
    static uint64_t x = 88172645463325252u;

    (void)user;
    for (size_t i = 0; i < n; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        ((unsigned char *)out)[i] = (unsigned char)x;
    }
}

static void say(struct bough_store *s, const char *session, enum bough_role role, const char *text)
{
    bool asks = role == BOUGH_ROLE_USER;
    struct bough_entry_new e = { .role = role, .text = text, .id = asks ? text : NULL };
    struct bough_call_new call = { .model = "m", .used = { .input = 3, .cost = 5 } };
    struct bough_append in = { .entries = &e, .n = 1, .key = asks ? text : NULL };
    struct bough_appended out;

    in.call = asks ? NULL : &call;
    e.by_call = !asks;
    MUST(bough_append(s, world.arena, session, &in, &out, NULL) == BOUGH_OK);
}

static void fill(struct bough_store *s)
{
    struct bough_session_new in = { .title = "One", .project = "/p", .id = "own-id" };
    struct bough_compaction marker = { .summary = "short" };
    struct bough_todo item = { "do it", "pending", "high" };
    struct bough_memory memory = { .scope = BOUGH_OF_ALL, .content = "remember" };
    struct bough_memory *kept;
    char big[4001], id[BOUGH_ID_LEN + 1];
    struct bough_session *a, *b;
    struct bough_fork how = { .title = "Two" };

    for (size_t i = 0; i < sizeof big - 1; i++)
        big[i] = (char)('a' + i % 7 * (i % 3));
    big[sizeof big - 1] = '\0';
    MUST(bough_session_create(s, world.arena, &in, &a, NULL) == BOUGH_OK);
    say(s, a->id, BOUGH_ROLE_USER, "hello");
    say(s, a->id, BOUGH_ROLE_ASSISTANT, big); /* compressed */
    say(s, a->id, BOUGH_ROLE_USER, "and?");
    MUST(bough_compact(s, a->id, &marker, id, NULL) == BOUGH_OK);
    say(s, a->id, BOUGH_ROLE_ASSISTANT, "that");
    MUST(bough_session_fork(s, world.arena, a->id, &how, &b, NULL) == BOUGH_OK);
    say(s, b->id, BOUGH_ROLE_USER, "other");
    MUST(bough_label_set(s, a->id, id, "here", NULL) == BOUGH_OK);
    MUST(bough_todo_replace(s, world.arena, a->id, &item, 1, NULL, NULL) == BOUGH_OK);
    MUST(bough_memory_add(s, world.arena, &memory, &kept, NULL) == BOUGH_OK);
}

static void tear_down(void)
{
    fs_remove_tree(world.dir);
    bough_arena_destroy(world.arena);
    free(world.bad);
}

static void set_up(void)
{
    static int64_t clock;
    struct bough_env env = { fixed_now, fixed_random, &clock };
    struct bough_options options = { .env = &env };
    struct bough_store *s = NULL;

    use_unsynced();
    world.arena = bough_arena_create();
    world.dir = fs_temp_dir(world.arena, "bough-fuzz");
    MUST(world.dir);
    world.path = fs_join(world.arena, world.dir, "store.db");
    atexit(tear_down);
    MUST(bough_store_open(&s, world.path, &options, NULL) == BOUGH_OK);
    fill(s);
    bough_store_close(&s);
    MUST(fs_read(world.arena, world.path, 1 << 24, &world.good, NULL) == BOUGH_OK);
    world.bad = malloc(world.good.n);
    MUST(world.bad);
}

/* ---- the bad one ---- */

static size_t damage(const unsigned char *data, size_t n, bool cut)
{
    size_t size = world.good.n, pages = size / PAGE;

    memcpy(world.bad, world.good.p, size);
    while (n > 4) {
        size_t page = data[0], at = (data[1] << 8 | data[2]) % PAGE, len = data[3] % 32 + 1u;

        if (cut && page < pages)
            return page * PAGE + at;
        len = len < n - 4 ? len : n - 4;
        len = len < PAGE - at ? len : PAGE - at;
        memcpy(world.bad + page % pages * PAGE + at, data + 4, len);
        data += 4 + len;
        n -= 4 + len;
    }
    return size;
}

/* Whatever lay beside the last one belongs to nobody. */
static void put_file(size_t size)
{
    static const char *const beside[] = { "-wal", "-shm", "-journal" };
    int fd = open(world.path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    char name[300];

    MUST(fd >= 0 && write(fd, world.bad, size) == (ssize_t)size);
    close(fd);
    for (size_t i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "%s%s", world.path, beside[i]);
        unlink(name);
    }
}

/* ---- using it ---- */

static void told(enum bough_rc rc, struct bough_error *err)
{
    MUST(!rc || (err->msg[0] && err->rc == rc));
    memset(err, 0, sizeof *err);
}

static void read_session(struct bough_store *s, struct bough_arena *a, const char *id)
{
    static const char *const dialects[] = { "pi", "hygge", "ui" };
    struct bough_read newest = { .newest = true, .limit = 3, .deleted = true };
    struct bough_error err = { 0 };
    struct bough_context_options how = { 0 };
    struct bough_context context;
    struct bough_branches branches;
    struct bough_entries entries;
    struct bough_labels labels;
    struct bough_calls calls;
    struct bough_todos todos;
    struct bough_path path;
    struct bough_sessions lineage;
    char hash[65], root[BOUGH_ID_LEN + 1];

    told(bough_entries_read(s, a, id, NULL, &path, &err), &err);
    told(bough_entries_read(s, a, id, &newest, &path, &err), &err);
    for (size_t i = 0; i < 3; i++) {
        how.dialect = dialects[i];
        told(bough_context(s, a, id, &how, &context, &err), &err);
    }
    told(bough_tree_branches(s, a, id, &branches, &err), &err);
    told(bough_tree_entries(s, a, id, 0, 100, &entries, &err), &err);
    told(bough_marker_list(s, a, id, &entries, &err), &err);
    told(bough_label_list(s, a, id, &labels, &err), &err);
    told(bough_call_list(s, a, id, &calls, &err), &err);
    told(bough_todo_get(s, a, id, &todos, &err), &err);
    told(bough_path_hash(s, id, NULL, hash, &err), &err);
    told(bough_session_root(s, id, root, &err), &err);
    told(bough_tree_lineage(s, a, id, &lineage, &err), &err);
}

static void write_session(struct bough_store *s, struct bough_arena *a, const char *id)
{
    struct bough_entry_new e = { .role = BOUGH_ROLE_USER, .text = "more" };
    struct bough_append in = { .entries = &e, .n = 1, .key = "hello" };
    struct bough_error err = { 0 };
    struct bough_appended out;
    struct bough_session *forked;
    struct bough_totals delta = { .input = 1 };
    struct bough_propagated *list;
    bool truncated;
    size_t n;

    told(bough_totals_propagate(s, a, id, &delta, &list, &n, &truncated, &err), &err);
    told(bough_append(s, a, id, &in, &out, &err), &err);
    in.key = NULL;
    told(bough_append(s, a, id, &in, &out, &err), &err);
    told(bough_session_fork(s, a, id, &(struct bough_fork){ 0 }, &forked, &err), &err);
    told(bough_session_rename(s, id, "Renamed", &err), &err);
    told(bough_session_purge(s, a, id, NULL, &err), &err);
}

static void use(struct bough_store *s, struct bough_arena *a, bool writing)
{
    static const char *const names[] = { "#1", "two", "own-id" };
    struct bough_list filter = { .include_deleted = true, .query = "o" };
    struct bough_error err = { 0 };
    struct bough_fsck_report report;
    struct bough_sessions sessions;
    struct bough_changes changes;
    struct bough_memories memories;
    struct bough_session *session;
    struct bough_stats stats;
    struct bough_info info;

    told(bough_store_info(s, a, &info, &err), &err);
    told(bough_session_list(s, a, &filter, &sessions, &err), &err);
    told(bough_session_list(s, a, NULL, &sessions, &err), &err);
    told(bough_store_log(s, a, 0, 0, &changes, &err), &err);
    told(bough_memory_list(s, a, BOUGH_OF_ALL, NULL, &memories, &err), &err);
    for (size_t i = 0; i < 3; i++)
        told(bough_session_get(s, a, names[i], &session, &err), &err);
    read_session(s, a, names[0]);
    read_session(s, a, names[1]);
    told(bough_store_stats(s, &stats, &err), &err);
    told(bough_store_fsck(s, BOUGH_FSCK_QUICK, NULL, NULL, &report, &err), &err);
    told(bough_store_fsck(s, BOUGH_FSCK_FULL, NULL, NULL, &report, &err), &err);
    told(bough_store_fsck(s, BOUGH_FSCK_DEEP, NULL, NULL, &report, &err), &err);
    if (writing)
        told(bough_store_repair(s, BOUGH_FSCK_FULL, NULL, NULL, NULL, NULL, &err), &err);
    for (size_t i = 0; i < 2 && writing; i++)
        write_session(s, a, names[i]);
}

static bool saved(void *user, struct bough_str json)
{
    (void)user;
    MUST(json_check(json, LIMIT_JSON_DEPTH, NULL) == BOUGH_OK);
    return true;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n)
{
    struct bough_scope scope = { .deadline_ms = MOST_MS };
    struct bough_options options = { .create_not = true };
    struct bough_store *s = NULL, *bounded;
    struct bough_error err = { 0 };
    struct bough_arena *a;
    unsigned flags = n ? data[0] : 0;
    enum bough_rc rc;

    if (!world.arena)
        set_up();
    put_file(damage(data + (n > 0), n - (n > 0), flags & FLAG_CUT));
    told(bough_salvage(world.path, saved, NULL, NULL, NULL, &err), &err);
    options.read_only = !(flags & FLAG_WRITE);
    rc = bough_store_open(&s, world.path, &options, &err);
    told(rc, &err);
    if (rc)
        return 0;
    a = bough_arena_create();
    bounded = bough_store_scoped(s, &scope);
    use(bounded, a, flags & FLAG_WRITE);
    bough_store_close(&bounded);
    bough_store_close(&s);
    bough_arena_destroy(a);
    return 0;
}
