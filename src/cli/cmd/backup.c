/* bough backup: copy a store into a file while it is in use. */
#include <inttypes.h>

#include "cli/kit/cli.h"
#include "cli/kit/progress.h"

/* Let the store remember its backup, if it can be written. */
static void note(struct cli *c, const struct bough_backup_result *made)
{
    const struct bough_store_open_options options = { .must_exist = true };
    struct bough_store *s = NULL;

    if (!bough_store_open(&s, c->store, &options, NULL))
        (void)!bough_backup_note(s, c->argv[0], made, NULL);
    bough_store_close(&s);
}

static int run(struct cli *c)
{
    struct progress p = { .what = "Copying", .bytes = true };
    struct bough_backup_options how = { .progress = progress_tell, .user = &p };
    struct bough_backup_result r;
    struct json_writer *w;
    enum bough_rc rc;
    int code = cli_open(c, CLI_READ);

    if (code)
        return code;
    rc = bough_backup(c->s, c->argv[0], &how, &r, &c->err);
    progress_end(&p);
    if (rc == BOUGH_EXISTS)
        return cli_usage(c, "%s; give the name of a new file", c->err.msg);
    if (rc)
        return cli_failed(c);
    note(c, &r);
    if (c->out.json) {
        w = out_json(&c->out);
        jw_obj(w);
        jw_kv_cstr(w, "path", c->argv[0]);
        jw_kv_i64(w, "bytes", r.bytes);
        jw_kv_i64(w, "sessions", r.sessions);
        jw_kv_i64(w, "entries", r.entries);
        jw_kv_i64(w, "last_no", r.last_no);
        jw_end_obj(w);
        out_json_end(&c->out);
    } else {
        printf("%s, %s, %s, checked\n", out_things(c->a, r.sessions, "session"),
               out_things(c->a, r.entries, "entry"), out_things(c->a, r.bytes, "byte"));
    }
    return CLI_DONE;
}

static const struct cli_option options[] = {
    { "json", 0, NULL, "as one JSON object" },
    { 0 },
};

const struct cli_cmd cmd_backup = {
    .name = "backup",
    .args = "<file>",
    .summary = "copy the store into a new file, while it is in use",
    .options = options,
    .run = run,
    .about = "The copy is read back and checked before it gets its name. It is a store like any "
             "other: `bough --store FILE ls` reads it, `bough restore-backup FILE` restores it.",
    .fields = "path, bytes, sessions, entries, last_no",
};
