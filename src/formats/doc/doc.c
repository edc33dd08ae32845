/* Reader of documents; see doc.h. Only the skeleton is parsed here, strictly: brackets, commas and
 * names of the outermost level, and where each value ends. The values are checked by a JSON parser
 * later. */
#include "formats/doc/doc.h"

#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/memory/mem.h"
#include "base/text/str.h"
#include "core/model/text.h"

enum {
    PIECE = 256 * 1024,
    PIECE_AT = 16 * 1024, /* for doc_at(): one element */
    ROOM_KEPT = 4 * PIECE,
    NOTHING = -1,
};

void doc_init(struct doc *d, struct reading *r, const char *name, struct bough_error *err)
{
    *d = (struct doc){
        .from = r->bytes, .name = name, .line = 1, .first = true, .piece = PIECE, .err = err
    };
}

void doc_finish(struct doc *d)
{
    mem_free(d->p);
    d->p = NULL;
}

/* ---- bytes ---- */

/* Drop bytes that are not needed any more, and give back the memory of a very large value. */
static void forget(struct doc *d)
{
    size_t keep = d->large ? d->at : d->start;

    if (keep) {
        memmove(d->p, d->p + keep, d->n - keep);
        d->base += (int64_t)keep;
        d->n -= keep;
        d->at -= keep;
        d->start = d->large ? 0 : d->start - keep;
    }
    if (d->cap > ROOM_KEPT && d->n < PIECE) {
        d->cap = 2 * PIECE;
        d->p = mem_realloc(d->p, d->cap);
    }
}

static bool fill(struct doc *d)
{
    size_t got = 0;

    if (d->ended || d->rc)
        return false;
    forget(d);
    if (d->cap - d->n < d->piece) {
        d->cap = d->cap ? 2 * d->cap : 2 * PIECE;
        d->p = mem_realloc(d->p, d->cap);
    }
    d->rc =
        d->from->read(d->from->user, d->base + (int64_t)d->n, d->p + d->n, d->piece, &got, d->err);
    d->n += d->rc ? 0 : got;
    d->ended = got < d->piece;
    d->piece = PIECE;
    return !d->rc && got;
}

/* The next byte, or NOTHING at the end. */
static int peek(struct doc *d)
{
    if (d->at == d->n && !fill(d))
        return NOTHING;
    return (unsigned char)d->p[d->at];
}

/* The next byte that is not whitespace. */
static int peek_word(struct doc *d)
{
    int c;

    while ((c = peek(d)) == ' ' || c == '\t' || c == '\r' || c == '\n') {
        d->line += c == '\n';
        d->at++;
        if (!d->named)
            d->start = d->at;
        else if (d->at - d->start > (size_t)LIMIT_MESSAGE_BYTES)
            return NOTHING;
    }
    return c;
}

/* ---- values ---- */

enum { PLAIN, QUOTE, ESCAPE, OPEN, CLOSE, BREAK };

static const unsigned char classes[256] = {
    ['"'] = QUOTE, ['\\'] = ESCAPE, ['{'] = OPEN,  ['['] = OPEN,
    ['}'] = CLOSE, [']'] = CLOSE,   ['\n'] = BREAK
};

/* Values that are larger than a message are skipped, not kept. */
static bool next_bytes(struct doc *d)
{
    d->large = d->large || d->at - d->start > (size_t)LIMIT_MESSAGE_BYTES;
    return d->at < d->n || fill(d);
}

/* Skip to the end of a string, from after its opening quote. False: the document ends before. */
static bool run_string(struct doc *d)
{
    while (next_bytes(d)) {
        unsigned char c;

        while (d->at < d->n && classes[(unsigned char)d->p[d->at]] != QUOTE &&
               classes[(unsigned char)d->p[d->at]] != ESCAPE)
            d->line += d->p[d->at++] == '\n';
        if (d->at == d->n)
            continue;
        c = (unsigned char)d->p[d->at++];
        if (c == '"')
            return true;
        if (!next_bytes(d))
            return false;
        d->at++; /* the escaped byte */
    }
    return false;
}

static bool run_container(struct doc *d)
{
    int64_t depth = 0;

    while (next_bytes(d)) {
        unsigned char c = classes[(unsigned char)d->p[d->at++]];

        if (c == OPEN)
            depth++;
        else if (c == BREAK)
            d->line++;
        else if (c == QUOTE && !run_string(d))
            return false;
        else if (c == CLOSE && --depth <= 0)
            return true;
    }
    return false;
}

/* Skip a number or a word. */
static bool run_scalar(struct doc *d)
{
    size_t n = 0;
    int c;

    for (; (c = peek(d)) != NOTHING && !strchr(" \t\r\n,]}", c); n++) {
        if (!next_bytes(d))
            return false;
        d->at++;
    }
    return n && c != NOTHING;
}

/* Skip a value. d->start is at its first byte, or earlier if the name must stay in the buffer. */
static bool run_value(struct doc *d)
{
    int c = peek(d);

    d->large = false;
    if (c == '{' || c == '[')
        return run_container(d);
    if (c != '"')
        return run_scalar(d);
    d->at++;
    return run_string(d);
}

/* ---- the outermost level ---- */

static enum bough_rc broken(struct doc *d, struct doc_event *ev, const char *what)
{
    if (d->rc)
        return d->rc;
    d->start = d->at;
    d->whole = true;
    ev->kind = DOC_BROKEN;
    ev->line = d->line;
    ev->byte = d->base + (int64_t)d->at;
    snprintf(d->why, sizeof d->why, "%s at byte %lld", peek(d) == NOTHING ? "it ends" : what,
             (long long)ev->byte);
    return d->rc;
}

/* Advance past a comma, or stay at the first element. False: neither, so the container may end. */
static bool at_next(struct doc *d, bool *comma)
{
    int c = peek_word(d);

    *comma = c == ',';
    if (d->first || *comma) {
        d->at += *comma && !d->first ? 1 : 0;
        *comma = *comma && !d->first;
        d->first = false;
        peek_word(d);
        return true;
    }
    return false;
}

static bool ends(struct doc *d, bool comma, char with)
{
    if (comma || peek(d) != with)
        return false;
    d->at++;
    return true;
}

static enum bough_rc give_value(struct doc *d, struct doc_event *ev, enum doc_kind kind, size_t key)
{
    size_t value = d->at - d->start;

    ev->line = d->line;
    ev->byte = d->base + (int64_t)d->at;
    if (!run_value(d))
        return broken(d, ev, "a value is expected");
    ev->kind = d->large ? DOC_LARGE : kind;
    ev->key = ev->raw = str_make("", 0);
    if (!d->large) {
        ev->key = str_make(d->p + d->start, key);
        ev->raw = str_make(d->p + d->start + value, d->at - d->start - value);
    }
    d->large = d->named = false;
    d->start = d->at;
    return d->rc;
}

/* Read the next element of the list. True: the list ended. */
static bool list_ends(struct doc *d, struct doc_event *ev)
{
    bool comma, more = at_next(d, &comma);

    if (ends(d, comma, ']')) {
        d->list = false;
        return true;
    }
    d->start = d->at;
    if (more)
        d->rc = give_value(d, ev, DOC_ELEMENT, 0);
    else
        d->rc = broken(d, ev, "`,` or `]` is expected");
    return false;
}

/* Read the next member. True: the list begins, or the object ended; the caller must go on. */
static bool member_again(struct doc *d, struct doc_event *ev)
{
    bool comma, more = at_next(d, &comma);
    size_t key;

    if (ends(d, comma, '}')) {
        d->whole = true;
        return true;
    }
    d->start = d->at;
    d->large = false;
    if (!more || peek(d) != '"') {
        d->rc = broken(d, ev, more ? "a name is expected" : "`,` or `}` is expected");
        return false;
    }
    d->at++;
    if (!run_string(d) || d->large) {
        d->rc = broken(d, ev, "a name is expected");
        return false;
    }
    key = d->at - d->start;
    d->named = true;
    if (peek_word(d) != ':') {
        d->rc = broken(d, ev, "`:` is expected");
        return false;
    }
    d->at++;
    if (peek_word(d) == '[' && !d->listed &&
        json_span_is(str_make(d->p + d->start, key), d->name)) {
        d->listed = d->list = d->first = true;
        d->named = false;
        d->at++;
        return true;
    }
    d->rc = give_value(d, ev, DOC_MEMBER, key);
    return false;
}

/* Skip a BOM and whitespace, and enter the outermost list or object. */
static bool begin(struct doc *d)
{
    int c = peek(d);

    while (c != NOTHING && d->n < 3 && fill(d))
        continue;
    if (d->n >= 3 && memcmp(d->p, "\xef\xbb\xbf", 3) == 0)
        d->at = 3;
    c = peek_word(d);
    d->array = d->list = d->listed = c == '[';
    if (c != '[' && c != '{')
        return false;
    d->at++;
    return true;
}

enum bough_rc doc_next(struct doc *d, struct doc_event *ev)
{
    if (!d->base && !d->at && !begin(d))
        return broken(d, ev, "a list or an object is expected");
    while (!d->whole && !d->rc) {
        bool again = d->list ? list_ends(d, ev) : member_again(d, ev);

        if (!again)
            return d->rc;
        if (d->array)
            d->whole = true;
        d->first = d->list;
    }
    if (d->rc || *d->why)
        return d->rc;
    d->start = d->at;
    if (peek_word(d) != NOTHING)
        return broken(d, ev, "something stands behind its end");
    ev->kind = DOC_DONE;
    ev->line = d->line;
    return d->rc;
}

enum bough_rc doc_at(struct doc *d, int64_t byte, struct doc_event *ev)
{
    bool here = byte >= d->base && byte < d->base + (int64_t)d->n;

    d->at = d->start = here ? (size_t)(byte - d->base) : 0;
    if (!here) {
        d->base = byte;
        d->n = 0;
        d->ended = false;
        d->piece = PIECE_AT;
    }
    return give_value(d, ev, DOC_ELEMENT, 0);
}

/* ---- first and second pass ---- */

/* Add a member to `rest`. Returns the reason if it cannot be kept, else NULL. */
static const char *keep_member(struct buf *rest, const struct doc_event *ev, const char *name)
{
    struct buf old = *rest;

    if (json_span_is(ev->key, name))
        return "it is not the list, though it is called so: it was left out";
    if (json_check(ev->key, 1, NULL) || json_check(ev->raw, LIMIT_JSON_DEPTH - 8, NULL))
        return "a member is not JSON: it was left out";
    buf_putc(rest, rest->n ? ',' : '{');
    buf_put_str(rest, ev->key);
    buf_putc(rest, ':');
    buf_put_str(rest, ev->raw);
    if (!rest->over)
        return NULL;
    rest->n = old.n;
    rest->over = false;
    return "the members beside the list are too large: one was left out";
}

static enum bough_rc survey(struct reading *r, struct doc *d, struct doc_about *about,
                            struct buf *rest, struct bough_error *err)
{
    struct doc_event ev = { .kind = DOC_ELEMENT };
    enum bough_rc rc = BOUGH_OK;

    while (!rc && ev.kind != DOC_DONE && ev.kind != DOC_BROKEN) {
        const char *why = NULL;

        rc = doc_next(d, &ev);
        if (!rc && d->array && !about->each)
            break; /* a list has no members beside it */
        if (!rc && ev.kind == DOC_ELEMENT && about->each)
            about->each(about->user, &ev);
        if (!rc && ev.kind == DOC_MEMBER)
            why = keep_member(rest, &ev, d->name);
        if (!rc && ev.kind == DOC_LARGE && !d->list)
            why = "a member is too large: it was left out";
        r->line = ev.line;
        if (why)
            rc = give_problem(r, err, "%s", why);
    }
    return rc;
}

enum bough_rc doc_survey(struct reading *r, const char *name, struct doc_about *about,
                         struct bough_error *err)
{
    struct doc d;
    struct buf rest;
    enum bough_rc rc;

    about->rest = str_make("", 0);
    doc_init(&d, r, name, err);
    buf_init(&rest, LIMIT_DATA - 1024);
    rc = survey(r, &d, about, &rest, err);
    r->line = 1;
    about->listed = d.listed;
    memcpy(about->why, d.why, sizeof about->why);
    if (!rc && rest.n) {
        buf_putc(&rest, '}');
        about->rest = text_keep(r->kept, &rest);
    }
    buf_finish(&rest);
    doc_finish(&d);
    return rc;
}

bool doc_object(struct reading *r, struct bough_str raw, struct json *out, enum bough_rc *rc,
                struct bough_error *err)
{
    struct bough_error why;

    *rc = BOUGH_OK;
    if (json_parse(r->a, raw, out, &why)) {
        *rc = give_problem(r, err, "a message that is not JSON was left out: %.150s", why.msg);
        return false;
    }
    if (json_type(*out) != JSON_OBJECT) {
        *rc = give_problem(r, err, "a message that is no object was left out");
        return false;
    }
    *rc = tell_repeated(r, *out, err);
    return !*rc;
}

enum bough_rc doc_problem(struct reading *r, const struct doc *d, const struct doc_event *ev,
                          struct bough_error *err)
{
    r->line = ev->line;
    r->byte = 0;
    if (ev->kind == DOC_BROKEN)
        return give_problem(r, err, "the rest is not whole: %s", d->why);
    r->byte = ev->byte;
    return give_problem(r, err, "an element of more than %lld bytes was left out",
                        (long long)LIMIT_MESSAGE_BYTES);
}

enum bough_rc doc_each(struct reading *r, const char *name,
                       enum bough_rc (*take)(void *user, struct bough_str raw,
                                             struct bough_error *err),
                       void *user, struct bough_error *err)
{
    struct doc_event ev = { .kind = DOC_ELEMENT };
    struct doc d;
    enum bough_rc rc = BOUGH_OK;

    doc_init(&d, r, name, err);
    while (!rc && ev.kind != DOC_DONE && ev.kind != DOC_BROKEN) {
        rc = doc_next(&d, &ev);
        r->line = ev.line;
        r->byte = ev.byte;
        if (!rc && ev.kind == DOC_ELEMENT)
            rc = take(user, ev.raw, err);
        else if (!rc && (ev.kind == DOC_BROKEN || (ev.kind == DOC_LARGE && d.list)))
            rc = doc_problem(r, &d, &ev, err);
    }
    doc_finish(&d);
    r->byte = 0;
    return rc;
}

/* ---- text ---- */

static enum bough_rc read_text(void *user, int64_t at, char *to, size_t n, size_t *got,
                               struct bough_error *err)
{
    const struct bough_str *text = user;
    size_t from = at < (int64_t)text->n ? (size_t)at : text->n;

    (void)err;
    *got = n < text->n - from ? n : text->n - from;
    if (*got)
        memcpy(to, text->p + from, *got);
    return BOUGH_OK;
}

struct doc_bytes doc_text(struct bough_str *text)
{
    return (struct doc_bytes){ read_text, text };
}
