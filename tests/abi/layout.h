/*
 * Sizes and offsets of the public structs, as programs compiled with 0.2 know them. They never
 * change: scripts/test-promises compiles these tables with today's headers, with the frozen ones
 * and with a copy in which structs grew. A new member takes the place of reserved words and gets an
 * AT() line; a new struct gets its lines. For 64-bit machines.
 */
#ifndef TESTS_ABI_LAYOUT_H
#define TESTS_ABI_LAYOUT_H

#include <bough/bough.h>
#include <stddef.h>
#include <stdint.h>

#define SIZE(name, bytes)                                                                          \
    _Static_assert(sizeof(struct name) == (bytes), "struct " #name " is not " #bytes " bytes")
#define AT(name, member, bytes)                                                                    \
    _Static_assert(offsetof(struct name, member) == (bytes), #name "." #member " is not "          \
                                                                   "at " #bytes)

#endif
