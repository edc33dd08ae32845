/* Keys of providers in what providers say: some repeat a key that they refuse. */
#ifndef GATEWAY_KIT_SECRET_H
#define GATEWAY_KIT_SECRET_H

#include "gateway/providers.h"

/* Replace the key that was sent to the provider by stars of the same length, everywhere in the `n`
 * bytes. A key of the client's own (auth = client) is the client's business and stays. */
void secret_blank(const struct provider_target *to, char *p, size_t n);

/* The same for a text that is not ours to change: a copy in `a`. */
struct bough_str secret_without(struct bough_arena *a, const struct provider_target *to,
                                struct bough_str text);

#endif
