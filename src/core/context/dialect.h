/* Dialects, internal interface: what a dialect writes to, and the functions they share. Pure. */
#ifndef CORE_CONTEXT_DIALECT_H
#define CORE_CONTEXT_DIALECT_H

#include "base/json/json.h"
#include "core/context/context.h"

/* A context while it is being built. */
struct context_out {
    struct bough_arena *a;
    const struct context_input *in;
    struct bough_context_result *out;
    struct json_writer w; /* positioned inside the array of messages */
    size_t sources_cap, notes_cap;
};

extern const struct context_dialect context_pi;
extern const struct context_dialect context_hygge;
extern const struct context_dialect context_ui;

/* Apply the overlays among in->entries to the entries before them, in a copy, with a note each. */
void overlays_apply(struct context_out *c, struct context_input *in);

/* Record `e` as the source of the next message. Call once before each message written with c->w. */
void context_source(struct context_out *c, const struct bough_entry *e);

/*
 * Note that `e` is not shown verbatim. `what` is one word and must be a string constant; the
 * explanation is cut at 255 bytes.
 */
void context_note(struct context_out *c, const struct bough_entry *e, const char *what,
                  const char *fmt, ...) BOUGH_PRINTF(4, 5);

/* Must the entry be omitted, because it is deleted or an open message? Then adds a note. */
bool context_left_out(struct context_out *c, const struct bough_entry *e);

/* Does the entry have that id, as its own or as its original id? False for NULL and "". */
bool context_is(const struct bough_entry *e, const char *id);

#endif
