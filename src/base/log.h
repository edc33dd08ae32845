/* Log lines. The library writes none until the program sets a sink: a library never prints. */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include <bough/error.h>

#include <stdbool.h>
#include <stddef.h>

enum log_level { LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG };

/* `line` is one message without a newline; it is borrowed. Called from any thread. */
typedef void log_sink(void *user, enum log_level level, const char *line);

/* Process-wide; set it before threads start. NULL drops everything again. */
void log_set_sink(log_sink *sink, void *user);

/* Messages are cut at 1 KiB. Do not log an error that is also returned. */
void log_msg(enum log_level level, const char *fmt, ...) BOUGH_PRINTF(2, 3);

/* Would it be shown? For messages that are dear to put together. */
bool log_wanted(enum log_level level);

const char *log_level_name(enum log_level level); /* "error" */

/*
 * A sink: time=... level=... msg="..." on stderr, control characters escaped. `user` may point to
 * an enum log_level, the least important level still shown; NULL shows everything.
 */
void log_stderr(void *user, enum log_level level, const char *line);

/* What log_stderr prints, without the time; at most n bytes with the NUL. For tests and files. */
void log_format(char *out, size_t n, enum log_level level, const char *line);

#endif
