/* Import sources: how far a file was read, and which owner may read on. */
#include <sys/wait.h>
#include <unistd.h>

#include "base/os/process.h"
#include <pthread.h>

#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "store/fsck_world.h"

static struct bough_source *find(struct test *t, const char *path)
{
    struct bough_source *out;

    CHECK_OK(bough_source_get(t->store, t->arena, path, &out, &t->err));
    return out;
}

static struct bough_source *claim(struct test *t, const char *path, const char *owner, int64_t ms)
{
    struct bough_source *out;

    CHECK_OK(bough_source_claim(t->store, t->arena, path, owner, ms, &out, &t->err));
    return out;
}

static enum bough_rc claim_rc(struct test *t, const char *path, const char *owner, int64_t ms)
{
    return bough_source_claim(t->store, t->arena, path, owner, ms, NULL, &t->err);
}

static enum bough_rc put_rc(struct test *t, const struct bough_source *in)
{
    return bough_source_put(t->store, t->arena, in, NULL, &t->err);
}

STORE_TEST(a_source_is_found_by_its_path_as_it_was_put)
{
    struct bough_source in = { .path = "/a: b/ü.jsonl",
                               .format = "pi",
                               .hash = "cafe",
                               .session = "s1",
                               .size = 100,
                               .offset = 90 },
                        *out;
    struct bough_sources all;

    CHECK_RC(BOUGH_NOT_FOUND, bough_source_get(t->store, t->arena, in.path, &out, &t->err));
    CHECK_OK(bough_source_list(t->store, t->arena, &all, &t->err));
    CHECK_INT(0, all.n);
    CHECK_OK(bough_source_put(t->store, t->arena, &in, &out, &t->err));
    CHECK_INT(1, out->ver);
    CHECK_OK(put_rc(t, &(struct bough_source){ .path = "/other" }));
    if (store_lasts(t))
        store_reopen(t);
    out = find(t, in.path);
    CHECK_STR(in.path, out->path);
    CHECK_STR("pi", out->format);
    CHECK_STR("cafe", out->hash);
    CHECK_STR("s1", out->session);
    CHECK_STR("", out->owner);
    CHECK_INT(100, out->size);
    CHECK_INT(90, out->offset);
    CHECK_INT(0, out->expires);
    CHECK(out->updated > 0);
    CHECK_OK(bough_source_list(t->store, t->arena, &all, &t->err));
    CHECK_INT(2, all.n);
    CHECK_STR(in.path, all.at[0].path);
    CHECK_INT(1, all.at[0].ver);
    CHECK_STR("/other", all.at[1].path);
    CHECK_STR("", all.at[1].format);
}

STORE_TEST(a_source_is_written_only_over_the_version_that_was_read)
{
    struct bough_source in = { .path = "/p", .offset = 1 }, *out;

    CHECK_OK(bough_source_put(t->store, t->arena, &in, &out, &t->err));
    CHECK_RC(BOUGH_CONFLICT, put_rc(t, &in));
    in.ver = out->ver;
    in.offset = 2;
    CHECK_OK(bough_source_put(t->store, t->arena, &in, &out, &t->err));
    CHECK_INT(2, out->ver);
    CHECK_INT(2, find(t, "/p")->ver);
    in.offset = 3;
    CHECK_RC(BOUGH_CONFLICT, put_rc(t, &in));
    CHECK_INT(2, find(t, "/p")->offset);
    in.path = "/unknown";
    CHECK_RC(BOUGH_CONFLICT, put_rc(t, &in));
}

STORE_TEST(a_claim_of_a_source_keeps_others_away_until_it_ends)
{
    struct bough_source in = { .path = "/p", .owner = "two", .offset = 7 }, *mine;

    mine = claim(t, "/p", "one", 1000);
    CHECK_INT(1, mine->ver);
    CHECK_INT(0, mine->offset);
    CHECK_STR("one", mine->owner);
    CHECK(mine->expires > mine->updated);
    CHECK_RC(BOUGH_BUSY, claim_rc(t, "/p", "two", 1000));
    CHECK(strstr(t->err.msg, "one"));
    in.ver = mine->ver;
    CHECK_RC(BOUGH_BUSY, put_rc(t, &in));
    in.owner = NULL;
    CHECK_RC(BOUGH_BUSY, put_rc(t, &in));
    in.owner = "one";
    CHECK_OK(bough_source_put(t->store, t->arena, &in, &mine, &t->err));
    CHECK_STR("one", mine->owner);
    CHECK_RC(BOUGH_BUSY, claim_rc(t, "/p", "two", 1000));

    test_later(t, 900); /* renewed in time */
    claim(t, "/p", "one", 1000);
    test_later(t, 900);
    CHECK_RC(BOUGH_BUSY, claim_rc(t, "/p", "two", 1000));
    if (store_lasts(t))
        store_reopen(t);
    CHECK_RC(BOUGH_BUSY, claim_rc(t, "/p", "two", 1000));
    test_later(t, 200); /* the claim has expired */
    mine = claim(t, "/p", "two", 1000);
    CHECK_INT(7, mine->offset);
    CHECK_RC(BOUGH_BUSY, claim_rc(t, "/p", "one", 1000));
    in.ver = 2; /* the version the first owner read before its claim expired */
    CHECK_RC(BOUGH_BUSY, put_rc(t, &in));
    CHECK_RC(BOUGH_BUSY, claim_rc(t, "/p", "one", 0));
    CHECK_INT(0, claim(t, "/p", "two", 0)->expires);
    CHECK_RC(BOUGH_CONFLICT, put_rc(t, &in));
    claim(t, "/p", "one", 1000);
    claim(t, "/another", "two", 1000);
}

STORE_TEST(sources_are_checked)
{
    char *path = arena_zalloc(t->arena, LIMIT_PATH + 2);
    struct bough_source *out;

    memset(path, 'p', LIMIT_PATH + 1);
    CHECK_RC(BOUGH_TOO_LARGE, claim_rc(t, path, "me", 1));
    CHECK_RC(BOUGH_TOO_LARGE, bough_source_get(t->store, t->arena, path, &out, &t->err));
    path[LIMIT_PATH] = '\0';
    CHECK_OK(claim_rc(t, path, "me", 1));
    CHECK_STR(path, find(t, path)->path);
    CHECK_RC(BOUGH_INVALID, claim_rc(t, "", "me", 1));
    CHECK_RC(BOUGH_INVALID, claim_rc(t, NULL, "me", 1));
    CHECK_RC(BOUGH_INVALID, claim_rc(t, "/\xff", "me", 1));
    CHECK_RC(BOUGH_INVALID, claim_rc(t, "/p", "", 1));
    CHECK_RC(BOUGH_INVALID, claim_rc(t, "/p", NULL, 1));
    CHECK_RC(BOUGH_INVALID, claim_rc(t, "/p", "me", -1));
    CHECK_RC(BOUGH_INVALID, claim_rc(t, "/p", "me", INT64_MAX));
    CHECK_RC(BOUGH_INVALID, put_rc(t, &(struct bough_source){ .path = "" }));
    CHECK_RC(BOUGH_INVALID, put_rc(t, &(struct bough_source){ .path = "/p", .size = -1 }));
    CHECK_RC(BOUGH_INVALID, put_rc(t, &(struct bough_source){ .path = "/p", .offset = -1 }));
    CHECK_RC(BOUGH_NOT_FOUND, bough_source_get(t->store, t->arena, "/p", &out, &t->err));
}

/* --- many at once, on the system clock --- */

enum { THREADS = 12 };

struct follower {
    struct bough_store *store;
    bool puts; /* true: puts the source, false: claims it */
    char name[8];
    enum bough_rc rc;
};

static void *follow(void *arg)
{
    struct follower *f = arg;
    struct bough_source in = { .path = "/p" };
    struct bough_arena *a = bough_arena_create();

    f->rc = f->puts ? bough_source_put(f->store, a, &in, NULL, NULL)
                    : bough_source_claim(f->store, a, "/p", f->name, 60000, NULL, NULL);
    bough_arena_destroy(a);
    return NULL;
}

/* Returns how many succeeded; all others must fail with `refused`. */
static int followed(struct test *t, bool puts, enum bough_rc refused)
{
    struct follower f[THREADS];
    struct bough_store *other = NULL;
    pthread_t threads[THREADS];
    int won = 0;

    bough_store_close(&t->store);
    CHECK_OK(bough_store_open(&t->store, t->url, NULL, &t->err));
    if (store_lasts(t))
        CHECK_OK(bough_store_open(&other, t->url, NULL, &t->err));
    for (int i = 0; i < THREADS; i++) {
        f[i] = (struct follower){
            i % 2 && other ? other : t->store, puts, { 'f', (char)('a' + i) }, BOUGH_OK
        };
        CHECK(pthread_create(&threads[i], NULL, follow, &f[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    bough_store_close(&other);
    for (int i = 0; i < THREADS; i++) {
        won += !f[i].rc;
        if (f[i].rc)
            CHECK_INT(refused, f[i].rc);
    }
    return won;
}

STORE_TEST(of_many_followers_of_a_source_one_gets_the_claim)
{
    struct bough_sources all;

    CHECK_INT(1, followed(t, false, BOUGH_BUSY));
    CHECK_OK(bough_source_list(t->store, t->arena, &all, &t->err));
    CHECK_INT(1, all.n);
}

STORE_TEST(of_many_first_writers_of_a_source_one_succeeds)
{
    struct bough_sources all;

    CHECK_INT(1, followed(t, true, BOUGH_CONFLICT));
    CHECK_OK(bough_source_list(t->store, t->arena, &all, &t->err));
    CHECK_INT(1, all.n);
    CHECK_INT(1, all.at[0].ver);
}

/* --- fsck --- */

STORE_TEST(fsck_I_45_sees_sources_that_their_alias_does_not_name)
{
    struct raw_row want = { .table = RAW_ALIAS, .u.alias = { .id = "source:/p" } }, *r;
    struct source_body b;

    CHECK_OK(put_rc(t, &(struct bough_source){ .path = "/p" }));
    CHECK_OK(put_rc(t, &(struct bough_source){ .path = "/q" }));
    CHECK_OK(bough_store_upkeep(t->store, &t->err));
    r = row_like(t, &want);
    CHECK(r);
    r->u.alias.b++; /* the other source */
    put(t, r);
    expect(t, "I-45", "", "alias source:/p");
    r->u.alias.b += 5; /* no such source */
    put(t, r);
    expect(t, "I-45", "", "alias source:/p");
    r = row_of(t, RAW_RECORD, 0, RECORD_SOURCE, 1);
    body_of_row(t, r, &b);
    b.offset = -1;
    body_put(t, r, &b);
    expect(t, "I-04", "", "record 0.9.1");
}

/* The identity of a process that has ended, and whose parent has not waited for it yet. */
static const char *ended_process(struct test *t, pid_t *pid)
{
    char *text = arena_zalloc(t->arena, PROCESS_TEXT);
    siginfo_t info;
    int fds[2];

    CHECK(pipe(fds) == 0);
    *pid = fork();
    CHECK(*pid >= 0);
    if (*pid == 0) {
        char self[PROCESS_TEXT] = "";

        process_self(self);
        _exit(write(fds[1], self, sizeof self) == (ssize_t)sizeof self ? 0 : 1);
    }
    CHECK(read(fds[0], text, PROCESS_TEXT) == PROCESS_TEXT);
    CHECK(waitid(P_PID, (id_t)*pid, &info, WEXITED | WNOWAIT) == 0);
    close(fds[0]);
    close(fds[1]);
    return text;
}

STORE_TEST(a_claim_ends_with_its_process_even_before_anybody_waited_for_it)
{
    struct bough_source *s;
    char self[PROCESS_TEXT];
    pid_t pid;
    const char *dead = ended_process(t, &pid);

    CHECK_OK(bough_source_claim(t->store, t->arena, "/a",
                                arena_printf(t->arena, "import 1 %s", dead), 60000, &s, &t->err));
    CHECK_OK(bough_source_claim(t->store, t->arena, "/a", "another", 60000, &s, &t->err));
    process_self(self);
    CHECK_OK(bough_source_claim(t->store, t->arena, "/b",
                                arena_printf(t->arena, "import 1 %s", self), 60000, &s, &t->err));
    CHECK_RC(BOUGH_BUSY,
             bough_source_claim(t->store, t->arena, "/b", "another", 60000, &s, &t->err));
    CHECK(waitpid(pid, NULL, 0) == pid);
}
