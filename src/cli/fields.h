/* The stable names of --json: sessions, entries, calls. docs/json.md describes them. */
#ifndef CLI_FIELDS_H
#define CLI_FIELDS_H

#include <bough/bough.h>

#include "base/json.h"

/* Each writes one object, or (fields_in_) the members of one. */
void fields_session(struct json_writer *w, const struct bough_session *s);
void fields_in_session(struct json_writer *w, const struct bough_session *s);
void fields_entry(struct json_writer *w, const struct bough_entry *e);
void fields_call(struct json_writer *w, const struct bough_call *call);
void fields_totals(struct json_writer *w, const char *key, const struct bough_totals *t);

void fields_time(struct json_writer *w, const char *key, int64_t ms);  /* ISO 8601, or null */
void fields_usd(struct json_writer *w, const char *key, int64_t nano); /* exact to 9 decimals */
void fields_head(struct json_writer *w, const char *key, struct bough_head at); /* "#1.2" or null */

#endif
