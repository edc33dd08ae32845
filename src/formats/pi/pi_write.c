/* pi's session files, version 3, writer: the header, then all entries in order of time (U23). */
#include "formats/pi/pi.h"

#include <string.h>

#include "base/json/write.h"
#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/context/context.h"
#include "core/model/text.h"
#include "formats/common/copies.h"
#include "formats/common/names.h"
#include "formats/pi/pi_foreign.h"

struct pi_out {
    const char *last;   /* id of the last entry */
    const char *above;  /* parent of the next line that is not an entry */
    struct names said;  /* target -> its label, according to the entries */
    struct names order; /* "0", "1", ... -> those targets, in order */
    size_t nsaid;
    const char *name;   /* the session's name, according to the entries; NULL: none */
    struct names first; /* id of an entry with several lines -> id of the first one */
    bool foreign;       /* a message of another tool came */
};

/* Do names of the data clash with those of the header? */
static bool has_own_names(struct bough_str data)
{
    return member_raw(data, "type", JSON_STRING).n || member_raw(data, "id", JSON_STRING).n ||
           member_raw(data, "timestamp", JSON_STRING).n || member_raw(data, "cwd", JSON_STRING).n ||
           member_raw(data, "version", JSON_STRING).n || member_raw(data, "version", JSON_NUMBER).n;
}

/* The version that the header had, or the newest one. */
static void put_version(struct json_writer *jw, struct bough_str data)
{
    static const enum json_type types[] = { JSON_NUMBER, JSON_STRING, JSON_TRUE,
                                            JSON_FALSE,  JSON_ARRAY,  JSON_OBJECT };
    struct bough_str raw = { "", 0 };

    for (size_t i = 0; !raw.n && i < sizeof types / sizeof *types; i++)
        raw = member_raw(data, PI_VERSION, types[i]);
    jw_key(jw, "version");
    if (raw.n)
        jw_raw(jw, raw);
    else
        jw_i64(jw, PI_NEWEST);
}

void pi_begin(struct writing *w)
{
    static const char *const ours[] = { PI_VERSION, FORK_COPIES, NULL };
    const struct bough_session *s = w->session;
    struct json_writer jw;

    w->state = arena_zalloc(w->a, sizeof(struct pi_out));
    jw_init(&jw, w->out);
    jw_obj(&jw);
    jw_kv_cstr(&jw, "type", "session");
    put_version(&jw, s->data);
    jw_kv_cstr(&jw, "id", *s->origin ? s->origin : s->id);
    pi_put_time(&jw, s->created);
    jw_kv_cstr(&jw, "cwd", s->project);
    if (has_own_names(s->data))
        jw_kv_raw(&jw, PI_DATA, s->data);
    else
        members_put(&jw, s->data, ours);
    if (*w->parent && *s->fork_entry && !member_raw(s->data, "parentSession", JSON_STRING).n)
        jw_kv_cstr(&jw, "parentSession", w->parent);
    pi_line_end(w, &jw);
}

/* ---- messages ---- */

/* pi's word for a role, if the message has none in its data. */
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
        jw_kv_i64(jw, "timestamp", e->time); /* pi requires one in every message */
    jw_end_obj(jw);
}

/* ---- labels and names ---- */

/* The last line about a target counts (P19, P20). */
static void note_said(struct writing *w, const struct bough_entry *e, struct bough_str raw)
{
    struct pi_out *out = w->state;
    struct bough_arena *a = w->a;
    const char *target, *text;
    struct json data;

    if ((e->kind != BOUGH_ENTRY_LABEL && e->kind != BOUGH_ENTRY_SESSION_INFO) ||
        json_parse(a, raw, &data, NULL))
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

/* Write a label or name line. These lines hang on the head, one after the other, so that pi
 * continues there. */
static void say_line(struct writing *w, const char *type, const char *target, const char *text,
                     int64_t time)
{
    struct pi_out *out = w->state;
    const char *id = pi_label_id(w->a, type, target, text, time);
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

/* Write labels and the name as they are now, where the entries say otherwise. */
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

/* The line that a compaction keeps first. One that keeps nothing names itself. */
static const char *first_kept(const struct writing *w, const struct written_entry *we)
{
    const struct pi_out *out = w->state;
    const char *line = we->kept ? names_get(&out->first, we->kept) : we->id;

    return line ? line : we->kept;
}

/* The id in this file of the entry that the member names; NULL: unknown, so it stays as it is. */
static const char *named(struct writing *w, const struct written_entry *we, const char *name,
                         const char *was)
{
    if (strcmp(name, "firstKeptEntryId") == 0)
        return we->e->keep_from ? first_kept(w, we) : NULL;
    return w->id_of(w, was, strcmp(name, "targetId") != 0);
}

/* The entry's data, with the ids that other entries have in this file. */
static struct bough_str own_names(struct writing *w, const struct written_entry *we)
{
    static const char *const names[] = { "firstKeptEntryId", "beforeMessageId", "fromId",
                                         "targetId", "bough.left" };
    enum { NAMES = sizeof names / sizeof *names };
    const char *but[NAMES + 1] = { NULL }, *ids[NAMES];
    struct bough_str data = we->e->data;
    struct json_writer jw;
    struct json j;
    struct buf b;
    size_t n = 0;

    if ((we->e->kind != BOUGH_ENTRY_COMPACTION && we->e->kind != BOUGH_ENTRY_BRANCH_SUMMARY &&
         we->e->kind != BOUGH_ENTRY_LABEL) ||
        json_parse(w->a, data, &j, NULL))
        return data;
    for (size_t i = 0; i < NAMES; i++) {
        const char *was = json_cstr(w->a, j, names[i]);
        const char *now = was ? named(w, we, names[i], was) : NULL;

        if (!now || strcmp(now, was) == 0)
            continue;
        but[n] = names[i];
        ids[n++] = now;
    }
    if (!n)
        return data;
    buf_init(&b, LIMIT_DATA + 1024);
    jw_init(&jw, &b);
    jw_obj(&jw);
    members_put(&jw, data, but);
    for (size_t i = 0; i < n; i++)
        jw_kv_cstr(&jw, but[i], ids[i]);
    jw_end_obj(&jw);
    data = text_keep(w->a, &b);
    buf_finish(&b);
    return data;
}

/* An entry that is no message may have cost something in another tool. */
static void put_spent(struct writing *w, struct json_writer *jw, const struct bough_entry *e)
{
    if (!e->usage)
        return;
    jw_key(jw, PI_ENTRY);
    jw_obj(jw);
    pi_put_spent(w, jw, e);
    jw_end_obj(jw);
}

/* pi requires these members in every compaction. Other tools may keep the summary elsewhere. */
static void put_compaction(struct writing *w, struct json_writer *jw,
                           const struct written_entry *we, struct bough_str data)
{
    bool summary = member_raw(data, "summary", JSON_STRING).n,
         kept = member_raw(data, "firstKeptEntryId", JSON_STRING).n,
         tokens = member_raw(data, "tokensBefore", JSON_NUMBER).n;

    members_put(jw, data, NULL);
    if (summary && kept && tokens) {
        put_spent(w, jw, we->e);
        return;
    }
    if (!summary) {
        struct bough_str told = pi_foreign_summary(w, we);

        jw_kv_raw(jw, "summary", told.n ? told : str_of("\"\""));
    }
    if (!kept)
        jw_kv_cstr(jw, "firstKeptEntryId", first_kept(w, we));
    if (!tokens)
        jw_kv_i64(jw, "tokensBefore", 0);
    jw_key(jw, PI_ENTRY);
    jw_obj(jw);
    pi_put_spent(w, jw, we->e);
    jw_kv_raw(jw, "data", data.n ? data : str_of("{}"));
    jw_end_obj(jw);
}

void pi_entry(struct writing *w, const struct written_entry *we)
{
    static const char *const ours[] = { "bough.timestamp", NULL };
    const struct bough_entry *e = we->e;
    struct bough_str stamp = member_raw(e->metadata, "bough.timestamp", JSON_STRING);
    struct bough_str data = own_names(w, we);
    struct pi_out *out = w->state;
    bool custom = e->kind == BOUGH_ENTRY_CUSTOM_MESSAGE && e->nparts;
    const char *parent;
    struct json_writer jw;

    out->last = we->id;
    if (pi_is_foreign(e)) {
        const char *first = pi_foreign_put(w, we);

        out->foreign = true;
        if (strcmp(first, we->id) != 0)
            names_put(w->a, &out->first, we->id, first);
        return;
    }
    parent = out->foreign ? pi_foreign_before(w, we) : we->parent;
    jw_init(&jw, w->out);
    jw_obj(&jw);
    jw_kv_cstr(&jw, "type",
               e->kind == BOUGH_ENTRY_OTHER ? e->kind_name : bough_entry_kind_name(e->kind));
    jw_kv_cstr(&jw, "id", we->id);
    jw_key(&jw, "parentId");
    jw_cstr(&jw, parent);
    if (stamp.n)
        jw_kv_raw(&jw, "timestamp", stamp);
    else
        pi_put_time(&jw, e->time);
    if (e->kind == BOUGH_ENTRY_MESSAGE)
        put_message(&jw, e);
    else if (e->kind == BOUGH_ENTRY_COMPACTION)
        put_compaction(w, &jw, we, data);
    else if (custom)
        pi_put_custom(w, &jw, e);
    else
        members_put(&jw, data, NULL);
    if (e->kind != BOUGH_ENTRY_MESSAGE && e->kind != BOUGH_ENTRY_COMPACTION && !custom)
        put_spent(w, &jw, e);
    if (!custom)
        members_put(&jw, e->metadata, ours);
    pi_line_end(w, &jw);
    note_said(w, e, data);
}

/* pi resumes at the last line. If the head is elsewhere, write a line that hangs on it. */
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
