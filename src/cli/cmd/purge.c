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

/* Where the money goes: the id of a session, or "" for the store. */
static int say_cost(struct cli *c, const struct bough_session_purge_preview_result *r)
{
    struct bough_session *to = NULL;
    char cost[40];

    bough_money_text(r->cost.cost, cost, sizeof cost);
    if (*r->cost_to && bough_session_get(c->s, c->a, r->cost_to, &to, &c->err))
        return cli_failed(c);
    if (to)
        printf("  $%s stays spent, in #%" PRId64 " %s\n", cost, to->number, to->slug);
    else
        printf("  $%s stays spent, in the store\n", cost);
    return CLI_DONE;
}

static int preview(struct cli *c, const struct bough_session *s)
{
    struct bough_session_purge_preview_result r;

    if (bough_session_purge_preview(c->s, c->a, s->id, &r, &c->err))
        return cli_failed(c);
    if (c->out.json) {
        form_purge_preview(out_json(&c->out), s->id, &r);
        out_json_end(&c->out);
        return CLI_DONE;
    }
    printf("A purge of #%" PRId64 " %s would remove %s (about %s) and %s, and keep %s\n", s->number,
           s->slug, out_things(c->a, r.entries, "entry"), out_things(c->a, r.bytes, "byte"),
           out_things(c->a, r.records, "record"), out_things(c->a, r.kept, "entry"));
    for (size_t i = 0; i < r.nkeepers; i++)
        printf("  #%" PRId64 " %s shows %s\n", r.keepers[i].session->number,
               r.keepers[i].session->slug, out_things(c->a, r.keepers[i].entries, "entry"));
    for (size_t i = 0; i < r.ndetached; i++)
        printf("  #%" PRId64 " %s loses its parent\n", r.detached[i].session->number,
               r.detached[i].session->slug);
    return say_cost(c, &r);
}

static int run(struct cli *c)
{
    struct bough_session **all, *s;
    bool dry = cli_has(c, "dry-run");
    int rc = cli_open(c, dry ? CLI_READ : CLI_WRITE);

    if (!rc)
        rc = cli_sessions(c, &all);
    for (int i = 0; i < c->argc && !rc; i++) {
        s = all[i];
        if (dry) {
            rc = preview(c, s);
            continue;
        }
        rc = cli_confirm(c, "Permanently remove #%" PRId64 " %s with %s?", s->number, s->slug,
                         out_things(c->a, s->messages, "message"));
        if (!rc)
            rc = purge(c, s);
    }
    return rc;
}

static const struct cli_option options[] = {
    { "dry-run", 0, NULL, "only say what would be removed and kept" },
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
    .fields = "session, entries, records, kept, keepers, detached; with --dry-run also bytes, cost "
              "and cost_to, and objects for keepers and detached",
};
