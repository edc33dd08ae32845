/* Views: what a part says, whatever vocabulary it says it in. Reading tolerates everything. */
#ifndef CORE_VIEW_H
#define CORE_VIEW_H

#include <bough/part.h>

#include "base/json.h"

enum view_kind {
    VIEW_TEXT,
    VIEW_REASONING,
    VIEW_CALL,   /* a tool is asked for */
    VIEW_RESULT, /* a tool has answered */
    VIEW_TOOL,   /* both in one part: canonical and AI SDK */
    VIEW_FILE,
    VIEW_OTHER, /* `type` says what; nothing but `raw` is known of it */
};

/* Strings are decoded and in the arena, "" when missing; the others are raw JSON, empty likewise.
 */
struct part_view {
    enum view_kind kind;
    enum bough_part_type type;
    struct bough_str raw; /* the part; empty when made up from a whole message */
    struct json json;
    const char *word;      /* its `type` */
    struct bough_str text; /* text, reasoning */
    bool ignored;          /* text: not for the model */
    const char *call;
    const char *tool;
    struct bough_str input; /* arguments: raw JSON, also when they came as a string of JSON */
    enum bough_tool_state state;
    bool failed;
    struct bough_str output; /* raw JSON; with `failed` the error's */
    const char *mime;
    const char *filename;
    struct bough_str url;    /* as it came; empty when only bytes came */
    struct bough_str base64; /* of a data URL too */
};

void view_part(struct bough_arena *a, const struct bough_part *part, struct part_view *v);

/* A file's address; bytes become a data URL. */
struct bough_str view_url(struct bough_arena *a, const struct part_view *v);

/* An output as plain text: a string's value, the texts of blocks on lines, or the JSON itself. */
struct bough_str view_output_text(struct bough_arena *a, struct bough_str output);

/*
 * A message as runs: what it says, then the results its calls already have, and so on in order.
 * Tool messages (a call id in the message, or result parts) are runs of results alone. There is
 * always at least one run; the only one of a message without parts is empty.
 */
struct view_run {
    bool results;
    struct part_view *at;
    size_t n;
};

struct view_run *view_runs(struct bough_arena *a, const struct bough_entry *e, size_t *n);

/* The views of the parts, one each, in order; no runs, nothing made up. */
struct part_view *view_parts(struct bough_arena *a, const struct bough_entry *e);

/* The call id of a tool message that keeps it beside its content (pi, OpenAI chat), or "". */
const char *view_message_call(struct bough_arena *a, const struct bough_entry *e);

/* The word a message came with as its role: data.role, else our name for it. */
const char *view_role(struct bough_arena *a, const struct bough_entry *e);

/* e->data as a tree; "nothing" when there is none. */
struct json view_data(struct bough_arena *a, const struct bough_entry *e);

/* pi's `!command` as the text a model reads (P26). */
struct bough_str view_bash_text(struct bough_arena *a, struct json data);

#endif
