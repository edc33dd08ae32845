/* The built-in shell: confinement, limits, output. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "base/memory/buf.h"
#include "base/os/fs.h"
#include "child/child.h"
#include "gateway/providers.h"
#include "tools/builtin/confine.h"
#include "tools/world.h"

struct shells {
    struct tools_world w;
    struct children *children;
};

static void open_shell(struct test *t, struct shells *s, const char *name, const char *value)
{
    static const char *const servers[] = { "shell" };
    const struct gateway_setting settings[] = { { "tools \"shell\"", "on", "yes" },
                                                { "tools \"shell\"", name, value } };
    struct tool_host_config config = { .settings = settings, .n = name ? 2 : 1 };

    if (confine_missing())
        SKIP(confine_missing());
    s->w = (struct tools_world){ .workspace = test_path(t, "work") };
    CHECK_OK(fs_mkdirs(s->w.workspace, 0755, &t->err));
    CHECK_OK(children_create(&s->children, &t->err));
    config.children = s->children;
    CHECK_OK(tool_host_create(&s->w.host, &config, &t->err));
    CHECK_OK(tool_set_open(
        &s->w.set, s->w.host,
        &(struct tool_set_options){ .servers = servers, .n = 1, .workspace = s->w.workspace },
        &t->err));
}

static void close_shell(struct shells *s)
{
    world_close(&s->w);
    children_destroy(s->children);
}

static const char *sh(struct test *t, struct shells *s, const char *command)
{
    struct json_writer w;
    struct buf args;

    buf_init(&args, 1 << 20);
    jw_init(&w, &args);
    jw_obj(&w);
    jw_kv_cstr(&w, "command", command);
    jw_end_obj(&w);
    return world_call(t, &s->w, "shell_run", buf_give(&args, t->arena).p);
}

TEST_SECONDS(a_command_runs_in_the_workspace, 60)
{
    struct shells s;

    open_shell(t, &s, NULL, NULL);
    CHECK_STR("execute", tool_find(s.w.set, "shell_run")->kind);
    CHECK_STR("made\n", sh(t, &s, "echo made > file; cat file; test ! -t 0"));
    CHECK(!s.w.last.is_error);
    CHECK_STR("made\n", get_file(t, "work/file"));
    CHECK_STR("to both\n[exited with 3]", sh(t, &s, "echo to both >&2; exit 3"));
    CHECK(s.w.last.is_error);
    CHECK_STR("(no output)", sh(t, &s, "true > /dev/null"));
    CHECK_STR("a\xef\xbf\xbd\xef\xbf\xbd\xc3\xbc\n[exited with 1]",
              sh(t, &s, "printf 'a\\000\\377\\303\\274'; exit 1"));
    CHECK_STR("(no output)", sh(t, &s, "cat")); /* its input is empty */
    close_shell(&s);
}

TEST_SECONDS(a_command_writes_nothing_outside_of_its_workspace, 120)
{
    static const char *const ways[] = {
        "echo x > $OUT/file",
        "rm -f $OUT/file",
        "mv $OUT/file .",
        "mv $OUT/file $OUT/other",
        "ln -f file $OUT/hard",
        "mkdir $OUT/folder",
        "ln -s x $OUT/soft",
        ": >> $OUT/new",
        "truncate -s 0 $OUT/file",
        "touch $OUT/new2",
        "cp file $OUT/copy",
        "dd if=/dev/null of=$OUT/file 2>&1",
        "mkfifo $OUT/pipe",
        "chown 1 $OUT/file",
        "ln $OUT/file hard && echo x > hard",
        "ln -s $OUT/file link; echo x > link",
        "perl -e 'sysopen(F, \"$ENV{OUT}/file\", 512)'", /* O_RDONLY | O_TRUNC */
        "perl -e 'truncate(\"$ENV{OUT}/file\", 0)'",
    };
    struct shells s;

    open_shell(t, &s, NULL, NULL);
    CHECK_INT(0, mkdir(test_path(t, "outside"), 0777));
    put_file(t, "outside/file", "untouched");
    put_file(t, "work/file", "mine");
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        const char *out = test_path(t, "outside");
        struct stat st;

        sh(t, &s, arena_printf(t->arena, "OUT=%s; export OUT; %s", out, ways[i]));
        CHECK_STR("untouched", get_file(t, "outside/file"));
        CHECK_INT(0, stat(test_path(t, "outside/file"), &st));
        CHECK_INT(getuid(), st.st_uid);
        CHECK_INT(0, stat(out, &st));
        CHECK_INT(2, st.st_nlink);
    }
    CHECK_STR("file\n", sh(t, &s, arena_printf(t->arena, "ls %s", test_path(t, "outside"))));
    close_shell(&s);
}

TEST_SECONDS(a_command_has_a_private_folder_for_temporary_files, 60)
{
    const char *tmp;
    struct shells s;

    open_shell(t, &s, NULL, NULL);
    tmp = sh(t, &s, "echo x > $TMPDIR/x && cat $TMPDIR/x >/dev/null && printf $TMPDIR");
    CHECK(!s.w.last.is_error && *tmp == '/');
    CHECK(!fs_exists(tmp));
    close_shell(&s);
}

TEST_SECONDS(a_command_has_no_network, 60)
{
    struct sockaddr_in in = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    struct sockaddr_un un = { .sun_family = AF_UNIX };
    socklen_t n = sizeof in;
    struct shells s;
    const char *out;
    int tcp, local;

    open_shell(t, &s, NULL, NULL);
    tcp = socket(AF_INET, SOCK_STREAM, 0);
    CHECK_INT(0, bind(tcp, (struct sockaddr *)&in, sizeof in));
    CHECK_INT(0, listen(tcp, 1));
    CHECK_INT(0, getsockname(tcp, (struct sockaddr *)&in, &n));
    local = socket(AF_UNIX, SOCK_STREAM, 0);
    snprintf(un.sun_path, sizeof un.sun_path, "%s", test_path(t, "work/s"));
    CHECK_INT(0, bind(local, (struct sockaddr *)&un, sizeof un));
    CHECK_INT(0, listen(local, 1));
    out = sh(t, &s,
             arena_printf(t->arena,
                          "perl -MIO::Socket::INET -e 'print IO::Socket::INET->new("
                          "\"127.0.0.1:%d\") ? \"in\" : \"no\"'; "
                          "perl -MIO::Socket::UNIX -e 'print IO::Socket::UNIX->new(\"s\") ? "
                          "\"in\" : \"no\"'",
                          ntohs(in.sin_port)));
    CHECK_STR("nono", out);
    close(tcp);
    close(local);
    close_shell(&s);
}

TEST_SECONDS(a_command_cannot_signal_other_processes, 60)
{
    struct shells s;
    int status;
    pid_t pid;

    open_shell(t, &s, NULL, NULL);
    pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;)
            pause();
    }
    sh(t, &s, arena_printf(t->arena, "kill -9 %d", (int)pid));
    CHECK(s.w.last.is_error);
    CHECK_INT(0, waitpid(pid, &status, WNOHANG));
    kill(pid, SIGKILL);
    CHECK_INT(pid, waitpid(pid, &status, 0));
    close_shell(&s);
}

TEST_SECONDS(a_command_sees_no_secrets_of_the_environment, 60)
{
    struct shells s;
    const char *out;

    setenv("CANARY", "canary-in-the-mine", 1);
    setenv("LISTED", "listed", 1);
    open_shell(t, &s, "env", "LISTED");
    out = sh(t, &s, "env");
    CHECK(!strstr(out, "canary"));
    CHECK_HAS(out, "LISTED=listed");
    CHECK_HAS(out, "PATH=");
    close_shell(&s);
}

TEST_SECONDS(a_command_cannot_look_into_other_processes, 60)
{
    char *const argv[] = { (char *)"sleep", (char *)"1000", NULL };
    char *const env[] = { (char *)"CANARY=canary-in-the-mine", NULL };
    struct shells s;
    const char *out;
    pid_t pid;

    open_shell(t, &s, NULL, NULL);
    pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        execve("/bin/sleep", argv, env);
        _exit(1);
    }
    for (struct wait w = { 0 }; wait_more(&w);) { /* until it has become the other program */
        const char *name = arena_printf(t->arena, "/proc/%d/comm", (int)pid);
        struct bough_str text;

        if (!fs_read(t->arena, name, 4096, &text, &t->err) && strncmp(text.p, "sleep", 5) == 0)
            break;
    }
    out = sh(t, &s,
             arena_printf(t->arena, "cat /proc/%d/environ; echo x > /proc/%d/mem; echo done",
                          (int)pid, (int)pid));
    CHECK(!strstr(out, "canary"));
    CHECK_HAS(out, "done");
    kill(pid, SIGKILL);
    CHECK_INT(pid, waitpid(pid, NULL, 0));
    close_shell(&s);
}

TEST_SECONDS(long_output_keeps_its_head_and_its_tail, 60)
{
    struct shells s;
    const char *out;

    open_shell(t, &s, NULL, NULL);
    out = sh(t, &s, "echo first; yes line | head -c 2000000; echo last");
    CHECK_INT(0, strncmp(out, "first\n", 6));
    CHECK_HAS(out, "bytes left out");
    CHECK_STR("last\n", out + strlen(out) - 5);
    CHECK(strlen(out) < 300000);
    close_shell(&s);
}

TEST_SECONDS(a_command_that_takes_too_long_is_ended_with_all_it_started, 90)
{
    struct shells s;

    open_shell(t, &s, "timeout", "1s");
    CHECK_HAS(sh(t, &s, "sleep 1000 & echo begun; sleep 1000"), "begun\n[ended after 1 seconds]");
    CHECK(s.w.last.is_error && !s.w.last.cancelled);
    close_shell(&s);
}

static void *cancel_soon(void *user)
{
    struct tools_world *w = user;

    for (struct wait wait = { 0 }; !__atomic_load_n(&w->nprogress, __ATOMIC_ACQUIRE);)
        if (!wait_more(&wait))
            break;
    __atomic_store_n(&w->cancel, true, __ATOMIC_RELEASE);
    return NULL;
}

TEST_SECONDS(a_command_reports_progress_and_can_be_cancelled, 90)
{
    pthread_t thread;
    struct shells s;

    open_shell(t, &s, NULL, NULL);
    CHECK_INT(0, pthread_create(&thread, NULL, cancel_soon, &s.w));
    CHECK_HAS(sh(t, &s, "echo some; sleep 1000"), "some\n[cancelled]");
    CHECK_STR("some\n", s.w.progress);
    CHECK(s.w.last.cancelled);
    CHECK_INT(0, pthread_join(thread, NULL));
    close_shell(&s);
}

TEST(the_shell_is_off_unless_it_is_configured)
{
    static const char *const servers[] = { "shell" };
    const struct tool_host_config config = { 0 };
    struct tool_host *h;
    struct tool_set *set;

    CHECK_OK(tool_host_create(&h, &config, &t->err));
    CHECK_RC(BOUGH_INVALID,
             tool_set_open(
                 &set, h,
                 &(struct tool_set_options){ .servers = servers, .n = 1, .workspace = test_dir(t) },
                 &t->err));
    CHECK_HAS(t->err.msg, "it is off");
    tool_host_destroy(h);
}

TEST_SECONDS(confine_no_lets_a_command_write_anywhere, 60)
{
    struct shells s;

    open_shell(t, &s, "confine", "no");
    sh(t, &s, arena_printf(t->arena, "echo free > %s", test_path(t, "free")));
    CHECK_STR("free\n", get_file(t, "free"));
    CHECK_SPAN("{\"exit\":0,\"bytes\":0,\"confined\":false}", s.w.last.details);
    close_shell(&s);
}
