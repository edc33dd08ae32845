/* Parts: checking them, splitting arrays of them, and reading their text. Pure. */
#include "core/part/part.h"

#include <stdio.h>

#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/required.h"
#include "base/text/str.h"
#include "core/part/view.h"

/* ---- checking ---- */

/* Does the row apply to this word, the decoded value of `type`? */
static bool names(struct bough_str word, const struct part_shape *row)
{
    size_t n;

    if (row->word[0] != word.p[0])
        return false;
    n = strlen(row->word);
    if (row->prefix)
        return word.n > n && memcmp(word.p, row->word, n) == 0;
    return word.n == n && memcmp(word.p, row->word, n) == 0;
}

static bool has_any(const struct part_shape *row, struct fields *f)
{
    size_t i;

    for (i = 0; i < sizeof row->need / sizeof *row->need && row->need[i].name; i++) {
        if (fields_get(f, row->need[i].name))
            return true;
    }
    return false;
}

static enum bough_rc check_shape(struct bough_str word, struct fields *f,
                                 enum bough_part_type *type, struct bough_error *err)
{
    const struct part_shape *row, *blame = NULL;
    bool near = false;
    char name[64];

    for (row = part_shapes; row->word; row++) {
        if (!names(word, row))
            continue;
        *type = row->type;
        if (!part_shape_lacks(row, f)) {
            if (!row->deeper)
                return BOUGH_OK;
            snprintf(name, sizeof name, "%.*s", (int)word.n, word.p);
            return row->deeper(f, name, err);
        }
        if (!blame || (!near && has_any(row, f))) {
            blame = row;
            near = has_any(row, f);
        }
    }
    if (!blame) {
        *type = BOUGH_PART_OTHER;
        return BOUGH_OK;
    }
    snprintf(name, sizeof name, "%.*s", (int)word.n, word.p);
    return part_needs(f, part_shape_lacks(blame, f), 1, name, "", err);
}

enum bough_rc bough_part_check(struct bough_str json, enum bough_part_type *type,
                               struct bough_error *err)
{
    REQUIRE(type, err);

    struct bough_error why = { 0 };
    struct bough_arena *tmp = NULL;
    struct bough_str word;
    struct fields f;
    enum bough_rc rc;

    if (json.n > (size_t)LIMIT_MESSAGE_BYTES)
        return bough_fail(err, BOUGH_TOO_LARGE, "a part of %zu bytes is more than %lld", json.n,
                          LIMIT_MESSAGE_BYTES);
    rc = fields_read(&f, json, &why);
    if (rc)
        return bough_fail(err, rc == BOUGH_INVALID ? BOUGH_INVALID_PART : rc, "a part: %s",
                          why.msg);
    word = fields_raw(&f, "type", JSON_STRING);
    if (word.n <= 2)
        return bough_fail(err, BOUGH_INVALID_PART, "a part needs a \"type\" that is a word");
    word = str_make(word.p + 1, word.n - 2);
    if (memchr(word.p, '\\', word.n)) {
        tmp = bough_arena_create();
        word = json_span_str(tmp, str_make(word.p - 1, word.n + 2));
    }
    rc = check_shape(word, &f, type, err);
    bough_arena_destroy(tmp);
    return rc;
}

enum bough_rc part_stored_check(const struct bough_part *stored, struct bough_error *err)
{
    enum bough_part_type type = BOUGH_PART_OTHER;
    struct fields f;
    enum bough_rc rc;

    if (stored->type == BOUGH_PART_OTHER && fields_read(&f, stored->json, NULL) == BOUGH_OK &&
        fields_raw(&f, "type", JSON_STRING).n > 2)
        return BOUGH_OK;
    rc = bough_part_check(stored->json, &type, err);
    if (!rc && type != stored->type)
        return bough_fail(err, BOUGH_INVALID_PART, "it is kept as %s, but is %s",
                          bough_part_type_name(stored->type), bough_part_type_name(type));
    return rc;
}

/* ---- splitting, and making text parts ---- */

static struct bough_str text_part(struct bough_arena *a, struct bough_str raw_string)
{
    static const char head[] = "{\"type\":\"text\",\"text\":";
    size_t n = sizeof head - 1 + raw_string.n + 1;
    char *p = arena_alloc(a, n + 1);

    memcpy(p, head, sizeof head - 1);
    memcpy(p + sizeof head - 1, raw_string.p, raw_string.n);
    p[n - 1] = '}';
    p[n] = '\0';
    return str_make(p, n);
}

struct bough_str bough_part_text(struct bough_arena *a, struct bough_str text)
{
    struct bough_str part;
    struct json_writer w;
    struct buf b;

    buf_init(&b, 6 * text.n + 16);
    jw_init(&w, &b);
    jw_str(&w, text);
    part = text_part(a, buf_str(&b));
    buf_finish(&b);
    return part;
}

/* Collect the spans of an array's elements, after its `[`. */
static enum bough_rc split_array(struct bough_arena *a, struct json_pull *p,
                                 struct bough_str **parts, size_t *n, struct bough_error *err)
{
    struct bough_str *at = NULL;
    struct json_event ev;
    size_t cap = 0;
    enum bough_rc rc;

    for (;;) {
        rc = json_pull_next(p, &ev, err);
        if (rc)
            return rc;
        if (ev.type == JSON_END)
            break;
        if (ev.type != JSON_BEGIN || ev.value != JSON_OBJECT)
            return bough_fail(err, BOUGH_INVALID, "part %zu must be an object", *n);
        if (*n == LIMIT_PARTS)
            return bough_fail(err, BOUGH_TOO_LARGE, "more than %d parts in a message", LIMIT_PARTS);
        if (*n == cap) {
            at = arena_resize(a, at, cap * sizeof *at, (cap ? 2 * cap : 8) * sizeof *at);
            cap = cap ? 2 * cap : 8;
        }
        rc = json_pull_skip(p, &ev, &at[*n], err);
        if (rc)
            return rc;
        ++*n;
    }
    *parts = at;
    return json_pull_next(p, &ev, err);
}

enum bough_rc bough_parts_split(struct bough_arena *a, struct bough_str json,
                                struct bough_str **parts, size_t *n, struct bough_error *err)
{
    REQUIRE(a && parts && n, err);

    struct bough_error why = { 0 };
    struct json_event ev;
    struct json_pull p;
    enum bough_rc rc;

    *parts = NULL;
    *n = 0;
    json_pull_init(&p, json);
    rc = json_pull_next(&p, &ev, &why);
    if (!rc && ev.type == JSON_BEGIN && ev.value == JSON_ARRAY) {
        rc = split_array(a, &p, parts, n, &why);
    } else if (!rc && ev.type == JSON_VALUE && ev.value == JSON_STRING) {
        *parts = arena_alloc(a, sizeof **parts);
        (*parts)[0] = text_part(a, ev.raw);
        *n = 1;
        rc = json_pull_next(&p, &ev, &why);
    } else if (!rc && ev.type == JSON_VALUE && ev.value == JSON_NULL) {
        rc = json_pull_next(&p, &ev, &why);
    } else if (!rc) {
        rc = bough_fail(&why, BOUGH_INVALID, "not an array, a string or null");
    }
    if (rc)
        return bough_fail(err, rc == BOUGH_INVALID ? BOUGH_INVALID_PART : rc, "parts: %s", why.msg);
    return BOUGH_OK;
}

/* ---- reading ---- */

struct bough_str bough_part_plain(struct bough_arena *a, const struct bough_part *part)
{
    struct part_view v;

    if (part->type != BOUGH_PART_TEXT && part->type != BOUGH_PART_REASONING)
        return str_make(NULL, 0);
    view_part(a, part, &v);
    return v.text;
}

const char *part_call_id(struct bough_arena *a, const struct bough_part *part)
{
    struct part_view v;

    view_part(a, part, &v);
    return v.call;
}

const char *part_tool_name(struct bough_arena *a, const struct bough_part *part)
{
    struct part_view v;

    view_part(a, part, &v);
    return v.tool;
}

bool part_is_bookkeeping(enum bough_part_type type)
{
    switch (type) {
    case BOUGH_PART_STEP_START:
    case BOUGH_PART_STEP_FINISH:
    case BOUGH_PART_PATCH:
    case BOUGH_PART_SNAPSHOT:
    case BOUGH_PART_COMPACTION:
    case BOUGH_PART_RETRY:
        return true;
    case BOUGH_PART_TEXT:
    case BOUGH_PART_REASONING:
    case BOUGH_PART_TOOL:
    case BOUGH_PART_FILE:
    case BOUGH_PART_AGENT:
    case BOUGH_PART_SUBTASK:
    case BOUGH_PART_OTHER:
        return false;
    }
    return false;
}
