/* Parts: check them, split and join them, hygge's strict codec, and the states of a tool. These
 * functions use no store. */
#ifndef BOUGH_PART_H
#define BOUGH_PART_H

#include <bough/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The type of a raw part. A "type" that bough does not know is BOUGH_PART_OTHER. A known type with
 * a missing or wrong field, a missing "type", and invalid JSON are BOUGH_INVALID_PART; nesting
 * deeper than 512 is BOUGH_TOO_DEEP, more than 64 MB BOUGH_TOO_LARGE. */
BOUGH_MUST_CHECK enum bough_rc bough_part_check(struct bough_str json, enum bough_part_type *type,
                                                struct bough_error *err);

/* Split a JSON array of parts. The spans point into `json`. A JSON string becomes one text part, in
 * the arena; null becomes no parts. Types are not checked. BOUGH_INVALID_PART: anything else.
 * BOUGH_TOO_LARGE: more than 4,096 parts. */
BOUGH_MUST_CHECK enum bough_rc bough_parts_split(struct bough_arena *a, struct bough_str json,
                                                 struct bough_str **parts, size_t *n,
                                                 struct bough_error *err);

/* A text part, in the arena, that holds `text`, which must be UTF-8. */
struct bough_str bough_part_text(struct bough_arena *a, struct bough_str text);

/* The text of a text or reasoning part, in the arena; empty for other parts. */
struct bough_str bough_part_plain(struct bough_arena *a, const struct bough_part *part);

/* A part as hygge writes it. Members that are set are written, whatever the kind. */
struct bough_hygge_part {
    const char *kind;                           /* text, thinking, tool_use, tool_result or image */
    struct bough_str text;                      /* of text and thinking; may be empty */
    const char *tool_id, *tool_name;            /* tool_use needs both */
    struct bough_str tool_input;                /* raw JSON, kept byte for byte */
    const char *tool_use_id;                    /* tool_result needs it */
    struct bough_str content;                   /* of tool_result */
    bool is_error;                              /* of tool_result */
    const char *image_mime_type, *image_base64; /* image needs both */
    uint64_t reserved[4];                       /* room to grow: must be 0 */
};

/* Write parts as hygge does, in the arena; none are "[]". BOUGH_UNKNOWN_PART: another kind.
 * BOUGH_INVALID_PART: a required member is missing, or tool_input is not JSON. */
BOUGH_MUST_CHECK enum bough_rc bough_hygge_marshal(struct bough_arena *a,
                                                   const struct bough_hygge_part *parts, size_t n,
                                                   struct bough_str *out, struct bough_error *err);

/* Read what hygge wrote; fails as bough_hygge_marshal() does. Invalid JSON is
 * BOUGH_INVALID_PART. tool_input points into `json`. */
BOUGH_MUST_CHECK enum bough_rc bough_hygge_unmarshal(struct bough_arena *a, struct bough_str json,
                                                     struct bough_hygge_part **parts, size_t *n,
                                                     struct bough_error *err);

enum bough_tool_state {
    BOUGH_TOOL_PENDING,
    BOUGH_TOOL_RUNNING,
    BOUGH_TOOL_COMPLETED,
    BOUGH_TOOL_ERROR,
    BOUGH_TOOL_NONE, /* the part has no state */
};

/* The state of a raw tool part, in bough's words or those of the AI SDK. */
enum bough_tool_state bough_tool_state_of(struct bough_str part);

/* Can a tool in state `from` be in state `to` next? From pending to running or error, from running
 * to completed or error; any state but BOUGH_TOOL_NONE may stay. */
bool bough_tool_may_become(enum bough_tool_state from, enum bough_tool_state to);

#ifdef __cplusplus
}
#endif
#endif
