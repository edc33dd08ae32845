/* bough unarchive: unarchives sessions. */
#include "cli/kit/cli.h"

static int run(struct cli *c)
{
    static const struct cli_change change = { bough_session_unarchive, "Unarchived", NULL };

    return cli_each(c, &change);
}

const struct cli_cmd cmd_unarchive = {
    .name = "unarchive",
    .args = "<session> ...",
    .summary = "make archived sessions active again",
    .run = run,
};
