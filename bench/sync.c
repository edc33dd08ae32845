/* Replacements for fdatasync() and fsync(), to time syncs, and to skip them while a store is being
 * prepared. Also counters for bytes written. */
#include <dirent.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bench.h"

static atomic_bool skipping;
static atomic_llong spent_ns, calls;

static int do_sync(long number, int fd)
{
    double from;
    int rc;

    if (skipping)
        return 0;
    from = now_us();
    rc = (int)syscall(number, fd);
    spent_ns += (long long)((now_us() - from) * 1e3);
    calls++;
    return rc;
}

int fdatasync(int fd)
{
    return do_sync(SYS_fdatasync, fd);
}

int fsync(int fd)
{
    return do_sync(SYS_fsync, fd);
}

void syncs_skip(bool skip)
{
    skipping = skip;
}

double syncs_us(size_t *count)
{
    *count = (size_t)atomic_exchange(&calls, 0);
    return (double)atomic_exchange(&spent_ns, 0) / 1e3;
}

int64_t io_written(void)
{
    FILE *f = fopen("/proc/self/io", "r");
    char line[128];
    int64_t n = -1;

    if (!f)
        return -1;
    while (fgets(line, sizeof line, f))
        if (strncmp(line, "wchar: ", 7) == 0)
            n = strtoll(line + 7, NULL, 10);
    fclose(f);
    return n;
}

int64_t dir_bytes(const char *d)
{
    DIR *dir = opendir(d);
    struct dirent *e;
    struct stat st;
    int64_t n = 0;

    if (!dir)
        return -1;
    while ((e = readdir(dir)))
        if (fstatat(dirfd(dir), e->d_name, &st, 0) == 0 && S_ISREG(st.st_mode))
            n += st.st_size;
    closedir(dir);
    return n;
}
