/* Steps of a run: one model call, the tool calls that it asked for. */
#ifndef RUN_STEP_H
#define RUN_STEP_H

#include "gateway/turn/turn.h"
#include "run/inside.h"

struct tool_set;

/* ---- model.c ---- */

struct step_options {
    const char *at; /* id of the entry that is answered */
    const char *system_prompt;
    const struct ask_tool *tools;
    size_t ntools;
};

/* Call the model. True: the reply is stored, *got has it, and the run goes on; else the end of the
 * run is set. *turn owns what came and must be destroyed, also if it is false. */
bool step_model(struct run_work *w, const struct step_options *in, struct turn **turn,
                struct turn_result *got);

/* The word of a failed run for an error of the store or the gateway. */
const char *run_error_code(enum bough_rc rc);
/* The id of the entry that comes next to be answered; NULL: see `err`. */
const char *run_answers(struct run_work *w, struct bough_error *err);
int64_t run_max_output(struct bough_arena *a, const struct bough_run *run);

/* ---- calls.c ---- */

/* The tool calls of one reply. */
struct round;

/* Read the calls of a sealed reply, in `a`; NULL: it has none. */
struct round *round_of(struct bough_arena *a, const struct bough_entry *reply);
/* Which of them were begun already: results behind the reply. */
void round_take_results(struct round *r, struct bough_arena *a, const struct bough_entry *entries,
                        size_t n);

enum round_end {
    ROUND_DONE,  /* every call has its result */
    ROUND_WAITS, /* the run was given back until a person answers: w->waits is set */
    ROUND_ENDED, /* the end of the run is set */
};

/* Make the calls: those that may be made at once in parallel, the others when a person has
 * approved them. */
enum round_end round_work(struct run_work *w, struct tool_set *tools, struct round *r);

/* ---- result.c ---- */

struct tool_result;

/* The parts of a tool message that has ended, in `a`: the tool part, and a file part for a result
 * that is too long for the model. `running` is the part as it was opened. */
struct tool_parts {
    struct bough_str at[2];
    size_t n;
};
/* What the tool part says, besides the result. */
struct tool_named {
    const char *call, *name, *title;
    struct bough_str input; /* a JSON object */
    int64_t start, end;     /* times */
};
struct bough_str tool_part_running(struct bough_arena *a, const struct tool_named *n);
struct tool_parts tool_parts_ended(struct bough_store *s, struct bough_arena *a,
                                   const struct tool_named *n, const struct tool_result *result);

#endif
