/* Imports keep time: a session was last updated when its conversation last moved, not when it was
 * imported. */
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "corpus.h"

#define MINUTE INT64_C(60000)
#define DAY (1440 * MINUTE)
#define BEGUN INT64_C(1700000000000) /* 2023-11-14T22:13:20Z */

/* A pi file of 60 days ago: a session with a message every minute. `rest`: more lines. */
static const char *pi_file(struct test *t, const char *name, int messages, const char *rest)
{
    const char *text = "{\"type\":\"session\",\"version\":3,\"id\":\"old-talk\",\"timestamp\":"
                       "\"2023-11-14T22:13:20.000Z\",\"cwd\":\"/srv/old\"}\n";

    if (t->env.now < BEGUN + 60 * DAY)
        t->env.now = BEGUN + 60 * DAY;
    for (int i = 1; i <= messages; i++)
        text = arena_printf(t->arena,
                            "%s{\"type\":\"message\",\"id\":\"m%d\",\"parentId\":%s,\"timestamp\":"
                            "\"2023-11-14T22:%02d:20.000Z\",\"message\":{\"role\":\"user\","
                            "\"content\":\"number %d\"}}\n",
                            text, i, i > 1 ? arena_printf(t->arena, "\"m%d\"", i - 1) : "null",
                            13 + i, i);
    text = arena_printf(t->arena, "%s%s", text, rest);
    return file_make(t, name, text, strlen(text));
}

static size_t updated_since(struct test *t, int64_t from)
{
    struct bough_session_list_options how = { .updated_from = from,
                                              .order = BOUGH_BY_UPDATED,
                                              .kinds = BOUGH_KINDS_ALL };
    struct bough_sessions list;

    CHECK_OK(bough_session_list(t->store, t->arena, &how, &list, &t->err));
    return list.n;
}

STORE_TEST(an_imported_session_was_updated_when_its_conversation_last_moved)
{
    import_file(t, pi_file(t, "old.jsonl", 3, ""));
    CHECK_INT(BEGUN + 3 * MINUTE, get(t, "old-talk")->updated);
    CHECK_INT(BEGUN + 3 * MINUTE, get(t, "old-talk")->modified);
    CHECK_INT(1, updated_since(t, BEGUN + 3 * MINUTE));
    CHECK_INT(0, updated_since(t, BEGUN + 3 * MINUTE + 1));
    CHECK_OK(bough_store_upkeep(t->store, &t->err)); /* folded */
    CHECK_INT(0, updated_since(t, BEGUN + 3 * MINUTE + 1));
    import_file(t, pi_file(t, "old.jsonl", 5, ""));
    CHECK_INT(BEGUN + 5 * MINUTE, get(t, "old-talk")->updated);
}

STORE_TEST(titles_labels_heads_todos_and_archiving_of_an_import_do_not_make_a_session_new)
{
    const char *text =
        "{\"bough\":1,\"type\":\"session\",\"id\":\"s\",\"slug\":\"s\",\"title\":\"T\","
        "\"created\":1700000000000,\"archived\":true}\n"
        "{\"type\":\"entry\",\"id\":\"a\",\"role\":\"user\",\"time\":1700000060000,"
        "\"parts\":[{\"type\":\"text\",\"text\":\"one\"}]}\n"
        "{\"type\":\"entry\",\"id\":\"b\",\"parent\":\"a\",\"role\":\"user\","
        "\"time\":1700000120000,\"parts\":[{\"type\":\"text\",\"text\":\"two\"}]}\n"
        "{\"type\":\"label\",\"entry\":\"a\",\"text\":\"start\",\"time\":1700000060000}\n"
        "{\"type\":\"memory\",\"content\":\"m\",\"created\":1700000060000}\n"
        "{\"type\":\"todos\",\"items\":[{\"content\":\"x\",\"status\":\"pending\"}]}\n"
        "{\"type\":\"head\",\"id\":\"a\"}\n";

    t->env.now = BEGUN + 60 * DAY;
    import_file(t, file_make(t, "s.jsonl", text, strlen(text)));
    CHECK_INT(1, get(t, "s")->head.depth);
    CHECK_INT(BOUGH_STATUS_ARCHIVED, get(t, "s")->status);
    CHECK_INT(BEGUN + 2 * MINUTE, get(t, "s")->updated);
}

STORE_TEST(an_import_of_older_messages_does_not_undo_a_later_change_made_here)
{
    int64_t renamed;

    import_file(t, pi_file(t, "old.jsonl", 2, ""));
    CHECK_OK(bough_session_rename(t->store, "old-talk", "Mine", &t->err));
    renamed = get(t, "old-talk")->updated;
    CHECK(renamed >= BEGUN + 60 * DAY);
    import_file(t, pi_file(t, "old.jsonl", 3, ""));
    CHECK_INT(3, get(t, "old-talk")->messages);
    CHECK_INT(renamed, get(t, "old-talk")->updated);
}

STORE_TEST(a_time_in_the_future_does_not_make_a_session_newer_than_its_import)
{
    import_file(t, pi_file(t, "future.jsonl", 1,
                           "{\"type\":\"message\",\"id\":\"f\",\"parentId\":\"m1\",\"timestamp\":"
                           "\"2999-01-01T00:00:00.000Z\",\"message\":{\"role\":\"user\","
                           "\"content\":\"later\"}}\n"));
    CHECK(get(t, "old-talk")->updated >= BEGUN + 60 * DAY);
    CHECK_INT(0, updated_since(t, INT64_C(32472144000000)));
}

STORE_TEST(a_message_without_a_time_has_that_of_the_conversation_so_far_not_of_the_import)
{
    struct bough_entry *e;

    import_file(t, pi_file(t, "undated.jsonl", 2,
                           "{\"type\":\"message\",\"id\":\"u\",\"parentId\":\"m2\",\"message\":"
                           "{\"role\":\"user\",\"content\":\"when?\"}}\n"));
    CHECK_OK(bough_entry_get(t->store, t->arena, "old-talk", "u", &e, &t->err));
    CHECK_INT(BEGUN + 2 * MINUTE, e->time);
    CHECK_INT(BEGUN + 2 * MINUTE, get(t, "old-talk")->modified);
}
