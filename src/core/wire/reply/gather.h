/*
 * Members that come in pieces: strings grow, arrays are joined, objects gather their own members,
 * and of anything else the last value counts. Text is kept as the provider escaped it, so that half
 * of a surrogate pair in each of two pieces becomes one character.
 */
#ifndef CORE_WIRE_REPLY_GATHER_H
#define CORE_WIRE_REPLY_GATHER_H

#include "base/json/json.h"

enum gather_how {
    GATHER_GROW, /* the value is a piece */
    GATHER_LAST, /* the value replaces the one before */
};

struct gather {
    struct gathered *at;
    size_t n;
    size_t bytes; /* of all values */
    size_t most;  /* bytes; 0: half of what an entry's data may have */
    bool over;    /* a value was left out: too much */
};

void gather_finish(struct gather *g);
/* Add the value of a member; null adds nothing. A short string that names something (id, type,
 * name, role) and comes again unchanged is no piece. */
void gather_add(struct gather *g, enum gather_how how, struct bough_str name, struct json value);
/* Add all members of an object but those named; the list ends with NULL. */
void gather_all(struct gather *g, enum gather_how how, struct json object, const char *const *but);
/* Add one element to a member that is an array. */
void gather_push(struct gather *g, const char *name, struct bough_str element);
/* Write the members into an open object. */
void gather_write(const struct gather *g, struct json_writer *w);
/* The value of a string member as raw JSON, quotes included, in `a`; empty: there is none. */
struct bough_str gather_string(const struct gather *g, struct bough_arena *a, const char *name);
bool gather_has(const struct gather *g, const char *name);

#endif
