/*
 * External agents of a server: which there are, and the processes that stay warm between the turns
 * of a session.
 */
#ifndef RUN_EXTERNAL_AGENTS_H
#define RUN_EXTERNAL_AGENTS_H

#include <bough/store.h>

#include "acp/probe.h"

struct agents;
struct gateway_setting;

struct agents_config {
    struct bough_store *store;              /* borrowed; for tokens of agents */
    struct children *children;              /* borrowed; NULL: agents cannot be started */
    const struct gateway_setting *settings; /* borrowed: they stay as long as the agents */
    size_t n;
    int64_t warm_ms; /* how long a process stays warm; 0, or more: AGENTS_WARM_MS */
};

/* The environment of this process is copied: what is taken out of it later is still there for
 * agents. BOUGH_INVALID names the section and the setting. */
BOUGH_MUST_CHECK enum bough_rc
agents_create(struct agents **out, const struct agents_config *config, struct bough_error *err);
void agents_destroy(struct agents *g); /* ends the processes; NULL is allowed */

/* End processes that were idle for ten minutes, or for the shorter time of the configuration. */
void agents_sweep(struct agents *g);

const struct adapters *agents_list(const struct agents *g);
/* Where clients reach the gateway, "http://127.0.0.1:7447": what ${gateway} stands for. */
void agents_set_gateway(struct agents *g, const char *url);

/* Where its program is, in `a`; NULL: nowhere. */
const char *agents_lookup(struct agents *g, struct bough_arena *a, const struct adapter *ad);

/* Start an agent, begin a session, end it. BOUGH_NOT_FOUND: there is no such agent;
 * BOUGH_NOT_READY: none can be started here. `dir` as in acp_probe_options. */
BOUGH_MUST_CHECK enum bough_rc agents_probe(struct agents *g, struct bough_arena *a,
                                            const char *name, const char *dir, const bool *cancel,
                                            struct acp_probe *out, struct bough_error *err);

/* ---- warm processes ---- */

enum {
    AGENTS_WARM_MOST = 8,
    AGENTS_WARM_MS = 10 * 60 * 1000,
};

/* The process of one session. The thread that has taken it owns it. */
struct warm {
    struct warm *next;
    struct acp *acp;
    char session[BOUGH_ID_LEN + 1];
    const char *adapter; /* of the list, constant */
    char *dir;
    char token[BOUGH_ID_LEN + 1]; /* id of its token, or "" */
    bool busy;
    int64_t rested; /* monotonic ms */
};

/* The process of this session, if it lives and is of this adapter in this folder; else NULL, and
 * another process of the session is ended. */
struct warm *agents_take(struct agents *g, const char *session, const struct adapter *ad,
                         const char *dir);
/* Start one. BOUGH_OVERLOADED: AGENTS_WARM_MOST work. Also fails as acp_open(). */
BOUGH_MUST_CHECK enum bough_rc agents_start(struct agents *g, struct bough_arena *a,
                                            const char *session, const struct adapter *ad,
                                            const char *dir, struct warm **out,
                                            struct bough_error *err);
/* Keep it warm. */
void agents_rest(struct agents *g, struct warm *w);
/* End it. */
void agents_end(struct agents *g, struct warm *w);

#endif
