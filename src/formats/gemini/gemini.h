/* Gemini CLI's chat files: internals of the reader. */
#ifndef FORMATS_GEMINI_GEMINI_H
#define FORMATS_GEMINI_GEMINI_H

#include "base/hash/sha256.h"
#include "formats/common/format.h"
#include "formats/common/names.h"

struct gemini {
    bool begun;          /* the session was given */
    const char *last;    /* id of the last message on the path, or NULL */
    bool moved;          /* a rewind was the last thing: the head is at `last` */
    struct names before; /* id of a message -> that of the entry before it; "" for none */
    struct names after;  /* id of a message -> that of its last entry: its results, or itself */
    struct names sums;   /* id of a message -> checksum of its line */
    struct buf text;     /* the last message, which may be written again; empty: none */
    const char *held_id; /* its id, and its line */
    int64_t held_line;
};

/* ---- gemini_parts.c ---- */

/* Fill parts, data, usage and cost of a message of the file. */
void gemini_message(struct reading *r, struct json j, struct bough_entry_new *e);
/* The results of its tool calls as parts; 0: it has none. */
size_t gemini_results(struct reading *r, struct json j, struct bough_str **parts);

#endif
