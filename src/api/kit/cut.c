/* Long strings inside a JSON object are cut, so that a page of entries stays small. */
#include "api/kit/forms.h"

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "base/text/utf8.h"

/* The way to the current value: in each open container the number of the element or the name of
 * the member. */
struct level {
    bool array;
    int64_t index;
    struct bough_str key; /* raw, with its quotes */
};

struct cutting {
    struct json_pull pull;
    struct level way[LIMIT_JSON_DEPTH];
    size_t depth, most;
    const char *copied; /* the text before it is in `out` */
    const char *end;    /* the closing brace of the object */
    struct buf out, list;
    struct json_writer cuts;
    struct bough_arena *tmp; /* NULL until the first cut */
};

/* ---- one string ---- */

static size_t size_of(uint32_t cp)
{
    char any[4];

    return utf8_put(cp, any);
}

/* How much of the contents of a raw string to keep: at most `most` bytes of text, and no half
 * character or escape. *bytes: the size of the whole text. */
static size_t keep_of(struct bough_str in, bool escaped, size_t most, size_t *bytes)
{
    const unsigned char *p = (const unsigned char *)in.p, *end = p + in.n, *next = p;
    size_t text = 0, keep = 0;

    if (!escaped) {
        *bytes = in.n;
        return utf8_cut(in.p, in.n, most);
    }
    for (; p < end; p = next) {
        uint32_t cp;

        if (*p == '\\') {
            cp = json_take_escape(&next, end);
            text += size_of(cp);
        } else {
            size_t n = utf8_get((const char *)p, (size_t)(end - p), &cp);

            next = p + n;
            text += n;
        }
        if (text <= most)
            keep = (size_t)(next - (const unsigned char *)in.p);
    }
    *bytes = text;
    return keep;
}

/* ---- where it is ---- */

static void put_name(struct cutting *c, struct buf *to, struct bough_str raw)
{
    struct bough_str name = json_span_str(c->tmp, raw);

    for (size_t i = 0; i < name.n; i++)
        if (name.p[i] == '~' || name.p[i] == '/')
            buf_puts(to, name.p[i] == '~' ? "~0" : "~1");
        else
            buf_putc(to, name.p[i]);
}

/* The JSON pointer of the current value. */
static void put_pointer(struct cutting *c)
{
    struct buf text;

    buf_init(&text, c->list.max);
    for (size_t i = 0; i < c->depth; i++) {
        buf_putc(&text, '/');
        if (c->way[i].array)
            buf_printf(&text, "%lld", (long long)c->way[i].index);
        else
            put_name(c, &text, c->way[i].key);
    }
    jw_kv_str(&c->cuts, "path", buf_str(&text));
    c->list.over |= text.over;
    buf_finish(&text);
}

/* ---- the object ---- */

static void first_cut(struct cutting *c, size_t max)
{
    c->tmp = bough_arena_create();
    buf_init(&c->out, max);
    buf_init(&c->list, max);
    jw_init(&c->cuts, &c->list);
    jw_arr(&c->cuts);
}

static void take_string(struct cutting *c, const struct json_event *ev, size_t max)
{
    struct bough_str in = str_make(ev->raw.p + 1, ev->raw.n - 2);
    size_t bytes, keep;

    if (in.n <= c->most)
        return;
    keep = keep_of(in, ev->escaped, c->most, &bytes);
    if (bytes <= c->most)
        return;
    if (!c->tmp)
        first_cut(c, max);
    buf_put(&c->out, c->copied, (size_t)(in.p + keep - c->copied));
    c->copied = in.p + in.n;
    jw_obj(&c->cuts);
    put_pointer(c);
    jw_kv_i64(&c->cuts, "bytes", (int64_t)bytes);
    jw_end_obj(&c->cuts);
}

static void begin_value(struct cutting *c)
{
    if (c->depth && c->way[c->depth - 1].array)
        c->way[c->depth - 1].index++;
}

/* False: there is nothing to cut, or the text is not an object. */
static bool walk(struct cutting *c, struct bough_str json)
{
    struct json_event ev;

    while (json_pull_next(&c->pull, &ev, NULL) == BOUGH_OK)
        switch (ev.type) {
        case JSON_DONE:
            return c->tmp != NULL;
        case JSON_KEY:
            c->way[c->depth - 1].key = ev.raw;
            break;
        case JSON_VALUE:
            if (!c->depth)
                return false;
            begin_value(c);
            if (ev.value == JSON_STRING)
                take_string(c, &ev, json.n);
            break;
        case JSON_BEGIN:
            begin_value(c);
            if (!c->depth && ev.value != JSON_OBJECT)
                return false;
            c->way[c->depth++] = (struct level){ .array = ev.value == JSON_ARRAY, .index = -1 };
            break;
        case JSON_END:
            c->depth--;
            c->end = ev.raw.p;
            break;
        }
    return false;
}

/* The rest of the object, the list, and the brace. */
static void finish(struct cutting *c)
{
    jw_end_arr(&c->cuts);
    buf_put(&c->out, c->copied, (size_t)(c->end - c->copied));
    buf_puts(&c->out, ",\"bough.cut\":");
    buf_put_str(&c->out, buf_str(&c->list));
    buf_putc(&c->out, '}');
}

void form_cut(struct json_writer *w, struct bough_str json, size_t most)
{
    struct cutting c;
    bool smaller = false;

    if (!most || json.n <= most) { /* the usual case */
        jw_raw(w, json);
        return;
    }
    c.most = most;
    c.depth = 0;
    c.copied = json.p;
    c.tmp = NULL;
    c.out = c.list = (struct buf){ 0 };
    json_pull_init(&c.pull, json);
    if (walk(&c, json)) {
        finish(&c);
        smaller = !c.out.over && !c.list.over;
    }
    jw_raw(w, smaller ? buf_str(&c.out) : json);
    buf_finish(&c.out);
    buf_finish(&c.list);
    bough_arena_destroy(c.tmp);
}
