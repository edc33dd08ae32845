/* Seen rows of a key, the newest first, in pages. */
#include "store/postgres/read/page.h"
#include "store/postgres/read/read.h"

enum bough_rc postgres_seen_find(struct snapshot *v, const unsigned char key[SEEN_KEY_BYTES],
                                 seen_fn fn, void *user, struct bough_error *err)
{
    struct seen_row row;
    struct page p;

    page_begin(&p, v, SQL_SEEN_FIND);
    args_str(&p.args, (struct bough_str){ (const char *)key, SEEN_KEY_BYTES });
    args_int(&p.args, INT64_MAX);
    while (page_next(&p, err)) {
        pg_row_seen(p.r, p.i, &row);
        args_set(&p.args, 1, row.no);
        if (!fn(user, &row))
            break;
    }
    return page_end(&p, err);
}
