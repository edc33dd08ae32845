/* Labels, memories, todos, waiting prompts and budgets as JSON objects. Names never change; new
 * ones may come. */
#include "api/kit/forms.h"

void form_budget(struct json_writer *w, const struct bough_budget *b)
{
    jw_obj(w);
    jw_kv_cstr(w, "id", b->id);
    jw_kv_cstr(w, "scope", bough_budget_scope_name(b->scope));
    jw_kv_cstr(w, "of", b->of);
    jw_kv_cstr(w, "window", bough_budget_window_name(b->window));
    form_usd(w, "cap_usd", b->cap);
    jw_kv_i64(w, "cap_nano_usd", b->cap);
    jw_kv_bool(w, "allow_unknown", b->allow_unknown);
    form_usd(w, "spent_usd", b->spent);
    jw_kv_i64(w, "spent_nano_usd", b->spent);
    form_usd(w, "reserved_usd", b->held);
    jw_kv_i64(w, "reserved_nano_usd", b->held);
    jw_kv_i64(w, "running", b->holds);
    jw_kv_i64(w, "unknown", b->unknown);
    form_time(w, "since", b->since);
    form_time(w, "until", b->until);
    form_time(w, "created", b->created);
    form_time(w, "updated", b->updated);
    jw_kv_cstr(w, "by", b->by);
    jw_end_obj(w);
}

void form_label(struct json_writer *w, const struct bough_label *l)
{
    jw_obj(w);
    jw_kv_cstr(w, "entry", l->entry);
    jw_kv_cstr(w, "label", l->text);
    form_time(w, "time", l->time);
    jw_end_obj(w);
}

void form_memory(struct json_writer *w, const struct bough_memory *m)
{
    static const char *const scopes[] = { "session", "project", "all" };

    jw_obj(w);
    jw_kv_cstr(w, "id", m->id);
    jw_kv_cstr(w, "scope", scopes[m->scope]);
    jw_kv_cstr(w, "of", m->of);
    jw_opt_cstr(w, "title", m->title);
    jw_opt_cstr(w, "body", m->body);
    jw_kv_cstr(w, "content", m->content);
    jw_opt_cstr(w, "source", m->source);
    jw_opt_cstr(w, "path", m->path);
    form_time(w, "created", m->created);
    form_time(w, "updated", m->updated);
    jw_end_obj(w);
}

void form_prompt(struct json_writer *w, const struct bough_prompt *p)
{
    jw_obj(w);
    jw_kv_cstr(w, "id", p->id);
    jw_kv_cstr(w, "session", p->session);
    jw_kv_cstr(w, "content", p->content);
    jw_opt_cstr(w, "runtime_kind", p->runtime_kind);
    jw_opt_cstr(w, "provider", p->provider);
    jw_opt_cstr(w, "model", p->model);
    jw_opt_cstr(w, "workspace", p->workspace);
    jw_opt_cstr(w, "system_prompt", p->system_prompt);
    jw_opt_cstr(w, "adapter_id", p->adapter_id);
    jw_opt_raw(w, "data", p->data);
    form_time(w, "created", p->created);
    form_time(w, "updated", p->updated);
    jw_end_obj(w);
}

void form_todos(struct json_writer *w, const struct bough_todos *t)
{
    jw_obj(w);
    jw_key(w, "items");
    jw_arr(w);
    for (size_t i = 0; i < t->n; i++) {
        jw_obj(w);
        jw_kv_cstr(w, "content", t->at[i].content);
        jw_kv_cstr(w, "status", t->at[i].status);
        jw_kv_cstr(w, "priority", t->at[i].priority);
        jw_end_obj(w);
    }
    jw_end_arr(w);
    jw_kv_i64(w, "total", t->total);
    jw_kv_i64(w, "incomplete", t->incomplete);
    jw_kv_i64(w, "in_progress", t->in_progress);
    jw_kv_i64(w, "completed", t->completed);
    jw_kv_i64(w, "cancelled", t->cancelled);
    form_time(w, "updated", t->updated);
    jw_end_obj(w);
}
