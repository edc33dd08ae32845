/* An MCP server over a store, asked message by message. */
#ifndef MCP_WORLD_H
#define MCP_WORLD_H

#include "lib/store_test.h"
#include "mcp/server/mcp.h"

struct mcp_world {
    struct auth *auth;
    struct api *api;
    struct auth_who who; /* begins with the scopes of `bough mcp` */
    bool cancel;
};

void mcp_open(struct test *t, struct mcp_world *w); /* over t->store */
void mcp_close(struct mcp_world *w);

/* Answer a message; the parsed answer, or nothing. Checks that it is one line. */
struct json mcp_say(struct test *t, struct mcp_world *w, const char *line);
/* Call a method with these params, in the older era and in the one of 2026-07-28. */
struct json mcp_older(struct test *t, struct mcp_world *w, const char *method, const char *params);
struct json mcp_modern(struct test *t, struct mcp_world *w, const char *method, const char *params);
/* Call a tool: the whole answer. */
struct json mcp_tool_call(struct test *t, struct mcp_world *w, const char *tool,
                          const char *arguments);

/* The value at a path like "result.tools.0.name": a string's text, any other value's raw JSON, or
 * "(none)". */
const char *value_at(struct test *t, struct json j, const char *path);
struct json json_at(struct test *t, struct json j, const char *path);

/* A session with `n` messages of `bytes` bytes each; its id. */
const char *mcp_session(struct test *t, const char *title, int n, size_t bytes);

#endif
