/* Identity of a process as text, so that another process can check later if it still runs; and its
 * end. */
#ifndef BASE_OS_PROCESS_H
#define BASE_OS_PROCESS_H

#include <stdbool.h>

enum { PROCESS_TEXT = 128 };

/* This process: boot id, pid namespace, pid and start time; "" when /proc cannot be read. */
void process_self(char out[PROCESS_TEXT]);

/*
 * True only if the process of that text has certainly ended. False when unknown: another machine,
 * boot or pid namespace (container), or a text that is not from process_self().
 */
bool process_dead(const char *text);

/* Was the text written on this machine, so that process_dead() can tell? */
bool process_here(const char *text);

/* End this process at once, as _exit() does; a build that measures coverage writes its counters
 * first. */
_Noreturn void process_leave(int status);

#endif
