/* bough pick: put entries of one branch or session onto another. */
#include <inttypes.h>
#include <string.h>

#include "api/kit/forms.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "cli/kit/cli.h"

/* --onto: an entry of the session, or another session. */
static int find_target(struct cli *c, const struct bough_session *from, struct bough_session **to,
                       struct bough_pick_options *how)
{
    const char *onto = cli_value(c, "onto");
    struct bough_entry *e;

    if (!onto)
        return CLI_DONE;
    how->at_root = strcmp(onto, "none") == 0;
    if (how->at_root)
        return CLI_DONE;
    if (*onto == '@' || strchr(onto, '.'))
        return cli_entry(c, from->id, onto, &how->at);
    if (*onto == '#' || bough_entry_get(c->s, c->a, from->id, onto, &e, NULL))
        return cli_session(c, onto, to);
    how->at = e->id;
    return CLI_DONE;
}

static void put_json(struct cli *c, const struct bough_session *to,
                     const struct bough_pick_result *out)
{
    struct json_writer *w = out_json(&c->out);

    jw_obj(w);
    jw_kv_cstr(w, "session", to->id);
    form_in_picked(w, out);
    jw_end_obj(w);
    out_json_end(&c->out);
}

static void report(struct cli *c, const struct bough_session *to,
                   const struct bough_pick_result *out)
{
    if (c->out.json) {
        put_json(c, to, out);
        return;
    }
    if (!c->out.tty)
        for (size_t i = 0; i < out->n; i++)
            puts(out->ids[i]);
    cli_say(c, "Put %zu entries onto #%" PRId64 " %s: %zu shared, %zu copied", out->n, to->number,
            to->slug, out->shared, out->n - out->shared);
}

static int run(struct cli *c)
{
    struct bough_pick_options how = { .keep_head = cli_has(c, "keep-head") };
    struct bough_pick_result out;
    struct bough_session *from, *to;
    const char **entries;
    int rc = cli_open(c, CLI_WRITE);

    if (!rc)
        rc = cli_session(c, c->argv[0], &from);
    if (rc)
        return rc;
    to = from;
    entries = arena_array(c->a, (size_t)c->argc, sizeof *entries);
    for (int i = 1; i < c->argc && !rc; i++)
        rc = cli_entry(c, from->id, c->argv[i], &entries[how.n++]);
    if (!rc)
        rc = find_target(c, from, &to, &how);
    if (rc)
        return rc;
    how.from = from->id;
    how.entries = entries;
    if (bough_pick(c->s, c->a, to->id, &how, &out, &c->err))
        return cli_failed(c);
    report(c, to, &out);
    return CLI_DONE;
}

static const struct cli_option options[] = {
    { "onto", 0, "TARGET", "an entry of the session, another session, or none for a new root" },
    { "keep-head", 0, NULL, "leave the head where it is" },
    { "json", 0, NULL, "the ids and the head as JSON" },
    { 0 },
};

const struct cli_cmd cmd_pick = {
    .name = "pick",
    .args = "<session> <entry> ...",
    .summary = "put entries of one branch onto another, or onto another session",
    .options = options,
    .run = run,
    .about = "The entries go behind the target: an entry of the session (as `bough branch` prints "
             "the tips), the head of another session, or without --onto the head of the session "
             "itself. Entries that follow there already are shared, the others are copied. Results "
             "of tools come along with their calls; copies cost nothing again.",
    .columns = "ids, one a line",
    .fields = "session, ids, shared, head",
    .examples = "bough pick cache-bug '#1.5' '#1.6' --onto '#2.7'",
};
