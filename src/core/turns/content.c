/* Parts as pieces, and the contents of results. Pure. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/turns/turns_in.h"

enum { PIECES = 32 }; /* allocated at once */

void turns_note(const struct building *b, const struct bough_entry *e, const char *what,
                const char *fmt, ...)
{
    char why[256];
    va_list args;

    if (!b->in->note || !e)
        return;
    va_start(args, fmt);
    vsnprintf(why, sizeof why, fmt, args);
    va_end(args);
    b->in->note(b->in->user, e, what, why);
}

struct piece *piece_new(struct building *b, enum piece_kind kind)
{
    struct piece *p;

    if (!b->nspare) {
        b->spare = arena_alloc(b->a, PIECES * sizeof *b->spare);
        b->nspare = PIECES;
    }
    p = b->spare++;
    b->nspare--;
    memset(p, 0, sizeof *p);
    p->kind = kind;
    p->e = b->e;
    p->at = b->at;
    return p;
}

struct piece *piece_around(struct building *b, const char *before, struct bough_str string,
                           const char *after)
{
    struct piece *p = piece_new(b, PIECE_TEXT);
    struct buf text;

    buf_init(&text, 6 * (strlen(before) + strlen(after)) + string.n + 2);
    buf_putc(&text, '"');
    json_escape(&text, str_of(before));
    if (string.n > 2)
        buf_put(&text, string.p + 1, string.n - 2);
    json_escape(&text, str_of(after));
    buf_putc(&text, '"');
    p->s.text = arena_str(b->a, buf_str(&text));
    buf_finish(&text);
    return p;
}

struct piece *piece_plain(struct building *b, struct bough_str text)
{
    struct piece *p = piece_new(b, PIECE_TEXT);
    struct buf quoted;

    buf_init(&quoted, 6 * text.n + 2);
    buf_putc(&quoted, '"');
    json_escape(&quoted, text);
    buf_putc(&quoted, '"');
    p->s.text = arena_str(b->a, buf_str(&quoted));
    buf_finish(&quoted);
    return p;
}

struct piece *piece_said(struct building *b, const char *text)
{
    return piece_plain(b, str_of(text));
}

/* ---- surrogates ---- */

void spans_mend(struct building *b, struct part_spans *s)
{
    struct bough_str *const spans[] = { &s->raw,   &s->text,  &s->blocks,   &s->call,
                                        &s->tool,  &s->input, &s->output,   &s->partial,
                                        &s->files, &s->mime,  &s->filename, &s->url };
    bool changed = false;

    if (!s->surrogates)
        return;
    for (size_t i = 0; i < sizeof spans / sizeof *spans; i++) {
        const char *was = spans[i]->p;

        *spans[i] = json_span_mend(b->a, *spans[i]);
        changed = changed || spans[i]->p != was;
    }
    if (changed && !b->noted) {
        turns_note(b, b->e, "converted", "half of a surrogate pair became U+FFFD");
        b->noted = true;
    }
}

/* ---- the content of a result ---- */

struct pieces {
    struct piece *first, *last;
};

static void add(struct pieces *l, struct piece *p)
{
    if (l->last)
        l->last->next = p;
    else
        l->first = p;
    l->last = p;
}

static void add_text(struct building *b, struct pieces *l, struct bough_str string)
{
    struct piece *p;

    if (json_span_blank(string))
        return;
    p = piece_new(b, PIECE_TEXT);
    p->s.text = string;
    add(l, p);
}

/* Any JSON value as a text. */
static void add_json(struct building *b, struct pieces *l, struct bough_str value)
{
    struct piece *p = piece_new(b, PIECE_TEXT);

    p->s.text = value;
    p->json = true;
    add(l, p);
}

/* Is this the type of a block of bytes, in the words of some tool? The AI SDK's are not parts. */
static bool holds_bytes(struct fields *f, enum bough_part_type type)
{
    static const char *const words[] = { "media",    "image-data", "file-data",
                                         "file-url", "image-url",  NULL };

    if (type == BOUGH_PART_FILE)
        return true;
    for (size_t i = 0; words[i]; i++)
        if (fields_is(f, "type", words[i]))
            return true;
    return false;
}

/* One block of a result. False: it is of no known type. */
static bool add_block(struct building *b, struct pieces *l, struct bough_str block)
{
    struct bough_part part = { BOUGH_PART_OTHER, block };
    struct piece *p;
    struct fields f;

    if (!block.n || *block.p != '{' || !fields_scan(&f, block))
        return false;
    if (bough_part_check(block, &part.type, NULL) != BOUGH_OK)
        part.type = BOUGH_PART_OTHER;
    if (part.type == BOUGH_PART_TEXT || fields_is(&f, "type", "text")) {
        struct bough_str text = fields_raw(&f, "text", JSON_STRING);

        if (text.n)
            add_text(b, l, text);
        return text.n > 0;
    }
    if (!holds_bytes(&f, part.type))
        return false;
    part.type = BOUGH_PART_FILE;
    p = piece_new(b, PIECE_FILE);
    part_spans_read(b->a, &part, &p->s);
    if (!p->s.base64.n && !p->s.url.n)
        return false;
    add(l, p);
    return true;
}

/* All elements of an array. False, with nothing added: one is of no known type. */
static bool add_blocks(struct building *b, struct pieces *l, struct bough_str array)
{
    struct pieces was = *l;
    struct json_event ev;
    struct json_pull p;
    struct bough_str one;

    json_pull_init(&p, array);
    if (json_pull_next(&p, &ev, NULL) || ev.type != JSON_BEGIN || ev.value != JSON_ARRAY)
        return false;
    while (json_pull_next(&p, &ev, NULL) == BOUGH_OK && ev.type != JSON_END) {
        one = ev.raw;
        if ((ev.type == JSON_BEGIN && json_pull_skip(&p, &ev, &one, NULL)) ||
            !add_block(b, l, one)) {
            *l = was;
            if (l->last)
                l->last->next = NULL;
            return false;
        }
    }
    return true;
}

/* An output of MCP: {"content":[blocks],...}. */
static bool add_wrapped(struct building *b, struct pieces *l, struct bough_str object)
{
    struct bough_str content;
    struct fields f;

    if (!fields_scan(&f, object))
        return false;
    content = fields_raw(&f, "content", JSON_ARRAY);
    return content.n > 2 && add_blocks(b, l, content);
}

struct piece *content_of(struct building *b, struct bough_str output, struct bough_str files)
{
    struct pieces l = { NULL, NULL };

    if (output.n && *output.p == '"')
        add_text(b, &l, output);
    else if (output.n && !str_is(output, "null") &&
             !(*output.p == '[' && add_blocks(b, &l, output)) &&
             !(*output.p == '{' && (add_block(b, &l, output) || add_wrapped(b, &l, output))))
        add_json(b, &l, output);
    if (files.n)
        (void)add_blocks(b, &l, files);
    return l.first;
}

struct piece *content_of_parts(struct building *b, const struct bough_entry *e)
{
    struct pieces l = { NULL, NULL };

    for (size_t i = 0; i < e->nparts; i++) {
        struct part_spans s;

        part_spans_read(b->a, &e->parts[i], &s);
        spans_mend(b, &s);
        if (s.kind == VIEW_TEXT) {
            add_text(b, &l, s.text);
        } else if (s.kind == VIEW_FILE) {
            struct piece *p = piece_new(b, PIECE_FILE);

            p->s = s;
            add(&l, p);
        } else if (s.kind == VIEW_RESULT) { /* the message names the call, and its part again */
            struct piece *p = content_of(b, s.output, s.files);

            for (struct piece *next; p; p = next) {
                next = p->next;
                p->next = NULL;
                add(&l, p);
            }
        } else if (s.raw.n) {
            add_json(b, &l, s.raw);
        }
    }
    return l.first;
}
