/* A PostgreSQL server with a full disk, simulated by tests/preload/no_space.c. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "base/os/fs.h"
#include "ledger.h"
#include "lib/pg_server.h"

/* Copy no_space.so, which is built beside this program, to the server's folder, where the server
 * may read it. Returns the LD_PRELOAD setting. */
static const char *preload(struct test *t, const struct pg_server *pg)
{
    const char *to = arena_printf(t->arena, "%s/no_space.so", pg->dir);
    struct bough_str object;
    char self[400];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);

    CHECK(n > 0);
    self[n] = '\0';
    *strrchr(self, '/') = '\0';
    CHECK_OK(fs_read(t->arena, arena_printf(t->arena, "%s/preload/no_space.so", self), 1 << 20,
                     &object, &t->err));
    CHECK_OK(fs_write(to, object, 0644, &t->err));
    return arena_printf(t->arena, "LD_PRELOAD=%s", to);
}

static bool fill(const char *flag, const char *what)
{
    return fs_write(flag, (struct bough_str){ what, strlen(what) }, 0644, NULL) == BOUGH_OK;
}

/* Start a server whose disk is full while the returned file exists, and open a store on it. */
static const char *start_full(struct test *t, struct pg_server *pg)
{
    const char *flag = arena_printf(t->arena, "%s/full", pg->dir);

    pg_server_do(pg, "start", preload(t, pg), arena_printf(t->arena, "NO_SPACE=%s", flag));
    t->url = pg_server_url(t, pg, "");
    CHECK_OK(bough_store_open(&t->store, t->url, NULL, &t->err));
    return flag;
}

PG_SERVER_TEST(a_full_disk_at_the_server_refuses_whole_appends_until_there_is_space, 60)
{
    enum { WRITERS = 3 };
    static const size_t sizes[WRITERS] = { 1, 5, 1000 }; /* fast path, batch, COPY */
    static struct ledger l[WRITERS];
    static atomic_bool stop;
    const char *flag = start_full(t, pg);

    for (int i = 0; i < WRITERS; i++) {
        l[i] = (struct ledger){ .s = t->store,
                                .session = new_session(t, ""),
                                .number = i,
                                .size = sizes[i],
                                .stop = &stop };
        for (int k = 0; k < 4; k++)
            CHECK_OK(ledger_append(&l[i]));
    }
    CHECK(fill(flag, "/base/"));
    for (int i = 0; i < 2 * WRITERS; i++) { /* twice: a refused append does no harm */
        struct ledger *w = &l[i / 2];
        enum bough_rc rc = BOUGH_OK;

        for (int k = 0; !rc && k < 3000; k++) /* partly filled pages still have room */
            rc = ledger_append(w);
        printf("# after %d appends: %s\n", w->n, w->err.msg);
        CHECK_INT(BOUGH_FULL, rc);
    }
    for (int i = 0; i < WRITERS; i++)
        ledger_check(t, &l[i]);
    CHECK(unlink(flag) == 0);
    for (int i = 0; i < WRITERS; i++) {
        CHECK_OK(ledger_append(&l[i]));
        ledger_check(t, &l[i]);
    }
    store_check(t, t->store);
}

static bool answers(struct test *t, const struct pg_server *pg)
{
    return pg_server_ask(t, pg, "SELECT 1") != NULL;
}

PG_SERVER_TEST(a_full_disk_under_the_write_ahead_log_loses_nothing_and_doubles_nothing, 60)
{
    enum { WRITERS = 3 };
    static const struct ledger kinds[WRITERS] = { { .size = 1 },
                                                  { .size = 5, .keyed = true },
                                                  { .size = 300, .keyed = true } };
    static struct ledger l[WRITERS];
    static atomic_bool stop;
    const char *flag = start_full(t, pg);
    bool fine, died = false;
    int tries = 0;
    struct bough_str log;

    stop = false;
    for (int i = 0; i < WRITERS; i++) {
        l[i] = kinds[i];
        l[i].s = t->store;
        l[i].session = new_session(t, "");
        l[i].number = i;
        l[i].stop = &stop;
    }
    for (int i = 0; i < WRITERS; i++)
        ledger_start(&l[i]);
    usleep(200000);
    fine = fill(flag, "/pg_wal/");
    for (int i = 0; i < 60 && !died; i++) { /* use up the segments until the server dies */
        died = !pg_server_ask(t, pg, "SELECT pg_switch_wal()");
        usleep(20000);
    }
    usleep(200000);
    fine = fine && unlink(flag) == 0;
    for (struct wait w = { 0 }; !answers(t, pg) && wait_more(&w); tries++)
        if (tries % 50 == 49) /* recovery failed too, and the server has exited */
            (void)pg_server_try(pg, "start", NULL, NULL);
    fine = answers(t, pg) && fine;
    usleep(300000);
    stop = true;
    for (int i = 0; i < WRITERS; i++)
        ledger_join(&l[i]);
    CHECK(fine && died);
    CHECK_OK(fs_read(t->arena, arena_printf(t->arena, "%s/log", pg->dir), 1 << 20, &log, &t->err));
    CHECK(strstr(log.p, "PANIC") && strstr(log.p, "No space left"));
    for (int i = 0; i < WRITERS; i++) {
        printf("# %d appends, %d refused, %d unknown: %s\n", l[i].n, l[i].refused, l[i].unknown,
               l[i].err.msg);
        ledger_check(t, &l[i]);
        CHECK_OK(ledger_append(&l[i]));
    }
    store_check(t, t->store);
}
