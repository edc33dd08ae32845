/* Places what is not an entry: provider calls at once, the rest after all entries. */
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/model/totals.h"
#include "store/write/import_api.h"
#include "transfer/import/placer.h"

enum { LATER_MOST = 1000000 };

struct later {
    struct later *next;
    struct item item;
};

/* ---- calls ---- */

static bool same_text(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") == 0;
}

static bool same_call(const struct bough_call *c, const struct bough_call_new *in)
{
    return same_text(c->request_id, in->request_id) && same_text(c->provider, in->provider) &&
           same_text(c->model, in->model) && (!in->time || c->time == in->time) &&
           totals_equal(&c->used, &in->used);
}

/* Match the call against those the session already has. Each of those matches only once. */
static const char *known_call(struct placer *p, const struct bough_call_new *in)
{
    if (p->fresh)
        return NULL;
    if (!p->calls_read) {
        p->calls_read = true;
        if (bough_call_list(p->s, p->own, p->session, &p->known_calls, NULL))
            p->known_calls.n = 0;
        p->call_taken = arena_array(p->own, p->known_calls.n + 1, sizeof *p->call_taken);
    }
    for (size_t i = 0; i < p->known_calls.n; i++) {
        if (p->call_taken[i] || !same_call(&p->known_calls.at[i], in))
            continue;
        p->call_taken[i] = true;
        return p->known_calls.at[i].id;
    }
    return NULL;
}

enum bough_rc placer_call(struct placer *p, const struct item_call *in, int64_t line,
                          struct bough_error *err)
{
    struct bough_append_options append = { .call = &in->call };
    struct bough_error why;
    struct bough_append_result done = { 0 };
    const char *id;
    enum bough_rc rc = placer_flush(p, err);

    if (!rc && !p->there)
        rc = placer_make(p, err);
    if (rc || p->how->dry)
        return rc;
    id = known_call(p, &in->call);
    if (!id) {
        rc = bough_append(p->s, p->tmp, p->session, &append, &done, &why);
        if (rc && !placer_refused(rc))
            return bough_fail(err, rc, "%s", why.msg);
        if (rc)
            placer_problem(p, line, why.msg);
        if (rc)
            return BOUGH_OK;
        id = done.call;
    }
    if (in->n)
        map_put(&p->calls, (uint64_t)in->n, (uint64_t)(uintptr_t)arena_strdup(p->own, id));
    return rc;
}

/* ---- after all entries ---- */

void placer_later(struct placer *p, const struct item *item)
{
    struct later *l;

    if (item->kind == ITEM_TITLE && !p->there) {
        p->in.title = arena_strdup(p->own, item->u.id);
        return;
    }
    if (p->nlater++ >= LATER_MOST) {
        placer_problem(p, item->line, "there are too many things beside the entries: left out");
        return;
    }
    l = arena_zalloc(p->own, sizeof *l);
    if (item->kind == ITEM_ENTRY) /* a deletion: its content is not needed */
        l->item = (struct item){ .kind = ITEM_ENTRY,
                                 .line = item->line,
                                 .u.entry = { .id = arena_strdup(p->own, item->u.entry.id),
                                              .deleted = item->u.entry.deleted } };
    else
        (void)item_keep(p->own, item, &l->item);
    *p->rest_end = l;
    p->rest_end = &l->next;
}

static enum bough_rc put_label(struct placer *p, const struct item_label *in,
                               struct bough_error *err)
{
    const char *now;
    enum bough_rc rc = bough_label_get(p->s, p->tmp, p->session, in->entry, &now, err);

    if (rc || same_text(now, in->text))
        return rc;
    return label_set_at(p->s, p->session, in->entry, in->text, in->time, err);
}

static enum bough_rc put_deleted(struct placer *p, const struct item_entry *in,
                                 struct bough_error *err)
{
    struct bough_entry *e;
    enum bough_rc rc = bough_entry_get(p->s, p->tmp, p->session, in->id, &e, err);

    if (rc || e->deleted)
        return rc;
    return entry_delete_at(p->s, p->session, e->id, in->deleted, err);
}

static enum bough_rc put_title(struct placer *p, const char *title, struct bough_error *err)
{
    struct bough_session *s;
    enum bough_rc rc = bough_session_get(p->s, p->tmp, p->session, &s, err);

    /* Keep a title that was set in the store. */
    if (rc || (*s->title && !p->fresh))
        return rc;
    return bough_session_rename(p->s, p->session, title, err);
}

enum bough_rc placer_memory(struct placer *p, struct bough_memory in, struct bough_error *err)
{
    struct bough_memories list;
    struct bough_memory *out;
    enum bough_rc rc;

    if (in.scope == BOUGH_MEMORY_OF_SESSION)
        in.of = p->session;
    in.of = in.of ? in.of : "";
    rc = memory_list_all(p->s, p->tmp, in.scope, in.of, &list, err);
    for (size_t i = 0; !rc && i < list.n; i++) {
        const struct bough_memory *m = &list.at[i];

        if (!same_text(m->content, in.content) || !same_text(m->title, in.title) ||
            m->created != in.created)
            continue;
        if (!in.deleted || m->deleted)
            return BOUGH_OK;
        return bough_memory_forget(p->s, p->tmp, in.scope, in.of, m->id, &out, err);
    }
    in.updated = in.updated ? in.updated : in.created;
    return rc ? rc : memory_add_at(p->s, p->tmp, &in, err);
}

/* Prompts with the same content and creation time are the same. */
static enum bough_rc put_prompt(struct placer *p, const struct bough_prompt *in,
                                struct bough_error *err)
{
    struct bough_prompts list;
    enum bough_rc rc = bough_queue_list(p->s, p->tmp, p->session, &list, err);

    for (size_t i = 0; !rc && i < list.n; i++)
        if (same_text(list.at[i].content, in->content) && list.at[i].created == in->created)
            return BOUGH_OK;
    /* A missing prompt may have been taken already, so only a new session gets its queue. */
    return rc || !p->fresh ? rc : bough_queue_add(p->s, p->tmp, p->session, in, NULL, err);
}

static enum bough_rc put_todos(struct placer *p, const struct bough_todos *in,
                               struct bough_error *err)
{
    struct bough_todos now;
    bool same;
    enum bough_rc rc = bough_todo_get(p->s, p->tmp, p->session, &now, err);

    if (rc)
        return rc;
    same = now.n == in->n;
    for (size_t i = 0; same && i < in->n; i++)
        same = same_text(now.at[i].content, in->at[i].content) &&
               same_text(now.at[i].status, in->at[i].status) &&
               same_text(now.at[i].priority, in->at[i].priority);
    return same ? BOUGH_OK : bough_todo_replace(p->s, p->tmp, p->session, in->at, in->n, NULL, err);
}

static enum bough_rc put_one(struct placer *p, const struct item *item, struct bough_error *err)
{
    switch (item->kind) {
    case ITEM_LABEL:
        return put_label(p, &item->u.label, err);
    case ITEM_MEMORY:
        return placer_memory(p, item->u.memory, err);
    case ITEM_PROMPT:
        return put_prompt(p, &item->u.prompt, err);
    case ITEM_TODOS:
        return put_todos(p, &item->u.todos, err);
    case ITEM_ENTRY:
        return put_deleted(p, &item->u.entry, err);
    case ITEM_TITLE:
        return put_title(p, item->u.id, err);
    case ITEM_SESSION:
    case ITEM_HEAD:
    case ITEM_ALIAS:
    case ITEM_CALL:
    case ITEM_LOST:
    case ITEM_PROBLEM:
        break;
    }
    return BOUGH_OK;
}

enum bough_rc placer_rest(struct placer *p, struct bough_error *err)
{
    enum bough_rc rc = BOUGH_OK;

    for (const struct later *l = p->rest; l && !rc; l = l->next) {
        struct bough_error why;

        bough_arena_reset(p->tmp);
        rc = put_one(p, &l->item, &why);
        if (rc && !placer_refused(rc))
            return bough_fail(err, rc, "%s", why.msg);
        if (rc) /* the item is invalid, or its target is missing: report it and go on */
            placer_problem(p, l->item.line, why.msg);
        rc = BOUGH_OK;
    }
    p->rest = NULL;
    p->rest_end = &p->rest;
    p->nlater = 0;
    return rc;
}

static int64_t more_than(int64_t file, int64_t here)
{
    return file > here ? file - here : 0;
}

/* The tool keeps its own totals, which may have grown. Add the difference; totals added in the
 * store stay. */
static enum bough_rc grow_totals(struct placer *p, struct bough_error *err)
{
    const struct bough_totals *t = &p->in.adjusted;
    struct bough_session *s;
    struct bough_totals more;
    enum bough_rc rc = bough_session_get(p->s, p->tmp, p->session, &s, err);

    if (rc || s->totals_mode != BOUGH_TOTALS_MANUAL)
        return rc;
    more = (struct bough_totals){ .input = more_than(t->input, s->rolled.input),
                                  .output = more_than(t->output, s->rolled.output),
                                  .reasoning = more_than(t->reasoning, s->rolled.reasoning),
                                  .cache_read = more_than(t->cache_read, s->rolled.cache_read),
                                  .cache_write = more_than(t->cache_write, s->rolled.cache_write),
                                  .cost = more_than(t->cost, s->rolled.cost) };
    if (totals_is_zero(&more))
        return BOUGH_OK;
    return bough_totals_add(p->s, p->session, &more, err);
}

enum bough_rc placer_state(struct placer *p, struct bough_error *err)
{
    enum bough_rc rc = BOUGH_OK;

    if (!p->fresh)
        return p->in.exact || p->in.totals_mode != BOUGH_TOTALS_MANUAL ? BOUGH_OK
                                                                       : grow_totals(p, err);
    if (p->in.exact)
        rc = bough_session_rename(p->s, p->session, p->in.title ? p->in.title : "", err);
    if (!rc && !totals_is_zero(&p->in.adjusted))
        rc = bough_totals_add(p->s, p->session, &p->in.adjusted, err);
    if (!rc && p->in.archived)
        rc = bough_session_archive(p->s, p->session, err);
    if (!rc && p->in.deleted)
        rc = session_delete_at(p->s, p->session, p->in.deleted, err);
    return rc;
}
