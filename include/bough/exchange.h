/*
 * Exchanges: a request that a client sent to a model, and the reply, recorded where they belong.
 *
 * A client sends its whole history with every request. bough_exchange_begin() finds the session and
 * the place in it, appends only what is new, and moves the head there. It can open the reply as an
 * open message (bough/message.h) in the same transaction, so that others can follow it, and what
 * they append meanwhile comes behind it; bough_exchange_open() does so later. The reply is recorded
 * by bough_exchange_finish(). A request without a reply is finished, too, with its call.
 *
 * Which session: the one that is named; the one that holds the response it goes on from; the one
 * with this client key; else by content, within the principal of the handle and the project. What
 * is already stored is recognised whatever dialect it comes in, and is not stored again. See
 * docs/decisions/042-exchanges.md.
 */
#ifndef BOUGH_EXCHANGE_H
#define BOUGH_EXCHANGE_H

#include <bough/budget.h>
#include <bough/message.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An exchange that was begun. One thread at a time may use it. */
struct bough_exchange;

/* How the reply is opened as an open message (bough/message.h). */
struct bough_exchange_open_options {
    const char *owner; /* these three as in bough_message_open_options */
    int64_t lease_ms;
    bool client;
    uint64_t reserved[4]; /* room to grow: must be 0 */
};

struct bough_exchange_begin_options {
    const struct bough_entry_new *history; /* the messages that were sent, without those of
                                              `system`; id, usage and calls are ignored */
    size_t nhistory;
    const struct bough_str *system; /* parts of the system text in front of them, raw JSON */
    size_t nsystem;
    struct bough_str parameters; /* tools and parameters, a raw JSON object: kept once per change */
    const char *session;         /* the session it belongs to; NULL: found. BOUGH_NOT_FOUND */
    const char *previous;        /* id of the response that it goes on from; NULL: none */
    const char *key;             /* the client's name of the session, at most 512 bytes */
    const char *parent_key;      /* key of the session that spawned it; made if it is new */
    const char *purpose;         /* why it is made beside the conversation ("title"); NULL: it is
                                    part of it */
    const char *client;          /* becomes provider_path of a new session */
    const char *project, *account; /* of a new session; `project` also bounds the search */
    const char *model_provider, *model_name; /* of a new session */
    const char *owner; /* with `session`: BOUGH_BUSY while another owner holds its lease */
    const char *id;    /* of the request, kept in its calls; NULL: one is made */
    int64_t time;      /* of the messages; 0: now */
    const struct bough_exchange_open_options *open; /* open the reply at once; NULL: not yet */
    const struct bough_budget_ask *budget; /* what the call may cost: it is reserved in the budgets
                                              that apply, and the call is refused if one does not
                                              allow it; NULL: no budget is asked */
    uint64_t reserved[6];                  /* room to grow: must be 0 */
};

enum bough_exchange_how {
    BOUGH_EXCHANGE_NEW,       /* a new session */
    BOUGH_EXCHANGE_APPENDED,  /* behind what is known */
    BOUGH_EXCHANGE_REPLY,     /* nothing was new, and the path ended without a reply */
    BOUGH_EXCHANGE_SIBLING,   /* nothing was new: another reply beside those that are there */
    BOUGH_EXCHANGE_BRANCHED,  /* it differs from what was stored: a branch */
    BOUGH_EXCHANGE_TRIMMED,   /* the client left out old messages: appended */
    BOUGH_EXCHANGE_BEHIND,    /* only new messages: behind the head */
    BOUGH_EXCHANGE_COMPACTED, /* the client compacted: a marker, then appended */
    BOUGH_EXCHANGE_ROOT,      /* a new root in the session */
    BOUGH_EXCHANGE_SIDE,      /* a root in a side session */
};

struct bough_exchange_begin_result {
    const char *session; /* id */
    enum bough_exchange_how how;
    bool made;       /* the session is new */
    bool forked;     /* ... and inherits the history of another one */
    bool adopted;    /* the session got the key now */
    bool subagent;   /* ... and another one spawned it */
    size_t known;    /* messages of the history that were stored already */
    size_t appended; /* messages that were stored now */
    size_t variants; /* known messages that differ from what is stored, seen for the first time */
    int64_t from;    /* TRIMMED: the depth that the history begins at */
    struct bough_head at;         /* the entry that the reply follows; branch 0: none */
    const char *id;               /* of the request */
    struct bough_writing writing; /* with `open`: the right to add steps */
    uint64_t reserved[4];         /* room to grow */
};

/*
 * Record the request. On success *out must be finished or destroyed. `result` may be NULL; its
 * texts live until the exchange is destroyed.
 *
 * What was sent is stored as it came, except: known messages, not again; the leading system text,
 * as a note (a custom entry "bough.system") when it changed; parameters, as an attachment of a note
 * ("bough.request") when they changed; units that differ from the known ones ("bough.amend" with
 * "variant"). Fails as bough_append() does; BOUGH_ARCHIVED only for a session that was named;
 * with `budget` also as bough_budget_reserve() does, and then no message was stored.
 */
BOUGH_MUST_CHECK enum bough_rc bough_exchange_begin(struct bough_store *s,
                                                    const struct bough_exchange_begin_options *in,
                                                    struct bough_exchange **out,
                                                    struct bough_exchange_begin_result *result,
                                                    struct bough_error *err);

/* Open the reply, and write the right to add steps. `how` may be
 * NULL. BOUGH_CONFLICT: it is open already, or the exchange is finished. */
BOUGH_MUST_CHECK enum bough_rc bough_exchange_open(struct bough_store *s, struct bough_exchange *x,
                                                   const struct bough_exchange_open_options *how,
                                                   struct bough_writing *out,
                                                   struct bough_error *err);

/* One reply. */
struct bough_exchange_reply {
    const struct bough_str *parts; /* raw JSON */
    size_t nparts;
    const char *finish;    /* why the model stopped */
    struct bough_str data; /* raw JSON object */
    bool cut;              /* it may lack its end */
    uint64_t reserved[4];  /* room to grow: must be 0 */
};

struct bough_exchange_finish_options {
    const struct bough_exchange_reply *reply;  /* NULL: none came; an open one is sealed as it is,
                                                  and deleted if it has no part */
    const struct bough_exchange_reply *others; /* further choices: siblings of the reply */
    size_t nothers;
    const char *response;                /* id of the response; NULL: none */
    struct bough_str error;              /* of the reply, raw JSON; empty: none */
    const struct bough_call_new *call;   /* the call; status, tokens and cost as in bough_append().
                                            `exchange` and `purpose` are filled in */
    const struct bough_call_new *failed; /* attempts before it that gave no reply */
    size_t nfailed;
    uint64_t reserved[6]; /* room to grow: must be 0 */
};

struct bough_exchange_finish_result {
    const char *session;          /* id: another one than at the beginning if that was archived,
                                     deleted or purged meanwhile */
    char entry[BOUGH_ID_LEN + 1]; /* the reply, or "" */
    char call[BOUGH_ID_LEN + 1];
    bool moved;           /* a new session was made: its first entry is a note "bough.moved" */
    uint64_t reserved[4]; /* room to grow */
};

/*
 * Record how it ended: the reply, its call, and what a later request needs to find them, in one
 * transaction; failed attempts and siblings in their own. It is on disk when the call returns, and
 * what was reserved in budgets is released.
 * `out` may be NULL. The exchange stays until bough_exchange_destroy(); a second call is
 * BOUGH_CONFLICT. After a failure it can be tried again.
 */
BOUGH_MUST_CHECK enum bough_rc bough_exchange_finish(struct bough_store *s,
                                                     struct bough_exchange *x,
                                                     const struct bough_exchange_finish_options *in,
                                                     struct bough_exchange_finish_result *out,
                                                     struct bough_error *err);

/* Free it. One that was not finished leaves its messages; an open reply and what is reserved in
 * budgets end with their leases. NULL is allowed. */
void bough_exchange_destroy(struct bough_exchange *x);

#ifdef __cplusplus
}
#endif
#endif
