/*
 * Limits of what callers pass and get, each with its reason. Sizes are in bytes unless noted.
 * Beyond them a call is BOUGH_TOO_LARGE, BOUGH_TOO_DEEP, BOUGH_FULL or BOUGH_INVALID, and writes
 * nothing. They are those of this version of the library; a later one may allow more.
 */
#ifndef BOUGH_LIMITS_H
#define BOUGH_LIMITS_H

#include <stdint.h>

/* Deeper than any real message; bounds all stacks. */
#define BOUGH_LIMIT_JSON_DEPTH 512
/* Per message: a part number is 4 hex digits. */
#define BOUGH_LIMIT_PARTS 4096
/* Larger data belongs in attachments. */
#define BOUGH_LIMIT_MESSAGE_BYTES (64ll * 1024 * 1024)
/* One transaction must stay short. */
#define BOUGH_LIMIT_APPEND_ENTRIES 4096
/* An append is held in memory as a whole. */
#define BOUGH_LIMIT_APPEND_BYTES (256ll * 1024 * 1024)
/* Free-form JSON beside a message or session. */
#define BOUGH_LIMIT_DATA (16ll * 1024 * 1024)
/* Smaller: read with every listing. */
#define BOUGH_LIMIT_METADATA (1024ll * 1024)
/* Summaries, memories: each is read as one string. */
#define BOUGH_LIMIT_TEXT (16ll * 1024 * 1024)
/* A chunk number has 24 bits. */
#define BOUGH_LIMIT_ATTACHMENT_BYTES (4ll * 1024 * 1024 * 1024)
/* Base64 of this length in a file or tool part is moved to an attachment. */
#define BOUGH_LIMIT_INLINE 16384
/* An unlinked attachment is kept this long: time to append its part. */
#define BOUGH_LIMIT_LOOSE_MS (24ll * 3600 * 1000)
/* A trillion tokens of one kind. */
#define BOUGH_LIMIT_TOKENS INT64_C(1000000000000)
/* Nano-USD: a million dollars. */
#define BOUGH_LIMIT_COST INT64_C(1000000000000000)
/* Of one adjustment, either sign: 2^53. */
#define BOUGH_LIMIT_ADJUST INT64_C(0x20000000000000)
/* Typed by people; a pasted paragraph still fits. */
#define BOUGH_LIMIT_TITLE 4096
/* Ids of other tools, stored verbatim and indexed. */
#define BOUGH_LIMIT_ID 256
/* Idempotency keys; short because they are indexed. */
#define BOUGH_LIMIT_KEY 256
/* Models, projects, roles, users. */
#define BOUGH_LIMIT_NAME 1024
/* PATH_MAX on Linux. */
#define BOUGH_LIMIT_PATH 4096
/* Rows per page: a page is built in memory. */
#define BOUGH_LIMIT_PAGE 10000
/* Entries of a context: it is built in memory. */
#define BOUGH_LIMIT_CONTEXT 100000
/* Of their parts. */
#define BOUGH_LIMIT_CONTEXT_BYTES (256ll * 1024 * 1024)
/* Rows per page when the caller sets no limit. */
#define BOUGH_LIMIT_LIST_DEFAULT 50
/* Queued prompts per session: a longer queue is a bug. */
#define BOUGH_LIMIT_PENDING 256
/* Totals: sessions up the parent chain, itself included. */
#define BOUGH_LIMIT_CHAIN 33
/* Of a query's text, typed or pasted. */
#define BOUGH_LIMIT_SEARCH_QUERY (16 * 1024)
/* Terms per query: search_match.c has a bit for each. */
#define BOUGH_LIMIT_SEARCH_TERMS 64
/* Words per phrase. */
#define BOUGH_LIMIT_SEARCH_PHRASE 32
/* Hits when the caller sets no limit. */
#define BOUGH_LIMIT_SEARCH_DEFAULT 20
/* Default wait for a lock. */
#define BOUGH_LIMIT_DEADLINE_MS 10000
/* Of a lease: a dead owner blocks others no longer. */
#define BOUGH_LIMIT_LEASE_MS (24ll * 3600 * 1000)

#endif
