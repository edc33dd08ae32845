/* JSON: validation without a tree, and the scanner's error messages. */
#include "base/json/scan.h"

enum bough_rc json_scan_fail(const struct json_scan *s, struct bough_error *err)
{
    size_t at = (size_t)(s->p - s->start);

    if (s->too_deep)
        return bough_fail(err, BOUGH_TOO_DEEP, "JSON nests deeper than %u levels at byte %zu",
                          s->max, at);
    if (s->start == s->end)
        return bough_fail(err, BOUGH_INVALID, "no JSON: the text is empty");
    if (s->p == s->end)
        return bough_fail(err, BOUGH_INVALID, "invalid JSON: it ends too early, at byte %zu", at);
    return bough_fail(err, BOUGH_INVALID, "invalid JSON at byte %zu: %s", at, s->why);
}

enum bough_rc json_check(struct bough_str text, unsigned depth, struct bough_error *err)
{
    struct json_lexeme lex;
    struct json_scan s;
    enum json_token token;

    if (text.n > LIMIT_JSON_BYTES)
        return bough_fail(err, BOUGH_TOO_LARGE, "JSON of %zu bytes", text.n);
    scan_init(&s, text, depth);
    do
        token = scan_next(&s, &lex);
    while (token > TOKEN_DONE);
    return token == TOKEN_DONE ? BOUGH_OK : json_scan_fail(&s, err);
}
