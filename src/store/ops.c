/* What most operations begin and end with. */
#include <stdlib.h>

#include "store/find.h"
#include "store/path.h"
#include "store/session.h"

enum bough_rc snap_session(struct bough_store *s, const char *session, struct snap *snap,
                           int64_t *sid, struct bough_error *err)
{
    enum bough_rc rc = snap_begin(s, snap, err);

    if (!rc)
        rc = find_session(snap, session, sid, err);
    if (rc)
        snap_end(snap);
    return rc;
}

enum bough_rc write_once(struct bough_store *s, struct request *r, struct bough_error *err)
{
    struct bough_arena *tmp = bough_arena_create();
    enum bough_rc rc = write_run(s, tmp, r, err);

    bough_arena_destroy(tmp);
    return rc;
}

static int by_no(const void *x, const void *y)
{
    const struct bough_entry *a = x, *b = y;

    return a->no < b->no ? -1 : a->no > b->no;
}

void entries_in_time(struct entry_list *list)
{
    if (list->n)
        qsort(list->at, list->n, sizeof *list->at, by_no);
}
