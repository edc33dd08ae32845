/* Is an agent there, and does it work? Start it, begin a session, end it. */
#ifndef ACP_PROBE_H
#define ACP_PROBE_H

#include "acp/acp.h"
#include "acp/adapter.h"

enum acp_stage { ACP_LOOKUP, ACP_SPAWN, ACP_INITIALIZE, ACP_NEW_SESSION, ACP_READY };
enum acp_health { ACP_IS_READY, ACP_NOT_INSTALLED, ACP_NEEDS_AUTH, ACP_FAILS };

const char *acp_stage_name(enum acp_stage stage);    /* "new_session" */
const char *acp_health_name(enum acp_health health); /* "auth_required" */

struct acp_probe {
    enum acp_stage stage; /* the last one that was tried */
    enum acp_health health;
    const char *path;            /* of the program, or "" */
    const char *agent, *version; /* as it calls itself, or "" */
    const char *error, *hint;    /* or "" */
    struct bough_str options;    /* as acp_options(); "{}" */
    struct bough_str err_tail;   /* of its standard error */
};

struct acp_probe_options {
    struct children *children;
    const struct adapter *adapter;
    struct adapter_variables variables;
    const char *dir; /* the session's folder; NULL: "/" */
    int64_t ms;      /* of each stage; 0: 60 s */
    const bool *cancel;
};

/* Everything in `a`. All that goes wrong is in *out. */
void acp_probe(struct bough_arena *a, const struct acp_probe_options *in, struct acp_probe *out);

/* {"name","stage","status","program","agent","version","error","hint","stderr","options"}. */
void acp_probe_json(struct json_writer *w, const char *name, const struct acp_probe *p);

/* What to do about a request that failed: from the adapter, for authentication. "": nothing. */
const char *acp_hint(struct bough_arena *a, const struct adapter *ad, const struct acp_agent *agent,
                     const struct acp_failure *failure);

#endif
