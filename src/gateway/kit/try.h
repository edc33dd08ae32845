/* One tiny request to a provider, to see whether it answers. It costs a little money. */
#ifndef GATEWAY_KIT_TRY_H
#define GATEWAY_KIT_TRY_H

#include "gateway/providers.h"

/* As providers_route(), on the first wire that has a provider for the model: one that names it,
 * then one with a pattern for it, then any. `ask` gets the wire and its path. */
BOUGH_MUST_CHECK enum bough_rc providers_route_any(struct providers *p, struct bough_arena *a,
                                                   struct provider_ask *ask,
                                                   struct provider_route *out,
                                                   struct bough_error *err);

struct provider_tried {
    const char *provider, *path; /* where it was sent to: "/v1/chat/completions" */
    int status;                  /* of HTTP; 0: not reached */
    int64_t ms;
    const char *why; /* "" if it was answered; else one sentence */
};

/* Ask for at most 16 tokens of `model`. `provider` may be NULL: by the rules of routing. Blocks up
 * to 60 s. Fails as providers_route() does; a provider that fails is no failure of this call. */
BOUGH_MUST_CHECK enum bough_rc providers_try(struct providers *p, struct bough_arena *a,
                                             const char *provider, const char *model,
                                             struct provider_tried *out, struct bough_error *err);

#endif
