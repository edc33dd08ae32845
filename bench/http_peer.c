/* Servers as separate processes; see http.h. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "http.h"

void pin(int core)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    cpu_set_t set;

    CPU_ZERO(&set);
    for (int i = 0; i < cores; i++)
        if (core < 0 || core % (int)cores == i)
            CPU_SET(i, &set);
    (void)sched_setaffinity(0, sizeof set, &set);
}

static int read_port(int fd, const char *who)
{
    static const char mark[] = "127.0.0.1:";
    char text[4096];
    size_t n = 0;
    ssize_t got;

    while (n + 1 < sizeof text && (got = read(fd, text + n, sizeof text - 1 - n)) > 0) {
        const char *at;

        n += (size_t)got;
        text[n] = '\0';
        at = strstr(text, mark);
        if (at && strchr(at, '\n'))
            return (int)strtol(at + sizeof mark - 1, NULL, 10);
    }
    fprintf(stderr, "bench: %s did not say where it listens\n", who);
    exit(2);
}

static pid_t spawn(const char *const *argv, int out)
{
    pid_t pid = fork();

    if (pid == 0) {
        pin(CORE_SERVER);
        /* Ends with the benchmark, even if that exits early. */
        (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (out >= 0)
            dup2(out, STDOUT_FILENO);
        execv(argv[0], (char *const *)argv);
        _exit(127);
    }
    pin(CORE_CLIENT);
    return pid;
}

struct peer peer_start(const char *const *argv)
{
    struct peer p = { 0 };
    int fds[2];

    if (pipe2(fds, O_CLOEXEC) != 0) {
        perror("bench: pipe");
        exit(2);
    }
    p.pid = spawn(argv, fds[1]);
    close(fds[1]);
    p.port = read_port(fds[0], argv[0]);
    close(fds[0]);
    return p;
}

struct peer peer_start_at(const char *const *argv, int port)
{
    struct sockaddr_in addr = { .sin_family = AF_INET,
                                .sin_port = htons((uint16_t)port),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    struct peer p = { .pid = spawn(argv, -1), .port = port };

    for (int i = 0; i < 500; i++) {
        int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        bool there = connect(fd, (struct sockaddr *)&addr, sizeof addr) == 0;

        close(fd);
        if (there)
            return p;
        sleep_us(10e3);
    }
    fprintf(stderr, "bench: %s does not listen on port %d\n", argv[0], port);
    exit(2);
}

void peer_stop(struct peer *p)
{
    int status;

    (void)kill(p->pid, SIGTERM);
    if (waitpid(p->pid, &status, 0) != p->pid || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        fprintf(stderr, "bench: a server ended badly (%d)\n", status);
        exit(2);
    }
}

double peer_cpu_us(const struct peer *p)
{
    struct timespec t;
    clockid_t clock;

    if (clock_getcpuclockid(p->pid, &clock) != 0 || clock_gettime(clock, &t) != 0) {
        fprintf(stderr, "bench: a server is gone\n");
        exit(2);
    }
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

double peer_rss_kb(const struct peer *p)
{
    char path[64], line[128];
    double kb = 0;
    FILE *f;

    snprintf(path, sizeof path, "/proc/%d/status", (int)p->pid);
    f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, "VmRSS:", 6) == 0)
            kb = strtod(line + 6, NULL);
    if (f)
        fclose(f);
    return kb;
}

void peer_rest(const struct peer *p)
{
    for (int i = 0; i < 300; i++) {
        double before = peer_cpu_us(p);

        sleep_us(200e3);
        if (peer_cpu_us(p) - before < 5e3)
            return;
    }
    fprintf(stderr, "bench: the server does not come to rest\n");
    exit(2);
}
