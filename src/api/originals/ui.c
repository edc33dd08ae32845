/* The routes for the AI SDK's useChat: a session's messages, and the stream of an open message. */
#include "api/originals/ui.h"

#include "base/memory/arena.h"
#include "base/text/str.h"

/* ---- messages ---- */

static enum bough_rc find_open(struct http_req *req, const char *session, const char **id,
                               struct bough_error *err)
{
    struct bough_open_messages open;
    struct bough_head last = { 0 };
    enum bough_rc rc = bough_message_list(api_of(req)->store, req->arena, session, &open, err);

    *id = NULL;
    for (size_t i = 0; !rc && i < open.n; i++)
        if (!*id || open.at[i].at.branch > last.branch ||
            (open.at[i].at.branch == last.branch && open.at[i].at.depth > last.depth)) {
            *id = open.at[i].id;
            last = open.at[i].at;
        }
    return rc;
}

/* The id that messages and stream show: the caller's, if it gave one. */
static const char *shown_id(struct http_req *req, const char *session, const char *id)
{
    struct bough_entry *e;

    return bough_entry_get(api_of(req)->store, req->arena, session, id, &e, NULL) ||
                   cstr_empty(e->origin)
               ? id
               : e->origin;
}

static enum bough_rc messages(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_context_options how = { .dialect = "ui", .at = http_query(req, "at") };
    struct bough_context_result context;
    struct bough_session *s;
    struct json_writer *w;
    const char *open = NULL;
    enum bough_rc rc = api_session(req, &s, err);

    if (!rc)
        rc = api_entry_id(req, s->id, &how.at, err);
    if (!rc)
        rc = bough_context(api_of(req)->store, req->arena, s->id, &how, &context, err);
    if (!rc)
        rc = find_open(req, s->id, &open, err);
    if (rc)
        return rc;
    w = http_json(res, 200);
    jw_obj(w);
    jw_kv_raw(w, "messages", context.messages);
    jw_kv_cstr(w, "open", open ? shown_id(req, s->id, open) : NULL);
    jw_end_obj(w);
    return BOUGH_OK;
}

/* ---- stream ---- */

enum { WAIT_MS = 1, LOOK_MS = 30, BEAT_LOOKS = 15000 / LOOK_MS };

struct following {
    const char *id;
    int64_t offset;
    int quiet; /* looks since the last chunk */
    bool begun;
    struct ui_told told;
};

/* Waits 1 ms rather than 0: only a follower that waits seals a message whose writer died, so
 * without waiting the stream of such a message would never end. */
static enum bough_rc pull(struct http_req *req, struct http_res *res, enum http_more *more,
                          struct bough_error *err)
{
    struct following *f = req->state;
    struct bough_arena *tmp = bough_arena_create();
    struct bough_message_follow_result got;
    enum bough_rc rc =
        bough_message_follow(api_of(req)->store, tmp, f->id, f->offset, WAIT_MS, &got, err);

    if (rc)
        goto out;
    if (!f->begun)
        ui_begin(res, got.entry);
    f->begun = true;
    for (size_t i = 0; i < got.ndeltas; i++) {
        const struct bough_delta *d = &got.deltas[i];

        if (d->kind == BOUGH_STEP_TEXT)
            ui_text(res, &f->told, d->part, d->bytes);
        else
            ui_part(res, &f->told, d->part, d->bytes);
    }
    f->quiet = got.ndeltas ? 0 : f->quiet + 1;
    if (got.sealed)
        ui_end(res, &f->told, got.entry);
    else if (f->quiet % BEAT_LOOKS == BEAT_LOOKS - 1)
        http_puts(res, ":\n\n");
    if (!got.sealed)
        f->offset = got.offset;
    *more = got.sealed ? HTTP_END : HTTP_LATER;
out:
    bough_arena_destroy(tmp);
    return rc;
}

void ui_follow_drop(struct http_req *req)
{
    struct following *f = req->state;

    if (f)
        ui_told_finish(&f->told);
}

void ui_follow(struct http_req *req, struct http_res *res, const char *entry)
{
    struct following *f = arena_zalloc(req->arena, sizeof *f);

    f->id = arena_strdup(req->arena, entry);
    req->state = f;
    http_text(res, 200, "text/event-stream");
    http_set(res, "x-vercel-ai-ui-message-stream", "v1");
    http_set(res, "X-Accel-Buffering", "no");
    http_pull(res, pull, LOOK_MS);
}

/* The message named in the query, or the newest open one. 204 when none is open, as useChat
 * expects. */
static enum bough_rc stream(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    const char *named = http_query(req, "message"), *id = NULL;
    struct bough_session *s;
    struct bough_entry *e;
    enum bough_rc rc = api_session(req, &s, err);

    if (!rc && named && *named) {
        rc = bough_entry_get(api_of(req)->store, req->arena, s->id, named, &e, err);
        if (rc == BOUGH_INVALID || rc == BOUGH_NOT_FOUND) /* not an entry of this session */
            return bough_fail(err, BOUGH_NOT_FOUND, "no message %.60s in this session", named);
        id = rc ? NULL : e->id;
    } else if (!rc) {
        rc = find_open(req, s->id, &id, err);
    }
    if (rc)
        return rc;
    if (!id) {
        http_no_content(res);
        return BOUGH_OK;
    }
    ui_follow(req, res, id);
    return BOUGH_OK;
}

static const struct http_field messages_query[] = {
    { "at", HTTP_STRING, "The path to this entry instead of the head." },
    { 0 },
};

static const struct http_field stream_query[] = {
    { "message", HTTP_STRING, "The message to stream (default: the newest open one)." },
    { 0 },
};

const struct http_route api_ui_routes[] = {
    { "GET", "/api/v1/sessions/{id}/ui-messages", messages, AUTH_READ,
      "List the messages of a session as the AI SDK's UIMessages, and the id of the open one.",
      messages_query, .gives = "UIMessages" },
    { "GET", "/api/v1/sessions/{id}/ui-stream", stream, AUTH_READ,
      "Stream a message as the AI SDK's UI message stream, from its beginning to its end; 204 if "
      "none is open. Results of tools that came as later messages are not in it.",
      stream_query, .gives = "events", .flags = HTTP_STREAMS | HTTP_MAY_BE_EMPTY,
      .drop = ui_follow_drop },
    { 0 },
};
