/*
 * Search: extracting an entry's words, parsing queries, matching, and making snippets. Pure. The
 * rules are all here; a backend only stores words in the full-text index and looks them up.
 */
#ifndef CORE_SEARCH_SEARCH_H
#define CORE_SEARCH_SEARCH_H

#include <bough/model.h>

#include "base/limits.h"
#include "core/search/regex.h"

/* Fields of an entry. The numbers are stored: columns of the full-text index in SQLite, the first
 * letter of each word in PostgreSQL. A new field needs a migration. */
enum search_field {
    SEARCH_TEXT = 0,
    SEARCH_REASONING = 1,
    SEARCH_TOOL = 2, /* names of tools */
    SEARCH_INPUT = 3,
    SEARCH_OUTPUT = 4,
    SEARCH_FILE = 5, /* names and addresses of files */
    SEARCH_TITLE = 6,
    SEARCH_FIELDS, /* the number of fields */
};

/* A query holds sets of roles and kinds in 32 bits. */
_Static_assert(BOUGH_ENTRY_LAST < 32 && BOUGH_ROLE_LAST < 32, "kinds and roles are bits of a set");

#define SEARCH_ANY ((1u << SEARCH_FIELDS) - 1)

const char *search_field_name(enum search_field field);

/* ---- text and words of an entry ---- */

/* A text of an entry; `part` is the index of its part, or -1 when it is in the entry's data. */
struct search_piece {
    enum search_field field;
    int part;
    struct bough_str text;
};

struct search_pieces {
    struct bough_arena *a;
    struct search_piece *at;
    size_t n;
};

/* Collect all texts of an entry that are searched, in `a` or borrowed from `e`. */
void search_pieces(struct bough_arena *a, const struct bough_entry *e, struct search_pieces *out);

/*
 * The words of each field, folded by core/search/tokenizer.h and separated by single spaces.
 * SEARCH_GAP stands between pieces, so that no phrase matches across them. Together at most
 * LIMIT_SEARCH_WORDS bytes; tool outputs are added last and so are cut first.
 */
#define SEARCH_GAP "\xc2\x80" /* U+0080: not a letter, so never in a word */

struct search_words {
    struct bough_str field[SEARCH_FIELDS];
};

bool search_words(struct bough_arena *a, const struct search_piece *at, size_t n,
                  struct search_words *out); /* false: no words */

/* The same for a packed entry, which is unpacked into *e. False: the body is empty or damaged. */
bool search_packed_words(struct bough_arena *a, struct bough_str body, struct bough_entry *e,
                         struct search_words *out);

/* ---- queries ---- */

/* One condition on words: a word or a phrase. */
struct search_term {
    bool negated, prefix;   /* prefix: the last word may be longer in the text */
    unsigned fields;        /* bits 1 << enum search_field: fields to search */
    struct bough_str words; /* folded, as in struct search_words */
};

/* A parsed query. A hit matches all terms, all filters that are set, and the expression. */
struct search_query {
    struct search_term terms[LIMIT_SEARCH_TERMS];
    size_t n;
    unsigned roles, not_roles, kinds, not_kinds; /* bits; 0: no restriction */
    int64_t since, before;                       /* since <= time < before; 0: no bound */
    const char *session, *project;               /* as typed; "": any */
    int64_t branch;                              /* 0: any */
    size_t ignored; /* how often text past a limit was dropped: terms, phrases, the query */
    /* Regular expression (re:), matched against the original text of hits; NULL: none. */
    const struct regex *re;
    struct regex_stop *stop; /* ends the matching of `re` early; NULL: never */
    const char *refused;     /* why the expression is invalid, so that nothing matches; else "" */
};

/*
 * Parse a query; never fails. Syntax: words, "phrases", -not, prefix*, field:value (text,
 * reasoning, tool, input, output, file, title; role, kind, session, project, branch, since,
 * before), and re:, a regular expression. At the beginning of the query re: takes all text after
 * it, elsewhere one value. Any other text is searched as words. `now` is the base of relative dates
 * such as "7d".
 */
void search_parse(struct bough_arena *a, struct bough_str text, int64_t now,
                  struct search_query *out);

/* Add a term from plain text, not query syntax. Text without words adds none. */
void search_term_add(struct bough_arena *a, struct search_query *q, struct bough_str text,
                     unsigned fields, bool negated, bool prefix);

/* Parse a year, month, day or time in UTC, "today", "yesterday", "12h", "7d" or "2w". False: none
 * of these. The result is at least 1, because 0 means no date. */
bool search_date(struct bough_str text, int64_t now, int64_t *out);

/* Does the query have any condition? */
bool search_asks(const struct search_query *q);

/* Do the words satisfy all terms? Gives the same answer as the full-text index. */
bool search_match(const struct search_query *q, const struct search_words *w);

/* ---- snippets ---- */

struct search_range {
    size_t from, n; /* in bytes of the snippet's text */
};

struct search_snippet {
    enum search_field field;
    int part;
    struct bough_str text;       /* with runs of white space as one space */
    struct search_range *ranges; /* the matches to highlight, ascending */
    size_t nranges;
    bool cut_front, cut_back; /* the piece has more text before, after */
};

/*
 * Does one of the pieces match the query's expression? True when there is none. Only the first
 * LIMIT_SEARCH_WORDS bytes are searched.
 */
bool search_expression(struct bough_arena *a, const struct search_query *q,
                       const struct search_piece *at, size_t n);

/* Make a snippet, in `a`, from the piece that matches most terms. False: there are no pieces. */
bool search_snippet(struct bough_arena *a, const struct search_query *q,
                    const struct search_piece *at, size_t n, struct search_snippet *out);

#endif
