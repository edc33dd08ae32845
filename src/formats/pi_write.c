/* pi's session files, version 3, out: the header, then every entry in order of time (U23). */
#include <string.h>

#include "base/arena.h"
#include "base/iso.h"
#include "base/json_write.h"
#include "base/str.h"
#include "core/context.h"
#include "formats/names.h"
#include "formats/pi.h"
#include "formats/pi_foreign.h"

struct pi_out {
    const char *last;   /* id of the last entry */
    const char *above;  /* what the next line that is none of them hangs on */
    struct names said;  /* target -> its label, as entries say it */
    struct names order; /* "0", "1", ... -> those targets */
    size_t nsaid;
    const char *name; /* of the session, likewise; NULL: nobody said one */
    struct pi_calls calls;
};

const char *pi_said_id(struct bough_arena *a, const char *type, const char *target,
                       const char *text, int64_t time)
{
    char hex[HEX_TEXT];

    made_hex(str_of(arena_printf(a, "bough.%s %s %lld %s", type, target, (long long)time, text)),
             hex);
    return arena_strndup(a, hex, 8);
}

/* The next U+2028 or U+2029, or NULL. */
static const char *next_separator(const char *p, const char *end)
{
    while ((p = memchr(p, 0xe2, (size_t)(end - p))) != NULL) {
        if (end - p >= 3 && p[1] == '\x80' && (p[2] == '\xa8' || p[2] == '\xa9'))
            return p;
        p++;
    }
    return NULL;
}

/* What came raw may have them in a string, and pi's list takes them for line ends (U23). */
static void escape_separators(struct buf *out, size_t from)
{
    const char *p = out->p + from, *end = out->p + out->n, *at = next_separator(p, end);
    struct buf b;

    if (!at)
        return;
    buf_init(&b, out->max);
    for (; at; at = next_separator(p, end)) {
        buf_put(&b, p, (size_t)(at - p));
        buf_puts(&b, at[2] == '\xa8' ? "\\u2028" : "\\u2029");
        p = at + 3;
    }
    buf_put(&b, p, (size_t)(end - p));
    out->n = from;
    buf_put_str(out, buf_str(&b));
    buf_finish(&b);
}

void pi_line_end(struct writing *w, struct json_writer *jw)
{
    jw_end_obj(jw);
    jw_drop_breaks(jw);
    escape_separators(w->out, jw->start);
    buf_putc(w->out, '\n');
}

void pi_put_time(struct json_writer *jw, int64_t ms)
{
    char text[ISO_TEXT];

    iso_print(ms, text);
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

/* ---- what is said beside the entries ---- */

/* The last line about it counts (P19, P20). */
static void note_said(struct writing *w, const struct bough_entry *e)
{
    struct pi_out *out = w->state;
    struct bough_arena *a = w->a;
    const char *target, *text;
    struct json data;

    if ((e->kind != BOUGH_ENTRY_LABEL && e->kind != BOUGH_ENTRY_SESSION_INFO) ||
        json_parse(a, e->data, &data, NULL))
        return;
    if (e->kind == BOUGH_ENTRY_SESSION_INFO) {
        text = json_cstr(a, data, "name");
        out->name = text ? text : "";
        return;
    }
    target = json_cstr(a, data, "targetId");
    text = json_cstr(a, data, "label");
    if (!target)
        return;
    if (!names_get(&out->said, target))
        names_put(a, &out->order, arena_printf(a, "%zu", out->nsaid++), target);
    names_put(a, &out->said, target, text ? text : "");
}

/* It hangs on the head, one behind the other, so that pi goes on where it was left. */
static void say_line(struct writing *w, const char *type, const char *target, const char *text,
                     int64_t time)
{
    struct pi_out *out = w->state;
    const char *id = pi_said_id(w->a, type, target, text, time);
    struct json_writer jw;

    jw_init(&jw, w->out);
    jw_obj(&jw);
    jw_kv_cstr(&jw, "type", type);
    jw_kv_cstr(&jw, "id", id);
    jw_key(&jw, "parentId");
    jw_cstr(&jw, out->above);
    pi_put_time(&jw, time);
    if (*target) {
        jw_kv_cstr(&jw, "targetId", target);
        jw_opt_cstr(&jw, "label", text);
    } else {
        jw_kv_cstr(&jw, "name", text);
    }
    pi_line_end(w, &jw);
    out->above = id;
}

static const char *label_of(const struct writing *w, const char *target)
{
    for (size_t i = 0; i < w->nlabels; i++)
        if (strcmp(w->labels[i].entry, target) == 0)
            return w->labels[i].text;
    return "";
}

/* Labels and the name as they are, where the entries say otherwise. */
static void say_rest(struct writing *w)
{
    struct pi_out *out = w->state;
    const struct bough_session *s = w->session;

    for (size_t i = 0; i < w->nlabels; i++) {
        const struct item_label *l = &w->labels[i];
        const char *said = names_get(&out->said, l->entry);

        if (!said || strcmp(said, l->text) != 0)
            say_line(w, "label", l->entry, l->text, l->time);
    }
    for (size_t i = 0; i < out->nsaid; i++) {
        const char *target = names_get(&out->order, arena_printf(w->a, "%zu", i));

        if (*names_get(&out->said, target) && !*label_of(w, target))
            say_line(w, "label", target, "", s->created);
    }
    if (strcmp(out->name ? out->name : "", s->title) != 0)
        say_line(w, "session_info", "", s->title, s->created);
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
    note_said(w, e);
}

/* pi resumes at the last line: when the head is elsewhere, a line says so that hangs on it. */
void pi_finish(struct writing *w, const char *head)
{
    struct pi_out *out = w->state;
    struct json_writer jw;

    out->above = head;
    say_rest(w);
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
    .leave = pi_leave,
    .detect = pi_detect,
    .line = pi_line,
    .end = pi_end,
    .writes = WRITES_TREE,
    .begin = pi_begin,
    .entry = pi_entry,
    .finish = pi_finish,
};
