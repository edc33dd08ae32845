/* One message of JSON-RPC 2.0: read it, and write the answers. */
#ifndef RPC_MESSAGE_H
#define RPC_MESSAGE_H

#include "base/json/json.h"

enum rpc_code {
    RPC_PARSE_ERROR = -32700,
    RPC_INVALID_REQUEST = -32600,
    RPC_NO_METHOD = -32601,
    RPC_INVALID_PARAMS = -32602,
    RPC_INTERNAL = -32603,
};

enum rpc_kind { RPC_REQUEST, RPC_NOTIFICATION, RPC_ANSWER };

struct rpc_message {
    enum rpc_kind kind;
    struct json id;            /* a string or a number; nothing in a notification */
    const char *method;        /* "" in an answer */
    struct json params;        /* an object or an array; nothing: absent */
    struct json result, error; /* of an answer; one is nothing */
};

/* What is wrong with a message: `code` 0 is nothing. `id` is its id, if that could be read. */
struct rpc_bad {
    enum rpc_code code;
    const char *why; /* a sentence, in the arena or constant */
    struct json id;
};

/*
 * Read a message. `line` is borrowed and must live as long as the message. False: *bad says why,
 * for rpc_error(). Refused are text that is not JSON, a batch, a member that is there twice, an id
 * that is neither a string nor a number, and anything that is not a message of version 2.0. Unknown
 * members are ignored.
 */
bool rpc_read(struct bough_arena *a, struct bough_str line, struct rpc_message *out,
              struct rpc_bad *bad);

/* Are two ids the same? Text is compared with escapes decoded, numbers as they are written. */
bool rpc_same_id(struct bough_arena *a, struct json one, struct json other);

/* Begin an answer; the caller then writes one value and calls rpc_end(). */
void rpc_begin_result(struct json_writer *w, struct buf *out, struct json id);
/* End the answer as one line. */
void rpc_end(struct json_writer *w);

/* A whole answer that is an error. `id` nothing: null. `data`: raw JSON, or empty. */
void rpc_error(struct buf *out, struct json id, int code, const char *message,
               struct bough_str data);

#endif
