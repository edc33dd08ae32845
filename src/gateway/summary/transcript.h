/* A conversation as plain text, for a model that summarises it. Pure. */
#ifndef GATEWAY_SUMMARY_TRANSCRIPT_H
#define GATEWAY_SUMMARY_TRANSCRIPT_H

#include <bough/entry.h>

#include "base/memory/buf.h"

enum { TRANSCRIPT_MOST = 32 << 20 }; /* bytes */

/* Four characters are a token, an image is 4,800 characters (P28). */
int64_t transcript_tokens(struct bough_arena *a, const struct bough_entry *e);

/* Does the message consist of results of tools only? */
bool transcript_results(const struct bough_entry *e);

/* Add an entry: who speaks, texts, calls with their arguments, and results, long ones cut. Entries
 * that are no messages add nothing. */
void transcript_put(struct buf *b, struct bough_arena *a, const struct bough_entry *e);

#endif
