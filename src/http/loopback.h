/* HTTP without a socket: the same parser, router, gate and handlers, in the caller's thread. */
#ifndef HTTP_LOOPBACK_H
#define HTTP_LOOPBACK_H

#include "http/http.h"

struct http_reply {
    int status;
    struct http_header *headers; /* names in lower case */
    size_t nheaders;
    struct bough_str body; /* complete, with the output of all pulls; NUL-terminated */
    bool cut;              /* a pull failed, or there is more than http_ask.most */
};

struct http_ask {
    const char *method, *target; /* "GET", "/api/v1/sessions?limit=3" */
    /* "Name: value\r\n" lines besides Host and Content-Length; or NULL. */
    const char *headers;
    struct bough_str body;
    enum http_via via;
    int pulls;   /* how many times to pull again after HTTP_LATER */
    size_t most; /* bytes of the body to take; 0: OUT_MAX */
};

/* Run one request. Everything in `out` lives in `a`. An event stream is replayed up to the hub's
 * position, then ends. */
void http_loopback(const struct http_app *app, struct bough_arena *a, const struct http_ask *ask,
                   struct http_reply *out);

const char *http_reply_header(const struct http_reply *r, const char *name); /* or NULL */

#endif
