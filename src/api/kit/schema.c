/* Prints schemas as JSON Schema; api.h describes the short form they are written in. */
#include <string.h>

#include "api/kit/api.h"
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

/* Take the next alternative of "a|b|[c|d]" off `rest`. A bracketed list counts as one. */
static struct bough_str next_type(struct bough_str *rest)
{
    struct bough_str one = { rest->p, 0 };
    int depth = 0;

    for (; one.n < rest->n && (depth || rest->p[one.n] != '|'); one.n++)
        depth += rest->p[one.n] == '[' ? 1 : rest->p[one.n] == ']' ? -1 : 0;
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

/* Recurses for nested arrays. The nesting is bounded: schemas are compiled in. */
static void write_types(struct json_writer *w, struct bough_str types);

static void write_type(struct json_writer *w, struct bough_str type)
{
    if (type.n > 2 && type.p[0] == '[') {
        jw_obj(w);
        jw_kv_cstr(w, "type", "array");
        jw_key(w, "items");
        write_types(w, str_make(type.p + 1, type.n - 2));
        jw_end_obj(w);
        return;
    }
    jw_obj(w);
    if (is_plain(type)) {
        jw_kv_str(w, "type", type);
        if (str_is(type, "object")) /* generators read a bare object as empty */
            jw_kv_bool(w, "additionalProperties", true);
    } else if (str_is(type, "time")) {
        jw_kv_cstr(w, "type", "string");
        jw_kv_cstr(w, "format", "date-time");
    } else if (type.p[0] == '\'') {
        jw_kv_str(w, "const", str_make(type.p + 1, type.n - 2));
    } else if (!str_is(type, "any")) {
        write_name(w, type);
    }
    jw_end_obj(w);
}

static bool all_words(struct bough_str types)
{
    while (types.n)
        if (next_type(&types).p[0] != '\'')
            return false;
    return true;
}

static void write_enum(struct json_writer *w, struct bough_str types)
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
    jw_end_obj(w);
}

static void write_types(struct json_writer *w, struct bough_str types)
{
    struct bough_str rest = types, first = next_type(&rest);

    if (!rest.n) {
        write_type(w, first);
        return;
    }
    if (all_words(types)) {
        write_enum(w, types);
        return;
    }
    jw_obj(w);
    jw_key(w, "anyOf");
    jw_arr(w);
    while (types.n)
        write_type(w, next_type(&types));
    jw_end_arr(w);
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

static void write_object(struct json_writer *w, struct bough_str words, bool only)
{
    struct bough_str rest = words, name, types;
    bool needed;

    jw_obj(w);
    jw_kv_cstr(w, "type", "object");
    if (only)
        jw_kv_bool(w, "additionalProperties", false);
    jw_key(w, "properties");
    jw_obj(w);
    while (next_member(&rest, &name, &types, &needed)) {
        jw_key_str(w, name);
        write_types(w, types);
    }
    jw_end_obj(w);
    jw_key(w, "required");
    jw_arr(w);
    for (rest = words; next_member(&rest, &name, &types, &needed);)
        if (needed)
            jw_str(w, name);
    jw_end_arr(w);
    jw_end_obj(w);
}

void api_schema_write(struct json_writer *w, const struct api_schema *s)
{
    struct bough_str words = str_of(s->json);

    if (words.p[0] == '{')
        jw_raw(w, words);
    else if (str_starts(words, "only "))
        write_object(w, str_make(words.p + 5, words.n - 5), true);
    else
        write_object(w, words, false);
}
