/* Reading JSON bodies by tables of members. */
#include "api/kit/body.h"

#include <string.h>

#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/iso.h"
#include "base/text/str.h"
#include "core/model/names.h"
#include "core/part/view.h"

/* ---- one member ---- */

static enum bough_rc wrong(const struct api_member *m, const char *type, struct bough_error *err)
{
    return bough_fail(err, BOUGH_INVALID, "%s must be %s", m->name, type);
}

static enum bough_rc read_text(struct http_req *req, const struct api_member *m, struct json value,
                               const char **out, struct bough_error *err)
{
    struct bough_str s;

    if (!json_str(req->arena, value, &s) || memchr(s.p, '\0', s.n))
        return wrong(m, "a string without NUL", err);
    *out = s.p;
    return BOUGH_OK;
}

static enum bough_rc read_when(struct http_req *req, const struct api_member *m, struct json value,
                               int64_t *out, struct bough_error *err)
{
    struct bough_str s;

    *out = 0;
    if (!json_i64(value, out) && json_str(req->arena, value, &s))
        *out = iso_parse(s.p);
    /* 0 would mean now */
    return *out > 0
               ? BOUGH_OK
               : wrong(m, "a time after 1970 in ISO 8601 or milliseconds; without it: now", err);
}

static enum bough_rc read_usd(const struct api_member *m, struct json value, int64_t *out,
                              struct bough_error *err)
{
    double usd;

    return json_f64(value, &usd) ? bough_money_from_usd(usd, out, err)
                                 : wrong(m, "a number of USD", err);
}

static enum bough_rc read_one(struct http_req *req, const struct api_member *m, struct json value,
                              void *to, struct bough_error *err)
{
    switch (m->kind) {
    case API_TEXT:
        return read_text(req, m, value, to, err);
    case API_INT:
        return json_i64(value, to) ? BOUGH_OK : wrong(m, "an integer", err);
    case API_LEASE:
        return json_i64(value, to) && *(int64_t *)to >= 1 && *(int64_t *)to <= LIMIT_LEASE_MS
                   ? BOUGH_OK
                   : wrong(m, "a number of milliseconds, from 1 to a day", err);
    case API_FLAG:
        return json_bool(value, to) ? BOUGH_OK : wrong(m, "true or false", err);
    case API_WHEN:
        return read_when(req, m, value, to, err);
    case API_USD:
        return read_usd(m, value, to, err);
    case API_RAW:
    case API_MAP:
        *(struct bough_str *)to = json_raw(value);
        return m->kind == API_RAW || json_type(value) == JSON_OBJECT ? BOUGH_OK
                                                                     : wrong(m, "an object", err);
    case API_LIST:
        *(struct json *)to = value;
        return json_type(value) == JSON_ARRAY ? BOUGH_OK : wrong(m, "an array", err);
    case API_OBJECT:
        *(struct json *)to = value;
        return json_type(value) == JSON_OBJECT ? BOUGH_OK : wrong(m, "an object", err);
    }
    return BOUGH_OK;
}

/* ---- objects ---- */

static enum bough_rc unknown(struct http_req *req, struct json key, const char *what,
                             struct bough_error *err)
{
    struct bough_str name;

    if (!json_str(req->arena, key, &name))
        name = str_of("");
    return bough_fail(err, BOUGH_INVALID, "%s has no member %.60s", what, name.p);
}

enum bough_rc api_read(struct http_req *req, struct json object, const char *what,
                       const struct api_member *members, void *out, struct bough_error *err)
{
    struct json_iter it = json_iter(object);

    if (json_type(object) != JSON_OBJECT)
        return bough_fail(err, BOUGH_INVALID, "%s must be an object", what ? what : "the value");
    while (json_next(&it)) {
        const struct api_member *m = members;
        enum bough_rc rc;

        while (m->name && !json_is(it.key, m->name))
            m++;
        if (!m->name && what)
            return unknown(req, it.key, what, err);
        if (!m->name || json_type(it.value) == JSON_NULL)
            continue;
        rc = read_one(req, m, it.value, (char *)out + m->at, err);
        if (rc)
            return rc;
    }
    return BOUGH_OK;
}

enum bough_rc api_body(struct http_req *req, const struct api_member *members, void *out,
                       struct bough_error *err)
{
    struct json body;
    enum bough_rc rc;

    if (!req->body.n)
        return BOUGH_OK;
    rc = http_body_json(req, &body, err);
    return rc ? rc : api_read(req, body, "the body", members, out, err);
}

struct totals_in {
    struct bough_totals t;
    int64_t usd, nano; /* both in nano-USD; NOT_GIVEN: missing */
};

#define NOT_GIVEN INT64_MIN

enum bough_rc api_totals(struct http_req *req, struct json object, struct bough_totals *out,
                         struct bough_error *err)
{
    static const struct api_member members[] = {
        { "input", API_INT, offsetof(struct totals_in, t.input) },
        { "output", API_INT, offsetof(struct totals_in, t.output) },
        { "reasoning", API_INT, offsetof(struct totals_in, t.reasoning) },
        { "cache_read", API_INT, offsetof(struct totals_in, t.cache_read) },
        { "cache_write", API_INT, offsetof(struct totals_in, t.cache_write) },
        { "cost_usd", API_USD, offsetof(struct totals_in, usd) },
        { "cost_nano_usd", API_INT, offsetof(struct totals_in, nano) },
        { 0 },
    };
    struct totals_in in = { .usd = NOT_GIVEN, .nano = NOT_GIVEN };
    enum bough_rc rc = api_read(req, object, "a total", members, &in, err);

    if (!rc && in.usd != NOT_GIVEN && in.nano != NOT_GIVEN && in.usd != in.nano)
        rc = bough_fail(err, BOUGH_INVALID, "cost_usd and cost_nano_usd are different amounts");
    if (in.nano != NOT_GIVEN)
        in.t.cost = in.nano;
    else if (in.usd != NOT_GIVEN)
        in.t.cost = in.usd;
    *out = in.t;
    return rc;
}

enum bough_rc api_maybe_totals(struct http_req *req, struct json object,
                               const struct bough_totals **out, struct bough_error *err)
{
    struct bough_totals *t;

    if (json_type(object) != JSON_OBJECT)
        return BOUGH_OK;
    t = arena_zalloc(req->arena, sizeof *t);
    *out = t;
    return api_totals(req, object, t, err);
}

/* ---- entries ---- */

struct entry_in {
    struct bough_entry_new e;
    const char *role;
    struct bough_str parts;
    struct json usage;
};

#define ENTRY(field) offsetof(struct entry_in, e.field)

static const struct api_member entry_members[] = {
    { "kind", API_TEXT, ENTRY(kind_name) },
    { "role", API_TEXT, offsetof(struct entry_in, role) },
    { "text", API_TEXT, ENTRY(text) },
    { "parts", API_RAW, offsetof(struct entry_in, parts) },
    { "time", API_WHEN, ENTRY(time) },
    { "id", API_TEXT, ENTRY(id) },
    { "finish", API_TEXT, ENTRY(finish) },
    { "error", API_RAW, ENTRY(error) },
    { "data", API_RAW, ENTRY(data) },
    { "metadata", API_RAW, ENTRY(metadata) },
    { "keep_from", API_INT, ENTRY(keep_from) },
    { "usage", API_OBJECT, offsetof(struct entry_in, usage) },
    { "duration_ms", API_INT, ENTRY(duration) },
    { "by_call", API_FLAG, ENTRY(by_call) },
    { "call", API_TEXT, ENTRY(call) },
    { "call_provider", API_TEXT, ENTRY(call_provider) },
    { "call_model", API_TEXT, ENTRY(call_model) },
    { "call_request_id", API_TEXT, ENTRY(call_request_id) },
    { 0 },
};

enum bough_rc api_entry_new(struct http_req *req, struct json object, struct bough_entry_new *out,
                            struct bough_error *err)
{
    struct entry_in in = { 0 };
    struct bough_str *parts = NULL;
    enum bough_rc rc = api_read(req, object, "an entry", entry_members, &in, err);

    if (!rc && in.parts.n)
        rc = bough_parts_split(req->arena, in.parts, &parts, &in.e.nparts, err);
    in.e.parts = parts;
    if (!rc)
        rc = api_maybe_totals(req, in.usage, &in.e.usage, err);
    in.e.kind = in.e.kind_name ? entry_kind_parse(in.e.kind_name) : BOUGH_ENTRY_MESSAGE;
    in.e.role = in.role ? bough_role_parse(in.role) : BOUGH_ROLE_NONE;
    in.e.data = view_keep_role(req->arena, in.role, in.e.data);
    *out = in.e;
    return rc;
}

enum bough_rc api_entries_new(struct http_req *req, struct json list, struct bough_entry_new **out,
                              size_t *n, struct bough_error *err)
{
    struct json_iter it = json_iter(list);
    enum bough_rc rc = BOUGH_OK;

    *n = 0;
    if (json_count(list) > LIMIT_APPEND_ENTRIES)
        return bough_fail(err, BOUGH_TOO_LARGE, "more than %d entries in one request",
                          LIMIT_APPEND_ENTRIES);
    *out = arena_array(req->arena, json_count(list) + 1, sizeof **out);
    while (!rc && json_next(&it))
        rc = api_entry_new(req, it.value, &(*out)[(*n)++], err);
    return rc;
}

/* ---- calls ---- */

struct call_in {
    struct bough_call_new c;
    struct json used;
};

#define CALL(field) offsetof(struct call_in, c.field)

static const struct api_member call_members[] = {
    { "id", API_TEXT, CALL(id) },
    { "request_id", API_TEXT, CALL(request_id) },
    { "want_provider", API_TEXT, CALL(want_provider) },
    { "want_model", API_TEXT, CALL(want_model) },
    { "want_kind", API_TEXT, CALL(want_kind) },
    { "provider", API_TEXT, CALL(provider) },
    { "model", API_TEXT, CALL(model) },
    { "kind", API_TEXT, CALL(kind) },
    { "status", API_TEXT, CALL(status) },
    { "error", API_RAW, CALL(error) },
    { "usage", API_RAW, CALL(usage) },
    { "used", API_OBJECT, offsetof(struct call_in, used) },
    { "total_tokens", API_INT, CALL(total_tokens) },
    { "duration_ms", API_INT, CALL(duration) },
    { "time", API_WHEN, CALL(time) },
    { 0 },
};

enum bough_rc api_call_new(struct http_req *req, struct json object, struct bough_call_new **out,
                           struct bough_error *err)
{
    struct call_in *in = arena_zalloc(req->arena, sizeof *in);
    enum bough_rc rc;

    *out = NULL;
    if (json_type(object) != JSON_OBJECT)
        return BOUGH_OK;
    rc = api_read(req, object, "a call", call_members, in, err);
    if (!rc && json_type(in->used) == JSON_OBJECT)
        rc = api_totals(req, in->used, &in->c.used, err);
    *out = &in->c;
    return rc;
}

enum bough_rc api_status(const char *word, enum bough_status *out, struct bough_error *err)
{
    for (int s = BOUGH_STATUS_IDLE; s <= BOUGH_STATUS_ARCHIVED; s++)
        if (word && strcmp(word, bough_status_name((enum bough_status)s)) == 0) {
            *out = (enum bough_status)s;
            return BOUGH_OK;
        }
    return bough_fail(err, BOUGH_INVALID, "status must be idle, busy, retry or archived");
}
