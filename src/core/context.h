/*
 * Contexts: what a model would see of a path, in the shape one kind of client sends. Pure.
 *
 * How a message of another tool is stored, so that it can be given back: role is our enum, the
 * original word is data.role when it differs; `content` is the parts, raw; every other field of the
 * message is a member of data, as it came. data."bough.content" says what content was when it was
 * not an array: "string" (one text part), "null", or "none" (the message had no such field).
 * Other entries keep their fields, under the tool's own names, in data; an entry's time is
 * entry.time.
 */
#ifndef CORE_CONTEXT_H
#define CORE_CONTEXT_H

#include <bough/context.h>

#include "base/json.h"

#define CONTEXT_CONTENT_KEY "bough.content"

struct context_input {
    const char *dialect;
    struct bough_entry *entries; /* a path, oldest first; must outlive the result */
    size_t n;
    /* What was set before the first of them, newest first: changes of model and level, answers. */
    struct bough_entry *const *before;
    size_t nbefore;
    struct bough_entry *marker; /* the compaction in force or NULL; "pi" finds its own */
    bool inherit;               /* as asked for; the choice of `marker` was the caller's */
};

/* BOUGH_INVALID for an unknown dialect; BOUGH_TOO_LARGE when it would not fit a JSON text. */
BOUGH_MUST_CHECK enum bough_rc context_build(struct bough_arena *a, const struct context_input *in,
                                             struct bough_context *out, struct bough_error *err);

/* ---- for dialects: one file each, one row in context.c ---- */

struct context_out {
    struct bough_arena *a;
    const struct context_input *in;
    struct bough_context *out;
    struct json_writer w; /* inside the array of messages */
    size_t sources_cap, notes_cap;
};

struct context_dialect {
    const char *name;
    const char *about;
    void (*build)(struct context_out *c);
};

extern const struct context_dialect context_pi;
extern const struct context_dialect context_hygge;
extern const struct context_dialect context_ui;

/* Call before each message written with c->w. */
void context_source(struct context_out *c, const struct bough_entry *e);

/* Something that is not verbatim. `what` is a word that lives for ever. */
void context_note(struct context_out *c, const struct bough_entry *e, const char *what,
                  const char *fmt, ...) BOUGH_PRINTF(4, 5);

/* Is the entry out because it was deleted? Says so in a note. */
bool context_left_out(struct context_out *c, const struct bough_entry *e);

/* Is it the entry of that id: ours, or the one it came with? */
bool context_is(const struct bough_entry *e, const char *id);

/* The list of dialects, for help; ends with NULL. */
extern const struct context_dialect *const context_dialects[];

#endif
