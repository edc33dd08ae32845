/* Lists of status words, as filters of runs and approvals have them. */
#include <string.h>

#include "store/run/run.h"

bool status_word(const char *name, int *out)
{
    enum bough_run_status status;
    bool known = bough_run_status_parse(name, &status);

    if (known)
        *out = (int)status;
    return known;
}

bool approval_word(const char *name, int *out)
{
    enum bough_approval_status status;
    bool known = bough_approval_status_parse(name, &status);

    if (known)
        *out = (int)status;
    return known;
}

enum bough_rc words_read(const char *what, const char *text, bool (*parse)(const char *, int *),
                         int64_t *bits, struct bough_error *err)
{
    *bits = 0;
    for (const char *p = text ? text : ""; *p;) {
        size_t n = strcspn(p, " ,");
        char one[32] = "";
        int i;

        if (n && n < sizeof one)
            memcpy(one, p, n);
        if (n && !parse(one, &i))
            return bough_fail(err, BOUGH_INVALID, "unknown %s: %.*s", what, (int)(n > 40 ? 40 : n),
                              p);
        if (n)
            *bits |= INT64_C(1) << i;
        p += n + strspn(p + n, " ,");
    }
    return BOUGH_OK;
}
