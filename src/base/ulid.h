/* ULIDs as text: 128 bits <-> 26 characters of Crockford's base 32. Pure. */
#ifndef BASE_ULID_H
#define BASE_ULID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ULID_LEN 26

struct ulid {
    uint64_t hi;
    uint64_t lo;
};

void ulid_encode(struct ulid u, char out[ULID_LEN + 1]); /* upper case, NUL added */

/*
 * Either case. False for a wrong length, a character outside the alphabet, or more than 128 bits.
 * I, L and O are not read as 1 and 0: one id has one spelling, case aside.
 */
bool ulid_decode(const char *p, size_t n, struct ulid *u);

#endif
