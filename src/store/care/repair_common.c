/* Repair, shared by all of its files: the report, the rows to write, locations of findings. */
#include "store/care/repair.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/mem.h"

void repair_report(struct repair *r, const char *code, const char *where, const char *fmt, ...)
{
    struct bough_finding what = { .code = code };
    va_list ap;

    snprintf(what.where, sizeof what.where, "%s", where);
    va_start(ap, fmt);
    vsnprintf(what.text, sizeof what.text, fmt, ap);
    va_end(ap);
    r->report->fixed++;
    r->done++;
    if (r->did)
        r->did(r->user, &what);
}

void repair_write(struct repair *r, const struct raw_row *row, bool remove)
{
    r->rows = mem_room(r->rows, r->nrows, sizeof *r->rows);
    r->rows[r->nrows++] = (struct repair_row){ *row, remove };
}

int repair_numbers(const char *where, const char *word, int64_t out[3])
{
    size_t n = strlen(word);
    char *end;
    int k = 0;

    if (strncmp(where, word, n) != 0)
        return 0;
    for (const char *p = where + n; k < 3 && *p >= '0' && *p <= '9'; p = end + (*end == '.')) {
        out[k++] = strtoll(p, &end, 10);
        if (*end != '.' && *end)
            return 0;
    }
    return k;
}
