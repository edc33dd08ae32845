/* Tokens: made once, found by the hash of their secret, gone the moment they are revoked. */
#include <string.h>

#include "auth/inside.h"
#include "base/arena.h"
#include "base/str.h"

/* Secret scanners find it by this. */
static const char prefix[] = "bough_";

static void give(const struct store_token *from, struct auth_token *to)
{
    *to = (struct auth_token){ .label = from->label,
                               .project = from->project,
                               .scopes = (unsigned)from->scopes,
                               .created = from->created,
                               .expires = from->expires,
                               .used = from->used,
                               .revoked = from->revoked };
    memcpy(to->id, from->id, sizeof to->id);
}

enum bough_rc auth_token_create(struct bough_store *s, struct bough_arena *a,
                                const struct auth_token *in, const struct bough_env *env,
                                const char **secret, struct auth_token *out,
                                struct bough_error *err)
{
    struct store_token row = { .label = in->label,
                               .project = in->project ? in->project : "",
                               .scopes = in->scopes & AUTH_ALL,
                               .expires = in->expires },
                       made = { 0 };
    unsigned char bytes[SECRET_BYTES];
    char text[2 * SECRET_BYTES + 1];
    enum bough_rc rc;

    if (!row.scopes)
        return bough_fail(err, BOUGH_INVALID, "a token needs a scope");
    if (env)
        env->random(env->user, bytes, sizeof bytes);
    else
        env_random(&env_system, bytes, sizeof bytes);
    sha256_hex(bytes, text); /* a secret has as many bytes as a hash */
    *secret = arena_printf(a, "%s%s", prefix, text);
    auth_hash(*secret, row.hash);
    explicit_bzero(bytes, sizeof bytes);
    explicit_bzero(text, sizeof text);
    rc = store_token_add(s, a, &row, &made, err);
    if (!rc)
        give(&made, out);
    return rc;
}

enum bough_rc auth_token_list(struct bough_store *s, struct bough_arena *a, struct auth_tokens *out,
                              struct bough_error *err)
{
    struct store_tokens all;
    enum bough_rc rc = store_token_list(s, a, &all, err);

    *out = (struct auth_tokens){ 0 };
    if (rc)
        return rc;
    out->at = arena_array(a, all.n ? all.n : 1, sizeof *out->at);
    for (size_t i = 0; i < all.n; i++)
        give(&all.at[i], &out->at[out->n++]);
    return BOUGH_OK;
}

enum bough_rc auth_token_revoke(struct bough_store *s, const char *token, struct bough_error *err)
{
    return store_token_revoke(s, token, err);
}

/* ---- finding one ---- */

void auth_hash(const char *secret, char out[2 * SHA256_LEN + 1])
{
    unsigned char hash[SHA256_LEN];

    sha256(secret, strlen(secret), hash);
    sha256_hex(hash, out);
}

bool auth_same(const char *a, const char *b)
{
    int diff = 0;

    for (size_t i = 0; i < 2 * (size_t)SHA256_LEN; i++)
        diff |= a[i] ^ b[i];
    return diff == 0;
}

/* What other processes created or revoked counts from the next request on. One look at the log is
 * good for every request that had come by then, and is outside the lock. */
static enum bough_rc refresh(struct auth *a, int64_t came_us, struct bough_error *err)
{
    bool changed = true, loaded, fresh;
    enum bough_rc rc = BOUGH_OK;
    int64_t no, looked_us = mono_us();

    pthread_mutex_lock(&a->lock);
    loaded = a->loaded;
    fresh = loaded && a->looked_us > came_us;
    no = a->tokens.no;
    pthread_mutex_unlock(&a->lock);
    if (fresh)
        return BOUGH_OK;
    if (loaded)
        rc = store_token_changed(a->store, &no, &changed, err);
    if (rc)
        return rc;
    pthread_mutex_lock(&a->lock);
    if (changed) {
        bough_arena_reset(a->arena);
        rc = store_token_list(a->store, a->arena, &a->tokens, err);
        a->loaded = !rc;
    } else if (no > a->tokens.no) {
        a->tokens.no = no;
    }
    if (!rc && looked_us > a->looked_us)
        a->looked_us = looked_us;
    pthread_mutex_unlock(&a->lock);
    return rc;
}

static struct store_token *match(struct auth *a, const char *hash)
{
    struct store_token *found = NULL;
    int64_t now = env_now(&a->env);

    for (size_t i = 0; i < a->tokens.n; i++) {
        struct store_token *t = &a->tokens.at[i];

        if (auth_same(t->hash, hash) && !t->revoked && (!t->expires || t->expires > now))
            found = t;
    }
    return found;
}

static struct store_token *copy(struct bough_arena *a, const struct store_token *from)
{
    struct store_token *to = arena_dup(a, from, sizeof *from);

    to->label = arena_strdup(a, from->label);
    to->project = arena_strdup(a, from->project);
    return to;
}

enum bough_rc auth_find(struct auth *a, struct bough_arena *arena, const char *secret,
                        int64_t came_us, struct store_token **out, struct bough_error *err)
{
    char hash[2 * SHA256_LEN + 1];
    struct store_token *t = NULL;
    bool used = false;
    enum bough_rc rc;

    *out = NULL;
    auth_hash(secret, hash);
    rc = refresh(a, came_us, err);
    if (rc)
        return rc;
    pthread_mutex_lock(&a->lock);
    if (a->loaded)
        t = match(a, hash);
    if (t) {
        int64_t now = env_now(&a->env);

        used = now - t->used > USED_MS;
        if (used)
            t->used = now; /* others need not write it too */
        *out = copy(arena, t);
    }
    pthread_mutex_unlock(&a->lock);
    /* A store that cannot be written serves all the same. */
    if (used)
        (void)!store_token_used(a->store, (*out)->id, NULL);
    return BOUGH_OK;
}
