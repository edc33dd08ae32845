/* Places sessions: finds or creates the session of a file, and links it to its parent. */
#include <string.h>
#include <strings.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "store/contract/rows.h"
#include "store/write/import_api.h"
#include "transfer/import/placer.h"

/* The id in a file's name: the part between the last "_" or "/" and the suffix. */
static const char *id_in_path(struct bough_arena *a, const char *path)
{
    const char *from = strrchr(path, '_'), *slash = strrchr(path, '/'), *dot;

    if (!from || (slash && slash > from))
        from = slash;
    from = from ? from + 1 : path;
    dot = strrchr(from, '.');
    return dot ? arena_strndup(a, from, (size_t)(dot - from)) : from;
}

/* ---- ids of the file ---- */

/* The session with this full id of ours, or NULL. Other names of a session are not looked up. */
static struct bough_session *by_own_id(struct placer *p, const char *id)
{
    struct bough_session *s;

    return bough_session_get(p->s, p->tmp, id, &s, NULL) == BOUGH_OK && strcasecmp(s->id, id) == 0
               ? s
               : NULL;
}

/* May ids of this file name sessions whose id came `from` there? A store that was moved has them
 * from our own format. */
static bool gives(const struct placer *p, int64_t from)
{
    return from == (int64_t)p->format->number || from == FORMAT_BOUGH || from == ORIGIN_UNKNOWN;
}

/* The id of a session here, when a session from elsewhere has the one in the file. */
static const char *own_name(struct placer *p, const char *id)
{
    return arena_printf(p->tmp, "%s:%s", p->format->name, id);
}

/* The session that an import of this format gave the id, or NULL. */
static struct bough_session *by_given_id(struct placer *p, const char *id)
{
    struct bough_session *s;
    int64_t from;

    return session_by_origin(p->s, p->tmp, id, &s, &from, NULL) == BOUGH_OK && gives(p, from)
               ? s
               : NULL;
}

bool placer_gave(struct placer *p, const char *session)
{
    const struct bough_session *s = by_own_id(p, session);

    return s && *s->origin && by_given_id(p, s->origin);
}

/* The session of this store that the file was exported from, or NULL. */
static struct bough_session *exported_session(struct placer *p)
{
    struct bough_session *s;
    int64_t from;

    if (cstr_empty(p->in.exported_from))
        return NULL;
    s = by_own_id(p, p->in.exported_from);
    if (!s && session_by_origin(p->s, p->tmp, p->in.exported_from, &s, &from, NULL) != BOUGH_OK)
        return NULL;
    return s;
}

/* Find the parent session in the store: by its file, by its id, or by the id in its file's name. */
static void find_parent(struct placer *p)
{
    struct bough_source *source;
    struct bough_session *s = NULL;
    const char *name = p->in.parent;
    uint64_t v;

    p->parent[0] = '\0';
    if (p->in.copy && cstr_empty(name))
        s = exported_session(p);
    if (s)
        memcpy(p->parent, s->id, sizeof p->parent);
    if (cstr_empty(name))
        return;
    if (smap_get(&p->placed, str_of(name), &v))
        s = by_own_id(p, (const char *)(uintptr_t)v);
    else if (bough_source_get(p->s, p->tmp, name, &source, NULL) == BOUGH_OK && *source->session)
        s = by_own_id(p, source->session);
    else if (strchr(name, '/') || strchr(name, '\\'))
        s = by_given_id(p, id_in_path(p->tmp, name));
    if (!s)
        s = by_own_id(p, name); /* an export gave it */
    if (!s)
        s = by_given_id(p, name);
    if (s)
        memcpy(p->parent, s->id, sizeof p->parent);
}

/* ---- a parent that comes later ---- */

/* The mark of a session that stands for a parent which is not imported yet. */
#define STAND_IN "{\"bough.stand_in\":true}"

static bool is_stand_in(const struct bough_session *s)
{
    return str_is(s->metadata, STAND_IN);
}

/* Is the parent not in the store, or not yet the entry that it was forked at? Another process may
 * be importing it. */
static bool lacks_parent(struct placer *p)
{
    struct bough_entry *e;

    if (!p->parent[0])
        return true;
    return !cstr_empty(p->in.fork_entry) &&
           bough_entry_get(p->s, p->tmp, p->parent, p->in.fork_entry, &e, NULL) != BOUGH_OK;
}

/* Should a new session wait for the import of its parent? */
static bool waits(struct placer *p)
{
    return p->how->parent_first && !p->in.exact && !p->ordered && !cstr_empty(p->in.parent) &&
           lacks_parent(p);
}

static enum bough_rc wait_for_parent(struct placer *p, struct bough_error *err)
{
    p->out->waits_for = arena_strdup(p->answers, p->in.parent);
    return bough_fail(err, BOUGH_NOT_FOUND, "%s: its parent %.100s is not in the store", p->path,
                      p->in.parent);
}

/* Create an empty session for the parent of a subagent. Its own import finds it by its id. */
static enum bough_rc stand_in(struct placer *p, const struct bough_session_create_options *child,
                              struct bough_error *err)
{
    struct bough_session_create_options in = { .id = p->in.parent,
                                               .project = child->project,
                                               .workspace = child->workspace,
                                               .provider_path = child->provider_path,
                                               .created = child->created,
                                               .metadata = str_of(STAND_IN) };
    struct bough_session *s;
    enum bough_rc rc;

    if (!p->in.subagent || p->in.exact || cstr_empty(p->in.parent) || p->parent[0])
        return BOUGH_OK;
    if (strchr(p->in.parent, '/'))
        in.id = id_in_path(p->tmp, p->in.parent);
    rc = session_create_from(p->s, p->tmp, &in, p->format->number, &s, err);
    if (rc == BOUGH_EXISTS) { /* another process was faster, or its id is taken */
        find_parent(p);
        return BOUGH_OK;
    }
    if (placer_refused(rc)) /* the session stands alone */
        return BOUGH_OK;
    if (!rc)
        memcpy(p->parent, s->id, sizeof p->parent);
    return rc;
}

/* The parent has come: its fields replace those of the session that stood for it. */
static enum bough_rc fill_stand_in(struct placer *p, const struct bough_session *s,
                                   struct bough_error *err)
{
    struct bough_session_update_options in = {
        .title = p->in.title,
        .project = cstr_empty(p->how->project) ? p->in.project : p->how->project,
        .workspace = p->in.workspace,
        .account = p->in.account,
        .provider_path = p->in.provider_path,
        .role_name = p->in.role_name,
        .model_provider = p->in.model_provider,
        .model_name = p->in.model_name,
        .system_prompt = p->in.system_prompt,
        .user_name = p->in.user_name,
        .version = p->in.version,
        .data = p->in.data,
        .metadata = p->in.metadata.n ? p->in.metadata : str_of("{}"),
    };

    p->fresh = true;
    p->out->sessions++;
    return p->how->dry ? BOUGH_OK : session_update_from(p->s, s->id, &in, p->in.created, err);
}

/* A subagent links to its parent. A fork links to the last shared entry, or to the fork entry that
 * the file names. */
static void link_session(const struct placer *p, struct bough_session_create_options *in)
{
    if (p->in.exact && p->in.subagent) /* also when its parent was purged */
        in->kind = BOUGH_SUBAGENT;
    if (!p->parent[0])
        return;
    if (p->in.subagent) {
        in->kind = BOUGH_SUBAGENT;
        in->parent = p->parent;
    } else if (p->shared[0]) {
        in->parent = p->parent;
        in->fork_entry = p->shared;
    } else if (!cstr_empty(p->in.fork_entry)) {
        in->parent = p->parent;
        in->fork_entry = p->in.fork_entry;
    }
}

/* Which session to report: the last one, but prefer the file's main session to its subagents. */
static void say_session(struct placer *p)
{
    if (!cstr_empty(p->in.id))
        smap_put(&p->placed, str_of(p->in.id), (uintptr_t)arena_strdup(p->a, p->session));
    if (p->in.exact || !p->in.subagent || !*p->out->session)
        p->out->session = arena_strdup(p->answers, p->session);
}

static struct bough_session *by_meant_id(struct placer *p, const struct item_session *in,
                                         const char *id);

/* Another process created this session as the parent of a subagent: fill it. Else NULL. */
static struct bough_session *filled_meanwhile(struct placer *p, enum bough_rc *rc,
                                              struct bough_error *err)
{
    struct bough_session *s = cstr_empty(p->in.id) ? NULL : by_meant_id(p, &p->in, p->in.id);

    if (!s || !is_stand_in(s))
        return NULL;
    p->out->sessions--; /* it is counted where it is filled */
    *rc = fill_stand_in(p, s, err);
    return s;
}

/* If the slug is taken, create the session without it. If the fork entry is invalid, create it
 * without a parent. */
static enum bough_rc create(struct placer *p, struct bough_session_create_options *in,
                            struct bough_session **out, struct bough_error *err)
{
    enum bough_rc rc = session_create_from(p->s, p->tmp, in, p->format->number, out, err);

    if (rc == BOUGH_EXISTS && !cstr_empty(in->slug)) {
        placer_problem(p, p->line, "its slug is taken: it gets another one");
        in->slug = NULL;
        rc = session_create_from(p->s, p->tmp, in, p->format->number, out, err);
    }
    if (rc == BOUGH_EXISTS && (*out = filled_meanwhile(p, &rc, err)) != NULL)
        return rc;
    if (rc == BOUGH_EXISTS && !cstr_empty(in->id) && !p->in.exact) {
        placer_problem(p, p->line,
                       "its id is that of a session from elsewhere: it gets another one");
        in->id = own_name(p, in->id);
        rc = session_create_from(p->s, p->tmp, in, p->format->number, out, err);
    }
    if (rc && in->fork_entry && !p->shared[0]) {
        placer_problem(p, p->line, "what it was forked from is not as it says: it stands alone");
        in->parent = in->fork_entry = NULL;
        rc = session_create_from(p->s, p->tmp, in, p->format->number, out, err);
    }
    return rc;
}

/* In a fork's file, an entry without a parent follows the fork entry. */
static void begin_at_fork(struct placer *p)
{
    struct bough_entry *e;

    if (p->forked && !cstr_empty(p->in.fork_entry) &&
        bough_entry_get(p->s, p->tmp, p->session, p->in.fork_entry, &e, NULL) == BOUGH_OK)
        p->last = e->at;
}

enum bough_rc placer_make(struct placer *p, struct bough_error *err)
{
    struct bough_session_create_options in = {
        .id = p->in.id,
        .parent_tool_use_id = p->in.spawned_by,
        .title = p->in.title,
        .slug = p->in.slug,
        .project = cstr_empty(p->how->project) ? p->in.project : p->how->project,
        .workspace = p->in.workspace,
        .account = p->in.account,
        .provider_path = p->in.provider_path,
        .role_name = p->in.role_name,
        .model_provider = p->in.model_provider,
        .model_name = p->in.model_name,
        .system_prompt = p->in.system_prompt,
        .user_name = p->in.user_name,
        .version = p->in.version,
        .data = p->in.data,
        .metadata = p->in.metadata,
        .totals_mode = p->in.totals_mode,
        .created = p->in.created ? p->in.created : p->dated,
    };
    struct bough_session *s;
    enum bough_rc rc;

    p->there = p->fresh = true;
    p->out->sessions++;
    placer_moved(p, in.created);
    if (p->how->dry)
        return BOUGH_OK;
    rc = stand_in(p, &in, err);
    if (rc)
        return rc;
    link_session(p, &in);
    if (in.fork_entry && !copies_keep(p->own, &p->copies, &in.data))
        placer_problem(p, p->line,
                       "its copied lines differ too much: they are those of its parent");
    if (!cstr_empty(p->in.fork_entry) && !p->parent[0])
        placer_problem(p, p->line, "the session it was forked from is not here: import that first");
    rc = create(p, &in, &s, err);
    if (rc)
        return rc;
    p->forked = in.fork_entry != NULL;
    memcpy(p->session, s->id, sizeof p->session);
    begin_at_fork(p);
    say_session(p);
    return BOUGH_OK;
}

/*
 * Is this the session that the file means? It has the id of the file. Then the id came from this
 * format, or, when it came from elsewhere, the creation times agree: the session was moved here in
 * our own format, or the file is our own export of a session with an id of the caller's choice. A
 * store of 0.1 does not know where ids came from: this file must have been imported before.
 */
static bool is_meant(const struct placer *p, const struct bough_session *s,
                     const struct item_session *in, int64_t from)
{
    return from == (int64_t)p->format->number || (in->created && in->created == s->created) ||
           (from == ORIGIN_UNKNOWN && p->imported);
}

/* The session with this given id, if the file means it. */
static struct bough_session *by_meant_id(struct placer *p, const struct item_session *in,
                                         const char *id)
{
    struct bough_session *s;
    int64_t from;

    return session_by_origin(p->s, p->tmp, id, &s, &from, NULL) == BOUGH_OK &&
                   is_meant(p, s, in, from)
               ? s
               : NULL;
}

/* Find the session in the store: by its id, or, if it has none, by the file it was imported from.
 * The same file with another id is another session. */
static struct bough_session *find_session(struct placer *p, const struct item_session *in)
{
    struct bough_session *s = in->copy ? NULL : exported_session(p);

    if (s)
        return s;
    if (!cstr_empty(in->id)) {
        s = by_own_id(p, in->id); /* an export gave it, in any format */
        if (!s)
            s = by_meant_id(p, in, in->id);
        return s ? s : by_meant_id(p, in, own_name(p, in->id));
    }
    if (!p->nsessions && !in->exact && !cstr_empty(p->known) &&
        bough_session_get(p->s, p->tmp, p->known, &s, NULL) == BOUGH_OK)
        return s;
    return NULL;
}

/* Did the session come from files of another format, or from none? */
static bool came_elsewhere(struct placer *p, const struct bough_session *s)
{
    int64_t from = ORIGIN_CALLER;

    return !*s->origin || (session_origin_from(p->s, s->origin, &from, NULL) == BOUGH_OK &&
                           from != (int64_t)p->format->number && from != ORIGIN_UNKNOWN);
}

enum bough_rc placer_session(struct placer *p, const struct item_session *in, int64_t line,
                             struct bough_error *err)
{
    struct bough_session *s;

    ids_clear(&p->ids);
    map_clear(&p->calls);
    bough_arena_reset(p->own);
    p->in = keep_session(p->own, in);
    p->begun = true;
    p->line = line;
    p->there = p->fresh = p->moved = p->forked = p->hidden = p->elsewhere = false;
    p->last = (struct bough_head){ 0, 0 };
    p->last_waits = NULL;
    p->lost = false;
    p->head = NULL;
    p->rest = NULL;
    p->rest_end = &p->rest;
    p->known_calls = (struct bough_calls){ 0 };
    p->calls_read = false;
    p->shared[0] = '\0';
    p->copies = (struct copies){ 0 };
    p->latest = 0;
    p->dated = in->created;
    find_parent(p);
    s = find_session(p, in);
    p->nsessions++;
    if (!s && waits(p))
        return wait_for_parent(p, err);
    if (!s) /* an exact session is created at once; its entries may hang on its parent's */
        return in->exact || !cstr_empty(in->fork_entry) ? placer_make(p, err) : BOUGH_OK;
    p->there = true;
    p->elsewhere = came_elsewhere(p, s);
    placer_moved(p, s->updated);
    p->dated = s->modified;
    memcpy(p->session, s->id, sizeof p->session);
    say_session(p);
    p->hidden = !in->exact && s->deleted && !in->deleted;
    if (p->hidden)
        placer_problem(p, line,
                       "it was deleted here: nothing of it is imported until it is restored");
    p->forked = !cstr_empty(in->fork_entry) && *s->fork_entry;
    begin_at_fork(p);
    return is_stand_in(s) && !p->hidden ? fill_stand_in(p, s, err) : BOUGH_OK;
}
