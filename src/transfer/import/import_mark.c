/* The state kept of an imported file, so that the next import can continue where it ended:
 * "<sum> <ends> <byte> <lines> <first> <line> <again> <line> <state>".
 *   sum    checksum of the whole file; "-": not all of it was read
 *   ends   checksum of the first bytes and of those right before `byte`
 *   byte   where the next import continues, after `lines` lines
 *   first, again   lines that must be read once more for that
 *   state  what else the format needs
 * Only a sum: the whole file must be read again. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "transfer/import/import.h"

enum { ENDS = 4096, ENDS_HEX = 16 };

bool mark_has_sum(const char *mark, const char *sum)
{
    return strlen(sum) == 64 && strncmp(sum, mark, 64) == 0;
}

/* Detects another file of the same name, and a file that was truncated and grew again. */
static bool ends_sum(struct import *im, int64_t byte, char out[ENDS_HEX + 1])
{
    size_t n = byte < ENDS ? (size_t)byte : ENDS;
    unsigned char sum[SHA256_LEN];
    char bytes[2 * ENDS], hex[65];

    if (im->fd < 0 || im->gathered || byte <= 0 || pread(im->fd, bytes, n, 0) != (ssize_t)n ||
        pread(im->fd, bytes + n, n, byte - (int64_t)n) != (ssize_t)n)
        return false;
    sha256(bytes, 2 * n, sum);
    sha256_hex(sum, hex);
    memcpy(out, hex, ENDS_HEX);
    out[ENDS_HEX] = '\0';
    return true;
}

bool mark_read(struct import *im, struct mark *out)
{
    char sum[65], was[ENDS_HEX + 1], ends[ENDS_HEX + 1];
    const char *mark = im->source ? im->source->hash : "";
    int at = 0;

    *out = (struct mark){ 0 };
    if (sscanf(mark,
               "%64s %16s %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64
               " %n",
               sum, was, &out->byte, &out->lines, &out->first.byte, &out->first.line,
               &out->again.byte, &out->again.line, &at) != 8 ||
        !at)
        return false;
    out->state = mark + at;
    return out->byte <= im->size && ends_sum(im, out->byte, ends) && strcmp(ends, was) == 0;
}

void mark_make(struct import *im)
{
    const struct resume *to = &im->resume;
    const struct reading *r = &im->reading;
    char ends[ENDS_HEX + 1];
    int n = (int)sizeof im->mark;

    if (to->can && !to->state.over && ends_sum(im, to->byte, ends))
        n = snprintf(im->mark, sizeof im->mark,
                     "%s %s %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64
                     " %s",
                     *im->after ? im->after : "-", ends, to->byte, to->lines, r->first.byte,
                     r->first.line, r->again.byte, r->again.line, to->state.p);
    if (n >= (int)sizeof im->mark)
        snprintf(im->mark, sizeof im->mark, "%s", im->after);
}
