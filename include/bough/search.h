/*
 * Search: words in messages, reasoning, tool names, inputs, outputs, file names and session titles,
 * newest first.
 *
 * A query is what a person types, and is never an error: words (all must occur; case and accents do
 * not matter), "phrases", -not, prefix*, and field:value. A field is text, reasoning, tool, input,
 * output, file or title; or a filter: role:user, kind:compaction, session:slug, project:name (the
 * whole name or the last part of its path), branch:12, since:2026-11-01, before:7d (also "today",
 * "yesterday", hours "12h", weeks "2w"; UTC). Anything else is words. Text without a letter, a
 * digit or an emoji is ignored.
 *
 * re: at the beginning makes all that follows one regular expression, over the same texts as they
 * were written; case does not matter. After other words, it takes one value. An expression examines
 * every text that the rest of the query leaves, for two seconds: then `complete` is false, and the
 * next page continues from there. An empty or invalid expression finds nothing, and `refused` says
 * why.
 */
#ifndef BOUGH_SEARCH_H
#define BOUGH_SEARCH_H

#include <bough/store.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Everything that is given must hold, together with the filters in the query. */
struct bough_search_options {
    const char *query;     /* may be NULL or "" with a session, project or branch: all entries */
    const char *session;   /* only what this session shows, its inherited history included */
    bool path;             /* with `session`: only the path to its head */
    const char *at;        /* with `session`: only the path to this entry */
    const char *project;   /* only what a session of this project shows; its whole name */
    int64_t branch;        /* only entries of this branch; 0: any */
    const char *tool;      /* only entries that name this tool */
    unsigned roles, kinds; /* bits 1 << enum bough_role, 1 << enum bough_entry_kind; 0: any */
    int64_t since, until;  /* since <= time < until; 0: no bound */
    int64_t limit;         /* 0: 20; at most 10,000 */
    const char *cursor;    /* `next` of the previous page; NULL or "": the first page */
    int64_t wait_ms;       /* update the full text first, for at most this long; 0: 200 ms, below 0:
                              not at all */
    uint64_t reserved[8];  /* room to grow: must be 0 */
};

/* A run of bytes of a snippet. A value of two numbers that will never grow. */
struct bough_match {
    size_t from, n;
};

/* A found entry or title. An entry is found once, however many forks show it: under the session
 * that wrote it, or under a living fork if that session is deleted or not asked for. */
struct bough_hit {
    const char *session;              /* id */
    const char *slug, *title;         /* of that session */
    char entry[BOUGH_ID_LEN + 1];     /* "" when the title was found */
    char part[BOUGH_PART_ID_LEN + 1]; /* the part that matches best, or "" */
    const char *field;                /* where: "text", "reasoning", "tool", "input", ... */
    enum bough_entry_kind kind;
    enum bough_role role;
    int64_t no, time;
    struct bough_str snippet;          /* plain text on one line; not escaped */
    const struct bough_match *matches; /* in the snippet */
    size_t nmatches;
    bool cut_front, cut_back; /* the text continues before or after the snippet */
    uint64_t reserved[8];     /* room to grow */
};

struct bough_hits {
    struct bough_hit *at;
    size_t n;
    const char *next;     /* cursor of the next page, "" at the end */
    bool complete;        /* everything that was stored when the search began was searched */
    int64_t pending;      /* else: how many changes were not; 0: an expression ran out of time */
    size_t ignored;       /* terms beyond the first 64, and words beyond 32 in a phrase */
    const char *refused;  /* why the regular expression is invalid, or "" */
    uint64_t reserved[4]; /* room to grow */
};

/* A page of hits. `session` and `at` must exist, as session.h and entry.h say; names in the query
 * that do not exist find nothing. BOUGH_INVALID: `path` or `at` without `session`, or a negative
 * branch. */
BOUGH_MUST_CHECK enum bough_rc bough_search(struct bough_store *s, struct bough_arena *a,
                                            const struct bough_search_options *in,
                                            struct bough_hits *out, struct bough_error *err);

/* Clear the full text. It is built again from the stored entries, in the background and by
 * searches. */
BOUGH_MUST_CHECK enum bough_rc bough_search_rebuild(struct bough_store *s, struct bough_error *err);

#ifdef __cplusplus
}
#endif
#endif
