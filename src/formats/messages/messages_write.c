/* Lists of messages, writer. Messages of the same format are written back unchanged; others are
 * converted. */
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/context/context.h"
#include "formats/common/blocks.h"
#include "formats/common/kept.h"
#include "formats/messages/messages.h"

struct list_out {
    struct kept_list kept; /* AI SDK: a tool's result is part of the message with the call */
    struct json_writer jw;
    bool object;
};

/* ---- around the list ---- */

static void list_begin(struct writing *w)
{
    struct list_out *out = arena_zalloc(w->a, sizeof *out);
    struct bough_str rest = member_raw(w->session->data, MESSAGES_REST, JSON_OBJECT);

    w->state = out;
    jw_init(&out->jw, w->out);
    out->object = rest.n > 0;
    if (out->object) {
        jw_obj(&out->jw);
        members_put(&out->jw, rest, NULL);
        jw_key(&out->jw, "messages");
    }
    jw_arr(&out->jw);
}

static void list_end(struct writing *w)
{
    struct list_out *out = w->state;

    jw_end_arr(&out->jw);
    if (out->object)
        jw_end_obj(&out->jw);
    buf_putc(w->out, '\n');
}

static void list_finish(struct writing *w, const char *head)
{
    (void)head;
    list_end(w);
}

static bool came_as(const struct bough_entry *e, const char *format)
{
    struct bough_str of = member_raw(e->data, MESSAGES_OF, JSON_STRING);

    return of.n && json_span_is(of, format);
}

/* ---- OpenAI chat and Anthropic ---- */

static void put_native(struct json_writer *jw, const struct bough_entry *e)
{
    static const char *const ours[] = { MESSAGES_OF, MESSAGES_CALLS, CONTEXT_CONTENT_KEY, NULL };
    struct bough_str count = member_raw(e->data, MESSAGES_CALLS, JSON_NUMBER);
    struct bough_entry said = *e;
    int64_t calls = 0;

    if (count.n && json_span_i64(count, &calls) && calls > 0 && calls <= (int64_t)e->nparts)
        said.nparts -= (size_t)calls;
    jw_obj(jw);
    members_put(jw, e->data, ours);
    content_put(jw, &said);
    if (said.nparts < e->nparts) {
        jw_key(jw, "tool_calls");
        jw_arr(jw);
        for (size_t i = said.nparts; i < e->nparts; i++)
            jw_raw(jw, part_raw(&e->parts[i]));
        jw_end_arr(jw);
    }
    jw_end_obj(jw);
}

static const char *role_word(const struct bough_entry *e)
{
    if (e->role == BOUGH_ROLE_SYSTEM || e->role == BOUGH_ROLE_ASSISTANT)
        return bough_role_name(e->role);
    return "user";
}

static void put_blocks(struct writing *w, const struct view_run *run, const char *role)
{
    struct list_out *out = w->state;

    jw_obj(&out->jw);
    jw_kv_cstr(&out->jw, "role", run->results ? "user" : role);
    jw_key(&out->jw, "content");
    jw_arr(&out->jw);
    blocks_put(w->a, &out->jw, run, false);
    jw_end_arr(&out->jw);
    jw_end_obj(&out->jw);
}

/* A compaction's summary, as a user message. */
static void put_summary(struct writing *w, const struct bough_entry *e)
{
    struct list_out *out = w->state;
    const char *summary = json_cstr(w->a, view_data(w->a, e), "summary");

    if (cstr_empty(summary))
        return;
    jw_obj(&out->jw);
    jw_kv_cstr(&out->jw, "role", "user");
    jw_kv_cstr(&out->jw, "content", summary);
    jw_end_obj(&out->jw);
}

static void put_any(struct writing *w, const struct bough_entry *e, const char *format, bool blocks)
{
    struct list_out *out = w->state;
    struct view_run *runs;
    size_t n;

    if (e->kind == BOUGH_ENTRY_COMPACTION)
        put_summary(w, e);
    if (e->kind != BOUGH_ENTRY_MESSAGE)
        return;
    if (came_as(e, format)) {
        put_native(&out->jw, e);
        return;
    }
    runs = view_runs(w->a, e, &n);
    for (size_t i = 0; i < n; i++) {
        if (!runs[i].n)
            continue;
        if (blocks)
            put_blocks(w, &runs[i], role_word(e));
        else
            chat_put_run(w->a, &out->jw, &runs[i], role_word(e));
    }
}

static void chat_entry(struct writing *w, const struct written_entry *we)
{
    put_any(w, we->e, "openai-chat", false);
}

static void anthropic_entry(struct writing *w, const struct written_entry *we)
{
    put_any(w, we->e, "anthropic", true);
}

/* ---- AI SDK ---- */

static void ui_entry(struct writing *w, const struct written_entry *we)
{
    struct list_out *out = w->state;

    if (we->e->kind == BOUGH_ENTRY_MESSAGE)
        kept_add(w->a, &out->kept, we);
}

static void ui_native(struct json_writer *jw, const struct kept *k)
{
    static const char *const ours[] = { MESSAGES_OF, CONTEXT_CONTENT_KEY, NULL };

    jw_obj(jw);
    if (*k->e.origin)
        jw_kv_cstr(jw, "id", k->id);
    members_put(jw, k->e.data, ours);
    jw_key(jw, "parts");
    jw_arr(jw);
    for (size_t i = 0; i < k->e.nparts; i++)
        jw_raw(jw, part_raw(&k->e.parts[i]));
    jw_end_arr(jw);
    jw_end_obj(jw);
}

static void ui_tool(struct json_writer *jw, struct bough_arena *a, const struct part_view *v,
                    const struct part_view *result)
{
    bool failed = result && result->failed;

    jw_obj(jw);
    jw_kv_cstr(jw, "type", arena_printf(a, "tool-%s", v->tool));
    jw_kv_cstr(jw, "toolCallId", v->call);
    jw_kv_cstr(jw, "state",
               !result  ? "input-available"
               : failed ? "output-error"
                        : "output-available");
    jw_kv_raw(jw, "input", v->input.n ? v->input : str_of("{}"));
    if (failed)
        jw_kv_str(jw, "errorText", view_output_text(a, result->output));
    else if (result)
        jw_kv_raw(jw, "output", result->output.n ? result->output : str_of("\"\""));
    jw_end_obj(jw);
}

static void ui_part(struct writing *w, struct kept *const *path, size_t n, size_t i,
                    const struct part_view *v)
{
    struct list_out *out = w->state;
    struct json_writer *jw = &out->jw;

    switch (v->kind) {
    case VIEW_TEXT:
    case VIEW_REASONING:
        jw_obj(jw);
        jw_kv_cstr(jw, "type", v->kind == VIEW_TEXT ? "text" : "reasoning");
        jw_kv_str(jw, "text", v->text);
        jw_kv_cstr(jw, "state", "done");
        jw_end_obj(jw);
        return;
    case VIEW_FILE:
        jw_obj(jw);
        jw_kv_cstr(jw, "type", "file");
        jw_kv_cstr(jw, "mediaType", *v->mime ? v->mime : "application/octet-stream");
        jw_opt_cstr(jw, "filename", v->filename);
        jw_kv_str(jw, "url", view_url(w->a, v));
        jw_end_obj(jw);
        return;
    case VIEW_CALL:
    case VIEW_TOOL:
        ui_tool(jw, w->a, v, kept_result(w->a, path, n, i, v->call));
        return;
    case VIEW_RESULT:
        return; /* written with its call */
    case VIEW_OTHER:
        if (v->type == BOUGH_PART_STEP_START)
            jw_raw(jw, str_of("{\"type\":\"step-start\"}"));
        return;
    }
}

static void ui_foreign(struct writing *w, struct kept *const *path, size_t n, size_t i)
{
    struct list_out *out = w->state;
    const struct kept *k = path[i];
    struct part_view *parts;

    if (kept_is_results(w->a, &k->e))
        return;
    parts = view_parts(w->a, &k->e);
    jw_obj(&out->jw);
    jw_kv_cstr(&out->jw, "id", k->id);
    jw_kv_cstr(&out->jw, "role", role_word(&k->e));
    jw_key(&out->jw, "parts");
    jw_arr(&out->jw);
    for (size_t p = 0; p < k->e.nparts; p++)
        ui_part(w, path, n, i, &parts[p]);
    jw_end_arr(&out->jw);
    jw_end_obj(&out->jw);
}

static void ui_finish(struct writing *w, const char *head)
{
    struct list_out *out = w->state;

    (void)head;
    for (size_t i = 0; i < out->kept.n; i++) {
        if (came_as(&out->kept.all[i]->e, "ai-sdk"))
            ui_native(&out->jw, out->kept.all[i]);
        else
            ui_foreign(w, out->kept.all, out->kept.n, i);
    }
    list_end(w);
}

const struct format format_ai_sdk = {
    .name = "ai-sdk",
    .number = FORMAT_AI_SDK,
    .about = "AI SDK: a list of UIMessages",
    .suffix = "json",
    .detect = ui_detect,
    .document = messages_document,
    .writes = WRITES_PATH,
    .begin = list_begin,
    .entry = ui_entry,
    .finish = ui_finish,
};

const struct format format_anthropic = {
    .name = "anthropic",
    .number = FORMAT_ANTHROPIC,
    .about = "Anthropic's API: a list of messages with content blocks",
    .suffix = "json",
    .detect = anthropic_detect,
    .document = messages_document,
    .writes = WRITES_PATH,
    .begin = list_begin,
    .entry = anthropic_entry,
    .finish = list_finish,
};

const struct format format_openai_chat = {
    .name = "openai-chat",
    .number = FORMAT_OPENAI_CHAT,
    .about = "OpenAI's chat completions: a list of messages",
    .suffix = "json",
    .detect = chat_detect,
    .document = messages_document,
    .writes = WRITES_PATH,
    .begin = list_begin,
    .entry = chat_entry,
    .finish = list_finish,
};
