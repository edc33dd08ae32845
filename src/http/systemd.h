/* What a service manager passes to us, and what we tell it. Two small protocols, no library. */
#ifndef HTTP_SYSTEMD_H
#define HTTP_SYSTEMD_H

#include <stddef.h>
#include <stdint.h>

/* How many listening sockets were passed (LISTEN_FDS), from descriptor SYSTEMD_FIRST_FD on. Takes
 * the variables out of the environment: children are not meant. */
enum { SYSTEMD_FIRST_FD = 3 };
int systemd_sockets(void);

/* How often, in ms, "WATCHDOG=1" is to be said at least; 0: nobody waits for it. */
int64_t systemd_watchdog_ms(void);

/* "READY=1", "STOPPING=1": a no-op unless NOTIFY_SOCKET says where. */
void systemd_notify(const char *text);

#endif
