/* Finding the members of one JSON object in one pass. Pure, no allocation. */
#include "core/part/fields.h"

#include "base/text/str.h"

/* Called several times per part, so names without escapes take a fast path. */
static bool is_named(const struct field_span *m, const char *name)
{
    size_t n = strlen(name);

    if (m->escaped)
        return json_span_is(m->key, name);
    return m->key.n == n + 2 && memcmp(m->key.p + 1, name, n) == 0;
}

/* Read the value after a key. */
static enum bough_rc read_value(struct json_pull *p, struct field_span *out,
                                struct bough_error *err)
{
    struct json_event ev;
    enum bough_rc rc = json_pull_next(p, &ev, err);

    if (rc)
        return rc;
    out->type = ev.value;
    out->raw = ev.raw;
    if (ev.type == JSON_BEGIN)
        return json_pull_skip(p, &ev, &out->raw, err);
    return BOUGH_OK;
}

/*
 * Visit every member. Without `want`, store the first FIELDS_KEPT in f->at; with it, store the
 * last member of that name in f->found and set *hit.
 */
static enum bough_rc walk(struct fields *f, const char *want, bool *hit, struct bough_error *err)
{
    struct json_pull p;
    struct json_event ev;
    struct field_span one;
    enum bough_rc rc;

    json_pull_init(&p, f->text);
    rc = json_pull_next(&p, &ev, err);
    if (rc)
        return rc;
    if (ev.type != JSON_BEGIN || ev.value != JSON_OBJECT)
        return bough_fail(err, BOUGH_INVALID, "not a JSON object");
    for (;;) {
        rc = json_pull_next(&p, &ev, err);
        if (rc)
            return rc;
        if (ev.type == JSON_END)
            break;
        one.key = ev.raw;
        one.escaped = ev.escaped;
        rc = read_value(&p, &one, err);
        if (rc)
            return rc;
        if (want && is_named(&one, want)) {
            f->found = one;
            *hit = true;
        } else if (!want && f->n < FIELDS_KEPT) {
            f->at[f->n++] = one;
        } else if (!want) {
            f->more = true;
        }
    }
    return json_pull_next(&p, &ev, err); /* fails unless only white space follows */
}

enum bough_rc fields_read(struct fields *f, struct bough_str text, struct bough_error *err)
{
    f->text = text;
    f->n = 0;
    f->more = false;
    return walk(f, NULL, NULL, err);
}

/* ---- without validating ---- */

static const char *skip_space(const char *p, const char *end)
{
    while (p != end && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t'))
        p++;
    return p;
}

/* At the opening quote: behind the closing one, or NULL. */
static const char *skip_string(const char *p, const char *end)
{
    const char *from = ++p, *slash;

    while ((p = memchr(p, '"', (size_t)(end - p))) != NULL) {
        for (slash = p; slash != from && slash[-1] == '\\'; slash--)
            continue;
        if ((p - slash) % 2 == 0) /* no backslash, or each of them is escaped */
            return p + 1;
        p++;
    }
    return NULL;
}

/* At an opening brace or bracket: behind its partner, or NULL. */
static const char *skip_container(const char *p, const char *end)
{
    size_t depth = 0;

    while (p && p != end) {
        if (*p == '"') {
            p = skip_string(p, end);
            continue;
        }
        if (*p == '{' || *p == '[')
            depth++;
        else if ((*p == '}' || *p == ']') && !--depth)
            return p + 1;
        p++;
    }
    return NULL;
}

static const char *scan_value(const char *p, const char *end, struct field_span *out)
{
    const char *from = p;

    switch (p == end ? '\0' : *p) {
    case '"':
        out->type = JSON_STRING;
        p = skip_string(p, end);
        break;
    case '{':
    case '[':
        out->type = *p == '{' ? JSON_OBJECT : JSON_ARRAY;
        p = skip_container(p, end);
        break;
    case '\0':
        return NULL;
    default:
        out->type = *p == 't'   ? JSON_TRUE
                    : *p == 'f' ? JSON_FALSE
                    : *p == 'n' ? JSON_NULL
                                : JSON_NUMBER;
        while (p != end && *p != ',' && *p != '}' && *p > ' ')
            p++;
        break;
    }
    if (p)
        out->raw = str_make(from, (size_t)(p - from));
    return p;
}

bool fields_scan(struct fields *f, struct bough_str text)
{
    const char *p = text.p, *end = text.p + text.n, *from;
    struct field_span one;

    f->text = text;
    f->n = 0;
    f->more = false;
    p = text.n ? skip_space(p, end) : end;
    if (p == end || *p++ != '{')
        return false;
    for (;;) {
        p = skip_space(p, end);
        if (p == end)
            return false;
        if (*p == '}')
            return true;
        if (*p == ',')
            p = skip_space(p + 1, end);
        if (p == end || *p != '"')
            return false;
        from = p;
        p = skip_string(p, end);
        if (!p)
            return false;
        one.key = str_make(from, (size_t)(p - from));
        one.escaped = memchr(from, '\\', one.key.n) != NULL;
        p = skip_space(p, end);
        if (p == end || *p != ':')
            return false;
        p = scan_value(skip_space(p + 1, end), end, &one);
        if (!p)
            return false;
        if (f->n < FIELDS_KEPT)
            f->at[f->n++] = one;
        else
            f->more = true;
    }
}

const struct field_span *fields_get(struct fields *f, const char *key)
{
    bool hit = false;
    size_t i;

    if (f->more)
        return walk(f, key, &hit, NULL) == BOUGH_OK && hit ? &f->found : NULL;
    for (i = f->n; i-- > 0;) {
        if (is_named(&f->at[i], key))
            return &f->at[i];
    }
    return NULL;
}

struct bough_str fields_raw(struct fields *f, const char *key, enum json_type type)
{
    const struct field_span *m = fields_get(f, key);

    return m && m->type == type ? m->raw : str_make(NULL, 0);
}

bool fields_is(struct fields *f, const char *key, const char *value)
{
    struct bough_str raw = fields_raw(f, key, JSON_STRING);

    return raw.n && json_span_is(raw, value);
}
