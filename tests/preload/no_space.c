/*
 * A full disk, simulated by LD_PRELOAD in a server process. The environment variable NO_SPACE names
 * a file. While it exists, no file can grow whose path contains one of its lines ("/base/",
 * "/pg_wal/"). Existing bytes can be overwritten, as on a real disk.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* The function of libc. */
#define REAL(name) ((__typeof__(&(name)))(uintptr_t)dlsym(RTLD_NEXT, #name))

static bool named(const char *path)
{
    const char *flag = getenv("NO_SPACE");
    FILE *f = flag ? fopen(flag, "r") : NULL;
    char line[64];
    bool found = false;

    while (f && !found && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = '\0';
        found = *line && strstr(path, line);
    }
    if (f)
        fclose(f);
    return found;
}

/* True if a write up to `end` would grow the file and its disk is full. Sets errno then. */
static bool refuse(int fd, off_t end)
{
    char link[40], path[512];
    struct stat is;
    int before = errno;
    ssize_t n;
    bool full;

    if (fstat(fd, &is) != 0 || !S_ISREG(is.st_mode) || end <= is.st_size) {
        errno = before;
        return false;
    }
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    n = readlink(link, path, sizeof path - 1);
    path[n > 0 ? n : 0] = '\0';
    full = named(path);
    errno = full ? ENOSPC : before;
    return full;
}

ssize_t pwrite(int fd, const void *p, size_t n, off_t at)
{
    return refuse(fd, at + (off_t)n) ? -1 : REAL(pwrite)(fd, p, n, at);
}

ssize_t write(int fd, const void *p, size_t n)
{
    off_t at = lseek(fd, 0, SEEK_CUR); /* -1: not seekable */

    return at >= 0 && refuse(fd, at + (off_t)n) ? -1 : REAL(write)(fd, p, n);
}

ssize_t pwritev(int fd, const struct iovec *v, int n, off_t at)
{
    off_t end = at;

    for (int i = 0; i < n; i++)
        end += (off_t)v[i].iov_len;
    return refuse(fd, end) ? -1 : REAL(pwritev)(fd, v, n, at);
}

int posix_fallocate(int fd, off_t at, off_t n)
{
    return refuse(fd, at + n) ? ENOSPC : REAL(posix_fallocate)(fd, at, n);
}
