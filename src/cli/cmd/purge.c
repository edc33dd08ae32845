/* bough purge: remove sessions for good. */
#include <inttypes.h>

#include "api/forms.h"
#include "cli/cli.h"

static int purge(struct cli *c, const struct bough_session *s)
{
    struct bough_purge_report r;
    struct json_writer *w;

    if (bough_session_purge(c->s, c->a, s->id, &r, &c->err))
        return cli_failed(c);
    if (c->out.json) {
        w = out_json(&c->out);
        form_purged(w, s->id, &r);
        out_json_end(&c->out);
        return CLI_DONE;
    }
    printf("Purged #%" PRId64 ": %" PRId64 " entries and %" PRId64 " records removed", s->number,
           r.entries, r.records);
    if (r.kept)
        printf(", %" PRId64 " entries kept for %zu fork%s", r.kept, r.nkeepers,
               r.nkeepers == 1 ? "" : "s");
    puts("");
    return CLI_DONE;
}

static int run(struct cli *c)
{
    struct bough_session *s;
    int rc = cli_open(c, CLI_WRITE);

    for (int i = 0; i < c->argc && !rc; i++) {
        rc = cli_session(c, c->argv[i], &s);
        if (!rc)
            rc = cli_confirm(c, "Remove #%" PRId64 " %s with %" PRId64 " messages for good?",
                             s->number, s->slug, s->messages);
        if (!rc)
            rc = purge(c, s);
    }
    return rc;
}

static const struct cli_option options[] = {
    { "yes", 'y', NULL, "do not ask" },
    { "json", 0, NULL, "JSON Lines" },
    { 0 },
};

const struct cli_cmd cmd_purge = {
    .name = "purge",
    .args = "<session> ...",
    .summary = "remove sessions for good; nothing brings them back",
    .options = options,
    .run = run,
    .about = "What forks still show stays until they are purged too. `bough rm` only hides.",
    .fields = "session, entries, records, kept, keepers, detached",
};
