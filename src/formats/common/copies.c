/* The difference between a fork's copied lines and the entries it inherits. */
#include "formats/common/copies.h"

#include "base/json/json.h"
#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/model/text.h"
#include "formats/common/format.h"

struct copy {
    struct copy *next;
    const char *id;
    struct bough_str record; /* empty: the file does not have the entry */
};

static void add(struct bough_arena *a, struct copies *c, const char *id, struct bough_str record)
{
    struct copy *one = arena_zalloc(a, sizeof *one);

    one->id = arena_strdup(a, id);
    one->record = record;
    if (!c->end)
        c->end = &c->first;
    *c->end = one;
    c->end = &one->next;
}

/* The name of an inherited entry in the record. */
static const char *name_of(const struct bough_entry *e)
{
    return *e->origin ? e->origin : e->id;
}

void copies_without(struct bough_arena *a, struct copies *c, const struct bough_entry *e)
{
    add(a, c, name_of(e), str_of(""));
}

/* ---- differences ---- */

static bool has_all(struct json of, struct json in)
{
    struct json_iter it = json_iter(in);
    struct json value;
    struct bough_arena *a = bough_arena_create();
    struct bough_str key;
    bool all = true;

    while (all && json_next(&it))
        all = json_str(a, it.key, &key) && json_get(of, key.p, &value);
    bough_arena_destroy(a);
    return all;
}

/* Write the members of `now` that are not so in `was`. Objects are compared by member, to this
 * depth. False: something is missing in `now`, which a set of members cannot say. */
static bool put_difference(struct bough_arena *a, struct json_writer *jw, struct json was,
                           struct json now, int depth)
{
    struct json_iter it = json_iter(now);
    struct bough_str key;
    bool fine = has_all(now, was);

    jw_obj(jw);
    while (fine && json_next(&it)) {
        struct json old = { 0 };

        fine = json_str(a, it.key, &key);
        if (fine && json_get(was, key.p, &old) && str_eq(json_raw(old), json_raw(it.value)))
            continue;
        jw_key_str(jw, key);
        if (depth && json_type(old) == JSON_OBJECT && json_type(it.value) == JSON_OBJECT)
            fine = fine && put_difference(a, jw, old, it.value, depth - 1);
        else
            jw_raw(jw, json_raw(it.value));
    }
    jw_end_obj(jw);
    return fine;
}

/* {"set":...}, or {"data":...} where that is the shorter or the only way. */
static void put_record(struct bough_arena *a, struct buf *b, const struct bough_entry *e,
                       const struct bough_entry_new *in, bool whole)
{
    struct json_writer jw;
    struct json was = { 0 }, now = { 0 };

    jw_init(&jw, b);
    jw_obj(&jw);
    if (in->time && in->time != e->time)
        jw_kv_i64(&jw, "time", in->time);
    if (whole) {
        jw_kv_raw(&jw, "data", in->data.n ? in->data : str_of("{}"));
    } else if (!str_eq(e->data, in->data)) {
        jw_key(&jw, "set");
        if (json_parse(a, e->data.n ? e->data : str_of("{}"), &was, NULL) ||
            json_parse(a, in->data.n ? in->data : str_of("{}"), &now, NULL) ||
            !put_difference(a, &jw, was, now, 1)) {
            buf_reset(b);
            put_record(a, b, e, in, true);
            return;
        }
    }
    jw_end_obj(&jw);
}

void copies_line(struct bough_arena *a, struct copies *c, const struct bough_entry *e,
                 const struct bough_entry_new *in)
{
    struct buf b;

    buf_init(&b, LIMIT_JSON_BYTES);
    put_record(a, &b, e, in, false);
    if (!str_is(buf_str(&b), "{}") && !str_is(buf_str(&b), "{\"set\":{}}"))
        add(a, c, name_of(e), text_keep(a, &b));
    buf_finish(&b);
}

/* ---- in the data of a session ---- */

static void put_copies(struct json_writer *jw, const struct copies *c)
{
    jw_key(jw, FORK_COPIES);
    jw_obj(jw);
    jw_key(jw, "without");
    jw_arr(jw);
    for (const struct copy *one = c->first; one; one = one->next)
        if (!one->record.n)
            jw_cstr(jw, one->id);
    jw_end_arr(jw);
    jw_key(jw, "lines");
    jw_obj(jw);
    for (const struct copy *one = c->first; one; one = one->next)
        if (one->record.n)
            jw_kv_raw(jw, one->id, one->record);
    jw_end_obj(jw);
    jw_end_obj(jw);
}

bool copies_keep(struct bough_arena *a, const struct copies *c, struct bough_str *data)
{
    static const char *const ours[] = { FORK_COPIES, NULL };
    struct json_writer jw;
    struct buf b;
    bool fits;

    if (!c->first)
        return true;
    buf_init(&b, LIMIT_DATA);
    jw_init(&jw, &b);
    jw_obj(&jw);
    members_put(&jw, *data, ours);
    put_copies(&jw, c);
    jw_end_obj(&jw);
    fits = !b.over;
    if (fits)
        *data = text_keep(a, &b);
    buf_finish(&b);
    return fits;
}

struct names copies_read(struct bough_arena *a, struct bough_str data)
{
    struct bough_str raw = member_raw(data, FORK_COPIES, JSON_OBJECT), key;
    struct names out = { 0 };
    struct json j;
    struct json_iter it;

    if (!raw.n || json_parse(a, raw, &j, NULL))
        return out;
    for (it = json_iter(json_member(j, "without")); json_next(&it);)
        if (json_str(a, it.value, &key))
            names_put(a, &out, key.p, "");
    for (it = json_iter(json_member(j, "lines")); json_next(&it);) {
        struct bough_str record = json_raw(it.value);

        if (json_str(a, it.key, &key))
            names_put(a, &out, key.p, arena_strndup(a, record.p, record.n));
    }
    return out;
}

/* Write `was` with the members of `set` in their places, and the others behind. */
static void put_merged(struct bough_arena *a, struct json_writer *jw, struct json was,
                       struct json set, int depth)
{
    struct json_iter it;
    struct bough_str key;
    struct json value;

    jw_obj(jw);
    for (it = json_iter(was); json_next(&it);) {
        if (!json_str(a, it.key, &key))
            continue;
        jw_key_str(jw, key);
        if (!json_get(set, key.p, &value))
            jw_raw(jw, json_raw(it.value));
        else if (depth && json_type(it.value) == JSON_OBJECT && json_type(value) == JSON_OBJECT)
            put_merged(a, jw, it.value, value, depth - 1);
        else
            jw_raw(jw, json_raw(value));
    }
    for (it = json_iter(set); json_next(&it);) {
        if (!json_str(a, it.key, &key) || json_get(was, key.p, &value))
            continue;
        jw_key_str(jw, key);
        jw_raw(jw, json_raw(it.value));
    }
    jw_end_obj(jw);
}

bool copies_apply(struct bough_arena *a, const struct names *copies, struct bough_entry *e)
{
    const char *record = names_get(copies, name_of(e));
    struct json j, data, was = { 0 };
    struct json_writer jw;
    struct buf b;

    if (!record)
        return true;
    if (!*record)
        return false;
    if (json_parse(a, str_of(record), &j, NULL))
        return true;
    (void)json_i64(json_member(j, "time"), &e->time);
    if (json_get(j, "data", &data))
        e->data = json_raw(data);
    if (!json_get(j, "set", &data) || json_parse(a, e->data.n ? e->data : str_of("{}"), &was, NULL))
        return true;
    buf_init(&b, LIMIT_JSON_BYTES);
    jw_init(&jw, &b);
    put_merged(a, &jw, was, data, 1);
    e->data = text_keep(a, &b);
    buf_finish(&b);
    return true;
}
