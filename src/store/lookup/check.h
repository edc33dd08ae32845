/* Checks of arguments that are text or raw JSON. Pure. */
#ifndef STORE_LOOKUP_CHECK_H
#define STORE_LOOKUP_CHECK_H

#include <bough/model.h>

/* Check the length and UTF-8 of a text argument: BOUGH_TOO_LARGE or BOUGH_INVALID. NULL is
 * allowed. */
enum bough_rc check_text(const char *what, const char *text, int64_t most, struct bough_error *err);
/* Check a raw JSON argument: any value, or an object. An empty string is allowed. */
enum bough_rc check_json(const char *what, struct bough_str json, int64_t most,
                         struct bough_error *err);
enum bough_rc check_object(const char *what, struct bough_str json, int64_t most,
                           struct bough_error *err);

#endif
