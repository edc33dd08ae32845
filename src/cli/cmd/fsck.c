/* bough fsck: checks the store, and repairs it with --repair. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "api/kit/forms.h"
#include "cli/kit/cli.h"
#include "cli/term/print.h"

enum { COULD_NOT_RUN = 2 };

#define WEEK_MS (INT64_C(7) * 24 * 3600 * 1000) /* no practical limit: large stores take long */

/* Print a finding, or a repair of one. */
static void tell(struct cli *c, const struct bough_finding *f, bool repaired)
{
    struct json_writer *w;

    if (c->out.json) {
        w = out_json(&c->out);
        jw_obj(w);
        jw_kv_cstr(w, repaired ? "repaired" : "code", f->code);
        if (!repaired)
            jw_kv_cstr(w, "severity", f->error ? "error" : "warning");
        jw_kv_cstr(w, "where", f->where);
        jw_kv_cstr(w, "text", f->text);
        jw_end_obj(w);
        out_json_end(&c->out);
        return;
    }
    printf("%s ", f->code);
    out_styled(&c->out,
               repaired   ? PRINT_GREEN
               : f->error ? PRINT_RED
                          : PRINT_YELLOW,
               repaired   ? "repaired"
               : f->error ? "error"
                          : "warning");
    putchar(' ');
    print_line(stdout, f->where);
    putchar(' ');
    print_line(stdout, f->text);
    putchar('\n');
}

static void found(void *cli, const struct bough_finding *f)
{
    tell(cli, f, false);
}

/* A finding that was repaired only in part is reported again afterwards. */
static void did(void *cli, const struct bough_finding *f)
{
    tell(cli, f, true);
}

static void sum_json(struct cli *c, const struct bough_store_fsck_result *r)
{
    struct json_writer *w = out_json(&c->out);

    jw_obj(w);
    form_in_fsck(w, r);
    jw_end_obj(w);
    out_json_end(&c->out);
}

static void sum_text(struct cli *c, const struct bough_store_fsck_result *r, bool quick)
{
    printf("%s, %s in %s, %s", out_things(c->a, r->errors, "error"),
           out_things(c->a, r->warnings, "warning"), out_things(c->a, r->sessions, "session"),
           out_things(c->a, r->branches, "branch"));
    if (!quick)
        printf(", %s, %s", out_things(c->a, r->entries, "entry"),
               out_things(c->a, r->records, "record"));
    putchar('\n');
}

static void sum_repair(const struct bough_store_repair_result *r, bool json)
{
    if (json)
        printf("{\"fixed\":%" PRId64 ",\"quarantined\":%" PRId64 "}\n", r->fixed, r->quarantined);
    else
        printf("%" PRId64 " repaired, %" PRId64 " quarantined\n", r->fixed, r->quarantined);
}

/* Show activity during a long check. end_busy() erases the line. */
static void say_busy(const char *what)
{
    if (isatty(STDERR_FILENO)) {
        fprintf(stderr, "%s ...\r", what);
        fflush(stderr);
    }
}

static void end_busy(void)
{
    if (isatty(STDERR_FILENO))
        fputs("                              \r", stderr);
}

static enum bough_rc repair(struct bough_store *store, struct cli *c, enum bough_fsck_level level,
                            struct bough_store_fsck_result *report, struct bough_error *err)
{
    struct bough_store_repair_result repaired = { 0 };
    enum bough_rc rc = bough_store_repair(store, level, did, found, c, &repaired, err);

    end_busy();
    if (!rc)
        sum_repair(&repaired, c->out.json);
    *report = repaired.left;
    return rc;
}

/* Open the store and check or repair it. */
static enum bough_rc check(struct cli *c, bool write, enum bough_fsck_level level,
                           struct bough_store_fsck_result *report, struct bough_error *err)
{
    const struct bough_store_open_options options = { .read_only = !write, .must_exist = true };
    const struct bough_store_scoped_options scope = { .deadline_ms = WEEK_MS };
    struct bough_store *opened = NULL, *store;
    enum bough_rc rc = bough_store_open(&opened, cli_store_url(c), &options, err);

    if (rc)
        return rc;
    say_busy(write ? "repairing" : "checking");
    store = bough_store_scoped(opened, &scope);
    if (write)
        rc = repair(store, c, level, report, err);
    else
        rc = bough_store_fsck(store, level, cli_has(c, "repair") ? NULL : found, c, report, err);
    end_busy();
    bough_store_close(&store);
    bough_store_close(&opened);
    return rc;
}

/* Let the store remember the check, as --note asks and a repair does. Nothing is written into a
 * damaged file. */
static enum bough_rc note(struct cli *c, enum bough_fsck_level level,
                          const struct bough_store_fsck_result *report, struct bough_error *err)
{
    const struct bough_store_open_options options = { .must_exist = true };
    struct bough_store *s = NULL;
    enum bough_rc rc = BOUGH_OK;

    if (!report->bad_pages)
        rc = bough_store_open(&s, cli_store_url(c), &options, err);
    if (s)
        rc = bough_store_fsck_note(s, level, report, err);
    bough_store_close(&s);
    return rc;
}

/* The file is damaged: make a new store of what is intact. */
static enum bough_rc rescue(struct cli *c, struct bough_store_fsck_result *report,
                            struct bough_error *err)
{
    struct bough_rescue_result r;
    enum bough_rc rc;

    say_busy("rescuing");
    rc = bough_rescue(cli_store_url(c), NULL, did, found, c, c->a, &r, err);
    end_busy();
    if (rc)
        return rc;
    if (c->out.json) {
        struct json_writer *w = out_json(&c->out);

        jw_obj(w);
        jw_kv_i64(w, "sessions", r.saved.sessions);
        jw_kv_i64(w, "entries", r.saved.entries);
        jw_kv_i64(w, "damaged", r.saved.broken);
        jw_kv_cstr(w, "kept", r.kept);
        jw_end_obj(w);
        out_json_end(&c->out);
    } else {
        printf("the file is damaged; a new store has its %s, %s, %s; damaged or lost: %s\n",
               out_things(c->a, r.saved.sessions, "session"),
               out_things(c->a, r.saved.entries, "entry"),
               out_things(c->a, r.saved.records, "record"),
               out_things(c->a, r.saved.broken, "row"));
        fputs("the damaged file is kept as ", stdout);
        print_line(stdout, r.kept);
        putchar('\n');
    }
    sum_repair(&r.repaired, c->out.json);
    *report = r.repaired.left;
    return BOUGH_OK;
}

/* Repair. The store is first opened read-only, because opening a damaged file for writing may
 * already write into it. */
static enum bough_rc mend(struct cli *c, enum bough_fsck_level level,
                          struct bough_store_fsck_result *report, struct bough_error *err)
{
    const char *url = cli_store_url(c);
    bool file = strncmp(url, "sqlite:", 7) == 0 || !strstr(url, "://");
    struct bough_error why = { 0 };
    enum bough_rc rc = check(c, false, level, report, &why);

    if (!rc && file && report->bad_pages)
        return rescue(c, report, err);
    if (!rc)
        rc = check(c, true, level, report, err);
    else
        *err = why;
    if (file && (rc == BOUGH_CORRUPT || (why.rc == BOUGH_INVALID && rc)))
        rc = rescue(c, report, err);
    return rc;
}

static int run(struct cli *c)
{
    bool quick = cli_has(c, "quick"), deep = cli_has(c, "deep");
    enum bough_fsck_level level = quick  ? BOUGH_FSCK_QUICK
                                  : deep ? BOUGH_FSCK_DEEP
                                         : BOUGH_FSCK_FULL;
    struct bough_store_fsck_result report = { 0 };
    struct bough_error err = { 0 };
    enum bough_rc rc;

    if (quick && (deep || cli_has(c, "repair")))
        return cli_usage(c, "--quick cannot be used with --deep or --repair");
    if (!cli_store_url(c))
        return COULD_NOT_RUN;
    rc = cli_has(c, "repair") ? mend(c, level, &report, &err)
                              : check(c, false, level, &report, &err);
    if (!rc && (cli_has(c, "note") || cli_has(c, "repair")))
        rc = note(c, level, &report, &err);
    if (rc) {
        cli_error(c, &err);
        return COULD_NOT_RUN;
    }
    if (c->out.json)
        sum_json(c, &report);
    else
        sum_text(c, &report, quick);
    return report.errors ? CLI_FAILED : CLI_DONE;
}

static const struct cli_option options[] = {
    { "quick", 'q', NULL, "skip the checks that read every entry" },
    { "deep", 0, NULL, "also hash every attachment and read every entry as callers do" },
    { "repair", 0, NULL, "rebuild derived data, quarantine damaged rows; rescue a damaged file" },
    { "note", 0, NULL, "let the store remember this check, as --repair does" },
    { "json", 0, NULL, "JSON Lines: code, severity, where, text; then the counts" },
    { 0 },
};

const struct cli_cmd cmd_fsck = {
    .name = "fsck",
    .args = "",
    .summary = "check the store; exit code 0 clean, 1 errors found, 2 could not run",
    .options = options,
    .run = run,
    .about = "A repair never writes into a file whose pages are damaged. It makes a new store of "
             "everything intact in it, checks that nothing readable is missing, and puts it in the "
             "place of the old file, which is kept beside it as FILE.before-repair-TIME.",
};
