/* The one list of nouns. */
#include "api/api.h"

const struct http_route *const api_tables[] = {
    api_alkhub_message_routes,
    api_alkhub_routes,
    api_care_routes,
    api_events_routes,
    api_hecate_queue_routes,
    api_hecate_routes,
    api_index_routes,
    api_openapi_routes,
    api_ui_routes,
    NULL,
};
