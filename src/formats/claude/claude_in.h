/* Internals of the Claude Code reader: claude_read.c finds the conversation of a line,
 * claude_line.c turns it into items. */
#ifndef FORMATS_CLAUDE_CLAUDE_IN_H
#define FORMATS_CLAUDE_CLAUDE_IN_H

#include "base/limits.h"
#include "formats/claude/claude.h"
#include "formats/common/names.h"

/* A line that is held back. */
struct held {
    struct held *next;
    struct bough_str text;
    int64_t line;
};

struct lines {
    struct held *first, **end;
    size_t n, bytes;
};

/* A string in a buffer that is reused. All zero: none. */
struct said {
    char *is, *room; /* is: NULL, or equal to room */
    size_t cap;
};

enum { RESPONSES = 16 }; /* lines of the last 16 responses may be interleaved */

/* One conversation of a file: the main one, or a sidechain. Files may be of any length, so only the
 * newest lines are known. A line that refers to an older one gets that id as its parent. */
struct chain {
    struct chain *next;
    const char *key;     /* of a sidechain: its agent's id, or the uuid of its root */
    struct said last;    /* uuid of the last line that has one */
    struct said model;   /* of the last answer */
    struct recent lines; /* uuids of recent lines */
    /* Uuid -> id of the last entry without a uuid after it; "": before the first line. */
    struct recent tails;
    struct recent usage;  /* id of a response -> usage counted so far: int64_t[4] */
    struct said response; /* id of the last response; `group` has its lines and their results */
    struct recent group;
    /* Where the last responses begin, or the first line: a later reading resumes there. */
    struct line_place begins[RESPONSES];
    size_t nbegins;
    struct held *boundary; /* a compaction that waits for its summary */
    struct lines waiting;  /* of a sidechain: lines to give after the main conversation */
    bool begun;
};

struct claude {
    const char *session; /* sessionId */
    const char *agent;   /* set when the file belongs to a subagent */
    struct lines leading;
    struct chain main, *sides;
    struct recent members;    /* uuid of a sidechain's line -> struct chain * */
    struct recent seen;       /* ids of lines without a uuid -> how often: int64_t */
    struct recent others;     /* other sessions that were reported */
    struct bough_arena *hold; /* owns held boundaries and lines of sidechains */
    size_t side_bytes;
};

/* Append a copy of the line to `l`, in `a`. */
void claude_hold(struct reading *r, struct bough_arena *a, struct lines *l, struct bough_str text);
/* Turn one line of a conversation into items. */
enum bough_rc claude_take(struct reading *r, struct claude *cc, struct chain *c, struct json j,
                          struct bough_error *err);
/* Give the compaction that waits, if any, with this summary. */
enum bough_rc claude_boundary(struct reading *r, struct claude *cc, struct chain *c,
                              struct bough_str summary, struct bough_error *err);

#endif
