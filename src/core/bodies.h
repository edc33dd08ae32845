/* Bodies: what is packed into the rows of sessions, records and lists, one table of fields each. */
#ifndef CORE_BODIES_H
#define CORE_BODIES_H

#include "core/body.h"

struct session_body {
    const char *title, *origin;
    int64_t project, workspace, account; /* record ordinals, 0 when none */
    const char *fork_entry;              /* id of the last inherited entry */
    int64_t fork_bid, fork_depth;
    const char *parent_tool_use_id, *provider_path, *role_name, *model_provider, *model_name;
    const char *system_prompt, *user_name, *version;
    struct bough_str data, metadata;
    int64_t totals_mode, created;
};

/* Derived by the projector; see store/projector.h. */
struct list_body {
    struct bough_totals own;    /* own calls */
    struct bough_totals below;  /* calls (and what stands for them) of subagents, at any depth */
    struct bough_totals adjust; /* adjustments */
    struct bough_totals rolls;  /* of these, what stands for calls */
    int64_t totals_mode;
    int64_t messages, calls;
    const char *last_model, *last_provider, *last_request_id;
    int64_t last_cost, last_call_time, last_call_ord;
    const char *first_user, *last_user, *last_agent;
    int64_t first_user_no, last_user_no, last_agent_no;
    int64_t rev;
    int64_t last_said; /* the latest time of a user's or assistant's message, deleted or not */
};

struct call_body {
    int64_t made, chk;
    const char *origin;
    const char *request_id, *want_provider, *want_model, *want_kind, *provider, *model, *kind,
        *status;
    struct bough_str error, usage;
    struct bough_totals used;
    int64_t total_tokens, duration, time;
};

struct adjust_body {
    int64_t made, chk;
    struct bough_totals delta;
    int64_t time;
    int64_t project; /* of the store: the project whose purged session it stands for */
    bool rolls;      /* stands for calls: counts for the sessions that spawned this one, too */
    const char *why;
};

struct memory_body {
    int64_t made, chk;
    int64_t scope, project;
    const char *title, *body, *content, *source, *path;
    int64_t created, updated;
};

struct label_body {
    int64_t bid, depth;
    const char *entry; /* id */
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

struct place_body {
    int64_t made, chk;
    const char *name;
    int64_t created;
};

struct queue_body {
    int64_t made, chk;
    int64_t order; /* smaller is sooner, of equals the smaller ordinal */
    int64_t from;  /* when it came, none that waited had a smaller ordinal; 0: none waited */
    const char *content, *runtime_kind, *provider, *model, *workspace, *system_prompt, *adapter_id;
    struct bough_str data;
    int64_t created, updated;
};

struct source_body {
    const char *path, *format, *hash, *session;
    int64_t size, offset;
    const char *owner;
    int64_t expires, updated;
};

struct token_body {
    int64_t made, chk;
    const char *label, *project;
    const char *hash; /* SHA-256 of the secret in hex; the secret is kept nowhere */
    int64_t scopes, created, expires, used;
};

struct quarantine_body {
    int64_t time;
    const char *where, *why, *row; /* row: its table and its numbers */
    struct bough_str bytes;        /* its body, as it was */
};

extern const struct body_field session_fields[], list_fields[], call_fields[], adjust_fields[],
    memory_fields[], label_fields[], todo_fields[], audit_fields[], place_fields[], queue_fields[],
    source_fields[], token_fields[], quarantine_fields[];

#endif
