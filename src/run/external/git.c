/* One call of git in a process of its own. */
#include "run/external/git.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/env.h"
#include "base/memory/arena.h"
#include "base/memory/buf.h"
#include "base/text/str.h"

enum { ARGS_MOST = 4096, OUTPUT_MOST = 16 << 20, ERR_MOST = 4096, PIECE = 16 << 10 };

/* Nothing of the repository's configuration may start a program here. */
static const char *const fixed[] = {
    "git", "--no-optional-locks",  "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null",
    "-c",  "core.quotePath=false", "-c", "diff.external=",       "-C"
};

static char **arguments(struct bough_arena *a, const struct git_call *in)
{
    size_t n = sizeof fixed / sizeof *fixed, at = n + 1;
    char **out = arena_array(a, ARGS_MOST + n + 2, sizeof *out);

    for (size_t i = 0; i < n; i++)
        out[i] = arena_strdup(a, fixed[i]);
    out[n] = arena_strdup(a, in->dir);
    for (size_t i = 0; i < ARGS_MOST && in->argv[i]; i++)
        out[at++] = arena_strdup(a, in->argv[i]);
    return out;
}

static char **environment(struct bough_arena *a, const struct git_call *in)
{
    char **out = arena_array(a, 8, sizeof *out);
    const char *path = getenv("PATH"), *home = getenv("HOME");
    size_t n = 0;

    out[n++] = arena_printf(a, "PATH=%s", path ? path : "/usr/local/bin:/usr/bin:/bin");
    if (home)
        out[n++] = arena_printf(a, "HOME=%s", home);
    out[n++] = arena_strdup(a, "LC_ALL=C");
    out[n++] = arena_strdup(a, "GIT_TERMINAL_PROMPT=0");
    if (in->index)
        out[n++] = arena_printf(a, "GIT_INDEX_FILE=%s", in->index);
    return out;
}

/* ---- talking to it ---- */

struct talk {
    struct pollfd fd[3]; /* its input, output and errors; -1: closed */
    struct bough_str in;
    struct buf out, err;
    int64_t until;
};

static void close_end(struct talk *t, int i)
{
    close(t->fd[i].fd);
    t->fd[i].fd = -1;
}

static void write_some(struct talk *t)
{
    ssize_t n = write(t->fd[0].fd, t->in.p, t->in.n);

    if (n > 0)
        t->in = str_make(t->in.p + n, t->in.n - (size_t)n);
    if (t->in.n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
        close_end(t, 0);
}

static void read_some(struct talk *t, int i, struct buf *to)
{
    char piece[PIECE];
    ssize_t n = read(t->fd[i].fd, piece, sizeof piece);

    if (n > 0)
        buf_put(to, piece, (size_t)n);
    else if (n == 0 || (errno != EAGAIN && errno != EINTR))
        close_end(t, i);
}

/* Until it has closed its output. False: it took too long or wrote too much. */
static bool talk(struct talk *t)
{
    while (t->fd[1].fd >= 0 || t->fd[2].fd >= 0) {
        int64_t left = t->until - mono_us() / 1000;

        if (left <= 0 || t->out.over)
            return false;
        if (poll(t->fd, 3, (int)left) < 0 && errno != EINTR)
            return false;
        if (t->fd[0].fd >= 0 && t->fd[0].revents)
            write_some(t);
        if (t->fd[1].fd >= 0 && t->fd[1].revents)
            read_some(t, 1, &t->out);
        if (t->fd[2].fd >= 0 && t->fd[2].revents)
            read_some(t, 2, &t->err);
    }
    return true;
}

static bool make_pipes(struct talk *t, int theirs[3])
{
    for (int i = 0; i < 3; i++) {
        int fds[2];

        if (pipe2(fds, O_CLOEXEC) != 0)
            return false;
        t->fd[i].fd = fds[i == 0];
        t->fd[i].events = i == 0 ? POLLOUT : POLLIN;
        theirs[i] = fds[i != 0];
        fcntl(t->fd[i].fd, F_SETFL, O_NONBLOCK);
    }
    return true;
}

static pid_t start(struct bough_arena *a, const struct git_call *in, const int theirs[3])
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    sigset_t none, all;
    pid_t pid = 0;

    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&how);
    posix_spawnattr_setsigmask(&how, &none);
    posix_spawnattr_setsigdefault(&how, &all);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    for (int i = 0; i < 3; i++)
        posix_spawn_file_actions_adddup2(&files, theirs[i], i);
    if (posix_spawnp(&pid, "git", &files, &how, arguments(a, in), environment(a, in)) != 0)
        pid = 0;
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&how);
    return pid;
}

/* A write to a process that is gone must not end this one. */
static void block_sigpipe(sigset_t *before)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &set, before);
}

static void unblock_sigpipe(const sigset_t *before)
{
    struct timespec now = { 0 };
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    while (sigtimedwait(&set, NULL, &now) > 0)
        ;
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

bool git_run(struct bough_arena *a, const struct git_call *in, struct bough_str *out)
{
    struct talk t = { .fd = { { .fd = -1 }, { .fd = -1 }, { .fd = -1 } },
                      .in = in->in,
                      .until = mono_us() / 1000 + GIT_MS };
    int theirs[3] = { -1, -1, -1 }, status = -1;
    bool ok = make_pipes(&t, theirs);
    pid_t pid = ok ? start(a, in, theirs) : 0;
    sigset_t before;

    buf_init(&t.out, in->most ? in->most : OUTPUT_MOST);
    buf_init(&t.err, ERR_MOST);
    for (int i = 0; i < 3; i++)
        if (theirs[i] >= 0)
            close(theirs[i]);
    block_sigpipe(&before);
    ok = pid > 0 && talk(&t);
    unblock_sigpipe(&before);
    if (pid > 0 && !ok)
        kill(pid, SIGKILL);
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    for (int i = 0; i < 3; i++)
        if (t.fd[i].fd >= 0)
            close_end(&t, i);
    ok = ok && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    *out = buf_give(ok ? &t.out : &t.err, a);
    buf_finish(ok ? &t.err : &t.out);
    return ok;
}
