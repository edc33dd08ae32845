/* Documents, read as far as they are whole. */
#include "formats/doc.h"

#include <string.h>

#include "base/str.h"
#include "core/text.h"

/* The value after a key or in a list: its span. */
static bool value_of(struct json_pull *p, const struct json_event *ev, struct bough_str *raw)
{
    *raw = ev->raw;
    return ev->type != JSON_BEGIN || json_pull_skip(p, ev, raw, NULL) == BOUGH_OK;
}

bool doc_open(struct doc *d, struct bough_str text, const char *name)
{
    struct json_event ev;
    struct bough_str raw;

    *d = (struct doc){ .text = text, .counted = text.p, .line = 1 };
    json_pull_init(&d->pull, text);
    if (json_pull_next(&d->pull, &ev, &d->why) || ev.type != JSON_BEGIN)
        return false;
    if (ev.value == JSON_ARRAY)
        return true;
    while (json_pull_next(&d->pull, &ev, &d->why) == BOUGH_OK && ev.type == JSON_KEY) {
        bool found = json_span_is(ev.raw, name);

        if (json_pull_next(&d->pull, &ev, &d->why))
            return false;
        if (found && ev.type == JSON_BEGIN && ev.value == JSON_ARRAY)
            return true;
        if (!value_of(&d->pull, &ev, &raw))
            return false;
    }
    return false;
}

bool doc_next(struct doc *d, struct bough_str *element)
{
    struct json_event ev;

    if (json_pull_next(&d->pull, &ev, &d->why)) {
        d->broken = true;
        return false;
    }
    if (ev.type == JSON_END)
        return false;
    *element = ev.raw;
    if (ev.type == JSON_BEGIN && json_pull_skip(&d->pull, &ev, element, &d->why)) {
        d->broken = true;
        return false;
    }
    for (; d->counted < element->p; d->counted++)
        d->line += *d->counted == '\n';
    return true;
}

struct bough_str doc_rest(struct bough_arena *a, struct bough_str text, const char *name)
{
    struct bough_str out = { "", 0 }, key, raw;
    struct json_event ev;
    struct json_pull p;
    struct buf b;

    json_pull_init(&p, text);
    buf_init(&b, LIMIT_JSON_BYTES);
    if (json_pull_next(&p, &ev, NULL) == BOUGH_OK && ev.type == JSON_BEGIN &&
        ev.value == JSON_OBJECT) {
        while (json_pull_next(&p, &ev, NULL) == BOUGH_OK && ev.type == JSON_KEY) {
            key = ev.raw;
            if (json_pull_next(&p, &ev, NULL) || !value_of(&p, &ev, &raw))
                break;
            if (json_span_is(key, name))
                continue;
            buf_putc(&b, b.n ? ',' : '{');
            buf_put_str(&b, key);
            buf_putc(&b, ':');
            buf_put_str(&b, raw);
        }
    }
    if (b.n) {
        buf_putc(&b, '}');
        out = text_keep(a, &b);
    }
    buf_finish(&b);
    return out;
}

enum bough_rc doc_end(struct reading *r, const struct doc *d, struct bough_error *err)
{
    r->line = d->line;
    if (!d->broken)
        return BOUGH_OK;
    return give_problem(r, err, "the rest is not whole: %.150s", d->why.msg);
}
