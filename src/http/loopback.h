/* A request without a socket: the same parser, router, gate and handlers, in the caller's thread.
 */
#ifndef HTTP_LOOPBACK_H
#define HTTP_LOOPBACK_H

#include "http/http.h"

struct http_reply {
    int status;
    struct http_header *headers; /* lower case names */
    size_t nheaders;
    struct bough_str body; /* whole, pulls included, NUL behind it */
    bool cut;              /* a pull failed: on a socket the client would see it cut */
};

struct http_ask {
    const char *method, *target; /* "GET", "/api/v1/sessions?limit=3" */
    const char *headers;         /* "Name: value\r\n" lines besides Host and Content-Length */
    struct bough_str body;
    enum http_via via;
    int pulls; /* with HTTP_LATER, stop after so many calls; 0: at the first */
};

/* Everything in `out` lives in `a`. Streams of events give their replay up to the hub, then end. */
void http_loopback(const struct http_app *app, struct bough_arena *a, const struct http_ask *ask,
                   struct http_reply *out);

const char *http_reply_header(const struct http_reply *r, const char *name); /* or NULL */

#endif
