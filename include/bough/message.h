/*
 * Messages that are still being written: opened, extended step by step, sealed.
 *
 * An open message has its id, its place and its number from the start, and others may append behind
 * it. Its parts come as steps. Whoever writes it holds a lease: an owner, an epoch and a time at
 * which it ends; a process that died has lost its leases. What nobody writes any more is sealed as
 * interrupted by whoever comes by first.
 */
#ifndef BOUGH_MESSAGE_H
#define BOUGH_MESSAGE_H

#include <bough/entry.h>
#include <bough/part.h>

#ifdef __cplusplus
extern "C" {
#endif

struct bough_message_new {
    const struct bough_entry_new *entry; /* without parts, usage and call: they come later */
    const char *at;                      /* as in struct bough_append, down to `key` */
    bool at_root;
    bool has_expect;
    struct bough_head expect;
    const char *key;
    const char *owner; /* who writes it; free text */
    int64_t lease_ms;  /* 0: a minute. Every step renews it */
};

/* The right to write a message: pass it to every call that does. */
struct bough_writing {
    char id[BOUGH_ID_LEN + 1];
    int64_t epoch;
};

struct bough_message_opened {
    struct bough_writing writing;
    struct bough_head head; /* after it */
    int64_t no, mno;
    int64_t last;   /* number of the last step; 0 in a new message */
    int64_t offset; /* how much of it there is; 0 in a new message */
};

/* Durable when it returns. */
BOUGH_MUST_CHECK enum bough_rc bough_message_open(struct bough_store *s, struct bough_arena *a,
                                                  const char *session,
                                                  const struct bough_message_new *in,
                                                  struct bough_message_opened *out,
                                                  struct bough_error *err);

enum bough_step_kind {
    BOUGH_STEP_PART,  /* a part is added at the end; bytes: its raw JSON */
    BOUGH_STEP_TEXT,  /* a text or reasoning part grows; bytes: UTF-8 */
    BOUGH_STEP_STATE, /* a tool part takes its next state; bytes: the whole part again, raw JSON */
};

struct bough_step {
    enum bough_step_kind kind;
    size_t part; /* TEXT, STATE: which one, from 0 */
    struct bough_str bytes;
};

struct bough_stepped {
    int64_t last;   /* number of the last step taken */
    int64_t saved;  /* steps up to this one outlive the process; see below */
    int64_t offset; /* how much of the message there is */
};

/*
 * Add steps, numbered from `first` (0: the next). Steps that were taken before are skipped, a gap
 * is BOUGH_CONFLICT. When one is refused those before it were taken: out->last says how many.
 *
 * Steps are written together, every quarter of a second or 64 KB: `saved` trails `last` by at most
 * that. What is saved outlives this process at once, and the machine's within a second.
 * BOUGH_LEASE_LOST: somebody else has it now, or it was sealed as interrupted.
 */
BOUGH_MUST_CHECK enum bough_rc bough_message_step(struct bough_store *s,
                                                  const struct bough_writing *w, int64_t first,
                                                  const struct bough_step *steps, size_t n,
                                                  struct bough_stepped *out,
                                                  struct bough_error *err);

/* Write what is not yet saved now, and keep the lease while nothing comes. */
BOUGH_MUST_CHECK enum bough_rc bough_message_flush(struct bough_store *s,
                                                   const struct bough_writing *w,
                                                   struct bough_stepped *out,
                                                   struct bough_error *err);

/* How a message ended. What is not given stays as it was opened. */
struct bough_seal {
    const char *finish;
    struct bough_str error, data, metadata; /* raw JSON */
    bool has_usage;
    struct bough_totals usage;
    int64_t duration;
    const struct bough_call_new *call; /* the call that produced it */
    const struct bough_str *parts;     /* the whole message once more, instead of its steps */
    size_t nparts;
};

/* Durable when it returns; from here on nothing of it changes. `seal` may be NULL. */
BOUGH_MUST_CHECK enum bough_rc bough_message_seal(struct bough_store *s, struct bough_arena *a,
                                                  const struct bough_writing *w,
                                                  const struct bough_seal *seal,
                                                  struct bough_entry **out,
                                                  struct bough_error *err);

/* Go on with a message whose lease is over: raises its epoch. BOUGH_BUSY while somebody holds it.
 */
BOUGH_MUST_CHECK enum bough_rc bough_message_take(struct bough_store *s, const char *entry,
                                                  const char *owner, int64_t lease_ms,
                                                  struct bough_message_opened *out,
                                                  struct bough_error *err);

/* What was added to a message: a run of text, a part, or a tool's next state. */
struct bough_delta {
    enum bough_step_kind kind;
    size_t part;
    int64_t at; /* TEXT: offset in the text that was added to the part */
    struct bough_str bytes;
};

struct bough_following {
    bool sealed;               /* it is over: `entry` is all of it, and there are no deltas */
    struct bough_entry *entry; /* while open: without parts */
    struct bough_part *parts;  /* with offset -1: the parts so far */
    size_t nparts;
    struct bough_delta *deltas;
    size_t ndeltas;
    int64_t offset; /* pass it to the next call */
};

/*
 * Follow a message: with `offset` -1 its parts so far, otherwise what came after the offset. When
 * there is nothing, wait up to `wait_ms`: steps taken by this process wake at once, those of others
 * are looked for. A message that nobody writes any more is sealed as interrupted on the way.
 */
BOUGH_MUST_CHECK enum bough_rc bough_message_follow(struct bough_store *s, struct bough_arena *a,
                                                    const char *entry, int64_t offset,
                                                    int64_t wait_ms, struct bough_following *out,
                                                    struct bough_error *err);

struct bough_open_message {
    char id[BOUGH_ID_LEN + 1];
    const char *session;
    struct bough_head at;
    struct bough_lease lease;
    bool expired; /* nobody holds it */
};

struct bough_open_messages {
    struct bough_open_message *at;
    size_t n;
};

/* The open messages of a session, or of the store (`session` NULL), in no special order. */
BOUGH_MUST_CHECK enum bough_rc bough_message_list(struct bough_store *s, struct bough_arena *a,
                                                  const char *session,
                                                  struct bough_open_messages *out,
                                                  struct bough_error *err);

/* Seal as interrupted what nobody writes any more; running tools become errors. *n may be NULL:
 * how many there were. Opening a store and following a message do this by themselves. */
BOUGH_MUST_CHECK enum bough_rc bough_message_recover(struct bough_store *s, int64_t *n,
                                                     struct bough_error *err);

#ifdef __cplusplus
}
#endif
#endif
