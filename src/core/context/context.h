/*
 * Contexts: the messages of a path that a model receives, in the format of one client ("dialect").
 * Pure.
 *
 * A message of another tool is stored so that it can be restored exactly. Its role is mapped to our
 * enum; the original role is kept in data.role if it differs. Its `content` becomes the parts, raw.
 * All its other fields are members of data, unchanged. data."bough.content" records the form of a
 * content that was not an array: "string" (one text part), "null", or "none" (no such field).
 * Entries other than messages keep their fields in data, under the tool's own names. The time is
 * entry.time.
 */
#ifndef CORE_CONTEXT_CONTEXT_H
#define CORE_CONTEXT_CONTEXT_H

#include <bough/context.h>
#include <bough/notes.h>

#define CONTEXT_CONTENT_KEY "bough.content"

/* Overlays on sealed messages are custom entries of this customType, whose `data` is
 * {"target": entry id, ...}; overlays.c. */
#define OVERLAY_AMEND                                                                              \
    "bough.amend"                           /* "parts": shown behind those of the target, unless   \
                                               "variant" says that a client sent them so */
#define OVERLAY_COMPACTED "bough.compacted" /* "part": its number; without it all parts */

/* Does the part have an output of a tool that can be compacted? */
bool overlay_clears(const struct bough_part *part);

struct context_input {
    const char *dialect;         /* the name of a row in context_dialects[] */
    struct bough_entry *entries; /* a path, oldest first; must outlive the result */
    size_t n;
    /* Entries before entries[0] that still matter, newest first: the last changes of model and
     * thinking level, and the last assistant messages. */
    struct bough_entry *const *before;
    size_t nbefore;
    struct bough_entry *marker; /* the compaction in force or NULL; "pi" finds its own in entries */
    const struct bough_memory *memories; /* shown first */
    size_t nmemories;
};

/*
 * Build the context of in->dialect; the result lives in `a` and points into `in`. BOUGH_INVALID for
 * an unknown dialect, BOUGH_TOO_LARGE when the messages exceed LIMIT_JSON_BYTES.
 */
BOUGH_MUST_CHECK enum bough_rc context_build(struct bough_arena *a, const struct context_input *in,
                                             struct bough_context_result *out,
                                             struct bough_error *err);

struct context_out;

/* One client's format: one file, and one row in dialects.c. The store, the API and the command line
 * read this struct; none of them knows a dialect by name. */
struct context_dialect {
    const char *name;
    const char *about; /* one line, for help */

    /* The entries it needs. Without `since_marker`: the whole path. With it: the entries that the
     * latest marker (compaction) keeps, and those after the marker. */
    bool since_marker;
    bool inherits;     /* markers of the sessions it was forked from count, also if not asked for */
    bool marker_first; /* the marker is in `entries`: first if it keeps no entry before itself */

    void (*build)(struct context_out *c); /* writes the messages with c->w, adds notes */
};

/* All dialects; the first is the default of the API and of the command line. Ends with NULL. */
extern const struct context_dialect *const context_dialects[];

/* The dialect of that name. BOUGH_INVALID, with the names of all dialects, if there is none. */
BOUGH_MUST_CHECK enum bough_rc
context_dialect_find(const char *name, const struct context_dialect **out, struct bough_error *err);
/* The name of the i-th dialect; NULL behind the last. */
const char *context_dialect_name(size_t i);

#endif
