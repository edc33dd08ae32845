/*
 * Where a request belongs on a stored path: which of its messages are known, and behind which
 * stored message the rest goes. The rule of the gateway and of bough_record(). Pure.
 */
#ifndef CORE_MATCH_PLACE_H
#define CORE_MATCH_PLACE_H

#include "core/match/align.h"

/* A history with its units; `units` has one message per entry. */
struct history {
    const struct bough_entry *entries;
    size_t n;
    struct units units;
};

void history_units(struct bough_arena *a, struct history *h, bool stored);

/* How it is known that the request belongs to this path. */
enum place_given {
    PLACE_BY_CONTENT, /* only by what it says */
    PLACE_BY_KEY,     /* the client named the session */
    PLACE_EXPLICIT,   /* the caller named the session: it may send only what is new */
};

struct place_input {
    const struct history *sent, *stored;
    enum place_given given;
    const struct bough_str *summaries; /* replies to requests for a compaction, plain text */
    size_t nsummaries;
};

enum place_how {
    PLACE_NONE,      /* it does not belong to this path */
    PLACE_APPEND,    /* known, then new, where the path ends */
    PLACE_REPLY,     /* all known, and the path ends without a reply */
    PLACE_SIBLING,   /* all known, and the path goes on: another reply */
    PLACE_BRANCH,    /* it differs from what follows */
    PLACE_TRIMMED,   /* its oldest messages were left out: append */
    PLACE_BEHIND,    /* only new messages: behind the head */
    PLACE_COMPACTED, /* the client compacted: a marker, then append */
    PLACE_ROOT,      /* another conversation in this session */
};

struct place {
    enum place_how how;
    size_t at;      /* stored messages in front of it: its place is behind message at - 1; 0: a
                       new root, except for BEHIND */
    size_t units;   /* of the request that are known, or that a marker's window holds */
    size_t message; /* the first message of the request to store ... */
    size_t part;    /* ... from this part on; not 0: the parts before it are stored elsewhere */
    size_t from;    /* TRIMMED: the stored message that the request begins with */
    size_t window;  /* COMPACTED: units in front of what was kept */
    size_t keep;    /* COMPACTED: the first stored message that was kept; SIZE_MAX: none */
    const struct variant *variants;
    size_t nvariants;
};

void place_decide(const struct place_input *in, struct place *out);

/* Which messages to store when `units` of the request are known and its place is behind stored
 * message at - 1: sets message and part, and moves `at` past stored messages without units. */
void place_rest(const struct place_input *in, struct place *p);

/* Is the unit of the request a text that the path does not have? */
bool place_is_unknown(const struct place_input *in, size_t unit);

/* Do at least 60 % of the lines (of 12 characters or more) of a summary stand in the text? */
bool place_holds_summary(struct bough_str text, struct bough_str summary);

#endif
