/* opencode's sessions and messages as items, both from an export and from its storage. */
#include <stdio.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/model/text.h"
#include "core/model/totals.h"
#include "formats/common/foreign.h"
#include "formats/opencode/opencode.h"

/* ---- the session ---- */

enum bough_rc opencode_begin(struct reading *r, struct opencode_session *oc, struct json info,
                             struct bough_error *err)
{
    struct item item = { .kind = ITEM_SESSION };
    struct item_session *s = &item.u.session;
    struct json time = json_member(info, "time"), model = json_member(info, "model");
    struct bough_str raw = json_raw(info);

    s->id = json_cstr(r->a, info, "id");
    if (cstr_empty(s->id))
        s->id = oc->id;
    if (cstr_empty(s->id))
        return bough_fail(err, BOUGH_INVALID, "no session and no message of opencode in it");
    oc->id = arena_strdup(r->kept, s->id);
    oc->hidden = arena_strdup(r->kept, json_cstr(r->a, json_member(info, "revert"), "messageID"));
    oc->partly = json_cstr(r->a, json_member(info, "revert"), "partID") != NULL;
    s->title = json_cstr(r->a, info, "title");
    s->project = json_cstr(r->a, info, "directory");
    s->parent = json_cstr(r->a, info, "parentID");
    s->subagent = !cstr_empty(s->parent);
    s->role_name = json_cstr(r->a, info, "agent");
    s->model_provider = json_cstr(r->a, model, "providerID");
    s->model_name = json_cstr(r->a, model, "id");
    s->provider_path = "opencode";
    s->exported_from = foreign_session(r->a, json_member(info, "metadata"), s->id, &s->copy);
    s->created = number_of(time, "created");
    s->archived = number_of(time, "archived") > 0;
    if (json_type(info) == JSON_OBJECT)
        s->data = str_of(arena_printf(r->a, "{\"" OPENCODE_INFO "\":%.*s}", (int)raw.n, raw.p));
    return give(r, &item, err);
}

/* ---- messages ---- */

void opencode_summed(struct reading *r, struct opencode_session *oc, struct json info)
{
    const char *asked = json_cstr(r->a, info, "parentID");
    bool summary = false;

    json_bool(json_member(info, "summary"), &summary);
    if (summary && asked && json_type(json_member(info, "error")) != JSON_OBJECT &&
        json_cstr(r->a, info, "finish"))
        names_put(r->kept, &oc->summed, asked, "");
}

void opencode_usage(struct reading *r, struct json info, struct bough_entry_new *e)
{
    struct json tokens = json_member(info, "tokens"), cache = json_member(tokens, "cache");
    struct bough_totals used = { .input = number_of(tokens, "input"),
                                 .output = number_of(tokens, "output"),
                                 .reasoning = number_of(tokens, "reasoning"),
                                 .cache_read = number_of(cache, "read"),
                                 .cache_write = number_of(cache, "write"),
                                 .cost = cost_of(json_member(info, "cost")) };

    e->usage = totals_is_zero(&used) ? NULL : totals_keep(r->a, &used);
    e->call_provider = json_cstr(r->a, info, "providerID");
    e->call_model = json_cstr(r->a, info, "modelID");
}

static struct bough_str first_kept(struct bough_arena *a, const char *id)
{
    struct json_writer w;
    struct bough_str out;
    struct buf b;

    buf_init(&b, LIMIT_DATA);
    jw_init(&w, &b);
    jw_obj(&w);
    jw_kv_cstr(&w, "firstKeptEntryId", id);
    jw_end_obj(&w);
    out = text_keep(a, &b);
    buf_finish(&b);
    return out;
}

/* An answered request for a summary replaces what came before it, except for the tail it names
 * (A21). So give a compaction marker before the request. */
static enum bough_rc give_marker(struct reading *r, const struct opencode_session *oc,
                                 struct json parts, struct item *message, struct bough_error *err)
{
    struct item item = { .kind = ITEM_ENTRY };
    struct json_iter it = json_iter(parts);
    const char *id = message->u.entry.id, *tail = NULL;
    bool found = false;
    enum bough_rc rc;

    if (!id || !names_get(&oc->summed, id))
        return BOUGH_OK;
    while (json_type(parts) == JSON_ARRAY && json_next(&it)) {
        if (!cstr_eq(json_cstr(r->a, it.value, "type"), "compaction"))
            continue;
        found = true;
        tail = json_cstr(r->a, it.value, "tail_start_id");
    }
    if (!found)
        return BOUGH_OK;
    item.u.entry.id = arena_printf(r->a, OPENCODE_MARKER "%s", id);
    item.u.entry.parent = message->u.entry.parent;
    item.u.entry.stands_for = message->u.entry.stands_for;
    item.u.entry.entry = (struct bough_entry_new){
        .kind = BOUGH_ENTRY_COMPACTION,
        .time = message->u.entry.entry.time,
        .data = tail ? first_kept(r->a, tail) : str_of(""),
    };
    rc = give_entry(r, &item, err);
    message->u.entry.parent = item.u.entry.id;
    return rc;
}

static struct bough_str info_data(struct reading *r, const struct opencode_session *oc,
                                  struct json info)
{
    bool ours = cstr_eq(json_cstr(r->a, info, "sessionID"), oc->id);
    const char *const but[] = { "id", ours ? "sessionID" : NULL, NULL };

    return members_but(r->a, info, but, NULL);
}

/* The entry that an export made the message of; a text or tool part names it. */
static const char *mark_in(struct reading *r, struct json parts)
{
    struct json_iter it = json_iter(parts);
    const char *id = NULL;

    while (json_type(parts) == JSON_ARRAY && !id && json_next(&it))
        id = foreign_entry(r->a, json_member(it.value, "metadata"));
    return id;
}

enum bough_rc opencode_message(struct reading *r, struct opencode_session *oc, struct json j,
                               struct bough_error *err)
{
    static const char *const known[] = { "info", "parts", NULL };
    struct item item = { .kind = ITEM_ENTRY };
    struct bough_entry_new *e = &item.u.entry.entry;
    struct json info = json_member(j, "info"), parts = json_member(j, "parts");
    struct json_iter it = json_iter(parts);
    struct bough_str *spans = arena_array(r->a, json_count(parts) + 1, sizeof *spans);
    enum bough_rc rc;

    item.u.entry.id = json_cstr(r->a, info, "id");
    if (cstr_empty(item.u.entry.id))
        return give_problem(r, err, "a message without an id was left out");
    item.u.entry.parent = *oc->last ? oc->last : NULL;
    item.u.entry.stands_for = mark_in(r, parts);
    e->role = bough_role_parse(json_cstr(r->a, info, "role"));
    e->time = number_of(json_member(info, "time"), "created");
    e->finish = json_cstr(r->a, info, "finish");
    e->error = json_type(json_member(info, "error")) == JSON_OBJECT
                   ? json_raw(json_member(info, "error"))
                   : str_of("");
    e->data = info_data(r, oc, info);
    e->metadata = members_but(r->a, j, known, NULL);
    while (json_type(parts) == JSON_ARRAY && json_next(&it))
        spans[e->nparts++] = json_raw(it.value);
    e->parts = spans;
    if (e->role == BOUGH_ROLE_ASSISTANT)
        opencode_usage(r, info, e);
    rc = give_marker(r, oc, parts, &item, err);
    if (!rc)
        rc = give_entry(r, &item, err);
    if (oc->hidden && cstr_eq(item.u.entry.id, oc->hidden)) {
        oc->reverted = true;
        snprintf(oc->before, sizeof oc->before, "%s", oc->last);
    }
    snprintf(oc->last, sizeof oc->last, "%s", item.u.entry.id);
    return rc;
}

enum bough_rc opencode_end(struct reading *r, const struct opencode_session *oc,
                           struct bough_error *err)
{
    struct item head = { .kind = ITEM_HEAD };

    if (!oc->reverted)
        return BOUGH_OK;
    head.u.id = oc->partly ? oc->hidden : oc->before;
    return give(r, &head, err);
}
