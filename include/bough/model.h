/* The model: plain structs that a store gives out. Everything they point to lives in the arena of
 * the call. */
#ifndef BOUGH_MODEL_H
#define BOUGH_MODEL_H

#include <bough/arena.h>
#include <bough/error.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    BOUGH_ID_LEN = 26,      /* characters of an id */
    BOUGH_PART_ID_LEN = 31, /* "<entry id>.<4 hex digits>" */
};

/* Times are milliseconds since 1970, UTC; 0 is "none". Money is nano-USD. Text is UTF-8 without
 * NUL; raw JSON is a bough_str. Strings that are not set are "", never NULL. */

enum bough_session_kind { BOUGH_PRIMARY, BOUGH_SUBAGENT };
enum bough_status {
    BOUGH_STATUS_IDLE,
    BOUGH_STATUS_BUSY,
    BOUGH_STATUS_RETRY,
    BOUGH_STATUS_ARCHIVED
};
enum bough_totals_mode { BOUGH_TOTALS_AUTO, BOUGH_TOTALS_MANUAL };

enum bough_entry_kind {
    BOUGH_ENTRY_MESSAGE,
    BOUGH_ENTRY_MODEL_CHANGE,
    BOUGH_ENTRY_THINKING_LEVEL_CHANGE,
    BOUGH_ENTRY_COMPACTION,
    BOUGH_ENTRY_BRANCH_SUMMARY,
    BOUGH_ENTRY_CUSTOM,
    BOUGH_ENTRY_CUSTOM_MESSAGE,
    BOUGH_ENTRY_LABEL,
    BOUGH_ENTRY_SESSION_INFO,
    BOUGH_ENTRY_OTHER, /* a kind we do not know: kept, named by kind_name, given back untouched */
};

enum bough_role {
    BOUGH_ROLE_NONE,
    BOUGH_ROLE_SYSTEM,
    BOUGH_ROLE_USER,
    BOUGH_ROLE_ASSISTANT,
    BOUGH_ROLE_TOOL,
    BOUGH_ROLE_BASH,
    BOUGH_ROLE_CUSTOM,
    BOUGH_ROLE_OTHER, /* the original word is data.role */
};

enum bough_part_type {
    BOUGH_PART_TEXT,
    BOUGH_PART_REASONING,
    BOUGH_PART_TOOL,
    BOUGH_PART_FILE,
    BOUGH_PART_STEP_START,
    BOUGH_PART_STEP_FINISH,
    BOUGH_PART_PATCH,
    BOUGH_PART_SNAPSHOT,
    BOUGH_PART_AGENT,
    BOUGH_PART_COMPACTION,
    BOUGH_PART_SUBTASK,
    BOUGH_PART_RETRY,
    BOUGH_PART_OTHER,
};

/* A part is its raw JSON: numbers, key order, duplicates and escapes come back as they came. */
struct bough_part {
    enum bough_part_type type;
    struct bough_str json;
};

struct bough_totals {
    int64_t input, output, reasoning, cache_read, cache_write; /* tokens */
    int64_t cost;                                              /* nano-USD */
};

struct bough_entry {
    char id[BOUGH_ID_LEN + 1];
    struct bough_head at; /* the branch that owns it, and its depth */
    const char *session;  /* id of the session that owns it */
    int64_t no;           /* store-wide order in time */
    int64_t mno;          /* messages on the path up to and including this one */
    enum bough_entry_kind kind;
    const char *kind_name;
    enum bough_role role;
    int64_t time; /* as the caller gave it, else when it was stored */
    int64_t deleted;
    bool open;          /* still being written: its parts are not here yet; see message.h */
    const char *origin; /* the id it came with, if it came with one */
    const char *finish;
    struct bough_str error;      /* raw JSON or empty */
    char call[BOUGH_ID_LEN + 1]; /* the call that produced it, or "" */
    bool has_usage;
    struct bough_totals usage;
    int64_t duration;  /* ms */
    int64_t keep_from; /* compaction: the first depth still shown; 0 = nothing before the marker */
    struct bough_str data;     /* every original field without a place of its own; raw JSON */
    struct bough_str metadata; /* raw JSON */
    const struct bough_part *parts;
    size_t nparts;
};

struct bough_entries {
    struct bough_entry *at;
    size_t n;
    bool more;              /* another page follows */
    struct bough_head next; /* pass as `after` or `before` to get it */
};

/* One request to a model provider. */
struct bough_call {
    char id[BOUGH_ID_LEN + 1];
    const char *session;
    const char *request_id;
    const char *want_provider, *want_model, *want_kind; /* who was asked */
    const char *provider, *model, *kind;                /* who answered */
    const char *status;                                 /* "ok", "error", ...; free */
    struct bough_str error;                             /* raw JSON or empty */
    struct bough_str usage;                             /* the provider's own, raw JSON */
    struct bough_totals used;
    int64_t total_tokens; /* as reported; 0 when not */
    int64_t duration;     /* ms */
    int64_t time;
};

struct bough_calls {
    struct bough_call *at;
    size_t n;
};

struct bough_lease {
    const char *owner;
    int64_t epoch, since, expires;
};

struct bough_session {
    char id[BOUGH_ID_LEN + 1];
    int64_t number;     /* "#number" is how people type it */
    const char *origin; /* the id it was created with, if the caller chose one */
    enum bough_session_kind kind;
    const char *parent;     /* id of the session it was forked from or spawned by */
    const char *fork_entry; /* id of the last inherited entry */
    const char *parent_tool_use_id;
    const char *slug; /* unique; made at creation, kept by rename */
    const char *title;
    const char *project, *workspace, *account;
    enum bough_status status;
    struct bough_lease lease; /* while busy: who, since when */
    const char *provider_path;
    const char *role_name;
    const char *model_provider, *model_name;
    const char *system_prompt;
    const char *user_name;
    const char *version; /* the shape of `data`; default "1"; no lock */
    struct bough_str data, metadata;
    enum bough_totals_mode totals_mode;
    struct bough_totals own;                                  /* the session's own calls */
    struct bough_totals rolled;                               /* own, subagents and adjustments */
    struct bough_totals adjusted;                             /* the adjustments alone */
    int64_t messages, calls;                                  /* own, alive */
    const char *last_model, *last_provider, *last_request_id; /* of the last call */
    int64_t last_cost;
    const char *first_user, *last_user, *last_agent; /* previews: 256, 160, 160 bytes */
    int64_t created, updated, modified, deleted;
    int64_t rev; /* `no` of its last change */
    struct bough_head head;
};

struct bough_sessions {
    struct bough_session *at;
    size_t n;
    const char *next; /* cursor of the next page, "" at the end */
};

/* A fresh ULID, for callers that want to choose an id themselves. */
void bough_id_new(char out[BOUGH_ID_LEN + 1]);

const char *bough_entry_kind_name(enum bough_entry_kind kind); /* "model_change"; "other" */
const char *bough_role_name(enum bough_role role);             /* "assistant"; "" for none */
enum bough_role bough_role_parse(const char *name);            /* unknown -> BOUGH_ROLE_OTHER */
const char *bough_status_name(enum bough_status status);
const char *bough_part_type_name(enum bough_part_type type);

/* Money. Not a number, infinite or too large is BOUGH_INVALID. */
BOUGH_MUST_CHECK enum bough_rc bough_money_from_usd(double usd, int64_t *nano,
                                                    struct bough_error *err);
int64_t bough_money_micros(int64_t nano);                    /* rounded half to even */
void bough_money_text(int64_t nano, char *out, size_t size); /* "0.001234", six decimals */

#ifdef __cplusplus
}
#endif
#endif
