/* Diagnostic log lines: formatting, and passing them to the program's sink. */
#include "base/os/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/env.h"

/* Process-wide, set once at the start of the program. */
static log_sink *the_sink;
static void *the_user;

void log_set_sink(log_sink *sink, void *user)
{
    the_sink = sink;
    the_user = user;
}

void log_msg(enum log_level level, const char *fmt, ...)
{
    char line[1024];
    va_list ap;

    if (!log_wanted(level))
        return;
    va_start(ap, fmt);
    vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    the_sink(the_user, level, line);
}

bool log_wanted(enum log_level level)
{
    const enum log_level *least = the_user;

    return the_sink && (the_sink != log_stderr || !least || level <= *least);
}

const char *log_level_name(enum log_level level)
{
    switch (level) {
    case LOG_ERROR:
        return "error";
    case LOG_WARN:
        return "warn";
    case LOG_INFO:
        return "info";
    case LOG_DEBUG:
        return "debug";
    }
    return "strange";
}

/* Escape one character of a quoted value: no line breaks, no control codes for a terminal. */
static size_t escape(unsigned char c, char out[5])
{
    if (c == '"' || c == '\\')
        return (size_t)snprintf(out, 5, "\\%c", c);
    if (c == '\n')
        return (size_t)snprintf(out, 5, "\\n");
    if (c < 0x20 || c == 0x7f)
        return (size_t)snprintf(out, 5, "\\x%02x", c);
    out[0] = (char)c;
    return 1;
}

void log_format(char *out, size_t n, enum log_level level, const char *line)
{
    size_t at = (size_t)snprintf(out, n, "level=%s msg=\"", log_level_name(level));
    char one[5];

    if (at + 2 > n)
        return;
    for (; *line; line++) {
        size_t k = escape((unsigned char)*line, one);

        if (at + k + 2 > n)
            break;
        memcpy(out + at, one, k);
        at += k;
    }
    out[at++] = '"';
    out[at] = '\0';
}

void log_stderr(void *user, enum log_level level, const char *line)
{
    const enum log_level *least = user;
    char out[4200]; /* 1023 characters, each escaped to four, plus level and quotes */
    char when[32];
    struct tm tm;
    int64_t now;
    time_t sec;

    if (least && level > *least)
        return;
    now = env_now(&env_system);
    sec = (time_t)(now / 1000);
    if (!gmtime_r(&sec, &tm) || !strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%S", &tm))
        when[0] = '\0';
    log_format(out, sizeof out, level, line);
    fprintf(stderr, "time=%s.%03dZ %s\n", when, (int)(now % 1000), out);
}
