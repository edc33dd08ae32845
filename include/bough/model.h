/* The model: the structs that a store gives out. Everything that they point to lives in the arena
 * that was passed to the call. */
#ifndef BOUGH_MODEL_H
#define BOUGH_MODEL_H

#include <bough/arena.h>
#include <bough/error.h>
#include <bough/money.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    BOUGH_ID_LEN = 26,      /* characters of an id */
    BOUGH_PART_ID_LEN = 31, /* "<entry id>.<4 hex digits>" */
    BOUGH_CURSOR_LEN = 63,  /* most characters of a cursor */
};

/*
 * Rules for all structs:
 *
 * - Times are milliseconds since 1970, UTC; 0 is none. Durations are milliseconds. Money is
 *   nano-USD. Text is UTF-8 without NUL. Raw JSON is a bough_str, empty when there is none.
 * - In results, text that is not set is "", and only pointers whose comment says so are NULL. An
 *   optional struct is a pointer, NULL when it is absent. In arguments, NULL and "" mean "not
 *   given" unless the comment says otherwise.
 * - A pointer argument must not be NULL unless its comment says that it may be: else the call is
 *   BOUGH_INVALID and does nothing. `err` and the `user` of a callback may always be NULL, and so
 * may an array whose count is 0. Text is the exception: see above.
 * - Lists are { at, n }. Lists that come in pages add `next`: pass it as `cursor` in the options to
 *   get the next page; "" means there is none. A cursor is opaque text of at most BOUGH_CURSOR_LEN
 *   characters, is valid for the same list with the same options, and outlives the process. A
 *   cursor that the list did not give is BOUGH_INVALID, and so is a negative limit.
 * - `reserved` is room for members of later versions. Sizes and offsets never change. Callers
 *   initialise the structs that they pass, for example with { .member = value }, which makes
 *   `reserved` zero; anything else is BOUGH_INVALID. Name the members: a later version may add one.
 */

/* The numbers of the next six enums are stored. A number keeps its meaning for ever: add a value
 * with the next number behind the others, never renumber, never reuse a number. *_LAST is the
 * highest number so far; it grows, so do not store it. See CONTRIBUTING.md. */
enum bough_session_kind {
    BOUGH_PRIMARY = 0,
    BOUGH_SUBAGENT = 1,
    BOUGH_SESSION_KIND_LAST = BOUGH_SUBAGENT,
};
enum bough_status {
    BOUGH_STATUS_IDLE = 0,
    BOUGH_STATUS_BUSY = 1,
    BOUGH_STATUS_RETRY = 2,
    BOUGH_STATUS_ARCHIVED = 3,
    BOUGH_STATUS_LAST = BOUGH_STATUS_ARCHIVED,
};
/*
 * How the calls of a session count towards the rolled totals, its own and those of its ancestors.
 * AUTO: every call counts, in the session and in its ancestors over subagent links. MANUAL: a call
 * counts in `own` only, and the rolled totals are what bough_totals_add() and
 * bough_totals_propagate() say; for programs that add up by themselves, as hygge does.
 */
enum bough_totals_mode {
    BOUGH_TOTALS_AUTO = 0,
    BOUGH_TOTALS_MANUAL = 1,
};

enum bough_entry_kind {
    BOUGH_ENTRY_MESSAGE = 0,
    BOUGH_ENTRY_MODEL_CHANGE = 1,
    BOUGH_ENTRY_THINKING_LEVEL_CHANGE = 2,
    BOUGH_ENTRY_COMPACTION = 3,
    BOUGH_ENTRY_BRANCH_SUMMARY = 4,
    BOUGH_ENTRY_CUSTOM = 5,
    BOUGH_ENTRY_CUSTOM_MESSAGE = 6,
    BOUGH_ENTRY_LABEL = 7,
    BOUGH_ENTRY_SESSION_INFO = 8,
    BOUGH_ENTRY_OTHER =
        9, /* a kind we do not know: kept, named by kind_name, given back untouched */
    BOUGH_ENTRY_LAST = BOUGH_ENTRY_OTHER,
};

enum bough_role {
    BOUGH_ROLE_NONE = 0,
    BOUGH_ROLE_SYSTEM = 1,
    BOUGH_ROLE_USER = 2,
    BOUGH_ROLE_ASSISTANT = 3,
    BOUGH_ROLE_TOOL = 4,
    BOUGH_ROLE_BASH = 5,
    BOUGH_ROLE_CUSTOM = 6,
    BOUGH_ROLE_OTHER = 7, /* the original word is data.role */
    BOUGH_ROLE_LAST = BOUGH_ROLE_OTHER,
};

/* What became of a message. Stored: add at the end, never renumber. */
enum bough_outcome {
    BOUGH_OUTCOME_NONE = 0, /* there is no message */
    BOUGH_OUTCOME_OK = 1,
    BOUGH_OUTCOME_ERROR = 2,       /* it has an error, or it is the result of a tool that failed */
    BOUGH_OUTCOME_INTERRUPTED = 3, /* its writer stopped, or was stopped */
    BOUGH_OUTCOME_OPEN = 4,        /* it is still being written */
    BOUGH_OUTCOME_LAST = BOUGH_OUTCOME_OPEN,
};

enum bough_part_type {
    BOUGH_PART_TEXT = 0,
    BOUGH_PART_REASONING = 1,
    BOUGH_PART_TOOL = 2,
    BOUGH_PART_FILE = 3,
    BOUGH_PART_STEP_START = 4,
    BOUGH_PART_STEP_FINISH = 5,
    BOUGH_PART_PATCH = 6,
    BOUGH_PART_SNAPSHOT = 7,
    BOUGH_PART_AGENT = 8,
    BOUGH_PART_COMPACTION = 9,
    BOUGH_PART_SUBTASK = 10,
    BOUGH_PART_RETRY = 11,
    BOUGH_PART_OTHER = 12, /* a type we do not know: its word is in its JSON */
    BOUGH_PART_LAST = BOUGH_PART_OTHER,
};

/*
 * The id of a part is "<entry id>.<number>": four hex digits in lower case, the position of the
 * part in bough_entry.parts, counted from 0000. Parts are never reordered or removed, so it stays
 * valid; in an open message a part has its number from the step that adds it. See bough_part_get().
 */

/* One part of a message: its raw JSON. Numbers, key order, duplicate keys and escapes come back as
 * they came. A value that will never grow: everything else is inside the JSON. */
struct bough_part {
    enum bough_part_type type;
    struct bough_str json;
};

/* Tokens and money: what one call spent, or the sum of many. */
struct bough_totals {
    int64_t input, output, reasoning, cache_read, cache_write; /* tokens */
    int64_t cost;                                              /* nano-USD */
    uint64_t reserved[4];                                      /* room to grow: must be 0 */
};

/* One entry of a path: a message, or what happened between messages. */
struct bough_entry {
    char id[BOUGH_ID_LEN + 1];
    struct bough_head at; /* the branch that holds it, and its depth */
    const char *session;  /* id of the session that wrote it */
    int64_t no;           /* its number in the changelog: the order of time in the whole store */
    int64_t mno;          /* number of messages on the path up to and including this entry */
    enum bough_entry_kind kind;
    const char *kind_name;            /* the kind as a word; for BOUGH_ENTRY_OTHER, as it came */
    enum bough_role role;             /* BOUGH_ROLE_NONE unless it is a message */
    int64_t time;                     /* as the caller gave it, else when it was stored */
    int64_t deleted;                  /* when it was deleted; 0: it is not */
    bool open;                        /* an open message: it has no parts yet; see message.h */
    const char *origin;               /* the id that the caller gave it, or "" */
    const char *finish;               /* why the model stopped, or "" */
    struct bough_str error;           /* raw JSON or empty */
    char call[BOUGH_ID_LEN + 1];      /* the call that produced it, or "" */
    const struct bough_totals *usage; /* what it spent; NULL when not given */
    int64_t duration;                 /* ms */
    int64_t keep_from; /* compaction: first depth that is still shown; 0: none before the marker */
    struct bough_str data;     /* raw JSON object: fields that have no member here */
    struct bough_str metadata; /* raw JSON object */
    const struct bough_part *parts;
    size_t nparts;
    uint64_t reserved[8]; /* room to grow */
};

struct bough_entries {
    struct bough_entry *at;
    size_t n;
    const char *next;     /* cursor of the next page, "" at the end */
    uint64_t reserved[4]; /* room to grow */
};

/* One request to a model provider, and what it cost. */
struct bough_call {
    char id[BOUGH_ID_LEN + 1];
    const char *session;                                /* id of the session that made it */
    const char *request_id;                             /* as the provider named it */
    const char *want_provider, *want_model, *want_kind; /* what was requested */
    const char *provider, *model, *kind;                /* what answered */
    const char *status;                                 /* free text: "ok", "error", ... */
    struct bough_str error;                             /* raw JSON or empty */
    struct bough_str usage; /* as the provider reported it; raw JSON or empty */
    struct bough_totals used;
    int64_t total_tokens; /* as reported; 0 when not reported */
    int64_t duration;     /* ms */
    int64_t time;
    enum bough_cost_source cost_source;
    int attempt;            /* of its request, from 1; 0 when not known */
    const char *exchange;   /* id of the request that it is an attempt of, or "" */
    int64_t first_byte;     /* ms until the first byte of the answer; 0 when not known */
    const char *purpose;    /* why it was made beside the conversation: "title", ...; or "" */
    const char *principal;  /* who asked, or "" */
    struct bough_str notes; /* raw JSON object or empty; see bough/exchange.h */
    uint64_t reserved[1];   /* room to grow */
};

struct bough_calls {
    struct bough_call *at;
    size_t n;
    uint64_t reserved[4]; /* room to grow */
};

/* The right of one owner to work in a session, or to write a message, for a limited time. */
struct bough_lease {
    const char *owner;      /* free text; "" when none was given */
    int64_t epoch;          /* grows with every new owner */
    int64_t since, expires; /* times */
    uint64_t reserved[4];   /* room to grow */
};

/* One conversation. */
struct bough_session {
    char id[BOUGH_ID_LEN + 1];
    int64_t number;     /* counted from 1 in the store; people type it as "75" or "#75" */
    const char *origin; /* the id that the caller gave it, or "" */
    enum bough_session_kind kind;
    const char *parent;     /* id of the session that it was forked from or spawned by, or "" */
    const char *fork_entry; /* id of the last entry that a fork inherits, or "" */
    const char *parent_tool_use_id; /* the tool call that spawned it, or "" */
    const char *slug;               /* unique name; made from the first title and then kept */
    const char *title;
    const char *project, *workspace, *account;
    enum bough_status status;
    const struct bough_lease *lease; /* NULL unless the status is BOUGH_STATUS_BUSY */
    const char *provider_path;
    const char *role_name;
    const char *model_provider, *model_name;
    const char *system_prompt;
    const char *user_name;
    const char *version;             /* of the shape of `data`; "1" when not given */
    struct bough_str data, metadata; /* raw JSON objects; "{}" when not given */
    enum bough_totals_mode totals_mode;
    struct bough_totals own;      /* the session's own calls */
    struct bough_totals rolled;   /* own, those of subagents, and adjustments */
    struct bough_totals adjusted; /* the adjustments alone */
    int64_t messages, calls;      /* written here and not deleted */
    const char *last_model, *last_provider, *last_request_id; /* of the last call */
    int64_t last_cost;
    const char *first_user, *last_user, *last_agent; /* previews: 256, 160 and 160 bytes */
    int64_t created;                                 /* as given, else when it was stored */
    int64_t updated;  /* its last change of any kind; of what an import brought: when that happened,
                         not when it was imported */
    int64_t modified; /* its last message */
    int64_t deleted;  /* when it was deleted; 0: it is not */
    int64_t rev;      /* changelog number of its last change */
    struct bough_head head;
    int64_t
        errors; /* in messages written here and not deleted: messages that failed, tools that did */
    enum bough_outcome last_state; /* of the last message written here and not deleted */
    uint64_t reserved[6];          /* room to grow */
};

struct bough_sessions {
    struct bough_session *at;
    size_t n;
    const char *next;     /* cursor of the next page, "" at the end */
    int64_t total;        /* sessions that match, on all pages, if asked for */
    bool total_at_least;  /* counting was given up: there are at least `total` */
    uint64_t reserved[2]; /* room to grow */
};

/* Write a new ULID to `out`, for callers that choose ids themselves. Within a process each one is
 * greater than the one before, also in the same millisecond and when the clock goes back. */
void bough_id_new(char out[BOUGH_ID_LEN + 1]);

/* The word for an enumerator: "model_change", "assistant" ("" for BOUGH_ROLE_NONE), "idle",
 * "reasoning". Constants, never NULL. */
const char *bough_entry_kind_name(enum bough_entry_kind kind);
const char *bough_role_name(enum bough_role role);
const char *bough_status_name(enum bough_status status);
const char *bough_outcome_name(enum bough_outcome outcome); /* "" for BOUGH_OUTCOME_NONE */
const char *bough_part_type_name(enum bough_part_type type);

/* The role for a word, also for the words of other tools ("developer", "model"). NULL and "" are
 * BOUGH_ROLE_NONE, an unknown word is BOUGH_ROLE_OTHER. */
enum bough_role bough_role_parse(const char *name);

#ifdef __cplusplus
}
#endif
#endif
