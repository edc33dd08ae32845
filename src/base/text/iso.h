/* Times as ISO 8601 text in UTC. A time is milliseconds since 1970. */
#ifndef BASE_TEXT_ISO_H
#define BASE_TEXT_ISO_H

#include <stdbool.h>
#include <stdint.h>

enum { ISO_TEXT = 32 };

/* "2026-11-16T01:44:27.123Z"; "" for 0 (no time) and for years outside 0 to 9999. */
void iso_print(int64_t ms, char out[ISO_TEXT]);

/*
 * Parse what iso_print() writes, and variants of it: a space for the T, any number of fraction
 * digits or none, an offset such as +02:00 for the Z, or no zone at all (UTC). Returns 0 for NULL,
 * for any other text, and for a day or an hour that does not exist.
 */
int64_t iso_parse(const char *text);

/* Is there such a day, hour, minute and second? Month and day count from 1; there are no leap
 * seconds. */
bool iso_exists(int year, int month, int day, int hour, int minute, int second);

#endif
