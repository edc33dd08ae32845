/* Claude Code's session files, writer. Its own lines are written back unchanged; other entries are
 * converted. */
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/iso.h"
#include "base/text/str.h"
#include "core/context/context.h"
#include "formats/claude/claude.h"
#include "formats/common/blocks.h"
#include "formats/common/names.h"

struct claude_out {
    const char *session; /* the sessionId of all lines */
    bool agent;          /* it is a subagent's session */
    /* Id of an entry -> uuid of its line or of its nearest ancestor's; "": none. */
    struct names uuids;
    const char *last; /* id of the last entry */
};

static void write_begin(struct writing *w)
{
    const struct bough_session *s = w->session;
    struct claude_out *out = arena_zalloc(w->a, sizeof *out);
    const char *id = *s->origin ? s->origin : s->id, *slash = strchr(id, '/');

    out->agent = slash != NULL;
    out->session = out->agent ? arena_strndup(w->a, id, (size_t)(slash - id)) : as_uuid(w->a, id);
    w->state = out;
}

static void line_end(struct writing *w, struct json_writer *jw)
{
    jw_end_obj(jw);
    jw_drop_breaks(jw);
    buf_putc(w->out, '\n');
}

static const char *uuid_up_to(const struct claude_out *out, const char *id)
{
    const char *uuid = id ? names_get(&out->uuids, id) : NULL;

    return cstr_empty(uuid) ? NULL : uuid;
}

static void put_time(struct json_writer *jw, int64_t ms)
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

static void put_line(struct writing *w, const struct written_entry *we, struct bough_str line)
{
    const struct claude_out *out = w->state;
    bool boundary = we->e->kind == BOUGH_ENTRY_COMPACTION;
    struct json_writer jw;

    jw_init(&jw, w->out);
    jw_obj(&jw);
    if (!member_raw(line, "parentUuid", JSON_STRING).n)
        jw_kv_cstr(&jw, "parentUuid", boundary ? NULL : uuid_up_to(out, we->parent));
    members_put(&jw, line, NULL);
    if (we->e->kind == BOUGH_ENTRY_MESSAGE)
        put_message(&jw, we->e);
    jw_kv_cstr(&jw, "uuid", we->id);
    if (!member_raw(line, "timestamp", JSON_STRING).n)
        put_time(&jw, we->e->time);
    if (!member_raw(line, "sessionId", JSON_STRING).n)
        jw_kv_cstr(&jw, "sessionId", out->session);
    line_end(w, &jw);
}

/* ---- entries from elsewhere ---- */

static void begin_line(struct writing *w, struct json_writer *jw, const char *parent,
                       const char *type)
{
    const struct claude_out *out = w->state;

    jw_init(jw, w->out);
    jw_obj(jw);
    jw_kv_cstr(jw, "parentUuid", parent);
    jw_kv_bool(jw, "isSidechain", out->agent);
    jw_kv_cstr(jw, "userType", "external");
    jw_kv_cstr(jw, "cwd", w->session->project);
    jw_kv_cstr(jw, "version", "2.1.325");
    jw_kv_cstr(jw, "gitBranch", "");
    jw_kv_cstr(jw, "type", type);
}

static void end_line(struct writing *w, struct json_writer *jw, const char *uuid, int64_t time)
{
    const struct claude_out *out = w->state;

    jw_kv_cstr(jw, "uuid", uuid);
    put_time(jw, time);
    jw_kv_cstr(jw, "sessionId", out->session);
    line_end(w, jw);
}

static void put_usage(struct json_writer *jw, const struct bough_totals *t)
{
    jw_key(jw, "usage");
    jw_obj(jw);
    jw_kv_i64(jw, "input_tokens", t->input);
    jw_kv_i64(jw, "cache_creation_input_tokens", t->cache_write);
    jw_kv_i64(jw, "cache_read_input_tokens", t->cache_read);
    jw_kv_i64(jw, "output_tokens", t->output);
    jw_end_obj(jw);
}

static bool run_calls(const struct view_run *run)
{
    for (size_t i = 0; i < run->n; i++)
        if (run->at[i].kind == VIEW_CALL)
            return true;
    return false;
}

static void put_run(struct writing *w, const struct written_entry *we, const struct view_run *run,
                    const char *parent, const char *uuid, bool first)
{
    bool answers = we->e->role == BOUGH_ROLE_ASSISTANT && !run->results;
    struct bough_totals none = { 0 };
    struct json_writer jw;

    begin_line(w, &jw, parent, answers ? "assistant" : "user");
    jw_key(&jw, "message");
    jw_obj(&jw);
    if (answers) {
        char hex[HEX_TEXT];
        const char *model = json_cstr(w->a, view_data(w->a, we->e), "model");

        made_hex(str_of(uuid), hex);
        jw_kv_cstr(&jw, "id", arena_printf(w->a, "msg_%.24s", hex));
        jw_kv_cstr(&jw, "type", "message");
        jw_kv_cstr(&jw, "model", model ? model : w->session->model_name);
    }
    jw_kv_cstr(&jw, "role", answers ? "assistant" : "user");
    if (answers) {
        jw_kv_cstr(&jw, "stop_reason", run_calls(run) ? "tool_use" : "end_turn");
        jw_kv_cstr(&jw, "stop_sequence", NULL);
        put_usage(&jw, first && we->e->usage ? we->e->usage : &none);
    }
    jw_key(&jw, "content");
    jw_arr(&jw);
    blocks_put(w->a, &jw, run, false);
    jw_end_arr(&jw);
    jw_end_obj(&jw);
    end_line(w, &jw, uuid, we->e->time);
}

/* One line per run: first what is said, then the tool results. Returns the uuid of the last one. */
static const char *put_runs(struct writing *w, const struct written_entry *we, const char *parent)
{
    size_t n;
    struct view_run *runs = view_runs(w->a, we->e, &n);
    const char *uuid = parent;

    for (size_t i = 0; i < n; i++) {
        if (!runs[i].n)
            continue;
        uuid = as_uuid(w->a, i ? arena_printf(w->a, "%s %zu", we->id, i) : we->id);
        put_run(w, we, &runs[i], parent, uuid, i == 0);
        parent = uuid;
    }
    return uuid;
}

/* A compaction of another tool: the boundary, and a line with the summary. */
static const char *put_compaction(struct writing *w, const struct written_entry *we,
                                  const char *parent)
{
    const char *uuid = as_uuid(w->a, we->id),
               *told = as_uuid(w->a, arena_printf(w->a, "%s told", we->id)),
               *summary = json_cstr(w->a, view_data(w->a, we->e), "summary");
    struct json_writer jw;

    begin_line(w, &jw, NULL, "system");
    jw_kv_cstr(&jw, "logicalParentUuid", parent);
    jw_kv_cstr(&jw, "subtype", "compact_boundary");
    jw_kv_cstr(&jw, "content", "Conversation compacted");
    jw_kv_bool(&jw, "isMeta", false);
    jw_kv_cstr(&jw, "level", "info");
    jw_key(&jw, "compactMetadata");
    jw_obj(&jw);
    jw_kv_cstr(&jw, "trigger", "manual");
    jw_end_obj(&jw);
    end_line(w, &jw, uuid, we->e->time);
    begin_line(w, &jw, uuid, "user");
    jw_kv_bool(&jw, "isCompactSummary", true);
    jw_kv_bool(&jw, "isVisibleInTranscriptOnly", true);
    jw_key(&jw, "message");
    jw_obj(&jw);
    jw_kv_cstr(&jw, "role", "user");
    jw_kv_cstr(&jw, "content", summary ? summary : "");
    jw_end_obj(&jw);
    end_line(w, &jw, told, we->e->time);
    return told;
}

static const char *put_other(struct writing *w, const struct written_entry *we)
{
    const struct claude_out *out = w->state;
    const char *parent = uuid_up_to(out, we->parent), *uuid;
    struct json_writer jw;

    if (we->e->kind == BOUGH_ENTRY_MESSAGE)
        return put_runs(w, we, parent);
    if (we->e->kind == BOUGH_ENTRY_COMPACTION)
        return put_compaction(w, we, parent);
    if (strncmp(we->id, CLAUDE_MODEL, strlen(CLAUDE_MODEL)) == 0)
        return parent; /* the next answer's line names the model itself */
    /* Kept as a line that Claude Code ignores. */
    uuid = as_uuid(w->a, we->id);
    begin_line(w, &jw, parent, "system");
    jw_kv_cstr(&jw, "subtype", "bough_entry");
    jw_kv_cstr(&jw, "kind",
               we->e->kind == BOUGH_ENTRY_OTHER ? we->e->kind_name
                                                : bough_entry_kind_name(we->e->kind));
    jw_kv_bool(&jw, "isMeta", true);
    jw_opt_raw(&jw, "data", we->e->data);
    end_line(w, &jw, uuid, we->e->time);
    return uuid;
}

static void write_entry(struct writing *w, const struct written_entry *we)
{
    struct claude_out *out = w->state;
    struct bough_str line = member_raw(we->e->data, CLAUDE_LINE, JSON_OBJECT),
                     side = member_raw(we->e->data, CLAUDE_SIDE, JSON_OBJECT);
    const char *uuid = uuid_up_to(out, we->parent);
    struct json_writer jw;

    if (side.n) {
        jw_init(&jw, w->out);
        jw_obj(&jw);
        members_put(&jw, side, NULL);
        if (member_raw(we->e->data, CLAUDE_NAMED, JSON_TRUE).n)
            jw_kv_cstr(&jw, "sessionId", out->session);
        line_end(w, &jw);
    } else if (line.n) {
        put_line(w, we, line);
        uuid = we->id;
    } else {
        uuid = put_other(w, we);
    }
    names_put(w->a, &out->uuids, we->id, uuid ? uuid : "");
    out->last = arena_strdup(w->a, we->id);
}

static void write_finish(struct writing *w, const char *head)
{
    const struct claude_out *out = w->state;
    struct json_writer jw;

    if (cstr_eq(head, out->last) || !out->last)
        return;
    jw_init(&jw, w->out);
    jw_obj(&jw);
    jw_kv_cstr(&jw, "type", CLAUDE_HEAD);
    jw_kv_cstr(&jw, "leafUuid", uuid_up_to(out, head));
    jw_kv_cstr(&jw, "sessionId", out->session);
    line_end(w, &jw);
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
