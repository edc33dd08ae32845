/* Parser of chunked bodies: sizes, extensions, data, trailers. Strict; see parse.h. */
#include <string.h>

#include "base/text/str.h"
#include "http/parse/chars.h"
#include "http/parse/parse.h"

enum state {
    SIZE, /* digits */
    EXT_NAME,
    EXT_VALUE,
    EXT_QUOTED,
    EXT_AFTER, /* after a closing quote */
    SIZE_LF,
    DATA,
    DATA_CR,
    DATA_LF,
    TRAILER, /* a trailer line, or the empty line that ends the body */
    TRAILER_LF,
    END_LF,
    OVER,
};

/* 15 hex digits cannot overflow int64_t. */
enum { DIGITS = 15 };

static enum parse_rc refuse(struct parse_error *bad, const char *why)
{
    *bad = (struct parse_error){ 400, why };
    return PARSE_BAD;
}

static enum parse_rc to(struct parse_chunks *c, enum state next)
{
    c->state = (int)next;
    return PARSE_MORE;
}

/* The byte after a size or after an extension. */
static enum parse_rc after_size(struct parse_chunks *c, char ch, struct parse_error *bad)
{
    if (ch == ';')
        return to(c, EXT_NAME);
    if (ch == '\r')
        return to(c, SIZE_LF);
    return refuse(bad, "a chunk's size is followed by CR LF");
}

static enum parse_rc size_byte(struct parse_chunks *c, char ch, struct parse_error *bad)
{
    int v = chars_hex_value(ch);

    if (v < 0)
        return c->digits ? after_size(c, ch, bad) : refuse(bad, "a chunk begins with its size");
    if (++c->digits > DIGITS)
        return refuse(bad, "a chunk's size has too many digits");
    c->left = c->left * 16 + v;
    return PARSE_MORE;
}

/* ;name, ;name=token and ;name="quoted", without blanks. Extensions are ignored. */
static enum parse_rc ext_byte(struct parse_chunks *c, char ch, struct parse_error *bad)
{
    if (++c->extra > PARSE_EXTRA_MAX)
        return refuse(bad, "chunk extensions are too long");
    switch ((enum state)c->state) {
    case EXT_QUOTED:
        if (ch == '"')
            return to(c, EXT_AFTER);
        /* Readers disagree about a backslash in quotes. */
        if ((unsigned char)ch < 0x20 || (unsigned char)ch >= 0x7f || ch == '\\')
            return refuse(bad, "a character that no chunk extension needs");
        return PARSE_MORE;
    case EXT_AFTER:
        return after_size(c, ch, bad);
    default:
        break;
    }
    if (chars_is(ch, CHARS_TOKEN)) {
        c->line_used = true;
        return PARSE_MORE;
    }
    if (c->state == EXT_NAME && c->line_used && ch == '=') {
        c->line_used = false;
        return to(c, EXT_VALUE);
    }
    if (c->state == EXT_VALUE && !c->line_used && ch == '"')
        return to(c, EXT_QUOTED);
    return c->line_used ? after_size(c, ch, bad) : refuse(bad, "a chunk extension has no name");
}

/* A reader that merges trailers into headers would frame the body differently with these. */
static bool frames(const struct parse_chunks *c)
{
    static const char *const names[] = { "content-length", "transfer-encoding", "host",
                                         "connection",     "proxy-connection",  "upgrade" };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (parse_token_is(str_make(c->name, c->name_n), names[i]))
            return true;
    return false;
}

/* Trailers get the same checks as headers and are then ignored. */
static enum parse_rc trailer_byte(struct parse_chunks *c, char ch, struct parse_error *bad)
{
    if (ch == '\r') {
        if (c->line_used && !c->colon)
            return refuse(bad, "a trailer is NAME: VALUE");
        return to(c, c->line_used ? TRAILER_LF : END_LF);
    }
    if (++c->extra > PARSE_EXTRA_MAX)
        return refuse(bad, "trailers are too long");
    if (c->colon) {
        if (((unsigned char)ch < 0x20 && ch != '\t') || ch == 0x7f)
            return refuse(bad, "a control character in a trailer");
        return PARSE_MORE;
    }
    if (ch == ':' && c->line_used) {
        c->colon = true;
        return frames(c) ? refuse(bad, "a header that cannot be a trailer") : PARSE_MORE;
    }
    if (!chars_is(ch, CHARS_TOKEN))
        return refuse(bad, "a trailer is NAME: VALUE");
    c->line_used = true;
    if (c->name_n < sizeof c->name)
        c->name[c->name_n++] = ch;
    return PARSE_MORE;
}

/* Only "\n" may follow a CR. */
static enum parse_rc line_feed(struct parse_chunks *c, char ch, struct parse_error *bad)
{
    if (ch != '\n')
        return refuse(bad, "CR stands only before LF");
    c->line_used = c->colon = false;
    c->name_n = 0;
    switch ((enum state)c->state) {
    case SIZE_LF:
        return to(c, c->left ? DATA : TRAILER);
    case DATA_LF:
        c->left = c->digits = 0;
        return to(c, SIZE);
    case TRAILER_LF:
        return to(c, TRAILER);
    default:
        c->state = OVER;
        return PARSE_DONE;
    }
}

static enum parse_rc byte(struct parse_chunks *c, char ch, struct parse_error *bad)
{
    enum parse_rc rc;

    switch ((enum state)c->state) {
    case SIZE:
        rc = size_byte(c, ch, bad);
        c->line_used = false;
        return rc;
    case EXT_NAME:
    case EXT_VALUE:
    case EXT_QUOTED:
    case EXT_AFTER:
        rc = ext_byte(c, ch, bad);
        if (c->state == EXT_NAME && ch == ';')
            c->line_used = false;
        return rc;
    case DATA_CR:
        return ch == '\r' ? to(c, DATA_LF) : refuse(bad, "a chunk's data is followed by CR LF");
    case TRAILER:
        return trailer_byte(c, ch, bad);
    case SIZE_LF:
    case DATA_LF:
    case TRAILER_LF:
    case END_LF:
        return line_feed(c, ch, bad);
    case DATA:
    case OVER:
        break;
    }
    return PARSE_DONE;
}

enum parse_rc parse_chunks(struct parse_chunks *c, const char *p, size_t n, size_t *used,
                           struct bough_str *data, struct parse_error *bad)
{
    size_t i = 0;
    enum parse_rc rc = c->state == OVER ? PARSE_DONE : PARSE_MORE;

    *data = str_of("");
    while (rc == PARSE_MORE && i < n) {
        if (c->state == DATA) {
            size_t take = (uint64_t)c->left < n - i ? (size_t)c->left : n - i;

            *data = str_make(p + i, take);
            c->left -= (int64_t)take;
            c->total += (int64_t)take;
            if (c->left == 0)
                c->state = DATA_CR;
            i += take;
            break;
        }
        rc = byte(c, p[i++], bad);
    }
    *used = i;
    return rc;
}
