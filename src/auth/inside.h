/* What the files of src/auth share. */
#ifndef AUTH_INSIDE_H
#define AUTH_INSIDE_H

#include <pthread.h>

#include "auth/auth.h"
#include "base/env.h"
#include "base/map.h"
#include "base/sha256.h"
#include "store/token.h"

enum {
    SECRET_BYTES = 32,
    SIGNED_MAX = 64,   /* browsers signed in at a time; the one that ends first makes room */
    FAILURES_MAX = 20, /* a minute and address; beyond it nobody is even looked up */
};

#define LINK_MS (INT64_C(10) * 60 * 1000)
#define COOKIE_MS (INT64_C(7) * 24 * 3600 * 1000)
#define USED_MS (INT64_C(3600) * 1000) /* how exactly "last used" is kept: writes are synced */

/* A secret somebody holds: only its hash is here. expires 0: no secret. */
struct held {
    char hash[2 * SHA256_LEN + 1];
    int64_t expires;
};

struct auth {
    struct bough_store *store;
    struct env env;
    bool tls;
    pthread_mutex_t lock;      /* guards everything below */
    struct bough_arena *names; /* of hosts and origins; grows with each reconfiguration, slowly */
    struct names {
        const char **at;
        size_t n;
    } bound, hosts, origins;
    struct bough_arena *arena; /* of the tokens */
    struct store_tokens tokens;
    bool loaded;
    int64_t looked_us;    /* when the log was last looked at for changes of tokens */
    struct smap failures; /* address -> how many since `minute` */
    int64_t minute;
    struct held links[SIGNED_MAX], browsers[SIGNED_MAX];
};

void auth_secret(struct auth *a, char out[2 * SECRET_BYTES + 1]);
void auth_hash(const char *secret, char out[2 * SHA256_LEN + 1]);
bool auth_same(const char *a, const char *b); /* two hashes, in constant time */

/* ---- tokens.c ---- */

/* The living token of this secret, copied into `arena`; NULL when there is none. `came_us`: when
 * the request came that shows it (mono_us); what was revoked before then is not there. */
enum bough_rc auth_find(struct auth *a, struct bough_arena *arena, const char *secret,
                        int64_t came_us, struct store_token **out, struct bough_error *err);

/* ---- browser.c ---- */

/* The cookie's name: one a port, as browsers mix the cookies of all ports of a host. */
const char *auth_cookie_name(struct http_req *req);
/* Its value in the request, or NULL. */
const char *auth_cookie(struct http_req *req);
bool auth_browser(struct auth *a, const char *secret); /* is it one we gave out? */

#endif
