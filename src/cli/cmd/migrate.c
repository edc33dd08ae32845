/* bough migrate: a whole store into an empty one of another kind. */
#include <inttypes.h>

#include "cli/cli.h"
#include "cli/progress.h"

static int run(struct cli *c)
{
    const char *from = cli_value(c, "from"), *to = cli_value(c, "to");
    struct progress p = { .what = "Moving" };
    struct bough_migrate how = { .progress = progress_tell, .user = &p };
    struct bough_migrated r;
    struct json_writer *w;
    enum bough_rc rc;

    if (!from)
        from = cli_store_url(c);
    if (!from)
        return CLI_FAILED;
    if (!to)
        return cli_usage(c, "say where to: --to postgres://USER@HOST/DATABASE, or --to FILE");
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
        printf("%" PRId64 " rows%s, up to change %" PRId64 "; %" PRId64
               " sessions have the same paths and totals in both\n",
               r.rows, r.resumed ? " more" : "", r.last_no, r.compared);
    }
    return CLI_DONE;
}

static const struct cli_option options[] = {
    { "from", 0, "URL", "the store to move (default: the one that --store names)" },
    { "to", 0, "URL", "where to: an empty database or a new file" },
    { "json", 0, NULL, "as one JSON object" },
    { 0 },
};

const struct cli_cmd cmd_migrate = {
    .name = "migrate",
    .args = "",
    .summary = "move a whole store into another kind of store",
    .options = options,
    .run = run,
    .about = "From SQLite to PostgreSQL when one machine is not enough, or back. Ids, order, "
             "totals and the\n"
             "numbers that followers know stay as they are. The source is only read; stop its "
             "writers first,\n"
             "or what they write meanwhile stays behind. When it is interrupted, the same command "
             "goes on.\n"
             "Afterwards every session is compared: the hash of its path, its totals, its counts.",
    .fields = "rows, sessions, entries, last_no, compared, resumed",
    .examples = "bough migrate --to 'postgres://bough@db.example/bough'\n"
                "bough migrate --from 'postgres://bough@db.example/bough' --to sessions.db",
};
