/* Times as ISO 8601 in UTC. */
#include "base/iso.h"

#include <stdio.h>
#include <time.h>

#define LAST INT64_C(253402300799999) /* the end of the year 9999 */

void iso_print(int64_t ms, char out[ISO_TEXT])
{
    int64_t rest = (ms % 1000 + 1000) % 1000;
    time_t s = (time_t)((ms - rest) / 1000);
    struct tm tm;
    size_t n;

    out[0] = '\0';
    if (!ms || ms > LAST || ms < -LAST || !gmtime_r(&s, &tm))
        return;
    n = strftime(out, ISO_TEXT, "%Y-%m-%dT%H:%M:%S", &tm);
    snprintf(out + n, ISO_TEXT - n, ".%03dZ", (int)rest);
}
