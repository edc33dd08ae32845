/* The one list of commands. Keep it sorted by name: help prints it as it is, and a test checks. */
#include "cli/cli.h"

#include <string.h>

const struct cli_cmd *const cli_commands[] = {
    &cmd_append, &cmd_demo, &cmd_fsck, &cmd_help, &cmd_ls, &cmd_new, &cmd_show, &cmd_version, NULL,
};

const struct cli_cmd *cli_find(const char *name)
{
    for (size_t i = 0; cli_commands[i]; i++) {
        if (strcmp(cli_commands[i]->name, name) == 0)
            return cli_commands[i];
    }
    return NULL;
}
