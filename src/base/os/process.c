/* Identity of a process: its pid and start time, because a pid alone is reused. */
#include "base/os/process.h"

#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/os/fork_guard.h"

/* The first line of a small file, without the newline. False: it cannot be read. */
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

/* Boot id and pid namespace: equal in two processes exactly if they share one set of pids. */
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

/*
 * Start time in ticks since boot, field 22 of /proc/<pid>/stat. Count fields from the last ')':
 * field 2, the command's name, may contain spaces and parentheses.
 */
static bool started(long pid, unsigned long long *ticks)
{
    char path[40], line[1024];
    const char *at;
    int spaces = 0;

    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    if (!line_of(path, line, sizeof line))
        return false;
    at = strrchr(line, ')');
    if (at && at[1] == ' ' && (at[2] == 'Z' || at[2] == 'X'))
        return false; /* it has ended; only its parent has not asked yet */
    for (; at && *at && spaces < 20; at++)
        spaces += *at == ' ';
    return at && sscanf(at, "%llu", ticks) == 1;
}

/* Each thread reads /proc once: three files cost as much as a step of a reply. A child of fork()
 * reads it again, even if another pid namespace gives it the same pid. */
void process_self(char out[PROCESS_TEXT])
{
    static _Thread_local struct {
        char text[PROCESS_TEXT];
        long pid;
        unsigned forks;
    } known;
    char where[PROCESS_TEXT];
    unsigned long long ticks;
    unsigned forks = fork_count();
    long pid = (long)getpid();

    if (known.pid != pid || known.forks != forks || !known.text[0]) {
        known.text[0] = '\0';
        known.pid = pid;
        known.forks = forks;
        if (neighbourhood(where) && started(pid, &ticks))
            snprintf(known.text, PROCESS_TEXT, "%.72s/%ld/%llu", where, pid, ticks);
    }
    memcpy(out, known.text, PROCESS_TEXT);
}

bool process_here(const char *text)
{
    char where[PROCESS_TEXT];

    return neighbourhood(where) && strncmp(text, where, strlen(where)) == 0;
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

/* Only in builds that measure coverage. */
extern void __gcov_dump(void) __attribute__((weak));

void process_leave(int status)
{
    if (__gcov_dump)
        __gcov_dump();
    _exit(status);
}
