/*
 * Fuzz: checking a part is deterministic, hygge's codec is its own inverse, and every context of
 * any message is valid JSON.
 *
 * The input is a digit (the role), then parts as JSON, then optionally a newline and the data.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json/json.h"
#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "base/text/utf8.h"
#include "core/context/context.h"
#include "core/context/normal.h"
#include "core/part/part.h"
#include "core/part/view.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n);

#define MUST(cond)                                                                                 \
    do {                                                                                           \
        if (!(cond)) {                                                                             \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #cond);                             \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

static bool is_json(struct bough_str text)
{
    return json_check(text, LIMIT_JSON_DEPTH + 8, NULL) == BOUGH_OK;
}

static bool is_utf8(struct bough_str s)
{
    return utf8_valid(s.p, s.n) == s.n;
}

/* ---- one part ---- */

static void look_at(struct bough_arena *a, struct bough_str json, enum bough_part_type type)
{
    struct bough_part part = { type, json };
    enum bough_tool_state state = bough_tool_state_of(json);
    struct part_view v;

    MUST(state >= BOUGH_TOOL_PENDING && state <= BOUGH_TOOL_NONE);
    view_part(a, &part, &v);
    MUST(v.type == type && v.word && v.call && v.tool && v.mime && v.filename);
    MUST(is_utf8(v.text) && is_utf8(str_of(v.call)) && is_utf8(str_of(v.tool)));
    MUST(!v.input.n || is_json(v.input));
    MUST(!v.output.n || is_json(v.output));
    MUST(is_utf8(view_url(a, &v)));
    MUST(is_utf8(view_output_text(a, v.output)));
    MUST(is_utf8(bough_part_plain(a, &part)));
    MUST(strlen(preview_text(a, &part, 1, 40)) <= 40);
    MUST(part_call_id(a, &part) && part_tool_name(a, &part));
}

/* Accept or refuse a part. A refusal has one of two codes and a message. */
static bool check_part(struct bough_arena *a, struct bough_str json, enum bough_part_type *type)
{
    struct bough_error err = { 0 };
    enum bough_part_type again = BOUGH_PART_OTHER;
    enum bough_rc rc = bough_part_check(json, type, &err);

    MUST(rc == BOUGH_OK || rc == BOUGH_INVALID_PART || rc == BOUGH_TOO_DEEP);
    MUST(bough_part_check(json, &again, NULL) == rc);
    if (rc) {
        MUST(err.msg[0] && err.rc == rc);
        return false;
    }
    MUST(again == *type && is_json(json));
    look_at(a, json, *type);
    return true;
}

/* ---- a list of parts ---- */

static struct bough_str join(struct bough_arena *a, const struct bough_str *parts, size_t n)
{
    struct bough_str all;
    struct json_writer w;
    struct buf b;

    buf_init(&b, 64 << 20);
    jw_init(&w, &b);
    jw_arr(&w);
    for (size_t i = 0; i < n; i++)
        jw_raw(&w, parts[i]);
    jw_end_arr(&w);
    all = str_make(arena_dup(a, b.p, b.n), b.n);
    buf_finish(&b);
    return all;
}

static size_t check_split(struct bough_arena *a, struct bough_str json, struct bough_part **out)
{
    struct bough_str *parts = NULL, *again = NULL;
    size_t n = 0, m = 0, kept = 0;

    if (bough_parts_split(a, json, &parts, &n, NULL) != BOUGH_OK)
        return 0;
    MUST(bough_parts_split(a, join(a, parts, n), &again, &m, NULL) == BOUGH_OK && m == n);
    *out = arena_array(a, n + 1, sizeof **out);
    for (size_t i = 0; i < n; i++) {
        MUST(str_eq(parts[i], again[i]));
        if (check_part(a, parts[i], &(*out)[kept].type))
            (*out)[kept++].json = parts[i];
    }
    return kept;
}

static bool same_hygge(const struct bough_hygge_part *x, const struct bough_hygge_part *y)
{
    return cstr_eq(x->kind, y->kind) && str_eq(x->text, y->text) &&
           cstr_eq(x->tool_id, y->tool_id) && cstr_eq(x->tool_name, y->tool_name) &&
           str_eq(x->tool_input, y->tool_input) && cstr_eq(x->tool_use_id, y->tool_use_id) &&
           str_eq(x->content, y->content) && x->is_error == y->is_error &&
           cstr_eq(x->image_mime_type, y->image_mime_type) &&
           cstr_eq(x->image_base64, y->image_base64);
}

static void check_hygge(struct bough_arena *a, struct bough_str json)
{
    struct bough_hygge_part *parts = NULL, *again = NULL;
    struct bough_error err = { 0 };
    struct bough_str once, twice;
    size_t n = 0, m = 0;
    enum bough_rc rc = bough_hygge_unmarshal(a, json, &parts, &n, &err);

    MUST(rc == BOUGH_OK || rc == BOUGH_INVALID_PART || rc == BOUGH_UNKNOWN_PART);
    if (rc) {
        MUST(err.msg[0]);
        return;
    }
    MUST(bough_hygge_marshal(a, parts, n, &once, &err) == BOUGH_OK && is_json(once));
    MUST(bough_hygge_unmarshal(a, once, &again, &m, &err) == BOUGH_OK && m == n);
    for (size_t i = 0; i < n; i++)
        MUST(same_hygge(&parts[i], &again[i]));
    MUST(bough_hygge_marshal(a, again, m, &twice, &err) == BOUGH_OK && str_eq(once, twice));
}

/* ---- a message of parts ---- */

static void check_context(struct bough_arena *a, struct bough_entry *entries, size_t n)
{
    for (size_t i = 0; context_dialects[i]; i++) {
        struct context_input in = { .dialect = context_dialects[i]->name,
                                    .entries = entries,
                                    .n = n };
        struct bough_context_result out = { 0 };
        struct json root;

        MUST(context_build(a, &in, &out, NULL) == BOUGH_OK);
        MUST(is_json(out.messages));
        if (json_check(out.messages, LIMIT_JSON_DEPTH, NULL) == BOUGH_OK) {
            MUST(json_parse(a, out.messages, &root, NULL) == BOUGH_OK);
            MUST(json_type(root) == JSON_ARRAY && json_count(root) == out.count);
        }
        for (size_t k = 0; k < out.nnotes; k++)
            MUST(out.notes[k].what && out.notes[k].why);
    }
}

static void check_normal(const struct bough_entry *e)
{
    struct buf b;

    buf_init(&b, 64 << 20);
    normal_message(&b, e);
    for (size_t at = 0; at < b.n;) {
        char *end = memchr(b.p + at, '\n', b.n - at);

        MUST(end && is_json(str_make(b.p + at, (size_t)(end - b.p) - at)));
        at = (size_t)(end - b.p) + 1;
    }
    buf_finish(&b);
}

static void check_message(struct bough_arena *a, enum bough_role role,
                          const struct bough_part *parts, size_t n, struct bough_str data)
{
    struct bough_entry entries[2] = { { .id = "01K0000000000000000000MAIN" },
                                      { .id = "01K0000000000000000000NEXT" } };
    size_t runs;

    for (size_t i = 0; i < 2; i++) {
        struct bough_entry *e = &entries[i];

        e->session = e->kind_name = e->origin = e->finish = "";
        e->role = i ? BOUGH_ROLE_USER : role;
        e->kind = i ? BOUGH_ENTRY_CUSTOM_MESSAGE : BOUGH_ENTRY_MESSAGE;
        e->error = e->metadata = str_of("");
        e->data = data;
        e->parts = parts;
        e->nparts = n;
    }
    MUST(view_runs(a, &entries[0], &runs) && runs >= 1);
    check_context(a, entries, 2);
    check_normal(&entries[0]);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n)
{
    struct bough_arena *a = bough_arena_create();
    struct bough_str text = str_make((const char *)data, n), more = str_of("");
    enum bough_role role = BOUGH_ROLE_USER;
    enum bough_part_type type;
    struct bough_part *parts = NULL;
    const char *line;

    if (n && text.p[0] >= '0' && text.p[0] <= '7') {
        role = (enum bough_role)(text.p[0] - '0');
        text = str_make(text.p + 1, n - 1);
    }
    line = text.n ? memchr(text.p, '\n', text.n) : NULL;
    if (line) {
        more = str_make(line + 1, text.n - (size_t)(line - text.p) - 1);
        text.n = (size_t)(line - text.p);
    }
    if (json_check(more, LIMIT_JSON_DEPTH, NULL) != BOUGH_OK || more.p[0] != '{')
        more = str_of(""); /* a store accepts only objects */
    check_part(a, text, &type);
    check_hygge(a, text);
    n = check_split(a, text, &parts);
    check_message(a, role, parts, n, more);
    bough_arena_destroy(a);
    return 0;
}
