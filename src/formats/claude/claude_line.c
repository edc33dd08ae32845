/* Claude Code's session files, reader: turns one line into items. */
#include <stdio.h>
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/iso.h"
#include "base/text/str.h"
#include "core/context/context.h"
#include "core/model/text.h"
#include "core/model/totals.h"
#include "core/price/price.h"
#include "formats/claude/claude_in.h"
#include "formats/common/foreign.h"

enum { SUMMARY_MOST = 64 * 1024 * 1024 };

static void keep_said(struct reading *r, struct said *to, const char *text)
{
    size_t n = text ? strlen(text) + 1 : 0;

    if (n > to->cap) {
        to->cap = 2 * n;
        to->room = arena_alloc(r->kept, to->cap);
    }
    to->is = text ? to->room : NULL;
    if (text)
        memcpy(to->room, text, n);
}

/* ---- messages ---- */

static const char *tail_of(const struct chain *c, const char *uuid)
{
    const char *tail = recent_get(&c->tails, uuid ? uuid : "");

    return tail ? tail : cstr_empty(uuid) ? NULL : uuid;
}

/* The members of the line that the entry does not hold. `moved`: keep parentUuid, too. */
static struct bough_str own_members(struct reading *r, const struct claude *cc, struct json j,
                                    bool message, bool moved)
{
    const char *but[8] = { "uuid" };
    const char *stamp = json_cstr(r->a, j, "timestamp");
    char again[ISO_TEXT];
    size_t n = 1;

    if (!moved)
        but[n++] = "parentUuid";
    if (message)
        but[n++] = "message";
    if (cstr_eq(json_cstr(r->a, j, "sessionId"), cc->session))
        but[n++] = "sessionId";
    iso_print(iso_parse(stamp), again);
    if (cstr_eq(stamp, again))
        but[n++] = "timestamp";
    return members_but(r->a, j, but, NULL);
}

static const char *line_member(struct reading *r, const char *key, struct bough_str members)
{
    return arena_printf(r->a, "\"%s\":%.*s", key, members.n ? (int)members.n : 2,
                        members.n ? members.p : "{}");
}

static struct bough_totals usage_of(struct json usage)
{
    return (struct bough_totals){ .input = number_of(usage, "input_tokens"),
                                  .output = number_of(usage, "output_tokens"),
                                  .cache_read = number_of(usage, "cache_read_input_tokens"),
                                  .cache_write = number_of(usage, "cache_creation_input_tokens") };
}

/* The cost that the line has, or by the list prices. `u`: what was used, in detail. */
static enum bough_cost_source take_cost(struct reading *r, struct json line, const struct usage *u,
                                        int64_t time, struct bough_totals *used)
{
    struct answered who = { .provider = "anthropic",
                            .model = json_cstr(r->a, json_member(line, "message"), "model"),
                            .time = time };

    if (json_type(json_member(line, "costUSD")) == JSON_NUMBER) {
        used->cost = cost_of(json_member(line, "costUSD"));
        return BOUGH_COST_REPORTED;
    }
    return price_usage(r, &who, u, used);
}

static bool spent(const struct bough_totals *t)
{
    return t->input || t->output || t->cache_read || t->cache_write || t->cost;
}

static int64_t more(int64_t now, int64_t before)
{
    return now > before ? now - before : 0;
}

/* Claude Code writes a response as one line per block, each with the usage so far. Count the first
 * line, and give what later lines add as a call of its own. */
static enum bough_rc take_usage(struct reading *r, struct chain *c, struct json j,
                                struct bough_entry_new *e, struct bough_error *err)
{
    struct json message = json_member(j, "message");
    const char *id = json_cstr(r->a, message, "id");
    struct bough_totals now = usage_of(json_member(message, "usage"));
    struct item call = { .kind = ITEM_CALL };
    int64_t *counted, old[4] = { 0 };
    enum bough_cost_source source = BOUGH_COST_UNSAID;
    struct usage used;
    bool before;

    if (json_type(json_member(message, "usage")) != JSON_OBJECT)
        return BOUGH_OK;
    before = id && recent_get(&c->usage, id);
    if (id) {
        counted = recent_put(r->kept, &c->usage, id);
        memcpy(old, counted, sizeof old);
        memcpy(counted, (int64_t[]){ now.input, now.output, now.cache_read, now.cache_write },
               sizeof old);
    }
    if (!before) {
        if (usage_read(r->a, json_raw(json_member(message, "usage")), &used))
            source = take_cost(r, j, &used, e->time, &now);
        if (spent(&now)) {
            e->usage = totals_keep(r->a, &now);
            e->call_cost_source = source;
        }
        e->call_provider = "anthropic";
        e->call_model = json_cstr(r->a, message, "model");
        e->call_request_id = id;
        return BOUGH_OK;
    }
    now = (struct bough_totals){ .input = more(now.input, old[0]),
                                 .output = more(now.output, old[1]),
                                 .cache_read = more(now.cache_read, old[2]),
                                 .cache_write = more(now.cache_write, old[3]) };
    used = usage_of_totals(&now);
    if (json_type(json_member(j, "costUSD")) != JSON_NUMBER) /* else the first line had all of it */
        source = take_cost(r, j, &used, e->time, &now);
    call.u.call.call = (struct bough_call_new){ .request_id = id,
                                                .provider = "anthropic",
                                                .model = json_cstr(r->a, message, "model"),
                                                .used = now,
                                                .cost_source = source,
                                                .time = e->time };
    return spent(&now) ? give(r, &call, err) : BOUGH_OK;
}

/* A message with tool results only is a tool's message, whatever its role. */
static bool all_results(struct bough_arena *a, const struct bough_entry_new *e)
{
    for (size_t i = 0; i < e->nparts; i++) {
        struct json part;

        if (json_parse(a, e->parts[i], &part, NULL) ||
            !cstr_eq(json_cstr(a, part, "type"), "tool_result"))
            return false;
    }
    return e->nparts > 0;
}

static enum bough_rc take_message(struct reading *r, const struct claude *cc, struct chain *c,
                                  struct json j, bool moved, struct bough_entry_new *e,
                                  struct bough_error *err)
{
    struct json message = json_member(j, "message");
    struct bough_str line = own_members(r, cc, j, true, moved);

    e->kind = BOUGH_ENTRY_MESSAGE;
    e->role = bough_role_parse(json_cstr(r->a, message, "role"));
    e->data = message_data(r, message, e, line_member(r, CLAUDE_LINE, line));
    e->finish = json_cstr(r->a, message, "stop_reason");
    if (all_results(r->a, e))
        e->role = BOUGH_ROLE_TOOL;
    return e->role == BOUGH_ROLE_ASSISTANT ? take_usage(r, c, j, e, err) : BOUGH_OK;
}

/* If the model differs from that of the last answer, give a model change first. */
static enum bough_rc note_model(struct reading *r, struct chain *c, struct json j,
                                struct item *item, struct bough_error *err)
{
    const char *model = json_cstr(r->a, json_member(j, "message"), "model");
    struct item change = { .kind = ITEM_ENTRY };
    struct buf b;
    struct json_writer jw;
    enum bough_rc rc;

    if (!cstr_eq(json_cstr(r->a, j, "type"), "assistant") || cstr_empty(model) || model[0] == '<' ||
        cstr_eq(model, c->model.is))
        return BOUGH_OK;
    keep_said(r, &c->model, model);
    buf_init(&b, 1024 * 1024);
    jw_init(&jw, &b);
    jw_obj(&jw);
    jw_kv_cstr(&jw, "provider", "anthropic");
    jw_kv_cstr(&jw, "modelId", model);
    jw_end_obj(&jw);
    change.u.entry = item->u.entry;
    change.u.entry.id = arena_printf(r->a, CLAUDE_MODEL "%s", item->u.entry.id);
    change.u.entry.entry = (struct bough_entry_new){ .kind = BOUGH_ENTRY_MODEL_CHANGE,
                                                     .time = item->u.entry.entry.time,
                                                     .data = text_keep(r->a, &b) };
    buf_finish(&b);
    rc = give_entry(r, &change, err);
    item->u.entry.parent = change.u.entry.id;
    return rc;
}

/* Does the line contain tool results only? */
static bool is_result(struct reading *r, struct json j)
{
    struct json content = json_member(json_member(j, "message"), "content");
    struct json_iter it = json_iter(content);

    if (json_type(content) != JSON_ARRAY || !json_count(content))
        return false;
    while (json_next(&it))
        if (!cstr_eq(json_cstr(r->a, it.value, "type"), "tool_result"))
            return false;
    return true;
}

/* Record where a response begins: a later reading resumes at the oldest recorded one. */
static void note_begin(const struct reading *r, struct chain *c)
{
    if (c->nbegins == RESPONSES)
        memmove(c->begins, c->begins + 1, (RESPONSES - 1) * sizeof *c->begins);
    c->nbegins -= c->nbegins == RESPONSES;
    c->begins[c->nbegins++] = (struct line_place){ r->at, r->line };
}

/* Parallel tool calls are one line each, and each result's parent is its own call. Read as a tree,
 * all results but one would be off the path. So chain the lines of a response and its results as
 * they stand in the file. True: the line's parent is changed. */
static bool in_response(struct reading *r, struct chain *c, struct json j)
{
    const char *id = json_cstr(r->a, json_member(j, "message"), "id"),
               *parent = json_cstr(r->a, j, "parentUuid"), *type = json_cstr(r->a, j, "type");
    bool goes_on = cstr_eq(type, "assistant") ? id && cstr_eq(id, c->response.is) : is_result(r, j);
    bool moved = goes_on && parent && !cstr_eq(parent, c->last.is) && recent_get(&c->group, parent);

    if (cstr_eq(type, "assistant") && !goes_on) {
        keep_said(r, &c->response, id);
        recent_clear(&c->group);
        note_begin(r, c);
    }
    if (c->response.is && (goes_on || cstr_eq(type, "assistant")))
        recent_put(r->kept, &c->group, json_cstr(r->a, j, "uuid"));
    return moved;
}

/* A resumed reading knows only the last lines. A line with another parent needs the whole file. */
static bool hangs_on_unknown(const struct reading *r, const struct chain *c, const char *parent)
{
    return r->resumed && !recent_get(&c->lines, parent);
}

static void note_line(struct reading *r, struct chain *c, const char *uuid)
{
    keep_said(r, &c->last, uuid);
    recent_put(r->kept, &c->lines, uuid);
}

static enum bough_rc read_all(struct bough_error *err)
{
    return bough_fail(err, BOUGH_CONFLICT, "what it hangs on was read before");
}

/* Give a line that has a uuid. */
static enum bough_rc give_line(struct reading *r, struct claude *cc, struct chain *c, struct json j,
                               struct bough_error *err)
{
    struct item item = { .kind = ITEM_ENTRY };
    struct item_entry *out = &item.u.entry;
    const char *type = json_cstr(r->a, j, "type");
    bool summary = false, moved = in_response(r, c, j);
    enum bough_rc rc = BOUGH_OK;

    if (!moved && hangs_on_unknown(r, c, json_cstr(r->a, j, "parentUuid")))
        return read_all(err);
    json_bool(json_member(j, "isCompactSummary"), &summary);
    out->id = json_cstr(r->a, j, "uuid");
    out->parent = tail_of(c, moved ? c->last.is : json_cstr(r->a, j, "parentUuid"));
    out->stands_for = foreign_entry(r->a, j);
    out->entry.time = iso_parse(json_cstr(r->a, j, "timestamp"));
    rc = note_model(r, c, j, &item, err);
    if (rc)
        return rc;
    if (json_type(json_member(j, "message")) == JSON_OBJECT && !summary &&
        (cstr_eq(type, "user") || cstr_eq(type, "assistant"))) {
        rc = take_message(r, cc, c, j, moved, &out->entry, err);
    } else {
        out->entry.kind = BOUGH_ENTRY_OTHER;
        out->entry.kind_name = cstr_empty(type) ? "line" : type;
        out->entry.data = str_of(arena_printf(
            r->a, "{%s}", line_member(r, CLAUDE_LINE, own_members(r, cc, j, false, moved))));
    }
    if (!rc)
        rc = give_entry(r, &item, err);
    note_line(r, c, out->id); /* only now: its parent may point into c->last */
    return rc;
}

/* ---- compaction ---- */

/* The text of a compaction's summary. */
static struct bough_str summary_of(struct reading *r, struct json j)
{
    struct json content = json_member(json_member(j, "message"), "content");
    struct json_iter it = json_iter(content);
    struct bough_str text = { "", 0 };

    if (json_str(r->a, content, &text))
        return text;
    while (json_type(content) == JSON_ARRAY && json_next(&it))
        if (json_str(r->a, json_member(it.value, "text"), &text))
            return text;
    return text;
}

enum bough_rc claude_boundary(struct reading *r, struct claude *cc, struct chain *c,
                              struct bough_str summary, struct bough_error *err)
{
    struct item item = { .kind = ITEM_ENTRY };
    struct held *h = c->boundary;
    int64_t line = r->line;
    struct json j, about;
    struct json_writer jw;
    struct buf b;
    enum bough_rc rc;

    c->boundary = NULL;
    if (!h || json_parse(r->a, h->text, &j, NULL))
        return BOUGH_OK;
    about = json_member(j, "compactMetadata");
    item.u.entry.id = json_cstr(r->a, j, "uuid");
    item.u.entry.parent = tail_of(c, json_cstr(r->a, j, "logicalParentUuid"));
    item.u.entry.stands_for = foreign_entry(r->a, j);
    item.u.entry.entry.kind = BOUGH_ENTRY_COMPACTION;
    item.u.entry.entry.time = iso_parse(json_cstr(r->a, j, "timestamp"));
    buf_init(&b, SUMMARY_MOST);
    jw_init(&jw, &b);
    jw_obj(&jw);
    jw_kv_str(&jw, "summary", summary);
    jw_opt_cstr(&jw, "firstKeptEntryId",
                json_cstr(r->a, json_member(about, "preservedSegment"), "headUuid"));
    jw_kv_i64(&jw, "tokensBefore", number_of(about, "preTokens"));
    jw_kv_raw(&jw, CLAUDE_LINE, own_members(r, cc, j, false, false));
    jw_end_obj(&jw);
    item.u.entry.entry.data = text_keep(r->a, &b);
    buf_finish(&b);
    r->line = h->line;
    rc = give_entry(r, &item, err);
    r->line = line;
    return rc;
}

/* ---- the head ---- */

/* A line of ours that hangs on the head, or the one that makes Claude Code go on there. */
static bool is_head_line(struct reading *r, struct json j)
{
    bool named = false;

    json_bool(json_member(j, CLAUDE_HEAD), &named);
    return named || cstr_eq(json_cstr(r->a, j, "type"), CLAUDE_HEAD) ||
           cstr_eq(json_cstr(r->a, j, "subtype"), CLAUDE_HEAD);
}

static enum bough_rc give_head(struct reading *r, struct chain *c, struct json j,
                               struct bough_error *err)
{
    bool older = cstr_eq(json_cstr(r->a, j, "type"), CLAUDE_HEAD);
    const char *at = json_cstr(r->a, j, older ? "leafUuid" : "parentUuid"),
               *uuid = json_cstr(r->a, j, "uuid");
    struct item head = { .kind = ITEM_HEAD }, alias = { .kind = ITEM_ALIAS };
    enum bough_rc rc;

    if (!older && !uuid)
        return BOUGH_OK; /* it names the other line */
    if (hangs_on_unknown(r, c, at))
        return read_all(err);
    head.u.id = tail_of(c, at);
    rc = give(r, &head, err);
    if (rc || !uuid)
        return rc;
    alias.u.alias = (struct item_alias){ uuid, tail_of(c, at) };
    note_line(r, c, uuid);
    return give(r, &alias, err);
}

/* ---- lines without a uuid ---- */

static enum bough_rc give_side(struct reading *r, struct claude *cc, struct chain *c, struct json j,
                               struct bough_error *err)
{
    static const char *const titles[] = { "summary", "customTitle", "aiTitle" };
    struct item item = { .kind = ITEM_ENTRY }, title = { .kind = ITEM_TITLE };
    const char *type = json_cstr(r->a, j, "type"), *key = c->last.is ? c->last.is : "", *id;
    const char *named = json_cstr(r->a, j, "sessionId");
    bool ours = cstr_eq(named, cc->session);
    const char *const but[] = { ours ? "sessionId" : NULL, NULL };
    struct bough_str members = members_but(r->a, j, but, NULL);
    char hex[HEX_TEXT];
    int64_t *times;
    enum bough_rc rc = BOUGH_OK;

    /* The id depends only on the content and the line before it, not on earlier lines. */
    made_hex(str_of(arena_printf(r->a, "%s %.*s", key, (int)members.n, members.p)), hex);
    id = arena_printf(r->a, "side-%.16s", hex);
    times = recent_put(r->kept, &cc->seen, id);
    if (++*times > 1)
        id = arena_printf(r->a, "side-%.16s-%lld", hex, (long long)*times);
    item.u.entry.id = id;
    item.u.entry.parent = arena_strdup(r->a, tail_of(c, key));
    item.u.entry.aside = true;
    item.u.entry.entry = (struct bough_entry_new){
        .kind = BOUGH_ENTRY_OTHER,
        .kind_name = cstr_empty(type) ? "line" : type,
        .time = iso_parse(json_cstr(r->a, j, "timestamp")),
        .data = str_of(arena_printf(r->a, "{%s%s}", line_member(r, CLAUDE_SIDE, members),
                                    ours ? ",\"" CLAUDE_NAMED "\":true" : ""))
    };
    snprintf(recent_put(r->kept, &c->tails, key), RECENT_VALUE, "%s", id);
    for (size_t i = 0; i < 3 && !rc && !cc->agent; i++) {
        title.u.id = json_cstr(r->a, j, titles[i]);
        if (!cstr_empty(title.u.id))
            rc = give(r, &title, err);
    }
    return rc ? rc : give_entry(r, &item, err);
}

/* ---- dispatch ---- */

enum bough_rc claude_take(struct reading *r, struct claude *cc, struct chain *c, struct json j,
                          struct bough_error *err)
{
    const char *uuid = json_cstr(r->a, j, "uuid");
    struct bough_str summary = { "", 0 };
    struct lines one = { 0 };
    bool tells = false;
    enum bough_rc rc = BOUGH_OK;

    if (c->boundary) {
        json_bool(json_member(j, "isCompactSummary"), &tells);
        if (tells)
            summary = summary_of(r, j);
        rc = claude_boundary(r, cc, c, summary, err);
    }
    if (rc)
        return rc;
    if (is_head_line(r, j))
        return give_head(r, c, j, err);
    if (cstr_empty(uuid))
        return give_side(r, cc, c, j, err);
    if (!c->nbegins)
        note_begin(r, c);
    if (!cstr_eq(json_cstr(r->a, j, "subtype"), "compact_boundary"))
        return give_line(r, cc, c, j, err);
    if (hangs_on_unknown(r, c, json_cstr(r->a, j, "logicalParentUuid")))
        return read_all(err);
    if (!cc->side_bytes) /* no held line of a sidechain lives in this arena */
        bough_arena_reset(cc->hold);
    claude_hold(r, cc->hold, &one, json_raw(j));
    c->boundary = one.first;
    note_line(r, c, uuid);
    return BOUGH_OK;
}
