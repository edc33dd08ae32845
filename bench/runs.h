/* What the benchmarks of runs share. */
#ifndef BENCH_RUNS_H
#define BENCH_RUNS_H

#include "bench.h"
#include "gateway/providers.h"
#include "run/run.h"

/* What answers runs here. */
struct rig {
    struct bough_store *s;
    struct bough_arena *a;
    const char *dir; /* of the store, dir/store */
    struct gateway *gateway;
    struct children *children;
    struct tool_host *tools;
    struct runner *runner;
};

/* A runner with the model "m" of the provider at base_url, bough's own MCP server as tools "own",
 * and the agent "flood", which sends FLOOD_UPDATES updates. */
void rig_open(struct bench *b, struct rig *r, const char *name, const char *base_url);
void rig_close(struct rig *r);
enum bough_run_status run_status(struct bough_store *s, const char *run);

/* A run that waits for the approval of one tool call. */
struct waits {
    char run[BOUGH_ID_LEN + 1], approval[BOUGH_ID_LEN + 1];
};

/* `tool` as models name it, `rule` as rules do: "demo_edit", "demo/edit". `args`: JSON. */
struct waits_for {
    const char *server, *tool, *rule, *args;
};
void make_waiting(struct bough_store *s, const struct waits_for *what, struct waits *out);

enum { FLOOD_UPDATES = 100000 };

#endif
