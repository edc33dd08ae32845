/* bough archive: put sessions away. */
#include "cli/cli.h"

static int run(struct cli *c)
{
    return cli_each(c, bough_session_archive, "Archived");
}

const struct cli_cmd cmd_archive = {
    .name = "archive",
    .args = "<session> ...",
    .summary = "put sessions away: they can be read, not written",
    .run = run,
    .about = "`bough ls --archived` lists them, `bough unarchive` takes them back.",
};
