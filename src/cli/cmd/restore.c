/* bough restore: bring deleted sessions back. */
#include "cli/cli.h"

static int run(struct cli *c)
{
    return cli_each(c, bough_session_restore, "Restored");
}

const struct cli_cmd cmd_restore = {
    .name = "restore",
    .args = "<session> ...",
    .summary = "bring deleted sessions back",
    .run = run,
    .about = "`bough ls --deleted` lists what there is to bring back. For a backup of the whole "
             "store see\n"
             "`bough restore-backup`.",
};
