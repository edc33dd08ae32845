/* Authentication for the API: tokens with scopes, browser cookies, Host and Origin checks. */
#ifndef AUTH_AUTH_H
#define AUTH_AUTH_H

#include <bough/store.h>

#include "base/hash/sha256.h"
#include "http/http.h"

/* A bit set: the scopes a route needs (http_route.needs), and the scopes a token has. The bits are
 * stored in tokens: a new scope is the next bit. A token made earlier does not have it, even if it
 * had all scopes then. */
enum auth_scope {
    AUTH_READ = 1,
    AUTH_APPEND = 2, /* write messages, notes, sessions */
    AUTH_FORK = 4,
    AUTH_DELETE = 8, /* delete, purge */
    AUTH_EXPORT = 16,
    AUTH_ADMIN = 32, /* the store as a whole: tokens, upkeep, metrics */
    AUTH_GATEWAY = 64,
    AUTH_MCP = 128,
    AUTH_RUN = 256,      /* start and stop runs with tools, and external agents */
    AUTH_APPROVE = 512,  /* settle approvals, take grants back */
    AUTH_ALL = 1023,     /* all bits above */
    AUTH_OPEN = 1 << 30, /* never stored; a route without credentials, reveals nothing of a store */
};

const char *auth_scope_name(enum auth_scope one); /* "read"; "" unless exactly one bit is set */
const char *
auth_scope_word(size_t i); /* the i-th word auth_scopes_parse() knows; NULL at the end */
/* Parse "read,append" into bits; "all" sets every scope. BOUGH_INVALID names an unknown word, or
 * says that no scope was given. */
BOUGH_MUST_CHECK enum bough_rc auth_scopes_parse(const char *text, unsigned *out,
                                                 struct bough_error *err);
/* The reverse of auth_scopes_parse(): "read,append", or "all". In `a`, or static. */
const char *auth_scopes_text(struct bough_arena *a, unsigned scopes);

struct auth;

/* A credential that was valid at the gate, to check later whether it still is. All zero: the owner
 * on the Unix socket, who stays valid. Plain data: copy it. */
struct auth_pass {
    char hash[2 * SHA256_LEN + 1]; /* of the secret */
    bool browser;
    int64_t expires;  /* 0: never */
    uint64_t checked; /* changes of credentials when it was last found valid */
};

/* Is the credential still valid: not revoked, expired or signed out, as of the last auth_look() or
 * request? Fast, without reading the store; may be called on the loop thread. */
bool auth_still(struct auth *a, struct auth_pass *pass);
/* Notice tokens that were revoked by another process, unless that was done within the last `ms`. */
void auth_look(struct auth *a, int64_t ms);

/* The caller of a request: http_req.who of every request that passed the gate. */
struct auth_who {
    /* "owner", or "token:<label>"; names the caller in idempotency keys and in the audit trail. */
    const char *name;
    unsigned scopes;     /* bits */
    const char *project; /* the caller sees only sessions of this project; "" is all projects */
    bool browser;        /* authenticated by the cookie */
    struct auth_pass pass;
    struct auth *auth;
};

const struct auth_who *auth_who(const struct http_req *req); /* never NULL once the gate has run */

/* May the caller see objects of this project? If not, the handler must answer BOUGH_NOT_FOUND, as
 * if the object did not exist. */
bool auth_sees(const struct auth_who *who, const char *project);

struct auth_config {
    /* Host names to accept besides the bound ones; NULL-terminated, or NULL. */
    const char *const *hosts;
    /* Origins to accept besides our own, spelled as browsers send them. */
    const char *const *origins;
    bool tls; /* served behind HTTPS: cookies get the Secure attribute */
};

/* The store is borrowed and must outlive the result. `config` is copied; NULL means defaults. `env`
 * NULL means the system's clock and random numbers. */
struct auth *auth_create(struct bough_store *s, const struct auth_config *config,
                         const struct bough_env *env);
/* NULL is allowed. */
void auth_destroy(struct auth *a);

/* Replace the configured hosts and origins, from the next request on. Hosts added with
 * auth_allow_host() stay. */
void auth_reconfigure(struct auth *a, const struct auth_config *config);

/* Accept `host`:`port` in Host; for a loopback address also localhost:port. */
void auth_allow_host(struct auth *a, const char *host, int port);

/* Check Host, Origin, the credential, and its scopes against the route's (D5 to D8). Sets req->who.
 * A refusal is written to `res` and returns BOUGH_DENIED. See http_app.gate. */
BOUGH_MUST_CHECK enum bough_rc auth_gate(struct auth *a, struct http_req *req, struct http_res *res,
                                         struct bough_error *err);

/* The last step of auth_gate(): may req->who use req->route, by its scopes and its project? */
BOUGH_MUST_CHECK enum bough_rc auth_admit(struct http_req *req, struct http_res *res);

/* The path of a link that signs a browser in. It works once, within ten minutes. */
const char *auth_link(struct auth *a, struct bough_arena *arena);

/* "127.0.0.1:7447": where the server listens on TCP, as given to auth_allow_host(), the first one;
 * "" when it does not. */
const char *auth_address(struct auth *a, struct bough_arena *arena);

/* GET /login with such a link sets the cookie and redirects to "/". POST /logout clears the
 * cookie. */
extern const struct http_route auth_routes[];

/* ---- tokens ---- */

struct auth_token {
    char id[BOUGH_ID_LEN + 1];
    bool browser; /* a signed-in browser; its label is "browser" */
    const char *label, *project;
    const char *agent; /* the browser, as it calls itself; else "" */
    unsigned scopes;
    int64_t created, expires, used, revoked; /* 0: never. `used` is up to a minute late */
};

struct auth_tokens {
    struct auth_token *at;
    size_t n;
};

/* Create a token from in->label, project, scopes and expires. `secret` (in `a`) cannot be read
 * again: the store keeps only its SHA-256. BOUGH_INVALID without a scope, BOUGH_EXISTS when a token
 * in use has that label. */
BOUGH_MUST_CHECK enum bough_rc auth_token_create(struct bough_store *s, struct bough_arena *a,
                                                 const struct auth_token *in,
                                                 const struct bough_env *env, const char **secret,
                                                 struct auth_token *out, struct bough_error *err);
/* All tokens, oldest first, revoked ones included, and the browsers that are signed in. */
BOUGH_MUST_CHECK enum bough_rc auth_token_list(struct bough_store *s, struct bough_arena *a,
                                               struct auth_tokens *out, struct bough_error *err);
/* Revoke by id or label; a browser by id only. Takes effect at once in every process. Revoking
 * twice is not an error. */
BOUGH_MUST_CHECK enum bough_rc auth_token_revoke(struct bough_store *s, const char *token,
                                                 struct bough_error *err);

/* The members of a token as JSON, into an open object; shared by the API and --json. */
void auth_token_form(struct json_writer *w, struct bough_arena *a, const struct auth_token *t);

#endif
