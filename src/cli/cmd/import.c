/* bough import: sessions of other tools into the store. */
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/forms.h"
#include "base/arena.h"
#include "base/str.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "cli/tools.h"

static volatile sig_atomic_t stopped;

static void stop(int sig)
{
    (void)sig;
    stopped = 1;
}

struct sums {
    int64_t files, failed, skipped, sessions, added, known, problems;
};

static void put_json(struct cli *c, const struct bough_imported *f, const char *error)
{
    struct json_writer *w = out_json(&c->out);

    form_imported(w, f, error);
    out_json_end(&c->out);
}

static void put_text(struct cli *c, const struct bough_imported *f, const char *error)
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
        printf("  and %" PRId64 " problems more\n", f->more);
}

/* Did somebody ask for this very file? Others in a directory may be anything. */
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
    struct bough_import how = { .format = cli_value(c, "format"),
                                .project = cli_value(c, "project"),
                                .dry = cli_has(c, "dry-run"),
                                .follow = follow,
                                .progress = progress_tell,
                                .user = &p };
    struct bough_arena *a = bough_arena_create();
    struct bough_imported f;
    enum bough_rc rc = bough_import_file(c->s, a, path, &how, &f, &c->err);

    progress_end(&p);
    if (rc == BOUGH_BUSY && cli_has(c, "follow")) { /* another follower reads it just now */
        bough_arena_destroy(a);
        return;
    }
    if (rc == BOUGH_INVALID && !is_named(c, path) && !f.format) {
        sums->skipped++; /* of no format we know */
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
    printf("%" PRId64 " files: %" PRId64 " sessions made, %" PRId64 " entries added, %" PRId64
           " known, %" PRId64 " problems",
           s->files, s->sessions, s->added, s->known, s->problems);
    if (s->failed)
        printf(", %" PRId64 " files failed", s->failed);
    if (s->skipped)
        printf(", %" PRId64 " files of no known format left alone", s->skipped);
    putchar('\n');
}

/* Without arguments: the usual places, after asking. */
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
        fprintf(
            stderr,
            "bough import: no sessions of pi, Claude Code, Codex, opencode, hygge or Hecate were "
            "found in their usual places; name files or directories\n");
        return CLI_FAILED;
    }
    if (!cli_has(c, "yes") && !isatty(STDIN_FILENO))
        return cli_usage(c, "there is nobody to ask whether to import them: add --yes");
    return cli_confirm(c, "Import these %zu files?", files->n);
}

/* What changes from now on, until somebody presses Ctrl-C. */
static int follow(struct cli *c, struct sums *sums)
{
    struct watch *w = watch_open();
    bool any = false;

    for (int i = 0; w && i < c->argc; i++)
        any |= watch_add(w, c->argv[i]);
    if (!any) {
        fprintf(stderr, "bough import: nothing could be watched\n");
        watch_close(w);
        return CLI_FAILED;
    }
    cli_say(c, "Watching; Ctrl-C ends it");
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
            fputs(" is not there\n", stderr);
            code = CLI_FAILED;
        }
    if (cli_has(c, "follow") && !c->argc)
        return cli_usage(c, "what is to be followed? name directories");
    if (!c->argc)
        code = usual_places(c, &files);
    if (code || (code = cli_open(c, CLI_CREATE)))
        return code;
    signal(SIGINT, stop);
    signal(SIGTERM, stop);
    tools_sort(&files);
    import_all(c, &files, false, &sums);
    if (cli_has(c, "follow"))
        code = follow(c, &sums);
    put_sums(c, &sums);
    if (sums.added && bough_store_upkeep(c->s, &c->err)) /* so that the next search finds it */
        return cli_failed(c);
    return code ? code : sums.failed ? CLI_FAILED : CLI_DONE;
}

static const struct cli_option options[] = {
    { "format", 'f', "NAME", "take them for this format instead of finding out" },
    { "project", 0, "DIR", "the project of new sessions, instead of what the files say" },
    { "follow", 0, NULL, "go on: import what their tools write, as they write it" },
    { "dry-run", 'n', NULL, "only say what would be done" },
    { "verbose", 'v', NULL, "tell about files that have not changed, too" },
    { "yes", 'y', NULL, "do not ask" },
    { "json", 0, NULL, "JSON Lines, one object a file" },
    { 0 },
};

const struct cli_cmd cmd_import = {
    .name = "import",
    .args = "[path] ...",
    .summary = "bring sessions of other tools into the store",
    .options = options,
    .run = run,
    .cache_bytes = (int64_t)16 << 20, /* it writes in order; large files must fit small machines */
    .about =
        "Files and directories; without any the usual places of pi, Claude Code, Codex, opencode,\n"
        "hygge and Hecate are looked through, after asking. Importing again adds only what is "
        "new;\n"
        "an edited file becomes a branch. The files are never written. What cannot be read is\n"
        "told line by line.",
    .fields = "path, format, status (new, grew, unchanged, edited, failed), error, session, bytes, "
              "lines, sessions, added, known, problems (line, text), more_problems",
    .examples = "bough import  # everything that is found, after asking\n"
                "bough import ~/.pi/agent/sessions --follow  # and keep up while pi writes\n",
};
