/* A child process with limits: what it may not do, and how it ends. */
#include "base/os/confined.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/test.h"

static const struct confined_limits limits = { .memory = 64 << 20, .cpu_s = 1 };

/* Everything that the child writes. */
static const char *output_of(void (*run)(void *user, int out), void *user, int *by)
{
    static char text[256];
    struct confined c;
    size_t n = 0;
    ssize_t got;

    CHECK(confined_start(&c, &limits, run, user));
    while (n < sizeof text - 1 && (got = read(c.fd, text + n, sizeof text - 1 - n)) > 0)
        n += (size_t)got;
    text[n] = '\0';
    CHECK_INT(0, waitid(P_PID, (id_t)c.pid, &(siginfo_t){ 0 }, WEXITED | WNOWAIT));
    *by = confined_end(&c);
    return text;
}

static void say(int out, const char *text)
{
    if (write(out, text, strlen(text)) < 0)
        _exit(1);
}

static void try_everything(void *user, int out)
{
    const char *path = user;

    say(out, open("/etc/passwd", O_RDONLY) >= 0 ? "reads " : "- ");
    say(out, open(path, O_WRONLY | O_CREAT, 0600) >= 0 ? "writes " : "- ");
    say(out, socket(AF_INET, SOCK_STREAM, 0) >= 0 ? "connects " : "- ");
    say(out, fork() >= 0 ? "forks " : "- ");
    say(out, unlink("/tmp/bough-no-such-file") == 0 || errno == ENOENT ? "removes" : "-");
}

TEST(a_child_reads_files_and_does_nothing_else)
{
    int by;

    CHECK_STR("reads - - - -", output_of(try_everything, (void *)"/tmp/bough-child-test", &by));
    CHECK_INT(0, by);
}

/* mmap(): malloc() of a sanitizer does not return when memory is out. */
static bool maps(size_t n)
{
    return mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED;
}

static void take_memory(void *user, int out)
{
    (void)user;
    say(out, maps((size_t)16 << 20) ? "some " : "none ");
    say(out, maps((size_t)256 << 20) ? "more" : "no more");
}

TEST(a_child_has_a_limit_of_memory)
{
    int by;

    CHECK_STR("some no more", output_of(take_memory, NULL, &by));
}

static void spin(void *user, int out)
{
    (void)user;
    (void)out;
    for (;;)
        __asm__ volatile("");
}

TEST(a_child_that_computes_for_ever_is_ended)
{
    int by;

    CHECK_STR("", output_of(spin, NULL, &by));
    CHECK(by == SIGXCPU || by == SIGKILL);
}

static void crash(void *user, int out)
{
    say(out, "before");
    (void)user;
    raise(SIGSEGV);
}

TEST(a_child_that_crashes_says_by_which_signal)
{
    int by;

    CHECK_STR("before", output_of(crash, NULL, &by));
    CHECK_INT(SIGSEGV, by);
}

static void interrupt(void *user, int out)
{
    (void)user;
    raise(SIGINT);
    raise(SIGHUP);
    say(out, "goes on");
}

TEST(a_child_leaves_ctrl_c_to_its_parent)
{
    int by;

    CHECK_STR("goes on", output_of(interrupt, NULL, &by));
}

static void find_file(void *user, int out)
{
    say(out, fcntl(*(int *)user, F_GETFD) >= 0 ? "open" : "closed");
}

TEST(a_child_has_no_other_open_files)
{
    int first = open("/dev/null", O_RDONLY), fd = fcntl(first, F_DUPFD, 20), by;

    CHECK(fd >= 20);
    CHECK_STR("closed", output_of(find_file, &fd, &by));
    close(fd);
    close(first);
}
