/* Codex's rollout files, writer. Its own lines are written back unchanged; other entries are
 * converted. */
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/iso.h"
#include "base/text/str.h"
#include "core/context/context.h"
#include "formats/codex/codex.h"
#include "formats/common/blocks.h"
#include "formats/common/names.h"

struct codex_out {
    const char *id;
    int64_t ordinal; /* of the last line; -1: lines are not numbered */
    bool by_reference;
};

static void put_time(struct json_writer *jw, int64_t ms)
{
    char text[ISO_TEXT];

    iso_print(ms, text);
    jw_kv_cstr(jw, "timestamp", text);
}

static void line_begin(struct writing *w, struct json_writer *jw, int64_t time, const char *type)
{
    struct codex_out *out = w->state;

    jw_init(jw, w->out);
    jw_obj(jw);
    put_time(jw, time);
    if (out->ordinal >= 0)
        jw_kv_i64(jw, "ordinal", ++out->ordinal);
    jw_kv_cstr(jw, "type", type);
    jw_key(jw, "payload");
}

static void line_end(struct writing *w, struct json_writer *jw)
{
    jw_end_obj(jw);
    jw_drop_breaks(jw);
    buf_putc(w->out, '\n');
}

static void write_begin(struct writing *w)
{
    const struct bough_session *s = w->session;
    struct codex_out *out = arena_zalloc(w->a, sizeof *out);
    struct bough_str meta = member_raw(s->data, "payload", JSON_OBJECT);
    struct json_writer jw;

    w->state = out;
    out->id = *s->origin ? s->origin : s->id;
    if (meta.n && json_span_is(member_raw(s->data, "type", JSON_STRING), "session_meta")) {
        buf_put_str(w->out, s->data);
        buf_putc(w->out, '\n');
        out->by_reference = member_raw(meta, "forked_from_id", JSON_STRING).n;
        out->ordinal = member_raw(s->data, "ordinal", JSON_NUMBER).n ? 0 : -1;
        return;
    }
    out->id = as_uuid(w->a, out->id);
    out->ordinal = -1;
    jw_init(&jw, w->out);
    jw_obj(&jw);
    put_time(&jw, s->created);
    jw_kv_i64(&jw, "ordinal", 0);
    jw_kv_cstr(&jw, "type", "session_meta");
    jw_key(&jw, "payload");
    jw_obj(&jw);
    jw_kv_cstr(&jw, "session_id", out->id);
    jw_kv_cstr(&jw, "id", out->id);
    put_time(&jw, s->created);
    jw_kv_cstr(&jw, "cwd", s->project);
    jw_kv_cstr(&jw, "originator", "codex_cli_rs");
    jw_kv_cstr(&jw, "cli_version", "0.166.0");
    jw_kv_cstr(&jw, "source", "cli");
    jw_opt_cstr(&jw, "model_provider", s->model_provider);
    jw_end_obj(&jw);
    line_end(w, &jw);
    out->ordinal = 0;
}

/* ---- lines read from such a file ---- */

static void put_payload(struct json_writer *jw, const struct bough_entry *e)
{
    static const char *const ours[] = { CODEX_LINE, CONTEXT_CONTENT_KEY, NULL };

    jw_key(jw, "payload");
    if (member_raw(e->data, CODEX_ITEM, JSON_TRUE).n && e->nparts == 1) {
        jw_raw(jw, part_raw(&e->parts[0]));
        return;
    }
    jw_obj(jw);
    members_put(jw, e->data, ours);
    content_put(jw, e);
    jw_end_obj(jw);
}

static void put_line(struct writing *w, const struct bough_entry *e, struct bough_str line)
{
    struct codex_out *out = w->state;
    struct bough_str ordinal = member_raw(line, "ordinal", JSON_NUMBER);
    struct json_writer jw;

    jw_init(&jw, w->out);
    jw_obj(&jw);
    if (!member_raw(line, "timestamp", JSON_STRING).n)
        put_time(&jw, e->time);
    members_put(&jw, line, NULL);
    if (e->kind == BOUGH_ENTRY_MESSAGE)
        put_payload(&jw, e);
    line_end(w, &jw);
    if (ordinal.n)
        json_span_i64(ordinal, &out->ordinal);
}

/* ---- entries from elsewhere ---- */

static void put_texts(struct bough_arena *a, struct json_writer *jw, const struct view_run *run,
                      bool answers)
{
    jw_key(jw, "content");
    jw_arr(jw);
    for (size_t i = 0; i < run->n; i++) {
        const struct part_view *v = &run->at[i];

        if (v->kind == VIEW_TEXT) {
            jw_obj(jw);
            jw_kv_cstr(jw, "type", answers ? "output_text" : "input_text");
            jw_kv_str(jw, "text", v->text);
            jw_end_obj(jw);
        } else if (v->kind == VIEW_FILE && !answers) {
            jw_obj(jw);
            jw_kv_cstr(jw, "type", "input_image");
            jw_kv_str(jw, "image_url", view_url(a, v));
            jw_end_obj(jw);
        }
    }
    jw_end_arr(jw);
}

static bool has_kind(const struct view_run *run, enum view_kind kind)
{
    for (size_t i = 0; i < run->n; i++)
        if (run->at[i].kind == kind)
            return true;
    return false;
}

/* Codex lists a session by its user's messages in events, so write those, too. */
static void put_event(struct writing *w, const struct bough_entry *e, const struct view_run *run)
{
    bool answers = e->role == BOUGH_ROLE_ASSISTANT;
    struct json_writer jw;

    for (size_t i = 0; i < run->n; i++) {
        if (run->at[i].kind != VIEW_TEXT || e->role == BOUGH_ROLE_SYSTEM)
            continue;
        line_begin(w, &jw, e->time, "event_msg");
        jw_obj(&jw);
        jw_kv_cstr(&jw, "type", answers ? "agent_message" : "user_message");
        jw_kv_str(&jw, "message", run->at[i].text);
        jw_end_obj(&jw);
        line_end(w, &jw);
    }
}

static void put_said(struct writing *w, const struct bough_entry *e, const struct view_run *run)
{
    bool answers = e->role == BOUGH_ROLE_ASSISTANT;
    struct json_writer jw;

    if (!has_kind(run, VIEW_TEXT) && !has_kind(run, VIEW_FILE))
        return;
    line_begin(w, &jw, e->time, "response_item");
    jw_obj(&jw);
    jw_kv_cstr(&jw, "type", "message");
    jw_kv_cstr(&jw, "role",
               answers                        ? "assistant"
               : e->role == BOUGH_ROLE_SYSTEM ? "developer"
                                              : "user");
    put_texts(w->a, &jw, run, answers);
    jw_end_obj(&jw);
    line_end(w, &jw);
    put_event(w, e, run);
}

static void put_part(struct writing *w, const struct bough_entry *e, const struct part_view *v)
{
    bool result = v->kind == VIEW_RESULT;
    struct json_writer jw;

    if (v->kind == VIEW_TEXT || v->kind == VIEW_FILE || v->kind == VIEW_OTHER)
        return;
    line_begin(w, &jw, e->time, "response_item");
    jw_obj(&jw);
    if (v->kind == VIEW_REASONING) {
        jw_kv_cstr(&jw, "type", "reasoning");
        jw_key(&jw, "summary");
        jw_arr(&jw);
        jw_obj(&jw);
        jw_kv_cstr(&jw, "type", "summary_text");
        jw_kv_str(&jw, "text", v->text);
        jw_end_obj(&jw);
        jw_end_arr(&jw);
    } else {
        jw_kv_cstr(&jw, "type", result ? "function_call_output" : "function_call");
        if (!result) {
            jw_kv_cstr(&jw, "name", v->tool);
            jw_kv_str(&jw, "arguments", v->input.n ? v->input : str_of("{}"));
        }
        jw_kv_cstr(&jw, "call_id", v->call);
        if (result)
            jw_kv_str(&jw, "output", view_output_text(w->a, v->output));
    }
    jw_end_obj(&jw);
    line_end(w, &jw);
}

static void put_usage(struct writing *w, const struct bough_entry *e)
{
    struct json_writer jw;

    line_begin(w, &jw, e->time, "token_usage_record");
    jw_obj(&jw);
    jw_key(&jw, "usage");
    jw_obj(&jw);
    jw_kv_i64(&jw, "input_tokens", e->usage->input + e->usage->cache_read);
    jw_kv_i64(&jw, "cached_input_tokens", e->usage->cache_read);
    jw_kv_i64(&jw, "cache_write_input_tokens", e->usage->cache_write);
    jw_kv_i64(&jw, "output_tokens", e->usage->output);
    jw_kv_i64(&jw, "reasoning_output_tokens", e->usage->reasoning);
    jw_end_obj(&jw);
    jw_end_obj(&jw);
    line_end(w, &jw);
}

static void put_message(struct writing *w, const struct bough_entry *e)
{
    size_t n;
    struct view_run *runs = view_runs(w->a, e, &n);

    for (size_t i = 0; i < n; i++) {
        if (!runs[i].results)
            put_said(w, e, &runs[i]);
        for (size_t k = 0; k < runs[i].n; k++)
            put_part(w, e, &runs[i].at[k]);
    }
    if (e->usage)
        put_usage(w, e);
}

/* An entry that is not a message: a summary, a model change, or a line that Codex ignores. */
static void put_other(struct writing *w, const struct bough_entry *e)
{
    struct json data = view_data(w->a, e);
    const char *model = json_cstr(w->a, data, "modelId");
    struct json_writer jw;

    if (e->kind == BOUGH_ENTRY_COMPACTION) {
        const char *summary = json_cstr(w->a, data, "summary");

        line_begin(w, &jw, e->time, "compacted");
        jw_obj(&jw);
        jw_kv_cstr(&jw, "message", summary ? summary : "");
    } else if (e->kind == BOUGH_ENTRY_MODEL_CHANGE && model) {
        line_begin(w, &jw, e->time, "turn_context");
        jw_obj(&jw);
        jw_kv_cstr(&jw, "cwd", w->session->project);
        jw_kv_cstr(&jw, "approval_policy", "on-request");
        jw_key(&jw, "sandbox_policy");
        jw_obj(&jw);
        jw_kv_cstr(&jw, "type", "read-only");
        jw_end_obj(&jw);
        jw_kv_cstr(&jw, "model", model);
        jw_kv_cstr(&jw, "summary", "auto");
    } else {
        line_begin(w, &jw, e->time, "bough_entry");
        jw_obj(&jw);
        jw_kv_cstr(&jw, "kind",
                   e->kind == BOUGH_ENTRY_OTHER ? e->kind_name : bough_entry_kind_name(e->kind));
        jw_opt_raw(&jw, "data", e->data);
    }
    jw_end_obj(&jw);
    line_end(w, &jw);
}

static void write_entry(struct writing *w, const struct written_entry *we)
{
    const struct codex_out *out = w->state;
    struct bough_str line = member_raw(we->e->data, CODEX_LINE, JSON_OBJECT);

    if (out->by_reference && strcmp(we->e->session, w->session->id) != 0)
        return; /* the parent's file has it */
    if (line.n)
        put_line(w, we->e, line);
    else if (we->e->kind == BOUGH_ENTRY_MESSAGE)
        put_message(w, we->e);
    else
        put_other(w, we->e);
}

static void write_finish(struct writing *w, const char *head)
{
    (void)w;
    (void)head;
}

static const struct format_place places[] = {
    { IN_HOME, ".codex/sessions" },
    { 0 },
};

const struct format format_codex = {
    .name = "codex",
    .number = FORMAT_CODEX,
    .about = "Codex: one rollout .jsonl file a session",
    .suffix = "jsonl",
    .tool = "Codex",
    .places = places,
    .appends = true,
    .detect = codex_detect,
    .line = codex_line,
    .end = codex_end,
    .leave = codex_leave,
    .enter = codex_enter,
    .writes = WRITES_PATH,
    .begin = write_begin,
    .entry = write_entry,
    .finish = write_finish,
};
