/* The message of a tool call: its part while it runs, and with its result. */
#include <string.h>

#include "base/json/json.h"
#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/memory/buf.h"
#include "base/text/str.h"
#include "base/text/utf8.h"
#include "run/step.h"
#include "tools/tools.h"

enum {
    MODEL_MOST = 64 * 1024, /* bytes of a result that the model gets: half head, half tail */
    PREVIEW = 2000,
    PART_MOST = 64 << 20,
};

/* ---- text ---- */

/* Bytes that are not UTF-8 become U+FFFD; a NUL becomes a space. */
static struct bough_str mend(struct bough_arena *a, struct bough_str s)
{
    struct buf b;

    if (utf8_valid(s.p, s.n) == s.n && (!s.n || !memchr(s.p, '\0', s.n)))
        return s;
    buf_init(&b, 3 * s.n + 16);
    while (s.n) {
        size_t good = utf8_valid(s.p, s.n);

        for (size_t i = 0; i < good; i++)
            buf_putc(&b, s.p[i] ? s.p[i] : ' ');
        if (good < s.n) {
            buf_puts(&b, "\xef\xbf\xbd");
            good++;
        }
        s = str_make(s.p + good, s.n - good);
    }
    return buf_give(&b, a);
}

/* Head and tail of a long text, cut at characters. */
static struct bough_str for_model(struct bough_arena *a, struct bough_str s)
{
    size_t head = utf8_cut(s.p, s.n, MODEL_MOST / 2), tail = s.n - MODEL_MOST / 2;
    struct buf b;

    while (tail < s.n && ((unsigned char)s.p[tail] & 0xc0) == 0x80)
        tail++;
    buf_init(&b, MODEL_MOST + 256);
    buf_put(&b, s.p, head);
    buf_printf(&b, "\n[... %zu bytes of %zu are left out here ...]\n", tail - head, s.n);
    buf_put(&b, s.p + tail, s.n - tail);
    return buf_give(&b, a);
}

/* ---- the part ---- */

static void put_head(struct json_writer *w, const struct tool_named *n, const char *status)
{
    jw_obj(w);
    jw_kv_cstr(w, "type", "tool");
    jw_kv_cstr(w, "callID", n->call);
    jw_kv_cstr(w, "tool", n->name);
    jw_key(w, "state");
    jw_obj(w);
    jw_kv_cstr(w, "status", status);
    jw_kv_raw(w, "input", n->input);
}

static void put_tail(struct json_writer *w, const struct tool_named *n, bool ended)
{
    jw_key(w, "time");
    jw_obj(w);
    jw_kv_i64(w, "start", n->start);
    if (ended)
        jw_kv_i64(w, "end", n->end);
    jw_end_obj(w);
    jw_end_obj(w);
    jw_end_obj(w);
}

struct bough_str tool_part_running(struct bough_arena *a, const struct tool_named *n)
{
    struct json_writer w;
    struct buf b;

    buf_init(&b, PART_MOST);
    jw_init(&w, &b);
    put_head(&w, n, "running");
    put_tail(&w, n, false);
    return buf_give(&b, a);
}

/* Images among the blocks of a result go to the model with it. */
static void put_images(struct json_writer *w, struct bough_arena *a, struct bough_str content)
{
    struct json root;
    struct json_iter it;
    bool any = false;

    if (!content.n || json_parse(a, content, &root, NULL) || json_type(root) != JSON_ARRAY)
        return;
    it = json_iter(root);
    while (json_next(&it)) {
        const char *mime = json_cstr(a, it.value, "mimeType"),
                   *data = json_cstr(a, it.value, "data"), *type = json_cstr(a, it.value, "type");

        if (!mime || !data || !type || strcmp(type, "image") != 0)
            continue;
        if (!any) {
            jw_key(w, "attachments");
            jw_arr(w);
        }
        any = true;
        jw_obj(w);
        jw_kv_cstr(w, "type", "file");
        jw_kv_cstr(w, "mime", mime);
        jw_kv_cstr(w, "url", arena_printf(a, "data:%s;base64,%s", mime, data));
        jw_end_obj(w);
    }
    if (any)
        jw_end_arr(w);
}

static struct bough_str part_ended(struct bough_arena *a, const struct tool_named *n,
                                   const struct tool_result *r, struct bough_str text)
{
    struct json_writer w;
    struct buf b;

    buf_init(&b, PART_MOST);
    jw_init(&w, &b);
    put_head(&w, n, r->is_error ? "error" : "completed");
    jw_kv_str(&w, r->is_error ? "error" : "output", text);
    if (!r->is_error) {
        jw_kv_cstr(&w, "title", n->title);
        put_images(&w, a, r->content);
    }
    jw_kv_raw(&w, "metadata", r->details.n ? r->details : str_of("{}"));
    put_tail(&w, n, true);
    if (b.over) { /* images without bound */
        struct tool_result plain = *r;

        buf_finish(&b);
        plain.content = plain.details = str_of("");
        return part_ended(a, n, &plain, text);
    }
    return buf_give(&b, a);
}

/* ---- the whole result, beside the part ---- */

static long read_text(void *user, void *to, size_t n)
{
    struct bough_str *left = user;

    if (n > left->n)
        n = left->n;
    memcpy(to, left->p, n);
    *left = str_make(left->p + n, left->n - n);
    return (long)n;
}

/* Empty when it could not be stored: the model gets its part all the same. */
static struct bough_str artifact_part(struct bough_store *s, struct bough_arena *a,
                                      struct bough_str text)
{
    struct bough_attachment stored;
    struct bough_str left = text;
    struct json_writer w;
    struct buf b;

    if (bough_attachment_store(s, read_text, &left, &stored, NULL))
        return str_of("");
    buf_init(&b, 64 << 10);
    jw_init(&w, &b);
    jw_obj(&w);
    jw_kv_cstr(&w, "type", "file");
    jw_kv_cstr(&w, "mime", "text/plain");
    jw_kv_cstr(&w, "filename", "result.txt");
    jw_kv_cstr(&w, "url", stored.url);
    jw_key(&w, "data");
    jw_obj(&w);
    jw_kv_cstr(&w, "artifact", "result");
    jw_kv_i64(&w, "size", (int64_t)text.n);
    jw_kv_str(&w, "preview", str_make(text.p, utf8_cut(text.p, text.n, PREVIEW)));
    jw_end_obj(&w);
    jw_end_obj(&w);
    return buf_give(&b, a);
}

struct tool_parts tool_parts_ended(struct bough_store *s, struct bough_arena *a,
                                   const struct tool_named *n, const struct tool_result *r)
{
    struct bough_str text = mend(a, r->text);
    bool cut = text.n > MODEL_MOST;
    struct tool_parts out = { .n = 1 };

    out.at[0] = part_ended(a, n, r, cut ? for_model(a, text) : text);
    if (cut)
        out.at[1] = artifact_part(s, a, text);
    if (out.at[1].n)
        out.n = 2;
    return out;
}
