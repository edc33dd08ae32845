/* Makes parts in the words that all dialects of bough know. Pure. */
#include "formats/common/made.h"

#include <string.h>

#include "base/json/write.h"
#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/model/text.h"

static struct json_writer begin(struct buf *b, const char *type)
{
    struct json_writer w;

    buf_init(b, LIMIT_MESSAGE_BYTES);
    jw_init(&w, b);
    jw_obj(&w);
    jw_kv_cstr(&w, "type", type);
    return w;
}

void made_part(struct made *m, struct bough_str part)
{
    m->at = arena_room(m->r->a, m->at, m->n, sizeof *m->at);
    m->at[m->n++] = part;
}

static void end(struct made *m, struct json_writer *w, struct buf *b)
{
    jw_end_obj(w);
    if (!b->over)
        made_part(m, text_keep(m->r->a, b));
    buf_finish(b);
}

void made_text(struct made *m, const char *type, struct bough_str text)
{
    struct buf b;
    struct json_writer w = begin(&b, type);

    jw_key(&w, "text");
    jw_raw(&w, text);
    end(m, &w, &b);
}

void made_words(struct made *m, const char *type, const char *text)
{
    struct buf b;
    struct json_writer w = begin(&b, type);

    jw_kv_cstr(&w, "text", text);
    end(m, &w, &b);
}

void made_file(struct made *m, const char *mime, struct bough_str base64)
{
    struct buf b;
    struct json_writer w =
        begin(&b, mime && strncmp(mime, "image/", 6) == 0 ? "image" : "document");

    jw_key(&w, "source");
    jw_obj(&w);
    jw_kv_cstr(&w, "type", "base64");
    jw_kv_cstr(&w, "media_type", mime ? mime : "application/octet-stream");
    jw_key(&w, "data");
    jw_raw(&w, base64);
    jw_end_obj(&w);
    end(m, &w, &b);
}

void made_call(struct made *m, const char *id, const char *name, struct bough_str input)
{
    struct buf b;
    struct json_writer w = begin(&b, "tool_use");

    jw_kv_cstr(&w, "id", id);
    jw_kv_cstr(&w, "name", name);
    jw_key(&w, "input");
    jw_raw(&w, input.n && *input.p == '{' ? input : str_of("{}"));
    end(m, &w, &b);
}

void made_result(struct made *m, const char *id, struct bough_str output, bool failed)
{
    struct buf b;
    struct json_writer w = begin(&b, "tool_result");

    jw_kv_cstr(&w, "tool_use_id", id);
    if (failed)
        jw_kv_bool(&w, "is_error", true);
    jw_key(&w, "content");
    if (output.n && *output.p == '"')
        jw_raw(&w, output);
    else
        jw_str(&w, output);
    end(m, &w, &b);
}
