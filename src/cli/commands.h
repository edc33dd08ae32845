/* The table of commands. Only main.c refers to it; commands read it from struct cli. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "cli/kit/cli.h"

extern const struct cli_cmd *const cli_commands[]; /* sorted by name, ends with NULL */

#endif
