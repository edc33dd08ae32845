/*
 * Tools that the agent loop offers to a model: built-in ones and those of MCP servers.
 *
 * A tool host belongs to the server (or to one `bough run`). It knows the configured tool servers,
 * starts each when it is first used and shares it between runs. A tool set is what one run may use:
 * the servers it names, in its workspace, on behalf of its principal.
 */
#ifndef TOOLS_TOOLS_H
#define TOOLS_TOOLS_H

#include <bough/arena.h>
#include <bough/error.h>
#include <bough/store.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct children;
struct gateway_setting;
struct tool_host;
struct tool_set;

struct tool_host_config {
    struct bough_store *store;              /* borrowed; for the built-in server "bough" */
    struct children *children;              /* borrowed */
    const struct gateway_setting *settings; /* of the configuration file; copied */
    size_t n;
};

/* BOUGH_INVALID names the section and the setting that is wrong. */
BOUGH_MUST_CHECK enum bough_rc tool_host_create(struct tool_host **out,
                                                const struct tool_host_config *config,
                                                struct bough_error *err);
/* Ends the servers. All sets must have been closed. NULL is allowed. */
void tool_host_destroy(struct tool_host *h);

/* ---- what one run may use ---- */

struct tool_set_options {
    const char *const
        *servers; /* names: "files", "bough", "shell", "demo", or of the configuration */
    size_t n;
    const char *workspace; /* folder, already resolved; NULL or "": none */
    const char *session;   /* id of the run's session */
    const char *project;   /* what the built-in server "bough" may see; NULL: all */
    const char *principal; /* NULL: the owner */
    bool skip_broken;      /* leave out servers that do not start, instead of failing */
};

/* Start what is not started and list the tools. BOUGH_NOT_FOUND: no such server. BOUGH_UNAVAILABLE
 * or BOUGH_IO: a server does not start; the message has its name and what it said. May take as long
 * as a server takes to start, at most a minute. */
BOUGH_MUST_CHECK enum bough_rc tool_set_open(struct tool_set **out, struct tool_host *h,
                                             const struct tool_set_options *in,
                                             struct bough_error *err);
void tool_set_close(struct tool_set *s); /* NULL is allowed */

struct tool {
    const char *name;        /* as the model sees it: at most 64 of [A-Za-z0-9_-] */
    const char *rule;        /* as rules, grants and approvals name it: "files/read" */
    const char *title;       /* for people, or "" */
    const char *description; /* or "" */
    const char *kind;        /* read, edit, delete, search, execute, fetch, other */
    struct bough_str schema; /* of the arguments: a JSON object, byte for byte the server's */
    bool reads_only;         /* built in as such, or hinted by a server that is trusted */
};

struct tool_list {
    const struct tool *at; /* valid until the set is closed */
    size_t n;
    const char *const *skipped; /* a sentence for each server that was left out */
    size_t nskipped;
};
struct tool_list tool_set_list(const struct tool_set *s);
const struct tool *tool_find(const struct tool_set *s, const char *name); /* NULL: none */

/* ---- calling one ---- */

struct tool_call {
    const struct tool *tool;
    struct bough_str args; /* a JSON object, as the model wrote it */
    const bool *cancel;    /* atomic; looked at at least every 100 ms */
    /* Text that the tool has written so far, or a progress message; may be NULL. */
    void (*progress)(void *user, struct bough_str text);
    void *user;
};

struct tool_result {
    bool is_error;            /* the model reads the text as an error */
    bool cancelled;           /* ended because of `cancel` */
    struct bough_str text;    /* everything that is text, whole; at most TOOL_RESULT_MOST bytes */
    struct bough_str content; /* raw JSON array of MCP content blocks, for images and files; "[]" */
    struct bough_str structured; /* raw JSON, or empty */
    struct bough_str details;    /* raw JSON object for people: exit code, path, diff; "{}" */
};
enum { TOOL_RESULT_MOST = 16 * 1024 * 1024 };

/* Call a tool and wait for its result, in the caller's thread. All failures of the tool (wrong
 * arguments, a server that died, a timeout) are results with is_error, because the model reads
 * them; there is no other kind. Several calls of one set may run at the same time. */
void tool_call(struct tool_set *s, struct bough_arena *a, const struct tool_call *in,
               struct tool_result *out);

/* ---- for `bough tools` and GET /api/v1/tools ---- */

struct tool_server {
    const char *name, *kind;  /* kind: built-in, stdio, http */
    const char *status;       /* configured, ready, failed, off */
    const char *protocol;     /* version of MCP, or "" */
    const char *version;      /* of the server, or "" */
    const char *error, *hint; /* last failure and what to do, or "" */
    const char *err_tail;     /* end of its standard error, or "" */
    bool trusted;
    size_t tools; /* 0: not known yet */
};
struct tool_servers {
    struct tool_server *at;
    size_t n;
};
struct tool_servers tool_host_servers(struct tool_host *h, struct bough_arena *a);
/* Start one and list its tools now. BOUGH_NOT_FOUND: no such server; other failures are in *out. */
BOUGH_MUST_CHECK enum bough_rc tool_host_probe(struct tool_host *h, struct bough_arena *a,
                                               const char *name, struct tool_server *out,
                                               struct bough_error *err);

/* ---- for external agents, which start servers themselves ---- */

struct tool_pass_on {
    const char *const *servers; /* names; built-in and unknown ones are left out */
    size_t n;
    const char *workspace;
    bool http; /* servers with a URL, too */
};
/* The servers as `mcpServers` of ACP, a raw JSON array in `a` that holds their secrets: it is for
 * the agent alone. BOUGH_INVALID: a secret is not there. */
BOUGH_MUST_CHECK enum bough_rc tool_host_pass_on(struct tool_host *h, struct bough_arena *a,
                                                 const struct tool_pass_on *in,
                                                 struct bough_str *out, struct bough_error *err);

#endif
