/* A configuration in one text, for tests of the gateway. */
#ifndef UNIT_GATEWAY_CONFIG_H
#define UNIT_GATEWAY_CONFIG_H

#include "gateway/providers/provider.h"
#include "lib/test.h"
#include "lib/upstream.h"

/* Lines "[section]" and "name = value", as pairs. */
struct config {
    struct gateway_setting *at;
    size_t n;
};
struct config config_of(struct test *t, const char *text);

/* Providers by a text; the test destroys them. */
struct providers *providers_of(struct test *t, const char *text);
/* The message of the text that is refused. */
const char *refusal_of(struct test *t, const char *text);

/* A list of two models, m-1 and m-2. */
#define LIST                                                                                       \
    "{\"object\":\"list\",\"data\":[{\"id\":\"m-1\",\"context_window\":8192},{\"id\":\"m-2\"}]}"

/* An openai-compatible provider of this name at the upstream, with more lines of settings. */
struct providers *local(struct test *t, struct upstream *u, const char *name, const char *more);
struct provider_info info(struct test *t, struct providers *p, const char *name);
struct provider_info refreshed(struct test *t, struct providers *p, const char *name);

#endif
