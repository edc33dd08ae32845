/* Our own format, writer: complete, so that an import restores the same session. */
#include <stdlib.h>
#include <string.h>

#include "base/json/write.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/model/totals.h"
#include "formats/bough/bough.h"

struct numbered_call {
    const char *id;
    size_t at; /* index in the list of calls */
};

/* Calls are written in order, before the first entry that one of them produced. */
struct bough_out {
    struct numbered_call *calls; /* by id */
    size_t written;
};

static int by_id(const void *a, const void *b)
{
    return strcmp(((const struct numbered_call *)a)->id, ((const struct numbered_call *)b)->id);
}

static void put_raw(struct json_writer *jw, const char *key, struct bough_str raw)
{
    if (!str_is(raw, "{}"))
        jw_opt_raw(jw, key, raw);
}

static void put_totals(struct json_writer *jw, const char *key, const struct bough_totals *t)
{
    jw_key(jw, key);
    jw_obj(jw);
    jw_opt_i64(jw, "input", t->input);
    jw_opt_i64(jw, "output", t->output);
    jw_opt_i64(jw, "reasoning", t->reasoning);
    jw_opt_i64(jw, "cacheRead", t->cache_read);
    jw_opt_i64(jw, "cacheWrite", t->cache_write);
    jw_opt_i64(jw, "cost", t->cost);
    jw_end_obj(jw);
}

static void line_begin(struct writing *w, struct json_writer *jw, const char *type)
{
    jw_init(jw, w->out);
    jw_obj(jw);
    jw_kv_cstr(jw, "type", type);
}

/* Raw JSON may contain line breaks, which must be preserved. Such a line is wrapped as a string. */
static void line_end(struct writing *w, struct json_writer *jw)
{
    jw_end_obj(jw);
    if (jw_has_breaks(jw)) {
        struct buf whole;

        buf_init(&whole, w->out->max);
        buf_put(&whole, w->out->p + jw->start, w->out->n - jw->start);
        w->out->n = jw->start;
        jw_init(jw, w->out);
        jw_obj(jw);
        jw_kv_i64(jw, "bough", 1);
        jw_kv_cstr(jw, "type", "line");
        jw_kv_str(jw, "json", buf_str(&whole));
        jw_end_obj(jw);
        buf_finish(&whole);
    }
    buf_putc(w->out, '\n');
}

/* ---- the session ---- */

static void put_flags(struct json_writer *jw, const struct bough_session *s)
{
    if (s->totals_mode == BOUGH_TOTALS_MANUAL)
        jw_kv_cstr(jw, "totals", "manual");
    if (!totals_is_zero(&s->adjusted))
        put_totals(jw, "adjusted", &s->adjusted);
    if (s->status == BOUGH_STATUS_ARCHIVED)
        jw_kv_bool(jw, "archived", true);
    jw_opt_i64(jw, "deleted", s->deleted);
}

static void write_begin(struct writing *w)
{
    const struct bough_session *s = w->session;
    struct bough_out *out = arena_zalloc(w->a, sizeof *out);
    struct json_writer jw;

    out->calls = arena_array(w->a, w->calls->n + 1, sizeof *out->calls);
    for (size_t i = 0; i < w->calls->n; i++)
        out->calls[i] = (struct numbered_call){ w->calls->at[i].id, i };
    qsort(out->calls, w->calls->n, sizeof *out->calls, by_id);
    w->state = out;
    jw_init(&jw, w->out);
    jw_obj(&jw);
    jw_kv_i64(&jw, "bough", BOUGH_FORMAT);
    jw_kv_cstr(&jw, "type", "session");
    jw_kv_cstr(&jw, "id", *s->origin ? s->origin : s->id);
    if (s->kind == BOUGH_SUBAGENT)
        jw_kv_bool(&jw, "subagent", true);
    jw_opt_cstr(&jw, "parent", w->parent);
    jw_opt_cstr(&jw, "forkEntry", w->fork_entry);
    jw_opt_cstr(&jw, "spawnedBy", s->parent_tool_use_id);
    jw_kv_cstr(&jw, "slug", s->slug);
    jw_opt_cstr(&jw, "title", s->title);
    jw_opt_cstr(&jw, "project", s->project);
    jw_opt_cstr(&jw, "workspace", s->workspace);
    jw_opt_cstr(&jw, "account", s->account);
    jw_opt_cstr(&jw, "providerPath", s->provider_path);
    jw_opt_cstr(&jw, "roleName", s->role_name);
    jw_opt_cstr(&jw, "modelProvider", s->model_provider);
    jw_opt_cstr(&jw, "modelName", s->model_name);
    jw_opt_cstr(&jw, "systemPrompt", s->system_prompt);
    jw_opt_cstr(&jw, "userName", s->user_name);
    if (strcmp(s->version, "1") != 0)
        jw_kv_cstr(&jw, "version", s->version);
    jw_kv_i64(&jw, "created", s->created);
    put_flags(&jw, s);
    put_raw(&jw, "data", s->data);
    put_raw(&jw, "metadata", s->metadata);
    line_end(w, &jw);
}

/* ---- calls ---- */

static void put_call(struct writing *w, size_t i)
{
    const struct bough_call *c = &w->calls->at[i];
    struct json_writer jw;

    line_begin(w, &jw, "call");
    jw_kv_i64(&jw, "n", (int64_t)i + 1);
    jw_opt_cstr(&jw, "requestId", c->request_id);
    jw_opt_cstr(&jw, "wantProvider", c->want_provider);
    jw_opt_cstr(&jw, "wantModel", c->want_model);
    jw_opt_cstr(&jw, "wantKind", c->want_kind);
    jw_opt_cstr(&jw, "provider", c->provider);
    jw_opt_cstr(&jw, "model", c->model);
    jw_opt_cstr(&jw, "kind", c->kind);
    jw_opt_cstr(&jw, "status", c->status);
    jw_opt_raw(&jw, "error", c->error);
    jw_opt_raw(&jw, "usage", c->usage);
    put_totals(&jw, "used", &c->used);
    jw_opt_i64(&jw, "totalTokens", c->total_tokens);
    jw_opt_i64(&jw, "duration", c->duration);
    jw_kv_i64(&jw, "time", c->time);
    jw_opt_cstr(&jw, "costSource", bough_cost_source_name(c->cost_source));
    jw_opt_i64(&jw, "attempt", c->attempt);
    jw_opt_cstr(&jw, "exchange", c->exchange);
    jw_opt_i64(&jw, "firstByte", c->first_byte);
    jw_opt_cstr(&jw, "purpose", c->purpose);
    jw_opt_raw(&jw, "notes", c->notes);
    line_end(w, &jw);
}

/* Is this exactly the call that the store creates by itself for an entry with usage? */
static bool is_plain(const struct bough_call *c, const struct bough_entry *e)
{
    return e->usage && !*c->want_provider && !*c->want_model && !*c->want_kind && !*c->kind &&
           !*c->status && !c->error.n && !c->usage.n && !c->total_tokens && !c->attempt &&
           !*c->exchange && !c->first_byte && !*c->purpose && !c->notes.n &&
           c->duration == e->duration && c->time == e->time && totals_equal(&c->used, e->usage);
}

/* Find the call of an entry, writing calls first where needed. Returns the call if it is plain: its
 * fields then go into the entry's line. Otherwise NULL, and *n is the call's number, 0 for no
 * call. */
static const struct bough_call *call_of(struct writing *w, const struct bough_entry *e, int64_t *n)
{
    struct bough_out *out = w->state;
    struct numbered_call key = { e->call, 0 }, *found;

    *n = 0;
    if (!*e->call)
        return NULL;
    found = bsearch(&key, out->calls, w->calls->n, sizeof key, by_id);
    if (!found)
        return NULL;
    while (out->written < found->at)
        put_call(w, out->written++);
    if (out->written == found->at) {
        out->written++;
        if (is_plain(&w->calls->at[found->at], e))
            return &w->calls->at[found->at];
        put_call(w, found->at);
    }
    *n = (int64_t)found->at + 1;
    return NULL;
}

/* ---- entries ---- */

static void put_usage(struct json_writer *jw, const struct bough_entry *e,
                      const struct bough_call *plain, int64_t n)
{
    if (e->usage)
        put_totals(jw, "usage", e->usage);
    jw_opt_i64(jw, "duration", e->duration);
    jw_opt_i64(jw, "call", n);
    if (e->usage && !plain && !n) /* a copy, inherited, or its call was deleted */
        jw_kv_bool(jw, "counted", false);
    if (!plain)
        return;
    jw_opt_cstr(jw, "provider", plain->provider);
    jw_opt_cstr(jw, "model", plain->model);
    jw_opt_cstr(jw, "requestId", plain->request_id);
    jw_opt_cstr(jw, "costSource", bough_cost_source_name(plain->cost_source));
}

static void write_entry(struct writing *w, const struct written_entry *we)
{
    const struct bough_entry *e = we->e;
    struct json_writer jw;
    int64_t n;
    const struct bough_call *plain = call_of(w, e, &n);

    line_begin(w, &jw, "entry");
    jw_kv_cstr(&jw, "id", we->id);
    jw_kv_cstr(&jw, "parent", we->parent);
    jw_kv_cstr(&jw, "kind", bough_entry_kind_name(e->kind));
    if (e->kind == BOUGH_ENTRY_OTHER)
        jw_kv_cstr(&jw, "name", e->kind_name);
    jw_opt_cstr(&jw, "role", bough_role_name(e->role));
    jw_kv_i64(&jw, "time", e->time);
    jw_opt_i64(&jw, "deleted", e->deleted);
    jw_opt_cstr(&jw, "finish", e->finish);
    jw_opt_raw(&jw, "error", e->error);
    put_usage(&jw, e, plain, n);
    jw_opt_i64(&jw, "keepFrom", e->keep_from);
    put_raw(&jw, "data", e->data);
    put_raw(&jw, "metadata", e->metadata);
    if (e->nparts) {
        jw_key(&jw, "parts");
        jw_arr(&jw);
        for (size_t i = 0; i < e->nparts; i++)
            jw_raw(&jw, e->parts[i].json);
        jw_end_arr(&jw);
    }
    line_end(w, &jw);
}

/* ---- the rest ---- */

static void put_scope(struct json_writer *jw, const struct bough_memory *m)
{
    switch (m->scope) {
    case BOUGH_MEMORY_OF_SESSION:
        break;
    case BOUGH_MEMORY_OF_PROJECT:
        jw_kv_cstr(jw, "scope", "project");
        jw_kv_cstr(jw, "of", m->of);
        break;
    case BOUGH_MEMORY_OF_STORE:
        jw_kv_cstr(jw, "scope", "all");
        break;
    }
}

static void put_memories(struct writing *w)
{
    for (size_t i = 0; i < w->memories->n; i++) {
        const struct bough_memory *m = &w->memories->at[i];
        struct json_writer jw;

        jw_init(&jw, w->out);
        jw_obj(&jw);
        if (m->scope != BOUGH_MEMORY_OF_SESSION) /* a file may begin with this line */
            jw_kv_i64(&jw, "bough", BOUGH_FORMAT);
        jw_kv_cstr(&jw, "type", "memory");
        put_scope(&jw, m);
        jw_opt_cstr(&jw, "title", m->title);
        jw_opt_cstr(&jw, "body", m->body);
        jw_kv_cstr(&jw, "content", m->content);
        jw_opt_cstr(&jw, "source", m->source);
        jw_opt_cstr(&jw, "path", m->path);
        jw_kv_i64(&jw, "created", m->created);
        if (m->updated != m->created)
            jw_kv_i64(&jw, "updated", m->updated);
        jw_opt_i64(&jw, "deleted", m->deleted);
        line_end(w, &jw);
    }
}

static void put_prompts(struct writing *w)
{
    for (size_t i = 0; i < w->prompts->n; i++) {
        const struct bough_prompt *q = &w->prompts->at[i];
        struct json_writer jw;

        line_begin(w, &jw, "prompt");
        jw_kv_cstr(&jw, "content", q->content);
        jw_opt_cstr(&jw, "runtimeKind", q->runtime_kind);
        jw_opt_cstr(&jw, "provider", q->provider);
        jw_opt_cstr(&jw, "model", q->model);
        jw_opt_cstr(&jw, "workspace", q->workspace);
        jw_opt_cstr(&jw, "systemPrompt", q->system_prompt);
        jw_opt_cstr(&jw, "adapterId", q->adapter_id);
        put_raw(&jw, "data", q->data);
        jw_kv_i64(&jw, "created", q->created);
        if (q->updated != q->created)
            jw_kv_i64(&jw, "updated", q->updated);
        line_end(w, &jw);
    }
}

static void put_todos(struct writing *w)
{
    struct json_writer jw;

    if (!w->todos->n)
        return;
    line_begin(w, &jw, "todos");
    jw_key(&jw, "items");
    jw_arr(&jw);
    for (size_t i = 0; i < w->todos->n; i++) {
        const struct bough_todo *t = &w->todos->at[i];

        jw_obj(&jw);
        jw_kv_cstr(&jw, "content", t->content);
        jw_kv_cstr(&jw, "status", t->status);
        jw_opt_cstr(&jw, "priority", t->priority);
        jw_end_obj(&jw);
    }
    jw_end_arr(&jw);
    line_end(w, &jw);
}

static void write_finish(struct writing *w, const char *head)
{
    struct bough_out *out = w->state;
    struct json_writer jw;

    while (out->written < w->calls->n)
        put_call(w, out->written++);
    for (size_t i = 0; i < w->nlabels; i++) {
        line_begin(w, &jw, "label");
        jw_kv_cstr(&jw, "entry", w->labels[i].entry);
        jw_kv_cstr(&jw, "text", w->labels[i].text);
        jw_opt_i64(&jw, "time", w->labels[i].time);
        line_end(w, &jw);
    }
    put_memories(w);
    put_todos(w);
    put_prompts(w);
    line_begin(w, &jw, "head");
    jw_kv_cstr(&jw, "id", head);
    line_end(w, &jw);
}

const struct format format_bough = {
    .name = "bough",
    .number = FORMAT_BOUGH,
    .about = "bough's own: complete, one JSON object a line, many sessions a file",
    .suffix = "jsonl",
    .detect = own_detect,
    .line = own_line,
    .end = own_end,
    .leave = own_leave,
    .writes = WRITES_OWN,
    .marks_deleted = true,
    .begin = write_begin,
    .entry = write_entry,
    .finish = write_finish,
    .notes = put_memories,
};
