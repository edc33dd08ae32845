/* Pointer arguments of public functions; the rule is in <bough/model.h>. */
#ifndef BASE_REQUIRED_H
#define BASE_REQUIRED_H

#include <bough/error.h>

/* First line of a public function: BOUGH_INVALID unless these pointers are given. It stands before
 * the declarations, because their initialisers may use the arguments. */
#define REQUIRE(given, err)                                                                        \
    do {                                                                                           \
        if (!(given))                                                                              \
            return bough_fail(err, BOUGH_INVALID, "%s: an argument is NULL: %s", __func__,         \
                              #given);                                                             \
    } while (0)

#endif
