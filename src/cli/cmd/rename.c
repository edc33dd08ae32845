/* bough rename: changes the title of a session. */
#include "cli/kit/cli.h"

static int run(struct cli *c)
{
    struct bough_session *s;
    int rc = cli_open(c, CLI_WRITE);

    if (!rc)
        rc = cli_session(c, c->argv[0], &s);
    if (rc)
        return rc;
    if (bough_session_rename(c->s, s->id, c->argv[1], &c->err))
        return cli_failed(c);
    cli_say(c, "Renamed #%lld to \"%s\"", (long long)s->number, c->argv[1]);
    return cli_put_session(c, s->id);
}

static const struct cli_option options[] = {
    { "json", 0, NULL, "the session as JSON" },
    { 0 },
};

const struct cli_cmd cmd_rename = {
    .name = "rename",
    .args = "<session> <title>",
    .summary = "change the title of a session; \"\" removes it",
    .options = options,
    .run = run,
    .about = "The slug does not change.",
    .fields = "as `bough ls`",
};
