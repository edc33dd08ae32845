/* Times for people: printing relative times and durations, parsing what people type. Pure. */
#ifndef CLI_TERM_WHEN_H
#define CLI_TERM_WHEN_H

#include <stdbool.h>
#include <stdint.h>

enum { WHEN_SIZE = 32 };

void when_ago(int64_t ms, int64_t now, char out[WHEN_SIZE]); /* 5 min ago, 2026-03-01; 0: "" */
void when_day(int64_t ms, char out[WHEN_SIZE]);              /* 2026-11-16, in local time */
void when_took(int64_t ms, char out[WHEN_SIZE]);             /* a duration: 350 ms, 2.5 s, 3 min */

/*
 * "30m", "12h", "3d", "2w" ago, "today", "yesterday", 2026-11-16 (local midnight) or
 * 2026-11-16T01:44[:27[.123]][Z] (local without the Z). False when it is none of these.
 */
bool when_parse(const char *text, int64_t now, int64_t *ms);

#endif
