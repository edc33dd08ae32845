/* Overlays on sealed entries: corrections (bough.amend) and compacted outputs of tools
 * (bough.compacted). Both are custom entries later on the path (U13). Pure. */
#include "core/context/dialect.h"

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

static void apply_compacted(struct context_out *c, struct bough_entry *to,
                            const struct bough_entry *by, struct json payload)
{
    struct bough_part *parts = arena_array(c->a, to->nparts + 1, sizeof *parts);
    int64_t only = -1;

    (void)json_i64(json_member(payload, "part"), &only);
    if (to->nparts)
        memcpy(parts, to->parts, to->nparts * sizeof *parts);
    if (*view_message_call(c->a, to)) { /* the whole message is the result */
        parts[0] = (struct bough_part){
            BOUGH_PART_TEXT, str_of(arena_printf(c->a, "{\"type\":\"text\",\"text\":%s}", cleared))
        };
        to->nparts = 1;
    } else {
        for (size_t i = 0; i < to->nparts; i++)
            if (only < 0 || (size_t)only == i)
                parts[i].json = clear_part(c->a, &parts[i], by->time);
    }
    to->parts = parts;
    context_note(c, to, "compacted", "outputs of tools are no longer shown, as entry %s says",
                 by->id);
}

/* ---- amended ---- */

static void apply_amend(struct context_out *c, struct bough_entry *to, const struct bough_entry *by,
                        struct json payload)
{
    struct json list = json_member(payload, "parts");
    struct bough_part *parts = arena_array(c->a, to->nparts + json_count(list) + 1, sizeof *parts);
    struct json_iter it = json_iter(list);

    if (json_type(list) != JSON_ARRAY)
        return;
    if (to->nparts)
        memcpy(parts, to->parts, to->nparts * sizeof *parts);
    while (json_next(&it)) {
        struct bough_part *part = &parts[to->nparts++];

        part->json = json_raw(it.value);
        if (bough_part_check(part->json, &part->type, NULL))
            part->type = BOUGH_PART_OTHER;
    }
    to->parts = parts;
    context_note(c, to, "amended", "the correction of entry %s is shown behind it", by->id);
}

/* ---- finding them ---- */

static bool is_overlay(struct bough_arena *a, const struct bough_entry *e, const char **type,
                       struct json *payload)
{
    struct json data;

    if (e->kind != BOUGH_ENTRY_CUSTOM || e->deleted || !e->data.n)
        return false;
    data = view_data(a, e);
    *type = json_cstr(a, data, "customType");
    *payload = json_member(data, "data");
    if (json_get(*payload, "variant", &data)) /* how a client sent it: no correction */
        return false;
    return cstr_eq(*type, OVERLAY_AMEND) || cstr_eq(*type, OVERLAY_COMPACTED);
}

static struct bough_entry *find(struct bough_entry *entries, size_t n, const char *id)
{
    while (n-- > 0)
        if (context_is(&entries[n], id))
            return &entries[n];
    return NULL;
}

void overlays_apply(struct context_out *c, struct context_input *in)
{
    struct bough_entry *copy = NULL, *to;
    struct json payload;
    const char *type;

    for (size_t i = 0; i < in->n; i++) {
        if (!is_overlay(c->a, &in->entries[i], &type, &payload))
            continue;
        if (!copy) {
            copy = arena_array(c->a, in->n, sizeof *copy);
            memcpy(copy, in->entries, in->n * sizeof *copy);
            in->entries = copy;
        }
        to = find(copy, i, json_cstr(c->a, payload, "target"));
        if (!to || to->open || to->kind != BOUGH_ENTRY_MESSAGE)
            context_note(c, &copy[i], "omitted", "the entry that it is about is not shown");
        else if (strcmp(type, OVERLAY_AMEND) == 0)
            apply_amend(c, to, &copy[i], payload);
        else
            apply_compacted(c, to, &copy[i], payload);
    }
}
