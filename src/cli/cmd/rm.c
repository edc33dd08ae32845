/* bough rm: hides sessions; nothing is removed. */
#include "cli/kit/cli.h"

static const char *idle(const struct bough_session *s)
{
    return s->deleted ? "was deleted already" : NULL;
}

static int run(struct cli *c)
{
    static const struct cli_change change = { bough_session_delete, "Deleted", idle };

    return cli_each(c, &change);
}

const struct cli_cmd cmd_rm = {
    .name = "rm",
    .args = "<session> ...",
    .summary = "delete sessions; `bough restore` undoes it",
    .run = run,
    .about = "Deleted sessions are only hidden. `bough purge` removes them permanently. Nothing is "
             "deleted if one of several sessions does not exist.",
};
