/* Helpers shared by the readers and writers of formats. Pure. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <bough/part.h>

#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/model/text.h"
#include "core/part/view.h"
#include "formats/common/format.h"

enum bough_rc give(struct reading *r, struct item *item, struct bough_error *err)
{
    item->line = r->line;
    return r->sink.take(r->sink.user, item, err);
}

enum bough_rc give_problem(struct reading *r, struct bough_error *err, const char *fmt, ...)
{
    struct item item = { .kind = ITEM_PROBLEM };
    char text[256];
    size_t n;
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    n = strlen(text);
    if (r->byte) /* a document may be one long line */
        snprintf(text + n, sizeof text - n, " (at byte %lld)", (long long)r->byte);
    item.u.problem = text;
    return give(r, &item, err);
}

enum bough_rc give_lost(struct reading *r, struct bough_error *err)
{
    struct item item = { .kind = ITEM_LOST };

    return give(r, &item, err);
}

/* ---- members ---- */

static bool is_named(const char *const *names, struct bough_str raw)
{
    for (size_t i = 0; names && names[i]; i++)
        if (json_span_is(raw, names[i]))
            return true;
    return false;
}

struct bough_str members_but(struct bough_arena *a, struct json object, const char *const *names,
                             const char *more)
{
    struct json_iter it = json_iter(object);
    struct bough_str out = { "", 0 };
    struct buf b;
    bool any = false;

    buf_init(&b, LIMIT_JSON_BYTES);
    buf_putc(&b, '{');
    while (json_next(&it)) {
        struct bough_str key = json_raw(it.key);

        if (is_named(names, key))
            continue;
        if (any)
            buf_putc(&b, ',');
        buf_put_str(&b, key);
        buf_putc(&b, ':');
        buf_put_str(&b, json_raw(it.value));
        any = true;
    }
    if (more) {
        if (any)
            buf_putc(&b, ',');
        buf_puts(&b, more);
        any = true;
    }
    buf_putc(&b, '}');
    if (any)
        out = text_keep(a, &b);
    buf_finish(&b);
    return out;
}

void members_put(struct json_writer *w, struct bough_str object, const char *const *but)
{
    struct json_pull p;
    struct json_event ev;
    struct bough_str key, value;

    json_pull_init(&p, object);
    if (!object.n || json_pull_next(&p, &ev, NULL))
        return;
    while (json_pull_next(&p, &ev, NULL) == BOUGH_OK && ev.type != JSON_END) {
        key = ev.raw;
        if (json_pull_next(&p, &ev, NULL))
            return;
        value = ev.raw;
        if (ev.type == JSON_BEGIN && json_pull_skip(&p, &ev, &value, NULL))
            return;
        if (is_named(but, key))
            continue;
        if (w->comma)
            buf_putc(w->out, ',');
        buf_put_str(w->out, key);
        buf_putc(w->out, ':');
        buf_put_str(w->out, value);
        w->comma = true;
    }
}

bool content_parts(struct bough_arena *a, struct json message, const struct bough_str **parts,
                   size_t *n, const char **mark_out, struct bough_error *why)
{
    struct bough_str *spans = NULL;
    struct json content;
    enum bough_part_type type;

    *parts = NULL;
    *n = 0;
    *mark_out = NULL;
    if (!json_get(message, "content", &content)) {
        *mark_out = "none";
        return true;
    }
    if (json_type(content) == JSON_NULL) {
        *mark_out = "null";
        return true;
    }
    if (json_type(content) == JSON_STRING)
        *mark_out = "string";
    if (bough_parts_split(a, json_raw(content), &spans, n, why))
        return false;
    for (size_t i = 0; i < *n; i++)
        if (bough_part_check(spans[i], &type, why))
            return false;
    *parts = spans;
    return true;
}

/* ---- numbers ---- */

int64_t number_of(struct json object, const char *name)
{
    int64_t v = 0;
    double d;

    if (json_i64(json_member(object, name), &v))
        return v > 0 ? v : 0;
    return json_f64(json_member(object, name), &d) && d > 0 && d < 1e15 ? (int64_t)d : 0;
}

int64_t cost_of(struct json usd)
{
    int64_t nano = 0;
    double d;

    if (!json_f64(usd, &d) || d < 0 || bough_money_from_usd(d, &nano, NULL))
        return 0;
    return nano;
}

/* ---- answers ---- */

/* Calls are in the order of their answers, so start searching at the last one found. */
static const struct bough_call *call_of(struct writing *w, const struct bough_entry *e)
{
    for (size_t i = 0; *e->call && i < w->calls->n; i++) {
        size_t at = (w->call + i) % w->calls->n;

        if (cstr_eq(w->calls->at[at].id, e->call)) {
            w->call = at;
            return &w->calls->at[at];
        }
    }
    return NULL;
}

static const char *either(const char *first, const char *second)
{
    if (!cstr_empty(first))
        return first;
    return cstr_empty(second) ? NULL : second;
}

void answer_model(struct writing *w, const struct bough_entry *e, const char **provider,
                  const char **model)
{
    struct json data = view_data(w->a, e);
    const struct bough_call *call;

    *provider = either(json_cstr(w->a, data, "provider"), json_cstr(w->a, data, "providerID"));
    *model = either(json_cstr(w->a, data, "model"), json_cstr(w->a, data, "modelID"));
    call = *provider && *model ? NULL : call_of(w, e);
    if (call && !*provider)
        *provider = either(call->provider, call->want_provider);
    if (call && !*model)
        *model = either(call->model, call->want_model);
}
