/*
 * The keeper: a process of our own program between bough and a child. It ends the child and all of
 * its descendants when bough says so, when bough is gone, or when the child has ended.
 *
 * It talks over descriptor 3. It sends "R\n" when the child runs, "E<errno>\n" when it could not be
 * started, "S<status>\n" when it has ended, and exits when all descendants are gone. Any byte from
 * bough, or the end of the stream, means: end the child.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/env.h"
#include "base/os/process.h"
#include "child/child.h"
#include "child/keeper.h"

enum {
    CONTROL = 3,
    PATIENCE_MS = 2000, /* after closed input, and again after SIGTERM */
    GIVE_UP_MS = 30000, /* for processes that SIGKILL does not end */
    TICK_MS = 50,       /* how often the descendants are looked at while ending */
};

/* In order: each begins when the one before has not helped. */
enum stage { RUNS, INPUT_CLOSED, TERM_SENT, KILL_SENT };

struct keeper {
    pid_t child; /* not reaped before the end, so that its group keeps its number */
    int signals;
    sigset_t before; /* signal mask that the child gets */
    enum stage stage;
    int64_t until; /* ms; end of the stage */
    bool ended;    /* the child has ended */
};

static int64_t now_ms(void)
{
    return mono_us() / 1000;
}

static void say(char what, int number)
{
    char line[32];
    int n = what == 'R' ? snprintf(line, sizeof line, "R\n")
                        : snprintf(line, sizeof line, "%c%d\n", what, number);

    if (write(CONTROL, line, (size_t)n) != n)
        return; /* bough is gone, which the reading side notices */
}

/* ---- starting the child ---- */

static void limit(int what, const char *most)
{
    rlim_t n = (rlim_t)strtoull(most, NULL, 10);
    struct rlimit l = { n, n };

    if (n > 0)
        (void)setrlimit(what, &l);
}

static void drop_core_dumps(void)
{
    struct rlimit none = { 0, 0 };

    (void)setrlimit(RLIMIT_CORE, &none);
}

/* In the child: become the program. Returns only on failure, with errno set. */
static void become(const struct keeper *k, char **args)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* a keeper that is killed takes the child along */
    signal(SIGPIPE, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
    sigprocmask(SIG_SETMASK, &k->before, NULL);
    drop_core_dumps();
    limit(RLIMIT_AS, args[KEEPER_MEMORY]);
    limit(RLIMIT_NOFILE, args[KEEPER_FILES]);
    if (*args[KEEPER_DIR] && chdir(args[KEEPER_DIR]) != 0)
        return;
    execv(args[KEEPER_PROGRAM], args + KEEPER_ARGV);
}

/* The child's end of the pipe closes when the program has begun. Returns errno of a failure. */
static int start(struct keeper *k, char **args)
{
    int failed[2], error = 0;

    if (pipe2(failed, O_CLOEXEC) != 0)
        return errno;
    k->child = fork();
    if (k->child < 0)
        return errno;
    if (k->child == 0) {
        become(k, args);
        error = errno;
        _exit(write(failed[1], &error, sizeof error) == sizeof error ? 127 : 126);
    }
    setpgid(k->child, k->child);
    close(failed[1]);
    if (read(failed[0], &error, sizeof error) != sizeof error)
        error = 0;
    close(failed[0]);
    return error;
}

/* ---- descendants ---- */

/* The parent of a process, from its line in /proc; 0: it is gone. */
static pid_t parent_of(const char *pid)
{
    char path[64], line[512];
    const char *after;
    pid_t parent;
    ssize_t n;
    int fd;

    snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    n = read(fd, line, sizeof line - 1);
    close(fd);
    if (n <= 0)
        return 0;
    line[n] = '\0';
    after =
        strrchr(line, ')'); /* the name of the program is in parentheses and may hold any byte */
    if (!after || strlen(after) < 4)
        return 0;
    parent = (pid_t)strtol(after + 4, NULL, 10);
    return parent;
}

/* Send a signal, 0 for none, to every process that the keeper is the parent of, but the child; reap
 * those that have ended. A process that is not reaped keeps its number, so no other process is hit.
 * Returns how many live. */
static int signal_adopted(const struct keeper *k, int number)
{
    DIR *d = opendir("/proc");
    struct dirent *e;
    int n = 0;

    if (!d)
        return 0;
    while ((e = readdir(d))) {
        pid_t pid = isdigit((unsigned char)*e->d_name) ? (pid_t)strtol(e->d_name, NULL, 10) : 0;

        if (pid <= 0 || pid == k->child || parent_of(e->d_name) != getpid())
            continue;
        if (waitpid(pid, NULL, WNOHANG) == pid)
            continue;
        kill(pid, number);
        n++;
    }
    closedir(d);
    return n;
}

/* Has the child ended? It stays a zombie. */
static void look_at_child(struct keeper *k)
{
    siginfo_t info = { 0 };

    if (k->ended || waitid(P_PID, (id_t)k->child, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
        info.si_pid != k->child)
        return;
    k->ended = true;
    say('S', info.si_code == CLD_EXITED ? W_EXITCODE(info.si_status, 0) : info.si_status);
}

/* Reap adopted processes that have ended, until the child itself is the first one. */
static void reap_adopted(struct keeper *k)
{
    siginfo_t info = { 0 };

    while (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid > 0 &&
           info.si_pid != k->child) {
        waitpid(info.si_pid, NULL, 0);
        info.si_pid = 0;
    }
}

/* ---- ending ---- */

static void enter(struct keeper *k, enum stage stage)
{
    static const int sends[] = { 0, 0, SIGTERM, SIGKILL };

    k->stage = stage;
    k->until = now_ms() + (stage == KILL_SENT ? GIVE_UP_MS : PATIENCE_MS);
    if (!sends[stage])
        return;
    kill(-k->child, sends[stage]);
    kill(-k->child, SIGCONT); /* a stopped process acts on no other signal */
    (void)signal_adopted(k, sends[stage]);
}

/* One step of the ending. False: nothing is left, or nothing more can be done. */
static bool end_step(struct keeper *k)
{
    int adopted;

    if (k->stage == RUNS) {
        if (k->ended)
            enter(k, TERM_SENT);
        return true;
    }
    if (k->stage == KILL_SENT)
        kill(-k->child, SIGKILL); /* it may have forked meanwhile */
    adopted = signal_adopted(k, k->stage == KILL_SENT ? SIGKILL : 0);
    if (k->ended && adopted == 0)
        return false;
    if (k->stage == INPUT_CLOSED && k->ended)
        enter(k, TERM_SENT); /* stragglers do not read the input */
    if (now_ms() < k->until)
        return true;
    if (k->stage == KILL_SENT)
        return false;
    enter(k, k->stage + 1);
    return true;
}

/* ---- the loop ---- */

/* Did SIGTERM come? */
static bool take_signals(struct keeper *k)
{
    struct signalfd_siginfo s;
    bool term = false;

    while (read(k->signals, &s, sizeof s) == sizeof s)
        term |= s.ssi_signo == SIGTERM;
    return term;
}

static _Noreturn void keep(struct keeper *k)
{
    struct pollfd f[2] = { { .fd = CONTROL, .events = POLLIN },
                           { .fd = k->signals, .events = POLLIN } };
    bool end = false;

    for (;;) {
        char byte[16];

        (void)poll(f, 2, k->stage == RUNS ? -1 : TICK_MS);
        if (f[0].revents) {
            ssize_t n = read(CONTROL, byte, sizeof byte);

            end |= n >= 0 || (errno != EINTR && errno != EAGAIN);
            if (n <= 0)
                f[0].fd = -1;
        }
        if (f[1].revents && take_signals(k))
            end = true;
        reap_adopted(k);
        look_at_child(k);
        if (end && k->stage == RUNS)
            enter(k, INPUT_CLOSED);
        if (!end_step(k))
            process_leave(0);
    }
}

/* Its own copies would keep the pipes open when the child has closed them. */
static void let_go_of_pipes(void)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    for (int fd = 0; fd <= 2; fd++)
        if (null < 0 || dup2(null, fd) < 0)
            close(fd);
    if (null > CONTROL)
        close(null);
}

static void prepare(struct keeper *k)
{
    sigset_t set;

    close_range(CONTROL + 1, ~0U, 0);
    fcntl(CONTROL, F_SETFD, FD_CLOEXEC);
    setsid(); /* no terminal: Ctrl-C is for bough, which then ends the child */
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGINT, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigaddset(&set, SIGTERM);
    sigprocmask(SIG_BLOCK, &set, &k->before);
    k->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

void child_keeper(int argc, char **argv)
{
    struct keeper k = { 0 };
    int error;

    if (argc <= KEEPER_ARGV || strcmp(argv[KEEPER_WORD_AT], KEEPER_WORD) != 0)
        return;
    prepare(&k);
    error = start(&k, argv);
    if (error) {
        say('E', error);
        process_leave(1);
    }
    let_go_of_pipes();
    say('R', 0);
    keep(&k);
}
