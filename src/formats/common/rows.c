/* Helpers for rows of other tools' SQLite files. Pure. */
#include <string.h>

#include "base/json/write.h"
#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/model/text.h"
#include "formats/common/rows.h"

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

/* A JSON string with this text. */
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
    } else { /* not a list: give_entry() wraps the part and reports it */
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
