/* Claude Code's session files, writer: the head's path of other tools as lines that Claude Code
 * resumes. A turn is a line, and so are its results; a compaction is in Claude Code's own form,
 * with the segment that it preserves. */
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "formats/claude/claude_out.h"

/* A line on the path: where it stands among the entries. */
struct line {
    size_t at;
    const char *uuid;
};

struct path {
    struct writing *w;
    const struct written_run *run;
    struct claude_out *out;
    size_t next;      /* index of the next entry of the path */
    size_t spent;     /* see foreign_usage() */
    const char *uuid; /* of the last line, or NULL */
    struct line *lines;
    size_t nlines;
    struct names taken; /* uuids of lines */
};

static struct turns_rules rules(void)
{
    struct turns_rules r = anthropic_rules;

    r.merges_users = false; /* Claude Code does it */
    r.trims_last = false;
    return r;
}

/* ---- a line ---- */

void claude_line_begin(struct writing *w, struct json_writer *jw, const char *parent,
                       const char *type)
{
    const struct claude_out *out = w->state;

    jw_init(jw, w->out);
    jw_obj(jw);
    jw_kv_cstr(jw, "parentUuid", parent);
    jw_kv_bool(jw, "isSidechain", out->agent);
    jw_kv_cstr(jw, "userType", "external");
    jw_kv_cstr(jw, "cwd", w->session->project);
    jw_kv_cstr(jw, "version", "2.1.325");
    jw_kv_cstr(jw, "gitBranch", "");
    jw_kv_cstr(jw, "type", type);
}

void claude_line_finish(struct writing *w, struct json_writer *jw, const char *uuid, int64_t time)
{
    const struct claude_out *out = w->state;

    jw_kv_cstr(jw, "uuid", uuid);
    claude_put_time(jw, time);
    jw_kv_cstr(jw, "sessionId", out->session);
    claude_line_end(w, jw);
}

static void note_line(struct path *p, size_t at, const char *uuid)
{
    p->lines = arena_room(p->w->a, p->lines, p->nlines, sizeof *p->lines);
    p->lines[p->nlines++] = (struct line){ at, uuid };
    names_put(p->w->a, &p->taken, uuid, "");
    p->uuid = uuid;
}

/* The first line of an entry has the uuid derived from its id. */
static const char *new_uuid(struct path *p, size_t at)
{
    struct bough_arena *a = p->w->a;
    const char *uuid = as_uuid(a, p->run->ids[at]);

    for (int n = 1; names_get(&p->taken, uuid); n++)
        uuid = as_uuid(a, arena_printf(a, "%s %d", p->run->ids[at], n));
    return uuid;
}

/* Begin a line that stands for entry `at`, the last one of the file for the last of the path: what
 * the tool adds goes behind it. */
static void begin_line(struct path *p, struct json_writer *jw, const char *type, size_t at,
                       bool last)
{
    const struct bough_entry *e = &p->run->entries[last ? p->run->n - 1 : at];

    claude_line_begin(p->w, jw, p->uuid, type);
    foreign_mark(p->w, jw, e, p->out->marked ? NULL : p->out->session);
    p->out->marked = true;
}

static void finish_line(struct path *p, struct json_writer *jw, size_t at, const char *uuid)
{
    claude_line_finish(p->w, jw, uuid, p->run->entries[at].time);
    note_line(p, at, uuid);
}

/* ---- turns ---- */

static void put_blocks(struct path *p, struct json_writer *jw, const struct piece *first)
{
    jw_key(jw, "content");
    jw_arr(jw);
    for (const struct piece *one = first; one; one = one->next) {
        if (one != first)
            buf_putc(jw->out, ',');
        anthropic_put(jw->out, p->w->a, one);
    }
    jw_end_arr(jw);
}

static void put_usage(struct json_writer *jw, const struct bough_totals *t)
{
    jw_key(jw, "usage");
    jw_obj(jw);
    jw_kv_i64(jw, "input_tokens", t->input);
    jw_kv_i64(jw, "cache_creation_input_tokens", t->cache_write);
    jw_kv_i64(jw, "cache_read_input_tokens", t->cache_read);
    jw_kv_i64(jw, "output_tokens", t->output);
    jw_end_obj(jw);
}

static size_t last_at(const struct turn *t)
{
    size_t at = t->at;

    for (const struct piece *p = t->first; p; p = p->next)
        at = p->at > at ? p->at : at;
    return at;
}

static void put_user(struct path *p, const struct turn *t, bool last)
{
    size_t at = last_at(t);
    const char *uuid = new_uuid(p, at);
    struct json_writer jw;

    begin_line(p, &jw, "user", at, last);
    jw_key(&jw, "message");
    jw_obj(&jw);
    jw_kv_cstr(&jw, "role", "user");
    put_blocks(p, &jw, t->first);
    jw_end_obj(&jw);
    finish_line(p, &jw, at, uuid);
}

static void put_results(struct path *p, const struct turn *t, bool last)
{
    const struct piece *one = t->first;
    const char *uuid;
    struct json_writer jw;
    size_t at = 0;
    bool more = false;

    for (; one; one = one->next)
        if (one->kind == PIECE_CALL && one->result->at > at)
            at = one->result->at;
    uuid = new_uuid(p, at);
    begin_line(p, &jw, "user", at, last);
    jw_key(&jw, "message");
    jw_obj(&jw);
    jw_kv_cstr(&jw, "role", "user");
    jw_key(&jw, "content");
    jw_arr(&jw);
    for (one = t->first; one; one = one->next) {
        if (one->kind != PIECE_CALL)
            continue;
        if (more)
            buf_putc(jw.out, ',');
        anthropic_put_result(jw.out, one);
        more = true;
    }
    jw_end_arr(&jw);
    jw_end_obj(&jw);
    finish_line(p, &jw, at, uuid);
}

static void put_model(struct path *p, const struct turn *t, bool last)
{
    size_t at = last_at(t);
    const char *uuid = new_uuid(p, at), *provider, *model;
    struct bough_totals spent;
    struct json_writer jw;
    char hex[HEX_TEXT];

    made_hex(str_of(uuid), hex);
    answer_model(p->w, t->e, &provider, &model);
    begin_line(p, &jw, "assistant", at, last && !t->calls);
    jw_key(&jw, "message");
    jw_obj(&jw);
    jw_kv_cstr(&jw, "id", arena_printf(p->w->a, "msg_%.24s", hex));
    jw_kv_cstr(&jw, "type", "message");
    jw_kv_cstr(&jw, "model", model ? model : p->w->session->model_name);
    jw_kv_cstr(&jw, "role", "assistant");
    jw_kv_cstr(&jw, "stop_reason", t->calls ? "tool_use" : "end_turn");
    jw_kv_cstr(&jw, "stop_sequence", NULL);
    (void)foreign_usage(p->run, t, &p->spent, &spent);
    put_usage(&jw, &spent);
    put_blocks(p, &jw, t->first);
    jw_end_obj(&jw);
    finish_line(p, &jw, at, uuid);
    if (t->calls)
        put_results(p, t, last);
}

/* ---- compactions ---- */

/* The lines between the first kept entry and the marker. */
static void put_segment(struct path *p, struct json_writer *jw, const struct turn *t,
                        const char *anchor)
{
    size_t first = 0;

    while (first < p->nlines && p->lines[first].at < t->kept)
        first++;
    if (t->kept >= t->at || first == p->nlines)
        return;
    jw_key(jw, "preservedSegment");
    jw_obj(jw);
    jw_kv_cstr(jw, "headUuid", p->lines[first].uuid);
    jw_kv_cstr(jw, "anchorUuid", anchor);
    jw_kv_cstr(jw, "tailUuid", p->lines[p->nlines - 1].uuid);
    jw_end_obj(jw);
}

/* The boundary, and a line with the summary. */
static void put_marker(struct path *p, const struct turn *t, bool last)
{
    struct bough_arena *a = p->w->a;
    const char *uuid = new_uuid(p, t->at), *id = p->run->ids[t->at],
               *told = as_uuid(a, arena_printf(a, "%s told", id));
    const char *before = p->uuid;
    struct json_writer jw;

    p->uuid = NULL; /* a boundary begins a chain */
    begin_line(p, &jw, "system", t->at, false);
    jw_kv_cstr(&jw, "logicalParentUuid", before);
    jw_kv_cstr(&jw, "subtype", "compact_boundary");
    jw_kv_cstr(&jw, "content", "Conversation compacted");
    jw_kv_bool(&jw, "isMeta", false);
    jw_kv_cstr(&jw, "level", "info");
    jw_key(&jw, "compactMetadata");
    jw_obj(&jw);
    jw_kv_cstr(&jw, "trigger", "manual");
    put_segment(p, &jw, t, told);
    jw_end_obj(&jw);
    finish_line(p, &jw, t->at, uuid);
    begin_line(p, &jw, "user", t->at, last);
    jw_kv_bool(&jw, "isCompactSummary", true);
    jw_kv_bool(&jw, "isVisibleInTranscriptOnly", true);
    jw_key(&jw, "message");
    jw_obj(&jw);
    jw_kv_cstr(&jw, "role", "user");
    jw_key(&jw, "content");
    if (t->first)
        put_text(jw.out, t->first);
    else
        PUT(jw.out, "\"\"");
    jw.comma = true;
    jw_end_obj(&jw);
    finish_line(p, &jw, t->at, told);
}

/* ---- the path ---- */

/* Write Claude Code's own lines before entry `end`. */
static void flush_native(struct path *p, size_t end)
{
    for (; p->next < end; p->next++) {
        const struct bough_entry *e = &p->run->entries[p->next];
        const char *id = p->run->ids[p->next], *up = p->next ? p->run->ids[p->next - 1] : NULL;

        if (claude_native(e)) {
            claude_put_native(p->w, e, id, up);
            if (member_raw(e->data, CLAUDE_LINE, JSON_OBJECT).n)
                note_line(p, p->next, id);
        } else {
            names_put(p->w->a, &p->out->uuids, id, p->uuid ? p->uuid : "");
        }
    }
}

static bool is_foreign(const struct turn *t)
{
    if (t->kind == TURN_MARKER || !t->first)
        return !claude_native(t->e);
    for (const struct piece *one = t->first; one; one = one->next)
        if (!claude_native(one->e))
            return true;
    return false;
}

static void put_turn(struct path *p, const struct turn *t, bool last)
{
    flush_native(p, t->at);
    if (t->kind == TURN_MODEL)
        put_model(p, t, last);
    else if (t->kind == TURN_USER)
        put_user(p, t, last);
    else if (t->kind == TURN_MARKER)
        put_marker(p, t, last);
}

/* The first entry of the path that waits, and the lines before it, which are written. */
static void find_start(struct path *p)
{
    while (p->next < p->run->n) {
        const struct bough_entry *e = &p->run->entries[p->next];

        if (!claude_native(e) && turns_shows(e))
            break;
        if (member_raw(e->data, CLAUDE_LINE, JSON_OBJECT).n)
            note_line(p, p->next, p->run->ids[p->next]);
        p->next++;
    }
}

void claude_put_foreign(struct writing *w)
{
    struct path p = { .w = w, .run = w->run_of(w, NULL), .out = w->state };
    struct turns_rules how = rules();
    const struct turn *last = NULL;
    struct turns turns;
    size_t native = 0; /* index behind the last line of Claude Code's own */

    foreign_turns(w, p.run, &how, &turns);
    for (const struct turn *t = turns.first; t; t = t->next)
        last = is_foreign(t) ? t : last;
    for (size_t i = 0; i < p.run->n; i++)
        if (claude_native(&p.run->entries[i]))
            native = i + 1;
    find_start(&p);
    for (const struct turn *t = turns.first; t; t = t->next)
        if (is_foreign(t))
            put_turn(&p, t, t == last && native <= t->at);
    flush_native(&p, p.run->n);
}
