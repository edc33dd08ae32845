/* Live events: their content, who receives them, and that none is missed or doubled. */
#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api/stream.h"
#include "base/memory/arena.h"
#include "base/text/str.h"

static const char *events_after(struct test *t, struct world *w, const char *query,
                                const char *headers)
{
    struct http_ask ask = { .method = "GET",
                            .target = arena_printf(t->arena, "/api/v1/events%s", query),
                            .headers = headers,
                            .via = HTTP_VIA_UNIX };
    struct http_reply r;

    http_loopback(api_app(w->api), t->arena, &ask, &r);
    CHECK_INT(200, r.status);
    return r.body.p;
}

static int count(const char *text, const char *what)
{
    int n = 0;

    for (; (text = strstr(text, what)); text += strlen(what))
        n++;
    return n;
}

static int64_t epoch(struct test *t)
{
    struct bough_mark m;

    CHECK_OK(bough_feed_end(t->store, &m, &t->err));
    return m.epoch;
}

static const char *place(struct test *t, int64_t no)
{
    return arena_printf(t->arena, "Last-Event-ID: %lld-%lld\r\n", (long long)epoch(t),
                        (long long)no);
}

static struct bough_message_open_result open_message(struct test *t, const char *session)
{
    struct bough_entry_new e = { .role = BOUGH_ROLE_ASSISTANT };
    struct bough_message_open_options in = { .entry = &e, .owner = "test" };
    struct bough_message_open_result out;

    CHECK_OK(bough_message_open(t->store, t->arena, session, &in, &out, &t->err));
    return out;
}

static void step(struct test *t, const struct bough_message_open_result *m,
                 enum bough_step_kind kind, const char *bytes)
{
    struct bough_step s = { .kind = kind, .bytes = str_of(bytes) };
    struct bough_message_step_result out;

    CHECK_OK(bough_message_step(t->store, &m->writing, 0, &s, 1, &out, &t->err));
}

STORE_TEST(every_kind_of_change_has_its_event_with_an_id_to_resume_by)
{
    const char *s = new_session(t, "one"), *got;
    struct bough_prompt prompt = { .content = "next" };
    struct bough_entry_new e = { .role = BOUGH_ROLE_ASSISTANT, .text = "b", .by_call = true };
    struct bough_call_new call = { .provider = "p", .model = "m" };
    struct bough_append_options in = { .entries = &e, .n = 1, .call = &call };
    struct bough_append_result out;
    struct world w;

    world_open(t, &w);
    user(t, s, "a");
    CHECK_OK(bough_append(t->store, t->arena, s, &in, &out, &t->err));
    CHECK_OK(bough_session_rename(t->store, s, "two", &t->err));
    CHECK_OK(bough_queue_add(t->store, t->arena, s, &prompt, NULL, &t->err));
    CHECK_OK(bough_entry_delete(t->store, s, out.ids[0], &t->err));
    CHECK_OK(bough_session_delete(t->store, s, &t->err));
    got = events_after(t, &w, "", place(t, 0));
    CHECK_INT(1, count(got, "event: session.created\n"));
    CHECK_INT(2, count(got, "event: message.created\n"));
    CHECK_INT(1, count(got, "event: call.recorded\n"));
    CHECK_INT(1, count(got, "event: session.updated\n"));
    CHECK_INT(1, count(got, "event: queue.updated\n"));
    CHECK_INT(1, count(got, "event: message.updated\n"));
    CHECK_INT(1, count(got, "event: session.deleted\n"));
    CHECK(strstr(got, arena_printf(t->arena, "id: %lld-3.1\nevent: message.created\n",
                                   (long long)epoch(t))));
    got = events_after(t, &w, "",
                       arena_printf(t->arena, "Last-Event-ID: %lld-3.1\r\n", (long long)epoch(t)));
    CHECK_INT(0, count(got, "event: message.created\n"));
    CHECK_INT(1, count(got, "event: call.recorded\n"));
    world_close(&w);
}

STORE_TEST(a_run_tells_its_prompt_the_queue_and_the_session)
{
    const char *s = new_session(t, "one"), *got;
    struct bough_run_start_options in = { .text = "do it", .host = "h", .claim = true };
    struct bough_run_end_options ok = { .status = BOUGH_RUN_COMPLETED };
    struct bough_prompt prompt = { .content = "next" };
    struct bough_run_start_result out;
    struct bough_run_end_result ended;
    struct world w;

    world_open(t, &w);
    CHECK_OK(bough_run_start(t->store, t->arena, s, &in, &out, &t->err));
    CHECK_OK(bough_queue_add(t->store, t->arena, s, &prompt, NULL, &t->err));
    CHECK_OK(bough_run_end(t->store, t->arena, out.run->id, out.epoch, &ok, &ended, &t->err));
    got = events_after(t, &w, "", place(t, 1));
    CHECK_INT(2, count(got, "event: message.created\n"));
    CHECK_INT(2, count(got, "event: queue.updated\n"));
    CHECK_INT(2, count(got, "event: session.updated\n"));
    CHECK_INT(2, count(got, "\"what\":\"run\""));
    world_close(&w);
}

STORE_TEST(an_update_says_what_changed)
{
    const struct bough_todo todo = { .content = "x", .status = "pending" };
    const char *s = new_session(t, "one"), *first = user(t, s, "a"), *got;
    const struct bough_memory in = { .scope = BOUGH_MEMORY_OF_SESSION, .of = s, .content = "m" };
    struct world w;

    world_open(t, &w);
    user(t, s, "b");
    CHECK_OK(bough_session_rename(t->store, s, "two", &t->err));
    CHECK_OK(bough_label_set(t->store, s, first, "here", &t->err));
    CHECK_OK(bough_todo_replace(t->store, t->arena, s, &todo, 1, NULL, &t->err));
    CHECK_OK(bough_memory_add(t->store, t->arena, &in, NULL, &t->err));
    CHECK_OK(bough_head_move(t->store, s, first, &t->err));
    CHECK_OK(bough_session_archive(t->store, s, &t->err));
    CHECK_OK(bough_session_delete(t->store, s, &t->err));
    CHECK_OK(bough_session_restore(t->store, s, &t->err));
    got = events_after(t, &w, "?kinds=session.updated", place(t, 0));
    CHECK_INT(1, count(got, "\"what\":\"fields\""));
    CHECK_INT(1, count(got, "\"what\":\"label\""));
    CHECK_INT(1, count(got, "\"what\":\"todo\""));
    CHECK_INT(1, count(got, "\"what\":\"memory\""));
    CHECK_INT(1, count(got, "\"what\":\"head\""));
    CHECK_INT(1, count(got, "\"what\":\"status\""));
    CHECK_INT(1, count(got, "\"what\":\"restored\""));
    CHECK_INT(7, count(got, "event: session.updated\n"));
    world_close(&w);
}

static void remember(struct test *t, enum bough_memory_scope scope, const char *of)
{
    const struct bough_memory in = { .scope = scope, .of = of, .content = "secret-memory" };

    CHECK_OK(bough_memory_add(t->store, t->arena, &in, NULL, &t->err));
}

static const char *events_of(struct test *t, struct world *w, const char *token)
{
    struct http_reply r =
        world_ask(t, w, "GET", "/api/v1/events?kinds=store",
                  arena_printf(t->arena, "%s%s", bearer(t, token), place(t, 0)), "");

    CHECK_INT(200, r.status);
    return r.body.p;
}

STORE_TEST(what_belongs_to_no_session_has_an_event_for_those_who_may_know)
{
    const struct bough_source source = { .path = "/secret-path" };
    const struct bough_store_fsck_result report = { 0 };
    const char *tokens[3], *got;
    struct world w;

    world_open(t, &w);
    remember(t, BOUGH_MEMORY_OF_STORE, NULL);
    remember(t, BOUGH_MEMORY_OF_PROJECT, "/mine");
    remember(t, BOUGH_MEMORY_OF_PROJECT, "/theirs");
    CHECK_OK(bough_source_put(t->store, t->arena, &source, NULL, &t->err));
    CHECK_OK(bough_store_fsck_note(t->store, BOUGH_FSCK_QUICK, &report, &t->err));
    tokens[0] = world_token(t, "reader", "read", "");
    tokens[1] = world_token(t, "mine", "read", "/mine");
    tokens[2] = world_token(t, "boss", "read,admin", "/mine");

    got = events_after(t, &w, "?kinds=store", place(t, 0));
    CHECK_INT(3, count(got, "\"what\":\"memory\""));
    CHECK_INT(2, count(got, "\"what\":\"project\""));
    CHECK_INT(1, count(got, "\"what\":\"source\""));
    CHECK_INT(1, count(got, "\"what\":\"state\""));
    CHECK(count(got, "\"what\":\"token\"") >= 3);
    CHECK_INT(0, count(got, "secret"));
    CHECK_INT(1, count(got, "\"what\":\"memory\",\"project\":\"/mine\""));
    got = events_after(t, &w, "?kinds=store&project=/theirs", place(t, 0));
    CHECK_INT(2, count(got, "event: store.updated\n"));
    CHECK_INT(2, count(got, "/theirs"));

    got = events_of(t, &w, tokens[0]);
    CHECK_INT(3, count(got, "\"what\":\"memory\""));
    CHECK_INT(5, count(got, "event: store.updated\n"));
    for (int i = 1; i < 3; i++) {
        got = events_of(t, &w, tokens[i]);
        CHECK_INT(2, count(got, "event: store.updated\n"));
        CHECK_INT(2, count(got, "\"project\":\"/mine\""));
    }
    world_close(&w);
}

STORE_TEST(a_stream_is_filtered_by_session_project_and_kind)
{
    struct bough_session_create_options in = { .title = "there", .project = "/there" };
    const char *one = new_session(t, "one"), *got;
    struct bough_session *there;
    struct world w;

    world_open(t, &w);
    CHECK_OK(bough_session_create(t->store, t->arena, &in, &there, &t->err));
    user(t, one, "a");
    user(t, there->id, "b");
    got = events_after(t, &w, arena_printf(t->arena, "?session=%s", one), place(t, 0));
    CHECK_INT(2, count(got, "event: "));
    CHECK(strstr(got, one) && !strstr(got, there->id));
    got = events_after(t, &w, "?project=/there&kinds=message", place(t, 0));
    CHECK_INT(1, count(got, "event: "));
    CHECK(strstr(got, there->id));
    CHECK_INT(422, world_own(t, &w, "GET", "/api/v1/events?kinds=nothing", "").status);
    CHECK_INT(404, world_own(t, &w, "GET", "/api/v1/events?session=nobody", "").status);
    world_close(&w);
}

STORE_TEST(D13_a_token_of_a_project_never_hears_of_another_one)
{
    struct bough_session_create_options in = { .title = "mine", .project = "/mine" };
    const char *foreign = new_session(t, "secret-title"), *headers;
    struct bough_session *mine;
    struct bough_session_purge_result report;
    struct http_reply r;
    struct world w;

    world_open(t, &w);
    CHECK_OK(bough_session_create(t->store, t->arena, &in, &mine, &t->err));
    user(t, foreign, "secret-text");
    user(t, mine->id, "hello");
    CHECK_OK(bough_session_purge(t->store, t->arena, new_session(t, "gone"), &report, &t->err));
    headers = arena_printf(t->arena, "%s%s", bearer(t, world_token(t, "x", "read", "/mine")),
                           place(t, 0));
    r = world_ask(t, &w, "GET", "/api/v1/events", headers, "");
    CHECK_INT(200, r.status);
    CHECK_INT(2, count(r.body.p, "event: session.") + count(r.body.p, "event: message."));
    CHECK_INT(3, count(r.body.p, "event: ")); /* and that its project exists by now */
    CHECK(!strstr(r.body.p, "secret") && !strstr(r.body.p, foreign));
    r = world_ask(t, &w, "GET", arena_printf(t->arena, "/api/v1/events?session=%s", foreign),
                  headers, "");
    CHECK_INT(404, r.status);
    world_close(&w);
}

STORE_TEST(another_epoch_or_a_place_that_never_was_is_a_reset)
{
    static const char *const bad[] = { "999-1", "1-99999", "nonsense", "1-", "-1", "1-1.x" };
    struct world w;

    world_open(t, &w);
    new_session(t, "one");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *got =
            events_after(t, &w, "", arena_printf(t->arena, "Last-Event-ID: %s\r\n", bad[i]));

        CHECK_INT(1, count(got, "event: "));
        CHECK(
            strstr(got, arena_printf(t->arena, "id: %lld-1\nevent: reset\n", (long long)epoch(t))));
    }
    CHECK(strstr(events_after(t, &w, "", ""), "event: ready\n"));
    world_close(&w);
}

STORE_TEST(a_late_follower_gets_the_text_so_far_then_the_rest_by_offset)
{
    const char *s = new_session(t, "one");
    struct bough_message_open_result m = open_message(t, s);
    struct live l;
    struct reader early, late;

    step(t, &m, BOUGH_STEP_PART, "{\"type\":\"text\",\"text\":\"\"}");
    step(t, &m, BOUGH_STEP_TEXT, "Hello");
    live_start(t, &l);
    reader_open(t, &early, &l, "/api/v1/events", "");
    CHECK(reader_hears(&early, "\"offset\":5,\"part\":{\"type\":\"text\",\"text\":\"Hello\"}", 1,
                       5000));
    step(t, &m, BOUGH_STEP_TEXT, ", wor");
    CHECK(reader_hears(&early, "\"offset\":5,\"delta\":\", wor\"", 1, 5000));
    reader_open(t, &late, &l, "/api/v1/events", "");
    CHECK(reader_hears(&late, "\"offset\":10,\"part\":{\"type\":\"text\",\"text\":\"Hello, wor\"}",
                       1, 5000));
    step(t, &m, BOUGH_STEP_TEXT, "l");
    CHECK(reader_hears(&early, "\"offset\":10,\"delta\":\"l\"", 1, 5000));
    CHECK(reader_hears(&late, "\"offset\":10,\"delta\":\"l\"", 1, 5000));
    usleep(200000); /* the late reader has joined the live stream by now */
    step(t, &m, BOUGH_STEP_TEXT, "d");
    CHECK_OK(bough_message_seal(t->store, t->arena, &m.writing, NULL, &(struct bough_entry *){ 0 },
                                &t->err));
    CHECK(reader_hears(&early, "event: message.updated", 1, 5000));
    CHECK(reader_hears(&late, "event: message.updated", 1, 5000));
    CHECK(strstr(early.got.p, "\"offset\":11,\"delta\":\"d\""));
    CHECK(strstr(late.got.p, "\"offset\":11,\"delta\":\"d\""));
    reader_close(&early);
    reader_close(&late);
    live_stop(&l);
}

/* ---- many events ---- */

enum { MANY = 5000 };

struct writing {
    struct bough_store *store;
    const char *session;
};

static void write_many(struct bough_store *s, const char *session)
{
    for (int i = 1; i <= MANY; i++) {
        struct bough_arena *a = bough_arena_create();
        char text[16];
        struct bough_entry_new e = { .role = BOUGH_ROLE_USER, .text = text };
        struct bough_append_options in = { .entries = &e, .n = 1 };
        struct bough_append_result out;

        snprintf(text, sizeof text, "<%d>", i);
        if (bough_append(s, a, session, &in, &out, NULL))
            _exit(1);
        bough_arena_destroy(a);
    }
}

static void *writer(void *user)
{
    struct writing *w = user;

    write_many(w->store, w->session);
    return NULL;
}

/* Messages <1> to <MANY> arrive once and in order. *next counts across connections. */
static void check_all(const struct reader *r, int *next)
{
    for (const char *p = r->got.p, *text; (text = strstr(p, "\"text\":\"<")); p = text + 9) {
        if (!strstr(text, "\n\n"))
            break; /* incomplete event: it is sent again after reconnecting */
        CHECK_INT(*next, strtol(text + 9, NULL, 10));
        ++*next;
    }
}

/* Read all events over connections that are closed `breaks` times. */
static void follow_all(struct test *t, struct live *l, int breaks)
{
    const char *last = place(t, 1);
    int next = 1;

    for (int i = 0; i <= breaks; i++) {
        struct reader r;

        reader_open(t, &r, l, "/api/v1/events?kinds=message", last);
        if (i == breaks)
            CHECK(reader_hears(&r, arena_printf(t->arena, "<%d>", MANY), 1, 30000));
        else
            CHECK(reader_hears(&r, "event: message.created", MANY / (breaks + 2), 15000));
        check_all(&r, &next);
        last = arena_printf(t->arena, "Last-Event-ID: %s\r\n", reader_last_id(t, &r));
        reader_close(&r);
    }
    CHECK_INT(MANY + 1, next);
}

STORE_TEST_SECONDS(five_thousand_events_reach_two_clients_once_over_broken_connections, 60)
{
    const char *s = new_session(t, "one");
    struct writing how = { t->store, s };
    pthread_t thread;
    struct reader steady;
    struct live l;
    int next = 1;

    live_start(t, &l);
    reader_open(t, &steady, &l, "/api/v1/events?kinds=message", place(t, 1));
    CHECK_INT(0, pthread_create(&thread, NULL, writer, &how));
    follow_all(t, &l, 5);
    CHECK(reader_hears(&steady, arena_printf(t->arena, "<%d>", MANY), 1, 30000));
    check_all(&steady, &next);
    CHECK_INT(MANY + 1, next);
    pthread_join(thread, NULL);
    reader_close(&steady);
    live_stop(&l);
}

SHARED_TEST(events_of_another_process_arrive_and_a_restarted_server_goes_on, 60)
{
    const char *url = t->url, *s, *last;
    struct reader r;
    struct live l;
    int next = 1, status;
    pid_t pid;

    CHECK_OK(bough_store_open(&t->store, url, NULL, &t->err));
    s = new_session(t, "one");
    bough_store_close(&t->store); /* no open store may be inherited by the child */
    pid = fork();
    if (pid == 0) {
        if (bough_store_open(&t->store, url, NULL, NULL))
            _exit(1);
        write_many(t->store, s);
        bough_store_close(&t->store);
        _exit(0);
    }
    CHECK_OK(bough_store_open(&t->store, url, NULL, &t->err));
    live_start(t, &l);
    reader_open(t, &r, &l, "/api/v1/events?kinds=message", place(t, 1));
    CHECK(reader_hears(&r, "event: message.created", 1000, 20000));
    check_all(&r, &next);
    last = arena_printf(t->arena, "Last-Event-ID: %s\r\n", reader_last_id(t, &r));
    live_stop(&l);
    reader_close(&r);
    live_start(t, &l);
    reader_open(t, &r, &l, "/api/v1/events?kinds=message", last);
    CHECK(reader_hears(&r, arena_printf(t->arena, "<%d>", MANY), 1, 30000));
    check_all(&r, &next);
    CHECK_INT(MANY + 1, next);
    CHECK_INT(pid, waitpid(pid, &status, 0));
    CHECK_INT(0, status);
    reader_close(&r);
    live_stop(&l);
    store_check(t, t->store);
    bough_store_close(&t->store);
}

STORE_TEST(pieces_of_an_open_message_come_in_order_of_their_offsets)
{
    const char *s = new_session(t, "one");
    struct bough_message_open_result m;
    struct reader r;
    struct live l;
    long long at = 0;

    live_start(t, &l);
    reader_open(t, &r, &l, "/api/v1/events?kinds=message", "");
    m = open_message(t, s);
    step(t, &m, BOUGH_STEP_PART, "{\"type\":\"text\",\"text\":\"\"}");
    for (int i = 0; i < 300; i++) {
        step(t, &m, BOUGH_STEP_TEXT, "0123456789");
        if (i % 10 == 0)
            usleep(2000);
    }
    CHECK_OK(bough_message_seal(t->store, t->arena, &m.writing, NULL, &(struct bough_entry *){ 0 },
                                &t->err));
    CHECK(reader_hears(&r, "event: message.updated", 1, 5000));
    CHECK(strstr(r.got.p, "event: message.part.updated\n")); /* the part is empty, or has some text
                                                                if the hub was late */
    at = strtoll(strstr(strstr(r.got.p, "event: message.part.updated\n"), "\"offset\":") + 9, NULL,
                 10);
    for (const char *p = r.got.p; (p = strstr(p, ",\"delta\":\"")); p++) {
        const char *offset = p;

        while (*offset != ':')
            offset--;
        CHECK_INT(at, strtoll(offset + 1, NULL, 10));
        at += (long long)strcspn(p + 10, "\"");
    }
    CHECK_INT(3000, at);
    reader_close(&r);
    live_stop(&l);
}

STORE_TEST(a_quiet_stream_has_a_heartbeat)
{
    struct reader r;
    struct live l;

    live_start(t, &l);
    reader_open(t, &r, &l, "/api/v1/events", "");
    CHECK(reader_hears(&r, "\n:\n\n", 2, 5000));
    reader_close(&r);
    live_stop(&l);
}

STORE_TEST(a_long_past_comes_in_pieces_that_fit_together)
{
    const char *s = new_session(t, "one"), *got;
    char *text = arena_zalloc(t->arena, 100001);
    struct world w;

    world_open(t, &w);
    memset(text, 'x', 100000);
    for (int i = 0; i < 10; i++)
        user(t, s, text);
    got = events_after(t, &w, "", place(t, 0));
    CHECK_INT(10, count(got, "event: message.created\n"));
    CHECK_INT(11, count(got, "\nid: ") + 1);
    world_close(&w);
}

/* In a child: open a message, report it through `tell`, and exit when `hear` has a byte. */
_Noreturn static void write_and_die(const char *url, const char *session, int tell, int hear)
{
    struct bough_arena *a = bough_arena_create();
    struct bough_entry_new e = { .role = BOUGH_ROLE_ASSISTANT };
    struct bough_message_open_options in = { .entry = &e, .owner = "child" };
    struct bough_step step = { .kind = BOUGH_STEP_PART,
                               .bytes = str_of("{\"type\":\"text\",\"text\":\"half\"}") };
    struct bough_message_open_result m;
    struct bough_message_step_result stepped;
    struct bough_store *s;
    char c = 'x';

    if (bough_store_open(&s, url, NULL, NULL) || bough_message_open(s, a, session, &in, &m, NULL) ||
        bough_message_step(s, &m.writing, 0, &step, 1, &stepped, NULL) ||
        bough_message_flush(s, &m.writing, &stepped, NULL) || write(tell, &c, 1) != 1)
        _exit(1);
    _exit(read(hear, &c, 1) == 1 ? 0 : 2);
}

TEST(C20_followers_learn_that_the_writer_of_a_message_died)
{
    const char *url = arena_printf(t->arena, "sqlite:%s", test_path(t, "died.db")), *s;
    int up[2], down[2], status;
    struct reader all, one;
    struct live l;
    pid_t pid;
    char c;

    CHECK_OK(bough_store_open(&t->store, url, NULL, &t->err));
    s = new_session(t, "one");
    bough_store_close(&t->store);
    CHECK_INT(0, pipe(up) + pipe(down));
    pid = fork();
    if (pid == 0)
        write_and_die(url, s, up[1], down[0]);
    CHECK_INT(1, read(up[0], &c, 1));
    CHECK_OK(bough_store_open(&t->store, url, NULL, &t->err));
    live_start(t, &l);
    reader_open(t, &all, &l, "/api/v1/events", "");
    CHECK(reader_hears(&all, "\"part\":{\"type\":\"text\",\"text\":\"half\"}", 1, 5000));
    reader_open(t, &one, &l, arena_printf(t->arena, "/api/v1/sessions/%s/ui-stream", s), "");
    CHECK(reader_hears(&one, "\"delta\":\"half\"", 1, 5000));
    CHECK_INT(1, write(down[1], &c, 1));
    CHECK_INT(pid, waitpid(pid, &status, 0));
    CHECK_INT(0, status);
    CHECK(reader_hears(&all, "event: message.updated", 1, 5000));
    CHECK(reader_hears(&one, "data: [DONE]", 1, 5000));
    reader_close(&all);
    reader_close(&one);
    live_stop(&l);
    store_check(t, t->store);
    bough_store_close(&t->store);
    for (int i = 0; i < 2; i++) {
        close(up[i]);
        close(down[i]);
    }
}
