/* Handles of imports: their changes have the time at which the conversation moved. */
#include "store/engine/engine.h"
#include "store/write/import_api.h"

struct bough_store *import_handle(struct bough_store *s)
{
    return bough_store_scoped(
        s, &(struct bough_store_scoped_options){
               .principal = s->principal, .deadline_ms = s->deadline_ms, .cancel = s->cancel });
}

void import_moved(struct bough_store *handle, int64_t time)
{
    handle->moved = time;
}

void import_counts(struct bough_store *handle, bool counts)
{
    handle->uncounted = !counts;
}
