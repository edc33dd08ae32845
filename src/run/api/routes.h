/* The routes of runs. */
#ifndef RUN_API_ROUTES_H
#define RUN_API_ROUTES_H

#include "http/http.h"

extern const struct http_route run_turn_routes[];     /* .../turns; resume, retry */
extern const struct http_route run_routes[];          /* runs */
extern const struct http_route run_approval_routes[]; /* approvals, grants */
extern const struct http_route run_tool_routes[];     /* tools */
extern const struct http_route run_agent_routes[];    /* agents, agent-options */
extern const struct http_route run_file_routes[];     /* files of runs, revert */
extern const struct http_route run_ui_routes[];       /* .../ui-stream of a run */

/* All of them, for the list of a server's tables. */
#define RUN_ROUTE_TABLES                                                                           \
    run_turn_routes, run_routes, run_approval_routes, run_tool_routes, run_agent_routes,           \
        run_file_routes, run_ui_routes

#endif
