/* Inside a run at work: what the files of src/run share. */
#ifndef RUN_INSIDE_H
#define RUN_INSIDE_H

#include <bough/bough.h>
#include <pthread.h>

#include "run/run.h"

struct turn;

/*
 * A run that this process has claimed, in the hands of one thread. The runner renews its lease and
 * sets the flags from other threads; read them with work_flag(). When `cancel` is true the work
 * must come to its end: within 10 seconds, however slow the child, the model or the tool is.
 */
struct run_work {
    struct run_work *next; /* of the runner's list */
    struct runner *all;
    struct bough_store *store; /* with the run's principal and a deadline for each call */
    struct bough_arena *a;     /* lives as long as this claim */
    struct bough_run *run;     /* as claimed; work_look() reads it again */
    const char *owner;         /* of the lease; pass it and the epoch to every write */
    int64_t epoch;
    bool cancel;   /* atomic: end now. One of the next three says why */
    bool wished;   /* atomic: a person wished to cancel it */
    bool lost;     /* atomic: the lease is lost, another process has the run: write nothing more */
    bool stop;     /* atomic: the server stops and the time to come to a boundary is over */
    bool stopping; /* atomic: the server stops: end at the next boundary */
    bool answered; /* atomic: its last reply is stored, only its end has to be */
    bool waits;    /* it was given back until an approval is settled: nothing is to be ended */
    /* How it ended: set by work_end(), stored by the runner. */
    bool ended;
    enum bough_run_status status;
    const char *error_code, *error;
    struct bough_run_set_options set; /* to be stored with the end, or by work_report() */
    int class;                        /* enum run_class: whose place it has */
    bool nudged;                      /* atomic: the run or an approval of it has changed */
    struct turn *turn;                /* of a model run: its call, with the reply opened; or NULL */
};

static inline bool work_flag(const bool *flag)
{
    return __atomic_load_n(flag, __ATOMIC_ACQUIRE);
}

/* There is a wish to cancel the run. */
static inline void work_wish(struct run_work *w)
{
    __atomic_store_n(&w->wished, true, __ATOMIC_RELEASE);
    __atomic_store_n(&w->cancel, true, __ATOMIC_RELEASE);
}

int64_t work_now(const struct run_work *w); /* on the store's clock, in ms */

/* ---- what is behind the runner ---- */

struct gateway *runner_gateway(struct runner *r);
struct tool_host *runner_tools(struct runner *r);   /* NULL: none */
struct children *runner_children(struct runner *r); /* NULL: none */
struct agents *runner_agents(struct runner *r);     /* external ones */
const struct gateway_setting *runner_settings(const struct runner *r, size_t *n);

/* ---- writing, each conditional on the epoch: BOUGH_LEASE_LOST when the run is another's ---- */

/* Read the run again; w->run is new, in w->a. */
BOUGH_MUST_CHECK enum bough_rc work_look(struct run_work *w, struct bough_error *err);
/* Append entries behind the head. `out` may be NULL. */
BOUGH_MUST_CHECK enum bough_rc work_append(struct run_work *w, const struct bough_entry_new *e,
                                           size_t n, struct bough_append_result *out,
                                           struct bough_error *err);
/* Open a message behind the head. Its lease is a minute; steps and bough_message_flush() renew it.
 */
BOUGH_MUST_CHECK enum bough_rc work_open(struct run_work *w, const struct bough_entry_new *e,
                                         struct bough_writing *out, struct bough_error *err);
BOUGH_MUST_CHECK enum bough_rc work_set(struct run_work *w, const struct bough_run_set_options *in,
                                        struct bough_error *err);
/* Store w->set now, if something is in it. */
BOUGH_MUST_CHECK enum bough_rc work_report(struct run_work *w, struct bough_error *err);
/* Append a row for people (core/activity/activity.h): "recovered", "completed", "A new session of
 * the agent was begun", ... Failures are logged. */
void work_tell(struct run_work *w, const char *type, const char *status, const char *title,
               const char *detail);

/* Say how the run ends; the runner stores it when the work returns. The first call counts.
 * COMPLETED and CANCELLED have no code (NULL). The message is a sentence for people. */
void work_end(struct run_work *w, enum bough_run_status status, const char *code, const char *fmt,
              ...) __attribute__((format(printf, 4, 5)));
/* The same for `cancel`: cancelled by a person, or failed with `shutdown`. */
void work_end_cancelled(struct run_work *w);

/* ---- approvals: approve.c ---- */

enum work_answer {
    WORK_ALLOWED,
    WORK_DENIED,  /* by a rule, or rejected by a person */
    WORK_PENDING, /* a person is asked */
};

struct work_ask {
    const char *tool;         /* as rules and grants name it: "files/write", "claude/execute" */
    const char *kind, *title; /* for people, or "" */
    const char *entry;        /* id of the message with the call, and the index of its part */
    int64_t part;
    bool reads_only;       /* allowed unless a rule says otherwise */
    const char *otherwise; /* when no rule matches: "allow", "ask", "deny"; NULL: by reads_only */
    struct bough_str options; /* raw JSON array of what can be answered; may be empty */
    int64_t expires;          /* time; 0: never */
};

/* May this call be made? Deny rules, grants, rules, then the default, in this order. A person is
 * asked by an approval that is pending; what a grant allows or a rule denies is stored as an
 * approval that is settled; what a rule allows is not stored. *out is NULL without one. */
BOUGH_MUST_CHECK enum bough_rc work_ask(struct run_work *w, const struct work_ask *in,
                                        enum work_answer *answer, struct bough_approval **out,
                                        struct bough_error *err);

/* ---- the three kinds of work: each ends with work_end(), or with w->waits set ---- */

void model_run(struct run_work *w);    /* model.c */
void loop_run(struct run_work *w);     /* loop.c */
void external_run(struct run_work *w); /* external/external.c */

#endif
