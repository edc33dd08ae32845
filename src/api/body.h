/* Bodies, read by tables of members: what is not in the table is refused by name. */
#ifndef API_BODY_H
#define API_BODY_H

#include <stddef.h>

#include "api/api.h"

/* What a member is, and what it becomes. null is the same as not there. */
enum api_kind {
    API_TEXT,   /* const char *, without NUL */
    API_INT,    /* int64_t */
    API_FLAG,   /* bool */
    API_WHEN,   /* int64_t: ISO 8601, or milliseconds since 1970 */
    API_USD,    /* int64_t nano-USD: a number of USD */
    API_RAW,    /* struct bough_str: any JSON, byte for byte */
    API_MAP,    /* struct bough_str: an object, likewise */
    API_LIST,   /* struct json: an array */
    API_OBJECT, /* struct json: an object */
};

struct api_member {
    const char *name;
    enum api_kind kind;
    size_t at; /* offsetof() in what is filled */
};

/* Fill `out` from an object; what is missing is untouched. Tables end with { 0 }. `what` names the
 * object in sentences; NULL: members that are not in the table are left alone. */
BOUGH_MUST_CHECK enum bough_rc api_read(struct http_req *req, struct json object, const char *what,
                                        const struct api_member *members, void *out,
                                        struct bough_error *err);
/* The same from the body of the request; an empty one is {}. */
BOUGH_MUST_CHECK enum bough_rc api_body(struct http_req *req, const struct api_member *members,
                                        void *out, struct bough_error *err);

/* Totals as form_totals() writes them. */
BOUGH_MUST_CHECK enum bough_rc api_totals(struct http_req *req, struct json object,
                                          struct bough_totals *out, struct bough_error *err);

/* New entries and calls, by the names of docs/json.md. `what`, as above. */
BOUGH_MUST_CHECK enum bough_rc api_entry_new(struct http_req *req, struct json object,
                                             struct bough_entry_new *out, struct bough_error *err);
BOUGH_MUST_CHECK enum bough_rc api_entries_new(struct http_req *req, struct json list,
                                               struct bough_entry_new **out, size_t *n,
                                               struct bough_error *err);
/* *out is NULL when there is nothing. */
BOUGH_MUST_CHECK enum bough_rc api_call_new(struct http_req *req, struct json object,
                                            struct bough_call_new **out, struct bough_error *err);
/* The word as a status; BOUGH_INVALID when it is none. */
BOUGH_MUST_CHECK enum bough_rc api_status(const char *word, enum bough_status *out,
                                          struct bough_error *err);

#endif
