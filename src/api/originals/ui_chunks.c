/* Parts and steps of a message as chunks of the AI SDK's UI message stream. */
#include <stdio.h>
#include <string.h>

#include "api/originals/ui.h"
#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/memory/mem.h"
#include "base/text/str.h"
#include "core/part/part.h"
#include "core/part/view.h"

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

/* A tool part to send. */
struct tool {
    const char *call, *name;
    struct json j;
    struct bough_str input; /* as the list shows it */
    enum bough_tool_state state;
};

/* Copy members of the part under the names that chunks have for them. */
static void copy_members(struct json_writer *w, struct json from, const char *const *pairs)
{
    struct json value;

    for (; *pairs; pairs += 2)
        if (json_get(from, pairs[0], &value))
            jw_kv_raw(w, pairs[1], json_raw(value));
}

static void input_chunk(struct http_res *res, const struct tool *t, bool whole)
{
    static const char *const kept[] = { "providerExecuted",
                                        "providerExecuted",
                                        "title",
                                        "title",
                                        "toolMetadata",
                                        "toolMetadata",
                                        "callProviderMetadata",
                                        "providerMetadata",
                                        NULL };
    struct chunk c;
    struct json_writer *w = chunk_begin(&c, whole ? "tool-input-available" : "tool-input-start");

    jw_kv_cstr(w, "toolCallId", t->call);
    jw_kv_cstr(w, "toolName", t->name);
    if (whole)
        jw_kv_raw(w, "input", t->input.n ? t->input : str_of("{}"));
    if (json_is(json_member(t->j, "type"), "dynamic-tool"))
        jw_kv_bool(w, "dynamic", true);
    if (json_type(json_member(t->j, "toolCallId")) == JSON_STRING) /* a part of the AI SDK */
        copy_members(w, t->j, kept);
    chunk_end(res, &c);
}

/* The request for an approval, and the response to it, each once (A16). */
static void approval_chunks(struct http_res *res, struct ui_part *p, const struct tool *t)
{
    static const char *const asked[] = { "id",
                                         "approvalId",
                                         "descriptor",
                                         "approvalDescriptor",
                                         "requestReason",
                                         "reason",
                                         "inputSchemaInput",
                                         "inputSchemaInput",
                                         "isAutomatic",
                                         "isAutomatic",
                                         "signature",
                                         "signature",
                                         NULL };
    static const char *const answered[] = { "id",     "approvalId", "approved", "approved",
                                            "reason", "reason",     NULL };
    struct json approval = json_member(t->j, "approval"), one;
    struct json_writer *w;
    struct chunk c;

    if (!json_get(approval, "id", &one))
        return;
    if (!p->asked) {
        w = chunk_begin(&c, "tool-approval-request");
        jw_kv_cstr(w, "toolCallId", t->call);
        copy_members(w, approval, asked);
        chunk_end(res, &c);
    }
    p->asked = true;
    if (!p->answered && json_get(approval, "approved", &one)) {
        chunk_begin(&c, "tool-approval-response");
        copy_members(&c.w, approval, answered);
        chunk_end(res, &c);
        p->answered = true;
    }
}

static void output_chunk(struct http_res *res, const struct tool *t)
{
    static const char *const kept[] = { "providerExecuted",
                                        "providerExecuted",
                                        "preliminary",
                                        "preliminary",
                                        "toolMetadata",
                                        "toolMetadata",
                                        "resultProviderMetadata",
                                        "providerMetadata",
                                        NULL };
    bool denied = json_is(json_member(t->j, "state"), "output-denied");
    bool failed = t->state == BOUGH_TOOL_ERROR;
    struct bough_str value =
        failed ? find(t->j, "error", "errorText") : find(t->j, "output", "result");
    struct chunk c;
    struct json_writer *w = chunk_begin(&c, denied   ? "tool-output-denied"
                                            : failed ? "tool-output-error"
                                                     : "tool-output-available");

    jw_kv_cstr(w, "toolCallId", t->call);
    if (failed && !denied)
        jw_kv_raw(w, "errorText",
                  value.n && *value.p == '"' ? value : str_of("\"the tool failed\""));
    else if (!denied)
        jw_kv_raw(w, "output", value.n ? value : str_of("\"\""));
    if (!denied && json_type(json_member(t->j, "toolCallId")) == JSON_STRING)
        copy_members(w, t->j, kept);
    chunk_end(res, &c);
}

static void tell_tool(struct http_res *res, struct ui_part *p, struct bough_str json)
{
    struct bough_arena *tmp = bough_arena_create();
    struct bough_part part = { BOUGH_PART_TOOL, json };
    struct tool t = { .call = part_call_id(tmp, &part),
                      .name = part_tool_name(tmp, &part),
                      .state = bough_tool_state_of(json) };
    struct part_view v;
    bool over = t.state == BOUGH_TOOL_COMPLETED || t.state == BOUGH_TOOL_ERROR, part_of = false;

    if (!*t.call || json_parse(tmp, json, &t.j, NULL)) {
        bough_arena_destroy(tmp);
        return;
    }
    view_part(tmp, &part, &v);
    t.input = v.input;
    if (!p->started)
        input_chunk(res, &t, false);
    p->started = true;
    if (!p->has_input && t.state != BOUGH_TOOL_PENDING) {
        input_chunk(res, &t, true);
        p->has_input = true;
    }
    approval_chunks(res, p, &t);
    (void)json_bool(json_member(t.j, "preliminary"), &part_of);
    if (over && !p->ended) {
        output_chunk(res, &t);
        p->ended = !part_of; /* more of the output may follow */
    }
    bough_arena_destroy(tmp);
}

/* ---- parts ---- */

/* Parts whose chunk is the part itself (A16). Returns false for others. */
static bool tell_whole(struct http_res *res, struct bough_str json)
{
    static const char *const words[] = { "source-url", "source-document", "reasoning-file",
                                         "custom", NULL };
    struct bough_arena *tmp = bough_arena_create();
    const char *type = NULL;
    struct json_writer w;
    struct json j;
    struct buf b;
    bool whole;

    if (json_parse(tmp, json, &j, NULL) == BOUGH_OK)
        type = json_cstr(tmp, j, "type");
    whole = type && (str_among(str_of(type), words) || str_starts(str_of(type), "data-"));
    if (whole) {
        buf_init(&b, LIMIT_JSON_BYTES);
        jw_init(&w, &b);
        jw_raw(&w, json);
        jw_drop_breaks(&w);
        http_sse_write(res, &(struct http_event){ .data = buf_str(&b) });
        buf_finish(&b);
    }
    bough_arena_destroy(tmp);
    return whole;
}

/* As the list does: plain text files and directories of other tools are not shown. */
static bool file_shown(const char *mime)
{
    return strcmp(mime, "text/plain") != 0 && strcmp(mime, "application/x-directory") != 0;
}

static bool tell_file(struct http_res *res, struct bough_str json)
{
    struct bough_arena *tmp = bough_arena_create();
    const char *url, *type, *mime;
    bool shown = false;
    struct json_writer *w;
    struct chunk c;
    struct json j;

    if (json_parse(tmp, json, &j, NULL) == BOUGH_OK) {
        url = json_cstr(tmp, j, "url");
        type = json_cstr(tmp, j, "mediaType");
        mime = json_cstr(tmp, j, "mime");
        shown = url && (type || (mime && file_shown(mime)));
        type = type ? type : mime;
        if (shown) {
            w = chunk_begin(&c, "file");
            jw_kv_cstr(w, "url", url);
            jw_kv_cstr(w, "mediaType", type);
            chunk_end(res, &c);
        }
    }
    bough_arena_destroy(tmp);
    return shown;
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
        t->any = true;
        return;
    case BOUGH_PART_TOOL:
        tell_tool(res, p, json);
        t->any = t->any || p->started;
        return;
    case BOUGH_PART_FILE:
        if (!p->ended && tell_file(res, json))
            t->any = true;
        break;
    case BOUGH_PART_STEP_START:
        if (!p->ended)
            plain_chunk(res, "start-step");
        t->any = true;
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
        break; /* not part of a UIMessage (A15) */
    case BOUGH_PART_OTHER:
        if (!p->ended && tell_whole(res, json))
            t->any = true;
        break;
    }
    p->ended = true;
}

/* ---- the message ---- */

static void put_metadata(struct json_writer *w, const struct bough_entry *e)
{
    struct bough_arena *tmp = bough_arena_create();

    jw_opt_raw(w, "messageMetadata", view_metadata(tmp, e));
    bough_arena_destroy(tmp);
}

void ui_begin(struct http_res *res, const struct bough_entry *e)
{
    struct chunk c;
    struct json_writer *w = chunk_begin(&c, "start");

    jw_kv_cstr(w, "messageId", cstr_empty(e->origin) ? e->id : e->origin); /* as the list */
    put_metadata(w, e);
    chunk_end(res, &c);
}

void ui_error(struct http_res *res, const char *text)
{
    struct chunk c;

    jw_kv_cstr(chunk_begin(&c, "error"), "errorText", text);
    chunk_end(res, &c);
}

static void tell_error(struct http_res *res, struct bough_str error)
{
    struct bough_arena *tmp = bough_arena_create();
    const char *text = NULL;
    struct json j;

    if (json_parse(tmp, error, &j, NULL) == BOUGH_OK)
        text = json_cstr(tmp, j, "message");
    ui_error(res, text ? text : "the message could not be finished");
    bough_arena_destroy(tmp);
}

/* The list shows a message that has nothing to show as an empty text. */
static void tell_nothing(struct http_res *res)
{
    const struct ui_part text = { .type = BOUGH_PART_TEXT };

    text_chunk(res, &text, "start", 0, str_of(""));
    text_chunk(res, &text, "end", 0, str_of(""));
}

void ui_rest(struct http_res *res, struct ui_told *t, const struct bough_entry *e)
{
    for (size_t i = 0; i < e->nparts; i++)
        ui_part(res, t, i, e->parts[i].json);
    end_texts(res, t);
    if (e->error.n)
        tell_error(res, e->error);
}

void ui_finish(struct http_res *res, const struct bough_entry *e)
{
    struct chunk c;

    chunk_begin(&c, "finish");
    if (e)
        put_metadata(&c.w, e); /* it may have come with the seal */
    chunk_end(res, &c);
    http_sse_write(res, &(struct http_event){ .data = str_of("[DONE]") });
}

void ui_end(struct http_res *res, struct ui_told *t, const struct bough_entry *e)
{
    ui_rest(res, t, e);
    if (!t->any)
        tell_nothing(res);
    ui_finish(res, e);
}

/* ---- a message of several calls of a model ---- */

void ui_step(struct http_res *res, bool begins)
{
    plain_chunk(res, begins ? "start-step" : "finish-step");
}

void ui_aborted(struct http_res *res)
{
    plain_chunk(res, "abort");
}

void ui_result(struct http_res *res, const struct part_view *v)
{
    struct bough_arena *tmp = bough_arena_create();
    struct chunk c;
    struct json_writer *w =
        chunk_begin(&c, v->failed ? "tool-output-error" : "tool-output-available");

    jw_kv_cstr(w, "toolCallId", v->call);
    if (v->failed)
        jw_kv_str(w, "errorText", view_output_text(tmp, v->output));
    else
        jw_kv_raw(w, "output", v->output.n ? v->output : str_of("\"\""));
    chunk_end(res, &c);
    bough_arena_destroy(tmp);
}

void ui_asked(struct http_res *res, const char *call, const char *approval)
{
    struct chunk c;
    struct json_writer *w = chunk_begin(&c, "tool-approval-request");

    jw_kv_cstr(w, "approvalId", approval);
    jw_kv_cstr(w, "toolCallId", call);
    chunk_end(res, &c);
}

void ui_settled(struct http_res *res, const char *approval, bool approved, const char *note)
{
    struct chunk c;
    struct json_writer *w = chunk_begin(&c, "tool-approval-response");

    jw_kv_cstr(w, "approvalId", approval);
    jw_kv_bool(w, "approved", approved);
    jw_opt_cstr(w, "reason", note);
    chunk_end(res, &c);
}
