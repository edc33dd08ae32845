/* Internals of the Codex writer: codex_write.c writes its own lines, codex_foreign.c converts
 * entries of other tools. */
#ifndef FORMATS_CODEX_CODEX_OUT_H
#define FORMATS_CODEX_CODEX_OUT_H

#include "formats/codex/codex.h"
#include "formats/common/foreign.h"

struct codex_out {
    const char *id;
    int64_t ordinal; /* of the last line; -1: lines are not numbered */
    bool by_reference;
    bool foreign; /* an entry of another tool came: from there on the path waits for its end */
};

/* A line up to its payload, whose value comes next; and its end. */
void codex_line_begin(struct writing *w, struct json_writer *jw, int64_t time, const char *type);
void codex_line_end(struct writing *w, struct json_writer *jw);

/* Is it a line of Codex? Write it back. */
bool codex_native(const struct bough_entry *e);
void codex_put_native(struct writing *w, const struct bough_entry *e);

/* Write the path from its first entry of another tool on. */
void codex_put_foreign(struct writing *w);

#endif
