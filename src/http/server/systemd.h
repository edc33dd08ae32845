/* The systemd protocols for socket activation, readiness and watchdog, without libsystemd. */
#ifndef HTTP_SERVER_SYSTEMD_H
#define HTTP_SERVER_SYSTEMD_H

#include <stddef.h>
#include <stdint.h>

/* The number of listening sockets that systemd passed (LISTEN_FDS); the first is SYSTEMD_FIRST_FD.
 * Removes the variables from the environment, so that child processes do not see them. */
enum { SYSTEMD_FIRST_FD = 3 };
int systemd_sockets(void);

/* The interval in ms at which to send "WATCHDOG=1", half of the limit; 0: no watchdog. */
int64_t systemd_watchdog_ms(void);

/* Send "READY=1", "STOPPING=1" and so on. Does nothing unless NOTIFY_SOCKET is set. */
void systemd_notify(const char *text);

#endif
