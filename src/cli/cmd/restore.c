/* bough restore: restores deleted sessions. */
#include "cli/kit/cli.h"

static const char *idle(const struct bough_session *s)
{
    return s->deleted ? NULL : "was not deleted";
}

static int run(struct cli *c)
{
    static const struct cli_change change = { bough_session_restore, "Restored", idle };

    return cli_each(c, &change);
}

const struct cli_cmd cmd_restore = {
    .name = "restore",
    .args = "<session> ...",
    .summary = "restore deleted sessions",
    .run = run,
    .about = "`bough ls --deleted` lists deleted sessions. To restore a backup of the whole store, "
             "see `bough restore-backup`.",
};
