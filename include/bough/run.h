/*
 * Runs: a run answers one prompt of a session, by a model, by the agent loop or by an external
 * agent. An approval asks a person about one tool call of a run; a grant is an approval that lasts.
 *
 * A run is queued, then running, perhaps awaiting approval, and at last completed, failed or
 * cancelled. A run that has ended never changes again. A session has at most one live run. While it
 * lives the session is busy, and its lease is the lock:
 *
 * - A run that is queued, or waits after bough_run_wait(), holds the lease itself, as "run:ID",
 * without end. It needs no process.
 * - A process that works on it has claimed it and holds the lease as "run:ID@host" for 30 seconds;
 * it must renew it. Every claim has a larger epoch, and every call of the owner passes its epoch:
 *   BOUGH_LEASE_LOST when another process has taken the run over, or the lease has expired. Pass
 * owner and epoch to bough_append() and bough_message_open() as well.
 * - bough_run_recover() ends runs whose owner is gone. Nothing runs twice by itself.
 *
 * BOUGH_NOT_FOUND: there is no such run, approval or grant. Calls also fail as store.h says.
 */
#ifndef BOUGH_RUN_H
#define BOUGH_RUN_H

#include <bough/queue.h>
#include <bough/session.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The numbers of the enums in this file are stored: add at the end, never renumber. */

enum bough_run_status {
    BOUGH_RUN_QUEUED = 0,
    BOUGH_RUN_RUNNING = 1,
    BOUGH_RUN_AWAITING_APPROVAL = 2,
    BOUGH_RUN_COMPLETED = 3,
    BOUGH_RUN_FAILED = 4,
    BOUGH_RUN_CANCELLED = 5,
    BOUGH_RUN_STATUS_LAST = BOUGH_RUN_CANCELLED,
};

/* What answers the prompt. */
enum bough_run_runtime {
    BOUGH_RUNTIME_MODEL = 0,    /* one call of a model, without tools */
    BOUGH_RUNTIME_AGENT = 1,    /* the loop: a model with tools */
    BOUGH_RUNTIME_EXTERNAL = 2, /* another program, over ACP */
    BOUGH_RUNTIME_LAST = BOUGH_RUNTIME_EXTERNAL,
};

/* Why there is this run. */
enum bough_run_why {
    BOUGH_RUN_START = 0,    /* a prompt that begins a task */
    BOUGH_RUN_CONTINUE = 1, /* another prompt of the task of `after` */
    BOUGH_RUN_RESUME = 2,   /* goes on where `after` ended, without a prompt */
    BOUGH_RUN_RETRY = 3,    /* does again what `after` did, from an entry on */
    BOUGH_RUN_WHY_LAST = BOUGH_RUN_RETRY,
};

/* The names of the values ("awaiting_approval", "external", "resume"); "unknown" for others. */
const char *bough_run_status_name(enum bough_run_status status);
const char *bough_run_runtime_name(enum bough_run_runtime runtime);
const char *bough_run_why_name(enum bough_run_why why);
/* The value with this name; false: there is none, and *out is unchanged. */
bool bough_run_status_parse(const char *name, enum bough_run_status *out);
bool bough_run_runtime_parse(const char *name, enum bough_run_runtime *out);

/* Completed, failed or cancelled? */
bool bough_run_ended(enum bough_run_status status);

/* 0: no limit. */
struct bough_run_limits {
    int64_t turns;        /* model calls */
    int64_t time_ms;      /* without the time it waits for approvals */
    int64_t cost;         /* nano-USD */
    uint64_t reserved[2]; /* room to grow: must be 0 */
};

/* A wish to stop the run. The owner ends it. */
struct bough_run_cancel_wish {
    const char *by, *note; /* principal, and what it said; may be "" */
    int64_t time;
    uint64_t reserved[2]; /* room to grow */
};

struct bough_run {
    char id[BOUGH_ID_LEN + 1];
    const char *session; /* id */
    int64_t number;      /* counted from 1 in its session */
    enum bough_run_runtime runtime;
    enum bough_run_status status;
    enum bough_run_why why;
    const char *task;  /* id of the first run of its chain; its own if it is the first */
    const char *after; /* id of the run before it in the chain, or "" */
    const char *by;    /* principal that started it, or "" */
    const char *adapter, *native_id; /* of an external agent, or "" */
    const char *provider, *model;    /* as asked for, or "" */
    const char *host;                /* name of the server that accepted it, or "" */
    const char *workspace;           /* folder, or "" */
    const char *system_prompt;       /* or "" */
    struct bough_str servers;        /* raw JSON array: names of tool servers; "[]" */
    struct bough_str git;            /* raw JSON object: state and trees of the workspace; "{}" */
    struct bough_str data;           /* raw JSON object; "{}" */
    char prompt[BOUGH_ID_LEN + 1];   /* id of the user's message, or "" */
    struct bough_head first, last;   /* its entries so far; branch 0: none yet */
    struct bough_run_limits limits;
    int64_t turns, tools;       /* model calls and tool calls so far */
    int64_t approvals, settled; /* how many it asked for, and how many of them are settled */
    int64_t context_used, context_size;         /* tokens, as last reported; 0: not known */
    const struct bough_run_cancel_wish *cancel; /* NULL: there is no such wish */
    const char *error_code, *error;             /* of a failed run, else "" */
    int64_t created, started, ended, updated;   /* times; 0: not yet */
    int64_t waited_ms;               /* time it waited for approvals, up to now if it waits */
    const struct bough_lease *lease; /* who has it; NULL when it has ended */
    uint64_t reserved[8];            /* room to grow */
};

struct bough_runs {
    struct bough_run *at;
    size_t n;
    const char *next;     /* cursor of the next page, "" at the end */
    uint64_t reserved[4]; /* room to grow */
};

struct bough_run_start_options {
    const char *text;              /* of the user's message; or */
    const struct bough_str *parts; /* its parts, raw JSON */
    size_t nparts;                 /* without text and parts: the path to `at` is answered */
    const char *at;                /* behind this entry; NULL or "": behind the head */
    bool at_root;                  /* behind nothing; not with `at` */
    enum bough_run_runtime runtime;
    enum bough_run_why why;
    const char *after; /* id of a run of this session that has ended; START: NULL or "", and so may
                          be RETRY, of a prompt that no run has answered */
    const char *adapter, *native_id, *provider, *model, *host, *workspace, *system_prompt;
    struct bough_str servers, git, data; /* raw JSON; empty: none */
    struct bough_run_limits limits;
    bool queue;           /* while the session is busy: add the prompt to its queue instead */
    bool claim;           /* begin as running, claimed for `host` */
    int64_t lease_ms;     /* of the claim; 0: 30 seconds */
    const char *key;      /* idempotency key, as in bough_append(); not with `queue` */
    uint64_t reserved[6]; /* room to grow: must be 0 */
};

struct bough_run_start_result {
    struct bough_run *run;       /* NULL: the prompt was queued */
    struct bough_prompt *queued; /* NULL: the run was started */
    int64_t epoch;               /* of the claim; 0 without */
    bool replayed;        /* the key was known: this is the run of the first call, as it is now */
    uint64_t reserved[4]; /* room to grow */
};

/*
 * Start a run: the user's message, the run and the busy session are stored in one commit. The data
 * of the message is {"run": id}. A run of this session whose owner is gone is recovered first.
 *
 * BOUGH_BUSY: a live run, or another owner, has the session. BOUGH_INVALID: a prompt is missing
 * (START and CONTINUE need one), `after` is of another session or missing, an external run has no
 * adapter, or a queued prompt has more than text. BOUGH_CONFLICT: `after` has not ended. Otherwise
 * as bough_append().
 */
BOUGH_MUST_CHECK enum bough_rc bough_run_start(struct bough_store *s, struct bough_arena *a,
                                               const char *session,
                                               const struct bough_run_start_options *in,
                                               struct bough_run_start_result *out,
                                               struct bough_error *err);

BOUGH_MUST_CHECK enum bough_rc bough_run_get(struct bough_store *s, struct bough_arena *a,
                                             const char *id, struct bough_run **out,
                                             struct bough_error *err);

/* Filters: a run is listed when all that are given match. */
struct bough_run_list_options {
    const char *session; /* of this session; NULL or "": of all */
    const char *status; /* one or more words, "queued running"; BOUGH_INVALID for an unknown word */
    const char *host;
    const char *project;  /* of the session; a name that does not exist matches none */
    int64_t limit;        /* 0: 50; at most 10,000 */
    const char *cursor;   /* `next` of the previous page; NULL or "": the first page */
    uint64_t reserved[6]; /* room to grow: must be 0 */
};

/*
 * A page of runs, newest first. Live runs alone are found among the busy sessions, at most 10,000
 * of them. Any other list of the whole store looks at 10,000 runs at a time: a page may be short,
 * or empty, and have a `next`. `filter` may be NULL.
 */
BOUGH_MUST_CHECK enum bough_rc bough_run_list(struct bough_store *s, struct bough_arena *a,
                                              const struct bough_run_list_options *filter,
                                              struct bough_runs *out, struct bough_error *err);

struct bough_run_claim_options {
    const char *host;     /* name of the server that claims it */
    int64_t lease_ms;     /* 0: 30 seconds */
    uint64_t reserved[3]; /* room to grow: must be 0 */
};

/*
 * Take a run that is queued, or that waits and has an approval settled since. It is running then;
 * out->lease has owner and epoch. Only one caller gets it. BOUGH_CONFLICT: there is nothing to do
 * (it runs, waits, or has ended). BOUGH_DENIED: it has a workspace on another host.
 */
BOUGH_MUST_CHECK enum bough_rc bough_run_claim(struct bough_store *s, struct bough_arena *a,
                                               const char *id,
                                               const struct bough_run_claim_options *in,
                                               struct bough_run **out, struct bough_error *err);

struct bough_run_renew_result {
    bool cancel;          /* a wish to stop it is there */
    int64_t settled;      /* approvals that are settled so far */
    int64_t expires;      /* end of the lease */
    uint64_t reserved[3]; /* room to grow */
};

/* Extend the lease: `lease_ms` from now, 0: 30 seconds. Not in the changelog. `out` may be NULL. */
BOUGH_MUST_CHECK enum bough_rc bough_run_renew(struct bough_store *s, const char *id, int64_t epoch,
                                               int64_t lease_ms, struct bough_run_renew_result *out,
                                               struct bough_error *err);

/* What the owner reports. NULL, an empty bough_str and a number below 0 leave a field as it is. */
struct bough_run_set_options {
    const enum bough_run_status *status; /* RUNNING or AWAITING_APPROVAL: of a run that keeps its
                                            owner while it waits, as an external agent does */
    const char *native_id, *provider, *model;
    struct bough_str git, data;
    int64_t turns, tools;
    int64_t context_used, context_size;
    uint64_t reserved[6]; /* room to grow: must be 0 */
};
/* Leaves everything as it is. */
#define BOUGH_RUN_SET_NOTHING                                                                      \
    {                                                                                              \
        .turns = -1, .tools = -1, .context_used = -1, .context_size = -1                           \
    }

/* Change a run that the caller has claimed. `out` may be NULL. */
BOUGH_MUST_CHECK enum bough_rc bough_run_set(struct bough_store *s, struct bough_arena *a,
                                             const char *id, int64_t epoch,
                                             const struct bough_run_set_options *in,
                                             struct bough_run **out, struct bough_error *err);

/* Give a run that the caller has claimed back until another approval is settled: it then awaits
 * approval without an owner. `settled`: how many settled approvals the caller has seen.
 * BOUGH_CONFLICT: more are settled already, none is pending, or there is a wish to cancel it; the
 * caller still has the run and must look again. */
BOUGH_MUST_CHECK enum bough_rc bough_run_wait(struct bough_store *s, const char *id, int64_t epoch,
                                              int64_t settled, struct bough_error *err);

struct bough_run_end_options {
    enum bough_run_status status;   /* COMPLETED, FAILED or CANCELLED */
    const char *error_code, *error; /* of a failed run: "interrupted", and a sentence */
    const struct bough_run_set_options
        *set;             /* to report with it; its status is ignored. NULL: none */
    bool keep_queue;      /* start no queued prompt: the session becomes idle */
    uint64_t reserved[5]; /* room to grow: must be 0 */
};

struct bough_run_end_result {
    struct bough_run *run;  /* as it ended */
    struct bough_run *next; /* the run of the next queued prompt; NULL: the session is idle */
    uint64_t reserved[4];   /* room to grow */
};

/*
 * End a run that the caller has claimed. In the same commit its pending approvals are cancelled,
 * and the session becomes idle, or its next queued prompt becomes a queued run with the settings of
 * the moment it was queued. BOUGH_CONFLICT: only a running run completes, or a message of it is
 * still open.
 */
BOUGH_MUST_CHECK enum bough_rc bough_run_end(struct bough_store *s, struct bough_arena *a,
                                             const char *id, int64_t epoch,
                                             const struct bough_run_end_options *in,
                                             struct bough_run_end_result *out,
                                             struct bough_error *err);

struct bough_run_cancel_options {
    const char *note;
    bool keep_queue;      /* as in bough_run_end_options, for a run without an owner */
    uint64_t reserved[3]; /* room to grow: must be 0 */
};

/* Stop a run, from any process. A run without an owner is cancelled at once. Otherwise the wish is
 * stored, and the owner, who sees it when it renews its lease, ends the run. Calling again changes
 * nothing. BOUGH_CONFLICT: it has ended. `in` and `out` may be NULL. */
BOUGH_MUST_CHECK enum bough_rc bough_run_cancel(struct bough_store *s, struct bough_arena *a,
                                                const char *id,
                                                const struct bough_run_cancel_options *in,
                                                struct bough_run **out, struct bough_error *err);

/*
 * End the runs whose owner is gone, that is, whose lease has expired: their open messages are
 * sealed as interrupted, their approvals cancelled, and they have failed with the code
 * "interrupted". Queued and waiting runs are left alone. *n (may be NULL): how many were ended.
 * Safe to call from several processes.
 */
BOUGH_MUST_CHECK enum bough_rc bough_run_recover(struct bough_store *s, int64_t *n,
                                                 struct bough_error *err);

#ifdef __cplusplus
}
#endif
#endif
