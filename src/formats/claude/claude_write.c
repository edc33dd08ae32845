/* Claude Code's session files, writer. Its own lines are written back unchanged, all of them; of
 * other tools' entries those on the head's path are converted (claude_foreign.c). */
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/iso.h"
#include "base/text/str.h"
#include "core/context/context.h"
#include "formats/claude/claude_out.h"

static void write_begin(struct writing *w)
{
    const struct bough_session *s = w->session;
    struct claude_out *out = arena_zalloc(w->a, sizeof *out);
    const char *id = *s->origin ? s->origin : s->id, *slash = strchr(id, '/');

    out->agent = slash != NULL;
    out->session = out->agent ? arena_strndup(w->a, id, (size_t)(slash - id)) : as_uuid(w->a, id);
    w->state = out;
}

void claude_line_end(struct writing *w, struct json_writer *jw)
{
    jw_end_obj(jw);
    jw_drop_breaks(jw);
    buf_putc(w->out, '\n');
}

const char *claude_uuid_up_to(const struct claude_out *out, const char *id)
{
    const char *uuid = id ? names_get(&out->uuids, id) : NULL;

    return cstr_empty(uuid) ? NULL : uuid;
}

void claude_put_time(struct json_writer *jw, int64_t ms)
{
    char text[ISO_TEXT];

    iso_print(ms, text);
    jw_kv_cstr(jw, "timestamp", text);
}

/* ---- lines read from such a file ---- */

static void put_message(struct json_writer *jw, const struct bough_entry *e)
{
    static const char *const ours[] = { CLAUDE_LINE, CONTEXT_CONTENT_KEY, NULL };

    jw_key(jw, "message");
    jw_obj(jw);
    members_put(jw, e->data, ours);
    content_put(jw, e);
    jw_end_obj(jw);
}

static void put_line(struct writing *w, const struct bough_entry *e, const char *id,
                     const char *parent, struct bough_str line)
{
    const struct claude_out *out = w->state;
    bool boundary = e->kind == BOUGH_ENTRY_COMPACTION;
    struct json_writer jw;

    jw_init(&jw, w->out);
    jw_obj(&jw);
    if (!member_raw(line, "parentUuid", JSON_STRING).n)
        jw_kv_cstr(&jw, "parentUuid", boundary ? NULL : claude_uuid_up_to(out, parent));
    members_put(&jw, line, NULL);
    if (e->kind == BOUGH_ENTRY_MESSAGE)
        put_message(&jw, e);
    jw_kv_cstr(&jw, "uuid", id);
    if (!member_raw(line, "timestamp", JSON_STRING).n)
        claude_put_time(&jw, e->time);
    if (!member_raw(line, "sessionId", JSON_STRING).n)
        jw_kv_cstr(&jw, "sessionId", out->session);
    claude_line_end(w, &jw);
}

/* A whole line without a uuid. */
static void put_side(struct writing *w, const struct bough_entry *e, struct bough_str side)
{
    const struct claude_out *out = w->state;
    struct json_writer jw;

    jw_init(&jw, w->out);
    jw_obj(&jw);
    members_put(&jw, side, NULL);
    if (member_raw(e->data, CLAUDE_NAMED, JSON_TRUE).n)
        jw_kv_cstr(&jw, "sessionId", out->session);
    claude_line_end(w, &jw);
}

bool claude_native(const struct bough_entry *e)
{
    return member_raw(e->data, CLAUDE_LINE, JSON_OBJECT).n ||
           member_raw(e->data, CLAUDE_SIDE, JSON_OBJECT).n;
}

void claude_put_native(struct writing *w, const struct bough_entry *e, const char *id,
                       const char *parent)
{
    struct claude_out *out = w->state;
    struct bough_str line = member_raw(e->data, CLAUDE_LINE, JSON_OBJECT),
                     side = member_raw(e->data, CLAUDE_SIDE, JSON_OBJECT);
    const char *uuid = claude_uuid_up_to(out, parent);

    if (side.n) {
        put_side(w, e, side);
    } else if (line.n) {
        put_line(w, e, id, parent, line);
        uuid = out->last = arena_strdup(w->a, id);
    }
    names_put(w->a, &out->uuids, id, uuid ? uuid : "");
}

/* ---- all ---- */

static void write_entry(struct writing *w, const struct written_entry *we)
{
    struct claude_out *out = w->state;
    bool native = claude_native(we->e);

    if (!native && we->on_path && turns_shows(we->e))
        out->foreign = true;
    if (out->foreign && we->on_path)
        return; /* the end of the path is written last */
    claude_put_native(w, we->e, we->id, we->parent);
}

/* Claude Code goes on at the last message of the file, or at the leaf that a line of this type
 * names. If the head is neither, hang a line on it, and name that. */
static void put_head(struct writing *w, const char *head)
{
    const struct claude_out *out = w->state;
    const char *at = claude_uuid_up_to(out, head);
    const char *uuid = as_uuid(w->a, arena_printf(w->a, "%s head %s", out->session, at ? at : ""));
    struct json_writer jw;

    claude_line_begin(w, &jw, at, "system");
    jw_kv_cstr(&jw, "subtype", CLAUDE_HEAD);
    jw_kv_cstr(&jw, "content", "");
    jw_kv_bool(&jw, "isMeta", true);
    jw_kv_cstr(&jw, "level", "info");
    claude_line_finish(w, &jw, uuid, w->session->created);
    jw_init(&jw, w->out);
    jw_obj(&jw);
    jw_kv_cstr(&jw, "type", "last-prompt");
    jw_kv_cstr(&jw, "leafUuid", uuid);
    jw_kv_bool(&jw, CLAUDE_HEAD, true);
    jw_kv_cstr(&jw, "sessionId", out->session);
    claude_line_end(w, &jw);
}

static void write_finish(struct writing *w, const char *head)
{
    const struct claude_out *out = w->state;

    if (out->foreign)
        claude_put_foreign(w);
    else if (out->last && !cstr_eq(claude_uuid_up_to(out, head), out->last))
        put_head(w, head);
}

static const struct format_place places[] = {
    { IN_HOME, ".claude/projects" },
    { 0 },
};

const struct format format_claude_code = {
    .name = "claude-code",
    .number = FORMAT_CLAUDE_CODE,
    .about = "Claude Code: one .jsonl file a session, named by its id",
    .suffix = "jsonl",
    .tool = "Claude Code",
    .places = places,
    .appends = true,
    .detect = claude_detect,
    .line = claude_line,
    .end = claude_end,
    .leave = claude_leave,
    .drop = claude_drop,
    .writes = WRITES_TREE,
    .begin = write_begin,
    .entry = write_entry,
    .finish = write_finish,
};
