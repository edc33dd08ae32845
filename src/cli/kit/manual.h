/* Sections of bough(1), printed on stdout for scdoc. */
#ifndef CLI_KIT_MANUAL_H
#define CLI_KIT_MANUAL_H

#include "cli/kit/cli.h"

void manual_commands(const struct cli *c); /* one section per command */
void manual_options(void);                 /* the options of every command */

#endif
