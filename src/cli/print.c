/* Safe terminal output. Knows nothing of commands or stores. */
#include "cli/print.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "base/utf8.h"

struct range {
    uint32_t from, to;
};

/* What is never shown as it is, in order. Newline and tab are decided by the mode. */
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

static void put_escaped(FILE *f, uint32_t cp)
{
    if (cp == '\n')
        fputs("\\n", f);
    else if (cp == '\t')
        fputs("\\t", f);
    else if (cp < 0x80)
        fprintf(f, "\\x%02" PRIx32, cp);
    else
        fprintf(f, "\\u{%" PRIx32 "}", cp);
}

void print_safe(FILE *f, struct bough_str s, enum print_mode mode)
{
    size_t done = 0; /* everything before it is written */

    for (size_t i = 0; i < s.n;) {
        uint32_t cp = 0;
        size_t len = utf8_get(s.p + i, s.n - i, &cp);
        bool passes = mode == PRINT_TEXT && (cp == '\n' || cp == '\t');

        if (len && (passes || !is_unsafe(cp))) {
            i += len;
            continue;
        }
        fwrite(s.p + done, 1, i - done, f);
        if (len)
            put_escaped(f, cp);
        else
            fprintf(f, "\\x%02x", (unsigned char)s.p[i]);
        i += len ? len : 1;
        done = i;
    }
    fwrite(s.p + done, 1, s.n - done, f);
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
        [PRINT_PLAIN] = "0", [PRINT_BOLD] = "1",   [PRINT_DIM] = "2",
        [PRINT_RED] = "31",  [PRINT_GREEN] = "32", [PRINT_YELLOW] = "33",
    };

    if (on)
        fprintf(f, "\033[%sm", codes[style]);
}
