/* opencode: what its export and its storage share; see docs/formats.md. */
#ifndef FORMATS_OPENCODE_H
#define FORMATS_OPENCODE_H

#include "base/limits.h"
#include "formats/format.h"
#include "formats/names.h"

#define OPENCODE_INFO "opencode.info"       /* the session's data: its info */
#define OPENCODE_MARKER "bough-compaction-" /* before the id of a request for a summary */

bool opencode_detect(struct bough_str first);
enum bough_rc opencode_document(struct reading *r, struct bough_error *err);
extern const struct format_rows opencode_rows;

/* ---- opencode_item.c: a session of it as items. All zero at first. ---- */

struct opencode_session {
    const char *id;
    struct names summed; /* ids of the requests for a summary that were answered */
    const char *hidden;  /* a pending revert hides this message and what follows it, or NULL */
    bool partly;         /* only a part of it */
    bool reverted;       /* that message was there */
    char last[LIMIT_ID], before[LIMIT_ID]; /* ids: the message at hand follows `last` */
};

/* Gives the session; its messages may have said its id. */
enum bough_rc opencode_begin(struct reading *r, struct opencode_session *oc, struct json info,
                             struct bough_error *err);
/* Before the messages are given: is this one the answer to a request for a summary? */
void opencode_summed(struct reading *r, struct opencode_session *oc, struct json info);
/* {"info":{...},"parts":[...]}, in order. */
enum bough_rc opencode_message(struct reading *r, struct opencode_session *oc, struct json j,
                               struct bough_error *err);
/* Tokens and cost of an answer. */
void opencode_usage(struct reading *r, struct json info, struct bough_entry_new *e);

/* ---- opencode_newer.c: rows of its newer tables ---- */

enum bough_rc opencode_newer(struct reading *r, struct opencode_session *oc, struct json row,
                             struct bough_error *err);
enum bough_rc opencode_waiting(struct reading *r, struct json row, struct bough_error *err);

/* After the last one: a pending revert puts the session before what it hides (A22). */
enum bough_rc opencode_end(struct reading *r, const struct opencode_session *oc,
                           struct bough_error *err);

#endif
