/* Auth tokens as records of the store. Their meaning is defined in src/auth. */
#ifndef STORE_NOTES_TOKEN_H
#define STORE_NOTES_TOKEN_H

#include <bough/store.h>

#include "base/hash/sha256.h"
#include "core/pack/bodies.h"

enum { TOKEN_BROWSERS = 64 }; /* at a time; a new one replaces the one that expires first */

struct store_token {
    char id[BOUGH_ID_LEN + 1];
    enum token_kind kind;
    const char *label, *project;
    const char *agent;             /* of a browser; else "" */
    char hash[2 * SHA256_LEN + 1]; /* SHA-256 of the secret, in hex */
    int64_t scopes, created, expires, used, revoked;
};

/* A list of tokens, in the caller's arena. */
struct store_tokens {
    struct store_token *at;
    size_t n;
    int64_t no; /* last changelog number at the time of reading */
};

/* Add a token. BOUGH_EXISTS when a token that is not revoked has the label, BOUGH_TOO_LARGE when
 * there are too many tokens. A browser needs no label of its own; it takes the record of one that
 * has expired or was revoked, or of the one that expires first. */
BOUGH_MUST_CHECK enum bough_rc store_token_add(struct bough_store *s, struct bough_arena *a,
                                               const struct store_token *in,
                                               struct store_token *out, struct bough_error *err);
/* All tokens, revoked ones included, oldest first. Of browsers only those that are signed in. */
BOUGH_MUST_CHECK enum bough_rc store_token_list(struct bough_store *s, struct bough_arena *a,
                                                struct store_tokens *out, struct bough_error *err);
/* Revoke by id or, unless it is a browser, label. A no-op if already revoked; BOUGH_NOT_FOUND when
 * there is no such token. */
BOUGH_MUST_CHECK enum bough_rc store_token_revoke(struct bough_store *s, const char *token,
                                                  struct bough_error *err);
/* Record the time of use, unless that was done within the last `ms`. Relaxed, and no change of the
 * changelog. */
BOUGH_MUST_CHECK enum bough_rc store_token_used(struct bough_store *s, const char *id, int64_t ms,
                                                struct bough_error *err);

/* Has any token changed after changelog number *no? Sets *no to the current end. Also true if the
 * changelog ends before *no, that is, after a restore. */
BOUGH_MUST_CHECK enum bough_rc store_token_changed(struct bough_store *s, int64_t *no,
                                                   bool *changed, struct bough_error *err);

#endif
