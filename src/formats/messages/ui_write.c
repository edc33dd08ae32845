/* Lists of messages, writer: a turn as a UIMessage of the AI SDK. A result is in the tool part of
 * its call. */
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "formats/common/foreign.h"
#include "formats/messages/messages.h"

static void put_said(struct json_writer *jw, const struct piece *p)
{
    jw_obj(jw);
    jw_kv_cstr(jw, "type", p->kind == PIECE_TEXT ? "text" : "reasoning");
    jw_key(jw, "text");
    if (p->s.blocks.n) {
        buf_putc(jw->out, '"');
        (void)span_block_texts(jw->out, p->s.blocks);
        buf_putc(jw->out, '"');
    } else if (p->s.text.n) {
        put_text(jw->out, p);
    } else {
        PUT(jw->out, "\"\"");
    }
    jw->comma = true;
    jw_kv_cstr(jw, "state", "done");
    jw_end_obj(jw);
}

static void put_file(struct json_writer *jw, const struct piece *p)
{
    jw_obj(jw);
    jw_kv_cstr(jw, "type", "file");
    jw_key(jw, "mediaType");
    put_quoted(jw->out, file_type(p, file_class(p) == FILE_IMAGE ? "image/png"
                                                                 : "application/octet-stream"));
    jw->comma = true;
    if (p->s.filename.n > 2)
        jw_kv_raw(jw, "filename", p->s.filename);
    jw_key(jw, "url");
    put_url(jw->out, p);
    jw->comma = true;
    jw_end_obj(jw);
}

static void put_tool(struct json_writer *jw, struct bough_arena *a, const struct piece *call)
{
    const struct result *r = call->result;

    jw_obj(jw);
    jw_key(jw, "type");
    PUT(jw->out, "\"tool-");
    buf_put_str(jw->out, call->name);
    buf_putc(jw->out, '"');
    jw->comma = true;
    jw_key(jw, "toolCallId");
    put_quoted(jw->out, call->id);
    jw->comma = true;
    jw_kv_cstr(jw, "state",
               r->made     ? "input-available"
               : r->failed ? "output-error"
                           : "output-available");
    jw_kv_raw(jw, "input", call_object(a, call));
    if (!r->made) {
        jw_key(jw, r->failed ? "errorText" : "output");
        put_texts(jw->out, r->content, "\\n");
        jw->comma = true;
    }
    jw_end_obj(jw);
}

static const char *role_of(const struct turn *t)
{
    switch (t->kind) {
    case TURN_SYSTEM:
        return "system";
    case TURN_MODEL:
        return "assistant";
    case TURN_USER:
    case TURN_MARKER:
        break;
    }
    return "user";
}

void ui_turn(struct writing *w, struct json_writer *jw, const struct written_run *run,
             const struct turn *t)
{
    if (!t->first)
        return;
    jw_obj(jw);
    jw_kv_cstr(jw, "id", run->ids[t->first->at]);
    jw_kv_cstr(jw, "role", role_of(t));
    jw_key(jw, "parts");
    jw_arr(jw);
    for (const struct piece *p = t->first; p; p = p->next) {
        if (p->kind == PIECE_CALL)
            put_tool(jw, w->a, p);
        else if (p->kind == PIECE_FILE)
            put_file(jw, p);
        else
            put_said(jw, p);
    }
    jw_end_arr(jw);
    jw_end_obj(jw);
}
