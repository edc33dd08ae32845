/* Runs a command line for the key that it prints. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory/mem.h"
#include "base/text/str.h"
#include "gateway/providers/provider.h"

extern char **environ;

static bool is_among(const char *pair, const char *const *names)
{
    size_t n = strcspn(pair, "=");

    return str_among(str_make(pair, n), names);
}

/* The environment without the variables that hold keys. */
static char **environment(const char *const *without)
{
    size_t n = 0, kept = 0;
    char **out;

    while (environ[n])
        n++;
    out = mem_alloc(mem_array(n + 1, sizeof *out));
    for (size_t i = 0; i < n; i++)
        if (!is_among(environ[i], without))
            out[kept++] = environ[i];
    out[kept] = NULL;
    return out;
}

/* Start the shell in a group of its own, with no signal blocked and no file but its output and
 * ours for errors. */
static int start(const char *command, char **env, int out, pid_t *pid)
{
    char *argv[] = { (char *)"sh", (char *)"-c", (char *)command, NULL };
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attr;
    sigset_t none, usual;
    int rc;

    sigemptyset(&none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attr);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, out, 1);
    posix_spawn_file_actions_addclosefrom_np(&files, 3);
    posix_spawnattr_setsigmask(&attr, &none);
    posix_spawnattr_setsigdefault(&attr, &usual);
    posix_spawnattr_setpgroup(&attr, 0);
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                        POSIX_SPAWN_SETPGROUP);
    rc = posix_spawn(pid, "/bin/sh", &files, &attr, argv, env);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attr);
    return rc;
}

/* Read up to the end of the output. False: it took too long, or there was too much. */
static bool read_output(int fd, int64_t until, char *to, size_t *n)
{
    for (;;) {
        int64_t left = until - mono_us() / 1000;
        struct pollfd wait = { .fd = fd, .events = POLLIN };
        ssize_t got;

        if (left <= 0 || *n == KEY_MOST)
            return false;
        if (poll(&wait, 1, (int)left) <= 0)
            continue;
        got = read(fd, to + *n, KEY_MOST - *n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got == 0;
        *n += (size_t)got;
    }
}

/* Wait for the end of the shell; what is left of its group ends with it. */
static int finish(pid_t pid, bool ended)
{
    int status = 0;

    if (!ended)
        kill(-pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return status;
}

enum bough_rc command_line(const char *command, const char *const *without, int64_t ms, char **line,
                           struct bough_error *err)
{
    char **env, *text;
    int fds[2], rc, status;
    size_t n = 0;
    bool ended;
    pid_t pid;

    if (pipe2(fds, O_CLOEXEC))
        return bough_fail(err, BOUGH_IO, "the command could not be started: %s", strerror(errno));
    env = environment(without);
    rc = start(command, env, fds[1], &pid);
    mem_free(env);
    close(fds[1]);
    if (rc) {
        close(fds[0]);
        return bough_fail(err, BOUGH_IO, "the command could not be started: %s", strerror(rc));
    }
    text = mem_alloc(KEY_MOST + 1);
    ended = read_output(fds[0], mono_us() / 1000 + ms, text, &n);
    close(fds[0]);
    status = finish(pid, ended);
    text[n] = '\0';
    text[strcspn(text, "\r\n")] = '\0';
    if (ended && WIFEXITED(status) && WEXITSTATUS(status) == 0 && *text) {
        *line = text;
        return BOUGH_OK;
    }
    explicit_bzero(text, KEY_MOST + 1);
    mem_free(text);
    if (!ended)
        return bough_fail(err, BOUGH_TIMEOUT, "it did not end within %d s, or printed too much",
                          (int)(ms / 1000));
    return bough_fail(err, BOUGH_DENIED, "it printed no key and ended with %d",
                      WIFEXITED(status) ? WEXITSTATUS(status) : 128);
}
