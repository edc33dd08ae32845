/* Names of sessions: slugs and given ids. One name never stands for two sessions. */
#include <string.h>

#include "base/text/str.h"
#include "core/model/slug.h"
#include "store/contract/id.h"
#include "store/lookup/find.h"
#include "store/sessions/session.h"
#include "store/write/import_api.h"

/* Our ids begin with the time of creation, so their beginnings lie between these two. */
static const int64_t OWN_SINCE = 1577836800000; /* 2020 */
static const int64_t OWN_UNTIL = 4733510400000; /* 2120 */

enum { PREFIX_MAX = BOUGH_ID_LEN - 1 };

static bool one_alias(void *user, const struct alias_row *row)
{
    *(struct alias_row *)user = *row;
    return false;
}

/* The alias of a given id; a == 0: there is none. Its text is not kept. */
static enum bough_rc origin_alias(struct snap *snap, struct bough_arena *a, const char *origin,
                                  struct alias_row *out, struct bough_error *err)
{
    *out = (struct alias_row){ 0 };
    return snap->ops->alias_find(snap->v, arena_printf(a, "session:%s", origin), 0, one_alias, out,
                                 err);
}

static enum bough_rc slug_of_another(struct snap *snap, const char *slug, bool *taken,
                                     struct bough_error *err)
{
    int64_t sid;
    enum bough_rc rc = snap->ops->session_by_slug(snap->v, slug, &sid, err);

    *taken = !rc;
    return rc == BOUGH_NOT_FOUND ? BOUGH_OK : rc;
}

/* Is it a slug, or the id that another session was given? */
static enum bough_rc slug_taken(struct prep *p, struct snap *snap, const struct session_make *m,
                                const char *slug, bool *taken, struct bough_error *err)
{
    struct alias_row alias = { 0 };
    enum bough_rc rc = slug_of_another(snap, slug, taken, err);

    if (rc || *taken || cstr_eq(slug, m->body.origin))
        return rc;
    rc = origin_alias(snap, p->a, slug, &alias, err);
    *taken = alias.a != 0;
    return rc;
}

/* Another process may give the same name to a session as its id before this slug is committed. */
static void guard_slug(struct prep *p, const struct session_make *m, const char *slug)
{
    if (!cstr_eq(slug, m->body.origin))
        txn_guard(p, guard_no_alias(arena_printf(p->a, "session:%s", slug)));
}

enum { SLUG_TRIES = 100000 }; /* each is a lookup; the first is nearly always free */

enum bough_rc session_slug_choose(struct prep *p, struct snap *snap, const struct session_make *m,
                                  const char **slug, struct bough_error *err)
{
    const char *base;
    bool taken;
    enum bough_rc rc;

    if (!cstr_empty(m->slug)) {
        *slug = m->slug;
        rc = slug_taken(p, snap, m, m->slug, &taken, err);
        if (!rc && taken)
            rc = bough_fail(err, BOUGH_EXISTS, "the slug %.70s is taken", m->slug);
        if (!rc)
            guard_slug(p, m, *slug);
        return rc;
    }
    base = slug_from_title(p->a, m->body.title);
    if (cstr_empty(base))
        base = slug_random_words(p->a, &p->e->env);
    *slug = base;
    rc = slug_taken(p, snap, m, *slug, &taken, err);
    taken = taken || !base[strspn(base, "0123456789")]; /* digits alone read as a number */
    for (uint64_t i = 0; !rc && taken && i < SLUG_TRIES; i++) {
        *slug = slug_with_suffix(p->a, base, &p->e->env, i);
        rc = slug_taken(p, snap, m, *slug, &taken, err);
    }
    if (!rc && taken)
        rc = bough_fail(err, BOUGH_EXISTS, "no free slug like %.60s was found; choose one", base);
    if (!rc)
        guard_slug(p, m, *slug);
    return rc;
}

/* ---- given ids ---- */

/* Does the text read as the beginning of an id that this store has or may make? */
static bool reads_as_prefix(const char *text)
{
    size_t n = strlen(text);
    char whole[BOUGH_ID_LEN + 1];
    struct id id;

    if (n < FIND_PREFIX_LEAST || n > PREFIX_MAX)
        return false;
    memset(whole, '0', BOUGH_ID_LEN);
    memcpy(whole, text, n);
    return id_parse(str_make(whole, BOUGH_ID_LEN), &id) && id.made >= OWN_SINCE &&
           id.made < OWN_UNTIL;
}

static bool reads_as_own(const char *text)
{
    struct id id;

    return id_parse(str_of(text), &id) && id.space == 0 && id.position == 0 && id.number > 0;
}

/* An import of our own format may give the full id that a session had in another store. */
static enum bough_rc check_form(const struct session_make *m, struct bough_error *err)
{
    const char *id = m->body.origin;

    if (id[0] == '#')
        return bough_fail(err, BOUGH_INVALID,
                          "an id cannot begin with #: that is for numbers of sessions");
    if (reads_as_prefix(id) || (m->from == ORIGIN_CALLER && reads_as_own(id)))
        return bough_fail(err, BOUGH_INVALID,
                          "the id %.60s reads as an id of this store: choose another one", id);
    return BOUGH_OK;
}

enum bough_rc session_origin_put(struct prep *p, struct snap *snap, const struct session_make *m,
                                 struct bough_error *err)
{
    const char *id = m->body.origin;
    struct alias_row alias = { 0 };
    int64_t own = 0;
    bool slug = false;
    enum bough_rc rc = find_session_by_id(snap, id, &own, err);

    if (!rc && !own)
        rc = check_form(m, err);
    if (!rc && !own)
        rc = origin_alias(snap, p->a, id, &alias, err);
    if (!rc && !own && !alias.a)
        rc = slug_of_another(snap, id, &slug, err);
    if (rc)
        return rc;
    if (own || alias.a || slug)
        return bough_fail(err, BOUGH_EXISTS, "session %.60s exists", id);
    txn_guard(p, guard_no_slug(id));
    txn_change(p, CHANGE_ALIAS_ADD)->u.alias =
        (struct alias_row){ .id = arena_printf(p->a, "session:%s", id),
                            .what = ALIAS_SESSION,
                            .a = NEW_SESSION,
                            .b = m->from };
    return BOUGH_OK;
}

enum bough_rc session_origin_from(struct bough_store *s, const char *origin, int64_t *from,
                                  struct bough_error *err)
{
    struct bough_arena *a = bough_arena_create();
    struct alias_row alias = { 0 };
    struct snap snap;
    enum bough_rc rc = snap_begin(s, &snap, err);

    if (!rc) {
        rc = origin_alias(&snap, a, origin, &alias, err);
        snap_end(&snap);
    }
    *from = alias.b;
    bough_arena_destroy(a);
    return rc;
}

enum bough_rc session_by_origin(struct bough_store *s, struct bough_arena *a, const char *origin,
                                struct bough_session **out, int64_t *from, struct bough_error *err)
{
    struct alias_row alias;
    struct snap snap;
    bool purged = false;
    enum bough_rc rc = snap_begin(s, &snap, err);

    if (rc)
        return rc;
    rc = origin_alias(&snap, a, origin, &alias, err);
    if (!rc && alias.a)
        rc = snap_purged(&snap, alias.a, &purged, err);
    snap_end(&snap);
    if (!rc && (!alias.a || purged))
        rc = bough_fail(err, BOUGH_NOT_FOUND, "no session was given the id %.60s", origin);
    *from = alias.b;
    return rc ? rc : session_give(s, a, alias.a, out, err);
}
