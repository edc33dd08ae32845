/* Titles by a model. */
#ifndef GATEWAY_SUMMARY_TITLE_H
#define GATEWAY_SUMMARY_TITLE_H

#include "gateway/summary/complete.h"

/* Give a session without a title one, by the model of `[gateway] title_model`; without that setting
 * nothing happens. Failures are logged: a title is never worth an error. */
void title_session(struct gateway *g, struct bough_store *store, const char *session,
                   const bool *stop);

#endif
