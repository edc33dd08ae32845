/* Which header fields pass through the gateway, in each direction. */
#ifndef GATEWAY_RELAY_HEADERS_H
#define GATEWAY_RELAY_HEADERS_H

#include "gateway/providers.h"
#include "http/http.h"

/* The lines to send to a provider: those of the client that may pass, then the provider's own. In
 * the arena of `req`; ends with NULL. */
const char *const *headers_up(const struct http_req *req, const struct provider_target *to);

/* Set the fields of a provider's answer that may pass, and its type. `lines` are "name: value\r\n"
 * each. */
void headers_down(struct http_req *req, struct http_res *res, struct bough_str lines);

/* The value of a field in such lines, in `a`; NULL: it is not there. */
const char *headers_find(struct bough_arena *a, struct bough_str lines, const char *name);

#endif
