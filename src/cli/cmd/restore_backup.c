/* bough restore-backup: replaces the store by a backup. */
#include <inttypes.h>

#include "base/text/str.h"
#include "cli/kit/cli.h"
#include "cli/kit/progress.h"

static int run(struct cli *c)
{
    struct progress p = { .what = "Copying", .bytes = true };
    struct bough_restore_options how = { .force = cli_has(c, "force"),
                                         .progress = progress_tell,
                                         .user = &p };
    struct bough_restore_result out;
    struct json_writer *w;
    enum bough_rc rc;
    int code;

    if (!cli_store_url(c))
        return CLI_USAGE;
    code = cli_confirm(c, "Restore %s over %s?", c->argv[0], bough_url_shown(c->a, c->store));
    if (code)
        return code;
    rc = bough_restore(c->argv[0], c->store, &how, c->a, &out, &c->err);
    progress_end(&p);
    if (rc)
        return cli_failed(c);
    if (c->out.json) {
        w = out_json(&c->out);
        jw_obj(w);
        jw_kv_i64(w, "bytes", out.copied.bytes);
        jw_kv_i64(w, "sessions", out.copied.sessions);
        jw_kv_i64(w, "entries", out.copied.entries);
        jw_kv_i64(w, "epoch", out.epoch);
        jw_kv_cstr(w, "kept", cstr_empty(out.kept) ? NULL : out.kept);
        jw_end_obj(w);
        out_json_end(&c->out);
        return CLI_DONE;
    }
    printf("Restored %s, %s\n", out_things(c->a, out.copied.sessions, "session"),
           out_things(c->a, out.copied.entries, "entry"));
    if (!cstr_empty(out.kept)) {
        fputs("The previous store was kept as ", stdout);
        print_line(stdout, out.kept);
        putchar('\n');
    }
    return CLI_DONE;
}

static const struct cli_option options[] = {
    { "yes", 'y', NULL, "do not ask for confirmation" },
    { "force", 0, NULL, "do not keep the previous store" },
    { "json", 0, NULL, "as one JSON object" },
    { 0 },
};

const struct cli_cmd cmd_restore_backup = {
    .name = "restore-backup",
    .args = "<file>",
    .summary = "replace the store by a backup",
    .options = options,
    .run = run,
    .about = "The store must not be open in any process. The backup is checked first, and the "
             "previous store is kept beside it.",
    .fields = "bytes, sessions, entries, epoch, kept",
};
