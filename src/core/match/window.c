/* Windows of compactions by clients: writing and reading them. */
#include "core/match/window.h"

#include <string.h>

#include "base/json/json.h"
#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/model/text.h"
#include "core/part/part.h"
#include "core/part/view.h"

bool window_has(const struct bough_entry *marker)
{
    return marker->kind == BOUGH_ENTRY_COMPACTION && marker->data.n &&
           memmem(marker->data.p, marker->data.n, "\"window\"", 8) != NULL;
}

/* ---- writing ---- */

struct writing {
    struct bough_arena *a;
    const struct place_input *in;
    size_t units;   /* of the window */
    size_t unknown; /* texts in it that the path does not have */
};

/* The stored message with the same units, in order; NULL: there is none. */
static const struct bough_entry *same_message(const struct writing *w, size_t message)
{
    const struct units *x = &w->in->sent->units, *y = &w->in->stored->units;
    size_t from = x->messages[message].first, n = units_last(x, message) - from;

    for (size_t m = 0; m < y->nmessages && n; m++) {
        size_t at = y->messages[m].first, k = 0;

        if (units_last(y, m) - at != n || !*w->in->stored->entries[m].id)
            continue;
        while (k < n && x->at[from + k].kind == y->at[at + k].kind &&
               strcmp(x->at[from + k].name, y->at[at + k].name) == 0 &&
               str_eq(x->at[from + k].text, y->at[at + k].text))
            k++;
        if (k == n)
            return &w->in->stored->entries[m];
    }
    return NULL;
}

/* Is the message nothing but the one unknown text, which is the summary? */
static bool is_summary(const struct writing *w, size_t message)
{
    const struct units *u = &w->in->sent->units;
    size_t from = u->messages[message].first;

    return w->unknown == 1 && w->in->sent->entries[message].nparts == 1 &&
           units_last(u, message) == from + 1 && place_is_unknown(w->in, from);
}

static void write_message(const struct writing *w, struct json_writer *jw, size_t message)
{
    const struct bough_entry *e = &w->in->sent->entries[message], *known = same_message(w, message);
    struct bough_str word = view_role_raw(e);

    jw_obj(jw);
    if (known) {
        jw_kv_cstr(jw, "entry", known->id);
        jw_end_obj(jw);
        return;
    }
    if (word.n)
        jw_kv_raw(jw, "role", word);
    else
        jw_kv_cstr(jw, "role", bough_role_name(e->role));
    if (is_summary(w, message)) {
        jw_kv_bool(jw, "summary", true);
    } else {
        jw_key(jw, "parts");
        jw_arr(jw);
        for (size_t i = 0; i < e->nparts; i++)
            jw_raw(jw, e->parts[i].json);
        jw_end_arr(jw);
        if (e->data.n)
            jw_kv_raw(jw, "data", e->data);
    }
    jw_end_obj(jw);
}

/* The unknown texts, joined by blank lines. */
static struct bough_str summary_of(struct writing *w)
{
    struct bough_str out;
    struct buf b;

    buf_init(&b, LIMIT_TEXT);
    for (size_t i = 0; i < w->units; i++) {
        if (!place_is_unknown(w->in, i))
            continue;
        w->unknown++;
        if (b.n)
            buf_puts(&b, "\n\n");
        buf_put_str(&b, w->in->sent->units.at[i].text);
    }
    out = text_keep(w->a, &b);
    buf_finish(&b);
    return out;
}

struct bough_str window_write(struct bough_arena *a, const struct place_input *in, size_t units)
{
    struct writing w = { .a = a, .in = in, .units = units };
    struct bough_str summary = summary_of(&w), out;
    size_t messages = units ? in->sent->units.at[units - 1].message + 1 : 0;
    struct json_writer jw;
    struct buf b;

    buf_init(&b, LIMIT_DATA);
    jw_init(&jw, &b);
    jw_obj(&jw);
    jw_kv_str(&jw, "summary", summary);
    jw_key(&jw, "window");
    jw_arr(&jw);
    for (size_t i = 0; i < messages; i++)
        if (!units_none(&in->sent->units, i))
            write_message(&w, &jw, i);
    jw_end_arr(&jw);
    jw_end_obj(&jw);
    out = text_keep(a, &b);
    buf_finish(&b);
    return out;
}

/* ---- reading ---- */

static const struct bough_entry *find(const struct bough_entry *path, size_t n, const char *id)
{
    for (size_t i = 0; id && i < n; i++)
        if (strcmp(path[i].id, id) == 0)
            return &path[i];
    return NULL;
}

static void read_parts(struct bough_arena *a, struct json list, struct bough_entry *e)
{
    struct json_iter it = json_iter(list);
    struct bough_part *parts = arena_array(a, json_count(list) + 1, sizeof *parts);

    while (json_type(list) == JSON_ARRAY && json_next(&it)) {
        parts[e->nparts].json = json_raw(it.value);
        if (bough_part_check(parts[e->nparts].json, &parts[e->nparts].type, NULL))
            parts[e->nparts].type = BOUGH_PART_OTHER;
        e->nparts++;
    }
    e->parts = parts;
}

static struct bough_entry read_message(struct bough_arena *a, struct json m, struct json data)
{
    const char *role = json_cstr(a, m, "role");
    struct bough_entry e = { .kind = BOUGH_ENTRY_MESSAGE,
                             .kind_name = "",
                             .session = "",
                             .origin = "",
                             .finish = "",
                             .role = bough_role_parse(role ? role : "user") };
    struct bough_str text;
    struct json one;

    if (json_get(m, "data", &one))
        e.data = json_raw(one);
    if (!json_get(m, "summary", &one)) {
        read_parts(a, json_member(m, "parts"), &e);
    } else if (json_str(a, json_member(data, "summary"), &text)) {
        struct bough_part *part = arena_zalloc(a, sizeof *part);

        *part = (struct bough_part){ BOUGH_PART_TEXT, bough_part_text(a, text) };
        e.parts = part;
        e.nparts = 1;
    }
    return e;
}

struct bough_entry *window_read(struct bough_arena *a, const struct bough_entry *marker,
                                const struct bough_entry *path, size_t npath, size_t *n)
{
    struct json data = view_data(a, marker), list = json_member(data, "window");
    struct bough_entry *out = arena_array(a, json_count(list) + 1, sizeof *out);
    struct json_iter it = json_iter(list);
    struct json ref;

    *n = 0;
    while (json_type(list) == JSON_ARRAY && json_next(&it)) {
        const struct bough_entry *known;

        if (!json_get(it.value, "entry", &ref)) {
            out[(*n)++] = read_message(a, it.value, data);
            continue;
        }
        known = find(path, npath, json_cstr(a, it.value, "entry"));
        if (known)
            out[(*n)++] = *known;
    }
    return out;
}
