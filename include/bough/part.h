/* Parts: check them, split and join them, hygge's strict codec, and the states of a tool. */
#ifndef BOUGH_PART_H
#define BOUGH_PART_H

#include <bough/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Which canonical type a raw part is, or why it is none: BOUGH_INVALID_PART. */
BOUGH_MUST_CHECK enum bough_rc bough_part_check(struct bough_str json, enum bough_part_type *type,
                                                struct bough_error *err);

/* A JSON array of parts as spans; a JSON string becomes one text part. */
BOUGH_MUST_CHECK enum bough_rc bough_parts_split(struct bough_arena *a, struct bough_str json,
                                                 struct bough_str **parts, size_t *n,
                                                 struct bough_error *err);

/* A text part around plain text. */
struct bough_str bough_part_text(struct bough_arena *a, struct bough_str text);

/* What a person reads of a part: the text of text and reasoning; empty for others. */
struct bough_str bough_part_plain(struct bough_arena *a, const struct bough_part *part);

/* hygge's closed set of parts. */
struct bough_hygge_part {
    const char *kind; /* text thinking tool_use tool_result image */
    struct bough_str text;
    const char *tool_id, *tool_name;
    struct bough_str tool_input; /* raw JSON, kept byte for byte */
    const char *tool_use_id;
    struct bough_str content;
    bool is_error;
    const char *image_mime_type, *image_base64;
};

/* An empty list is "[]". */
BOUGH_MUST_CHECK enum bough_rc bough_hygge_marshal(struct bough_arena *a,
                                                   const struct bough_hygge_part *parts, size_t n,
                                                   struct bough_str *out, struct bough_error *err);
/* Strict: BOUGH_UNKNOWN_PART for another kind, BOUGH_INVALID_PART for everything else that is
 * wrong. */
BOUGH_MUST_CHECK enum bough_rc bough_hygge_unmarshal(struct bough_arena *a, struct bough_str json,
                                                     struct bough_hygge_part **parts, size_t *n,
                                                     struct bough_error *err);

enum bough_tool_state {
    BOUGH_TOOL_PENDING,
    BOUGH_TOOL_RUNNING,
    BOUGH_TOOL_COMPLETED,
    BOUGH_TOOL_ERROR,
    BOUGH_TOOL_NONE, /* the part has no state of its own */
};

/* The state of a tool part, in our words or the AI SDK's. */
enum bough_tool_state bough_tool_state_of(struct bough_str part);
/* pending -> running -> completed | error; pending -> error too. Terminal states stay. */
bool bough_tool_may_become(enum bough_tool_state from, enum bough_tool_state to);

#ifdef __cplusplus
}
#endif
#endif
