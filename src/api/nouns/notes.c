/* Kept beside a conversation: labels, memories, todos, calls. */
#include <string.h>

#include "api/kit/body.h"
#include "api/kit/forms.h"
#include "base/memory/arena.h"
#include "base/text/str.h"

/* ---- labels ---- */

static enum bough_rc labels(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_labels found;
    struct bough_session *s;
    struct json_writer *w;
    enum bough_rc rc = api_session(req, &s, err);

    if (!rc)
        rc = bough_label_list(api_of(req)->store, req->arena, s->id, &found, err);
    if (rc)
        return rc;
    w = api_items(res);
    for (size_t i = 0; i < found.n; i++)
        form_label(w, &found.at[i]);
    api_items_end(w, NULL);
    return BOUGH_OK;
}

/* Set the label, unless `text` is NULL, and answer with the current one. */
static enum bough_rc label(struct http_req *req, struct http_res *res, const char *session,
                           const char *text, struct bough_error *err)
{
    struct bough_store *store = api_of(req)->store;
    const char *entry = http_param(req, "entry");
    struct json_writer *w;
    enum bough_rc rc = api_entry_id(req, session, &entry, err);

    if (!rc && text)
        rc = bough_label_set(store, session, entry, text, err);
    if (!rc)
        rc = bough_label_get(store, req->arena, session, entry, &text, err);
    if (rc)
        return rc;
    w = http_json(res, 200);
    jw_obj(w);
    jw_kv_cstr(w, "entry", entry);
    jw_kv_cstr(w, "label", text);
    jw_end_obj(w);
    return BOUGH_OK;
}

static enum bough_rc get_label(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_session *s;
    enum bough_rc rc = api_session(req, &s, err);

    return rc ? rc : label(req, res, s->id, NULL, err);
}

static enum bough_rc set_label(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    static const struct api_member members[] = { { "label", API_TEXT, 0 }, { 0 } };
    const char *text = NULL;
    struct bough_session *s;
    enum bough_rc rc = api_session(req, &s, err);

    if (!rc)
        rc = api_body(req, members, &text, err);
    if (!rc && !text)
        rc = bough_fail(err, BOUGH_INVALID, "label is required; use DELETE to remove a label");
    return rc ? rc : label(req, res, s->id, text, err);
}

static enum bough_rc drop_label(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_session *s;
    enum bough_rc rc = api_session(req, &s, err);

    return rc ? rc : label(req, res, s->id, "", err);
}

/* ---- memories ---- */

static const char *scope_words(size_t i)
{
    static const char *const words[] = { "session", "project", "all", NULL };

    return http_word(words, i);
}

static const struct http_field memory_query[] = {
    { "scope", HTTP_STRING, "The scope of the memories.", scope_words },
    { "of", HTTP_STRING, "The session, or the name of the project." },
    { 0 },
};

/* Parse scope and `of`. The caller must be able to see that session or project. */
static enum bough_rc memory_scope(struct http_req *req, struct http_res *res, const char *word,
                                  const char **of, enum bough_memory_scope *out,
                                  struct bough_error *err)
{
    const struct auth_who *who = api_of(req)->who;
    struct bough_session *s;
    enum bough_rc rc;

    if (word && strcmp(word, "session") == 0 && *of) {
        *out = BOUGH_MEMORY_OF_SESSION;
        rc = api_session_named(req, *of, &s, err);
        if (!rc)
            *of = s->id;
        return rc;
    }
    if (word && strcmp(word, "project") == 0 && (*of || *who->project)) {
        *out = BOUGH_MEMORY_OF_PROJECT;
        *of = *of ? *of : who->project;
        return auth_sees(who, *of)
                   ? BOUGH_OK
                   : http_refuse(res, 403, "denied", "this token is bound to another project");
    }
    if (!word || strcmp(word, "all") != 0)
        return bough_fail(err, BOUGH_INVALID,
                          "scope must be session or project, with of, or all, without of");
    *out = BOUGH_MEMORY_OF_STORE;
    *of = "";
    return api_for_all(req, res);
}

static enum bough_rc memories(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    const char *of = http_query(req, "of");
    struct bough_memories found;
    enum bough_memory_scope scope = BOUGH_MEMORY_OF_STORE;
    struct json_writer *w;
    enum bough_rc rc = memory_scope(req, res, http_query(req, "scope"), &of, &scope, err);

    if (!rc)
        rc = bough_memory_list(api_of(req)->store, req->arena, scope, of, &found, err);
    if (rc)
        return rc;
    w = api_items(res);
    for (size_t i = 0; i < found.n; i++) {
        form_memory(w, &found.at[i]);
        http_spill(res);
    }
    api_items_end(w, NULL);
    return BOUGH_OK;
}

struct memory_in {
    struct bough_memory m;
    const char *scope;
};

#define MEMORY(field) offsetof(struct memory_in, m.field)

static const struct api_member memory_members[] = {
    { "scope", API_TEXT, offsetof(struct memory_in, scope) },
    { "of", API_TEXT, MEMORY(of) },
    { "title", API_TEXT, MEMORY(title) },
    { "body", API_TEXT, MEMORY(body) },
    { "content", API_TEXT, MEMORY(content) },
    { "source", API_TEXT, MEMORY(source) },
    { "path", API_TEXT, MEMORY(path) },
    { "created", API_WHEN, MEMORY(created) },
    { 0 },
};

static enum bough_rc remember(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct memory_in in = { 0 };
    struct bough_memory *m;
    enum bough_rc rc = api_body(req, memory_members, &in, err);

    if (!rc)
        rc = memory_scope(req, res, in.scope, &in.m.of, &in.m.scope, err);
    if (!rc)
        rc = bough_memory_add(api_of(req)->store, req->arena, &in.m, &m, err);
    if (!rc)
        form_memory(http_json(res, 201), m);
    return rc;
}

static enum bough_rc forget(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    const char *of = http_query(req, "of");
    enum bough_memory_scope scope = BOUGH_MEMORY_OF_STORE;
    struct bough_memory *m;
    enum bough_rc rc = memory_scope(req, res, http_query(req, "scope"), &of, &scope, err);

    if (!rc)
        rc = bough_memory_forget(api_of(req)->store, req->arena, scope, of,
                                 http_param(req, "memory"), &m, err);
    if (!rc)
        form_memory(http_json(res, 200), m);
    return rc;
}

/* ---- todos ---- */

enum { TODOS_MAX = 10000 };

static enum bough_rc get_todos(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_todos found;
    struct bough_session *s;
    enum bough_rc rc = api_session(req, &s, err);

    if (!rc)
        rc = bough_todo_get(api_of(req)->store, req->arena, s->id, &found, err);
    if (!rc)
        form_todos(http_json(res, 200), &found);
    return rc;
}

static enum bough_rc put_todos(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    static const struct api_member members[] = { { "items", API_LIST, 0 }, { 0 } };
    static const struct api_member item[] = {
        { "content", API_TEXT, offsetof(struct bough_todo, content) },
        { "status", API_TEXT, offsetof(struct bough_todo, status) },
        { "priority", API_TEXT, offsetof(struct bough_todo, priority) },
        { 0 },
    };
    struct json list = { 0 };
    struct bough_todo *items;
    struct bough_todos out;
    struct bough_session *s;
    struct json_iter it;
    size_t n = 0;
    enum bough_rc rc = api_session(req, &s, err);

    if (!rc)
        rc = api_body(req, members, &list, err);
    if (!rc && json_type(list) != JSON_ARRAY)
        rc = bough_fail(err, BOUGH_INVALID, "items is required and must be a list");
    if (!rc && json_count(list) > TODOS_MAX)
        rc = bough_fail(err, BOUGH_TOO_LARGE, "more than %d items", TODOS_MAX);
    if (rc)
        return rc;
    items = arena_array(req->arena, json_count(list) + 1, sizeof *items);
    for (it = json_iter(list); !rc && json_next(&it); n++) {
        items[n] = (struct bough_todo){ .content = "", .status = "pending", .priority = "medium" };
        rc = api_read(req, it.value, "an item", item, &items[n], err);
    }
    if (!rc)
        rc = bough_todo_replace(api_of(req)->store, req->arena, s->id, items, n, &out, err);
    if (!rc)
        form_todos(http_json(res, 200), &out);
    return rc;
}

/* ---- calls ---- */

static enum bough_rc calls(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_calls found;
    struct bough_session *s;
    struct json_writer *w;
    enum bough_rc rc = api_session(req, &s, err);

    if (!rc)
        rc = bough_call_list(api_of(req)->store, req->arena, s->id, &found, err);
    if (rc)
        return rc;
    w = api_items(res);
    for (size_t i = 0; i < found.n; i++) {
        form_call(w, &found.at[i]);
        http_spill(res);
    }
    api_items_end(w, NULL);
    return BOUGH_OK;
}

/* The caller must be able to see the call's session, else BOUGH_NOT_FOUND. */
static enum bough_rc find_call(struct http_req *req, struct bough_call **out,
                               struct bough_error *err)
{
    const char *id = http_param(req, "call");
    struct bough_session *s;
    enum bough_rc rc = bough_call_get(api_of(req)->store, req->arena, id, out, err);

    if (!rc)
        rc = api_session_named(req, (*out)->session, &s, err);
    if (rc == BOUGH_NOT_FOUND || (rc && *api_of(req)->who->project))
        return bough_fail(err, BOUGH_NOT_FOUND, "no call %.60s", id);
    return rc;
}

static enum bough_rc get_call(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_call *call;
    enum bough_rc rc = find_call(req, &call, err);

    if (!rc)
        form_call(http_json(res, 200), call);
    return rc;
}

static enum bough_rc del_call(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_call *call;
    enum bough_rc rc = find_call(req, &call, err);

    if (!rc)
        rc = bough_call_delete(api_of(req)->store, call->id, err);
    return api_done(res, rc);
}

const struct http_route api_note_routes[] = {
    { "GET", "/api/v1/calls/{call}", get_call, AUTH_READ, "Get a provider call.", .gives = "Call" },
    { "DELETE", "/api/v1/calls/{call}", del_call, AUTH_DELETE,
      "Delete a call. Its cost is kept as an adjustment.", .status = 204 },
    { "GET", "/api/v1/memories", memories, AUTH_READ,
      "List the memories of a session, of a project, or the global ones.", memory_query,
      .gives = "Memories" },
    { "POST", "/api/v1/memories", remember, AUTH_APPEND, "Add a memory.", .takes = "MemoryNew",
      .gives = "Memory", .status = 201 },
    { "DELETE", "/api/v1/memories/{memory}", forget, AUTH_DELETE, "Delete a memory of this scope.",
      memory_query, .gives = "Memory" },
    { "GET", "/api/v1/sessions/{id}/calls", calls, AUTH_READ,
      "List the calls of a session, in order of time.", .gives = "Calls" },
    { "GET", "/api/v1/sessions/{id}/labels", labels, AUTH_READ, "List all labels.",
      .gives = "Labels" },
    { "GET", "/api/v1/sessions/{id}/labels/{entry}", get_label, AUTH_READ,
      "Get the label of an entry; empty if it has none.", .gives = "LabelOf" },
    { "PUT", "/api/v1/sessions/{id}/labels/{entry}", set_label, AUTH_APPEND,
      "Set the label of an entry.", .takes = "LabelSet", .gives = "LabelOf" },
    { "DELETE", "/api/v1/sessions/{id}/labels/{entry}", drop_label, AUTH_APPEND,
      "Remove the label of an entry.", .gives = "LabelOf" },
    { "GET", "/api/v1/sessions/{id}/todos", get_todos, AUTH_READ, "Get the todo list of a session.",
      .gives = "Todos" },
    { "PUT", "/api/v1/sessions/{id}/todos", put_todos, AUTH_APPEND,
      "Replace the todo list of a session.", .takes = "TodosSet", .gives = "Todos" },
    { 0 },
};
