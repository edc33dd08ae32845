/* A small HTTP client for one request over a Unix socket. */
#include "cli/server/server_post.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/json/json.h"
#include "base/memory/arena.h"
#include "base/text/str.h"

enum { ANSWER_MAX = 1 << 20, WAIT_S = 10 };

static int connect_to(const char *path)
{
    struct sockaddr_un to = { .sun_family = AF_UNIX };
    struct timeval wait = { .tv_sec = WAIT_S };
    int fd;

    if (strlen(path) >= sizeof to.sun_path)
        return -1;
    memcpy(to.sun_path, path, strlen(path) + 1);
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait);
    if (connect(fd, (const struct sockaddr *)&to, sizeof to) == 0)
        return fd;
    close(fd);
    return -1;
}

/* Everything up to the end of the connection. */
static bool read_all(int fd, struct buf *b)
{
    char piece[4096];
    ssize_t n;

    while ((n = read(fd, piece, sizeof piece)) != 0) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        buf_put(b, piece, (size_t)n);
    }
    return !b->over;
}

static enum bough_rc read_answer(struct bough_arena *a, const struct buf *b,
                                 struct bough_str *answer, struct bough_error *err)
{
    const char *text = arena_strndup(a, b->p ? b->p : "", b->n), *body = strstr(text, "\r\n\r\n");
    int status = strncmp(text, "HTTP/1.", 7) == 0 ? (int)strtol(text + 9, NULL, 10) : 0;
    const char *why = NULL;
    struct json j;

    if (!body || !status)
        return bough_fail(err, BOUGH_IO, "the server's answer is not HTTP");
    *answer = str_of(body + 4);
    if (status < 300)
        return BOUGH_OK;
    if (json_parse(a, *answer, &j, NULL) == BOUGH_OK)
        why = json_cstr(a, json_member(j, "error"), "message");
    return bough_fail(err, BOUGH_CONFLICT, "%s", why ? why : "the server refused");
}

enum bough_rc server_post(struct bough_arena *a, const char *socket, const char *target,
                          struct bough_str *answer, struct bough_error *err)
{
    const char *ask = arena_printf(a,
                                   "POST %s HTTP/1.0\r\nHost: localhost\r\n"
                                   "Content-Length: 0\r\nConnection: close\r\n\r\n",
                                   target);
    int fd = connect_to(socket);
    enum bough_rc rc = BOUGH_OK;
    struct buf b;

    if (fd < 0)
        return bough_fail(err, BOUGH_NOT_FOUND, "no server listens on %s", socket);
    buf_init(&b, ANSWER_MAX);
    if (send(fd, ask, strlen(ask), MSG_NOSIGNAL) != (ssize_t)strlen(ask) || !read_all(fd, &b))
        rc = bough_fail(err, BOUGH_IO, "the server on %s does not answer", socket);
    if (!rc)
        rc = read_answer(a, &b, answer, err);
    buf_finish(&b);
    close(fd);
    return rc;
}
