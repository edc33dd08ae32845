/* Watching for changed files: all session files of a directory, or one named file. */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "cli/sources/tools.h"
#include "lib/test.h"

static const char *touch(struct test *t, const char *name)
{
    const char *path = test_path(t, name);
    FILE *f = fopen(path, "ab");

    CHECK(f && fputs("x", f) >= 0);
    CHECK(fclose(f) == 0);
    return path;
}

/* The names of the files reported as changed, separated by spaces. */
static const char *heard(struct test *t, struct watch *w)
{
    const char *out = "";
    struct tool_files files;

    watch_next(w, t->arena, 300, &files);
    for (size_t i = 0; i < files.n; i++)
        out = arena_printf(t->arena, "%s%s%s", out, *out ? " " : "", strrchr(files.at[i], '/') + 1);
    return out;
}

TEST(of_a_directory_every_session_file_is_heard_once)
{
    struct watch *w = watch_open();

    touch(t, "old.jsonl");
    CHECK(w && watch_add(w, test_path(t, ".")));
    CHECK_STR("", heard(t, w));
    touch(t, "old.jsonl");
    touch(t, "old.jsonl");
    touch(t, "new.json");
    touch(t, "notes.txt");
    touch(t, "tool.db");
    touch(t, "tool.db-wal");
    CHECK_STR("new.json old.jsonl tool.db", heard(t, w));
    CHECK(mkdir(test_path(t, "below"), 0700) == 0);
    touch(t, "below/first.jsonl"); /* before the new directory is watched */
    CHECK_STR("first.jsonl", heard(t, w));
    touch(t, "below/second.jsonl");
    CHECK_STR("second.jsonl", heard(t, w));
    watch_close(w);
}

TEST(a_named_file_is_heard_of_when_it_is_replaced_and_through_its_log)
{
    const char *file = touch(t, "one.jsonl"), *db = touch(t, "tool.sqlite");
    struct watch *w = watch_open();

    CHECK(w && watch_add(w, file) && watch_add(w, db));
    touch(t, "other.jsonl");
    CHECK_STR("", heard(t, w));
    touch(t, "one.jsonl");
    CHECK_STR("one.jsonl", heard(t, w));
    CHECK(rename(touch(t, "next"), file) == 0); /* another file under the same name */
    CHECK_STR("one.jsonl", heard(t, w));
    touch(t, "one.jsonl");
    CHECK_STR("one.jsonl", heard(t, w));
    touch(t, "tool.sqlite-wal");
    CHECK_STR("tool.sqlite", heard(t, w));
    CHECK(mkdir(test_path(t, "below"), 0700) == 0);
    touch(t, "below/x.jsonl");
    CHECK_STR("", heard(t, w));
    watch_close(w);
}

TEST(a_message_in_opencodes_storage_is_a_change_of_its_session)
{
    static const char *const dirs[] = {
        "storage",           "storage/session",       "storage/session/p",
        "storage/message",   "storage/message/ses_1", "storage/part",
        "storage/part/msg_1"
    };
    struct watch *w = watch_open();

    for (size_t i = 0; i < sizeof dirs / sizeof *dirs; i++)
        CHECK(mkdir(test_path(t, dirs[i]), 0700) == 0);
    touch(t, "storage/session/p/ses_1.json");
    CHECK(w && watch_add(w, test_path(t, "storage")));
    touch(t, "storage/message/ses_1/msg_1.json");
    CHECK_STR("ses_1.json", heard(t, w));
    touch(t, "storage/part/msg_1/prt_1.json");
    CHECK_STR("ses_1.json", heard(t, w));
    touch(t, "storage/part/msg_1/prt_2.json");
    touch(t, "storage/message/ses_1/msg_1.json");
    CHECK_STR("ses_1.json", heard(t, w));
    watch_close(w);
}
