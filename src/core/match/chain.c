/* Chains of units, and keys made of them. */
#include "core/match/chain.h"

#include <string.h>

#include "base/json/json.h"
#include "base/memory/arena.h"
#include "core/part/view.h"

enum { PIECE = 4096 };

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

void chain_init(struct chain *c)
{
    sha256_init(&c->loose);
    sha256_init(&c->strict);
    c->last = -1;
}

void chain_copy(struct chain *to, const struct chain *from)
{
    sha256_copy(&to->loose, &from->loose);
    sha256_copy(&to->strict, &from->strict);
    to->last = from->last;
}

void chain_finish(struct chain *c)
{
    sha256_finish(&c->loose);
    sha256_finish(&c->strict);
}

static void put(struct chain *c, const void *p, size_t n)
{
    sha256_update(&c->loose, p, n);
    sha256_update(&c->strict, p, n);
}

/* A mark that no text contains, and the kind of what follows. */
static void put_mark(struct chain *c, char kind)
{
    put(c, (char[2]){ '\0', kind }, 2);
}

static void put_text(struct chain *c, struct bough_str text)
{
    char piece[PIECE];
    size_t n = 0;

    for (size_t i = 0; i < text.n; i++) {
        if (is_blank(text.p[i]))
            continue;
        piece[n++] = text.p[i];
        if (n == sizeof piece) {
            put(c, piece, n);
            n = 0;
        }
    }
    put(c, piece, n);
}

void chain_add(struct chain *c, const struct unit *one)
{
    static const char marks[] = {
        [UNIT_USER] = 'U', [UNIT_MODEL] = 'A', [UNIT_CALL] = 'C', [UNIT_RESULT] = 'R',
        [UNIT_FILE] = 'F', [UNIT_REF] = 'I',   [UNIT_OTHER] = 'O'
    };
    bool text = one->kind == UNIT_USER || one->kind == UNIT_MODEL;

    if (one->reasoning)
        return;
    if (!text || c->last != (int)one->kind)
        put_mark(c, marks[one->kind]);
    c->last = (int)one->kind;
    switch (one->kind) {
    case UNIT_USER:
    case UNIT_MODEL:
        put_text(c, one->text);
        break;
    case UNIT_CALL:
        put(c, one->name, strlen(one->name));
        sha256_update(&c->strict, one->text.p, one->text.n);
        break;
    case UNIT_RESULT:
        sha256_update(&c->strict, one->text.p, one->text.n);
        break;
    case UNIT_FILE:
    case UNIT_REF:
    case UNIT_OTHER:
        put(c, one->text.p, one->text.n);
        break;
    }
}

static int64_t first_bytes(const unsigned char sum[SHA256_LEN])
{
    uint64_t out = 0;

    for (int i = 0; i < 8; i++) /* the same number on every machine */
        out |= (uint64_t)sum[i] << (8 * i);
    return (int64_t)out;
}

struct chain_link chain_link(const struct chain *c, size_t units)
{
    struct chain_link out = { .units = units };
    unsigned char strict[SHA256_LEN];
    struct chain copy;

    chain_copy(&copy, c);
    sha256_final(&copy.loose, out.loose);
    sha256_final(&copy.strict, strict);
    out.strict = first_bytes(strict);
    return out;
}

struct chain_link *chain_replies(const struct units *u, size_t *n, struct chain *last)
{
    struct chain_link *at = NULL;
    struct chain c;

    *n = 0;
    chain_init(&c);
    for (size_t i = 0; i < u->n; i++) {
        chain_add(&c, &u->at[i]);
        if (!u->at[i].model || (i + 1 < u->n && u->at[i + 1].model))
            continue;
        at = arena_room(u->a, at, *n, sizeof *at);
        at[(*n)++] = chain_link(&c, i + 1);
    }
    if (last)
        *last = c;
    else
        chain_finish(&c);
    return at;
}

int64_t seen_scope(const char *principal, const char *project)
{
    unsigned char sum[SHA256_LEN];
    struct sha256 h;

    sha256_init(&h);
    sha256_update(&h, principal, strlen(principal) + 1);
    sha256_update(&h, project, strlen(project) + 1);
    sha256_final(&h, sum);
    return first_bytes(sum) | 1; /* 0 means that a call belongs to no exchange */
}

void seen_key(enum seen_letter letter, int64_t scope, const void *p, size_t n,
              unsigned char out[SEEN_KEY])
{
    unsigned char sum[SHA256_LEN], front[1 + sizeof scope];
    struct sha256 h;

    front[0] = (unsigned char)letter;
    for (int i = 0; i < 8; i++)
        front[1 + i] = (unsigned char)((uint64_t)scope >> (8 * i));
    sha256_init(&h);
    sha256_update(&h, front, sizeof front);
    sha256_update(&h, p, n);
    sha256_final(&h, sum);
    memcpy(out, sum, SEEN_KEY);
}

/* ---- a reply ---- */

struct marks {
    struct bough_arena *a;
    int64_t scope;
    struct seen_mark *at;
    size_t n;
};

static void push_mark(struct marks *m, const struct seen_mark *mark)
{
    for (size_t i = 0; i < m->n; i++)
        if (memcmp(m->at[i].key, mark->key, SEEN_KEY) == 0)
            return;
    m->at = arena_room(m->a, m->at, m->n, sizeof *m->at);
    m->at[m->n++] = *mark;
}

static void push_id(struct marks *m, const char *id)
{
    struct seen_mark mark = { .chain = false };

    if (!unit_id_is_strong(id))
        return;
    seen_key(SEEN_ID, m->scope, id, strlen(id), mark.key);
    push_mark(m, &mark);
}

static void push_chain(struct marks *m, const struct chain *before, const struct units *u)
{
    struct seen_mark mark = { .chain = true };
    struct chain_link link;
    struct chain c;

    chain_copy(&c, before);
    for (size_t i = 0; i < u->n; i++)
        chain_add(&c, &u->at[i]);
    link = chain_link(&c, u->n);
    chain_finish(&c);
    seen_key(SEEN_CHAIN, m->scope, link.loose, SHA256_LEN, mark.key);
    mark.strict = link.strict;
    push_mark(m, &mark);
}

struct seen_mark *seen_marks(struct bough_arena *a, int64_t scope, const struct chain *before,
                             const struct bough_entry *reply, size_t *n)
{
    struct marks m = { .a = a, .scope = scope };
    struct units u = { .a = a };
    struct bough_str response;

    units_add(&u, reply, false);
    units_end(&u);
    if (u.n)
        push_chain(&m, before, &u);
    if (json_str(a, json_member(view_data(a, reply), "response"), &response))
        push_id(&m, response.p);
    for (size_t i = 0; i < u.n; i++) {
        push_id(&m, u.at[i].id);
        push_id(&m, u.at[i].item);
    }
    *n = m.n;
    return m.at;
}
