/* The runner itself, for the files that start, watch and stop runs. */
#ifndef RUN_RUNNER_H
#define RUN_RUNNER_H

#include "gateway/providers.h"
#include "run/inside.h"

struct agents;
struct turn;

enum {
    RUN_LEASE_MS = 30000,
    RUN_RENEW_MS = 10000,
    RUN_STOP_MS = 5000,   /* to come to a boundary when the server stops */
    RUN_STORE_MS = 30000, /* of each call of the store */
    RUN_MODELS_MOST = 64, /* runs of one model call, beside the workers */
    RUN_WORKERS = 4,
    RUN_END_MS = 3000, /* how long a new prompt waits for a run whose reply is stored */
};

enum rule_says { RULE_ALLOW, RULE_ASK, RULE_DENY };

struct rule {
    enum rule_says says;
    const char *tool;      /* "files/write"; * stands for any text */
    const char *workspace; /* this folder and those below it; "": any */
};

/* What a chat of Hecate's may have; 0: no limit. */
struct chat_limits {
    int64_t turns, duration_ms, idle_ms;
};

/* What the configuration says about runs. */
struct run_settings {
    struct chat_limits chat;
    const char *host;
    int64_t workers;
    const char **roots; /* of workspaces, resolved */
    size_t nroots;
    struct rule *rules;
    size_t nrules;
};

/* ---- settings.c ---- */

BOUGH_MUST_CHECK enum bough_rc run_settings_read(struct bough_arena *a,
                                                 const struct runner_config *config,
                                                 struct run_settings *out, struct bough_error *err);
/* The folder, resolved, in `a`. BOUGH_NOT_READY: it does not exist, or is under no root. */
BOUGH_MUST_CHECK enum bough_rc workspace_resolve(const struct run_settings *s,
                                                 struct bough_arena *a, const char *folder,
                                                 const char **out, struct bough_error *err);
/* May who is bound to `project` use this resolved folder? A project that is an absolute path holds
 * its workspaces, with links resolved; other names and "" say nothing. BOUGH_DENIED: it is not. */
BOUGH_MUST_CHECK enum bough_rc workspace_check(const char *folder, const char *project,
                                               struct bough_error *err);
/* What the first rule that matches says. `only_deny`: deny rules alone count. False: none does. */
bool rules_find(const struct run_settings *s, const char *tool, const char *workspace,
                bool only_deny, enum rule_says *out);

/* ---- idle.c ---- */

/* How often to look for idle chats; 0: never. */
int64_t idle_every_ms(const struct run_settings *s);
/* Has nothing happened in this chat for as long as [chats] idle allows? A run that works is not
 * idle; one that was cancelled because its chat was idle stays so. `run`: its latest, or NULL. */
bool chat_is_idle(const struct run_settings *s, const struct bough_session *session,
                  const struct bough_run *run, int64_t now);
/* Cancel the runs of idle chats that wait for an approval. */
void runner_end_idle(struct runner *r);

/* ---- runner.c ---- */

enum run_class { CLASS_MODEL, CLASS_WORKER, RUN_CLASSES };

struct runner {
    struct runner_config config;
    struct run_settings settings;
    struct bough_arena *a; /* of the settings */
    struct agents *agents; /* external ones */
    int64_t renew_ms, stop_ms;
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t idle;  /* a run has left */
    struct run_work *running;
    int busy[RUN_CLASSES];
    bool stopping;
    bool missed;   /* a run was not taken because all places were taken */
    bool has_left; /* atomic: a place was given back since the last look */
    /* watch.c */
    pthread_t watcher;
    bool keeps;    /* the thread runs */
    bool watching; /* it also looks for runs of others */
    bool unkeep;   /* atomic: it must end */
};

static inline enum run_class class_of(enum bough_run_runtime runtime)
{
    return runtime == BOUGH_RUNTIME_MODEL ? CLASS_MODEL : CLASS_WORKER;
}

/* Reserve a place for a run; give it back with runner_leave_place(). False: all are taken. */
bool runner_place(struct runner *r, enum run_class which);
void runner_leave_place(struct runner *r, enum run_class which);

/* A handle on the store with the bounds of a run. */
struct bough_store *runner_store(struct runner *r, struct bough_arena *a, const char *principal);
/* A run that was just claimed, with a place reserved. */
struct run_work *work_create(struct runner *r, const char *id, int64_t epoch,
                             struct bough_error *err);
/* Put it to work in a thread of its own; owns `w` and its place from then on. */
BOUGH_MUST_CHECK enum bough_rc work_enter(struct run_work *w, struct bough_error *err);
void work_destroy(struct run_work *w);
/* Is a run of this session about to end here? Wait for that. True: it has ended. */
bool runner_wait_for_end(struct runner *r, const char *session);

/* ---- watch.c ---- */

/* Start the thread that renews leases, if it does not run. */
BOUGH_MUST_CHECK enum bough_rc runner_keep(struct runner *r, struct bough_error *err);
void runner_unkeep(struct runner *r);

#endif
