/* bough task: runs of agents, what they did, and what they wait for. */
#include <inttypes.h>
#include <string.h>

#include "api/kit/forms_run.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "cli/kit/cli.h"
#include "cli/runs/ask.h"
#include "cli/runs/find.h"
#include "cli/term/print.h"
#include "cli/term/table.h"
#include "core/activity/activity.h"
#include "run/external/diff.h"

enum { APPROVALS_MOST = 10000 };

static void put_json(struct cli *c, const struct bough_run *run)
{
    form_run(out_json(&c->out), run);
    out_json_end(&c->out);
}

/* ---- ls ---- */

static const char *what_of(struct cli *c, const struct bough_run *run)
{
    struct bough_entry *e;

    if (!*run->prompt || bough_entry_get(c->s, c->a, run->session, run->prompt, &e, NULL) ||
        !e->nparts)
        return bough_run_why_name(run->why);
    return cli_first_line(c, bough_part_plain(c->a, &e->parts[0]).p);
}

static int list(struct cli *c)
{
    static const struct table_column columns[] = {
        { "RUN", .look = PRINT_YELLOW }, { "STATUS" },           { "RUNTIME", .drop = 2 },
        { "STARTED", .drop = 1 },        { "MODEL", .drop = 3 }, { "PROMPT", .flex = true },
    };
    struct bough_run_list_options how = { .status = cli_value(c, "status") };
    struct bough_runs runs;
    struct table t;
    int rc = cli_number(c, "limit", 50, &how.limit);

    if (rc)
        return rc;
    if (bough_run_list(c->s, c->a, &how, &runs, &c->err))
        return cli_failed(c);
    if (!runs.n)
        fputs("no runs\n", stderr);
    table_init(&t, c->a, columns, 6);
    for (size_t i = 0; i < runs.n; i++) {
        const struct bough_run *run = &runs.at[i];

        if (c->out.json) {
            put_json(c, run);
            continue;
        }
        table_put(&t, run->id);
        table_put(&t, bough_run_status_name(run->status));
        table_put(&t, bough_run_runtime_name(run->runtime));
        table_time(&t, &c->out, run->created);
        table_put(&t, *run->adapter ? run->adapter : run->model);
        table_put(&t, what_of(c, run));
    }
    table_print(&t, &c->out);
    return runs.n ? CLI_DONE : CLI_FAILED;
}

/* ---- show, log ---- */

static int activities_of(struct cli *c, const struct bough_run *run, struct activities *out)
{
    struct bough_entries_read_options how = { .from_depth = run->first.depth, .calls = true };
    struct bough_approval_list_options which = { .run = run->id, .limit = APPROVALS_MOST };
    struct bough_entries_read_result path = { 0 };
    struct bough_approvals asked = { 0 };

    how.at = arena_printf(c->a, "#%" PRId64 ".%" PRId64, run->last.branch, run->last.depth);
    if ((run->last.branch && bough_entries_read(c->s, c->a, run->session, &how, &path, &c->err)) ||
        bough_approval_list(c->s, c->a, &which, &asked, &c->err))
        return cli_failed(c);
    activities_build(c->a,
                     &(struct activity_input){ .run = run,
                                               .entries = path.entries.at,
                                               .n = path.entries.n,
                                               .calls = path.calls ? path.calls->at : NULL,
                                               .ncalls = path.calls ? path.calls->n : 0,
                                               .approvals = asked.at,
                                               .napprovals = asked.n,
                                               .now = c->out.now },
                     out);
    return CLI_DONE;
}

static void put_row(struct cli *c, const struct activity *x)
{
    char when[32];

    out_time(&c->out, x->created, when);
    printf("%s  ", when);
    out_styled(&c->out, activity_is_active(x->status) ? PRINT_YELLOW : PRINT_PLAIN,
               activity_status_name(x->status));
    fputs("  ", stdout);
    print_line(stdout, x->title);
    if (*x->detail) {
        fputs(": ", stdout);
        print_line(stdout, cli_first_line(c, x->detail));
    }
    putchar('\n');
}

static int show_log(struct cli *c, const struct bough_run *run)
{
    struct activity_rows rows;
    struct activities all = { 0 };
    int rc = activities_of(c, run, &all);

    if (rc)
        return rc;
    activities_render(c->a, all.at, all.n, &rows);
    if (c->out.json) {
        form_activities(out_json(&c->out), &all, &rows, NULL);
        out_json_end(&c->out);
        return CLI_DONE;
    }
    for (size_t i = 0; i < rows.nmain; i++)
        put_row(c, &rows.main[i]);
    return CLI_DONE;
}

static void put_line(const char *name, const char *value)
{
    if (!*value)
        return;
    printf("%-10s ", name);
    print_line(stdout, value);
    putchar('\n');
}

static void put_pending(struct cli *c, const struct bough_run *run)
{
    struct bough_approval_list_options which = { .run = run->id, .status = "pending" };
    struct bough_approvals asked;

    if (bough_approval_list(c->s, c->a, &which, &asked, NULL))
        return;
    for (size_t i = 0; i < asked.n; i++) {
        printf("waits for  %s  ", asked.at[i].id);
        ask_show(c, &asked.at[i], false);
    }
}

static int show(struct cli *c, const struct bough_run *run)
{
    if (c->out.json) {
        put_json(c, run);
        return CLI_DONE;
    }
    put_line("run", run->id);
    put_line("session", run->session);
    put_line("status", bough_run_status_name(run->status));
    put_line("runtime", bough_run_runtime_name(run->runtime));
    put_line("why", bough_run_why_name(run->why));
    put_line("task", run->task);
    put_line("prompt", what_of(c, run));
    put_line("agent", run->adapter);
    put_line("model", run->model);
    put_line("workspace", run->workspace);
    printf("%-10s %" PRId64 " model calls, %" PRId64 " tool calls\n", "steps", run->turns,
           run->tools);
    put_line("error", run->error);
    put_pending(c, run);
    return CLI_DONE;
}

/* ---- cancel, resume, retry ---- */

static int cancel(struct cli *c, struct bough_run *run)
{
    struct bough_run_cancel_options how = { .note = cli_value(c, "note") };

    if (bough_run_cancel(c->s, c->a, run->id, &how, &run, &c->err))
        return cli_failed(c);
    if (c->out.json)
        put_json(c, run);
    else
        cli_say(c, "%s", run->status == BOUGH_RUN_CANCELLED ? "Cancelled" : "Its owner stops it");
    return CLI_DONE;
}

static int read_again(struct cli *c, const struct bough_run *run, struct run_begin_options *in,
                      enum follow_approve *approve)
{
    int64_t turns, cost;
    int rc = cli_number(c, "max-turns", run->limits.turns, &turns);

    run_like(c->a, run, in);
    if (!rc)
        rc = cli_money(c, "budget", &cost);
    if (rc)
        return rc;
    in->limits.turns = turns;
    if (cost)
        in->limits.cost = cost;
    if (!follow_approve_parse(cli_value(c, "approve"), approve))
        return cli_usage(c, "--approve is ask, allow or deny");
    if (bough_run_ended(run->status))
        return CLI_DONE;
    (void)bough_fail(&c->err, BOUGH_CONFLICT, "run %s has not ended: it is %s", run->id,
                     bough_run_status_name(run->status));
    return cli_failed(c);
}

static int again(struct cli *c, const struct bough_run *run, enum bough_run_why why)
{
    enum follow_approve approve;
    struct run_begin_options in;
    int rc = read_again(c, run, &in, &approve);

    if (rc)
        return rc;
    in.why = why;
    if (why == BOUGH_RUN_RETRY && run_turn_at(c->s, c->a, run, 1, &in.at, &c->err))
        return cli_failed(c);
    return start_and_follow(c, &in, approve);
}

/* ---- approve, reject ---- */

/* The approval with this id, or the oldest that a run waits for. */
static int find_approval(struct cli *c, const char *text, struct bough_approval **out)
{
    struct bough_approval_list_options which = { .status = "pending" };
    struct bough_approvals asked;
    struct bough_run *run;
    int rc;

    if (bough_approval_get(c->s, c->a, text, out, &c->err) == BOUGH_OK)
        return CLI_DONE;
    rc = find_run(c, text, &run);
    if (rc)
        return rc;
    which.run = run->id;
    if (bough_approval_list(c->s, c->a, &which, &asked, &c->err))
        return cli_failed(c);
    if (!asked.n) {
        (void)bough_fail(&c->err, BOUGH_NOT_FOUND, "run %s waits for no approval", run->id);
        return cli_failed(c);
    }
    *out = asked.at + (asked.n - 1);
    return CLI_DONE;
}

/* A run of the command line goes on here: no server would take it. */
static int go_on(struct cli *c, const char *id)
{
    struct cli_runner_options how = { .store = c->s, .host = run_host(c) };
    enum follow_approve approve = FOLLOW_ASK;
    struct cli_runner work;
    struct bough_run *run;
    int rc;

    if (bough_run_get(c->s, c->a, id, &run, &c->err))
        return cli_failed(c);
    if (strcmp(run->host, how.host) != 0 || bough_run_ended(run->status))
        return CLI_DONE;
    if (!follow_approve_parse(cli_value(c, "approve"), &approve))
        return cli_usage(c, "--approve is ask, allow or deny");
    how.workspace = run->workspace;
    if (cli_runner_create(c, &how, &work, &c->err))
        rc = cli_failed(c);
    else
        rc = follow_run(c, id,
                        &(struct follow_options){ .runner = work.runner, .approve = approve });
    cli_runner_destroy(&work);
    return rc;
}

static int settle(struct cli *c, const char *text, enum bough_approval_status status)
{
    struct bough_approval_resolve_options how = { .status = status,
                                                  .note = cli_value(c, "note"),
                                                  .stop = cli_has(c, "stop") };
    const char *scope = cli_value(c, "scope");
    struct bough_approval *p;
    int rc = find_approval(c, text, &p);

    if (rc)
        return rc;
    if (scope && !bough_approval_scope_parse(scope, &how.scope))
        return cli_usage(c, "--scope is once, session, workspace or always");
    if (bough_approval_resolve(c->s, c->a, p->id, &how, &p, &c->err))
        return cli_failed(c);
    if (c->out.json) {
        form_approval(out_json(&c->out), p);
        out_json_end(&c->out);
    } else {
        cli_say(c, "%s %s", bough_approval_status_name(p->status), p->tool);
    }
    return go_on(c, p->run);
}

/* ---- what a run changed ---- */

static int show_diff(struct cli *c, const struct bough_run *run)
{
    const char *path = c->argc > 2 ? c->argv[2] : NULL;
    struct bough_str text;

    if (diff_text(c->a, run, path, &text, &c->err))
        return cli_failed(c);
    print_safe(stdout, text, PRINT_TEXT);
    return CLI_DONE;
}

static int revert(struct cli *c, const struct bough_run *run)
{
    const char *const *paths = (const char *const *)c->argv + 2;
    size_t n = c->argc > 2 ? (size_t)c->argc - 2 : 0;
    struct diff_files files;

    if (diff_list(c->a, run, &files, &c->err) || diff_revert(c->a, run, paths, n, &c->err) ||
        run_tell_reverted(c->s, c->a, run, n, &c->err))
        return cli_failed(c);
    cli_say(c, "took back the changes of %zu %s", n ? n : files.n,
            (n ? n : files.n) == 1 ? "file" : "files");
    return CLI_DONE;
}

/* ---- the command ---- */

static const char *const actions[] = { "ls",      "show",   "log",  "cancel", "resume", "retry",
                                       "approve", "reject", "diff", "revert", NULL };

static int on_run(struct cli *c, const char *action)
{
    struct bough_run *run;
    int rc = find_run(c, c->argv[1], &run);

    if (rc)
        return rc;
    if (strcmp(action, "show") == 0)
        return show(c, run);
    if (strcmp(action, "log") == 0)
        return show_log(c, run);
    if (strcmp(action, "cancel") == 0)
        return cancel(c, run);
    if (strcmp(action, "diff") == 0)
        return show_diff(c, run);
    if (strcmp(action, "revert") == 0)
        return revert(c, run);
    return again(c, run, strcmp(action, "resume") == 0 ? BOUGH_RUN_RESUME : BOUGH_RUN_RETRY);
}

static int run(struct cli *c)
{
    const char *action = c->argv[0];
    static const char *const reading[] = { "ls", "show", "log", "diff", NULL };
    bool reads = str_among(str_of(action), reading);
    size_t i = 0;
    int rc;

    while (actions[i] && strcmp(actions[i], action) != 0)
        i++;
    if (!actions[i])
        return cli_usage(c, "%s is no action: see bough task --help", action);
    if (i > 0 && c->argc < 2)
        return cli_usage(c, "name a run, or a session, whose latest run is meant");
    rc = cli_open(c, reads ? CLI_READ : CLI_WRITE);
    if (rc)
        return rc;
    if (i == 0)
        return list(c);
    if (strcmp(action, "approve") == 0)
        return settle(c, c->argv[1], BOUGH_APPROVAL_APPROVED);
    if (strcmp(action, "reject") == 0)
        return settle(c, c->argv[1], BOUGH_APPROVAL_REJECTED);
    return on_run(c, action);
}

static const struct cli_option options[] = {
    { "status", 0, "WORDS", "ls: only runs with one of these statuses" },
    { "limit", 'n', "N", "ls: at most this many (default: 50)" },
    { "note", 0, "TEXT", "cancel, reject: why; the model reads it" },
    { "scope", 0, "WORD", "approve: how far it reaches",
      ONE_OF("once", "session", "workspace", "always") },
    { "stop", 0, NULL, "reject: end the run" },
    { "max-turns", 0, "N", "resume, retry: model calls at most" },
    { "budget", 0, "USD", "resume, retry: what it may cost" },
    { "approve", 0, "WORD", "what happens when a tool needs approval",
      ONE_OF("ask", "allow", "deny") },
    { "json", 0, NULL, "JSON Lines" },
    { 0 },
};

const struct cli_cmd cmd_task = {
    .name = "task",
    .args = "<action> [run] [path] ...",
    .summary = "list runs, see what they did, stop, resume and approve",
    .options = options,
    .run = run,
    .arg_words = actions,
    .about =
        "ls lists runs, newest first; show prints one and what it waits for, log what it did. "
        "cancel stops a run wherever it works. resume goes on where a run failed or was "
        "cancelled, retry does it again on another branch; both work in this process. approve "
        "and reject settle what a run waits for, by the id of the approval, or the oldest of "
        "the run. diff shows what a run changed in its workspace, revert takes that back, of all "
        "files or of some; nothing is changed when a file has moved on. A run is named by its id, "
        "or by a session, whose latest run is meant.",
    .columns = "ls: id, status, runtime, time, model, prompt",
    .fields = "those of a run, an approval or activities, see docs/json.md",
    .examples = "bough task ls --status \"running awaiting_approval\"\n"
                "bough task log .  # the latest run of the latest session here\n"
                "bough task approve . --scope session\n"
                "bough task resume . --max-turns 64",
};
