/*
 * A reply of a provider, read while it arrives: a stream of events, or one JSON document. The bytes
 * may come in any pieces. While it streams, text and reasoning are given as steps of an open
 * message; at its end the reply is a list of parts, as its wire has them. Nothing is dropped:
 * members that have no part become `data`. Pure; malformed input is skipped and counted.
 */
#ifndef CORE_WIRE_REPLY_REPLY_H
#define CORE_WIRE_REPLY_REPLY_H

#include <bough/message.h>

#include "core/wire/wire.h"

struct reply;

/* `stream`: server-sent events were asked for; what comes may be a document all the same, and the
 * other way round. `wire` is not WIRE_GEMINI. The reply owns everything it gives out. */
struct reply *reply_create(enum wire wire, bool stream);
void reply_destroy(struct reply *r); /* NULL is allowed */

void reply_feed(struct reply *r, const char *p, size_t n);

/* Steps since the last call, of choice 0 only; valid until the next call on `r`. Sealing with the
 * parts of reply_end() replaces them. */
const struct bough_step *reply_steps(struct reply *r, size_t *n);
/* Free the steps that were given out, before the next bytes do. */
void reply_steps_drop(struct reply *r);

/* One choice of the reply as a message. */
struct reply_choice {
    const struct bough_str *parts;
    size_t nparts;
    const char *finish;    /* why the model stopped, in the wire's word; "" unknown */
    struct bough_str data; /* raw JSON object: its other members; or empty */
    bool refused;          /* the model or a filter refused */
    bool cut;              /* it may lack its end */
};

struct reply_result {
    const struct reply_choice *choices; /* choice 0 first; at least one, which may be empty */
    size_t nchoices;
    const char *id;         /* of the response, or "" */
    const char *model;      /* that answered, or "" */
    struct bough_str usage; /* raw JSON, as reported last; or empty */
    struct bough_str error; /* raw JSON, an error in the stream or in the document; or empty */
    bool ended;             /* the wire's end mark came, or the document was complete */
    bool truncated;         /* too large: the rest was not recorded */
    size_t malformed;       /* events that could not be read */
    int64_t sequence;       /* responses: the last sequence number; -1: none */
    int64_t text_bytes;     /* of text, reasoning and arguments, for an estimate of tokens */
};

/* No more bytes come. A reply is cut when neither its end mark nor the reason why the model stopped
 * has come. Call it once; the result is valid until reply_destroy(). */
const struct reply_result *reply_end(struct reply *r);

/* Has the end mark come? Valid at any time. */
bool reply_ended(const struct reply *r);

#endif
