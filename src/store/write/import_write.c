/* Writing for imports: handles whose changes have the time at which the conversation moved, and
 * entries that are packed ahead. */
#include "base/memory/arena.h"
#include "store/engine/engine.h"
#include "store/write/append.h"
#include "store/write/import_api.h"

struct bough_store *import_handle(struct bough_store *s)
{
    struct bough_store *handle = bough_store_scoped(
        s, &(struct bough_store_scoped_options){
               .principal = s->principal, .deadline_ms = s->deadline_ms, .cancel = s->cancel });

    handle->import = true;
    import_hold(handle);
    return handle;
}

void import_handle_close(struct bough_store **handle)
{
    if (*handle)
        import_go_on(*handle);
    bough_store_close(handle);
}

void import_hold(struct bough_store *s)
{
    pthread_mutex_lock(&s->e->lock);
    s->e->fulltext.held++;
    pthread_mutex_unlock(&s->e->lock);
}

void import_go_on(struct bough_store *s)
{
    pthread_mutex_lock(&s->e->lock);
    s->e->fulltext.held--;
    if (!s->e->fulltext.held)
        pthread_cond_signal(&s->e->background.wake);
    pthread_mutex_unlock(&s->e->lock);
}

void import_moved(struct bough_store *handle, int64_t time)
{
    handle->moved = time;
}

void import_counts(struct bough_store *handle, bool counts)
{
    handle->uncounted = !counts;
}

const struct packed_entry *import_pack(const struct bough_store *s, struct bough_arena *a,
                                       const struct bough_entry_new *in)
{
    struct packed_entry *p = arena_alloc(a, sizeof *p);

    return plan_pack_ahead(s, a, in, p) ? p : NULL;
}

const struct packed_entry *import_pack_keep(struct bough_arena *a, const struct packed_entry *p)
{
    struct packed_entry *copy = arena_dup(a, p, sizeof *p);

    copy->tail.bytes = arena_str(a, p->tail.bytes);
    return copy;
}

enum bough_rc import_append(struct bough_store *s, struct bough_arena *a, const char *session,
                            const struct bough_append_options *in,
                            const struct packed_entry *const *packed,
                            struct bough_append_result *out, struct bough_error *err)
{
    const struct append_how how = { .heed_lease = true, .plan.packed = packed };

    return append_all(s, a, session, in, &how, out, err);
}
