/* Collects what happened to each file, and prints it so that nothing collides with the bar. */
#include "cli/sources/report.h"

#include <inttypes.h>
#include <string.h>

#include "api/kit/forms.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "formats/common/format.h"

enum { LISTED = 20, KEPT = 10000 }; /* problems that are listed without --verbose, and at all */

void report_begin(struct report *r, struct cli *c)
{
    size_t n = 0;

    while (all_formats[n])
        n++;
    *r = (struct report){ .c = c, .bar = { .what = "Importing", .bytes = true } };
    r->by = arena_array(c->a, n, sizeof *r->by);
}

static bool is_quiet(const struct report *r)
{
    return cli_has(r->c, "quiet") || r->c->out.json;
}

void report_progress(struct report *r, int64_t done)
{
    if (!is_quiet(r))
        (void)progress_tell(&r->bar, r->read + done, r->all);
}

/* ---- one file ---- */

static void add(struct report_sums *to, const struct bough_import_file_result *f, bool failed)
{
    to->files++;
    to->failed += failed;
    to->sessions += f->sessions;
    to->added += f->added;
    to->known += f->known;
    to->problems += (int64_t)f->nproblems + f->more;
}

static void keep_problem(struct report *r, const char *line)
{
    if (r->nproblems == KEPT)
        return;
    r->problems = arena_room(r->c->a, r->problems, r->nproblems, sizeof *r->problems);
    r->problems[r->nproblems++] = line;
}

static void keep_problems(struct report *r, const struct bough_import_file_result *f,
                          const char *error)
{
    struct bough_arena *a = r->c->a;

    if (error)
        keep_problem(r, arena_strdup(a, error)); /* it names the file */
    for (size_t i = 0; i < f->nproblems; i++)
        keep_problem(r, f->problems[i].line
                            ? arena_printf(a, "%s: line %" PRId64 ": %s", f->path,
                                           f->problems[i].line, f->problems[i].text)
                            : arena_printf(a, "%s: %s", f->path, f->problems[i].text));
}

/* For a program every file that changed; for a person only with --verbose. */
static void put_line(struct report *r, const struct bough_import_file_result *f, const char *error)
{
    struct cli *c = r->c;
    bool changed = error || f->status != BOUGH_IMPORT_UNCHANGED || f->nproblems;

    if (is_quiet(r) ||
        !(cli_has(c, "verbose") || (changed && (!c->out.tty || cli_has(c, "follow")))))
        return;
    out_styled(&c->out, error ? PRINT_RED : PRINT_GREEN,
               error ? "failed" : form_import_word(f->status));
    putchar('\t');
    print_line(stdout, f->path);
    putchar('\t');
    if (error)
        print_line(stdout, error);
    else
        printf("%s\t%" PRId64 " added, %" PRId64 " known", f->format, f->added, f->known);
    putchar('\n');
}

void report_file(struct report *r, const struct bough_import_file_result *f, const char *error)
{
    progress_end(&r->bar);
    add(&r->sums, f, error != NULL);
    for (size_t i = 0; f->format && all_formats[i]; i++)
        if (strcmp(all_formats[i]->name, f->format) == 0)
            add(&r->by[i], f, error != NULL);
    keep_problems(r, f, error);
    if (r->c->out.json) {
        form_imported(out_json(&r->c->out), f, error);
        out_json_end(&r->c->out);
    }
    put_line(r, f, error);
    fflush(stdout);
}

void report_skipped(struct report *r, const char *path)
{
    r->skipped++;
    if (!cli_has(r->c, "verbose") || is_quiet(r))
        return;
    progress_end(&r->bar);
    fputs("skipped\t", stdout);
    print_line(stdout, path);
    putchar('\n');
}

/* ---- the end ---- */

static void put_problems(const struct report *r)
{
    size_t n = cli_has(r->c, "verbose") || r->nproblems <= LISTED ? r->nproblems : LISTED;
    int64_t more = r->sums.problems + r->sums.failed - (int64_t)n;
    FILE *to = cli_has(r->c, "quiet") ? stderr : stdout;

    if (!n)
        return;
    fputs("Problems:\n", to);
    for (size_t i = 0; i < n; i++) {
        fputs("  ", to);
        print_line(to, r->problems[i]);
        putc('\n', to);
    }
    if (more > 0)
        fprintf(to, "  and %s%s\n", out_things(r->c->a, more, "more problem"),
                n < r->nproblems ? "; --verbose lists them" : "");
}

static void put_sums(const struct report *r, const char *tool, const struct report_sums *s)
{
    struct bough_arena *a = r->c->a;

    if (tool)
        printf("%s: ", tool);
    printf("%s%s %s created, %s added, %" PRId64 " known, %s", out_things(a, s->files, "file"),
           tool ? "," : ":", out_things(a, s->sessions, "session"),
           out_things(a, s->added, "entry"), s->known, out_things(a, s->problems, "problem"));
    if (s->failed)
        printf(", %s failed", out_things(a, s->failed, "file"));
    if (!tool && r->skipped)
        printf(", %s of unknown format skipped", out_things(a, r->skipped, "file"));
    putchar('\n');
}

void report_pending(const struct report *r, int64_t changes)
{
    if (is_quiet(r))
        return;
    fflush(stdout); /* behind the sums */
    fprintf(stderr,
            "%s not in the full text yet: searches and servers index them; "
            "`bough search --wait` waits until they are\n",
            out_things(r->c->a, changes, "change"));
}

void report_end(struct report *r)
{
    size_t tools = 0;

    progress_end(&r->bar);
    if (r->c->out.json)
        return;
    put_problems(r);
    if (is_quiet(r))
        return;
    for (size_t i = 0; all_formats[i]; i++)
        tools += r->by[i].files > 0;
    for (size_t i = 0; all_formats[i] && tools > 1; i++)
        if (r->by[i].files)
            put_sums(r, all_formats[i]->name, &r->by[i]);
    put_sums(r, NULL, &r->sums);
}
