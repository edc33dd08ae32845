/* Shows a run while it works: its text as it comes, its tool calls, its questions, its end. */
#ifndef CLI_RUNS_FOLLOW_H
#define CLI_RUNS_FOLLOW_H

#include "cli/kit/cli.h"
#include "run/run.h"

enum follow_approve { FOLLOW_ASK, FOLLOW_ALLOW, FOLLOW_DENY };

/* "ask", "allow", "deny"; NULL is ask. False for another word. */
bool follow_approve_parse(const char *word, enum follow_approve *out);

struct follow_options {
    struct runner *runner; /* works on it in this process; NULL: another one does */
    enum follow_approve approve;
};

/*
 * Follow until the run ends. What it asks is answered by `approve`, or by a person on the terminal;
 * without one it is rejected, and that is said. Ctrl-C cancels the run, a second one ends the
 * program at once. With --json a line for each entry and approval, and the run at its end. Returns
 * CLI_DONE, CLI_FAILED, or 130 for a run that was cancelled.
 */
int follow_run(struct cli *c, const char *run, const struct follow_options *how);

#endif
