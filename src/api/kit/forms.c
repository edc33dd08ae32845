/* Sessions, entries and calls as JSON objects; forms_notes.c and forms_results.c have the rest.
 * Names never change; new ones may come. */
#include "api/kit/forms.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text/iso.h"
#include "base/text/str.h"
#include "core/model/totals.h"
#include "core/part/view.h"

void form_time(struct json_writer *w, const char *key, int64_t ms)
{
    char text[ISO_TEXT];

    iso_print(ms, text);
    jw_kv_cstr(w, key, text[0] ? text : NULL);
}

void form_usd(struct json_writer *w, const char *key, int64_t nano)
{
    uint64_t n = nano < 0 ? -(uint64_t)nano : (uint64_t)nano;
    char text[48];
    size_t len;

    if (!nano) { /* the usual case */
        jw_kv_i64(w, key, 0);
        return;
    }
    snprintf(text, sizeof text, "%s%" PRIu64 ".%09" PRIu64, nano < 0 ? "-" : "", n / 1000000000,
             n % 1000000000);
    for (len = strlen(text); text[len - 1] == '0'; len--)
        ;
    jw_kv_raw(w, key, str_make(text, len - (text[len - 1] == '.')));
}

void form_head(struct json_writer *w, const char *key, struct bough_head at)
{
    char text[48];

    snprintf(text, sizeof text, "#%" PRId64 ".%" PRId64, at.branch, at.depth);
    jw_kv_cstr(w, key, at.branch ? text : NULL);
}

void form_in_totals(struct json_writer *w, const struct bough_totals *t)
{
    jw_kv_i64(w, "input", t->input);
    jw_kv_i64(w, "output", t->output);
    jw_kv_i64(w, "reasoning", t->reasoning);
    jw_kv_i64(w, "cache_read", t->cache_read);
    jw_kv_i64(w, "cache_write", t->cache_write);
    form_usd(w, "cost_usd", t->cost);
    jw_kv_i64(w, "cost_nano_usd", t->cost);
}

void form_totals(struct json_writer *w, const char *key, const struct bough_totals *t)
{
    jw_key(w, key);
    jw_obj(w);
    form_in_totals(w, t);
    jw_end_obj(w);
}

void form_lease(struct json_writer *w, const char *key, const struct bough_lease *l)
{
    jw_key(w, key);
    jw_obj(w);
    jw_kv_cstr(w, "owner", l->owner);
    jw_kv_i64(w, "epoch", l->epoch);
    form_time(w, "since", l->since);
    form_time(w, "expires", l->expires);
    jw_end_obj(w);
}

static bool any_total(const struct bough_totals *t)
{
    return t->input || t->output || t->reasoning || t->cache_read || t->cache_write || t->cost;
}

static void in_session_text(struct json_writer *w, const struct bough_session *s)
{
    jw_kv_cstr(w, "project", s->project);
    jw_opt_cstr(w, "workspace", s->workspace);
    jw_opt_cstr(w, "account", s->account);
    jw_opt_cstr(w, "role_name", s->role_name);
    jw_opt_cstr(w, "provider_path", s->provider_path);
    jw_kv_cstr(w, "model_provider", s->model_provider);
    jw_kv_cstr(w, "model_name", s->model_name);
    jw_opt_cstr(w, "system_prompt", s->system_prompt);
    jw_opt_cstr(w, "user_name", s->user_name);
    jw_opt_cstr(w, "version", s->version);
    jw_kv_cstr(w, "first_user", s->first_user);
    jw_kv_cstr(w, "last_user", s->last_user);
    jw_kv_cstr(w, "last_agent", s->last_agent);
    jw_opt_raw(w, "data", s->data);
    jw_opt_raw(w, "metadata", s->metadata);
}

void form_in_session(struct json_writer *w, const struct bough_session *s)
{
    jw_kv_cstr(w, "id", s->id);
    jw_kv_i64(w, "number", s->number);
    jw_kv_cstr(w, "slug", s->slug);
    jw_kv_cstr(w, "title", s->title);
    jw_kv_cstr(w, "kind", s->kind == BOUGH_SUBAGENT ? "subagent" : "primary");
    jw_kv_cstr(w, "status", bough_status_name(s->status));
    if (s->lease && *s->lease->owner)
        form_lease(w, "lease", s->lease);
    jw_opt_cstr(w, "origin", s->origin);
    jw_kv_cstr(w, "parent", cstr_empty(s->parent) ? NULL : s->parent);
    jw_opt_cstr(w, "fork_entry", s->fork_entry);
    jw_opt_cstr(w, "parent_tool_use_id", s->parent_tool_use_id);
    in_session_text(w, s);
    jw_kv_i64(w, "messages", s->messages);
    jw_kv_i64(w, "calls", s->calls);
    form_totals(w, "own", &s->own);
    form_totals(w, "rolled", &s->rolled);
    if (any_total(&s->adjusted))
        form_totals(w, "adjusted", &s->adjusted);
    if (s->totals_mode == BOUGH_TOTALS_MANUAL)
        jw_kv_cstr(w, "totals_mode", "manual");
    jw_opt_cstr(w, "last_provider", s->last_provider);
    jw_opt_cstr(w, "last_model", s->last_model);
    jw_opt_cstr(w, "last_request_id", s->last_request_id);
    if (s->calls) {
        form_usd(w, "last_cost_usd", s->last_cost);
        jw_kv_i64(w, "last_cost_nano_usd", s->last_cost);
    }
    form_time(w, "created", s->created);
    form_time(w, "updated", s->updated);
    form_time(w, "modified", s->modified);
    form_time(w, "deleted", s->deleted);
    form_head(w, "head", s->head);
    jw_kv_i64(w, "rev", s->rev);
    jw_kv_i64(w, "errors", s->errors);
    jw_kv_cstr(w, "last_state",
               s->last_state == BOUGH_OUTCOME_NONE ? NULL : bough_outcome_name(s->last_state));
}

void form_session(struct json_writer *w, const struct bough_session *s)
{
    jw_obj(w);
    form_in_session(w, s);
    jw_end_obj(w);
}

/* `role` is the word that was given; `speaker` is one of ours. */
static void form_role(struct json_writer *w, const struct bough_entry *e)
{
    struct bough_str word = view_role_raw(e);

    if (e->role == BOUGH_ROLE_NONE)
        return;
    if (word.n)
        jw_kv_raw(w, "role", word);
    else
        jw_kv_cstr(w, "role", bough_role_name(e->role));
    jw_kv_cstr(w, "speaker", bough_role_name(e->role));
}

static void opt_cut(struct json_writer *w, const char *key, struct bough_str json, size_t cut)
{
    if (!json.n)
        return;
    jw_key(w, key);
    form_cut(w, json, cut);
}

/* A view takes the place of the parts, which are empty then. */
static void put_parts(struct json_writer *w, const struct bough_entry *e, struct form_show how)
{
    jw_key(w, "parts");
    jw_arr(w);
    for (size_t i = 0; i < e->nparts && !how.view; i++)
        form_cut(w, e->parts[i].json, how.cut);
    jw_end_arr(w);
    if (how.view)
        form_views(w, "view", e, how.cut);
}

void form_in_entry(struct json_writer *w, const struct bough_entry *e, struct form_show how)
{
    jw_kv_cstr(w, "id", e->id);
    form_head(w, "at", e->at);
    jw_kv_cstr(w, "session", e->session);
    jw_kv_i64(w, "no", e->no);
    jw_kv_i64(w, "message_number", e->mno);
    jw_kv_cstr(w, "kind", cstr_empty(e->kind_name) ? bough_entry_kind_name(e->kind) : e->kind_name);
    form_role(w, e);
    form_time(w, "time", e->time);
    if (e->deleted)
        form_time(w, "deleted", e->deleted);
    if (e->open)
        jw_kv_bool(w, "open", true);
    jw_opt_cstr(w, "origin", e->origin);
    jw_opt_cstr(w, "finish", e->finish);
    opt_cut(w, "error", e->error, how.cut);
    jw_opt_cstr(w, "call", e->call);
    if (e->usage)
        form_totals(w, "usage", e->usage);
    jw_opt_i64(w, "duration_ms", e->duration);
    if (e->kind == BOUGH_ENTRY_COMPACTION)
        jw_kv_i64(w, "keep_from", e->keep_from);
    put_parts(w, e, how);
    opt_cut(w, "data", e->data, how.cut);
    opt_cut(w, "metadata", e->metadata, how.cut);
}

void form_entry_as(struct json_writer *w, const struct bough_entry *e, struct form_show how)
{
    jw_obj(w);
    form_in_entry(w, e, how);
    jw_end_obj(w);
}

void form_entry(struct json_writer *w, const struct bough_entry *e)
{
    form_entry_as(w, e, (struct form_show){ 0 });
}

void form_calls(struct json_writer *w, const char *key, const struct bough_calls *c)
{
    jw_key(w, key);
    jw_obj(w);
    for (size_t i = 0; i < c->n; i++) {
        jw_key(w, c->at[i].id);
        form_call(w, &c->at[i]);
    }
    jw_end_obj(w);
}

void form_call(struct json_writer *w, const struct bough_call *call)
{
    jw_obj(w);
    jw_kv_cstr(w, "id", call->id);
    jw_kv_cstr(w, "session", call->session);
    jw_kv_cstr(w, "provider", call->provider);
    jw_kv_cstr(w, "model", call->model);
    jw_opt_cstr(w, "kind", call->kind);
    jw_opt_cstr(w, "want_provider", call->want_provider);
    jw_opt_cstr(w, "want_model", call->want_model);
    jw_opt_cstr(w, "want_kind", call->want_kind);
    jw_opt_cstr(w, "status", call->status);
    jw_opt_cstr(w, "request_id", call->request_id);
    jw_opt_raw(w, "error", call->error);
    jw_opt_raw(w, "usage", call->usage);
    form_totals(w, "used", &call->used);
    jw_kv_bool(w, "cost_known", totals_cost_known(&call->used, call->usage, call->cost_source));
    jw_opt_i64(w, "total_tokens", call->total_tokens);
    jw_opt_i64(w, "duration_ms", call->duration);
    form_time(w, "time", call->time);
    jw_opt_cstr(w, "cost_source", bough_cost_source_name(call->cost_source));
    jw_opt_i64(w, "attempt", call->attempt);
    jw_opt_cstr(w, "exchange", call->exchange);
    jw_opt_i64(w, "first_byte_ms", call->first_byte);
    jw_opt_cstr(w, "purpose", call->purpose);
    jw_opt_cstr(w, "principal", call->principal);
    jw_opt_raw(w, "notes", call->notes);
    jw_end_obj(w);
}
