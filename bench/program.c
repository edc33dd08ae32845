/* Benchmarks of the bough command as a whole process: start-up, listing, showing, importing. */
#include <libgen.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "base/os/fs.h"
#include "bench.h"

/* posix_spawn() does not copy this large process, so mostly the program itself is timed. */
static pid_t start(const struct program *p, int *out)
{
    posix_spawn_file_actions_t to;
    int fds[2];
    pid_t pid;

    if (pipe(fds) != 0) {
        perror("bench: pipe");
        exit(2);
    }
    posix_spawn_file_actions_init(&to);
    posix_spawn_file_actions_adddup2(&to, fds[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&to, fds[1], STDERR_FILENO);
    posix_spawn_file_actions_addclose(&to, fds[0]);
    posix_spawn_file_actions_addclose(&to, fds[1]);
    if (posix_spawn(&pid, p->argv[0], &to, NULL, (char *const *)p->argv, environ) != 0) {
        fprintf(stderr, "bench: cannot start %s\n", p->argv[0]);
        exit(2);
    }
    posix_spawn_file_actions_destroy(&to);
    close(fds[1]);
    *out = fds[0];
    return pid;
}

void run_program(void *user, size_t i)
{
    struct program *p = user;
    static char piece[65536];
    struct rusage used;
    size_t got = 0;
    int out, status;
    pid_t pid = start(p, &out);
    ssize_t n;

    (void)i;
    while ((!p->page || got < p->page) && (n = read(out, piece, sizeof piece)) > 0)
        got += (size_t)n;
    close(out);
    if (wait4(pid, &status, 0, &used) != pid || (WIFEXITED(status) && WEXITSTATUS(status) > 1) ||
        (p->page && got < p->page)) {
        fprintf(stderr, "bench: %s %s failed: %.*s\n", p->argv[0], p->argv[1], (int)got, piece);
        exit(2);
    }
    p->rss_kb = used.ru_maxrss;
}

const char *bough_program(struct bench *b, struct bough_arena *a)
{
    return fs_join(a, dirname(arena_strdup(a, b->binary)), "bough");
}

void bench_cli_ls(struct bench *b)
{
    enum { SESSIONS = 100000 };
    const char *dir = scratch(b, "ls");
    struct bough_arena *a = bough_arena_create();
    struct bough_store *s = store_new(dir, true);
    struct program ls = { { bough_program(b, a), "--store", fs_join(a, dir, "store"), "ls" },
                          0,
                          0 };
    struct program nothing = { { "/bin/true" }, 0, 0 };
    struct side sides[] = { { .name = "bough ls", .run = run_program, .user = &ls },
                            { .name = "true", .run = run_program, .user = &nothing } };
    char id[BOUGH_ID_LEN + 1];

    syncs_skip(true);
    for (size_t i = 0; i < SESSIONS; i++)
        session_new(s, "one of many", id);
    bough_store_close(&s);
    syncs_skip(false);
    interleave(sides, 2, b->full ? 100 : 30, 4);
    figure(b, "cli_ls_100k_vs_true", median(&sides[0].us) / median(&sides[1].us));
    sides_finish(sides, 2);
    scratch_remove(dir);
    bough_arena_destroy(a);
}

void bench_cli_show(struct bench *b)
{
    const char *dir = scratch(b, "show");
    struct bough_arena *a = bough_arena_create();
    struct bough_store *s = store_new(dir, true);
    char large[BOUGH_ID_LEN + 1], small[BOUGH_ID_LEN + 1];
    const char *program = bough_program(b, a), *store = fs_join(a, dir, "store");
    struct program of_large = { { program, "--store", store, "show", large }, 8192, 0 };
    struct program of_small = { { program, "--store", store, "show", small }, 8192, 0 };
    struct side sides[] = { { .name = "first page of 100k", .run = run_program, .user = &of_large },
                            { .name = "first page of 1k", .run = run_program, .user = &of_small } };

    syncs_skip(true);
    session_new(s, "large", large);
    session_new(s, "small", small);
    append_many(s, large, 0, 100000);
    append_many(s, small, 0, 1000);
    bough_store_close(&s);
    syncs_skip(false);
    signal(SIGPIPE, SIG_DFL);
    interleave(sides, 2, b->full ? 100 : 30, 4);
    figure(b, "show_first_page_100k_vs_1k", median(&sides[0].us) / median(&sides[1].us));
    sides_finish(sides, 2);
    scratch_remove(dir);
    bough_arena_destroy(a);
}

/* Memory that `bough import` needs for 1 GB, more than `bough version`. */
void bench_import_rss(struct bench *b)
{
    struct bough_arena *a = bough_arena_create();
    const char *dir, *file;
    struct program idle = { { bough_program(b, a), "version" }, 0, 0 };
    struct program import;

    if (!b->full) {
        figure_skipped(b, "import_rss_mb_1gb", "only with BENCH=full");
        bough_arena_destroy(a);
        return;
    }
    dir = scratch(b, "rss");
    file = fs_join(a, dir, "large.jsonl");
    pi_file_write(file, pi_file_id, 900000, 0);
    import = (struct program){
        { idle.argv[0], "--store", fs_join(a, dir, "store"), "import", "--yes", file }, 0, 0
    };
    run_program(&idle, 0);
    run_program(&import, 0);
    note("%.0f MB imported with %ld KB, idle %ld KB", (double)fs_size(file) / 1e6, import.rss_kb,
         idle.rss_kb);
    figure(b, "import_rss_mb_1gb", (double)(import.rss_kb - idle.rss_kb) / 1024);
    scratch_remove(dir);
    bough_arena_destroy(a);
}
