/* Auth tokens: records of the store. There are few, so they are found by listing. */
#include "store/notes/token.h"

#include <string.h>

#include "base/limits.h"
#include "base/text/str.h"
#include "store/contract/id.h"
#include "store/lookup/check.h"
#include "store/sessions/session.h"
#include "store/write/audit.h"

enum { TOKENS_MAX = 10000 };

struct listing {
    struct bough_arena *a;
    struct store_tokens *out;
    int64_t now;
    enum bough_rc rc;
    struct bough_error *err;
};

static bool list_one(void *user, const struct record_row *row)
{
    struct listing *l = user;
    struct store_tokens *out = l->out;
    struct bough_str copy = arena_str(l->a, row->body);
    struct store_token *to;
    struct token_body b;

    l->rc = body_read(token_fields, copy, &b, l->err);
    if (l->rc)
        return false;
    if (strlen(b.hash) != 2 * SHA256_LEN)
        return true; /* quarantined: only its ordinal is taken */
    if (b.kind == TOKEN_BROWSER && (row->deleted || b.expires <= l->now))
        return true;
    out->at = arena_room(l->a, out->at, out->n, sizeof *out->at);
    to = &out->at[out->n++];
    *to = (struct store_token){ .kind = (enum token_kind)b.kind,
                                .label = b.label,
                                .project = b.project,
                                .agent = b.agent,
                                .scopes = b.scopes,
                                .created = b.created,
                                .expires = b.expires,
                                .used = b.used,
                                .revoked = row->deleted };
    memcpy(to->hash, b.hash, sizeof to->hash);
    id_record(b.made, 0, RECORD_TOKEN, row->ord, b.chk, to->id);
    return true;
}

static enum bough_rc read_all(struct snap *snap, struct bough_arena *a, struct store_tokens *out,
                              struct bough_error *err)
{
    struct listing l = { .a = a, .out = out, .now = env_now(&snap->e->env), .err = err };
    enum bough_rc rc;

    *out = (struct store_tokens){ 0 };
    rc = snap->ops->record_scan(snap->v, 0, RECORD_TOKEN, 1, false, list_one, &l, err);
    if (!rc && !l.rc)
        rc = snap->ops->changelog_last(snap->v, &out->no, err);
    return rc ? rc : l.rc;
}

enum bough_rc store_token_list(struct bough_store *s, struct bough_arena *a,
                               struct store_tokens *out, struct bough_error *err)
{
    struct snap snap;
    enum bough_rc rc = snap_begin(s, &snap, err);

    if (rc)
        return rc;
    rc = read_all(&snap, a, out, err);
    snap_end(&snap);
    return rc;
}

/* ---- changing ---- */

struct job {
    struct bough_store *s;
    const struct store_token *in; /* add: the new token */
    const char *token;            /* revoke, used: id or label */
    bool revoke;
    int64_t used_ms; /* used: not if it was written within this time */
    struct token_body body;
};

static void put(struct prep *p, struct record_row row, struct token_body *body)
{
    row.kind = RECORD_TOKEN;
    row.body = body_pack(p->a, token_fields, body);
    txn_change(p, CHANGE_RECORD_PUT)->u.record = row;
    txn_changelog(p, CHANGELOG_RECORD, 0, 1);
    p->t->log.record = row.ord ? row.ord : NEW_RECORD(0);
    p->t->log.record_kind = RECORD_TOKEN;
}

/* The record of a browser to use again: one that is signed out, or with all records in use the one
 * that expires first. */
struct reuse {
    int64_t now, ends, ord, ver;
    int in_use;
};

static bool look_for_old(void *user, const struct record_row *row)
{
    struct reuse *r = user;
    struct token_body b;
    int64_t ends;

    if (body_read(token_fields, row->body, &b, NULL) || b.kind != TOKEN_BROWSER)
        return true;
    ends = row->deleted || b.expires <= r->now ? 0 : b.expires;
    r->in_use += ends > 0;
    if (!r->ord || ends < r->ends) {
        r->ends = ends;
        r->ord = row->ord;
        r->ver = row->ver;
    }
    return true;
}

static enum bough_rc old_browser(struct prep *p, struct snap *snap, struct record_row *out,
                                 struct bough_error *err)
{
    struct reuse r = { .now = p->now };
    enum bough_rc rc =
        snap->ops->record_scan(snap->v, 0, RECORD_TOKEN, 1, false, look_for_old, &r, err);

    if (!rc && r.ord && (!r.ends || r.in_use >= TOKEN_BROWSERS)) {
        out->ord = r.ord;
        out->ver = r.ver;
    }
    return rc;
}

static enum bough_rc prepare_add(struct prep *p, void *user, struct bough_error *err)
{
    struct job *j = user;
    struct record_row row = { 0 };
    struct store_tokens all;
    struct snap *snap;
    enum bough_rc rc = prep_snap(p, &snap, err);

    if (!rc)
        rc = read_all(snap, p->a, &all, err);
    if (rc)
        return rc;
    if (all.n >= TOKENS_MAX)
        return bough_fail(err, BOUGH_TOO_LARGE, "a store has at most %d tokens", TOKENS_MAX);
    for (size_t i = 0; i < all.n && j->in->kind == TOKEN_API; i++)
        if (all.at[i].kind == TOKEN_API && !all.at[i].revoked &&
            strcmp(all.at[i].label, j->in->label) == 0)
            return bough_fail(err, BOUGH_EXISTS, "a token named %.60s already exists",
                              j->in->label);
    if (j->in->kind == TOKEN_BROWSER)
        rc = old_browser(p, snap, &row, err);
    if (rc)
        return rc;
    j->body = (struct token_body){ .made = p->now,
                                   .chk = (int64_t)(env_u64(&p->e->env) & 0xffff),
                                   .label = j->in->label,
                                   .project = j->in->project,
                                   .hash = j->in->hash,
                                   .scopes = j->in->scopes,
                                   .created = p->now,
                                   .expires = j->in->expires,
                                   .kind = j->in->kind,
                                   .agent = j->in->agent };
    put(p, row, &j->body); /* first record of the txn, so NEW_RECORD(0) is the token */
    audit_put(p, j->s->principal, j->in->kind == TOKEN_BROWSER ? "sign in browser" : "create token",
              j->in->label, "");
    return BOUGH_OK;
}

enum bough_rc store_token_add(struct bough_store *s, struct bough_arena *a,
                              const struct store_token *in, struct store_token *out,
                              struct bough_error *err)
{
    struct job j = { .s = s, .in = in };
    struct request r = { .prepare = prepare_add, .user = &j };
    struct store_tokens all;
    enum bough_rc rc = check_text("the label", in->label, LIMIT_TITLE, err);

    if (!rc)
        rc = check_text("the browser", in->agent, LIMIT_TITLE, err);
    if (!rc)
        rc = check_text("the project", in->project, LIMIT_PATH, err);
    if (!rc && cstr_empty(in->label))
        rc = bough_fail(err, BOUGH_INVALID, "a token needs a label");
    if (!rc)
        rc = write_run(s, a, &r, err);
    if (!rc)
        rc = store_token_list(s, a, &all, err);
    for (size_t i = 0; !rc && i < all.n; i++)
        if (strcmp(all.at[i].hash, in->hash) == 0)
            *out = all.at[i];
    return rc;
}

static enum bough_rc prepare_change(struct prep *p, void *user, struct bough_error *err)
{
    struct job *j = user;
    const struct store_token *found = NULL;
    struct store_tokens all;
    struct record_row row = { 0 };
    struct token_body body = { 0 };
    struct snap *snap;
    struct id id;
    enum bough_rc rc = prep_snap(p, &snap, err);

    if (!rc)
        rc = read_all(snap, p->a, &all, err);
    for (size_t i = 0; !rc && i < all.n; i++)
        if (strcmp(all.at[i].id, j->token) == 0 ||
            (all.at[i].kind == TOKEN_API && strcmp(all.at[i].label, j->token) == 0))
            found = &all.at[i]; /* the last match: of a reused label, the newest token */
    if (!rc && !found)
        rc = bough_fail(err, BOUGH_NOT_FOUND, "there is no token %.60s", j->token);
    if (!rc && !id_parse(str_of(found->id), &id))
        rc = bough_fail(err, BOUGH_CORRUPT, "the id of token %.60s cannot be read", j->token);
    if (!rc)
        rc = snap->ops->record_get(snap->v, p->a, 0, RECORD_TOKEN, id.position & LIMIT_RECORD, &row,
                                   err);
    if (!rc)
        rc = body_read(token_fields, row.body, &body, err);
    if (rc || !found || (j->revoke ? row.deleted != 0 : p->now - body.used < j->used_ms))
        return rc;
    if (j->revoke)
        row.deleted = p->now;
    else
        body.used = p->now;
    put(p, row, &body);
    if (j->revoke) {
        audit_put(p, j->s->principal, "revoke token", found->label, "");
    } else { /* the time of use is no news: no changelog row, and no sync */
        p->t->log = (struct changelog_row){ 0 };
        p->t->relaxed = true;
    }
    return BOUGH_OK;
}

static enum bough_rc change(struct bough_store *s, struct job *j, struct bough_error *err)
{
    struct request r = { .prepare = prepare_change, .user = j };
    struct bough_arena *tmp = bough_arena_create();
    enum bough_rc rc = write_run(s, tmp, &r, err);

    bough_arena_destroy(tmp);
    return rc;
}

enum bough_rc store_token_revoke(struct bough_store *s, const char *token, struct bough_error *err)
{
    return change(s, &(struct job){ .s = s, .token = token, .revoke = true }, err);
}

enum bough_rc store_token_used(struct bough_store *s, const char *id, int64_t ms,
                               struct bough_error *err)
{
    return change(s, &(struct job){ .s = s, .token = id, .used_ms = ms }, err);
}

/* ---- change detection ---- */

struct looking {
    int64_t no;
    bool changed;
};

static bool look(void *user, const struct changelog_row *row)
{
    struct looking *l = user;

    l->no = row->no;
    l->changed = l->changed || (row->kind == CHANGELOG_RECORD && row->record_kind == RECORD_TOKEN);
    return true;
}

enum bough_rc store_token_changed(struct bough_store *s, int64_t *no, bool *changed,
                                  struct bough_error *err)
{
    struct looking l = { .no = *no };
    struct snap snap;
    int64_t last;
    enum bough_rc rc = snap_begin(s, &snap, err);

    *changed = false;
    if (rc)
        return rc;
    rc = snap.ops->changelog_last(snap.v, &last, err);
    if (!rc && last < *no)
        l.changed = true; /* a backup was restored */
    else if (!rc && last > *no)
        rc = snap.ops->changelog_scan(snap.v, *no, look, &l, err);
    snap_end(&snap);
    *no = last;
    *changed = l.changed;
    return rc;
}
