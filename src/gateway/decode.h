/* The body of a request as it was before it was compressed. */
#ifndef GATEWAY_DECODE_H
#define GATEWAY_DECODE_H

#include "http/http.h"

enum { DECODED_MOST = 64 << 20 }; /* bytes */

/* The body of `req`, decoded by its Content-Encoding (gzip, zstd, identity), in its arena or
 * borrowed. BOUGH_INVALID: it is damaged, or with *unknown: the encoding is another one.
 * BOUGH_TOO_LARGE: it is longer than DECODED_MOST. */
BOUGH_MUST_CHECK enum bough_rc decode_body(struct http_req *req, struct bough_str *out,
                                           bool *unknown, struct bough_error *err);

#endif
