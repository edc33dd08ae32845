/* The arrays of the memory backend: find, put and remove single rows, without rules or locks. */
#include <stddef.h>
#include <string.h>

#include "base/memory/mem.h"
#include "base/text/str.h"
#include "store/memory/memory.h"

void *mem_grow(void *at, size_t *cap, size_t need, size_t size)
{
    size_t to = *cap ? *cap : 16;

    if (need < *cap)
        return at;
    while (to <= need)
        to *= 2;
    at = mem_realloc(at, mem_array(to, size));
    memset((char *)at + *cap * size, 0, (to - *cap) * size);
    *cap = to;
    return at;
}

static char *copy_text(const char *s)
{
    size_t n = s ? strlen(s) : 0;
    char *p = mem_alloc(n + 1);

    if (n)
        memcpy(p, s, n);
    p[n] = '\0';
    return p;
}

static struct bough_str copy_bytes(struct bough_str s)
{
    char *p = mem_alloc(s.n + 1);

    if (s.n)
        memcpy(p, s.p, s.n);
    p[s.n] = '\0';
    return str_make(p, s.n);
}

static void drop(const char *p)
{
    mem_free((void *)(uintptr_t)p);
}

/* ---- finding ---- */

struct mem_session *mem_session(struct memory *m, int64_t sid)
{
    return sid >= 0 && (size_t)sid < m->nsessions && (m->sessions[sid].there || sid == 0)
               ? &m->sessions[sid]
               : NULL;
}

struct mem_branch *mem_branch(struct memory *m, int64_t bid)
{
    return bid > 0 && (size_t)bid < m->nbranches && m->branches[bid].there ? &m->branches[bid]
                                                                           : NULL;
}

struct mem_entry *mem_entry(struct memory *m, int64_t bid, int64_t depth)
{
    struct mem_branch *b = mem_branch(m, bid);
    int64_t i = b ? depth - b->row.base - 1 : -1;

    return i >= 0 && (size_t)i < b->n ? b->at[i] : NULL;
}

struct mem_record *mem_record(struct memory *m, int64_t sid, int64_t kind, int64_t ord)
{
    struct mem_session *s = mem_session(m, sid);

    if (!s || kind < 0 || kind > 15 || ord < 1 || (size_t)ord > s->records[kind].n)
        return NULL;
    return s->records[kind].at[ord - 1];
}

struct mem_alias *mem_alias(struct memory *m, const char *id, int64_t scope)
{
    uint64_t i = 0;

    if (!smap_get(&m->alias_ids, str_of(id), &i))
        return NULL;
    for (; i; i = m->aliases[i - 1].next)
        if (m->aliases[i - 1].row.scope == scope)
            return &m->aliases[i - 1];
    return NULL;
}

struct mem_key *mem_key(struct memory *m, const char *key)
{
    uint64_t i = 0;

    return smap_get(&m->key_ids, str_of(key), &i) ? &m->keys[i] : NULL;
}

int64_t mem_tip(const struct mem_branch *b)
{
    size_t n = b->n;

    while (n && !b->at[n - 1])
        n--;
    return b->row.base + (int64_t)n;
}

void mem_log_row(const struct mem_changelog *l, struct changelog_row *out)
{
    *out = (struct changelog_row){ .no = l->no_kind >> 8,
                                   .n = l->n,
                                   .sid = l->sid,
                                   .kind = l->no_kind & 0xff,
                                   .time = l->time,
                                   .bid = l->bid,
                                   .depth = l->depth,
                                   .record = l->record,
                                   .aux = l->aux };
}

/* ---- putting ---- */

static struct mem_session *session_slot(struct memory *m, int64_t sid)
{
    m->sessions = mem_grow(m->sessions, &m->sessions_cap, (size_t)sid, sizeof *m->sessions);
    if ((size_t)sid >= m->nsessions)
        m->nsessions = (size_t)sid + 1;
    return &m->sessions[sid];
}

void mem_put_session(struct memory *m, const struct session_row *row)
{
    struct mem_session *s = session_slot(m, row->sid);
    char *slug = copy_text(row->slug);
    struct bough_str body = copy_bytes(row->body);

    if (s->there) {
        if (*s->row.slug)
            smap_del(&m->slugs, str_of(s->row.slug));
        drop(s->row.slug);
        drop(s->row.body.p);
    }
    s->there = true;
    s->row = *row;
    s->row.slug = slug;
    s->row.body = body;
    if (*slug && !row->purged)
        smap_put(&m->slugs, str_of(slug), (uint64_t)row->sid);
}

void mem_put_head(struct memory *m, const struct head_row *row)
{
    struct mem_session *s = session_slot(m, row->sid);
    char *owner = copy_text(row->lease_owner);

    if (s->head_there)
        drop(s->head.lease_owner);
    s->head_there = true;
    s->head = *row;
    s->head.lease_owner = owner;
}

void mem_put_branch(struct memory *m, const struct branch_row *row)
{
    m->branches = mem_grow(m->branches, &m->branches_cap, (size_t)row->bid, sizeof *m->branches);
    if ((size_t)row->bid >= m->nbranches)
        m->nbranches = (size_t)row->bid + 1;
    m->branches[row->bid].there = true;
    m->branches[row->bid].row = *row;
}

void mem_put_entry(struct memory *m, const struct entry_row *row)
{
    struct mem_branch *b = &m->branches[row->bid];
    size_t i = (size_t)(row->depth - b->row.base - 1);
    struct mem_entry *e = mem_alloc(offsetof(struct mem_entry, body) + row->body.n);

    e->deleted = row->deleted;
    e->mask = row->mask;
    e->kind = (uint8_t)row->kind;
    e->len = (uint32_t)row->body.n;
    memcpy(e->body, row->body.p, row->body.n);
    b->at = mem_grow(b->at, &b->cap, i, sizeof *b->at);
    if (i >= b->n)
        b->n = i + 1;
    mem_free(b->at[i]);
    b->at[i] = e;
}

void mem_put_record(struct memory *m, const struct record_row *row)
{
    struct mem_records *r = &session_slot(m, row->sid)->records[row->kind];
    struct mem_record *rec = mem_alloc(sizeof *rec + row->body.n);

    rec->ver = row->ver;
    rec->deleted = row->deleted;
    rec->len = (uint32_t)row->body.n;
    if (row->body.n)
        memcpy(rec->body, row->body.p, row->body.n);
    r->at = mem_grow(r->at, &r->cap, (size_t)row->ord - 1, sizeof *r->at);
    if ((size_t)row->ord > r->n)
        r->n = (size_t)row->ord;
    mem_free(r->at[row->ord - 1]);
    r->at[row->ord - 1] = rec;
}

void mem_put_alias(struct memory *m, const struct alias_row *row)
{
    struct mem_alias *a = mem_alias(m, row->id, row->scope);
    uint64_t first = 0;

    if (!a) {
        smap_get(&m->alias_ids, str_of(row->id), &first);
        m->aliases = mem_grow(m->aliases, &m->aliases_cap, m->naliases, sizeof *m->aliases);
        a = &m->aliases[m->naliases++];
        a->next = first;
        smap_put(&m->alias_ids, str_of(row->id), m->naliases);
    } else {
        drop(a->row.id);
    }
    a->there = true;
    a->row = *row;
    a->row.id = copy_text(row->id);
}

void mem_put_key(struct memory *m, const struct key_row *row)
{
    struct mem_key *k = mem_key(m, row->key);

    if (!k) {
        m->keys = mem_grow(m->keys, &m->keys_cap, m->nkeys, sizeof *m->keys);
        smap_put(&m->key_ids, str_of(row->key), m->nkeys);
        k = &m->keys[m->nkeys++];
    } else {
        drop(k->row.key);
    }
    k->there = true;
    k->row = *row;
    k->row.key = copy_text(row->key);
}

void mem_put_log(struct memory *m, const struct changelog_row *row)
{
    if (m->nlog % LOG_CHUNK == 0) {
        m->log = mem_grow(m->log, &m->log_chunks, m->nlog / LOG_CHUNK, sizeof *m->log);
        if (!m->log[m->nlog /
                    LOG_CHUNK]) /* fix_changelog() shrinks the changelog but keeps its chunks */
            m->log[m->nlog / LOG_CHUNK] = mem_alloc(mem_array(LOG_CHUNK, sizeof **m->log));
    }
    *mem_log_at(m, m->nlog++) = (struct mem_changelog){
        .no_kind = (int64_t)((uint64_t)row->no << 8 | (uint8_t)row->kind),
        .time = row->time,
        .n = (uint32_t)row->n,
        .sid = (uint32_t)row->sid,
        .bid = (uint32_t)row->bid,
        .depth = (uint32_t)row->depth,
        .record = (uint32_t)row->record,
        .aux = (uint32_t)row->aux,
    };
    if (row->no > m->last_no)
        m->last_no = row->no;
}

static void free_list(struct list_row *l)
{
    if (!l)
        return;
    drop(l->role_name);
    drop(l->provider_path);
    drop(l->model_provider);
    drop(l->model_name);
    drop(l->hay);
    drop(l->last_model);
    drop(l->body.p);
    mem_free(l);
}

void mem_put_list(struct memory *m, const struct list_row *row)
{
    struct mem_session *s = session_slot(m, row->sid);
    struct list_row *l = mem_alloc(sizeof *l);

    *l = *row;
    l->role_name = copy_text(row->role_name);
    l->provider_path = copy_text(row->provider_path);
    l->model_provider = copy_text(row->model_provider);
    l->model_name = copy_text(row->model_name);
    l->hay = copy_text(row->hay);
    l->last_model = copy_text(row->last_model);
    l->body = copy_bytes(row->body);
    free_list(s->list);
    s->list = l;
}

/* ---- removing ---- */

void mem_del_list(struct memory *m, int64_t sid)
{
    struct mem_session *s = session_slot(m, sid);

    free_list(s->list);
    s->list = NULL;
}

void mem_del_alias(struct memory *m, const char *id, int64_t scope)
{
    struct mem_alias *a = mem_alias(m, id, scope);
    uint64_t i = 0, at;

    if (!a)
        return;
    at = (uint64_t)(a - m->aliases) + 1;
    smap_get(&m->alias_ids, str_of(id), &i);
    if (i == at && a->next)
        smap_put(&m->alias_ids, str_of(id), a->next);
    else if (i == at)
        smap_del(&m->alias_ids, str_of(id));
    for (; i && i != at; i = m->aliases[i - 1].next)
        if (m->aliases[i - 1].next == at)
            m->aliases[i - 1].next = a->next;
    drop(a->row.id);
    *a = (struct mem_alias){ 0 };
}

bool mem_del_entry(struct memory *m, int64_t bid, int64_t depth)
{
    struct mem_branch *b = mem_branch(m, bid);

    if (!mem_entry(m, bid, depth))
        return false;
    mem_free(b->at[depth - b->row.base - 1]);
    b->at[depth - b->row.base - 1] = NULL;
    return true;
}

static void free_session(struct mem_session *s)
{
    if (s->there) {
        drop(s->row.slug);
        drop(s->row.body.p);
    }
    if (s->head_there)
        drop(s->head.lease_owner);
    free_list(s->list);
    for (int k = 0; k < 16; k++) {
        for (size_t i = 0; i < s->records[k].n; i++)
            mem_free(s->records[k].at[i]);
        mem_free(s->records[k].at);
    }
}

void mem_free_rows(struct memory *m)
{
    for (size_t i = 0; i < m->nsessions; i++)
        free_session(&m->sessions[i]);
    for (size_t i = 0; i < m->nbranches; i++) {
        for (size_t k = 0; k < m->branches[i].n; k++)
            mem_free(m->branches[i].at[k]);
        mem_free(m->branches[i].at);
    }
    for (size_t i = 0; i < m->naliases; i++)
        drop(m->aliases[i].row.id);
    for (size_t i = 0; i < m->nkeys; i++)
        drop(m->keys[i].row.key);
    mem_free(m->sessions);
    mem_free(m->branches);
    mem_free(m->aliases);
    mem_free(m->keys);
    for (size_t i = 0; i < m->log_chunks; i++)
        mem_free(m->log[i]);
    mem_free(m->log);
}
