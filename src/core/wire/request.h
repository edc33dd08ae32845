/*
 * A request of a client, read: who it is for, what it says, and where its bytes must be edited
 * before they are sent to the provider. Pure. Spans point into the body, which must outlive them.
 */
#ifndef CORE_WIRE_REQUEST_H
#define CORE_WIRE_REQUEST_H

#include "core/wire/wire.h"

/* Did the client say whether it wants usage in a stream? */
enum wire_usage {
    WIRE_USAGE_OPEN,    /* it did not say */
    WIRE_USAGE_ASKED,   /* include_usage is true, or the wire always has it */
    WIRE_USAGE_REFUSED, /* include_usage is false */
};

struct wire_request {
    enum wire wire;
    struct bough_str body;
    struct json json;
    const char *model; /* as sent, or "" */
    bool stream;
    enum wire_usage usage;
    const char *session_id;           /* of the body; NULL: none */
    const char *previous_response_id; /* NULL: none */
    const char *conversation;         /* id; NULL: none */
    int64_t max_output;               /* tokens; -1: not given */
    int64_t choices;                  /* asked for: `n`; 1 when not given */
    bool tools;                       /* it offers tools */
    bool only_title;                  /* it asks for JSON whose only member is `title` */

    /* The conversation: the leading system text as parts, and the messages behind it. */
    struct bough_str *system;
    size_t nsystem;
    struct bough_entry_new *messages;
    size_t nmessages;

    /* Tools and parameters: the members that are neither conversation, routing nor metadata, as one
     * JSON object in the order of the body. Equal requests give equal bytes. */
    struct bough_str parameters;
};

/* Read a body. BOUGH_INVALID: it is not a JSON object, or its messages are missing or malformed;
 * the message names the member. BOUGH_TOO_LARGE: more than LIMIT_APPEND_ENTRIES messages. */
BOUGH_MUST_CHECK enum bough_rc wire_request_read(struct bough_arena *a, enum wire wire,
                                                 struct bough_str body, struct wire_request *out,
                                                 struct bough_error *err);

/* The text of the leading system text, without the billing line that Claude Code puts in front. */
struct bough_str wire_system_text(struct bough_arena *a, const struct bough_str *parts, size_t n);

/* ---- edits ---- */

/* What to change, besides the members that are never sent on: session_id, and content_blocks and
 * tool_error of messages. */
struct wire_edit_options {
    const char *prompt;     /* put in front unless the request has a system text; NULL: nothing */
    bool ask_usage;         /* ask for usage, if the client did not say */
    const char *model;      /* send this name; NULL: as it is */
    bool drop_conversation; /* leave out previous_response_id and conversation */
};

/* The body to send upstream: the original bytes with the edits spliced in, in `a`. Without an edit
 * it is req->body itself. */
struct bough_str wire_request_edit(struct bough_arena *a, const struct wire_request *req,
                                   const struct wire_edit_options *how);

#endif
