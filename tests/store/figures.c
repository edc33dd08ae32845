/* The figures of a store for monitoring. */
#include <time.h>

#include "lib/store_test.h"
#include "store/engine/engine.h"

STORE_TEST(a_store_says_how_it_is_doing)
{
    const char *s = new_session(t, "");
    struct bough_store_info_result before, info;
    struct snap snap;

    CHECK_OK(bough_store_info(t->store, t->arena, &before, &t->err));
    for (int i = 0; i < 5; i++)
        user(t, s, "hello");
    CHECK_OK(bough_store_info(t->store, t->arena, &info, &t->err));
    CHECK(info.batches >= before.batches + 5);
    CHECK(info.batched >= before.batched + 5);
    CHECK(info.commit_us >= before.commit_us);
    if (!store_lasts(t))
        return;
    CHECK(info.log_bytes > 0 || !store_has_file(t));
    CHECK_OK(snap_begin(t->store, &snap, &t->err));
    nanosleep(&(struct timespec){ 0, 20000000 }, NULL);
    CHECK_OK(bough_store_info(t->store, t->arena, &info, &t->err));
    CHECK(info.oldest_read_ms >= 20);
    snap_end(&snap);
    for (struct wait w = { 0 }; info.oldest_read_ms >= 20;) { /* the store's own thread may read */
        CHECK(wait_more(&w));
        CHECK_OK(bough_store_info(t->store, t->arena, &info, &t->err));
    }
}
