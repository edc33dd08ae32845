/* bough unarchive: unarchives sessions. */
#include "cli/kit/cli.h"

static int run(struct cli *c)
{
    return cli_each(c, bough_session_unarchive, "Unarchived");
}

const struct cli_cmd cmd_unarchive = {
    .name = "unarchive",
    .args = "<session> ...",
    .summary = "make archived sessions active again",
    .run = run,
};
