/* bough import: imports sessions of other tools. */
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/kit/forms.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "cli/kit/cli.h"
#include "cli/kit/progress.h"
#include "cli/sources/tools.h"
#include "formats/common/format.h"

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

/* Ends the import of a file when a signal came. */
static bool tell(void *progress, int64_t done, int64_t total)
{
    return progress_tell(progress, done, total) && !stopped;
}

struct sums {
    int64_t files, failed, skipped, sessions, added, known, problems;
    size_t whole; /* files that were not cut short by a signal, whatever became of them */
};

static void put_json(struct cli *c, const struct bough_import_file_result *f, const char *error)
{
    struct json_writer *w = out_json(&c->out);

    form_imported(w, f, error);
    out_json_end(&c->out);
}

static void put_text(struct cli *c, const struct bough_import_file_result *f, const char *error)
{
    if (!error && f->status == BOUGH_IMPORT_UNCHANGED && !f->nproblems && !cli_has(c, "verbose"))
        return;
    out_styled(&c->out, error ? PRINT_RED : PRINT_GREEN,
               error ? "failed" : form_import_word(f->status));
    putchar('\t');
    print_line(stdout, f->path);
    if (error) {
        fputs("\t", stdout);
        print_line(stdout, error);
    } else {
        printf("\t%s\t%" PRId64 " added, %" PRId64 " known", f->format, f->added, f->known);
    }
    putchar('\n');
    for (size_t i = 0; i < f->nproblems; i++) {
        printf("  line %" PRId64 ": ", f->problems[i].line);
        print_line(stdout, f->problems[i].text);
        putchar('\n');
    }
    if (f->more)
        printf("  and %" PRId64 " more problems\n", f->more);
}

/* Was this file named on the command line? Other files of a directory may have any format. */
static bool is_named(const struct cli *c, const char *path)
{
    for (int i = 0; i < c->argc; i++)
        if (strcmp(c->argv[i], path) == 0)
            return true;
    return false;
}

static void import_one(struct cli *c, const char *path, bool follow, struct sums *sums)
{
    struct progress p = { .what = "Importing", .bytes = true };
    struct bough_import_file_options how = { .format = cli_value(c, "format"),
                                             .project = cli_project(c),
                                             .dry = cli_has(c, "dry-run"),
                                             .follow = follow,
                                             .progress = tell,
                                             .user = &p };
    struct bough_arena *a = bough_arena_create();
    struct bough_import_file_result f;
    enum bough_rc rc = bough_import_file(c->s, a, path, &how, &f, &c->err);

    progress_end(&p);
    sums->whole += !(stopped && rc == BOUGH_CANCELLED);
    if (rc == BOUGH_BUSY && cli_has(c, "follow")) { /* another process is importing it */
        bough_arena_destroy(a);
        return;
    }
    if (rc == BOUGH_INVALID && !is_named(c, path) && !f.format) {
        sums->skipped++; /* unknown format */
        if (cli_has(c, "verbose") && !c->out.json) {
            fputs("skipped\t", stdout);
            print_line(stdout, path);
            putchar('\n');
        }
        bough_arena_destroy(a);
        return;
    }
    sums->files++;
    sums->failed += rc != BOUGH_OK;
    sums->sessions += f.sessions;
    sums->added += f.added;
    sums->known += f.known;
    sums->problems += (int64_t)f.nproblems + f.more;
    if (c->out.json)
        put_json(c, &f, rc ? c->err.msg : NULL);
    else
        put_text(c, &f, rc ? c->err.msg : NULL);
    fflush(stdout);
    bough_arena_destroy(a);
}

static void import_all(struct cli *c, const struct tool_files *files, bool follow,
                       struct sums *sums)
{
    struct progress p = { .what = "Importing files" };

    for (size_t i = 0; i < files->n && !stopped; i++) {
        import_one(c, files->at[i], follow, sums);
        if (files->n > 1 && !c->out.json)
            progress_tell(&p, (int64_t)i + 1, (int64_t)files->n);
    }
    progress_end(&p);
}

static void put_sums(struct cli *c, const struct sums *s)
{
    if (c->out.json)
        return;
    printf("%" PRId64 " files: %" PRId64 " sessions created, %" PRId64 " entries added, %" PRId64
           " known, %" PRId64 " problems",
           s->files, s->sessions, s->added, s->known, s->problems);
    if (s->failed)
        printf(", %" PRId64 " files failed", s->failed);
    if (s->skipped)
        printf(", %" PRId64 " files of unknown format skipped", s->skipped);
    putchar('\n');
}

/* A number with commas: "12,000". */
static const char *grouped(struct cli *c, size_t n)
{
    return n < 1000 ? arena_printf(c->a, "%zu", n)
                    : arena_printf(c->a, "%s,%03zu", grouped(c, n / 1000), n % 1000);
}

/* A signal came before the last file. Returns the exit code of a program that it ended. */
static int interrupted(struct cli *c, const struct tool_files *files, const struct sums *sums)
{
    fprintf(stderr, "bough import: interrupted, %s of %s files\n", grouped(c, sums->whole),
            grouped(c, files->n));
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
        if (c->out.json)
            continue;
        fprintf(stderr, "%s: %zu files in ", places[i].tool, files->n - before);
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
    if (!cli_has(c, "yes") && !isatty(STDIN_FILENO))
        return cli_usage(c, "cannot ask for confirmation: stdin is not a terminal; use --yes");
    return cli_confirm(c, "Import these %zu files?", files->n);
}

/* Import changed files until SIGINT or SIGTERM. */
static int follow(struct cli *c, struct sums *sums)
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
        import_all(c, &changed, true, sums);
        bough_arena_destroy(a);
    }
    watch_close(w);
    return CLI_DONE;
}

static int run(struct cli *c)
{
    struct tool_files files = { 0 };
    struct sums sums = { 0 };
    int code = CLI_DONE;

    for (int i = 0; i < c->argc; i++)
        if (!tools_files(c->a, c->argv[i], &files)) {
            fputs("bough import: ", stderr);
            print_line(stderr, c->argv[i]);
            fputs(": no such file or directory\n", stderr);
            code = CLI_FAILED;
        }
    if (cli_has(c, "follow") && !c->argc)
        return cli_usage(c, "--follow requires files or directories");
    if (!c->argc)
        code = usual_places(c, &files);
    if (code || (code = cli_open(c, CLI_CREATE)))
        return code;
    catch_signals();
    tools_sort(&files);
    import_all(c, &files, false, &sums);
    if (stopped && sums.whole < files.n) {
        put_sums(c, &sums);
        return interrupted(c, &files, &sums);
    }
    if (cli_has(c, "follow"))
        code = follow(c, &sums);
    put_sums(c, &sums);
    if (sums.added && bough_store_upkeep(c->s, &c->err)) /* index now, for the next search */
        return cli_failed(c);
    return code ? code : sums.failed ? CLI_FAILED : CLI_DONE;
}

static const char *usual_tools(struct bough_arena *a)
{
    return arena_printf(a, "The usual places are those of %s.", tools_names(a, "and"));
}

static const struct cli_option options[] = {
    { "format", 'f', "NAME", "format of the files (default: detect it)", format_read_name },
    { "project", 0, "DIR", "project of new sessions, instead of the one in the files" },
    { "follow", 0, NULL, "keep running and import changes as they are written" },
    { "dry-run", 'n', NULL, "only show what would be done" },
    { "verbose", 'v', NULL, "list unchanged and skipped files too" },
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
    .about = "Takes files and directories. Without arguments, imports from the usual places of "
             "other tools, after confirmation. Importing again adds only what "
             "is new; an edited file becomes a branch. The files are never written. Lines that "
             "cannot be read are reported.\n\nCtrl-C ends an import with exit code 130 after the "
             "messages it is writing; the same command goes on from there.",
    .more = usual_tools,
    .fields = "path, format, status (new, grew, unchanged, edited, failed), error, session, bytes, "
              "lines, sessions, added, known, problems (line, text), more_problems",
    .examples = "bough import  # from the usual places, after confirmation\nbough import "
                "~/.pi/agent/sessions --follow  # and keep importing while pi writes\n",
};
