/* One turn of an external agent: what the files of this folder share. */
#ifndef RUN_EXTERNAL_INSIDE_H
#define RUN_EXTERNAL_INSIDE_H

#include "base/json/json.h"
#include "run/external/agents.h"
#include "run/inside.h"

enum {
    EXT_PARTS_MOST = 4000,        /* of one message; then another one is opened */
    EXT_TEXT_MOST = 32 << 10,     /* text that is collected before it becomes a step */
    EXT_OUTPUT_MOST = 256 << 10,  /* of a tool, in its part; all of it is in the protocol */
    EXT_TOOLS_MOST = 10000,       /* of a turn */
    EXT_ASKS_MOST = 32,           /* that wait at the same time */
    EXT_ASK_MS = 30 * 60 * 1000,  /* a person has this long */
    EXT_CANCEL_MS = 10 * 1000,    /* an agent has this long to stop */
    EXT_HANDOVER_MOST = 64 << 10, /* of a transcript */
};

/* A tool call as the agent has reported it so far. Texts are on the heap, or NULL. */
struct ext_tool {
    char *id, *title, *kind, *name;
    char *input, *output, *content, *locations; /* raw JSON */
    struct buf terminal;
    bool has_terminal;
    size_t message, part; /* where its part is */
    enum bough_tool_state state;
    bool due; /* what is new of it is not written yet */
    int64_t start, end;
};

/* A permission request that waits for a person. */
struct ext_ask {
    char *request; /* its id, raw JSON */
    char approval[BOUGH_ID_LEN + 1];
    char *options; /* raw JSON array */
    int64_t expires;
};

struct ext {
    struct run_work *w;
    struct agents *agents;
    const struct adapter *ad;
    struct warm *warm;
    struct acp *acp;
    struct bough_arena *scratch; /* of one event */
    struct bough_str before;     /* tree of the workspace before the turn; empty: none */

    /* the message: message.c */
    struct bough_writing writing;
    bool open;
    size_t message; /* counted */
    size_t parts;
    enum bough_part_type text_type; /* of the last part, if text can be added; else OTHER */
    char message_id[128];           /* of the agent, of that text */
    struct buf text;                /* that is no step yet */
    int64_t text_since;             /* monotonic ms: when the first of it came */
    bool text_begun;                /* the part of that text is there */
    int64_t flushed;                /* monotonic ms */

    /* tools: tool.c */
    struct ext_tool *tools;
    size_t ntools;
    bool tools_due;      /* one of them is */
    int64_t tools_since; /* monotonic ms: since when */

    /* permissions: ask.c */
    struct ext_ask asks[EXT_ASKS_MOST];
    size_t nasks;
    bool rejected;      /* a person or a rule said no */
    bool stop_rejected; /* ... and that ends the run */

    /* the turn: turn.c */
    int64_t request; /* number of session/prompt */
    bool cancel_sent;
    int64_t kill_at; /* monotonic ms */
    bool timed_out;  /* the run's time is over */
    bool options_changed;
    int64_t used, size;        /* tokens of the context; -1: not reported */
    double cost;               /* cumulative, of the agent's session; -1: not reported */
    struct bough_error failed; /* writing has failed: rc is not 0 */
};

int64_t ext_now(void); /* monotonic ms */
char *ext_dup(struct bough_str s);
void ext_replace(char **at, struct bough_str s);
/* Log a failure that does not end the turn. */
void ext_warn(struct ext *x, enum bough_rc rc, const char *what);

/* ---- message.c: a failure is kept in x->failed, and nothing more is written ---- */

void ext_open(struct ext *x);
void ext_text(struct ext *x, enum bough_part_type type, const char *message_id,
              struct bough_str text);
void ext_flush_text(struct ext *x);
void ext_part(struct ext *x, struct bough_str json); /* add a part */
/* Give the tool part `part` these states, one after the other. */
void ext_states(struct ext *x, size_t part, const struct bough_str *json, size_t n);
/* Save all steps and renew the lease, unless that was done within `ms`. */
void ext_save(struct ext *x, int64_t now, int64_t ms);

struct ext_seal {
    const char *finish;
    struct bough_str error; /* raw JSON, or empty */
    const struct bough_call_new *call;
};
void ext_seal(struct ext *x, const struct ext_seal *how);

/* ---- tool.c ---- */

/* Take what is new about a call. `begins`: it is a tool_call, which may repeat an id. */
struct ext_tool *ext_tool_take(struct ext *x, const struct acp_tool *in, bool begins);
/* Write what is new of calls whose state stays: agents report it often, so it waits a moment. */
void ext_tools_flush(struct ext *x);
/* Calls without an end fail with this text. */
void ext_tools_end(struct ext *x, const char *why);
void ext_tools_free(struct ext *x);

/* ---- ask.c ---- */

void ext_asked(struct ext *x, const struct acp_permission *p);
void ext_asks_look(struct ext *x);   /* answer those that are settled or too old */
void ext_asks_cancel(struct ext *x); /* all */
void ext_ask_withdrawn(struct ext *x, struct json id);
void ext_asks_free(struct ext *x);

/* ---- session.c ---- */

/* A process with a session to send the prompt to. False: the end of the run is set. */
bool ext_connect(struct ext *x, bool *is_new);

/* The agent's member of the session's data: options, and what else is to be remembered. */
void ext_remember(struct ext *x);
double ext_cost_before(struct ext *x); /* of the same session of the agent; -1: not known */
void ext_end_failed(struct ext *x, const struct acp_failure *f);

/* ---- prompt.c ---- */

/* The params of session/prompt, in the scratch arena; empty: the end of the run is set. */
struct bough_str ext_prompt(struct ext *x, bool is_new);

/* ---- report.c ---- */

void ext_update(struct ext *x, const struct acp_update *u);
/* The call of a turn, in w->a; NULL: nothing was reported. */
const struct bough_call_new *ext_call(struct ext *x, struct json result);
/* Keep the protocol and standard error as attachments. */
void ext_artifacts(struct ext *x);
/* Attach a text to the message as an artifact; an empty one is left out. */
void ext_keep(struct ext *x, const char *kind, const char *name, struct bough_str text);

#endif
