/* Internals of the Claude Code writer: claude_write.c writes its own lines, claude_foreign.c
 * converts entries of other tools. */
#ifndef FORMATS_CLAUDE_CLAUDE_OUT_H
#define FORMATS_CLAUDE_CLAUDE_OUT_H

#include "formats/claude/claude.h"
#include "formats/common/foreign.h"
#include "formats/common/names.h"

struct claude_out {
    const char *session; /* the sessionId of all lines */
    bool agent;          /* it is a subagent's session */
    /* Id of an entry -> uuid of its line or of its nearest ancestor's; "": none. */
    struct names uuids;
    const char *last; /* uuid of the last line that has one */
    bool foreign;     /* an entry of another tool is on the head's path: from there on it waits */
    bool marked;      /* a line names the session of the store */
};

/* The uuid of the line of an entry, or of its nearest ancestor's; NULL: there is none. */
const char *claude_uuid_up_to(const struct claude_out *out, const char *id);
void claude_put_time(struct json_writer *jw, int64_t ms);
void claude_line_end(struct writing *w, struct json_writer *jw);

/* Is it a line of Claude Code? */
bool claude_native(const struct bough_entry *e);
/* Write it back. For an entry that is none, only note that its children hang on its parent. */
void claude_put_native(struct writing *w, const struct bough_entry *e, const char *id,
                       const char *parent);

/* The members of a converted line before its content, and those behind it. */
void claude_line_begin(struct writing *w, struct json_writer *jw, const char *parent,
                       const char *type);
void claude_line_finish(struct writing *w, struct json_writer *jw, const char *uuid, int64_t time);

/* Write the head's path from its first entry of another tool on. */
void claude_put_foreign(struct writing *w);

#endif
