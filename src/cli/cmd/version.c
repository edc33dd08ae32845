/* bough version: prints the versions of bough and SQLite. */
#include <stdio.h>
#include <string.h>

#include "base/json/write.h"
#include "base/text/str.h"
#include "cli/kit/cli.h"

static void put_json(const char *sqlite, size_t number, const char *source)
{
    struct buf out;
    struct json_writer w;

    buf_init(&out, 4096);
    jw_init(&w, &out);
    jw_obj(&w);
    jw_kv_cstr(&w, "bough", bough_version());
    jw_kv_str(&w, "sqlite", str_make(sqlite, number));
    jw_kv_cstr(&w, "sqlite_source", source);
    jw_end_obj(&w);
    puts(out.p);
    buf_finish(&out);
}

static int run(struct cli *c)
{
    const char *sqlite = bough_sqlite_version(); /* "3.53.4 2026-07-24 ... hash" */
    size_t number = strcspn(sqlite, " ");
    const char *source = sqlite + number + strspn(sqlite + number, " ");

    if (cli_has(c, "json")) {
        put_json(sqlite, number, source);
        return CLI_DONE;
    }
    printf("bough %s\nSQLite %.*s\n", bough_version(), (int)number, sqlite);
    if (source[0])
        printf("  source %s\n", source);
    return CLI_DONE;
}

static const struct cli_option options[] = {
    { "json", 0, NULL, "as one JSON object: bough, sqlite, sqlite_source" },
    { 0 },
};

const struct cli_cmd cmd_version = {
    .name = "version",
    .args = "",
    .summary = "print the versions of bough and SQLite",
    .options = options,
    .run = run,
};
