/* Which statuses an operation can answer with, and the codes of errors. */
#include <string.h>

#include "api/schema/schema.h"

const struct api_answer api_answers[] = {
    { 400, "BadRequest", "The request cannot be read." },
    { 401, "Unauthorized", "There is no valid credential." },
    { 403, "Forbidden", "The caller, its origin or its token may not do this." },
    { 404, "NotFound", "What was named does not exist, or the caller cannot see it." },
    { 409, "Conflict", "The state does not allow this now." },
    { 410, "Gone", "What was named was purged." },
    { 412, "PreconditionFailed", "The state has changed since the ETag in If-Match." },
    { 413, "TooLarge", "The body or the answer is too large." },
    { 415, "UnsupportedType", "The body has a type or encoding that is not accepted here." },
    { 416, "RangeNotSatisfiable", "The range begins behind the end." },
    { 421, "WrongHost", "The Host header names another server." },
    { 422, "Invalid", "A value is wrong; the message names it." },
    { 429, "TooMany", "Too many failed attempts, streams or requests of this caller." },
    { 500, "ServerError", "The store is damaged, or the disk or database failed." },
    { 503, "Unavailable", "The server is overloaded or stopping; try again." },
    { 504, "Timeout", "It took too long; try again." },
    { 507, "Full", "There is no space left." },
    { 0 },
};

/* Codes of the HTTP layer, the gate and handlers; the library's are in BOUGH_CODES. */
static const struct {
    int status;
    const char *code;
} server_codes[] = {
    { 400, "bad_path" },
    { 400, "bad_request" },
    { 400, "invalid_request" },
    { 400, "malformed" },
    { 400, "two_credentials" },
    { 401, "unauthorized" },
    { 403, "link_used" },
    { 403, "scope" },
    { 403, "wrong_origin" },
    { 405, "method_not_allowed" },
    { 412, "precondition_failed" },
    { 415, "unsupported_encoding" },
    { 415, "unsupported_type" },
    { 416, "range" },
    { 421, "wrong_host" },
    { 429, "too_many" },
    { 429, "too_many_failures" },
    { 503, "draining" },
    { 503, "not_ready" },
};

enum { LIBRARY_CODES = BOUGH_PRICE_UNKNOWN }; /* BOUGH_OK is none, this one is the last */

const char *api_error_code(size_t i, int *status)
{
    if (i < LIBRARY_CODES) {
        *status = bough_rc_http((enum bough_rc)(i + 1));
        return bough_rc_name((enum bough_rc)(i + 1));
    }
    i -= LIBRARY_CODES;
    if (i >= sizeof server_codes / sizeof *server_codes)
        return NULL;
    *status = server_codes[i].status;
    return server_codes[i].code;
}

static bool is_get(const struct http_route *r)
{
    return strcmp(r->method, "GET") == 0;
}

/* Does the request name something in the store? */
static bool names_something(const struct http_route *r)
{
    return strchr(r->path, '{') || r->query || r->takes;
}

bool api_may_answer(const struct http_route *r, int status)
{
    bool open = r->needs & AUTH_OPEN;

    if (status == (r->status ? r->status : 200))
        return true;
    switch (status) {
    case 204:
        return r->flags & HTTP_MAY_BE_EMPTY;
    case 206:
    case 416:
        return r->flags & HTTP_RANGES;
    case 304:
        return is_get(r) && (r->flags & HTTP_TAGS);
    case 401:
    case 429:
    case 507:
        return !open;
    case 404:
    case 409:
    case 410:
        return !open && names_something(r);
    case 412:
        return r->flags & HTTP_MATCHES;
    case 415:
        return !is_get(r);
    case 400:
    case 403:
    case 413:
    case 421:
    case 422:
    case 500:
    case 503:
    case 504:
        return true;
    default:
        return false;
    }
}
