/* The list of all route tables of the API. */
#include "api/api.h"

/* One per line, to avoid merge conflicts. */
/* clang-format off */
const struct http_route *const api_tables[] = {
    api_alkhub_message_routes,
    api_alkhub_routes,
    api_append_routes,
    api_attachment_routes,
    api_budget_routes,
    api_care_routes,
    api_context_routes,
    api_cost_routes,
    api_entry_routes,
    api_events_routes,
    api_facet_routes,
    api_head_routes,
    api_hecate_queue_routes,
    api_hecate_routes,
    api_index_routes,
    api_message_routes,
    api_note_routes,
    api_openapi_routes,
    api_outline_routes,
    api_queue_routes,
    api_search_routes,
    api_session_routes,
    api_source_routes,
    api_status_routes,
    api_store_routes,
    api_token_routes,
    api_transfer_routes,
    api_tree_routes,
    api_ui_routes,
    NULL,
};
