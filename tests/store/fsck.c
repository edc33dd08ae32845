/* fsck: silent about a store with everything in it, and for each rule a row that breaks just that
 * one. */
#include "store/fsck_world.h"

#include <stdio.h>

#include "base/arena.h"
#include "base/str.h"

STORE_TEST(fsck_is_silent_about_a_sound_store)
{
    struct bough_stats stats;

    check_clean(t);
    build_world(t);
    check_clean(t);
    CHECK_OK(bough_store_upkeep(t->store, &t->err));
    check_clean(t);
    user(t, "#1", "one more");
    check_clean(t);
    CHECK_OK(bough_store_stats(t->store, &stats, &t->err));
    CHECK_INT(COPY - 2, stats.sessions);
    CHECK_INT(1, stats.deleted_sessions);
    CHECK_INT(9, stats.branches);
    CHECK_INT(4, stats.calls);
    CHECK(stats.content_bytes > 0 && stats.messages < stats.entries &&
          stats.log_rows > stats.entries);
}
