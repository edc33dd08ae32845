/* Files: modes, all-or-nothing writes, limits, trees. */
#include "lib/test.h"

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os/fs.h"
#include "base/text/str.h"

static unsigned mode_of(const char *path)
{
    struct stat st;

    CHECK_INT(0, stat(path, &st));
    return st.st_mode & 07777;
}

static int files_in(const char *dir)
{
    DIR *d = opendir(dir);
    int n = 0;

    CHECK(d != NULL);
    while (readdir(d))
        n++;
    closedir(d);
    return n - 2;
}

TEST(values_written_are_read_back)
{
    struct bough_str got, data = str_make("a\0b\n", 4);
    char *path = test_path(t, "x");

    CHECK_OK(fs_write_new(path, data, 0600, &t->err));
    CHECK_OK(fs_read(t->arena, path, 4, &got, &t->err));
    CHECK(str_eq(data, got));
    CHECK_INT(0, got.p[got.n]);
    CHECK_INT(4, fs_size(path));
    CHECK(fs_exists(path));
    CHECK_INT(1, files_in(t->dir));
}

TEST(an_existing_file_is_never_overwritten_by_write_new)
{
    char *path = test_path(t, "x");
    struct bough_str got;

    CHECK_OK(fs_write_new(path, str_of("old"), 0600, &t->err));
    CHECK_RC(BOUGH_EXISTS, fs_write_new(path, str_of("new"), 0600, &t->err));
    CHECK_OK(fs_read(t->arena, path, 100, &got, &t->err));
    CHECK_SPAN("old", got);
    CHECK_INT(1, files_in(t->dir));
    CHECK_OK(fs_write(path, str_of("newer"), 0600, &t->err));
    CHECK_OK(fs_read(t->arena, path, 100, &got, &t->err));
    CHECK_SPAN("newer", got);
    CHECK_INT(1, files_in(t->dir));
}

TEST(files_and_directories_get_the_mode_asked_for)
{
    mode_t old = umask(077);

    CHECK_OK(fs_write_new(test_path(t, "a"), str_of(""), 0644, &t->err));
    CHECK_OK(fs_write_new(test_path(t, "b"), str_of(""), 0600, &t->err));
    CHECK_OK(fs_mkdirs(test_path(t, "d/e"), 0700, &t->err));
    umask(old);
    CHECK_INT(0644, mode_of(test_path(t, "a")));
    CHECK_INT(0600, mode_of(test_path(t, "b")));
    CHECK_INT(0700, mode_of(test_path(t, "d")));
    CHECK_INT(0700, mode_of(test_path(t, "d/e")));
    CHECK_INT(0700, mode_of(t->dir));
}

TEST(reading_stops_at_the_maximum)
{
    char *path = test_path(t, "x");
    struct bough_str got;

    CHECK_OK(fs_write_new(path, str_of("12345"), 0600, &t->err));
    CHECK_OK(fs_read(t->arena, path, 5, &got, &t->err));
    CHECK_RC(BOUGH_TOO_LARGE, fs_read(t->arena, path, 4, &got, &t->err));
    CHECK_RC(BOUGH_TOO_LARGE, fs_read(t->arena, "/dev/zero", 100000, &got, &t->err));
}

TEST(an_empty_file_and_one_without_a_size_can_be_read)
{
    struct bough_str got;

    CHECK_OK(fs_write_new(test_path(t, "x"), str_of(""), 0600, &t->err));
    CHECK_OK(fs_read(t->arena, test_path(t, "x"), 0, &got, &t->err));
    CHECK_INT(0, got.n);
    CHECK_OK(fs_read(t->arena, "/proc/self/status", 1 << 20, &got, &t->err));
    CHECK(got.n > 100);
}

TEST(a_missing_member_is_not_found)
{
    struct bough_str got;

    CHECK_RC(BOUGH_NOT_FOUND, fs_read(t->arena, test_path(t, "none"), 9, &got, &t->err));
    CHECK(strstr(t->err.msg, "none") != NULL);
    CHECK_RC(BOUGH_NOT_FOUND, fs_write_new(test_path(t, "no/x"), str_of(""), 0600, &t->err));
    CHECK_RC(BOUGH_INVALID, fs_read(t->arena, t->dir, 9, &got, &t->err));
    CHECK(!fs_exists(test_path(t, "none")));
    CHECK_INT(-1, fs_size(test_path(t, "none")));
    CHECK_INT(-1, fs_size(t->dir));
}

TEST(directories_are_made_with_their_parents_and_may_exist)
{
    CHECK_OK(fs_mkdirs(test_path(t, "a/b//c/"), 0755, &t->err));
    CHECK_OK(fs_mkdirs(test_path(t, "a/b/c"), 0755, &t->err));
    CHECK(fs_exists(test_path(t, "a/b/c")));
    CHECK_OK(fs_write_new(test_path(t, "f"), str_of(""), 0600, &t->err));
    CHECK_RC(BOUGH_EXISTS, fs_mkdirs(test_path(t, "f"), 0755, &t->err));
    CHECK_RC(BOUGH_NOT_FOUND, fs_mkdirs(test_path(t, "f/g"), 0755, &t->err));
    CHECK_RC(BOUGH_INVALID, fs_mkdirs("", 0755, &t->err));
}

TEST(removing_a_tree_takes_everything_but_follows_no_link)
{
    char *top = test_path(t, "top"), *outside = test_path(t, "outside");

    CHECK_OK(fs_mkdirs(test_path(t, "top/a/b/c"), 0700, &t->err));
    CHECK_OK(fs_mkdirs(test_path(t, "top/d"), 0700, &t->err));
    CHECK_OK(fs_write_new(test_path(t, "top/a/b/f"), str_of("x"), 0600, &t->err));
    CHECK_OK(fs_write_new(test_path(t, "top/a/f"), str_of("x"), 0600, &t->err));
    CHECK_OK(fs_mkdirs(outside, 0700, &t->err));
    CHECK_OK(fs_write_new(test_path(t, "outside/kept"), str_of("x"), 0600, &t->err));
    CHECK_INT(0, symlink(outside, test_path(t, "top/a/link")));
    CHECK(fs_remove_tree(top));
    CHECK(!fs_exists(top));
    CHECK(fs_exists(test_path(t, "outside/kept")));
    CHECK(fs_remove_tree(test_path(t, "outside/kept")));
    CHECK(!fs_exists(test_path(t, "outside/kept")));
    CHECK(fs_remove_tree(test_path(t, "never-was")));
    CHECK(!fs_remove_tree(""));
}

TEST(paths_join_with_one_slash)
{
    CHECK_STR("a/b", fs_join(t->arena, "a", "b"));
    CHECK_STR("a/b", fs_join(t->arena, "a//", "b"));
    CHECK_STR("/b", fs_join(t->arena, "/", "b"));
    CHECK_STR("b", fs_join(t->arena, "", "b"));
    CHECK_STR("/b", fs_join(t->arena, "a", "/b"));
}

TEST(temporary_directories_are_new_and_private)
{
    char *a = fs_temp_dir(t->arena, "bough-x"), *b = fs_temp_dir(t->arena, "bough-x");

    CHECK(a && b && strcmp(a, b) != 0);
    CHECK_INT(0700, mode_of(a));
    CHECK(fs_remove_tree(a) && fs_remove_tree(b));
}

TEST(local_file_systems_are_not_network)
{
    CHECK(!fs_network("/proc"));
    CHECK(!fs_network("/proc/no-such-thing"));
    CHECK(!fs_network("/no/such/place"));
}

TEST(system_errors_map_to_our_codes)
{
    CHECK_INT(BOUGH_DENIED, fs_rc(EACCES));
    CHECK_INT(BOUGH_READ_ONLY, fs_rc(EROFS));
    CHECK_INT(BOUGH_FULL, fs_rc(ENOSPC));
    CHECK_INT(BOUGH_NOT_FOUND, fs_rc(ENOENT));
    CHECK_INT(BOUGH_EXISTS, fs_rc(EEXIST));
    CHECK_INT(BOUGH_IO, fs_rc(EIO));
}

TEST(a_nameless_file_is_nowhere_to_be_found)
{
    char back[6] = "";
    struct stat st;
    int fd = fs_nameless();

    CHECK(fd >= 0);
    CHECK(write(fd, "hello", 5) == 5);
    CHECK(pread(fd, back, 5, 0) == 5);
    CHECK_STR("hello", back);
    CHECK(fstat(fd, &st) == 0 && st.st_nlink == 0);
    CHECK(close(fd) == 0);
}

TEST(a_pipe_is_not_read_as_a_file)
{
    const char *path = test_path(t, "pipe");
    struct bough_str text;

    CHECK_INT(0, mkfifo(path, 0600));
    CHECK_RC(BOUGH_INVALID, fs_read(t->arena, path, 100, &text, &t->err));
}
