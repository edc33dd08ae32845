/* Copies items into an arena, with everything they point to. */
#include "transfer/pipeline/item_keep.h"

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/model/totals.h"

enum { ITEM_BYTES = 64 }; /* counted for an item beside its texts */

struct bough_str keep_str(struct bough_arena *a, struct bough_str s)
{
    return str_make(arena_strndup(a, s.p ? s.p : "", s.n), s.n);
}

static void keep_texts(struct bough_arena *a, const char **const *texts, size_t n)
{
    for (size_t i = 0; i < n; i++)
        *texts[i] = arena_strdup(a, *texts[i]);
}

struct item_session keep_session(struct bough_arena *a, const struct item_session *in)
{
    struct item_session out = *in;
    const char **const texts[] = {
        &out.id,
        &out.title,
        &out.project,
        &out.workspace,
        &out.account,
        &out.slug,
        &out.parent,
        &out.fork_entry,
        &out.spawned_by,
        &out.model_provider,
        &out.model_name,
        &out.provider_path,
        &out.role_name,
        &out.system_prompt,
        &out.user_name,
        &out.version,
        &out.exported_from,
    };

    keep_texts(a, texts, sizeof texts / sizeof *texts);
    out.data = keep_str(a, in->data);
    out.metadata = keep_str(a, in->metadata);
    return out;
}

struct bough_entry_new keep_entry_new(struct bough_arena *a, const struct bough_entry_new *in,
                                      size_t *bytes)
{
    struct bough_entry_new e = *in;
    struct bough_str *parts = arena_array(a, in->nparts + 1, sizeof *parts);
    const char **const texts[] = { &e.kind_name,      &e.text,          &e.id,
                                   &e.finish,         &e.call_provider, &e.call_model,
                                   &e.call_request_id };

    for (size_t i = 0; i < in->nparts; i++) {
        parts[i] = keep_str(a, in->parts[i]);
        *bytes += parts[i].n;
    }
    e.parts = parts;
    e.usage = totals_keep(a, in->usage);
    keep_texts(a, texts, sizeof texts / sizeof *texts);
    e.error = keep_str(a, in->error);
    e.data = keep_str(a, in->data);
    e.metadata = keep_str(a, in->metadata);
    *bytes += e.data.n + e.metadata.n + ITEM_BYTES;
    return e;
}

static size_t keep_entry(struct bough_arena *a, struct item_entry *e)
{
    const char **const texts[] = { &e->id, &e->parent, &e->stands_for, &e->kept };
    size_t bytes = 0;

    keep_texts(a, texts, sizeof texts / sizeof *texts);
    e->entry = keep_entry_new(a, &e->entry, &bytes);
    e->packed = NULL;
    return bytes;
}

static size_t keep_call(struct bough_arena *a, struct bough_call_new *c)
{
    const char **const texts[] = { &c->id,        &c->request_id, &c->want_provider, &c->want_model,
                                   &c->want_kind, &c->provider,   &c->model,         &c->kind,
                                   &c->status,    &c->exchange,   &c->purpose };

    keep_texts(a, texts, sizeof texts / sizeof *texts);
    c->error = keep_str(a, c->error);
    c->usage = keep_str(a, c->usage);
    c->notes = keep_str(a, c->notes);
    return c->error.n + c->usage.n + c->notes.n + ITEM_BYTES;
}

static size_t keep_memory(struct bough_arena *a, struct bough_memory *m)
{
    const char **const texts[] = { &m->of, &m->title, &m->body, &m->content, &m->source, &m->path };

    keep_texts(a, texts, sizeof texts / sizeof *texts);
    return str_of(m->body).n + str_of(m->content).n + ITEM_BYTES;
}

static size_t keep_prompt(struct bough_arena *a, struct bough_prompt *q)
{
    const char **const texts[] = { &q->session, &q->content,   &q->runtime_kind,  &q->provider,
                                   &q->model,   &q->workspace, &q->system_prompt, &q->adapter_id };

    keep_texts(a, texts, sizeof texts / sizeof *texts);
    q->data = keep_str(a, q->data);
    return str_of(q->content).n + q->data.n + ITEM_BYTES;
}

static size_t keep_todos(struct bough_arena *a, struct bough_todos *t)
{
    struct bough_todo *items = arena_array(a, t->n + 1, sizeof *items);
    size_t bytes = ITEM_BYTES;

    for (size_t i = 0; i < t->n; i++) {
        items[i] = (struct bough_todo){ .content = arena_strdup(a, t->at[i].content),
                                        .status = arena_strdup(a, t->at[i].status),
                                        .priority = arena_strdup(a, t->at[i].priority) };
        bytes += str_of(items[i].content).n + ITEM_BYTES;
    }
    t->at = items;
    return bytes;
}

size_t item_keep(struct bough_arena *a, const struct item *in, struct item *out)
{
    *out = *in;
    switch (in->kind) {
    case ITEM_SESSION:
        out->u.session = keep_session(a, &in->u.session);
        return out->u.session.data.n + out->u.session.metadata.n + ITEM_BYTES;
    case ITEM_ENTRY:
        return keep_entry(a, &out->u.entry);
    case ITEM_HEAD:
    case ITEM_TITLE:
        out->u.id = arena_strdup(a, in->u.id);
        return ITEM_BYTES;
    case ITEM_ALIAS:
        out->u.alias.id = arena_strdup(a, in->u.alias.id);
        out->u.alias.entry = arena_strdup(a, in->u.alias.entry);
        return ITEM_BYTES;
    case ITEM_CALL:
        return keep_call(a, &out->u.call.call);
    case ITEM_LABEL:
        out->u.label.entry = arena_strdup(a, in->u.label.entry);
        out->u.label.text = arena_strdup(a, in->u.label.text);
        return ITEM_BYTES;
    case ITEM_MEMORY:
        return keep_memory(a, &out->u.memory);
    case ITEM_PROMPT:
        return keep_prompt(a, &out->u.prompt);
    case ITEM_TODOS:
        return keep_todos(a, &out->u.todos);
    case ITEM_LOST:
        break;
    case ITEM_PROBLEM:
        out->u.problem = arena_strdup(a, in->u.problem);
        break;
    }
    return ITEM_BYTES;
}
