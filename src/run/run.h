/*
 * Runs at work: the part of a server that answers prompts (bough/run.h). A runner claims runs that
 * are queued, or that wait and have an approval settled, and works on each in a thread: one model
 * call, the agent loop with tools, or an external agent. It renews their leases, sees wishes to
 * cancel within a second, ends runs whose owner is gone, and gives a run that waits for a person
 * back: such a run has no thread and no memory.
 */
#ifndef RUN_RUN_H
#define RUN_RUN_H

#include <bough/approval.h>
#include <bough/budget.h>

struct children;
struct gateway;
struct gateway_setting;
struct runner;
struct tool_host;

/* role_name of the sessions that are chats of Hecate's. */
#define RUN_CHAT_ROLE "agent_chat"

struct runner_config {
    struct bough_store *store;              /* these four are borrowed */
    struct gateway *gateway;                /* models */
    struct tool_host *tools;                /* NULL: no tools */
    struct children *children;              /* NULL: no external agents */
    const struct gateway_setting *settings; /* of the configuration file; copied */
    size_t n;
    const char *host; /* name of this server; NULL: `[server] name`, else that of the machine */
    const char *workspace; /* besides `[workspaces] root`, this folder is allowed; NULL: none */
};

/* Reads [server] name, [runs] workers, [workspaces] root, [approvals] rule, [chats] and [agent
 * ...]. BOUGH_INVALID names the section and the setting. No thread is started yet. */
BOUGH_MUST_CHECK enum bough_rc
runner_create(struct runner **out, const struct runner_config *config, struct bough_error *err);
/* Stops and waits: runs get 5 seconds to come to a boundary, then they fail with `shutdown`. NULL
 * is allowed. */
void runner_destroy(struct runner *r);

/* Look for runs to claim and to recover, now and whenever something changes, in a thread of its own
 * until runner_destroy(). Without it a runner works only on what it starts itself. */
BOUGH_MUST_CHECK enum bough_rc runner_watch(struct runner *r, struct bough_error *err);
/* Look once at all live runs, in this thread. Returns how many were claimed. */
int runner_look(struct runner *r);
/* Claim this run if there is something to do. */
bool runner_take(struct runner *r, const char *run);

/* For tests, before the first run: how often leases are renewed, and how long runs have to come to
 * a boundary when the server stops. */
void runner_renew_every(struct runner *r, int64_t ms);
void runner_stop_within(struct runner *r, int64_t ms);

/* Where clients reach the gateway of this server, "http://127.0.0.1:7447"; agents may be told. */
void runner_set_gateway(struct runner *r, const char *url);

const char *runner_host(const struct runner *r);
/* Is there a rule that allows every tool? The page warns of it. */
bool runner_allows_all(const struct runner *r);

/* ---- starting one ---- */

struct run_begin_options {
    const char *principal; /* who asks; NULL: the owner */
    const char *project;   /* of who asks: a folder holds its workspaces; NULL or "": all */
    const char *session;   /* id */
    enum bough_run_runtime runtime;
    enum bough_run_why why;
    const char *after;             /* id, of RESUME and RETRY; START finds its task itself */
    const char *text;              /* of the user's message, or */
    const struct bough_str *parts; /* its parts; none of both: `at` or the head is answered */
    size_t nparts;
    const char *at; /* behind this entry; NULL: behind the head */
    bool at_root;
    const char *provider, *model; /* NULL or "": those of the session, then of its last call */
    const char *adapter, *workspace, *system_prompt;
    bool fresh;                 /* of an external agent: begin a new session of its own */
    const char *const *servers; /* of tools: names */
    size_t nservers;
    struct bough_run_limits limits;       /* 0: the usual ones */
    int64_t max_output;                   /* tokens of a model call; 0: as the provider likes */
    bool queue;                           /* while the session is busy: wait in its queue */
    const char *key;                      /* idempotency key; NULL: none */
    struct bough_budget_refusal *refusal; /* filled when a budget refuses it; may be NULL */
};

struct run_begun {
    struct bough_run *run;        /* NULL: it waits in the queue */
    struct bough_prompt *queued;  /* NULL: it was started */
    char reply[BOUGH_ID_LEN + 1]; /* the open message of a model run; "": none yet */
    const char *provider, *model; /* that answer, or "" */
    bool replayed;
};

/*
 * Start a run; it is stored when the call returns, and goes on by itself. What it needs is checked
 * before anything is stored: the model, a budget, the workspace, the tool servers. BOUGH_BUSY: the
 * session has a live run. BOUGH_NOT_FOUND, BOUGH_INVALID, BOUGH_DENIED, BOUGH_NOT_READY: something
 * is missing; the message says what to do. Also fails as bough_run_start() and
 * bough_budget_reserve() do.
 */
BOUGH_MUST_CHECK enum bough_rc run_begin(struct runner *r, struct bough_arena *a,
                                         const struct run_begin_options *in, struct run_begun *out,
                                         struct bough_error *err);

/* ---- doing one again ---- */

/* What a run like this one begins with, behind it: all but who asks, why, and where. In `a`. */
void run_like(struct bough_arena *a, const struct bough_run *run, struct run_begin_options *out);

/* What the turn of a run, counted from 1, has answered: the id of the entry before its reply, in
 * `a`. The first turn answers the prompt, or in a resumed run what was there before it. NULL: the
 * head, of a run that has answered nothing. BOUGH_INVALID: it has no such turn. */
BOUGH_MUST_CHECK enum bough_rc run_turn_at(struct bough_store *s, struct bough_arena *a,
                                           const struct bough_run *run, int64_t turn,
                                           const char **at, struct bough_error *err);

#endif
