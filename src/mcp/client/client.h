/*
 * A client of the Model Context Protocol: the tools of one server, which is a program (standard
 * input and output) or a URL (streamable HTTP).
 *
 * A server of 2026-07-28 answers server/discover; with any other the client goes through the
 * handshake of 2025-11-25. Sampling, elicitation and roots are not offered, and refused. Any thread
 * may use a client, several at a time.
 */
#ifndef MCP_CLIENT_CLIENT_H
#define MCP_CLIENT_CLIENT_H

#include <bough/arena.h>
#include <bough/error.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct children;
struct mcp_client;

/* `argv` or `url` is set. Everything is copied but `children`. */
struct mcp_client_options {
    const char *name; /* of the server, for messages */
    struct children *children;
    const char *const *argv, *const *env; /* as of child_start() */
    const char *dir;
    const char *url;
    const char *const *headers; /* lines "name: value", ends with NULL; may be NULL */
    bool allow_private;
    const char *const *secrets; /* values to blank in what the server says, ends with NULL */
    int64_t start_ms;           /* until it is ready; 0: 60 s */
    int64_t silent_ms;          /* of a call: without answer and progress; 0: 60 s */
    int64_t whole_ms;           /* of a call; 0: 10 min */
};

/* Start the server, or connect to it, and agree on a version. BOUGH_NOT_FOUND: no such program.
 * BOUGH_IO, BOUGH_TIMEOUT: it does not start; the message says why. *out is set also on failure, so
 * that mcp_client_about() can tell more; it must be closed. */
BOUGH_MUST_CHECK enum bough_rc mcp_client_open(struct mcp_client **out,
                                               const struct mcp_client_options *in,
                                               struct bough_error *err);
void mcp_client_close(struct mcp_client *c); /* cancels nothing: no call may run; NULL is allowed */

/* Begin to end the server, without waiting: calls that wait fail. mcp_client_close() follows. */
void mcp_client_end(struct mcp_client *c);

bool mcp_client_alive(struct mcp_client *c); /* false: open another one */

struct mcp_client_about {
    const char *protocol, *version; /* of MCP, and of the server; or "" */
    const char *err_tail;           /* end of its standard error; secrets are blanked */
};
void mcp_client_about(struct mcp_client *c, struct bough_arena *a, struct mcp_client_about *out);

/* ---- tools ---- */

struct mcp_client_tool {
    const char *name, *title, *description; /* the latter two may be "" */
    struct bough_str schema;                /* byte for byte */
    bool reads_only, destructive;           /* hints of the server */
};

struct mcp_client_tools {
    struct mcp_client_tool *at;
    size_t n;
};

enum { MCP_TOOLS_MOST = 1000 };

/* The tools that can be called, in the arena. Asks the server if the list is not known, has changed
 * or is too old. Left out: tools that can only be called as tasks, and those of 2026-07-28 whose
 * x-mcp-header is wrong. */
BOUGH_MUST_CHECK enum bough_rc mcp_client_tools(struct mcp_client *c, struct bough_arena *a,
                                                struct mcp_client_tools *out,
                                                struct bough_error *err);

struct mcp_client_call {
    const char *name;
    struct bough_str args;                               /* a JSON object */
    const bool *cancel;                                  /* atomic; may be NULL */
    void (*progress)(void *user, struct bough_str text); /* may be NULL */
    void *user;
};

struct mcp_client_result {
    bool is_error, cancelled;
    struct bough_str text;       /* all text of the content; what is not text is named */
    struct bough_str content;    /* raw array */
    struct bough_str structured; /* raw JSON, or empty */
};

enum { MCP_TEXT_MOST = 16 * 1024 * 1024 };

/* Call a tool and wait, in the caller's thread. Every failure is a result. */
void mcp_client_call(struct mcp_client *c, struct bough_arena *a, const struct mcp_client_call *in,
                     struct mcp_client_result *out);

#endif
