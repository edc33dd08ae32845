/* opencode's import JSON, writer. Its own messages are written back unchanged; those of other tools
 * are converted (opencode_foreign.c). */
#include <stdlib.h>
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "formats/opencode/opencode_out.h"

static void write_begin(struct writing *w)
{
    w->state = arena_zalloc(w->a, sizeof(struct opencode_out));
}

/* All is written at the end: the session, then the messages of one path. */
static void write_entry(struct writing *w, const struct written_entry *we)
{
    struct opencode_out *out = w->state;

    if (we->on_path)
        return;
    out->aside = *we->e; /* only its place counts */
    out->hides = true;
}

/* The low 48 bits of time and counter, then a hash. */
const char *opencode_make_id(struct writing *w, const char *prefix, int64_t time, const char *of)
{
    struct opencode_out *out = w->state;
    char hex[HEX_TEXT];

    made_hex(str_of(of), hex);
    return arena_printf(w->a, "%s_%012llx%.14s", prefix,
                        (unsigned long long)(time * 4096 + out->made++ % 4096) & 0xffffffffffffull,
                        hex);
}

/* ---- the session ---- */

static void put_info(struct writing *w, struct json_writer *jw, bool reverted)
{
    const struct bough_session *s = w->session;
    struct opencode_out *out = w->state;
    struct bough_str info = member_raw(s->data, OPENCODE_INFO, JSON_OBJECT);
    const char *const but[] = { reverted ? NULL : "revert", NULL };

    jw_key(jw, "info");
    if (info.n) {
        out->session = *s->origin ? s->origin : s->id;
        jw_obj(jw);
        members_put(jw, info, but);
        jw_end_obj(jw);
        return;
    }
    out->session = strncmp(s->origin, "ses_", 4) == 0
                       ? s->origin
                       : opencode_make_id(w, "ses", s->created, *s->origin ? s->origin : s->id);
    jw_obj(jw);
    jw_kv_cstr(jw, "id", out->session);
    jw_kv_cstr(jw, "slug", s->slug);
    jw_kv_cstr(jw, "projectID", "global");
    jw_kv_cstr(jw, "directory", s->project);
    jw_kv_cstr(jw, "title", *s->title ? s->title : "Imported session");
    jw_kv_cstr(jw, "version", "1.18.33");
    jw_key(jw, "time");
    jw_obj(jw);
    jw_kv_i64(jw, "created", s->created);
    jw_kv_i64(jw, "updated", s->created);
    jw_end_obj(jw);
    jw_key(jw, "metadata");
    jw_obj(jw);
    jw_kv_cstr(jw, FOREIGN_SESSION, arena_printf(w->a, "%s %s", session_name(s), out->session));
    jw_end_obj(jw);
    jw_end_obj(jw);
}

/* ---- messages read from opencode ---- */

bool opencode_native(const struct bough_entry *e, const char *id)
{
    return strncmp(id, "msg_", 4) == 0 && member_raw(e->data, "time", JSON_OBJECT).n;
}

void opencode_put_native(struct writing *w, struct json_writer *jw, const struct bough_entry *e,
                         const char *id)
{
    struct opencode_out *out = w->state;

    jw_obj(jw);
    jw_key(jw, "info");
    jw_obj(jw);
    members_put(jw, e->data, NULL);
    jw_kv_cstr(jw, "id", id);
    if (!member_raw(e->data, "sessionID", JSON_STRING).n)
        jw_kv_cstr(jw, "sessionID", out->session);
    jw_end_obj(jw);
    jw_key(jw, "parts");
    jw_arr(jw);
    for (size_t i = 0; i < e->nparts; i++)
        jw_raw(jw, part_raw(&e->parts[i]));
    jw_end_arr(jw);
    members_put(jw, e->metadata, NULL);
    jw_end_obj(jw);
    if (e->role == BOUGH_ROLE_USER)
        out->user = id;
}

/* ---- the document ---- */

/* A pending revert hides messages after the head; they are written all the same. */
static const char *reverted_to(struct writing *w)
{
    struct bough_str info = member_raw(w->session->data, OPENCODE_INFO, JSON_OBJECT);
    struct json j, revert;

    if (!info.n || json_parse(w->a, info, &j, NULL) || !json_get(j, "revert", &revert))
        return NULL;
    return json_cstr(w->a, revert, "messageID");
}

/* The path, and the messages behind it that a pending revert hides. False: there are none. */
static bool add_hidden(struct writing *w, struct written_run *run)
{
    const struct opencode_out *out = w->state;
    struct written_entry aside = { .e = &out->aside };
    const struct written_run *more = out->hides ? w->run_of(w, &aside) : NULL;
    struct written_run all = { .n = 0 };
    size_t n = 0;

    if (!more || !more->n)
        return false;
    while (n < run->n && run->entries[n].at.depth < more->entries[0].at.depth)
        n++;
    all.entries = arena_array(w->a, n + more->n, sizeof *all.entries);
    all.ids = arena_array(w->a, n + more->n, sizeof *all.ids);
    for (size_t i = 0; i < n + more->n; i++) {
        all.entries[i] = i < n ? run->entries[i] : more->entries[i - n];
        all.ids[i] = i < n ? run->ids[i] : more->ids[i - n];
    }
    all.n = n + more->n;
    *run = all;
    return true;
}

/* A pending revert hides messages from behind the head on; they are written all the same. */
static bool is_reverted(struct writing *w, const char *head, struct written_run *run)
{
    struct written_run all = *run;
    const char *hidden = reverted_to(w);

    if (!hidden || !add_hidden(w, &all))
        return false;
    for (size_t i = 0; i < all.n; i++)
        if (strcmp(all.ids[i], hidden) == 0 &&
            (cstr_eq(hidden, head) || (i && cstr_eq(all.ids[i - 1], head)))) {
            *run = all;
            return true;
        }
    return false;
}

static void write_finish(struct writing *w, const char *head)
{
    struct written_run run = *w->run_of(w, NULL);
    bool reverted = is_reverted(w, head, &run);
    struct json_writer jw;

    jw_init(&jw, w->out);
    jw_obj(&jw);
    put_info(w, &jw, reverted);
    jw_key(&jw, "messages");
    jw_arr(&jw);
    opencode_put_messages(w, &jw, &run);
    jw_end_arr(&jw);
    jw_end_obj(&jw);
    buf_putc(w->out, '\n');
}

static const struct format_place places[] = {
    { IN_DATA, "opencode/storage/session" },
    { IN_DATA, "opencode/opencode*.db" }, /* one per release channel */
    { 0 },
};

const struct format format_opencode = {
    .name = "opencode",
    .number = FORMAT_OPENCODE,
    .about = "opencode: the JSON of its export and import, its SQLite file",
    .suffix = "json",
    .tool = "opencode",
    .places = places,
    .detect = opencode_detect,
    .document = opencode_document,
    .rows = &opencode_rows,
    .writes = WRITES_TREE,
    .begin = write_begin,
    .entry = write_entry,
    .finish = write_finish,
};
