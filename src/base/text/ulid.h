/* ULIDs as text: 128 bits to and from 26 characters of Crockford's base 32. Pure. */
#ifndef BASE_TEXT_ULID_H
#define BASE_TEXT_ULID_H

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
 * Accepts either case. False, with *u untouched, for a wrong length, a character outside the
 * alphabet, or more than 128 bits. Unlike Crockford, I, L and O are not read as 1 and 0: except
 * for case, an id has one spelling.
 */
bool ulid_decode(const char *p, size_t n, struct ulid *u);

#endif
