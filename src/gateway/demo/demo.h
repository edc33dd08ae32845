/*
 * The demo provider. It speaks the Chat Completions API over a socket, so requests to it go through
 * the same client, relay and recording as requests to any other provider. No port is opened, and
 * only this process is answered. Any thread.
 */
#ifndef GATEWAY_DEMO_DEMO_H
#define GATEWAY_DEMO_DEMO_H

#include <stdbool.h>
#include <stddef.h>

/* Names that end in .invalid are never given to a host (RFC 2606). */
#define DEMO_HOST "demo.invalid"
#define DEMO_BASE "http://" DEMO_HOST "/v1"

/* Is it a URL of the demo provider? */
bool demo_is(const char *url);

struct sockaddr;

/* A socket for one request, and the address to connect it to, in `most` bytes at `to`. The caller
 * closes it. -1: too many requests are open, or the system has no room. */
int demo_dial(struct sockaddr *to, size_t most, unsigned *len);

#endif
