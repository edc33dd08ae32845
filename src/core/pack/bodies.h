/*
 * Bodies: the structs packed into the rows of sessions, records and lists, with one table of
 * fields each. `made` and `chk` are the creation time and check bits of the record's id. A time is
 * in milliseconds since 1970, 0 when unset.
 */
#ifndef CORE_PACK_BODIES_H
#define CORE_PACK_BODIES_H

#include "core/pack/body.h"

struct session_body {
    const char *title, *origin;
    int64_t project, workspace, account; /* ordinals of group records, 0: none */
    const char *fork_entry;              /* id of the last inherited entry */
    int64_t fork_bid, fork_depth;
    const char *parent_tool_use_id, *provider_path, *role_name, *model_provider, *model_name;
    const char *system_prompt, *user_name, *version;
    struct bough_str data, metadata;
    int64_t totals_mode, created;
    const char *client_key; /* a client's name of the session; see core/match/chain.h */
    int64_t scope;          /* of client_key */
};

/* A session's row in lists: a projection, derived by store/project/projector.h. */
struct list_body {
    struct bough_totals own;    /* the session's own calls */
    struct bough_totals below;  /* calls of its subagents at any depth, and their `rolls` */
    struct bough_totals adjust; /* all adjustments of the session */
    struct bough_totals rolls;  /* the part of `adjust` that replaces purged calls */
    int64_t totals_mode;
    int64_t messages, calls;
    const char *last_model, *last_provider, *last_request_id;
    int64_t last_cost, last_call_time, last_call_ord;
    const char *first_user, *last_user, *last_agent;
    int64_t first_user_no, last_user_no, last_agent_no;
    int64_t rev;
    int64_t last_said; /* latest time of a user or assistant message, deleted ones included */
    int64_t errors;    /* in messages that are not deleted */
    int64_t last_no, last_state; /* number and outcome of the last message that is not deleted */
};

struct call_body {
    int64_t made, chk;
    const char *origin;
    const char *request_id, *want_provider, *want_model, *want_kind, *provider, *model, *kind,
        *status;
    struct bough_str error, usage;
    struct bough_totals used;
    int64_t total_tokens, duration, time;
    /* The ordinals of the session's project and account when the call was stored, plus 1. 0: not
     * kept; the session's own count. */
    int64_t project, account;
    /* Of calls of an exchange (store/exchange), else 0 or "". */
    int64_t attempt, first_byte;     /* first_byte: milliseconds */
    const char *exchange;            /* the request that it is an attempt of */
    int64_t cost_source;             /* enum bough_cost_source */
    const char *principal;           /* who asked */
    int64_t scope;                   /* of its seen rows; 0: it has none */
    int64_t at_bid, at_depth;        /* the entry that it answers */
    int64_t system_at, system_sum;   /* depth of the system text that was sent, and its digest */
    int64_t request_at, request_sum; /* the same of tools and parameters */
    const char *purpose;
    struct bough_str notes; /* a JSON object */
    struct bough_str was;   /* old prices: see core/pack/reprice.h */
};

struct adjust_body {
    int64_t made, chk;
    struct bough_totals delta;
    int64_t time;
    int64_t project; /* adjustments of the store: the project of the purged session */
    bool rolls;      /* replaces purged calls, so it counts for the parent sessions, too */
    const char *why;
    struct bough_str spend; /* the spend rows of the purged session: core/model/spend.h */
};

struct memory_body {
    int64_t made, chk;
    int64_t scope, project;
    const char *title, *body, *content, *source, *path;
    int64_t created, updated;
};

struct label_body {
    int64_t bid, depth; /* the labelled entry's slot */
    const char *entry;  /* its id */
    const char *text;
    int64_t time;
};

struct todo_body {
    struct bough_str items; /* JSON array of {content, status, priority} */
    int64_t updated;
};

struct audit_body {
    int64_t time;
    const char *action, *target, *detail, *principal;
};

/* A group: a project, workspace or account. */
struct group_body {
    int64_t made, chk;
    const char *name;
    int64_t created;
};

struct queue_body {
    int64_t made, chk;
    int64_t order; /* smaller runs first; ties by smaller ordinal */
    int64_t from;  /* smallest ordinal waiting when this item was added; 0: queue was empty */
    const char *content, *runtime_kind, *provider, *model, *workspace, *system_prompt, *adapter_id;
    struct bough_str data;
    int64_t created, updated;
};

/* An imported file and how far it was read. */
struct source_body {
    const char *path, *format, *hash, *session;
    int64_t size, offset;
    const char *owner; /* holds the claim on the file until `expires` */
    int64_t expires, updated;
};

struct token_body {
    int64_t made, chk;
    const char *label, *project;
    const char *hash; /* SHA-256 of the secret in hex; the secret is not stored */
    int64_t scopes, created, expires, used;
    int64_t kind;      /* enum token_kind */
    const char *agent; /* the browser, as it calls itself */
};

/* Stored: add at the end, never renumber. */
enum token_kind { TOKEN_API = 0, TOKEN_BROWSER = 1, TOKEN_KIND_LAST = TOKEN_BROWSER };

struct quarantine_body {
    int64_t time;
    const char *where, *why, *row; /* row: the damaged row's table and key */
    struct bough_str bytes;        /* its body, unchanged */
};

/* What the store remembers of itself under a name: see store/notes/state.h. */
struct state_body {
    const char *name, *by; /* by: the principal that did it */
    int64_t time;
    struct bough_str data; /* a JSON object */
};

/*
 * Runs, approvals and grants are state records too, of sessions: the first four tags of their
 * tables are those of state_fields, and `name` tells them apart. See store/run/run.h.
 */
struct run_body {
    const char *name, *by; /* by: the principal that started it */
    int64_t time;          /* of its last change */
    struct bough_str data; /* a JSON object */
    int64_t made, chk;
    int64_t number;               /* counted from 1 in its session */
    int64_t runtime, status, why; /* enum bough_run_... */
    const char *task, *after;     /* ids: first run of its chain, run before it; "": none */
    const char *adapter, *native, *provider, *model, *host, *workspace, *system_prompt;
    struct bough_str servers, git;   /* a JSON array, a JSON object */
    int64_t bid, first, last;        /* its entries; bid 0: see run_depths() */
    int64_t prompt_made, prompt_chk; /* of the id of its prompt, entry `first`; 0: it has none */
    int64_t max_turns, max_time, max_cost; /* limits; 0: none */
    int64_t turns, tools;
    int64_t approvals, settled, seen; /* asked, settled, settled when it began to wait */
    int64_t context_used, context_size;
    const char *cancel_by, *cancel_note;
    int64_t cancel_time;
    const char *error_code, *error;
    int64_t started, ended;
    int64_t waiting,
        waited; /* since when it waits for an approval, and for how long it did before */
};

struct approval_body {
    const char *name, *by; /* by: who settled it */
    int64_t time;          /* of its last change */
    struct bough_str data; /* a JSON object */
    int64_t made, chk;
    int64_t run;       /* ordinal */
    const char *entry; /* id of the entry with the tool call */
    int64_t part;      /* index of the tool part */
    const char *tool, *kind, *title;
    struct bough_str options;    /* a JSON array */
    int64_t status, scope, path; /* enum bough_approval_... */
    const char *option, *note;
    int64_t expires, settled; /* times */
    bool stop;                /* the rejection ends the run */
};

struct grant_body {
    const char *name, *by; /* by: who gave it */
    int64_t time;          /* of its last change */
    struct bough_str data; /* a JSON object */
    int64_t made, chk;
    int64_t scope; /* enum bough_approval_scope */
    const char *workspace, *tool;
    const char *approval; /* id of the approval that it came from, or "" */
};

/* A run or an approval in the store's order of creation: RECORD_ORDER of session 0. */
struct order_body {
    int64_t sid, ord; /* of its state record */
    int64_t what;     /* enum order_what */
};

/* Stored: add at the end, never renumber. */
enum order_what { ORDER_RUN = 1, ORDER_APPROVAL = 2, ORDER_LAST = ORDER_APPROVAL };

extern const struct body_field session_fields[], list_fields[], call_fields[], adjust_fields[],
    memory_fields[], label_fields[], todo_fields[], audit_fields[], group_fields[], queue_fields[],
    source_fields[], token_fields[], quarantine_fields[], state_fields[], run_fields[],
    approval_fields[], grant_fields[], order_fields[];

#endif
