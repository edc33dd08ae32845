/* The built-in tools for files. */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "tools/world.h"

TEST(a_file_is_written_read_and_edited)
{
    struct tools_world w;

    world_open(t, &w, "files");
    CHECK_HAS(
        world_good(t, &w, "files_write", "{\"path\":\"a/b/c.txt\",\"content\":\"1\\n2\\n3\\n\"}"),
        "Created a/b/c.txt");
    CHECK_STR("1\n2\n3\n", get_file(t, "work/a/b/c.txt"));
    CHECK_STR("@@ -0,0 +1,3 @@\n+1\n+2\n+3\n", world_detail(t, &w, "diff"));
    CHECK_STR("1\n2\n3\n", world_good(t, &w, "files_read", "{\"path\":\"a/b/c.txt\"}"));
    CHECK_HAS(world_good(t, &w, "files_edit",
                         "{\"path\":\"a/b/c.txt\",\"old_text\":\"2\",\"new_text\":\"zwei\"}"),
              "Changed a/b/c.txt");
    CHECK_STR("1\nzwei\n3\n", get_file(t, "work/a/b/c.txt"));
    CHECK_STR("@@ -1,3 +1,3 @@\n 1\n-2\n+zwei\n 3\n", world_detail(t, &w, "diff"));
    world_close(&w);
}

TEST(some_lines_of_a_file_are_read_and_the_rest_is_named)
{
    struct tools_world w;

    world_open(t, &w, "files");
    put_file(t, "work/x", "one\ntwo\nthree\nfour");
    CHECK_STR("two\nthree\n\n[lines 2 to 3 of 4; read on with offset 4]",
              world_good(t, &w, "files_read", "{\"path\":\"x\",\"offset\":2,\"limit\":2}"));
    CHECK_STR("four", world_good(t, &w, "files_read", "{\"path\":\"x\",\"offset\":4}"));
    CHECK_HAS(world_bad(t, &w, "files_read", "{\"path\":\"x\",\"offset\":5}"), "only 4 lines");
    world_close(&w);
}

TEST(an_edit_needs_a_text_that_occurs_once)
{
    struct tools_world w;

    world_open(t, &w, "files");
    put_file(t, "work/x", "a b a\n");
    CHECK_HAS(
        world_bad(t, &w, "files_edit", "{\"path\":\"x\",\"old_text\":\"a\",\"new_text\":\"c\"}"),
        "occurs 2 times");
    CHECK_HAS(
        world_bad(t, &w, "files_edit", "{\"path\":\"x\",\"old_text\":\"z\",\"new_text\":\"c\"}"),
        "is not in x");
    CHECK_HAS(
        world_bad(t, &w, "files_edit", "{\"path\":\"x\",\"old_text\":\"\",\"new_text\":\"c\"}"),
        "empty");
    CHECK_HAS(
        world_bad(t, &w, "files_edit", "{\"path\":\"x\",\"old_text\":\"b\",\"new_text\":\"b\"}"),
        "the same");
    CHECK_STR("a b a\n", get_file(t, "work/x"));
    world_good(t, &w, "files_edit",
               "{\"path\":\"x\",\"old_text\":\"a\",\"new_text\":\"cc\",\"replace_all\":true}");
    CHECK_STR("cc b cc\n", get_file(t, "work/x"));
    world_close(&w);
}

TEST(a_rewritten_file_keeps_its_mode)
{
    struct tools_world w;
    struct stat st;

    world_open(t, &w, "files");
    put_file(t, "work/run.sh", "old\n");
    CHECK_INT(0, chmod(test_path(t, "work/run.sh"), 0750));
    world_good(t, &w, "files_write", "{\"path\":\"run.sh\",\"content\":\"new\\n\"}");
    CHECK_INT(0, stat(test_path(t, "work/run.sh"), &st));
    CHECK_INT(0750, st.st_mode & 0777);
    CHECK_STR("run.sh  4 bytes\n", world_good(t, &w, "files_list", "{}"));
    world_close(&w);
}

TEST(files_are_listed_by_name_and_searched_by_line)
{
    struct tools_world w;

    world_open(t, &w, "files");
    world_good(t, &w, "files_write",
               "{\"path\":\"src/b.c\",\"content\":\"int Main;\\nint x;\\n\"}");
    world_good(t, &w, "files_write", "{\"path\":\"a.txt\",\"content\":\"main\\n\"}");
    CHECK_INT(0, mkdir(test_path(t, "work/.git"), 0755));
    put_file(t, "work/.git/main", "main\n");
    put_file(t, "work/binary", "main\xff\n");
    CHECK_STR(".git/\na.txt  5 bytes\nbinary  6 bytes\nsrc/\n",
              world_good(t, &w, "files_list", "{}"));
    CHECK_STR(".git/\na.txt  5 bytes\nbinary  6 bytes\nsrc/\nsrc/b.c  17 bytes\n",
              world_good(t, &w, "files_list", "{\"depth\":3}"));
    CHECK_STR("a.txt:1: main\nsrc/b.c:1: int Main;\n",
              world_good(t, &w, "files_search", "{\"pattern\":\"ma[i]n\"}"));
    CHECK_STR("src/b.c:1: int Main;\n",
              world_good(t, &w, "files_search", "{\"pattern\":\"main\",\"names\":\"*.c\"}"));
    CHECK_STR("a.txt:1: main\n[there may be more: search a folder further down]",
              world_good(t, &w, "files_search", "{\"pattern\":\"main\",\"limit\":1}"));
    CHECK_STR("(nothing found)", world_good(t, &w, "files_search", "{\"pattern\":\"zzz\"}"));
    CHECK_HAS(world_bad(t, &w, "files_search", "{\"pattern\":\"(\"}"), "pattern: ");
    world_close(&w);
}

TEST(only_text_files_are_read)
{
    struct tools_world w;

    world_open(t, &w, "files");
    put_file(t, "work/binary", "\x80\x81");
    CHECK_HAS(world_bad(t, &w, "files_read", "{\"path\":\"binary\"}"), "not a text file");
    CHECK_HAS(world_bad(t, &w, "files_read", "{\"path\":\"none\"}"), "there is no none");
    CHECK_HAS(world_bad(t, &w, "files_read", "{\"path\":\".\"}"), "not a regular file");
    CHECK_HAS(world_bad(t, &w, "files_write", "{\"path\":\".\",\"content\":\"\"}"), "a folder");
    CHECK_INT(0, mkfifo(test_path(t, "work/pipe"), 0644));
    CHECK_HAS(world_bad(t, &w, "files_read", "{\"path\":\"pipe\"}"), "not a regular file");
    CHECK_HAS(world_bad(t, &w, "files_write", "{\"path\":\"pipe\",\"content\":\"\"}"),
              "not a regular file");
    world_close(&w);
}

TEST(wrong_arguments_are_results_that_say_what_to_change)
{
    struct tools_world w;

    world_open(t, &w, "files");
    CHECK_HAS(world_bad(t, &w, "files_read", "{\"path\":"), "not JSON");
    CHECK_HAS(world_bad(t, &w, "files_read", "[]"), "not a JSON object");
    CHECK_STR("argument \"path\" is needed", world_bad(t, &w, "files_read", ""));
    CHECK_STR("argument \"path\": expected a string",
              world_bad(t, &w, "files_read", "{\"path\":1}"));
    CHECK_STR("argument \"offset\": expected 1 to 2147483647",
              world_bad(t, &w, "files_read", "{\"path\":\"x\",\"offset\":0}"));
    CHECK_STR("there is no argument \"pth\"; did you mean \"path\"?",
              world_bad(t, &w, "files_read", "{\"pth\":\"x\"}"));
    world_close(&w);
}
