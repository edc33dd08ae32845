/* Finds runs that commands name, and starts runs in this process. */
#ifndef CLI_RUNS_FIND_H
#define CLI_RUNS_FIND_H

#include "cli/kit/models.h"
#include "cli/runs/follow.h"

/* A run: its id, or a session, whose latest run is meant. CLI_DONE, or an exit code after a
 * message. */
int find_run(struct cli *c, const char *text, struct bough_run **out);

/* What the command line works as: runs that it accepts are continued by the command line of this
 * machine only. */
const char *run_host(struct cli *c);

/* Start a run in this process and follow it. in->workspace is allowed. */
int start_and_follow(struct cli *c, const struct run_begin_options *in,
                     enum follow_approve approve);

#endif
