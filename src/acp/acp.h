/*
 * The Agent Client Protocol, version 1, as a client: one agent, a child process that reads and
 * writes JSON-RPC, one message a line.
 *
 * The loop thread of the children collects lines; one thread at a time takes them with acp_next().
 * When they are not taken the child is not read from, so memory stays bounded. Requests that bough
 * does not offer (files, terminals, extensions) are refused inside. Between turns, when no thread
 * takes messages, every request is refused. Lines that are not messages are skipped: some agents
 * print to their output.
 */
#ifndef ACP_ACP_H
#define ACP_ACP_H

#include "acp/update.h"

struct children;
struct acp;

enum {
    ACP_LINE_MOST = 64 << 20,
    ACP_RAW_MOST = 4 << 20,        /* of the protocol, kept */
    ACP_STDERR_MOST = 256 << 10,   /* of the end of standard error, kept */
    ACP_INITIALIZE_MS = 60 * 1000, /* also for session/new, load and resume */
    ACP_AUTH_REQUIRED = -32000,
    ACP_CANCELLED = -32800,
};

struct acp_config {
    struct children *children; /* borrowed */
    const char *const *argv;   /* these three as in struct child_options */
    const char *const *env;
    const char *dir;
    int64_t most_memory;        /* bytes; 0: no limit */
    const char *const *secrets; /* values that are blanked in all that the agent says; ended by
                                   NULL; may be NULL */
};

/* Start the process. Fails as child_start() does. */
BOUGH_MUST_CHECK enum bough_rc acp_open(struct acp **out, const struct acp_config *config,
                                        struct bough_error *err);
/* End the process and free everything. NULL is allowed. */
void acp_close(struct acp *p);
bool acp_gone(struct acp *p); /* has the process ended? */

/* ---- messages ---- */

/* Why a request has no result. */
struct acp_failure {
    int code;              /* of JSON-RPC; 0: the process is gone, silent or was stopped */
    const char *message;   /* a sentence */
    struct bough_str data; /* raw JSON, or empty */
};

enum acp_event_kind {
    ACP_NOTHING, /* nothing came in this time */
    ACP_UPDATED, /* `update` */
    ACP_ASKED,   /* `permission`: answer it with acp_select() or acp_cancel_ask() */
    ACP_ANSWERED,
    ACP_WITHDRAWN, /* the agent takes the request `id` back: answer it with acp_refuse() */
    ACP_ENDED,     /* the process is gone: `failure` */
};

struct acp_event {
    enum acp_event_kind kind;
    struct acp_update update;
    struct acp_permission permission;
    int64_t answers;    /* ACP_ANSWERED: the number of our request */
    struct json result; /* nothing when it failed */
    struct acp_failure failure;
    struct json id;
};

/* The next event, in `a`; waits at most `wait_ms`. Updates of other sessions are left out. */
void acp_next(struct acp *p, struct bough_arena *a, int64_t wait_ms, struct acp_event *out);

/* Send a request; returns its number. `params`: raw JSON object. A process that is gone shows in
 * acp_next(). */
int64_t acp_request(struct acp *p, const char *method, struct bough_str params);
void acp_notify(struct acp *p, const char *method, struct bough_str params);

void acp_select(struct acp *p, struct json request, const char *option);
void acp_cancel_ask(struct acp *p, struct json request);
void acp_refuse(struct acp *p, struct json request, int code, const char *why);

/* Between turns: refuse requests at once. */
void acp_rest(struct acp *p, bool rests);

/* ---- calls: send a request and wait for its answer ---- */

struct acp_wait {
    int64_t ms;         /* at most */
    const bool *cancel; /* atomic; may be NULL */
    /* Updates that come meanwhile; may be NULL. Requests for permission are cancelled. */
    void (*update)(void *user, const struct acp_update *u);
    void *user;
};

/* True: *result is in `a`. */
bool acp_call(struct acp *p, struct bough_arena *a, const char *method, struct bough_str params,
              const struct acp_wait *wait, struct json *result, struct acp_failure *failure);

/* What the agent said about itself, once acp_initialize() has worked. */
struct acp_agent {
    const char *name, *version; /* or "" */
    bool load, resume, close;
    bool image, embedded;   /* content of prompts */
    bool mcp_http, mcp_sse; /* servers that can be passed on */
    struct bough_str auth;  /* authMethods, raw JSON array; "[]" */
};
const struct acp_agent *acp_agent(const struct acp *p);

bool acp_initialize(struct acp *p, struct bough_arena *a, const struct acp_wait *wait,
                    struct acp_failure *failure);
bool acp_authenticate(struct acp *p, struct bough_arena *a, const char *method,
                      const struct acp_wait *wait, struct acp_failure *failure);

enum acp_begin { ACP_NEW, ACP_LOAD, ACP_RESUME };
/* Begin a session, or go on with the session `id`. What an agent replays while it loads is not
 * given to anybody. `servers`: raw JSON array. */
bool acp_session(struct acp *p, struct bough_arena *a, enum acp_begin how, const char *id,
                 const char *dir, struct bough_str servers, const struct acp_wait *wait,
                 struct acp_failure *failure);
const char *acp_session_id(const struct acp *p); /* "" before */

/* Set an option of the session: "mode", "model", or the id of a config option, by the request that
 * this agent has for it. */
bool acp_set_option(struct acp *p, struct bough_arena *a, const char *name, struct bough_str value,
                    const struct acp_wait *wait, struct acp_failure *failure);
/* The options as they are:
 * {"config":[...],"modes":{...},"models":{...},"commands":[...],"mode":""}; what the agent does not
 * have is left out. In `a`. */
struct bough_str acp_options(struct acp *p, struct bough_arena *a);
/* The model that the options name, or "". */
const char *acp_model(struct acp *p, struct bough_arena *a);

/* ---- what was said ---- */

/* Begin to keep the protocol anew: for one turn. */
void acp_keep_raw(struct acp *p);
/* The protocol so far, lines that begin with "> " or "< ", and the end of standard error; in `a`.
 */
struct bough_str acp_raw(struct acp *p, struct bough_arena *a);
struct bough_str acp_stderr(struct acp *p, struct bough_arena *a);
/* A copy of a text in `a`, with the secrets of the agent blanked. */
struct bough_str acp_hide(const struct acp *p, struct bough_arena *a, struct bough_str text);

#endif
