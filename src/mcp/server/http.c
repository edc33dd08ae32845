/*
 * MCP over HTTP: POST /mcp takes one message and answers with JSON.
 *
 * There are no sessions, so Mcp-Session-Id is neither given out nor read, and GET and DELETE are
 * 405. A request of 2026-07-28 repeats its version, method and name in headers, for proxies that do
 * not read bodies; headers that say something else than the body are refused.
 */
#include <string.h>
#include <strings.h>

#include "base/memory/arena.h"
#include "base/text/base64.h"
#include "base/text/str.h"
#include "mcp/server/inside.h"

/* ---- headers ---- */

/* A header whose text is not plain ASCII comes as =?base64?...?=. NULL: it cannot be decoded. */
static const char *decoded(struct bough_arena *a, const char *value)
{
    static const char begin[] = "=?base64?", end[] = "?=";
    size_t n = strlen(value), head = sizeof begin - 1, tail = sizeof end - 1, bytes;
    char *out;

    if (n < head + tail || strncasecmp(value, begin, head) != 0 ||
        strcmp(value + n - tail, end) != 0)
        return value;
    out = arena_zalloc(a, n);
    if (!base64_decode(value + head, n - head - tail, (unsigned char *)out, &bytes) ||
        memchr(out, '\0', bytes))
        return NULL;
    return out;
}

/* The name that a request is about: of a tool or a prompt, or a resource's URI; NULL: none. */
static const char *name_of(struct bough_arena *a, const struct rpc_message *m)
{
    if (strcmp(m->method, "tools/call") == 0 || strcmp(m->method, "prompts/get") == 0)
        return json_cstr(a, m->params, "name");
    if (strcmp(m->method, "resources/read") == 0)
        return json_cstr(a, m->params, "uri");
    return NULL;
}

static bool is_modern(const char *version)
{
    return version && strcmp(version, mcp_modern_version) == 0;
}

/* The version that the body says; NULL: none. */
static const char *any_version_of(struct bough_arena *a, const struct rpc_message *m)
{
    return json_cstr(a, json_member(m->params, "_meta"), MCP_META "protocolVersion");
}

/* The version that the body says, unless that is one of the older era; NULL: none. */
static const char *version_of(struct bough_arena *a, const struct rpc_message *m)
{
    const char *version = any_version_of(a, m);
    bool older = version && mcp_known_version(version) && !is_modern(version);

    return older ? NULL : version;
}

/* What the body of a request of 2026-07-28 lacks; NULL: nothing, or it is of an older era. */
static const char *lacks(struct http_req *req, const struct rpc_message *m)
{
    const char *version = any_version_of(req->arena, m);

    if (!is_modern(version ? version : http_header(req, "mcp-protocol-version")))
        return NULL;
    return mcp_meta_lacks(m->params);
}

/* Is the header what the body says? `body` NULL: the body does not say it. */
static bool same(struct http_req *req, const char *header, const char *body)
{
    const char *value = http_header(req, header);

    if (!body)
        return true;
    value = value ? decoded(req->arena, value) : NULL;
    return value && strcmp(value, body) == 0;
}

/* The header that does not say what the body says; NULL: all do. */
static const char *wrong_header(struct http_req *req, const struct rpc_message *m)
{
    const char *version = version_of(req->arena, m);
    const char *header = http_header(req, "mcp-protocol-version");

    if (!any_version_of(req->arena, m)) /* an older era, or it lacks its version */
        return NULL;
    if (!version)
        return is_modern(header) ? "MCP-Protocol-Version" : NULL;
    if (!same(req, "mcp-protocol-version", version))
        return "MCP-Protocol-Version";
    if (!same(req, "mcp-method", m->method))
        return "Mcp-Method";
    return same(req, "mcp-name", name_of(req->arena, m)) ? NULL : "Mcp-Name";
}

/* ---- answers ---- */

/* The status of an answer: proxies look at it and not at the body. */
static int status_of(struct bough_arena *a, struct bough_str answer, bool modern)
{
    struct json root;
    int64_t code = 0;

    if (json_parse(a, answer, &root, NULL) ||
        !json_i64(json_member(json_member(root, "error"), "code"), &code))
        return 200;
    if (code == RPC_PARSE_ERROR || code == RPC_INVALID_REQUEST || code == MCP_NO_VERSION ||
        code == MCP_WRONG_HEADER)
        return 400;
    return modern && code == RPC_NO_METHOD ? 404 : 200;
}

static void put(struct http_res *res, int status, const struct buf *answer)
{
    jw_raw(http_json(res, status), buf_str(answer));
}

static enum bough_rc refuse(struct http_res *res, const struct rpc_bad *bad)
{
    struct buf out;

    buf_init(&out, 64 * 1024);
    rpc_error(&out, bad->id, bad->code, bad->why, str_make("", 0));
    put(res, 400, &out);
    buf_finish(&out);
    return BOUGH_OK;
}

static enum bough_rc answer(struct http_req *req, struct http_res *res, const struct rpc_message *m)
{
    const struct api_call *call = api_of(req);
    struct mcp_peer peer = { call->api, call->who, req->cancel };
    const char *wrong = wrong_header(req, m), *missing = wrong ? NULL : lacks(req, m);
    struct buf out;

    if (missing)
        return refuse(res, &(struct rpc_bad){ RPC_INVALID_PARAMS, missing, m->id });
    buf_init(&out, 4 * 1024 * 1024);
    if (wrong)
        rpc_error(&out, m->id, MCP_WRONG_HEADER,
                  arena_printf(req->arena, "Header mismatch: %s must be as in the body", wrong),
                  str_make("", 0));
    else
        mcp_answer(&peer, req->arena, m, &out);
    if (out.over) {
        buf_reset(&out);
        rpc_error(&out, m->id, RPC_INTERNAL, "the answer is too large: ask for less",
                  str_make("", 0));
    }
    put(res, status_of(req->arena, buf_str(&out), version_of(req->arena, m) != NULL), &out);
    buf_finish(&out);
    return BOUGH_OK;
}

static enum bough_rc post(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    const char *type = http_header(req, "content-type");
    const char *version = http_header(req, "mcp-protocol-version");
    struct rpc_message m;
    struct rpc_bad bad;

    (void)err; /* errors are messages of JSON-RPC */
    /* The row takes any type, so that JSON that cannot be read is answered as JSON-RPC has it. */
    if (!type || strncasecmp(type, "application/json", 16) != 0)
        return http_refuse(res, 415, "unsupported_type", "send Content-Type: application/json");
    if (!rpc_read(req->arena, req->body, &m, &bad))
        return refuse(res, &bad);
    if (m.kind != RPC_REQUEST) {
        http_text(res, 202, "application/json");
        return BOUGH_OK;
    }
    if (version && !version_of(req->arena, &m) && !mcp_known_version(version))
        return refuse(res, &(struct rpc_bad){ RPC_INVALID_REQUEST,
                                              "MCP-Protocol-Version is not supported", m.id });
    return answer(req, res, &m);
}

const struct http_route mcp_routes[] = {
    { "POST", "/mcp", post, AUTH_MCP,
      "The Model Context Protocol: one message of JSON-RPC, answered as JSON.",
      .flags = HTTP_PRIVATE | HTTP_RAW_BODY, .body_max = MCP_LINE_MAX },
    { 0 },
};
