/* bough rm: hides sessions; nothing is removed. */
#include "cli/kit/cli.h"

static int run(struct cli *c)
{
    return cli_each(c, bough_session_delete, "Deleted");
}

const struct cli_cmd cmd_rm = {
    .name = "rm",
    .args = "<session> ...",
    .summary = "delete sessions; `bough restore` undoes it",
    .run = run,
    .about = "Deleted sessions are only hidden. `bough purge` removes them permanently.",
};
