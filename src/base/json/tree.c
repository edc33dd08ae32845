/* JSON: building the tree, and access to its members and elements. */
#include "base/json/tree.h"

#include <string.h>

#include "base/json/scan.h"
#include "base/memory/arena.h"
#include "base/memory/map.h"
#include "base/text/str.h"

struct builder {
    struct bough_arena *arena;
    struct json_node *nodes;
    uint32_t n;
    uint32_t cap;
    uint32_t open; /* the innermost open container */
};

#define NO_PARENT UINT32_MAX

static __attribute__((noinline)) void grow(struct builder *b)
{
    size_t old = (size_t)b->cap * sizeof *b->nodes;
    size_t cap = (size_t)b->cap * 2;

    if (cap > UINT32_MAX)
        cap = UINT32_MAX; /* enough: there are never more nodes than bytes of text */
    b->nodes = arena_resize(b->arena, b->nodes, old, cap * sizeof *b->nodes);
    b->cap = (uint32_t)cap;
}

static inline struct json_node *add(struct builder *b, const struct json_scan *s,
                                    const struct json_lexeme *lex, const unsigned char *end)
{
    struct json_node *n;

    if (b->n == b->cap)
        grow(b);
    n = &b->nodes[b->n++];
    n->off = (uint32_t)(lex->start - s->start);
    n->len = (uint32_t)(end - lex->start);
    n->next = b->n;
    n->type = lex->type;
    n->escaped = lex->escaped;
    n->count = 0;
    return n;
}

/* Count one more member or element of the open container; false when there are too many. */
static inline bool count_one(struct builder *b, bool in_array)
{
    if (!in_array)
        return true; /* a member is counted at its name, the root not at all */
    if (b->nodes[b->open].count == JSON_MAX_COUNT)
        return false;
    b->nodes[b->open].count++;
    return true;
}

static inline void close_container(struct builder *b, const struct json_scan *s)
{
    struct json_node *n = &b->nodes[b->open];

    b->open = n->next;
    n->next = b->n;
    n->len = (uint32_t)(s->p - s->start) - n->off;
}

/* Scan the whole text into b->nodes. */
static enum bough_rc build(struct builder *b, struct bough_str text, struct bough_error *err)
{
    struct json_lexeme lex;
    struct json_scan s;
    struct json_node *n;

    scan_init(&s, text, LIMIT_JSON_DEPTH);
    for (;;) {
        bool in_array = s.depth && !s.object;

        switch (scan_next(&s, &lex)) {
        case TOKEN_BAD:
            return json_scan_fail(&s, err);
        case TOKEN_DONE:
            return BOUGH_OK;
        case TOKEN_KEY:
            if (!count_one(b, true))
                return bough_fail(err, BOUGH_TOO_LARGE, "a JSON object has too many members");
            add(b, &s, &lex, lex.end);
            break;
        case TOKEN_SCALAR:
        case TOKEN_BEGIN:
            if (!count_one(b, in_array))
                return bough_fail(err, BOUGH_TOO_LARGE, "a JSON array has too many elements");
            n = add(b, &s, &lex, s.p);
            if (lex.type >= JSON_ARRAY) {
                n->next = b->open;
                b->open = b->n - 1;
            }
            break;
        case TOKEN_END:
            close_container(b, &s);
            break;
        }
    }
}

enum bough_rc json_parse(struct bough_arena *a, struct bough_str text, struct json *root,
                         struct bough_error *err)
{
    struct builder b = { .arena = a, .open = NO_PARENT };
    struct arena_mark mark;
    struct json_doc *doc;
    enum bough_rc rc;

    if (text.n > LIMIT_JSON_BYTES)
        return bough_fail(err, BOUGH_TOO_LARGE, "JSON of %zu bytes", text.n);
    mark = arena_mark(a);
    doc = arena_alloc(a, sizeof *doc);
    b.cap = (uint32_t)(text.n / 16 + 8); /* enough for a usual chat message; others grow */
    b.nodes = arena_alloc(a, b.cap * sizeof *b.nodes);
    rc = build(&b, text, err);
    if (rc) {
        arena_rewind(a, mark);
        return rc;
    }
    b.nodes = arena_resize(a, b.nodes, b.cap * sizeof *b.nodes, b.n * sizeof *b.nodes);
    *doc = (struct json_doc){ text.p, b.nodes };
    *root = (struct json){ doc, 0 };
    return BOUGH_OK;
}

const struct json_node *json_node(struct json j)
{
    static const struct json_node nothing = { .type = JSON_NULL };

    return j.doc ? &j.doc->nodes[j.at] : &nothing;
}

enum json_type json_type(struct json j)
{
    return (enum json_type)json_node(j)->type;
}

struct bough_str json_raw(struct json j)
{
    const struct json_node *n = json_node(j);

    return j.doc ? (struct bough_str){ j.doc->text + n->off, n->len } : (struct bough_str){ "", 0 };
}

uint32_t json_count(struct json j)
{
    return json_node(j)->count;
}

struct json_iter json_iter(struct json j)
{
    const struct json_node *n = json_node(j);
    bool inside = n->type >= JSON_ARRAY;

    return (struct json_iter){
        .value = { j.doc, j.at },
        .next = j.at + 1,
        .end = inside ? n->next : j.at + 1,
        .object = n->type == JSON_OBJECT,
    };
}

bool json_next(struct json_iter *it)
{
    const struct json_doc *doc = it->value.doc;

    if (it->next >= it->end)
        return false;
    if (it->object)
        it->key = (struct json){ doc, it->next++ };
    it->value.at = it->next;
    it->next = doc->nodes[it->next].next;
    return true;
}

bool json_get(struct json j, const char *key, struct json *out)
{
    struct json_iter it = json_iter(j);
    size_t n = strlen(key);
    bool found = false;

    if (!it.object)
        return false;
    while (json_next(&it)) {
        const struct json_node *k = json_node(it.key);

        if (k->escaped ? json_is(it.key, key)
                       : k->len == n + 2 && memcmp(j.doc->text + k->off + 1, key, n) == 0) {
            *out = it.value;
            found = true;
        }
    }
    return found;
}

struct json json_member(struct json j, const char *key)
{
    struct json out = { NULL, 0 };

    return json_get(j, key, &out) ? out : (struct json){ NULL, 0 };
}

/* ---- repeated keys ---- */

enum { FEW = 16 }; /* up to so many keys are compared one by one */

static struct bough_str key_text(struct bough_arena *a, struct json key)
{
    struct bough_str text = json_raw(key);

    if (json_node(key)->escaped)
        (void)json_str(a, key, &text);
    else if (text.n >= 2)
        text = (struct bough_str){ text.p + 1, text.n - 2 };
    return text;
}

static bool among_few(struct bough_arena *a, struct json object, struct bough_str *key)
{
    struct bough_str keys[FEW];
    struct json_iter it = json_iter(object);

    for (size_t n = 0; n < FEW && json_next(&it); n++) {
        keys[n] = key_text(a, it.key);
        for (size_t i = 0; i < n; i++)
            if (keys[i].n == keys[n].n && memcmp(keys[i].p, keys[n].p, keys[n].n) == 0) {
                *key = keys[n];
                return true;
            }
    }
    return false;
}

static bool among_many(struct bough_arena *a, struct json object, struct bough_str *key)
{
    struct json_iter it = json_iter(object);
    struct smap seen;
    bool found = false;

    smap_init(&seen);
    while (!found && json_next(&it)) {
        *key = key_text(a, it.key);
        found = smap_get(&seen, *key, NULL);
        smap_put(&seen, *key, 1);
    }
    smap_finish(&seen);
    return found;
}

bool json_repeated(struct bough_arena *a, struct json object, struct bough_str *key)
{
    if (json_type(object) != JSON_OBJECT || json_count(object) < 2)
        return false;
    return json_count(object) <= FEW ? among_few(a, object, key) : among_many(a, object, key);
}
