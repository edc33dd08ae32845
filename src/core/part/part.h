/* Parts, internal interface: the table of accepted shapes, and reading fields of a part. */
#ifndef CORE_PART_PART_H
#define CORE_PART_PART_H

#include <bough/part.h>

#include "core/part/fields.h"

/*
 * One value of `type` (the "word") may have several shapes: "image" exists in hygge, pi and
 * Anthropic. A part is accepted when it meets the needs of one row with its word. If it meets none,
 * the error names what is missing from the first row of which it has any field, else from the first
 * row. Words without a row are BOUGH_PART_OTHER, stored unchanged.
 */
struct part_need {
    const char *name;
    unsigned types; /* bits 1 << enum json_type, and PART_FILLED */
};

#define PART_FILLED 0x100u /* the string must not be empty */

struct part_shape {
    const char *word;
    bool prefix; /* matches every longer word that begins with it: "tool-" */
    enum bough_part_type type;
    struct part_need need[4];
    /* Checks nested fields once all needs are met; `word` is for the error. NULL: no check. */
    enum bough_rc (*deeper)(struct fields *f, const char *word, struct bough_error *err);
};

extern const struct part_shape part_shapes[]; /* ends with a NULL word */

/*
 * Check that a stored part has the type its JSON says. BOUGH_PART_OTHER is right for every word:
 * when the part was stored, its word may have had no row yet. BOUGH_INVALID_PART otherwise.
 */
BOUGH_MUST_CHECK enum bough_rc part_stored_check(const struct bough_part *stored,
                                                 struct bough_error *err);

/* Does a part of this type record the progress of a turn, without content of its own? */
bool part_is_bookkeeping(enum bough_part_type type);

/* The first need of the shape that the part does not meet, or NULL if it meets all. */
const struct part_need *part_shape_lacks(const struct part_shape *shape, struct fields *f);

/* Check n needs. BOUGH_INVALID_PART names the member as `where`.name; `where` may be "". */
BOUGH_MUST_CHECK enum bough_rc part_needs(struct fields *f, const struct part_need *need, size_t n,
                                          const char *word, const char *where,
                                          struct bough_error *err);

/* The same for a span; BOUGH_INVALID_PART also when it is not an object. */
BOUGH_MUST_CHECK enum bough_rc part_object_needs(struct bough_str object,
                                                 const struct part_need *need, size_t n,
                                                 const char *word, const char *where,
                                                 struct bough_error *err);

/* Check `state` of a canonical tool part: a known status and its required fields (A11). */
BOUGH_MUST_CHECK enum bough_rc part_tool_state_check(struct bough_str state,
                                                     struct bough_error *err);

/* Check `source` of a file part: file, symbol or resource, with its fields and text range (A9). */
BOUGH_MUST_CHECK enum bough_rc part_file_source_check(struct bough_str source,
                                                      struct bough_error *err);

/* The state of a raw JSON string, in our names or the AI SDK's; BOUGH_TOOL_NONE if unknown. */
enum bough_tool_state part_state_parse(struct bough_str raw_string);

/* The id that matches a call with its result, and the tool's name, in any format; "" if none. */
const char *part_call_id(struct bough_arena *a, const struct bough_part *part);
const char *part_tool_name(struct bough_arena *a, const struct bough_part *part);

/* ---- preview.c: what lists show of a message ---- */

enum {
    PREVIEW_FIRST_BYTES = 256, /* of the first user message (H17) */
    PREVIEW_LAST_BYTES = 160,  /* of the last messages (H17b) */
};

/*
 * The text of the first text part that is not empty, in `a`: at most `max` bytes, cut at a
 * character, no ellipsis; "" when there is none. A NUL becomes a space, so that the result is a C
 * string.
 */
const char *preview_text(struct bough_arena *a, const struct bough_part *parts, size_t n,
                         size_t max);

/* The same for the raw JSON of a string; "" when it is empty or too short to be one. */
const char *preview_string(struct bough_arena *a, struct bough_str raw, size_t max);

/* Was the message stopped before it was whole, or did it fail in another way? */
bool message_stopped(const struct bough_entry *e);
bool message_failed(const struct bough_entry *e);

/* What became of a message: its outcome, and how many errors it has (its own, and of tools). Not
 * for open messages, which have neither. */
enum bough_outcome message_outcome(const struct bough_entry *e, int64_t *errors);

/* The title of a message, from its text parts: trimmed, joined, then as text_title(). */
const char *preview_title(struct bough_arena *a, const struct bough_part *parts, size_t n);

#endif
