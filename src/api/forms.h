/* The stable names of sessions, entries and calls in JSON: the API and --json write the same.
 * docs/json.md describes them. */
#ifndef API_FORMS_H
#define API_FORMS_H

#include <bough/bough.h>

#include "base/json.h"

/* Each writes one object, or (form_in_) the members of one. */
void form_session(struct json_writer *w, const struct bough_session *s);
void form_in_session(struct json_writer *w, const struct bough_session *s);
void form_entry(struct json_writer *w, const struct bough_entry *e);
void form_call(struct json_writer *w, const struct bough_call *call);
void form_totals(struct json_writer *w, const char *key, const struct bough_totals *t);

void form_time(struct json_writer *w, const char *key, int64_t ms);  /* ISO 8601, or null */
void form_usd(struct json_writer *w, const char *key, int64_t nano); /* exact to 9 decimals */
void form_head(struct json_writer *w, const char *key, struct bough_head at); /* "#1.2" or null */

#endif
