/*
 * Spans: what a part says, as spans of its JSON, whichever tool's format the part is in. One pass
 * over the part; nothing is decoded. Reading never fails: fields that are missing or of the wrong
 * type are empty. Pure.
 *
 * A string is a span with its quotes, escapes unchanged. A value is a span of any JSON. Empty means
 * missing.
 */
#ifndef CORE_PART_SPANS_H
#define CORE_PART_SPANS_H

#include <bough/part.h>

#include "base/json/span.h"
#include "base/memory/buf.h"
#include "core/part/fields.h"

enum view_kind {
    VIEW_TEXT,
    VIEW_REASONING,
    VIEW_CALL,   /* a tool call */
    VIEW_RESULT, /* a tool's result */
    VIEW_TOOL,   /* call and result in one part: canonical and AI SDK */
    VIEW_FILE,
    VIEW_OTHER, /* any other type, or invalid JSON: only raw, type and word are set */
};

/* Whose signature a reasoning part or a call has. */
enum part_signer {
    SIGNER_NONE,
    SIGNER_ANTHROPIC,
    SIGNER_REDACTED, /* Anthropic: the reasoning itself is encrypted, there is no text */
    SIGNER_OPENAI,   /* encrypted content of a reasoning item */
    SIGNER_GOOGLE,
    SIGNER_PI, /* as pi keeps it: the meaning depends on the API that the message came from */
};

struct part_spans {
    enum view_kind kind;
    enum bough_part_type type;
    enum bough_tool_state state;
    enum part_signer signer;
    bool ignored;    /* text: not shown to the model */
    bool synthetic;  /* text: added by a tool, not typed by a person */
    bool failed;     /* result: it is an error */
    bool quoted;     /* call: `input` is a string that should hold JSON */
    bool freeform;   /* call: its input is plain text, not JSON */
    bool server;     /* call or result: the provider itself ran the tool */
    bool item_wise;  /* an item of OpenAI's responses: a response is several of them */
    bool cleared;    /* result: the output was compacted */
    bool surrogates; /* somewhere in it are escaped surrogates */
    struct bough_str raw;
    struct bough_str word;       /* string: its `type` */
    struct bough_str text;       /* string: of text, reasoning */
    struct bough_str blocks;     /* value: reasoning whose text is in an array of blocks */
    struct bough_str signature;  /* string */
    struct bough_str item;       /* string: the id that its provider gave it */
    struct bough_str call, tool; /* strings: the id that matches calls and results; the name */
    struct bough_str input;      /* value: arguments */
    struct bough_str output;     /* value: the result; if `failed`, the error */
    struct bough_str partial;    /* string: the output so far of a tool that was interrupted */
    struct bough_str files;      /* value: an array of file parts that belong to the output */
    struct bough_str mime, filename, url; /* strings */
    struct bough_str base64;              /* the bytes, without quotes, also those of a data URL */
};

/* Read a part, which must outlive the spans. `a` is used only for escaped data URLs and for names
 * that are part of a longer word. */
void part_spans_read(struct bough_arena *a, const struct bough_part *part, struct part_spans *s);

/* The texts of an array of blocks, joined by newlines, as the contents of a JSON string, without
 * quotes. False, with `out` unchanged: not an array, or a block has no text. */
bool span_block_texts(struct buf *out, struct bough_str blocks);

#endif
