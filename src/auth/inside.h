/* Internals shared by the files of src/auth. */
#ifndef AUTH_INSIDE_H
#define AUTH_INSIDE_H

#include <pthread.h>

#include "auth/auth.h"
#include "base/env.h"
#include "base/hash/sha256.h"
#include "base/memory/map.h"
#include "store/notes/token.h"

enum {
    SECRET_BYTES = 32,
    LINKS_MAX = 64,    /* one-time links at a time; a new one replaces the one that expires first */
    AGENT_BYTES = 200, /* kept of the name of a browser */
    /* Failed attempts per minute and address; further failures get 429. */
    FAILURES_MAX = 20,
};

#define LINK_MS (INT64_C(10) * 60 * 1000)
#define COOKIE_MS (INT64_C(7) * 24 * 3600 * 1000)
#define USED_MS (INT64_C(60) * 1000) /* precision of "last used": one write a minute and token */

/* A secret we handed out, as its hash. expires 0: unused. */
struct held {
    char hash[2 * SHA256_LEN + 1];
    int64_t expires;
};

struct auth {
    struct bough_store *store;
    struct env env;
    bool tls;
    pthread_mutex_t lock; /* guards everything below */
    /* Strings of hosts and origins; never freed, so each reconfiguration adds a little. */
    struct bough_arena *names;
    struct names {
        const char **at;
        size_t n;
    } bound, hosts, origins;
    struct bough_arena *arena; /* owns `tokens` */
    struct store_tokens tokens;
    bool loaded;
    int64_t looked_us;    /* when the changelog was last checked for changes of tokens (mono_us) */
    struct smap failures; /* peer address -> failed attempts since `minute` */
    int64_t minute;
    struct held links[LINKS_MAX];
    uint64_t changes; /* atomic: how often tokens changed */
};

/* A new random secret, in hex. */
void auth_secret(struct auth *a, char out[2 * SECRET_BYTES + 1]);
/* SHA-256 of the secret, in hex. */
void auth_hash(const char *secret, char out[2 * SHA256_LEN + 1]);
bool auth_same(const char *a, const char *b); /* compares two hashes in constant time */

/* ---- tokens.c ---- */

/* Find the valid token of this kind with this secret and copy it into `arena`; *out is NULL when
 * there is none. `came_us` is when the request arrived (mono_us): a token revoked before then is
 * not found. */
enum bough_rc auth_find(struct auth *a, struct bough_arena *arena, enum token_kind kind,
                        const char *secret, int64_t came_us, struct store_token **out,
                        struct bough_error *err);
/* Fill in a credential that was just found valid. */
void auth_pass_fill(struct auth *a, struct auth_pass *pass, const char *secret, bool browser,
                    int64_t expires);

/* ---- browser.c ---- */

/* Cookies are shared by all ports of a host, so the cookie's name contains the port. */
const char *auth_cookie_name(struct http_req *req);
/* The value of that cookie in the request, or NULL. */
const char *auth_cookie(struct http_req *req);
#endif
