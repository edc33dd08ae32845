/* Views: reading a part's contents from any tool's format. Pure. */
#include "core/part/view.h"

#include <string.h>

#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/model/text.h"
#include "core/part/part.h"

/* Arguments given as a string of JSON become that JSON; other strings stay strings. */
static struct bough_str arguments(struct bough_arena *a, const struct part_spans *s)
{
    struct bough_str text;

    if (!s->quoted)
        return s->input;
    text = json_span_str(a, s->input);
    if (!text.n)
        return str_of("{}");
    return json_check(text, LIMIT_JSON_DEPTH, NULL) == BOUGH_OK ? text : s->input;
}

/* The texts of an array of blocks, joined by newlines. False: no array, or a block without text. */
static bool block_texts(struct bough_arena *a, struct bough_str blocks, struct bough_str *out)
{
    struct buf b;
    bool all;

    buf_init(&b, LIMIT_APPEND_BYTES);
    buf_putc(&b, '"');
    all = span_block_texts(&b, blocks);
    buf_putc(&b, '"');
    if (all)
        *out = json_span_str(a, buf_str(&b));
    buf_finish(&b);
    return all;
}

struct bough_str view_output_text(struct bough_arena *a, struct bough_str output)
{
    struct bough_str s;

    if (!output.n || str_is(output, "null"))
        return str_make(NULL, 0);
    if (*output.p == '"')
        return json_span_str(a, output);
    return block_texts(a, output, &s) ? s : output;
}

struct json view_json(struct bough_arena *a, const struct part_view *v)
{
    struct json j;

    if (!v->raw.n || json_parse(a, v->raw, &j, NULL) != BOUGH_OK)
        return (struct json){ 0 };
    return j;
}

struct bough_str view_url(struct bough_arena *a, const struct part_view *v)
{
    struct bough_str s;
    struct buf b;

    if (v->url.n || !v->base64.n)
        return v->url;
    buf_init(&b, LIMIT_APPEND_BYTES);
    buf_printf(&b, "data:%s;base64,", v->mime);
    buf_put_str(&b, v->base64);
    s = text_keep(a, &b);
    buf_finish(&b);
    return s;
}

/* A string span as a C string; "" when it has a NUL. */
static const char *word_of(struct bough_arena *a, struct bough_str string)
{
    struct bough_str s = json_span_text(a, string);

    return memchr(s.p, '\0', s.n) ? "" : s.p;
}

/* The bytes are rarely escaped; without escapes they are a slice of the part. */
static struct bough_str bytes_of(struct bough_arena *a, struct bough_str base64)
{
    if (!base64.n || !memchr(base64.p, '\\', base64.n))
        return base64;
    return json_span_str(a, str_make(base64.p - 1, base64.n + 2));
}

void view_part(struct bough_arena *a, const struct bough_part *part, struct part_view *v)
{
    struct part_spans s;

    part_spans_read(a, part, &s);
    *v = (struct part_view){ .kind = s.kind,
                             .type = s.type,
                             .raw = s.raw,
                             .word = word_of(a, s.word),
                             .text = json_span_text(a, s.text),
                             .ignored = s.ignored,
                             .synthetic = s.synthetic,
                             .call = word_of(a, s.call),
                             .tool = word_of(a, s.tool),
                             .input = arguments(a, &s),
                             .state = s.state,
                             .failed = s.failed,
                             .output = s.output,
                             .mime = word_of(a, s.mime),
                             .filename = word_of(a, s.filename),
                             .url = json_span_text(a, s.url),
                             .base64 = bytes_of(a, s.base64) };
    if (s.blocks.n)
        (void)block_texts(a, s.blocks, &v->text);
}

struct part_view *view_parts(struct bough_arena *a, const struct bough_entry *e)
{
    struct part_view *v = arena_array(a, e->nparts + 1, sizeof *v);
    size_t i;

    for (i = 0; i < e->nparts; i++)
        view_part(a, &e->parts[i], &v[i]);
    return v;
}
