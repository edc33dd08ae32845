/* Gives up what a process that only reads a file does not need. */
#ifndef BASE_OS_SANDBOX_H
#define BASE_OS_SANDBOX_H

/* From now on this process cannot write or remove files, use the network, start programs or
 * processes, or touch other processes: such calls fail with EPERM. Does nothing where the kernel
 * has no seccomp. */
void sandbox_enter(void);

#endif
