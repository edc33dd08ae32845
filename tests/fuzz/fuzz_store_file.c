/*
 * Fuzz: a damaged store file is salvaged, opened, listed, read, checked and repaired. Nothing may
 * crash or hang, and every refusal has a message.
 *
 * The input is a byte of flags (1: open for writing), then patches to one good file that is created
 * at the start: page (1 byte), offset (2 bytes, modulo the page size), length - 1 (1 byte, modulo
 * 32), then that many bytes. A page past the end, or flag 2, first truncates the file at that page.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bough/bough.h>

#include "base/json/json.h"
#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/os/fs.h"
#include "base/text/str.h"
#include "core/context/context.h"
#include "lib/unsynced.h"

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

/* ---- the good file ---- */

/* A fixed clock and fixed random bytes, so that the file is the same in every run. */
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
    struct bough_append_options in = { .entries = &e, .n = 1, .key = asks ? text : NULL };
    struct bough_append_result out;

    in.call = asks ? NULL : &call;
    e.by_call = !asks;
    MUST(bough_append(s, world.arena, session, &in, &out, NULL) == BOUGH_OK);
}

static void fill(struct bough_store *s)
{
    struct bough_session_create_options in = { .title = "One", .project = "/p", .id = "own-id" };
    struct bough_compact_options marker = { .summary = "short" };
    struct bough_todo item = { .content = "do it", .status = "pending", .priority = "high" };
    struct bough_memory memory = { .scope = BOUGH_MEMORY_OF_STORE, .content = "remember" };
    struct bough_memory *kept;
    char big[4001], id[BOUGH_ID_LEN + 1];
    struct bough_session *a, *b;
    struct bough_session_fork_options how = { .title = "Two" };

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
    struct bough_env env = { .now = fixed_now, .random = fixed_random, .user = &clock };
    struct bough_store_open_options options = { .env = &env };
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

/* ---- the damaged file ---- */

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

/* Write the damaged file and remove the journal and WAL files of the last run. */
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
    struct bough_entries_read_options newest = { .newest = true, .limit = 3, .deleted = true };
    struct bough_error err = { 0 };
    struct bough_context_options how = { 0 };
    struct bough_context_result context;
    struct bough_branches branches;
    struct bough_entries entries;
    struct bough_labels labels;
    struct bough_calls calls;
    struct bough_todos todos;
    struct bough_entries_read_result path;
    struct bough_sessions lineage;
    char hash[65], root[BOUGH_ID_LEN + 1];

    told(bough_entries_read(s, a, id, NULL, &path, &err), &err);
    told(bough_entries_read(s, a, id, &newest, &path, &err), &err);
    for (size_t i = 0; context_dialect_name(i); i++) {
        how.dialect = context_dialect_name(i);
        told(bough_context(s, a, id, &how, &context, &err), &err);
    }
    told(bough_tree_branches(s, a, id, &branches, &err), &err);
    told(bough_tree_entries(s, a, id, NULL, &entries, &err), &err);
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
    struct bough_append_options in = { .entries = &e, .n = 1, .key = "hello" };
    struct bough_error err = { 0 };
    struct bough_append_result out;
    struct bough_session *forked;
    struct bough_totals delta = { .input = 1 };
    struct bough_totals_propagate_result list;

    told(bough_totals_propagate(s, a, id, &delta, &list, &err), &err);
    told(bough_append(s, a, id, &in, &out, &err), &err);
    in.key = NULL;
    told(bough_append(s, a, id, &in, &out, &err), &err);
    told(bough_session_fork(s, a, id, &(struct bough_session_fork_options){ 0 }, &forked, &err),
         &err);
    told(bough_session_rename(s, id, "Renamed", &err), &err);
    told(bough_session_purge(s, a, id, NULL, &err), &err);
}

static void use(struct bough_store *s, struct bough_arena *a, bool writing)
{
    static const char *const names[] = { "#1", "two", "own-id" };
    struct bough_session_list_options filter = { .include_deleted = true, .query = "o" };
    struct bough_error err = { 0 };
    struct bough_store_fsck_result report;
    struct bough_sessions sessions;
    struct bough_changes changes;
    struct bough_memories memories;
    struct bough_session *session;
    struct bough_store_stats_result stats;
    struct bough_store_info_result info;

    told(bough_store_info(s, a, &info, &err), &err);
    told(bough_session_list(s, a, &filter, &sessions, &err), &err);
    told(bough_session_list(s, a, NULL, &sessions, &err), &err);
    told(bough_store_log(s, a, NULL, &changes, &err), &err);
    told(bough_memory_list(s, a, BOUGH_MEMORY_OF_STORE, NULL, &memories, &err), &err);
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
    struct bough_store_scoped_options scope = { .deadline_ms = MOST_MS };
    struct bough_store_open_options options = { .must_exist = true };
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
