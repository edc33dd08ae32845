/*
 * Chains: a running hash over the units of a history, to find a stored history by one look-up
 * instead of reading it. The loose chain takes texts without white space, changes of the speaker,
 * the names of calls, a mark for each result, and the digests of files: it stays the same however a
 * client joins blocks, and when it changes arguments or clears results. The strict chain also takes
 * arguments and results: where it is equal, there is no variant to look for. Pure.
 */
#ifndef CORE_MATCH_CHAIN_H
#define CORE_MATCH_CHAIN_H

#include "base/hash/sha256.h"
#include "core/match/units.h"

struct chain {
    struct sha256 loose, strict;
    int last; /* kind of the last unit, whose text the next one may continue; -1: none */
};

/* A point of a chain. */
struct chain_link {
    unsigned char loose[SHA256_LEN];
    int64_t strict;
    size_t units; /* how many units it covers */
};

void chain_init(struct chain *c);
void chain_copy(struct chain *to, const struct chain *from); /* initialises `to` */
void chain_finish(struct chain *c);
/* Add a unit; reasoning changes nothing. */
void chain_add(struct chain *c, const struct unit *one);
/* The link behind the last unit. */
struct chain_link chain_link(const struct chain *c, size_t units);

/* Links behind each reply: where units of the model's messages end and others begin, and at the
 * end. In u->a; *n of them. `last` (may be NULL) is initialised to the chain behind all units. */
struct chain_link *chain_replies(const struct units *u, size_t *n, struct chain *last);

/* ---- keys of the `seen` table ---- */

enum { SEEN_KEY = 16 };
/* What a key is made of. */
enum seen_letter {
    SEEN_CHAIN = 'h',  /* the loose chain behind a reply */
    SEEN_ID = 'i',     /* a strong id of a reply: of the response, an item, or a call */
    SEEN_CLIENT = 'k', /* a client's name of a session */
    SEEN_FIRST = 'f',  /* a first request, without its reply */
};

/* A number for a principal and a project: keys of others are never found. */
int64_t seen_scope(const char *principal, const char *project);

/* The key of `n` bytes under a scope. */
void seen_key(enum seen_letter letter, int64_t scope, const void *p, size_t n,
              unsigned char out[SEEN_KEY]);

/* A key under which a reply is found. */
struct seen_mark {
    unsigned char key[SEEN_KEY];
    bool chain; /* of the chain behind it; else of a strong id */
    int64_t strict;
};
/* The keys of a reply, each once: of the chain if it has units, of its calls and items, and of the
 * response that its data names. `before` is the chain that it follows. In `a`. */
struct seen_mark *seen_marks(struct bough_arena *a, int64_t scope, const struct chain *before,
                             const struct bough_entry *reply, size_t *n);

#endif
