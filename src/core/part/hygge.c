/* hygge's part format (H18): strict encoding and decoding of its closed set of parts. Pure. */
#include <bough/part.h>

#include "base/json/json.h"
#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/required.h"
#include "base/reserved.h"
#include "base/text/str.h"
#include "core/model/text.h"

static const char kinds[] = "text, thinking, tool_use, tool_result, image";

static enum bough_rc lacks(size_t i, const char *kind, const char *field, struct bough_error *err)
{
    return bough_fail(err, BOUGH_INVALID_PART, "part %zu: %s needs %s", i, kind, field);
}

/* Check the required fields of each kind. Text and thinking may be empty. */
static enum bough_rc check(const struct bough_hygge_part *p, size_t i, struct bough_error *err)
{
    if (cstr_empty(p->kind))
        return bough_fail(err, BOUGH_INVALID_PART, "part %zu has no type", i);
    if (cstr_eq(p->kind, "text") || cstr_eq(p->kind, "thinking"))
        return BOUGH_OK;
    if (cstr_eq(p->kind, "tool_use")) {
        if (cstr_empty(p->tool_id))
            return lacks(i, p->kind, "id", err);
        return cstr_empty(p->tool_name) ? lacks(i, p->kind, "name", err) : BOUGH_OK;
    }
    if (cstr_eq(p->kind, "tool_result"))
        return cstr_empty(p->tool_use_id) ? lacks(i, p->kind, "tool_use_id", err) : BOUGH_OK;
    if (cstr_eq(p->kind, "image")) {
        if (cstr_empty(p->image_mime_type))
            return lacks(i, p->kind, "image_mime_type", err);
        return cstr_empty(p->image_base64) ? lacks(i, p->kind, "image_base64", err) : BOUGH_OK;
    }
    return bough_fail(err, BOUGH_UNKNOWN_PART, "part %zu: %.40s is not one of %s", i, p->kind,
                      kinds);
}

/* ---- encoding ---- */

/* Members in the order of hygge's struct; empty ones except the type are omitted. */
static void write_part(struct json_writer *w, const struct bough_hygge_part *p)
{
    jw_obj(w);
    jw_kv_cstr(w, "type", p->kind);
    jw_opt_str(w, "text", p->text);
    jw_opt_cstr(w, "id", p->tool_id);
    jw_opt_cstr(w, "name", p->tool_name);
    jw_opt_raw(w, "input", p->tool_input);
    jw_opt_cstr(w, "tool_use_id", p->tool_use_id);
    jw_opt_str(w, "content", p->content);
    if (p->is_error)
        jw_kv_bool(w, "is_error", true);
    jw_opt_cstr(w, "image_mime_type", p->image_mime_type);
    jw_opt_cstr(w, "image_base64", p->image_base64);
    jw_end_obj(w);
}

enum bough_rc bough_hygge_marshal(struct bough_arena *a, const struct bough_hygge_part *parts,
                                  size_t n, struct bough_str *out, struct bough_error *err)
{
    REQUIRE(a && (parts || !n) && out, err);

    enum bough_rc rc = BOUGH_OK;
    struct json_writer w;
    struct buf b;
    size_t i;

    buf_init(&b, LIMIT_APPEND_BYTES);
    jw_init(&w, &b);
    jw_arr(&w);
    for (i = 0; i < n && !rc; i++) {
        rc = RESERVED_CHECK(bough_hygge_part, &parts[i], err);
        if (!rc)
            rc = check(&parts[i], i, err);
        if (!rc && parts[i].tool_input.n &&
            json_check(parts[i].tool_input, LIMIT_JSON_DEPTH, NULL) != BOUGH_OK)
            rc = bough_fail(err, BOUGH_INVALID_PART, "part %zu: input is not JSON", i);
        write_part(&w, &parts[i]);
    }
    jw_end_arr(&w);
    if (!rc && b.over)
        rc = bough_fail(err, BOUGH_TOO_LARGE, "the parts are larger than %lld bytes",
                        LIMIT_APPEND_BYTES);
    if (!rc)
        *out = text_keep(a, &b);
    buf_finish(&b);
    return rc;
}

/* ---- decoding ---- */

struct reader {
    struct bough_arena *a;
    struct json from;
    size_t i;
    enum bough_rc rc; /* the first error; later ones are ignored */
    struct bough_error *err;
};

static bool wrong(struct reader *r, const char *key, const char *must)
{
    if (!r->rc)
        r->rc = bough_fail(r->err, BOUGH_INVALID_PART, "part %zu: %s must be %s", r->i, key, must);
    return false;
}

/* A missing member and null are empty, as in Go's decoder. */
static struct bough_str read_str(struct reader *r, const char *key)
{
    struct json m = json_member(r->from, key);
    struct bough_str s = str_make(NULL, 0);

    if (json_type(m) != JSON_NULL && !json_str(r->a, m, &s))
        wrong(r, key, "a string");
    return s;
}

static const char *read_cstr(struct reader *r, const char *key)
{
    struct bough_str s = read_str(r, key);

    if (s.n && memchr(s.p, '\0', s.n))
        wrong(r, key, "without NUL");
    return s.p;
}

static void read_part(struct reader *r, struct bough_hygge_part *p)
{
    struct json flag = json_member(r->from, "is_error");
    struct json input;

    if (json_type(r->from) != JSON_OBJECT && json_type(r->from) != JSON_NULL)
        wrong(r, "it", "an object");
    p->kind = read_cstr(r, "type");
    p->text = read_str(r, "text");
    p->tool_id = read_cstr(r, "id");
    p->tool_name = read_cstr(r, "name");
    p->tool_input = json_get(r->from, "input", &input) ? json_raw(input) : str_make(NULL, 0);
    p->tool_use_id = read_cstr(r, "tool_use_id");
    p->content = read_str(r, "content");
    p->is_error = false;
    if (json_type(flag) != JSON_NULL && !json_bool(flag, &p->is_error))
        wrong(r, "is_error", "true or false");
    p->image_mime_type = read_cstr(r, "image_mime_type");
    p->image_base64 = read_cstr(r, "image_base64");
    if (!r->rc)
        r->rc = check(p, r->i, r->err);
}

enum bough_rc bough_hygge_unmarshal(struct bough_arena *a, struct bough_str json,
                                    struct bough_hygge_part **parts, size_t *n,
                                    struct bough_error *err)
{
    REQUIRE(a && parts && n, err);

    struct reader r = { .a = a, .err = err };
    struct bough_error why = { 0 };
    struct bough_str text;
    struct json_iter it;
    struct json root;

    if (!json.n)
        return bough_fail(err, BOUGH_INVALID_PART, "no input");
    text = arena_str(a, json); /* the results point into this copy */
    if (json_parse(a, text, &root, &why) != BOUGH_OK)
        return bough_fail(err, BOUGH_INVALID_PART, "%s", why.msg);
    if (json_type(root) != JSON_ARRAY && json_type(root) != JSON_NULL)
        return bough_fail(err, BOUGH_INVALID_PART, "parts must be an array");
    *parts = arena_array(a, json_count(root) + 1, sizeof **parts);
    for (it = json_iter(root); !r.rc && json_next(&it); r.i++) {
        r.from = it.value;
        read_part(&r, &(*parts)[r.i]);
    }
    *n = r.i;
    return r.rc;
}
