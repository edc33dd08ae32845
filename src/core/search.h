/*
 * Searching, the pure part: what of an entry is searched, what a query means, whether one matches
 * the other, and the snippet that shows it. Backends keep words and find them; they decide nothing.
 */
#ifndef CORE_SEARCH_H
#define CORE_SEARCH_H

#include <bough/model.h>

#include "base/limits.h"
#include "core/regex.h"

/* Where words stand. Numbers are columns of the index: for ever. */
enum search_field {
    SEARCH_TEXT,
    SEARCH_REASONING,
    SEARCH_TOOL, /* names of tools */
    SEARCH_INPUT,
    SEARCH_OUTPUT,
    SEARCH_FILE, /* names and addresses of files */
    SEARCH_TITLE,
    SEARCH_FIELDS, /* how many there are */
};

#define SEARCH_ANY ((1u << SEARCH_FIELDS) - 1)

const char *search_field_name(enum search_field field);

/* ---- what is searched ---- */

/* A text inside an entry; `part` is -1 when it stands in the entry's data. */
struct search_piece {
    enum search_field field;
    int part;
    struct bough_str text;
};

struct search_pieces {
    struct bough_arena *a;
    struct search_piece *at;
    size_t n, cap;
};

void search_pieces(struct bough_arena *a, const struct bough_entry *e, struct search_pieces *out);

/*
 * Words of each field: folded by core/token.h, separated by single spaces, SEARCH_GAP between
 * pieces so that no phrase reaches from one into the next. The first LIMIT_SEARCH_WORDS bytes of
 * them, outputs last.
 */
#define SEARCH_GAP "\xc2\x80" /* no letter, so never a word */

struct search_words {
    struct bough_str field[SEARCH_FIELDS];
};

bool search_words(struct bough_arena *a, const struct search_piece *at, size_t n,
                  struct search_words *out); /* false: there are none */

/* The same of a packed entry, which is read into *e. False: it cannot be read. */
bool search_packed_words(struct bough_arena *a, struct bough_str body, struct bough_entry *e,
                         struct search_words *out);

/* ---- queries ---- */

/* A word or a phrase. */
struct search_term {
    bool negated, prefix;   /* prefix: of its last word */
    unsigned fields;        /* bits: it stands in one of these */
    struct bough_str words; /* as in struct search_words */
};

/* What somebody asked for. All terms hold, every filter that is set, and the expression. */
struct search_query {
    struct search_term terms[LIMIT_SEARCH_TERMS];
    size_t n;
    unsigned roles, not_roles, kinds, not_kinds; /* bits; 0: any, none */
    int64_t since, before;                       /* since <= time < before; 0: open */
    const char *session, *project;               /* as typed; "" when not asked for */
    int64_t branch;
    size_t ignored; /* words that were too many */
    /* re: a text must match it, as it stands there; looked at where hits are collected. */
    const struct regex *re;
    const char *refused; /* why the expression is none, so that nothing matches; else "" */
};

/*
 * Never fails: words, "phrases", -not, prefix*, field:value (text, reasoning, tool, input, output,
 * file, title; role, kind, session, project, branch, since, before), and re:, a regular expression:
 * at the beginning it is all that follows, later one value. What is not one of these is words.
 * `now` is for "7d".
 */
void search_parse(struct bough_arena *a, struct bough_str text, int64_t now,
                  struct search_query *out);

/* One more term, of anybody's text; nothing happens when it has no words. */
void search_term_add(struct bough_arena *a, struct search_query *q, struct bough_str text,
                     unsigned fields, bool negated, bool prefix);

/* A day, a month, a year, a moment, "today", "yesterday", "12h", "7d", "2w"; false: none of these.
 */
bool search_date(struct bough_str text, int64_t now, int64_t *out);

bool search_asks(const struct search_query *q); /* anything at all? */

/* Do all terms hold, as an index would find them? */
bool search_match(const struct search_query *q, const struct search_words *w);

/* ---- snippets ---- */

struct search_range {
    size_t from, n; /* bytes of the snippet */
};

struct search_snippet {
    enum search_field field;
    int part;
    struct bough_str text; /* runs of white space are one space */
    struct search_range *ranges;
    size_t nranges;
    bool cut_front, cut_back;
};

/* Does one of these match the query's expression? Yes when it has none. */
bool search_expression(struct bough_arena *a, const struct search_query *q,
                       const struct search_piece *at, size_t n);

/* Of the piece in which most terms are found. False: there are no pieces. */
bool search_snippet(struct bough_arena *a, const struct search_query *q,
                    const struct search_piece *at, size_t n, struct search_snippet *out);

#endif
