/* Placing sessions: which one it is, whom it hangs on, making it. */
#include <string.h>

#include "base/arena.h"
#include "base/str.h"
#include "transfer/place.h"

/* The part of a file's name that is an id: between the last "_" or "/" and the suffix. */
static const char *id_in_path(struct bough_arena *a, const char *path)
{
    const char *from = strrchr(path, '_'), *slash = strrchr(path, '/'), *dot;

    if (!from || (slash && slash > from))
        from = slash;
    from = from ? from + 1 : path;
    dot = strrchr(from, '.');
    return dot ? arena_strndup(a, from, (size_t)(dot - from)) : from;
}

/* The session it was forked from or spawned by, when that is in the store: by its file, by its id,
 * by the id in its file's name. */
static void find_parent(struct placer *p)
{
    struct bough_source *source;
    struct bough_session *s;
    const char *name = p->in.parent;

    p->parent[0] = '\0';
    if (cstr_empty(name))
        return;
    if (bough_source_get(p->s, p->tmp, name, &source, NULL) == BOUGH_OK && *source->session)
        name = source->session;
    else if (strchr(name, '/') || strchr(name, '\\'))
        name = id_in_path(p->tmp, name);
    if (bough_session_get(p->s, p->tmp, name, &s, NULL) == BOUGH_OK)
        memcpy(p->parent, s->id, sizeof p->parent);
}

/* A fork by what its file begins with, or as it says; a subagent by its parent. */
static void link_session(const struct placer *p, struct bough_session_new *in)
{
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

/* The session of the report: the last one, but a file's own rather than its subagents. */
static void say_session(struct placer *p)
{
    if (p->in.exact || !p->in.subagent || !*p->out->session)
        p->out->session = arena_strdup(p->answers, p->session);
}

/* A slug that is taken here is given up, and a place to fork from that is not there. */
static enum bough_rc create(struct placer *p, struct bough_session_new *in,
                            struct bough_session **out, struct bough_error *err)
{
    enum bough_rc rc = bough_session_create(p->s, p->tmp, in, out, err);

    if (rc == BOUGH_EXISTS && !cstr_empty(in->slug)) {
        placer_problem(p, p->line, "its slug is taken: it gets another one");
        in->slug = NULL;
        rc = bough_session_create(p->s, p->tmp, in, out, err);
    }
    if (rc && in->fork_entry && !p->shared[0]) {
        placer_problem(p, p->line, "what it was forked from is not as it says: it stands alone");
        in->parent = in->fork_entry = NULL;
        rc = bough_session_create(p->s, p->tmp, in, out, err);
    }
    return rc;
}

/* What follows nothing in a fork's file follows the entry it was forked from. */
static void begin_at_fork(struct placer *p)
{
    struct bough_entry *e;

    if (p->forked && !cstr_empty(p->in.fork_entry) &&
        bough_entry_get(p->s, p->tmp, p->session, p->in.fork_entry, &e, NULL) == BOUGH_OK)
        p->last = e->at;
}

enum bough_rc placer_make(struct placer *p, struct bough_error *err)
{
    struct bough_session_new in = {
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
        .created = p->in.created,
    };
    struct bough_session *s;
    enum bough_rc rc;

    p->there = p->fresh = true;
    p->out->sessions++;
    if (p->how->dry)
        return BOUGH_OK;
    link_session(p, &in);
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

struct bough_str keep_str(struct bough_arena *a, struct bough_str s)
{
    return str_make(arena_strndup(a, s.p ? s.p : "", s.n), s.n);
}

static void keep_session(struct placer *p, const struct item_session *in)
{
    p->in = *in;
    const char **const texts[] = {
        &p->in.id,         &p->in.title,          &p->in.project,    &p->in.workspace,
        &p->in.account,    &p->in.slug,           &p->in.parent,     &p->in.fork_entry,
        &p->in.spawned_by, &p->in.model_provider, &p->in.model_name, &p->in.provider_path,
        &p->in.role_name,  &p->in.system_prompt,  &p->in.user_name,  &p->in.version,
    };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        *texts[i] = arena_strdup(p->own, *texts[i]);
    p->in.data = keep_str(p->own, in->data);
    p->in.metadata = keep_str(p->own, in->metadata);
}

/* The session this is, when it is in the store: by its id; when it has none, by the file it came
 * from. A file of that name with another id is another session. */
static struct bough_session *find_session(struct placer *p, const struct item_session *in)
{
    struct bough_session *s;

    if (!cstr_empty(in->id))
        return bough_session_get(p->s, p->tmp, in->id, &s, NULL) == BOUGH_OK ? s : NULL;
    if (!p->nsessions && !in->exact && !cstr_empty(p->known) &&
        bough_session_get(p->s, p->tmp, p->known, &s, NULL) == BOUGH_OK)
        return s;
    return NULL;
}

enum bough_rc placer_session(struct placer *p, const struct item_session *in, int64_t line,
                             struct bough_error *err)
{
    struct bough_session *s;
    enum bough_rc rc = p->begun ? placer_end(p, err) : BOUGH_OK;

    if (rc)
        return rc;
    ids_clear(&p->ids);
    map_clear(&p->calls);
    bough_arena_reset(p->own);
    keep_session(p, in);
    p->begun = true;
    p->line = line;
    p->there = p->fresh = p->moved = p->forked = p->hidden = false;
    p->last = (struct bough_head){ 0, 0 };
    p->last_waits = NULL;
    p->head = NULL;
    p->rest = NULL;
    p->rest_end = &p->rest;
    p->known_calls = (struct bough_calls){ 0 };
    p->calls_read = false;
    p->shared[0] = '\0';
    find_parent(p);
    s = find_session(p, in);
    p->nsessions++;
    if (!s) /* what is said exactly can be made at once; its entries may hang on its parent's */
        return in->exact || !cstr_empty(in->fork_entry) ? placer_make(p, err) : BOUGH_OK;
    p->there = true;
    memcpy(p->session, s->id, sizeof p->session);
    say_session(p);
    p->hidden = !in->exact && s->deleted && !in->deleted;
    if (p->hidden)
        placer_problem(p, line,
                       "it was deleted here: nothing of it is imported until it is restored");
    p->forked = !cstr_empty(in->fork_entry) && *s->fork_entry;
    begin_at_fork(p);
    return BOUGH_OK;
}
