/* Codex's rollout files, writer: entries of other tools as items that Codex resumes. A compaction
 * is in Codex's own form: with the history that replaces what came before. */
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/part/view.h"
#include "formats/codex/codex_out.h"

struct path {
    struct writing *w;
    const struct written_run *run;
    const struct turns *turns;
    size_t next;  /* index of the next entry of the path */
    size_t spent; /* see foreign_usage() */
    bool last;    /* the turn being written is the last of the file */
};

static struct turns_rules rules(void)
{
    struct turns_rules r = responses_rules;

    r.system_apart = true; /* Codex has its own */
    return r;
}

/* ---- lines ---- */

/* End a line that stands for entry `at`; the last ones stand for the end of the path, because what
 * Codex adds goes behind them. */
static void finish_line(struct path *p, struct json_writer *jw, size_t at)
{
    foreign_mark(p->w, jw, &p->run->entries[p->last ? p->run->n - 1 : at], NULL);
    codex_line_end(p->w, jw);
}

/* Codex lists a session by its user's messages in events, so write those, too. */
static void put_event(struct path *p, const struct turn *t, const struct piece *first)
{
    struct json_writer jw;

    for (const struct piece *one = first; one && one->kind == PIECE_TEXT; one = one->next) {
        codex_line_begin(p->w, &jw, one->e->time, "event_msg");
        jw_obj(&jw);
        jw_kv_cstr(&jw, "type", t->kind == TURN_MODEL ? "agent_message" : "user_message");
        jw_key(&jw, "message");
        put_text(jw.out, one);
        jw.comma = true;
        jw_end_obj(&jw);
        finish_line(p, &jw, one->at);
    }
}

static void put_items(struct path *p, const struct turn *t)
{
    struct json_writer jw;

    for (const struct piece *one = t->first; one;) {
        const struct piece *now = one;

        codex_line_begin(p->w, &jw, now->e->time, "response_item");
        (void)responses_put(jw.out, p->w->a, t, &one);
        jw.comma = true;
        finish_line(p, &jw, now->at);
        if (t->kind != TURN_SYSTEM)
            put_event(p, t, now);
    }
}

static void put_usage(struct path *p, const struct turn *t)
{
    struct bough_totals spent;
    struct json_writer jw;

    if (!foreign_usage(p->run, t, &p->spent, &spent))
        return;
    codex_line_begin(p->w, &jw, t->e->time, "token_usage_record");
    jw_obj(&jw);
    jw_key(&jw, "usage");
    jw_obj(&jw);
    jw_kv_i64(&jw, "input_tokens", spent.input + spent.cache_read);
    jw_kv_i64(&jw, "cached_input_tokens", spent.cache_read);
    jw_kv_i64(&jw, "cache_write_input_tokens", spent.cache_write);
    jw_kv_i64(&jw, "output_tokens", spent.output);
    jw_kv_i64(&jw, "reasoning_output_tokens", spent.reasoning);
    jw_end_obj(&jw);
    jw_end_obj(&jw);
    finish_line(p, &jw, t->at);
}

static void put_results(struct path *p, const struct turn *t)
{
    struct json_writer jw;

    for (const struct piece *one = t->first; one; one = one->next) {
        if (one->kind != PIECE_CALL)
            continue;
        codex_line_begin(p->w, &jw, one->result->e->time, "response_item");
        responses_put_result(jw.out, one);
        jw.comma = true;
        finish_line(p, &jw, one->result->at);
    }
}

/* ---- compactions ---- */

static size_t end_of(const struct turn *t)
{
    size_t at = t->at;

    for (const struct piece *p = t->first; p; p = p->next)
        at = p->at > at ? p->at : at;
    return at;
}

static void put_kept(struct path *p, struct json_writer *jw, const struct turn *t)
{
    for (const struct piece *one = t->first; one;) {
        buf_putc(jw->out, ',');
        (void)responses_put(jw->out, p->w->a, t, &one);
    }
    for (const struct piece *one = t->first; one; one = one->next) {
        if (one->kind != PIECE_CALL)
            continue;
        buf_putc(jw->out, ',');
        responses_put_result(jw->out, one);
    }
}

/* The summary, then the turns that the marker keeps. */
static void put_marker(struct path *p, const struct turn *marker)
{
    struct turn told = { .kind = TURN_USER, .e = marker->e, .first = marker->first };
    const struct piece *first = marker->first;
    struct json_writer jw;

    codex_line_begin(p->w, &jw, marker->e->time, "compacted");
    jw_obj(&jw);
    jw_kv_raw(&jw, "message", marker->summary.n ? marker->summary : str_of("\"\""));
    if (first) {
        jw_key(&jw, "replacement_history");
        jw_arr(&jw);
        (void)responses_put(jw.out, p->w->a, &told, &first);
        for (const struct turn *t = p->turns->first; t != marker; t = t->next)
            if (t->kind != TURN_MARKER && end_of(t) >= marker->kept)
                put_kept(p, &jw, t);
        jw_end_arr(&jw);
    }
    jw_end_obj(&jw);
    finish_line(p, &jw, marker->at);
}

/* ---- the path ---- */

/* Another model: Codex notes the settings of each turn. */
static void put_model_change(struct path *p, const struct bough_entry *e)
{
    const char *model = json_cstr(p->w->a, view_data(p->w->a, e), "modelId");
    struct json_writer jw;

    if (cstr_empty(model))
        return;
    codex_line_begin(p->w, &jw, e->time, "turn_context");
    jw_obj(&jw);
    jw_kv_cstr(&jw, "cwd", p->w->session->project);
    jw_kv_cstr(&jw, "approval_policy", "on-request");
    jw_key(&jw, "sandbox_policy");
    jw_obj(&jw);
    jw_kv_cstr(&jw, "type", "read-only");
    jw_end_obj(&jw);
    jw_kv_cstr(&jw, "model", model);
    jw_kv_cstr(&jw, "summary", "auto");
    jw_end_obj(&jw);
    finish_line(p, &jw, p->next);
}

/* Write Codex's own lines, and changes of the model, before entry `end`. */
static void flush_native(struct path *p, size_t end)
{
    for (; p->next < end; p->next++) {
        const struct bough_entry *e = &p->run->entries[p->next];

        if (codex_native(e))
            codex_put_native(p->w, e);
        else if (e->kind == BOUGH_ENTRY_MODEL_CHANGE)
            put_model_change(p, e);
    }
}

static bool is_foreign(const struct turn *t)
{
    for (const struct piece *p = t->first; p; p = p->next)
        if (!codex_native(p->e))
            return true;
    return !t->first && !codex_native(t->e);
}

static void put_turn(struct path *p, const struct turn *t)
{
    flush_native(p, t->at);
    if (t->kind == TURN_MARKER) {
        put_marker(p, t);
        return;
    }
    put_items(p, t);
    put_results(p, t);
    if (t->kind == TURN_MODEL)
        put_usage(p, t);
}

/* The first entry that waits: Codex's own lines before it are written. */
static size_t first_foreign(const struct written_run *run)
{
    size_t i = 0;

    while (i < run->n && (codex_native(&run->entries[i]) || !turns_shows(&run->entries[i])))
        i++;
    return i;
}

void codex_put_foreign(struct writing *w)
{
    const struct codex_out *out = w->state;
    struct path p = { .w = w, .run = w->run_of(w, NULL) };
    struct turns_rules how = rules();
    const struct turn *last = NULL;
    struct turns turns;
    size_t native = 0;

    foreign_turns(w, p.run, &how, &turns);
    p.turns = &turns;
    for (const struct turn *t = turns.first; t; t = t->next)
        if (is_foreign(t))
            last = t;
    for (size_t i = 0; i < p.run->n; i++)
        if (codex_native(&p.run->entries[i]))
            native = i + 1;
    p.next = native ? first_foreign(p.run) : 0;
    (void)out;
    for (const struct turn *t = turns.first; t; t = t->next) {
        p.last = t == last && native <= t->at;
        if (is_foreign(t))
            put_turn(&p, t);
    }
    p.last = true;
    flush_native(&p, p.run->n);
}
