/* Internals of opencode's writer: opencode_write.c writes the document and its own messages,
 * opencode_foreign.c converts those of other tools. */
#ifndef FORMATS_OPENCODE_OPENCODE_OUT_H
#define FORMATS_OPENCODE_OPENCODE_OUT_H

#include "formats/common/foreign.h"
#include "formats/opencode/opencode.h"

struct opencode_out {
    const char *session;
    const char *user;             /* id of the last user message */
    const char *provider, *model; /* of the last answer, or of the first one */
    int64_t made;                 /* number of ids made: they must ascend */
    int64_t clock;                /* the latest time so far: messages are ordered by time */
    struct bough_entry aside;     /* the last entry that is not on the head's path */
    bool hides;                   /* there is one */
};

/* An id in opencode's form, later than those before. */
const char *opencode_make_id(struct writing *w, const char *prefix, int64_t time, const char *of);

/* Is it a message of opencode? Write it back. */
bool opencode_native(const struct bough_entry *e, const char *id);
void opencode_put_native(struct writing *w, struct json_writer *jw, const struct bough_entry *e,
                         const char *id);

/* Write the messages of a path, of opencode and of other tools. */
void opencode_put_messages(struct writing *w, struct json_writer *jw,
                           const struct written_run *run);

#endif
