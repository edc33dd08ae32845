/* Gateways in processes of their own: one that is killed in the middle of a reply, and two over one
 * store. */
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
#include "base/text/str.h"
#include "gateway/world.h"

#define CHAT "/v1/chat/completions"
#define ASK(messages) "{\"model\":\"m\",\"messages\":[" messages "]}"
#define ASK_STREAM(messages) "{\"model\":\"m\",\"stream\":true,\"messages\":[" messages "]}"
#define U(text) "{\"role\":\"user\",\"content\":\"" text "\"}"
#define A(text) "{\"role\":\"assistant\",\"content\":\"" text "\"}"

/* ---- the processes ---- */

struct process {
    struct world w; /* its socket, for talk_begin() and ask() */
    pid_t pid;
};

static const char *program(struct test *t)
{
    char self[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);

    CHECK(n > 0);
    self[n] = '\0';
    *strrchr(self, '/') = '\0'; /* .../tests/gateway.t lies beside .../bough */
    return arena_printf(t->arena, "%s/../bough", self);
}

static void configure(struct test *t, struct fake *up)
{
    const char *home = test_path(t, "config");
    FILE *f;

    CHECK(mkdir(home, 0700) == 0);
    CHECK(mkdir(arena_printf(t->arena, "%s/bough", home), 0700) == 0);
    f = fopen(arena_printf(t->arena, "%s/bough/config.ini", home), "w");
    CHECK(f);
    fprintf(f,
            "[provider \"up\"]\nkind = openai-compatible\nbase_url = http://127.0.0.1:%d/v1\n"
            "allow_private = yes\nmodels = m\n",
            fake_port(up));
    CHECK(fclose(f) == 0);
    setenv("XDG_CONFIG_HOME", home, 1);
}

static bool listens(const char *path)
{
    struct sockaddr_un to = { .sun_family = AF_UNIX };
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool there;

    memcpy(to.sun_path, path, strlen(path));
    there = connect(fd, (struct sockaddr *)&to, sizeof to) == 0;
    close(fd);
    return there;
}

/* A server over t->url. It asks the provider for its models first: that request is over when this
 * returns, so that the next answers are for what the test sends. */
static void process_start(struct test *t, struct process *p, struct fake *up, const char *name)
{
    const char *bough = program(t), *socket = test_path(t, name), *url = t->url;
    size_t asked = fake_count(up);

    p->w = (struct world){ .t = t, .up = up, .socket = socket };
    fake_json(up, 200, "{\"object\":\"list\",\"data\":[{\"id\":\"m\"}]}");
    fflush(stdout);
    p->pid = fork();
    CHECK(p->pid >= 0);
    if (p->pid == 0) {
        /* A test that fails leaves no server behind. */
        if (prctl(PR_SET_PDEATHSIG, SIGKILL) || !freopen("/dev/null", "w", stdout))
            _exit(1);
        execl(bough, bough, "--store", url, "serve", "--quiet", "--socket", socket, NULL);
        _exit(127);
    }
    for (struct wait w = { 0 }; !listens(socket);)
        CHECK(wait_more(&w));
    CHECK(fake_asked(up, asked));
    CHECK_SPAN("GET /v1/models", str_make(fake_asked(up, asked), 14));
}

static void process_end(struct process *p, int sig)
{
    int status;

    CHECK_INT(0, kill(p->pid, sig));
    CHECK_INT(p->pid, waitpid(p->pid, &status, 0));
    if (sig == SIGTERM)
        CHECK_INT(0, status);
}

/* ---- what the provider says, and what is stored of it ---- */

static void say(struct test *t, struct fake *up, const char *text)
{
    fake_json(up, 200,
              arena_printf(t->arena,
                           "{\"choices\":[{\"message\":{\"content\":\"%s\"},"
                           "\"finish_reason\":\"stop\"}]}",
                           text));
}

/* A stream that stops behind "half". */
static void say_half(struct test *t, struct fake *up)
{
    static const char head[] = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
    static const char first[] = "data: {\"id\":\"c1\",\"model\":\"m\",\"choices\":[{\"index\":0,"
                                "\"delta\":{\"role\":\"assistant\",\"content\":\"half\"}}]}\n\n";
    static const char rest[] = "data: {\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":{"
                               "\"content\":\" and half\"},\"finish_reason\":\"stop\"}]}\n\n"
                               "data: [DONE]\n\n";

    fake_say(up, &(struct fake_answer){
                     .bytes = str_of(arena_printf(t->arena, "%s%s%s", head, first, rest)),
                     .stop_at = sizeof head + sizeof first - 2,
                     .cut = true });
}

/* All messages of the session, in every branch, as "role:text"; "!" behind an interrupted one. */
static const char *all_messages(struct test *t, const char *session)
{
    struct bough_entries all;
    const char *text = "";

    CHECK_OK(bough_tree_entries(t->store, t->arena, session, NULL, &all, &t->err));
    for (size_t i = 0; i < all.n; i++) {
        const struct bough_entry *e = &all.at[i];

        if (e->kind == BOUGH_ENTRY_MESSAGE && !e->deleted)
            text = arena_printf(t->arena, "%s%s%s:%s%s", text, *text ? " " : "",
                                bough_role_name(e->role), text_of(t, e),
                                strcmp(e->finish, "interrupted") == 0 ? "!" : "");
    }
    return text;
}

static void open_store(struct test *t)
{
    CHECK_OK(bough_store_open(&t->store, t->url, NULL, &t->err));
}

static void close_checked(struct test *t)
{
    store_check(t, t->store);
    bough_store_close(&t->store);
}

/* ---- kill -9 ---- */

/* Is the beginning of the open reply on disk, for other processes to see? */
static bool half_is_stored(struct test *t)
{
    struct bough_message_follow_result got;
    struct bough_open_messages open;

    CHECK_OK(bough_message_list(t->store, t->arena, NULL, &open, &t->err));
    if (!open.n)
        return false;
    CHECK_INT(1, open.n);
    CHECK_OK(bough_message_follow(t->store, t->arena, open.at[0].id, -1, 0, &got, &t->err));
    return got.nparts == 1 && str_is(bough_part_plain(t->arena, &got.parts[0]), "half");
}

/* Ask, kill the gateway when the beginning of the reply is stored, and start it again. */
static void kill_in_the_middle(struct test *t, struct process *p, const char *body)
{
    struct fake *up = p->w.up;
    struct talk k;
    struct got g;

    say_half(t, up);
    k = talk_begin(&p->w, CHAT, "", body);
    CHECK(talk_hears(&k, "half"));
    open_store(t);
    for (struct wait w = { 0 }; !half_is_stored(t);)
        CHECK(wait_more(&w));
    bough_store_close(&t->store);
    process_end(p, SIGKILL);
    g = talk_end(&k);
    CHECK(!g.complete);
    CHECK(!strstr(g.body.p, "DONE"));
    process_start(t, p, up, "again");
}

SHARED_TEST(a_gateway_that_is_killed_keeps_what_came_and_a_retry_doubles_nothing, 60)
{
    struct fake *up = fake_start(t);
    const char *session;
    struct process p;
    struct got g;

    configure(t, up);
    process_start(t, &p, up, "first");
    say(t, up, "r1");
    CHECK_INT(200, ask(&p.w, CHAT, "", ASK(U("q1"))).status);
    kill_in_the_middle(t, &p, ASK_STREAM(U("q1") "," A("r1") "," U("q2")));
    open_store(t);
    session = only_session(&p.w);
    CHECK_STR("user:q1 assistant:r1 user:q2 assistant:half!", all_messages(t, session));
    bough_store_close(&t->store);
    say(t, up, "r2");
    g = ask(&p.w, CHAT, "", ASK(U("q1") "," A("r1") "," U("q2")));
    CHECK_INT(200, g.status);
    process_end(&p, SIGTERM);
    open_store(t);
    CHECK_STR(session, only_session(&p.w));
    CHECK_STR("user:q1 assistant:r1 user:q2 assistant:half! assistant:r2",
              all_messages(t, session));
    CHECK_STR("user:q1 assistant:r1 user:q2 assistant:r2", messages_text(&p.w, session));
    close_checked(t);
    fake_stop(up);
}

SHARED_TEST(a_first_request_whose_gateway_was_killed_has_its_session_when_it_is_retried, 60)
{
    struct fake *up = fake_start(t);
    const char *session;
    struct process p;

    configure(t, up);
    process_start(t, &p, up, "first");
    kill_in_the_middle(t, &p, ASK_STREAM(U("q1")));
    say(t, up, "r1");
    CHECK_INT(200, ask(&p.w, CHAT, "", ASK(U("q1"))).status);
    process_end(&p, SIGTERM);
    open_store(t);
    session = only_session(&p.w);
    CHECK_STR("user:q1 assistant:half! assistant:r1", all_messages(t, session));
    CHECK_STR("user:q1 assistant:r1", messages_text(&p.w, session));
    close_checked(t);
    fake_stop(up);
}

/* ---- two gateways over one store ---- */

SHARED_TEST(a_conversation_through_two_gateways_is_one_session, 60)
{
    struct fake *up = fake_start(t);
    const char *history = U("q0"), *want = "";
    struct process p[2];

    configure(t, up);
    process_start(t, &p[0], up, "one");
    process_start(t, &p[1], up, "two");
    for (int i = 0; i < 6; i++) {
        say(t, up, arena_printf(t->arena, "r%d", i));
        CHECK_INT(200, ask(&p[i % 2].w, CHAT, "",
                           arena_printf(t->arena, "{\"model\":\"m\",\"messages\":[%s]}", history))
                           .status);
        history = arena_printf(t->arena, "%s," A("r%d") "," U("q%d"), history, i, i + 1);
        want = arena_printf(t->arena, "%s%suser:q%d assistant:r%d", want, i ? " " : "", i, i);
    }
    for (int i = 0; i < 2; i++)
        process_end(&p[i], SIGTERM);
    open_store(t);
    CHECK_STR(want, all_messages(t, only_session(&p[0].w)));
    close_checked(t);
    fake_stop(up);
}

SHARED_TEST(the_same_request_through_two_gateways_at_once_is_two_replies_side_by_side, 60)
{
    static const char body[] = ASK_STREAM(U("q1") "," A("r1") "," U("q2"));
    struct fake *up = fake_start(t);
    struct process p[2];
    struct talk k[2];

    configure(t, up);
    process_start(t, &p[0], up, "one");
    process_start(t, &p[1], up, "two");
    say(t, up, "r1");
    CHECK_INT(200, ask(&p[0].w, CHAT, "", ASK(U("q1"))).status);
    for (int i = 0; i < 2; i++)
        say_half(t, up);
    for (int i = 0; i < 2; i++)
        k[i] = talk_begin(&p[i].w, CHAT, "", body);
    for (int i = 0; i < 2; i++)
        CHECK(talk_hears(&k[i], "half"));
    for (int i = 0; i < 2; i++)
        fake_go(up);
    for (int i = 0; i < 2; i++)
        CHECK(talk_end(&k[i]).complete);
    for (int i = 0; i < 2; i++)
        process_end(&p[i], SIGTERM);
    open_store(t);
    CHECK_STR("user:q1 assistant:r1 user:q2 assistant:half and half assistant:half and half",
              all_messages(t, only_session(&p[0].w)));
    CHECK_STR("user:q1 assistant:r1 user:q2 assistant:half and half",
              messages_text(&p[0].w, only_session(&p[0].w)));
    close_checked(t);
    fake_stop(up);
}
