/* Every limit of bough in one place, each with its reason. Sizes are bytes unless named. */
#ifndef BASE_LIMITS_H
#define BASE_LIMITS_H

#include <stdint.h>

/* JSON */
#define LIMIT_JSON_DEPTH 512 /* deeper than any real message; bounds every stack we keep */
#define LIMIT_JSON_BYTES (UINT32_MAX - 16u) /* nodes hold 32-bit offsets */

/* One message, one append */
#define LIMIT_PARTS 4096                         /* per message: a part number is 4 hex digits */
#define LIMIT_MESSAGE_BYTES (64ll * 1024 * 1024) /* larger things are attachments */
#define LIMIT_APPEND_ENTRIES 4096                /* one transaction must stay short */
#define LIMIT_APPEND_BYTES (256ll * 1024 * 1024) /* it is held in memory at once */
#define LIMIT_DATA (16ll * 1024 * 1024)          /* free-form JSON beside a message or session */
#define LIMIT_METADATA (1024ll * 1024)           /* read with every listing, so kept smaller */
#define LIMIT_TEXT (16ll * 1024 * 1024)          /* summaries, memories: read as one string */

/* Attachments */
#define LIMIT_CHUNK 65536                                 /* one row: eight pages */
#define LIMIT_ATTACHMENT_BYTES (4ll * 1024 * 1024 * 1024) /* a piece's number has 24 bits */
#define LIMIT_INLINE                                                                               \
    16384 /* base64 in a file or tool part from here on is kept as an attachment                   \
           */
#define LIMIT_LOOSE_MS                                                                             \
    (24ll * 3600 * 1000) /* unlinked ones stay so long: time to append the part */

/* One call: more is a mistake of the caller, and sums of these cannot overflow in practice */
#define LIMIT_TOKENS INT64_C(1000000000000)  /* a trillion tokens of one kind */
#define LIMIT_COST INT64_C(1000000000000000) /* nano-USD: a million dollars */

#define LIMIT_ADJUST INT64_C(0x20000000000000) /* one adjustment, either way: 2^53 */

/* Short strings */
#define LIMIT_TITLE 4096 /* people type these; a pasted paragraph still fits */
#define LIMIT_ID 256     /* ids from elsewhere, kept verbatim and indexed */
#define LIMIT_KEY 256    /* idempotency keys: indexed, so short */
#define LIMIT_NAME 1024  /* models, projects, roles, users */
#define LIMIT_PATH 4096  /* PATH_MAX on Linux */

/* Reading */
#define LIMIT_PAGE 10000      /* rows a page: a page is built in memory */
#define LIMIT_LIST_DEFAULT 50 /* rows when nobody says how many */
#define LIMIT_PENDING 256     /* queued prompts a session: a queue longer than this is a bug */
#define LIMIT_CHAIN 33        /* totals_propagate: rows up the parent chain, itself included */

/* Searching */
#define LIMIT_SEARCH_WORDS (1024 * 1024) /* words of one entry that are searched */
#define LIMIT_SEARCH_QUERY (16 * 1024)   /* of what somebody typed or pasted */
#define LIMIT_SEARCH_TERMS 64            /* of a query; FTS5 and people give up at more */
#define LIMIT_SEARCH_PHRASE 32           /* words of a phrase */
#define LIMIT_SEARCH_DEFAULT 20          /* hits when nobody says how many */
#define LIMIT_EXPRESSION_MS 2000         /* re: looks at every text; then it says how far it came */
#define LIMIT_SNIPPET 240                /* fits three lines of a terminal */

/* Time, in milliseconds */
#define LIMIT_READER_AGE_MS 60000 /* an older read snapshot keeps the log from being trimmed */
#define LIMIT_DEADLINE_MS 10000   /* how long a call waits for a lock when nobody says */
#define LIMIT_CATCH_UP_MS 200     /* how long a search first brings the index up to date */

/* What an id has bits for: 31 for a number, 32 for a position, 28 for a record's ordinal */
#define LIMIT_BRANCH INT64_C(0x7fffffff)
#define LIMIT_SESSION INT64_C(0x7fffffff)
#define LIMIT_DEPTH INT64_C(0xffffffff)
#define LIMIT_RECORD INT64_C(0xfffffff)

#endif
