/*
 * Writes messages of other tools as lines of pi. The conversation is written as turns; each line
 * stands at the entry with which its turn is complete, or before one that must follow it. The last
 * line of an entry contains the original message, so that reading the file restores the entry; the
 * other lines are for pi only. An entry without a line of its own becomes a `custom` line, which pi
 * does not show to a model.
 */
#include "formats/pi/pi_foreign.h"

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/context/context.h"
#include "core/words/pi_words.h"
#include "formats/common/foreign.h"
#include "formats/common/names.h"
#include "formats/pi/pi.h"

bool pi_is_foreign(const struct bough_entry *e)
{
    bool tool = e->role == BOUGH_ROLE_TOOL, answer = e->role == BOUGH_ROLE_ASSISTANT;
    bool timed = member_raw(e->data, "timestamp", JSON_NUMBER).n;

    if (e->kind != BOUGH_ENTRY_MESSAGE)
        return false;
    /* Every answer and tool result of pi has this number; those of other tools do not. */
    if ((answer || tool) && !timed)
        return true;
    /* pi has a content in every message, and shows no part that it does not know. */
    for (size_t i = 0; i < e->nparts && !timed; i++)
        if (e->parts[i].type == BOUGH_PART_OTHER || e->parts[i].type == BOUGH_PART_TOOL)
            return true;
    if (!timed && e->nparts &&
        json_span_is(member_raw(e->data, CONTEXT_CONTENT_KEY, JSON_STRING), "none"))
        return true;
    return !pi_native(e,
                      tool && json_span_is(member_raw(e->data, "role", JSON_STRING), "toolResult")
                          ? "toolResult"
                          : "");
}

/* ---- which line stands where ---- */

struct pi_line {
    const struct turn *turn;
    const struct piece *call; /* the result of this call; NULL: the turn itself */
    size_t at;                /* index of the entry it is written with */
    bool native;              /* pi's own: it is only here for its place */
};

/* The lines of a run, in the order of the conversation. */
struct pi_lines {
    struct turns turns;
    struct pi_line *at;
    size_t n;
    size_t next;  /* the first one that is not written */
    size_t spent; /* see foreign_usage() */
};

static void add_line(struct bough_arena *a, struct pi_lines *l, struct pi_line line)
{
    l->at = arena_room(a, l->at, l->n, sizeof *l->at);
    l->at[l->n++] = line;
}

static void add_turn(struct bough_arena *a, struct pi_lines *l, const struct turn *t)
{
    struct pi_line said = { .turn = t, .at = t->at, .native = true };
    const struct piece *p;

    for (p = t->first; p; p = p->next) {
        said.at = p->at > said.at ? p->at : said.at;
        said.native = said.native && !pi_is_foreign(p->e);
    }
    add_line(a, l, said);
    for (p = t->first; p; p = p->next)
        if (p->kind == PIECE_CALL)
            add_line(a, l,
                     (struct pi_line){ .turn = t,
                                       .call = p,
                                       .at = p->result->made ? said.at : p->result->at,
                                       .native = !pi_is_foreign(p->result->e) });
}

static struct pi_lines *lines_of(struct writing *w, const struct written_entry *we)
{
    struct written_run *run = w->run_of(w, we);
    struct pi_lines *l = run->state;

    if (l)
        return l;
    run->state = l = arena_zalloc(w->a, sizeof *l);
    foreign_turns(w, run, &pi_rules, &l->turns);
    for (const struct turn *t = l->turns.first; t; t = t->next)
        if (t->kind == TURN_USER || t->kind == TURN_MODEL)
            add_turn(w->a, l, t);
    /* No line may stand behind one that follows it in the conversation. */
    for (size_t i = l->n; i-- > 1;)
        if (l->at[i - 1].at > l->at[i].at)
            l->at[i - 1].at = l->at[i].at;
    return l;
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

static void put_answer(struct writing *w, struct json_writer *jw, const struct written_run *run,
                       struct pi_lines *l, const struct turn *t)
{
    const char *provider, *model;
    struct bough_totals spent;

    answer_model(w, t->e, &provider, &model);
    jw_kv_cstr(jw, "api", "openai-completions");
    jw_kv_cstr(jw, "provider", provider ? provider : "unknown");
    jw_kv_cstr(jw, "model", model ? model : "unknown");
    (void)foreign_usage(run, t, &l->spent, &spent);
    put_usage(jw, &spent);
    jw_kv_cstr(jw, "stopReason", t->calls ? "toolUse" : "stop");
}

static void put_said(struct writing *w, struct json_writer *jw, const struct written_run *run,
                     struct pi_lines *l, const struct turn *t)
{
    bool model = t->kind == TURN_MODEL;

    jw_kv_cstr(jw, "role", model ? "assistant" : "user");
    jw_key(jw, "content");
    jw_arr(jw);
    for (const struct piece *p = t->first; p; p = p->next) {
        if (jw->comma)
            buf_putc(jw->out, ',');
        pi_put(jw->out, w->a, p);
        jw->comma = true;
    }
    jw_end_arr(jw);
    if (model)
        put_answer(w, jw, run, l, t);
}

static void put_result(struct json_writer *jw, const struct piece *call)
{
    jw_kv_cstr(jw, "role", "toolResult");
    jw_key(jw, "toolCallId");
    put_quoted(jw->out, call->id);
    jw->comma = true;
    jw_key(jw, "toolName");
    put_quoted(jw->out, call->name);
    jw->comma = true;
    pi_content_put(jw, call->result->content);
    jw_kv_bool(jw, "isError", call->result->failed);
}

void pi_put_spent(struct writing *w, struct json_writer *jw, const struct bough_entry *e)
{
    const char *provider, *model;

    if (!e->usage)
        return;
    answer_model(w, e, &provider, &model);
    put_usage(jw, e->usage);
    jw_opt_cstr(jw, "provider", provider);
    jw_opt_cstr(jw, "model", model);
}

/* The entry as it was. */
static void put_original(struct writing *w, struct json_writer *jw, const struct bough_entry *e)
{
    jw_key(jw, PI_ENTRY);
    jw_obj(jw);
    jw_kv_cstr(jw, "role", bough_role_name(e->role));
    pi_put_spent(w, jw, e);
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

/* pi keeps the content of a custom message in the line. */
void pi_put_custom(struct writing *w, struct json_writer *jw, const struct bough_entry *e)
{
    struct part_view *parts = view_parts(w->a, e);

    members_put(jw, e->data, NULL);
    jw_key(jw, "content");
    jw_arr(jw);
    for (size_t i = 0; i < e->nparts; i++)
        (void)pi_block_put(jw,
                           &parts[i]); /* a part without an equivalent is only in the original */
    jw_end_arr(jw);
    put_original(w, jw, e);
}

/* ---- lines ---- */

static void begin_line(struct writing *w, struct json_writer *jw, const char *type, const char *id,
                       const char *parent, int64_t time)
{
    jw_init(jw, w->out);
    jw_obj(jw);
    jw_kv_cstr(jw, "type", type);
    jw_kv_cstr(jw, "id", id);
    jw_key(jw, "parentId");
    jw_cstr(jw, parent);
    pi_put_time(jw, time);
}

/* Write what the line says; the caller ends it. */
static void put_line(struct writing *w, struct json_writer *jw, const struct written_entry *we,
                     struct pi_lines *l, const char *id, const char *parent)
{
    const struct pi_line *line = &l->at[l->next++];
    const struct bough_entry *e = line->call ? line->call->result->e : line->turn->e;

    begin_line(w, jw, "message", id, parent, we->e->time);
    jw_key(jw, "message");
    jw_obj(jw);
    if (line->call)
        put_result(jw, line->call);
    else
        put_said(w, jw, w->run_of(w, we), l, line->turn);
    jw_kv_i64(jw, "timestamp", e->time);
    jw_end_obj(jw);
}

/* Lines of pi's own need no writing here. */
static bool has_line(struct pi_lines *l, size_t at)
{
    while (l->next < l->n && l->at[l->next].at <= at && l->at[l->next].native)
        l->next++;
    return l->next < l->n && l->at[l->next].at <= at;
}

/* Are there lines for this entry behind the next one? */
static bool has_more(const struct pi_lines *l, size_t at)
{
    for (size_t i = l->next + 1; i < l->n && l->at[i].at <= at; i++)
        if (!l->at[i].native)
            return true;
    return false;
}

static const char *made_id(struct writing *w, const char *id, size_t n)
{
    char hex[HEX_TEXT];

    made_hex(str_of(arena_printf(w->a, "%s/%zu", id, n)), hex);
    return arena_printf(w->a, PI_MADE "%.12s", hex);
}

/* The index of an entry in its run. */
static size_t index_of(const struct written_run *run, const struct bough_entry *e)
{
    size_t from = 0, to = run->n; /* depths ascend */

    while (from < to) {
        size_t mid = from + (to - from) / 2;

        if (run->entries[mid].at.depth < e->at.depth)
            from = mid + 1;
        else
            to = mid;
    }
    return from;
}

const char *pi_foreign_put(struct writing *w, const struct written_entry *we)
{
    const struct written_run *run = w->run_of(w, we);
    struct pi_lines *l = lines_of(w, we);
    size_t at = index_of(run, we->e), n = 0;
    const char *parent = we->parent, *first = NULL;
    struct json_writer jw;

    while (has_line(l, at) && has_more(l, at)) {
        const char *id = made_id(w, we->id, n++);

        put_line(w, &jw, we, l, id, parent);
        jw_kv_cstr(&jw, PI_OF, we->id);
        pi_line_end(w, &jw);
        parent = id;
        first = first ? first : id;
    }
    if (has_line(l, at)) {
        put_line(w, &jw, we, l, we->id, parent);
    } else {
        begin_line(w, &jw, "custom", we->id, parent, we->e->time);
        jw_kv_cstr(&jw, "customType", PI_ENTRY);
    }
    put_original(w, &jw, we->e);
    pi_line_end(w, &jw);
    return first ? first : we->id;
}

const char *pi_foreign_before(struct writing *w, const struct written_entry *we)
{
    const struct written_run *run = w->run_of(w, we);
    struct pi_lines *l = lines_of(w, we);
    size_t at = index_of(run, we->e), n = 0;
    const char *parent = we->parent;
    struct json_writer jw;

    while (parent && has_line(l, at)) {
        const char *id = made_id(w, we->id, n++);

        put_line(w, &jw, we, l, id, parent);
        jw_kv_cstr(&jw, PI_OF, we->parent);
        pi_line_end(w, &jw);
        parent = id;
    }
    return parent;
}

struct bough_str pi_foreign_summary(struct writing *w, const struct written_entry *we)
{
    const struct pi_lines *l = lines_of(w, we);

    for (const struct turn *t = l->turns.first; t; t = t->next)
        if (t->kind == TURN_MARKER && t->e->at.depth == we->e->at.depth)
            return t->summary;
    return str_make(NULL, 0);
}
