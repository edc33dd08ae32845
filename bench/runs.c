/* Figures of runs: what they add to a model call and to a tool call, what waiting costs, and how
 * fast an answer, a restart and a look at a long run are. */
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/json/write.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "bench.h"
#include "child/child.h"
#include "core/activity/activity.h"
#include "gateway.h"
#include "gateway/gateway.h"
#include "gateway/turn/turn.h"
#include "run/step.h"
#include "runs.h"
#include "tools/tools.h"

enum {
    TURNS = 40,
    CALLS = 300,
    WAITING = 1000,
    APPROVED = 100,
    ELSEWHERE = 100,
    LEFT_BEHIND = 1000,
    STEPS = 10000,
    PAGE = 500,
    PAGES = 60,
};

static const char call_part[] = "{\"type\":\"function\",\"id\":\"call_0\",\"function\":{\"name\":"
                                "\"demo_edit\",\"arguments\":\"{\\\"path\\\":\\\"a\\\","
                                "\\\"content\\\":\\\"b\\\"}\"}}";

/* The top of the tree, where this program is run from. */
static const char *here(struct bough_arena *a)
{
    char dir[4096];

    if (!getcwd(dir, sizeof dir)) {
        perror("bench: the folder");
        exit(2);
    }
    return arena_strdup(a, dir);
}

void rig_open(struct bench *b, struct rig *r, const char *name, const char *base_url)
{
    struct bough_error err;
    const char *program;
    struct gateway_setting settings[8];
    size_t n = 0;

    *r = (struct rig){ .a = bough_arena_create(), .dir = scratch(b, name) };
    r->dir = arena_printf(r->a, "%s/%s", here(r->a), r->dir);
    r->s = store_new(r->dir, false);
    program = bough_program(b, r->a);
    settings[n++] = (struct gateway_setting){ "provider \"up\"", "kind", "openai-compatible" };
    settings[n++] = (struct gateway_setting){ "provider \"up\"", "base_url", base_url };
    settings[n++] = (struct gateway_setting){ "provider \"up\"", "allow_private", "yes" };
    settings[n++] = (struct gateway_setting){ "provider \"up\"", "auth", "none" };
    settings[n++] = (struct gateway_setting){ "provider \"up\"", "models", "m" };
    settings[n++] =
        (struct gateway_setting){ "tools \"own\"", "command",
                                  arena_printf(r->a, "%s --store %s/x.db mcp --write", program,
                                               scratch(b, arena_printf(r->a, "%s-served", name))) };
    settings[n++] =
        (struct gateway_setting){ "agent \"flood\"", "command",
                                  arena_printf(r->a, "perl %s/bench/peers/acp-flood.pl %d",
                                               here(r->a), FLOOD_UPDATES) };
    must(gateway_create(&r->gateway, &(struct gateway_config){ r->s, settings, n }, &err), &err,
         "a gateway");
    must(children_create(&r->children, &err), &err, "children");
    must(tool_host_create(&r->tools, &(struct tool_host_config){ r->s, r->children, settings, n },
                          &err),
         &err, "tools");
    must(runner_create(&r->runner,
                       &(struct runner_config){ .store = r->s,
                                                .gateway = r->gateway,
                                                .tools = r->tools,
                                                .children = r->children,
                                                .settings = settings,
                                                .n = n,
                                                .host = "bench",
                                                .workspace = r->dir },
                       &err),
         &err, "a runner");
}

void rig_close(struct rig *r)
{
    runner_destroy(r->runner);
    tool_host_destroy(r->tools);
    children_destroy(r->children);
    gateway_destroy(r->gateway);
    bough_arena_destroy(r->a);
    bough_store_close(&r->s);
}

enum bough_run_status run_status(struct bough_store *s, const char *run)
{
    struct bough_arena *a = bough_arena_create();
    struct bough_error err;
    struct bough_run *now;
    enum bough_run_status status;

    must(bough_run_get(s, a, run, &now, &err), &err, "a run");
    status = now->status;
    bough_arena_destroy(a);
    return status;
}

static bool has_ended(struct rig *r, const char *run)
{
    return bough_run_ended(run_status(r->s, run));
}

/* ---- a run of one model call ---- */

static void new_session(struct rig *r, char id[BOUGH_ID_LEN + 1])
{
    session_new(r->s, "run", id);
}

static void one_run(void *user, size_t i)
{
    struct rig *r = user;
    struct bough_arena *a = bough_arena_create();
    static const char *const servers[] = { "demo" };
    char session[BOUGH_ID_LEN + 1];
    struct run_begin_options how = { .runtime = BOUGH_RUNTIME_AGENT,
                                     .text = "bench: 20 2000",
                                     .model = "m",
                                     .servers = servers,
                                     .nservers = 1 };
    struct run_begun begun;
    struct bough_error err;

    (void)i;
    new_session(r, session);
    how.session = session;
    must(run_begin(r->runner, a, &how, &begun, &err), &err, "a run");
    while (!has_ended(r, begun.run->id))
        sleep_us(200);
    bough_arena_destroy(a);
}

static void one_call(void *user, size_t i)
{
    struct rig *r = user;
    struct bough_arena *a = bough_arena_create();
    char session[BOUGH_ID_LEN + 1];
    struct bough_entry_new e = { .role = BOUGH_ROLE_USER, .text = "bench: 20 2000" };
    struct bough_append_options add = { .entries = &e, .n = 1 };
    struct bough_append_result added;
    struct turn_open_options open = { 0 };
    struct turn_answer_options answer = { .renew_ms = 10000 };
    struct turn_result got;
    struct bough_error err;
    struct turn *turn;
    const char *reply;

    (void)i;
    new_session(r, session);
    must(bough_append(r->s, a, session, &add, &added, &err), &err, "a prompt");
    must(turn_create(&turn, r->gateway,
                     &(struct turn_options){ .store = r->s, .session = session, .model = "m" },
                     &err),
         &err, "a call");
    open.at = added.ids[0];
    must(turn_open(turn, &open, &reply, &err), &err, "a reply");
    must(turn_answer(turn, &answer, &got, &err), &err, "an answer");
    turn_destroy(turn);
    bough_arena_destroy(a);
}

void bench_run_turn(struct bench *b)
{
    struct peer up = upstream_start(b);
    struct bough_arena *a = bough_arena_create();
    struct rig r;
    struct side sides[2] = { { .name = "agent run", .run = one_run, .user = &r },
                             { .name = "its model call", .run = one_call, .user = &r } };

    rig_open(b, &r, "run-turn", arena_printf(a, "http://127.0.0.1:%d/v1", up.port));
    interleave(sides, 2, TURNS, 1);
    figure(b, "turn_vs_gateway", median(&sides[0].us) / median(&sides[1].us));
    sides_finish(sides, 2);
    rig_close(&r);
    peer_stop(&up);
    bough_arena_destroy(a);
}

/* ---- a tool call of an MCP server ---- */

struct calling {
    struct rig *r;
    struct tool_set *set;
    const struct tool *tool;
    char session[BOUGH_ID_LEN + 1];
    int log; /* of the raw calls */
};

/* A line in a file, on disk. */
static void log_line(int fd, struct bough_str text)
{
    if (write(fd, text.p, text.n) != (ssize_t)text.n || fdatasync(fd)) {
        perror("bench: a line");
        exit(2);
    }
}

/* The least that is durable: a line before the call, and its result behind it. */
static void raw_call(void *user, size_t i)
{
    struct calling *c = user;
    struct bough_arena *a = bough_arena_create();
    struct tool_result result;
    static const bool never = false;

    (void)i;
    log_line(c->log, str_of(call_part));
    tool_call(c->set, a,
              &(struct tool_call){ .tool = c->tool, .args = str_of("{}"), .cancel = &never },
              &result);
    log_line(c->log, result.text);
    if (result.is_error) {
        fprintf(stderr, "bench: the tool failed: %.*s\n", (int)result.text.n, result.text.p);
        exit(2);
    }
    bough_arena_destroy(a);
}

/* As the loop does it: the message is on disk before the tool runs, and with its result. */
static void durable_call(void *user, size_t i)
{
    struct calling *c = user;
    struct bough_arena *a = bough_arena_create();
    struct bough_entry_new e = { .role = BOUGH_ROLE_TOOL };
    struct tool_named named = { .call = "c", .name = c->tool->name, .input = str_of("{}") };
    struct bough_message_open_options how = { .entry = &e };
    struct bough_message_open_result opened;
    struct bough_step step = { .kind = BOUGH_STEP_PART };
    struct bough_message_seal_options seal = { 0 };
    struct tool_result result;
    struct tool_parts parts;
    struct bough_error err;
    static const bool never = false;

    (void)i;
    named.title = "";
    must(bough_message_open(c->r->s, a, c->session, &how, &opened, &err), &err, "a message");
    step.bytes = tool_part_running(a, &named);
    must(bough_message_step(c->r->s, &opened.writing, 0, &step, 1, NULL, &err), &err, "a step");
    tool_call(c->set, a,
              &(struct tool_call){ .tool = c->tool, .args = str_of("{}"), .cancel = &never },
              &result);
    parts = tool_parts_ended(c->r->s, a, &named, &result);
    seal.parts = parts.at;
    seal.nparts = parts.n;
    must(bough_message_seal(c->r->s, a, &opened.writing, &seal, NULL, &err), &err, "a result");
    bough_arena_destroy(a);
}

void bench_run_call(struct bench *b)
{
    static const char *const servers[] = { "own" };
    struct rig r;
    struct calling c = { .r = &r };
    struct side sides[2] = { { .name = "durable call", .run = durable_call, .user = &c },
                             { .name = "raw call", .run = raw_call, .user = &c } };
    struct bough_error err;
    struct tool_list all;

    rig_open(b, &r, "run-call", "http://127.0.0.1:9/v1");
    c.log = open(arena_printf(r.a, "%s/log", scratch(b, "run-call-log")),
                 O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    session_new(r.s, "calls", c.session);
    must(tool_set_open(&c.set, r.tools, &(struct tool_set_options){ .servers = servers, .n = 1 },
                       &err),
         &err, "a tool server");
    all = tool_set_list(c.set);
    for (size_t i = 0; i < all.n; i++)
        if (strcmp(all.at[i].rule, "own/get_cost") == 0)
            c.tool = &all.at[i];
    if (c.tool) {
        interleave(sides, 2, CALLS / 10, 10);
        figure(b, "mcp_call_vs_raw", median(&sides[0].us) / median(&sides[1].us));
    } else {
        figure_skipped(b, "mcp_call_vs_raw", "the server has no such tool");
    }
    sides_finish(sides, 2);
    tool_set_close(c.set);
    close(c.log);
    rig_close(&r);
}

/* ---- waiting and approving ---- */

/* The part of a call: arguments are a string of JSON in JSON. */
static struct bough_str part_of(struct bough_arena *a, const struct waits_for *what)
{
    struct json_writer w;
    struct buf b;

    buf_init(&b, 4096);
    jw_init(&w, &b);
    jw_obj(&w);
    jw_kv_cstr(&w, "type", "function");
    jw_kv_cstr(&w, "id", "call_0");
    jw_key(&w, "function");
    jw_obj(&w);
    jw_kv_cstr(&w, "name", what->tool);
    jw_kv_cstr(&w, "arguments", what->args);
    jw_end_obj(&w);
    jw_end_obj(&w);
    return buf_give(&b, a);
}

void make_waiting(struct bough_store *s, const struct waits_for *what, struct waits *out)
{
    struct bough_arena *a = bough_arena_create();
    struct bough_str part = part_of(a, what);
    struct bough_entry_new e = { .role = BOUGH_ROLE_ASSISTANT, .parts = &part, .nparts = 1 };
    struct bough_append_options add = { .entries = &e, .n = 1 };
    struct bough_run_start_options how = { .text = "bench: 1 0",
                                           .runtime = BOUGH_RUNTIME_AGENT,
                                           .model = "m",
                                           .host = "bench",
                                           .servers =
                                               str_of(arena_printf(a, "[\"%s\"]", what->server)),
                                           .claim = true };
    struct bough_run_set_options set = BOUGH_RUN_SET_NOTHING;
    struct bough_approval_add_options ask = { .tool = what->rule };
    struct bough_run_start_result started;
    struct bough_append_result added;
    struct bough_approval *p;
    struct bough_error err;
    char session[BOUGH_ID_LEN + 1];

    session_new(s, "waits", session);
    must(bough_run_start(s, a, session, &how, &started, &err), &err, "a run");
    add.owner = started.run->lease->owner;
    add.epoch = started.epoch;
    must(bough_append(s, a, session, &add, &added, &err), &err, "a reply");
    set.turns = 1;
    must(bough_run_set(s, a, started.run->id, started.epoch, &set, NULL, &err), &err, "a report");
    ask.entry = added.ids[0];
    must(bough_approval_add(s, a, started.run->id, started.epoch, &ask, &p, &err), &err,
         "an approval");
    must(bough_run_wait(s, started.run->id, started.epoch, 0, &err), &err, "waiting");
    memcpy(out->run, started.run->id, sizeof out->run);
    memcpy(out->approval, p->id, sizeof out->approval);
    bough_arena_destroy(a);
}

static void *run_in_thread(void *program)
{
    run_program(program, 0);
    return NULL;
}

static void approve(struct rig *r, const struct waits *w, struct samples *ms)
{
    struct bough_approval_resolve_options yes = { .status = BOUGH_APPROVAL_APPROVED };
    struct bough_arena *a = bough_arena_create();
    struct bough_error err;
    double from;

    must(bough_approval_resolve(r->s, a, w->approval, &yes, NULL, &err), &err, "an answer");
    from = now_us();
    while (run_status(r->s, w->run) == BOUGH_RUN_AWAITING_APPROVAL)
        sleep_us(100);
    sample(ms, (now_us() - from) / 1000);
    while (!has_ended(r, w->run))
        sleep_us(200);
    bough_arena_destroy(a);
}

/* `bough task approve` settles it: the runner here sees the change of another process. */
static void approve_elsewhere(struct bench *b, struct rig *r, const struct waits *w,
                              struct samples *ms)
{
    struct bough_arena *a = bough_arena_create();
    struct program command = { { bough_program(b, a), "--store",
                                 arena_printf(a, "%s/store", r->dir), "task", "approve",
                                 w->approval } };
    struct bough_approval *settled;
    struct bough_error err;
    struct timespec now;
    pthread_t thread;

    if (pthread_create(&thread, NULL, run_in_thread, &command)) {
        fprintf(stderr, "bench: no thread\n");
        exit(2);
    }
    while (run_status(r->s, w->run) == BOUGH_RUN_AWAITING_APPROVAL)
        sleep_us(200);
    clock_gettime(CLOCK_REALTIME, &now);
    must(bough_approval_get(r->s, a, w->approval, &settled, &err), &err, "an approval");
    sample(ms, (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6 - (double)settled->settled);
    pthread_join(thread, NULL);
    while (!has_ended(r, w->run))
        sleep_us(200);
    bough_arena_destroy(a);
}

void bench_run_wait(struct bench *b)
{
    struct peer up = upstream_start(b);
    struct waits_for call = { "demo", "demo_edit", "demo/edit",
                              "{\"path\":\"a\",\"content\":\"b\"}" };
    struct waits *all = calloc(WAITING, sizeof *all);
    struct samples ms = { 0 };
    struct bough_arena *a = bough_arena_create();
    struct bough_error err;
    struct rig r;
    double before, kb;

    rig_open(b, &r, "run-wait", arena_printf(a, "http://127.0.0.1:%d/v1", up.port));
    syncs_skip(true);
    for (size_t i = 0; i < WAITING; i++)
        make_waiting(r.s, &call, &all[i]);
    syncs_skip(false);
    runner_look(r.runner); /* caches are filled once */
    before = (double)mallinfo2().uordblks;
    runner_look(r.runner);
    kb = ((double)mallinfo2().uordblks - before) / 1024 / WAITING;
    figure(b, "waiting_run_kb", kb < 0 ? 0 : kb);
    must(runner_watch(r.runner, &err), &err, "watching");
    for (size_t i = 0; i < APPROVED; i++)
        approve(&r, &all[i], &ms);
    samples_note("approve to start, ms", &ms);
    figure(b, "approve_to_start_ms", quantile(&ms, 0.99));
    samples_finish(&ms);
    for (size_t i = APPROVED; i < APPROVED + ELSEWHERE; i++)
        approve_elsewhere(b, &r, &all[i], &ms);
    samples_note("approve in another process to start, ms", &ms);
    figure(b, "approve_elsewhere_to_start_ms", quantile(&ms, 0.99));
    samples_finish(&ms);
    rig_close(&r);
    peer_stop(&up);
    bough_arena_destroy(a);
    free(all);
}

/* ---- recovery ---- */

void bench_run_recover(struct bench *b)
{
    struct bough_store *s = store_new(scratch(b, "run-recover"), false);
    struct bough_arena *a = bough_arena_create();
    struct bough_run_start_options how = {
        .text = "go", .runtime = BOUGH_RUNTIME_AGENT, .host = "gone", .claim = true, .lease_ms = 1
    };
    struct bough_run_start_result out;
    struct bough_error err;
    char session[BOUGH_ID_LEN + 1];
    int64_t n = 0;
    double from;

    syncs_skip(true);
    for (size_t i = 0; i < LEFT_BEHIND; i++) {
        session_new(s, "left", session);
        must(bough_run_start(s, a, session, &how, &out, &err), &err, "a run");
    }
    syncs_skip(false);
    sleep_us(10000);
    from = now_us();
    must(bough_run_recover(s, &n, &err), &err, "recovery");
    if (n != LEFT_BEHIND) {
        fprintf(stderr, "bench: %lld runs were recovered\n", (long long)n);
        exit(2);
    }
    figure(b, "recover_1000_s", (now_us() - from) / 1e6);
    bough_arena_destroy(a);
    bough_store_close(&s);
}

/* ---- what a long run did ---- */

static void append_steps(struct bough_store *s, const struct bough_run *run, int64_t epoch)
{
    struct bough_str call = str_of(call_part),
                     done =
                         str_of("{\"type\":\"tool\",\"callID\":\"call_0\",\"tool\":\"demo_edit\","
                                "\"state\":{\"status\":\"completed\",\"input\":{},\"output\":"
                                "\"ok\",\"title\":\"\",\"metadata\":{},\"time\":{\"start\":1,"
                                "\"end\":2}}}");
    struct bough_entry_new e[100];
    struct bough_append_options add = { .entries = e, .n = 100 };
    struct bough_append_result out;
    struct bough_error err;

    for (size_t i = 0; i < 100; i++)
        e[i] = (struct bough_entry_new){ .role = i % 2 ? BOUGH_ROLE_TOOL : BOUGH_ROLE_ASSISTANT,
                                         .parts = i % 2 ? &done : &call,
                                         .nparts = 1 };
    add.owner = run->lease->owner;
    add.epoch = epoch;
    for (size_t i = 0; i < STEPS / 100; i++) {
        struct bough_arena *a = bough_arena_create();

        must(bough_append(s, a, run->session, &add, &out, &err), &err, "steps");
        bough_arena_destroy(a);
    }
}

static void show_page(struct bough_store *s, const char *id, int64_t depth)
{
    struct bough_arena *a = bough_arena_create();
    struct bough_entries_read_options how = { .from_depth = depth, .limit = PAGE, .calls = true };
    struct bough_entries_read_result path;
    struct activity_rows rows;
    struct activities all;
    struct bough_error err;
    struct bough_run *run;

    must(bough_run_get(s, a, id, &run, &err), &err, "a run");
    must(bough_entries_read(s, a, run->session, &how, &path, &err), &err, "entries");
    activities_build(a,
                     &(struct activity_input){ .run = run,
                                               .entries = path.entries.at,
                                               .n = path.entries.n,
                                               .calls = path.calls->at,
                                               .ncalls = path.calls->n },
                     &all);
    activities_render(a, all.at, all.n, &rows);
    bough_arena_destroy(a);
}

void bench_run_activity(struct bench *b)
{
    struct bough_store *s = store_new(scratch(b, "run-activity"), false);
    struct bough_arena *a = bough_arena_create();
    struct bough_run_start_options how = {
        .text = "go", .runtime = BOUGH_RUNTIME_AGENT, .host = "bench", .claim = true
    };
    struct bough_run_start_result out;
    struct samples ms = { 0 };
    struct bough_error err;
    char session[BOUGH_ID_LEN + 1];

    session_new(s, "long", session);
    must(bough_run_start(s, a, session, &how, &out, &err), &err, "a run");
    append_steps(s, out.run, out.epoch);
    for (size_t i = 0; i < PAGES; i++) {
        double from = now_us();

        show_page(s, out.run->id, 1 + (int64_t)(i * 997 % (STEPS - PAGE)));
        sample(&ms, (now_us() - from) / 1000);
    }
    samples_note("a page, ms", &ms);
    figure(b, "activity_page_ms", median(&ms));
    samples_finish(&ms);
    bough_arena_destroy(a);
    bough_store_close(&s);
}
