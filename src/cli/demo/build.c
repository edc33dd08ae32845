/* Sessions and entries of the demo, in the shapes of several tools. */
#include "cli/demo/build.h"

#include <string.h>

#include "base/json/json.h"
#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/base64.h"
#include "base/text/str.h"

enum { STEP_MS = 24000 }; /* between two entries */

bool demo_ok(struct demo *d, enum bough_rc rc)
{
    if (!d->rc)
        d->rc = rc;
    return !d->rc;
}

/* ---- JSON in the arena ---- */

struct written {
    struct buf b;
    struct json_writer w;
};

static struct json_writer *begin(struct written *x)
{
    buf_init(&x->b, LIMIT_MESSAGE_BYTES);
    jw_init(&x->w, &x->b);
    jw_obj(&x->w);
    return &x->w;
}

static struct bough_str end(struct demo *d, struct written *x)
{
    struct bough_str s;

    jw_end_obj(&x->w);
    s = str_make(arena_strndup(d->a, x->b.p, x->b.n), x->b.n);
    buf_finish(&x->b);
    return s;
}

/* ---- sessions ---- */

static struct demo_frame *push(struct demo *d, const char *title)
{
    struct demo_frame *f = arena_zalloc(d->a, sizeof *f);

    f->up = d->top;
    f->title = title;
    if (f->up) {
        f->project = f->up->project;
        f->provider = f->up->provider;
        f->model = f->up->model;
        f->account = f->up->account;
        f->style = f->up->style;
        f->clock = f->up->clock;
    }
    d->top = f;
    return f;
}

void demo_begin(struct demo *d, const char *title, int64_t age, int64_t entries)
{
    struct demo_frame *f = push(d, title);

    f->clock = d->now - age - entries * STEP_MS;
}

void demo_subagent(struct demo *d, const char *title)
{
    struct demo_frame *up = d->top, *f;

    f = push(d, title);
    f->kind = BOUGH_SUBAGENT;
    f->parent = up->id;
    f->parent_call = up->called;
}

void demo_fork(struct demo *d, const char *title)
{
    struct demo_frame *up = d->top, *f;

    demo_flush(d);
    f = push(d, title);
    f->parent = up->id;
    f->fork_entry = up->last;
    f->depth = up->depth;
}

static void create(struct demo *d, struct demo_frame *f)
{
    struct bough_session_create_options in = { .title = f->title,
                                               .slug = f->slug,
                                               .kind = f->kind,
                                               .project = f->project,
                                               .account = f->account,
                                               .model_provider = f->provider,
                                               .model_name = f->model,
                                               .parent = f->parent,
                                               .fork_entry = f->fork_entry,
                                               .parent_tool_use_id = f->parent_call,
                                               .created = f->clock };
    struct bough_session *s;

    if (!d->rc && demo_ok(d, bough_session_create(d->s, d->a, &in, &s, d->err)))
        f->id = s->id;
}

static void end_todos(struct demo *d, struct demo_frame *f)
{
    struct bough_todos out;

    if (f->ntodos && !d->rc)
        demo_ok(d, bough_todo_replace(d->s, d->a, f->id, f->todos, f->ntodos, &out, d->err));
}

void demo_end_session(struct demo *d)
{
    struct demo_frame *f = d->top;

    demo_flush(d);
    if (f->id) {
        end_todos(d, f);
        if (f->archived && !d->rc)
            demo_ok(d, bough_session_archive(d->s, f->id, d->err));
        if (f->deleted && !d->rc)
            demo_ok(d, bough_session_delete(d->s, f->id, d->err));
    }
    d->top = f->up;
    if (d->top && d->top->clock < f->clock)
        d->top->clock = f->clock;
}

/* ---- entries ---- */

static void append(struct demo *d, const struct bough_entry_new *entries, size_t n,
                   const struct bough_call_new *call)
{
    struct demo_frame *f = d->top;
    struct bough_append_options in = { .entries = entries, .n = n, .call = call, .at = f->at };
    struct bough_append_result out;

    if (!f->id)
        create(d, f);
    if (d->rc || !demo_ok(d, bough_append(d->s, d->a, f->id, &in, &out, d->err)))
        return;
    f->at = NULL;
    f->last = out.ids[n - 1];
    f->depth = out.head.depth;
    f->clock += STEP_MS;
}

static const char *finish_word(enum demo_end how)
{
    switch (how) {
    case DEMO_ENDED:
        return "stop";
    case DEMO_INTERRUPTED:
        return "interrupted";
    case DEMO_REFUSED:
        return "refusal";
    }
    return NULL;
}

void demo_flush(struct demo *d)
{
    struct demo_frame *f = d->top;
    struct demo_entry *e = &f->entry;
    struct bough_entry_new entries[1 + sizeof e->results / sizeof *e->results] = { 0 };
    bool model = e->role == BOUGH_ROLE_ASSISTANT;
    struct bough_call_new call = { .provider = f->provider,
                                   .model = f->model,
                                   .status = e->error ? "error" : "ok",
                                   .used = e->used,
                                   .duration = e->ms ? e->ms : 2100 + (int64_t)d->calls * 37 % 9000,
                                   .time = f->clock };
    struct demo_entry done = *e;

    *e = (struct demo_entry){ 0 };
    if (done.role == BOUGH_ROLE_NONE || (!done.nparts && !done.error))
        return;
    if (!done.unknown && !done.used.cost)
        call.usage = str_of("{\"cost\":0}"); /* a model on this machine */
    entries[0] = (struct bough_entry_new){ .role = done.role,
                                           .parts = done.parts,
                                           .nparts = done.nparts,
                                           .time = f->clock,
                                           .by_call = model,
                                           .finish = model ? finish_word(done.end) : NULL };
    if (done.error)
        entries[0].error = str_of(done.error);
    for (size_t i = 0; i < done.nresults; i++) {
        entries[1 + i] = done.results[i];
        entries[1 + i].time = f->clock + call.duration + 1000;
    }
    append(d, entries, 1 + done.nresults, model ? &call : NULL);
}

void demo_entry(struct demo *d, enum bough_role role)
{
    demo_flush(d);
    d->top->entry.role = role;
}

static void add(struct demo *d, struct bough_str part)
{
    struct demo_entry *e = &d->top->entry;

    if (e->nparts < sizeof e->parts / sizeof *e->parts)
        e->parts[e->nparts++] = part;
}

/* Text behind a tool call is what the model says to its result: another entry, of another call. */
static void go_on(struct demo *d)
{
    struct demo_frame *f = d->top;
    struct bough_totals used = f->entry.used;
    bool unknown = f->entry.unknown;

    if (!f->entry.called || f->style == DEMO_OPENCODE)
        return;
    demo_entry(d, BOUGH_ROLE_ASSISTANT);
    f->entry.used = (struct bough_totals){ .input = used.input / 8,
                                           .output = used.output / 3,
                                           .cache_read = used.input + used.cache_read,
                                           .cost = used.cost / 4 };
    f->entry.unknown = unknown;
}

void demo_text(struct demo *d, const char *text)
{
    struct written x;
    struct json_writer *w;
    bool refused = d->top->entry.end == DEMO_REFUSED;

    if (!*text)
        return;
    go_on(d);
    w = begin(&x);
    jw_kv_cstr(w, "type", refused ? "refusal" : "text");
    jw_kv_cstr(w, refused ? "refusal" : "text", text);
    add(d, end(d, &x));
}

void demo_thought(struct demo *d, const char *text)
{
    struct demo_frame *f = d->top;
    bool opencode = f->style == DEMO_OPENCODE;
    struct written x;
    struct json_writer *w;

    go_on(d);
    w = begin(&x);
    jw_kv_cstr(w, "type", opencode ? "reasoning" : "thinking");
    jw_kv_cstr(w, opencode ? "text" : "thinking", text);
    if (opencode) {
        jw_key(w, "time");
        jw_obj(w);
        jw_kv_i64(w, "start", f->clock);
        jw_kv_i64(w, "end", f->clock + 6200);
        jw_end_obj(w);
    } else {
        jw_kv_cstr(w, "signature", "ZGVtbw==");
    }
    add(d, end(d, &x));
}

void demo_picture(struct demo *d, const char *name, int width, int height)
{
    struct bough_str png = picture_png(d->a, width, height);
    size_t n = base64_length(png.n);
    char *text = arena_alloc(d->a, n + 1);
    struct written x;
    struct json_writer *w = begin(&x);

    base64_encode(png.p, png.n, text);
    jw_kv_cstr(w, "type", "file");
    jw_kv_cstr(w, "mime", "image/png");
    jw_kv_cstr(w, "filename", name);
    jw_kv_cstr(w, "url", arena_printf(d->a, "data:image/png;base64,%.*s", (int)n, text));
    add(d, end(d, &x));
}

/* ---- tools ---- */

static const char *all_output(struct demo *d, const struct demo_result *r)
{
    return *r->errors ? arena_printf(d->a, "%s%s%s", r->out, *r->out ? "\n" : "", r->errors)
                      : r->out;
}

static void tool_in_one(struct demo *d, const char *name, const char *input,
                        const struct demo_result *r)
{
    struct demo_frame *f = d->top;
    struct written x;
    struct json_writer *w = begin(&x);

    jw_kv_cstr(w, "type", "tool");
    jw_kv_cstr(w, "callID", f->called);
    jw_kv_cstr(w, "tool", name);
    jw_key(w, "state");
    jw_obj(w);
    jw_kv_cstr(w, "status", r->exit ? "error" : "completed");
    jw_kv_raw(w, "input", str_of(input));
    jw_kv_cstr(w, r->exit ? "error" : "output", all_output(d, r));
    if (!r->exit)
        jw_kv_cstr(w, "title", name);
    jw_key(w, "metadata");
    jw_obj(w);
    jw_kv_i64(w, "exit", r->exit);
    jw_end_obj(w);
    jw_key(w, "time");
    jw_obj(w);
    jw_kv_i64(w, "start", f->clock);
    jw_kv_i64(w, "end", f->clock + r->ms);
    jw_end_obj(w);
    jw_end_obj(w);
    add(d, end(d, &x));
}

/* Claude Code: the result is a message of the user, with the streams beside it. */
static struct bough_entry_new claude_result(struct demo *d, const struct demo_result *r)
{
    struct bough_str *part = arena_zalloc(d->a, sizeof *part);
    struct written x;
    struct json_writer *w = begin(&x);
    struct bough_entry_new e = { .role = BOUGH_ROLE_USER, .parts = part, .nparts = 1 };

    jw_kv_cstr(w, "type", "tool_result");
    jw_kv_cstr(w, "tool_use_id", d->top->called);
    jw_kv_cstr(w, "content", all_output(d, r));
    if (r->exit)
        jw_kv_bool(w, "is_error", true);
    *part = end(d, &x);
    w = begin(&x);
    jw_key(w, "toolUseResult");
    jw_obj(w);
    jw_kv_cstr(w, "stdout", r->out);
    jw_kv_cstr(w, "stderr", r->errors);
    jw_kv_i64(w, "exitCode", r->exit);
    jw_kv_i64(w, "durationMs", r->ms);
    jw_end_obj(w);
    e.data = end(d, &x);
    return e;
}

/* pi: the result is a message of the tool, which names its call beside the content. */
static struct bough_entry_new pi_result(struct demo *d, const char *name,
                                        const struct demo_result *r)
{
    struct bough_entry_new e = { .role = BOUGH_ROLE_TOOL, .text = all_output(d, r) };
    struct written x;
    struct json_writer *w = begin(&x);

    jw_kv_cstr(w, "toolCallId", d->top->called);
    jw_kv_cstr(w, "toolName", name);
    jw_kv_bool(w, "isError", r->exit != 0);
    jw_key(w, "details");
    jw_obj(w);
    jw_kv_i64(w, "exitCode", r->exit);
    jw_kv_i64(w, "durationMs", r->ms);
    jw_end_obj(w);
    e.data = end(d, &x);
    return e;
}

void demo_tool(struct demo *d, const char *name, const char *input, const struct demo_result *r)
{
    struct demo_frame *f = d->top;
    struct demo_entry *e = &f->entry;
    bool pi = f->style == DEMO_PI;
    struct written x;
    struct json_writer *w;

    f->called = arena_printf(d->a, "toolu_01demo%06u", ++d->calls);
    e->called = true;
    if (f->style == DEMO_OPENCODE) {
        tool_in_one(d, name, input, r);
        return;
    }
    w = begin(&x);
    jw_kv_cstr(w, "type", pi ? "toolCall" : "tool_use");
    jw_kv_cstr(w, "id", f->called);
    jw_kv_cstr(w, "name", name);
    jw_kv_raw(w, pi ? "arguments" : "input", str_of(input));
    add(d, end(d, &x));
    if (e->nresults < sizeof e->results / sizeof *e->results)
        e->results[e->nresults++] = pi ? pi_result(d, name, r) : claude_result(d, r);
}

/* ---- the rest ---- */

void demo_compact(struct demo *d, const char *summary, int64_t tokens_before)
{
    struct demo_frame *f = d->top;
    struct written x;
    struct json_writer *w;
    struct bough_entry_new e;

    demo_flush(d);
    w = begin(&x);
    jw_kv_cstr(w, "summary", summary);
    jw_kv_i64(w, "tokensBefore", tokens_before);
    e = (struct bough_entry_new){ .kind = BOUGH_ENTRY_COMPACTION,
                                  .data = end(d, &x),
                                  .time = f->clock,
                                  .keep_from = f->depth + 1 };
    append(d, &e, 1, NULL);
}

void demo_exchange(struct demo *d, const char *prompt, const char *answer, int64_t nano)
{
    struct demo_frame *f = d->top;

    demo_entry(d, BOUGH_ROLE_USER);
    demo_text(d, prompt);
    demo_entry(d, BOUGH_ROLE_ASSISTANT);
    f->entry.used = (struct bough_totals){ .input = 900 + nano / 400000,
                                           .output = 80 + nano / 2000000,
                                           .cache_read = nano / 90000,
                                           .cost = nano };
    f->entry.unknown = strstr(f->model, "preview") != NULL;
    demo_text(d, answer);
    demo_flush(d);
}
