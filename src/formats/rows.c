/* Rows of other tools' SQLite files: what columns hold. Pure. */
#include <string.h>

#include "base/arena.h"
#include "base/json_write.h"
#include "base/limits.h"
#include "base/str.h"
#include "core/text.h"
#include "formats/format.h"

struct bough_str column_json(struct reading *r, struct json row, const char *name,
                             enum json_type type)
{
    const char *text = json_cstr(r->a, row, name);
    struct bough_str raw = text_trim(str_of(text));
    struct json j;

    if (!raw.n || json_parse(r->a, raw, &j, NULL) || json_type(j) != type)
        return str_of("");
    return raw;
}

/* A string of JSON around any text. */
static struct bough_str quoted(struct bough_arena *a, struct bough_str text)
{
    struct json_writer w;
    struct bough_str out;
    struct buf b;

    buf_init(&b, LIMIT_JSON_BYTES);
    jw_init(&w, &b);
    jw_str(&w, text);
    out = text_keep(a, &b);
    buf_finish(&b);
    return out;
}

void column_parts(struct reading *r, struct json row, const char *name, struct bough_entry_new *e)
{
    struct bough_str text = str_of(json_cstr(r->a, row, name)), *spans;
    struct json list;
    struct json_iter it;

    if (json_parse(r->a, text, &list, NULL) == BOUGH_OK && json_type(list) == JSON_ARRAY) {
        spans = arena_array(r->a, json_count(list) + 1, sizeof *spans);
        for (it = json_iter(list); json_next(&it);)
            spans[e->nparts++] = json_raw(it.value);
    } else { /* no parts: give_entry() wraps it and says so */
        spans = arena_array(r->a, 1, sizeof *spans);
        spans[e->nparts++] =
            json_check(text, LIMIT_JSON_DEPTH - 8, NULL) == BOUGH_OK ? text : quoted(r->a, text);
    }
    e->parts = spans;
}

struct bough_str row_rest(struct reading *r, struct json row, const char *const *but,
                          const char *name)
{
    struct bough_str rest = members_but(r->a, row, but, NULL);

    if (!rest.n)
        return rest;
    return str_of(arena_printf(r->a, "{\"%s\":%.*s}", name, (int)rest.n, rest.p));
}
