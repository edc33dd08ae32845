/* Who may do what: tokens with scopes, the browser's cookie, Host and Origin. The gate of the API.
 */
#ifndef AUTH_AUTH_H
#define AUTH_AUTH_H

#include <bough/store.h>

#include "http/http.h"

/* What a route needs (http_route.needs) and a token may do. */
enum auth_scope {
    AUTH_READ = 1,
    AUTH_APPEND = 2, /* write messages, notes, sessions */
    AUTH_FORK = 4,
    AUTH_DELETE = 8, /* delete, purge */
    AUTH_EXPORT = 16,
    AUTH_ADMIN = 32, /* the store as a whole: tokens, upkeep, metrics */
    AUTH_GATEWAY = 64,
    AUTH_MCP = 128,
    AUTH_ALL = 255,
    AUTH_OPEN = 256, /* a route that needs nobody: says nothing about the store */
};

const char *auth_scope_name(enum auth_scope one); /* "read" */
/* "read,append" to bits; "all" is all of them. BOUGH_INVALID names the word it does not know. */
BOUGH_MUST_CHECK enum bough_rc auth_scopes_parse(const char *text, unsigned *out,
                                                 struct bough_error *err);
const char *auth_scopes_text(struct bough_arena *a, unsigned scopes);

struct auth;

/* On whose behalf a request runs: http_req.who of every request that passed the gate. */
struct auth_who {
    const char *name;    /* "owner", or "token:<label>": the principal of idempotency keys, audit */
    unsigned scopes;     /* bits */
    const char *project; /* only sessions of this one exist for them; "" is all */
    bool browser;        /* came with the cookie */
    struct auth *auth;
};

const struct auth_who *auth_who(const struct http_req *req); /* never NULL behind the gate */

/* Is an object of this project there for them? If not, answer BOUGH_NOT_FOUND as if it were not. */
bool auth_sees(const struct auth_who *who, const char *project);

struct auth_config {
    const char *const *hosts;   /* more names than the bound ones, NULL at the end; or NULL */
    const char *const *origins; /* more origins that may call, exactly as browsers write them */
    bool tls;                   /* behind HTTPS: cookies are Secure */
};

/* The store is borrowed. `env` NULL: the system's clock and randomness. */
struct auth *auth_create(struct bough_store *s, const struct auth_config *config,
                         const struct bough_env *env);
void auth_destroy(struct auth *a);

/* Other hosts and origins than before, from the next request on; bound names stay. */
void auth_reconfigure(struct auth *a, const struct auth_config *config);

/* Names by which clients may call a bound address. */
void auth_allow_host(struct auth *a, const char *host, int port);

/* D5 to D8: Host, Origin, one credential, its scopes against the route's. See http_app.gate. */
BOUGH_MUST_CHECK enum bough_rc auth_gate(struct auth *a, struct http_req *req, struct http_res *res,
                                         struct bough_error *err);

/* The path of a link that signs a browser in, once, within ten minutes. */
const char *auth_link(struct auth *a, struct bough_arena *arena);

/* GET /login?... by that link: sets the cookie and sends the browser to "/". Also /logout. */
extern const struct http_route auth_routes[];

/* ---- tokens ---- */

struct auth_token {
    char id[BOUGH_ID_LEN + 1];
    const char *label, *project;
    unsigned scopes;
    int64_t created, expires, used, revoked; /* 0: never */
};

struct auth_tokens {
    struct auth_token *at;
    size_t n;
};

/* `secret` is shown once and kept nowhere: the store has its SHA-256. */
BOUGH_MUST_CHECK enum bough_rc auth_token_create(struct bough_store *s, struct bough_arena *a,
                                                 const struct auth_token *in,
                                                 const struct bough_env *env, const char **secret,
                                                 struct auth_token *out, struct bough_error *err);
BOUGH_MUST_CHECK enum bough_rc auth_token_list(struct bough_store *s, struct bough_arena *a,
                                               struct auth_tokens *out, struct bough_error *err);
/* By id or label. Effective at once, in every process. Again is fine. */
BOUGH_MUST_CHECK enum bough_rc auth_token_revoke(struct bough_store *s, const char *token,
                                                 struct bough_error *err);

#endif
