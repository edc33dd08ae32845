/* Asks a person about a tool call, on the terminal. */
#ifndef CLI_RUNS_ASK_H
#define CLI_RUNS_ASK_H

#include "cli/kit/cli.h"

/* Print what the approval is about: the tool, its arguments, whole with `whole`. */
void ask_show(struct cli *c, const struct bough_approval *p, bool whole);

/* Ask until there is an answer. False: the terminal has ended. *out is what to settle it with. */
bool ask_person(struct cli *c, const struct bough_approval *p,
                struct bough_approval_resolve_options *out);

#endif
