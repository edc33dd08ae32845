/* bough fsck: prove that the store is what it should be, and repair it when asked to. */
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/print.h"

enum { COULD_NOT_RUN = 2 };

#define WEEK_MS (INT64_C(7) * 24 * 3600 * 1000) /* a large store takes as long as it takes */

/* A finding, or what repair did about one. */
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

/* The finding itself may come again as what is left. */
static void did(void *cli, const struct bough_finding *f)
{
    tell(cli, f, true);
}

static void sum_json(struct cli *c, const struct bough_fsck_report *r)
{
    struct json_writer *w = out_json(&c->out);

    jw_obj(w);
    jw_kv_i64(w, "errors", r->errors);
    jw_kv_i64(w, "warnings", r->warnings);
    jw_kv_i64(w, "sessions", r->sessions);
    jw_kv_i64(w, "branches", r->branches);
    jw_kv_i64(w, "entries", r->entries);
    jw_kv_i64(w, "records", r->records);
    jw_kv_i64(w, "attachments", r->attachments);
    jw_end_obj(w);
    out_json_end(&c->out);
}

static void sum_text(const struct bough_fsck_report *r, bool quick)
{
    printf("%" PRId64 " errors, %" PRId64 " warnings in %" PRId64 " sessions, %" PRId64 " branches",
           r->errors, r->warnings, r->sessions, r->branches);
    if (!quick)
        printf(", %" PRId64 " entries, %" PRId64 " records", r->entries, r->records);
    putchar('\n');
}

static void sum_repair(const struct bough_repair_report *r, bool json)
{
    if (json)
        printf("{\"fixed\":%" PRId64 ",\"quarantined\":%" PRId64 "}\n", r->fixed, r->quarantined);
    else
        printf("%" PRId64 " repaired, %" PRId64 " quarantined\n", r->fixed, r->quarantined);
}

/* A long check says that it is at work; the line is wiped before the first finding. */
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

static enum bough_rc check(struct bough_store *store, struct cli *c, enum bough_fsck_level level,
                           struct bough_fsck_report *report, struct bough_error *err)
{
    struct bough_repair_report repaired;
    enum bough_rc rc;

    say_busy(cli_has(c, "repair") ? "repairing" : "checking");
    if (!cli_has(c, "repair")) {
        rc = bough_store_fsck(store, level, found, c, report, err);
        end_busy();
        return rc;
    }
    rc = bough_store_repair(store, level, did, found, c, &repaired, err);
    end_busy();
    if (!rc)
        sum_repair(&repaired, c->out.json);
    *report = repaired.left;
    return rc;
}

static int run(struct cli *c)
{
    const struct bough_options options = { .read_only = !cli_has(c, "repair"), .create_not = true };
    const struct bough_scope scope = { .deadline_ms = WEEK_MS };
    bool quick = cli_has(c, "quick"), deep = cli_has(c, "deep");
    enum bough_fsck_level level = quick  ? BOUGH_FSCK_QUICK
                                  : deep ? BOUGH_FSCK_DEEP
                                         : BOUGH_FSCK_FULL;
    struct bough_store *opened = NULL, *store;
    struct bough_fsck_report report = { 0 };
    struct bough_error err = { 0 };
    enum bough_rc rc;

    if (quick && (deep || cli_has(c, "repair")))
        return cli_usage(c, "--quick goes with neither --deep nor --repair");
    if (cli_store_open(c, &opened, &options))
        return COULD_NOT_RUN;
    store = bough_store_scoped(opened, &scope);
    rc = check(store, c, level, &report, &err);
    bough_store_close(&store);
    bough_store_close(&opened);
    if (rc) {
        cli_error(c, &err);
        return COULD_NOT_RUN;
    }
    if (c->out.json)
        sum_json(c, &report);
    else
        sum_text(&report, quick);
    return report.errors ? CLI_FAILED : CLI_DONE;
}

static const struct cli_option options[] = {
    { "quick", 'q', NULL, "only what can be seen without reading every entry" },
    { "deep", 0, NULL, "also hash every attachment and read every entry as callers do" },
    { "repair", 0, NULL, "build again what is derived, move aside what is broken" },
    { "json", 0, NULL, "JSON Lines: code, severity, where, text; then the counts" },
    { 0 },
};

const struct cli_cmd cmd_fsck = {
    .name = "fsck",
    .args = "",
    .summary = "check the store; exit code 0 clean, 1 errors found, 2 could not run",
    .options = options,
    .run = run,
};
