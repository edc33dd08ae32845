/*
 * Units: the form in which a history that a client sends is compared with the stored one. Clients
 * send back less than they got, in another dialect, with blocks joined and ids changed. A history
 * is therefore one flat list of what a client cannot leave out:
 *
 *   USER, MODEL  a text; a refusal is text of the model
 *   CALL         a tool's name and its arguments as canonical JSON
 *   RESULT       a tool's output, white space squeezed, without wrappers at its end
 *   FILE         the SHA-256 of its bytes, else its URL or file id
 *   REF          the id of an item that the provider keeps
 *   OTHER        another part, as canonical JSON
 *
 * Soft, and so no unit: system and developer messages, reasoning (also a leading
 * <think>...</think>), a user text that is nothing but a wrapper of data/wrappers.txt, parts that
 * record the progress of a turn. Message borders, other ids, member order, cache_control,
 * annotations, status and usage are not part of a unit. Pure.
 */
#ifndef CORE_MATCH_UNITS_H
#define CORE_MATCH_UNITS_H

#include <bough/model.h>

enum unit_kind { UNIT_USER, UNIT_MODEL, UNIT_CALL, UNIT_RESULT, UNIT_FILE, UNIT_REF, UNIT_OTHER };

struct unit {
    enum unit_kind kind;
    struct bough_str text; /* what is compared; CRLF is LF */
    const char *name;      /* CALL: the tool; else "" */
    const char *id;        /* CALL, RESULT: of the call; REF: of the item; else "" */
    const char *item;      /* id of the item that it is part of (responses wire), or "" */
    size_t message;        /* the number of its message in the history, from 0 */
    size_t part;           /* the number of its part in the message */
    bool model;            /* in a message of the model */
    bool reasoning;        /* MODEL: reasoning; compared only where it came back as text */
    bool strong;           /* its id names one call: it has 12 characters, three digits, and no
                              other unit of this kind has it; set by units_end() */
};

struct units_message {
    size_t first; /* unit; its units end where those of the next message begin */
    bool model;
    bool cut;       /* a reply that may lack its end */
    bool reasoning; /* it has reasoning that is text */
};

struct units {
    struct bough_arena *a; /* set by the caller */
    struct unit *at;
    size_t n;
    struct units_message *messages;
    size_t nmessages;
};

/* Add the units of the next message. Texts are slices of the entry or lie in u->a. `stored`: its
 * reasoning becomes units, too. */
void units_add(struct units *u, const struct bough_entry *e, bool stored);
/* No more messages come. */
void units_end(struct units *u);

/* Is the id long and random enough to name one call in the whole store? */
bool unit_id_is_strong(const char *id);

/* Does the message have no units, so that it is never compared? */
bool units_none(const struct units *u, size_t message);
/* One past the last unit of the message. */
size_t units_last(const struct units *u, size_t message);

/* Are two texts equal, apart from white space? */
bool units_same_text(struct bough_str a, struct bough_str b);

/* A reply of the model: its text or its call. */
static inline bool unit_is_reply(const struct unit *one)
{
    return (one->kind == UNIT_MODEL && !one->reasoning) || one->kind == UNIT_CALL;
}

/* Is a user text, apart from blanks, nothing but one wrapper? */
bool soft_text(struct bough_str text);
/* The text without wrappers at its end. */
struct bough_str soft_end_cut(struct bough_str text);

#endif
