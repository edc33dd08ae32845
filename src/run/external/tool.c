/* Tool calls of an agent: made from their first mention, merged, advanced along A11. */
#include <string.h>

#include "base/memory/arena.h"
#include "base/memory/mem.h"
#include "base/text/str.h"
#include "base/text/utf8.h"
#include "run/external/inside.h"
#include "run/runner.h"

enum { PART_MOST = 64 << 20, DIFFS_MOST = 4 << 20 };

/* ---- the part ---- */

static struct json parsed(struct bough_arena *a, const char *raw)
{
    struct json j = { 0 };

    if (raw && json_parse(a, str_of(raw), &j, NULL))
        j = (struct json){ 0 };
    return j;
}

static void put_input(struct json_writer *w, const struct ext_tool *o)
{
    jw_key(w, "input");
    if (o->input && *o->input == '{') {
        jw_raw(w, str_of(o->input));
        return;
    }
    jw_obj(w);
    if (o->input)
        jw_kv_raw(w, "value", str_of(o->input));
    jw_end_obj(w);
}

/* Diffs of the content, as they came. */
static void put_diffs(struct json_writer *w, struct json content)
{
    struct json_iter it = json_iter(content);
    bool any = false;

    while (json_next(&it)) {
        if (!json_is(json_member(it.value, "type"), "diff") ||
            w->out->n + json_raw(it.value).n > DIFFS_MOST)
            continue;
        if (!any) {
            jw_key(w, "diffs");
            jw_arr(w);
        }
        any = true;
        jw_raw(w, json_raw(it.value));
    }
    if (any)
        jw_end_arr(w);
}

static void put_metadata(struct json_writer *w, const struct ext_tool *o, struct json content)
{
    jw_key(w, "metadata");
    jw_obj(w);
    jw_opt_cstr(w, "kind", o->kind);
    if (o->locations)
        jw_kv_raw(w, "locations", str_of(o->locations));
    put_diffs(w, content);
    jw_end_obj(w);
}

static struct bough_str cut(struct bough_str s)
{
    return s.n > EXT_OUTPUT_MOST ? str_make(s.p, utf8_cut(s.p, s.n, EXT_OUTPUT_MOST)) : s;
}

static struct bough_str text_of(struct ext *x, const struct ext_tool *o, struct json content)
{
    struct bough_str text = acp_tool_text(x->scratch, content, parsed(x->scratch, o->output));

    if (o->has_terminal && o->terminal.n)
        text = text.n ? str_of(arena_printf(x->scratch, "%s\n%s", o->terminal.p,
                                            arena_strndup(x->scratch, text.p, text.n)))
                      : buf_str(&o->terminal);
    return cut(text);
}

static void put_state(struct ext *x, struct json_writer *w, const struct ext_tool *o,
                      enum bough_tool_state state)
{
    static const char *const words[] = { "pending", "running", "completed", "error" };
    struct json content = parsed(x->scratch, o->content);
    bool over = state == BOUGH_TOOL_COMPLETED || state == BOUGH_TOOL_ERROR;
    struct bough_str text = text_of(x, o, content);

    jw_kv_cstr(w, "status", words[state]);
    put_input(w, o);
    if (state == BOUGH_TOOL_PENDING)
        jw_kv_cstr(w, "raw", o->input ? o->input : "");
    if (state == BOUGH_TOOL_ERROR)
        jw_kv_str(w, "error", text.n ? text : str_of("failed"));
    else if (over || text.n)
        jw_kv_str(w, "output", text);
    jw_kv_cstr(w, "title", o->title ? o->title : "");
    put_metadata(w, o, content);
    jw_key(w, "time");
    jw_obj(w);
    jw_kv_i64(w, "start", o->start);
    if (over)
        jw_kv_i64(w, "end", o->end);
    jw_end_obj(w);
}

static struct bough_str part_json(struct ext *x, const struct ext_tool *o,
                                  enum bough_tool_state state)
{
    struct json_writer w;
    struct buf b;

    buf_init(&b, PART_MOST);
    jw_init(&w, &b);
    jw_obj(&w);
    jw_kv_cstr(&w, "type", "tool");
    jw_kv_cstr(&w, "callID", o->id);
    jw_kv_cstr(&w, "tool", o->name ? o->name : o->kind ? o->kind : "other");
    jw_key(&w, "state");
    jw_obj(&w);
    put_state(x, &w, o, state);
    jw_end_obj(&w);
    jw_end_obj(&w);
    return buf_give(&b, x->scratch);
}

/* ---- calls ---- */

static enum bough_tool_state state_of(const char *status, enum bough_tool_state now)
{
    if (!status)
        return now;
    if (strcmp(status, "in_progress") == 0)
        return BOUGH_TOOL_RUNNING;
    if (strcmp(status, "completed") == 0)
        return BOUGH_TOOL_COMPLETED;
    if (strcmp(status, "failed") == 0 || strcmp(status, "cancelled") == 0)
        return BOUGH_TOOL_ERROR;
    return now;
}

static bool is_over(enum bough_tool_state s)
{
    return s == BOUGH_TOOL_COMPLETED || s == BOUGH_TOOL_ERROR;
}

/* The newest call with this id. An agent may use an id again once its call has ended. */
static struct ext_tool *find(struct ext *x, const char *id, bool begins)
{
    for (size_t i = x->ntools; i-- > 0;)
        if (strcmp(x->tools[i].id, id) == 0)
            return begins && is_over(x->tools[i].state) ? NULL : &x->tools[i];
    return NULL;
}

/* Members replace earlier ones; those that are missing leave them. */
static void merge(struct ext_tool *o, const struct acp_tool *in)
{
    if (in->title)
        ext_replace(&o->title, str_of(in->title));
    if (in->kind)
        ext_replace(&o->kind, str_of(in->kind));
    if (in->name)
        ext_replace(&o->name, str_of(in->name));
    if (in->input.doc && json_type(in->input) != JSON_NULL)
        ext_replace(&o->input, json_raw(in->input));
    if (in->output.doc && json_type(in->output) != JSON_NULL)
        ext_replace(&o->output, json_raw(in->output));
    if (in->content.doc)
        ext_replace(&o->content, json_raw(in->content));
    if (in->locations.doc)
        ext_replace(&o->locations, json_raw(in->locations));
    if (in->terminal.n) {
        if (!o->has_terminal)
            buf_init(&o->terminal, EXT_OUTPUT_MOST);
        o->has_terminal = true;
        buf_put_str(&o->terminal, in->terminal);
    }
}

static struct ext_tool *add(struct ext *x, const struct acp_tool *in)
{
    struct ext_tool *o;

    if (x->ntools >= EXT_TOOLS_MOST)
        return NULL;
    x->tools = mem_room(x->tools, x->ntools, sizeof *x->tools);
    o = &x->tools[x->ntools++];
    *o = (struct ext_tool){ .id = ext_dup(str_of(in->id)), .start = work_now(x->w) };
    merge(o, in);
    ext_part(x, part_json(x, o, BOUGH_TOOL_PENDING));
    o->message = x->message;
    o->part = x->parts - 1;
    return o;
}

/* Write the state `to`, with the state between if one is needed. */
static void advance(struct ext *x, struct ext_tool *o, enum bough_tool_state to)
{
    struct bough_str steps[2];
    size_t n = 0;

    if (!bough_tool_may_become(o->state, to)) {
        if (is_over(o->state))
            to = o->state; /* its end is final; texts may still come */
        else
            steps[n++] = part_json(x, o, BOUGH_TOOL_RUNNING);
    }
    if (is_over(to) && !o->end)
        o->end = work_now(x->w);
    steps[n++] = part_json(x, o, to);
    o->state = to;
    o->due = false;
    if (o->message == x->message)
        ext_states(x, o->part, steps, n);
}

static void write_soon(struct ext *x, struct ext_tool *o)
{
    if (!x->tools_due)
        x->tools_since = ext_now();
    x->tools_due = o->due = true;
}

void ext_tools_flush(struct ext *x)
{
    if (!x->tools_due)
        return;
    x->tools_due = false;
    for (size_t i = 0; i < x->ntools; i++)
        if (x->tools[i].due)
            advance(x, &x->tools[i], x->tools[i].state);
}

struct ext_tool *ext_tool_take(struct ext *x, const struct acp_tool *in, bool begins)
{
    struct ext_tool *o = find(x, in->id, begins);
    bool is_new = !o;
    enum bough_tool_state to;

    if (o)
        merge(o, in);
    else
        o = add(x, in);
    if (!o)
        return NULL;
    to = state_of(in->status, o->state);
    if (to != o->state || (!is_new && is_over(to)))
        advance(x, o, to);
    else if (!is_new)
        write_soon(x, o);
    return o;
}

void ext_tools_end(struct ext *x, const char *why)
{
    for (size_t i = 0; i < x->ntools; i++) {
        struct ext_tool *o = &x->tools[i];
        struct buf b;

        if (is_over(o->state))
            continue;
        buf_init(&b, 4096);
        buf_printf(&b, "[{\"type\":\"content\",\"content\":{\"type\":\"text\",\"text\":\"%s\"}}]",
                   why);
        ext_replace(&o->content, buf_str(&b));
        buf_finish(&b);
        advance(x, o, BOUGH_TOOL_ERROR);
    }
}

void ext_tools_free(struct ext *x)
{
    for (size_t i = 0; i < x->ntools; i++) {
        struct ext_tool *o = &x->tools[i];
        char *all[] = { o->id,    o->title,  o->kind,    o->name,
                        o->input, o->output, o->content, o->locations };

        for (size_t k = 0; k < sizeof all / sizeof *all; k++)
            mem_free(all[k]);
        if (o->has_terminal)
            buf_finish(&o->terminal);
    }
    mem_free(x->tools);
}
