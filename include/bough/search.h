/*
 * Search: words in messages, reasoning, tool names, inputs, outputs, file names and session titles,
 * newest first.
 *
 * A query is what a person types, and is never an error: words (all must be there, whatever their
 * case or accents), "phrases", -not, prefix*, and field:value, where field is one of text,
 * reasoning, tool, input, output, file, title, or a filter: role:user, kind:compaction,
 * session:slug, project:name (its whole name or the last part of its path), branch:12,
 * since:2026-11-01, before:7d (also "today", "yesterday", hours "12h", weeks "2w"; UTC). Anything
 * else is words; what has no letter, digit or emoji in it is nothing.
 *
 * re: at the beginning makes all that follows a regular expression, whatever the case, over the
 * same texts as they stand there; behind other words it takes one value. It looks at every text the
 * rest of the query leaves, for two seconds: then `complete` is false and `next` goes on from
 * there. One that is empty or none finds nothing, and `refused` says why.
 */
#ifndef BOUGH_SEARCH_H
#define BOUGH_SEARCH_H

#include <bough/store.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All that is given must hold, together with what the query says. */
struct bough_search {
    const char *query;
    const char *session;   /* only what this session shows, its inherited history included */
    bool path;             /* with `session`: only the path to its head */
    const char *at;        /* with `session`: only the path to this entry */
    const char *project;   /* only what a session of this project shows */
    int64_t branch;        /* only entries of this branch; 0: any */
    const char *tool;      /* only entries that name this tool */
    unsigned roles, kinds; /* bits 1 << enum bough_role, 1 << enum bough_entry_kind; 0: any */
    int64_t since, until;  /* since <= time < until; 0: open */
    int64_t limit;         /* 0: 20 */
    int64_t before;        /* `next` of the page before */
    int64_t wait_ms;       /* bring the index up to date for so long; 0: 200, < 0: not at all */
};

struct bough_match {
    size_t from, n; /* bytes of the snippet */
};

/* An entry is found once, however many forks show it: under the session that wrote it, or, when
 * that is deleted or not asked for, under a living fork. What no living session shows is not found.
 */
struct bough_hit {
    const char *session;              /* id */
    const char *slug, *title;         /* of that session */
    char entry[BOUGH_ID_LEN + 1];     /* "" when it is the session's title that was found */
    char part[BOUGH_PART_ID_LEN + 1]; /* the part that matches best, "" when it is none */
    const char *field;                /* where: "text", "reasoning", "tool", "input", ... */
    enum bough_entry_kind kind;
    enum bough_role role;
    int64_t no, time;
    struct bough_str snippet; /* plain text on one line; escape it for where it goes */
    const struct bough_match *matches;
    size_t nmatches;
    bool cut_front, cut_back; /* the text goes on before or after the snippet */
};

struct bough_hits {
    struct bough_hit *at;
    size_t n;
    int64_t next;  /* pass as `before` for the next page; 0: there is none */
    bool complete; /* everything stored when the search began was searched */
    int64_t
        pending; /* else: how many of the last changes were not; 0: an expression took too long */
    size_t ignored;      /* words of the query that were too many (64 terms of 32 words) */
    const char *refused; /* why the regular expression is none; "" when all is well */
};

/* `session` and `at` must exist; everything in the query that does not just finds nothing. */
BOUGH_MUST_CHECK enum bough_rc bough_search(struct bough_store *s, struct bough_arena *a,
                                            const struct bough_search *in, struct bough_hits *out,
                                            struct bough_error *err);

/* Forget the index. It is built again from what is stored, in the background and by searches. */
BOUGH_MUST_CHECK enum bough_rc bough_search_rebuild(struct bough_store *s, struct bough_error *err);

#ifdef __cplusplus
}
#endif
#endif
