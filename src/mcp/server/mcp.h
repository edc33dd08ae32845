/*
 * The MCP server: answers messages of the Model Context Protocol with what the API's routes give.
 *
 * Two eras of the protocol are served side by side, chosen by each request. A request with
 * io.modelcontextprotocol/protocolVersion in its _meta is of 2026-07-28, which has no handshake;
 * any other one is of 2025-11-25 or older, which begins with `initialize`. Nothing is remembered
 * between requests.
 */
#ifndef MCP_SERVER_MCP_H
#define MCP_SERVER_MCP_H

#include "api/api.h"
#include "rpc/message.h"

enum {
    MCP_LINE_MAX = 8 * 1024 * 1024, /* one message; as much as a JSON body of the API */
    MCP_RESULT_MAX = 64 * 1024,     /* JSON or text of one result: 16,000 tokens */
};

/* Who asks, and what with. */
struct mcp_peer {
    struct api *api;
    const struct auth_who *who; /* its scopes decide which tools there are */
    const bool *cancel;         /* once true, the request gives up; may be NULL */
};

/* Answer a request: one JSON object without line breaks is added to `out`. Notifications and
 * answers add nothing. */
void mcp_answer(const struct mcp_peer *peer, struct bough_arena *a, const struct rpc_message *m,
                struct buf *out);

/* POST /mcp, for api_config.more. A caller needs the scope mcp; its other scopes decide which tools
 * there are. */
extern const struct http_route mcp_routes[];

struct mcp_stdio_config {
    struct api *api;
    const struct auth_who *who;
    int in, out; /* descriptors; nothing else may write to `out` */
};

/* Serve until the input ends, the output fails, or SIGTERM or SIGINT comes. At the end of the input
 * the requests that wait are answered first; a signal cancels them. False: the output failed. */
bool mcp_stdio(const struct mcp_stdio_config *config);

#endif
