/* Starts and ends a child process with limits. */
#include "base/os/confined.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/os/sandbox.h"

enum { FILES_MOST = 32 };

/* Only in builds that measure coverage. Its counters are a file, which the sandbox would refuse. */
extern void __gcov_dump(void) __attribute__((weak));

/* Address space of this process in bytes; 0: unknown. */
static uint64_t address_space(void)
{
    char text[64] = "";
    unsigned long long pages = 0;
    int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);

    if (fd >= 0)
        close(fd);
    if (n <= 0 || sscanf(text, "%llu", &pages) != 1)
        return 0;
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void limit(__rlimit_resource_t what, uint64_t most)
{
    struct rlimit now, want = { most, most };

    if (getrlimit(what, &now) == 0 && now.rlim_max != RLIM_INFINITY && now.rlim_max < most)
        want = (struct rlimit){ now.rlim_max, now.rlim_max };
    (void)setrlimit(what, &want);
}

static void set_limits(const struct confined_limits *l)
{
    uint64_t has = address_space();

    if (has)
        limit(RLIMIT_AS, has + (uint64_t)l->memory);
    limit(RLIMIT_CPU, (uint64_t)l->cpu_s);
    limit(RLIMIT_NOFILE, FILES_MOST);
    limit(RLIMIT_CORE, 0);
}

/* Signals do what they do by default, and none is blocked. Those of a terminal are ignored: they go
 * to this process too, and its parent decides what they mean. */
static void reset_signals(void)
{
    sigset_t none;

    for (int i = 1; i < NSIG; i++)
        if (i != SIGKILL && i != SIGSTOP)
            (void)signal(i, i == SIGINT || i == SIGQUIT || i == SIGHUP ? SIG_IGN : SIG_DFL);
    sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Everything but standard error and `out`, which becomes descriptor 3. */
static bool close_files(int out)
{
    if (out != 3 && dup2(out, 3) < 0)
        return false;
    close(STDIN_FILENO);
    close(STDOUT_FILENO);
    /* Files that SQLite opens later must not get the numbers of the standard streams. */
    return open("/dev/null", O_RDONLY) == STDIN_FILENO &&
           open("/dev/null", O_RDONLY) == STDOUT_FILENO && close_range(4, ~0U, 0) == 0;
}

static _Noreturn void be_child(const struct confined_limits *limits, pid_t parent, int out,
                               void (*run)(void *user, int out), void *user)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    reset_signals();
    if (!close_files(out))
        _exit(1);
    set_limits(limits);
    if (!__gcov_dump)
        sandbox_enter();
    run(user, 3);
    if (__gcov_dump)
        __gcov_dump();
    _exit(0);
}

bool confined_start(struct confined *c, const struct confined_limits *limits,
                    void (*run)(void *user, int out), void *user)
{
    pid_t self = getpid();
    int ends[2];

    *c = (struct confined){ .fd = -1 };
    if (pipe2(ends, O_CLOEXEC))
        return false;
    c->pid = fork();
    if (c->pid == 0)
        be_child(limits, self, ends[1], run, user);
    close(ends[1]);
    if (c->pid < 0) {
        close(ends[0]);
        *c = (struct confined){ .fd = -1 };
        return false;
    }
    c->fd = ends[0];
    return true;
}

static int close_and_wait(struct confined *c, int how)
{
    pid_t got;
    int status = 0;

    close(c->fd);
    do /* another part of the program may have waited for it: then it is no longer ours to end */
        got = waitpid(c->pid, &status, how);
    while (got < 0 && errno == EINTR);
    if (got == 0) {
        kill(c->pid, SIGKILL);
        while (waitpid(c->pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    *c = (struct confined){ .fd = -1 };
    return got > 0 && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

int confined_wait(struct confined *c)
{
    return close_and_wait(c, 0);
}

int confined_end(struct confined *c)
{
    return c->pid ? close_and_wait(c, WNOHANG) : 0;
}
