/* Log messages: silent by default, one line per message whatever it contains. */
#include "lib/test.h"

#include <stdio.h>
#include <unistd.h>

#include "base/os/log.h"

static void remember(void *user, enum log_level level, const char *line)
{
    snprintf(user, 64, "%s:%s", log_level_name(level), line);
}

TEST(messages_go_to_the_sink_or_nowhere)
{
    char got[64] = "";

    log_msg(LOG_ERROR, "nobody hears %d", 1);
    log_set_sink(remember, got);
    log_msg(LOG_WARN, "x=%d", 7);
    log_set_sink(NULL, NULL);
    CHECK_STR("warn:x=7", got);
    log_msg(LOG_ERROR, "nobody hears %d", 2);
    CHECK_STR("warn:x=7", got);
}

TEST(a_line_stays_one_line_and_cannot_steer_a_terminal)
{
    char out[100];

    log_format(out, sizeof out, LOG_INFO, "a\nb\x1b[2J\"\\\r\x7f\xc3\xa9");
    CHECK_STR("level=info msg=\"a\\nb\\x1b[2J\\\"\\\\\\x0d\\x7f\xc3\xa9\"", out);
}

TEST(a_long_line_is_cut_and_still_ends_with_a_quote)
{
    char out[100], text[2000];
    size_t n;

    memset(text, '\n', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    for (n = 30; n < sizeof out; n++) {
        log_format(out, n, LOG_ERROR, text);
        CHECK(strlen(out) < n);
        CHECK_INT('"', out[strlen(out) - 1]);
    }
}

TEST(stderr_lines_have_time_and_level_and_can_be_filtered)
{
    enum log_level least = LOG_WARN;
    int pipes[2], keep = dup(2);
    char out[200] = "";

    CHECK_INT(0, pipe(pipes));
    fflush(stderr);
    dup2(pipes[1], 2);
    log_stderr(&least, LOG_INFO, "hidden");
    log_stderr(&least, LOG_WARN, "shown");
    fflush(stderr);
    dup2(keep, 2);
    close(keep);
    close(pipes[1]);
    CHECK(read(pipes[0], out, sizeof out - 1) > 0);
    close(pipes[0]);
    CHECK(strncmp(out, "time=20", 7) == 0);
    CHECK(strstr(out, "Z level=warn msg=\"shown\"\n") != NULL);
    CHECK(strstr(out, "hidden") == NULL);
}

TEST(levels_have_names)
{
    CHECK_STR("error", log_level_name(LOG_ERROR));
    CHECK_STR("debug", log_level_name(LOG_DEBUG));
}

TEST(a_log_message_below_the_level_is_not_formatted)
{
    enum log_level least = LOG_WARN;

    log_set_sink(NULL, NULL);
    CHECK(!log_wanted(LOG_ERROR));
    log_set_sink(log_stderr, &least);
    CHECK(log_wanted(LOG_WARN));
    CHECK(!log_wanted(LOG_INFO));
    log_set_sink(log_stderr, NULL);
    CHECK(log_wanted(LOG_DEBUG));
    log_set_sink(NULL, NULL);
}
