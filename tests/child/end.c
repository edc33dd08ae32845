/* The end of children: nothing of them stays, whatever they do, and whatever becomes of us. */
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "world.h"

TEST(a_child_that_reads_its_input_ends_without_a_signal)
{
    struct watched w;

    watched_start(t, &w, "trap 'echo signalled' TERM; echo up; cat >/dev/null; echo bye");
    watched_wait(&w, "up");
    child_end(w.c);
    watched_wait_end(&w);
    CHECK_STR("up\nbye\n", w.out.p);
    CHECK_STR("exited with 0", w.why);
    watched_finish(&w);
}

TEST(a_child_that_stays_gets_sigterm)
{
    struct watched w;

    watched_start(t, &w,
                  "trap 'echo signalled; exit 5' TERM; echo up; while :; do sleep 0.1; done");
    watched_wait(&w, "up");
    child_end(w.c);
    child_end(w.c);
    watched_wait_end(&w);
    CHECK_STR("up\nsignalled\n", w.out.p);
    watched_finish(&w);
}

TEST_SECONDS(a_child_that_ignores_sigterm_is_killed, 60)
{
    struct watched w;
    pid_t pid;

    watched_start(t, &w, "trap '' TERM HUP INT; echo pid $$; while :; do sleep 0.1; done");
    watched_wait(&w, "pid ");
    pid = watched_pid(&w, "pid ");
    child_end(w.c);
    watched_wait_end(&w);
    CHECK_STR("killed by signal 9", w.why);
    CHECK(!pid_lives(pid));
    watched_finish(&w);
}

TEST_SECONDS(processes_that_left_the_group_are_killed_too, 60)
{
    struct watched w;
    pid_t far, near;

    watched_start(t, &w,
                  "setsid sh -c 'trap \"\" TERM; echo far $$; while :; do sleep 0.1; done' & "
                  "sh -c 'trap \"\" TERM; echo near $$; while :; do sleep 0.1; done' & "
                  "sleep 0.2; exec cat >/dev/null");
    watched_wait(&w, "far ");
    watched_wait(&w, "near ");
    far = watched_pid(&w, "far ");
    near = watched_pid(&w, "near ");
    child_end(w.c);
    watched_wait_end(&w);
    CHECK(!pid_lives(far));
    CHECK(!pid_lives(near));
    watched_finish(&w);
}

TEST_SECONDS(a_child_that_ends_by_itself_leaves_nothing_behind, 60)
{
    struct watched w;
    pid_t far;

    watched_start(t, &w, "setsid sh -c 'echo far $$; exec sleep 1000' & sleep 0.3; exit 0");
    watched_wait(&w, "far ");
    far = watched_pid(&w, "far ");
    watched_wait_end(&w);
    CHECK_STR("exited with 0", w.why);
    CHECK(!pid_lives(far));
    watched_finish(&w);
}

TEST_SECONDS(a_stopped_child_is_ended, 60)
{
    struct watched w;

    watched_start(t, &w, "echo up; kill -STOP $$; exit 1");
    watched_wait(&w, "up");
    child_end(w.c);
    watched_wait_end(&w);
    watched_finish(&w);
}

TEST_SECONDS(a_released_child_is_ended_and_says_nothing_more, 60)
{
    struct watched w;
    pid_t pid;
    size_t events;

    watched_start(t, &w, "echo pid $$; while :; do echo x; done");
    watched_wait(&w, "pid ");
    pid = watched_pid(&w, "pid ");
    child_release(w.c);
    w.c = NULL;
    events = w.events;
    wait_pid_gone(pid);
    CHECK_INT(events, w.events);
    CHECK(!w.ended);
    watched_finish(&w);
}

TEST_SECONDS(a_killed_keeper_takes_the_child_along, 60)
{
    struct watched w;
    pid_t pid;

    watched_start(t, &w, "echo pid $$ keeper $PPID; exec sleep 1000");
    watched_wait(&w, "keeper ");
    pid = watched_pid(&w, "pid ");
    kill(watched_pid(&w, "keeper "), SIGKILL);
    watched_wait_end(&w);
    CHECK_INT(-1, w.status);
    wait_pid_gone(pid);
    watched_finish(&w);
}

/* In a process of its own: a bough with children that cling to life. */
static _Noreturn void be_parent(int out)
{
    struct test t = { .arena = bough_arena_create() };
    struct watched w;
    char line[64];
    int n;

    watched_start(&t, &w,
                  "setsid sh -c 'trap \"\" TERM; echo far $$; while :; do sleep 0.1; done' & "
                  "trap '' TERM; echo near $$; while :; do sleep 0.1; done");
    watched_wait(&w, "far ");
    watched_wait(&w, "near ");
    n = snprintf(line, sizeof line, "%d %d\n", (int)watched_pid(&w, "far "),
                 (int)watched_pid(&w, "near "));
    if (write(out, line, (size_t)n) == n)
        pause();
    _exit(1);
}

TEST_SECONDS(kill_9_of_bough_leaves_no_process, 60)
{
    int fds[2], far = 0, near = 0;
    char line[64] = "";
    pid_t parent;

    CHECK(pipe(fds) == 0);
    parent = fork();
    if (parent == 0)
        be_parent(fds[1]);
    close(fds[1]);
    CHECK(read(fds[0], line, sizeof line - 1) > 0);
    close(fds[0]);
    CHECK_INT(2, sscanf(line, "%d %d", &far, &near));
    CHECK(pid_lives(far) && pid_lives(near));
    kill(parent, SIGKILL);
    CHECK(waitpid(parent, NULL, 0) == parent);
    wait_pid_gone(far);
    wait_pid_gone(near);
}
