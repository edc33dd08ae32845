/* Dialect "ui": a path as UIMessages of the AI SDK (A15, A16, U11). Pure. */
#include "core/context/dialect.h"

#include "base/memory/arena.h"
#include "base/memory/map.h"
#include "base/text/str.h"
#include "core/part/view.h"

struct ui_part {
    struct part_view v;
    const struct part_view *result; /* of a call: its result from a later message, or NULL */
    bool folded;                    /* of a result: shown as part of its call */
};

struct ui_message {
    const struct bough_entry *e;
    struct ui_part *at;
    size_t n;
};

struct ui {
    struct context_out *c;
    struct ui_message *messages;
    size_t n;
    struct ui_part **calls;
    size_t ncalls;
    struct smap latest; /* call id -> index in `calls` of the latest call so far */
};

/* ---- first pass: collect the parts and match results to calls ---- */

static bool is_open_call(const struct ui_part *p)
{
    if (p->result)
        return false;
    return p->v.kind == VIEW_CALL ||
           (p->v.state != BOUGH_TOOL_COMPLETED && p->v.state != BOUGH_TOOL_ERROR);
}

static void pair(struct ui *ui, struct ui_part *p)
{
    uint64_t at;

    if (!*p->v.call)
        return;
    if (p->v.kind == VIEW_CALL || p->v.kind == VIEW_TOOL) {
        smap_put(&ui->latest, str_of(p->v.call), ui->ncalls);
        ui->calls[ui->ncalls++] = p;
    } else if (p->v.kind == VIEW_RESULT && smap_get(&ui->latest, str_of(p->v.call), &at) &&
               is_open_call(ui->calls[at])) {
        ui->calls[at]->result = &p->v;
        p->folded = true;
    }
}

static void take(struct ui *ui, const struct bough_entry *e)
{
    struct bough_arena *a = ui->c->a;
    struct ui_message *m = &ui->messages[ui->n++];
    struct view_run *runs;
    struct part_view *parts;
    size_t i, n;

    m->e = e;
    if (*view_message_call(a, e)) {
        runs = view_runs(a, e, &n);
        parts = runs[0].at;
        m->n = runs[0].n;
    } else {
        parts = view_parts(a, e);
        m->n = e->nparts;
    }
    m->at = arena_array(a, m->n + 1, sizeof *m->at);
    for (i = 0; i < m->n; i++) {
        m->at[i].v = parts[i];
        pair(ui, &m->at[i]);
    }
}

/* ---- second pass: writing ---- */

/* Does the object have no members except these keys? */
static bool has_only(struct bough_arena *a, struct json j, const char *const *keys)
{
    struct json_iter it = json_iter(j);
    struct bough_str key;

    while (json_next(&it)) {
        if (!json_str(a, it.key, &key) || !str_among(key, keys))
            return false;
    }
    return true;
}

/* Is the part in the AI SDK's own format? Such parts are copied verbatim. */
static bool is_native(struct bough_arena *a, const struct ui_part *p)
{
    static const char *const text_keys[] = {
        "type", "id", "text", "state", "providerMetadata", NULL
    };
    static const char *const step_keys[] = { "type", NULL };
    static const char *const words[] = { "source-url", "source-document", "reasoning-file",
                                         "custom", NULL };
    const struct part_view *v = &p->v;

    switch (v->kind) {
    case VIEW_TEXT:
        return cstr_eq(v->word, "text") && has_only(a, view_json(a, v), text_keys);
    case VIEW_REASONING:
        return cstr_eq(v->word, "reasoning") && v->text.n &&
               has_only(a, view_json(a, v), text_keys);
    case VIEW_TOOL:
        return !p->result && json_type(json_member(view_json(a, v), "toolCallId")) == JSON_STRING;
    case VIEW_FILE:
        return json_type(json_member(view_json(a, v), "mediaType")) == JSON_STRING && v->url.n &&
               cstr_eq(v->word, "file");
    case VIEW_CALL:
    case VIEW_RESULT:
        return false;
    case VIEW_OTHER:
        if (v->type == BOUGH_PART_STEP_START)
            return has_only(a, view_json(a, v), step_keys);
        return v->type == BOUGH_PART_OTHER &&
               (str_among(str_of(v->word), words) || str_starts(str_of(v->word), "data-"));
    }
    return false;
}

static const char *state_word(enum bough_tool_state state)
{
    switch (state) {
    case BOUGH_TOOL_PENDING:
        return "input-streaming";
    case BOUGH_TOOL_RUNNING:
    case BOUGH_TOOL_NONE:
        return "input-available";
    case BOUGH_TOOL_COMPLETED:
        return "output-available";
    case BOUGH_TOOL_ERROR:
        return "output-error";
    }
    return "input-available";
}

static void write_tool(struct context_out *c, const struct ui_part *p)
{
    const struct part_view *v = &p->v;
    const struct part_view *answer = p->result ? p->result : v;
    enum bough_tool_state state = v->state;

    if (answer->kind == VIEW_RESULT)
        state = answer->failed ? BOUGH_TOOL_ERROR : BOUGH_TOOL_COMPLETED;
    jw_obj(&c->w);
    jw_kv_cstr(&c->w, "type",
               arena_printf(c->a, "tool-%s",
                            *v->tool ? v->tool : (*answer->tool ? answer->tool : "unknown")));
    jw_kv_cstr(&c->w, "toolCallId", v->call);
    jw_kv_cstr(&c->w, "state", state_word(state));
    jw_kv_raw(&c->w, "input", v->input.n ? v->input : str_of("{}"));
    if (state == BOUGH_TOOL_COMPLETED)
        jw_kv_raw(&c->w, "output", answer->output.n ? answer->output : str_of("\"\""));
    else if (state == BOUGH_TOOL_ERROR)
        jw_kv_str(&c->w, "errorText", view_output_text(c->a, answer->output));
    jw_end_obj(&c->w);
}

static void write_text(struct context_out *c, const char *word, struct bough_str text)
{
    jw_obj(&c->w);
    jw_kv_cstr(&c->w, "type", word);
    jw_kv_str(&c->w, "text", text);
    jw_end_obj(&c->w);
}

/* Returns NULL, or the reason why the file is not shown. */
static const char *write_file(struct context_out *c, const struct part_view *v)
{
    struct bough_str url = view_url(c->a, v);

    if (cstr_eq(v->mime, "text/plain") || cstr_eq(v->mime, "application/x-directory"))
        return "plain text files and directories are not shown";
    if (!url.n)
        return "a file without an address cannot be shown";
    jw_obj(&c->w);
    jw_kv_cstr(&c->w, "type", "file");
    jw_kv_str(&c->w, "url", url);
    jw_kv_cstr(&c->w, "mediaType", *v->mime ? v->mime : "application/octet-stream");
    jw_opt_cstr(&c->w, "filename", v->filename);
    jw_end_obj(&c->w);
    return NULL;
}

/* Returns NULL, or the text of a note: why nothing was written, or how a result is shown. */
static const char *write_part(struct context_out *c, const struct ui_part *p)
{
    const struct part_view *v = &p->v;

    switch (v->kind) {
    case VIEW_TEXT:
        write_text(c, "text", v->text);
        return NULL;
    case VIEW_REASONING:
        if (!v->text.n)
            return "reasoning without text cannot be shown";
        write_text(c, "reasoning", v->text);
        return NULL;
    case VIEW_CALL:
    case VIEW_TOOL:
    case VIEW_RESULT:
        write_tool(c, p);
        return v->kind == VIEW_RESULT ? "a result whose call is not here is shown as a call" : NULL;
    case VIEW_FILE:
        return write_file(c, v);
    case VIEW_OTHER:
        if (v->type != BOUGH_PART_STEP_START)
            return "UI messages have no such part";
        jw_obj(&c->w);
        jw_kv_cstr(&c->w, "type", "step-start");
        jw_end_obj(&c->w);
        return NULL;
    }
    return NULL;
}

static const char *role_word(struct context_out *c, const struct ui_message *m)
{
    switch (m->e->role) {
    case BOUGH_ROLE_SYSTEM:
    case BOUGH_ROLE_USER:
    case BOUGH_ROLE_ASSISTANT:
        return bough_role_name(m->e->role);
    case BOUGH_ROLE_TOOL:
        context_note(c, m->e, "converted", "no call for it is here: shown as the assistant's");
        return "assistant";
    case BOUGH_ROLE_NONE:
    case BOUGH_ROLE_BASH:
    case BOUGH_ROLE_CUSTOM:
    case BOUGH_ROLE_OTHER:
        break;
    }
    context_note(c, m->e, "converted", "UI messages have no role \"%s\": shown as the user's",
                 m->e->role == BOUGH_ROLE_NONE ? "custom" : view_role(c->a, m->e));
    return "user";
}

static void write_parts(struct context_out *c, const struct ui_message *m)
{
    const char *why;
    size_t i;

    for (i = 0; i < m->n; i++) {
        const struct ui_part *p = &m->at[i];

        if (p->folded)
            continue;
        if (p->v.kind == VIEW_TEXT && p->v.ignored) {
            context_note(c, m->e, "omitted", "a text part is marked as ignored");
        } else if (is_native(c->a, p)) {
            jw_raw(&c->w, p->v.raw);
        } else {
            why = write_part(c, p);
            if (why)
                context_note(c, m->e, p->v.kind == VIEW_RESULT ? "converted" : "omitted",
                             "%s part: %s", *p->v.word ? p->v.word : "tool", why);
        }
    }
}

/* Content stored in data instead of parts: pi's `!command` and custom messages. */
static void write_from_data(struct context_out *c, const struct bough_entry *e)
{
    struct json data = view_data(c->a, e);

    if (e->role == BOUGH_ROLE_BASH)
        write_text(c, "text", view_bash_text(c->a, data));
    else if (e->kind == BOUGH_ENTRY_CUSTOM_MESSAGE ||
             (e->role == BOUGH_ROLE_SYSTEM &&
              json_type(json_member(data, "content")) == JSON_STRING))
        write_text(c, "text", view_output_text(c->a, json_raw(json_member(data, "content"))));
}

static bool is_folded(const struct ui_message *m)
{
    size_t i;

    for (i = 0; i < m->n; i++) {
        if (!m->at[i].folded)
            return false;
    }
    return m->n > 0;
}

static void write_message(struct context_out *c, const struct ui_message *m)
{
    const struct bough_entry *e = m->e;
    size_t empty;

    if (is_folded(m)) {
        context_note(c, e, "folded", "its results are shown with the calls they answer");
        return;
    }
    context_source(c, e);
    jw_obj(&c->w);
    jw_kv_cstr(&c->w, "id", cstr_empty(e->origin) ? e->id : e->origin);
    jw_kv_cstr(&c->w, "role", role_word(c, m));
    jw_opt_raw(&c->w, "metadata", view_metadata(c->a, e));
    jw_key(&c->w, "parts");
    jw_arr(&c->w);
    empty = c->w.out->n;
    if (m->n)
        write_parts(c, m);
    else
        write_from_data(c, e);
    if (c->w.out->n == empty) { /* the AI SDK refuses a message without parts */
        write_text(c, "text", str_of(""));
        context_note(c, e, "converted", "it shows nothing: an empty text stands for it");
    }
    jw_end_arr(&c->w);
    jw_end_obj(&c->w);
}

/* Custom messages have their own flag, `display`, for whether people see them. */
static bool is_shown(struct context_out *c, const struct bough_entry *e)
{
    bool display = true;

    if (e->kind == BOUGH_ENTRY_MESSAGE)
        return !context_left_out(c, e);
    if (e->kind != BOUGH_ENTRY_CUSTOM_MESSAGE || context_left_out(c, e))
        return false;
    json_bool(json_member(view_data(c->a, e), "display"), &display);
    if (!display)
        context_note(c, e, "omitted", "it is not for display");
    return display;
}

static void build(struct context_out *c)
{
    const struct context_input *in = c->in;
    struct ui ui = { .c = c };
    size_t i, parts = 0;

    for (i = 0; i < in->n; i++)
        parts += in->entries[i].nparts;
    ui.messages = arena_array(c->a, in->n + 1, sizeof *ui.messages);
    ui.calls = arena_array(c->a, parts + 1, sizeof(struct ui_part *));
    smap_init(&ui.latest);
    for (i = 0; i < in->n; i++) {
        if (is_shown(c, &in->entries[i]))
            take(&ui, &in->entries[i]);
    }
    for (i = 0; i < ui.n; i++)
        write_message(c, &ui.messages[i]);
    smap_finish(&ui.latest);
}

const struct context_dialect context_ui = {
    .name = "ui",
    .about = "UIMessages of the AI SDK",
    .build = build,
};
