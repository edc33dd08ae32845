/* Inside the tool host: what is configured, servers that run, and the tools of a set. */
#ifndef TOOLS_INSIDE_H
#define TOOLS_INSIDE_H

#include <pthread.h>

#include "gateway/values.h"
#include "mcp/client/client.h"
#include "tools/builtin/builtin.h"
#include "tools/tools.h"

enum {
    TOOL_NAME_MOST = 64,
    TOOL_SERVERS_MOST = 16,   /* of one set */
    TOOL_REMOTES_MOST = 64,   /* of the configuration */
    TOOL_INSTANCES_MOST = 32, /* of one server: one for each workspace that it is started in */
    TOOL_STARTS_MOST = 3,     /* of an instance, in a minute */
    TOOL_IDLE_MS = 5 * 60 * 1000,
};

/* ---- settings.c: what the configuration says of an MCP server ---- */

struct remote {
    const char *name;
    struct words command; /* argv; ${workspace} is replaced */
    const char *url;      /* or NULL */
    struct words env;     /* names of variables that are passed on */
    struct words set;     /* "NAME=value": a text, $NAME or file:PATH */
    struct words headers; /* "Name: value", the same, also "Bearer $NAME" */
    const char *dir;      /* or NULL */
    bool trust, allow_private, off;
    int64_t start_ms, silent_ms, whole_ms; /* 0: the usual ones */
    unsigned seen;                         /* one bit a setting */

    struct instance *instances; /* guarded by the host's lock, as are the next ones */
    size_t ninstances;
    char error[256]; /* of the last start; "": it worked */
    char *err_tail;  /* of mem_alloc(): what a server that failed wrote; or NULL */
    char protocol[64], version[64];
    size_t tools; /* 0: not known yet */
    bool ready;   /* it has started */
};

struct tool_host {
    struct bough_arena *a; /* configuration; written before other threads know the host */
    struct bough_store *store;
    struct children *children;
    struct shell_rules shell;
    struct remote *remotes;
    size_t n;
    int64_t idle_ms;

    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool stop;
    pthread_t sweeper; /* ends servers that are idle */
    bool has_sweeper;
};

/* Read the sections [tools "name"]. BOUGH_INVALID names the section and the setting. */
BOUGH_MUST_CHECK enum bough_rc settings_read(struct tool_host *h,
                                             const struct gateway_setting *settings, size_t n,
                                             struct bough_error *err);
struct remote *remote_named(struct tool_host *h, const char *name); /* or NULL */

/* ---- environment.c ---- */

/* What a server is started with. */
struct surroundings {
    const char **argv, **env, **headers, **secrets; /* all end with NULL */
};

/* Resolve $NAME, file:PATH and ${workspace}. BOUGH_INVALID: something is not there; values are
 * never part of the message. */
BOUGH_MUST_CHECK enum bough_rc remote_surroundings(struct bough_arena *a, const struct remote *r,
                                                   const char *workspace, struct surroundings *out,
                                                   struct bough_error *err);
/* PATH, HOME and the other variables that every child gets, and those of `names`, ended by NULL. */
const char **usual_environment(struct bough_arena *a, const char *const *names);
bool remote_wants_workspace(const struct remote *r);

/* ---- remote.c ---- */

/* A server that is used: shared by all sets with the same resolved configuration. */
struct instance;

/* Start the server, or find the one that runs, and keep it while the set is open. */
BOUGH_MUST_CHECK enum bough_rc instance_take(struct tool_host *h, struct remote *r,
                                             const char *workspace, struct instance **out,
                                             struct bough_error *err);
void instance_release(struct tool_host *h, struct instance *i);

/* The tools of the server, in the arena. */
BOUGH_MUST_CHECK enum bough_rc instance_tools(struct tool_host *h, struct instance *i,
                                              struct bough_arena *a, struct mcp_client_tools *out,
                                              struct bough_error *err);
/* Call one; a server that has ended is started again. */
void instance_call(struct tool_host *h, struct instance *i, struct bough_arena *a,
                   const struct mcp_client_call *in, struct mcp_client_result *out);

/* End all servers; with `idle` only those that were unused for a while. */
void remotes_sweep(struct tool_host *h, bool idle);

/* ---- sets ---- */

/* A tool of a set, and the server that runs it. */
struct set_tool {
    struct tool tool;
    const struct builtin_tool *builtin; /* or: */
    struct instance *instance;
    const char *remote_name; /* of the tool, as its server calls it */
};

struct tool_set {
    struct bough_arena *a;
    struct tool_host *host;
    struct builtin_scene scene;
    struct set_tool **at;
    size_t n;
    struct tool *list; /* the same, for callers */
    const char **skipped;
    size_t nskipped;
    struct instance *instances[TOOL_SERVERS_MOST];
    size_t ninstances;
};

/* A name that a model may use: `text` with other characters than [A-Za-z0-9_-] replaced by "_". One
 * that was changed or has more than TOOL_NAME_MOST bytes ends with 8 digits of its hash, so that
 * two tools do not get one name. */
const char *tool_name(struct bough_arena *a, const char *text);

#endif
