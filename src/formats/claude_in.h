/* Reading Claude Code's session files, inside view: claude_read.c says whose a line is,
 * claude_line.c what it becomes. */
#ifndef FORMATS_CLAUDE_IN_H
#define FORMATS_CLAUDE_IN_H

#include "base/limits.h"
#include "formats/claude.h"
#include "formats/names.h"

/* A line that waits. */
struct held {
    struct held *next;
    struct bough_str text;
    int64_t line;
};

struct lines {
    struct held *first, **end;
    size_t n, bytes;
};

/* A text in room that is used again. All zero: none. */
struct said {
    char *is, *room; /* is: NULL or room */
    size_t cap;
};

enum { RESPONSES = 16 }; /* lines of so many may be mixed */

/*
 * One conversation of a file: the main one, or a sidechain. Files have no end: of what was read,
 * the newest is known. Lines that name older ones hang on those, as they say.
 */
struct chain {
    struct chain *next;
    const char *key;      /* of a sidechain: its agent's id, or the uuid of its root */
    struct said last;     /* uuid of its last line that has one */
    struct said model;    /* that answered last */
    struct recent lines;  /* uuids; what the next reading must know of them is kept by `begins` */
    struct recent tails;  /* uuid -> id of what stands behind it; "" before the first one */
    struct recent usage;  /* id of a response -> what was counted of it: int64_t[4] */
    struct said response; /* id of the last response, and its lines with their results so far */
    struct recent group;
    struct line_place begins[RESPONSES]; /* of the last responses, or of the first line */
    size_t nbegins;
    struct held *boundary; /* a compaction that waits for its summary */
    struct lines waiting;  /* of a sidechain: given after the main one */
    bool begun;
};

struct claude {
    const char *session; /* sessionId */
    const char *agent;   /* the file is a sub-agent's */
    struct lines leading;
    struct chain main, *sides;
    struct recent members;    /* uuid of a sidechain's line -> struct chain * */
    struct recent seen;       /* ids of lines without a uuid -> how often: int64_t */
    struct bough_arena *hold; /* boundaries and lines of sidechains that wait */
    size_t side_bytes;
};

/* A line that waits in that arena. */
void claude_hold(struct reading *r, struct bough_arena *a, struct lines *l, struct bough_str text);
/* One line of one conversation. */
enum bough_rc claude_take(struct reading *r, struct claude *cc, struct chain *c, struct json j,
                          struct bough_error *err);
/* A boundary that waits, when there is one. */
enum bough_rc claude_boundary(struct reading *r, struct claude *cc, struct chain *c,
                              struct bough_str summary, struct bough_error *err);

#endif
