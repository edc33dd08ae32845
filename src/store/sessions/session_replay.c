/* Idempotency keys of new sessions and forks. The key's row belongs to no session (number 0) and
 * names the changelog row of the creation. */
#include <string.h>

#include "base/hash/sha256.h"
#include "base/text/str.h"
#include "store/sessions/session.h"
#include "store/write/append.h"

static void hash_text(struct sha256 *h, const char *s)
{
    sha256_update(h, s ? s : "", (s ? strlen(s) : 0) + 1);
}

static void hash_json(struct sha256 *h, struct bough_str s)
{
    uint64_t n = s.n;

    sha256_update(h, &n, sizeof n);
    sha256_update(h, s.p ? s.p : "", s.n);
}

/* Hash everything that the caller gave. */
static void hash_request(const struct bough_session_create_options *in, unsigned char out[32])
{
    const char *texts[] = { in->id,         in->parent,        in->fork_entry,
                            in->title,      in->slug,          in->parent_tool_use_id,
                            in->project,    in->workspace,     in->account,
                            in->role_name,  in->provider_path, in->model_provider,
                            in->model_name, in->system_prompt, in->user_name,
                            in->version };
    int64_t numbers[] = { (int64_t)in->kind, (int64_t)in->totals_mode, in->created,
                          (int64_t)in->require };
    struct sha256 h;

    sha256_init(&h);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        hash_text(&h, texts[i]);
    hash_json(&h, in->data);
    hash_json(&h, in->metadata);
    sha256_update(&h, numbers, sizeof numbers);
    sha256_final(&h, out);
}

static void hash_fork(int64_t parent, const struct bough_session_fork_options *how,
                      unsigned char out[32])
{
    const char *texts[] = { "fork",     how->entry,          how->id,
                            how->title, how->model_provider, how->model_name };
    int64_t numbers[] = { parent, how->before, how->copy };
    struct sha256 h;

    sha256_init(&h);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        hash_text(&h, texts[i]);
    sha256_update(&h, numbers, sizeof numbers);
    sha256_final(&h, out);
}

static enum bough_rc set_key(struct bough_store *s, struct bough_arena *a, const char *key,
                             struct session_make *m, struct bough_error *err)
{
    m->key = cstr_empty(key) ? NULL : append_key(s, a, 0, key, err);
    return m->key || cstr_empty(key) ? BOUGH_OK : BOUGH_INVALID;
}

enum bough_rc session_key(struct bough_store *s, struct bough_arena *a,
                          const struct bough_session_create_options *in, struct session_make *m,
                          struct bough_error *err)
{
    hash_request(in, m->hash);
    return set_key(s, a, in->key, m, err);
}

enum bough_rc session_fork_key(struct bough_store *s, struct bough_arena *a,
                               const struct bough_session_fork_options *how, struct session_make *m,
                               struct bough_error *err)
{
    hash_fork(m->parent, how, m->hash);
    return set_key(s, a, how->key, m, err);
}

enum bough_rc session_key_prepare(struct prep *p, struct snap *snap, const struct session_make *m,
                                  struct bough_error *err)
{
    struct key_row row;
    struct change *c;

    if (!snap->ops->key_get(snap->v, p->a, m->key, &row, NULL) && row.expires > p->now)
        return bough_fail(err, BOUGH_KEY_CONFLICT, "the key is known");
    c = txn_change(p, CHANGE_KEY_PUT);
    c->u.key.key = m->key;
    c->u.key.expires = p->now + KEY_DAYS_MS;
    memcpy(c->u.key.hash, m->hash, sizeof m->hash);
    return BOUGH_OK;
}

enum bough_rc session_known(struct bough_store *s, struct bough_arena *a,
                            const struct session_make *m, bool *known, int64_t *sid,
                            struct bough_error *err)
{
    struct changelog_row log = { 0 };
    struct key_row row;
    struct snap snap;
    enum bough_rc rc = m->key ? snap_begin(s, &snap, err) : BOUGH_OK;

    *known = false;
    if (rc || !m->key)
        return rc;
    if (!snap.ops->key_get(snap.v, a, m->key, &row, NULL) && row.expires > env_now(&s->e->env)) {
        *known = true;
        rc = memcmp(row.hash, m->hash, sizeof m->hash) == 0
                 ? snap.ops->changelog_get(snap.v, row.no, &log, err)
                 : bough_fail(err, BOUGH_KEY_CONFLICT,
                              "this idempotency key was used for another request");
        if (!rc)
            *sid = log.sid;
    }
    snap_end(&snap);
    return rc;
}
