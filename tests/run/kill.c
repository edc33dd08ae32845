/* Several servers over one store, in processes of their own. Runs are started, approved, rejected
 * and cancelled while servers are killed at any moment: every call of the tool that left a line in
 * a file has its own message in the store, and every run ends. */
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/env.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "run/script.h"

enum { SERVERS = 3, SESSIONS = 6, STEPS = 60 };

/* ---- the servers ---- */

struct chaos {
    struct test *t;
    struct fake *up;
    const char *counter;
    const char *sessions[SESSIONS];
    pid_t pids[SERVERS];
    uint64_t seed;
    int started;
};

static uint64_t dice(struct chaos *k, uint64_t n)
{
    k->seed = k->seed * 6364136223846793005u + 1442695040888963407u;
    return (k->seed >> 33) % n;
}

static const char *beside_us(struct test *t, const char *name)
{
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);

    CHECK(n > 0);
    self[n] = '\0';
    *strrchr(self, '/') = '\0';
    return arena_printf(t->arena, "%s/%s", self, name);
}

/* Always another call of the tool: a limit ends the run. */
static const char reply[] =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
    "data: {\"id\":\"c\",\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{"
    "\"index\":0,\"id\":\"call_0\",\"type\":\"function\",\"function\":{\"name\":"
    "\"mcp__count__count\",\"arguments\":\"{}\"}},{\"index\":1,\"id\":\"call_1\",\"type\":"
    "\"function\",\"function\":{\"name\":\"mcp__count__count\",\"arguments\":\"{}\"}}]}}]}\n\n"
    "data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}"
    "\n\ndata: [DONE]\n\n";

static void configure(struct chaos *k)
{
    struct test *t = k->t;
    const char *home = test_path(t, "config");
    FILE *f;

    CHECK(mkdir(home, 0700) == 0);
    CHECK(mkdir(arena_printf(t->arena, "%s/bough", home), 0700) == 0);
    f = fopen(arena_printf(t->arena, "%s/bough/config.ini", home), "w");
    CHECK(f);
    fprintf(f,
            "[provider \"up\"]\nkind = openai-compatible\nbase_url = http://127.0.0.1:%d/v1\n"
            "allow_private = yes\nauth = none\nmodels = m\nwires = chat\n[server]\nname = one\n"
            "[tools \"count\"]\ncommand = perl %s/tests/run/count.pl %s 20\n",
            fake_port(k->up), getenv("PWD") ? getenv("PWD") : ".", k->counter);
    CHECK(fclose(f) == 0);
    setenv("XDG_CONFIG_HOME", home, 1);
}

static void server_start(struct chaos *k, int i)
{
    struct test *t = k->t;
    const char *bough = beside_us(t, "../bough"),
               *socket = test_path(t, arena_printf(t->arena, "s%d-%d", i, k->started++));

    fflush(NULL);
    k->pids[i] = fork();
    CHECK(k->pids[i] >= 0);
    if (k->pids[i] == 0) {
        if (prctl(PR_SET_PDEATHSIG, SIGKILL) || !freopen("/dev/null", "w", stdout))
            _exit(1);
        execl(bough, bough, "--store", t->url, "serve", "--quiet", "--socket", socket, NULL);
        _exit(127);
    }
}

static void server_end(struct chaos *k, int i, int sig)
{
    int status;

    CHECK_INT(0, kill(k->pids[i], sig));
    CHECK_INT(k->pids[i], waitpid(k->pids[i], &status, 0));
    k->pids[i] = 0;
}

/* ---- what happens ---- */

static void start_one(struct chaos *k)
{
    struct test *t = k->t;
    struct bough_run_start_options how = { .text = "go",
                                           .runtime = BOUGH_RUNTIME_AGENT,
                                           .model = "m",
                                           .host = "one",
                                           .servers = str_of("[\"count\"]"),
                                           .limits = { .turns = 2 },
                                           .queue = true };
    struct bough_run_start_result out;

    CHECK_OK(
        bough_run_start(t->store, t->arena, k->sessions[dice(k, SESSIONS)], &how, &out, &t->err));
}

/* Settle one that waits. False: none does. */
static bool settle_one(struct chaos *k, bool any)
{
    struct test *t = k->t;
    struct bough_approval_list_options which = { .status = "pending", .limit = 100 };
    struct bough_approval_resolve_options how = { .status = BOUGH_APPROVAL_APPROVED };
    struct bough_approvals asked;
    enum bough_rc rc;

    CHECK_OK(bough_approval_list(t->store, t->arena, &which, &asked, &t->err));
    if (!asked.n)
        return false;
    if (any && dice(k, 4) == 0)
        how.status = BOUGH_APPROVAL_REJECTED;
    rc = bough_approval_resolve(t->store, t->arena, asked.at[dice(k, asked.n)].id, &how, NULL,
                                &t->err);
    CHECK(rc == BOUGH_OK || rc == BOUGH_CONFLICT); /* its run may have ended */
    return true;
}

static void cancel_one(struct chaos *k)
{
    struct test *t = k->t;
    struct bough_run_list_options live = { .status = "queued running awaiting_approval",
                                           .limit = 100 };
    struct bough_runs runs;
    enum bough_rc rc;

    CHECK_OK(bough_run_list(t->store, t->arena, &live, &runs, &t->err));
    if (!runs.n)
        return;
    rc = bough_run_cancel(t->store, t->arena, runs.at[dice(k, runs.n)].id, NULL, NULL, &t->err);
    CHECK(rc == BOUGH_OK || rc == BOUGH_CONFLICT);
}

static void do_something(struct chaos *k)
{
    int victim = (int)dice(k, SERVERS);

    switch (dice(k, 12)) {
    case 0:
    case 1:
    case 2:
        start_one(k);
        break;
    case 3:
        cancel_one(k);
        break;
    case 4:
        server_end(k, victim, SIGKILL);
        server_start(k, victim);
        break;
    default:
        (void)settle_one(k, true);
        break;
    }
    usleep(20000 + (useconds_t)dice(k, 60000));
}

/* ---- what must be true ---- */

static size_t live(struct chaos *k)
{
    struct test *t = k->t;
    struct bough_run_list_options which = { .status = "queued running awaiting_approval",
                                            .limit = 1000 };
    struct bough_runs runs;

    CHECK_OK(bough_run_list(t->store, t->arena, &which, &runs, &t->err));
    return runs.n;
}

static size_t count_lines(const char *file)
{
    FILE *f = fopen(file, "r");
    size_t n = 0;
    int c;

    while (f && (c = fgetc(f)) != EOF)
        n += c == '\n';
    if (f)
        fclose(f);
    return n;
}

/* Tool messages, in all branches; each names another call. */
static size_t count_calls(struct chaos *k, const char *session)
{
    struct test *t = k->t;
    struct bough_entries all;
    size_t n = 0;

    CHECK_OK(bough_tree_entries(t->store, t->arena, session, NULL, &all, &t->err));
    for (size_t i = 0; i < all.n; i++) {
        if (all.at[i].role != BOUGH_ROLE_TOOL)
            continue;
        n++;
        for (size_t j = 0; j < i; j++)
            if (all.at[j].role == BOUGH_ROLE_TOOL && str_eq(all.at[i].data, all.at[j].data))
                FAIL("one call was begun twice: %s", all.at[i].data.p);
    }
    return n;
}

/* Answer everything until no run is left. The lease of a killed server ends after 30 s, and runs
 * wait behind each other: that is more than one wait. */
static void wait_for_end(struct chaos *k)
{
    struct wait w = { 0 };
    int waits = 8;

    while (live(k)) {
        while (settle_one(k, false))
            ;
        if (!wait_more(&w)) {
            CHECK(--waits);
            w = (struct wait){ 0 };
        }
    }
}

SHARED_TEST(three_servers_that_are_killed_run_no_tool_twice_and_lose_no_run, 240)
{
    struct chaos k = { .t = t, .up = fake_start(t), .seed = 20261118 };
    struct bough_runs runs;
    size_t calls = 0, lines;

    k.counter = test_path(t, "counter");
    configure(&k);
    fake_otherwise(k.up, &(struct fake_answer){ .bytes = str_of(reply), .cut = true });
    CHECK_OK(bough_store_open(&t->store, t->url, NULL, &t->err));
    for (int i = 0; i < SESSIONS; i++)
        k.sessions[i] = new_session(t, "s");
    for (int i = 0; i < SERVERS; i++)
        server_start(&k, i);
    for (int i = 0; i < STEPS; i++)
        do_something(&k);
    wait_for_end(&k);
    for (int i = 0; i < SERVERS; i++)
        server_end(&k, i, SIGTERM);
    for (int i = 0; i < SESSIONS; i++)
        calls += count_calls(&k, k.sessions[i]);
    lines = count_lines(k.counter);
    if (!lines || lines > calls)
        FAIL("%zu calls were made, %zu were begun", lines, calls);
    CHECK_OK(bough_run_list(t->store, t->arena, &(struct bough_run_list_options){ .limit = 1000 },
                            &runs, &t->err));
    for (size_t i = 0; i < runs.n; i++)
        CHECK(bough_run_ended(runs.at[i].status));
    store_check(t, t->store);
    bough_store_close(&t->store);
    fake_stop(k.up);
}
