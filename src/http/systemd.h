/* What a service manager passes to us, and what we tell it. Two small protocols, no library. */
#ifndef HTTP_SYSTEMD_H
#define HTTP_SYSTEMD_H

#include <stddef.h>

/* How many listening sockets were passed (LISTEN_FDS), from descriptor SYSTEMD_FIRST_FD on. Takes
 * the variables out of the environment: children are not meant. */
enum { SYSTEMD_FIRST_FD = 3 };
int systemd_sockets(void);

/* "READY=1", "STOPPING=1": a no-op unless NOTIFY_SOCKET says where. */
void systemd_notify(const char *text);

#endif
