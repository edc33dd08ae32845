/* The segments of a session, in one pass over its path (C19). Pure. */
#include "core/activity/segments.h"

#include "base/memory/arena.h"
#include "base/memory/map.h"
#include "base/text/str.h"
#include "core/part/part.h"

#define NO_RUN SEGMENT_NONE

struct builder {
    struct bough_arena *a;
    const struct segments_input *in;
    struct segments *out;
    struct smap ids;     /* of segments */
    struct smap prompts; /* id of a prompt to its run */
    struct smap firsts;  /* "branch.depth" of the first entry of a run to it */
    struct smap calls;
    size_t run;  /* index of the run that messages belong to now, or NO_RUN */
    size_t last; /* index of the last segment, if there is any */
    struct {
        size_t number; /* of the model segment, from 1; 0: none yet */
        const char *provider, *model;
    } direct;
    struct {
        int64_t messages, since, until;
        size_t from; /* index of the first of them */
    } held;          /* messages whose segment is not known yet */
};

static struct bough_str head_key(struct bough_head at, char out[48])
{
    size_t n = 0;

    for (uint64_t v = (uint64_t)at.branch; n == 0 || v; v >>= 4)
        out[n++] = "0123456789abcdef"[v & 15];
    out[n++] = '.';
    for (uint64_t v = (uint64_t)at.depth; v; v >>= 4)
        out[n++] = "0123456789abcdef"[v & 15];
    return str_make(out, n);
}

static void know_input(struct builder *b)
{
    const struct segments_input *in = b->in;
    char key[48];

    for (size_t i = 0; i < in->nruns; i++) {
        const struct bough_run *run = &in->runs[i];

        if (*run->prompt)
            smap_put(&b->prompts, str_of(run->prompt), i);
        if (run->first.branch)
            smap_put(&b->firsts, head_key(run->first, key), i);
    }
    for (size_t i = 0; i < in->ncalls; i++)
        smap_put(&b->calls, str_of(in->calls[i].id), i);
}

/* Is the entry behind the last one of a run that has ended? */
static bool is_behind(const struct bough_run *run, const struct bough_entry *e)
{
    return bough_run_ended(run->status) && run->last.branch &&
           (run->last.branch != e->at.branch || e->at.depth > run->last.depth);
}

static void find_run(struct builder *b, const struct bough_entry *e)
{
    char key[48];
    uint64_t at;

    if (smap_get(&b->prompts, str_of(e->id), &at) ||
        smap_get(&b->firsts, head_key(e->at, key), &at))
        b->run = (size_t)at;
    else if (b->run != NO_RUN && is_behind(&b->in->runs[b->run], e))
        b->run = NO_RUN;
}

/* The segment with this id, a new one if there is none. */
static struct segment *segment_of(struct builder *b, const char *id)
{
    struct segments *l = b->out;
    uint64_t at;

    if (!smap_get(&b->ids, str_of(id), &at)) {
        l->at = arena_room(b->a, l->at, l->n, sizeof *l->at);
        l->at[l->n] = (struct segment){ .id = id,
                                        .runtime = BOUGH_RUNTIME_MODEL,
                                        .provider = "",
                                        .model = "",
                                        .task = "",
                                        .latest_run = "",
                                        .workspace = "",
                                        .status = "" };
        at = l->n++;
        smap_put(&b->ids, str_of(id), at);
    }
    b->last = (size_t)at;
    return &l->at[at];
}

/* The model segment for answers of this model. Names that are not known fit any. */
static struct segment *direct_segment(struct builder *b, const char *provider, const char *model)
{
    bool same =
        (cstr_empty(provider) || cstr_empty(b->direct.provider) ||
         cstr_eq(provider, b->direct.provider)) &&
        (cstr_empty(model) || cstr_empty(b->direct.model) || cstr_eq(model, b->direct.model));
    const char *id = b->in->session;
    struct segment *s;

    if (!b->direct.number || !same) {
        b->direct.number++;
        b->direct.provider = b->direct.model = "";
    }
    b->direct.provider = cstr_empty(provider) ? b->direct.provider : provider;
    b->direct.model = cstr_empty(model) ? b->direct.model : model;
    id = b->direct.number == 1 ? arena_printf(b->a, "session:%s", id)
                               : arena_printf(b->a, "session:%s:%zu", id, b->direct.number);
    s = segment_of(b, id);
    s->provider = b->direct.provider;
    s->model = b->direct.model;
    return s;
}

static const struct bough_call *call_of(struct builder *b, const struct bough_entry *e)
{
    uint64_t at;

    return *e->call && smap_get(&b->calls, str_of(e->call), &at) ? &b->in->calls[at] : NULL;
}

static struct segment *segment_of_run(struct builder *b, const struct bough_run *run,
                                      const struct bough_call *call)
{
    const char *provider = cstr_empty(run->provider) && call ? call->provider : run->provider;
    const char *model = cstr_empty(run->model) && call ? call->model : run->model;
    struct segment *s;

    if (run->runtime == BOUGH_RUNTIME_MODEL) {
        s = direct_segment(b, provider, model);
    } else {
        const char *kind = run->runtime == BOUGH_RUNTIME_AGENT ? "task" : "external";
        bool native = run->runtime == BOUGH_RUNTIME_EXTERNAL && !cstr_empty(run->native_id);

        s = segment_of(b, arena_printf(b->a, "%s:%s", kind, native ? run->native_id : run->task));
        s->task = run->task;
        s->provider = cstr_empty(provider) ? s->provider : provider;
        s->model = cstr_empty(model) ? s->model : model;
    }
    s->runtime = run->runtime;
    s->latest_run = run->id;
    s->workspace = run->workspace ? run->workspace : "";
    s->status = bough_run_status_name(run->status);
    s->updated = run->updated > s->updated ? run->updated : s->updated;
    return s;
}

static const char *status_of_answer(const struct bough_entry *e)
{
    if (e->open)
        return "running";
    return message_stopped(e) ? "cancelled" : message_failed(e) ? "failed" : "completed";
}

static bool is_message(const struct bough_entry *e)
{
    return e->kind == BOUGH_ENTRY_MESSAGE && !e->deleted;
}

static void count(struct segment *s, int64_t messages, int64_t since, int64_t until)
{
    s->messages += messages;
    if (since && (!s->started || since < s->started))
        s->started = since;
    s->updated = until > s->updated ? until : s->updated;
}

static void count_held(struct builder *b, struct segment *s, size_t end)
{
    for (size_t i = b->held.from; b->held.messages && i < end; i++)
        if (is_message(&b->in->entries[i]) && b->out->of[i] == SEGMENT_NONE)
            b->out->of[i] = (size_t)(s - b->out->at);
    count(s, b->held.messages, b->held.since, b->held.until);
    b->held.messages = b->held.since = b->held.until = 0;
}

static void hold(struct builder *b, const struct bough_entry *e)
{
    if (!b->held.messages)
        b->held.from = (size_t)(e - b->in->entries);
    b->held.messages++;
    b->held.since = b->held.since ? b->held.since : e->time;
    b->held.until = e->time > b->held.until ? e->time : b->held.until;
}

static void add_message(struct builder *b, const struct bough_entry *e)
{
    const struct bough_call *call = call_of(b, e);
    size_t at = (size_t)(e - b->in->entries);
    struct segment *s;

    if (b->run == NO_RUN && e->role != BOUGH_ROLE_ASSISTANT) {
        hold(b, e);
        return;
    }
    if (b->run != NO_RUN) {
        if (b->held.messages) /* they came before the run: not part of it */
            count_held(b, b->out->n ? &b->out->at[b->last] : direct_segment(b, "", ""), at);
        s = segment_of_run(b, &b->in->runs[b->run], call);
    } else {
        s = direct_segment(b, call ? call->provider : "", call ? call->model : "");
        s->status = status_of_answer(e);
        count_held(b, s, at);
    }
    count(s, 1, e->time, e->time);
    b->out->of[at] = (size_t)(s - b->out->at);
}

static void add_entry(struct builder *b, size_t i)
{
    const struct bough_entry *e = &b->in->entries[i];

    find_run(b, e);
    b->out->run[i] = b->run;
    b->out->of[i] = SEGMENT_NONE;
    if (is_message(e))
        add_message(b, e);
}

void segments_build(struct bough_arena *a, const struct segments_input *in, struct segments *out)
{
    struct builder b = { .a = a, .in = in, .out = out, .run = NO_RUN };

    *out = (struct segments){ .of = arena_array(a, in->n + 1, sizeof(size_t)),
                              .run = arena_array(a, in->n + 1, sizeof(size_t)) };
    b.direct.provider = b.direct.model = "";
    smap_init(&b.ids);
    smap_init(&b.prompts);
    smap_init(&b.firsts);
    smap_init(&b.calls);
    know_input(&b);
    for (size_t i = 0; i < in->n; i++)
        add_entry(&b, i);
    if (b.held.messages)
        count_held(&b, out->n ? &out->at[b.last] : direct_segment(&b, "", ""), in->n);
    smap_finish(&b.ids);
    smap_finish(&b.prompts);
    smap_finish(&b.firsts);
    smap_finish(&b.calls);
}
