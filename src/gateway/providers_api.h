/* Providers over HTTP: how they are, and the models that clients can ask for. */
#ifndef GATEWAY_PROVIDERS_API_H
#define GATEWAY_PROVIDERS_API_H

#include "gateway/providers.h"
#include "http/http.h"

/* /api/v1/providers and /v1/models. Ends with { 0 }. The handlers find a struct gateway with
 * api_gateway(). */
extern const struct http_route gateway_provider_routes[];

/* The JSON object of a provider, shared by the API and --json; `models`: with its models. */
void provider_form(struct json_writer *w, const struct provider_info *p, bool models);

#endif
