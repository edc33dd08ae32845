/* Every limit of bough in one place, each with its reason. Sizes are in bytes unless noted. */
#ifndef BASE_LIMITS_H
#define BASE_LIMITS_H

#include <stdint.h>

/* JSON */
#define LIMIT_JSON_DEPTH 512                /* deeper than any real message; bounds all stacks */
#define LIMIT_JSON_BYTES (UINT32_MAX - 16u) /* a tree's nodes hold 32-bit offsets */

/* One message, one append */
#define LIMIT_PARTS 4096                         /* per message: a part number is 4 hex digits */
#define LIMIT_MESSAGE_BYTES (64ll * 1024 * 1024) /* larger data belongs in attachments */
#define LIMIT_APPEND_ENTRIES 4096                /* one transaction must stay short */
#define LIMIT_APPEND_BYTES (256ll * 1024 * 1024) /* an append is held in memory as a whole */
#define LIMIT_DATA (16ll * 1024 * 1024)          /* free-form JSON beside a message or session */
#define LIMIT_METADATA (1024ll * 1024)           /* smaller: read with every listing */
#define LIMIT_TEXT (16ll * 1024 * 1024) /* summaries, memories: each is read as one string */

/* Attachments */
#define LIMIT_CHUNK 65536                                 /* one row of file bytes: eight pages */
#define LIMIT_ATTACHMENT_BYTES (4ll * 1024 * 1024 * 1024) /* a chunk number has 24 bits */
#define LIMIT_INLINE                                                                               \
    16384 /* base64 of this length in a file or tool part is moved to an attachment */
#define LIMIT_LOOSE_MS                                                                             \
    (24ll * 3600 * 1000) /* an unlinked attachment is kept this long: time to append its part */

/* Usage of one call: more is a mistake of the caller. Sums of these do not overflow in practice. */
#define LIMIT_TOKENS INT64_C(1000000000000)  /* a trillion tokens of one kind */
#define LIMIT_COST INT64_C(1000000000000000) /* nano-USD: a million dollars */

#define LIMIT_ADJUST INT64_C(0x20000000000000) /* of one adjustment, either sign: 2^53 */

/* Short strings */
#define LIMIT_TITLE 4096 /* typed by people; a pasted paragraph still fits */
#define LIMIT_ID 256     /* ids of other tools, stored verbatim and indexed */
#define LIMIT_KEY 256    /* idempotency keys; short because they are indexed */
#define LIMIT_NAME 1024  /* models, projects, roles, users */
#define LIMIT_PATH 4096  /* PATH_MAX on Linux */

/* Reading */
#define LIMIT_PAGE 10000                          /* rows per page: a page is built in memory */
#define LIMIT_CONTEXT 100000                      /* entries of a context: it is built in memory */
#define LIMIT_CONTEXT_BYTES (256ll * 1024 * 1024) /* of their parts */
#define LIMIT_EXPORT 200000   /* messages, or calls, of a session exported over HTTP */
#define LIMIT_LIST_DEFAULT 50 /* rows per page when the caller sets no limit */
#define LIMIT_PENDING 256     /* queued prompts per session: a longer queue is a bug */
#define LIMIT_CHAIN 33        /* totals: sessions up the parent chain, itself included */

/* Searching */
#define LIMIT_SEARCH_WORDS (1024 * 1024) /* of one entry's words that are indexed */
#define LIMIT_SEARCH_QUERY (16 * 1024)   /* of a query's text, typed or pasted */
#define LIMIT_SEARCH_TERMS 64            /* terms per query: search_match.c has a bit for each */
#define LIMIT_SEARCH_PHRASE 32           /* words per phrase */
#define LIMIT_SEARCH_DEFAULT 20          /* hits when the caller sets no limit */
#define LIMIT_EXPRESSION_MS 2000 /* a regex scans every text; past this it stops and reports */
#define LIMIT_SNIPPET 240        /* bytes: three lines of a terminal */

/* Time, in milliseconds */
#define LIMIT_DEADLINE_MS 10000             /* default wait for a lock */
#define LIMIT_LEASE_MS (24ll * 3600 * 1000) /* of a lease: a dead owner blocks others no longer */
#define LIMIT_WRITING_MS 120000 /* a write transaction that takes longer is rolled back */
#define LIMIT_CATCH_UP_MS 200   /* a search first updates the full-text index, at most this long */

/* Bits in an id: 31 for a session or branch number, 32 for a depth, 28 for a record's ordinal */
#define LIMIT_BRANCH INT64_C(0x7fffffff)
#define LIMIT_SESSION INT64_C(0x7fffffff)
#define LIMIT_DEPTH INT64_C(0xffffffff)
#define LIMIT_RECORD INT64_C(0xfffffff)

#endif
