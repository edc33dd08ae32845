/* A request to a provider, set up for libcurl: what all of them have in common, above all what
 * keeps a provider's key and the local network safe. */
#ifndef GATEWAY_CLIENT_EASY_H
#define GATEWAY_CLIENT_EASY_H

#include <bough/arena.h>
#include <curl/curl.h>
#include <stdbool.h>
#include <stdint.h>

/* The URL and the headers come from the configuration and from lists of what may pass; nothing of
 * it is chosen by a client. */
struct easy_options {
    const char *url;
    const char *method;           /* "GET" */
    const char *const *headers;   /* lines "name: value", ends with NULL; may be NULL */
    struct bough_str body;        /* borrowed until the request ends; empty: none */
    bool allow_private;           /* may it connect to this machine and to private networks? */
    int64_t connect_ms, whole_ms; /* 0: no limit but libcurl's own */
};

struct easy {
    CURL *curl;
    struct curl_slist *headers;
    struct curl_slist *names; /* host names that are not looked up */
    bool allow_private;
    bool demo;     /* it goes to the demo provider, in this process */
    bool kept_out; /* a connection was refused because of its address */
};

/* Start libcurl. Any thread, before anything else here; more than once is allowed. */
void easy_library(void);

/* Set up `e`: verified TLS 1.2 or newer, http and https only, no redirects, no proxies from the
 * environment, no cookies, no address that D17 forbids. The caller adds its callbacks. False: out
 * of memory. */
bool easy_init(struct easy *e, const struct easy_options *how);
void easy_finish(struct easy *e);

/* May a gateway connect to this address (D17)? Link-local, metadata, unspecified and multicast
 * addresses: never. Loopback and private ones: with `allow_private`. */
struct sockaddr;
bool easy_address_allowed(const struct sockaddr *addr, bool allow_private);

/* One sentence about why it failed, without the URL's secrets: "the connection was refused". */
const char *easy_why(const struct easy *e, CURLcode code);

#endif
