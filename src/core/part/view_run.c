/* Views of a whole message: its runs, its original role, the call it answers. Pure. */
#include "core/part/view.h"

#include <inttypes.h>
#include <string.h>

#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/model/text.h"
#include "core/part/fields.h"

struct json view_data(struct bough_arena *a, const struct bough_entry *e)
{
    struct json j = { 0 };

    if (e->data.n && json_parse(a, e->data, &j, NULL) != BOUGH_OK)
        return (struct json){ 0 };
    return j;
}

struct bough_str view_role_raw(const struct bough_entry *e)
{
    struct fields f;

    if (!e->data.n || !memmem(e->data.p, e->data.n, "\"role\"", 6) ||
        fields_read(&f, e->data, NULL) != BOUGH_OK)
        return str_make(NULL, 0);
    return fields_raw(&f, "role", JSON_STRING);
}

struct bough_str view_with_member(struct bough_arena *a, struct bough_str data, const char *name,
                                  struct bough_str value)
{
    struct fields f = { 0 };
    struct json_writer w;
    struct bough_str out;
    struct buf b;

    if (data.n && fields_read(&f, data, NULL) != BOUGH_OK)
        return data;
    buf_init(&b, data.n + value.n + strlen(name) + 64);
    jw_init(&w, &b);
    jw_obj(&w);
    jw_kv_raw(&w, name, value);
    jw_end_obj(&w);
    if (f.n) { /* before the members of `data`, which stay as they are */
        const char *open = memchr(data.p, '{', data.n);

        b.n--;
        buf_putc(&b, ',');
        buf_put(&b, open + 1, data.n - (size_t)(open + 1 - data.p));
    }
    out = text_keep(a, &b);
    buf_finish(&b);
    return out;
}

struct bough_str view_keep_role(struct bough_arena *a, const char *word, struct bough_str data)
{
    struct fields f;
    struct json_writer w;
    struct bough_str out;
    struct buf b;

    if (cstr_empty(word) || strcmp(word, bough_role_name(bough_role_parse(word))) == 0)
        return data;
    if (data.n && (fields_read(&f, data, NULL) != BOUGH_OK || fields_get(&f, "role")))
        return data;
    buf_init(&b, 8 * strlen(word) + 8);
    jw_init(&w, &b);
    jw_cstr(&w, word);
    out = view_with_member(a, data, "role", buf_str(&b));
    buf_finish(&b);
    return out;
}

const char *view_role(struct bough_arena *a, const struct bough_entry *e)
{
    const char *word = json_cstr(a, view_data(a, e), "role");

    return cstr_empty(word) ? bough_role_name(e->role) : word;
}

const char *view_message_call(struct bough_arena *a, const struct bough_entry *e)
{
    struct json data;
    const char *id;

    if (e->role != BOUGH_ROLE_TOOL)
        return "";
    data = view_data(a, e);
    id = json_cstr(a, data, "toolCallId");
    if (!id)
        id = json_cstr(a, data, "tool_call_id");
    return id ? id : "";
}

/* The content of a tool message as one JSON value: a string if all text, else an array of parts. */
static struct bough_str joined_output(struct bough_arena *a, const struct bough_entry *e,
                                      const struct part_view *parts)
{
    struct bough_str out;
    struct json_writer w;
    struct buf text, b;
    bool all = true;
    size_t i;

    buf_init(&text, LIMIT_APPEND_BYTES);
    buf_init(&b, LIMIT_APPEND_BYTES);
    jw_init(&w, &b);
    for (i = 0; i < e->nparts; i++) {
        all = all && parts[i].kind == VIEW_TEXT;
        if (i)
            buf_putc(&text, '\n');
        buf_put_str(&text, parts[i].text);
    }
    if (all) {
        jw_str(&w, buf_str(&text));
    } else {
        jw_arr(&w);
        for (i = 0; i < e->nparts; i++)
            jw_raw(&w, e->parts[i].json);
        jw_end_arr(&w);
    }
    out = text_keep(a, &b);
    buf_finish(&b);
    buf_finish(&text);
    return out;
}

/* The view of a tool message with a call id beside its content: one result. */
static struct part_view *message_result(struct bough_arena *a, const struct bough_entry *e,
                                        const char *call)
{
    struct json data = view_data(a, e);
    struct part_view *v = arena_zalloc(a, sizeof *v);
    const char *tool = json_cstr(a, data, "toolName");

    if (!tool)
        tool = json_cstr(a, data, "name");
    v->kind = VIEW_RESULT;
    v->type = BOUGH_PART_TOOL;
    v->word = v->mime = v->filename = "";
    v->raw = v->text = v->input = v->url = v->base64 = str_make(NULL, 0);
    v->call = call;
    v->tool = tool ? tool : "";
    v->state = BOUGH_TOOL_NONE;
    json_bool(json_member(data, "isError"), &v->failed);
    v->output = joined_output(a, e, view_parts(a, e));
    return v;
}

struct splitter {
    struct view_run *runs;
    size_t nruns;
    struct part_view *said; /* content of the next run, after that of earlier runs */
    size_t nsaid;
    struct part_view *results;
    size_t nresults;
};

static void flush(struct splitter *s)
{
    if (s->nsaid)
        s->runs[s->nruns++] = (struct view_run){ false, s->said, s->nsaid };
    if (s->nresults)
        s->runs[s->nruns++] = (struct view_run){ true, s->results, s->nresults };
    s->said += s->nsaid;
    s->results += s->nresults;
    s->nsaid = s->nresults = 0;
}

/* Consecutive calls were made in parallel, so their results form one run. Does `v` end it? */
static bool starts_anew(const struct part_view *v)
{
    return v->kind == VIEW_TEXT || v->kind == VIEW_REASONING || v->kind == VIEW_FILE ||
           v->type == BOUGH_PART_STEP_START;
}

static void split(struct splitter *s, const struct part_view *v)
{
    if (s->nresults && starts_anew(v))
        flush(s);
    if (v->kind != VIEW_RESULT)
        s->said[s->nsaid++] = *v;
    if (v->kind == VIEW_RESULT || (v->kind == VIEW_TOOL && (v->state == BOUGH_TOOL_COMPLETED ||
                                                            v->state == BOUGH_TOOL_ERROR))) {
        s->results[s->nresults] = *v;
        s->results[s->nresults++].kind = VIEW_RESULT;
    }
    if (v->kind == VIEW_TOOL)
        s->said[s->nsaid - 1].kind = VIEW_CALL;
}

/* alkhub keeps the text of a system message in data.content, without parts. */
static void split_content(struct bough_arena *a, const struct bough_entry *e, struct splitter *s)
{
    struct bough_part part = { .type = BOUGH_PART_TEXT };
    struct bough_str text;

    if (e->nparts || e->role != BOUGH_ROLE_SYSTEM ||
        !json_str(a, json_member(view_data(a, e), "content"), &text))
        return;
    part.json = bough_part_text(a, text);
    view_part(a, &part, &s->said[s->nsaid++]);
}

struct view_run *view_runs(struct bough_arena *a, const struct bough_entry *e, size_t *n)
{
    const char *call = view_message_call(a, e);
    struct splitter s = { .nruns = 0 };
    struct part_view *parts;
    size_t i;

    s.runs = arena_array(a, 2 * e->nparts + 1, sizeof *s.runs);
    if (*call) {
        s.runs[0] = (struct view_run){ true, message_result(a, e, call), 1 };
        *n = 1;
        return s.runs;
    }
    s.said = arena_array(a, e->nparts + 1, sizeof *s.said);
    s.results = arena_array(a, e->nparts + 1, sizeof *s.results);
    parts = view_parts(a, e);
    for (i = 0; i < e->nparts; i++)
        split(&s, &parts[i]);
    split_content(a, e, &s);
    flush(&s);
    if (!s.nruns)
        s.runs[s.nruns++] = (struct view_run){ false, s.said, 0 };
    *n = s.nruns;
    return s.runs;
}

struct bough_str view_bash_text(struct bough_arena *a, struct json data)
{
    struct bough_str command = str_make(NULL, 0), output = str_make(NULL, 0), out;
    bool cancelled = false, truncated = false;
    const char *full;
    int64_t code = 0;
    struct buf b;

    json_str(a, json_member(data, "command"), &command);
    json_str(a, json_member(data, "output"), &output);
    json_bool(json_member(data, "cancelled"), &cancelled);
    json_bool(json_member(data, "truncated"), &truncated);
    json_i64(json_member(data, "exitCode"), &code);
    full = json_cstr(a, data, "fullOutputPath");
    buf_init(&b, LIMIT_APPEND_BYTES);
    buf_puts(&b, "Ran `");
    buf_put_str(&b, command);
    buf_puts(&b, output.n ? "`\n```\n" : "`\n(no output)");
    buf_put_str(&b, output);
    if (output.n)
        buf_puts(&b, "\n```");
    if (cancelled)
        buf_puts(&b, "\n\n(command cancelled)");
    else if (code)
        buf_printf(&b, "\n\nCommand exited with code %" PRId64, code);
    if (truncated)
        buf_printf(&b, "\n\n[Output truncated%s%s]", full ? ". Full output: " : "",
                   full ? full : "");
    out = text_keep(a, &b);
    buf_finish(&b);
    return out;
}

struct bough_str view_custom_text(struct bough_arena *a, const struct bough_entry *e)
{
    struct json content;

    if (e->kind != BOUGH_ENTRY_CUSTOM_MESSAGE || e->nparts || !e->data.n ||
        !json_get(view_data(a, e), "content", &content))
        return str_make("", 0);
    return view_output_text(a, json_raw(content));
}

bool view_hidden(struct bough_arena *a, const struct bough_entry *e)
{
    bool shown = true;

    if (e->kind == BOUGH_ENTRY_CUSTOM_MESSAGE && e->data.n)
        (void)json_bool(json_member(view_data(a, e), "display"), &shown);
    return !shown;
}

struct bough_str view_metadata(struct bough_arena *a, const struct bough_entry *e)
{
    struct json kept;

    if (e->metadata.n && !str_is(e->metadata, "{}"))
        return e->metadata;
    return json_get(view_data(a, e), "metadata", &kept) ? json_raw(kept) : str_of("");
}
