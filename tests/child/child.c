/* Children: their output, input, environment and end. */
#include "child/child.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "base/memory/mem.h"
#include "base/text/str.h"
#include "world.h"

TEST(a_child_gets_its_input_and_says_how_it_ended)
{
    struct watched w;

    watched_start(t, &w, "read a; echo got $a; echo bad >&2; exit 3");
    CHECK_OK(child_write(w.c, str_of("tea\n"), &t->err));
    watched_wait_end(&w);
    CHECK_STR("got tea\n", w.out.p);
    CHECK_STR("bad\n", w.err.p);
    CHECK_STR("exited with 3", w.why);
    CHECK_INT(3, WEXITSTATUS(w.status));
    CHECK_RC(BOUGH_IO, child_write(w.c, str_of("more\n"), &t->err));
    watched_finish(&w);
}

TEST(a_child_that_a_signal_killed_says_so)
{
    struct watched w;

    watched_start(t, &w, "kill -9 $$");
    watched_wait_end(&w);
    CHECK_STR("killed by signal 9", w.why);
    watched_finish(&w);
}

TEST(a_program_that_is_not_there_is_not_found)
{
    const char *argv[] = { "no-such-program-here", NULL };
    const char *env[] = { "PATH=/usr/bin:/bin", NULL };
    struct child_options in = { .argv = argv, .env = env };
    struct watched w;

    CHECK_RC(BOUGH_NOT_FOUND, watched_try(t, &w, &in));
    watched_finish(&w);
}

TEST(a_file_that_is_no_program_cannot_be_started)
{
    char *path = test_path(t, "words");
    const char *argv[] = { path, NULL };
    const char *env[] = { "PATH=/usr/bin:/bin", NULL };
    struct child_options in = { .argv = argv, .env = env };
    struct watched w;
    FILE *f = fopen(path, "w");

    fputs("not a program\n", f);
    fclose(f);
    CHECK_RC(BOUGH_IO, watched_try(t, &w, &in));
    CHECK(strstr(t->err.msg, "words") != NULL);
    watched_finish(&w);
}

TEST(a_missing_working_directory_is_not_found)
{
    const char *argv[] = { "sh", "-c", "true", NULL };
    const char *env[] = { "PATH=/usr/bin:/bin", NULL };
    struct child_options in = { .argv = argv, .env = env, .dir = "/nowhere/at/all" };
    struct watched w;

    CHECK_RC(BOUGH_NOT_FOUND, watched_try(t, &w, &in));
    watched_finish(&w);
}

TEST(the_environment_is_exactly_what_was_given)
{
    const char *argv[] = { "env", NULL };
    const char *env[] = { "PATH=/usr/bin:/bin", "A=1 2", "EMPTY=", NULL };
    struct child_options in = { .argv = argv, .env = env };
    struct watched w;

    setenv("CANARY", "must not be seen", 1);
    CHECK_OK(watched_try(t, &w, &in));
    watched_wait_end(&w);
    unsetenv("CANARY");
    CHECK_STR("PATH=/usr/bin:/bin\nA=1 2\nEMPTY=\n", w.out.p);
    watched_finish(&w);
}

TEST(a_relative_folder_of_the_path_is_not_looked_into)
{
    const char *env[] = { "PATH=.:bin:/usr/bin:/bin", NULL };
    int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    CHECK(chdir("/usr/bin") == 0);
    CHECK_STR("/usr/bin/env", child_lookup(t->arena, "env", env));
    env[0] = "PATH=.:bin";
    CHECK(child_lookup(t->arena, "env", env) == NULL);
    CHECK(fchdir(here) == 0);
    close(here);
}

TEST(no_descriptor_but_the_three_reaches_a_child)
{
    struct watched w;
    int loose = dup(1); /* without close-on-exec */

    watched_start(t, &w, "exec ls /proc/self/fd");
    watched_wait_end(&w);
    close(loose);
    CHECK_STR("0\n1\n2\n3\n", w.out.p); /* 3 is the folder that ls reads */
    watched_finish(&w);
}

TEST(limits_hold_for_the_child)
{
    const char *argv[] = { "sh", "-c", "ulimit -n; ulimit -v; ulimit -c; pwd", NULL };
    const char *env[] = { "PATH=/usr/bin:/bin", NULL };
    struct child_options in = {
        .argv = argv, .env = env, .dir = "/usr", .most_files = 77, .most_memory = 1 << 30
    };
    struct watched w;

    CHECK_OK(watched_try(t, &w, &in));
    watched_wait_end(&w);
    CHECK_STR("77\n1048576\n0\n/usr\n", w.out.p);
    watched_finish(&w);
}

TEST(a_child_leads_its_own_group_without_a_terminal)
{
    struct watched w;

    watched_start(t, &w, "read -r a < /proc/$$/stat; set -- $a; echo $1 $5 $7");
    watched_wait_end(&w);
    {
        int pid, group, terminal;

        CHECK_INT(3, sscanf(w.out.p, "%d %d %d", &pid, &group, &terminal));
        CHECK_INT(pid, group);
        CHECK_INT(0, terminal);
        CHECK(group != getpgrp());
    }
    watched_finish(&w);
}

TEST_SECONDS(huge_output_waits_while_it_is_paused, 60)
{
    struct watched w;
    size_t before;

    watched_start(t, &w, "read a; head -c 30000000 /dev/zero | tr '\\0' x; echo; echo over >&2");
    buf_finish(&w.out);
    buf_init(&w.out, 64 << 20);
    child_pause(w.c, true);
    CHECK_OK(child_write(w.c, str_of("go\n"), &t->err));
    usleep(300 * 1000); /* time in which a broken pause would read it all */
    pthread_mutex_lock(&w.lock);
    before = w.out.n;
    CHECK(!w.ended);
    pthread_mutex_unlock(&w.lock);
    CHECK_INT(0, before);
    child_pause(w.c, false);
    watched_wait_end(&w);
    CHECK_INT(30000001, w.out.n);
    CHECK_STR("over\n", w.err.p);
    watched_finish(&w);
}

TEST_SECONDS(a_child_that_does_not_read_bounds_what_is_written_to_it, 60)
{
    struct watched w;
    char *mega = mem_zalloc(1 << 20);
    enum bough_rc rc = BOUGH_OK;
    int n;

    watched_start(t, &w, "exec sleep 1000");
    for (n = 0; n < 100 && rc == BOUGH_OK; n++)
        rc = child_write(w.c, str_make(mega, 1 << 20), &t->err);
    CHECK_RC(BOUGH_OVERLOADED, rc);
    CHECK(n > 60 && n < 70);
    mem_free(mega);
    watched_finish(&w);
}

TEST(many_children_run_at_the_same_time)
{
    enum { N = 20 };
    struct watched first;
    struct child *c[N];
    const char *argv[] = { "sh", "-c", "exec cat", NULL };
    const char *env[] = { "PATH=/usr/bin:/bin", NULL };
    struct child_options in = { .argv = argv, .env = env };

    CHECK_OK(watched_try(t, &first, &in));
    for (int i = 0; i < N; i++)
        CHECK_OK(child_start(first.all, &in, &c[i], &t->err));
    for (int i = 0; i < N; i++)
        CHECK_OK(child_write(c[i], str_of("x"), &t->err));
    for (struct wait w = { 0 }; first.out.n < N;)
        CHECK(wait_more(&w));
    for (int i = 0; i < N; i++)
        child_release(c[i]);
    watched_finish(&first);
}
