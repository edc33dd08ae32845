/* Inside the MCP client: its state, one request, and the two transports. */
#ifndef MCP_CLIENT_INSIDE_H
#define MCP_CLIENT_INSIDE_H

#include <pthread.h>

#include "base/memory/buf.h"
#include "mcp/client/client.h"
#include "rpc/lines.h"
#include "rpc/message.h"

#define MCP_MODERN "2026-07-28"
#define MCP_OLDER "2025-11-25" /* what the handshake asks for */
#define MCP_META "io.modelcontextprotocol/"

enum {
    MCP_MESSAGE_MOST = 32 * 1024 * 1024, /* one message of a server */
    MCP_PROGRESS_MOST = 1024,            /* bytes of a progress text */
    MCP_NAME_MOST = 256,                 /* versions, session ids */
    MCP_NO_VERSION = -32022,
};

enum mcp_era { MCP_UNKNOWN, MCP_HANDSHAKE, MCP_STATELESS };

/* A request that waits for its answer. It lives on the stack of the thread that asked. */
struct mcp_pending {
    struct mcp_pending *next;
    int64_t id;
    bool done;
    char *line; /* the answer, of mem_alloc(); NULL with `done`: there is none, see `why` */
    size_t n;
    char why[200];
    int64_t heard_us; /* when it last made progress */
    char progress[MCP_PROGRESS_MOST];
    bool has_progress; /* a text that was not passed on yet */
};

/* What is asked. */
struct mcp_ask {
    const char *method;
    struct bough_str members;   /* of the params, without braces */
    const char *name;           /* for the header Mcp-Name; NULL: none */
    const char *const *headers; /* more of them, ends with NULL; may be NULL */
    bool token;                 /* with a progressToken */
    int64_t silent_ms, whole_ms;
    const bool *cancel;
    void (*progress)(void *user, struct bough_str text);
    void *user;
};

struct mcp_transport {
    BOUGH_MUST_CHECK enum bough_rc (*open)(struct mcp_client *c, struct bough_error *err);
    /* Send a request and wait until `p` is done. Checks limits with mcp_over(). */
    BOUGH_MUST_CHECK enum bough_rc (*ask)(struct mcp_client *c, const struct mcp_ask *ask,
                                          struct bough_str request, struct mcp_pending *p,
                                          struct bough_error *err);
    /* Send a notification or an answer. Failures show up elsewhere. */
    void (*tell)(struct mcp_client *c, const char *method, struct bough_str message);
    /* Be told when the list of tools changes. */
    void (*listen)(struct mcp_client *c);
    void (*end)(struct mcp_client *c); /* begin to, without waiting */
    void (*close)(struct mcp_client *c);
};
extern const struct mcp_transport mcp_over_stdio, mcp_over_http;

struct mcp_http; /* http.c */

struct mcp_client {
    struct bough_arena *a;
    struct mcp_client_options in;
    const struct mcp_transport *transport;

    /* Written by the thread that opens the client, before others know it. */
    enum mcp_era era;
    char protocol[MCP_NAME_MOST], version[MCP_NAME_MOST];
    bool has_tools, tells_changes;

    pthread_mutex_t lock; /* guards the members below */
    pthread_cond_t changed;
    struct mcp_pending *pending;
    int64_t last_id;
    bool ended;
    char why[200]; /* why it has ended */
    struct buf err_text;
    bool stale;          /* the list of tools has changed */
    int64_t tools_until; /* on the monotonic clock, in us; 0: no list yet */
    struct bough_arena *list_a;
    struct mcp_list *list; /* in list_a */

    struct child *child; /* stdio.c */
    struct rpc_lines lines;
    struct mcp_http *http;
};

/* ---- state.c ---- */

/* Replace the secrets of the configuration by stars of the same length. */
void mcp_blank(const struct mcp_client *c, char *p, size_t n);
/* The server is gone, or its session is: all that wait get an answer. */
void mcp_ended(struct mcp_client *c, const char *why);

/* ---- request.c ---- */

/* Ask and wait. The answer lives in `a`. BOUGH_CANCELLED, BOUGH_TIMEOUT, BOUGH_IO. */
BOUGH_MUST_CHECK enum bough_rc mcp_exchange(struct mcp_client *c, struct bough_arena *a,
                                            const struct mcp_ask *ask, struct rpc_message *out,
                                            struct bough_error *err);
/* Send a notification. */
void mcp_notify(struct mcp_client *c, const char *method, struct bough_str members);
/* A request whose answer is dropped. */
void mcp_send(struct mcp_client *c, const char *method, struct bough_str members);
/* Handle a message: an answer wakes the thread that waits for its id. */
void mcp_take(struct mcp_client *c, struct bough_str line);
/* Is the call out of time or cancelled? `began`: when it started. */
enum bough_rc mcp_over(struct mcp_client *c, const struct mcp_ask *ask, const struct mcp_pending *p,
                       int64_t began_us, struct bough_error *err);
/* Pass a new progress text on. Called without the lock, by the thread that asked. */
void mcp_pass_progress(struct mcp_client *c, const struct mcp_ask *ask, struct mcp_pending *p);
bool mcp_is_done(struct mcp_client *c, struct mcp_pending *p);

/* ---- list.c, headers.c ---- */

/* An argument that is sent as a header too. */
struct mcp_param {
    const char *header;      /* "Mcp-Param-Region" */
    const char *const *path; /* names, ends with NULL */
};

struct mcp_listed {
    struct mcp_client_tool tool;
    const struct mcp_param *params;
    size_t nparams;
};

struct mcp_list {
    struct mcp_listed *at;
    size_t n;
};

/* The x-mcp-header annotations of a schema. False: one is wrong. */
bool mcp_read_params(struct bough_arena *a, struct json schema, struct mcp_listed *out);
/* A line for each argument that is there; ends with NULL. */
const char *const *mcp_param_lines(struct bough_arena *a, const struct mcp_listed *tool,
                                   struct bough_str args);
/* A text as the value of a header: as it is, or in base64. */
const char *mcp_header_value(struct bough_arena *a, struct bough_str text);
/* The parameters of a tool, copied into `a`; false: it is not in the list. */
bool mcp_find_listed(struct mcp_client *c, struct bough_arena *a, const char *name,
                     struct mcp_listed *out);

#endif
