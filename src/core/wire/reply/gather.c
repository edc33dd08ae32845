/* Members that come in pieces. */
#include "core/wire/reply/gather.h"

#include <string.h>

#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/memory/mem.h"
#include "base/text/str.h"

enum {
    MOST = BOUGH_LIMIT_DATA / 2, /* bytes of values that become an entry's data */
    MEMBERS = 256,               /* of one object: more is no message */
    NAMED = 256,                 /* bytes of a string that names something */
};

enum shape { SHAPE_STRING, SHAPE_ARRAY, SHAPE_OBJECT, SHAPE_LAST };

struct gathered {
    char *name;
    enum shape shape;
    struct buf raw;       /* STRING, ARRAY: without quotes or brackets; LAST: the value */
    struct gather inside; /* OBJECT */
};

void gather_finish(struct gather *g)
{
    for (size_t i = 0; i < g->n; i++) {
        mem_free(g->at[i].name);
        buf_finish(&g->at[i].raw);
        gather_finish(&g->at[i].inside);
    }
    mem_free(g->at);
    *g = (struct gather){ .most = g->most };
}

static enum shape shape_of(enum gather_how how, struct json value)
{
    if (how == GATHER_LAST)
        return SHAPE_LAST;
    switch (json_type(value)) {
    case JSON_STRING:
        return SHAPE_STRING;
    case JSON_ARRAY:
        return SHAPE_ARRAY;
    case JSON_OBJECT:
        return SHAPE_OBJECT;
    case JSON_NULL:
    case JSON_FALSE:
    case JSON_TRUE:
    case JSON_NUMBER:
        break;
    }
    return SHAPE_LAST;
}

static size_t most_of(const struct gather *g)
{
    return g->most ? g->most : MOST;
}

static struct gathered *find(const struct gather *g, struct bough_str name)
{
    for (size_t i = 0; i < g->n; i++)
        if (str_is(name, g->at[i].name))
            return &g->at[i];
    return NULL;
}

/* The member of that name and shape; one of another shape begins anew. NULL: too many. */
static struct gathered *member(struct gather *g, struct bough_str name, enum shape shape)
{
    struct gathered *m = find(g, name);

    if (!m && g->n >= MEMBERS)
        return NULL;
    if (!m) {
        g->at = mem_room(g->at, g->n, sizeof *g->at);
        m = &g->at[g->n++];
        *m = (struct gathered){ .name = mem_alloc(name.n + 1), .shape = shape };
        memcpy(m->name, name.p, name.n);
        m->name[name.n] = '\0';
        buf_init(&m->raw, most_of(g));
        m->inside.most = g->most;
        return m;
    }
    if (m->shape != shape || shape == SHAPE_LAST) {
        buf_reset(&m->raw);
        gather_finish(&m->inside);
    }
    m->shape = shape;
    return m;
}

/* A value without its quotes or brackets. */
static struct bough_str inside(struct json value)
{
    struct bough_str raw = json_raw(value);

    if (json_type(value) == JSON_ARRAY && !json_count(value))
        return str_of("");
    return raw.n > 2 ? str_make(raw.p + 1, raw.n - 2) : str_of("");
}

/* The same name again, not the next piece of a text. */
static bool named_again(const struct gathered *m, struct bough_str piece)
{
    static const char *const names[] = { "id", "type", "name", "role", "format", "call_id", NULL };

    return m->raw.n && m->raw.n < NAMED && str_among(str_of(m->name), names) &&
           str_eq(buf_str(&m->raw), piece);
}

static void add_piece(struct gathered *m, struct json value)
{
    struct bough_str piece = m->shape == SHAPE_LAST ? json_raw(value) : inside(value);

    if (m->shape == SHAPE_STRING && named_again(m, piece))
        return;
    if (m->shape == SHAPE_ARRAY && m->raw.n && piece.n)
        buf_putc(&m->raw, ',');
    buf_put_str(&m->raw, piece);
}

void gather_add(struct gather *g, enum gather_how how, struct bough_str name, struct json value)
{
    static const char *const none[] = { NULL };
    size_t n = json_raw(value).n + name.n;
    struct gathered *m = NULL;

    if (json_type(value) == JSON_NULL)
        return;
    if (g->bytes + n <= most_of(g) && !memchr(name.p, '\0', name.n))
        m = member(g, name, shape_of(how, value));
    if (!m) {
        g->over = true;
        return;
    }
    g->bytes += n;
    if (m->shape == SHAPE_OBJECT) {
        gather_all(&m->inside, how, value, none);
        g->over = g->over || m->inside.over;
    } else {
        add_piece(m, value);
    }
}

/* A name with escapes, which is rare. */
static void add_escaped(struct gather *g, enum gather_how how, struct json key, struct json value)
{
    struct bough_arena *tmp = bough_arena_create();
    struct bough_str name;

    if (json_str(tmp, key, &name))
        gather_add(g, how, name, value);
    bough_arena_destroy(tmp);
}

void gather_all(struct gather *g, enum gather_how how, struct json object, const char *const *but)
{
    struct json_iter it = json_iter(object);

    while (json_type(object) == JSON_OBJECT && json_next(&it)) {
        struct bough_str raw = json_raw(it.key);
        const char *const *skip = but;

        while (*skip && !json_is(it.key, *skip))
            skip++;
        if (*skip)
            continue;
        if (memchr(raw.p, '\\', raw.n))
            add_escaped(g, how, it.key, it.value);
        else
            gather_add(g, how, str_make(raw.p + 1, raw.n - 2), it.value);
    }
}

void gather_push(struct gather *g, const char *name, struct bough_str element)
{
    struct gathered *m = NULL;

    if (!element.n)
        return;
    if (g->bytes + element.n <= most_of(g))
        m = member(g, str_of(name), SHAPE_ARRAY);
    if (!m) {
        g->over = true;
        return;
    }
    g->bytes += element.n;
    if (m->raw.n)
        buf_putc(&m->raw, ',');
    buf_put_str(&m->raw, element);
}

static void write_value(const struct gathered *m, struct json_writer *w)
{
    static const char open[] = { '"', '[', '{', 0 }, shut[] = { '"', ']', '}', 0 };
    struct buf b;

    buf_init(&b, m->raw.n + 2);
    if (open[m->shape])
        buf_putc(&b, open[m->shape]);
    buf_put_str(&b, buf_str(&m->raw));
    if (shut[m->shape])
        buf_putc(&b, shut[m->shape]);
    jw_raw(w, buf_str(&b));
    buf_finish(&b);
}

void gather_write(const struct gather *g, struct json_writer *w)
{
    for (size_t i = 0; i < g->n; i++) {
        jw_key(w, g->at[i].name);
        if (g->at[i].shape != SHAPE_OBJECT) {
            write_value(&g->at[i], w);
            continue;
        }
        jw_obj(w);
        gather_write(&g->at[i].inside, w);
        jw_end_obj(w);
    }
}

struct bough_str gather_string(const struct gather *g, struct bough_arena *a, const char *name)
{
    const struct gathered *m = find(g, str_of(name));

    if (!m || (m->shape != SHAPE_STRING && !(m->shape == SHAPE_LAST && m->raw.p[0] == '"')))
        return str_make(NULL, 0);
    return m->shape == SHAPE_LAST ? arena_str(a, buf_str(&m->raw))
                                  : str_of(arena_printf(a, "\"%.*s\"", (int)m->raw.n, m->raw.p));
}

bool gather_has(const struct gather *g, const char *name)
{
    return find(g, str_of(name)) != NULL;
}
