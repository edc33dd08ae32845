/* The routes of turns. */
#ifndef GATEWAY_TURN_ROUTES_H
#define GATEWAY_TURN_ROUTES_H

#include "http/http.h"

extern const struct http_route gateway_turn_routes[]; /* /api/v1/sessions/{id}/turns */

#endif
