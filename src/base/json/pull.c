/* JSON, pull mode: returns the scanner's tokens one by one as events. */
#include "base/json/pull.h"

#include "base/json/scan.h"

void json_pull_init(struct json_pull *p, struct bough_str text)
{
    scan_init(&p->scan, text, LIMIT_JSON_DEPTH);
}

enum bough_rc json_pull_next(struct json_pull *p, struct json_event *ev, struct bough_error *err)
{
    static const enum json_event_type types[] = {
        [TOKEN_DONE] = JSON_DONE,   [TOKEN_KEY] = JSON_KEY, [TOKEN_SCALAR] = JSON_VALUE,
        [TOKEN_BEGIN] = JSON_BEGIN, [TOKEN_END] = JSON_END,
    };
    struct json_scan *s = &p->scan;
    struct json_lexeme lex = { .start = s->p, .type = JSON_NULL };
    enum json_token token;
    const unsigned char *end;

    if ((size_t)(s->end - s->start) > LIMIT_JSON_BYTES)
        return bough_fail(err, BOUGH_TOO_LARGE, "JSON of %zu bytes", (size_t)(s->end - s->start));
    if (s->why)
        return json_scan_fail(s, err);
    token = scan_next(s, &lex);
    if (token == TOKEN_BAD)
        return json_scan_fail(s, err);
    end = token == TOKEN_KEY ? lex.end : s->p;
    if (token == TOKEN_DONE)
        lex.start = end;
    ev->type = types[token];
    ev->value = lex.type;
    ev->escaped = lex.type == JSON_STRING && lex.escaped;
    ev->raw = (struct bough_str){ (const char *)lex.start, (size_t)(end - lex.start) };
    return BOUGH_OK;
}

enum bough_rc json_pull_skip(struct json_pull *p, const struct json_event *begin,
                             struct bough_str *raw, struct bough_error *err)
{
    uint32_t level = p->scan.depth;
    const char *from = begin->raw.p;
    struct json_event ev;
    enum bough_rc rc;

    do {
        rc = json_pull_next(p, &ev, err);
        if (rc)
            return rc;
    } while (p->scan.depth >= level);
    if (raw)
        *raw = (struct bough_str){ from, (size_t)((const char *)p->scan.p - from) };
    return BOUGH_OK;
}
