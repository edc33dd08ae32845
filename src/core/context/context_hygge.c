/* Dialect "hygge" (H20, H30): messages since the marker, in hygge's closed set of parts. Pure. */
#include "core/context/dialect.h"

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/part/view.h"

static const char *const hygge_keys[] = { "type",         "text",     "id",
                                          "name",         "input",    "tool_use_id",
                                          "content",      "is_error", "image_mime_type",
                                          "image_base64", NULL };
static const char *const hygge_words[] = { "text",        "thinking", "tool_use",
                                           "tool_result", "image",    NULL };

/* Is the part in hygge's own format? Such parts are copied verbatim. */
static bool is_native(struct bough_arena *a, const struct part_view *v)
{
    struct json part = view_json(a, v), content = json_member(part, "content");
    struct json_iter it = json_iter(part);

    if (!v->raw.n || !str_among(str_of(v->word), hygge_words))
        return false;
    while (json_next(&it)) {
        struct bough_str key;

        if (!json_str(a, it.key, &key) || !str_among(key, hygge_keys))
            return false;
    }
    return json_type(content) == JSON_NULL || json_type(content) == JSON_STRING;
}

static void write_call(struct json_writer *w, const struct part_view *v)
{
    jw_obj(w);
    jw_kv_cstr(w, "type", "tool_use");
    jw_kv_cstr(w, "id", v->call);
    jw_kv_cstr(w, "name", v->tool);
    jw_opt_raw(w, "input", v->input);
    jw_end_obj(w);
}

/* hygge has texts in results, and no files. */
static bool takes(const struct piece *file, enum file_place place, size_t used)
{
    (void)file;
    (void)place;
    (void)used;
    return false;
}

static void write_result(struct json_writer *w, struct bough_arena *a, const struct part_view *v)
{
    static const struct turns_rules rules = { .takes = takes };
    const struct piece *content = turns_content(a, &rules, v->output);

    jw_obj(w);
    jw_kv_cstr(w, "type", "tool_result");
    jw_kv_cstr(w, "tool_use_id", v->call);
    if (content) {
        jw_key(w, "content");
        put_texts(w->out, content, "\\n");
        w->comma = true;
    }
    if (v->failed)
        jw_kv_bool(w, "is_error", true);
    jw_end_obj(w);
}

static void write_text(struct json_writer *w, const char *word, struct bough_str text)
{
    jw_obj(w);
    jw_kv_cstr(w, "type", word);
    jw_opt_str(w, "text", text);
    jw_end_obj(w);
}

/* False: hygge has no such part; nothing was written. */
static bool write_part(struct context_out *c, const struct part_view *v)
{
    switch (v->kind) {
    case VIEW_TEXT:
        write_text(&c->w, "text", v->text);
        return true;
    case VIEW_REASONING:
        if (!v->text.n)
            return false;
        write_text(&c->w, "thinking", v->text);
        return true;
    case VIEW_CALL:
    case VIEW_TOOL:
        if (!*v->call || !*v->tool)
            return false;
        write_call(&c->w, v);
        return true;
    case VIEW_RESULT:
        if (!*v->call)
            return false;
        write_result(&c->w, c->a, v);
        return true;
    case VIEW_FILE:
        if (!v->base64.n || !str_starts(str_of(v->mime), "image/"))
            return false;
        jw_obj(&c->w);
        jw_kv_cstr(&c->w, "type", "image");
        jw_kv_cstr(&c->w, "image_mime_type", v->mime);
        jw_kv_str(&c->w, "image_base64", v->base64);
        jw_end_obj(&c->w);
        return true;
    case VIEW_OTHER:
        return false;
    }
    return false;
}

static const char *role_word(struct context_out *c, const struct bough_entry *e)
{
    switch (e->role) {
    case BOUGH_ROLE_SYSTEM:
    case BOUGH_ROLE_USER:
    case BOUGH_ROLE_ASSISTANT:
    case BOUGH_ROLE_TOOL:
        return bough_role_name(e->role);
    case BOUGH_ROLE_NONE:
    case BOUGH_ROLE_BASH:
    case BOUGH_ROLE_CUSTOM:
    case BOUGH_ROLE_OTHER:
        break;
    }
    context_note(c, e, "converted", "hygge has no role \"%s\": it is shown as the user's",
                 e->role == BOUGH_ROLE_NONE ? "custom" : view_role(c->a, e));
    return "user";
}

/* `nth`: which message of the entry this is, from 0. Ids are unique in hygge. */
static void begin_message(struct context_out *c, const struct bough_entry *e, const char *role,
                          size_t nth)
{
    const char *id = cstr_empty(e->origin) ? e->id : e->origin;

    context_source(c, e);
    jw_obj(&c->w);
    jw_kv_cstr(&c->w, "id", nth ? arena_printf(c->a, "%s/%zu", id, nth + 1) : id);
    jw_kv_cstr(&c->w, "role", role);
    jw_key(&c->w, "parts");
    jw_arr(&c->w);
}

static void end_message(struct context_out *c)
{
    jw_end_arr(&c->w);
    jw_end_obj(&c->w);
}

/* A message with its content in data instead of parts: pi's `!command` and custom messages. */
static void write_text_message(struct context_out *c, const struct bough_entry *e)
{
    struct json data = view_data(c->a, e);
    struct bough_str text = e->role == BOUGH_ROLE_BASH
                                ? view_bash_text(c->a, data)
                                : view_output_text(c->a, json_raw(json_member(data, "content")));

    begin_message(c, e, role_word(c, e), 0);
    write_text(&c->w, "text", text);
    end_message(c);
}

/* Does the run hold no part that hygge can show? */
static bool is_silent(const struct view_run *run)
{
    size_t i;

    for (i = 0; i < run->n; i++) {
        if (run->at[i].kind != VIEW_OTHER)
            return false;
    }
    return true;
}

static void write_message(struct context_out *c, const struct bough_entry *e)
{
    bool converted = false;
    struct view_run *runs;
    const char *role;
    size_t i, k, n, shown = 0;

    if (!e->nparts && (e->role == BOUGH_ROLE_BASH || e->kind == BOUGH_ENTRY_CUSTOM_MESSAGE)) {
        write_text_message(c, e);
        return;
    }
    role = role_word(c, e);
    runs = view_runs(c->a, e, &n);
    for (i = 0; i < n; i++) {
        bool silent = n > 1 && is_silent(&runs[i]);

        if (!silent)
            begin_message(c, e, runs[i].results ? "tool" : role, shown++);
        for (k = 0; k < runs[i].n; k++) {
            const struct part_view *v = &runs[i].at[k];

            if (is_native(c->a, v)) {
                jw_raw(&c->w, v->raw);
            } else if (silent || !write_part(c, v)) {
                context_note(c, e, "omitted", "hygge has no form for this %s part",
                             *v->word ? v->word : bough_part_type_name(v->type));
            } else {
                converted = true;
            }
        }
        if (!silent)
            end_message(c);
    }
    if (converted)
        context_note(c, e, "converted", "its parts were not in hygge's form");
    if (shown > 1)
        context_note(c, e, "split", "hygge keeps results of tools apart: it is %zu messages",
                     shown);
}

static bool is_before(const struct bough_entry *e, const struct bough_entry *marker)
{
    if (!marker)
        return false;
    return e->at.depth < (marker->keep_from ? marker->keep_from : marker->at.depth);
}

static void build(struct context_out *c)
{
    const struct context_input *in = c->in;
    size_t i, gone = 0;

    for (i = 0; i < in->n; i++) {
        const struct bough_entry *e = &in->entries[i];
        bool message = e->kind == BOUGH_ENTRY_MESSAGE || e->kind == BOUGH_ENTRY_CUSTOM_MESSAGE;

        if (message && is_before(e, in->marker))
            gone++;
        else if (message && !context_left_out(c, e))
            write_message(c, e);
        else if (e->kind == BOUGH_ENTRY_BRANCH_SUMMARY && !is_before(e, in->marker))
            context_note(c, e, "omitted", "hygge has no summaries of branches");
    }
    if (in->marker && gone)
        context_note(c, in->marker, "summarised", "it replaces %zu earlier messages", gone);
    else if (in->marker)
        context_note(c, in->marker, "summarised", "it summarises what came before these messages");
}

const struct context_dialect context_hygge = {
    .name = "hygge",
    .about = "hygge's messages since the latest marker",
    .since_marker = true,
    .build = build,
};
