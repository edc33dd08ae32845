/* Parts as they came over a wire: any JSON becomes a part that the store accepts. Pure. */
#ifndef CORE_WIRE_PART_H
#define CORE_WIRE_PART_H

#include <bough/part.h>

#include "base/json/json.h"

/* A growing list of parts. */
struct wire_parts {
    struct bough_arena *a; /* set by the caller */
    struct bough_str *at;
    size_t n;
};

/* Add a block as it came. A block that a part of its type may not be (no type, a member missing or
 * wrong) is wrapped as {"type":"bough.raw","raw":block}, so that it is kept and given back. */
void wire_part_add(struct wire_parts *l, struct bough_str raw);
/* The same for each element of an array; a string becomes one text, null nothing. */
void wire_parts_add(struct wire_parts *l, struct json content);
/* {"type":type,key:value}; `value` is raw JSON. */
void wire_part_make(struct wire_parts *l, const char *type, const char *key,
                    struct bough_str value);

/* The block as it came: unwrapped if wire_part_add() wrapped it. */
struct bough_str wire_part_raw(struct bough_arena *a, struct bough_str part);

/* The members of `m` but those named, as a raw object in `a`; empty when none is left. The list
 * ends with NULL. */
struct bough_str wire_members_but(struct bough_arena *a, struct json m, const char *const *but);

/*
 * Items of the responses wire, as parts of one message. An item of type "message" is split into its
 * content; its other members are kept in `data.items`, with the number of its first part and how
 * many there are. Any other item is a part as it is.
 */
struct wire_items {
    struct wire_parts parts; /* a set by the caller */
    struct bough_str *about; /* of message items: raw objects for data.items */
    size_t nabout;
};

void wire_item_add(struct wire_items *l, struct json item);

/* data.items as a member list without braces, or "" when no item is to be remembered. */
struct bough_str wire_items_about(const struct wire_items *l);

#endif
