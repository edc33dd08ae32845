/* Who sent a request, and for which of its sessions: read from headers and body by the tables of
 * data/. Pure. */
#ifndef CORE_WIRE_CLIENT_H
#define CORE_WIRE_CLIENT_H

#include "core/wire/request.h"

struct client_header {
    struct bough_str name; /* in any case */
    struct bough_str value;
};

/* Strings live in the arena; NULL: there is none. */
struct client_found {
    const char *client;  /* "claude-code", ...; "": not known */
    const char *key;     /* the client's name of the session; "key/agent" of a sub-agent */
    const char *parent;  /* key of the session that spawned it */
    const char *purpose; /* why it is made beside the conversation: "title", "compaction", ... */
};

/* Identify the client of `req`, whose headers are given. */
void client_identify(struct bough_arena *a, const struct wire_request *req,
                     const struct client_header *headers, size_t n, struct client_found *out);

#endif
