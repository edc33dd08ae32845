/* opencode's import JSON, writer. Its own messages are written back unchanged; others are
 * converted. */
#include <stdlib.h>
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "formats/common/kept.h"
#include "formats/opencode/opencode.h"

struct opencode_out {
    struct kept_list list;
    const char *session;
    const char *user;             /* id of the last user message */
    const char *provider, *model; /* of the last answer, or of the first one */
    int64_t made;                 /* number of ids made: they must ascend */
};

static void write_begin(struct writing *w)
{
    w->state = arena_zalloc(w->a, sizeof(struct opencode_out));
}

static void write_entry(struct writing *w, const struct written_entry *we)
{
    struct opencode_out *out = w->state;

    kept_add(w->a, &out->list, we);
}

/* An id in opencode's form: the low 48 bits of time and counter, then a hash. Ids ascend. */
static const char *make_id(struct writing *w, const char *prefix, int64_t time, const char *of)
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
                       : make_id(w, "ses", s->created, *s->origin ? s->origin : s->id);
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
    jw_end_obj(jw);
}

/* ---- messages read from opencode ---- */

static bool native(const struct kept *k)
{
    return strncmp(k->id, "msg_", 4) == 0 && member_raw(k->e.data, "time", JSON_OBJECT).n;
}

static void put_native(struct writing *w, struct json_writer *jw, const struct kept *k)
{
    struct opencode_out *out = w->state;

    jw_obj(jw);
    jw_key(jw, "info");
    jw_obj(jw);
    members_put(jw, k->e.data, NULL);
    jw_kv_cstr(jw, "id", k->id);
    if (!member_raw(k->e.data, "sessionID", JSON_STRING).n)
        jw_kv_cstr(jw, "sessionID", out->session);
    jw_end_obj(jw);
    jw_key(jw, "parts");
    jw_arr(jw);
    for (size_t i = 0; i < k->e.nparts; i++)
        jw_raw(jw, part_raw(&k->e.parts[i]));
    jw_end_arr(jw);
    members_put(jw, k->e.metadata, NULL);
    jw_end_obj(jw);
    if (k->e.role == BOUGH_ROLE_USER)
        out->user = k->id;
}

/* ---- messages from elsewhere ---- */

/* opencode continues with the model of the last message, so it must not be empty. */
static bool see_model(struct writing *w, const struct bough_entry *e)
{
    struct opencode_out *out = w->state;
    const char *provider, *model;

    if (e->role != BOUGH_ROLE_ASSISTANT)
        return false;
    answer_model(w, e, &provider, &model);
    if (!cstr_empty(provider))
        out->provider = provider;
    if (!cstr_empty(model))
        out->model = model;
    return !cstr_empty(out->provider) && !cstr_empty(out->model);
}

static void first_model(struct writing *w, struct kept *const *path, size_t n)
{
    struct opencode_out *out = w->state;

    out->provider = w->session->model_provider;
    out->model = w->session->model_name;
    for (size_t i = 0; i < n; i++)
        if (see_model(w, &path[i]->e))
            return;
}

static void put_user_info(struct writing *w, struct json_writer *jw, const struct bough_entry *e)
{
    const struct opencode_out *out = w->state;

    jw_kv_cstr(jw, "role", "user");
    jw_key(jw, "time");
    jw_obj(jw);
    jw_kv_i64(jw, "created", e->time);
    jw_end_obj(jw);
    jw_kv_cstr(jw, "agent", "build");
    jw_key(jw, "model");
    jw_obj(jw);
    jw_kv_cstr(jw, "providerID", out->provider);
    jw_kv_cstr(jw, "modelID", out->model);
    jw_end_obj(jw);
}

static void put_tokens(struct json_writer *jw, const struct bough_totals *t)
{
    jw_key(jw, "tokens");
    jw_obj(jw);
    jw_kv_i64(jw, "input", t->input);
    jw_kv_i64(jw, "output", t->output);
    jw_kv_i64(jw, "reasoning", t->reasoning);
    jw_key(jw, "cache");
    jw_obj(jw);
    jw_kv_i64(jw, "read", t->cache_read);
    jw_kv_i64(jw, "write", t->cache_write);
    jw_end_obj(jw);
    jw_end_obj(jw);
}

static void put_agent_info(struct writing *w, struct json_writer *jw, const struct bough_entry *e)
{
    static const struct bough_totals none;
    const struct bough_totals *used = e->usage ? e->usage : &none;
    struct opencode_out *out = w->state;

    (void)see_model(w, e);
    jw_kv_cstr(jw, "role", "assistant");
    jw_kv_cstr(jw, "parentID", out->user ? out->user : "");
    jw_kv_cstr(jw, "mode", "build");
    jw_kv_cstr(jw, "agent", "build");
    jw_key(jw, "path");
    jw_obj(jw);
    jw_kv_cstr(jw, "cwd", w->session->project);
    jw_kv_cstr(jw, "root", w->session->project);
    jw_end_obj(jw);
    jw_key(jw, "cost");
    jw_f64(jw, (double)used->cost / 1e9);
    put_tokens(jw, used);
    jw_kv_cstr(jw, "modelID", out->model);
    jw_kv_cstr(jw, "providerID", out->provider);
    jw_key(jw, "time");
    jw_obj(jw);
    jw_kv_i64(jw, "created", e->time);
    jw_kv_i64(jw, "completed", e->time + e->duration);
    jw_end_obj(jw);
    jw_kv_cstr(jw, "finish", "stop");
}

static void put_state(struct writing *w, struct json_writer *jw, const struct bough_entry *e,
                      const struct part_view *call, const struct part_view *result)
{
    bool failed = !result || result->failed;

    jw_key(jw, "state");
    jw_obj(jw);
    jw_kv_cstr(jw, "status", failed ? "error" : "completed");
    jw_kv_raw(jw, "input", call->input.n ? call->input : str_of("{}"));
    jw_kv_str(jw, failed ? "error" : "output",
              result ? view_output_text(w->a, result->output)
                     : str_of("[Tool execution was interrupted]"));
    if (!failed) {
        jw_kv_cstr(jw, "title", call->tool);
        jw_kv_raw(jw, "metadata", str_of("{}"));
    }
    jw_key(jw, "time");
    jw_obj(jw);
    jw_kv_i64(jw, "start", e->time);
    jw_kv_i64(jw, "end", e->time);
    jw_end_obj(jw);
    jw_end_obj(jw);
}

static void put_text(struct json_writer *jw, const char *type, struct bough_str text, int64_t time)
{
    jw_kv_cstr(jw, "type", type);
    jw_kv_str(jw, "text", text);
    if (*type != 'r')
        return;
    jw_key(jw, "time");
    jw_obj(jw);
    jw_kv_i64(jw, "start", time);
    jw_kv_i64(jw, "end", time);
    jw_end_obj(jw);
}

static void put_part(struct writing *w, struct json_writer *jw, struct kept *const *path, size_t n,
                     size_t i, const struct part_view *v, const char *message)
{
    const struct opencode_out *out = w->state;
    const struct bough_entry *e = &path[i]->e;

    if (v->kind == VIEW_OTHER || v->kind == VIEW_RESULT)
        return;
    jw_obj(jw);
    if (v->kind == VIEW_TEXT || v->kind == VIEW_REASONING) {
        put_text(jw, v->kind == VIEW_TEXT ? "text" : "reasoning", v->text, e->time);
    } else if (v->kind == VIEW_FILE) {
        jw_kv_cstr(jw, "type", "file");
        jw_kv_cstr(jw, "mime", *v->mime ? v->mime : "application/octet-stream");
        jw_opt_cstr(jw, "filename", v->filename);
        jw_kv_str(jw, "url", view_url(w->a, v));
    } else {
        jw_kv_cstr(jw, "type", "tool");
        jw_kv_cstr(jw, "callID", v->call);
        jw_kv_cstr(jw, "tool", v->tool);
        put_state(w, jw, e, v, kept_result(w->a, path, n, i, v->call));
    }
    jw_kv_cstr(jw, "id", make_id(w, "prt", e->time, path[i]->id));
    jw_kv_cstr(jw, "sessionID", out->session);
    jw_kv_cstr(jw, "messageID", message);
    jw_end_obj(jw);
}

static void put_foreign(struct writing *w, struct json_writer *jw, struct kept *const *path,
                        size_t n, size_t i)
{
    struct opencode_out *out = w->state;
    const struct bough_entry *e = &path[i]->e;
    const char *id = make_id(w, "msg", e->time, path[i]->id);
    struct part_view *parts = view_parts(w->a, e);

    jw_obj(jw);
    jw_key(jw, "info");
    jw_obj(jw);
    if (e->role == BOUGH_ROLE_ASSISTANT)
        put_agent_info(w, jw, e);
    else
        put_user_info(w, jw, e);
    jw_kv_cstr(jw, "id", id);
    jw_kv_cstr(jw, "sessionID", out->session);
    jw_end_obj(jw);
    jw_key(jw, "parts");
    jw_arr(jw);
    for (size_t k = 0; k < e->nparts; k++)
        put_part(w, jw, path, n, i, &parts[k], id);
    jw_end_arr(jw);
    jw_end_obj(jw);
    if (e->role != BOUGH_ROLE_ASSISTANT)
        out->user = id;
}

/* ---- the document ---- */

/* A pending revert hides messages after the head; they are written all the same. */
static bool is_reverted(struct writing *w, const char *head)
{
    const struct opencode_out *out = w->state;
    struct bough_str info = member_raw(w->session->data, OPENCODE_INFO, JSON_OBJECT);
    struct json j, revert;
    const struct kept *hidden;

    if (!info.n || json_parse(w->a, info, &j, NULL) || !json_get(j, "revert", &revert))
        return false;
    hidden = kept_find(&out->list, json_cstr(w->a, revert, "messageID"));
    return hidden && (cstr_eq(hidden->id, head) || cstr_eq(hidden->parent, head));
}

static void write_finish(struct writing *w, const char *head)
{
    struct opencode_out *out = w->state;
    bool reverted = is_reverted(w, head);
    struct kept *tip = reverted ? out->list.last : kept_find(&out->list, head);
    size_t n = 0;
    struct kept **path = kept_path(w->a, tip, &n);
    struct json_writer jw;

    jw_init(&jw, w->out);
    jw_obj(&jw);
    put_info(w, &jw, reverted);
    first_model(w, path, n);
    jw_key(&jw, "messages");
    jw_arr(&jw);
    for (size_t i = 0; i < n; i++) {
        if (path[i]->e.kind != BOUGH_ENTRY_MESSAGE || path[i]->e.deleted)
            continue;
        if (native(path[i]))
            put_native(w, &jw, path[i]);
        else if (!kept_is_results(w->a, &path[i]->e))
            put_foreign(w, &jw, path, n, i);
    }
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
