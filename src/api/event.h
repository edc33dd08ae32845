/*
 * Live events, inside view. One thread reads the log and the open messages and gives a hub what
 * happened; a stream that is behind reads the same rows itself.
 *
 *   event_rows.c   a row of the log as events
 *   event_open.c   messages that are still being written
 *   event_pump.c   the thread, the hub, the replay
 *   events.c       the route: filters, ids
 */
#ifndef API_EVENT_H
#define API_EVENT_H

#include "api/api.h"
#include "base/sha256.h"

enum event_name {
    EVENT_SESSION_CREATED,
    EVENT_SESSION_UPDATED,
    EVENT_SESSION_DELETED,
    EVENT_ENTRY_CREATED, /* what is no message: a model change, a marker */
    EVENT_MESSAGE_CREATED,
    EVENT_MESSAGE_UPDATED,
    EVENT_PART_UPDATED,
    EVENT_PART_DELTA,
    EVENT_CALL_RECORDED,
    EVENT_QUEUE_UPDATED,
    EVENT_NAMES,
};

extern const char *const event_names[EVENT_NAMES]; /* "message.part.delta" */

/*
 * Positions: the number of a row of the log, and what of it. A row's own events are below
 * EVENT_ROW; having seen the row is EVENT_ROW; pieces of open messages that came before the next
 * row are above it. They have no id: whoever comes back gets the text so far instead.
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

/* What a stream looks at to know whether an event is for it. */
struct event_about {
    enum event_name name;
    bool placed; /* its project is known; nobody bound to a project sees what is not */
    char session[BOUGH_ID_LEN + 1];
    unsigned char project[SHA256_LEN]; /* names are long; this is compared on the loop */
};

/* Takes one event; its data is gone afterwards. */
struct event_sink {
    void (*take)(void *user, const struct http_event *e, const struct event_about *about);
    void *user;
};

/* ---- rows ---- */

enum { EVENT_CACHED = 64 };

/* Reads rows for one thread. */
struct event_reader {
    struct bough_store *store;
    int64_t epoch;
    struct event_sink sink;
    struct event_about cached[EVENT_CACHED]; /* projects of sessions, by a hash of their ids */
};

/* The events of one row whose position is after `after`. A row that cannot be read any more (it
 * was purged since) has none. */
void event_row(struct event_reader *r, const struct bough_change *c, int64_t after);
/* Whose session is it? */
void event_about(struct event_reader *r, const char *session, struct event_about *out);

/* ---- open messages ---- */

struct event_open;

/* What a stream has been given of open messages while it was being brought up. */
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
/* Follow one more message from its beginning on; `tell` false: what there is now is the past. */
void event_open_add(struct event_open *o, struct event_reader *r, const char *id, bool tell,
                    int64_t *at);
/* What came since; moves *at on. */
void event_open_look(struct event_open *o, struct event_reader *r, int64_t *at);
/* It was sealed: what had not been told comes before the row that says so. */
void event_open_sealed(struct event_open *o, struct event_reader *r, const char *id, int64_t *at);
/* Everything, as far as it was told: whole parts for who has seen nothing, else what is new. */
void event_open_show(struct event_open *o, struct event_reader *r, struct event_seen *seen);

/* ---- the pump ---- */

struct event_pump;

struct event_pump *event_pump_create(struct bough_store *s);
void event_pump_destroy(struct event_pump *p);
uint64_t event_pump_skipped(struct event_pump *p); /* rows that nobody was there for, for metrics */
/* Start it, once, and bring it to the end of the log. */
BOUGH_MUST_CHECK enum bough_rc event_pump_ready(struct event_pump *p, struct http_hub **hub,
                                                struct bough_mark *end, struct bough_error *err);

struct event_stream {
    unsigned names;                   /* bits of enum event_name */
    bool bound, filtered;             /* to a project: by its token, by its own wish */
    unsigned char own[SHA256_LEN];    /* of the token */
    unsigned char wished[SHA256_LEN]; /* of the filter */
    char (*sessions)[BOUGH_ID_LEN + 1];
    size_t nsessions; /* 0: all */
    int64_t from;     /* what the client had seen when it came */
    bool hello;       /* the first event is still to come: where it begins */
    bool reset;       /* and it says that what the client knew is not this store's past */
    struct event_seen seen;
    struct event_pump *pump;
    struct api *api;
    char *who; /* counted as theirs until it is closed */
};

bool event_wants(const struct event_stream *st, const struct event_about *about);
/* struct http_sse.replay */
enum bough_rc event_replay(void *user, struct http_req *req, struct http_res *res, int64_t *at,
                           struct bough_error *err);

#endif
