/* Parts, inside view: which words are which type, what each shape must have, pairing keys. */
#ifndef CORE_PART_H
#define CORE_PART_H

#include <bough/part.h>

#include "core/fields.h"

/*
 * One word of `type` may name several shapes: "image" is hygge's, pi's and Anthropic's. A part is
 * taken when one row of its word fits; when none does, the row it comes nearest to is blamed.
 * Words without a row are BOUGH_PART_OTHER and kept as they are.
 */
struct part_need {
    const char *name;
    unsigned types; /* bits 1 << enum json_type, and PART_FILLED */
};

#define PART_FILLED 0x100u /* a string that is not empty */

struct part_shape {
    const char *word;
    bool prefix; /* the word only begins like this: "tool-" */
    enum bough_part_type type;
    struct part_need need[4];
    /* What lies deeper; `word` is for the message. NULL: nothing. */
    enum bough_rc (*deeper)(struct fields *f, const char *word, struct bough_error *err);
};

extern const struct part_shape part_shapes[]; /* ends with a NULL word */

/* The first need of the shape that the part does not meet, or NULL. */
const struct part_need *part_shape_lacks(const struct part_shape *shape, struct fields *f);

/* Members that must be there, or BOUGH_INVALID_PART naming `where`.name; `where` may be "". */
BOUGH_MUST_CHECK enum bough_rc part_needs(struct fields *f, const struct part_need *need, size_t n,
                                          const char *word, const char *where,
                                          struct bough_error *err);

/* The same of a span that must be an object. */
BOUGH_MUST_CHECK enum bough_rc part_object_needs(struct bough_str object,
                                                 const struct part_need *need, size_t n,
                                                 const char *word, const char *where,
                                                 struct bough_error *err);

/* `state` of a canonical tool part: a known status and what it must bring (A11). */
BOUGH_MUST_CHECK enum bough_rc part_tool_state_check(struct bough_str state,
                                                     struct bough_error *err);

/* `source` of a file: file, symbol or resource, each with its fields and a text range (A9). */
BOUGH_MUST_CHECK enum bough_rc part_file_source_check(struct bough_str source,
                                                      struct bough_error *err);

/* The state a status word stands for, in our words or the AI SDK's; BOUGH_TOOL_NONE: no such. */
enum bough_tool_state part_state_parse(struct bough_str raw_string);

/*
 * The text of the first text part that has any, at most `max` bytes cut at a character, without
 * NUL, in `a`; empty when there is none (H17, H17b).
 */
struct bough_str part_text_first(struct bough_arena *a, const struct bough_part *parts, size_t n,
                                 size_t max);

/* The id that pairs a call with its result, and the tool's name, in any vocabulary; "" if none. */
const char *part_call_id(struct bough_arena *a, const struct bough_part *part);
const char *part_tool_name(struct bough_arena *a, const struct bough_part *part);

#endif
