/* A scripted model for runs. */
#include "run/script.h"

#include <string.h>
#include <sys/stat.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/part/view.h"

#define HEAD "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
#define END                                                                                        \
    "data: {\"id\":\"c\",\"choices\":[],\"usage\":{\"prompt_tokens\":100,"                         \
    "\"completion_tokens\":10}}\n\ndata: [DONE]\n\n"

void script_open(struct test *t, struct world *w, const char **dir)
{
    const char *folder = test_path(t, "work");

    (void)mkdir(folder, 0700);
    world_prepare(t, w);
    world_set(w, "provider \"up\"", "wires", "chat");
    world_set(w, "workspaces", "root", folder);
    world_start(w);
    CHECK_OK(runner_watch(w->runner, &t->err));
    if (dir)
        *dir = folder;
}

static void say_delta(struct world *w, const char *delta, const char *finish)
{
    fake_say(w->up, &(struct fake_answer){
                        .bytes = str_of(arena_printf(
                            w->t->arena,
                            HEAD "data: {\"id\":\"c\",\"model\":\"gpt-5.5\",\"choices\":[{"
                                 "\"index\":0,\"delta\":%s}]}\n\ndata: {\"id\":\"c\",\"choices\":[{"
                                 "\"index\":0,\"delta\":{},\"finish_reason\":\"%s\"}]}\n\n" END,
                            delta, finish)),
                        .cut = true });
}

static const char *quoted(struct test *t, const char *text)
{
    struct json_writer w;
    struct buf b;

    buf_init(&b, 1 << 20);
    jw_init(&w, &b);
    jw_cstr(&w, text);
    return buf_give(&b, t->arena).p;
}

void say_text(struct world *w, const char *text)
{
    say_delta(w, arena_printf(w->t->arena, "{\"content\":%s}", quoted(w->t, text)), "stop");
}

void say_calls(struct world *w, const char *const *tool_args, size_t n)
{
    const char *all = "";

    for (size_t i = 0; i < n; i++)
        all = arena_printf(w->t->arena,
                           "%s%s{\"index\":%zu,\"id\":\"call_%zu\",\"type\":\"function\","
                           "\"function\":{\"name\":\"%s\",\"arguments\":%s}}",
                           all, i ? "," : "", i, i, tool_args[2 * i],
                           quoted(w->t, tool_args[2 * i + 1]));
    say_delta(w, arena_printf(w->t->arena, "{\"tool_calls\":[%s]}", all), "tool_calls");
}

void say_call(struct world *w, const char *tool, const char *args)
{
    say_calls(w, (const char *const[]){ tool, args }, 1);
}

struct got post(struct world *w, const char *path, const char *body)
{
    return ask(w, path, "", body);
}

struct got get_path(struct world *w, const char *path)
{
    struct talk k = talk_begin_raw(w, "GET", path, "", str_of(""));

    return talk_end(&k);
}

const char *start_run(struct world *w, const char *session, const char *prompt, const char *more)
{
    struct test *t = w->t;
    struct got g = post(w, arena_printf(t->arena, "/api/v1/sessions/%s/turns", session),
                        arena_printf(t->arena,
                                     "{\"content\":%s,\"model\":\"gpt-5.5\",\"runtime\":\"agent\""
                                     "%s%s}",
                                     quoted(t, prompt), *more ? "," : "", more));
    struct json j;

    if (g.status != 202)
        FAIL("%d: %s", g.status, g.body.p);
    CHECK_OK(json_parse(t->arena, g.body, &j, &t->err));
    return json_cstr(t->arena, json_member(j, "run"), "id");
}

struct bough_run *run_now(struct world *w, const char *run)
{
    struct test *t = w->t;
    struct bough_run *out;

    CHECK_OK(bough_run_get(t->store, t->arena, run, &out, &t->err));
    return out;
}

struct bough_run *wait_run(struct world *w, const char *run, enum bough_run_status status)
{
    for (struct wait wait = { 0 };;) {
        struct bough_run *now = run_now(w, run);

        if (now->status == status)
            return now;
        if (bough_run_ended(now->status) || !wait_more(&wait))
            FAIL("the run is %s, not %s: %s %s", bough_run_status_name(now->status),
                 bough_run_status_name(status), now->error_code, now->error);
    }
}

struct bough_approval *wait_asked(struct world *w, const char *run, size_t n)
{
    struct test *t = w->t;
    struct bough_approval_list_options which = { .run = run, .status = "pending" };
    struct bough_approvals got;

    for (struct wait wait = { 0 };;) {
        CHECK_OK(bough_approval_list(t->store, t->arena, &which, &got, &t->err));
        if (got.n == n)
            return got.at;
        if (!wait_more(&wait))
            FAIL("%zu approvals are pending, not %zu", got.n, n);
    }
}

int resolve(struct world *w, const char *approval, const char *body)
{
    return post(w, arena_printf(w->t->arena, "/api/v1/approvals/%s/resolve", approval), body)
        .status;
}

static const char *part_text(struct test *t, const struct bough_part *part)
{
    static const char *const states[] = { "pending", "running", "ok", "error", "" };
    struct part_view v;

    view_part(t->arena, part, &v);
    if (v.kind == VIEW_TEXT)
        return arena_strndup(t->arena, v.text.p, v.text.n);
    if (v.kind == VIEW_TOOL)
        return arena_printf(t->arena, "%s=%s", v.tool, states[v.state]);
    if (v.kind == VIEW_CALL)
        return arena_printf(t->arena, "%s()", v.tool);
    return v.word;
}

const char *story(struct world *w, const char *session)
{
    struct test *t = w->t;
    struct bough_entries_read_result path;
    const char *all = "";

    CHECK_OK(bough_entries_read(t->store, t->arena, session, NULL, &path, &t->err));
    for (size_t i = 0; i < path.entries.n; i++) {
        const struct bough_entry *e = &path.entries.at[i];

        all = arena_printf(t->arena, "%s%s%s:", all, *all ? " " : "", bough_role_name(e->role));
        for (size_t k = 0; k < e->nparts; k++)
            all = arena_printf(t->arena, "%s%s%s", all, k ? "+" : "", part_text(t, &e->parts[k]));
    }
    return all;
}
