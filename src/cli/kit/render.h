/* Prints entries as text: messages, tool calls, and entries of other kinds. */
#ifndef CLI_KIT_RENDER_H
#define CLI_KIT_RENDER_H

#include <bough/bough.h>

#include "cli/term/out.h"

/* The fields of a tool part, whichever tool's vocabulary it uses. */
struct tool_view {
    const char *name;       /* "" for a result that does not name its tool */
    struct bough_str input; /* raw JSON, or empty */
    const char *output;     /* text; NULL: no output yet */
    bool failed;
};

void render_tool_view(struct bough_arena *a, const struct bough_part *part, struct tool_view *out);

/* One line about an entry, without line breaks: the beginning of its text, its tool, or
 * its kind. */
const char *render_line(struct bough_arena *a, const struct bough_entry *e);

/* The summary of a compaction or of a branch summary; "" when there is none. */
const char *render_summary(struct bough_arena *a, const struct bough_entry *e);

struct render {
    const struct out *o;
    struct bough_arena *a; /* scratch memory */
    bool full;             /* tool input and output in full */
    bool raw;              /* do not render Markdown */
    bool parts;            /* print each part's JSON */
};

/* Print an entry: header line, parts, an empty line. `label` may be NULL or "". */
void render_entry(const struct render *r, const struct bough_entry *e, const char *label);

#endif
