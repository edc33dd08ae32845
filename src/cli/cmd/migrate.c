/* bough migrate: copies a whole store into an empty store of another backend. */
#include <inttypes.h>

#include "cli/kit/cli.h"
#include "cli/kit/progress.h"

static int run(struct cli *c)
{
    const char *from = cli_value(c, "from"), *to = cli_value(c, "to");
    struct progress p = { .what = "Copying" };
    struct bough_migrate_options how = { .progress = progress_tell, .user = &p };
    struct bough_migrate_result r;
    struct json_writer *w;
    enum bough_rc rc;

    if (!from)
        from = cli_store_url(c);
    if (!from)
        return CLI_FAILED;
    rc = cli_no_password(c, "from") ? CLI_USAGE : cli_no_password(c, "to");
    if (rc)
        return rc;
    if (!to)
        return cli_usage(c, "no destination: use --to postgres://USER@HOST/DATABASE or --to FILE");
    rc = bough_migrate(from, to, &how, &r, &c->err);
    progress_end(&p);
    if (rc)
        return cli_failed(c);
    if (c->out.json) {
        w = out_json(&c->out);
        jw_obj(w);
        jw_kv_i64(w, "rows", r.rows);
        jw_kv_i64(w, "sessions", r.sessions);
        jw_kv_i64(w, "entries", r.entries);
        jw_kv_i64(w, "last_no", r.last_no);
        jw_kv_i64(w, "compared", r.compared);
        jw_kv_bool(w, "resumed", r.resumed);
        jw_end_obj(w);
        out_json_end(&c->out);
    } else {
        printf("%s copied%s, up to change %" PRId64 "; %s compared: paths and totals match\n",
               out_things(c->a, r.rows, "row"), r.resumed ? " (resumed)" : "", r.last_no,
               out_things(c->a, r.compared, "session"));
    }
    return CLI_DONE;
}

static const struct cli_option options[] = {
    { "from", 0, "URL", "store to copy (default: the one given by --store)" },
    { "to", 0, "URL", "destination: an empty database or a new file" },
    { "json", 0, NULL, "as one JSON object" },
    { 0 },
};

const struct cli_cmd cmd_migrate = {
    .name = "migrate",
    .args = "",
    .summary = "copy a whole store to another backend",
    .options = options,
    .run = run,
    .about =
        "Copies a store from SQLite to PostgreSQL, or back. Ids, order, totals and change numbers "
        "are preserved. The source is only read; stop its writers first, or changes they make "
        "meanwhile are not copied. If it is interrupted, run the same command again to resume. "
        "Afterwards every session is compared: the hash of its path, its totals and its counts.",
    .fields = "rows, sessions, entries, last_no, compared, resumed",
    .examples = "bough migrate --to 'postgres://bough@db.example/bough'\n"
                "bough migrate --from 'postgres://bough@db.example/bough' --to sessions.db",
};
