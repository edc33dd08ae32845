/* A scripted model for runs: it calls tools, and answers. */
#ifndef RUN_SCRIPT_H
#define RUN_SCRIPT_H

#include "gateway/world.h"

/* A world with a chat provider, a watching runner and the folder *dir as root of workspaces. */
void script_open(struct test *t, struct world *w, const char **dir);
/* The next reply: calls of tools, or a text. `args` is JSON. */
void say_text(struct world *w, const char *text);
void say_call(struct world *w, const char *tool, const char *args);
void say_calls(struct world *w, const char *const *tool_args, size_t n); /* tool, args, tool, ... */

/* POST a JSON body; the answer. */
struct got post(struct world *w, const char *path, const char *body);
struct got get_path(struct world *w, const char *path);
/* Start an agent run with a prompt; more members of the body, or "". Returns its id. */
const char *start_run(struct world *w, const char *session, const char *prompt, const char *more);
struct bough_run *run_now(struct world *w, const char *run);
/* Wait until the run has this status. */
struct bough_run *wait_run(struct world *w, const char *run, enum bough_run_status status);
/* Wait until `n` approvals of the run are pending; the newest. */
struct bough_approval *wait_asked(struct world *w, const char *run, size_t n);
/* Settle it over HTTP: a JSON body. */
int resolve(struct world *w, const char *approval, const char *body);
/* The path as "role:text": tool messages show their tool and state. */
const char *story(struct world *w, const char *session);

#endif
