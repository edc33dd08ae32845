/*
 * Renders Markdown with md4c. The text of a block is collected with styles in band (MARK and a
 * byte; control characters in the text were escaped before), then written out word by word.
 */
#include "cli/term/markdown.h"

#include <md4c.h>
#include <string.h>

#include "base/memory/arena.h"
#include "base/memory/buf.h"
#include "base/text/str.h"
#include "cli/term/print.h"
#include "cli/term/width.h"

enum { MARK = 1, LEVELS = 24, LEAST = 16, CELLS = 2048, TEXT_MOST = 64 << 20 };
enum { BOLD = 1, ITALIC = 2, CODE = 4, LINK = 8, STRUCK = 16, HEADING = 32, DIM = 64 };

struct level {
    char first[24], rest[24]; /* prefix of its first line and of the others */
    bool begun;
    bool ordered;
    unsigned next; /* the number of the next item */
};

struct table_cells {
    struct bough_str at[CELLS];
    size_t n, columns, in_row;
};

struct md {
    FILE *f;
    const struct markdown *how;
    struct bough_arena *a;
    struct buf text;
    struct level level[LEVELS];
    size_t depth, too_deep;
    unsigned style;
    bool gap, any, in_code, in_table;
    struct table_cells *cells;
};

/* ---- writing lines ---- */

static void put_style(const struct md *m, unsigned style)
{
    static const struct {
        unsigned bit;
        const char *code;
    } codes[] = { { BOLD, "1" },   { ITALIC, "3" }, { CODE, "36" },     { LINK, "4" },
                  { STRUCK, "9" }, { DIM, "2" },    { HEADING, "1;35" } };

    if (!m->how->colour)
        return;
    fputs("\033[0", m->f);
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (style & codes[i].bit)
            fprintf(m->f, ";%s", codes[i].code);
    putc('m', m->f);
}

/* Write the prefix of a line. Returns the columns it takes. */
static size_t begin_line(struct md *m)
{
    size_t cols = m->how->indent;

    fprintf(m->f, "%*s", (int)m->how->indent, "");
    for (size_t i = 0; i < m->depth; i++) {
        const char *p = m->level[i].begun ? m->level[i].rest : m->level[i].first;

        fputs(p, m->f);
        cols += strlen(p);
        m->level[i].begun = true;
    }
    m->any = true;
    return cols;
}

static void blank_line(struct md *m)
{
    if (m->gap && m->any)
        putc('\n', m->f);
    m->gap = false;
}

/* The length of the next word: up to a blank or newline, marks included. Its columns go to
 * *cols. */
static size_t word(struct bough_str s, size_t *cols)
{
    size_t i = 0, from = 0;

    *cols = 0;
    while (i < s.n && s.p[i] != ' ' && s.p[i] != '\n') {
        if (s.p[i] == MARK) {
            *cols += width_of(str_make(s.p + from, i - from));
            i += 2;
            from = i;
        } else {
            i++;
        }
    }
    *cols += width_of(str_make(s.p + from, i - from));
    return i;
}

static void put_word(struct md *m, struct bough_str s)
{
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == MARK && i + 1 < s.n)
            put_style(m, (unsigned char)s.p[++i] & 0x7f);
        else
            putc(s.p[i], m->f);
    }
}

/* Write the collected text, wrapped. */
static void flush(struct md *m)
{
    struct bough_str s = buf_str(&m->text);
    size_t at, wide, width = m->how->width;

    if (!s.n)
        return;
    blank_line(m);
    at = begin_line(m);
    width = width > at + LEAST ? width : at + LEAST;
    for (size_t start = at; s.n;) {
        size_t len = word(s, &wide);

        if (at > start && at + 1 + wide > width && wide) {
            putc('\n', m->f);
            at = start = begin_line(m);
        } else if (at > start && wide) {
            putc(' ', m->f);
            at++;
        }
        put_word(m, str_make(s.p, len));
        at += wide;
        if (len < s.n && s.p[len] == '\n') {
            putc('\n', m->f);
            at = start = begin_line(m);
        }
        len += len < s.n;
        s = str_make(s.p + len, s.n - len);
    }
    putc('\n', m->f);
    buf_reset(&m->text);
}

static void flush_code(struct md *m)
{
    struct bough_str s = buf_str(&m->text);

    while (s.n && s.p[s.n - 1] == '\n')
        s.n--;
    blank_line(m);
    while (s.n) {
        const char *end = memchr(s.p, '\n', s.n);
        size_t n = end ? (size_t)(end - s.p) : s.n;

        begin_line(m);
        fputs("    ", m->f);
        put_style(m, CODE);
        fwrite(s.p, 1, n, m->f);
        put_style(m, 0);
        putc('\n', m->f);
        n += end != NULL;
        s = str_make(s.p + n, s.n - n);
    }
    buf_reset(&m->text);
}

static void set_style(struct md *m, unsigned style)
{
    m->style = style;
    buf_putc(&m->text, MARK);
    buf_putc(&m->text, (char)(style | 0x80));
}

/* ---- containers ---- */

static struct level *push(struct md *m)
{
    if (m->depth == LEVELS) {
        m->too_deep++;
        return NULL;
    }
    m->level[m->depth] = (struct level){ 0 };
    return &m->level[m->depth++];
}

static void pop(struct md *m)
{
    if (m->too_deep)
        m->too_deep--;
    else if (m->depth)
        m->depth--;
}

static void push_item(struct md *m, const MD_BLOCK_LI_DETAIL *d)
{
    struct level *list = m->depth ? &m->level[m->depth - 1] : NULL, *l;
    char mark[24] = "- ";

    if (list && list->ordered)
        snprintf(mark, sizeof mark, "%u. ", list->next++);
    l = push(m);
    if (!l)
        return;
    snprintf(l->first, sizeof l->first, "%s", mark);
    snprintf(l->rest, sizeof l->rest, "%*s", (int)strlen(mark), "");
    if (d->is_task)
        buf_printf(&m->text, "[%c] ", d->task_mark == ' ' ? ' ' : 'x');
}

static void push_quote(struct md *m)
{
    struct level *l = push(m);

    if (l) {
        memcpy(l->first, "> ", 3);
        memcpy(l->rest, "> ", 3);
    }
}

/* ---- tables ---- */

static void end_cell(struct md *m)
{
    struct buf plain;
    struct bough_str s = buf_str(&m->text);

    buf_init(&plain, TEXT_MOST);
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == MARK)
            i++;
        else
            buf_putc(&plain, s.p[i] == '\n' ? ' ' : s.p[i]);
    }
    if (m->cells->n < CELLS)
        m->cells->at[m->cells->n++] = str_make(arena_strndup(m->a, plain.p, plain.n), plain.n);
    if (++m->cells->in_row > m->cells->columns)
        m->cells->columns = m->cells->in_row;
    buf_finish(&plain);
    buf_reset(&m->text);
}

static void put_rule(struct md *m, const size_t *wide, size_t columns)
{
    begin_line(m);
    for (size_t c = 0; c < columns; c++) {
        fputs(c ? "-+-" : "", m->f);
        for (size_t i = 0; i < wide[c]; i++)
            putc('-', m->f);
    }
    putc('\n', m->f);
}

static void end_table(struct md *m)
{
    struct table_cells *t = m->cells;
    size_t *wide = arena_array(m->a, t->columns + 1, sizeof *wide);

    for (size_t i = 0; t->columns && i < t->n; i++) {
        size_t w = width_of(t->at[i]);

        if (w > wide[i % t->columns])
            wide[i % t->columns] = w;
    }
    blank_line(m);
    for (size_t i = 0; t->columns && i + t->columns <= t->n; i += t->columns) {
        begin_line(m);
        for (size_t c = 0; c < t->columns; c++) {
            struct bough_str s = t->at[i + c];
            bool last = c + 1 == t->columns;

            if (i == 0)
                put_style(m, BOLD);
            fwrite(s.p, 1, s.n, m->f);
            if (i == 0)
                put_style(m, 0);
            fprintf(m->f, "%*s%s", last ? 0 : (int)(wide[c] - width_of(s)), "", last ? "" : " | ");
        }
        putc('\n', m->f);
        if (i == 0)
            put_rule(m, wide, t->columns);
    }
    m->gap = true;
}

/* ---- md4c's callbacks ---- */

static void enter_container(struct md *m, MD_BLOCKTYPE type, void *detail)
{
    struct level *l;

    flush(m);
    if (type == MD_BLOCK_QUOTE) {
        push_quote(m);
    } else if (type == MD_BLOCK_LI) {
        push_item(m, detail);
    } else {
        l = push(m); /* a list itself prints nothing */
        if (l && type == MD_BLOCK_OL) {
            l->ordered = true;
            l->next = ((MD_BLOCK_OL_DETAIL *)detail)->start;
        }
    }
}

static int enter_block(MD_BLOCKTYPE type, void *detail, void *user)
{
    struct md *m = user;

    switch (type) {
    case MD_BLOCK_QUOTE:
    case MD_BLOCK_UL:
    case MD_BLOCK_OL:
    case MD_BLOCK_LI:
        enter_container(m, type, detail);
        break;
    case MD_BLOCK_H:
        flush(m);
        set_style(m, HEADING);
        break;
    case MD_BLOCK_CODE:
        flush(m);
        m->in_code = true;
        break;
    case MD_BLOCK_P:
        flush(m);
        break;
    case MD_BLOCK_TABLE:
        flush(m);
        m->in_table = true;
        m->cells = arena_zalloc(m->a, sizeof *m->cells);
        break;
    case MD_BLOCK_TR:
        m->cells->in_row = 0;
        break;
    case MD_BLOCK_HR:
        flush(m);
        blank_line(m);
        begin_line(m);
        fputs("----------------------------------------\n", m->f);
        m->gap = true;
        break;
    case MD_BLOCK_DOC:
    case MD_BLOCK_HTML:
    case MD_BLOCK_THEAD:
    case MD_BLOCK_TBODY:
    case MD_BLOCK_TH:
    case MD_BLOCK_TD:
        break;
    }
    return 0;
}

static int leave_block(MD_BLOCKTYPE type, void *detail, void *user)
{
    struct md *m = user;

    (void)detail;
    switch (type) {
    case MD_BLOCK_LI:
        flush(m);
        if (m->depth && !m->too_deep && !m->level[m->depth - 1].begun) {
            begin_line(m); /* an empty item */
            putc('\n', m->f);
        }
        pop(m);
        break;
    case MD_BLOCK_QUOTE:
    case MD_BLOCK_UL:
    case MD_BLOCK_OL:
        flush(m);
        pop(m);
        m->gap = m->depth == 0 || type == MD_BLOCK_QUOTE;
        break;
    case MD_BLOCK_H:
        set_style(m, 0);
        flush(m);
        m->gap = true;
        break;
    case MD_BLOCK_CODE:
        flush_code(m);
        m->in_code = false;
        m->gap = true;
        break;
    case MD_BLOCK_TABLE:
        m->in_table = false;
        end_table(m);
        break;
    case MD_BLOCK_TH:
    case MD_BLOCK_TD:
        end_cell(m);
        break;
    case MD_BLOCK_P:
    case MD_BLOCK_HTML:
        flush(m);
        m->gap = true;
        break;
    case MD_BLOCK_DOC:
        flush(m);
        break;
    case MD_BLOCK_HR:
    case MD_BLOCK_THEAD:
    case MD_BLOCK_TBODY:
    case MD_BLOCK_TR:
        break;
    }
    return 0;
}

static unsigned style_of(MD_SPANTYPE type)
{
    switch (type) {
    case MD_SPAN_EM:
        return ITALIC;
    case MD_SPAN_STRONG:
        return BOLD;
    case MD_SPAN_CODE:
        return CODE;
    case MD_SPAN_A:
    case MD_SPAN_IMG:
        return LINK;
    case MD_SPAN_DEL:
        return STRUCK;
    case MD_SPAN_LATEXMATH:
    case MD_SPAN_LATEXMATH_DISPLAY:
    case MD_SPAN_WIKILINK:
    case MD_SPAN_U:
        break;
    }
    return 0;
}

static int enter_span(MD_SPANTYPE type, void *detail, void *user)
{
    struct md *m = user;

    (void)detail;
    set_style(m, m->style | style_of(type));
    if (type == MD_SPAN_CODE && !m->how->colour)
        buf_putc(&m->text, '`');
    return 0;
}

/* Add a link's target, unless the text already ends with it. */
static void put_target(struct md *m, const MD_ATTRIBUTE *href)
{
    struct bough_str target = str_make(href->text, href->size), s = buf_str(&m->text);

    if (!target.n ||
        (s.n >= target.n + 2 && memcmp(s.p + s.n - target.n - 2, target.p, target.n) == 0))
        return;
    buf_puts(&m->text, " (");
    buf_put_str(&m->text, target);
    buf_putc(&m->text, ')');
}

static int leave_span(MD_SPANTYPE type, void *detail, void *user)
{
    struct md *m = user;

    if (type == MD_SPAN_CODE && !m->how->colour)
        buf_putc(&m->text, '`');
    set_style(m, m->style & ~style_of(type));
    if (type == MD_SPAN_A)
        put_target(m, &((MD_SPAN_A_DETAIL *)detail)->href);
    else if (type == MD_SPAN_IMG)
        put_target(m, &((MD_SPAN_IMG_DETAIL *)detail)->src);
    return 0;
}

/* Only these are decoded. Numeric ones could be any character, control characters included. */
static const char *entity(struct bough_str s)
{
    static const char *const known[][2] = {
        { "&lt;", "<" },    { "&gt;", ">" },   { "&amp;", "&" },
        { "&quot;", "\"" }, { "&apos;", "'" }, { "&nbsp;", " " }
    };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (str_is(s, known[i][0]))
            return known[i][1];
    return NULL;
}

static int on_text(MD_TEXTTYPE type, const MD_CHAR *p, MD_SIZE n, void *user)
{
    struct md *m = user;
    struct bough_str s = str_make(p, n);

    if (type == MD_TEXT_ENTITY && entity(s))
        s = str_of(entity(s));
    else if (type == MD_TEXT_BR)
        s = str_of("\n");
    else if (type == MD_TEXT_SOFTBR)
        s = str_of(" ");
    else if (type == MD_TEXT_NULLCHAR)
        s = str_of("\\x00");
    buf_put_str(&m->text, s);
    return 0;
}

void markdown_print(FILE *f, struct bough_str text, const struct markdown *how)
{
    const MD_PARSER parser = {
        .flags = MD_DIALECT_GITHUB | MD_FLAG_NOHTML,
        .enter_block = enter_block,
        .leave_block = leave_block,
        .enter_span = enter_span,
        .leave_span = leave_span,
        .text = on_text,
    };
    struct md m = { .f = f, .how = how, .a = bough_arena_create() };
    struct buf safe;

    buf_init(&safe, 2 * (size_t)TEXT_MOST);
    buf_init(&m.text, 2 * (size_t)TEXT_MOST);
    print_escape(&safe, text, PRINT_TEXT);
    if (safe.over || md_parse(safe.p, (MD_SIZE)safe.n, &parser, &m) != 0) {
        print_safe(f, text, PRINT_TEXT); /* too large to render */
        putc('\n', f);
    }
    if (how->colour)
        fputs("\033[0m", f);
    buf_finish(&m.text);
    buf_finish(&safe);
    bough_arena_destroy(m.a);
}
