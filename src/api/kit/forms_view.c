/* Parts as views: the same members whichever tool's format a part is in. For clients that show
 * conversations and do not want to know every format. */
#include "api/kit/forms.h"

#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "base/text/utf8.h"
#include "core/part/view.h"

/* What was cut, for the last member of a view. */
struct cuts {
    size_t most; /* bytes of a string; 0: all */
    size_t text, output;
};

static const char *kind_word(enum view_kind kind)
{
    switch (kind) {
    case VIEW_TEXT:
        return "text";
    case VIEW_REASONING:
        return "reasoning";
    case VIEW_CALL:
        return "call";
    case VIEW_RESULT:
        return "result";
    case VIEW_TOOL:
        return "tool";
    case VIEW_FILE:
        return "file";
    case VIEW_OTHER:
        break;
    }
    return "other";
}

static const char *state_word(enum bough_tool_state state)
{
    switch (state) {
    case BOUGH_TOOL_NONE:
        break;
    case BOUGH_TOOL_PENDING:
        return "pending";
    case BOUGH_TOOL_RUNNING:
        return "running";
    case BOUGH_TOOL_COMPLETED:
        return "completed";
    case BOUGH_TOOL_ERROR:
        return "error";
    }
    return NULL;
}

/* Write a text; *whole is its size if it was cut. */
static void put_text(struct json_writer *w, const char *key, struct bough_str text, size_t most,
                     size_t *whole)
{
    if (most && text.n > most) {
        *whole = text.n;
        text.n = utf8_cut(text.p, text.n, most);
    }
    jw_kv_str(w, key, text);
}

static void put_raw(struct json_writer *w, const char *key, struct bough_str json, size_t most)
{
    if (!json.n)
        return;
    jw_key(w, key);
    form_cut(w, json, most);
}

/* Images among the blocks of a result. */
static int64_t count_images(struct bough_arena *a, struct bough_str output)
{
    struct bough_part block;
    struct part_view v;
    struct json_iter it;
    struct json j;
    int64_t n = 0;

    if (!output.n || output.p[0] != '[' || json_parse(a, output, &j, NULL) != BOUGH_OK)
        return 0;
    for (it = json_iter(j); json_next(&it);) {
        block = (struct bough_part){ BOUGH_PART_FILE, json_raw(it.value) };
        view_part(a, &block, &v);
        n += v.kind == VIEW_FILE && v.base64.n > 0;
    }
    return n;
}

static void put_tool(struct json_writer *w, struct bough_arena *a, const struct part_view *v,
                     struct cuts *c)
{
    struct json state = json_member(view_json(a, v), "state");
    struct bough_str text = view_output_text(a, v->output);
    int64_t images = count_images(a, v->output);

    jw_opt_cstr(w, "call", v->call);
    jw_opt_cstr(w, "tool", v->tool);
    jw_opt_cstr(w, "state", state_word(v->state));
    if (v->failed)
        jw_kv_bool(w, "failed", true);
    put_raw(w, "input", v->input, c->most);
    if (v->output.n)
        put_text(w, "output", text, c->most, &c->output);
    if (images)
        jw_kv_i64(w, "images", images);
    put_raw(w, "time", json_raw(json_member(state, "time")), c->most);
    put_raw(w, "metadata", json_raw(json_member(state, "metadata")), c->most);
}

static void put_file(struct json_writer *w, const struct part_view *v)
{
    bool stored = str_starts(v->url, "bough:");

    jw_opt_cstr(w, "mime", v->mime);
    jw_opt_cstr(w, "filename", v->filename);
    if (v->url.n && !v->base64.n && !stored)
        jw_kv_str(w, "url", v->url);
    if (v->base64.n)
        jw_kv_i64(w, "bytes", (int64_t)(v->base64.n / 4 * 3));
    if (v->base64.n || stored)
        jw_kv_bool(w, "has_bytes", true);
}

static void put_contents(struct json_writer *w, struct bough_arena *a, const struct part_view *v,
                         struct cuts *c)
{
    switch (v->kind) {
    case VIEW_TEXT:
        put_text(w, "text", v->text, c->most, &c->text);
        if (v->ignored)
            jw_kv_bool(w, "ignored", true);
        if (v->synthetic)
            jw_kv_bool(w, "synthetic", true);
        break;
    case VIEW_REASONING:
        put_text(w, "text", v->text, c->most, &c->text);
        put_raw(w, "time", json_raw(json_member(view_json(a, v), "time")), c->most);
        break;
    case VIEW_CALL:
    case VIEW_RESULT:
    case VIEW_TOOL:
        put_tool(w, a, v, c);
        break;
    case VIEW_FILE:
        put_file(w, v);
        break;
    case VIEW_OTHER:
        put_raw(w, "raw", v->raw, c->most);
        break;
    }
}

static void put_view(struct json_writer *w, struct bough_arena *a, const char *id,
                     const struct part_view *v, size_t cut)
{
    struct cuts c = { .most = cut };

    jw_obj(w);
    jw_kv_cstr(w, "id", id);
    jw_kv_cstr(w, "kind", kind_word(v->kind));
    jw_kv_cstr(w, "type", v->word);
    put_contents(w, a, v, &c);
    if (c.text || c.output) {
        jw_key(w, "cut");
        jw_obj(w);
        if (c.text)
            jw_kv_i64(w, "text", (int64_t)c.text);
        if (c.output)
            jw_kv_i64(w, "output", (int64_t)c.output);
        jw_end_obj(w);
    }
    jw_end_obj(w);
}

void form_part_view(struct json_writer *w, const char *entry, size_t index,
                    const struct bough_part *part, size_t cut)
{
    struct bough_arena *tmp = bough_arena_create();
    struct part_view v;

    view_part(tmp, part, &v);
    put_view(w, tmp, arena_printf(tmp, "%s.%04zx", entry, index), &v, cut);
    bough_arena_destroy(tmp);
}

/* The text of a custom message that is in its data is a view without a part. */
static void put_custom(struct json_writer *w, struct bough_arena *a, const struct bough_entry *e,
                       size_t cut)
{
    struct part_view v = { .kind = VIEW_TEXT, .word = "text", .text = view_custom_text(a, e) };

    if (v.text.n)
        put_view(w, a, e->id, &v, cut);
}

void form_views(struct json_writer *w, const char *key, const struct bough_entry *e, size_t cut)
{
    struct bough_arena *tmp = bough_arena_create();
    struct part_view *views = NULL;
    struct view_run *runs;
    size_t n = 0;

    jw_key(w, key);
    jw_arr(w);
    if (*view_message_call(tmp, e)) {
        runs = view_runs(tmp, e, &n);
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < runs[i].n; k++)
                put_view(w, tmp, e->id, &runs[i].at[k], cut);
    } else {
        views = view_parts(tmp, e);
        for (size_t i = 0; i < e->nparts; i++)
            put_view(w, tmp, arena_printf(tmp, "%s.%04zx", e->id, i), &views[i], cut);
        put_custom(w, tmp, e, cut);
    }
    jw_end_arr(w);
    bough_arena_destroy(tmp);
}
