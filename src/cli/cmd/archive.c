/* bough archive: archive sessions. */
#include "cli/kit/cli.h"

static const char *idle(const struct bough_session *s)
{
    return s->status == BOUGH_STATUS_ARCHIVED ? "was archived already" : NULL;
}

static int run(struct cli *c)
{
    static const struct cli_change change = { bough_session_archive, "Archived", idle };

    return cli_each(c, &change);
}

const struct cli_cmd cmd_archive = {
    .name = "archive",
    .args = "<session> ...",
    .summary = "archive sessions: they become read-only",
    .run = run,
    .about = "`bough ls --archived` lists them; `bough unarchive` makes them active again.",
};
