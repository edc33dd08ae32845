/* pi's content blocks: recognising and writing them. Pure. */
#include "core/words/pi_words.h"

#include "base/text/str.h"
#include "core/part/fields.h"

bool pi_native_part(const struct bough_part *part)
{
    struct fields f;

    if (part->type == BOUGH_PART_OTHER)
        return true;
    if (fields_read(&f, part->json, NULL) != BOUGH_OK)
        return false;
    if (fields_is(&f, "type", "text") || fields_is(&f, "type", "toolCall"))
        return true;
    if (fields_is(&f, "type", "thinking"))
        return fields_raw(&f, "thinking", JSON_STRING).n > 0;
    return fields_is(&f, "type", "image") && fields_raw(&f, "data", JSON_STRING).n > 0;
}

bool pi_native(const struct bough_entry *e, const char *word)
{
    if (e->role == BOUGH_ROLE_TOOL && !cstr_eq(word, "toolResult"))
        return false;
    for (size_t i = 0; i < e->nparts; i++)
        if (!pi_native_part(&e->parts[i]))
            return false;
    return true;
}

bool pi_block_put(struct json_writer *w, const struct part_view *v)
{
    struct bough_part part = { v->type, v->raw };

    if (pi_native_part(&part)) {
        jw_raw(w, v->raw);
        return true;
    }
    if (v->kind == VIEW_TEXT || (v->kind == VIEW_REASONING && v->text.n)) {
        const char *word = v->kind == VIEW_TEXT ? "text" : "thinking";

        jw_obj(w);
        jw_kv_cstr(w, "type", word);
        jw_kv_str(w, word, v->text);
    } else if (v->kind == VIEW_CALL) {
        jw_obj(w);
        jw_kv_cstr(w, "type", "toolCall");
        jw_kv_cstr(w, "id", v->call);
        jw_kv_cstr(w, "name", v->tool);
        jw_kv_raw(w, "arguments", v->input.n ? v->input : str_of("{}"));
    } else if (v->kind == VIEW_FILE && v->base64.n && str_starts(str_of(v->mime), "image/")) {
        jw_obj(w);
        jw_kv_cstr(w, "type", "image");
        jw_kv_str(w, "data", v->base64);
        jw_kv_cstr(w, "mimeType", v->mime);
    } else {
        return false;
    }
    jw_end_obj(w);
    return true;
}

/* ---- pieces ---- */

/* Images with their bytes, wherever pi has content but in answers. */
static bool takes(const struct piece *file, enum file_place place, size_t used)
{
    static const char *const images[] = { "image/png", "image/jpeg", "image/gif", "image/webp",
                                          NULL };

    (void)used;
    return place != FILE_OF_MODEL && file_is(file, images) && file_bytes(file);
}

const struct turns_rules pi_rules = {
    .id_max = 40,
    .name_max = 64,
    .takes = takes, /* no reasoning: pi sends that of another model as text */
    .system_apart = true,
    .merges_models = true,
    .user_first = true,
};

void pi_put(struct buf *out, struct bough_arena *a, const struct piece *p)
{
    switch (p->kind) {
    case PIECE_CALL:
        PUT(out, "{\"type\":\"toolCall\",\"id\":");
        put_quoted(out, p->id);
        PUT(out, ",\"name\":");
        put_quoted(out, p->name);
        PUT(out, ",\"arguments\":");
        buf_put_str(out, call_object(a, p));
        buf_putc(out, '}');
        break;
    case PIECE_FILE:
        PUT(out, "{\"type\":\"image\",\"data\":");
        put_quoted(out, p->s.base64);
        PUT(out, ",\"mimeType\":");
        put_quoted(out, file_type(p, "image/png"));
        buf_putc(out, '}');
        break;
    case PIECE_TEXT:
    case PIECE_REASONING:
    case PIECE_SERVER:
        PUT(out, "{\"type\":\"text\",\"text\":");
        put_text(out, p);
        buf_putc(out, '}');
        break;
    }
}

void pi_content_put(struct json_writer *w, const struct piece *content)
{
    jw_key(w, "content");
    jw_arr(w);
    for (; content; content = content->next) {
        if (w->comma)
            buf_putc(w->out, ',');
        pi_put(w->out, NULL, content);
        w->comma = true;
    }
    jw_end_arr(w);
}
