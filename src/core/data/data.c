/* Rows and words of embedded tables. */
#include "core/data/data.h"

#include <string.h>

#include "base/text/str.h"

bool data_next(struct data_row *row)
{
    while (*row->next) {
        size_t n = strcspn(row->next, "\n");
        struct bough_str line = str_make(row->next, n);

        row->next += n + (row->next[n] == '\n');
        while (line.n && strchr(" \t\r", line.p[line.n - 1]))
            line.n--;
        if (!line.n || *line.p == '#')
            continue;
        row->line = line;
        return true;
    }
    return false;
}

struct bough_str data_word(struct bough_str *line)
{
    size_t blank = 0, n = 0;
    struct bough_str word;

    while (blank < line->n && strchr(" \t", line->p[blank]))
        blank++;
    while (blank + n < line->n && !strchr(" \t", line->p[blank + n]))
        n++;
    word = str_make(line->p + blank, n);
    while (blank + n < line->n && strchr(" \t", line->p[blank + n]))
        n++;
    *line = str_make(line->p + blank + n, line->n - blank - n);
    return word;
}
