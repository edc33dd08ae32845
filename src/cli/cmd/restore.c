/* bough restore: restores deleted sessions. */
#include "cli/kit/cli.h"

static int run(struct cli *c)
{
    return cli_each(c, bough_session_restore, "Restored");
}

const struct cli_cmd cmd_restore = {
    .name = "restore",
    .args = "<session> ...",
    .summary = "restore deleted sessions",
    .run = run,
    .about = "`bough ls --deleted` lists deleted sessions. To restore a backup of the whole store, "
             "see `bough restore-backup`.",
};
