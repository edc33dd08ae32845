/* Every limit of bough, each with its reason. Those that callers meet are in <bough/limits.h>.
 * Sizes are in bytes unless noted. */
#ifndef BASE_LIMITS_H
#define BASE_LIMITS_H

#include <bough/limits.h>
#include <stdint.h>

/* JSON */
#define LIMIT_JSON_DEPTH BOUGH_LIMIT_JSON_DEPTH
#define LIMIT_JSON_BYTES (UINT32_MAX - 16u) /* a tree's nodes hold 32-bit offsets */

/* One message, one append */
#define LIMIT_PARTS BOUGH_LIMIT_PARTS
#define LIMIT_MESSAGE_BYTES BOUGH_LIMIT_MESSAGE_BYTES
#define LIMIT_APPEND_ENTRIES BOUGH_LIMIT_APPEND_ENTRIES
#define LIMIT_APPEND_BYTES BOUGH_LIMIT_APPEND_BYTES
#define LIMIT_DATA BOUGH_LIMIT_DATA
#define LIMIT_METADATA BOUGH_LIMIT_METADATA
#define LIMIT_TEXT BOUGH_LIMIT_TEXT

/* Attachments */
#define LIMIT_CHUNK 65536 /* one row of file bytes: eight pages */
#define LIMIT_ATTACHMENT_BYTES BOUGH_LIMIT_ATTACHMENT_BYTES
#define LIMIT_INLINE BOUGH_LIMIT_INLINE
#define LIMIT_LOOSE_MS BOUGH_LIMIT_LOOSE_MS

/* Usage of one call: more is a mistake of the caller. Sums of these do not overflow in practice. */
#define LIMIT_TOKENS BOUGH_LIMIT_TOKENS
#define LIMIT_COST BOUGH_LIMIT_COST

#define LIMIT_ADJUST BOUGH_LIMIT_ADJUST

/* Short strings */
#define LIMIT_TITLE BOUGH_LIMIT_TITLE
#define LIMIT_ID BOUGH_LIMIT_ID
#define LIMIT_KEY BOUGH_LIMIT_KEY
#define LIMIT_NAME BOUGH_LIMIT_NAME
#define LIMIT_PATH BOUGH_LIMIT_PATH

/* Reading */
#define LIMIT_PAGE BOUGH_LIMIT_PAGE
#define LIMIT_CONTEXT BOUGH_LIMIT_CONTEXT
#define LIMIT_CONTEXT_BYTES BOUGH_LIMIT_CONTEXT_BYTES
#define LIMIT_EXPORT 200000 /* messages, or calls, of a session exported over HTTP */
#define LIMIT_LIST_DEFAULT BOUGH_LIMIT_LIST_DEFAULT
#define LIMIT_PENDING BOUGH_LIMIT_PENDING
#define LIMIT_CHAIN BOUGH_LIMIT_CHAIN

/* Importing */
#define LIMIT_UNPACKED INT64_C(0x400000000) /* 16 GB of a compressed file */

/* Searching */
#define LIMIT_SEARCH_WORDS (1024 * 1024) /* of one entry's words that are indexed */
#define LIMIT_SEARCH_QUERY BOUGH_LIMIT_SEARCH_QUERY
#define LIMIT_SEARCH_TERMS BOUGH_LIMIT_SEARCH_TERMS
#define LIMIT_SEARCH_PHRASE BOUGH_LIMIT_SEARCH_PHRASE
#define LIMIT_SEARCH_DEFAULT BOUGH_LIMIT_SEARCH_DEFAULT
#define LIMIT_EXPRESSION_MS 2000 /* a regex scans every text; past this it stops and reports */
#define LIMIT_SNIPPET 240        /* bytes: three lines of a terminal */

/* Time, in milliseconds */
#define LIMIT_DEADLINE_MS BOUGH_LIMIT_DEADLINE_MS
#define LIMIT_LEASE_MS BOUGH_LIMIT_LEASE_MS
#define LIMIT_WRITING_MS 120000 /* a write transaction that takes longer is rolled back */
#define LIMIT_CATCH_UP_MS 200   /* a search first updates the full-text index, at most this long */

/* Bits in an id: 31 for a session or branch number, 32 for a depth, 28 for a record's ordinal */
#define LIMIT_BRANCH INT64_C(0x7fffffff)
#define LIMIT_SESSION INT64_C(0x7fffffff)
#define LIMIT_DEPTH INT64_C(0xffffffff)
#define LIMIT_RECORD INT64_C(0xfffffff)

#endif
