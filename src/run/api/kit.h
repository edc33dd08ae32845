/* What the routes of runs share. */
#ifndef RUN_API_KIT_H
#define RUN_API_KIT_H

#include "api/kit/api.h"
#include "run/run.h"

/* The runner of this server. BOUGH_NOT_READY: there is none. */
BOUGH_MUST_CHECK enum bough_rc run_api_runner(struct http_req *req, struct runner **out,
                                              struct bough_error *err);
/* The run named by {run}; BOUGH_NOT_FOUND also when the caller cannot see its session. */
BOUGH_MUST_CHECK enum bough_rc run_api_run(struct http_req *req, struct bough_run **out,
                                           struct bough_error *err);
/* The principal for the store; NULL: the owner. */
const char *run_api_principal(struct http_req *req);
/* The run that makes the session busy, as the error's detail. */
void run_api_busy(struct http_req *req, struct http_res *res, const char *session);
/* {"limits": {...}} of a body; absent numbers are 0. */
BOUGH_MUST_CHECK enum bough_rc run_api_limits(struct http_req *req, struct json object,
                                              struct bough_run_limits *out,
                                              struct bough_error *err);

#endif
