/* bough rm: hide sessions; nothing is removed. */
#include "cli/cli.h"

static int run(struct cli *c)
{
    return cli_each(c, bough_session_delete, "Deleted");
}

const struct cli_cmd cmd_rm = {
    .name = "rm",
    .args = "<session> ...",
    .summary = "delete sessions; `bough restore` brings them back",
    .run = run,
    .about =
        "Nothing is removed: deleted sessions are only hidden. `bough purge` removes for good.",
};
