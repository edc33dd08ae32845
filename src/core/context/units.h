/*
 * Units: the form in which a history that a client sends is compared with the stored one. Clients
 * send back less than they got: without reasoning, with text blocks joined, calls with other ids. A
 * history is therefore one flat list of what cannot be left out:
 *
 *   text of a user or of the model   compared byte for byte, except white space between blocks
 *   a call        same name, and the same arguments as canonical JSON or the same strong id
 *   a result      the same strong id, or the same text with white space squeezed
 *   a file        the hash of its bytes, else its URL
 *   another part  canonical JSON
 *
 * Not compared: system and developer messages, reasoning (also a leading <think>...</think>), parts
 * that record the progress of a turn, other ids, names, metadata, and where one message ends and
 * the next begins. An id is strong when it has 12 characters, three digits, and occurs once. A
 * refusal is text of the model. Pure.
 */
#ifndef CORE_CONTEXT_UNITS_H
#define CORE_CONTEXT_UNITS_H

#include <bough/model.h>

enum unit_kind { UNIT_USER, UNIT_MODEL, UNIT_CALL, UNIT_RESULT, UNIT_FILE, UNIT_OTHER };

struct unit {
    enum unit_kind kind;
    struct bough_str text; /* what is compared */
    const char *name;      /* CALL: the tool */
    const char *id;        /* CALL, RESULT: of the call, or "" */
    size_t message;        /* the number of its message in the history, from 0 */
};

struct units {
    struct bough_arena *a; /* set by the caller */
    struct unit *at;
    size_t n;
    size_t messages;
};

/* Add the units of the next message. Texts are slices of the entry or lie in u->a. */
void units_add(struct units *u, const struct bough_entry *e);

/* Has message `i` no units, so that it is never compared? */
bool units_none(const struct units *u, size_t i);

struct units_match {
    size_t units;        /* that agree */
    size_t sent, stored; /* whole messages that agree, on each side */
};

/* How far two histories agree, from message `from` of one and message `at` of the other on. The
 * match ends where a message ends on both sides. */
struct units_match units_align(const struct units *sent, size_t from, const struct units *stored,
                               size_t at);

#endif
