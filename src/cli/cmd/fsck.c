/* bough fsck: prove that the store is what it should be. Only reads. */
#include <inttypes.h>
#include <stdio.h>

#include "base/json_write.h"
#include "cli/cli.h"
#include "cli/print.h"

enum { COULD_NOT_RUN = 2 };

#define WEEK_MS (INT64_C(7) * 24 * 3600 * 1000) /* a large store takes as long as it takes */

static void put_line(struct buf *out)
{
    puts(out->p);
    buf_finish(out);
}

static void found_json(void *user, const struct bough_finding *f)
{
    struct buf out;
    struct json_writer w;

    (void)user;
    buf_init(&out, 4096);
    jw_init(&w, &out);
    jw_obj(&w);
    jw_kv_cstr(&w, "code", f->code);
    jw_kv_cstr(&w, "severity", f->error ? "error" : "warning");
    jw_kv_cstr(&w, "where", f->where);
    jw_kv_cstr(&w, "text", f->text);
    jw_end_obj(&w);
    put_line(&out);
}

static void found_text(void *user, const struct bough_finding *f)
{
    const bool *colour = user;

    printf("%s ", f->code);
    print_style(stdout, *colour, f->error ? PRINT_RED : PRINT_YELLOW);
    fputs(f->error ? "error" : "warning", stdout);
    print_style(stdout, *colour, PRINT_PLAIN);
    putchar(' ');
    print_line(stdout, f->where);
    putchar(' ');
    print_line(stdout, f->text);
    putchar('\n');
}

static void sum_json(const struct bough_fsck_report *r)
{
    struct buf out;
    struct json_writer w;

    buf_init(&out, 4096);
    jw_init(&w, &out);
    jw_obj(&w);
    jw_kv_i64(&w, "errors", r->errors);
    jw_kv_i64(&w, "warnings", r->warnings);
    jw_kv_i64(&w, "sessions", r->sessions);
    jw_kv_i64(&w, "branches", r->branches);
    jw_kv_i64(&w, "entries", r->entries);
    jw_kv_i64(&w, "records", r->records);
    jw_end_obj(&w);
    put_line(&out);
}

static void sum_text(const struct bough_fsck_report *r, bool quick)
{
    printf("%" PRId64 " errors, %" PRId64 " warnings in %" PRId64 " sessions, %" PRId64 " branches",
           r->errors, r->warnings, r->sessions, r->branches);
    if (!quick)
        printf(", %" PRId64 " entries, %" PRId64 " records", r->entries, r->records);
    putchar('\n');
}

static int run(struct cli *c)
{
    const struct bough_options options = { .read_only = true, .create_not = true };
    const struct bough_scope scope = { .deadline_ms = WEEK_MS };
    bool json = cli_has(c, "json"), quick = cli_has(c, "quick"), colour = print_colour(stdout);
    struct bough_store *opened = NULL, *store;
    struct bough_fsck_report report;
    struct bough_error err = { 0 };
    enum bough_rc rc;

    if (cli_store_open(c, &opened, &options))
        return COULD_NOT_RUN;
    store = bough_store_scoped(opened, &scope);
    rc = bough_store_fsck(store, quick ? BOUGH_FSCK_QUICK : BOUGH_FSCK_FULL,
                          json ? found_json : found_text, &colour, &report, &err);
    bough_store_close(&store);
    bough_store_close(&opened);
    if (rc) {
        cli_error(c, &err);
        return COULD_NOT_RUN;
    }
    if (json)
        sum_json(&report);
    else
        sum_text(&report, quick);
    return report.errors ? CLI_FAILED : CLI_DONE;
}

static const struct cli_option options[] = {
    { "quick", 'q', NULL, "only what can be seen without reading every entry" },
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
