/* Hecate's messages and provider calls: JSON to entries and back. */
#include <stdio.h>
#include <string.h>

#include "api/kit/body.h"
#include "api/originals/hecate.h"
#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/iso.h"
#include "base/text/str.h"
#include "core/wire/wire.h"

/* ---- ids, times, costs ---- */

void hecate_id(struct json_writer *w, const char *key, const char *word, const char *id)
{
    char text[BOUGH_ID_LEN + 16];

    snprintf(text, sizeof text, "%s%s", word, id);
    jw_kv_cstr(w, key, text);
}

const char *hecate_id_read(const char *word, const char *text)
{
    size_t n = strlen(word);

    /* Ids imported from Hecate's own database are foreign ids of another length: they keep the
     * prefix. */
    return strncmp(text, word, n) == 0 && strlen(text + n) == BOUGH_ID_LEN ? text + n : text;
}

void hecate_time(struct json_writer *w, const char *key, int64_t ms)
{
    char text[ISO_TEXT];
    size_t n;

    iso_print(ms, text);
    n = strlen(text);
    if (!n)
        return;
    for (n--; text[n - 1] == '0' && strchr(text, '.'); n--)
        ;
    n -= text[n - 1] == '.';
    text[n] = 'Z';
    text[n + 1] = '\0';
    jw_kv_cstr(w, key, text);
}

void hecate_cost(struct json_writer *w, const char *key, int64_t nano)
{
    char text[48];

    bough_money_text(nano, text, sizeof text);
    jw_kv_cstr(w, key, text);
}

/* ---- writing JSON ---- */

void hecate_message(struct json_writer *w, struct bough_arena *a, const struct bough_entry *e)
{
    jw_obj(w);
    hecate_id(w, "id", "msg_", e->id);
    jw_kv_i64(w, "sequence", e->mno - 1);
    if (e->call[0])
        hecate_id(w, "produced_by_call_id", "call_", e->call);
    chat_message_write(w, a, e);
    hecate_time(w, "created_at", e->time);
    jw_end_obj(w);
}

void hecate_call(struct json_writer *w, const struct bough_call *c)
{
    jw_obj(w);
    hecate_id(w, "id", "call_", c->id);
    jw_kv_cstr(w, "request_id", c->request_id);
    jw_opt_cstr(w, "requested_provider", c->want_provider);
    jw_kv_cstr(w, "provider", c->provider);
    jw_opt_cstr(w, "provider_kind", c->kind);
    jw_opt_cstr(w, "requested_model", c->want_model);
    jw_kv_cstr(w, "model", c->model);
    jw_kv_i64(w, "cost_micros_usd", bough_money_micros(c->used.cost));
    hecate_cost(w, "cost_usd", c->used.cost);
    jw_kv_i64(w, "prompt_tokens", c->used.input);
    jw_kv_i64(w, "completion_tokens", c->used.output);
    jw_kv_i64(w, "total_tokens",
              c->total_tokens ? c->total_tokens : c->used.input + c->used.output);
    hecate_time(w, "created_at", c->time);
    jw_end_obj(w);
}

/* ---- reading JSON ---- */

enum bough_rc hecate_message_read(struct bough_arena *a, struct json m, struct bough_entry_new *out,
                                  struct bough_error *err)
{
    const char *made_by = json_cstr(a, m, "produced_by_call_id");
    enum bough_rc rc = chat_message_read(a, m, out, err);

    /* C3: a tool's message may name the call that asked for it. Of other messages a GET tells it.
     */
    if (!rc && out->role == BOUGH_ROLE_TOOL && !cstr_empty(made_by))
        out->call = hecate_id_read("call_", made_by);
    return rc;
}

enum bough_rc hecate_call_read(struct http_req *req, struct json j, struct bough_call_new *out,
                               struct bough_error *err)
{
    static const struct api_member members[] = {
        { "request_id", API_TEXT, offsetof(struct bough_call_new, request_id) },
        { "provider", API_TEXT, offsetof(struct bough_call_new, provider) },
        { "requested_provider", API_TEXT, offsetof(struct bough_call_new, want_provider) },
        { "model", API_TEXT, offsetof(struct bough_call_new, model) },
        { "requested_model", API_TEXT, offsetof(struct bough_call_new, want_model) },
        { "provider_kind", API_TEXT, offsetof(struct bough_call_new, kind) },
        { "prompt_tokens", API_INT, offsetof(struct bough_call_new, used.input) },
        { "completion_tokens", API_INT, offsetof(struct bough_call_new, used.output) },
        { "total_tokens", API_INT, offsetof(struct bough_call_new, total_tokens) },
        { "cost_micros_usd", API_INT, offsetof(struct bough_call_new, used.cost) },
        { 0 },
    };
    enum bough_rc rc = api_read(req, j, NULL, members, out, err);

    if (!rc && (out->used.cost < 0 || out->used.cost > LIMIT_COST / 1000))
        return bough_fail(err, BOUGH_INVALID, "cost_micros_usd is out of range");
    out->used.cost *= 1000;
    return rc;
}
