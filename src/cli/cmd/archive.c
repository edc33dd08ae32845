/* bough archive: archive sessions. */
#include "cli/kit/cli.h"

static int run(struct cli *c)
{
    return cli_each(c, bough_session_archive, "Archived");
}

const struct cli_cmd cmd_archive = {
    .name = "archive",
    .args = "<session> ...",
    .summary = "archive sessions: they become read-only",
    .run = run,
    .about = "`bough ls --archived` lists them; `bough unarchive` makes them active again.",
};
