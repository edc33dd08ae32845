/* Helpers for tests of core: entries from literals. */
#include "build.h"

#include <stdio.h>

#include <bough/part.h>

#include "base/json/json.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/model/names.h"

static struct bough_entry *add(struct path *p, enum bough_entry_kind kind, const char *name)
{
    struct bough_entry *e = &p->at[p->n++];

    *e = (struct bough_entry){ .kind = kind, .kind_name = name, .session = "", .origin = "" };
    e->finish = "";
    e->at = (struct bough_head){ 1, (int64_t)p->n };
    e->time = 1000 + (int64_t)p->n;
    snprintf(e->id, sizeof e->id, "%026zu", p->n);
    return e;
}

struct bough_entry *add_message(struct path *p, enum bough_role role, const char *content,
                                const char *data)
{
    struct test *t = p->t;
    struct bough_entry *e = add(p, BOUGH_ENTRY_MESSAGE, "message");
    struct bough_part *parts;
    struct bough_str *raw;
    size_t i;

    e->role = role;
    e->data = str_of(data);
    if (!content)
        return e;
    CHECK_OK(bough_parts_split(t->arena, str_of(content), &raw, &e->nparts, &t->err));
    parts = arena_array(t->arena, e->nparts + 1, sizeof *parts);
    for (i = 0; i < e->nparts; i++) {
        parts[i].json = raw[i];
        CHECK_OK(bough_part_check(raw[i], &parts[i].type, &t->err));
    }
    e->parts = parts;
    return e;
}

struct bough_entry *add_entry(struct path *p, const char *kind, const char *data)
{
    struct bough_entry *e = add(p, entry_kind_parse(kind), kind);

    e->data = str_of(data);
    return e;
}

struct bough_context_result context_of(struct path *p, const char *dialect,
                                       struct bough_entry *marker)
{
    struct test *t = p->t;
    struct context_input in = { .dialect = dialect, .entries = p->at, .n = p->n, .marker = marker };
    struct bough_context_result c;
    struct json j;

    CHECK_OK(context_build(t->arena, &in, &c, &t->err));
    CHECK_OK(json_parse(t->arena, c.messages, &j, &t->err));
    CHECK_INT(json_count(j), c.count);
    return c;
}

size_t notes_about(const struct bough_context_result *c, const struct bough_entry *e,
                   const char *what)
{
    size_t i, n = 0;

    for (i = 0; i < c->nnotes; i++)
        n += cstr_eq(c->notes[i].entry, e->id) && cstr_eq(c->notes[i].what, what);
    return n;
}
