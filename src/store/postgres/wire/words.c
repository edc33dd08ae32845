/* Words in PostgreSQL's tsvector: each word once, prefixed with the letter of its field, without
 * positions. */
#include <string.h>

#include "base/text/str.h"
#include "base/text/utf8.h"
#include "core/search/search.h"
#include "store/postgres/wire/array.h"

/* Limits of PostgreSQL for one word and for all words of a tsvector. */
enum { WORD_MOST = 2000, WORDS_MOST = 1000000 };

/* Take the next word from words separated by spaces. */
static bool next_word(struct bough_str *rest, struct bough_str *word)
{
    while (rest->n) {
        const char *end = memchr(rest->p, ' ', rest->n);
        size_t n = end ? (size_t)(end - rest->p) : rest->n;

        *word = str_make(rest->p, n);
        rest->p += n + (end != NULL);
        rest->n -= n + (end != NULL);
        if (n && !str_is(*word, SEARCH_GAP))
            return true;
    }
    return false;
}

static char letter_of(int field)
{
    return (char)('a' + field);
}

/* ---- documents ---- */

/* False: the limit is reached. */
static bool put_field(struct buf *b, struct smap *seen, struct bough_str words, char letter,
                      uint32_t *n)
{
    char lexeme[4 + 1 + WORD_MOST];
    struct bough_str word;

    while (next_word(&words, &word)) {
        size_t len = utf8_cut(word.p, word.n, WORD_MOST) + 1;

        put_u32(lexeme, (uint32_t)len);
        lexeme[4] = letter;
        memcpy(lexeme + 5, word.p, len - 1);
        if (smap_get(seen, str_make(lexeme + 4, len), NULL))
            continue;
        if (b->n + len > WORDS_MOST)
            return false;
        smap_put(seen, str_make(lexeme + 4, len), 1);
        buf_put(b, lexeme, len + 4);
        ++*n;
    }
    return true;
}

/* All words as a text array in PostgreSQL's binary format. *cut: some words did not fit. */
static struct bough_str array_of(struct bough_arena *a, const struct search_words *w, bool *cut)
{
    char head[ARRAY_HEAD] = { 0 }; /* filled in last, when the count is known */
    struct smap seen;
    struct bough_str out;
    struct buf b;
    size_t size;
    uint32_t n = 0;

    buf_init(&b, 2 * WORDS_MOST);
    buf_put(&b, head, sizeof head);
    smap_init(&seen);
    *cut = false;
    for (int f = 0; f < SEARCH_FIELDS && w && !*cut; f++)
        *cut = !put_field(&b, &seen, w->field[f], letter_of(f), &n);
    smap_finish(&seen);
    size = array_head(b.p, OID_TEXT, n, false);
    out = str_make(arena_dup(a, b.p, b.n), n ? b.n : size);
    buf_finish(&b);
    return out;
}

void args_document(struct bough_arena *a, struct args *v, const struct fulltext_row *row)
{
    struct bough_str title = str_make(NULL, 0), words;
    bool cut;

    if (row->words && !row->bid)
        title = row->words->field[SEARCH_TITLE];
    words = array_of(a, row->words, &cut);
    args_ints(v, (int64_t[]){ fulltext_order(row), row->bid, row->depth, row->time }, 4);
    args_str(v, title);
    args_ints(v, (int64_t[]){ row->role, row->kind, cut }, 3);
    args_str(v, words);
}

/* ---- queries ---- */

/* Words contain only letters and digits, so they cannot contain tsquery syntax. */
static void put_word(struct buf *b, struct bough_str word, unsigned fields, bool prefix)
{
    const char *between = "(";

    for (int f = 0; f < SEARCH_FIELDS; f++)
        if (fields >> f & 1) {
            buf_printf(b, "%s'%c", between, letter_of(f));
            buf_put(b, word.p, utf8_cut(word.p, word.n, WORD_MOST));
            buf_puts(b, prefix ? "':*" : "'");
            between = " | ";
        }
    buf_puts(b, ")");
}

/* Count the words; *whole becomes false when one is too long for the index. */
static size_t count_words(struct bough_str words, bool *whole)
{
    struct bough_str word;
    size_t n = 0;

    for (; next_word(&words, &word); n++)
        if (word.n > WORD_MOST)
            *whole = false;
    return n;
}

bool words_query(struct buf *out, const struct search_query *q)
{
    const char *between = "";
    bool exact = true;

    for (size_t i = 0; i < q->n; i++) {
        const struct search_term *t = &q->terms[i];
        struct bough_str rest = t->words, word;
        bool whole = true;
        size_t n = count_words(rest, &whole);

        exact = exact && n == 1 && whole;
        if (t->negated && (n != 1 || !whole))
            continue; /* a document may lack the phrase although it has all the words */
        while (next_word(&rest, &word)) {
            buf_printf(out, "%s%s", between, t->negated ? "!" : "");
            put_word(out, word, t->fields, t->prefix && !rest.n);
            between = " & ";
        }
    }
    return exact;
}
