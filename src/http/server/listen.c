/* Listening sockets: TCP addresses, a Unix socket, or one opened by systemd. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/os/fs.h"
#include "http/server/wire.h"

enum { BACKLOG = 1024 };

static int stream_socket(int family)
{
    return socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

static enum bough_rc open_tcp(const struct http_listen *how, int *fd, struct bough_error *err)
{
    struct sockaddr_in6 six = { .sin6_family = AF_INET6, .sin6_port = htons((uint16_t)how->port) };
    struct sockaddr_in four = { .sin_family = AF_INET, .sin_port = htons((uint16_t)how->port) };
    bool v6 = inet_pton(AF_INET6, how->host, &six.sin6_addr) == 1;
    const struct sockaddr *addr = v6 ? (struct sockaddr *)&six : (struct sockaddr *)&four;
    int on = 1;

    if (!v6 && inet_pton(AF_INET, how->host, &four.sin_addr) != 1)
        return bough_fail(err, BOUGH_INVALID, "%.80s is no IP address", how->host);
    *fd = stream_socket(v6 ? AF_INET6 : AF_INET);
    if (*fd < 0)
        return bough_fail(err, BOUGH_IO, "no socket for %s: %s", how->host, strerror(errno));
    (void)setsockopt(*fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (v6)
        (void)setsockopt(*fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
    if (bind(*fd, addr, v6 ? sizeof six : sizeof four) == 0)
        return BOUGH_OK;
    if (errno != EADDRINUSE)
        return bough_fail(err, BOUGH_IO, "cannot listen on %s port %d: %s", how->host, how->port,
                          strerror(errno));
    return bough_hint(err,
                      bough_fail(err, BOUGH_BUSY, "port %d of %s is in use by another program",
                                 how->port, how->host),
                      "choose another port with --port, or end that program");
}

/* Remove a stale socket file, left behind by a killed server. BOUGH_EXISTS when a server answers on
 * it, or when it is not a socket. */
static enum bough_rc clear_path(const struct sockaddr_un *addr, struct bough_error *err)
{
    struct stat st;
    bool answered;
    int fd;

    if (lstat(addr->sun_path, &st) != 0)
        return BOUGH_OK;
    if (!S_ISSOCK(st.st_mode))
        return bough_fail(err, BOUGH_EXISTS, "%s is there and is no socket", addr->sun_path);
    fd = stream_socket(AF_UNIX);
    answered = fd >= 0 && connect(fd, (const struct sockaddr *)addr, sizeof *addr) == 0;
    if (fd >= 0)
        close(fd);
    if (answered)
        return bough_hint(
            err, bough_fail(err, BOUGH_EXISTS, "another server listens on %s", addr->sun_path),
            "use that server, or choose another socket with --socket");
    if (unlink(addr->sun_path) != 0)
        return bough_fail(err, fs_rc(errno), "cannot remove %s: %s", addr->sun_path,
                          strerror(errno));
    return BOUGH_OK;
}

static enum bough_rc open_unix(const struct http_listen *how, int *fd, struct bough_error *err)
{
    struct sockaddr_un addr = { .sun_family = AF_UNIX };
    enum bough_rc rc;
    mode_t mask;
    int bound;

    if (strlen(how->path) >= sizeof addr.sun_path)
        return bough_fail(err, BOUGH_INVALID, "the path of a socket has at most %zu bytes",
                          sizeof addr.sun_path - 1);
    memcpy(addr.sun_path, how->path, strlen(how->path) + 1);
    rc = clear_path(&addr, err);
    if (rc)
        return rc;
    *fd = stream_socket(AF_UNIX);
    if (*fd < 0)
        return bough_fail(err, BOUGH_IO, "no socket: %s", strerror(errno));
    mask = umask(0177); /* mode 0600 from the start, without a window */
    bound = bind(*fd, (struct sockaddr *)&addr, sizeof addr);
    umask(mask);
    if (bound != 0)
        return bough_fail(err, fs_rc(errno), "cannot listen on %s: %s", how->path, strerror(errno));
    return BOUGH_OK;
}

static void on_connection(uv_stream_t *stream, int status)
{
    struct listener *l = stream->data;

    if (status == 0)
        wire_accept(l);
}

static int port_of(int fd)
{
    struct sockaddr_storage addr = { 0 };
    socklen_t n = sizeof addr;

    if (getsockname(fd, (struct sockaddr *)&addr, &n) != 0)
        return 0;
    if (addr.ss_family == AF_INET6)
        return ntohs(((struct sockaddr_in6 *)&addr)->sin6_port);
    return addr.ss_family == AF_INET ? ntohs(((struct sockaddr_in *)&addr)->sin_port) : 0;
}

static bool is_unix(int fd)
{
    struct sockaddr_storage addr = { 0 };
    socklen_t n = sizeof addr;

    return getsockname(fd, (struct sockaddr *)&addr, &n) == 0 && addr.ss_family == AF_UNIX;
}

enum bough_rc listen_open(struct http_server *s, struct listener *l, const struct http_listen *how,
                          struct bough_error *err)
{
    enum bough_rc rc = BOUGH_OK;
    int fd = -1, failed;

    if (how->host)
        rc = open_tcp(how, &fd, err);
    else if (how->path)
        rc = open_unix(how, &fd, err);
    else
        fd = how->fd;
    if (rc) {
        if (fd >= 0)
            close(fd);
        return rc;
    }
    l->server = s;
    l->via = is_unix(fd) ? HTTP_VIA_UNIX : HTTP_VIA_TCP;
    l->port = port_of(fd);
    if (how->path)
        snprintf(l->path, sizeof l->path, "%s", how->path);
    if (l->via == HTTP_VIA_UNIX)
        (void)uv_pipe_init(&s->loop, &l->h.pipe, 0);
    else
        (void)uv_tcp_init(&s->loop, &l->h.tcp);
    l->h.handle.data = l;
    failed = l->via == HTTP_VIA_UNIX ? uv_pipe_open(&l->h.pipe, fd) : uv_tcp_open(&l->h.tcp, fd);
    if (failed == 0)
        failed = uv_listen(&l->h.stream, BACKLOG, on_connection);
    if (failed)
        return bough_fail(err, BOUGH_IO, "cannot listen: %s", uv_strerror(failed));
    return BOUGH_OK;
}

void listen_close(struct listener *l)
{
    if (!l->server || uv_is_closing(&l->h.handle))
        return;
    uv_close(&l->h.handle, NULL);
    if (l->path[0])
        unlink(l->path);
}
