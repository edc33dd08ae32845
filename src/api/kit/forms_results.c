/* Results of operations as JSON objects. Names never change; new ones may come. */
#include <string.h>

#include "api/kit/forms.h"
#include "base/text/str.h"

static void put_list(struct json_writer *w, const char *key, const char *const *at, size_t n)
{
    jw_key(w, key);
    jw_arr(w);
    for (size_t i = 0; i < n; i++)
        jw_cstr(w, at[i]);
    jw_end_arr(w);
}

void form_in_appended(struct json_writer *w, const struct bough_append_result *out)
{
    jw_key(w, "ids");
    jw_arr(w);
    for (size_t i = 0; i < out->n; i++)
        jw_cstr(w, out->ids[i]);
    jw_end_arr(w);
    jw_opt_cstr(w, "call", out->call);
    form_head(w, "head", out->head);
    jw_kv_i64(w, "no", out->no);
    jw_kv_bool(w, "replayed", out->replayed);
}

void form_appended(struct json_writer *w, const struct bough_append_result *out)
{
    jw_obj(w);
    form_in_appended(w, out);
    jw_end_obj(w);
}

void form_in_picked(struct json_writer *w, const struct bough_pick_result *out)
{
    jw_key(w, "ids");
    jw_arr(w);
    for (size_t i = 0; i < out->n; i++)
        jw_cstr(w, out->ids[i]);
    jw_end_arr(w);
    jw_kv_i64(w, "shared", (int64_t)out->shared);
    form_head(w, "head", out->head);
}

void form_branch(struct json_writer *w, const struct bough_branch *b, bool head)
{
    jw_obj(w);
    jw_kv_i64(w, "branch", b->number);
    jw_kv_cstr(w, "session", b->session);
    form_head(w, "base", b->base);
    form_head(w, "tip", (struct bough_head){ b->number, b->tip });
    jw_kv_i64(w, "entries", b->tip - b->base.depth);
    jw_kv_bool(w, "head", head);
    jw_end_obj(w);
}

void form_change(struct json_writer *w, const struct bough_change *c)
{
    jw_obj(w);
    jw_kv_i64(w, "no", c->no);
    jw_kv_i64(w, "count", c->count);
    form_time(w, "time", c->time);
    jw_kv_cstr(w, "kind", c->kind);
    jw_kv_cstr(w, "session", cstr_empty(c->session) ? NULL : c->session);
    jw_opt_cstr(w, "entry", c->entry);
    jw_opt_cstr(w, "record", c->record);
    jw_end_obj(w);
}

void form_context(struct json_writer *w, const struct bough_context_result *x)
{
    jw_obj(w);
    jw_kv_i64(w, "count", (int64_t)x->count);
    jw_kv_raw(w, "messages", x->messages);
    jw_opt_raw(w, "system", x->system);
    put_list(w, "sources", x->sources, x->count);
    jw_opt_cstr(w, "thinking_level", x->thinking_level);
    jw_opt_cstr(w, "model_provider", x->model_provider);
    jw_opt_cstr(w, "model_name", x->model_name);
    jw_kv_cstr(w, "marker", x->marker ? x->marker->id : NULL);
    jw_key(w, "notes");
    jw_arr(w);
    for (size_t i = 0; i < x->nnotes; i++) {
        jw_obj(w);
        jw_kv_cstr(w, "entry", x->notes[i].entry);
        jw_kv_cstr(w, "what", x->notes[i].what);
        jw_kv_cstr(w, "why", x->notes[i].why);
        jw_end_obj(w);
    }
    jw_end_arr(w);
    jw_end_obj(w);
}

void form_hit(struct json_writer *w, const struct bough_hit *hit)
{
    jw_obj(w);
    jw_kv_cstr(w, "session", hit->session);
    jw_kv_cstr(w, "slug", hit->slug);
    jw_kv_cstr(w, "title", hit->title);
    jw_kv_cstr(w, "entry", hit->entry);
    jw_kv_cstr(w, "part", hit->part);
    jw_kv_cstr(w, "field", hit->field);
    jw_kv_cstr(w, "kind", bough_entry_kind_name(hit->kind));
    jw_kv_cstr(w, "role", bough_role_name(hit->role));
    jw_kv_i64(w, "no", hit->no);
    form_time(w, "time", hit->time);
    jw_kv_str(w, "snippet", hit->snippet);
    jw_key(w, "matches");
    jw_arr(w);
    for (size_t i = 0; i < hit->nmatches; i++) {
        jw_arr(w);
        jw_i64(w, (int64_t)hit->matches[i].from);
        jw_i64(w, (int64_t)hit->matches[i].n);
        jw_end_arr(w);
    }
    jw_end_arr(w);
    if (hit->cut_front)
        jw_kv_bool(w, "cut_front", true);
    if (hit->cut_back)
        jw_kv_bool(w, "cut_back", true);
    jw_end_obj(w);
}

const char *form_import_word(enum bough_import_status status)
{
    switch (status) {
    case BOUGH_IMPORT_NEW:
        return "new";
    case BOUGH_IMPORT_GREW:
        return "grew";
    case BOUGH_IMPORT_UNCHANGED:
        return "unchanged";
    case BOUGH_IMPORT_EDITED:
        return "edited";
    }
    return "";
}

void form_imported(struct json_writer *w, const struct bough_import_file_result *f,
                   const char *error)
{
    jw_obj(w);
    jw_kv_cstr(w, "path", f->path);
    jw_kv_cstr(w, "format", f->format);
    jw_kv_cstr(w, "status", error ? "failed" : form_import_word(f->status));
    jw_opt_cstr(w, "error", error);
    jw_kv_cstr(w, "session", f->session);
    jw_kv_i64(w, "bytes", f->bytes);
    jw_kv_i64(w, "lines", f->lines);
    jw_kv_i64(w, "sessions", f->sessions);
    jw_kv_i64(w, "added", f->added);
    jw_kv_i64(w, "known", f->known);
    jw_key(w, "problems");
    jw_arr(w);
    for (size_t i = 0; i < f->nproblems; i++) {
        jw_obj(w);
        jw_kv_i64(w, "line", f->problems[i].line);
        jw_kv_cstr(w, "text", f->problems[i].text);
        jw_end_obj(w);
    }
    jw_end_arr(w);
    jw_kv_i64(w, "more_problems", f->more);
    jw_end_obj(w);
}

void form_purged(struct json_writer *w, const char *session,
                 const struct bough_session_purge_result *r)
{
    jw_obj(w);
    jw_kv_cstr(w, "session", session);
    jw_kv_i64(w, "entries", r->entries);
    jw_kv_i64(w, "records", r->records);
    jw_kv_i64(w, "kept", r->kept);
    put_list(w, "keepers", r->keepers, r->nkeepers);
    put_list(w, "detached", r->detached, r->ndetached);
    jw_end_obj(w);
}

static void put_concerns(struct json_writer *w, const char *key,
                         const struct bough_purge_concern *at, size_t n)
{
    jw_key(w, key);
    jw_arr(w);
    for (size_t i = 0; i < n; i++) {
        jw_obj(w);
        jw_kv_cstr(w, "id", at[i].session->id);
        jw_kv_cstr(w, "title", at[i].session->title);
        jw_kv_cstr(w, "slug", at[i].session->slug);
        jw_kv_i64(w, "entries", at[i].entries);
        jw_end_obj(w);
    }
    jw_end_arr(w);
}

void form_purge_preview(struct json_writer *w, const char *session,
                        const struct bough_session_purge_preview_result *r)
{
    jw_obj(w);
    jw_kv_cstr(w, "session", session);
    jw_kv_i64(w, "entries", r->entries);
    jw_kv_i64(w, "records", r->records);
    jw_kv_i64(w, "kept", r->kept);
    jw_kv_i64(w, "bytes", r->bytes);
    put_concerns(w, "keepers", r->keepers, r->nkeepers);
    put_concerns(w, "detached", r->detached, r->ndetached);
    form_totals(w, "cost", &r->cost);
    jw_kv_cstr(w, "cost_to", cstr_empty(r->cost_to) ? NULL : r->cost_to);
    jw_end_obj(w);
}

void form_in_fsck(struct json_writer *w, const struct bough_store_fsck_result *r)
{
    jw_kv_i64(w, "errors", r->errors);
    jw_kv_i64(w, "warnings", r->warnings);
    jw_kv_i64(w, "sessions", r->sessions);
    jw_kv_i64(w, "branches", r->branches);
    jw_kv_i64(w, "entries", r->entries);
    jw_kv_i64(w, "records", r->records);
    jw_kv_i64(w, "attachments", r->attachments);
}
