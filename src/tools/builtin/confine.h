/* Confines a command that a model wrote: it writes only to its workspace and to a folder of its
 * own, and has no network. */
#ifndef TOOLS_BUILTIN_CONFINE_H
#define TOOLS_BUILTIN_CONFINE_H

#include <stdbool.h>

#define CONFINE_WORD "--run-confined"

/* The places of the arguments of our program, started again to run a command. */
enum confine_argument {
    CONFINE_WORD_AT = 1,
    CONFINE_HOW, /* "confine", or "free" */
    CONFINE_WORKSPACE,
    CONFINE_TMP,
    CONFINE_SECONDS, /* of processor time */
    CONFINE_COMMAND,
    CONFINE_ARGUMENTS, /* how many there are */
};

/* main() calls this early: in a program that was started to run a command it never returns, in any
 * other it does nothing. */
void confine_main(int argc, char **argv);

/* Why commands cannot be confined on this machine, a constant; NULL: they can. */
const char *confine_missing(void);

#endif
