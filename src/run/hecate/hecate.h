/*
 * Hecate's agent chats and tasks over bough's runs, internal header.
 *
 *   refuse.c      the form of errors; the model and the workspace that a chat needs
 *   view.c        what answers about a session or a run are written from
 *   chat_forms.c  JSON of sessions, segments, messages, activities
 *   chats.c       sessions: list, create, get, delete, cancel, close
 *   send.c        sending a message, and waiting for the end of its turn
 *   stream.c      the event streams of a session and of a run
 *   approvals.c   approvals and grants of chats
 *   files.c       files that a turn has changed
 *   adapters.c    external agents
 *   task_forms.c  JSON of tasks, runs, steps, artifacts, approvals
 *   tasks.c       tasks: list, create, get, delete, and what they have
 *   task_runs.c   runs of a task: start, retry, resume, continue, cancel, read
 *   events.c      the events of a run, from the changelog
 *
 * A chat is a session. A task is a session that was created as one, or a chain of runs of the loop
 * in any other session (bough/run.h). Ids are ours with a prefix, and are taken without it too.
 */
#ifndef RUN_HECATE_HECATE_H
#define RUN_HECATE_HECATE_H

#include "api/originals/hecate.h"
#include "core/activity/activity.h"
#include "core/activity/segments.h"
#include "run/hecate/routes.h"
#include "run/run.h"

struct hecate_chat;

#define HECATE_CHAT "agent_chat_"
#define HECATE_MESSAGE "msg_"
#define HECATE_RUN "run_"
#define HECATE_TASK "task_"
#define HECATE_APPROVAL "appr_"
#define HECATE_GRANT "grant_"

/* role_name of the sessions that these routes create. */
#define HECATE_ROLE_CHAT RUN_CHAT_ROLE
#define HECATE_ROLE_TASK "task"

enum {
    HECATE_LIST = 50,
    HECATE_LIST_MAX = 200,
    HECATE_ENTRIES_MAX = 10000, /* the last ones of a session that are shown */
    HECATE_RUNS_MAX = 1000,     /* the last ones of a session, and of the store for lists */
    HECATE_LOOK_MS = 50,        /* between looks at a run that is waited for */
};

extern const struct http_error_form hecate_errors;

/* Refuse with one of Hecate's codes. `fields` are more members of the error: a raw JSON object, or
 * empty. Returns the code for the handler to return. */
enum bough_rc hecate_refuse(struct http_res *res, int status, const char *code,
                            struct bough_str fields, const char *fmt, ...) BOUGH_PRINTF(5, 6);
/* 409 agent_chat.agent_session_busy: which run has the session. */
enum bough_rc hecate_busy(struct http_req *req, struct http_res *res, const char *session,
                          struct bough_error *err);

/* Pass the result of a handler through this: a wrong value is 400 here, a purged session 404. */
enum bough_rc hecate_done(struct http_res *res, enum bough_rc rc, const struct bough_error *err);

/* The runner of this server. BOUGH_NOT_READY: there is none. */
BOUGH_MUST_CHECK enum bough_rc hecate_runner(const struct http_req *req, struct runner **out,
                                             struct bough_error *err);

const char *hecate_principal(const struct http_req *req); /* for the store; NULL: the owner */

/* Answers 400 when there is no model, 422 model_not_configured when it cannot be used, and 422
 * agent_chat.model_capability_required when it takes no tools and `tools` are wanted. */
BOUGH_MUST_CHECK enum bough_rc hecate_check_model(struct http_req *req, struct http_res *res,
                                                  const char *provider, const char *model,
                                                  bool tools, struct bough_error *err);
/* Does the model take tools? 1 or 0; -1: not known. */
int hecate_model_tools(const struct http_req *req, const char *provider, const char *model);
/* "capabilities": {} of a model, with what is known. */
void hecate_put_capabilities(struct json_writer *w, int tools);
/* Resolve a workspace. Answers 400 when there is none (with `needed`), or it may not be used; "" is
 * left alone otherwise. BOUGH_DENIED: it is not in the caller's project. */
BOUGH_MUST_CHECK enum bough_rc hecate_check_workspace(struct http_req *req, struct http_res *res,
                                                      bool needed, const char **folder,
                                                      struct bough_error *err);
/* Has nothing happened in a chat for longer than [chats] idle allows? `run`: its latest, or NULL.
 */
bool hecate_is_idle(const struct http_req *req, const struct bough_session *s,
                    const struct bough_run *run);
/* Answers 422 when the chat has reached one of the limits in [chats]. */
BOUGH_MUST_CHECK enum bough_rc hecate_check_limits(struct http_req *req, struct http_res *res,
                                                   const struct hecate_chat *chat);
/* Answers 400 when there is no agent of this name. */
BOUGH_MUST_CHECK enum bough_rc hecate_check_adapter(struct http_req *req, struct http_res *res,
                                                    const char *adapter, struct bough_error *err);
/* End the process that an external agent keeps for a session after this run, if it is here. */
void hecate_end_agent(const struct http_req *req, const struct bough_run *run);
/* The branch that a folder's repository is on, or "detached@" and the commit; "": neither. */
const char *hecate_branch(struct bough_arena *a, const char *folder);

/* ---- view.c ---- */

/* What a chat was created with, from the session's metadata. Text that is not set is "". */
struct hecate_settings {
    const char *runtime; /* "model", "agent" or "external_agent" */
    const char *adapter, *workspace, *branch;
    int64_t closed; /* number of the last run when it was closed; 0: never */
};

/* A session with all that its answers show. */
struct hecate_chat {
    const struct bough_session *session;
    struct hecate_settings set;
    const char *provider, *model; /* of its next turn, or "" */
    struct bough_runs runs;       /* newest first */
    struct bough_entry *entries;
    size_t n;
    struct bough_calls calls;
    struct bough_approvals approvals;
    struct segments segments; /* only with entries */
    int tools;                /* does its model take them? 1 or 0; -1: not known */
    bool idle;                /* for longer than [chats] idle allows */
};

/* A run with its entries. */
struct hecate_run {
    const struct bough_session *session;
    struct bough_run *run;
    struct bough_entry *entries;
    size_t n;
    struct bough_calls calls;
    struct bough_approvals approvals;
    struct activities did;
    int64_t prior; /* nano-USD; only of hecate_task_run_read() */
};

/* The chat that {id} names. BOUGH_NOT_FOUND: there is none, or the caller cannot see it. */
BOUGH_MUST_CHECK enum bough_rc hecate_chat_session(struct http_req *req, struct bough_session **out,
                                                   struct bough_error *err);
void hecate_settings_read(struct bough_arena *a, const struct bough_session *s,
                          struct hecate_settings *out);
/* The metadata of a session with these settings. */
struct bough_str hecate_settings_write(struct bough_arena *a, struct bough_str metadata,
                                       const struct hecate_settings *in);

/* Read a chat in `a`: its runs alone, or its entries, calls and approvals too. */
BOUGH_MUST_CHECK enum bough_rc hecate_chat_read(struct http_req *req, struct bough_arena *a,
                                                const struct bough_session *s, bool whole,
                                                struct hecate_chat *out, struct bough_error *err);
/* The run of a chat with this index: its entries on the path, and what it did. */
void hecate_chat_run(struct http_req *req, struct bough_arena *a, const struct hecate_chat *chat,
                     size_t index, struct hecate_run *out);
/* A run by itself, wherever its entries are. */
BOUGH_MUST_CHECK enum bough_rc hecate_run_read(struct http_req *req, struct bough_arena *a,
                                               const struct bough_session *s, struct bough_run *run,
                                               struct hecate_run *out, struct bough_error *err);
/* The session's latest run, newest first; NULL: it has none. */
BOUGH_MUST_CHECK enum bough_rc hecate_latest(struct http_req *req, struct bough_arena *a,
                                             const char *session, struct bough_run **out,
                                             struct bough_error *err);
/* Wait until the run has ended, up to `ms`. *ended says whether it has. */
BOUGH_MUST_CHECK enum bough_rc hecate_wait_end(struct http_req *req, const char *run, int64_t ms,
                                               bool *ended, struct bough_error *err);

/* ---- forms ---- */

const char *hecate_runtime_name(enum bough_run_runtime runtime); /* "external_agent" */
const char *hecate_tool_kind(const char *kind, const char *tool);
const char *hecate_scope_name(enum bough_approval_scope scope); /* "workspace_tool" */

/* "2 files changed, 5 insertions(+), 1 deletions(-)"; "" without a file. */
const char *hecate_diff_stat(struct bough_arena *a, size_t files, int64_t additions,
                             int64_t deletions);

void hecate_put_activity(struct json_writer *w, const struct activity *x);
void hecate_put_summary(struct json_writer *w, const struct hecate_chat *chat);
void hecate_put_chat(struct http_req *req, struct json_writer *w, struct bough_arena *a,
                     const struct hecate_chat *chat);
/* {"object":"agent_chat_session","data":{...}} of a session, as it is now. */
BOUGH_MUST_CHECK enum bough_rc hecate_write_chat(struct http_req *req, struct json_writer *w,
                                                 const char *session, struct bough_error *err);

void hecate_put_approval(struct json_writer *w, struct bough_arena *a,
                         const struct bough_approval *x, const struct bough_run *run);
const char *hecate_approval_status(enum bough_approval_status status); /* "denied" */
const char *hecate_approval_path(enum bough_approval_path path);       /* "operator" */
void hecate_put_scopes(struct json_writer *w, const struct bough_run *run);

/* ---- tasks ---- */

/* What a task was created with. */
struct hecate_order {
    const char *prompt, *profile, *workspace;
    struct bough_str servers; /* raw JSON array of names */
    int64_t budget;           /* micro-USD; 0: none */
    int64_t timeout_ms;
};

struct hecate_task {
    struct bough_session *session;
    const char *id; /* of the session, or of the first run of the chain */
    bool made;      /* it was created as a task */
    struct hecate_order order;
    struct bough_run **runs; /* of the task, newest first */
    int64_t *costs;          /* of the runs, in nano-USD; -1: not read yet */
    size_t n;
};

/* The task that {id} names. */
BOUGH_MUST_CHECK enum bough_rc hecate_task(struct http_req *req, struct hecate_task *out,
                                           struct bough_error *err);
/* The task of a session that was created as one, or the chain `id` of its runs. */
BOUGH_MUST_CHECK enum bough_rc hecate_task_of(struct http_req *req, struct bough_session *s,
                                              const char *id, struct hecate_task *out,
                                              struct bough_error *err);
/* The run that {run} names, of this task. */
BOUGH_MUST_CHECK enum bough_rc hecate_task_run(struct http_req *req, const struct hecate_task *task,
                                               struct bough_run **out, struct bough_error *err);
bool hecate_is_task(const struct bough_session *s); /* created as one */
/* Read a run of a task. x->prior: what the runs before it in the chain cost. */
BOUGH_MUST_CHECK enum bough_rc hecate_task_run_read(struct http_req *req,
                                                    const struct hecate_task *task,
                                                    struct bough_run *run, struct hecate_run *out,
                                                    struct bough_error *err);

void hecate_put_task(struct json_writer *w, struct http_req *req, const struct hecate_task *task);
void hecate_put_run(struct json_writer *w, const struct hecate_task *task,
                    const struct hecate_run *x);
void hecate_put_step(struct json_writer *w, struct bough_arena *a, const struct hecate_task *task,
                     const struct hecate_run *x, const struct activity_step *step);
/* An artifact of a run: a row of `did` that names one. */
void hecate_put_artifact(struct http_req *req, struct json_writer *w,
                         const struct hecate_task *task, const struct hecate_run *x,
                         const struct activity *row, bool content);
/* The text of an artifact by the id of its part, `most` bytes of it; empty: it is not text, or not
 * there. *out is the attachment, with an empty url without one. */
struct bough_str hecate_artifact_text(struct http_req *req, const char *session, const char *part,
                                      size_t most, struct bough_attachment *out);
void hecate_put_task_approval(struct json_writer *w, const struct hecate_task *task,
                              const struct bough_approval *x);

struct hecate_event {
    int64_t sequence; /* changelog number */
    int64_t time;
    const char *type;
    struct bough_str data; /* raw JSON object */
};

struct hecate_events {
    struct hecate_event *at;
    size_t n;
    int64_t looked; /* changelog number up to which all events were found */
};

/* The events of a run after a changelog number, oldest first, at most `most`. */
BOUGH_MUST_CHECK enum bough_rc hecate_events_read(struct http_req *req, struct bough_arena *a,
                                                  const struct hecate_run *x, int64_t after,
                                                  int64_t most, struct hecate_events *out,
                                                  struct bough_error *err);

#endif
