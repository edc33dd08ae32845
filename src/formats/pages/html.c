/* HTML, writer: a session with all branches as one self-contained page (P42). The page carries its
 * data as inert text: a script element for the session, one for every CHUNK entries with two lines
 * each (facts for the tree, then the content), one for the head and the labels. page.js shows it.
 */
#include <string.h>

#include "base/hash/sha256.h"
#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/base64.h"
#include "base/text/iso.h"
#include "base/text/str.h"
#include "base/text/utf8.h"
#include "core/model/text.h"
#include "core/part/view.h"
#include "formats/common/format.h"
#include "formats/pages/markup.h"

enum { CHUNK = 64, RAW_MOST = 64 * 1024 };

/* The files page.css and page.js. */
extern const char html_css[], html_js[];

struct html {
    size_t n; /* entries so far */
};

/* ---- text of the page ---- */

/* Escape JSON for a script element. Nothing in it may end the element or begin a comment. In JSON
 * these bytes occur only inside strings, where an escape is equivalent. */
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

/* End a JSON text of the page and its line. */
static void put_line(struct writing *w, struct json_writer *jw)
{
    jw_drop_breaks(jw);
    if (jw->out->over)
        w->out->over = true;
    put_safe(w->out, buf_str(jw->out));
    buf_putc(w->out, '\n');
    buf_finish(jw->out);
}

/* A source of the policy: only the style or script with these bytes. */
static void put_hash(struct buf *out, const char *directive, const char *content)
{
    unsigned char sum[SHA256_LEN];
    char text[64] = "";

    sha256(content, strlen(content), sum);
    base64_encode(sum, sizeof sum, text);
    buf_printf(out, "%s 'sha256-%s'; ", directive, text);
}

/* A session without a title is named by its first message. */
static const char *title_of(const struct writing *w)
{
    const struct bough_session *s = w->session;

    if (*s->title || !*s->first_user)
        return *s->title ? s->title : s->slug;
    return text_title(w->a, str_of(s->first_user));
}

static void put_head(struct writing *w)
{
    buf_puts(w->out, "<!doctype html>\n"
                     "<html lang=\"en\">\n"
                     "<head>\n"
                     "<meta charset=\"utf-8\">\n"
                     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                     "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; ");
    put_hash(w->out, "style-src", html_css);
    put_hash(w->out, "script-src", html_js);
    buf_puts(w->out, "img-src data:; base-uri 'none'; form-action 'none'\">\n<title>");
    put_escaped(w->out, title_of(w));
    buf_puts(w->out, "</title>\n<style>");
    buf_puts(w->out, html_css);
    buf_puts(w->out,
             "</style>\n"
             "</head>\n"
             "<body>\n"
             "<nav aria-label=\"Tree\"><h1 id=\"title\"></h1><div class=\"facts\" id=\"facts\">"
             "</div>\n"
             "<label for=\"filter\" class=\"facts\">Show</label>\n"
             "<select id=\"filter\"><option>default</option><option>no-tools</option>"
             "<option>user-only</option><option>labeled-only</option><option>all</option></select>"
             "\n<div id=\"tree\"></div></nav>\n"
             "<main id=\"path\" tabindex=\"-1\"></main>\n");
}

static void write_begin(struct writing *w)
{
    const struct bough_session *s = w->session;
    char money[ISO_TEXT];
    struct json_writer jw;
    struct buf b;

    w->state = arena_zalloc(w->a, sizeof(struct html));
    put_head(w);
    buf_puts(w->out, "<script type=\"application/json\" id=\"session\">\n");
    buf_init(&b, LIMIT_JSON_BYTES);
    jw_init(&jw, &b);
    jw_obj(&jw);
    jw_kv_cstr(&jw, "id", *s->origin ? s->origin : s->id);
    jw_kv_cstr(&jw, "title", title_of(w));
    jw_opt_cstr(&jw, "project", s->project);
    jw_opt_cstr(&jw, "model", *s->model_name ? s->model_name : s->last_model);
    jw_opt_cstr(&jw, "system", s->system_prompt);
    jw_kv_i64(&jw, "created", s->created);
    jw_kv_i64(&jw, "messages", s->messages);
    jw_kv_i64(&jw, "input", s->own.input + s->own.cache_read + s->own.cache_write);
    jw_kv_i64(&jw, "output", s->own.output);
    bough_money_text(s->own.cost, money, sizeof money);
    jw_kv_cstr(&jw, "cost", money);
    jw_end_obj(&jw);
    put_line(w, &jw);
    buf_puts(w->out, "</script>\n");
}

/* ---- an entry ---- */

/* The parts of an entry, and what the tree says about them. */
struct shown {
    struct part_view *parts;
    size_t n;
    struct bough_str text; /* the first one that is not blank */
    bool more;             /* reasoning, files, other parts */
};

static struct shown read_parts(struct bough_arena *a, const struct bough_entry *e)
{
    struct shown s = { .parts = NULL };
    struct part_view text = { .kind = VIEW_TEXT };
    size_t nruns, n = 1;
    struct view_run *runs = view_runs(a, e, &nruns);

    for (size_t i = 0; i < nruns; i++)
        n += runs[i].n;
    s.parts = arena_array(a, n, sizeof *s.parts);
    if (e->kind == BOUGH_ENTRY_MESSAGE && e->role == BOUGH_ROLE_BASH)
        text.text = view_bash_text(a, view_data(a, e));
    else if (e->kind == BOUGH_ENTRY_CUSTOM_MESSAGE)
        text.text = view_custom_text(a, e);
    if (text.text.n)
        s.parts[s.n++] = text;
    for (size_t i = 0; i < nruns; i++)
        for (size_t k = 0; k < runs[i].n; k++)
            s.parts[s.n++] = runs[i].at[k];
    for (size_t i = 0; i < s.n; i++) {
        enum view_kind kind = s.parts[i].kind;

        if (kind == VIEW_TEXT && !s.text.n)
            s.text = text_trim(s.parts[i].text);
        s.more = s.more || kind == VIEW_REASONING || kind == VIEW_FILE || kind == VIEW_OTHER;
    }
    return s;
}

/* Markdown as nodes; a text that is too large for that as it is. */
static void put_markup(struct json_writer *jw, struct bough_str text)
{
    jw_key(jw, "md");
    if (!markup_put(jw, text))
        jw_str(jw, text);
}

/* Raw JSON to look at, cut if it is long. */
static void put_raw(struct json_writer *jw, const char *key, struct bough_str raw)
{
    raw.n = utf8_cut(raw.p, raw.n, RAW_MOST);
    jw_kv_str(jw, key, raw);
}

static void put_part(struct bough_arena *a, struct json_writer *jw, const struct part_view *v,
                     bool plain)
{
    jw_obj(jw);
    switch (v->kind) {
    case VIEW_TEXT:
    case VIEW_REASONING:
        jw_kv_cstr(jw, "k", v->kind == VIEW_TEXT ? "text" : "reasoning");
        if (plain)
            jw_kv_str(jw, "md", v->text);
        else
            put_markup(jw, v->text);
        break;
    case VIEW_CALL:
    case VIEW_TOOL:
        jw_kv_cstr(jw, "k", "call");
        jw_kv_cstr(jw, "call", v->call);
        jw_kv_cstr(jw, "tool", v->tool);
        jw_kv_str(jw, "input", v->input);
        break;
    case VIEW_RESULT:
        jw_kv_cstr(jw, "k", "result");
        jw_kv_cstr(jw, "call", v->call);
        jw_kv_str(jw, "output", view_output_text(a, v->output));
        if (v->failed)
            jw_kv_bool(jw, "failed", true);
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
        put_raw(jw, "raw", v->raw);
        break;
    }
    jw_end_obj(jw);
}

static void put_calls(struct json_writer *jw, const char *key, const struct shown *s,
                      enum view_kind kind)
{
    bool any = false;

    for (size_t i = 0; i < s->n; i++) {
        if (s->parts[i].kind != kind)
            continue;
        if (!any) {
            jw_key(jw, key);
            jw_arr(jw);
        }
        any = true;
        jw_cstr(jw, s->parts[i].call);
    }
    if (any)
        jw_end_arr(jw);
}

/* Does the entry have content that is read like a message? */
static bool is_said(const struct bough_entry *e)
{
    return e->kind == BOUGH_ENTRY_MESSAGE || e->kind == BOUGH_ENTRY_CUSTOM_MESSAGE;
}

/* The first line of an entry: what the tree and the filters need. */
static void put_facts(struct writing *w, struct bough_arena *a, const struct written_entry *we,
                      const struct shown *s, const char *summary)
{
    const struct bough_entry *e = we->e;
    const char *stop = json_cstr(a, view_data(a, e), "stopReason");
    struct json_writer jw;
    struct buf b;

    buf_init(&b, LIMIT_JSON_BYTES);
    jw_init(&jw, &b);
    jw_obj(&jw);
    jw_kv_cstr(&jw, "id", we->id);
    jw_kv_cstr(&jw, "parent", we->parent);
    jw_kv_cstr(&jw, "kind",
               e->kind == BOUGH_ENTRY_OTHER ? e->kind_name : bough_entry_kind_name(e->kind));
    jw_kv_i64(&jw, "time", e->time);
    if (e->deleted)
        jw_kv_bool(&jw, "deleted", true);
    if (!e->deleted && is_said(e)) {
        jw_opt_cstr(&jw, "role", bough_role_name(e->role));
        if (e->error.n || cstr_eq(stop, "error") || cstr_eq(stop, "aborted"))
            jw_kv_bool(&jw, "bad", true);
        if (view_hidden(a, e))
            jw_kv_bool(&jw, "hidden", true);
        if (s->more)
            jw_kv_bool(&jw, "more", true);
        put_calls(&jw, "calls", s, VIEW_CALL);
        put_calls(&jw, "results", s, VIEW_RESULT);
    }
    if (!e->deleted)
        jw_opt_cstr(&jw, "line", text_title(a, s->text.n ? s->text : str_of(summary)));
    jw_end_obj(&jw);
    put_line(w, &jw);
}

/* The second line: what is shown of it. */
static void put_content(struct writing *w, struct bough_arena *a, const struct bough_entry *e,
                        const struct shown *s, const char *summary)
{
    struct json data = view_data(a, e);
    const char *model = json_cstr(a, data, "model");
    struct json_writer jw;
    struct buf b;

    buf_init(&b, LIMIT_JSON_BYTES);
    jw_init(&jw, &b);
    jw_obj(&jw);
    if (!e->deleted) {
        jw_opt_cstr(&jw, "model", model ? model : json_cstr(a, data, "modelId"));
        if (*summary)
            put_markup(&jw, str_of(summary));
        else if (!is_said(e) && e->data.n)
            put_raw(&jw, "raw", e->data);
        jw_key(&jw, "parts");
        jw_arr(&jw);
        for (size_t i = 0; i < s->n; i++)
            put_part(a, &jw, &s->parts[i], e->role == BOUGH_ROLE_BASH);
        jw_end_arr(&jw);
    }
    jw_end_obj(&jw);
    put_line(w, &jw);
}

static void write_entry(struct writing *w, const struct written_entry *we)
{
    struct html *h = w->state;
    struct bough_arena *a = bough_arena_create();
    struct shown s = { .parts = NULL };
    const char *summary = NULL;

    if (is_said(we->e))
        s = read_parts(a, we->e);
    else
        summary = json_cstr(a, view_data(a, we->e), "summary");
    summary = summary ? summary : "";
    if (h->n % CHUNK == 0)
        buf_printf(w->out, "%s<script type=\"text/plain\" class=\"chunk\">\n",
                   h->n ? "</script>\n" : "");
    h->n++;
    put_facts(w, a, we, &s, summary);
    put_content(w, a, we->e, &s, summary);
    bough_arena_destroy(a);
}

static void write_finish(struct writing *w, const char *head)
{
    const struct html *h = w->state;
    struct json_writer jw;
    struct buf b;

    if (h->n)
        buf_puts(w->out, "</script>\n");
    buf_puts(w->out, "<script type=\"application/json\" id=\"end\">\n");
    buf_init(&b, LIMIT_JSON_BYTES);
    jw_init(&jw, &b);
    jw_obj(&jw);
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
    put_line(w, &jw);
    buf_puts(w->out, "</script>\n<script>");
    buf_puts(w->out, html_js);
    buf_puts(w->out, "</script>\n</body>\n</html>\n");
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
