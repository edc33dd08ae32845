/* Checks that every reader makes before it gives an item to the sink. Pure. */
#include <string.h>

#include <bough/part.h>

#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/context/context.h"
#include "core/model/text.h"
#include "core/part/fields.h"
#include "formats/common/format.h"

#define RAW_PART "{\"type\":\"bough.raw\",\"value\":"

/* ---- lines ---- */

struct bough_str without_bom(struct bough_str text)
{
    return str_starts(text, "\xef\xbb\xbf") ? str_make(text.p + 3, text.n - 3) : text;
}

enum bough_rc tell_repeated(struct reading *r, struct json object, struct bough_error *err)
{
    static const char *const parts[] = { "message", "payload", "info" };
    struct bough_str key;
    bool found = json_repeated(r->a, object, &key);

    for (size_t i = 0; !found && i < sizeof parts / sizeof *parts; i++)
        found = json_repeated(r->a, json_member(object, parts[i]), &key);
    if (!found)
        return BOUGH_OK;
    return give_problem(r, err, "the key \"%.*s\" is repeated: its last value counts",
                        key.n < 100 ? (int)key.n : 100, key.p);
}

bool line_object(struct reading *r, struct bough_str line, struct json *out, enum bough_rc *rc,
                 struct bough_error *err)
{
    struct bough_error why;
    struct bough_str was;

    *rc = BOUGH_OK;
    if (r->line == 1)
        line = without_bom(line);
    was = text_trim(line);
    line = text_clean(r->a, was);
    if (!line.n)
        return false;
    if (json_parse(r->a, line, out, &why)) {
        *rc = give_problem(r, err, "it is not JSON: %.150s", why.msg);
        if (!*rc)
            *rc = give_lost(r, err);
        return false;
    }
    if (json_type(*out) != JSON_OBJECT) {
        *rc = give_problem(r, err, "it is not an object");
        return false;
    }
    if (line.p != was.p)
        *rc = give_problem(r, err, "bytes in it are not UTF-8, or NUL: they were replaced");
    if (!*rc)
        *rc = tell_repeated(r, *out, err);
    return !*rc;
}

struct bough_str first_line(struct bough_str first)
{
    struct bough_str rest = text_trim(without_bom(text_trim(first))), line = rest;
    const char *end = memchr(rest.p, '\n', rest.n);

    while (end) {
        line = text_trim(str_make(rest.p, (size_t)(end - rest.p)));
        rest = text_trim(str_make(end, rest.n - (size_t)(end - rest.p)));
        /* A line that opens a document of many lines is no JSON either, but not to be skipped. */
        if (str_starts(line, "[") || str_is(line, "{") ||
            json_check(line, LIMIT_JSON_DEPTH, NULL) == BOUGH_OK)
            return line;
        line = rest;
        end = memchr(rest.p, '\n', rest.n);
    }
    return line;
}

bool text_has(struct bough_str text, const char *what)
{
    return memmem(text.p, text.n, what, strlen(what)) != NULL;
}

/* ---- entries ---- */

static bool too_long(const char *s, size_t most)
{
    return s && strlen(s) > most;
}

/* The reason why the store would refuse the entry, or NULL. */
static const char *unfit(const struct item_entry *in)
{
    const struct bough_entry_new *e = &in->entry;
    size_t bytes = 0;

    for (size_t i = 0; i < e->nparts; i++)
        bytes += e->parts[i].n;
    if (e->nparts > LIMIT_PARTS || bytes > LIMIT_MESSAGE_BYTES)
        return "it has too many parts, or too large ones";
    if (e->data.n > LIMIT_DATA || e->metadata.n > LIMIT_METADATA || e->error.n > LIMIT_DATA)
        return "its fields are too large";
    if (too_long(in->id, LIMIT_ID - 8) || too_long(e->kind_name, LIMIT_NAME) ||
        too_long(e->finish, LIMIT_NAME) || too_long(e->call_model, LIMIT_NAME) ||
        too_long(e->call_provider, LIMIT_NAME) || too_long(e->call_request_id, LIMIT_NAME))
        return "a name in it is too long";
    return NULL;
}

static bool is_object(struct bough_str raw)
{
    return !raw.n || raw.p[0] == '{';
}

static bool usage_sane(const struct bough_totals *t)
{
    const int64_t n[] = { t->input, t->output, t->reasoning, t->cache_read, t->cache_write };

    for (size_t i = 0; i < sizeof n / sizeof *n; i++)
        if (n[i] < 0 || n[i] > LIMIT_TOKENS)
            return false;
    return t->cost >= 0 && t->cost <= LIMIT_COST;
}

/* Wrap each invalid part in a valid one. */
static enum bough_rc wrap_parts(struct reading *r, struct bough_entry_new *e,
                                struct bough_error *err)
{
    struct bough_str *parts = arena_array(r->a, e->nparts + 1, sizeof *parts);
    enum bough_part_type type;
    struct bough_error why;
    enum bough_rc rc = BOUGH_OK;

    for (size_t i = 0; i < e->nparts && !rc; i++) {
        parts[i] = e->parts[i];
        if (bough_part_check(parts[i], &type, &why) == BOUGH_OK)
            continue;
        parts[i] = str_of(arena_printf(r->a, RAW_PART "%.*s}", (int)parts[i].n, parts[i].p));
        rc = give_problem(r, err, "part %zu is kept as it is: %.150s", i + 1, why.msg);
    }
    e->parts = parts;
    return rc;
}

enum bough_rc give_entry(struct reading *r, struct item *item, struct bough_error *err)
{
    struct bough_entry_new *e = &item->u.entry.entry;
    const char *why = unfit(&item->u.entry);
    enum bough_rc rc;

    if (why)
        return give_problem(r, err, "%s: it was left out", why);
    if (!is_object(e->data) || !is_object(e->metadata))
        return give_problem(r, err, "its data is no object: it was left out");
    rc = wrap_parts(r, e, err);
    if (!rc && e->usage && !usage_sane(e->usage)) {
        e->usage = NULL;
        rc = give_problem(r, err, "its usage is beyond belief and was left out");
    }
    if (!rc && e->time < 0) {
        e->time = 0;
        rc = give_problem(r, err, "its time is before 1970 and was left out");
    }
    if (e->kind == BOUGH_ENTRY_MESSAGE && e->role == BOUGH_ROLE_NONE)
        e->role = BOUGH_ROLE_OTHER;
    return rc ? rc : give(r, item, err);
}

struct bough_str message_data(struct reading *r, struct json message, struct bough_entry_new *e,
                              const char *more)
{
    static const char *const content_key[] = { "content", NULL };
    struct json content = { 0 };
    struct json_iter it;
    struct bough_str *spans = NULL;
    const char *mark = NULL;
    bool there = json_get(message, "content", &content);

    if (!there) {
        mark = "none";
    } else if (json_type(content) == JSON_ARRAY) {
        spans = arena_array(r->a, json_count(content) + 1, sizeof *spans);
        for (it = json_iter(content); json_next(&it);)
            spans[e->nparts++] = json_raw(it.value);
    } else if (json_type(content) == JSON_NULL) {
        mark = "null";
    } else if (json_type(content) == JSON_STRING &&
               bough_parts_split(r->a, json_raw(content), &spans, &e->nparts, NULL) == BOUGH_OK) {
        mark = "string";
    } else { /* another type: it stays among the members */
        return members_but(r->a, message, NULL,
                           arena_printf(r->a, "\"" CONTEXT_CONTENT_KEY "\":\"none\"%s%s",
                                        more ? "," : "", more ? more : ""));
    }
    e->parts = spans;
    if (mark)
        more = arena_printf(r->a, "\"" CONTEXT_CONTENT_KEY "\":\"%s\"%s%s", mark, more ? "," : "",
                            more ? more : "");
    return members_but(r->a, message, content_key, more);
}

void content_put(struct json_writer *jw, const struct bough_entry *e)
{
    struct fields f, part;
    struct bough_str mark = { "", 0 };

    if (e->data.n && fields_read(&f, e->data, NULL) == BOUGH_OK)
        mark = fields_raw(&f, CONTEXT_CONTENT_KEY, JSON_STRING);
    if (mark.n && json_span_is(mark, "none"))
        return;
    jw_key(jw, "content");
    if (mark.n && json_span_is(mark, "null") && !e->nparts) {
        jw_null(jw);
    } else if (mark.n && json_span_is(mark, "string") && e->nparts == 1 &&
               fields_read(&part, e->parts[0].json, NULL) == BOUGH_OK) {
        jw_raw(jw, fields_raw(&part, "text", JSON_STRING));
    } else {
        jw_arr(jw);
        for (size_t i = 0; i < e->nparts; i++)
            jw_raw(jw, part_raw(&e->parts[i]));
        jw_end_arr(jw);
    }
}

struct bough_str member_raw(struct bough_str object, const char *name, enum json_type type)
{
    struct fields f;

    return object.n && fields_read(&f, object, NULL) == BOUGH_OK ? fields_raw(&f, name, type)
                                                                 : str_of("");
}

struct bough_str part_raw(const struct bough_part *part)
{
    struct bough_str raw = part->json;

    if (part->type != BOUGH_PART_OTHER || !str_starts(raw, RAW_PART))
        return raw;
    return str_make(raw.p + strlen(RAW_PART), raw.n - strlen(RAW_PART) - 1);
}

/* ---- todos ---- */

static const char *status_of(struct reading *r, struct json j)
{
    static const char *const known[] = { "pending", "in_progress", "completed", "cancelled" };
    const char *word = json_cstr(r->a, j, "status");

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (cstr_eq(word, known[i]))
            return known[i];
    return NULL;
}

enum bough_rc give_todos(struct reading *r, struct json list, struct bough_error *err)
{
    struct item item = { .kind = ITEM_TODOS };
    struct bough_todos *t = &item.u.todos;
    struct json_iter it = json_iter(list);
    enum bough_rc rc = BOUGH_OK;

    if (json_type(list) != JSON_ARRAY)
        return give_problem(r, err, "the todos are no list");
    t->at = arena_array(r->a, json_count(list) + 1, sizeof *t->at);
    while (!rc && json_next(&it)) {
        struct bough_todo one = { .content = json_cstr(r->a, it.value, "content"),
                                  .status = status_of(r, it.value),
                                  .priority = json_cstr(r->a, it.value, "priority") };

        if (one.content && one.status && t->n < LIMIT_PAGE)
            t->at[t->n++] = one;
        else
            rc = give_problem(r, err, "a todo without content or with an unknown status");
    }
    return rc ? rc : give(r, &item, err);
}
