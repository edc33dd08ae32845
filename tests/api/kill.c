/* kill -9 of a real `bough serve` under load, compared with a ledger of acknowledged messages. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api/stream.h"
#include "base/env.h"
#include "base/memory/arena.h"
#include "base/text/str.h"

enum { WRITERS = 4, DEATHS = 6 };

struct load {
    char socket[2][108];
    int servers; /* servers over one store: writers take turns, the last server is followed */
    char session[WRITERS][BOUGH_ID_LEN + 1];
    int acked[WRITERS];    /* each written only by its writer */
    int followed[WRITERS]; /* last number of each writer; written only by the follower */
    char place[64];        /* "epoch-no" at the start, then the id of the last event */
    bool stop;             /* atomic: writers finish their current message */
    bool done;             /* atomic: the follower may stop */
    const char *wrong;     /* atomic: an error found by a thread */
};

static void blame(struct load *l, const char *what)
{
    __atomic_store_n(&l->wrong, what, __ATOMIC_RELEASE);
}

static int dial(const struct load *l, int who)
{
    struct sockaddr_un to = { .sun_family = AF_UNIX };
    struct timeval deadline = { .tv_usec = 500000 };
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    snprintf(to.sun_path, sizeof to.sun_path, "%s", l->socket[who % l->servers]);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof to) != 0) {
        close(fd);
        fd = -1;
    }
    if (fd >= 0)
        (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &deadline, sizeof deadline);
    return fd;
}

/* ---- writers ---- */

/* One attempt. True if it was acknowledged. */
static bool post(const struct load *l, int writer, int number)
{
    char body[160], ask[512], got[4096];
    int fd = dial(l, writer), n, size;
    ssize_t have = 0, some = 0;

    if (fd < 0)
        return false;
    n = snprintf(
        body, sizeof body,
        "{\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"data\":{\"text\":\"w%d-%d.\"}}]}",
        writer, number);
    size = snprintf(ask, sizeof ask,
                    "POST /alkhub/v1/sessions/%s/messages HTTP/1.1\r\nHost: localhost\r\n"
                    "Connection: close\r\nContent-Type: application/json\r\n"
                    "Idempotency-Key: w%d-%d\r\nContent-Length: %d\r\n\r\n%s",
                    l->session[writer], writer, number, n, body);
    if (send(fd, ask, (size_t)size, MSG_NOSIGNAL) == size)
        while (have < (ssize_t)sizeof got - 1 &&
               (some = read(fd, got + have, sizeof got - 1 - (size_t)have)) > 0)
            have += some;
    close(fd);
    got[have] = '\0';
    return strncmp(got, "HTTP/1.1 201 ", 13) == 0 && strstr(got, "\"parts\":[");
}

struct writer {
    struct load *l;
    int i;
};

static void *write_on(void *user)
{
    struct writer *w = user;
    struct load *l = w->l;

    for (int n = 1; !__atomic_load_n(&l->stop, __ATOMIC_ACQUIRE); n++) {
        struct wait more = { 0 };

        while (!post(l, w->i, n)) /* the server died: retry with the same key */
            if (!wait_more(&more)) {
                blame(l, "a writer was never answered");
                return NULL;
            }
        l->acked[w->i] = n;
    }
    return NULL;
}

/* ---- the follower ---- */

/* Every message of every writer must arrive once and in order. */
static void take_event(struct load *l, const char *event)
{
    const char *id = strstr(event, "id: "), *text = strstr(event, "\"text\":\"w");
    int writer, number;

    if (text && sscanf(text, "\"text\":\"w%d-%d.", &writer, &number) == 2) {
        if (number != l->followed[writer] + 1)
            blame(l, number > l->followed[writer] ? "an event was missed" : "an event came twice");
        __atomic_store_n(&l->followed[writer], number, __ATOMIC_RELEASE);
    }
    if (id)
        snprintf(l->place, sizeof l->place, "%.*s", (int)strcspn(id + 4, "\n"), id + 4);
}

static void take_events(struct load *l, struct buf *b)
{
    char *from = b->p, *end;

    while ((end = strstr(from, "\n\n"))) {
        *end = '\0';
        take_event(l, from);
        from = end + 2;
    }
    b->n -= (size_t)(from - b->p);
    memmove(b->p, from, b->n);
    buf_end(b);
}

static void *follow(void *user)
{
    struct load *l = user;

    while (!__atomic_load_n(&l->done, __ATOMIC_ACQUIRE)) {
        char ask[256], piece[16384];
        int fd = dial(l, l->servers - 1), size;
        ssize_t n = -1;
        struct buf b;

        buf_init(&b, 64 * 1024 * 1024);
        size = snprintf(ask, sizeof ask,
                        "GET /api/v1/events?kinds=message HTTP/1.1\r\nHost: localhost\r\n"
                        "Last-Event-ID: %s\r\n\r\n",
                        l->place);
        if (fd >= 0 && send(fd, ask, (size_t)size, MSG_NOSIGNAL) == size)
            while ((n = read(fd, piece, sizeof piece)) > 0 &&
                   !__atomic_load_n(&l->wrong, __ATOMIC_ACQUIRE)) {
                buf_put(&b, piece, (size_t)n);
                take_events(l, &b);
            }
        buf_finish(&b);
        if (fd >= 0)
            close(fd);
        usleep(5000);
    }
    return NULL;
}

/* ---- the server ---- */

static pid_t serve(struct test *t, const struct load *l, int which, const char *url)
{
    char self[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    const char *program;
    pid_t pid;
    int fd;

    CHECK(n > 0);
    self[n] = '\0';
    *strrchr(self, '/') = '\0'; /* .../tests/api.t lies beside .../bough */
    program = arena_printf(t->arena, "%s/../bough", self);
    fflush(stdout);
    pid = fork();
    if (pid == 0) {
        if (!freopen("/dev/null", "w", stdout))
            _exit(1);
        execl(program, program, "--store", url, "serve", "--quiet", "--socket", l->socket[which],
              NULL);
        _exit(127);
    }
    for (struct wait w = { 0 }; (fd = dial(l, which)) < 0 && wait_more(&w);)
        ;
    CHECK(fd >= 0);
    close(fd);
    return pid;
}

static void end(pid_t pid, int sig)
{
    int status;

    CHECK_INT(0, kill(pid, sig));
    CHECK_INT(pid, waitpid(pid, &status, 0));
}

static bool all_followed(const struct load *l)
{
    for (int i = 0; i < WRITERS; i++)
        if (__atomic_load_n(&l->followed[i], __ATOMIC_ACQUIRE) < l->acked[i])
            return false;
    return true;
}

/* Exactly the acknowledged messages are there, once and in order. */
static void verify(struct test *t, const struct load *l)
{
    for (int i = 0; i < WRITERS; i++) {
        struct bough_entries_read_result path;

        CHECK_OK(bough_entries_read(t->store, t->arena, l->session[i],
                                    &(struct bough_entries_read_options){ 0 }, &path, &t->err));
        CHECK_INT(l->acked[i], path.entries.n);
        CHECK_INT(l->acked[i], l->followed[i]);
        for (int n = 1; n <= l->acked[i]; n++)
            CHECK_STR(arena_printf(t->arena, "w%d-%d.", i, n), text_of(t, &path.entries.at[n - 1]));
    }
}

/* Start `servers` servers and kill the first one again and again. */
static void run_servers(struct test *t, int servers)
{
    const char *url = t->url;
    struct load *l = arena_zalloc(t->arena, sizeof *l);
    pthread_t threads[WRITERS], follower;
    struct writer w[WRITERS];
    struct bough_mark mark;
    pid_t pid, other = 0;

    CHECK_OK(bough_store_open(&t->store, url, NULL, &t->err));
    for (int i = 0; i < WRITERS; i++)
        memcpy(l->session[i], new_session(t, ""), BOUGH_ID_LEN + 1);
    CHECK_OK(bough_feed_end(t->store, &mark, &t->err));
    bough_store_close(&t->store);
    snprintf(l->place, sizeof l->place, "%lld-%lld", (long long)mark.epoch, (long long)mark.no);
    l->servers = servers;
    for (int i = 0; i < servers; i++)
        snprintf(l->socket[i], sizeof l->socket[i], "%s", test_path(t, i ? "sock-other" : "sock"));
    pid = serve(t, l, 0, url);
    if (servers > 1)
        other = serve(t, l, 1, url);
    CHECK_INT(0, pthread_create(&follower, NULL, follow, l));
    for (int i = 0; i < WRITERS; i++) {
        w[i] = (struct writer){ l, i };
        CHECK_INT(0, pthread_create(&threads[i], NULL, write_on, &w[i]));
    }
    for (int i = 0; i < DEATHS; i++) {
        usleep((useconds_t)(150000 + i * 37000));
        end(pid, SIGKILL);
        pid = serve(t, l, 0, url);
    }
    usleep(200000);
    __atomic_store_n(&l->stop, true, __ATOMIC_RELEASE);
    for (int i = 0; i < WRITERS; i++)
        pthread_join(threads[i], NULL);
    for (struct wait more = { 0 }; !all_followed(l) && wait_more(&more);)
        ;
    __atomic_store_n(&l->done, true, __ATOMIC_RELEASE);
    end(pid, SIGTERM);
    if (other)
        end(other, SIGTERM);
    pthread_join(follower, NULL);
    CHECK_STR("", l->wrong ? l->wrong : "");
    CHECK_OK(bough_store_open(&t->store, url, NULL, &t->err));
    CHECK(l->acked[0] > DEATHS);
    verify(t, l);
    store_check(t, t->store);
    bough_store_close(&t->store);
}

SHARED_TEST(a_server_killed_under_load_loses_doubles_and_hides_nothing_from_followers, 120)
{
    run_servers(t, 1);
}

SHARED_TEST(of_two_servers_over_one_store_one_may_die_and_the_other_tells_of_both, 120)
{
    run_servers(t, 2);
}
