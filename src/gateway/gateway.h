/*
 * The recording gateway as a whole: created for a store, used by its routes.
 *
 * forward.c takes a request apart and plans it; relay/ moves the bytes; record.c stores them.
 */
#ifndef GATEWAY_GATEWAY_H
#define GATEWAY_GATEWAY_H

#include <bough/store.h>

#include "gateway/kit/state.h"
#include "http/http.h"

struct gateway_config {
    struct bough_store *store;              /* borrowed */
    const struct gateway_setting *settings; /* of the configuration file; copied */
    size_t n;
};

/* BOUGH_INVALID names the section and the setting that is wrong. */
BOUGH_MUST_CHECK enum bough_rc
gateway_create(struct gateway **out, const struct gateway_config *config, struct bough_error *err);
/* After the server is destroyed; NULL is allowed. */
void gateway_destroy(struct gateway *g);

/* For api_config.metrics. */
void gateway_metrics(void *gateway, struct http_res *res);

/* Read the settings again; on failure the old ones stay. */
BOUGH_MUST_CHECK enum bough_rc gateway_reload(struct gateway *g,
                                              const struct gateway_setting *settings, size_t n,
                                              struct bough_error *err);

extern const struct http_route gateway_routes[]; /* /v1/... */

#endif
