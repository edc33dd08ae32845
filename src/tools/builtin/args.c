/* Arguments and results of built-in tools. */
#include <stdarg.h>
#include <stdio.h>

#include "base/memory/arena.h"
#include "base/text/near.h"
#include "base/text/str.h"
#include "tools/builtin/builtin.h"

enum { SCHEMA_MOST = 16 * 1024, SAID_MOST = 4096 };

static const char *const todo_words[] = { "pending", "in_progress", "completed", "cancelled",
                                          NULL };

/* ---- the schema ---- */

static void put_words(struct json_writer *w, const char *const *words)
{
    jw_key(w, "enum");
    jw_arr(w);
    for (; *words; words++)
        jw_cstr(w, *words);
    jw_end_arr(w);
}

static void put_todos(struct json_writer *w)
{
    jw_kv_cstr(w, "type", "array");
    jw_key(w, "items");
    jw_obj(w);
    jw_kv_cstr(w, "type", "object");
    jw_key(w, "properties");
    jw_obj(w);
    jw_key(w, "content");
    jw_obj(w);
    jw_kv_cstr(w, "type", "string");
    jw_end_obj(w);
    jw_key(w, "status");
    jw_obj(w);
    jw_kv_cstr(w, "type", "string");
    put_words(w, todo_words);
    jw_end_obj(w);
    jw_end_obj(w);
    jw_key(w, "required");
    jw_raw(w, str_of("[\"content\",\"status\"]"));
    jw_kv_bool(w, "additionalProperties", false);
    jw_end_obj(w);
}

static void put_field(struct json_writer *w, const struct builtin_field *f)
{
    jw_key(w, f->name);
    jw_obj(w);
    switch (f->type) {
    case FIELD_TEXT:
        jw_kv_cstr(w, "type", "string");
        if (f->choice)
            put_words(w, f->choice);
        break;
    case FIELD_INTEGER:
        jw_kv_cstr(w, "type", "integer");
        jw_kv_i64(w, "minimum", f->least);
        jw_kv_i64(w, "maximum", f->most);
        break;
    case FIELD_FLAG:
        jw_kv_cstr(w, "type", "boolean");
        break;
    case FIELD_TODOS:
        put_todos(w);
        break;
    }
    jw_kv_cstr(w, "description", f->about);
    jw_end_obj(w);
}

struct bough_str builtin_schema(struct bough_arena *a, const struct builtin_field *fields)
{
    struct json_writer w;
    struct buf out;

    buf_init(&out, SCHEMA_MOST);
    jw_init(&w, &out);
    jw_obj(&w);
    jw_kv_cstr(&w, "type", "object");
    jw_key(&w, "properties");
    jw_obj(&w);
    for (const struct builtin_field *f = fields; f->name; f++)
        put_field(&w, f);
    jw_end_obj(&w);
    jw_key(&w, "required");
    jw_arr(&w);
    for (const struct builtin_field *f = fields; f->name; f++)
        if (f->required)
            jw_cstr(&w, f->name);
    jw_end_arr(&w);
    jw_kv_bool(&w, "additionalProperties", false);
    jw_end_obj(&w);
    return buf_give(&out, a);
}

/* ---- checking ---- */

static enum bough_rc check_text(struct bough_arena *a, const struct builtin_field *f,
                                struct json value, struct bough_error *err)
{
    struct bough_str text;

    if (!json_str(a, value, &text))
        return bough_fail(err, BOUGH_INVALID, "argument \"%s\": expected a string", f->name);
    if (text.n > (size_t)f->most)
        return bough_fail(err, BOUGH_INVALID, "argument \"%s\": at most %lld bytes", f->name,
                          (long long)f->most);
    if (f->choice && !str_among(text, f->choice))
        return bough_fail(err, BOUGH_INVALID, "argument \"%s\": it is none of the allowed words",
                          f->name);
    return BOUGH_OK;
}

static enum bough_rc check_todos(struct bough_arena *a, const struct builtin_field *f,
                                 struct json value, struct bough_error *err)
{
    struct json_iter it = json_iter(value);

    if (json_type(value) != JSON_ARRAY || json_count(value) > (uint32_t)f->most)
        return bough_fail(err, BOUGH_INVALID, "argument \"%s\": expected an array of at most %lld",
                          f->name, (long long)f->most);
    while (json_next(&it)) {
        const char *status = json_cstr(a, it.value, "status");

        if (!json_cstr(a, it.value, "content") || !status || !str_among(str_of(status), todo_words))
            return bough_fail(err, BOUGH_INVALID,
                              "argument \"%s\": each needs \"content\", and \"status\": pending, "
                              "in_progress, completed or cancelled",
                              f->name);
    }
    return BOUGH_OK;
}

static enum bough_rc check_value(struct bough_arena *a, const struct builtin_field *f,
                                 struct json value, struct bough_error *err)
{
    bool flag;
    int64_t n;

    switch (f->type) {
    case FIELD_TEXT:
        return check_text(a, f, value, err);
    case FIELD_INTEGER:
        if (!json_i64(value, &n) || n < f->least || n > f->most)
            return bough_fail(err, BOUGH_INVALID, "argument \"%s\": expected %lld to %lld", f->name,
                              (long long)f->least, (long long)f->most);
        return BOUGH_OK;
    case FIELD_FLAG:
        return json_bool(value, &flag)
                   ? BOUGH_OK
                   : bough_fail(err, BOUGH_INVALID, "argument \"%s\": expected true or false",
                                f->name);
    case FIELD_TODOS:
        return check_todos(a, f, value, err);
    }
    return BOUGH_OK;
}

static enum bough_rc check_known(struct bough_arena *a, const struct builtin_field *fields,
                                 struct json args, struct bough_error *err)
{
    struct json_iter it = json_iter(args);

    while (json_next(&it)) {
        const struct builtin_field *f = fields;
        struct bough_str name;
        struct near n;

        (void)json_str(a, it.key, &name);
        n = near_begin(name.p);
        while (f->name && !str_is(name, f->name))
            near_try(&n, f++->name);
        if (!f->name && near_best(&n))
            return bough_fail(err, BOUGH_INVALID,
                              "there is no argument \"%.40s\"; did you mean \"%s\"?", name.p,
                              near_best(&n));
        if (!f->name)
            return bough_fail(err, BOUGH_INVALID, "there is no argument \"%.40s\"", name.p);
    }
    return BOUGH_OK;
}

enum bough_rc builtin_arguments(struct bough_arena *a, const struct builtin_field *fields,
                                struct bough_str text, struct json *out, struct bough_error *err)
{
    struct bough_error inner;
    enum bough_rc rc;

    if (json_parse(a, text.n ? text : str_of("{}"), out, &inner))
        return bough_fail(err, BOUGH_INVALID, "the arguments are not JSON: %s", inner.msg);
    if (json_type(*out) != JSON_OBJECT)
        return bough_fail(err, BOUGH_INVALID, "the arguments are not a JSON object");
    rc = check_known(a, fields, *out, err);
    for (const struct builtin_field *f = fields; f->name && !rc; f++) {
        struct json value;

        if (json_get(*out, f->name, &value) && (f->required || json_type(value) != JSON_NULL))
            rc = check_value(a, f, value, err);
        else if (f->required)
            rc = bough_fail(err, BOUGH_INVALID, "argument \"%s\" is needed", f->name);
    }
    return rc;
}

/* ---- values ---- */

struct bough_str arg_text(const struct builtin_call *c, const char *name)
{
    struct bough_str text = str_of("");

    (void)json_str(c->a, json_member(c->args, name), &text);
    return text;
}

const char *arg_cstr(const struct builtin_call *c, const char *name, const char *fallback)
{
    const char *text = json_cstr(c->a, c->args, name);

    return text ? text : fallback;
}

int64_t arg_int(const struct builtin_call *c, const char *name, int64_t fallback)
{
    int64_t n = fallback;

    (void)json_i64(json_member(c->args, name), &n);
    return n;
}

bool arg_flag(const struct builtin_call *c, const char *name)
{
    bool on = false;

    (void)json_bool(json_member(c->args, name), &on);
    return on;
}

/* ---- results ---- */

static struct bough_str say(struct bough_arena *a, const char *fmt, va_list ap)
{
    char text[SAID_MOST];

    vsnprintf(text, sizeof text, fmt, ap);
    return str_of(arena_strdup(a, text));
}

void builtin_fail(struct builtin_call *c, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    c->out->text = say(c->a, fmt, ap);
    va_end(ap);
    c->out->is_error = true;
}

void builtin_say(struct builtin_call *c, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    c->out->text = say(c->a, fmt, ap);
    va_end(ap);
}

bool builtin_cancelled(const struct builtin_call *c)
{
    if (!c->call->cancel || !__atomic_load_n(c->call->cancel, __ATOMIC_ACQUIRE))
        return false;
    c->out->cancelled = true;
    c->out->is_error = true;
    c->out->text = str_of("cancelled");
    return true;
}

void builtin_progress(const struct builtin_call *c, struct bough_str text)
{
    if (c->call->progress)
        c->call->progress(c->call->user, text);
}
