/* The routes of summaries. */
#ifndef GATEWAY_SUMMARY_ROUTES_H
#define GATEWAY_SUMMARY_ROUTES_H

#include "http/http.h"

extern const struct http_route gateway_summary_routes[]; /* .../compact, .../navigate */

#endif
