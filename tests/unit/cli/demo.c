/* The demo sessions: they show everything, and are the same every time. */
#include "cli/demo/demo.h"

#include <string.h>

#include "lib/store_test.h"

enum { NOW = 1794830400 };

static struct bough_session *filled(struct test *t, const char *slug)
{
    struct demo_options how = { .now = (int64_t)NOW * 1000, .small = true };
    struct bough_session *s;

    CHECK_OK(demo_fill(t->store, &how, &t->err));
    CHECK_OK(bough_session_get(t->store, t->arena, slug, &s, &t->err));
    return s;
}

STORE_TEST(the_demo_has_branches_forks_subagents_labels_todos_memories_and_money)
{
    struct bough_session *s = filled(t, "stale-prices");
    struct bough_session_list_options all = { .parent = s->id, .include_deleted = true };
    struct bough_sessions found;
    struct bough_branches branches;
    struct bough_labels labels;
    struct bough_todos todos;
    struct bough_memories memories;
    struct bough_entries markers;

    CHECK_OK(bough_session_list(t->store, t->arena, &all, &found, &t->err));
    CHECK_INT(2, found.n); /* a fork and a subagent */
    CHECK_OK(bough_tree_branches(t->store, t->arena, s->id, &branches, &t->err));
    CHECK_INT(4, branches.n);
    CHECK_OK(bough_label_list(t->store, t->arena, s->id, &labels, &t->err));
    CHECK_INT(1, labels.n);
    CHECK_STR("candidate", labels.at[0].text);
    CHECK_OK(bough_todo_get(t->store, t->arena, s->id, &todos, &t->err));
    CHECK_INT(4, todos.n);
    CHECK_OK(
        bough_memory_list(t->store, t->arena, BOUGH_MEMORY_OF_SESSION, s->id, &memories, &t->err));
    CHECK_INT(1, memories.n);
    CHECK_OK(bough_marker_list(t->store, t->arena, s->id, &markers, &t->err));
    CHECK_INT(1, markers.n);
    CHECK(s->own.cost > 0 && s->rolled.cost > s->own.cost);
    /* The last message is as old as the script says. */
    CHECK(s->modified <= (int64_t)NOW * 1000 && s->modified > (int64_t)(NOW - 1800) * 1000);
}

STORE_TEST(the_demo_has_archived_deleted_failed_and_unpriced_sessions_over_six_weeks)
{
    struct bough_session_list_options how = { .include_deleted = true, .limit = 200 };
    struct bough_sessions found;
    int64_t oldest = INT64_MAX;
    int archived = 0, deleted = 0, nested = 0;

    (void)filled(t, "stale-prices");
    CHECK_OK(bough_session_list(t->store, t->arena, &how, &found, &t->err));
    CHECK(found.n >= 55);
    for (size_t i = 0; i < found.n; i++) {
        archived += found.at[i].status == BOUGH_STATUS_ARCHIVED;
        deleted += found.at[i].deleted != 0;
        nested += found.at[i].kind == BOUGH_SUBAGENT;
        if (found.at[i].created < oldest)
            oldest = found.at[i].created;
    }
    CHECK_INT(2, archived);
    CHECK_INT(1, deleted);
    CHECK_INT(4, nested);
    CHECK((int64_t)NOW * 1000 - oldest > (int64_t)40 * 86400000);
}

STORE_TEST(the_demo_is_the_same_every_time)
{
    struct demo_options how = { .now = (int64_t)NOW * 1000, .small = true };
    struct bough_session *s = filled(t, "stale-prices"), *again;
    struct bough_store *other = NULL;
    char first[65], second[65];

    CHECK_OK(bough_store_open(&other, "memory:", NULL, &t->err));
    CHECK_OK(demo_fill(other, &how, &t->err));
    CHECK_OK(bough_session_get(other, t->arena, "stale-prices", &again, &t->err));
    CHECK_OK(bough_path_hash(t->store, s->id, NULL, first, &t->err));
    CHECK_OK(bough_path_hash(other, again->id, NULL, second, &t->err));
    CHECK_STR(first, second);
    CHECK_INT(s->messages, again->messages);
    CHECK_INT(s->rolled.cost, again->rolled.cost);
    bough_store_close(&other);
}
