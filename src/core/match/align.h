/*
 * How far two histories agree, unit by unit.
 *
 * - Texts of one speaker that follow each other are compared as streams. White space may differ
 *   where a block begins or ends on either side; inside a block every byte counts.
 * - A call agrees with the same name and the same arguments or the same strong id; a result with
 *   the same strong id or the same text; a reference with the units of its item.
 * - Of a stored reply that was cut, one text may be the beginning of the other, and what follows
 *   may be missing.
 * - A reply whose reasoning came back as text agrees with reasoning and text.
 * - Where one unit differs and the rest agrees to the end of the stored history, with a reply
 *   among it, the unit was edited in place; at most ALIGN_EDITS times.
 *
 * What agrees without being equal is a variant. Pure.
 */
#ifndef CORE_MATCH_ALIGN_H
#define CORE_MATCH_ALIGN_H

#include "core/match/units.h"

enum { ALIGN_EDITS = 4, ALIGN_VARIANTS = 256 /* that are told; more are counted */ };

enum variant_what {
    VARIANT_ARGUMENTS, /* of a call */
    VARIANT_RESULT,
    VARIANT_CUT,       /* the texts of a cut reply have different lengths */
    VARIANT_REASONING, /* it came back as text */
    VARIANT_EDITED,    /* in place */
};

/* "arguments", "result", "cut", "reasoning", "edited". */
const char *variant_name(enum variant_what what);

/* A unit that agrees but is not equal. */
struct variant {
    enum variant_what what;
    size_t sent;          /* the unit as it was sent */
    size_t message, part; /* the stored one: its message and its part */
};

struct aligned {
    size_t sent;     /* units of the sent history that agree, counted from its first */
    size_t messages; /* messages of the stored history that agree, counted from its first */
    size_t replies;  /* texts and calls of the model among what agrees */
    size_t results;  /* results among it */
    bool to_end;     /* no unit of the stored history is left */
    struct variant *variants;
    size_t nvariants;
};

/* Compare from unit `from` of one and from message `at` of the other on. What agrees ends where a
 * block of the sent history ends, and a message of the stored one. `from` and `at` count as
 * agreeing. */
struct aligned units_align(const struct units *sent, size_t from, const struct units *stored,
                           size_t at);

/* Could the histories agree from here on? A quick look at the first units: false is certain. */
bool units_begin_alike(const struct units *sent, size_t from, const struct units *stored,
                       size_t at);

#endif
