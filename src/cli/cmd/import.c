/* bough import: imports sessions of other tools. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "cli/kit/cli.h"
#include "cli/sources/report.h"
#include "cli/sources/spool.h"
#include "cli/sources/tools.h"
#include "formats/common/format.h"
#include "store/write/import_api.h"

static volatile sig_atomic_t stopped; /* the signal; 0: none came */

static void stop(int sig)
{
    stopped = sig;
}

/* A second signal ends the program at once. */
static void catch_signals(void)
{
    struct sigaction on = { .sa_handler = stop, .sa_flags = (int)(SA_RESTART | SA_RESETHAND) };

    sigemptyset(&on.sa_mask);
    sigaction(SIGINT, &on, NULL);
    sigaction(SIGTERM, &on, NULL);
}

enum {
    BUSY_TRIES = 2,
    INDEX_NOW = 2048, /* changes that are indexed before the command ends */
};

/* The files of one run. */
struct run {
    struct report report;
    size_t whole;           /* files that were not cut short by a signal, whatever became of them */
    struct spool input;     /* standard input, if it was named */
    struct tool_files busy; /* files that another process is importing */
    struct tool_files early; /* files of sessions whose parents are not in the store yet */
    bool parents_first;      /* leave such files for later */
    bool missing;            /* a path that was named does not exist */
};

/* Ends the import of a file when a signal came. */
static bool tell(void *report, int64_t done, int64_t total)
{
    (void)total;
    report_progress(report, done);
    return !stopped;
}

/* Was this file named on the command line? Other files of a directory may have any format. */
static bool is_named(const struct cli *c, const struct run *run, const char *path)
{
    if (path == run->input.path)
        return true;
    for (int i = 0; i < c->argc; i++)
        if (strcmp(c->argv[i], path) == 0)
            return true;
    return false;
}

/* BOUGH_BUSY: another process is importing the file; nothing was reported. */
static enum bough_rc import_one(struct cli *c, const char *path, bool follow, struct run *run)
{
    struct report *r = &run->report;
    struct bough_import_file_options how = { .format = cli_value(c, "format"),
                                             .name =
                                                 path == run->input.path ? run->input.name : NULL,
                                             .project = cli_project(c),
                                             .dry = cli_has(c, "dry-run"),
                                             .follow = follow,
                                             .progress = tell,
                                             .user = r,
                                             .parent_first = run->parents_first };
    struct bough_arena *a = bough_arena_create();
    struct bough_import_file_result f;
    enum bough_rc rc = bough_import_file(c->s, a, path, &how, &f, &c->err);

    if (f.waits_for)
        tools_push(c->a, &run->early, path);
    else if (rc == BOUGH_INVALID && !is_named(c, run, path) && !f.format)
        report_skipped(r, path);
    else if (rc != BOUGH_BUSY)
        report_file(r, &f, rc ? c->err.msg : NULL);
    run->whole += !f.waits_for && rc != BOUGH_BUSY && !(stopped && rc == BOUGH_CANCELLED);
    bough_arena_destroy(a);
    return rc;
}

static int64_t size_of(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 ? (int64_t)st.st_size : 0;
}

static void import_all(struct cli *c, const struct tool_files *files, bool follow, struct run *run)
{
    struct report *r = &run->report;

    r->read = r->all = 0;
    for (size_t i = 0; i < files->n; i++)
        r->all += size_of(files->at[i]);
    for (size_t i = 0; i < files->n && !stopped; i++) {
        if (import_one(c, files->at[i], follow, run) == BOUGH_BUSY && !cli_has(c, "follow"))
            tools_push(c->a, &run->busy, files->at[i]);
        r->read += size_of(files->at[i]);
        report_progress(r, 0);
    }
    progress_end(&r->bar);
}

/* Does a process import this file now? */
static bool is_claimed(struct cli *c, const char *path)
{
    struct bough_arena *a = bough_arena_create();
    char *full = realpath(path, NULL);
    struct bough_source *s;
    bool yes = full && bough_source_get(c->s, a, full, &s, NULL) == BOUGH_OK && s->expires != 0;

    free(full);
    bough_arena_destroy(a);
    return yes;
}

/* Wait until no other process imports the file. One that is busy for another reason, such as a
 * database that its tool has locked, is given up. */
static void import_waiting(struct cli *c, const char *path, struct run *run)
{
    const struct timespec pause = { .tv_nsec = 100 * 1000 * 1000 };
    const struct bough_import_file_result none = { .path = path, .session = "" };
    bool said = false;

    for (int tries = 0; import_one(c, path, false, run) == BOUGH_BUSY && !stopped;) {
        char why[sizeof c->err.msg];

        memcpy(why, c->err.msg, sizeof why);
        if (!is_claimed(c, path) && ++tries == BUSY_TRIES) {
            report_file(&run->report, &none, why);
            run->whole++;
            return;
        }
        if (!said)
            cli_say(c, "Waiting: %s", why);
        said = true;
        (void)nanosleep(&pause, NULL);
    }
}

/* These files were busy: see what is left of them. */
static void import_busy(struct cli *c, struct run *run)
{
    struct tool_files files = run->busy;

    run->busy = (struct tool_files){ 0 };
    for (size_t i = 0; i < files.n && !stopped; i++)
        import_waiting(c, files.at[i], run);
}

/* Import the files that wait for parents: again as long as some parent has come, then without. */
static void import_early(struct cli *c, struct run *run)
{
    while (run->early.n && !stopped) {
        struct tool_files files = run->early;

        run->early = (struct tool_files){ 0 };
        import_all(c, &files, false, run);
        import_busy(c, run);
        run->parents_first = run->early.n < files.n;
    }
}

/* A signal came before the last file. Returns the exit code of a program that it ended. */
static int interrupted(struct cli *c, const struct tool_files *files, const struct run *run)
{
    char whole[OUT_COUNT_SIZE];

    out_count((int64_t)run->whole, whole);
    fprintf(stderr, "bough import: interrupted, %s of %s\n", whole,
            out_things(c->a, (int64_t)files->n, "file"));
    fputs("To go on, type the same command again: ", stderr);
    print_line(stderr, cli_again(c));
    putc('\n', stderr);
    return CLI_SIGNAL + stopped;
}

/* Without arguments: import from the usual places, after confirmation. */
static int usual_places(struct cli *c, struct tool_files *files)
{
    const char *home = getenv("HOME");
    size_t n = 0, before;
    struct tool_place *places = tools_find(c->a, cstr_empty(home) ? "/" : home, &n);

    for (size_t i = 0; i < n; i++) {
        before = files->n;
        (void)tools_files(c->a, places[i].path, files);
        if (c->out.json || cli_has(c, "quiet"))
            continue;
        fprintf(stderr, "%s: %s in ", places[i].tool,
                out_things(c->a, (int64_t)(files->n - before), "file"));
        print_line(stderr, places[i].path);
        putc('\n', stderr);
    }
    if (!files->n) {
        fprintf(stderr,
                "bough import: found no sessions of %s in their usual places; name files or "
                "directories\n",
                tools_names(c->a, "or"));
        return CLI_FAILED;
    }
    if (cli_has(c, "dry-run"))
        return CLI_DONE;
    return cli_confirm(c, "Import %s?", out_things(c->a, (int64_t)files->n, "file"));
}

/* Import changed files until SIGINT or SIGTERM. */
static int follow(struct cli *c, struct run *run)
{
    struct watch *w = watch_open();
    bool any = false;

    for (int i = 0; w && i < c->argc; i++)
        any |= watch_add(w, c->argv[i]);
    if (!any) {
        fprintf(stderr, "bough import: cannot watch any of these paths\n");
        watch_close(w);
        return CLI_FAILED;
    }
    cli_say(c, "Watching for changes; press Ctrl-C to stop");
    while (!stopped) {
        struct bough_arena *a = bough_arena_create();
        struct tool_files changed;

        watch_next(w, a, 500, &changed);
        import_all(c, &changed, true, run);
        bough_arena_destroy(a);
    }
    watch_close(w);
    return CLI_DONE;
}

/* A dry run creates no store: without one, everything is new. */
static int open_store(struct cli *c)
{
    struct bough_store_open_options options = { .must_exist = true };

    if (!cli_has(c, "dry-run"))
        return cli_open(c, CLI_CREATE);
    if (!cli_store_url(c))
        return CLI_USAGE;
    if (bough_store_open(&c->s, c->store, &options, &c->err) == BOUGH_NOT_FOUND)
        return bough_store_open(&c->s, "memory:", NULL, &c->err) ? cli_failed(c) : CLI_DONE;
    return c->s ? CLI_DONE : cli_failed(c);
}

static void complain(const char *path, const char *what)
{
    fputs("bough import: ", stderr);
    print_line(stderr, path);
    fprintf(stderr, ": %s\n", what);
}

/* Add the files of one argument. */
static int find_named(struct cli *c, const char *path, struct tool_files *files, struct run *run)
{
    size_t before = files->n;

    if (strcmp(path, "-") == 0) {
        if (cli_has(c, "follow"))
            return cli_usage(c, "--follow cannot be used with standard input");
        if (run->input.path) /* named twice */
            return CLI_DONE;
        if (spool_stdin(c->a, &run->input, &c->err))
            return cli_failed(c);
        tools_push(c->a, files, run->input.path);
    } else if (!tools_files(c->a, path, files)) {
        complain(path, "no such file or directory");
        run->missing = true;
    } else if (files->n == before) {
        complain(path, "no session files are in this directory");
    }
    return CLI_DONE;
}

static int find_files(struct cli *c, struct tool_files *files, struct run *run)
{
    int code = CLI_DONE;

    for (int i = 0; i < c->argc && !code; i++)
        code = find_named(c, c->argv[i], files, run);
    return c->argc ? code : usual_places(c, files);
}

/* A few changes are indexed now, for the next search. Many are left to it: the import is over when
 * it is durable. */
static bool index_few(struct cli *c, struct run *run)
{
    struct bough_store_info_result info = { .text_pending = 0 };

    if (bough_store_info(c->s, c->a, &info, &c->err))
        return false;
    if (info.text_pending > INDEX_NOW)
        report_pending(&run->report, info.text_pending);
    else if (bough_store_upkeep(c->s, &c->err))
        return false;
    return true;
}

static int end(struct cli *c, struct run *run, int code)
{
    report_end(&run->report);
    if (run->report.sums.added && !cli_has(c, "dry-run") && !index_few(c, run))
        return cli_failed(c);
    return code ? code : run->report.sums.failed || run->missing ? CLI_FAILED : CLI_DONE;
}

static int import_found(struct cli *c, struct tool_files *files, struct run *run)
{
    int code = open_store(c);

    if (code)
        return code;
    catch_signals();
    import_hold(c->s); /* this process ends before its background thread could index everything */
    tools_sort(files);
    report_begin(&run->report, c);
    run->parents_first = true;
    import_all(c, files, false, run);
    import_busy(c, run);
    import_early(c, run);
    run->parents_first = false;
    if (stopped && run->whole < files->n) {
        report_end(&run->report);
        return interrupted(c, files, run);
    }
    if (cli_has(c, "follow")) {
        import_go_on(c->s);
        code = follow(c, run);
    }
    return end(c, run, code);
}

static int run(struct cli *c)
{
    struct tool_files files = { 0 };
    struct run run = { .whole = 0 };
    int code;

    if (cli_has(c, "follow") && !c->argc)
        return cli_usage(c, "--follow requires files or directories");
    code = find_files(c, &files, &run);
    if (!code && (files.n || !run.missing))
        code = import_found(c, &files, &run);
    else if (!code)
        code = CLI_FAILED;
    spool_close(&run.input);
    return code;
}

static const char *usual_tools(struct bough_arena *a)
{
    return arena_printf(a, "The usual places are those of %s.", tools_names(a, "and"));
}

static const struct cli_option options[] = {
    { "format", 'f', "NAME", "format of the files (default: detect it)", format_read_name },
    { "project", 0, "DIR", "project of new sessions, instead of the one in the files" },
    { "follow", 0, NULL, "keep running and import changes as they are written" },
    { "dry-run", 'n', NULL, "only show what would be done; asks nothing and creates no store" },
    { "verbose", 'v', NULL, "list all files and all problems" },
    { "quiet", 'q', NULL, "print nothing but problems" },
    { "yes", 'y', NULL, "do not ask for confirmation" },
    { "json", 0, NULL, "JSON Lines, one object per file" },
    { 0 },
};

const struct cli_cmd cmd_import = {
    .name = "import",
    .args = "[path] ...",
    .summary = "import sessions of other tools",
    .options = options,
    .run = run,
    .cache_bytes = (int64_t)16 << 20, /* writes in order; small machines must handle large files */
    .about = "Takes files and directories; - is standard input. Files may be compressed with gzip "
             "or zstd. Without arguments, imports from the usual places of "
             "other tools, after confirmation. Importing again adds only what "
             "is new; an edited file becomes a branch. The files are never written. Lines that "
             "cannot be read are listed at the end.\n\nThe import is over when everything is "
             "durable. The full text of more than 2,048 changes is indexed by the next commands "
             "and servers that write to the store, and by searches; `bough search --wait` waits "
             "for it.\n\nCtrl-C ends an import with exit code 130 "
             "after the "
             "messages it is writing; the same command goes on from there.",
    .more = usual_tools,
    .fields = "path, format, status (new, grew, unchanged, edited, failed), error, session, bytes, "
              "lines, sessions, added, known, problems (line, text), more_problems",
    .examples = "bough import  # from the usual places, after confirmation\nbough import "
                "~/.pi/agent/sessions --follow  # and keep importing while pi writes\n",
};
