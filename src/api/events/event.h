/*
 * Live events, internal header. One thread, the pump, reads the changelog and the open messages and
 * sends events to a hub. A stream that is behind reads the same changelog rows itself.
 *
 *   event_rows.c   events of one changelog row
 *   event_open.c   events of open messages
 *   event_pump.c   the thread, the hub, the replay
 *   events.c       the route: filters, ids
 */
#ifndef API_EVENTS_EVENT_H
#define API_EVENTS_EVENT_H

#include "api/kit/api.h"
#include "base/hash/sha256.h"

enum event_name {
    EVENT_SESSION_CREATED,
    EVENT_SESSION_UPDATED,
    EVENT_SESSION_DELETED,
    EVENT_ENTRY_CREATED, /* an entry that is not a message: a model change, a marker */
    EVENT_MESSAGE_CREATED,
    EVENT_MESSAGE_UPDATED,
    EVENT_PART_UPDATED,
    EVENT_PART_DELTA,
    EVENT_CALL_RECORDED,
    EVENT_QUEUE_UPDATED,
    EVENT_STORE_UPDATED, /* something that belongs to no session */
    EVENT_RUN_CREATED,
    EVENT_RUN_UPDATED,
    EVENT_APPROVAL_REQUESTED,
    EVENT_APPROVAL_RESOLVED,
    EVENT_NAMES,
};

extern const char *const event_names[EVENT_NAMES]; /* "message.part.delta" */

/*
 * A position is the number of a changelog row and a sub-position within it. The events of the row
 * come first, below EVENT_ROW; EVENT_ROW itself means that the row is complete. Deltas of open
 * messages that follow the row lie above it. Deltas have no id: a client that reconnects gets the
 * parts so far instead.
 */
enum { EVENT_SHIFT = 28, EVENT_ROW = 1 << 14 };

static inline int64_t event_at(int64_t no, int64_t sub)
{
    return no << EVENT_SHIFT | sub;
}

static inline int64_t event_no(int64_t at)
{
    return at >> EVENT_SHIFT;
}

static inline int64_t event_sub(int64_t at)
{
    return at & ((INT64_C(1) << EVENT_SHIFT) - 1);
}

/* What a stream's filter needs to know about an event. */
struct event_about {
    enum event_name name;
    bool placed; /* false: the project is unknown; hidden from streams bound to a project */
    bool admin;  /* only for streams of callers with the scope admin */
    char session[BOUGH_ID_LEN + 1];
    unsigned char project[SHA256_LEN]; /* hash of the project's name: compared on the loop thread */
};

/* Receives one event. The event's data is only valid during the call. */
struct event_sink {
    void (*take)(void *user, const struct http_event *e, const struct event_about *about);
    void *user;
};

/* ---- changelog rows ---- */

enum { EVENT_CACHED = 64 };

/* Turns rows into events. Not thread-safe: each thread has its own. */
struct event_reader {
    struct bough_store *store;
    int64_t epoch;
    struct event_sink sink;
    struct event_about cached[EVENT_CACHED]; /* projects of sessions, hashed by session id */
};

/* Send the events of one row whose position is after `after`. Entries that were purged since have
 * none. */
void event_row(struct event_reader *r, const struct bough_change *c, int64_t after);
/* Look up the project of a session, for filtering. Cached. */
void event_about(struct event_reader *r, const char *session, struct event_about *out);

/* ---- open messages ---- */

struct event_open;

/* How much of each open message a stream has received during its replay. */
struct event_seen {
    struct {
        char id[BOUGH_ID_LEN + 1];
        int64_t offset;
    } * at;
    size_t n;
};

struct event_open *event_open_create(void);
void event_open_destroy(struct event_open *o);
size_t event_open_count(const struct event_open *o);
/* Follow one more open message from its beginning. Does nothing when `id` is not an open message.
 * With `tell` false its present content is recorded but not sent. *at moves on by one per event. */
void event_open_add(struct event_open *o, struct event_reader *r, const char *id, bool tell,
                    int64_t *at);
/* Send what was added to all followed messages. *at moves on by one per event. */
void event_open_look(struct event_open *o, struct event_reader *r, int64_t *at);
/* The message was sealed: send the rest of its parts and stop following it. Call before sending the
 * events of the seal's row. */
void event_open_sealed(struct event_open *o, struct event_reader *r, const char *id, int64_t *at);
/* Bring a late stream up to date: whole parts of messages it has not seen, deltas of the others.
 * Only sends what the pump has sent already. Updates `seen`. */
void event_open_show(struct event_open *o, struct event_reader *r, struct event_seen *seen);

/* ---- the pump ---- */

struct event_pump;

/* `auth` may be NULL. While streams are open, the pump notices tokens that were revoked. */
struct event_pump *event_pump_create(struct bough_store *s, struct auth *auth);
void event_pump_destroy(struct event_pump *p);
/* Changelog rows skipped so far because no stream was open. */
uint64_t event_pump_skipped(struct event_pump *p);
/* Start the thread on the first call, and pump up to the end of the changelog. BOUGH_NOT_DONE when
 * the store was replaced under the server; BOUGH_OVERLOADED when no thread can be started. */
BOUGH_MUST_CHECK enum bough_rc event_pump_ready(struct event_pump *p, struct http_hub **hub,
                                                struct bough_mark *end, struct bough_error *err);

/* One client's event stream: its filters and its progress. Freed when the stream is closed. */
struct event_stream {
    unsigned names;                   /* bits of enum event_name */
    bool bound, filtered;             /* restricted to a project by its token, by its query */
    bool admin;                       /* the caller has the scope admin */
    unsigned char own[SHA256_LEN];    /* hash of the token's project */
    unsigned char wished[SHA256_LEN]; /* hash of the queried project */
    char (*sessions)[BOUGH_ID_LEN + 1];
    size_t nsessions; /* 0: all */
    int64_t from;     /* the position the client asked to resume from */
    bool hello;       /* the first event, ready or reset, is still to be sent */
    bool reset;       /* the first event is reset: the client's position is not in this store */
    struct event_seen seen;
    struct event_pump *pump;
    struct api *api;
    struct auth *auth;
    struct auth_pass pass; /* the credential; the stream ends when it is no longer valid */
    char *who;             /* the caller this stream is counted for; NULL: not counted */
};

/* Does the stream's filter accept this event? */
bool event_wants(const struct event_stream *st, const struct event_about *about);
/* struct http_sse.replay */
enum bough_rc event_replay(void *user, struct http_req *req, struct http_res *res, int64_t *at,
                           struct bough_error *err);

#endif
