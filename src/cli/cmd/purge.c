/* bough purge: permanently removes sessions. */
#include <inttypes.h>

#include "api/kit/forms.h"
#include "cli/kit/cli.h"

static int purge(struct cli *c, const struct bough_session *s)
{
    struct bough_session_purge_result r;
    struct json_writer *w;

    if (bough_session_purge(c->s, c->a, s->id, &r, &c->err))
        return cli_failed(c);
    if (c->out.json) {
        w = out_json(&c->out);
        form_purged(w, s->id, &r);
        out_json_end(&c->out);
        return CLI_DONE;
    }
    printf("Purged #%" PRId64 ": %s and %s removed", s->number,
           out_things(c->a, r.entries, "entry"), out_things(c->a, r.records, "record"));
    if (r.kept)
        printf(", %s kept for %s", out_things(c->a, r.kept, "entry"),
               out_things(c->a, (int64_t)r.nkeepers, "fork"));
    puts("");
    return CLI_DONE;
}

static int run(struct cli *c)
{
    struct bough_session **all, *s;
    int rc = cli_open(c, CLI_WRITE);

    if (!rc)
        rc = cli_sessions(c, &all);
    for (int i = 0; i < c->argc && !rc; i++) {
        s = all[i];
        rc = cli_confirm(c, "Permanently remove #%" PRId64 " %s with %s?", s->number, s->slug,
                         out_things(c->a, s->messages, "message"));
        if (!rc)
            rc = purge(c, s);
    }
    return rc;
}

static const struct cli_option options[] = {
    { "yes", 'y', NULL, "do not ask for confirmation" },
    { "json", 0, NULL, "JSON Lines" },
    { 0 },
};

const struct cli_cmd cmd_purge = {
    .name = "purge",
    .args = "<session> ...",
    .summary = "permanently remove sessions",
    .options = options,
    .run = run,
    .about = "This cannot be undone. Entries that forks still show are kept until the forks are "
             "purged too. `bough rm` only hides sessions.",
    .fields = "session, entries, records, kept, keepers, detached",
};
