/* The server under a service manager: passed sockets and notifications. */
#include "http/server/systemd.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "base/os/fs.h"
#include "http/world.h"

/* ---- functions, tested in this process ---- */

static int manager(struct test *t, const char *name)
{
    struct sockaddr_un addr = { .sun_family = AF_UNIX };
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    snprintf(addr.sun_path, sizeof addr.sun_path, "%s", test_path(t, name));
    CHECK(fd >= 0 && bind(fd, (struct sockaddr *)&addr, sizeof addr) == 0);
    return fd;
}

/* The next notification the manager receives; "" if none comes in time. */
static const char *told(int fd, int ms)
{
    static char text[256];
    struct pollfd p = { .fd = fd, .events = POLLIN };
    ssize_t n = poll(&p, 1, ms) == 1 ? recv(fd, text, sizeof text - 1, 0) : 0;

    text[n > 0 ? n : 0] = '\0';
    return text;
}

static void set(const char *name, const char *value)
{
    CHECK_INT(0, value ? setenv(name, value, 1) : unsetenv(name));
}

TEST(readiness_is_sent_to_the_service_manager_if_there_is_one)
{
    int fd = manager(t, "notify");

    set("NOTIFY_SOCKET", test_path(t, "notify"));
    systemd_notify("READY=1");
    CHECK_STR("READY=1", told(fd, 1000));
    set("NOTIFY_SOCKET", test_path(t, "nowhere"));
    systemd_notify("READY=1");
    set("NOTIFY_SOCKET", "relative");
    systemd_notify("READY=1");
    set("NOTIFY_SOCKET", NULL);
    systemd_notify("READY=1");
    CHECK_STR("", told(fd, 50));
    close(fd);
}

TEST(a_name_without_a_file_is_a_manager_too)
{
    struct sockaddr_un addr = { .sun_family = AF_UNIX };
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    const char *name = arena_printf(t->arena, "@bough-test-%d", (int)getpid());

    memcpy(addr.sun_path + 1, name + 1, strlen(name) - 1);
    CHECK_INT(
        0, bind(fd, (struct sockaddr *)&addr, (socklen_t)(sizeof addr.sun_family + strlen(name))));
    set("NOTIFY_SOCKET", name);
    systemd_notify("STOPPING=1");
    CHECK_STR("STOPPING=1", told(fd, 1000));
    set("NOTIFY_SOCKET", NULL);
    close(fd);
}

TEST(the_watchdog_is_fed_twice_as_often_as_it_must_be)
{
    set("WATCHDOG_USEC", NULL);
    CHECK_INT(0, systemd_watchdog_ms());
    set("WATCHDOG_USEC", "30000000");
    CHECK_INT(15000, systemd_watchdog_ms());
    set("WATCHDOG_PID", "1");
    CHECK_INT(0, systemd_watchdog_ms());
    set("WATCHDOG_PID", arena_printf(t->arena, "%d", (int)getpid()));
    CHECK_INT(15000, systemd_watchdog_ms());
    set("WATCHDOG_USEC", "nonsense");
    CHECK_INT(0, systemd_watchdog_ms());
    set("WATCHDOG_USEC", NULL);
    set("WATCHDOG_PID", NULL);
}

TEST(sockets_for_another_process_are_not_ours_and_nothing_is_passed_on)
{
    set("LISTEN_PID", "1");
    set("LISTEN_FDS", "1");
    CHECK_INT(0, systemd_sockets());
    CHECK(!getenv("LISTEN_PID") && !getenv("LISTEN_FDS"));
    set("LISTEN_PID", arena_printf(t->arena, "%d", (int)getpid()));
    set("LISTEN_FDS", "100000");
    CHECK_INT(0, systemd_sockets());
    CHECK_INT(0, systemd_sockets()); /* the descriptors were taken by the first call */
}

/* ---- the whole program under a service manager ---- */

static const char *program(struct test *t)
{
    char self[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);

    CHECK(n > 0);
    self[n] = '\0';
    *strrchr(self, '/') = '\0'; /* .../tests/http.t lies beside .../bough */
    return arena_printf(t->arena, "%s/../bough", self);
}

static int listening(struct test *t, const char *name)
{
    struct sockaddr_un addr = { .sun_family = AF_UNIX };
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    snprintf(addr.sun_path, sizeof addr.sun_path, "%s", test_path(t, name));
    CHECK(fd >= 0 && bind(fd, (struct sockaddr *)&addr, sizeof addr) == 0);
    CHECK_INT(0, listen(fd, 16));
    return fd;
}

/* Start the server with the listener as descriptor 3, as systemd does. */
static pid_t start(struct test *t, int listener, const char *watchdog_us)
{
    const char *bough = program(t), *store = test_path(t, "store");
    const char *notify = test_path(t, "notify"), *other = test_path(t, "other");
    pid_t pid;

    fflush(stdout);
    pid = fork();
    if (pid == 0) {
        char self[16];

        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        snprintf(self, sizeof self, "%d", (int)getpid());
        if (listener != SYSTEMD_FIRST_FD)
            dup2(listener, SYSTEMD_FIRST_FD);
        else
            (void)fcntl(listener, F_SETFD, 0);
        setenv("LISTEN_PID", self, 1);
        setenv("LISTEN_FDS", "1", 1);
        setenv("NOTIFY_SOCKET", notify, 1);
        if (watchdog_us)
            setenv("WATCHDOG_USEC", watchdog_us, 1);
        if (!freopen("/dev/null", "w", stdout))
            _exit(1);
        execl(bough, bough, "--store", store, "serve", "--quiet", "--socket", other, NULL);
        _exit(127);
    }
    CHECK(pid > 0);
    return pid;
}

TEST_SECONDS(a_manager_passes_the_socket_hears_ready_is_fed_and_hears_the_end, 60)
{
    int notify = manager(t, "notify"), listener = listening(t, "sock"), status;
    const char *last = "";
    struct client c;
    pid_t pid;

    /* A client that connects before the server runs waits in the listen queue. */
    client_unix(t, &c);
    client_say(&c, "GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n");
    pid = start(t, listener, "400000");
    close(listener);
    CHECK_STR("READY=1", told(notify, 20000));
    CHECK(client_hears(&c, "\r\n\r\nok", 1, 10000));
    client_close(&c);
    CHECK_INT(-1, access(test_path(t, "other"), F_OK)); /* it listens only on the passed socket */
    CHECK_STR("WATCHDOG=1", told(notify, 10000));
    CHECK_STR("WATCHDOG=1", told(notify, 10000));
    CHECK_INT(0, kill(pid, SIGTERM));
    for (int i = 0; i < 100 && strcmp(last, "STOPPING=1") != 0; i++)
        last = told(notify, 10000);
    CHECK_STR("STOPPING=1", last);
    CHECK_INT(pid, waitpid(pid, &status, 0));
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK_INT(0, access(test_path(t, "sock"), F_OK)); /* the socket file belongs to the manager */
    close(notify);
}

/* ---- systemd's own tools, if installed ---- */

static pid_t run(const char *const *argv, const char *out)
{
    pid_t pid;

    fflush(stdout);
    pid = fork();
    if (pid == 0) {
        int fd = open(out, O_CREAT | O_WRONLY | O_TRUNC, 0600);

        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        dup2(fd, 1);
        dup2(fd, 2);
        execv(argv[0], (char *const *)argv);
        _exit(127);
    }
    CHECK(pid > 0);
    return pid;
}

TEST_SECONDS(systemds_own_activation_starts_the_server_with_the_first_client, 60)
{
    const char *argv[] = { "/usr/bin/systemd-socket-activate",
                           "-l",
                           test_path(t, "sock"),
                           program(t),
                           "--store",
                           test_path(t, "store"),
                           "serve",
                           "--quiet",
                           "--socket",
                           test_path(t, "other"),
                           NULL };
    struct client c;
    int status;
    pid_t pid;

    if (access(argv[0], X_OK) != 0)
        SKIP("systemd-socket-activate is not installed");
    pid = run(argv, test_path(t, "out"));
    for (struct wait w = { 0 }; access(argv[2], F_OK) != 0 && wait_more(&w);)
        ;
    usleep(100000); /* the socket is bound before it listens */
    client_unix(t, &c);
    client_say(&c, "GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n");
    CHECK(client_hears(&c, "\r\n\r\nok", 1, 20000));
    client_close(&c);
    CHECK_INT(0, kill(pid, SIGTERM)); /* systemd-socket-activate has become the server by exec */
    CHECK_INT(pid, waitpid(pid, &status, 0));
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void copy_unit(struct test *t, const char *name)
{
    struct bough_str file;
    const char *text, *at;
    FILE *f;

    CHECK_OK(fs_read(t->arena, arena_printf(t->arena, "data/%s", name), 65536, &file, &t->err));
    text = arena_strndup(t->arena, file.p, file.n);
    at = strstr(text, "@PREFIX@/bin/bough");
    f = fopen(test_path(t, name), "w");
    CHECK(f);
    if (at)
        fprintf(f, "%.*s%s%s", (int)(at - text), text, "/bin/true", at + 18);
    else
        fputs(text, f);
    CHECK_INT(0, fclose(f));
}

TEST_SECONDS(systemd_finds_nothing_wrong_with_the_units, 60)
{
    const char *argv[] = {
        "/usr/bin/systemd-analyze",   "verify", "--user", "--man=no", test_path(t, "bough.service"),
        test_path(t, "bough.socket"), NULL
    };
    struct bough_str said;
    int status;
    pid_t pid;

    if (access(argv[0], X_OK) != 0)
        SKIP("systemd-analyze is not installed");
    copy_unit(t, "bough.service");
    copy_unit(t, "bough.socket");
    set("XDG_RUNTIME_DIR", test_path(t, "."));
    pid = run(argv, test_path(t, "out"));
    CHECK_INT(pid, waitpid(pid, &status, 0));
    set("XDG_RUNTIME_DIR", NULL);
    CHECK_OK(fs_read(t->arena, test_path(t, "out"), 65536, &said, &t->err));
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || strstr(said.p, "bough."))
        FAIL("%s", said.p);
}
