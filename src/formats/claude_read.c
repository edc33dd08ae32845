/* Claude Code's session files, in: a tree of lines by uuid, and lines between them without one. */
#include "formats/claude.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/iso.h"
#include "base/str.h"
#include "core/context.h"
#include "core/text.h"
#include "formats/names.h"

enum { HOLD_LINES = 256, HOLD_BYTES = 8 * 1024 * 1024 };

/* A line that waits. */
struct held {
    struct held *next;
    struct bough_str text;
    int64_t line;
};

struct lines {
    struct held *first, **end;
    size_t n, bytes;
};

/* One conversation of a file: the main one, or a sidechain. */
struct chain {
    struct chain *next;
    const char *key;      /* of a sidechain: its agent's id, or the uuid of its root */
    const char *last;     /* uuid of its last line that has one */
    const char *model;    /* that answered last */
    struct names tails;   /* uuid -> id of what stands behind it; "" before the first one */
    struct names usage;   /* id of a response -> what was counted of it */
    const char *response; /* id of the last response, and its lines with their results so far */
    struct names group;
    struct held *boundary; /* a compaction that waits for its summary */
    struct lines waiting;  /* of a sidechain: given after the main one */
    bool begun;
};

struct claude {
    const char *session; /* sessionId */
    const char *agent;   /* the file is a sub-agent's */
    struct lines leading;
    struct chain main, *sides;
    struct names members; /* uuid of a sidechain's line -> its key */
    struct names seen;    /* ids of lines without a uuid */
    size_t side_bytes;
};

bool claude_detect(struct bough_str first)
{
    struct bough_str line = first_line(first);

    if (str_starts(line, "{\"parentUuid\":"))
        return true;
    if (!str_starts(line, "{") || text_has(line, "\"payload\":"))
        return false;
    return text_has(line, "\"sessionId\":") || text_has(line, "\"parentUuid\":") ||
           text_has(line, "\"type\":\"summary\"") ||
           text_has(line, "\"type\":\"file-history-snapshot\"");
}

static void hold(struct reading *r, struct lines *l, struct bough_str text)
{
    struct held *h = arena_zalloc(r->kept, sizeof *h);

    h->text = str_make(arena_strndup(r->kept, text.p, text.n), text.n);
    h->line = r->line;
    if (!l->end)
        l->end = &l->first;
    *l->end = h;
    l->end = &h->next;
    l->n++;
    l->bytes += text.n;
}

/* ---- what a line becomes ---- */

static const char *tail_of(const struct chain *c, const char *uuid)
{
    const char *tail = names_get(&c->tails, uuid ? uuid : "");

    return tail ? tail : cstr_empty(uuid) ? NULL : uuid;
}

/* The line's own members: without what the entry says itself. */
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

static bool spent(const struct bough_totals *t)
{
    return t->input || t->output || t->cache_read || t->cache_write || t->cost;
}

static int64_t more(int64_t now, int64_t before)
{
    return now > before ? now - before : 0;
}

/* A response is a line a block, each with the usage so far: it is counted once, and what a later
 * line has more is a call of its own. */
static enum bough_rc take_usage(struct reading *r, struct chain *c, struct json j,
                                struct bough_entry_new *e, struct bough_error *err)
{
    struct json message = json_member(j, "message");
    const char *id = json_cstr(r->a, message, "id"), *before;
    struct bough_totals now = usage_of(json_member(message, "usage")), old = { 0 };
    struct item call = { .kind = ITEM_CALL };
    long long in = 0, out = 0, read = 0, write = 0;

    if (json_type(json_member(message, "usage")) != JSON_OBJECT)
        return BOUGH_OK;
    now.cost = cost_of(json_member(j, "costUSD"));
    before = names_get(&c->usage, id);
    if (id)
        names_put(r->kept, &c->usage, id,
                  arena_printf(r->a, "%lld %lld %lld %lld", (long long)now.input,
                               (long long)now.output, (long long)now.cache_read,
                               (long long)now.cache_write));
    if (!before) {
        e->has_usage = spent(&now);
        e->usage = now;
        e->call_provider = "anthropic";
        e->call_model = json_cstr(r->a, message, "model");
        e->call_request_id = id;
        return BOUGH_OK;
    }
    if (sscanf(before, "%lld %lld %lld %lld", &in, &out, &read, &write) != 4)
        return BOUGH_OK;
    old = (struct bough_totals){ .input = in, .output = out };
    now = (struct bough_totals){ .input = more(now.input, old.input),
                                 .output = more(now.output, old.output),
                                 .cache_read = more(now.cache_read, read),
                                 .cache_write = more(now.cache_write, write) };
    call.u.call.call = (struct bough_call_new){ .request_id = id,
                                                .provider = "anthropic",
                                                .model = json_cstr(r->a, message, "model"),
                                                .used = now,
                                                .time = e->time };
    return spent(&now) ? give(r, &call, err) : BOUGH_OK;
}

/* A message of results alone is a tool's, whatever its role is called. */
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

/* A model that was not the last one to answer. */
static enum bough_rc note_model(struct reading *r, struct chain *c, struct json j,
                                struct item *item, struct bough_error *err)
{
    const char *model = json_cstr(r->a, json_member(j, "message"), "model");
    struct item change = { .kind = ITEM_ENTRY };
    struct buf b;
    struct json_writer jw;
    enum bough_rc rc;

    if (!cstr_eq(json_cstr(r->a, j, "type"), "assistant") || cstr_empty(model) || model[0] == '<' ||
        cstr_eq(model, c->model))
        return BOUGH_OK;
    c->model = arena_strdup(r->kept, model);
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

/* A user's line that is nothing but results. */
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

/*
 * Calls made at once are a line each, and each result hangs on its own call: read as a tree, all
 * but one of the results would be on no path. The lines of a response and its results follow each
 * other as they stand. True: it hangs on another line than it says.
 */
static bool in_response(struct reading *r, struct chain *c, struct json j)
{
    const char *id = json_cstr(r->a, json_member(j, "message"), "id"),
               *parent = json_cstr(r->a, j, "parentUuid"), *type = json_cstr(r->a, j, "type");
    bool goes_on = cstr_eq(type, "assistant") ? id && cstr_eq(id, c->response) : is_result(r, j);
    bool moved = goes_on && parent && !cstr_eq(parent, c->last) && names_get(&c->group, parent);

    if (cstr_eq(type, "assistant") && !goes_on) {
        c->response = arena_strdup(r->kept, id);
        names_clear(&c->group);
    }
    if (c->response && (goes_on || cstr_eq(type, "assistant")))
        names_put(r->kept, &c->group, json_cstr(r->a, j, "uuid"), "");
    return moved;
}

/* A line with a uuid. */
static enum bough_rc give_line(struct reading *r, struct claude *cc, struct chain *c, struct json j,
                               struct bough_error *err)
{
    struct item item = { .kind = ITEM_ENTRY };
    struct item_entry *out = &item.u.entry;
    const char *type = json_cstr(r->a, j, "type");
    bool summary = false, moved = in_response(r, c, j);
    enum bough_rc rc = BOUGH_OK;

    json_bool(json_member(j, "isCompactSummary"), &summary);
    out->id = json_cstr(r->a, j, "uuid");
    out->parent = tail_of(c, moved ? c->last : json_cstr(r->a, j, "parentUuid"));
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
    c->last = arena_strdup(r->kept, out->id);
    return rc ? rc : give_entry(r, &item, err);
}

/* ---- compaction ---- */

/* The text of the line that tells what was so far. */
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

static enum bough_rc give_boundary(struct reading *r, struct claude *cc, struct chain *c,
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
    item.u.entry.entry.kind = BOUGH_ENTRY_COMPACTION;
    item.u.entry.entry.time = iso_parse(json_cstr(r->a, j, "timestamp"));
    buf_init(&b, HOLD_BYTES * 8);
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

/* ---- lines without a uuid ---- */

static enum bough_rc give_side(struct reading *r, struct claude *cc, struct chain *c, struct json j,
                               struct bough_error *err)
{
    static const char *const titles[] = { "summary", "customTitle", "aiTitle" };
    struct item item = { .kind = ITEM_ENTRY }, title = { .kind = ITEM_TITLE };
    const char *type = json_cstr(r->a, j, "type"), *key = c->last ? c->last : "", *id;
    const char *named = json_cstr(r->a, j, "sessionId");
    bool ours = cstr_eq(named, cc->session);
    const char *const but[] = { ours ? "sessionId" : NULL, NULL };
    struct bough_str members = members_but(r->a, j, but, NULL);
    char hex[HEX_TEXT];
    enum bough_rc rc = BOUGH_OK;

    if (cstr_eq(type, CLAUDE_HEAD)) {
        item.kind = ITEM_HEAD;
        item.u.id = tail_of(c, json_cstr(r->a, j, "leafUuid"));
        return give(r, &item, err);
    }
    made_hex(members, hex);
    id = arena_printf(r->a, "side-%.16s", hex);
    for (int n = 2; names_get(&cc->seen, id); n++)
        id = arena_printf(r->a, "side-%.16s-%d", hex, n);
    names_put(r->kept, &cc->seen, id, "");
    item.u.entry.id = id;
    item.u.entry.parent = tail_of(c, key);
    item.u.entry.aside = true;
    item.u.entry.entry = (struct bough_entry_new){
        .kind = BOUGH_ENTRY_OTHER,
        .kind_name = cstr_empty(type) ? "line" : type,
        .time = iso_parse(json_cstr(r->a, j, "timestamp")),
        .data = str_of(arena_printf(r->a, "{%s%s}", line_member(r, CLAUDE_SIDE, members),
                                    ours ? ",\"" CLAUDE_NAMED "\":true" : ""))
    };
    names_put(r->kept, &c->tails, key, id);
    for (size_t i = 0; i < 3 && !rc && !cc->agent; i++) {
        title.u.id = json_cstr(r->a, j, titles[i]);
        if (!cstr_empty(title.u.id))
            rc = give(r, &title, err);
    }
    return rc ? rc : give_entry(r, &item, err);
}

/* ---- one line of one conversation ---- */

static enum bough_rc take_line(struct reading *r, struct claude *cc, struct chain *c, struct json j,
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
        rc = give_boundary(r, cc, c, summary, err);
    }
    if (rc)
        return rc;
    if (cstr_empty(uuid))
        return give_side(r, cc, c, j, err);
    if (cstr_eq(json_cstr(r->a, j, "subtype"), "compact_boundary")) {
        hold(r, &one, json_raw(j));
        c->boundary = one.first;
        c->last = arena_strdup(r->kept, uuid);
        return BOUGH_OK;
    }
    return give_line(r, cc, c, j, err);
}

/* ---- sessions ---- */

static enum bough_rc give_session(struct reading *r, struct claude *cc, struct chain *c,
                                  struct json j, struct bough_error *err)
{
    struct item item = { .kind = ITEM_SESSION };
    struct item_session *s = &item.u.session;
    const char *key = c == &cc->main ? cc->agent : c->key;

    s->id = key ? arena_printf(r->a, "%s/%s", cc->session, key) : cc->session;
    s->parent = key ? cc->session : NULL;
    s->subagent = key != NULL;
    s->spawned_by = NULL;
    s->inherits = s->finds_parent = !key;
    s->project = json_cstr(r->a, j, "cwd");
    s->created = iso_parse(json_cstr(r->a, j, "timestamp"));
    s->provider_path = "claude-code";
    c->begun = true;
    return give(r, &item, err);
}

/* All lines that waited, in their order. */
static enum bough_rc give_held(struct reading *r, struct claude *cc, struct chain *c,
                               struct lines *l, struct bough_error *err)
{
    int64_t line = r->line;
    enum bough_rc rc = BOUGH_OK;
    struct json j;

    for (struct held *h = l->first; h && !rc; h = h->next) {
        r->line = h->line;
        if (json_parse(r->a, h->text, &j, NULL) == BOUGH_OK)
            rc = take_line(r, cc, c, j, err);
    }
    *l = (struct lines){ 0 };
    r->line = line;
    return rc;
}

static enum bough_rc give_sides(struct reading *r, struct claude *cc, struct bough_error *err)
{
    enum bough_rc rc = give_boundary(r, cc, &cc->main, str_of(""), err);

    for (struct chain *c = cc->sides; c && !rc; c = c->next) {
        struct json j = { 0 };

        if (!c->waiting.first || json_parse(r->a, c->waiting.first->text, &j, NULL))
            continue;
        rc = give_session(r, cc, c, j, err);
        if (!rc)
            rc = give_held(r, cc, c, &c->waiting, err);
        if (!rc)
            rc = give_boundary(r, cc, c, str_of(""), err);
    }
    cc->side_bytes = 0;
    return rc;
}

/* Begin with what is known now. */
static enum bough_rc begin(struct reading *r, struct claude *cc, struct json j,
                           struct bough_error *err)
{
    bool side = false;
    enum bough_rc rc;

    json_bool(json_member(j, "isSidechain"), &side);
    if (side && json_cstr(r->a, j, "agentId"))
        cc->agent = arena_strdup(r->kept, json_cstr(r->a, j, "agentId"));
    rc = give_session(r, cc, &cc->main, j, err);
    return rc ? rc : give_held(r, cc, &cc->main, &cc->leading, err);
}

/* The sidechain a line belongs to, or NULL for the main conversation. */
static struct chain *side_of(struct reading *r, struct claude *cc, struct json j)
{
    const char *key = json_cstr(r->a, j, "agentId"), *uuid = json_cstr(r->a, j, "uuid");
    struct chain **at = &cc->sides;
    bool side = false;

    json_bool(json_member(j, "isSidechain"), &side);
    if (!side || cstr_empty(uuid) || cc->agent)
        return NULL;
    if (!key)
        key = names_get(&cc->members, json_cstr(r->a, j, "parentUuid"));
    if (!key)
        key = uuid;
    names_put(r->kept, &cc->members, uuid, key);
    while (*at && !cstr_eq((*at)->key, key))
        at = &(*at)->next;
    if (!*at) {
        *at = arena_zalloc(r->kept, sizeof **at);
        (*at)->key = arena_strdup(r->kept, key);
    }
    return *at;
}

static enum bough_rc take_side(struct reading *r, struct claude *cc, struct chain *c, struct json j,
                               struct bough_error *err)
{
    enum bough_rc rc = BOUGH_OK;

    hold(r, &c->waiting, json_raw(j));
    cc->side_bytes += json_raw(j).n;
    if (cc->side_bytes < HOLD_BYTES)
        return BOUGH_OK;
    rc = give_sides(r, cc, err);
    return rc ? rc : give_session(r, cc, &cc->main, j, err);
}

enum bough_rc claude_line(struct reading *r, struct bough_str line, struct bough_error *err)
{
    struct claude *cc = r->state ? r->state : arena_zalloc(r->kept, sizeof *cc);
    const char *session;
    struct chain *side;
    struct json j;
    bool full;
    enum bough_rc rc;

    r->state = cc;
    if (!line_object(r, line, &j, &rc, err))
        return rc;
    session = json_cstr(r->a, j, "sessionId");
    if (!cc->session && !cstr_empty(session))
        cc->session = arena_strdup(r->kept, session);
    full = cc->leading.n >= HOLD_LINES || cc->leading.bytes >= HOLD_BYTES;
    if (full && !cc->session)
        return bough_fail(err, BOUGH_INVALID, "no line names a session");
    if (!cc->main.begun && !full && (!cc->session || !json_cstr(r->a, j, "uuid"))) {
        hold(r, &cc->leading, json_raw(j));
        return BOUGH_OK;
    }
    if (!cc->main.begun)
        rc = begin(r, cc, j, err);
    if (rc)
        return rc;
    side = side_of(r, cc, j);
    return side ? take_side(r, cc, side, j, err) : take_line(r, cc, &cc->main, j, err);
}

enum bough_rc claude_end(struct reading *r, struct bough_error *err)
{
    struct claude *cc = r->state;
    struct json none = { 0 };
    enum bough_rc rc = BOUGH_OK;

    if (!cc || !cc->session)
        return bough_fail(err, BOUGH_INVALID, "there is no line of a Claude Code session in it");
    if (!cc->main.begun)
        rc = begin(r, cc, none, err);
    return rc ? rc : give_sides(r, cc, err);
}
