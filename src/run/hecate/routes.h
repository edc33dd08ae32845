/* The routes of Hecate's agent chats and tasks. */
#ifndef RUN_HECATE_ROUTES_H
#define RUN_HECATE_ROUTES_H

#include "http/http.h"

extern const struct http_route hecate_adapter_routes[];  /* agent-adapters */
extern const struct http_route hecate_approval_routes[]; /* approvals of chats, grants */
extern const struct http_route hecate_chat_routes[];     /* agent-chat/sessions */
extern const struct http_route hecate_file_routes[];     /* .../messages/{message}/files */
extern const struct http_route hecate_send_routes[];     /* .../messages */
extern const struct http_route hecate_stream_routes[];   /* .../stream of chats and of runs */
extern const struct http_route hecate_task_routes[];     /* tasks */
extern const struct http_route hecate_task_run_routes[]; /* tasks/{id}/runs, start */

/* All of them, for the list of a server's tables. */
#define HECATE_ROUTE_TABLES                                                                        \
    hecate_adapter_routes, hecate_approval_routes, hecate_chat_routes, hecate_file_routes,         \
        hecate_send_routes, hecate_stream_routes, hecate_task_routes, hecate_task_run_routes

#endif
