/* Inside the MCP server: one call of a method, its result, and the parts that methods share. */
#ifndef MCP_SERVER_INSIDE_H
#define MCP_SERVER_INSIDE_H

#include "mcp/server/mcp.h"

#define MCP_META "io.modelcontextprotocol/" /* begins the protocol's names in _meta */

/* Errors of MCP itself. */
enum {
    MCP_NO_RESOURCE = -32002, /* until 2025-11-25; later RPC_INVALID_PARAMS */
    MCP_WRONG_HEADER = -32020,
    MCP_NO_VERSION = -32022,
};

/* How long a client may keep an answer. */
enum mcp_keep { MCP_KEEP_NOT, MCP_KEEP_STATIC, MCP_KEEP_LISTS };

/* A request that is being answered. */
struct mcp_call {
    const struct mcp_peer *peer;
    struct bough_arena *a;
    struct json id, params;
    bool modern; /* 2026-07-28 */
    struct buf *out;
    struct json_writer w; /* between mcp_begin() and mcp_end() */
};

/* Answer with a result: write its members in between. */
struct json_writer *mcp_begin(struct mcp_call *c);
void mcp_end(struct mcp_call *c, enum mcp_keep keep);
/* Answer with an error instead. */
void mcp_error(struct mcp_call *c, int code, const char *fmt, ...) BOUGH_PRINTF(3, 4);

extern const char mcp_modern_version[];      /* "2026-07-28" */
bool mcp_known_version(const char *version); /* of any era */
/* What `_meta` of a request of 2026-07-28 lacks, as an error message; NULL: nothing. */
const char *mcp_meta_lacks(struct json params);

/* This server's name and version as a member. */
void mcp_put_info(struct json_writer *w, const char *key);

/* A string in the params, or NULL. */
const char *mcp_param(struct mcp_call *c, const char *name);

/* Text in front of everything that was recorded. */
extern const char mcp_notice[];

/* ---- tools ---- */

enum mcp_type { MCP_TEXT, MCP_INTEGER, MCP_FLAG, MCP_TODOS };

/* Where an argument goes in the request of the route. */
enum mcp_place {
    MCP_PATH,  /* {name} in the path */
    MCP_QUERY, /* a parameter */
    MCP_BODY,  /* a member of the body */
    MCP_KEY,   /* the Idempotency-Key */
};

/* An argument of a tool. A table ends with { 0 }. */
struct mcp_field {
    const char *name;
    enum mcp_type type;
    enum mcp_place place;
    const char *to;                 /* its name there; NULL: the same name */
    const char *about;              /* for a model */
    int64_t least, most;            /* of an integer; of the bytes of a text; of todos */
    const char *fallback;           /* as text, when it is absent; NULL: left out */
    const char *(*words)(size_t i); /* its i-th value, NULL behind the last; NULL: any */
    bool required;
    bool session; /* it names a session: mcp_session_name() */
};

/* How the rest of a long result is asked for. */
enum mcp_paging {
    MCP_WHOLE,      /* there is no rest */
    MCP_BY_CURSOR,  /* `next` of the route's answer */
    MCP_BY_OFFSET,  /* has_more, as Hecate's lists have it */
    MCP_BY_MESSAGE, /* the route has no pages: the number of the next message */
};

struct mcp_tool {
    const char *name, *title;
    const char *about; /* for a model */
    const struct mcp_field *fields;
    const char *method, *path; /* the route */
    const char *fixed;         /* query that every request has, or NULL */
    const char *first;         /* a GET besides, on the first page, as `session`; or NULL */
    enum mcp_paging paging;
    unsigned needs;  /* the scopes of the route */
    bool repeatable; /* writing the same again changes nothing */
    bool runs;       /* it starts a run: offered only where runs are worked on */
    /* Writes the body; NULL: an object of the MCP_BODY arguments. */
    void (*body)(struct json_writer *w, struct json arguments);
};

extern const struct mcp_tool mcp_tools[]; /* ends with { 0 } */

void mcp_tools_list(struct mcp_call *c);
void mcp_tools_call(struct mcp_call *c);

/* ---- arguments.c ---- */

/* The JSON schema of a tool's arguments. */
void mcp_schema(struct json_writer *w, const struct mcp_field *fields);

/* Are these valid arguments? BOUGH_INVALID says what to change. `arguments` is an object. */
BOUGH_MUST_CHECK enum bough_rc mcp_check(struct bough_arena *a, const struct mcp_field *fields,
                                         struct json arguments, struct bough_error *err);

/* list_chat_sessions gives ids as Hecate does, "chat_" and ours: leave the prefix out. Any other
 * name stays as it is. */
const char *mcp_session_name(const char *name);

/* The value of an argument as text, or its fallback; NULL: neither. Valid arguments only. */
const char *mcp_value(struct bough_arena *a, const struct mcp_field *field, struct json arguments);
const struct mcp_field *mcp_field(const struct mcp_tool *tool, const char *name); /* or NULL */

/* The request of the route. `limit` replaces the argument of that name, if it is not 0. */
void mcp_request(struct bough_arena *a, const struct mcp_tool *tool, struct json arguments,
                 int64_t limit, struct api_ask *out);
/* A path of a route with {name} replaced by arguments, encoded. */
const char *mcp_path(struct bough_arena *a, const struct mcp_tool *tool, const char *path,
                     struct json arguments);
/* Add `text` as one segment of a path or one value of a query. */
void mcp_encode(struct buf *out, const char *text);

/* ---- bound.c ---- */

/* The result of a tool: JSON of at most MCP_RESULT_MAX bytes, and how to ask for the rest. */
struct mcp_result {
    struct bough_str json;  /* the route's answer; an error object when `failed` */
    struct bough_str first; /* of mcp_tool.first, or empty */
    const char *next;       /* cursor, or NULL */
    bool failed;
};

/* Run the route, with fewer items when they take too much. */
void mcp_run(const struct mcp_peer *peer, struct bough_arena *a, const struct mcp_tool *tool,
             struct json arguments, struct mcp_result *out);

/* Ask the API on behalf of the peer. False: out->body is {"error": ...}. */
bool mcp_ask(const struct mcp_peer *peer, struct bough_arena *a, const struct api_ask *ask,
             struct http_reply *out);

/* ---- resources.c, prompts.c ---- */

/* A session as Markdown, in the arena: of a long one the beginning and the end. BOUGH_NOT_FOUND:
 * there is none. */
BOUGH_MUST_CHECK enum bough_rc mcp_markdown(const struct mcp_peer *peer, struct bough_arena *a,
                                            const char *session, struct bough_str *out,
                                            struct bough_error *err);

void mcp_resources_list(struct mcp_call *c);
void mcp_resources_templates(struct mcp_call *c);
void mcp_resources_read(struct mcp_call *c);
void mcp_prompts_list(struct mcp_call *c);
void mcp_prompts_get(struct mcp_call *c);

#endif
