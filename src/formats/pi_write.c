/* pi's session files, version 3, out: the header, then every entry in order of time (U23). */
#include <string.h>

#include "base/arena.h"
#include "base/json_write.h"
#include "base/str.h"
#include "core/context.h"
#include "formats/pi.h"
#include "formats/pi_foreign.h"

struct pi_out {
    const char *last; /* id of the last line */
    struct pi_calls calls;
};

void pi_line_end(struct writing *w, struct json_writer *jw)
{
    jw_end_obj(jw);
    jw_drop_breaks(jw);
    buf_putc(w->out, '\n');
}

void pi_put_time(struct json_writer *jw, int64_t ms)
{
    char text[TIME_TEXT];

    time_print(ms, text);
    jw_kv_cstr(jw, "timestamp", text);
}

/* Would data of another tool stand in the place of something in the header? */
static bool has_own_names(struct bough_str data)
{
    return member_raw(data, "type", JSON_STRING).n || member_raw(data, "id", JSON_STRING).n ||
           member_raw(data, "timestamp", JSON_STRING).n || member_raw(data, "cwd", JSON_STRING).n ||
           member_raw(data, "version", JSON_STRING).n || member_raw(data, "version", JSON_NUMBER).n;
}

void pi_begin(struct writing *w)
{
    const struct bough_session *s = w->session;
    struct json_writer jw;

    w->state = arena_zalloc(w->a, sizeof(struct pi_out));
    jw_init(&jw, w->out);
    jw_obj(&jw);
    jw_kv_cstr(&jw, "type", "session");
    jw_kv_i64(&jw, "version", 3);
    jw_kv_cstr(&jw, "id", *s->origin ? s->origin : s->id);
    pi_put_time(&jw, s->created);
    jw_kv_cstr(&jw, "cwd", s->project);
    if (has_own_names(s->data))
        jw_kv_raw(&jw, PI_DATA, s->data);
    else
        members_put(&jw, s->data, NULL);
    pi_line_end(w, &jw);
}

/* ---- messages ---- */

/* pi's word for a role of ours, when the message did not come with one. */
static const char *role_word(enum bough_role role)
{
    switch (role) {
    case BOUGH_ROLE_TOOL:
        return "toolResult";
    case BOUGH_ROLE_BASH:
        return "bashExecution";
    default:
        return bough_role_name(role);
    }
}

static void put_message(struct json_writer *jw, const struct bough_entry *e)
{
    static const char *const ours[] = { "role", CONTEXT_CONTENT_KEY, NULL };
    struct bough_str role = member_raw(e->data, "role", JSON_STRING);

    jw_key(jw, "message");
    jw_obj(jw);
    jw_key(jw, "role");
    if (role.n)
        jw_raw(jw, role);
    else
        jw_cstr(jw, role_word(e->role));
    content_put(jw, e);
    members_put(jw, e->data, ours);
    if (!role.n)
        jw_kv_i64(jw, "timestamp", e->time); /* pi wants one in every message */
    jw_end_obj(jw);
}

/* ---- entries ---- */

/* pi reads these of every compaction; others' summaries may be a message behind it. */
static void put_compaction(struct json_writer *jw, const struct written_entry *we)
{
    struct bough_str data = we->e->data;
    bool summary = member_raw(data, "summary", JSON_STRING).n,
         kept = member_raw(data, "firstKeptEntryId", JSON_STRING).n,
         tokens = member_raw(data, "tokensBefore", JSON_NUMBER).n;

    members_put(jw, data, NULL);
    if (summary && kept && tokens)
        return;
    if (!summary)
        jw_kv_cstr(jw, "summary", "");
    if (!kept)
        jw_kv_cstr(jw, "firstKeptEntryId", we->id);
    if (!tokens)
        jw_kv_i64(jw, "tokensBefore", 0);
    jw_key(jw, PI_ENTRY);
    jw_obj(jw);
    jw_kv_raw(jw, "data", data.n ? data : str_of("{}"));
    jw_end_obj(jw);
}

void pi_entry(struct writing *w, const struct written_entry *we)
{
    static const char *const ours[] = { "bough.timestamp", NULL };
    const struct bough_entry *e = we->e;
    struct bough_str stamp = member_raw(e->metadata, "bough.timestamp", JSON_STRING);
    struct pi_out *out = w->state;
    struct json_writer jw;

    out->last = we->id;
    if (pi_is_foreign(e)) {
        pi_foreign_put(&out->calls, w, we);
        return;
    }
    jw_init(&jw, w->out);
    jw_obj(&jw);
    jw_kv_cstr(&jw, "type",
               e->kind == BOUGH_ENTRY_OTHER ? e->kind_name : bough_entry_kind_name(e->kind));
    jw_kv_cstr(&jw, "id", we->id);
    jw_key(&jw, "parentId");
    jw_cstr(&jw, we->parent);
    if (stamp.n)
        jw_kv_raw(&jw, "timestamp", stamp);
    else
        pi_put_time(&jw, e->time);
    if (e->kind == BOUGH_ENTRY_MESSAGE)
        put_message(&jw, e);
    else if (e->kind == BOUGH_ENTRY_COMPACTION)
        put_compaction(&jw, we);
    else
        members_put(&jw, e->data, NULL);
    members_put(&jw, e->metadata, ours);
    pi_line_end(w, &jw);
}

/* pi resumes at the last line: when the head is elsewhere, a line says so that hangs on it. */
void pi_finish(struct writing *w, const char *head)
{
    const struct pi_out *out = w->state;
    struct json_writer jw;

    if (cstr_eq(head, out->last))
        return;
    jw_init(&jw, w->out);
    jw_obj(&jw);
    jw_kv_cstr(&jw, "type", "custom");
    jw_kv_cstr(&jw, "customType", PI_HEAD);
    jw_kv_cstr(&jw, "id", "b0090ead");
    jw_key(&jw, "parentId");
    jw_cstr(&jw, head);
    pi_put_time(&jw, w->session->created);
    pi_line_end(w, &jw);
}

const struct format format_pi = {
    .name = "pi",
    .about = "pi coding agent: one .jsonl file a session",
    .suffix = "jsonl",
    .appends = true,
    .detect = pi_detect,
    .line = pi_line,
    .end = pi_end,
    .writes = WRITES_TREE,
    .begin = pi_begin,
    .entry = pi_entry,
    .finish = pi_finish,
};
