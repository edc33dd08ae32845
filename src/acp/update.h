/*
 * What an agent reports while it works, read from JSON. Pure.
 *
 * Every member is optional, because agents differ: a member that is missing or of another type is
 * NULL, "nothing" or -1. A kind that is not known is ACP_OTHER, and `raw` has all of it.
 */
#ifndef ACP_UPDATE_H
#define ACP_UPDATE_H

#include "base/json/json.h"

enum acp_update_kind {
    ACP_USER_CHUNK,
    ACP_MESSAGE_CHUNK,
    ACP_THOUGHT_CHUNK,
    ACP_TOOL, /* tool_call and tool_call_update: agents begin with either */
    ACP_PLAN,
    ACP_COMMANDS,
    ACP_MODE,
    ACP_CONFIG,
    ACP_INFO,
    ACP_USAGE,
    ACP_OTHER,
};

/* A tool call, or what is new about one. */
struct acp_tool {
    const char *id; /* never NULL */
    const char *title, *kind, *status, *name;
    struct json input, output;      /* rawInput, rawOutput */
    struct json content, locations; /* arrays; they replace earlier ones */
    struct bough_str terminal;      /* output that a terminal wrote since the last update */
};

struct acp_update {
    enum acp_update_kind kind;
    const char *name;       /* its own word, "agent_message_chunk" */
    struct bough_str raw;   /* the whole update */
    const char *message_id; /* of chunks */
    struct json content;    /* of chunks: one content block */
    struct acp_tool tool;
    struct json entries;  /* of a plan */
    struct json commands; /* availableCommands */
    struct json config;   /* configOptions */
    const char *mode;     /* currentModeId */
    const char *title;    /* of the session */
    int64_t used, size;   /* tokens of the context, or -1 */
    double cost;          /* so far in this session, or -1 */
    const char *currency; /* of `cost` */
};

/* Read the `update` of session/update. False: it is not an object with a sessionUpdate, or a tool
 * call without an id. */
bool acp_update_read(struct bough_arena *a, struct json update, struct acp_update *out);

/* Read a tool call, also that of a permission request. False: it has no id. */
bool acp_tool_read(struct bough_arena *a, struct json call, struct acp_tool *out);

struct acp_option {
    const char *id, *kind, *name; /* kind and name may be "" */
};

enum { ACP_OPTIONS_MOST = 32 };

/* session/request_permission. */
struct acp_permission {
    struct json id; /* of the request, for the answer */
    const char *session;
    struct acp_tool tool;
    struct acp_option options[ACP_OPTIONS_MOST];
    size_t n;
    struct bough_str raw_options; /* the array as it came; "[]" */
};

/* False: there is no tool call with an id. */
bool acp_permission_read(struct bough_arena *a, struct json params, struct acp_permission *out);

/* The first option of this kind; NULL: none. */
const struct acp_option *acp_option_of(const struct acp_permission *p, const char *kind);

/* The text of a content block: of text, and a line for other kinds ("[image image/png]"). */
struct bough_str acp_block_text(struct bough_arena *a, struct json block);

/* What a tool call has to say: the text of its content, its diffs as paths, or its rawOutput. */
struct bough_str acp_tool_text(struct bough_arena *a, struct json content, struct json output);

#endif
