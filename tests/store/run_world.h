/* Helpers for the tests of runs. */
#ifndef RUN_WORLD_H
#define RUN_WORLD_H

#include "store/fsck_world.h"

struct bough_run *start(struct test *t, const char *session, const char *text);
struct bough_run *claim(struct test *t, const char *run); /* for the host "one" */
struct bough_run *run_of(struct test *t, const char *id);
struct bough_run_end_result end(struct test *t, const struct bough_run *claimed,
                                enum bough_run_status status);
/* The owner appends an assistant message with a pending tool call, and asks for approval. */
const char *call_tool(struct test *t, const struct bough_run *claimed);
struct bough_approval *request(struct test *t, const struct bough_run *claimed, const char *entry);
enum bough_rc settle(struct test *t, const char *approval, enum bough_approval_status status,
                     struct bough_approval **out);
/* Let the clock go on. */
void later(struct test *t, int64_t ms);
/* "run number: status" of the runs of a session, newest first. */
const char *runs_text(struct test *t, const char *session);

#endif
