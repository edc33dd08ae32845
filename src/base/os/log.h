/* Diagnostic log lines. The library never prints: lines are dropped until a sink is set. */
#ifndef BASE_OS_LOG_H
#define BASE_OS_LOG_H

#include <bough/error.h>

#include <stdbool.h>
#include <stddef.h>

enum log_level { LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG };

/* `line` is one message without a newline, borrowed. Called from any thread, also in parallel. */
typedef void log_sink(void *user, enum log_level level, const char *line);

/* Set the process-wide sink; call it before threads start. NULL drops all lines. */
void log_set_sink(log_sink *sink, void *user);

/* Messages are cut at 1023 bytes. Do not log an error that is also returned. */
void log_msg(enum log_level level, const char *fmt, ...) BOUGH_PRINTF(2, 3);

/* Would a message of this level be shown? Ask before building an expensive message. */
bool log_wanted(enum log_level level);

const char *log_level_name(enum log_level level); /* "error" */

/*
 * A sink that prints time=... level=... msg="..." on stderr, control characters escaped. `user`
 * points to an enum log_level, the least important level shown, or is NULL to show all levels.
 */
void log_stderr(void *user, enum log_level level, const char *line);

/* Format a line as log_stderr() does, without the time; at most n bytes including the NUL. */
void log_format(char *out, size_t n, enum log_level level, const char *line);

#endif
