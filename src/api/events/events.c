/* /api/v1/events: changes in all sessions as one resumable event stream. */
#include <stdlib.h>
#include <string.h>

#include "api/events/event.h"
#include "base/memory/arena.h"
#include "base/memory/mem.h"
#include "base/text/str.h"

enum { SESSIONS_MAX = 100 }; /* compared for every event on the loop thread */

/* The next word of a comma-separated list; false at its end. */
static bool next_word(const char **list, struct bough_str *out)
{
    while (**list == ',')
        ++*list;
    *out = str_make(*list, strcspn(*list, ","));
    *list += out->n;
    return out->n > 0;
}

/* Bits of the events whose name is `word` or begins with `word` and a dot. */
static unsigned names_of(struct bough_str word)
{
    unsigned bits = 0;

    for (unsigned i = 0; i < EVENT_NAMES; i++) {
        const char *rest = event_names[i] + word.n;

        if (strncmp(event_names[i], word.p, word.n) == 0 && (*rest == '\0' || *rest == '.'))
            bits |= 1u << i;
    }
    return bits;
}

static enum bough_rc read_kinds(const struct http_req *req, struct event_stream *st,
                                struct bough_error *err)
{
    const char *list = http_query(req, "kinds");
    struct bough_str word;

    st->names = list && *list ? 0 : (1u << EVENT_NAMES) - 1;
    while (list && next_word(&list, &word)) {
        unsigned bits = names_of(word);

        if (!bits)
            return bough_fail(err, BOUGH_INVALID, "unknown event %.*s",
                              (int)(word.n < 60 ? word.n : 60), word.p);
        st->names |= bits;
    }
    return BOUGH_OK;
}

/* Sessions are looked up once, when the stream begins, by id, slug or number. */
static enum bough_rc read_sessions(const struct http_req *req, struct event_stream *st,
                                   struct bough_error *err)
{
    const struct api_call *call = api_of(req);
    const char *list = http_query(req, "session");
    struct bough_str word;

    while (list && next_word(&list, &word)) {
        const char *id = arena_strndup(req->arena, word.p, word.n);
        struct bough_session *s;
        enum bough_rc rc = bough_session_get(call->store, req->arena, id, &s, err);

        if (rc == BOUGH_NOT_FOUND || (rc && *call->who->project) ||
            (!rc && !auth_sees(call->who, s->project)))
            return bough_fail(err, BOUGH_NOT_FOUND, "no session %.60s", id);
        if (rc)
            return rc;
        if (st->nsessions == SESSIONS_MAX)
            return bough_fail(err, BOUGH_TOO_LARGE, "a stream can select at most %d sessions",
                              SESSIONS_MAX);
        st->sessions =
            mem_realloc(st->sessions, mem_array(st->nsessions + 1, sizeof *st->sessions));
        memcpy(st->sessions[st->nsessions++], s->id, sizeof *st->sessions);
    }
    return BOUGH_OK;
}

static void read_projects(const struct http_req *req, struct event_stream *st)
{
    const char *own = api_of(req)->who->project, *wished = http_query(req, "project");

    st->bound = *own != '\0';
    sha256(own, strlen(own), st->own);
    if (!wished || !*wished)
        return;
    st->filtered = true;
    sha256(wished, strlen(wished), st->wished);
}

/* Parse "epoch-no" or "epoch-no.k" into a position. False when this store never sent such an id. */
static bool read_id(const char *id, struct bough_mark end, int64_t *at)
{
    char *rest;
    long long epoch = strtoll(id, &rest, 10), no, k = EVENT_ROW;

    if (rest == id || *rest != '-')
        return false;
    id = rest + 1;
    no = strtoll(id, &rest, 10);
    if (rest == id || no < 0 || no > end.no || epoch != end.epoch)
        return false;
    if (*rest == '.') {
        id = rest + 1;
        k = strtoll(id, &rest, 10);
    }
    if (*rest || rest == id || k < 0 || k > EVENT_ROW)
        return false;
    *at = event_at(no, k);
    return true;
}

static void closed(void *user)
{
    struct event_stream *st = user;

    if (st->who)
        api_stream_end(st->api, st->who);
    mem_free(st->who);
    mem_free(st->sessions);
    mem_free(st->seen.at);
    mem_free(st);
}

static bool wants(void *user, const void *about, size_t about_size)
{
    struct event_about what;

    if (about_size != sizeof what)
        return false;
    memcpy(&what, about, sizeof what);
    return event_wants(user, &what);
}

static bool still(void *user)
{
    struct event_stream *st = user;

    return auth_still(st->auth, &st->pass);
}

/* D10: count the stream for its caller. The name is copied because the stream
 * outlives the request. */
static enum bough_rc count(struct http_req *req, struct http_res *res, struct event_stream *st)
{
    const char *who = api_of(req)->who->name;

    st->api = api_of(req)->api;
    if (!api_stream_begin(st->api, who)) {
        enum bough_rc rc = http_refuse(res, 429, "too_many", "too many open event streams");

        http_set(res, "Retry-After", "10");
        return rc;
    }
    st->who = mem_alloc(strlen(who) + 1);
    memcpy(st->who, who, strlen(who) + 1);
    return BOUGH_OK;
}

static enum bough_rc events(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct event_stream *st = mem_zalloc(sizeof *st);
    const char *last = http_header(req, "last-event-id");
    struct http_sse how = {
        .replay = event_replay, .wants = wants, .still = still, .closed = closed, .user = st
    };
    struct bough_mark end;
    enum bough_rc rc = read_kinds(req, st, err);

    st->pump = api_pump(api_of(req)->api);
    st->auth = api_of(req)->who->auth;
    st->pass = api_of(req)->who->pass;
    st->admin = (api_of(req)->who->scopes & AUTH_ADMIN) != 0;
    if (!rc)
        rc = read_sessions(req, st, err);
    read_projects(req, st);
    if (!rc)
        rc = count(req, res, st);
    if (!rc)
        rc = event_pump_ready(st->pump, &how.hub, &end, err);
    if (rc) {
        closed(st);
        return rc;
    }
    last = last && *last ? last : http_query(req, "after");
    how.at = http_hub_at(how.hub);
    st->hello = !last || !*last;
    if (!st->hello && !read_id(last, end, &how.at))
        st->hello = st->reset = true;
    st->from = how.at;
    if (how.at >= http_hub_at(how.hub)) /* force one replay, which sends the open messages */
        how.at = http_hub_at(how.hub) - 1;
    http_sse(res, &how);
    return BOUGH_OK;
}

static const struct http_field query[] = {
    { "session", HTTP_STRING,
      "Only events of these sessions: ids, slugs or numbers, separated by commas." },
    { "project", HTTP_STRING, "Only events of sessions of this project." },
    { "kinds", HTTP_STRING,
      "Only these events, separated by commas: `message.created`, or `message` for all that begin "
      "with it." },
    { "after", HTTP_STRING,
      "Resume after this event id, for clients that cannot send Last-Event-ID." },
    { 0 },
};

const struct http_route api_events_routes[] = {
    { "GET", "/api/v1/events", events, AUTH_READ,
      "Stream changes as server-sent events: session.created, .updated (with `what`), .deleted; "
      "message.created, .updated, .part.updated, .part.delta; entry.created; call.recorded; "
      "queue.updated; store.updated (with `what`); run.created, run.updated; approval.requested, "
      "approval.resolved. Resume with Last-Event-ID.",
      query, .gives = "events", .flags = HTTP_STREAMS | HTTP_RESUMES },
    { 0 },
};
