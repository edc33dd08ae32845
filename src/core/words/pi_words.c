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
