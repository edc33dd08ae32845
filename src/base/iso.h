/* Times as ISO 8601 in UTC. */
#ifndef BASE_ISO_H
#define BASE_ISO_H

#include <stdint.h>

enum { ISO_TEXT = 32 };

/* 2026-11-16T01:44:27.123Z; "" for 0 and for years that have not four digits. */
void iso_print(int64_t ms, char out[ISO_TEXT]);

/* The same back, and its relatives: a blank for the T, any fraction, an offset for the Z. 0 when it
 * is none. */
int64_t iso_parse(const char *text);

#endif
