/* Servers that are killed at any moment: no tool call is made twice, and no process stays. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "base/memory/map.h"
#include "base/os/fs.h"
#include "base/text/str.h"
#include "gateway.h"
#include "runs.h"

enum {
    KILLS = 1000,     /* BENCH_KILLS says another number */
    LIVES_MS = 30,    /* a server is killed after at least this */
    LIVES_MORE = 150, /* and at most this much more */
    END_S = 180,      /* for all runs to end: leases last 30 s */
    GONE_S = 10,      /* for processes of the last server to end */
    FILE_MOST = 8 << 20,
};

struct killing {
    struct bough_store *s;
    struct bough_arena *a;
    const char *dir, *counter, *program;
    uint64_t seed;
    size_t kills;
    int started;
};

/* ---- servers ---- */

static void configure(struct killing *k, int port)
{
    const char *home = fs_join(k->a, k->dir, "config");
    char here[4096];
    FILE *f;

    if (!getcwd(here, sizeof here) || mkdir(home, 0700) ||
        mkdir(fs_join(k->a, home, "bough"), 0700) ||
        !(f = fopen(fs_join(k->a, home, "bough/config.ini"), "w"))) {
        perror("bench: the configuration");
        exit(2);
    }
    fprintf(f,
            "[server]\nname = bench\n[runs]\nworkers = 8\n[workspaces]\nroot = %s\n"
            "[provider \"up\"]\nkind = openai-compatible\nbase_url = http://127.0.0.1:%d/v1\n"
            "allow_private = yes\nauth = none\nmodels = m\n"
            "[tools \"count\"]\ncommand = perl %s/tests/run/count.pl %s 20\n"
            "[agent \"stay\"]\ncommand = perl %s/bench/peers/acp-stay.pl %s\n",
            k->dir, port, here, k->counter, here, k->dir);
    fclose(f);
    setenv("XDG_CONFIG_HOME", home, 1);
}

static pid_t server_start(struct killing *k)
{
    const char *argv[] = { k->program,
                           "--store",
                           fs_join(k->a, k->dir, "store"),
                           "serve",
                           "--quiet",
                           "--socket",
                           arena_printf(k->a, "%s/s%d", k->dir, k->started++),
                           NULL };
    posix_spawn_file_actions_t to;
    pid_t pid;

    posix_spawn_file_actions_init(&to);
    posix_spawn_file_actions_addopen(&to, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&to, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    if (posix_spawn(&pid, k->program, &to, NULL, (char *const *)argv, environ)) {
        fprintf(stderr, "bench: a server cannot be started\n");
        exit(2);
    }
    posix_spawn_file_actions_destroy(&to);
    return pid;
}

static void server_end(pid_t pid, int sig)
{
    int status;

    if (kill(pid, sig) || waitpid(pid, &status, 0) != pid) {
        perror("bench: a server");
        exit(2);
    }
}

/* ---- work ---- */

/* A call of the tool that was approved, and a prompt for the agent that stays. */
static void add_work(struct killing *k, size_t i)
{
    struct waits_for call = { "count", "mcp__count__count", "count/count",
                              arena_printf(k->a, "{\"key\":\"k%zu\"}", i) };
    struct bough_approval_resolve_options yes = { .status = BOUGH_APPROVAL_APPROVED };
    struct bough_run_start_options how = { .text = "stay",
                                           .runtime = BOUGH_RUNTIME_EXTERNAL,
                                           .adapter = "stay",
                                           .host = "bench",
                                           .workspace = k->dir };
    struct bough_run_start_result out;
    char session[BOUGH_ID_LEN + 1];
    struct bough_error err;
    struct waits w;

    make_waiting(k->s, &call, &w);
    must(bough_approval_resolve(k->s, k->a, w.approval, &yes, NULL, &err), &err, "an answer");
    session_new(k->s, "stays", session);
    must(bough_run_start(k->s, k->a, session, &how, &out, &err), &err, "a run");
}

static void one_life(struct killing *k, size_t i)
{
    pid_t pid;

    add_work(k, i);
    pid = server_start(k);
    sleep_us(1000.0 * (LIVES_MS + (double)rng_below(&k->seed, LIVES_MORE)));
    server_end(pid, SIGKILL);
    bough_arena_reset(k->a);
}

/* Cancel what is left, until the last server has ended all. Returns how many are live. */
static size_t end_all(struct killing *k)
{
    struct bough_run_list_options live = { .status = "queued running awaiting_approval",
                                           .limit = 10000 };
    double until = now_us() + END_S * 1e6;
    struct bough_error err;
    struct bough_runs runs;

    for (;;) {
        must(bough_run_list(k->s, k->a, &live, &runs, &err), &err, "live runs");
        if (!runs.n || now_us() > until)
            return runs.n;
        for (size_t i = 0; i < runs.n; i++)
            if (bough_run_cancel(k->s, k->a, runs.at[i].id, NULL, NULL, NULL))
                continue; /* it has ended meanwhile */
        sleep_us(200e3);
        bough_arena_reset(k->a);
    }
}

/* ---- what is left ---- */

/* Keys that the tool has counted more than once. */
static size_t doubled(struct killing *k, size_t *calls)
{
    struct bough_str text = { "", 0 }, line;
    size_t twice = 0;
    struct smap seen;

    *calls = 0;
    if (fs_read(k->a, k->counter, FILE_MOST, &text, NULL))
        return 0;
    smap_init(&seen);
    while (text.n) {
        const char *end = memchr(text.p, '\n', text.n);

        line = str_make(text.p, end ? (size_t)(end - text.p) : text.n);
        twice += smap_get(&seen, line, NULL);
        smap_put(&seen, line, 1);
        ++*calls;
        text = end ? str_make(end + 1, text.n - line.n - 1) : str_of("");
    }
    smap_finish(&seen);
    return twice;
}

/* Processes that have the folder in their command line. */
static size_t count_processes(struct killing *k)
{
    char path[300], line[4096];
    DIR *dir = opendir("/proc");
    struct dirent *e;
    size_t found = 0;

    while (dir && (e = readdir(dir))) {
        FILE *f;
        size_t n;

        snprintf(path, sizeof path, "/proc/%.20s/cmdline", e->d_name);
        if (*e->d_name < '1' || *e->d_name > '9' || !(f = fopen(path, "r")))
            continue;
        n = fread(line, 1, sizeof line, f);
        fclose(f);
        found += memmem(line, n, k->dir, strlen(k->dir)) != NULL;
    }
    if (dir)
        closedir(dir);
    return found;
}

static size_t wait_gone(struct killing *k)
{
    size_t n = count_processes(k);

    for (int i = 0; n && i < GONE_S * 10; i++) {
        sleep_us(100e3);
        n = count_processes(k);
    }
    return n;
}

void bench_run_kill(struct bench *b)
{
    struct peer up = upstream_start(b);
    struct killing k = { .a = bough_arena_create(), .seed = 20261118, .kills = KILLS };
    struct bough_arena *own = bough_arena_create();
    const char *asked = getenv("BENCH_KILLS");
    size_t calls, twice, live;
    char full[4096];
    pid_t last;

    hurry(false); /* servers are as busy as others */
    if (!realpath(scratch(b, "run-kill"), full)) {
        perror("bench: run-kill");
        exit(2);
    }
    k.dir = full;
    k.counter = fs_join(own, full, "counter");
    k.program = bough_program(b, own);
    if (asked && *asked)
        k.kills = (size_t)strtoul(asked, NULL, 10);
    k.s = store_new(full, false);
    configure(&k, up.port);
    for (size_t i = 0; i < k.kills; i++)
        one_life(&k, i);
    last = server_start(&k);
    live = end_all(&k);
    server_end(last, SIGTERM);
    twice = doubled(&k, &calls);
    note("%zu kills, %zu calls were made, %zu runs are left", k.kills, calls, live);
    figure(b, "orphans", (double)wait_gone(&k));
    figure(b, "doubled_tools", (double)twice);
    hurry(true);
    unsetenv("XDG_CONFIG_HOME");
    bough_store_close(&k.s);
    bough_arena_destroy(k.a);
    bough_arena_destroy(own);
    peer_stop(&up);
}
