/* A run as the AI SDK's UI message stream. */
#ifndef RUN_API_UI_RUN_H
#define RUN_API_UI_RUN_H

#include "run/api/kit.h"

/* Answer with the stream of a run: one message with a step for each call of a model, results and
 * approvals of tools, until the run has ended. Answers 429 when the caller has too many streams.
 * The route's `drop` must be run_ui_drop(). */
BOUGH_MUST_CHECK enum bough_rc run_ui_follow(struct http_req *req, struct http_res *res,
                                             const struct bough_run *run);
void run_ui_drop(struct http_req *req);

#endif
