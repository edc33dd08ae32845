/* bough demo: a short tour on a temporary store, or sessions that show everything, served to a
 * browser. Everything it prints was really done. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/env.h"
#include "base/memory/arena.h"
#include "base/os/fs.h"
#include "base/text/str.h"
#include "cli/demo/demo.h"
#include "cli/kit/cli.h"
#include "cli/kit/progress.h"
#include "cli/server/serve.h"
#include "cli/term/print.h"
#include "gateway/providers.h"

struct tour {
    struct bough_store *s;
    struct bough_arena *a;
    struct bough_error err;
    enum bough_rc rc; /* the first error; later steps are skipped */
    bool colour;
};

static void step(const struct tour *t, const char *what)
{
    print_style(stdout, t->colour, PRINT_BOLD);
    printf("\n%s\n", what);
    print_style(stdout, t->colour, PRINT_PLAIN);
}

static bool ok(struct tour *t, enum bough_rc rc)
{
    if (!t->rc)
        t->rc = rc;
    return !t->rc;
}

static const char *say(struct tour *t, const char *session, enum bough_role role, const char *text)
{
    struct bough_entry_new e = { .role = role, .text = text };
    struct bough_call_new call = { .provider = "anthropic",
                                   .model = "claude-sonnet-4-5",
                                   .used = { .input = 1200, .output = 300, .cost = 8100000 } };
    struct bough_append_options in = { .entries = &e, .n = 1 };
    struct bough_append_result out;

    if (role == BOUGH_ROLE_ASSISTANT) {
        in.call = &call;
        e.by_call = true;
    }
    if (t->rc || !ok(t, bough_append(t->s, t->a, session, &in, &out, &t->err)))
        return "";
    printf("  %s  #%lld.%lld  %-9s  ", out.ids[0], (long long)out.head.branch,
           (long long)out.head.depth, bough_role_name(role));
    print_line(stdout, text);
    putchar('\n');
    return out.ids[0];
}

static void show_path(struct tour *t, const char *session)
{
    struct bough_entries_read_result path;
    struct bough_entries_read_options how = { .messages = true };

    if (t->rc || !ok(t, bough_entries_read(t->s, t->a, session, &how, &path, &t->err)))
        return;
    for (size_t i = 0; i < path.entries.n; i++) {
        const struct bough_entry *e = &path.entries.at[i];

        printf("  %2lld  %-9s  ", (long long)e->at.depth, bough_role_name(e->role));
        print_safe(stdout, bough_part_plain(t->a, &e->parts[0]), PRINT_LINE);
        putchar('\n');
    }
}

static void fork_and_branch(struct tour *t, const char *session, const char *at)
{
    struct bough_session_fork_options how = { .entry = at, .title = "The same bug, another way" };
    struct bough_session *fork;

    step(t, "Fork it at the first answer: a new session that shares that history by reference");
    if (t->rc || !ok(t, bough_session_fork(t->s, t->a, session, &how, &fork, &t->err)))
        return;
    say(t, fork->id, BOUGH_ROLE_USER, "What if the cache is simply turned off?");
    show_path(t, fork->id);

    step(t, "Go back inside the first session and try another branch");
    if (t->rc || !ok(t, bough_head_move(t->s, session, at, &t->err)))
        return;
    say(t, session, BOUGH_ROLE_USER, "Show me the test first.");
    show_path(t, session);
}

static void compact(struct tour *t, const char *session, const char *first)
{
    struct bough_compact_options in = { .summary = "The cache is keyed without the locale.",
                                        .before = first };
    struct bough_entries_read_options how = { .what = BOUGH_ENTRIES_SINCE_MARKER,
                                              .messages = true };
    struct bough_entries_read_result path;
    char id[BOUGH_ID_LEN + 1];

    step(t, "Compact: a marker with a summary; nothing is deleted");
    if (t->rc || !ok(t, bough_compact(t->s, session, &in, id, &t->err)) ||
        !ok(t, bough_entries_read(t->s, t->a, session, &how, &path, &t->err)))
        return;
    printf("  marker %s: a model now sees the summary and %zu message%s\n", id, path.entries.n,
           path.entries.n == 1 ? "" : "s");
}

static void list(struct tour *t)
{
    struct bough_session_list_options how = { .order = BOUGH_BY_UPDATED };
    struct bough_sessions found;
    char cost[32];

    step(t, "List the sessions");
    if (t->rc || !ok(t, bough_session_list(t->s, t->a, &how, &found, &t->err)))
        return;
    for (size_t i = 0; i < found.n; i++) {
        const struct bough_session *s = &found.at[i];

        bough_money_text(s->rolled.cost, cost, sizeof cost);
        printf("  #%lld  %-26s  %2lld messages  $%s  ", (long long)s->number, s->slug,
               (long long)s->messages, cost);
        print_line(stdout, s->title);
        putchar('\n');
    }
}

static void check(struct tour *t)
{
    struct bough_store_fsck_result report;

    step(t, "Check the store");
    if (t->rc || !ok(t, bough_store_fsck(t->s, BOUGH_FSCK_FULL, NULL, NULL, &report, &t->err)))
        return;
    printf("  %lld sessions, %lld branches, %lld entries: %lld errors, %lld warnings\n",
           (long long)report.sessions, (long long)report.branches, (long long)report.entries,
           (long long)report.errors, (long long)report.warnings);
}

static void tour(struct tour *t)
{
    struct bough_session_create_options in = { .title = "Why is the cache stale?",
                                               .project = "/srv/shop" };
    struct bough_session *s;
    const char *question, *answer;

    step(t, "Create a session and append to it; each line is on disk when it appears");
    if (!ok(t, bough_session_create(t->s, t->a, &in, &s, &t->err)))
        return;
    question = say(t, s->id, BOUGH_ROLE_USER, "Prices are wrong after the deploy. Why?");
    answer = say(t, s->id, BOUGH_ROLE_ASSISTANT, "The cache key leaves out the locale.");
    say(t, s->id, BOUGH_ROLE_USER, "Fix it.");
    say(t, s->id, BOUGH_ROLE_ASSISTANT, "Done: the key now carries the locale.");
    fork_and_branch(t, s->id, answer);
    compact(t, s->id, question);
    list(t);
    check(t);
}

/* Sessions that show everything. */
static void fill(struct cli *c, struct tour *t)
{
    struct progress bar = { .what = "Writing" };
    struct demo_options how = { .now = env_now(&env_system),
                                .small = cli_has(c, "small"),
                                .progress = progress_tell,
                                .user = &bar };
    struct bough_store_stats_result found;

    puts("Writing the demo sessions");
    if (ok(t, demo_fill(t->s, &how, &t->err)) && ok(t, bough_store_stats(t->s, &found, &t->err)))
        printf("%lld sessions, %lld messages on %lld branches, all invented\n",
               (long long)found.sessions, (long long)found.messages, (long long)found.branches);
    progress_end(&bar);
}

/* Nothing of the configuration: the demo needs no key, no network, and costs nothing. Its prices
 * are invented. */
static const struct gateway_setting demo_settings[] = {
    { "provider \"demo\"", "kind", "demo" },
    { "gateway", "default", "demo" },
    { "gateway", "discover", "no" },
    { "price \"demo/demo-small\"", "input", "1" },
    { "price \"demo/demo-small\"", "output", "4" },
    { "price \"demo/demo-large\"", "input", "5" },
    { "price \"demo/demo-large\"", "output", "20" },
};

/* Serve the temporary store until Ctrl-C. */
static int serve(struct cli *c, struct tour *t)
{
    struct serve how = { .http = true,
                         .settings = demo_settings,
                         .nsettings = sizeof demo_settings / sizeof *demo_settings };
    int rc = cli_number(c, "port", SERVE_PORT, &how.port);

    if (rc)
        return rc;
    step(t, "Serve it until Ctrl-C");
    return serve_run(c, t->s, &how);
}

static int run(struct cli *c)
{
    struct tour t = { .a = bough_arena_create(), .colour = print_colour(stdout) };
    const char *dir = fs_temp_dir(t.a, "bough-demo");
    char *url;
    int code = CLI_FAILED;

    if (!dir) {
        fputs("bough: cannot create a temporary directory\n", stderr);
        goto out;
    }
    if (cli_has(c, "serve"))
        serve_signals(); /* before opening: the store's threads must not receive signals */
    url = arena_printf(t.a, "sqlite:%s/demo.db", dir);
    printf("A temporary store: %s\n", url);
    t.rc = bough_store_open(&t.s, url, NULL, &t.err);
    if (!t.rc && cli_has(c, "serve"))
        fill(c, &t);
    else if (!t.rc)
        tour(&t);
    code = t.rc ? cli_error(c, &t.err) : CLI_DONE;
    if (!t.rc && cli_has(c, "serve"))
        code = serve(c, &t);
    bough_store_close(&t.s);
    (void)fs_remove_tree(dir);
    if (!code)
        puts("\nThe temporary store was removed. `bough help` lists all commands.");
out:
    bough_arena_destroy(t.a);
    return code;
}

static const struct cli_option options[] = {
    { "serve", 0, NULL,
      "fill the store with sessions that show everything instead, and serve it to a browser on "
      "this machine until Ctrl-C, with a demo provider and demo tools to chat with" },
    { "small", 0, NULL, "with --serve: without the two sessions that are large" },
    { "port", 'p', "N", "with --serve: port to listen on (7447); 0 picks a free one" },
    { 0 },
};

const struct cli_cmd cmd_demo = {
    .name = "demo",
    .args = "",
    .options = options,
    .summary =
        "take a short tour on a temporary store: create, append, fork, branch, compact, list, fsck",
    .run = run,
    .about =
        "With --serve nothing of your own is read or written: the store is temporary, the "
        "configuration is not used, no key is needed and no network. The provider \"demo\" has "
        "canned answers; words of a prompt choose them: weather, edit, wait, story, code, fail. "
        "With tools on, edit asks for an approval.",
    .examples = "bough demo --serve --port 0",
};
