/* Reserved words of public structs; see reserved.h. */
#include "base/reserved.h"

enum bough_rc reserved_check(const char *what, const uint64_t *words, size_t n,
                             struct bough_error *err)
{
    for (size_t i = 0; words && i < n; i++)
        if (words[i])
            return bough_fail(err, BOUGH_INVALID, "%s.reserved must be zero: initialise the struct",
                              what);
    return BOUGH_OK;
}
