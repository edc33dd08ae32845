/* Reading JSON bodies by tables of members. An unknown member is refused by name. */
#ifndef API_KIT_BODY_H
#define API_KIT_BODY_H

#include <stddef.h>

#include "api/kit/api.h"

/* The type of a member in JSON, and the C type it is stored as. null counts as absent. */
enum api_kind {
    API_TEXT,   /* const char *; a NUL byte is refused */
    API_INT,    /* int64_t */
    API_LEASE,  /* int64_t milliseconds, 1 to LIMIT_LEASE_MS */
    API_FLAG,   /* bool */
    API_WHEN,   /* int64_t milliseconds: ISO 8601, or milliseconds since 1970 */
    API_USD,    /* int64_t nano-USD: a number of USD */
    API_RAW,    /* struct bough_str: any JSON, unchanged */
    API_MAP,    /* struct bough_str: an object, unchanged */
    API_LIST,   /* struct json: an array */
    API_OBJECT, /* struct json: an object */
};

struct api_member {
    const char *name;
    enum api_kind kind;
    size_t at; /* offsetof() in the struct to fill */
};

/* Fill `out` from an object. Absent members leave their field unchanged. `members` ends with { 0 }.
 * `what` names the object in error messages and refuses unknown members; with NULL they are
 * ignored. Fails with BOUGH_INVALID. Strings point into the request's arena or body. */
BOUGH_MUST_CHECK enum bough_rc api_read(struct http_req *req, struct json object, const char *what,
                                        const struct api_member *members, void *out,
                                        struct bough_error *err);
/* The same for the request's body. An empty body counts as {}. */
BOUGH_MUST_CHECK enum bough_rc api_body(struct http_req *req, const struct api_member *members,
                                        void *out, struct bough_error *err);

/* Totals, with the names that form_totals() writes. */
BOUGH_MUST_CHECK enum bough_rc api_totals(struct http_req *req, struct json object,
                                          struct bough_totals *out, struct bough_error *err);

/* The same for a member that may be missing: *out is left alone then. */
BOUGH_MUST_CHECK enum bough_rc api_maybe_totals(struct http_req *req, struct json object,
                                                const struct bough_totals **out,
                                                struct bough_error *err);

/* New entries and calls, with the names of docs/json.md. More than LIMIT_APPEND_ENTRIES entries are
 * BOUGH_TOO_LARGE. */
BOUGH_MUST_CHECK enum bough_rc api_entry_new(struct http_req *req, struct json object,
                                             struct bough_entry_new *out, struct bough_error *err);
BOUGH_MUST_CHECK enum bough_rc api_entries_new(struct http_req *req, struct json list,
                                               struct bough_entry_new **out, size_t *n,
                                               struct bough_error *err);
/* *out is NULL when `object` is not an object. */
BOUGH_MUST_CHECK enum bough_rc api_call_new(struct http_req *req, struct json object,
                                            struct bough_call_new **out, struct bough_error *err);
/* Parse the name of a status. BOUGH_INVALID for any other word, and for NULL. */
BOUGH_MUST_CHECK enum bough_rc api_status(const char *word, enum bough_status *out,
                                          struct bough_error *err);

#endif
