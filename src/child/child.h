/*
 * Child processes: tool servers and external agents. One thread with its own loop reads from all of
 * them.
 *
 * A child runs under a keeper, a process of our own program between it and us. The keeper makes it
 * the leader of a process group, adopts what the child leaves behind, and holds a pipe to us. When
 * we end the child, or are gone ourselves, its standard input is closed; 2 seconds later the keeper
 * sends SIGTERM to the group and to what it adopted, and 2 seconds later it kills all that is left.
 * A child that ends by itself leaves nothing behind either.
 */
#ifndef CHILD_CHILD_H
#define CHILD_CHILD_H

#include <bough/arena.h>
#include <bough/error.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The keeper is this program, started again. main() calls this first: in a keeper it never returns,
 * otherwise it does nothing. */
void child_keeper(int argc, char **argv);

struct children; /* of one process: the loop thread and its children */
struct child;

BOUGH_MUST_CHECK enum bough_rc children_create(struct children **out, struct bough_error *err);
/* Ends all children and waits for them. All handles must have been released. NULL is allowed. */
void children_destroy(struct children *all);

/* All are called on the loop thread and must not block; they may call child_write(), child_pause()
 * and child_end(). They may come before child_start() has returned; none comes after `ended`. */
struct child_events {
    void (*out)(void *user, struct bough_str bytes); /* from its standard output */
    void (*err)(void *user, struct bough_str bytes); /* from its standard error; may be NULL */
    /* It is gone, with its whole group. `status` is that of waitpid(), -1 when it is not known;
     * `why` is a sentence, "exited with 1", "killed by signal 9". */
    void (*ended)(void *user, int status, const char *why);
};

struct child_options {
    const char *const *argv; /* ended by NULL; argv[0] is looked up in the PATH of `env` */
    const char *const *env;  /* all of its environment, "NAME=value", ended by NULL */
    const char *dir;         /* working directory; NULL: ours */
    int64_t most_memory;     /* bytes of address space; 0: no limit */
    int64_t most_files;      /* open files; 0: no limit of its own */
    struct child_events on;
    void *user;
};

enum { CHILDREN_MOST = 256 };

/* Start a child. BOUGH_NOT_FOUND: there is no such program or folder; BOUGH_IO: it could not be
 * started; BOUGH_OVERLOADED: CHILDREN_MOST run. From any thread, but not from an event. */
BOUGH_MUST_CHECK enum bough_rc child_start(struct children *all, const struct child_options *in,
                                           struct child **out, struct bough_error *err);

/* Write to its standard input; the bytes are copied. BOUGH_OVERLOADED: it has not read what was
 * written before (CHILD_UNREAD bytes). BOUGH_IO: it is gone, or is being ended. From any thread. */
enum { CHILD_UNREAD = 64 * 1024 * 1024 };
BOUGH_MUST_CHECK enum bough_rc child_write(struct child *c, struct bough_str bytes,
                                           struct bough_error *err);

/* Stop and go on reading its output, so that a slow reader bounds memory. `ended` waits until the
 * reading goes on. From any thread. */
void child_pause(struct child *c, bool pause);

/* End it, as the keeper does; `ended` follows. Again is allowed. From any thread. */
void child_end(struct child *c);
/* Give up the handle, after `ended` or not; a child that still runs is ended, and no event comes
 * any more once this returns. Not from an event, nor while holding a lock that an event takes. */
void child_release(struct child *c);

/* Where is the program `name`, as a shell with this environment finds it? NULL: nowhere. Relative
 * folders of the PATH are ignored. */
const char *child_lookup(struct bough_arena *a, const char *name, const char *const *env);

#endif
