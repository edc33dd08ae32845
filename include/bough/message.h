/*
 * Open messages: opened, extended step by step, sealed.
 *
 * An open message has its id, its position and its number from the start, and others may append
 * behind it. Its parts arrive as steps. Its writer holds a lease: an owner, an epoch and a time at
 * which it expires. A process that died has lost its leases, but not those of its clients. An open
 * message whose lease is lost is sealed as interrupted by the next process that comes across it.
 *
 * `session` and `entry` arguments are those of session.h and entry.h, and fail in the same ways.
 */
#ifndef BOUGH_MESSAGE_H
#define BOUGH_MESSAGE_H

#include <bough/entry.h>
#include <bough/part.h>

#ifdef __cplusplus
extern "C" {
#endif

struct bough_message_open_options {
    const struct bough_entry_new *entry; /* a message without parts, usage and call */
    const char *at;                      /* this and the next three as in bough_append_options */
    bool at_root;
    const struct bough_head *expect_head;
    const char *key;
    const char *owner;    /* of the lease; free text, may be NULL. BOUGH_BUSY while another owner
                             holds the session's lease */
    int64_t lease_ms;     /* 0: a minute; at most a day. Every step renews it */
    bool client;          /* the writer is a client of this process, such as a client of a server:
                             the end of this process does not end the lease */
    int64_t epoch;        /* BOUGH_LEASE_LOST unless `owner` holds the session's lease with this
                             epoch; 0: it need not hold one */
    uint64_t reserved[2]; /* room to grow: must be 0 */
};

/* The right to write a message: pass it to every call that does. */
struct bough_writing {
    char id[BOUGH_ID_LEN + 1]; /* of the message */
    int64_t epoch;             /* of the lease */
    uint64_t reserved[4];      /* room to grow: must be 0 */
};

struct bough_message_open_result {
    struct bough_writing writing;
    struct bough_head head; /* of bough_message_open(): the head after it. Of bough_message_take():
                               where the message is */
    int64_t no, mno;        /* changelog and message number of the message */
    int64_t last;           /* number of the last step; 0 in a new message */
    int64_t offset;         /* size of the steps so far; 0 in a new message */
    uint64_t reserved[4];   /* room to grow */
};

/* Append an open message. It is on disk when the call returns. Fails as bough_append() does.
 * BOUGH_INVALID: `entry` is not an empty message. */
BOUGH_MUST_CHECK enum bough_rc bough_message_open(struct bough_store *s, struct bough_arena *a,
                                                  const char *session,
                                                  const struct bough_message_open_options *in,
                                                  struct bough_message_open_result *out,
                                                  struct bough_error *err);

/* Stored in drafts: add at the end, never renumber. */
enum bough_step_kind {
    BOUGH_STEP_PART = 0,  /* add a part at the end; bytes: its raw JSON */
    BOUGH_STEP_TEXT = 1,  /* add to a text or reasoning part; bytes: UTF-8 */
    BOUGH_STEP_STATE = 2, /* give a tool part its next state; bytes: the whole part, raw JSON */
    BOUGH_STEP_LAST = BOUGH_STEP_STATE,
};

/* As bough_step.part: for TEXT the last part, for STATE the last part of the same tool call. */
#define BOUGH_STEP_LATEST SIZE_MAX

struct bough_step {
    enum bough_step_kind kind;
    size_t part; /* TEXT, STATE: which part, from 0; or BOUGH_STEP_LATEST */
    struct bough_str bytes;
    uint64_t reserved[4]; /* room to grow: must be 0 */
};

struct bough_message_step_result {
    int64_t last;         /* number of the last step that was taken */
    int64_t saved;        /* steps up to this number survive the end of this process */
    int64_t offset;       /* size of all steps; see bough_message_follow() */
    int64_t durable;      /* steps up to this number survive a crash of the machine */
    uint64_t reserved[3]; /* room to grow */
};

/*
 * Add steps with the numbers first, first + 1, ... (0: the next numbers). Steps that were taken
 * before are skipped, so that a client can send again; a gap is BOUGH_CONFLICT. When a step is
 * refused, the steps before it were taken, as out->last says. `out` may be NULL.
 *
 * What an acknowledged step means: this process has it, shows it to followers and seals it. Steps
 * are saved together, every quarter of a second or 64 KB, so `saved` trails `last` by at most that,
 * and `durable` trails by about a second. Only a crash can lose a step that was acknowledged but
 * not saved. A client that numbers its steps and keeps those after `saved` loses nothing: after a
 * crash the next step is refused as a gap, `last` says where to go on, and the client sends the
 * rest again. bough_message_flush() makes all steps durable.
 *
 * The steps of one message may go to several processes over one store. The process that gets a step
 * asks the one that had the message for its steps, which takes up to a quarter of a second. If that
 * process is on another machine and does not answer for three seconds, steps with numbers are
 * taken from the last saved one on, and steps without numbers are BOUGH_BUSY.
 *
 * BOUGH_LEASE_LOST: another writer has it now, or it was sealed as interrupted. BOUGH_CONFLICT: it
 * is sealed or being sealed. BOUGH_INVALID, BOUGH_INVALID_PART, BOUGH_TOO_LARGE: a step is wrong.
 */
BOUGH_MUST_CHECK enum bough_rc bough_message_step(struct bough_store *s,
                                                  const struct bough_writing *w, int64_t first,
                                                  const struct bough_step *steps, size_t n,
                                                  struct bough_message_step_result *out,
                                                  struct bough_error *err);

/* Save all steps durably and renew the lease, for example while a tool runs. `out` may be NULL.
 * Fails as bough_message_step() does. */
BOUGH_MUST_CHECK enum bough_rc bough_message_flush(struct bough_store *s,
                                                   const struct bough_writing *w,
                                                   struct bough_message_step_result *out,
                                                   struct bough_error *err);

/* How a message ended. Members left zero keep the values given when the message was opened. */
struct bough_message_seal_options {
    const char *finish;                     /* NULL: unchanged */
    struct bough_str error, data, metadata; /* raw JSON; empty: unchanged */
    const struct bough_totals *usage;       /* what it spent; NULL: none */
    int64_t duration;                       /* milliseconds; 0: unchanged */
    const struct bough_call_new *call;      /* the call that produced it; NULL: none */
    const struct bough_str *parts;          /* all parts, in place of the steps; NULL: the steps */
    size_t nparts;
    int64_t last;         /* the last step that was acknowledged; 0: not known */
    uint64_t reserved[3]; /* room to grow: must be 0 */
};

/* Make an open message an ordinary entry. It is on disk when the call returns, and never changes
 * again. `seal` and `out` may be NULL. Fails as bough_message_step() and bough_append() do, and
 * with BOUGH_CONFLICT when the message has fewer steps than `last`: send them again. The message
 * then stays open. */
BOUGH_MUST_CHECK enum bough_rc bough_message_seal(struct bough_store *s, struct bough_arena *a,
                                                  const struct bough_writing *w,
                                                  const struct bough_message_seal_options *seal,
                                                  struct bough_entry **out,
                                                  struct bough_error *err);

struct bough_message_take_options {
    const char *owner; /* these three as in bough_message_open_options */
    int64_t lease_ms;
    bool client;
    uint64_t reserved[4]; /* room to grow: must be 0 */
};

/* Continue an open message whose lease has expired, with the next epoch. `in` may be NULL.
 * BOUGH_BUSY: the lease has not expired. BOUGH_CONFLICT, BOUGH_LEASE_LOST: it is sealed, or sealed
 * as interrupted. */
BOUGH_MUST_CHECK enum bough_rc bough_message_take(struct bough_store *s, const char *entry,
                                                  const struct bough_message_take_options *in,
                                                  struct bough_message_open_result *out,
                                                  struct bough_error *err);

/* What one or more steps added to a message. */
struct bough_delta {
    enum bough_step_kind kind;
    size_t part;            /* which part, from 0 */
    int64_t at;             /* TEXT: where in the text of the part the bytes begin */
    struct bough_str bytes; /* as in struct bough_step */
    uint64_t reserved[4];   /* room to grow */
};

struct bough_message_follow_result {
    bool sealed;               /* it is complete: `entry` is all of it, and there are no deltas */
    struct bough_entry *entry; /* while it is open, without parts */
    struct bough_part *parts;  /* with offset -1: the parts so far */
    size_t nparts;
    struct bough_delta *deltas; /* else: what was added since */
    size_t ndeltas;
    int64_t offset;       /* pass it to the next call */
    uint64_t reserved[4]; /* room to grow */
};

/*
 * Follow a message: with `offset` -1 its parts so far, else what was added after the offset. When
 * there is nothing, wait up to `wait_ms` for a step; steps of this process end the wait at once,
 * those of others within some 20 ms. No deltas, not sealed and no failure: nothing was added. A
 * message whose lease is lost is sealed as interrupted. BOUGH_INVALID: the offset is beyond the
 * message's end.
 */
BOUGH_MUST_CHECK enum bough_rc bough_message_follow(struct bough_store *s, struct bough_arena *a,
                                                    const char *entry, int64_t offset,
                                                    int64_t wait_ms,
                                                    struct bough_message_follow_result *out,
                                                    struct bough_error *err);

struct bough_open_message {
    char id[BOUGH_ID_LEN + 1];
    const char *session; /* id of the session that it is in */
    struct bough_head at;
    struct bough_lease lease;
    bool expired;         /* the lease is lost: anybody may take or seal it */
    uint64_t reserved[4]; /* room to grow */
};

struct bough_open_messages {
    struct bough_open_message *at;
    size_t n;
    uint64_t reserved[4]; /* room to grow */
};

/* The open messages of a session, or of the whole store (`session` NULL or ""), in no particular
 * order. */
BOUGH_MUST_CHECK enum bough_rc bough_message_list(struct bough_store *s, struct bough_arena *a,
                                                  const char *session,
                                                  struct bough_open_messages *out,
                                                  struct bough_error *err);

/* Seal every open message whose lease is lost as interrupted; tools that were running become
 * errors. *n (may be NULL) is how many there were. Opening a store, forking a session and following
 * a message do this where needed. */
BOUGH_MUST_CHECK enum bough_rc bough_message_recover(struct bough_store *s, int64_t *n,
                                                     struct bough_error *err);

#ifdef __cplusplus
}
#endif
#endif
