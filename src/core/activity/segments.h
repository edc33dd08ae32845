/*
 * Segments: the stretches of a session that one runtime answered. Computed from the runs and the
 * messages of a path; never stored. Pure.
 *
 * The id of a segment is (C19):
 *
 * - "task:ID" for runs of the loop: ID is the task, so the runs of a chain are one segment.
 * - "external:ID" for an external agent: ID is its native session, or the task before it has one.
 * - "session:ID" for direct answers of a model, and messages without a run; ID is the session. A
 *   change of provider or model begins the next one, "session:ID:2" and so on; a task in between
 *   does not.
 *
 * Segments with equal ids are one, at the place of the first.
 */
#ifndef CORE_ACTIVITY_SEGMENTS_H
#define CORE_ACTIVITY_SEGMENTS_H

#include <bough/run.h>

/* Text that is not set is "". */
struct segment {
    const char *id;
    enum bough_run_runtime runtime;
    const char *provider,
        *model;             /* as asked for by its latest run, else as its last call answered */
    const char *task;       /* id, of the loop and of external agents */
    const char *latest_run; /* id */
    const char *workspace;
    const char *status; /* of its latest run; without a run, of its last answer: "running",
                           "completed", "failed" or "cancelled" */
    int64_t messages;
    int64_t started, updated; /* times of its first message and of its last change */
};

#define SEGMENT_NONE SIZE_MAX

struct segments {
    struct segment *at;
    size_t n;
    /* For each entry of the input: the index of its segment and of its run, or SEGMENT_NONE. An
     * entry that is no message has no segment, but it may be of a run. */
    size_t *of, *run;
};

struct segments_input {
    const char *session;          /* id */
    const struct bough_run *runs; /* of the session, in any order; those of other paths do not count
                                   */
    size_t nruns;
    const struct bough_entry *entries; /* the path, oldest first */
    size_t n;
    const struct bough_call *calls; /* of the entries */
    size_t ncalls;
};

/*
 * The segments of a path, in `a`; they may point into the input. One pass over the entries. Deleted
 * entries and entries that are no messages do not count.
 *
 * A message belongs to the run whose prompt it is, or whose first entry, and so do the messages
 * behind it, up to the last entry of the run if it has ended. A message without a run whose model
 * is not known (a prompt, a tool's result) counts in the segment of the next answer, at the end of
 * the path in the last one.
 */
void segments_build(struct bough_arena *a, const struct segments_input *in, struct segments *out);

#endif
