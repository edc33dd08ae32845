/*
 * Views: one struct for a part's contents, whichever tool's format the part is in: the spans of
 * spans.h, decoded. Pure. Reading never fails: fields that are missing or of the wrong type are
 * empty.
 */
#ifndef CORE_PART_VIEW_H
#define CORE_PART_VIEW_H

#include <bough/part.h>

#include "base/json/json.h"
#include "core/part/spans.h"

/*
 * Strings are decoded, in the arena, "" when missing. `raw`, `input` and `output` are raw JSON,
 * empty when missing; they may be slices of the part.
 */
struct part_view {
    enum view_kind kind;
    enum bough_part_type type;
    struct bough_str raw;   /* the part; empty when the view stands for a whole message */
    const char *word;       /* the value of its `type` */
    struct bough_str text;  /* text, reasoning */
    bool ignored;           /* text: not shown to the model */
    bool synthetic;         /* text: added by a tool, not typed by a person */
    const char *call;       /* the id that matches calls and results */
    const char *tool;       /* the tool's name */
    struct bough_str input; /* arguments; a string of JSON is decoded to that JSON */
    enum bough_tool_state state;
    bool failed;
    struct bough_str output; /* the result; if `failed`, the error */
    const char *mime;
    const char *filename;
    struct bough_str url;    /* as given; empty when the part has only bytes */
    struct bough_str base64; /* the bytes, also those of a data URL */
};

/* Fill `v` from a part, which must outlive it. */
void view_part(struct bough_arena *a, const struct bough_part *part, struct part_view *v);

/* The part as a tree; "nothing" when the view stands for a whole message. Parsed on every call. */
struct json view_json(struct bough_arena *a, const struct part_view *v);

/* A file's URL; a data URL, in `a`, when the part has only bytes. */
struct bough_str view_url(struct bough_arena *a, const struct part_view *v);

/* An output as plain text: a string's value, the texts of blocks on lines, or the JSON itself. */
struct bough_str view_output_text(struct bough_arena *a, struct bough_str output);

/* The content of a custom message that has it in data, as plain text; "" if it has parts or none.
 */
struct bough_str view_custom_text(struct bough_arena *a, const struct bough_entry *e);
/* Is it a custom message that is for the model only (`display` is false)? */
bool view_hidden(struct bough_arena *a, const struct bough_entry *e);

/*
 * A message split into runs, in order: content, then the results of its calls, then content again,
 * and so on. A VIEW_TOOL part becomes a VIEW_CALL and, once finished, a VIEW_RESULT. A tool message
 * (with a call id beside its content, or only result parts) is one run of results. There is always
 * at least one run; a message without parts has one empty run.
 */
struct view_run {
    bool results;
    struct part_view *at;
    size_t n;
};

struct view_run *view_runs(struct bough_arena *a, const struct bough_entry *e, size_t *n);

/* The views of an entry's parts: e->nparts, in order, not split into runs. */
struct part_view *view_parts(struct bough_arena *a, const struct bough_entry *e);

/* The call id of a tool message that has it beside its content (pi, OpenAI chat), or "". */
const char *view_message_call(struct bough_arena *a, const struct bough_entry *e);

/* The original role of a message: data.role, else our name of its role. */
const char *view_role(struct bough_arena *a, const struct bough_entry *e);

/* data.role as raw JSON: the word that the caller used for the role; empty when it is our name. */
struct bough_str view_role_raw(const struct bough_entry *e);

/* `data` (raw JSON object or empty) with the caller's word for a role in it, unless the word is our
 * name of that role. Data that is not an object, or has a role, comes back as it is. */
struct bough_str view_keep_role(struct bough_arena *a, const char *word, struct bough_str data);

/* `data` (raw JSON object or empty) with one more member in front. Data that is not an object comes
 * back as it is. */
struct bough_str view_with_member(struct bough_arena *a, struct bough_str data, const char *name,
                                  struct bough_str value);

/* e->data as a tree; "nothing" when it is empty or invalid. Parsed anew on every call. */
struct json view_data(struct bough_arena *a, const struct bough_entry *e);
/* The metadata of a UIMessage, raw JSON of any type, or empty: an imported one is in data. */
struct bough_str view_metadata(struct bough_arena *a, const struct bough_entry *e);

/* pi's `!command` with its output, as the text that a model receives (P26). */
struct bough_str view_bash_text(struct bough_arena *a, struct json data);

#endif
