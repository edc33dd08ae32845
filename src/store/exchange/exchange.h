/*
 * Exchanges, inside: what the files of this folder share.
 *
 *   sent.c    a request as it is compared: entries, units, chains
 *   seen.c    look-ups in the `seen` table
 *   follow.c  how far a request agrees with what follows an entry, on any branch
 *   decide.c  which session, which place
 *   summaries.c  replies to requests for a compaction
 *   notes.c   entries that are not messages: system texts, parameters, variants, markers
 *   make.c    new sessions: forks, subagents, side sessions, adoption
 *   begin.c finish.c   the public calls
 *   record.c  bough_record()
 */
#ifndef STORE_EXCHANGE_EXCHANGE_H
#define STORE_EXCHANGE_EXCHANGE_H

#include <bough/exchange.h>

#include "base/json/json.h"
#include "core/match/chain.h"
#include "core/match/place.h"
#include "store/budget/budget.h"
#include "store/lookup/path.h"
#include "store/seen/stored.h"
#include "store/write/append.h"

/* ---- sent.c ---- */

struct sent {
    struct history h;
    struct chain_link *links; /* behind each reply in it */
    size_t nlinks;
    struct chain chain;      /* behind all of it; see sent_finish() */
    struct chain_link whole; /* the same as a link */
    struct bough_str system; /* the leading system text as plain text */
    int64_t system_sum;      /* digest of it; 0: there is none */
    int64_t parameters_sum;
    const struct stored *path; /* the path to the head, if it was read before; else NULL */
};

/* Prepare a request: check its parts, list its units, hash it. In `a`. Call sent_finish() also
 * after an error. */
enum bough_rc sent_read(struct bough_arena *a, const struct bough_exchange_begin_options *in,
                        struct sent *out, struct bough_error *err);
void sent_finish(struct sent *s);

/* Check the parts of a message and give them types; the entry borrows from `in`. */
enum bough_rc sent_entry(struct bough_arena *a, const struct bough_entry_new *in, size_t index,
                         struct bough_entry *out, struct bough_error *err);

/* A 63-bit digest of some bytes, never 0. */
int64_t short_digest(const void *p, size_t n);

/* ---- seen.c ---- */

enum { SEEN_NEWEST = 8 }; /* rows of a key that are looked at */

struct seen_hits {
    struct seen_row at[SEEN_NEWEST];
    size_t n;
};
enum bough_rc seen_look(struct snap *snap, const unsigned char key[SEEN_KEY], struct seen_hits *out,
                        struct bough_error *err);

/* What a request goes on from: a reply that is stored. */
struct anchor {
    bool found;
    struct bough_head at; /* the reply */
    size_t units;         /* of the request up to and including it; 0: not known, only its id */
    bool strict;          /* the request and the stored history have no variants up to it */
};

/* The last reply of the request that the scope knows. `sid` > 0: one on a path of this session, if
 * there is any. */
enum bough_rc seen_anchor(struct snap *snap, struct bough_arena *a, const struct sent *sent,
                          int64_t scope, int64_t sid, struct anchor *out, struct bough_error *err);
/* The reply with this response id. */
enum bough_rc seen_response(struct snap *snap, int64_t scope, const char *id,
                            struct bough_head *out, bool *found, struct bough_error *err);
/* The living session with this key; 0: none. *no (may be NULL) is the number of the newest row of
 * the key, for guard_seen(). */
enum bough_rc seen_session(struct snap *snap, struct bough_arena *a, int64_t scope, const char *key,
                           int64_t *sid, int64_t *no, struct bough_error *err);
/* The session of the same first request of the last ten minutes that has no reply, because it
 * failed or its process died, and for which none is being written; 0: none. */
enum bough_rc seen_first(struct snap *snap, struct bough_arena *a, int64_t scope,
                         const struct sent *sent, int64_t now, int64_t *sid,
                         struct bough_error *err);

/* ---- summaries.c ---- */

/* Replies of the session to requests for a compaction, newest first, as plain text. */
enum bough_rc stored_summaries(struct snap *snap, struct bough_arena *a, int64_t sid,
                               struct bough_str **out, size_t *n, struct bough_error *err);

/* ---- decide.c, follow.c ---- */

/* A unit that agrees with a stored one but is not equal. */
struct differs {
    enum variant_what what;
    size_t sent;       /* unit of the request */
    const char *entry; /* id of the stored message, or "" */
    size_t part;       /* of it */
};

/* Where a request belongs. */
struct where {
    enum bough_exchange_how how;
    int64_t sid;          /* the session that it goes on in */
    struct bough_head at; /* behind this entry; branch 0: a new root */
    size_t units;         /* of the request that are known */
    size_t message, part; /* the first to store; see struct place */
    bool exact;           /* the chain of the request is that of the stored path */
    int64_t from;         /* TRIMMED: depth */
    const struct differs *differs;
    size_t ndiffers;
    const struct stored *stored; /* what it was compared with; NULL: only chains were */
    struct place place;          /* COMPACTED: window and keep */
    struct bough_head reply;     /* the last reply in front of it, for its call; branch 0: none */
};

/* Follow the request from unit w->units on along what comes after w->at, on any branch of session
 * `sid`. Sets at, units, variants and reply. *goes_on: units follow there that the request does not
 * have. */
enum bough_rc where_follow(struct snap *snap, struct bough_arena *a, const struct sent *sent,
                           int64_t sid, struct where *w, bool *goes_on, struct bough_error *err);

/* Add the variants of a comparison with these stored messages, and note whether the chain is still
 * that of the path. */
void where_differs(struct bough_arena *a, struct where *w, const struct variant *v, size_t n,
                   const struct bough_entry *messages);

/* The call that made the entry; false: it has none, or it is not of an exchange. In `a`. */
bool call_of_entry(struct snap *snap, struct bough_arena *a, struct bough_head at,
                   struct call_body *out);

/* Decide for a session that is given (`how`), from its head, or from the anchor if there is one. */
enum bough_rc decide_given(struct snap *snap, struct bough_arena *a, const struct sent *sent,
                           int64_t sid, enum place_given given, const struct anchor *anchor,
                           struct where *w, struct bough_error *err);
/* Decide by content: *found is false when the request goes on from nothing that is stored. */
enum bough_rc decide_anchored(struct snap *snap, struct bough_arena *a, const struct sent *sent,
                              const struct anchor *anchor, struct where *w, bool *found,
                              struct bough_error *err);

/* ---- notes.c ---- */

/* Entries to append. */
struct entries {
    struct bough_arena *a;
    struct bough_entry_new *at;
    size_t n;
};
struct bough_entry_new *entries_push(struct entries *l);

/* What the last call on the path says of notes. */
struct noted {
    int64_t system_at, system_sum, request_at, request_sum;
};
enum bough_rc notes_last(struct snap *snap, struct bough_arena *a, const struct where *w,
                         struct noted *out, struct bough_error *err);
/* The text of a system note, whether it is whole or a difference to another one on the path. */
enum bough_rc note_system_text(struct snap *snap, struct bough_arena *a, struct bough_head at,
                               struct bough_str *out, struct bough_error *err);
/* Add a system note if the text is new. `depth` is that of the next entry. */
enum bough_rc notes_system(struct snap *snap, const struct sent *sent,
                           const struct bough_exchange_begin_options *in, const struct where *w,
                           int64_t depth, struct noted *noted, struct entries *to,
                           struct bough_error *err);
/* Add a note with the parameters as a file, if they are new. */
void notes_request(const struct bough_exchange_begin_options *in, const struct sent *sent,
                   int64_t depth, struct noted *noted, struct entries *to);
/* Add an amend for each unit that differs and that the path does not have yet, and tell of it as an
 * element of a JSON array (`told` may be NULL). Returns how many. */
size_t notes_differs(const struct sent *sent, const struct where *w, struct entries *to,
                     struct json_writer *told);
/* Add the marker of a client's compaction. */
void notes_marker(const struct sent *sent, const struct where *w, struct entries *to);
/* The message as it is, or without the parts that are stored elsewhere. */
struct bough_entry_new notes_rest(struct bough_arena *a, const struct bough_entry_new *in,
                                  size_t part);

/* ---- make.c ---- */

struct making {
    const struct bough_exchange_begin_options *in;
    int64_t scope;
    const char *key;        /* NULL: none */
    int64_t key_no;         /* newest seen row of the key when it was looked for */
    int64_t parent;         /* session that spawned it; 0: none */
    struct bough_head fork; /* branch 0: it inherits nothing */
    int64_t forked;         /* session that it is forked from */
    const char *role_name;
    int64_t of; /* take project and account from this session; 0: those of `in` */
};
/* BOUGH_CONFLICT: the key was used meanwhile. */
enum bough_rc exchange_make(struct bough_store *s, struct bough_arena *a, const struct making *m,
                            int64_t *sid, struct bough_error *err);
/* Give a session without a key this key. BOUGH_CONFLICT: it has one now, or the key was used. */
enum bough_rc exchange_adopt(struct bough_store *s, struct bough_arena *a, int64_t sid,
                             int64_t scope, const char *key, int64_t key_no,
                             struct bough_error *err);

/* ---- finish.c ---- */

/* The lease of a reply that is opened; `how` may be NULL. */
enum bough_rc open_row_of(struct bough_arena *a, const struct bough_exchange_open_options *how,
                          struct open_row *out, struct bough_error *err);

/* Release what is reserved in budgets. If that fails, it ends with its lease. */
void exchange_release(struct bough_store *s, struct bough_exchange *x);

/* ---- the exchange ---- */

struct bough_exchange {
    struct bough_arena *a; /* owns all of it */
    int64_t scope;
    const char *id, *purpose;
    int64_t sid;
    const char *session;
    struct bough_head at;    /* the entry that the reply follows; branch 0: none */
    bool root;               /* ... and the reply begins a root */
    bool keep_head;          /* it is beside the conversation */
    bool first;              /* a first request without a key: a failure leaves a row */
    bool exact;              /* see struct where */
    struct chain chain;      /* behind the request */
    struct chain_link whole; /* the same as a link */
    bool chained;            /* `chain` is to be finished */
    struct noted noted;
    struct bough_str notes;        /* of the call */
    struct bough_entry_new *fresh; /* the messages that it stored, in case the session is purged */
    size_t nfresh;
    size_t failed; /* attempts that were recorded */
    bool open, finished;
    char hold[BOUGH_ID_LEN + 1]; /* what is reserved in budgets; "": nothing */
    struct bough_writing writing;
    struct bough_head open_at; /* of the open reply */
};

#endif
