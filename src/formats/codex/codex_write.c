/* Codex's rollout files, writer. Its own lines are written back unchanged; other entries are
 * converted (codex_foreign.c). */
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/iso.h"
#include "base/text/str.h"
#include "core/context/context.h"
#include "formats/codex/codex_out.h"
#include "formats/common/names.h"

static void put_time(struct json_writer *jw, int64_t ms)
{
    char text[ISO_TEXT];

    iso_print(ms, text);
    jw_kv_cstr(jw, "timestamp", text);
}

void codex_line_begin(struct writing *w, struct json_writer *jw, int64_t time, const char *type)
{
    struct codex_out *out = w->state;

    jw_init(jw, w->out);
    jw_obj(jw);
    put_time(jw, time);
    if (out->ordinal >= 0)
        jw_kv_i64(jw, "ordinal", ++out->ordinal);
    jw_kv_cstr(jw, "type", type);
    jw_key(jw, "payload");
}

void codex_line_end(struct writing *w, struct json_writer *jw)
{
    jw_end_obj(jw);
    jw_drop_breaks(jw);
    buf_putc(w->out, '\n');
}

static void write_begin(struct writing *w)
{
    const struct bough_session *s = w->session;
    struct codex_out *out = arena_zalloc(w->a, sizeof *out);
    struct bough_str meta = member_raw(s->data, "payload", JSON_OBJECT);
    struct json_writer jw;

    w->state = out;
    out->id = *s->origin ? s->origin : s->id;
    if (meta.n && json_span_is(member_raw(s->data, "type", JSON_STRING), "session_meta")) {
        buf_put_str(w->out, s->data);
        buf_putc(w->out, '\n');
        out->by_reference = member_raw(meta, "forked_from_id", JSON_STRING).n;
        out->ordinal = member_raw(s->data, "ordinal", JSON_NUMBER).n ? 0 : -1;
        return;
    }
    out->id = as_uuid(w->a, out->id);
    out->ordinal = -1;
    jw_init(&jw, w->out);
    jw_obj(&jw);
    put_time(&jw, s->created);
    jw_kv_i64(&jw, "ordinal", 0);
    jw_kv_cstr(&jw, "type", "session_meta");
    jw_key(&jw, "payload");
    jw_obj(&jw);
    jw_kv_cstr(&jw, "session_id", out->id);
    jw_kv_cstr(&jw, "id", out->id);
    put_time(&jw, s->created);
    jw_kv_cstr(&jw, FOREIGN_SESSION, arena_printf(w->a, "%s %s", session_name(s), out->id));
    jw_kv_cstr(&jw, "cwd", s->project);
    jw_kv_cstr(&jw, "originator", "codex_cli_rs");
    jw_kv_cstr(&jw, "cli_version", "0.166.0");
    jw_kv_cstr(&jw, "source", "cli");
    jw_opt_cstr(&jw, "model_provider", s->model_provider);
    jw_end_obj(&jw);
    codex_line_end(w, &jw);
    out->ordinal = 0;
}

/* ---- lines read from such a file ---- */

static void put_payload(struct json_writer *jw, const struct bough_entry *e)
{
    static const char *const ours[] = { CODEX_LINE, CONTEXT_CONTENT_KEY, NULL };

    jw_key(jw, "payload");
    if (member_raw(e->data, CODEX_ITEM, JSON_TRUE).n && e->nparts == 1) {
        jw_raw(jw, part_raw(&e->parts[0]));
        return;
    }
    jw_obj(jw);
    members_put(jw, e->data, ours);
    content_put(jw, e);
    jw_end_obj(jw);
}

bool codex_native(const struct bough_entry *e)
{
    return member_raw(e->data, CODEX_LINE, JSON_OBJECT).n > 0;
}

void codex_put_native(struct writing *w, const struct bough_entry *e)
{
    struct bough_str line = member_raw(e->data, CODEX_LINE, JSON_OBJECT);
    struct codex_out *out = w->state;
    struct bough_str ordinal = member_raw(line, "ordinal", JSON_NUMBER);
    struct json_writer jw;

    jw_init(&jw, w->out);
    jw_obj(&jw);
    if (!member_raw(line, "timestamp", JSON_STRING).n)
        put_time(&jw, e->time);
    members_put(&jw, line, NULL);
    if (e->kind == BOUGH_ENTRY_MESSAGE)
        put_payload(&jw, e);
    codex_line_end(w, &jw);
    if (ordinal.n)
        json_span_i64(ordinal, &out->ordinal);
}

static void write_entry(struct writing *w, const struct written_entry *we)
{
    struct codex_out *out = w->state;
    bool native = codex_native(we->e);

    if (out->by_reference && strcmp(we->e->session, w->session->id) != 0)
        return; /* the parent's file has it */
    if (!native && turns_shows(we->e))
        out->foreign = true;
    if (native && !out->foreign)
        codex_put_native(w, we->e);
}

static void write_finish(struct writing *w, const char *head)
{
    const struct codex_out *out = w->state;

    (void)head;
    if (out->foreign)
        codex_put_foreign(w);
}

static const struct format_place places[] = {
    { IN_HOME, ".codex/sessions" },
    { 0 },
};

const struct format format_codex = {
    .name = "codex",
    .number = FORMAT_CODEX,
    .about = "Codex: one rollout .jsonl file a session",
    .suffix = "jsonl",
    .tool = "Codex",
    .places = places,
    .appends = true,
    .detect = codex_detect,
    .line = codex_line,
    .end = codex_end,
    .leave = codex_leave,
    .enter = codex_enter,
    .writes = WRITES_PATH,
    .begin = write_begin,
    .entry = write_entry,
    .finish = write_finish,
};
