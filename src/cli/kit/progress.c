/* Progress bars. */
#include "cli/kit/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/env.h"

enum { WAIT_US = 500000, EVERY_US = 100000, MOST = 40 };

static void amount(const struct progress *p, int64_t n, char *out, size_t size)
{
    if (!p->bytes)
        snprintf(out, size, "%" PRId64, n);
    else if (n < 10 * 1024 * 1024)
        snprintf(out, size, "%" PRId64 " KB", n / 1024);
    else
        snprintf(out, size, "%" PRId64 " MB", n / 1024 / 1024);
}

void progress_line(const struct progress *p, int64_t done, int64_t total, size_t width, char *out,
                   size_t size)
{
    char now[32], bar[MOST + 1];
    size_t taken, room, full;

    amount(p, done, now, sizeof now);
    if (total <= 0) {
        snprintf(out, size, "%s %s", p->what, now);
        return;
    }
    taken = strlen(p->what) + strlen(now) + 12;
    room = width > taken + 4 ? width - taken : 4;
    room = room < MOST ? room : MOST;
    full = (size_t)((double)(done < total ? done : total) / (double)total * (double)room);
    memset(bar, ' ', room);
    memset(bar, '#', full);
    bar[room] = '\0';
    snprintf(out, size, "%s [%s] %3d%% %s", p->what, bar, (int)((double)done / (double)total * 100),
             now);
}

bool progress_tell(void *progress, int64_t done, int64_t total)
{
    struct progress *p = progress;
    int64_t now = mono_us();
    struct winsize size = { 0 };
    char line[256];

    if (!p->started)
        p->started = now;
    if (now - p->started < WAIT_US || now - p->drawn < EVERY_US || !isatty(STDERR_FILENO))
        return true;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || !size.ws_col)
        size.ws_col = 80;
    progress_line(p, done, total, size.ws_col, line, sizeof line);
    fprintf(stderr, "\r%s", line);
    fflush(stderr);
    p->drawn = now;
    return true;
}

void progress_end(struct progress *p)
{
    if (p->drawn)
        fprintf(stderr, "\r%*s\r", 78, "");
    p->drawn = 0;
}
