/* opencode: declarations shared by its export and its storage; see docs/formats.md. */
#ifndef FORMATS_OPENCODE_OPENCODE_H
#define FORMATS_OPENCODE_OPENCODE_H

#include "base/limits.h"
#include "formats/common/format.h"
#include "formats/common/names.h"

#define OPENCODE_INFO "opencode.info"       /* in the session's data: its info */
#define OPENCODE_MARKER "bough-compaction-" /* prefix of a compaction marker's id */

bool opencode_detect(struct bough_str first);
enum bough_rc opencode_document(struct reading *r, struct bough_error *err);
extern const struct format_rows opencode_rows;

/* ---- opencode_item.c: a session as items. All zero at first. ---- */

struct opencode_session {
    const char *id;
    struct names summed; /* ids of the requests for a summary that were answered */
    const char *hidden;  /* a pending revert hides this message and those after it, or NULL */
    bool partly;         /* the revert hides only a part of that message */
    bool reverted;       /* that message was found */
    char last[LIMIT_ID], before[LIMIT_ID]; /* ids: `last` is the parent of the next message */
};

/* Give the session. Its id may also come from its messages, in oc->id. */
enum bough_rc opencode_begin(struct reading *r, struct opencode_session *oc, struct json info,
                             struct bough_error *err);
/* Run for all messages before any is given: records answers to requests for a summary. */
void opencode_summed(struct reading *r, struct opencode_session *oc, struct json info);
/* Give one message, {"info":{...},"parts":[...]}. Call in order. */
enum bough_rc opencode_message(struct reading *r, struct opencode_session *oc, struct json j,
                               struct bough_error *err);
/* Set tokens and cost of an answer. */
void opencode_usage(struct reading *r, struct json info, struct bough_entry_new *e);

/* ---- opencode_newer.c: rows of newer tables ---- */

enum bough_rc opencode_newer(struct reading *r, struct opencode_session *oc, struct json row,
                             struct bough_error *err);
enum bough_rc opencode_waiting(struct reading *r, struct json row, struct bough_error *err);

/* After the last message: a pending revert puts the head before what it hides (A22). */
enum bough_rc opencode_end(struct reading *r, const struct opencode_session *oc,
                           struct bough_error *err);

#endif
