/* Measures the machine once, and reads its load whenever a limit is reached. */
#include "lib/patience.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum {
    USUAL_ROUND_US = 40000, /* for the rounds below: an old laptop, built without optimisation */
    USUAL_SYNC_US = 20000,  /* for one sync: a disk that turns */
    MOST = 30,
    WAIT_MS = 20000,
    LOOK_US = 5000,
};

static double speed = 1;

static int64_t clock_us(clockid_t id)
{
    struct timespec t;

    clock_gettime(id, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

int64_t patience_now(void)
{
    return clock_us(CLOCK_MONOTONIC) / 1000;
}

/* Processor time, so that the load of the machine does not count twice. */
static double processor(void)
{
    int64_t began = clock_us(CLOCK_PROCESS_CPUTIME_ID);
    volatile uint64_t z = 1;

    for (int i = 0; i < 2000000; i++)
        z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (double)(clock_us(CLOCK_PROCESS_CPUTIME_ID) - began) / USUAL_ROUND_US;
}

static double disk(void)
{
    const char *tmp = getenv("TMPDIR");
    char path[1024];
    int64_t began;
    double each = 0;
    int fd, n = 3;

    snprintf(path, sizeof path, "%s/bough-sync.XXXXXX", tmp && *tmp ? tmp : "/tmp");
    fd = mkstemp(path);
    if (fd < 0)
        return 1;
    (void)unlink(path);
    began = clock_us(CLOCK_MONOTONIC);
    for (int i = 0; i < n; i++)
        if (pwrite(fd, "sync", 4, (off_t)i * 4096) == 4 && fdatasync(fd) == 0)
            each = (double)(clock_us(CLOCK_MONOTONIC) - began) / (i + 1);
    close(fd);
    return each / USUAL_SYNC_US;
}

/* Runnable processes per processor, over the last minute. No stdio: called by a signal handler. */
static double load(void)
{
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    int fd = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
    char text[32] = "";
    double whole = 0;

    if (fd < 0 || cpus < 1)
        return 1;
    if (read(fd, text, sizeof text - 1) > 0)
        for (const char *p = text; *p >= '0' && *p <= '9'; p++)
            whole = whole * 10 + (*p - '0');
    close(fd);
    return (whole + 1) / (double)cpus;
}

void patience_init(void)
{
    const char *slow = getenv("TEST_SLOW");
    double p = processor(), d = disk(), most = p > d ? p : d;

    speed = most < 1 ? 1 : most > MOST ? MOST : most;
    speed *= slow && strtol(slow, NULL, 10) > 1 ? (double)strtol(slow, NULL, 10) : 1;
}

double patience(void)
{
    double l = load();

    return l > 1 ? speed * l : speed;
}

bool wait_more(struct wait *w)
{
    int64_t now = patience_now();

    if (!w->began)
        w->began = now;
    if ((double)(now - w->began) > WAIT_MS * patience())
        return false;
    usleep(LOOK_US);
    return true;
}
