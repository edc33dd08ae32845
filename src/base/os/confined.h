/* A child process that runs one function on untrusted input, with limits, and writes to a pipe. */
#ifndef BASE_OS_CONFINED_H
#define BASE_OS_CONFINED_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct confined {
    pid_t pid; /* 0: none */
    int fd;    /* its output */
};

struct confined_limits {
    int64_t memory; /* bytes of address space, on top of what this process has */
    int64_t cpu_s;  /* seconds of processor time */
};

/*
 * Start a child that calls `run` and ends. It has the memory of this process, but of its open files
 * only `out` and standard error. It may read files; it may not write or remove any, use the network
 * or start programs (where the kernel has seccomp). It ends when this process ends. `run` must not
 * take a lock that another thread may hold. False, with errno set, when it cannot be started.
 */
bool confined_start(struct confined *c, const struct confined_limits *limits,
                    void (*run)(void *user, int out), void *user);

/* The child closed its end of the pipe before it was done: wait until it has ended. Returns the
 * number of the signal that ended it; 0: none did. */
int confined_wait(struct confined *c);

/* Close the pipe, end the child if it still runs, and wait for it. Returns the number of the signal
 * that ended it before that; 0: it ended by itself, or was running. */
int confined_end(struct confined *c);

#endif
