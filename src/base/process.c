/* Who a process is: a pid alone is reused, a pid with its start time is not. */
#include "base/process.h"

#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

/* The first line of a small file, without its end. False: it cannot be read. */
static bool line_of(const char *path, char *out, size_t size)
{
    FILE *f = fopen(path, "re");
    bool fine = f && fgets(out, (int)size, f);

    if (f)
        fclose(f);
    if (fine)
        out[strcspn(out, "\n")] = '\0';
    return fine;
}

/* The machine since it started, and what its pids mean: equal in processes that see each other. */
static bool neighbourhood(char out[PROCESS_TEXT])
{
    char boot[64], ns[48];
    ssize_t n = readlink("/proc/self/ns/pid", ns, sizeof ns - 1);

    if (n <= 0 || !line_of("/proc/sys/kernel/random/boot_id", boot, sizeof boot))
        return false;
    ns[n] = '\0';
    snprintf(out, PROCESS_TEXT, "%.40s/%.30s", boot, ns);
    return true;
}

/* When it started, in ticks since boot: the 22nd field; the second may hold spaces and brackets. */
static bool started(long pid, unsigned long long *ticks)
{
    char path[40], line[1024];
    const char *at;
    int spaces = 0;

    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    if (!line_of(path, line, sizeof line))
        return false;
    at = strrchr(line, ')');
    for (; at && *at && spaces < 20; at++)
        spaces += *at == ' ';
    return at && sscanf(at, "%llu", ticks) == 1;
}

void process_self(char out[PROCESS_TEXT])
{
    char where[PROCESS_TEXT];
    unsigned long long ticks;
    long pid = (long)getpid();

    out[0] = '\0';
    if (neighbourhood(where) && started(pid, &ticks))
        snprintf(out, PROCESS_TEXT, "%.72s/%ld/%llu", where, pid, ticks);
}

bool process_dead(const char *text)
{
    char where[PROCESS_TEXT];
    unsigned long long ticks, then;
    size_t n;
    long pid;

    if (!neighbourhood(where))
        return false;
    n = strlen(where);
    if (strncmp(text, where, n) != 0 || sscanf(text + n, "/%ld/%llu", &pid, &then) != 2)
        return false;
    return !started(pid, &ticks) || ticks != then;
}
