/* JSON: what is inside raw spans of checked text, without a tree. */
#ifndef BASE_JSON_SPAN_H
#define BASE_JSON_SPAN_H

#include "base/json/json.h"

/* The value of a string span in the arena, with a NUL: "" when the span is empty. */
struct bough_str json_span_text(struct bough_arena *a, struct bough_str string);

/* Does a string span hold white space only, or nothing? Escapes count as what they stand for. */
bool json_span_blank(struct bough_str string);

/* May the span hold escaped surrogates? */
bool json_span_surrogates(struct bough_str span);

/* The span with every escaped surrogate that has no partner replaced by \ufffd. In `a` if anything
 * changed. */
struct bough_str json_span_mend(struct bough_arena *a, struct bough_str span);

#endif
