/* Reads Markdown with md4c: as nodes for a page, and to find raw HTML. */
#include "formats/pages/markup.h"

#include <md4c.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "base/text/utf8.h"
#include "core/model/text.h"

enum { TEXT_MOST = 512 * 1024, DEPTH_MOST = 48, TIMES_MOST = 4 };

struct nodes {
    struct json_writer jw;
    struct buf text; /* not written yet */
    int depth;       /* elements that are open; those beyond DEPTH_MOST are left out */
};

static void flush(struct nodes *m)
{
    if (m->text.n)
        jw_str(&m->jw, buf_str(&m->text));
    buf_reset(&m->text);
}

static bool begin(struct nodes *m, const char *name)
{
    flush(m);
    if (++m->depth > DEPTH_MOST)
        return false;
    jw_arr(&m->jw);
    jw_cstr(&m->jw, name);
    return true;
}

static int end(struct nodes *m)
{
    flush(m);
    if (m->depth-- <= DEPTH_MOST)
        jw_end_arr(&m->jw);
    return 0;
}

/* ---- text ---- */

static void put_entity(struct buf *out, struct bough_str s)
{
    static const char *const known[][2] = { { "&lt;", "<" },   { "&gt;", ">" },
                                            { "&amp;", "&" },  { "&quot;", "\"" },
                                            { "&apos;", "'" }, { "&nbsp;", "\xc2\xa0" } };
    char utf8[4];
    long code;

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (str_is(s, known[i][0])) {
            buf_puts(out, known[i][1]);
            return;
        }
    if (s.n < 4 || s.n > 10 || s.p[1] != '#') {
        buf_put_str(out, s);
        return;
    }
    code = s.p[2] == 'x' || s.p[2] == 'X' ? strtol(s.p + 3, NULL, 16) : strtol(s.p + 2, NULL, 10);
    if (code < 32)
        code = 0xfffd;
    buf_put(out, utf8, utf8_put((uint32_t)code, utf8));
}

static int on_text(MD_TEXTTYPE type, const MD_CHAR *p, MD_SIZE n, void *user)
{
    struct nodes *m = user;

    switch (type) {
    case MD_TEXT_ENTITY:
        put_entity(&m->text, str_make(p, n));
        break;
    case MD_TEXT_BR:
    case MD_TEXT_SOFTBR:
        buf_putc(&m->text, '\n');
        break;
    case MD_TEXT_NULLCHAR:
        buf_puts(&m->text, "\xef\xbf\xbd");
        break;
    case MD_TEXT_NORMAL:
    case MD_TEXT_CODE:
    case MD_TEXT_HTML:
    case MD_TEXT_LATEXMATH:
        buf_put(&m->text, p, n);
        break;
    }
    return 0;
}

/* ---- elements ---- */

static void put_address(struct nodes *m, const MD_ATTRIBUTE *of)
{
    for (size_t i = 0; of->size && of->substr_offsets[i] < of->size; i++) {
        MD_OFFSET from = of->substr_offsets[i], to = of->substr_offsets[i + 1];

        if (of->substr_types[i] == MD_TEXT_ENTITY)
            put_entity(&m->text, str_make(of->text + from, to - from));
        else
            buf_put(&m->text, of->text + from, to - from);
    }
    jw_str(&m->jw, buf_str(&m->text));
    buf_reset(&m->text);
}

static const char *block_name(MD_BLOCKTYPE type, void *detail)
{
    static const char *const headings[] = { "h1", "h2", "h3", "h4", "h5", "h6" };
    unsigned level;

    switch (type) {
    case MD_BLOCK_QUOTE:
        return "blockquote";
    case MD_BLOCK_UL:
        return "ul";
    case MD_BLOCK_OL:
        return "ol";
    case MD_BLOCK_LI:
        return "li";
    case MD_BLOCK_HR:
        return "hr";
    case MD_BLOCK_H:
        level = ((MD_BLOCK_H_DETAIL *)detail)->level;
        return headings[level >= 1 && level <= 6 ? level - 1 : 5];
    case MD_BLOCK_CODE:
        return "pre";
    case MD_BLOCK_TABLE:
        return "table";
    case MD_BLOCK_THEAD:
        return "thead";
    case MD_BLOCK_TBODY:
        return "tbody";
    case MD_BLOCK_TR:
        return "tr";
    case MD_BLOCK_TH:
        return "th";
    case MD_BLOCK_TD:
        return "td";
    case MD_BLOCK_P:
    case MD_BLOCK_HTML:
    case MD_BLOCK_DOC:
        break;
    }
    return "p";
}

static int enter_block(MD_BLOCKTYPE type, void *detail, void *user)
{
    struct nodes *m = user;
    const MD_BLOCK_LI_DETAIL *item = detail;

    if (type == MD_BLOCK_DOC)
        return 0;
    if (begin(m, block_name(type, detail)) && type == MD_BLOCK_OL)
        jw_i64(&m->jw, ((MD_BLOCK_OL_DETAIL *)detail)->start);
    if (type == MD_BLOCK_LI && item->is_task)
        buf_puts(&m->text, item->task_mark == ' ' ? "\xe2\x98\x90 " : "\xe2\x98\x91 ");
    return 0;
}

static int leave_block(MD_BLOCKTYPE type, void *detail, void *user)
{
    (void)detail;
    return type == MD_BLOCK_DOC ? 0 : end(user);
}

static int enter_span(MD_SPANTYPE type, void *detail, void *user)
{
    struct nodes *m = user;

    switch (type) {
    case MD_SPAN_EM:
        begin(m, "em");
        break;
    case MD_SPAN_STRONG:
        begin(m, "strong");
        break;
    case MD_SPAN_CODE:
        begin(m, "code");
        break;
    case MD_SPAN_DEL:
        begin(m, "del");
        break;
    case MD_SPAN_A:
        if (begin(m, "a"))
            put_address(m, &((MD_SPAN_A_DETAIL *)detail)->href);
        break;
    case MD_SPAN_IMG:
        if (begin(m, "a"))
            put_address(m, &((MD_SPAN_IMG_DETAIL *)detail)->src);
        break;
    case MD_SPAN_LATEXMATH:
    case MD_SPAN_LATEXMATH_DISPLAY:
    case MD_SPAN_WIKILINK:
    case MD_SPAN_U:
        begin(m, "span");
        break;
    }
    return 0;
}

static int leave_span(MD_SPANTYPE type, void *detail, void *user)
{
    (void)type;
    (void)detail;
    return end(user);
}

bool markup_put(struct json_writer *jw, struct bough_str text)
{
    const MD_PARSER parser = {
        .flags = MD_DIALECT_GITHUB | MD_FLAG_NOHTML,
        .enter_block = enter_block,
        .leave_block = leave_block,
        .enter_span = enter_span,
        .leave_span = leave_span,
        .text = on_text,
    };
    struct nodes m = { .depth = 0 };
    struct buf out;
    bool fine;

    if (text.n > TEXT_MOST)
        return false;
    buf_init(&out, LIMIT_JSON_BYTES);
    buf_init(&m.text, 8 * (size_t)TEXT_MOST);
    jw_init(&m.jw, &out);
    jw_arr(&m.jw);
    fine = md_parse(text.p, (MD_SIZE)text.n, &parser, &m) == 0;
    flush(&m);
    jw_end_arr(&m.jw);
    if (fine && !out.over)
        jw_raw(jw, buf_str(&out));
    fine = fine && !out.over;
    buf_finish(&m.text);
    buf_finish(&out);
    return fine;
}

/* ---- raw HTML ---- */

struct found {
    struct bough_arena *a;
    struct bough_str text;
    size_t *at; /* offsets of "<" in raw HTML */
    size_t n;
};

static int no_block(MD_BLOCKTYPE type, void *detail, void *user)
{
    (void)type;
    (void)detail;
    (void)user;
    return 0;
}

static int no_span(MD_SPANTYPE type, void *detail, void *user)
{
    (void)type;
    (void)detail;
    (void)user;
    return 0;
}

static int note_html(MD_TEXTTYPE type, const MD_CHAR *p, MD_SIZE n, void *user)
{
    struct found *f = user;

    /* md4c gives spans of the text itself, and line ends and indents of its own. */
    if (type != MD_TEXT_HTML || p < f->text.p || p + n > f->text.p + f->text.n)
        return 0;
    for (MD_SIZE i = 0; i < n; i++) {
        if (p[i] != '<')
            continue;
        f->at = arena_room(f->a, f->at, f->n, sizeof *f->at);
        f->at[f->n++] = (size_t)(p + i - f->text.p);
    }
    return 0;
}

/* With a backslash before each "<" that was found; without `f`, every "<" becomes an entity. */
static struct bough_str escaped(struct bough_arena *a, struct bough_str text, const struct found *f)
{
    struct bough_str out;
    struct buf b;
    size_t next = 0;

    buf_init(&b, 5 * text.n + 1);
    for (size_t i = 0; i < text.n; i++) {
        if (!f && text.p[i] == '<') {
            buf_puts(&b, "&lt;");
            continue;
        }
        if (f && next < f->n && f->at[next] == i) {
            buf_putc(&b, '\\');
            next++;
        }
        buf_putc(&b, text.p[i]);
    }
    out = text_keep(a, &b);
    buf_finish(&b);
    return out;
}

static int by_offset(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;

    return x < y ? -1 : x > y;
}

struct bough_str markup_without_html(struct bough_arena *a, struct bough_str text)
{
    const MD_PARSER parser = {
        .flags = MD_DIALECT_GITHUB,
        .enter_block = no_block,
        .leave_block = no_block,
        .enter_span = no_span,
        .leave_span = no_span,
        .text = note_html,
    };

    if (!memchr(text.p, '<', text.n))
        return text;
    /* What was a block of HTML is read as Markdown once it is escaped, so look again. */
    for (int i = 0; text.n <= TEXT_MOST && i < TIMES_MOST; i++) {
        struct found f = { .a = a, .text = text };

        if (md_parse(text.p, (MD_SIZE)text.n, &parser, &f) != 0)
            break;
        if (!f.n)
            return text;
        qsort(f.at, f.n, sizeof *f.at, by_offset);
        text = escaped(a, text, &f);
    }
    return escaped(a, text, NULL);
}
