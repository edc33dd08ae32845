/* Checks of arguments that are text or raw JSON. Pure. */
#include "store/lookup/check.h"

#include <string.h>

#include "base/json/json.h"
#include "base/limits.h"
#include "base/text/utf8.h"

enum bough_rc check_text(const char *what, const char *text, int64_t most, struct bough_error *err)
{
    size_t n = text ? strlen(text) : 0;

    if (n > (size_t)most)
        return bough_fail(err, BOUGH_TOO_LARGE, "%s has %zu bytes; at most %lld are kept", what, n,
                          (long long)most);
    if (n && utf8_valid(text, n) != n)
        return bough_fail(err, BOUGH_INVALID, "%s is not valid UTF-8 at byte %zu", what,
                          utf8_valid(text, n));
    return BOUGH_OK;
}

enum bough_rc check_object(const char *what, struct bough_str json, int64_t most,
                           struct bough_error *err)
{
    size_t i = 0;

    while (i < json.n && strchr(" \t\r\n", json.p[i]))
        i++;
    if (json.n && (i == json.n || json.p[i] != '{'))
        return bough_fail(err, BOUGH_INVALID, "%s is not a JSON object", what);
    return check_json(what, json, most, err);
}

enum bough_rc check_json(const char *what, struct bough_str json, int64_t most,
                         struct bough_error *err)
{
    struct bough_error why;
    enum bough_rc rc;

    if (!json.n)
        return BOUGH_OK;
    if (json.n > (size_t)most)
        return bough_fail(err, BOUGH_TOO_LARGE, "%s has %zu bytes; at most %lld are kept", what,
                          json.n, (long long)most);
    rc = json_check(json, LIMIT_JSON_DEPTH, &why);
    if (rc)
        return bough_fail(err, rc, "%s: %.180s", what, why.msg);
    return BOUGH_OK;
}
