/* Prints schemas as JSON Schema; schema.h describes the short form they are written in. */
#include <string.h>

#include "api/schema/schema.h"
#include "base/text/str.h"

static const char *const plain[] = { "string", "integer", "number", "boolean",
                                     "null",   "object",  NULL };

static bool is_plain(struct bough_str type)
{
    for (size_t i = 0; plain[i]; i++)
        if (str_is(type, plain[i]))
            return true;
    return false;
}

/* Take the next alternative of "a|b|[c|d]" off `rest`. A bracketed list or map counts as one. */
static struct bough_str next_type(struct bough_str *rest)
{
    struct bough_str one = { rest->p, 0 };
    int depth = 0;

    for (; one.n < rest->n && (depth || rest->p[one.n] != '|'); one.n++)
        depth += strchr("[{", rest->p[one.n]) ? 1 : strchr("]}", rest->p[one.n]) ? -1 : 0;
    rest->p += one.n;
    rest->n -= one.n;
    if (rest->n) {
        rest->p++;
        rest->n--;
    }
    return one;
}

static void write_name(struct json_writer *w, struct bough_str type)
{
    struct buf ref;

    buf_init(&ref, 256);
    buf_puts(&ref, "#/components/schemas/");
    buf_put_str(&ref, type);
    jw_kv_str(w, "$ref", buf_str(&ref));
    buf_finish(&ref);
}

/* What is printed beside the type of a member: its row, and its limits in a request body. */
struct beside {
    const struct api_about *about; /* may be NULL */
    bool limits;
};

/* `least` and `most` name the keywords for the type. */
static void write_limits(struct json_writer *w, const struct beside *b, const char *least,
                         const char *most)
{
    if (!b || !b->limits || !b->about || !b->about->most)
        return;
    if (b->about->least || least[1] == 'i') /* minimum; the lengths are never negative */
        jw_kv_i64(w, least, b->about->least);
    if (b->about->most < INT64_MAX)
        jw_kv_i64(w, most, b->about->most);
}

static void write_about(struct json_writer *w, const struct beside *b)
{
    if (!b || !b->about)
        return;
    jw_kv_cstr(w, "description", b->about->about);
    if (b->about->example) {
        jw_key(w, "examples");
        jw_arr(w);
        jw_raw(w, str_of(b->about->example));
        jw_end_arr(w);
    }
}

/* Recurses for nested arrays. The nesting is bounded: schemas are compiled in. */
static void write_types(struct json_writer *w, struct bough_str types, const struct beside *b);

static void write_array(struct json_writer *w, struct bough_str type, const struct beside *b)
{
    jw_obj(w);
    jw_kv_cstr(w, "type", "array");
    jw_key(w, "items");
    write_types(w, str_make(type.p + 1, type.n - 2), NULL);
    write_limits(w, b, "minItems", "maxItems");
    write_about(w, b);
    jw_end_obj(w);
}

static void write_map(struct json_writer *w, struct bough_str type, const struct beside *b)
{
    jw_obj(w);
    jw_kv_cstr(w, "type", "object");
    jw_key(w, "additionalProperties");
    write_types(w, str_make(type.p + 1, type.n - 2), NULL);
    write_about(w, b);
    jw_end_obj(w);
}

static void write_type(struct json_writer *w, struct bough_str type, const struct beside *b)
{
    if (type.n > 2 && type.p[0] == '{') {
        write_map(w, type, b);
        return;
    }
    if (type.n > 2 && type.p[0] == '[') {
        write_array(w, type, b);
        return;
    }
    jw_obj(w);
    if (is_plain(type)) {
        jw_kv_str(w, "type", type);
        if (str_is(type, "object")) /* generators read a bare object as empty */
            jw_kv_bool(w, "additionalProperties", true);
        if (str_is(type, "string"))
            write_limits(w, b, "minLength", "maxLength");
        else if (str_is(type, "integer"))
            write_limits(w, b, "minimum", "maximum");
    } else if (str_is(type, "time")) {
        jw_kv_cstr(w, "type", "string");
        jw_kv_cstr(w, "format", "date-time");
    } else if (type.p[0] == '\'') {
        jw_kv_str(w, "const", str_make(type.p + 1, type.n - 2));
    } else if (!str_is(type, "any")) {
        write_name(w, type);
    }
    write_about(w, b);
    jw_end_obj(w);
}

static bool all_words(struct bough_str types)
{
    while (types.n)
        if (next_type(&types).p[0] != '\'')
            return false;
    return true;
}

static void write_enum(struct json_writer *w, struct bough_str types, const struct beside *b)
{
    jw_obj(w);
    jw_kv_cstr(w, "type", "string");
    jw_key(w, "enum");
    jw_arr(w);
    while (types.n) {
        struct bough_str one = next_type(&types);

        jw_str(w, str_make(one.p + 1, one.n - 2));
    }
    jw_end_arr(w);
    write_about(w, b);
    jw_end_obj(w);
}

static void write_types(struct json_writer *w, struct bough_str types, const struct beside *b)
{
    struct bough_str rest = types, first = next_type(&rest);

    if (!rest.n) {
        write_type(w, first, b);
        return;
    }
    if (all_words(types)) {
        write_enum(w, types, b);
        return;
    }
    jw_obj(w);
    jw_key(w, "anyOf");
    jw_arr(w);
    while (types.n)
        write_type(w, next_type(&types), NULL);
    jw_end_arr(w);
    write_about(w, b);
    jw_end_obj(w);
}

/* Take the next member off `rest`; false at the end. */
static bool next_member(struct bough_str *rest, struct bough_str *name, struct bough_str *types,
                        bool *needed)
{
    const char *colon;
    size_t n;

    while (rest->n && *rest->p == ' ') {
        rest->p++;
        rest->n--;
    }
    if (!rest->n)
        return false;
    for (n = 0; n < rest->n && rest->p[n] != ' '; n++)
        ;
    colon = memchr(rest->p, ':', n);
    *name = str_make(rest->p, (size_t)(colon - rest->p));
    *types = str_make(colon + 1, n - name->n - 1);
    *needed = name->p[name->n - 1] != '?';
    name->n -= !*needed;
    *rest = str_make(rest->p + n, rest->n - n);
    return true;
}

static void write_members(struct json_writer *w, const char *schema, struct bough_str words,
                          bool limits)
{
    struct bough_str rest = words, name, types;
    bool needed;

    jw_key(w, "properties");
    jw_obj(w);
    while (next_member(&rest, &name, &types, &needed)) {
        struct beside b = { api_about(schema, name), limits };

        jw_key_str(w, name);
        write_types(w, types, &b);
    }
    jw_end_obj(w);
    jw_key(w, "required");
    jw_arr(w);
    for (rest = words; next_member(&rest, &name, &types, &needed);)
        if (needed)
            jw_str(w, name);
    jw_end_arr(w);
}

static void write_schema(struct json_writer *w, const struct api_schema *s)
{
    bool only = strncmp(s->members, "only ", 5) == 0, more = strncmp(s->members, "more ", 5) == 0;
    struct bough_str words = str_of(s->members + (only || more ? 5 : 0));

    jw_obj(w);
    jw_kv_cstr(w, "type", "object");
    jw_kv_cstr(w, "description", s->about);
    if (only || more)
        jw_kv_bool(w, "additionalProperties", more);
    if (words.n)
        write_members(w, s->name, words, s->example != NULL);
    if (s->example) {
        jw_key(w, "examples");
        jw_arr(w);
        jw_raw(w, str_of(s->example));
        jw_end_arr(w);
    }
    jw_end_obj(w);
}

/* An open list also allows any string, so that generated readers accept words of later versions. */
static void write_words(struct json_writer *w, const struct api_words *list)
{
    jw_obj(w);
    jw_kv_cstr(w, "description", list->about);
    if (list->open) {
        jw_key(w, "anyOf");
        jw_arr(w);
        jw_obj(w);
    }
    jw_kv_cstr(w, "type", "string");
    jw_key(w, "enum");
    jw_arr(w);
    for (size_t i = 0; list->at(i); i++)
        jw_cstr(w, list->at(i));
    jw_end_arr(w);
    if (list->open) {
        jw_end_obj(w);
        jw_obj(w);
        jw_kv_cstr(w, "type", "string");
        jw_end_obj(w);
        jw_end_arr(w);
    }
    jw_end_obj(w);
}

const struct api_schema *api_schema_at(size_t i)
{
    static const struct api_schema *const tables[] = { api_own_schemas, api_run_schemas,
                                                       api_original_schemas };

    for (size_t k = 0; k < sizeof tables / sizeof *tables; k++)
        for (const struct api_schema *s = tables[k]; s->name; s++)
            if (i-- == 0)
                return s;
    return NULL;
}

bool api_schema_write(struct json_writer *w, const char *name)
{
    const struct api_schema *s;

    for (size_t i = 0; (s = api_schema_at(i)); i++)
        if (strcmp(s->name, name) == 0) {
            write_schema(w, s);
            return true;
        }
    for (const struct api_words *list = api_words; list->name; list++)
        if (strcmp(list->name, name) == 0) {
            write_words(w, list);
            return true;
        }
    return false;
}
