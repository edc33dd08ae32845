/* openapi.json: complete, and its tables without rows that nothing uses. */
#include <string.h>

#include "api/world.h"
#include "base/memory/arena.h"
#include "base/text/str.h"

static struct json document(struct test *t, struct world *w)
{
    struct http_reply r = world_own(t, w, "GET", "/api/v1/openapi.json", "");

    CHECK_INT(200, r.status);
    return reply_json(t, &r);
}

static struct json at(struct test *t, struct json j, const char *path)
{
    char *rest = arena_strdup(t->arena, path), *name;

    while ((name = strsep(&rest, " ")))
        if (!json_get(j, name, &j))
            FAIL("openapi.json has no %s", path);
    return j;
}

static const char *name_of(struct test *t, struct json key)
{
    struct bough_str s;

    CHECK(json_str(t->arena, key, &s));
    return s.p;
}

static bool described(struct test *t, struct json j)
{
    const char *text = json_cstr(t->arena, j, "description");

    return text && strlen(text) > 5;
}

STORE_TEST(every_schema_and_every_property_has_a_description)
{
    struct json_iter schema;
    struct world w;
    int n = 0;

    world_open(t, &w);
    schema = json_iter(at(t, document(t, &w), "components schemas"));
    while (json_next(&schema)) {
        struct json_iter member = json_iter(json_member(schema.value, "properties"));
        const char *name = name_of(t, schema.key);

        if (!described(t, schema.value))
            FAIL("%s has no description", name);
        while (json_type(json_member(schema.value, "properties")) == JSON_OBJECT &&
               json_next(&member)) {
            if (!described(t, member.value))
                FAIL("%s.%s has no description", name, name_of(t, member.key));
            n++;
        }
    }
    CHECK(n > 500);
    world_close(&w);
}

/* Is this row of a table of members the one that some schema prints? */
static bool used(const struct api_about *row)
{
    const struct api_schema *s;

    for (size_t i = 0; (s = api_schema_at(i)); i++) {
        const char *p = s->members;

        while (*p) {
            size_t n = strcspn(p, " "), k = strcspn(p, ":?");

            if (k < n && api_about(s->name, str_make(p, k)) == row)
                return true;
            p += n + (p[n] == ' ');
        }
    }
    return false;
}

TEST(every_row_that_describes_a_member_is_used_and_the_rows_are_sorted)
{
    const struct api_about *tables[] = { api_names, api_members, api_original_names };

    (void)t;
    for (size_t i = 0; i < 3; i++)
        for (const struct api_about *row = tables[i]; row->name; row++) {
            if (!used(row))
                FAIL("%s describes no member", row->name);
            if (row > tables[i] && strcmp(row[-1].name, row->name) >= 0)
                FAIL("%s is not in order", row->name);
        }
}

TEST(every_request_body_has_an_example_that_fits_its_schema)
{
    const struct api_schema *s;
    int n = 0;

    for (size_t i = 0; (s = api_schema_at(i)); i++) {
        struct json example;

        if (strncmp(s->members, "only ", 5) == 0 && !s->example)
            FAIL("%s has no example", s->name);
        if (!s->example)
            continue;
        CHECK_OK(json_parse(t->arena, str_of(s->example), &example, &t->err));
        check_fits(t, s->name, example);
        n++;
    }
    CHECK(n > 30);
}

TEST(examples_of_members_are_json)
{
    const struct api_about *tables[] = { api_names, api_members, api_original_names };
    struct json example;

    for (size_t i = 0; i < 3; i++)
        for (const struct api_about *row = tables[i]; row->name; row++)
            if (row->example && json_parse(t->arena, str_of(row->example), &example, NULL))
                FAIL("the example of %s is not JSON", row->name);
}

/* Errors that every operation can answer with, and those of operations that are not open. */
static void check_answers(struct test *t, struct json operation, const char *id)
{
    static const char *const always[] = { "400", "403", "413", "421", "422", "500", "503", "504" };
    static const char *const closed[] = { "401", "429", "507" };
    struct json responses = at(t, operation, "responses"), one;
    bool open = json_get(operation, "security", &one);

    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        if (!json_get(responses, always[i], &one))
            FAIL("%s lists no %s", id, always[i]);
    for (size_t i = 0; !open && i < sizeof closed / sizeof *closed; i++)
        if (!json_get(responses, closed[i], &one))
            FAIL("%s lists no %s", id, closed[i]);
    for (struct json_iter it = json_iter(responses); json_next(&it);)
        if (!json_get(it.value, "$ref", &one) &&
            (!described(t, it.value) || !json_get(it.value, "headers", &one)))
            FAIL("%s: the answer %s has no description or headers", id, name_of(t, it.key));
}

static void check_operation(struct test *t, struct json operation)
{
    const char *id = json_cstr(t->arena, operation, "operationId");
    struct json_iter it = json_iter(at(t, operation, "parameters"));

    CHECK(id && json_cstr(t->arena, operation, "summary"));
    CHECK_INT(1, (int)json_count(at(t, operation, "tags")));
    while (json_next(&it))
        if (!described(t, it.value))
            FAIL("%s: the parameter %s has no description", id,
                 json_cstr(t->arena, it.value, "name"));
    check_answers(t, operation, id);
}

STORE_TEST(every_operation_has_a_tag_and_lists_its_parameters_and_error_answers)
{
    struct json_iter path;
    struct world w;
    int n = 0;

    world_open(t, &w);
    path = json_iter(at(t, document(t, &w), "paths"));
    while (json_next(&path))
        for (struct json_iter it = json_iter(path.value); json_next(&it); n++)
            check_operation(t, it.value);
    CHECK(n > 90);
    world_close(&w);
}

STORE_TEST(every_tag_is_used_and_every_error_answer_names_its_codes)
{
    struct json_iter it;
    struct json doc;
    struct world w;

    world_open(t, &w);
    doc = document(t, &w);
    for (it = json_iter(at(t, doc, "components responses")); json_next(&it);)
        if (!strstr(json_cstr(t->arena, it.value, "description"), "Codes: "))
            FAIL("%s names no codes", name_of(t, it.key));
    for (const struct api_tag *tag = api_tags; tag->name; tag++) {
        bool found = false;

        for (const struct http_route *const *table = api_all(w.api); *table; table++)
            for (const struct http_route *r = *table; r->method; r++)
                found = found || strcmp(api_tag_of(r), tag->name) == 0;
        if (!found)
            FAIL("no operation has the tag %s", tag->name);
    }
    world_close(&w);
}

/* The words that readers meet first are explained where they stand. */
STORE_TEST(heads_numbers_versions_and_states_are_explained)
{
    static const struct {
        const char *where, *says;
    } words[] = {
        { "components schemas Session properties head description", "#branch.depth" },
        { "components schemas Entry properties no description", "order of time" },
        { "components schemas Entry properties at description", "#branch.depth" },
        { "components schemas Delta properties at description", "bytes" },
        { "components schemas Source properties ver description", "1 more with every change" },
        { "components schemas Step properties state description", "pending becomes running" },
        { "info description", "`#1.2`" },
    };
    struct bough_str text;
    struct json doc;
    struct world w;

    world_open(t, &w);
    doc = document(t, &w);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        CHECK(json_str(t->arena, at(t, doc, words[i].where), &text));
        if (!strstr(text.p, words[i].says))
            FAIL("%s does not say %s", words[i].where, words[i].says);
    }
    world_close(&w);
}

static size_t words_of_parameter(struct test *t, struct json doc, const char *path,
                                 const char *method, const char *name)
{
    struct json_iter it;
    struct json words;
    struct json operation = json_member(json_member(at(t, doc, "paths"), path), method);

    for (it = json_iter(json_member(operation, "parameters")); json_next(&it);)
        if (json_is(json_member(it.value, "name"), name) &&
            json_get(json_member(it.value, "schema"), "enum", &words))
            return json_count(words);
    return 0;
}

STORE_TEST(parameters_that_take_one_of_a_few_words_list_them)
{
    struct json doc;
    struct world w;

    world_open(t, &w);
    doc = document(t, &w);
    CHECK_INT(3, words_of_parameter(t, doc, "/api/v1/sessions/{id}/entries", "get", "what"));
    CHECK_INT(3, words_of_parameter(t, doc, "/api/v1/memories", "get", "scope"));
    CHECK_INT(2, words_of_parameter(t, doc, "/api/v1/sessions", "get", "kind"));
    CHECK_INT(3, words_of_parameter(t, doc, "/api/v1/places/{kind}", "get", "kind"));
    world_close(&w);
}
