/* Codex's rollout files, reader: a header, then a sequence of lines. */
#include "formats/codex/codex.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/hash/hash.h"
#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/iso.h"
#include "base/text/str.h"
#include "core/model/text.h"
#include "core/model/totals.h"
#include "core/price/price.h"
#include "formats/common/foreign.h"
#include "formats/common/names.h"

enum { RECENT = 512 }; /* items that a compaction may keep */

struct codex {
    const char *session;
    const char *from; /* the session it was forked from or spawned by, or NULL */
    const char *provider, *model;
    const char *last; /* id of the previous line, or NULL */
    char last_text[LIMIT_ID];
    int64_t n;                 /* lines after the header */
    bool records;              /* usage comes as a record per response */
    struct bough_totals total; /* otherwise as running totals: the last one seen */
    struct codex_item {        /* the newest items, in a ring */
        uint64_t hash;
        char id[LIMIT_ID];
    } * items;
    size_t nitems; /* so far */
};

bool codex_detect(struct bough_str first)
{
    struct bough_str line = first_line(first);

    return str_starts(line, "{") && text_has(line, "\"session_meta\"") &&
           text_has(line, "\"payload\"");
}

/* ---- the header ---- */

/* The session whose thread spawned this one, or NULL. */
static const char *spawner(struct reading *r, struct json meta)
{
    struct json agent = json_member(json_member(meta, "source"), "subagent");
    const char *id = json_cstr(r->a, json_member(agent, "thread_spawn"), "parent_thread_id");

    return id ? id : json_cstr(r->a, meta, "parent_thread_id");
}

static void take_fork(struct reading *r, struct codex *cx, struct json meta, struct item_session *s)
{
    const char *from = json_cstr(r->a, meta, "forked_from_id");
    int64_t end = 0;

    if (cstr_empty(from) || !json_i64(json_member(meta, "forked_from_ordinal_exclusive"), &end))
        return;
    s->parent = from;
    if (end > 1)
        s->fork_entry = arena_printf(r->kept, "%s/%lld", from, (long long)end - 1);
    cx->last = s->fork_entry;
}

static enum bough_rc read_meta(struct reading *r, struct codex *cx, struct json j,
                               struct bough_error *err)
{
    struct item item = { .kind = ITEM_SESSION };
    struct item_session *s = &item.u.session;
    struct json meta = json_member(j, "payload");

    s->id = json_cstr(r->a, meta, "id");
    if (cstr_empty(s->id))
        return bough_fail(err, BOUGH_INVALID, "line %lld is not the header of a Codex session",
                          (long long)r->line);
    cx->session = arena_strdup(r->kept, s->id);
    r->first = (struct line_place){ r->at, r->line };
    cx->provider = arena_strdup(r->kept, json_cstr(r->a, meta, "model_provider"));
    s->project = json_cstr(r->a, meta, "cwd");
    s->created = iso_parse(json_cstr(r->a, meta, "timestamp"));
    s->model_provider = cx->provider;
    s->provider_path = "codex";
    s->system_prompt = json_cstr(r->a, json_member(meta, "base_instructions"), "text");
    s->parent = spawner(r, meta);
    s->subagent = s->parent != NULL;
    s->data = json_raw(j);
    s->exported_from = foreign_session(r->a, meta, s->id, &s->copy);
    if (!s->parent)
        take_fork(r, cx, meta, s);
    cx->from = json_cstr(r->a, meta, "forked_from_id");
    cx->from = arena_strdup(r->kept, cx->from ? cx->from : s->parent);
    return give(r, &item, err);
}

/* A resumed session repeats its header, and a fork has that of the session it copies. The header of
 * any other session is reported; its lines stay in this one, as Codex reads them. */
static enum bough_rc tell_other(struct reading *r, const struct codex *cx, struct json meta,
                                struct bough_error *err)
{
    const char *id = json_cstr(r->a, meta, "id");

    if (cstr_empty(id) || cstr_eq(id, cx->session) || cstr_eq(id, cx->from))
        return BOUGH_OK;
    return give_problem(r, err,
                        "it is the header of another session, %.100s: its lines are kept in this "
                        "one",
                        id);
}

/* ---- usage ---- */

static struct bough_totals usage_of(struct json u)
{
    int64_t in = number_of(u, "input_tokens"), cached = number_of(u, "cached_input_tokens");

    return (struct bough_totals){ .input = in > cached ? in - cached : 0,
                                  .output = number_of(u, "output_tokens"),
                                  .reasoning = number_of(u, "reasoning_output_tokens"),
                                  .cache_read = cached,
                                  .cache_write = number_of(u, "cache_write_input_tokens") };
}

static bool any(const struct bough_totals *t)
{
    return t->input || t->output || t->cache_read || t->cache_write;
}

/* The difference of two running totals; the whole when the counter restarted. */
static struct bough_totals since(const struct bough_totals *now, const struct bough_totals *old)
{
    if (now->input < old->input || now->output < old->output || now->cache_read < old->cache_read)
        return *now;
    return (struct bough_totals){
        .input = now->input - old->input,
        .output = now->output - old->output,
        .reasoning = now->reasoning > old->reasoning ? now->reasoning - old->reasoning : 0,
        .cache_read = now->cache_read - old->cache_read,
        .cache_write = now->cache_write > old->cache_write ? now->cache_write - old->cache_write : 0
    };
}

/* Usage is reported twice, per response and as running totals. Count it once. */
static void take_usage(struct reading *r, struct codex *cx, const char *type, struct json payload,
                       struct bough_entry_new *e)
{
    struct bough_totals now, used = { 0 };

    if (cstr_eq(type, "token_usage_record")) {
        cx->records = true;
        used = usage_of(json_member(payload, "usage"));
        e->call_request_id = json_cstr(r->a, payload, "response_id");
    } else if (cstr_eq(json_cstr(r->a, payload, "type"), "token_count") && !cx->records) {
        now = usage_of(json_member(json_member(payload, "info"), "total_token_usage"));
        if (!any(&now))
            return;
        used = since(&now, &cx->total);
        cx->total = now;
    }
    e->call_provider = cx->provider;
    e->call_model = cx->model;
    if (any(&used)) {
        struct answered who = { .provider = cx->provider, .model = cx->model, .time = e->time };
        struct usage u = usage_of_totals(&used);

        e->call_cost_source = price_usage(r, &who, &u, &used);
        e->usage = totals_keep(r->a, &used);
    }
}

/* ---- lines ---- */

/* The members of the line that the entry does not hold. `payload`: leave out the payload, too. */
static const char *line_members(struct reading *r, struct json j, bool payload)
{
    const char *but[4] = { payload ? "payload" : NULL };
    const char *stamp = json_cstr(r->a, j, "timestamp");
    size_t n = payload ? 1 : 0;
    struct bough_str raw;
    char again[ISO_TEXT];

    iso_print(iso_parse(stamp), again);
    if (cstr_eq(stamp, again))
        but[n++] = "timestamp";
    raw = members_but(r->a, j, but, NULL);
    return arena_printf(r->a, "\"" CODEX_LINE "\":%.*s", raw.n ? (int)raw.n : 2,
                        raw.n ? raw.p : "{}");
}

static enum bough_role role_of(const char *word)
{
    return cstr_eq(word, "developer") ? BOUGH_ROLE_SYSTEM : bough_role_parse(word);
}

static bool is_output(const char *type)
{
    size_t n = type ? strlen(type) : 0;

    return n > 7 && strcmp(type + n - 7, "_output") == 0;
}

static void take_item(struct reading *r, struct json j, struct json payload,
                      struct bough_entry_new *e)
{
    const char *type = json_cstr(r->a, payload, "type");
    struct bough_str *part;

    e->kind = BOUGH_ENTRY_MESSAGE;
    if (cstr_eq(type, "message")) {
        e->role = role_of(json_cstr(r->a, payload, "role"));
        e->data = message_data(r, payload, e, line_members(r, j, true));
        return;
    }
    part = arena_alloc(r->a, sizeof *part);
    *part = json_raw(payload);
    e->parts = part;
    e->nparts = 1;
    e->role = is_output(type) ? BOUGH_ROLE_TOOL : BOUGH_ROLE_ASSISTANT;
    e->data = str_of(arena_printf(r->a, "{\"" CODEX_ITEM "\":true,%s}", line_members(r, j, true)));
}

static uint64_t item_hash(struct bough_str raw)
{
    return hash_bytes(raw.p, raw.n);
}

static void note_item(struct reading *r, struct codex *cx, struct json payload, const char *id)
{
    struct codex_item *at;

    if (!cx->items)
        cx->items = arena_array(r->kept, RECENT, sizeof *cx->items);
    at = &cx->items[cx->nitems++ % RECENT];
    at->hash = item_hash(json_raw(payload));
    snprintf(at->id, sizeof at->id, "%s", id);
}

/* The history that replaces what came before ends with the items that are kept: the id of the first
 * one, or NULL. */
static const char *first_kept(struct reading *r, const struct codex *cx, struct json payload)
{
    struct json list = json_member(payload, "replacement_history");
    struct json_iter it = json_iter(list);
    uint32_t n = json_type(list) == JSON_ARRAY ? json_count(list) : 0, i = 0, kept = 0;
    uint64_t *hashes = arena_array(r->a, n + 1, sizeof *hashes);

    while (n && json_next(&it))
        hashes[i++] = item_hash(json_raw(it.value));
    while (kept < n && kept < cx->nitems && kept < RECENT &&
           hashes[n - 1 - kept] == cx->items[(cx->nitems - 1 - kept) % RECENT].hash)
        kept++;
    return kept ? cx->items[(cx->nitems - kept) % RECENT].id : NULL;
}

/* Codex's own compactions end with the summary, a message of the user. Another last item is one
 * that is kept. */
static bool ends_in_older(struct reading *r, struct json payload)
{
    struct json list = json_member(payload, "replacement_history"), last = { 0 };
    struct json_iter it = json_iter(list);

    while (json_type(list) == JSON_ARRAY && json_next(&it))
        last = it.value;
    return json_type(last) == JSON_OBJECT && !cstr_eq(json_cstr(r->a, last, "role"), "user");
}

static void take_summary(struct reading *r, struct json j, struct json payload,
                         struct bough_entry_new *e)
{
    struct bough_str text = json_raw(json_member(payload, "message"));

    e->kind = BOUGH_ENTRY_COMPACTION;
    if (json_type(json_member(payload, "message")) != JSON_STRING)
        text = str_of("\"\"");
    e->data = str_of(arena_printf(r->a, "{\"summary\":%.*s,%s}", (int)text.n, text.p,
                                  line_members(r, j, false)));
}

/* The settings of a turn. They become a model change if the model differs. */
static void take_context(struct reading *r, struct codex *cx, struct json j, struct json payload,
                         struct bough_entry_new *e)
{
    const char *model = json_cstr(r->a, payload, "model");
    struct bough_str raw = json_raw(json_member(payload, "model"));
    struct json_writer jw;
    struct buf b;

    e->data = str_of(arena_printf(r->a, "{%s}", line_members(r, j, false)));
    if (cstr_empty(model) || cstr_eq(model, cx->model))
        return;
    cx->model = arena_strdup(r->kept, model);
    buf_init(&b, 1024 * 1024);
    jw_init(&jw, &b);
    jw_cstr(&jw, cx->provider ? cx->provider : "");
    e->kind = BOUGH_ENTRY_MODEL_CHANGE;
    e->kind_name = NULL;
    e->data = str_of(arena_printf(r->a, "{\"provider\":%s,\"modelId\":%.*s,%s}", b.p, (int)raw.n,
                                  raw.p, line_members(r, j, false)));
    buf_finish(&b);
}

static const char *line_id(struct reading *r, struct codex *cx, struct json j)
{
    int64_t ordinal;

    if (json_i64(json_member(j, "ordinal"), &ordinal))
        return arena_printf(r->a, "%s/%lld", cx->session, (long long)ordinal);
    return arena_printf(r->a, "%s/line-%lld", cx->session, (long long)cx->n);
}

static enum bough_rc give_name(struct reading *r, struct json payload, struct bough_error *err)
{
    struct item title = { .kind = ITEM_TITLE };

    title.u.id = json_cstr(r->a, payload, "thread_name");
    return cstr_empty(title.u.id) ? BOUGH_OK : give(r, &title, err);
}

static enum bough_rc read_line(struct reading *r, struct codex *cx, struct json j,
                               struct bough_error *err)
{
    struct item item = { .kind = ITEM_ENTRY };
    struct bough_entry_new *e = &item.u.entry.entry;
    const char *type = json_cstr(r->a, j, "type");
    struct json payload = json_member(j, "payload");
    bool object = json_type(payload) == JSON_OBJECT;
    enum bough_rc rc = cstr_eq(type, "session_meta") ? tell_other(r, cx, payload, err) : BOUGH_OK;

    if (rc)
        return rc;
    cx->n++;
    item.u.entry.id = line_id(r, cx, j);
    item.u.entry.parent = cx->last;
    item.u.entry.stands_for = foreign_entry(r->a, j);
    e->time = iso_parse(json_cstr(r->a, j, "timestamp"));
    e->kind = BOUGH_ENTRY_OTHER;
    e->kind_name = cstr_empty(type) ? "line" : type;
    if (object && cstr_eq(type, "response_item")) {
        take_item(r, j, payload, e);
        note_item(r, cx, payload, item.u.entry.id);
    } else if (object && cstr_eq(type, "compacted")) {
        take_summary(r, j, payload, e);
        item.u.entry.kept = first_kept(r, cx, payload);
        if (r->resumed && !item.u.entry.kept && ends_in_older(r, payload))
            return bough_fail(err, BOUGH_CONFLICT, "the items before it must be known");
    } else if (object && cstr_eq(type, "turn_context")) {
        take_context(r, cx, j, payload, e);
    } else {
        e->data = str_of(arena_printf(r->a, "{%s}", line_members(r, j, false)));
    }
    if (object)
        take_usage(r, cx, type, payload, e);
    rc = give_name(r, payload, err);
    if (!rc)
        rc = give_entry(r, &item, err);
    snprintf(cx->last_text, sizeof cx->last_text, "%s", item.u.entry.id);
    cx->last = cx->last_text;
    return rc;
}

enum bough_rc codex_line(struct reading *r, struct bough_str line, struct bough_error *err)
{
    struct codex *cx = r->state ? r->state : arena_zalloc(r->kept, sizeof *cx);
    struct json j;
    enum bough_rc rc;

    r->state = cx;
    if (!line_object(r, line, &j, &rc, err))
        return rc;
    if (!cx->session)
        return read_meta(r, cx, j, err);
    return read_line(r, cx, j, err);
}

enum bough_rc codex_end(struct reading *r, struct bough_error *err)
{
    const struct codex *cx = r->state;

    if (!cx || !cx->session)
        return bough_fail(err, BOUGH_INVALID, "there is no header of a Codex session in it");
    return BOUGH_OK;
}

/* ---- resuming ---- */

#define COUNTS "%" PRId64 " %d %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64

/* State: line count, usage so far, the last line's id, the model. */
bool codex_leave(const struct reading *r, struct buf *state)
{
    const struct codex *cx = r->state;
    const char *slash = cx && cx->session ? strrchr(cx->last_text, '/') : NULL;
    const char *model = cx && cx->model ? cx->model : "";

    if (!slash || strpbrk(slash, " \n") || strpbrk(model, "\r\n"))
        return false; /* no line after the header yet */
    buf_printf(state, COUNTS " %s %s", cx->n, (int)cx->records, cx->total.input, cx->total.output,
               cx->total.reasoning, cx->total.cache_read, cx->total.cache_write, slash + 1, model);
    return true;
}

bool codex_enter(struct reading *r, const char *state)
{
    struct codex *cx = r->state;
    char last[LIMIT_ID];
    int records, at = 0;

    _Static_assert(LIMIT_ID == 256, "as in the format below");
    if (!cx || !cx->session ||
        sscanf(state,
               "%" SCNd64 " %d %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64
               " %255s %n",
               &cx->n, &records, &cx->total.input, &cx->total.output, &cx->total.reasoning,
               &cx->total.cache_read, &cx->total.cache_write, last, &at) != 8 ||
        !at)
        return false;
    cx->records = records != 0;
    snprintf(cx->last_text, sizeof cx->last_text, "%.200s/%.50s", cx->session, last);
    cx->last = cx->last_text;
    cx->model = state[at] ? arena_strdup(r->kept, state + at) : NULL;
    return true;
}
