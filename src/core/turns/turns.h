/*
 * Turns: the conversation on a path as a provider or another tool can take it. Who speaks, what is
 * said, and every tool call with exactly one result right behind it. Pure.
 *
 * All writers of messages for others begin here: the contexts of providers (core/context) and the
 * exports to other tools (formats). A writer states its rules; turns_build() applies them, so that
 * the writer only has to write what it gets, in order. Texts, arguments and base64 stay spans of
 * the stored parts. The same entries always give the same turns, and a turn does not depend on
 * later entries, except that a call gets its result and an overlay its target.
 */
#ifndef CORE_TURNS_TURNS_H
#define CORE_TURNS_TURNS_H

#include <bough/model.h>

#include "core/part/spans.h"

/* ---- what is said ---- */

enum piece_kind {
    PIECE_TEXT,
    PIECE_REASONING,
    PIECE_CALL,
    PIECE_FILE,
    PIECE_SERVER, /* a block of a tool that the provider itself runs, copied as it is */
};

struct piece {
    struct piece *next;
    enum piece_kind kind;
    const struct bough_entry *e; /* where it comes from */
    size_t at;                   /* index of that entry in the input */
    /* Of a text: `text`, a JSON string. Of reasoning: `text`, `blocks`, `signature`, `item`. Of a
     * call: `input`, see call_object(). Of a file: `mime`, `filename`, `url`, `base64`. */
    struct part_spans s;
    bool json;                   /* a text that is any JSON value: escape it to write it */
    struct bough_str model, api; /* of what the model said: which one, by which API; strings */
    struct bough_str id, name;   /* of a call: valid for the target, as contents of a JSON string */
    struct result *result;       /* of a call: never NULL in finished turns */
    size_t nth;                  /* of a call: how many calls before it had its id */
    bool whole;                  /* of a block of a server tool: call and result are both there */
};

struct result {
    const struct bough_entry *e; /* the entry of the call if `made` */
    size_t at;
    struct piece *content; /* texts and files, at least one */
    bool failed;
    bool made; /* there was none: the tool was interrupted */
};

enum turn_kind {
    TURN_SYSTEM,
    TURN_USER,
    TURN_MODEL,  /* if it has calls, their results follow, in the same order */
    TURN_MARKER, /* a compaction where it stands; only if turns_input.whole */
};

struct turn {
    struct turn *next;
    enum turn_kind kind;
    const struct bough_entry *e; /* the first entry it comes from */
    size_t at;
    struct piece *first, *last; /* of a marker: its summary with words around it, or none */
    struct bough_str summary;   /* of a marker: the summary alone, a JSON string, or empty */
    size_t calls;
    size_t kept;    /* of a marker: index of the first entry it keeps; its own if it keeps none */
    bool developer; /* of a system turn: its author called it that */
    /* Used while building. */
    bool answered; /* a result came */
    bool over;     /* a step ended: the next piece begins a turn */
    bool empty;    /* of a user: something was there, but nothing of it can be shown */
};

struct turns {
    struct piece *system; /* the leading system texts, if the rules want them apart */
    bool developer;       /* all of these are from developer messages */
    struct turn *first, *last;
    size_t n;
};

/* ---- rules ---- */

enum file_place { FILE_OF_USER, FILE_OF_MODEL, FILE_OF_RESULT };

struct turns_rules {
    /* Call ids: at most this many characters of [A-Za-z0-9_-], or of any visible ASCII if
     * `ids_loose`. Invalid or repeated ones are derived: "c" and 8 digits. 0: kept as they are. */
    size_t id_max;
    bool ids_loose;
    /* Tool names: at most this many of [A-Za-z0-9_-]; the first a letter or "_" if `name_letter`.
     * 0: kept as they are. */
    size_t name_max;
    bool name_letter;
    /* Reasoning: whose signature it must have, besides coming from the model that will read it.
     * SIGNER_NONE: none is taken. `reasoning_any`: all of it is taken as it is. */
    enum part_signer signer;
    bool reasoning_any;
    enum part_signer server; /* whose blocks of server tools are taken: _ANTHROPIC or _OPENAI */
    /* Has the target a form for this file there? A file that is not taken becomes a line of text;
     * of a result, if a user may send it, a message of the user behind. `used`: base64 so far. */
    bool (*takes)(const struct piece *file, enum file_place place, size_t used);
    bool system_apart;  /* the leading system texts are not a turn */
    bool system_inside; /* a system turn may stand anywhere; else it becomes the user's */
    bool merges_models; /* turns of the model in a row become one */
    bool merges_users;  /* the same for the user's */
    bool user_first;    /* the first turn must be the user's */
    bool trims_last;    /* a text of the model at the end must not end in white space */
};

/* ---- building ---- */

struct turns_input {
    const struct bough_entry *entries; /* a path or the end of one, oldest first */
    size_t n;
    /* Markers stay where they are. Otherwise the summary of `marker` comes first, as the user's
     * text, and other markers are left out. */
    bool whole;
    const struct bough_entry *marker; /* or NULL */
    /* System messages that come before the path: of the session, memories, what a marker hides. */
    const struct bough_entry *const *leading;
    size_t nleading;
    const char *model;    /* that was in force before the first entry; NULL or "": unknown */
    const char *to_model; /* that will read the turns; NULL or "": unknown */
    bool trailing;        /* a turn of the model may be the last one; else it is left out */
    /* Called for everything that is not shown verbatim; `what` is one word. NULL: not interested.
     */
    void (*note)(void *user, const struct bough_entry *e, const char *what, const char *why);
    void *user;
};

/* Build the turns of a path in `a`. They point into the entries. */
void turns_build(struct bough_arena *a, const struct turns_input *in,
                 const struct turns_rules *rules, struct turns *out);

/* The content of a result, by these rules, in `a`: texts, and files that they take. `output` is any
 * JSON value. NULL: it is empty. */
struct piece *turns_content(struct bough_arena *a, const struct turns_rules *rules,
                            struct bough_str output);

/* Can the entry be part of a turn? A message, or what turns show in place of one. */
bool turns_shows(const struct bough_entry *e);

/* ---- overlays: overlay.c ---- */

/* Overlays on sealed messages are custom entries of this customType, whose `data` is
 * {"target": entry id, ...}. */
#define OVERLAY_AMEND                                                                              \
    "bough.amend"                           /* "parts": shown behind those of the target, unless   \
                                               "variant" says that a client sent them so */
#define OVERLAY_COMPACTED "bough.compacted" /* "part": its number; without it all parts */

/* Does the part have an output of a tool that can be compacted? */
bool overlay_clears(const struct bough_part *part);

/* Apply the overlays among the entries to the entries before them: in->entries becomes a copy if
 * there is any. With `edits` also pi's context edits. Notes go to in->note. */
void overlays_apply(struct bough_arena *a, struct turns_input *in, bool edits);

/* Does the entry have that id, as its own or as its original id? False for NULL and "". */
bool entry_has_id(const struct bough_entry *e, const char *id);

#endif
