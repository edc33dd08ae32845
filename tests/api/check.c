/* Validates replies against their schemas: types, required, enum, const, anyOf, items, and no
 * unknown members. */
#include <stdio.h>
#include <string.h>

#include "api/world.h"
#include "base/memory/arena.h"
#include "base/text/str.h"

/* ---- finding the route of a request ---- */

static bool fits(const char *path, const char *pattern)
{
    while (*path && *pattern) {
        size_t p = strcspn(pattern + 1, "/") + 1, s = strcspn(path + 1, "/?") + 1;

        if (pattern[1] != '{' && (p != s || memcmp(path, pattern, p) != 0))
            return false;
        path += s;
        pattern += p;
        if (*path == '?')
            return !*pattern;
    }
    return !*path && !*pattern;
}

const struct http_route *world_row(struct world *w, const char *method, const char *target)
{
    for (const struct http_route *const *table = api_all(w->api); *table; table++)
        for (const struct http_route *r = *table; r->method; r++)
            if (strcmp(r->method, method) == 0 && fits(target, r->path))
                return r;
    return NULL;
}

struct json schema_named(struct test *t, const char *name)
{
    struct json_writer w;
    struct json out;
    struct buf b;

    buf_init(&b, 64 * 1024);
    jw_init(&w, &b);
    if (!api_schema_write(&w, name))
        FAIL("there is no schema %s", name);
    CHECK_OK(json_parse(t->arena, str_make(arena_dup(t->arena, b.p, b.n), b.n), &out, &t->err));
    buf_finish(&b);
    return out;
}

/* ---- validating ---- */

static bool is_type(struct json value, struct json type)
{
    struct bough_str raw = json_raw(value);

    switch (json_type(value)) {
    case JSON_NULL:
        return json_is(type, "null");
    case JSON_FALSE:
    case JSON_TRUE:
        return json_is(type, "boolean");
    case JSON_NUMBER:
        return json_is(type, "number") || (json_is(type, "integer") && !memchr(raw.p, '.', raw.n) &&
                                           !memchr(raw.p, 'e', raw.n));
    case JSON_STRING:
        return json_is(type, "string");
    case JSON_ARRAY:
        return json_is(type, "array");
    case JSON_OBJECT:
        return json_is(type, "object");
    }
    return false;
}

/* Returns why `value` does not match the schema, or NULL if it does. */
static const char *misfit(struct test *t, struct json schema, struct json value, const char *where);

static const char *misfit_object(struct test *t, struct json schema, struct json value,
                                 const char *where)
{
    struct json properties = json_member(schema, "properties"), required, one;
    struct json each = json_member(schema, "additionalProperties");
    struct json_iter it = json_iter(value);
    const char *why = NULL;
    bool more = false;

    if (json_type(each) == JSON_OBJECT) { /* a map */
        while (!why && json_next(&it))
            why = misfit(t, each, it.value, arena_printf(t->arena, "%s{}", where));
        return why;
    }
    (void)json_bool(json_member(schema, "additionalProperties"), &more);
    if (json_type(properties) != JSON_OBJECT)
        return NULL;
    while (!why && json_next(&it)) {
        struct bough_str name;

        CHECK(json_str(t->arena, it.key, &name));
        if (!json_get(properties, name.p, &one) && more)
            continue;
        why = json_get(properties, name.p, &one)
                  ? misfit(t, one, it.value, arena_printf(t->arena, "%s.%s", where, name.p))
                  : arena_printf(t->arena, "%s.%s is in no schema", where, name.p);
    }
    required = json_member(schema, "required");
    for (it = json_iter(required); !why && json_next(&it);) {
        struct bough_str name;

        CHECK(json_str(t->arena, it.value, &name));
        if (!json_get(value, name.p, &one))
            why = arena_printf(t->arena, "%s.%s is missing", where, name.p);
    }
    return why;
}

static const char *misfit_any(struct test *t, struct json schema, struct json value,
                              const char *where)
{
    struct json_iter it = json_iter(json_member(schema, "anyOf"));
    const char *why = NULL;

    while (json_next(&it)) {
        why = misfit(t, it.value, value, where);
        if (!why)
            return NULL;
    }
    return why;
}

static bool listed(struct json list, struct json value)
{
    struct json_iter it = json_iter(list);

    while (json_next(&it))
        if (str_eq(json_raw(it.value), json_raw(value)))
            return true;
    return false;
}

static const char *misfit(struct test *t, struct json schema, struct json value, const char *where)
{
    struct json type = json_member(schema, "type"), one;
    const char *ref = json_cstr(t->arena, schema, "$ref"), *why = NULL;
    struct json_iter it;

    if (ref)
        return misfit(t, schema_named(t, strrchr(ref, '/') + 1), value, where);
    if (json_get(schema, "anyOf", &one))
        return misfit_any(t, schema, value, where);
    if (json_type(type) == JSON_STRING && !is_type(value, type))
        return arena_printf(t->arena, "%s is no %.*s: %.*s", where, (int)json_raw(type).n,
                            json_raw(type).p, (int)json_raw(value).n, json_raw(value).p);
    if (json_get(schema, "enum", &one) && !listed(one, value))
        return arena_printf(t->arena, "%s is none of its words", where);
    if (json_get(schema, "const", &one) && !str_eq(json_raw(one), json_raw(value)))
        return arena_printf(t->arena, "%s is another word", where);
    if (json_get(schema, "items", &one))
        for (it = json_iter(value); !why && json_next(&it);)
            why = misfit(t, one, it.value, arena_printf(t->arena, "%s[]", where));
    return why ? why : misfit_object(t, schema, value, where);
}

void check_fits(struct test *t, const char *schema, struct json value)
{
    const char *why = misfit(t, schema_named(t, schema), value, schema);

    if (why)
        FAIL("%s", why);
}

/* ---- requests ---- */

struct json reply_json(struct test *t, const struct http_reply *r)
{
    struct json j;

    CHECK_OK(json_parse(t->arena, r->body, &j, &t->err));
    return j;
}

/* openapi.json must list the status and the headers of the answer. */
static void check_head(const struct http_route *row, const struct http_reply *r)
{
    static const struct {
        const char *name;
        unsigned flag;
    } headers[] = {
        { "etag", HTTP_TAGS },
        { "location", HTTP_LOCATES },
        { "accept-ranges", HTTP_RANGES },
        { "content-disposition", HTTP_DOWNLOADS },
    };

    if (!api_may_answer(row, r->status))
        FAIL("%s %s answers %d, which openapi.json does not list", row->method, row->path,
             r->status);
    CHECK(http_reply_header(r, "x-request-id"));
    for (size_t i = 0; r->status < 300 && i < sizeof headers / sizeof *headers; i++)
        if ((http_reply_header(r, headers[i].name) != NULL) !=
            ((row->flags & headers[i].flag) != 0))
            FAIL("%s %s: the row and the answer disagree about %s", row->method, row->path,
                 headers[i].name);
}

struct json world_gives(struct test *t, struct world *w, const char *method, const char *target,
                        const char *body, int status)
{
    const struct http_route *row = world_row(w, method, target);
    struct http_reply r = world_own(t, w, method, target, body);
    struct json j;

    if (!row)
        FAIL("no row takes %s %s", method, target);
    if (r.status != status)
        FAIL("%s %s: %d, not %d: %s", method, target, r.status, status, r.body.p);
    check_head(row, &r);
    if (status == 204 || r.cut)
        return (struct json){ 0 };
    j = reply_json(t, &r);
    if (status < 300 && (row->status ? row->status : 200) != status)
        FAIL("%s %s answers %d, but its row says %d", method, target, status, row->status);
    check_fits(t, status < 400 ? row->gives : row->errors ? row->errors->schema : "Error", j);
    return j;
}

const char *text_at(struct test *t, struct json j, const char *path)
{
    char *rest = arena_strdup(t->arena, path), *name;
    struct bough_str s;

    while ((name = strsep(&rest, "."))) {
        if (*name >= '0' && *name <= '9') {
            struct json_iter it = json_iter(j);

            for (int i = 0; i <= *name - '0'; i++)
                if (!json_next(&it))
                    FAIL("there is no %s in it", path);
            j = it.value;
        } else if (!json_get(j, name, &j)) {
            FAIL("there is no %s in it", path);
        }
    }
    if (json_str(t->arena, j, &s))
        return s.p;
    s = json_raw(j);
    return arena_strndup(t->arena, s.p, s.n);
}

const char *of_session(struct test *t, const char *session, const char *rest)
{
    return arena_printf(t->arena, "/api/v1/sessions/%s%s", session, rest);
}
