/* Socket activation and readiness, as sd_listen_fds(3) and sd_notify(3) describe them. */
#include "http/server/systemd.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int systemd_sockets(void)
{
    const char *pid = getenv("LISTEN_PID"), *fds = getenv("LISTEN_FDS");
    long n = 0;

    if (pid && fds && strtol(pid, NULL, 10) == (long)getpid())
        n = strtol(fds, NULL, 10);
    unsetenv("LISTEN_PID");
    unsetenv("LISTEN_FDS");
    unsetenv("LISTEN_FDNAMES");
    if (n < 0 || n > 64)
        return 0;
    for (int i = 0; i < n; i++) {
        (void)fcntl(SYSTEMD_FIRST_FD + i, F_SETFD, FD_CLOEXEC);
        (void)fcntl(SYSTEMD_FIRST_FD + i, F_SETFL, O_NONBLOCK);
    }
    return (int)n;
}

int64_t systemd_watchdog_ms(void)
{
    const char *pid = getenv("WATCHDOG_PID"), *us = getenv("WATCHDOG_USEC");
    long long n = us ? strtoll(us, NULL, 10) : 0;

    if (n <= 0 || (pid && strtol(pid, NULL, 10) != (long)getpid()))
        return 0;
    return n / 2000 ? n / 2000 : 1; /* twice as often as required */
}

void systemd_notify(const char *text)
{
    const char *path = getenv("NOTIFY_SOCKET");
    struct sockaddr_un addr = { .sun_family = AF_UNIX };
    size_t n = path ? strlen(path) : 0;
    int fd;

    if (n < 2 || n >= sizeof addr.sun_path || (path[0] != '/' && path[0] != '@'))
        return;
    memcpy(addr.sun_path, path, n);
    if (path[0] == '@')
        addr.sun_path[0] = '\0'; /* abstract socket name */
    fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return;
    (void)sendto(fd, text, strlen(text), MSG_NOSIGNAL, (struct sockaddr *)&addr,
                 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n));
    close(fd);
}
