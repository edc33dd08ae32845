/* What a model sees of a session: compaction markers and the context. */
#include "core/context/context.h"
#include "api/kit/body.h"
#include "api/kit/forms.h"

/* ---- markers ---- */

static enum bough_rc markers(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_entries found;
    struct bough_session *s;
    struct json_writer *w;
    enum bough_rc rc = api_session(req, &s, err);

    if (!rc)
        rc = bough_marker_list(api_of(req)->store, req->arena, s->id, &found, err);
    if (rc)
        return rc;
    w = api_items(res);
    for (size_t i = 0; i < found.n; i++)
        form_entry(w, &found.at[i]);
    api_items_end(w, NULL);
    return BOUGH_OK;
}

static enum bough_rc latest(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_entry *marker = NULL;
    struct bough_session *s;
    bool inherit = false;
    enum bough_rc rc = api_session(req, &s, err);

    if (!rc)
        rc = http_query_bool(req, "inherit", &inherit, err);
    if (!rc)
        rc = bough_marker_latest(api_of(req)->store, req->arena, s->id, inherit, &marker, err);
    if (!rc && !marker)
        rc = bough_fail(err, BOUGH_NOT_FOUND, "this session has no compaction");
    if (!rc)
        form_entry(http_json(res, 200), marker);
    return rc;
}

static const struct api_member compact_members[] = {
    { "summary", API_TEXT, offsetof(struct bough_compact_options, summary) },
    { "before", API_TEXT, offsetof(struct bough_compact_options, before) },
    { "first_kept", API_TEXT, offsetof(struct bough_compact_options, first_kept) },
    { "tokens_before", API_INT, offsetof(struct bough_compact_options, tokens_before) },
    { "tokens_saved", API_INT, offsetof(struct bough_compact_options, tokens_saved) },
    { "details", API_RAW, offsetof(struct bough_compact_options, details) },
    { "from_hook", API_FLAG, offsetof(struct bough_compact_options, from_hook) },
    { 0 },
};

static enum bough_rc compact(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_compact_options in = { .key = api_of(req)->key };
    char id[BOUGH_ID_LEN + 1];
    struct bough_session *s;
    enum bough_rc rc = api_session(req, &s, err);

    if (!rc)
        rc = api_body(req, compact_members, &in, err);
    if (!rc)
        rc = api_entry_id(req, s->id, &in.before, err);
    if (!rc)
        rc = api_entry_id(req, s->id, &in.first_kept, err);
    if (!rc)
        rc = bough_compact(api_of(req)->store, s->id, &in, id, err);
    if (!rc)
        api_put_id(res, 201, id);
    return rc;
}

/* ---- context ---- */

static enum bough_rc context(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    const char *dialect = http_query(req, "dialect");
    struct bough_context_options how = { .at = http_query(req, "at"),
                                         .dialect = dialect ? dialect : "pi",
                                         .model = http_query(req, "model") };
    struct bough_context_result x;
    struct bough_session *s;
    bool memories = false;
    enum bough_rc rc = api_session(req, &s, err);

    if (!rc)
        rc = http_query_bool(req, "inherit", &how.inherit, err);
    if (!rc)
        rc = http_query_bool(req, "at_nothing", &how.at_nothing, err);
    if (!rc)
        rc = http_query_bool(req, "trailing", &how.trailing, err);
    if (!rc)
        rc = http_query_bool(req, "memories", &memories, err);
    if (memories) /* those of the store are not for a token bound to one project */
        how.memories = *api_of(req)->who->project
                           ? 1 << BOUGH_MEMORY_OF_SESSION | 1 << BOUGH_MEMORY_OF_PROJECT
                           : BOUGH_MEMORIES_ALL;
    if (!rc)
        rc = api_entry_id(req, s->id, &how.at, err);
    if (!rc)
        rc = bough_context(api_of(req)->store, req->arena, s->id, &how, &x, err);
    if (!rc)
        form_context(http_json(res, 200), &x);
    return rc;
}

static const struct http_field context_query[] = {
    { "dialect", HTTP_STRING, "The client that the messages are for (default: pi).",
      context_dialect_name },
    { "at", HTTP_STRING, "The context at this entry instead of the head." },
    { "at_nothing", HTTP_BOOLEAN, "The context of an empty path." },
    { "memories", HTTP_BOOLEAN,
      "Begin with the memories of the session, of its project and, unless the token is bound to a "
      "project, of the store, as a system message." },
    { "inherit", HTTP_BOOLEAN,
      "Also apply markers of the sessions it was forked from; only hygge does not by itself." },
    { "model", HTTP_STRING,
      "The model that will read it: a provider's dialect sends signed reasoning only to the model "
      "that it came from (default: the last model of the path)." },
    { "trailing", HTTP_BOOLEAN,
      "In a provider's dialect, keep a turn of the model at the end, to add a message behind it." },
    { 0 },
};

static const struct http_field latest_query[] = {
    { "inherit", HTTP_BOOLEAN, "Also look at markers of the sessions it was forked from." },
    { 0 },
};

const struct http_route api_context_routes[] = {
    { "GET", "/api/v1/sessions/{id}/context", context, AUTH_READ,
      "Get the messages to send to a model, with a note on each change from the stored text.",
      context_query, .gives = "Context" },
    { "GET", "/api/v1/sessions/{id}/markers", markers, AUTH_READ,
      "List the compactions this session wrote, oldest first.", .gives = "Entries" },
    { "POST", "/api/v1/sessions/{id}/markers", compact, AUTH_APPEND,
      "Compact: add a summary that replaces earlier messages in the context.",
      .takes = "Compaction", .gives = "Id", .status = 201, .flags = HTTP_KEYED },
    { "GET", "/api/v1/sessions/{id}/markers/latest", latest, AUTH_READ,
      "Get the latest compaction.", latest_query, .gives = "Entry" },
    { 0 },
};
