/*
 * Builds the sessions of the demo. A builder has a stack of sessions: the one of the script, and
 * inside it its subagents and forks. Entries are collected part by part, and appended when the next
 * one begins. After the first failure all functions do nothing.
 */
#ifndef CLI_DEMO_BUILD_H
#define CLI_DEMO_BUILD_H

#include "base/memory/buf.h"
#include "cli/demo/demo.h"

/* The tool whose format the parts have. */
enum demo_style { DEMO_CLAUDE, DEMO_OPENCODE, DEMO_PI };

enum demo_end { DEMO_ENDED, DEMO_INTERRUPTED, DEMO_REFUSED };

/* How a tool call ended. */
struct demo_result {
    const char *out, *errors; /* stdout and stderr */
    int64_t exit, ms;
};

struct demo_frame;

struct demo {
    struct bough_store *s;
    struct bough_arena *a;
    struct bough_error *err;
    enum bough_rc rc;
    int64_t now;
    unsigned calls; /* numbers the ids of calls */
    struct demo_frame *top;
};

/* The parts of an entry that is being collected, and what will be appended with it. */
struct demo_entry {
    enum bough_role role; /* BOUGH_ROLE_NONE: nothing is being collected */
    struct bough_str parts[24];
    size_t nparts;
    struct bough_entry_new results[8]; /* messages with the results of its calls */
    size_t nresults;
    bool called; /* it has a call: further text is another entry */
    struct bough_totals used;
    int64_t ms;
    bool unknown; /* the price is not known */
    enum demo_end end;
    const char *error; /* JSON */
};

struct demo_mark {
    const char *name, *entry;
};

/* A session that is being built. Created with its first entry. */
struct demo_frame {
    struct demo_frame *up;
    const char *title, *slug, *project, *provider, *model, *account;
    enum demo_style style;
    enum bough_session_kind kind;
    const char *parent, *fork_entry, *parent_call;
    int64_t clock;      /* time of the next entry */
    const char *id;     /* NULL: not created yet */
    const char *at;     /* append behind this entry; NULL: the head */
    const char *last;   /* the last entry */
    const char *called; /* the last tool call */
    int64_t depth;
    struct demo_entry entry;
    struct demo_mark marks[16];
    size_t nmarks;
    struct bough_todo todos[8];
    size_t ntodos;
    bool archived, deleted;
};

/* Is this the first failure, or none? Remembers it. */
bool demo_ok(struct demo *d, enum bough_rc rc);

/* Begin a session; `entries`: how many will be appended, so that the last one is `age` ms old. */
void demo_begin(struct demo *d, const char *title, int64_t age, int64_t entries);
/* Begin a session inside the present one: a subagent of its last tool call, or a fork at its end.
 */
void demo_subagent(struct demo *d, const char *title);
void demo_fork(struct demo *d, const char *title);
/* End the innermost session: append what was collected, set its state. */
void demo_end_session(struct demo *d);

void demo_entry(struct demo *d, enum bough_role role);
void demo_text(struct demo *d, const char *text);
void demo_thought(struct demo *d, const char *text);
void demo_tool(struct demo *d, const char *name, const char *input, const struct demo_result *r);
void demo_picture(struct demo *d, const char *name, int width, int height);
void demo_compact(struct demo *d, const char *summary, int64_t tokens_before);
/* Append the entry that is being collected. */
void demo_flush(struct demo *d);

/* Append one exchange of a session that has no other. */
void demo_exchange(struct demo *d, const char *prompt, const char *answer, int64_t nano);

/* picture.c: a PNG file, in `a`. */
struct bough_str picture_png(struct bough_arena *a, int width, int height);

/* large.c */
void demo_long(struct demo *d, const struct demo_options *how);
void demo_wide(struct demo *d, const struct demo_options *how);

/* script.c: the embedded sessions.txt */
void demo_script(struct demo *d);

#endif
