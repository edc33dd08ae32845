/* Safe terminal output: escaping, colours and styles. */
#include "cli/term/print.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <utf8proc.h>

#include "base/text/str.h"
#include "base/text/utf8.h"

struct range {
    uint32_t from, to;
};

/* Characters that are always escaped, in order. The mode may let newline and tab pass. */
static const struct range unsafe[] = {
    { 0x00, 0x1f },       /* C0, with ESC */
    { 0x7f, 0x9f },       /* DEL and C1 */
    { 0xad, 0xad },       /* soft hyphen */
    { 0x61c, 0x61c },     /* Arabic letter mark */
    { 0x115f, 0x1160 },   /* Hangul fillers: wide, or empty */
    { 0x180e, 0x180e },   /* Mongolian vowel separator */
    { 0x200b, 0x200f },   /* zero width, and the left and right marks */
    { 0x2028, 0x202e },   /* line and paragraph separator, embeddings and overrides */
    { 0x2060, 0x206f },   /* word joiner, isolates, deprecated format characters */
    { 0xfeff, 0xfeff },   /* byte order mark */
    { 0xfff9, 0xfffb },   /* interlinear annotation */
    { 0xe0000, 0xe007f }, /* tags: invisible text */
};

static bool is_unsafe(uint32_t cp)
{
    for (size_t i = 0; i < sizeof unsafe / sizeof *unsafe && unsafe[i].from <= cp; i++) {
        if (cp <= unsafe[i].to)
            return true;
    }
    return false;
}

/* Where text goes: a file, or a buffer. */
struct sink {
    FILE *f;
    struct buf *b;
};

static void put(const struct sink *to, const char *p, size_t n)
{
    if (to->f)
        fwrite(p, 1, n, to->f);
    else
        buf_put(to->b, p, n);
}

static void put_escaped(const struct sink *to, uint32_t cp)
{
    char text[16];

    if (cp == '\n')
        snprintf(text, sizeof text, "\\n");
    else if (cp == '\t')
        snprintf(text, sizeof text, "\\t");
    else if (cp < 0x80)
        snprintf(text, sizeof text, "\\x%02" PRIx32, cp);
    else
        snprintf(text, sizeof text, "\\u{%" PRIx32 "}", cp);
    put(to, text, strlen(text));
}

static void put_byte(const struct sink *to, unsigned char c)
{
    char text[8];

    snprintf(text, sizeof text, "\\x%02x", c);
    put(to, text, strlen(text));
}

/* May the zero-width joiner between `before` and p stay? Only within one emoji sequence. */
static bool joins(uint32_t before, const char *p, size_t n)
{
    uint32_t after = 0;
    int first = utf8proc_get_property((utf8proc_int32_t)before)->boundclass;

    if (!utf8_get(p, n, &after) ||
        (first != UTF8PROC_BOUNDCLASS_EXTENDED_PICTOGRAPHIC && first != UTF8PROC_BOUNDCLASS_EXTEND))
        return false;
    return before >= 0x2000 && utf8proc_get_property((utf8proc_int32_t)after)->boundclass ==
                                   UTF8PROC_BOUNDCLASS_EXTENDED_PICTOGRAPHIC;
}

static void put_safe(const struct sink *to, struct bough_str s, enum print_mode mode)
{
    size_t done = 0; /* everything before was written */
    uint32_t before = 0;

    for (size_t i = 0; i < s.n;) {
        uint32_t cp = 0;
        size_t len = utf8_get(s.p + i, s.n - i, &cp);
        bool passes = (mode == PRINT_TEXT && (cp == '\n' || cp == '\t')) ||
                      (cp == 0x200d && joins(before, s.p + i + len, s.n - i - len));

        before = cp;
        if (len && (passes || !is_unsafe(cp))) {
            i += len;
            continue;
        }
        put(to, s.p + done, i - done);
        if (len)
            put_escaped(to, cp);
        else
            put_byte(to, (unsigned char)s.p[i]);
        i += len ? len : 1;
        done = i;
    }
    put(to, s.p + done, s.n - done);
}

void print_safe(FILE *f, struct bough_str s, enum print_mode mode)
{
    put_safe(&(struct sink){ .f = f }, s, mode);
}

void print_escape(struct buf *out, struct bough_str s, enum print_mode mode)
{
    put_safe(&(struct sink){ .b = out }, s, mode);
}

void print_json(FILE *f, struct bough_str json)
{
    size_t done = 0;

    for (size_t i = 0; i < json.n;) {
        uint32_t cp = 0;
        size_t len = utf8_get(json.p + i, json.n - i, &cp);

        if (!len || !is_unsafe(cp) || cp == '\n' || cp == '\t') {
            i += len ? len : 1;
            continue;
        }
        fwrite(json.p + done, 1, i - done, f);
        if (cp >= 0x10000)
            fprintf(f, "\\u%04" PRIx32 "\\u%04" PRIx32, 0xd800 + ((cp - 0x10000) >> 10),
                    0xdc00 + ((cp - 0x10000) & 0x3ff));
        else
            fprintf(f, "\\u%04" PRIx32, cp);
        i += len;
        done = i;
    }
    fwrite(json.p + done, 1, json.n - done, f);
}

void print_line(FILE *f, const char *s)
{
    print_safe(f, str_of(s), PRINT_LINE);
}

bool print_colour_wanted(const char *no_color, const char *force, const char *term, bool tty)
{
    if (!cstr_empty(no_color))
        return false;
    if (!cstr_empty(force) && strcmp(force, "0") != 0)
        return true;
    return tty && !cstr_empty(term) && strcmp(term, "dumb") != 0;
}

bool print_colour(FILE *f)
{
    return print_colour_wanted(getenv("NO_COLOR"), getenv("CLICOLOR_FORCE"), getenv("TERM"),
                               isatty(fileno(f)));
}

void print_style(FILE *f, bool on, enum print_style style)
{
    static const char *const codes[] = {
        [PRINT_PLAIN] = "0",    [PRINT_BOLD] = "1",    [PRINT_DIM] = "2",       [PRINT_RED] = "31",
        [PRINT_GREEN] = "32",   [PRINT_YELLOW] = "33", [PRINT_BLUE] = "34",     [PRINT_CYAN] = "36",
        [PRINT_MAGENTA] = "35", [PRINT_ITALIC] = "3",  [PRINT_UNDERLINE] = "4",
    };

    if (on)
        fprintf(f, "\033[%sm", codes[style]);
}
