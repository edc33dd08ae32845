/* Requests of the responses wire: a list of items. Items of the model that follow each other are
 * one message. */
#include <string.h>

#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/model/text.h"
#include "core/part/view.h"
#include "core/wire/inside.h"
#include "core/wire/part.h"

void wire_item_add(struct wire_items *l, struct json item)
{
    static const char *const taken[] = { "type", "role", "content", NULL };
    size_t before = l->parts.n;
    struct bough_str rest;

    if (json_type(json_member(item, "role")) != JSON_STRING) {
        wire_part_add(&l->parts, json_raw(item));
        return;
    }
    wire_parts_add(&l->parts, json_member(item, "content"));
    rest = wire_members_but(l->parts.a, item, taken);
    if (!rest.n)
        return;
    l->about = arena_room(l->parts.a, l->about, l->nabout, sizeof *l->about);
    l->about[l->nabout++] = str_of(arena_printf(l->parts.a, "{\"at\":%zu,\"n\":%zu,%.*s", before,
                                                l->parts.n - before, (int)rest.n - 1, rest.p + 1));
}

struct bough_str wire_items_about(const struct wire_items *l)
{
    struct bough_str out;
    struct buf b;

    if (!l->nabout)
        return str_make(NULL, 0);
    buf_init(&b, LIMIT_DATA);
    buf_puts(&b, "\"items\":[");
    for (size_t i = 0; i < l->nabout; i++) {
        buf_puts(&b, i ? "," : "");
        buf_put_str(&b, l->about[i]);
    }
    buf_puts(&b, "]");
    out = b.over ? str_make(NULL, 0) : text_keep(l->parts.a, &b);
    buf_finish(&b);
    return out;
}

/* Whose item it is. A message says so; outputs are a tool's, anything else is the model's. */
static enum bough_role role_of(struct bough_arena *a, struct json item)
{
    const char *role = json_cstr(a, item, "role"), *type = json_cstr(a, item, "type");

    if (!cstr_empty(role))
        return bough_role_parse(role);
    if (cstr_empty(type))
        return BOUGH_ROLE_OTHER;
    if (str_ends(str_of(type), "_output") || strcmp(type, "mcp_approval_response") == 0)
        return BOUGH_ROLE_TOOL;
    return BOUGH_ROLE_ASSISTANT;
}

/* Items of the model that were added and not given to the reading yet. */
struct pending {
    struct wire_items items;
    enum bough_role role;
    const char *word; /* of a message's role */
};

static enum bough_rc flush(struct reading *r, struct pending *p, struct bough_error *err)
{
    struct bough_str about = wire_items_about(&p->items);
    struct bough_entry_new e = { .role = p->role,
                                 .parts = p->items.parts.at,
                                 .nparts = p->items.parts.n };
    bool any = e.nparts || about.n;

    if (about.n)
        e.data = str_of(arena_printf(r->a, "{%s}", about.p));
    e.data = view_keep_role(r->a, p->word, e.data);
    *p = (struct pending){ .items = { .parts = { .a = r->a } } };
    return any ? reading_add(r, &e, err) : BOUGH_OK;
}

static enum bough_rc add_item(struct reading *r, struct pending *p, struct json item,
                              struct bough_error *err)
{
    enum bough_role role = role_of(r->a, item);
    bool joins = p->items.parts.n && role == BOUGH_ROLE_ASSISTANT && p->role == role;
    enum bough_rc rc = joins ? BOUGH_OK : flush(r, p, err);

    if (rc)
        return rc;
    p->role = role;
    p->word = json_cstr(r->a, item, "role");
    wire_item_add(&p->items, item);
    return BOUGH_OK;
}

enum bough_rc read_items(struct reading *r, struct json body, struct bough_error *err)
{
    struct json input = json_member(body, "input");
    struct json_iter it = json_iter(input);
    struct pending p = { .items = { .parts = { .a = r->a } } };
    enum bough_rc rc = BOUGH_OK;

    wire_parts_add(&r->system, json_member(body, "instructions"));
    if (json_type(input) == JSON_STRING) {
        p.role = BOUGH_ROLE_USER;
        wire_parts_add(&p.items.parts, input);
        return flush(r, &p, err);
    }
    if (json_type(input) != JSON_ARRAY && json_type(input) != JSON_NULL)
        return bough_fail(err, BOUGH_INVALID, "input must be a string or a list of items");
    for (size_t i = 0; json_type(input) == JSON_ARRAY && !rc && json_next(&it); i++) {
        if (json_type(it.value) != JSON_OBJECT)
            return bough_fail(err, BOUGH_INVALID, "item %zu of input must be an object", i + 1);
        rc = add_item(r, &p, it.value, err);
    }
    return rc ? rc : flush(r, &p, err);
}
