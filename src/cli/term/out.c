/* A command's output: terminal detection, JSON lines, and the pager. */
#include "cli/term/out.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/env.h"
#include "base/memory/arena.h"
#include "base/text/iso.h"
#include "base/text/str.h"
#include "cli/term/when.h"

enum { DEFAULT_WIDTH = 80, LEAST_WIDTH = 20, MOST_WIDTH = 4096 };

static pid_t pager_pid;

static size_t width_of_terminal(void)
{
    const char *columns = getenv("COLUMNS");
    struct winsize size;
    long n = cstr_empty(columns) ? 0 : strtol(columns, NULL, 10);

    if (n <= 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
        n = size.ws_col;
    if (n <= 0)
        n = DEFAULT_WIDTH;
    return (size_t)(n < LEAST_WIDTH ? LEAST_WIDTH : n > MOST_WIDTH ? MOST_WIDTH : n);
}

void out_init(struct out *o, const char *color, bool json)
{
    *o = (struct out){ .tty = isatty(STDOUT_FILENO) == 1, .json = json };
    o->width = width_of_terminal();
    o->now = env_now(&env_system);
    o->colour = print_colour(stdout);
    if (color && strcmp(color, "always") == 0)
        o->colour = true;
    if (color && strcmp(color, "never") == 0)
        o->colour = false;
}

void out_finish(struct out *o)
{
    buf_finish(&o->jb);
}

/* ---- pager ---- */

static void be_pager(const char *command, const int fds[2])
{
    static const char *const usual[] = { "LESS=FRX", "LV=-c" };

    /* As git does: less shows colours, and exits at once when everything fits. */
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        size_t n = strcspn(usual[i], "=");
        char name[8];

        snprintf(name, sizeof name, "%.*s", (int)n, usual[i]);
        setenv(name, usual[i] + n + 1, 0);
    }
    dup2(fds[0], STDIN_FILENO);
    close(fds[0]);
    close(fds[1]);
    execlp("sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

void out_pager(struct out *o, const char *pager)
{
    int fds[2];

    if (!o->tty || o->json || pager_pid || cstr_empty(pager) || strcmp(pager, "cat") == 0)
        return;
    fflush(stdout);
    if (pipe(fds) != 0)
        return;
    pager_pid = fork();
    if (pager_pid == 0)
        be_pager(pager, fds);
    if (pager_pid > 0) {
        dup2(fds[1], STDOUT_FILENO);
        signal(SIGINT, SIG_IGN); /* Ctrl-C goes to the pager; when it exits, SIGPIPE ends us */
    } else {
        pager_pid = 0; /* fork failed: no pager */
    }
    close(fds[0]);
    close(fds[1]);
}

void out_pager_end(void)
{
    int status;

    if (!pager_pid)
        return;
    fflush(stdout);
    close(STDOUT_FILENO);
    if (open("/dev/null", O_WRONLY) < 0)
        return;
    while (waitpid(pager_pid, &status, 0) < 0)
        ;
    pager_pid = 0;
}

/* ---- text ---- */

void out_style(const struct out *o, enum print_style style)
{
    print_style(stdout, o->colour, style);
}

void out_styled(const struct out *o, enum print_style style, const char *text)
{
    if (style != PRINT_PLAIN)
        out_style(o, style);
    print_line(stdout, text);
    if (style != PRINT_PLAIN)
        out_style(o, PRINT_PLAIN);
}

void out_time(const struct out *o, int64_t ms, char out[32])
{
    if (o->tty)
        when_ago(ms, o->now, out);
    else
        iso_print(ms, out);
}

void out_count(int64_t n, char out[OUT_COUNT_SIZE])
{
    char digits[24];
    int len = snprintf(digits, sizeof digits, "%" PRId64, n), at = 0;

    for (int i = 0; i < len; i++) {
        if (i && (len - i) % 3 == 0 && digits[i - 1] != '-')
            out[at++] = ',';
        out[at++] = digits[i];
    }
    out[at] = '\0';
}

const char *out_things(struct bough_arena *a, int64_t n, const char *noun)
{
    size_t len = strlen(noun);
    bool ies = len > 1 && noun[len - 1] == 'y' && !strchr("aeou", noun[len - 2]);
    bool es = len > 1 && strcmp(noun + len - 2, "ch") == 0;
    char count[OUT_COUNT_SIZE];

    out_count(n, count);
    if (n == 1)
        return arena_printf(a, "1 %s", noun);
    return arena_printf(a, "%s %.*s%s", count, (int)(ies ? len - 1 : len), noun,
                        ies  ? "ies"
                        : es ? "es"
                             : "s");
}

/* ---- JSON ---- */

struct json_writer *out_json(struct out *o)
{
    if (!o->jb.p)
        buf_init(&o->jb, (size_t)1 << 31);
    buf_reset(&o->jb);
    jw_init(&o->jw, &o->jb);
    return &o->jw;
}

void out_json_end(struct out *o)
{
    jw_drop_breaks(&o->jw);
    if (o->tty)
        print_json(stdout, buf_str(&o->jb));
    else
        fwrite(o->jb.p, 1, o->jb.n, stdout);
    putchar('\n');
}
