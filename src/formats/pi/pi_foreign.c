/* Writes messages of other tools as lines of pi. The last line contains the original message, so
 * that reading the file restores the entry. The other lines are for pi only. */
#include "formats/pi/pi_foreign.h"

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/words/pi_words.h"
#include "formats/common/names.h"
#include "formats/pi/pi.h"

bool pi_is_foreign(const struct bough_entry *e)
{
    bool tool = e->role == BOUGH_ROLE_TOOL, answer = e->role == BOUGH_ROLE_ASSISTANT;

    if (e->kind != BOUGH_ENTRY_MESSAGE)
        return false;
    /* Every answer and tool result of pi has this number; those of other tools do not. */
    if ((answer || tool) && !member_raw(e->data, "timestamp", JSON_NUMBER).n)
        return true;
    return !pi_native(e,
                      tool && json_span_is(member_raw(e->data, "role", JSON_STRING), "toolResult")
                          ? "toolResult"
                          : "");
}

/* ---- calls ---- */

enum { CALLS = sizeof((struct pi_calls *)0)->at / sizeof(struct pi_call) };

static void note_call(struct pi_calls *calls, struct bough_arena *a, const struct part_view *v)
{
    calls->at[calls->n++ % CALLS] =
        (struct pi_call){ arena_strdup(a, v->call), arena_strdup(a, v->tool) };
}

/* A result rarely names its tool, but pi requires the name. */
static const char *tool_of(const struct pi_calls *calls, const struct part_view *v)
{
    size_t most = calls->n < CALLS ? calls->n : CALLS;

    for (size_t i = 1; !*v->tool && i <= most; i++)
        if (cstr_eq(calls->at[(calls->n - i) % CALLS].id, v->call))
            return calls->at[(calls->n - i) % CALLS].tool;
    return *v->tool ? v->tool : "unknown";
}

/* ---- a message ---- */

static void put_usage(struct json_writer *jw, const struct bough_totals *t)
{
    jw_key(jw, "usage");
    jw_obj(jw);
    jw_kv_i64(jw, "input", t->input);
    jw_kv_i64(jw, "output", t->output);
    jw_kv_i64(jw, "cacheRead", t->cache_read);
    jw_kv_i64(jw, "cacheWrite", t->cache_write);
    jw_kv_i64(jw, "totalTokens", t->input + t->output + t->cache_read + t->cache_write);
    jw_key(jw, "cost");
    jw_obj(jw);
    for (const char *const *part =
             (const char *const[]){ "input", "output", "cacheRead", "cacheWrite", NULL };
         *part; part++)
        jw_kv_i64(jw, *part, 0); /* the individual costs are unknown */
    jw_key(jw, "total");
    jw_f64(jw, (double)t->cost / 1e9);
    jw_end_obj(jw);
    jw_end_obj(jw);
}

static void put_answer(struct writing *w, struct json_writer *jw, const struct bough_entry *e,
                       bool calls, bool first)
{
    static const struct bough_totals none;
    const char *provider, *model;

    answer_model(w, e, &provider, &model);
    jw_kv_cstr(jw, "api", "openai-completions");
    jw_kv_cstr(jw, "provider", provider ? provider : "unknown");
    jw_kv_cstr(jw, "model", model ? model : "unknown");
    put_usage(jw, first && e->usage ? e->usage : &none);
    jw_kv_cstr(jw, "stopReason", calls ? "toolUse" : "stop");
}

/* The original message. Only in its last line. */
static void put_original(struct writing *w, struct json_writer *jw, const struct bough_entry *e)
{
    const char *provider, *model;

    jw_key(jw, PI_ENTRY);
    jw_obj(jw);
    jw_kv_cstr(jw, "role", bough_role_name(e->role));
    if (e->usage) {
        answer_model(w, e, &provider, &model);
        put_usage(jw, e->usage);
        jw_opt_cstr(jw, "provider", provider);
        jw_opt_cstr(jw, "model", model);
    }
    if (e->data.n)
        jw_kv_raw(jw, "data", e->data);
    jw_key(jw, "parts");
    jw_arr(jw);
    for (size_t i = 0; i < e->nparts; i++)
        jw_raw(jw, part_raw(&e->parts[i]));
    jw_end_arr(jw);
    jw_end_obj(jw);
    members_put(jw, e->metadata, NULL);
}

static const char *pi_role(enum bough_role role)
{
    return role == BOUGH_ROLE_ASSISTANT ? "assistant" : "user";
}

static void put_said(struct pi_calls *known, struct writing *w, struct json_writer *jw,
                     const struct bough_entry *e, const struct view_run *run, bool first)
{
    bool calls = false;

    jw_kv_cstr(jw, "role", pi_role(e->role));
    jw_key(jw, "content");
    jw_arr(jw);
    for (size_t i = 0; i < run->n; i++) {
        const struct part_view *v = &run->at[i];

        if (v->kind == VIEW_CALL) {
            calls = true;
            note_call(known, w->a, v);
        }
        (void)pi_block_put(jw, v); /* a part without an equivalent is only in the original */
    }
    jw_end_arr(jw);
    if (e->role == BOUGH_ROLE_ASSISTANT)
        put_answer(w, jw, e, calls, first);
}

static void put_result(const struct pi_calls *known, struct bough_arena *a, struct json_writer *jw,
                       const struct part_view *v)
{
    jw_kv_cstr(jw, "role", "toolResult");
    jw_kv_cstr(jw, "toolCallId", v->call);
    jw_kv_cstr(jw, "toolName", tool_of(known, v));
    jw_key(jw, "content");
    jw_arr(jw);
    jw_obj(jw);
    jw_kv_cstr(jw, "type", "text");
    jw_kv_str(jw, "text", view_output_text(a, v->output));
    jw_end_obj(jw);
    jw_end_arr(jw);
    jw_kv_bool(jw, "isError", v->failed);
}

/* ---- lines of a message ---- */

struct lines {
    struct pi_calls *calls;
    struct writing *w;
    const struct written_entry *we;
    struct bough_arena *tmp;
    const char *parent; /* of the next line */
    size_t n, all;
};

/* The last line has the entry's id, so that later entries hang on it. The others have derived,
 * stable ids. */
static const char *line_id(const struct lines *l)
{
    char hex[HEX_TEXT];

    if (l->n + 1 == l->all)
        return l->we->id;
    made_hex(str_of(arena_printf(l->tmp, "%s/%zu", l->we->id, l->n)), hex);
    return arena_printf(l->tmp, PI_MADE "%.12s", hex);
}

/* Write what a run says, or its result number `k`. */
static void put_line(struct lines *l, const struct view_run *run, size_t k)
{
    const struct bough_entry *e = l->we->e;
    const char *id = line_id(l);
    struct json_writer jw;

    jw_init(&jw, l->w->out);
    jw_obj(&jw);
    jw_kv_cstr(&jw, "type", "message");
    jw_kv_cstr(&jw, "id", id);
    jw_key(&jw, "parentId");
    jw_cstr(&jw, l->parent);
    pi_put_time(&jw, e->time);
    jw_key(&jw, "message");
    jw_obj(&jw);
    if (run->results)
        put_result(l->calls, l->tmp, &jw, &run->at[k]);
    else
        put_said(l->calls, l->w, &jw, e, run, l->n == 0);
    jw_kv_i64(&jw, "timestamp", e->time);
    jw_end_obj(&jw);
    if (l->n + 1 == l->all)
        put_original(l->w, &jw, e);
    else
        jw_kv_cstr(&jw, PI_OF, l->we->id);
    pi_line_end(l->w, &jw);
    l->parent = id;
    l->n++;
}

const char *pi_foreign_put(struct pi_calls *calls, struct writing *w,
                           const struct written_entry *we)
{
    struct lines l = { calls, w, we, bough_arena_create(), we->parent, 0, 0 };
    size_t n;
    struct view_run *runs = view_runs(l.tmp, we->e, &n);
    const char *first;

    for (size_t i = 0; i < n; i++)
        l.all += runs[i].results ? runs[i].n : 1;
    first = arena_strdup(w->a, line_id(&l));
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; runs[i].results && k < runs[i].n; k++)
            put_line(&l, &runs[i], k);
        if (!runs[i].results)
            put_line(&l, &runs[i], 0);
    }
    bough_arena_destroy(l.tmp);
    return first;
}
