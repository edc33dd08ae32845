/* Who a process is, so that another one can tell later whether it still lives. */
#ifndef BASE_PROCESS_H
#define BASE_PROCESS_H

#include <stdbool.h>

enum { PROCESS_TEXT = 128 };

/* Boot, pid namespace, pid and start time of this process as text; "" when /proc does not say. */
void process_self(char out[PROCESS_TEXT]);

/* Is it certain that this one is gone? Never of a process of another machine or container. */
bool process_dead(const char *text);

#endif
