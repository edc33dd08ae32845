/* Open messages over HTTP. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api/world.h"
#include "base/memory/arena.h"
#include "base/text/str.h"

static const char *at_message(struct test *t, const char *session, const char *entry,
                              const char *rest)
{
    return of_session(t, session, arena_printf(t->arena, "/messages/%s%s", entry, rest));
}

static struct json opened(struct test *t, struct world *w, const char *session)
{
    return world_gives(t, w, "POST", of_session(t, session, "/messages"),
                       "{\"entry\":{\"role\":\"assistant\"},\"owner\":\"ann\",\"lease_ms\":60000}",
                       201);
}

STORE_TEST(a_message_is_opened_extended_followed_and_sealed)
{
    const char *id = new_session(t, "one"), *m, *epoch;
    struct world w;
    struct json j;

    world_open(t, &w);
    j = opened(t, &w, id);
    m = text_at(t, j, "id");
    epoch = text_at(t, j, "epoch");
    j = world_gives(
        t, &w, "POST", at_message(t, id, m, "/steps"),
        arena_printf(t->arena,
                     "{\"epoch\":%s,\"first\":1,\"steps\":[{\"part\":{\"type\":\"text\","
                     "\"text\":\"Hel\"}},{\"text\":\"lo\",\"index\":0}]}",
                     epoch),
        200);
    CHECK_STR("2", text_at(t, j, "last"));
    j = world_gives(t, &w, "GET", at_message(t, id, m, ""), "", 200);
    CHECK_STR("false", text_at(t, j, "sealed"));
    CHECK_STR("Hello", text_at(t, j, "parts.0.text"));
    CHECK_STR("true", text_at(t, j, "entry.open"));
    world_gives(t, &w, "POST", at_message(t, id, m, "/steps"),
                arena_printf(t->arena,
                             "{\"epoch\":%s,\"steps\":[{\"text\":\", you\"},{\"part\":{\"type\":"
                             "\"tool\",\"callID\":\"c1\",\"tool\":\"ls\",\"state\":{\"status\":"
                             "\"pending\",\"input\":{},\"raw\":\"\"}}}]}",
                             epoch),
                200);
    j = world_gives(
        t, &w, "GET",
        at_message(t, id, m, arena_printf(t->arena, "?offset=%s", text_at(t, j, "offset"))), "",
        200);
    CHECK_STR(", you", text_at(t, j, "deltas.0.text"));
    CHECK_STR("2", text_at(t, j, "deltas.0.at"));
    CHECK_STR("ls", text_at(t, j, "deltas.1.part.tool"));
    j = world_gives(t, &w, "POST", at_message(t, id, m, "/flush"),
                    arena_printf(t->arena, "{\"epoch\":%s}", epoch), 200);
    CHECK_STR("4", text_at(t, j, "saved"));
    CHECK_STR("4", text_at(t, j, "durable"));
    j = world_gives(t, &w, "GET", of_session(t, id, "/messages"), "", 200);
    CHECK_STR("ann", text_at(t, j, "items.0.lease.owner"));
    j = world_gives(t, &w, "GET", "/api/v1/messages", "", 200);
    CHECK_STR(m, text_at(t, j, "items.0.id"));
    j = world_gives(t, &w, "POST", at_message(t, id, m, "/seal"),
                    arena_printf(t->arena,
                                 "{\"epoch\":%s,\"finish\":\"stop\",\"usage\":{\"output\":4},"
                                 "\"parts\":[{\"type\":\"text\",\"text\":\"Hello, you\"}]}",
                                 epoch),
                    200);
    CHECK_STR("stop", text_at(t, j, "finish"));
    CHECK_STR("4", text_at(t, j, "usage.output"));
    CHECK_STR("Hello, you", path_text(t, id));
    j = world_gives(t, &w, "GET", at_message(t, id, m, "?offset=0&wait_ms=60000"), "", 200);
    CHECK_STR("true", text_at(t, j, "sealed"));
    world_gives(t, &w, "POST", "/api/v1/messages/recover", "", 200);
    world_close(&w);
}

/* In a child: a server opens a message for a client, takes two steps, and is killed. */
_Noreturn static void serve_and_die(struct test *t, const char *session, int out)
{
    struct world w;
    const char *m;

    if (bough_store_open(&t->store, t->url, NULL, &t->err))
        _exit(2);
    world_open(t, &w);
    m = text_at(t, opened(t, &w, session), "id");
    world_gives(t, &w, "POST", at_message(t, session, m, "/steps"),
                "{\"epoch\":1,\"first\":1,\"steps\":[{\"part\":{\"type\":\"text\",\"text\":\"\"}},"
                "{\"text\":\"one \",\"index\":0}]}",
                200);
    world_gives(t, &w, "POST", at_message(t, session, m, "/flush"), "{\"epoch\":1}", 200);
    if (write(out, m, BOUGH_ID_LEN) != BOUGH_ID_LEN)
        _exit(3);
    kill(getpid(), SIGKILL);
    _exit(4);
}

STORE_TEST(a_client_goes_on_with_its_message_after_a_restart_of_the_server)
{
    const char *id = new_session(t, "one");
    char m[BOUGH_ID_LEN + 1] = "";
    int fds[2], status;
    struct world w;
    struct json j;
    pid_t pid;

    if (!store_lasts(t))
        SKIP("nothing is left of this backend");
    bough_store_close(&t->store);
    CHECK(pipe(fds) == 0);
    fflush(stdout);
    pid = fork();
    CHECK(pid >= 0);
    if (pid == 0)
        serve_and_die(t, id, fds[1]);
    close(fds[1]);
    CHECK(read(fds[0], m, BOUGH_ID_LEN) == BOUGH_ID_LEN);
    CHECK(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status));
    close(fds[0]);
    CHECK_OK(bough_store_open(&t->store, t->url, NULL, &t->err));
    world_open(t, &w);
    j = world_gives(t, &w, "POST", at_message(t, id, m, "/seal"), "{\"epoch\":1,\"last\":3}", 409);
    CHECK_STR("2", text_at(t, j, "error.detail.last"));
    j = world_gives(t, &w, "POST", at_message(t, id, m, "/steps"),
                    "{\"epoch\":1,\"first\":4,\"steps\":[{\"text\":\"three\",\"index\":0}]}", 409);
    CHECK_STR("2", text_at(t, j, "error.detail.last"));
    world_gives(t, &w, "POST", at_message(t, id, m, "/steps"),
                "{\"epoch\":1,\"first\":3,\"steps\":[{\"text\":\"two\",\"index\":0}]}", 200);
    world_gives(t, &w, "POST", at_message(t, id, m, "/seal"), "{\"epoch\":1,\"last\":3}", 200);
    CHECK_STR("one two", path_text(t, id));
    world_close(&w);
}

STORE_TEST(who_lost_the_lease_is_told_and_a_refused_step_says_how_many_were_taken)
{
    const char *id = new_session(t, "one"), *m, *epoch;
    struct world w;
    struct json j;

    world_open(t, &w);
    j = opened(t, &w, id);
    m = text_at(t, j, "id");
    epoch = text_at(t, j, "epoch");
    j = world_gives(t, &w, "POST", at_message(t, id, m, "/steps"),
                    arena_printf(t->arena,
                                 "{\"epoch\":%s,\"steps\":[{\"part\":{\"type\":\"text\",\"text\":"
                                 "\"a\"}},{\"text\":\"b\",\"index\":7}]}",
                                 epoch),
                    422);
    CHECK_STR("1", text_at(t, j, "error.detail.last"));
    world_gives(t, &w, "POST", at_message(t, id, m, "/steps"),
                arena_printf(t->arena, "{\"epoch\":%s,\"steps\":[{\"index\":0}]}", epoch), 422);
    j = world_gives(t, &w, "POST", at_message(t, id, m, "/take"), "{\"owner\":\"bob\"}", 409);
    CHECK_STR("busy", text_at(t, j, "error.code"));
    t->env.now += 120000;
    j = world_gives(t, &w, "POST", at_message(t, id, m, "/take"), "{\"owner\":\"bob\"}", 200);
    CHECK(strcmp(epoch, text_at(t, j, "epoch")) != 0);
    j = world_gives(t, &w, "POST", at_message(t, id, m, "/steps"),
                    arena_printf(t->arena, "{\"epoch\":%s,\"steps\":[{\"text\":\"c\"}]}", epoch),
                    409);
    CHECK_STR("lease_lost", text_at(t, j, "error.code"));
    world_gives(t, &w, "POST", at_message(t, id, "nope", "/steps"), "{\"epoch\":1,\"steps\":[]}",
                404);
    world_close(&w);
}

STORE_TEST(a_follower_that_waits_is_answered_later_and_holds_no_worker)
{
    const char *id = new_session(t, "one"), *m;
    struct http_ask ask = { .method = "GET", .via = HTTP_VIA_UNIX, .pulls = 3 };
    struct http_reply r;
    struct world w;

    world_open(t, &w);
    m = text_at(t, opened(t, &w, id), "id");
    ask.target = at_message(t, id, m, "?offset=0&wait_ms=60000");
    http_loopback(api_app(w.api), t->arena, &ask, &r);
    CHECK_INT(200, r.status);
    CHECK_INT(0, r.body.n); /* four polls found no step yet */
    ask.target = at_message(t, id, m, "?offset=0&wait_ms=1");
    ask.pulls = 1000000;
    http_loopback(api_app(w.api), t->arena, &ask, &r);
    check_fits(t, "Following", reply_json(t, &r));
    CHECK(!r.cut);
    world_close(&w);
}
