/* Runs of the scripted agent over a store: a runner, one session, a workspace. */
#ifndef EXTERNAL_WORLD_H
#define EXTERNAL_WORLD_H

#include <bough/bough.h>

#include "gateway/providers.h"
#include "lib/store_test.h"
#include "run/run.h"

struct ext_world {
    struct test *t;
    struct children *children;
    struct tool_host *tools;
    struct gateway *gateway;
    struct runner *runner;
    const char *dir; /* the workspace */
    const char *home;
    struct gateway_setting settings[32];
    size_t n;
    char session[BOUGH_ID_LEN + 1];
    const char *const *servers; /* that runs name */
    size_t nservers;
};

/* A world whose agent "fake" gets these settings more: name, value, ..., NULL. Skips without Node.
 */
void ext_world_open(struct test *t, struct ext_world *w, const char *const *more);
void ext_world_close(struct ext_world *w);
/* Stop and start the runner: what a new server is. */
void ext_world_restart(struct ext_world *w);

/* Start a run with the prompt "[s:SCENARIO]"; its id. */
const char *ext_world_start(struct ext_world *w, const char *scenario);
struct bough_run *ext_world_get(struct ext_world *w, const char *run);
struct bough_run *ext_world_wait(struct ext_world *w, const char *run); /* until it has ended */
struct bough_run *ext_world_turn(struct ext_world *w, const char *scenario); /* start and wait */
/* The pending approval of the run, once it is there. */
struct bough_approval *ext_world_asked(struct ext_world *w, const char *run);
void ext_world_settle(struct ext_world *w, const struct bough_approval *p,
                      const struct bough_approval_resolve_options *how);

/* The last assistant's message as "text|reasoning:..|tool NAME STATE|...": artifacts left out. */
const char *ext_world_story(struct ext_world *w);
struct bough_entry *ext_world_reply(struct ext_world *w);
/* Is there a custom entry with this text? */
bool ext_world_told(struct ext_world *w, const char *text);
void write_file(struct ext_world *w, const char *name, const char *text);
const char *file_text(struct ext_world *w, const char *name); /* NULL: it is not there */
void shell(struct ext_world *w, const char *command);         /* in the workspace; must work */

#endif
