/* Search: matching words against a query, and making snippets. Pure. */
#include "core/search/search.h"

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "base/text/utf8.h"
#include "core/search/tokenizer.h"

/* ---- matching words, as the full-text index does ---- */

/* Matches whole words only; a prefix may end inside a word. */
static bool has_words(struct bough_str hay, struct bough_str words, bool prefix)
{
    const char *at = hay.p, *end = hay.p + hay.n;

    while (hay.n && (at = memmem(at, (size_t)(end - at), words.p, words.n))) {
        const char *after = at + words.n;

        if ((at == hay.p || at[-1] == ' ') && (prefix || after == end || *after == ' '))
            return true;
        at++;
    }
    return false;
}

bool search_match(const struct search_query *q, const struct search_words *w)
{
    for (size_t i = 0; i < q->n; i++) {
        const struct search_term *t = &q->terms[i];
        bool found = false;

        for (int f = 0; f < SEARCH_FIELDS && !found; f++)
            found = t->fields & 1u << f && has_words(w->field[f], t->words, t->prefix);
        if (found == t->negated)
            return false;
    }
    return true;
}

bool search_expression(struct bough_arena *a, const struct search_query *q,
                       const struct search_piece *at, size_t n)
{
    size_t budget = LIMIT_SEARCH_WORDS, from, to;

    for (size_t i = 0; q->re && i < n && budget; i++) {
        size_t take = at[i].text.n < budget ? at[i].text.n : budget;

        if (regex_find(q->re, a, str_make(at[i].text.p, take), 0, q->stop, &from, &to))
            return true;
        budget -= take;
    }
    return !q->re;
}

/* ---- locating matches in the original text ---- */

enum { WINDOW = LIMIT_SEARCH_PHRASE };

/* Walks through the words of a text and keeps the last WINDOW of them. */
struct walk {
    struct tokenizer t;
    struct token at[WINDOW];
    size_t n; /* words read so far */
};

static const struct token *back(const struct walk *w, size_t k) /* 0: the last word */
{
    return &w->at[(w->n - 1 - k) % WINDOW];
}

static bool is_word(const struct token *w, struct bough_str s, bool prefix)
{
    return (prefix ? w->n >= s.n : w->n == s.n) && memcmp(w->text, s.p, s.n) == 0;
}

/* Does the term match and end at the last word? *from is where its first word begins. */
static bool ends_here(const struct walk *w, const struct search_term *t, size_t *from)
{
    struct bough_str left = t->words;

    for (size_t k = 0; k < w->n && k < WINDOW; k++) {
        const char *sp = left.n ? memrchr(left.p, ' ', left.n) : NULL;
        size_t skip = sp ? (size_t)(sp - left.p) + 1 : 0;

        if (!is_word(back(w, k), str_make(left.p + skip, left.n - skip), t->prefix && k == 0))
            return false;
        *from = back(w, k)->from;
        if (!sp)
            return true;
        left.n = skip - 1;
    }
    return false;
}

static void walk_init(struct walk *w, struct bough_str text)
{
    token_init(&w->t, text);
    w->n = 0;
}

static bool walk_next(struct walk *w)
{
    if (!token_next(&w->t, &w->at[w->n % WINDOW]))
        return false;
    w->n++;
    return true;
}

/*
 * Count the terms found in a piece; a match of the expression counts as one more. *first is the
 * offset to show: the expression's match if there is one, else the earliest term.
 */
static int terms_in(struct bough_arena *a, const struct search_query *q,
                    const struct search_piece *piece, size_t *budget, size_t *first)
{
    struct walk w;
    uint64_t found = 0;
    size_t at, to;
    bool matched;

    walk_init(&w, str_make(piece->text.p, piece->text.n < *budget ? piece->text.n : *budget));
    *budget -= w.t.n;
    matched = q->re && regex_find(q->re, a, str_make(piece->text.p, w.t.n), 0, q->stop, &at, &to);
    while (walk_next(&w))
        for (size_t i = 0; i < q->n; i++) {
            const struct search_term *t = &q->terms[i];
            size_t from;

            if (t->negated || !(t->fields & 1u << piece->field) || found >> i & 1 ||
                !ends_here(&w, t, &from))
                continue;
            *first = !found || from < *first ? from : *first;
            found |= UINT64_C(1) << i;
        }
    if (matched)
        *first = at;
    return __builtin_popcountll(found) + matched;
}

/* ---- the snippet ---- */

enum { BEFORE = 60 }; /* bytes shown before the first match */

static bool is_gap(char c)
{
    return (unsigned char)c <= ' ';
}

/* Where the snippet begins: up to BEFORE bytes before the match, if possible at a word. */
static size_t begin_at(struct bough_str text, size_t match)
{
    size_t at = match > BEFORE ? match - BEFORE : 0, word;

    while (at < match && ((unsigned char)text.p[at] & 0xc0) == 0x80)
        at++;
    for (word = at; at && word < match && word < at + BEFORE / 2; word++)
        if (is_gap(text.p[word]))
            return word + 1;
    return at;
}

/* Add a range to highlight. Ranges come in the order of their ends; one that touches or covers
 * earlier ranges (a phrase and its words) is merged with all of them. */
static void note_range(struct bough_arena *a, struct search_snippet *out, size_t from, size_t to)
{
    while (out->nranges) {
        const struct search_range *r = &out->ranges[out->nranges - 1];

        if (from > r->from + r->n)
            break;
        from = r->from < from ? r->from : from;
        to = r->from + r->n > to ? r->from + r->n : to;
        out->nranges--;
    }
    out->ranges = arena_room(a, out->ranges, out->nranges, sizeof *out->ranges);
    out->ranges[out->nranges++] = (struct search_range){ from, to - from };
}

/* Where the oldest word in the window begins. */
static size_t oldest(const struct walk *w)
{
    return back(w, (w->n < WINDOW ? w->n : WINDOW) - 1)->from;
}

/* Highlight matches of terms that begin between `from` and `to` of the piece, cut at `to`. */
static void mark(struct bough_arena *a, const struct search_query *q,
                 const struct search_piece *piece, size_t from, size_t to,
                 struct search_snippet *out)
{
    struct walk w;
    /* Start earlier, so that the window holds the words before `from`; never inside a word. */
    size_t start = from > 8 * TOKEN_MAX ? from - 8 * TOKEN_MAX : 0;

    while (start && start < from && !is_gap(piece->text.p[start]))
        start++;
    walk_init(&w, str_make(piece->text.p + start, piece->text.n - start));
    while (walk_next(&w) && start + oldest(&w) < to) {
        size_t most = SIZE_MAX, end = start + back(&w, 0)->to, at;

        for (size_t i = 0; i < q->n; i++)
            if (!q->terms[i].negated && q->terms[i].fields & 1u << piece->field &&
                ends_here(&w, &q->terms[i], &at) && at < most)
                most = at;
        if (most != SIZE_MAX && start + most >= from && start + most < to)
            note_range(a, out, start + most, end < to ? end : to);
    }
}

/* Highlight the expression's matches, cut at `to`; terms beside it are not highlighted. */
static void mark_expression(struct bough_arena *a, const struct search_query *q,
                            struct bough_str text, size_t from, size_t to,
                            struct search_snippet *out)
{
    size_t at = from, begin, end;

    while (at < to && regex_find(q->re, a, text, at, q->stop, &begin, &end) && begin < to) {
        if (end > begin)
            note_range(a, out, begin, end < to ? end : to);
        at = end > at ? end : at + 1;
    }
}

/* Copy the text with runs of white space as one space and without escape sequences, and adjust the
 * ranges. */
static void squeeze(struct bough_arena *a, struct bough_str text, size_t from, size_t to,
                    struct search_snippet *out)
{
    char *p = arena_alloc(a, to - from + 1);
    size_t *moved = arena_array(a, to - from + 1, sizeof *moved), n = 0;

    for (size_t i = from, skip; i < to; i++) {
        moved[i - from] = n;
        skip = text.p[i] == '\033' ? escape_length(text.p + i, to - i) - 1 : 0;
        if (skip)
            for (; skip; skip--)
                moved[++i - from] = n;
        else if (!is_gap(text.p[i]))
            p[n++] = text.p[i];
        else if (n && p[n - 1] != ' ')
            p[n++] = ' ';
    }
    moved[to - from] = n;
    p[n] = '\0';
    out->text = str_make(p, n);
    for (size_t i = 0; i < out->nranges; i++) {
        struct search_range *r = &out->ranges[i];
        size_t end = moved[r->from + r->n - from];

        r->from = moved[r->from - from];
        r->n = end - r->from;
    }
}

bool search_snippet(struct bough_arena *a, const struct search_query *q,
                    const struct search_piece *at, size_t n, struct search_snippet *out)
{
    const struct search_piece *best = NULL;
    size_t budget = LIMIT_SEARCH_WORDS, match = 0, from, to;
    int most = -1;

    for (size_t i = 0; i < n; i++) {
        size_t first = 0;
        int found = terms_in(a, q, &at[i], &budget, &first);

        if (found <= most)
            continue;
        most = found;
        best = &at[i];
        match = first;
    }
    *out = (struct search_snippet){ .part = -1, .text = str_make(NULL, 0) };
    if (!best)
        return false;
    out->field = best->field;
    out->part = best->part;
    from = begin_at(best->text, match);
    to = from + utf8_cut(best->text.p + from, best->text.n - from, LIMIT_SNIPPET);
    out->cut_front = from > 0;
    out->cut_back = to < best->text.n;
    if (q->re)
        mark_expression(a, q, best->text, from, to, out);
    else
        mark(a, q, best, from, to, out);
    squeeze(a, best->text, from, to, out);
    return true;
}
