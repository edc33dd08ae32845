/* Overlays on sealed entries: corrections (bough.amend) and compacted outputs of tools
 * (bough.compacted), which are custom entries later on the path (U13), and pi's context edits.
 * Pure. */
#include "core/turns/turns.h"

#include <string.h>

#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/model/text.h"
#include "core/part/part.h"
#include "core/part/view.h"

static const char cleared[] = "\"[This output was removed to save space]\"";

/* ---- changing JSON ---- */

/* A copy of `object` in which the member has this value; added when it is missing. */
static struct bough_str with_member(struct bough_arena *a, struct json object, const char *name,
                                    struct bough_str value)
{
    struct json_iter it = json_iter(object);
    struct bough_str key, out;
    struct json_writer w;
    bool found = false;
    struct buf b;

    buf_init(&b, LIMIT_JSON_BYTES);
    jw_init(&w, &b);
    jw_obj(&w);
    while (json_type(object) == JSON_OBJECT && json_next(&it)) {
        bool this = json_is(it.key, name);

        if (!json_str(a, it.key, &key))
            continue;
        found = found || this;
        jw_key_str(&w, key);
        jw_raw(&w, this ? value : json_raw(it.value));
    }
    if (!found)
        jw_kv_raw(&w, name, value);
    jw_end_obj(&w);
    out = text_keep(a, &b);
    buf_finish(&b);
    return out;
}

/* ---- compacted ---- */

/* A tool part in our form: its output, and when it was compacted (A11). */
static struct bough_str clear_state(struct bough_arena *a, struct json part, int64_t when)
{
    struct json state = json_member(part, "state"), j;
    struct bough_str time = with_member(a, json_member(state, "time"), "compacted",
                                        str_of(arena_printf(a, "%lld", (long long)when)));

    if (json_parse(a, with_member(a, state, "output", str_of(cleared)), &j, NULL))
        return json_raw(part);
    return with_member(a, part, "state", with_member(a, j, "time", time));
}

bool overlay_clears(const struct bough_part *part)
{
    struct bough_arena *tmp = bough_arena_create();
    struct part_view v;
    bool clears;

    view_part(tmp, part, &v);
    clears = v.kind == VIEW_RESULT || (v.kind == VIEW_TOOL && v.state == BOUGH_TOOL_COMPLETED);
    bough_arena_destroy(tmp);
    return clears;
}

static struct bough_str clear_part(struct bough_arena *a, const struct bough_part *part,
                                   int64_t when)
{
    struct json j;

    if (!overlay_clears(part) || json_parse(a, part->json, &j, NULL))
        return part->json;
    if (json_type(json_member(j, "state")) == JSON_OBJECT)
        return clear_state(a, j, when);
    return with_member(a, j, json_is(json_member(j, "type"), "tool_result") ? "content" : "output",
                       str_of(cleared));
}

struct overlays {
    struct bough_arena *a;
    const struct turns_input *in;
};

static void note(const struct overlays *o, const struct bough_entry *e, const char *what,
                 const char *why)
{
    if (o->in->note)
        o->in->note(o->in->user, e, what, why);
}

static void apply_compacted(const struct overlays *o, struct bough_entry *to,
                            const struct bough_entry *by, struct json payload)
{
    struct bough_part *parts = arena_array(o->a, to->nparts + 1, sizeof *parts);
    int64_t only = -1;

    (void)json_i64(json_member(payload, "part"), &only);
    if (to->nparts)
        memcpy(parts, to->parts, to->nparts * sizeof *parts);
    if (*view_message_call(o->a, to)) { /* the whole message is the result */
        parts[0] = (struct bough_part){
            BOUGH_PART_TEXT, str_of(arena_printf(o->a, "{\"type\":\"text\",\"text\":%s}", cleared))
        };
        to->nparts = 1;
    } else {
        for (size_t i = 0; i < to->nparts; i++)
            if (only < 0 || (size_t)only == i)
                parts[i].json = clear_part(o->a, &parts[i], by->time);
    }
    to->parts = parts;
    note(o, to, "compacted",
         arena_printf(o->a, "outputs of tools are no longer shown, as entry %s says", by->id));
}

/* ---- amended, edited ---- */

static void add_part(struct bough_part *parts, size_t *n, struct bough_str json)
{
    struct bough_part *part = &parts[(*n)++];

    part->json = json;
    if (bough_part_check(json, &part->type, NULL))
        part->type = BOUGH_PART_OTHER;
}

static void apply_amend(const struct overlays *o, struct bough_entry *to,
                        const struct bough_entry *by, struct json payload)
{
    struct json list = json_member(payload, "parts");
    struct bough_part *parts = arena_array(o->a, to->nparts + json_count(list) + 1, sizeof *parts);
    struct json_iter it = json_iter(list);

    if (json_type(list) != JSON_ARRAY)
        return;
    if (to->nparts)
        memcpy(parts, to->parts, to->nparts * sizeof *parts);
    while (json_next(&it))
        add_part(parts, &to->nparts, json_raw(it.value));
    to->parts = parts;
    note(o, to, "amended",
         arena_printf(o->a, "the correction of entry %s is shown behind it", by->id));
}

/* {"targetId":id,"replacement":null or {"content":...}}; the latest edit of an entry counts. */
static void apply_edit(const struct overlays *o, struct bough_entry *to,
                       const struct bough_entry *was, struct json data)
{
    struct json replacement = json_member(data, "replacement"), content;
    struct bough_part *parts;
    struct bough_str *spans;
    size_t n;

    *to = *was;
    if (json_type(replacement) == JSON_NULL) {
        to->kind = BOUGH_ENTRY_OTHER;
        note(o, to, "omitted", "a context edit takes it out");
        return;
    }
    if (!json_get(replacement, "content", &content) ||
        bough_parts_split(o->a, json_raw(content), &spans, &n, NULL) != BOUGH_OK)
        return;
    parts = arena_array(o->a, n + 1, sizeof *parts);
    to->nparts = 0;
    for (size_t i = 0; i < n; i++)
        add_part(parts, &to->nparts, spans[i]);
    to->parts = parts;
    note(o, to, "edited", "a context edit replaces its content");
}

/* ---- finding them ---- */

enum overlay_kind { OVERLAY_NONE, AMEND, COMPACTED, EDIT };

static enum overlay_kind overlay_of(struct bough_arena *a, const struct bough_entry *e, bool edits,
                                    struct json *payload)
{
    struct json data;
    const char *type;

    if (e->deleted || !e->data.n)
        return OVERLAY_NONE;
    if (edits && e->kind == BOUGH_ENTRY_OTHER && cstr_eq(e->kind_name, "context_edit")) {
        *payload = view_data(a, e);
        return EDIT;
    }
    if (e->kind != BOUGH_ENTRY_CUSTOM)
        return OVERLAY_NONE;
    data = view_data(a, e);
    type = json_cstr(a, data, "customType");
    *payload = json_member(data, "data");
    if (json_get(*payload, "variant", &data)) /* how a client sent it: no correction */
        return OVERLAY_NONE;
    if (cstr_eq(type, OVERLAY_AMEND))
        return AMEND;
    return cstr_eq(type, OVERLAY_COMPACTED) ? COMPACTED : OVERLAY_NONE;
}

bool entry_has_id(const struct bough_entry *e, const char *id)
{
    return !cstr_empty(id) && (cstr_eq(e->id, id) || cstr_eq(e->origin, id));
}

/* The index of the nearest entry before `n` with this id; n: there is none. */
static size_t find(const struct bough_entry *entries, size_t n, const char *id)
{
    for (size_t i = n; i-- > 0;)
        if (entry_has_id(&entries[i], id))
            return i;
    return n;
}

void overlays_apply(struct bough_arena *a, struct turns_input *in, bool edits)
{
    const struct overlays o = { a, in };
    const struct bough_entry *was = in->entries;
    struct bough_entry *copy = NULL;
    enum overlay_kind kind;
    struct json payload;

    for (size_t i = 0, to; i < in->n; i++) {
        kind = overlay_of(a, &was[i], edits, &payload);
        if (!kind)
            continue;
        if (!copy) {
            copy = arena_array(a, in->n, sizeof *copy);
            memcpy(copy, was, in->n * sizeof *copy);
            in->entries = copy;
        }
        to = find(copy, i, json_cstr(a, payload, kind == EDIT ? "targetId" : "target"));
        if (kind == EDIT && to < i)
            apply_edit(&o, &copy[to], &was[to], payload);
        else if (kind == EDIT)
            continue;
        else if (to == i || copy[to].open || copy[to].kind != BOUGH_ENTRY_MESSAGE)
            note(&o, &copy[i], "omitted", "the entry that it is about is not shown");
        else if (kind == AMEND)
            apply_amend(&o, &copy[to], &copy[i], payload);
        else
            apply_compacted(&o, &copy[to], &copy[i], payload);
    }
}
