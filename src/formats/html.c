/* HTML, writer: a session with all branches as one self-contained page (P42). */
#include "formats/html.h"

#include <string.h>

#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/iso.h"
#include "base/text/str.h"
#include "core/part/view.h"

struct html {

    bool any;
};

/* Escape JSON for the page's script element. Nothing in it may end the element or begin a comment.
 * In JSON these bytes occur only inside strings, where an escape is equivalent. */
static void put_safe(struct buf *out, struct bough_str json)
{
    for (size_t i = 0; i < json.n; i++) {
        switch (json.p[i]) {
        case '<':
            buf_puts(out, "\\u003c");
            break;
        case '>':
            buf_puts(out, "\\u003e");
            break;
        case '&':
            buf_puts(out, "\\u0026");
            break;
        default:
            buf_putc(out, json.p[i]);
        }
    }
}

/* Text of the page itself. */
static void put_escaped(struct buf *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '<')
            buf_puts(out, "&lt;");
        else if (*text == '>')
            buf_puts(out, "&gt;");
        else if (*text == '&')
            buf_puts(out, "&amp;");
        else
            buf_putc(out, *text);
    }
}

static void flush(struct writing *w, struct buf *b)
{
    if (b->over)
        w->out->over = true;
    put_safe(w->out, buf_str(b));
    buf_finish(b);
}

static void write_begin(struct writing *w)
{
    const struct bough_session *s = w->session;
    char money[ISO_TEXT];
    struct json_writer jw;
    struct buf b;

    w->state = arena_zalloc(w->a, sizeof(struct html));
    buf_puts(w->out, html_head);
    put_escaped(w->out, *s->title ? s->title : s->slug);
    buf_puts(w->out, html_style);
    buf_init(&b, LIMIT_JSON_BYTES);
    jw_init(&jw, &b);
    jw_obj(&jw);
    jw_kv_cstr(&jw, "id", *s->origin ? s->origin : s->id);
    jw_kv_cstr(&jw, "title", *s->title ? s->title : s->slug);
    jw_kv_cstr(&jw, "project", s->project);
    jw_kv_cstr(&jw, "model", *s->model_name ? s->model_name : s->last_model);
    jw_kv_i64(&jw, "created", s->created);
    jw_kv_i64(&jw, "messages", s->messages);
    jw_kv_i64(&jw, "input", s->own.input + s->own.cache_read + s->own.cache_write);
    jw_kv_i64(&jw, "output", s->own.output);
    bough_money_text(s->own.cost, money, sizeof money);
    jw_kv_cstr(&jw, "cost", money);
    jw_key(&jw, "entries");
    jw_arr(&jw);
    flush(w, &b);
}

/* ---- parts ---- */

static void put_output(struct bough_arena *a, struct json_writer *jw, const struct part_view *v)
{
    jw_kv_str(jw, "output", view_output_text(a, v->output));
    if (v->failed)
        jw_kv_bool(jw, "failed", true);
}

static void put_part(struct bough_arena *a, struct json_writer *jw, const struct part_view *v)
{
    jw_obj(jw);
    switch (v->kind) {
    case VIEW_TEXT:
    case VIEW_REASONING:
        jw_kv_cstr(jw, "k", v->kind == VIEW_TEXT ? "text" : "reasoning");
        jw_kv_str(jw, "text", v->text);
        break;
    case VIEW_CALL:
    case VIEW_TOOL:
        jw_kv_cstr(jw, "k", "call");
        jw_kv_cstr(jw, "tool", v->tool);
        jw_kv_str(jw, "input", v->input);
        break;
    case VIEW_RESULT:
        jw_kv_cstr(jw, "k", "result");
        jw_kv_cstr(jw, "tool", v->tool);
        put_output(a, jw, v);
        break;
    case VIEW_FILE:
        jw_kv_cstr(jw, "k", "file");
        jw_kv_cstr(jw, "mime", v->mime);
        jw_kv_cstr(jw, "name", v->filename);
        if (v->base64.n && strncmp(v->mime, "image/", 6) == 0)
            jw_kv_str(jw, "data", v->base64);
        break;
    case VIEW_OTHER:
        jw_kv_cstr(jw, "k", "other");
        jw_kv_cstr(jw, "type", v->word);
        break;
    }
    jw_end_obj(jw);
}

static void put_said(struct bough_arena *a, struct json_writer *jw, const struct bough_entry *e)
{
    struct json data = view_data(a, e);
    const char *model = json_cstr(a, data, "model"), *stop = json_cstr(a, data, "stopReason");
    size_t n;
    struct view_run *runs = view_runs(a, e, &n);

    jw_opt_cstr(jw, "role", bough_role_name(e->role));
    jw_opt_cstr(jw, "model", model);
    if (e->error.n || cstr_eq(stop, "error") || cstr_eq(stop, "aborted"))
        jw_kv_bool(jw, "bad", true);
    jw_key(jw, "parts");
    jw_arr(jw);
    if (e->role == BOUGH_ROLE_BASH) {
        struct part_view v = { .kind = VIEW_TEXT, .text = view_bash_text(a, data) };

        put_part(a, jw, &v);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < runs[i].n; k++)
            put_part(a, jw, &runs[i].at[k]);
    jw_end_arr(jw);
}

static void write_entry(struct writing *w, const struct written_entry *we)
{
    const struct bough_entry *e = we->e;
    struct html *h = w->state;
    struct bough_arena *a = bough_arena_create();
    struct json_writer jw;
    struct buf b;

    buf_init(&b, LIMIT_JSON_BYTES);
    jw_init(&jw, &b);
    jw.comma = h->any;
    h->any = true;
    jw_obj(&jw);
    jw_kv_cstr(&jw, "id", we->id);
    jw_kv_cstr(&jw, "parent", we->parent);
    jw_kv_cstr(&jw, "kind",
               e->kind == BOUGH_ENTRY_OTHER ? e->kind_name : bough_entry_kind_name(e->kind));
    jw_kv_i64(&jw, "time", e->time);
    if (e->deleted)
        jw_kv_bool(&jw, "deleted", true);
    if (e->kind == BOUGH_ENTRY_MESSAGE && !e->deleted) {
        put_said(a, &jw, e);
    } else if (!e->deleted) {
        struct json data = view_data(a, e);

        jw_opt_cstr(&jw, "summary", json_cstr(a, data, "summary"));
        jw_opt_cstr(&jw, "label", json_cstr(a, data, "label"));
        jw_opt_cstr(&jw, "model", json_cstr(a, data, "modelId"));
    }
    jw_end_obj(&jw);
    flush(w, &b);
    bough_arena_destroy(a);
}

static void write_finish(struct writing *w, const char *head)
{
    struct json_writer jw;
    struct buf b;

    buf_init(&b, LIMIT_JSON_BYTES);
    jw_init(&jw, &b);
    jw_end_arr(&jw);
    jw_kv_cstr(&jw, "head", head);
    jw_key(&jw, "labels");
    jw_arr(&jw);
    for (size_t i = 0; i < w->nlabels; i++) {
        jw_arr(&jw);
        jw_cstr(&jw, w->labels[i].entry);
        jw_cstr(&jw, w->labels[i].text);
        jw_end_arr(&jw);
    }
    jw_end_arr(&jw);
    jw_end_obj(&jw);
    flush(w, &b);
    buf_puts(w->out, html_tail);
}

const struct format format_html = {
    .name = "html",
    .number = FORMAT_HTML,
    .about = "HTML: one self-contained page with the whole tree",
    .suffix = "html",
    .writes = WRITES_TREE,
    .marks_deleted = true,
    .begin = write_begin,
    .entry = write_entry,
    .finish = write_finish,
};
