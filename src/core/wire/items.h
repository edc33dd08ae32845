/*
 * Items of the responses wire, as parts of one message. An item of type "message" is split into its
 * content; its other members are kept in `data.items`, with the number of its first part and how
 * many there are. Any other item is a part as it is. Pure.
 */
#ifndef CORE_WIRE_ITEMS_H
#define CORE_WIRE_ITEMS_H

#include "core/wire/part.h"

struct wire_items {
    struct wire_parts parts; /* a set by the caller */
    struct bough_str *about; /* of message items: raw objects for data.items */
    size_t nabout;
};

void wire_item_add(struct wire_items *l, struct json item);

/* data.items as a member list without braces, or "" when no item is to be remembered. */
struct bough_str wire_items_about(const struct wire_items *l);

#endif
