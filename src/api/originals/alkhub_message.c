/* alkhub's messages and parts, which are entries and their parts in this store. */
#include <stdio.h>
#include <string.h>

#include "api/kit/body.h"
#include "api/originals/alkhub.h"
#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/str.h"

/* The columns of alkhub's parts that ours do not have, kept inside the part. */
#define PART_ID "alkhub.id"
#define PART_METADATA "alkhub.metadata"

/* ---- writing JSON ---- */

/* Copy the members of `from` into the open object, except those listed in `but`. */
static void put_members(struct json_writer *w, struct bough_arena *a, struct json from,
                        const char *const *but)
{
    struct json_iter it = json_iter(from);
    struct bough_str key;

    while (json_type(from) == JSON_OBJECT && json_next(&it)) {
        size_t i = 0;

        while (but[i] && !json_is(it.key, but[i]))
            i++;
        if (but[i] || !json_str(a, it.key, &key))
            continue;
        jw_key_str(w, key);
        jw_raw(w, json_raw(it.value));
    }
}

static void put_tokens(struct json_writer *w, const struct bough_totals *used)
{
    double usd = (double)used->cost / 1e9;

    jw_key(w, "cost");
    jw_f64(w, usd);
    jw_key(w, "tokens");
    jw_obj(w);
    jw_kv_i64(w, "input", used->input);
    jw_kv_i64(w, "output", used->output);
    jw_kv_i64(w, "reasoning", used->reasoning);
    jw_key(w, "cache");
    jw_obj(w);
    jw_kv_i64(w, "read", used->cache_read);
    jw_kv_i64(w, "write", used->cache_write);
    jw_end_obj(w);
    jw_end_obj(w);
}

static void put_time(struct json_writer *w, const struct bough_entry *e)
{
    jw_key(w, "time");
    jw_obj(w);
    jw_kv_i64(w, "created", e->time);
    if (e->role == BOUGH_ROLE_ASSISTANT && !e->open)
        jw_kv_i64(w, "completed", e->time + e->duration);
    jw_end_obj(w);
}

static bool lacks(struct json data, const char *name)
{
    struct json found;

    return !json_get(data, name, &found);
}

/* Fill in what alkhub requires in an assistant's data and the client did not store there. */
static void put_turn(struct http_req *req, struct json_writer *w, struct bough_arena *a,
                     const struct bough_entry *e, struct json data)
{
    struct bough_call *call;

    if (e->call[0] && bough_call_get(api_of(req)->store, a, e->call, &call, NULL) == BOUGH_OK) {
        if (lacks(data, "modelID"))
            jw_kv_cstr(w, "modelID", call->model);
        if (lacks(data, "providerID"))
            jw_kv_cstr(w, "providerID", call->provider);
    }
    if (e->usage && lacks(data, "tokens") && lacks(data, "cost"))
        put_tokens(w, e->usage);
    if (lacks(data, "finish"))
        jw_opt_cstr(w, "finish", e->finish);
    if (lacks(data, "error"))
        jw_opt_raw(w, "error", e->error);
}

static void put_message_in(struct http_req *req, struct json_writer *w, struct bough_arena *a,
                           const struct bough_entry *e)
{
    static const char *const none[] = { NULL };
    struct json data = { 0 };

    if (e->data.n && json_parse(a, e->data, &data, NULL))
        data = (struct json){ 0 };
    alkhub_common(w, e->id, e->metadata, e->time, e->time);
    jw_kv_cstr(w, "sessionId", e->session);
    jw_kv_cstr(w, "role", bough_role_name(e->role));
    jw_key(w, "data");
    jw_obj(w);
    if (lacks(data, "time"))
        put_time(w, e);
    if (e->role == BOUGH_ROLE_ASSISTANT)
        put_turn(req, w, a, e, data);
    put_members(w, a, data, none);
    jw_end_obj(w);
}

/* A part's type: the word of a type that we do not know. */
static const char *type_word(struct bough_arena *a, const struct bough_part *part)
{
    const char *word = NULL;
    struct json j;

    if (part->type == BOUGH_PART_OTHER && json_parse(a, part->json, &j, NULL) == BOUGH_OK)
        word = json_cstr(a, j, "type");
    return cstr_empty(word) ? bough_part_type_name(part->type) : word;
}

static void put_part(struct json_writer *w, struct bough_arena *a, const struct bough_entry *e,
                     size_t i)
{
    static const char *const but[] = { "type", PART_ID, PART_METADATA, NULL };
    char id[BOUGH_PART_ID_LEN + 1];
    const char *given;
    struct json part;

    if (json_parse(a, e->parts[i].json, &part, NULL))
        part = (struct json){ 0 };
    given = json_cstr(a, part, PART_ID);
    snprintf(id, sizeof id, "%s.%04x", e->id, (unsigned)i & 0xffff);
    jw_obj(w);
    alkhub_common(w, cstr_empty(given) ? id : given, json_raw(json_member(part, PART_METADATA)),
                  e->time, e->time);
    jw_kv_cstr(w, "messageId", e->id);
    jw_kv_cstr(w, "sessionId", e->session);
    jw_kv_cstr(w, "type", type_word(a, &e->parts[i]));
    jw_key(w, "data");
    jw_obj(w);
    put_members(w, a, part, but);
    jw_end_obj(w);
    jw_end_obj(w);
}

static void put_parts(struct json_writer *w, struct bough_arena *a, const struct bough_entry *e,
                      const char *type)
{
    for (size_t i = 0; i < e->nparts; i++)
        if (!type || strcmp(type, type_word(a, &e->parts[i])) == 0)
            put_part(w, a, e, i);
}

/* ---- reading ---- */

enum what { MESSAGES, PARTS };

/* A page is counted in messages, also when their parts are listed. */
static enum bough_rc read_page(struct http_req *req, struct http_res *res, enum what what,
                               const char *type, struct bough_error *err)
{
    struct bough_entries_read_options how = { .what = BOUGH_ENTRIES_PATH, .messages = true };
    struct bough_session *s;
    struct json_writer *w;
    struct api_page page;
    struct bough_entries_read_result got;
    enum bough_rc rc = api_session(req, &s, err);

    if (!rc)
        rc = api_page(req, &page, err);
    if (rc)
        return rc;
    how.limit = page.limit;
    how.cursor = page.cursor;
    how.tool = type && strcmp(type, "tool") == 0;
    rc = bough_entries_read(api_of(req)->store, req->arena, s->id, &how, &got, err);
    if (rc)
        return rc;
    w = api_items(res);
    for (size_t i = 0; i < got.entries.n; i++) {
        const struct bough_entry *e = &got.entries.at[i];

        if (what == PARTS) {
            put_parts(w, req->arena, e, type);
        } else {
            jw_obj(w);
            put_message_in(req, w, req->arena, e);
            jw_end_obj(w);
        }
        http_spill(res);
    }
    api_items_end(w, got.entries.next);
    return BOUGH_OK;
}

static enum bough_rc messages(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    return read_page(req, res, MESSAGES, NULL, err);
}

static enum bough_rc parts(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    const char *type = http_query(req, "type");

    return read_page(req, res, PARTS, type && *type ? type : NULL, err);
}

static void answer(struct http_req *req, struct http_res *res, int status,
                   const struct bough_entry *e)
{
    struct json_writer *w = http_json(res, status);

    jw_obj(w);
    put_message_in(req, w, req->arena, e);
    jw_key(w, "parts");
    jw_arr(w);
    put_parts(w, req->arena, e, NULL);
    jw_end_arr(w);
    jw_end_obj(w);
}

static enum bough_rc message(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    const char *id = http_param(req, "message");
    struct bough_session *s;
    struct bough_entry *e;
    enum bough_rc rc = api_session(req, &s, err);

    if (rc)
        return rc;
    rc = bough_entry_get(api_of(req)->store, req->arena, s->id, id, &e, err);
    if (rc == BOUGH_INVALID || rc == BOUGH_NOT_FOUND || (!rc && e->deleted))
        return bough_fail(err, BOUGH_NOT_FOUND, "no message %.60s in this session", id);
    if (!rc)
        answer(req, res, 200, e);
    return rc;
}

/* ---- writing ---- */

/* Turn {"type", "data", "id", "metadata"} into a part of ours: the members of data beside the type.
 */
static struct bough_str part_of(struct bough_arena *a, struct json row)
{
    static const char *const but[] = { "type", NULL };
    struct bough_str out;
    struct json_writer w;
    struct buf b;

    buf_init(&b, LIMIT_MESSAGE_BYTES);
    jw_init(&w, &b);
    jw_obj(&w);
    jw_kv_cstr(&w, "type", json_cstr(a, row, "type"));
    put_members(&w, a, json_member(row, "data"), but);
    if (json_type(json_member(row, "id")) == JSON_STRING)
        jw_kv_raw(&w, PART_ID, json_raw(json_member(row, "id")));
    if (json_type(json_member(row, "metadata")) == JSON_OBJECT)
        jw_kv_raw(&w, PART_METADATA, json_raw(json_member(row, "metadata")));
    jw_end_obj(&w);
    out = str_make(arena_strndup(a, b.p, b.n), b.n);
    buf_finish(&b);
    return out;
}

/* Members of a part's row that could not be given back are refused. */
static enum bough_rc check_part(struct bough_arena *a, struct json row, struct bough_error *err)
{
    static const char *const known[] = { "type", "data", "id", "metadata", NULL };
    static const char *const given[] = { "messageId", "sessionId", "createdAt", "updatedAt", NULL };
    struct json_iter it = json_iter(row);
    struct bough_str key = { "", 0 };

    while (json_next(&it)) {
        size_t i = 0, k = 0;

        while (known[i] && !json_is(it.key, known[i]))
            i++;
        while (given[k] && !json_is(it.key, given[k]))
            k++;
        if (known[i] || given[k])
            continue;
        json_str(a, it.key, &key);
        return bough_fail(err, BOUGH_INVALID, "a part has no member %.40s", key.p);
    }
    return BOUGH_OK;
}

static enum bough_rc read_parts(struct http_req *req, struct json list, struct bough_entry_new *e,
                                struct bough_error *err)
{
    struct bough_str *spans = arena_array(req->arena, json_count(list) + 1, sizeof *spans);
    struct json_iter it = json_iter(list);
    enum bough_rc rc;

    if (json_type(list) != JSON_ARRAY)
        return bough_fail(err, BOUGH_INVALID, "parts must be a list");
    while (json_next(&it)) {
        if (json_type(json_member(it.value, "type")) != JSON_STRING ||
            json_type(json_member(it.value, "data")) != JSON_OBJECT)
            return bough_fail(err, BOUGH_INVALID, "a part must have a type and data");
        rc = check_part(req->arena, it.value, err);
        if (rc)
            return rc;
        spans[e->nparts++] = part_of(req->arena, it.value);
    }
    e->parts = spans;
    return BOUGH_OK;
}

struct turn {
    const char *model, *provider;
    struct bough_totals used;
    struct json tokens, cache;
};

/* A turn's tokens and cost count towards the totals of the session; its call is by this model. */
static enum bough_rc read_turn(struct http_req *req, struct bough_entry_new *e,
                               struct bough_error *err)
{
    static const struct api_member members[] = {
        { "modelID", API_TEXT, offsetof(struct turn, model) },
        { "providerID", API_TEXT, offsetof(struct turn, provider) },
        { "cost", API_USD, offsetof(struct turn, used.cost) },
        { "tokens", API_OBJECT, offsetof(struct turn, tokens) },
        { 0 },
    };
    static const struct api_member token_members[] = {
        { "input", API_INT, offsetof(struct turn, used.input) },
        { "output", API_INT, offsetof(struct turn, used.output) },
        { "reasoning", API_INT, offsetof(struct turn, used.reasoning) },
        { "cache", API_OBJECT, offsetof(struct turn, cache) },
        { 0 },
    };
    static const struct api_member cache_members[] = {
        { "read", API_INT, offsetof(struct turn, used.cache_read) },
        { "write", API_INT, offsetof(struct turn, used.cache_write) },
        { 0 },
    };
    struct turn *turn = arena_zalloc(req->arena, sizeof *turn);
    struct json data = { 0 };
    enum bough_rc rc = e->data.n ? json_parse(req->arena, e->data, &data, err) : BOUGH_OK;

    if (!rc && e->data.n)
        rc = api_read(req, data, NULL, members, turn, err);
    if (!rc && turn->tokens.doc)
        rc = api_read(req, turn->tokens, NULL, token_members, turn, err);
    if (!rc && turn->cache.doc)
        rc = api_read(req, turn->cache, NULL, cache_members, turn, err);
    if (!rc && (cstr_empty(turn->model) || cstr_empty(turn->provider)))
        return bough_fail(err, BOUGH_INVALID,
                          "data of an assistant's message must have modelID and providerID");
    if (turn->tokens.doc || turn->used.cost)
        e->usage = &turn->used;
    e->call_model = turn->model;
    e->call_provider = turn->provider;
    return rc;
}

struct message {
    const char *role, *owner;
    struct bough_str data, metadata;
    struct json parts;
};

static enum bough_rc read_message(struct http_req *req, struct bough_entry_new *e,
                                  const char **owner, struct bough_error *err)
{
    static const struct api_member members[] = {
        { "role", API_TEXT, offsetof(struct message, role) },
        { "data", API_MAP, offsetof(struct message, data) },
        { "metadata", API_MAP, offsetof(struct message, metadata) },
        { "parts", API_LIST, offsetof(struct message, parts) },
        { "owner", API_TEXT, offsetof(struct message, owner) },
        { 0 },
    };
    struct message m = { .role = "" };
    enum bough_rc rc = api_body(req, members, &m, err);

    if (rc)
        return rc;
    *owner = m.owner;
    e->data = m.data;
    e->metadata = m.metadata;
    e->role = bough_role_parse(m.role);
    if ((e->role != BOUGH_ROLE_USER && e->role != BOUGH_ROLE_ASSISTANT &&
         e->role != BOUGH_ROLE_SYSTEM) ||
        strcmp(m.role, bough_role_name(e->role)) != 0)
        return bough_fail(err, BOUGH_INVALID, "role must be user, assistant or system");
    rc = read_parts(req, m.parts, e, err);
    if (!rc && e->role == BOUGH_ROLE_ASSISTANT)
        rc = read_turn(req, e, err);
    return rc;
}

static enum bough_rc add(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_store *store = api_of(req)->store;
    struct bough_entry_new e = { 0 };
    struct bough_append_options in = { .entries = &e, .n = 1, .key = api_of(req)->key };
    struct bough_append_result out;
    struct bough_entry *made;
    struct bough_session *s;
    enum bough_rc rc = api_session(req, &s, err);

    if (!rc)
        rc = read_message(req, &e, &in.owner, err);
    /* The lease of a PATCH without owner is the caller's; see alkhub.c. */
    if (!rc && !in.owner && s->lease && strcmp(s->lease->owner, api_of(req)->who->name) == 0)
        in.owner = s->lease->owner;
    if (!rc)
        rc = bough_append(store, req->arena, s->id, &in, &out, err);
    if (rc == BOUGH_BUSY || rc == BOUGH_LEASE_LOST)
        api_busy(req, res, s->id);
    if (!rc)
        rc = bough_entry_get(store, req->arena, NULL, out.ids[0], &made, err);
    if (!rc)
        answer(req, res, 201, made);
    return rc;
}

static const struct http_field parts_query[] = {
    { "type", HTTP_STRING, "Only parts of this type: text, reasoning, tool, file, ..." },
    API_PAGE_FIELDS,
    { 0 },
};

const struct http_route api_alkhub_message_routes[] = {
    { "GET", "/alkhub/v1/sessions/{id}/messages", messages, AUTH_READ,
      "alkhub: list the messages of a session in order, without their parts.", api_page_query,
      .gives = "AlkhubMessages" },
    { "POST", "/alkhub/v1/sessions/{id}/messages", add, AUTH_APPEND,
      "alkhub: add a message with its parts, atomically.", .takes = "AlkhubMessageNew",
      .gives = "AlkhubMessage", .status = 201, .flags = HTTP_KEYED },
    { "GET", "/alkhub/v1/sessions/{id}/messages/{message}", message, AUTH_READ,
      "alkhub: get a message with its parts.", .gives = "AlkhubMessage" },
    { "GET", "/alkhub/v1/sessions/{id}/parts", parts, AUTH_READ,
      "alkhub: list the parts of a session in order, all or of one type. The page size counts "
      "messages.",
      parts_query, .gives = "AlkhubParts" },
    { 0 },
};
