/* Tokens as the store keeps them: records without a session. What they allow is auth's business. */
#ifndef STORE_TOKEN_H
#define STORE_TOKEN_H

#include <bough/store.h>

#include "base/sha256.h"

struct store_token {
    char id[BOUGH_ID_LEN + 1];
    const char *label, *project;
    char hash[2 * SHA256_LEN + 1]; /* of the secret, in hex */
    int64_t scopes, created, expires, used, revoked;
};

struct store_tokens {
    struct store_token *at;
    size_t n;
    int64_t no; /* number of the last change that was seen */
};

/* Labels of tokens in use are unique: BOUGH_EXISTS. */
BOUGH_MUST_CHECK enum bough_rc store_token_add(struct bough_store *s, struct bough_arena *a,
                                               const struct store_token *in,
                                               struct store_token *out, struct bough_error *err);
/* All, revoked ones too, oldest first. */
BOUGH_MUST_CHECK enum bough_rc store_token_list(struct bough_store *s, struct bough_arena *a,
                                                struct store_tokens *out, struct bough_error *err);
/* By id or label; again is fine. */
BOUGH_MUST_CHECK enum bough_rc store_token_revoke(struct bough_store *s, const char *token,
                                                  struct bough_error *err);
/* Remember when it was last used. */
BOUGH_MUST_CHECK enum bough_rc store_token_used(struct bough_store *s, const char *id,
                                                struct bough_error *err);

/* Did any token change after number *no? Moves *no to where the log ends. */
BOUGH_MUST_CHECK enum bough_rc store_token_changed(struct bough_store *s, int64_t *no,
                                                   bool *changed, struct bough_error *err);

#endif
