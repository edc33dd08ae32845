/* Arguments of tools: their JSON schema, strict checks, and the request that they become. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "mcp/server/inside.h"

/* ---- schema ---- */

static void put_words(struct json_writer *w, const char *(*words)(size_t i))
{
    jw_key(w, "enum");
    jw_arr(w);
    for (size_t i = 0; words(i); i++)
        jw_cstr(w, words(i));
    jw_end_arr(w);
}

static const char *status_words(size_t i)
{
    static const char *const words[] = { "pending", "in_progress", "completed", "cancelled", NULL };

    return http_word(words, i);
}

static const char *priority_words(size_t i)
{
    static const char *const words[] = { "low", "medium", "high", NULL };

    return http_word(words, i);
}

/* The members of one todo. */
static const struct mcp_field todo_fields[] = {
    { "content", MCP_TEXT, .about = "What is to be done.", .least = 1, .most = 4000,
      .required = true },
    { "status", MCP_TEXT, .about = "Default pending.", .words = status_words },
    { "priority", MCP_TEXT, .about = "Default medium.", .words = priority_words },
    { 0 },
};

static void put_type(struct json_writer *w, const struct mcp_field *f)
{
    switch (f->type) {
    case MCP_TEXT:
        jw_kv_cstr(w, "type", "string");
        if (f->least)
            jw_kv_i64(w, "minLength", f->least);
        if (f->most)
            jw_kv_i64(w, "maxLength", f->most);
        break;
    case MCP_INTEGER:
        jw_kv_cstr(w, "type", "integer");
        jw_kv_i64(w, "minimum", f->least);
        jw_kv_i64(w, "maximum", f->most);
        break;
    case MCP_FLAG:
        jw_kv_cstr(w, "type", "boolean");
        break;
    case MCP_TODOS:
        jw_kv_cstr(w, "type", "array");
        jw_kv_i64(w, "maxItems", f->most);
        break;
    }
    if (f->words)
        put_words(w, f->words);
    jw_kv_cstr(w, "description", f->about);
    if (f->fallback && f->type == MCP_TEXT)
        jw_kv_cstr(w, "default", f->fallback);
    else if (f->fallback)
        jw_kv_raw(w, "default", str_of(f->fallback));
}

/* The members of an object that is open, for arguments and for one todo. */
static void put_object(struct json_writer *w, const struct mcp_field *fields)
{
    jw_kv_cstr(w, "type", "object");
    jw_key(w, "properties");
    jw_obj(w);
    for (const struct mcp_field *f = fields; f->name; f++) {
        jw_key(w, f->name);
        jw_obj(w);
        put_type(w, f);
        if (f->type == MCP_TODOS) {
            jw_key(w, "items");
            jw_obj(w);
            put_object(w, todo_fields); /* which has no list in it */
            jw_end_obj(w);
        }
        jw_end_obj(w);
    }
    jw_end_obj(w);
    jw_key(w, "required");
    jw_arr(w);
    for (const struct mcp_field *f = fields; f->name; f++)
        if (f->required)
            jw_cstr(w, f->name);
    jw_end_arr(w);
    jw_kv_bool(w, "additionalProperties", false);
}

void mcp_schema(struct json_writer *w, const struct mcp_field *fields)
{
    jw_obj(w);
    put_object(w, fields);
    jw_end_obj(w);
}

/* ---- checks ---- */

static const char *words_of(struct bough_arena *a, const char *(*words)(size_t i))
{
    const char *all = "";

    for (size_t i = 0; words(i); i++)
        all = arena_printf(a, "%s%s%s", all, i ? ", " : "", words(i));
    return all;
}

static enum bough_rc check_text(struct bough_arena *a, const struct mcp_field *f, struct json value,
                                struct bough_error *err)
{
    struct bough_str text;
    size_t i = 0;

    if (!json_str(a, value, &text) || memchr(text.p, '\0', text.n))
        return bough_fail(err, BOUGH_INVALID, "%s must be a string without NUL", f->name);
    if ((int64_t)text.n < f->least || (f->most && (int64_t)text.n > f->most))
        return bough_fail(err, BOUGH_INVALID, "%s must have %" PRId64 " to %" PRId64 " bytes",
                          f->name, f->least, f->most);
    while (f->words && f->words(i) && !str_is(text, f->words(i)))
        i++;
    if (f->words && !f->words(i))
        return bough_fail(err, BOUGH_INVALID, "%s must be one of %s", f->name,
                          words_of(a, f->words));
    for (i = 0; f->place == MCP_KEY && i < text.n; i++)
        if (text.p[i] < '!' || text.p[i] > '~')
            return bough_fail(err, BOUGH_INVALID, "%s must be printable ASCII without blanks",
                              f->name);
    return BOUGH_OK;
}

static enum bough_rc check_members(struct bough_arena *a, const struct mcp_field *fields,
                                   struct json object, struct bough_error *err);

static enum bough_rc check_todos(struct bough_arena *a, const struct mcp_field *f,
                                 struct json value, struct bough_error *err)
{
    struct json_iter it = json_iter(value);
    enum bough_rc rc = BOUGH_OK;

    if (json_type(value) != JSON_ARRAY || json_count(value) > f->most)
        return bough_fail(err, BOUGH_INVALID, "%s must be a list of at most %" PRId64 " items",
                          f->name, f->most);
    while (!rc && json_next(&it))
        rc = check_members(a, todo_fields, it.value, err);
    return rc;
}

static enum bough_rc check_one(struct bough_arena *a, const struct mcp_field *f, struct json value,
                               struct bough_error *err)
{
    int64_t n;
    bool b;

    switch (f->type) {
    case MCP_TEXT:
        return check_text(a, f, value, err);
    case MCP_INTEGER:
        if (json_i64(value, &n) && n >= f->least && n <= f->most)
            return BOUGH_OK;
        return bough_fail(err, BOUGH_INVALID, "%s must be an integer from %" PRId64 " to %" PRId64,
                          f->name, f->least, f->most);
    case MCP_FLAG:
        if (json_bool(value, &b))
            return BOUGH_OK;
        return bough_fail(err, BOUGH_INVALID, "%s must be true or false", f->name);
    case MCP_TODOS:
        return check_todos(a, f, value, err);
    }
    return BOUGH_OK;
}

static const char *names_of(struct bough_arena *a, const struct mcp_field *fields)
{
    const char *all = "";

    for (const struct mcp_field *f = fields; f->name; f++)
        all = arena_printf(a, "%s%s%s", all, f == fields ? "" : ", ", f->name);
    return all;
}

static enum bough_rc check_members(struct bough_arena *a, const struct mcp_field *fields,
                                   struct json object, struct bough_error *err)
{
    struct json_iter it = json_iter(object);
    struct bough_str twice;
    enum bough_rc rc = BOUGH_OK;

    if (json_type(object) != JSON_OBJECT)
        return bough_fail(err, BOUGH_INVALID, "each item must be an object with %s",
                          names_of(a, fields));
    if (json_repeated(a, object, &twice))
        return bough_fail(err, BOUGH_INVALID, "%.40s is given twice", twice.p);
    while (!rc && json_next(&it)) {
        const struct mcp_field *f = fields;

        while (f->name && !json_is(it.key, f->name))
            f++;
        if (!f->name)
            return bough_fail(err, BOUGH_INVALID, "there is no argument %.60s; there are: %s",
                              arena_strndup(a, json_raw(it.key).p, json_raw(it.key).n),
                              names_of(a, fields));
        rc = check_one(a, f, it.value, err);
    }
    for (const struct mcp_field *f = fields; !rc && f->name; f++)
        if (f->required && !json_member(object, f->name).doc)
            rc = bough_fail(err, BOUGH_INVALID, "%s is required: %s", f->name, f->about);
    return rc;
}

enum bough_rc mcp_check(struct bough_arena *a, const struct mcp_field *fields,
                        struct json arguments, struct bough_error *err)
{
    return check_members(a, fields, arguments, err);
}

/* ---- the request ---- */

const struct mcp_field *mcp_field(const struct mcp_tool *tool, const char *name)
{
    for (const struct mcp_field *f = tool->fields; f->name; f++)
        if (strcmp(f->name, name) == 0)
            return f;
    return NULL;
}

const char *mcp_session_name(const char *name)
{
    static const char prefix[] = "chat_";
    size_t n = sizeof prefix - 1;

    return strncmp(name, prefix, n) == 0 && strlen(name) == n + BOUGH_ID_LEN ? name + n : name;
}

const char *mcp_value(struct bough_arena *a, const struct mcp_field *field, struct json arguments)
{
    struct json value = json_member(arguments, field->name);
    struct bough_str text;

    if (!value.doc)
        return field->fallback;
    if (json_str(a, value, &text))
        return field->session ? mcp_session_name(text.p) : text.p;
    return arena_strndup(a, json_raw(value).p, json_raw(value).n);
}

void mcp_encode(struct buf *out, const char *text)
{
    for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
        bool plain = (*p >= '0' && *p <= '9') || (*p >= 'a' && *p <= 'z') ||
                     (*p >= 'A' && *p <= 'Z') || *p == '-' || *p == '_';

        if (plain)
            buf_putc(out, (char)*p);
        else
            buf_printf(out, "%%%02X", *p);
    }
}

static const char *route_name(const struct mcp_field *f)
{
    return f->to ? f->to : f->name;
}

static void put_path(struct buf *out, struct bough_arena *a, const struct mcp_tool *tool,
                     const char *path, struct json arguments)
{
    for (const char *p = path; *p;) {
        const struct mcp_field *f = tool->fields;
        size_t n = strcspn(p, "}");

        if (*p != '{') {
            buf_putc(out, *p++);
            continue;
        }
        while (f->name && (f->place != MCP_PATH || strlen(f->name) != n - 1 ||
                           strncmp(f->name, p + 1, n - 1) != 0))
            f++;
        mcp_encode(out, f->name ? mcp_value(a, f, arguments) : "");
        p += n + 1;
    }
}

const char *mcp_path(struct bough_arena *a, const struct mcp_tool *tool, const char *path,
                     struct json arguments)
{
    struct buf out;

    buf_init(&out, 64 * 1024);
    put_path(&out, a, tool, path, arguments);
    return buf_give(&out, a).p;
}

static void put_body(struct json_writer *w, struct bough_arena *a, const struct mcp_tool *tool,
                     struct json arguments)
{
    struct json value;

    jw_obj(w);
    for (const struct mcp_field *f = tool->fields; f->name; f++) {
        if (f->place != MCP_BODY || !json_get(arguments, f->name, &value))
            continue;
        if (f->session)
            jw_kv_cstr(w, route_name(f), mcp_value(a, f, arguments));
        else
            jw_kv_raw(w, route_name(f), json_raw(value));
    }
    jw_end_obj(w);
}

static void put_query(struct buf *out, struct bough_arena *a, const struct mcp_tool *tool,
                      struct json arguments, int64_t limit)
{
    char sign = '?';

    if (tool->fixed) {
        buf_printf(out, "?%s", tool->fixed);
        sign = '&';
    }
    for (const struct mcp_field *f = tool->fields; f->name; f++) {
        const char *value = f->place == MCP_QUERY ? mcp_value(a, f, arguments) : NULL;

        if (value && limit && strcmp(f->name, "limit") == 0)
            value = arena_printf(a, "%" PRId64, limit);
        if (cstr_empty(value))
            continue;
        buf_printf(out, "%c%s=", sign, route_name(f));
        mcp_encode(out, value);
        sign = '&';
    }
}

void mcp_request(struct bough_arena *a, const struct mcp_tool *tool, struct json arguments,
                 int64_t limit, struct api_ask *out)
{
    struct json_writer w;
    struct buf target, body;

    *out = (struct api_ask){ .method = tool->method };
    buf_init(&target, 512 * 1024);
    put_path(&target, a, tool, tool->path, arguments);
    put_query(&target, a, tool, arguments, limit);
    out->target = buf_give(&target, a).p;
    for (const struct mcp_field *f = tool->fields; f->name; f++)
        if (f->place == MCP_KEY)
            out->key = mcp_value(a, f, arguments);
    if (strcmp(tool->method, "GET") == 0)
        return;
    buf_init(&body, MCP_LINE_MAX + 1024);
    jw_init(&w, &body);
    if (tool->body)
        tool->body(&w, arguments);
    else
        put_body(&w, a, tool, arguments);
    out->body = buf_give(&body, a);
}
