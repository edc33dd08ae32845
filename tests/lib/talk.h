/*
 * Conversations written shortly. Messages are separated by " | ", parts by " + ". A message begins
 * with its role: u (user), a (assistant), s (system), t (tool), d (developer). A part is a text, or
 *
 *   @think:TEXT            reasoning          @call:ID:NAME:JSON   a call
 *   @res:ID:TEXT           a result           @ref:ID              an item reference
 *   @img:BASE64            an image           @raw:JSON            any part
 */
#ifndef TALK_H
#define TALK_H

#include <bough/entry.h>

#include "lib/test.h"

/* The messages, in t->arena; *n of them. */
struct bough_entry_new *talk_read(struct test *t, const char *talk, size_t *n);

/* The same as entries that a store might give: with types of parts, positions and empty texts. */
struct bough_entry *talk_entries(struct test *t, const char *talk, size_t *n);

#endif
