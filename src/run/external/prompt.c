/* The prompt that an agent gets: the user's message with its files, and what was said before. */
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/base64.h"
#include "base/text/str.h"
#include "base/text/utf8.h"
#include "run/external/inside.h"

/* A file is sent with its contents up to FILE_MOST bytes. */
enum { PROMPT_MOST = 32 << 20, FILE_MOST = 8 << 20, MESSAGES_MOST = 500 };

static void put_text(struct json_writer *w, struct bough_str text)
{
    jw_obj(w);
    jw_kv_cstr(w, "type", "text");
    jw_kv_str(w, "text", text);
    jw_end_obj(w);
}

/* ---- files ---- */

/* A file part of the user's message. */
struct file {
    const char *url, *mime, *name;
    struct bough_str data; /* base64; empty: it is not here, or too large */
};

static bool take(void *user, const void *p, size_t n)
{
    buf_put(user, p, n);
    return true;
}

/* The bytes of an attachment that the part shows, as base64. */
static struct bough_str attached(struct ext *x, const struct bough_entry *e, size_t part)
{
    struct buf b;
    struct bough_attachment_read_options how = { .write = take, .user = &b };
    const char *session = x->w->run->session;
    struct bough_str out = { "", 0 };
    struct bough_attachments all;
    char *text;

    if (bough_attachment_list(x->w->store, x->scratch, session, e->id, &all, NULL))
        return out;
    while (how.index < all.n && all.at[how.index].part != part)
        how.index++;
    if (how.index == all.n || all.at[how.index].size > FILE_MOST)
        return out;
    buf_init(&b, FILE_MOST);
    if (bough_attachment_read(x->w->store, session, e->id, &how, NULL) == BOUGH_OK && !b.over) {
        text = arena_alloc(x->scratch, base64_length(b.n) + 1);
        base64_encode(b.p, b.n, text);
        out = str_make(text, base64_length(b.n));
    }
    buf_finish(&b);
    return out;
}

static void read_file(struct ext *x, const struct bough_entry *e, size_t part, struct json root,
                      struct file *out)
{
    const char *data;

    *out = (struct file){ json_cstr(x->scratch, root, "url"), json_cstr(x->scratch, root, "mime"),
                          json_cstr(x->scratch, root, "filename"), str_of("") };
    out->url = out->url ? out->url : "";
    out->mime = cstr_empty(out->mime) ? "application/octet-stream" : out->mime;
    data = strncmp(out->url, "data:", 5) == 0 ? strstr(out->url, ";base64,") : NULL;
    if (data)
        out->data = str_of(data + strlen(";base64,"));
    else if (strncmp(out->url, "bough:", 6) == 0)
        out->data = attached(x, e, part);
    /* Where it is, for the agent: never the bytes again. */
    if (data || !*out->url)
        out->url = arena_printf(x->scratch, "bough://entries/%s/%zu", e->id, part);
    if (cstr_empty(out->name))
        out->name = out->url;
}

/* The text of a file of text; false: it is another. */
static bool text_of(struct ext *x, const struct file *f, struct bough_str *out)
{
    unsigned char *bytes;
    size_t n;

    if (strncmp(f->mime, "text/", 5) != 0 && !strstr(f->mime, "json") && !strstr(f->mime, "xml"))
        return false;
    bytes = arena_alloc(x->scratch, f->data.n + 1);
    if (!base64_decode(f->data.p, f->data.n, bytes, &n) || utf8_valid((char *)bytes, n) != n)
        return false;
    *out = str_make((char *)bytes, n);
    return true;
}

static void put_resource(struct ext *x, struct json_writer *w, const struct file *f)
{
    struct bough_str text;

    jw_obj(w);
    jw_kv_cstr(w, "type", "resource");
    jw_key(w, "resource");
    jw_obj(w);
    jw_kv_cstr(w, "uri", f->url);
    jw_kv_cstr(w, "mimeType", f->mime);
    if (text_of(x, f, &text))
        jw_kv_str(w, "text", text);
    else
        jw_kv_str(w, "blob", f->data);
    jw_end_obj(w);
    jw_end_obj(w);
}

/* As an image or with its contents if the agent takes that; else it is named. */
static void put_file(struct ext *x, struct json_writer *w, const struct file *f)
{
    if (f->data.n && acp_agent(x->acp)->image && strncmp(f->mime, "image/", 6) == 0) {
        jw_obj(w);
        jw_kv_cstr(w, "type", "image");
        jw_kv_cstr(w, "mimeType", f->mime);
        jw_kv_str(w, "data", f->data);
        jw_end_obj(w);
    } else if (f->data.n && acp_agent(x->acp)->embedded) {
        put_resource(x, w, f);
    } else {
        put_text(w,
                 str_of(arena_printf(x->scratch, "[file %s, %s: %s]", f->name, f->mime, f->url)));
    }
}

static void put_part(struct ext *x, struct json_writer *w, const struct bough_entry *e, size_t i)
{
    struct json root;
    struct file f;

    if (e->parts[i].type == BOUGH_PART_TEXT) {
        put_text(w, bough_part_plain(x->scratch, &e->parts[i]));
    } else if (e->parts[i].type == BOUGH_PART_FILE &&
               json_parse(x->scratch, e->parts[i].json, &root, NULL) == BOUGH_OK) {
        read_file(x, e, i, root, &f);
        put_file(x, w, &f);
    }
}

/* ---- the transcript of what was there before ---- */

static void put_message(struct ext *x, struct buf *out, const struct bough_entry *e)
{
    static const char *const heads[] = { "## User\n\n", "## Assistant\n\n" };
    bool user = e->role == BOUGH_ROLE_USER;

    if (!user && e->role != BOUGH_ROLE_ASSISTANT)
        return;
    buf_puts(out, heads[!user]);
    for (size_t i = 0; i < e->nparts; i++) {
        struct bough_str text = bough_part_plain(x->scratch, &e->parts[i]);

        if (e->parts[i].type == BOUGH_PART_TEXT && text.n) {
            buf_put_str(out, text);
            buf_puts(out, "\n\n");
        }
    }
}

/* The end of the path before the prompt, at most EXT_HANDOVER_MOST bytes; empty: nothing is there.
 */
static struct bough_str transcript(struct ext *x)
{
    struct bough_entries_read_options how = { .newest = true,
                                              .messages = true,
                                              .limit = MESSAGES_MOST };
    struct bough_entries_read_result got;
    struct bough_str all;
    struct buf b;

    if (bough_entries_read(x->w->store, x->scratch, x->w->run->session, &how, &got, NULL))
        return str_of("");
    buf_init(&b, PROMPT_MOST);
    for (size_t i = 0; i < got.entries.n; i++)
        if (strcmp(got.entries.at[i].id, x->w->run->prompt) != 0 &&
            strcmp(got.entries.at[i].id, x->writing.id) != 0)
            put_message(x, &b, &got.entries.at[i]);
    all = buf_give(&b, x->scratch);
    if (all.n > EXT_HANDOVER_MOST) {
        size_t skip = all.n - EXT_HANDOVER_MOST;

        while (skip < all.n && ((unsigned char)all.p[skip] & 0xc0) == 0x80)
            skip++;
        all = str_make(all.p + skip, all.n - skip);
    }
    return all;
}

static void put_handover(struct ext *x, struct json_writer *w)
{
    struct bough_str text = transcript(x);
    const char *uri = arena_printf(x->scratch, "bough://sessions/%s", x->w->run->session);

    if (!text.n)
        return;
    if (!acp_agent(x->acp)->embedded) {
        put_text(w, str_of(arena_printf(x->scratch, "What was said before:\n\n%.*s", (int)text.n,
                                        text.p)));
        return;
    }
    jw_obj(w);
    jw_kv_cstr(w, "type", "resource");
    jw_key(w, "resource");
    jw_obj(w);
    jw_kv_cstr(w, "uri", uri);
    jw_kv_cstr(w, "mimeType", "text/markdown");
    jw_kv_str(w, "text", text);
    jw_end_obj(w);
    jw_end_obj(w);
}

/* ---- the prompt ---- */

/* The user's message that is answered: of the run, else the last one on the path. */
static enum bough_rc find_prompt(struct ext *x, struct bough_entry **out, struct bough_error *err)
{
    struct bough_entries_read_options last = { .newest = true, .user = true, .limit = 1 };
    struct bough_entries_read_result got;
    enum bough_rc rc;

    *out = NULL;
    if (*x->w->run->prompt)
        return bough_entry_get(x->w->store, x->scratch, x->w->run->session, x->w->run->prompt, out,
                               err);
    rc = bough_entries_read(x->w->store, x->scratch, x->w->run->session, &last, &got, err);
    if (!rc && got.entries.n)
        *out = got.entries.at;
    return rc;
}

struct bough_str ext_prompt(struct ext *x, bool is_new)
{
    bool again = !*x->w->run->prompt && x->w->run->why == BOUGH_RUN_RESUME;
    struct bough_entry *e;
    struct json_writer w;
    struct buf b;

    if (find_prompt(x, &e, &x->failed)) {
        work_end(x->w, BOUGH_RUN_FAILED, "internal", "the prompt cannot be read: %s",
                 x->failed.msg);
        return str_of("");
    }
    buf_init(&b, PROMPT_MOST);
    jw_init(&w, &b);
    jw_obj(&w);
    jw_kv_cstr(&w, "sessionId", acp_session_id(x->acp));
    jw_key(&w, "prompt");
    jw_arr(&w);
    if (is_new && x->ad->handover)
        put_handover(x, &w);
    for (size_t i = 0; e && !again && i < e->nparts; i++)
        put_part(x, &w, e, i);
    if (again)
        put_text(&w, str_of("Go on where you stopped."));
    jw_end_arr(&w);
    jw_end_obj(&w);
    if (b.over) {
        buf_finish(&b);
        work_end(x->w, BOUGH_RUN_FAILED, "too_large", "the prompt is too large");
        return str_of("");
    }
    return buf_give(&b, x->scratch);
}
