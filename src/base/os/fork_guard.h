/* Detects objects that must not be used in a child of fork(): connections, files with locks. */
#ifndef BASE_OS_FORK_GUARD_H
#define BASE_OS_FORK_GUARD_H

/*
 * The number of fork()s that led to this process, counted since the first call. An object keeps the
 * value from its creation; a different value later means that it came through a fork(). Unlike a
 * comparison of getpid(), this needs no system call and no process id can repeat.
 */
unsigned fork_count(void);

#endif
