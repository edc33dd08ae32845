/* opencode's import JSON, writer: messages of other tools. A turn is a message; a result is in the
 * tool part of its call; a compaction is a request for a summary, and the answer (A21). */
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "formats/opencode/opencode_out.h"

/* ---- rules ---- */

static bool takes(const struct piece *file, enum file_place place, size_t used)
{
    (void)used;
    return place != FILE_OF_MODEL && (file_bytes(file) || file_remote(file));
}

/* opencode shows reasoning of another model as text, so none is given (rule 6). */
static const struct turns_rules rules = {
    .id_max = 64,
    .name_max = 64,
    .takes = takes,
    .system_apart = true,
    .merges_models = true,
    .user_first = true,
};

/* ---- models ---- */

/* opencode continues with the model of the last message, so it must not be empty. */
static bool see_model(struct writing *w, const struct bough_entry *e)
{
    struct opencode_out *out = w->state;
    const char *provider, *model;

    if (e->role != BOUGH_ROLE_ASSISTANT)
        return false;
    answer_model(w, e, &provider, &model);
    if (!cstr_empty(provider))
        out->provider = provider;
    if (!cstr_empty(model))
        out->model = model;
    return !cstr_empty(out->provider) && !cstr_empty(out->model);
}

static void first_model(struct writing *w, const struct written_run *run)
{
    struct opencode_out *out = w->state;

    out->provider = w->session->model_provider;
    out->model = w->session->model_name;
    for (size_t i = 0; i < run->n; i++)
        if (see_model(w, &run->entries[i]))
            return;
}

/* ---- information about a message ---- */

struct path {
    struct writing *w;
    struct opencode_out *out;
    struct json_writer *jw;
    const struct written_run *run;
    size_t next;         /* index of the next entry of the path */
    size_t spent;        /* see foreign_usage() */
    const char **first;  /* of each entry: the id of the first message that has a piece of it */
    const char *message; /* the id of the message being written */
    int64_t time;        /* and its time */
    bool marked;         /* a part of it names its entry */
};

static void begin_message(struct path *p, const struct turn *t, const char *more)
{
    const struct bough_entry *e = &p->run->entries[t->at];
    const char *of = arena_printf(p->w->a, "%s%s", p->run->ids[t->at], more);

    p->out->clock = e->time > p->out->clock ? e->time : p->out->clock;
    p->time = p->out->clock;
    p->message = opencode_make_id(p->w, "msg", p->time, of);
    p->marked = false;
    for (const struct piece *one = t->first; one; one = one->next)
        if (!p->first[one->at])
            p->first[one->at] = p->message;
    jw_obj(p->jw);
    jw_key(p->jw, "info");
    jw_obj(p->jw);
}

static void put_user_info(struct path *p)
{
    struct json_writer *jw = p->jw;

    jw_kv_cstr(jw, "role", "user");
    jw_key(jw, "time");
    jw_obj(jw);
    jw_kv_i64(jw, "created", p->time);
    jw_end_obj(jw);
    jw_kv_cstr(jw, "agent", "build");
    jw_key(jw, "model");
    jw_obj(jw);
    jw_kv_cstr(jw, "providerID", p->out->provider);
    jw_kv_cstr(jw, "modelID", p->out->model);
    jw_end_obj(jw);
    p->out->user = p->message;
}

static void put_tokens(struct json_writer *jw, const struct bough_totals *t)
{
    jw_key(jw, "tokens");
    jw_obj(jw);
    jw_kv_i64(jw, "input", t->input);
    jw_kv_i64(jw, "output", t->output);
    jw_kv_i64(jw, "reasoning", t->reasoning);
    jw_key(jw, "cache");
    jw_obj(jw);
    jw_kv_i64(jw, "read", t->cache_read);
    jw_kv_i64(jw, "write", t->cache_write);
    jw_end_obj(jw);
    jw_end_obj(jw);
}

static void put_agent_info(struct path *p, const struct turn *t, bool summary)
{
    const char *directory = p->w->session->project, *mode = summary ? "compaction" : "build";
    struct json_writer *jw = p->jw;
    struct bough_totals spent;

    (void)foreign_usage(p->run, t, &p->spent, &spent);
    (void)see_model(p->w, t->e);
    jw_kv_cstr(jw, "role", "assistant");
    jw_kv_cstr(jw, "parentID", p->out->user ? p->out->user : "");
    jw_kv_cstr(jw, "mode", mode);
    jw_kv_cstr(jw, "agent", mode);
    jw_key(jw, "path");
    jw_obj(jw);
    jw_kv_cstr(jw, "cwd", directory);
    jw_kv_cstr(jw, "root", directory);
    jw_end_obj(jw);
    jw_key(jw, "cost");
    jw_f64(jw, (double)spent.cost / 1e9);
    put_tokens(jw, &spent);
    jw_kv_cstr(jw, "modelID", p->out->model);
    jw_kv_cstr(jw, "providerID", p->out->provider);
    jw_key(jw, "time");
    jw_obj(jw);
    jw_kv_i64(jw, "created", p->time);
    jw_kv_i64(jw, "completed", p->time + t->e->duration);
    jw_end_obj(jw);
    jw_kv_cstr(jw, "finish", t->calls ? "tool-calls" : "stop");
    if (summary)
        jw_kv_bool(jw, "summary", true);
}

static void begin_parts(struct path *p)
{
    jw_kv_cstr(p->jw, "id", p->message);
    jw_kv_cstr(p->jw, "sessionID", p->out->session);
    jw_end_obj(p->jw);
    jw_key(p->jw, "parts");
    jw_arr(p->jw);
}

/* ---- parts ---- */

/* opencode keeps the metadata of texts and tools. */
static void put_mark(struct path *p, const struct bough_entry *e)
{
    if (p->marked)
        return;
    jw_key(p->jw, "metadata");
    jw_obj(p->jw);
    foreign_mark(p->w, p->jw, e, NULL);
    jw_end_obj(p->jw);
    p->marked = true;
}

static void end_part(struct path *p, const char *of)
{
    jw_kv_cstr(p->jw, "id", opencode_make_id(p->w, "prt", p->time, of));
    jw_kv_cstr(p->jw, "sessionID", p->out->session);
    jw_kv_cstr(p->jw, "messageID", p->message);
    jw_end_obj(p->jw);
}

static void put_text_part(struct path *p, const struct piece *text, const struct bough_entry *mark)
{
    jw_obj(p->jw);
    jw_kv_cstr(p->jw, "type", "text");
    jw_key(p->jw, "text");
    put_text(p->jw->out, text);
    p->jw->comma = true;
    put_mark(p, mark);
    end_part(p, p->message);
}

/* A part that is not sent, for a message without a text to name its entry. */
static void put_mark_part(struct path *p, const struct bough_entry *mark)
{
    jw_obj(p->jw);
    jw_kv_cstr(p->jw, "type", "text");
    jw_kv_cstr(p->jw, "text", "");
    jw_kv_bool(p->jw, "synthetic", true);
    jw_kv_bool(p->jw, "ignored", true);
    put_mark(p, mark);
    end_part(p, p->message);
}

static void put_file_part(struct path *p, const struct piece *file)
{
    jw_obj(p->jw);
    jw_kv_cstr(p->jw, "type", "file");
    jw_key(p->jw, "mime");
    put_quoted(
        p->jw->out,
        file_type(file, file_class(file) == FILE_IMAGE ? "image/png" : "application/octet-stream"));
    p->jw->comma = true;
    if (file->s.filename.n > 2)
        jw_kv_raw(p->jw, "filename", file->s.filename);
    jw_key(p->jw, "url");
    put_url(p->jw->out, file);
    p->jw->comma = true;
    end_part(p, p->message);
}

static void put_state(struct path *p, const struct piece *call)
{
    const struct result *r = call->result;
    struct json_writer *jw = p->jw;
    bool files = false;

    jw_key(jw, "state");
    jw_obj(jw);
    jw_kv_cstr(jw, "status", r->failed ? "error" : "completed");
    jw_kv_raw(jw, "input", call_object(p->w->a, call));
    jw_key(jw, r->failed ? "error" : "output");
    put_texts(jw->out, r->content, "\\n");
    jw->comma = true;
    if (!r->failed) {
        jw_key(jw, "title");
        put_quoted(jw->out, call->name);
        jw->comma = true;
        jw_kv_raw(jw, "metadata", str_of("{}"));
    }
    jw_key(jw, "time");
    jw_obj(jw);
    jw_kv_i64(jw, "start", p->time);
    jw_kv_i64(jw, "end", p->time);
    jw_end_obj(jw);
    for (const struct piece *one = r->content; one && !r->failed; one = one->next) {
        if (one->kind != PIECE_FILE)
            continue;
        if (!files) {
            jw_key(jw, "attachments");
            jw_arr(jw);
        }
        files = true;
        put_file_part(p, one);
    }
    if (files)
        jw_end_arr(jw);
    jw_end_obj(jw);
}

static void put_tool_part(struct path *p, const struct piece *call, const struct bough_entry *mark)
{
    jw_obj(p->jw);
    jw_kv_cstr(p->jw, "type", "tool");
    jw_key(p->jw, "callID");
    put_quoted(p->jw->out, call->id);
    p->jw->comma = true;
    jw_key(p->jw, "tool");
    put_quoted(p->jw->out, call->name);
    p->jw->comma = true;
    put_state(p, call);
    put_mark(p, mark);
    end_part(p, p->message);
}

/* ---- messages ---- */

static void end_message(struct path *p)
{
    jw_end_arr(p->jw);
    jw_end_obj(p->jw);
}

/* The entry behind whose line the next message goes: the last one of the turn. */
static const struct bough_entry *mark_of(const struct path *p, const struct turn *t, bool last)
{
    size_t at = t->at;

    for (const struct piece *one = t->first; one; one = one->next) {
        at = one->at > at ? one->at : at;
        if (one->kind == PIECE_CALL && one->result->at > at)
            at = one->result->at;
    }
    return &p->run->entries[last ? p->run->n - 1 : at];
}

static void put_message(struct path *p, const struct turn *t, bool last)
{
    const struct bough_entry *mark = mark_of(p, t, last);

    begin_message(p, t, "");
    if (t->kind == TURN_MODEL)
        put_agent_info(p, t, false);
    else
        put_user_info(p);
    begin_parts(p);
    if (!pieces_of(t->first, PIECE_TEXT) && !pieces_of(t->first, PIECE_CALL))
        put_mark_part(p, mark);
    for (const struct piece *one = t->first; one; one = one->next) {
        if (one->kind == PIECE_TEXT)
            put_text_part(p, one, mark);
        else if (one->kind == PIECE_FILE)
            put_file_part(p, one);
        else if (one->kind == PIECE_CALL)
            put_tool_part(p, one, mark);
    }
    end_message(p);
}

/* The first message of what the marker keeps. */
static const char *tail_of(const struct path *p, const struct turn *marker)
{
    for (size_t i = marker->kept; i < marker->at; i++)
        if (p->first[i])
            return p->first[i];
    return NULL;
}

static void put_summary(struct path *p, const struct turn *marker, bool last)
{
    const struct bough_entry *mark = mark_of(p, marker, last);
    struct piece told = *marker->first;

    told.s.text = marker->summary;
    begin_message(p, marker, "");
    put_user_info(p);
    begin_parts(p);
    put_mark_part(p, mark);
    jw_obj(p->jw);
    jw_kv_cstr(p->jw, "type", "compaction");
    jw_kv_bool(p->jw, "auto", false);
    jw_opt_cstr(p->jw, "tail_start_id", tail_of(p, marker));
    end_part(p, p->message);
    end_message(p);
    begin_message(p, marker, " told");
    put_agent_info(p, marker, true);
    begin_parts(p);
    put_text_part(p, &told, mark);
    end_message(p);
}

/* ---- the path ---- */

static void flush_native(struct path *p, size_t end)
{
    for (; p->next < end; p->next++) {
        const struct bough_entry *e = &p->run->entries[p->next];
        const char *id = p->run->ids[p->next];

        if (e->kind != BOUGH_ENTRY_MESSAGE || !opencode_native(e, id))
            continue;
        opencode_put_native(p->w, p->jw, e, id);
        p->first[p->next] = id;
        p->out->clock = e->time > p->out->clock ? e->time : p->out->clock;
    }
}

/* A marker of opencode's own has no summary: messages behind it are the request and the answer. */
static bool is_foreign(const struct path *p, const struct turn *t)
{
    if (t->kind == TURN_MARKER)
        return t->first && member_raw(t->e->data, "summary", JSON_STRING).n;
    for (const struct piece *one = t->first; one; one = one->next)
        if (!opencode_native(one->e, p->run->ids[one->at]))
            return true;
    return false;
}

void opencode_put_messages(struct writing *w, struct json_writer *jw, const struct written_run *run)
{
    struct path p = { .w = w, .out = w->state, .jw = jw, .run = run };
    const struct turn *last = NULL;
    struct turns turns;
    size_t native = 0;

    p.first = arena_array(w->a, run->n + 1, sizeof *p.first);
    first_model(w, run);
    foreign_turns(w, run, &rules, &turns);
    for (const struct turn *t = turns.first; t; t = t->next)
        last = is_foreign(&p, t) ? t : last;
    for (size_t i = 0; i < run->n; i++)
        native = opencode_native(&run->entries[i], run->ids[i]) ? i + 1 : native;
    for (const struct turn *t = turns.first; t; t = t->next) {
        if (!is_foreign(&p, t))
            continue;
        flush_native(&p, t->at);
        if (t->kind == TURN_MARKER)
            put_summary(&p, t, t == last && native <= t->at);
        else
            put_message(&p, t, t == last && native <= t->at);
    }
    flush_native(&p, run->n);
}
