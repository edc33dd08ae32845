/* Entries as text: what was said, which tools ran, what happened between. */
#ifndef CLI_RENDER_H
#define CLI_RENDER_H

#include <bough/bough.h>

#include "cli/out.h"

/* A tool part in any vocabulary. */
struct tool_view {
    const char *name;       /* "" when the part does not say: a result */
    struct bough_str input; /* raw JSON, or empty */
    const char *output;     /* text; NULL: none yet */
    bool failed;
};

void render_tool_view(struct bough_arena *a, const struct bough_part *part, struct tool_view *out);

/* One line about an entry, without line ends: the beginning of its text, or what it is. */
const char *render_line(struct bough_arena *a, const struct bough_entry *e);

/* The summary of a compaction or of a branch that was left; "" when there is none. */
const char *render_summary(struct bough_arena *a, const struct bough_entry *e);

struct render {
    const struct out *o;
    struct bough_arena *a; /* for what one entry needs */
    bool full;             /* tools and their output whole */
    bool raw;              /* Markdown as it was typed */
    bool parts;            /* each part as its JSON */
};

/* Its header line, its parts, an empty line. `label` may be NULL or "". */
void render_entry(const struct render *r, const struct bough_entry *e, const char *label);

#endif
