/* bough fork: create a session that shares the history of another one. */
#include <inttypes.h>
#include <string.h>

#include "base/memory/arena.h"
#include "cli/kit/cli.h"

static int run(struct cli *c)
{
    const char *model = cli_value(c, "model"), *slash = model ? strchr(model, '/') : NULL;
    struct bough_session_fork_options how = {
        .before = cli_has(c, "before"),
        .copy = cli_has(c, "copy"),
        .id = cli_value(c, "id"),
        .title = cli_value(c, "title"),
        .model_name = slash ? slash + 1 : model,
    };
    struct bough_session *s, *fork;
    int rc = cli_open(c, CLI_WRITE);

    if (slash)
        how.model_provider = arena_strndup(c->a, model, (size_t)(slash - model));
    if (!rc)
        rc = cli_session(c, c->argv[0], &s);
    if (!rc && c->argc > 1)
        rc = cli_entry(c, s->id, c->argv[1], &how.entry);
    if (rc)
        return rc;
    if (bough_session_fork(c->s, c->a, s->id, &how, &fork, &c->err))
        return cli_failed(c);
    if (c->out.tty)
        cli_say(c, "Forked #%" PRId64 " as #%" PRId64 " %s (%s)", s->number, fork->number,
                fork->slug, fork->id);
    else if (!c->out.json)
        puts(fork->id);
    return cli_put_session(c, fork->id);
}

static const struct cli_option options[] = {
    { "title", 't', "TEXT", "title of the fork" },
    { "before", 0, NULL, "exclude the entry itself" },
    { "copy", 0, NULL, "make an independent copy of the entries and labels" },
    { "model", 'm', "MODEL", "provider/model of the fork" },
    { "id", 0, "ID", "id of the fork" },
    { "json", 0, NULL, "the fork as JSON" },
    { 0 },
};

const struct cli_cmd cmd_fork = {
    .name = "fork",
    .args = "<session> [entry]",
    .summary = "create a session that shares the history up to an entry, or to the head",
    .options = options,
    .run = run,
    .columns = "id",
    .fields = "as `bough ls`",
    .examples = "bough fork cache-bug @2 --title \"Another way\"",
};
