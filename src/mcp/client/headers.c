/* Arguments that are sent as headers too (x-mcp-header of 2026-07-28). Pure. */
#include <string.h>
#include <strings.h>

#include "base/memory/arena.h"
#include "base/text/base64.h"
#include "base/text/str.h"
#include "mcp/client/inside.h"

#define ANNOTATION "x-mcp-header"

enum { PATH_MOST = 32, PARAMS_MOST = 64, HEADER_MOST = 128, VALUE_MOST = 8 * 1024 };

struct scan {
    struct bough_arena *a;
    struct mcp_listed *out;
    struct mcp_param params[PARAMS_MOST];
    size_t n;
    const char *path[PATH_MOST];
    size_t depth;
};

/* A token of HTTP. */
static bool is_token(const char *text)
{
    static const char marks[] = "!#$%&'*+-.^_`|~";
    size_t n = 0;

    for (; text[n]; n++)
        if (!strchr(marks, text[n]) && !(text[n] >= '0' && text[n] <= '9') &&
            !((text[n] | 32) >= 'a' && (text[n] | 32) <= 'z'))
            return false;
    return n > 0 && n <= HEADER_MOST;
}

static bool is_taken(const struct scan *s, const char *header)
{
    for (size_t i = 0; i < s->n; i++)
        if (strcasecmp(s->params[i].header, header) == 0)
            return true;
    return false;
}

static bool take_annotation(struct scan *s, struct json schema)
{
    const char *name = json_cstr(s->a, schema, ANNOTATION);
    struct json type = json_member(schema, "type");
    const char **path, *header;

    if (!s->depth || !name || !is_token(name) || s->n == PARAMS_MOST)
        return false;
    if (!json_is(type, "string") && !json_is(type, "integer") && !json_is(type, "boolean"))
        return false;
    header = arena_printf(s->a, "Mcp-Param-%s", name);
    if (is_taken(s, header))
        return false;
    path = arena_array(s->a, s->depth + 1, sizeof *path);
    memcpy(path, s->path, s->depth * sizeof *path);
    s->params[s->n++] = (struct mcp_param){ header, path };
    return true;
}

/* Is there an annotation where none may be: below anything but properties? Names of properties
 * that are called like the annotation do not count, but are refused too, which is safe. */
static bool has_annotation(struct json j)
{
    struct bough_str raw = json_raw(j);

    return memmem(raw.p, raw.n, "\"" ANNOTATION "\"", sizeof ANNOTATION + 1) != NULL;
}

/* Recursion is bounded by PATH_MOST. */
static bool scan_schema(struct scan *s, struct json schema) /* NOLINT(misc-no-recursion) */
{
    struct json_iter it = json_iter(schema), each;

    if (json_type(schema) != JSON_OBJECT)
        return true;
    while (json_next(&it)) {
        if (json_is(it.key, ANNOTATION)) {
            if (!take_annotation(s, schema))
                return false;
            continue;
        }
        if (!json_is(it.key, "properties")) {
            if (has_annotation(it.value))
                return false;
            continue;
        }
        for (each = json_iter(it.value); json_next(&each);) {
            struct bough_str name = str_of("");
            bool good;

            if (s->depth == PATH_MOST)
                return !has_annotation(it.value);
            (void)json_str(s->a, each.key, &name);
            s->path[s->depth++] = name.p;
            good = scan_schema(s, each.value);
            s->depth--;
            if (!good)
                return false;
        }
    }
    return true;
}

bool mcp_read_params(struct bough_arena *a, struct json schema, struct mcp_listed *out)
{
    struct scan s = { .a = a, .out = out };

    if (!has_annotation(schema))
        return true;
    if (!scan_schema(&s, schema))
        return false;
    out->params = arena_dup(a, s.params, s.n * sizeof *s.params);
    out->nparams = s.n;
    return true;
}

/* ---- values ---- */

static bool is_plain(struct bough_str text)
{
    if (!text.n || text.p[0] == ' ' || text.p[0] == '\t' || text.p[text.n - 1] == ' ' ||
        text.p[text.n - 1] == '\t')
        return false;
    if (str_starts(text, "=?base64?") && str_ends(text, "?="))
        return false;
    for (size_t i = 0; i < text.n; i++)
        if (text.p[i] != '\t' && (text.p[i] < ' ' || text.p[i] > '~'))
            return false;
    return true;
}

const char *mcp_header_value(struct bough_arena *a, struct bough_str text)
{
    char *coded;
    size_t n = base64_length(text.n);

    if (is_plain(text))
        return arena_strndup(a, text.p, text.n);
    coded = arena_alloc(a, n + 1);
    base64_encode(text.p, text.n, coded);
    return arena_printf(a, "=?base64?%.*s?=", (int)n, coded);
}

/* The text of a string, a whole number or a boolean; false: there is none to send. */
static bool value_text(struct bough_arena *a, struct json j, struct bough_str *out)
{
    enum json_type type = json_type(j);
    int64_t n;

    if (!j.doc || type == JSON_NULL || type == JSON_ARRAY || type == JSON_OBJECT)
        return false;
    if (type == JSON_STRING)
        return json_str(a, j, out) && out->n <= VALUE_MOST;
    *out = json_raw(j);
    return type != JSON_NUMBER ||
           (json_i64(j, &n) && n >= -(INT64_C(1) << 53) + 1 && n <= (INT64_C(1) << 53) - 1);
}

const char *const *mcp_param_lines(struct bough_arena *a, const struct mcp_listed *tool,
                                   struct bough_str args)
{
    const char **lines = arena_array(a, tool->nparams + 1, sizeof *lines);
    struct bough_error err;
    struct bough_str text;
    struct json root;
    size_t n = 0;

    if (!tool->nparams || json_parse(a, args, &root, &err))
        return lines;
    for (size_t i = 0; i < tool->nparams; i++) {
        struct json at = root;

        for (const char *const *p = tool->params[i].path; *p; p++)
            at = json_member(at, *p);
        if (value_text(a, at, &text))
            lines[n++] =
                arena_printf(a, "%s: %s", tool->params[i].header, mcp_header_value(a, text));
    }
    return lines;
}
