/* The JSON objects of runs, approvals, grants and activities. */
#include "api/kit/forms_run.h"

#include "api/kit/forms.h"
#include "base/text/str.h"

static void put_limits(struct json_writer *w, const struct bough_run_limits *l)
{
    jw_key(w, "limits");
    jw_obj(w);
    jw_kv_i64(w, "turns", l->turns);
    jw_kv_i64(w, "time_ms", l->time_ms);
    form_usd(w, "cost_usd", l->cost);
    jw_kv_i64(w, "cost_nano_usd", l->cost);
    jw_end_obj(w);
}

static void put_cancel(struct json_writer *w, const struct bough_run_cancel_wish *c)
{
    if (!c)
        return;
    jw_key(w, "cancel");
    jw_obj(w);
    jw_kv_cstr(w, "by", c->by);
    jw_kv_cstr(w, "note", c->note);
    form_time(w, "time", c->time);
    jw_end_obj(w);
}

static void put_counts(struct json_writer *w, const struct bough_run *r)
{
    put_limits(w, &r->limits);
    jw_kv_i64(w, "turns", r->turns);
    jw_kv_i64(w, "tools", r->tools);
    jw_kv_i64(w, "approvals", r->approvals);
    jw_kv_i64(w, "settled", r->settled);
    jw_kv_i64(w, "context_used", r->context_used);
    jw_kv_i64(w, "context_size", r->context_size);
    jw_kv_i64(w, "waited_ms", r->waited_ms);
}

void form_run(struct json_writer *w, const struct bough_run *r)
{
    jw_obj(w);
    jw_kv_cstr(w, "id", r->id);
    jw_kv_cstr(w, "session", r->session);
    jw_kv_i64(w, "number", r->number);
    jw_kv_cstr(w, "runtime", bough_run_runtime_name(r->runtime));
    jw_kv_cstr(w, "status", bough_run_status_name(r->status));
    jw_kv_cstr(w, "why", bough_run_why_name(r->why));
    jw_kv_cstr(w, "task", r->task);
    jw_kv_cstr(w, "after", *r->after ? r->after : NULL);
    jw_kv_cstr(w, "by", r->by);
    jw_opt_cstr(w, "adapter", r->adapter);
    jw_opt_cstr(w, "native_id", r->native_id);
    jw_kv_cstr(w, "provider", r->provider);
    jw_kv_cstr(w, "model", r->model);
    jw_kv_cstr(w, "host", r->host);
    jw_opt_cstr(w, "workspace", r->workspace);
    jw_opt_cstr(w, "system_prompt", r->system_prompt);
    jw_kv_raw(w, "servers", r->servers.n ? r->servers : str_of("[]"));
    jw_kv_raw(w, "git", r->git.n ? r->git : str_of("{}"));
    jw_kv_cstr(w, "prompt", *r->prompt ? r->prompt : NULL);
    form_head(w, "first", r->first);
    form_head(w, "last", r->last);
    put_counts(w, r);
    put_cancel(w, r->cancel);
    jw_opt_cstr(w, "error_code", r->error_code);
    jw_opt_cstr(w, "error", r->error);
    form_time(w, "created", r->created);
    form_time(w, "started", r->started);
    form_time(w, "ended", r->ended);
    form_time(w, "updated", r->updated);
    jw_end_obj(w);
}

void form_approval(struct json_writer *w, const struct bough_approval *p)
{
    jw_obj(w);
    jw_kv_cstr(w, "id", p->id);
    jw_kv_cstr(w, "session", p->session);
    jw_kv_cstr(w, "run", p->run);
    jw_kv_cstr(w, "entry", p->entry);
    jw_kv_i64(w, "part", p->part);
    jw_kv_cstr(w, "tool", p->tool);
    jw_kv_cstr(w, "kind", p->kind);
    jw_kv_cstr(w, "title", p->title);
    jw_kv_raw(w, "options", p->options.n ? p->options : str_of("[]"));
    jw_kv_cstr(w, "status", bough_approval_status_name(p->status));
    jw_kv_cstr(w, "scope", bough_approval_scope_name(p->scope));
    jw_kv_cstr(w, "path", bough_approval_path_name(p->path));
    jw_opt_cstr(w, "option", p->option);
    jw_kv_cstr(w, "note", p->note);
    jw_kv_cstr(w, "by", p->by);
    jw_kv_bool(w, "stop", p->stop);
    form_time(w, "created", p->created);
    form_time(w, "expires", p->expires);
    form_time(w, "settled", p->settled);
    jw_end_obj(w);
}

void form_grant(struct json_writer *w, const struct bough_grant *g)
{
    jw_obj(w);
    jw_kv_cstr(w, "id", g->id);
    jw_kv_cstr(w, "scope", bough_approval_scope_name(g->scope));
    jw_kv_cstr(w, "session", *g->session ? g->session : NULL);
    jw_opt_cstr(w, "workspace", g->workspace);
    jw_kv_cstr(w, "tool", g->tool);
    jw_kv_cstr(w, "approval", *g->approval ? g->approval : NULL);
    jw_kv_cstr(w, "by", g->by);
    form_time(w, "created", g->created);
    jw_end_obj(w);
}

/* ---- activities ---- */

static void put_activity(struct json_writer *w, const struct activity *x)
{
    jw_obj(w);
    jw_kv_cstr(w, "id", x->id);
    jw_kv_cstr(w, "type", activity_type_name(x->type));
    jw_kv_cstr(w, "status", activity_status_name(x->status));
    jw_kv_cstr(w, "kind", x->kind);
    jw_kv_cstr(w, "title", x->title);
    jw_kv_cstr(w, "detail", x->detail);
    form_time(w, "created", x->created);
    jw_opt_cstr(w, "artifact", x->artifact);
    if (x->artifact_size)
        jw_kv_i64(w, "artifact_size", x->artifact_size);
    jw_opt_cstr(w, "preview", x->preview);
    jw_opt_cstr(w, "approval", x->approval);
    jw_opt_cstr(w, "step", x->step);
    jw_kv_bool(w, "needs_action", x->needs_action);
    jw_end_obj(w);
}

static void put_timing(struct json_writer *w, const struct activity_timing *t)
{
    jw_key(w, "timing");
    jw_obj(w);
    jw_kv_i64(w, "total_ms", t->total);
    jw_kv_i64(w, "queue_ms", t->queue);
    jw_kv_i64(w, "model_ms", t->model);
    jw_kv_i64(w, "tool_ms", t->tool);
    jw_kv_i64(w, "approval_wait_ms", t->approval_wait);
    jw_kv_i64(w, "overhead_ms", t->overhead);
    jw_kv_i64(w, "turns", (int64_t)t->turns);
    jw_kv_i64(w, "tools", (int64_t)t->tools);
    jw_kv_cstr(w, "bottleneck", t->bottleneck);
    jw_kv_i64(w, "bottleneck_ms", t->bottleneck_ms);
    jw_end_obj(w);
}

static void put_rows(struct json_writer *w, const char *key, const struct activity *at, size_t n)
{
    jw_key(w, key);
    jw_arr(w);
    for (size_t i = 0; i < n; i++)
        put_activity(w, &at[i]);
    jw_end_arr(w);
}

void form_activities(struct json_writer *w, const struct activities *all,
                     const struct activity_rows *rows, const char *next)
{
    jw_obj(w);
    put_rows(w, "items", all->at, all->n);
    put_rows(w, "main", rows->main, rows->nmain);
    put_rows(w, "details", rows->details, rows->ndetails);
    jw_kv_bool(w, "open", rows->open);
    put_timing(w, &all->timing);
    jw_kv_cstr(w, "next", next);
    jw_end_obj(w);
}
