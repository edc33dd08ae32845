/* Parts and steps of a message as chunks of the AI SDK's UI message stream. */
#include <stdio.h>
#include <string.h>

#include "api/originals/ui.h"
#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/memory/mem.h"
#include "base/text/str.h"
#include "core/part/part.h"

void ui_told_finish(struct ui_told *t)
{
    mem_free(t->parts);
    *t = (struct ui_told){ 0 };
}

static struct ui_part *told_of(struct ui_told *t, size_t index)
{
    if (index >= t->cap) {
        size_t cap = index + 8;

        t->parts = mem_realloc(t->parts, mem_array(cap, sizeof *t->parts));
        memset(t->parts + t->cap, 0, (cap - t->cap) * sizeof *t->parts);
        t->cap = cap;
    }
    t->n = index < t->n ? t->n : index + 1;
    return &t->parts[index];
}

/* ---- chunks ---- */

struct chunk {
    struct buf b;
    struct json_writer w;
};

static struct json_writer *chunk_begin(struct chunk *c, const char *type)
{
    buf_init(&c->b, LIMIT_JSON_BYTES);
    jw_init(&c->w, &c->b);
    jw_obj(&c->w);
    jw_kv_cstr(&c->w, "type", type);
    return &c->w;
}

static void chunk_end(struct http_res *res, struct chunk *c)
{
    jw_end_obj(&c->w);
    jw_drop_breaks(&c->w);
    http_sse_write(res, &(struct http_event){ .data = buf_str(&c->b) });
    buf_finish(&c->b);
}

static void plain_chunk(struct http_res *res, const char *type)
{
    struct chunk c;

    chunk_begin(&c, type);
    chunk_end(res, &c);
}

/* The id of a text in the stream is the number of its part. */
static void text_chunk(struct http_res *res, const struct ui_part *p, const char *what,
                       size_t index, struct bough_str delta)
{
    char type[32], id[24];
    struct json_writer *w;
    struct chunk c;

    snprintf(type, sizeof type, "%s-%s", p->type == BOUGH_PART_TEXT ? "text" : "reasoning", what);
    snprintf(id, sizeof id, "%zu", index);
    w = chunk_begin(&c, type);
    jw_kv_cstr(w, "id", id);
    if (strcmp(what, "delta") == 0)
        jw_kv_str(w, "delta", delta);
    chunk_end(res, &c);
}

void ui_text(struct http_res *res, struct ui_told *t, size_t index, struct bough_str delta)
{
    struct ui_part *p = told_of(t, index);

    if (!delta.n || (p->type != BOUGH_PART_TEXT && p->type != BOUGH_PART_REASONING))
        return;
    if (p->ended) /* its step ended: start the text again */
        text_chunk(res, p, "start", index, str_of(""));
    p->ended = false;
    text_chunk(res, p, "delta", index, delta);
    p->text += delta.n;
}

/* Clients drop the open texts at the end of a step, so send their end first. */
static void end_texts(struct http_res *res, struct ui_told *t)
{
    for (size_t i = 0; i < t->n; i++) {
        struct ui_part *p = &t->parts[i];
        bool text = p->type == BOUGH_PART_TEXT || p->type == BOUGH_PART_REASONING;

        if (text && p->started && !p->ended)
            text_chunk(res, p, "end", i, str_of(""));
        p->ended = p->ended || text;
    }
}

/* ---- tools ---- */

/* The value of one of the two members, in the state first, then in the part itself. */
static struct bough_str find(struct json part, const char *one, const char *other)
{
    struct json state = json_member(part, "state");
    struct json places[] = { state, part };
    struct json found;

    for (size_t i = 0; i < 2; i++)
        if (json_get(places[i], one, &found) || json_get(places[i], other, &found))
            return json_raw(found);
    return str_of("");
}

static void tool_chunk(struct http_res *res, const char *type, const char *call, const char *name,
                       const char *key, struct bough_str value)
{
    struct chunk c;
    struct json_writer *w = chunk_begin(&c, type);

    jw_kv_cstr(w, "toolCallId", call);
    if (name)
        jw_kv_cstr(w, "toolName", name);
    if (key)
        jw_kv_raw(w, key, value);
    chunk_end(res, &c);
}

static void tell_tool(struct http_res *res, struct ui_part *p, struct bough_str json)
{
    struct bough_arena *tmp = bough_arena_create();
    struct bough_part part = { BOUGH_PART_TOOL, json };
    const char *call = part_call_id(tmp, &part), *name = part_tool_name(tmp, &part);
    enum bough_tool_state state = bough_tool_state_of(json);
    bool over = state == BOUGH_TOOL_COMPLETED || state == BOUGH_TOOL_ERROR;
    struct bough_str value;
    struct json j;

    if (!*call || json_parse(tmp, json, &j, NULL)) {
        bough_arena_destroy(tmp);
        return;
    }
    if (!p->started)
        tool_chunk(res, "tool-input-start", call, name, NULL, str_of(""));
    p->started = true;
    value = find(j, "input", "arguments");
    if (!p->has_input && state != BOUGH_TOOL_PENDING) {
        tool_chunk(res, "tool-input-available", call, name, "input",
                   value.n ? value : str_of("{}"));
        p->has_input = true;
    }
    if (over && !p->ended) {
        bool failed = state == BOUGH_TOOL_ERROR;

        value = failed ? find(j, "error", "errorText") : find(j, "output", "result");
        if (failed && (!value.n || *value.p != '"'))
            value = str_of("\"the tool failed\"");
        tool_chunk(res, failed ? "tool-output-error" : "tool-output-available", call, NULL,
                   failed ? "errorText" : "output", value);
        p->ended = true;
    }
    bough_arena_destroy(tmp);
}

/* ---- parts ---- */

static void tell_file(struct http_res *res, struct bough_str json)
{
    struct bough_arena *tmp = bough_arena_create();
    const char *url, *type;
    struct json_writer *w;
    struct chunk c;
    struct json j;

    if (json_parse(tmp, json, &j, NULL) == BOUGH_OK) {
        url = json_cstr(tmp, j, "url");
        type = json_cstr(tmp, j, "mediaType");
        type = type ? type : json_cstr(tmp, j, "mime");
        if (url && type) {
            w = chunk_begin(&c, "file");
            jw_kv_cstr(w, "url", url);
            jw_kv_cstr(w, "mediaType", type);
            chunk_end(res, &c);
        }
    }
    bough_arena_destroy(tmp);
}

/* `json` is the whole text so far: send what is new as a delta. */
static void tell_text(struct http_res *res, struct ui_told *t, size_t index, struct bough_str json)
{
    struct ui_part *p = &t->parts[index];
    struct bough_arena *tmp = bough_arena_create();
    struct bough_str all = bough_part_plain(tmp, &(struct bough_part){ p->type, json });

    if (!p->started)
        text_chunk(res, p, "start", index, str_of(""));
    p->started = true;
    if (all.n > p->text)
        ui_text(res, t, index, str_make(all.p + p->text, all.n - p->text));
    bough_arena_destroy(tmp);
}

void ui_part(struct http_res *res, struct ui_told *t, size_t index, struct bough_str json)
{
    struct ui_part *p = told_of(t, index);

    if (bough_part_check(json, &p->type, NULL))
        p->type = BOUGH_PART_OTHER;
    switch (p->type) {
    case BOUGH_PART_TEXT:
    case BOUGH_PART_REASONING:
        tell_text(res, t, index, json);
        return;
    case BOUGH_PART_TOOL:
        tell_tool(res, p, json);
        return;
    case BOUGH_PART_FILE:
        if (!p->ended)
            tell_file(res, json);
        break;
    case BOUGH_PART_STEP_START:
        if (!p->ended)
            plain_chunk(res, "start-step");
        break;
    case BOUGH_PART_STEP_FINISH:
        if (!p->ended) {
            end_texts(res, t);
            plain_chunk(res, "finish-step");
        }
        break;
    case BOUGH_PART_PATCH:
    case BOUGH_PART_SNAPSHOT:
    case BOUGH_PART_AGENT:
    case BOUGH_PART_COMPACTION:
    case BOUGH_PART_SUBTASK:
    case BOUGH_PART_RETRY:
    case BOUGH_PART_OTHER:
        break; /* not part of a UIMessage (A15) */
    }
    p->ended = true;
}

/* ---- the message ---- */

void ui_begin(struct http_res *res, const struct bough_entry *e)
{
    struct chunk c;
    struct json_writer *w = chunk_begin(&c, "start");

    jw_kv_cstr(w, "messageId", e->id);
    chunk_end(res, &c);
}

static void tell_error(struct http_res *res, struct bough_str error)
{
    struct bough_arena *tmp = bough_arena_create();
    const char *text = NULL;
    struct json_writer *w;
    struct chunk c;
    struct json j;

    if (json_parse(tmp, error, &j, NULL) == BOUGH_OK)
        text = json_cstr(tmp, j, "message");
    w = chunk_begin(&c, "error");
    jw_kv_cstr(w, "errorText", text ? text : "the message could not be finished");
    chunk_end(res, &c);
    bough_arena_destroy(tmp);
}

void ui_end(struct http_res *res, struct ui_told *t, const struct bough_entry *e)
{
    for (size_t i = 0; i < e->nparts; i++)
        ui_part(res, t, i, e->parts[i].json);
    end_texts(res, t);
    if (e->error.n)
        tell_error(res, e->error);
    plain_chunk(res, "finish");
    http_sse_write(res, &(struct http_event){ .data = str_of("[DONE]") });
}
