/* The chat API: five calls over any store. A chat message is a message entry; its tool calls are
 * parts. */
#include <bough/chat.h>

#include <string.h>

#include "base/json/json.h"
#include "base/limits.h"
#include "base/memory/mem.h"
#include "base/required.h"
#include "base/reserved.h"
#include "base/text/str.h"
#include "core/model/text.h"
#include "core/part/view.h"
#include "store/engine/engine.h"

struct bough_chat {
    struct bough_store *store; /* its own handle, so the caller may close theirs */
    char id[BOUGH_ID_LEN + 1]; /* never changes, so it is read without a lock */
};

enum bough_rc bough_chat_create(struct bough_chat **out, struct bough_store *store, const char *id,
                                struct bough_error *err)
{
    REQUIRE(out && store, err);

    struct bough_arena *tmp = bough_arena_create();
    struct bough_session *s;
    struct bough_chat *c;
    enum bough_rc rc = cstr_empty(id) ? bough_session_create(store, tmp, NULL, &s, err)
                                      : bough_session_get(store, tmp, id, &s, err);

    if (!rc) {
        c = mem_zalloc(sizeof *c);
        c->store = bough_store_scoped(store, NULL);
        memcpy(c->id, s->id, sizeof c->id);
        *out = c;
    }
    bough_arena_destroy(tmp);
    return rc;
}

void bough_chat_destroy(struct bough_chat *c)
{
    if (!c)
        return;
    bough_store_close(&c->store);
    mem_free(c);
}

const char *bough_chat_id(const struct bough_chat *c)
{
    return c->id;
}

/* ---- writing ---- */

static struct bough_str tool_call_part(struct bough_arena *a, const struct bough_tool_call *t)
{
    struct json_writer w;
    struct bough_str out;
    struct buf b;

    buf_init(&b, LIMIT_MESSAGE_BYTES);
    jw_init(&w, &b);
    jw_obj(&w);
    jw_kv_cstr(&w, "type", "function");
    jw_kv_cstr(&w, "id", t->id ? t->id : "");
    jw_key(&w, "function");
    jw_obj(&w);
    jw_kv_cstr(&w, "name", t->name ? t->name : "");
    jw_kv_cstr(&w, "arguments", t->arguments ? t->arguments : "");
    jw_end_obj(&w);
    jw_end_obj(&w);
    out = text_keep(a, &b);
    buf_finish(&b);
    return out;
}

/* Fields without an entry field of their own: the caller's word for the role, and the tool call
 * that a result answers. */
static struct bough_str message_data(struct bough_arena *a, const struct bough_chat_message *m)
{
    struct json_writer w;
    struct bough_str out;
    struct buf b;

    buf_init(&b, LIMIT_DATA);
    jw_init(&w, &b);
    jw_obj(&w);
    jw_opt_cstr(&w, "tool_call_id", m->tool_call_id);
    jw_end_obj(&w);
    out = text_keep(a, &b);
    buf_finish(&b);
    return view_keep_role(a, m->role, out.n > 2 ? out : str_of(""));
}

enum bough_rc bough_chat_add(struct bough_chat *c, const struct bough_chat_message *m,
                             struct bough_error *err)
{
    REQUIRE(c && m, err);

    struct bough_arena *a = bough_arena_create();
    struct bough_str *parts = arena_array(a, m->ntool_calls + 1, sizeof *parts);
    struct bough_entry_new e = { .kind = BOUGH_ENTRY_MESSAGE,
                                 .role = bough_role_parse(m->role),
                                 .parts = parts,
                                 .time = m->timestamp,
                                 .data = message_data(a, m) };
    struct bough_append_options in = { .entries = &e, .n = 1 };
    struct bough_append_result out;
    enum bough_rc rc = RESERVED_CHECK(bough_chat_message, m, err);

    for (size_t i = 0; i < m->ntool_calls && !rc; i++)
        rc = RESERVED_CHECK(bough_tool_call, &m->tool_calls[i], err);
    if (!rc && m->ntool_calls >= LIMIT_PARTS)
        rc = bough_fail(err, BOUGH_TOO_LARGE, "a message has at most %d tool calls",
                        LIMIT_PARTS - 1);
    if (m->content)
        parts[e.nparts++] = bough_part_text(a, str_of(m->content));
    for (size_t i = 0; i < m->ntool_calls && !rc; i++)
        parts[e.nparts++] = tool_call_part(a, &m->tool_calls[i]);
    if (!rc)
        rc = bough_append(c->store, a, c->id, &in, &out, err);
    bough_arena_destroy(a);
    return rc;
}

enum bough_rc bough_chat_clear(struct bough_chat *c, struct bough_error *err)
{
    REQUIRE(c, err);

    return bough_session_clear(c->store, c->id, err);
}

/* ---- reading ---- */

static void read_part(struct bough_arena *a, const struct bough_part *part,
                      struct bough_chat_message *out, struct bough_tool_call *calls)
{
    struct json j, function;

    if (part->type == BOUGH_PART_TEXT) {
        out->content = bough_part_plain(a, part).p;
        return;
    }
    if (json_parse(a, part->json, &j, NULL) || !json_get(j, "function", &function))
        return;
    calls[out->ntool_calls++] =
        (struct bough_tool_call){ .id = json_cstr(a, j, "id"),
                                  .name = json_cstr(a, function, "name"),
                                  .arguments = json_cstr(a, function, "arguments") };
}

static void read_message(struct bough_arena *a, const struct bough_entry *e,
                         struct bough_chat_message *out)
{
    struct bough_tool_call *calls = arena_array(a, e->nparts + 1, sizeof *calls);
    const char *role = NULL, *answers = NULL;
    struct json data;

    if (e->data.n && !json_parse(a, e->data, &data, NULL)) {
        role = json_cstr(a, data, "role");
        answers = json_cstr(a, data, "tool_call_id");
    }
    *out = (struct bough_chat_message){ .role = role ? role : bough_role_name(e->role),
                                        .content = "",
                                        .tool_call_id = answers ? answers : "",
                                        .tool_calls = calls,
                                        .timestamp = e->time };
    for (size_t i = 0; i < e->nparts; i++)
        read_part(a, &e->parts[i], out, calls);
}

enum bough_rc bough_chat_messages(struct bough_chat *c, struct bough_arena *a,
                                  struct bough_chat_messages *out, struct bough_error *err)
{
    REQUIRE(c && a && out, err);

    struct bough_entries_read_options how = { .messages = true };
    struct bough_entries_read_result path;
    enum bough_rc rc = bough_entries_read(c->store, a, c->id, &how, &path, err);

    *out = (struct bough_chat_messages){ 0 };
    if (rc)
        return rc;
    out->n = path.entries.n;
    out->at = arena_array(a, out->n + 1, sizeof *out->at);
    for (size_t i = 0; i < out->n; i++)
        read_message(a, &path.entries.at[i], &out->at[i]);
    return BOUGH_OK;
}
