/* Dialects, internal interface: what a dialect writes to, and the functions they share. Pure. */
#ifndef CORE_CONTEXT_DIALECT_H
#define CORE_CONTEXT_DIALECT_H

#include "base/json/json.h"
#include "core/context/context.h"
#include "core/words/words.h"

/* A context while it is being built. */
struct context_out {
    struct bough_arena *a;
    const struct context_input *in;
    struct bough_context_result *out;
    struct json_writer w;               /* positioned inside the array of messages */
    const struct bough_entry *memories; /* as a system message; NULL: none, or written already */
    size_t sources_cap, notes_cap;
};

extern const struct context_dialect context_openai_chat;
extern const struct context_dialect context_openai_responses;
extern const struct context_dialect context_anthropic;
extern const struct context_dialect context_gemini;
extern const struct context_dialect context_pi;
extern const struct context_dialect context_hygge;
extern const struct context_dialect context_ui;

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

/* For turns_input.note: adds a note; `c` is the struct context_out. */
void context_take_note(void *c, const struct bough_entry *e, const char *what, const char *why);

/* A system message with this text, which is no entry of the session: its id is "". */
struct bough_entry *context_system(struct bough_arena *a, struct bough_str text, int64_t time);

/* The turns of the context, by the rules of a provider. */
void context_turns(struct context_out *c, const struct turns_rules *rules, struct turns *out);

/* Where to write the next message: a comma is written if one is needed. */
struct buf *context_next(struct context_out *c);

/* Write the results of a turn's calls into one message that begins with `open`. Returns whether
 * there are any; the caller ends the message. */
bool context_results(struct context_out *c, const struct turn *t, const char *open,
                     void (*put)(struct buf *out, const struct piece *call));

/* The system text, if there is any, as out->system: one JSON string between two constants. */
void context_system_put(struct context_out *c, const struct piece *texts, const char *before,
                        const char *after);

#endif
