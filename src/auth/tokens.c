/* Tokens: create, list, revoke, and find by the hash of the secret. */
#include <string.h>

#include "auth/inside.h"
#include "base/memory/arena.h"
#include "base/text/iso.h"
#include "base/text/str.h"

/* Lets secret scanners recognise a leaked token. */
static const char prefix[] = "bough_";

static void give(const struct store_token *from, struct auth_token *to)
{
    *to = (struct auth_token){ .browser = from->kind == TOKEN_BROWSER,
                               .label = from->label,
                               .agent = from->agent,
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
                               .agent = "",
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
    sha256_hex(bytes, text); /* a secret has as many bytes as SHA-256 */
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

static void put_time(struct json_writer *w, const char *key, int64_t ms)
{
    char text[ISO_TEXT];

    iso_print(ms, text);
    jw_kv_cstr(w, key, *text ? text : NULL);
}

void auth_token_form(struct json_writer *w, struct bough_arena *a, const struct auth_token *t)
{
    jw_kv_cstr(w, "id", t->id);
    jw_kv_cstr(w, "kind", t->browser ? "browser" : "api");
    jw_kv_cstr(w, "name", t->label);
    jw_kv_cstr(w, "scopes", auth_scopes_text(a, t->scopes));
    jw_opt_cstr(w, "project", t->project);
    jw_opt_cstr(w, "user_agent", t->agent);
    put_time(w, "created", t->created);
    put_time(w, "expires", t->expires);
    put_time(w, "last_used", t->used);
    put_time(w, "revoked", t->revoked);
}

/* ---- finding a token ---- */

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

/* Reload the tokens if another process changed them. One check of the changelog serves every
 * request that arrived before it. The store is read outside the lock: the loop thread takes it. */
static enum bough_rc refresh(struct auth *a, int64_t came_us, struct bough_error *err)
{
    struct bough_arena *arena = NULL;
    struct store_tokens found = { 0 };
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
    if (!rc && changed) {
        arena = bough_arena_create();
        rc = store_token_list(a->store, arena, &found, err);
    }
    pthread_mutex_lock(&a->lock);
    if (!rc && changed && (!a->loaded || found.no >= a->tokens.no)) {
        struct bough_arena *old = a->arena;

        a->arena = arena;
        arena = old;
        a->tokens = found;
        a->loaded = true;
        __atomic_add_fetch(&a->changes, 1, __ATOMIC_RELEASE);
    } else if (!rc && no > a->tokens.no) {
        a->tokens.no = no;
    }
    if (!rc && looked_us > a->looked_us)
        a->looked_us = looked_us;
    pthread_mutex_unlock(&a->lock);
    bough_arena_destroy(arena);
    return rc;
}

static struct store_token *match(struct auth *a, enum token_kind kind, const char *hash)
{
    struct store_token *found = NULL;
    int64_t now = env_now(&a->env);

    for (size_t i = 0; i < a->tokens.n; i++) {
        struct store_token *t = &a->tokens.at[i];

        if (auth_same(t->hash, hash) && t->kind == kind && !t->revoked &&
            (!t->expires || t->expires > now))
            found = t;
    }
    return found;
}

static struct store_token *copy(struct bough_arena *a, const struct store_token *from)
{
    struct store_token *to = arena_dup(a, from, sizeof *from);

    to->label = arena_strdup(a, from->label);
    to->project = arena_strdup(a, from->project);
    to->agent = arena_strdup(a, from->agent);
    return to;
}

enum bough_rc auth_find(struct auth *a, struct bough_arena *arena, enum token_kind kind,
                        const char *secret, int64_t came_us, struct store_token **out,
                        struct bough_error *err)
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
        t = match(a, kind, hash);
    if (t) {
        int64_t now = env_now(&a->env);

        used = now - t->used >= USED_MS;
        if (used)
            t->used = now; /* so that concurrent requests do not write it too */
        *out = copy(arena, t);
    }
    pthread_mutex_unlock(&a->lock);
    /* Best effort: a read-only store must still authenticate. */
    if (used)
        (void)!store_token_used(a->store, (*out)->id, USED_MS, NULL);
    return BOUGH_OK;
}

/* ---- checking again ---- */

void auth_pass_fill(struct auth *a, struct auth_pass *pass, const char *secret, bool browser,
                    int64_t expires)
{
    auth_hash(secret, pass->hash);
    pass->browser = browser;
    pass->expires = expires;
    pass->checked = __atomic_load_n(&a->changes, __ATOMIC_ACQUIRE);
}

void auth_look(struct auth *a, int64_t ms)
{
    (void)!refresh(a, mono_us() - ms * 1000, NULL);
}

bool auth_still(struct auth *a, struct auth_pass *pass)
{
    uint64_t changes = __atomic_load_n(&a->changes, __ATOMIC_ACQUIRE);
    int64_t now = env_now(&a->env);
    const struct store_token *t;
    bool valid;

    if (!*pass->hash || (pass->checked == changes && (!pass->expires || pass->expires > now)))
        return true;
    pthread_mutex_lock(&a->lock);
    /* While tokens cannot be read, the last answer stands. */
    t = a->loaded ? match(a, pass->browser ? TOKEN_BROWSER : TOKEN_API, pass->hash) : NULL;
    valid = t || (!a->loaded && (!pass->expires || pass->expires > now));
    pthread_mutex_unlock(&a->lock);
    pass->checked = changes;
    return valid;
}
