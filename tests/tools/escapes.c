/* No path of the tools for files leads out of the workspace. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "base/os/fs.h"
#include "tools/world.h"

/* All ways to name one path: none may show the secret, none may change it. */
static void try_path(struct test *t, struct tools_world *w, const char *path)
{
    const char *read = arena_printf(t->arena, "{\"path\":\"%s\"}", path);
    const char *write = arena_printf(t->arena, "{\"path\":\"%s\",\"content\":\"x\"}", path);
    const char *edit = arena_printf(
        t->arena, "{\"path\":\"%s\",\"old_text\":\"secret\",\"new_text\":\"x\"}", path);
    const char *search = arena_printf(t->arena, "{\"path\":\"%s\",\"pattern\":\"secret\"}", path);

    CHECK(!strstr(world_bad(t, w, "files_read", read), "secret canary"));
    world_bad(t, w, "files_write", write);
    world_bad(t, w, "files_edit", edit);
    world_bad(t, w, "files_list", read);
    world_bad(t, w, "files_search", search);
    CHECK_STR("secret canary", get_file(t, "outside/file"));
}

static void set_up(struct test *t, struct tools_world *w)
{
    world_open(t, w, "files");
    CHECK_INT(0, mkdir(test_path(t, "outside"), 0755));
    put_file(t, "outside/file", "secret canary");
}

TEST(paths_with_dots_and_absolute_paths_stay_inside)
{
    struct tools_world w;

    set_up(t, &w);
    CHECK_INT(0, mkdir(test_path(t, "work/sub"), 0755));
    try_path(t, &w, "../outside/file");
    try_path(t, &w, "sub/../../outside/file");
    try_path(t, &w, "./../outside/file");
    try_path(t, &w, arena_printf(t->arena, "%s", test_path(t, "outside/file")));
    try_path(t, &w, "/etc/passwd");
    try_path(t, &w, arena_printf(t->arena, "%s-other/file", w.workspace));
    try_path(t, &w, arena_printf(t->arena, "%s/../outside/file", w.workspace));
    put_file(t, "work/own", "mine");
    CHECK_STR("mine", world_good(t, &w, "files_read",
                                 arena_printf(t->arena, "{\"path\":\"%s/own\"}", w.workspace)));
    world_close(&w);
}

TEST(symbolic_links_do_not_lead_out)
{
    struct tools_world w;

    set_up(t, &w);
    CHECK_INT(0, symlink("../outside", test_path(t, "work/folder")));
    CHECK_INT(0, symlink("../outside/file", test_path(t, "work/link")));
    CHECK_INT(0, symlink(test_path(t, "outside"), test_path(t, "work/whole")));
    CHECK_INT(0, symlink("loop", test_path(t, "work/loop")));
    try_path(t, &w, "folder/file");
    try_path(t, &w, "link");
    try_path(t, &w, "whole/file");
    try_path(t, &w, "loop");
    CHECK_HAS(world_bad(t, &w, "files_write", "{\"path\":\"folder/new\",\"content\":\"x\"}"),
              "link");
    CHECK_HAS(world_bad(t, &w, "files_write", "{\"path\":\"whole/sub/new\",\"content\":\"x\"}"),
              "link");
    CHECK(!get_file(t, "outside/new"));
    CHECK(!fs_exists(test_path(t, "outside/sub")));
    CHECK_STR("(nothing found)", world_good(t, &w, "files_search", "{\"pattern\":\"secret\"}"));
    world_close(&w);
}

TEST(links_of_proc_do_not_lead_out)
{
    struct tools_world w;
    int fd;

    set_up(t, &w);
    fd = open(test_path(t, "outside"), O_RDONLY | O_DIRECTORY);
    CHECK_INT(0,
              symlink(arena_printf(t->arena, "/proc/self/fd/%d", fd), test_path(t, "work/magic")));
    CHECK_INT(0, symlink("/proc/self/root", test_path(t, "work/root")));
    try_path(t, &w, "magic/file");
    try_path(t, &w, "root/etc/passwd");
    try_path(t, &w, "/proc/self/cwd/file");
    close(fd);
    world_close(&w);
}

TEST(a_link_inside_is_read_but_not_written_over)
{
    struct tools_world w;

    set_up(t, &w);
    put_file(t, "work/real", "mine");
    CHECK_INT(0, symlink("real", test_path(t, "work/alias")));
    CHECK_STR("mine", world_good(t, &w, "files_read", "{\"path\":\"alias\"}"));
    CHECK_HAS(world_bad(t, &w, "files_write", "{\"path\":\"alias\",\"content\":\"x\"}"),
              "symbolic link");
    CHECK_STR("mine", get_file(t, "work/real"));
    world_close(&w);
}

TEST(files_of_git_itself_are_not_changed)
{
    struct tools_world w;

    set_up(t, &w);
    CHECK_INT(0, mkdir(test_path(t, "work/.git"), 0755));
    put_file(t, "work/.git/config", "[core]\n");
    CHECK_INT(0, symlink(".git", test_path(t, "work/other")));
    CHECK_HAS(world_bad(t, &w, "files_write", "{\"path\":\".git/config\",\"content\":\"x\"}"),
              "git");
    CHECK_HAS(world_bad(t, &w, "files_write", "{\"path\":\"sub/.GIT/x\",\"content\":\"x\"}"),
              "git");
    CHECK_HAS(world_bad(t, &w, "files_write", "{\"path\":\"./.git\",\"content\":\"x\"}"), "git");
    CHECK_HAS(world_bad(t, &w, "files_write", "{\"path\":\"other/config\",\"content\":\"x\"}"),
              "link");
    CHECK_STR("[core]\n", get_file(t, "work/.git/config"));
    world_close(&w);
}

/* ---- races ---- */

struct racer {
    const char *name, *spare, *out;
    bool stop;
};

/* Make a folder of the workspace a link to the outside, and back, all the time. */
static void *swap_folder(void *user)
{
    struct racer *r = user;

    while (!__atomic_load_n(&r->stop, __ATOMIC_ACQUIRE)) {
        /* The tools create the folder again in between: then a step fails, and the next goes on. */
        if (rename(r->name, r->spare) || symlink(r->out, r->name) || unlink(r->name))
            (void)fs_remove_tree(r->name);
        (void)rename(r->spare, r->name);
    }
    return NULL;
}

TEST(a_folder_that_becomes_a_link_in_between_does_not_lead_out)
{
    struct tools_world w;
    struct racer r = { test_path(t, "work/d"), test_path(t, "work/e"), test_path(t, "outside"),
                       false };
    pthread_t thread;

    set_up(t, &w);
    CHECK_INT(0, mkdir(r.name, 0755));
    put_file(t, "work/d/file", "harmless");
    CHECK_INT(0, pthread_create(&thread, NULL, swap_folder, &r));
    for (int i = 0; i < 3000; i++) {
        const char *text = world_call(t, &w, "files_read", "{\"path\":\"d/file\"}");

        CHECK(!strstr(text, "secret canary"));
        world_call(t, &w, "files_write", "{\"path\":\"d/file\",\"content\":\"harmless\"}");
        world_call(t, &w, "files_write", "{\"path\":\"d/new/deep\",\"content\":\"x\"}");
    }
    __atomic_store_n(&r.stop, true, __ATOMIC_RELEASE);
    CHECK_INT(0, pthread_join(thread, NULL));
    CHECK_STR("secret canary", get_file(t, "outside/file"));
    CHECK(!fs_exists(test_path(t, "outside/new")));
    world_close(&w);
}
