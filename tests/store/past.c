/*
 * Stores of the past: files that an older bough wrote (tests/data/store-<version>/) say the same
 * today as they said then. A copy is opened, so the first thing that happens is what happens to
 * everybody's store after an update.
 */
#include <stdio.h>
#include <zlib.h>

#include <bough/migrate.h>

#include "auth/auth.h"
#include "base/memory/arena.h"
#include "base/memory/buf.h"
#include "lib/store_test.h"

#define STORE_0_1 "tests/data/store-0.1/"

/* A day after the store was written: the clock at which expected.jsonl was told. */
#define LATER INT64_C(1794859200000)

/* All of a file, unpacked when it is packed. */
static struct bough_str slurp(struct test *t, const char *path)
{
    enum { MOST = 1 << 22 };
    gzFile f = gzopen(path, "rb");
    char *p = arena_alloc(t->arena, MOST);
    int n;

    if (!f)
        SKIP("run from the top of the source tree");
    n = gzread(f, p, MOST - 1);
    CHECK(n > 0 && gzclose(f) == Z_OK);
    p[n] = '\0';
    return (struct bough_str){ p, (size_t)n };
}

/* A copy of the store that was packed under this name; its path. */
static const char *copy_of(struct test *t, const char *packed)
{
    struct bough_str bytes = slurp(t, packed);
    const char *path = test_path(t, "past.db");
    FILE *f = fopen(path, "wb");

    CHECK(f && fwrite(bytes.p, 1, bytes.n, f) == bytes.n && fclose(f) == 0);
    return path;
}

static struct bough_store *open_later(struct test *t, const char *url)
{
    struct bough_env env = { .now = t->env.env.now,
                             .random = t->env.env.random,
                             .user = t->env.env.user };
    struct bough_store_open_options options = { .env = &env };
    struct bough_store *s;

    t->env.now = LATER;
    t->env.step = 0;
    CHECK_OK(bough_store_open(&s, url, &options, &t->err));
    return s;
}

/* A message that nobody wrote any more is sealed by whoever looks at it. */
static void seal_abandoned(struct test *t, struct bough_store *s)
{
    struct bough_open_messages open;
    struct bough_message_follow_result following;

    CHECK_OK(bough_message_list(s, t->arena, NULL, &open, &t->err));
    for (size_t i = 0; i < open.n; i++)
        CHECK_OK(bough_message_follow(s, t->arena, open.at[i].id, -1, 0, &following, &t->err));
}

static bool gather(void *user, struct bough_str bytes)
{
    buf_put_str(user, bytes);
    return true;
}

/* The whole store in bough's own format: what belongs to no session, then session by session. */
static const char *told(struct test *t, struct bough_store *s)
{
    struct bough_session_list_options filter = { .include_deleted = true, .limit = 1000 };
    struct buf b;
    struct bough_export_options how = {
        .format = "bough", .alone = true, .write = gather, .user = &b
    };
    struct bough_sessions all;
    const char *out;

    buf_init(&b, (size_t)1 << 24);
    CHECK_OK(bough_session_list(s, t->arena, &filter, &all, &t->err));
    CHECK_OK(bough_export_notes(s, &how, &t->err));
    for (size_t i = all.n; i-- > 0;)
        CHECK_OK(bough_export_session(s, all.at[i].id, &how, &t->err));
    out = arena_strndup(t->arena, b.p, b.n);
    buf_finish(&b);
    return out;
}

/* The first line that differs: both texts together are too long to read. */
static void check_told(struct test *t, const char *want, const char *got)
{
    for (int line = 1; strcmp(want, got) != 0; line++) {
        size_t a = strcspn(want, "\n"), b = strcspn(got, "\n");

        if (a != b || strncmp(want, got, a) != 0)
            FAIL("line %d was\n%.*s\nand is\n%.*s", line, (int)a, want, (int)b, got);
        want += a + (want[a] == '\n');
        got += b + (got[b] == '\n');
    }
    (void)t;
}

static void only_quarantine(void *user, const struct bough_finding *f)
{
    if (strcmp(f->code, "I-50") == 0)
        return;
    printf("# fsck: %s %s: %s\n", f->code, f->where, f->text);
    ++*(int *)user;
}

/* Clean, but for the two rows that were quarantined when it was made. */
static void check_sound(struct test *t, struct bough_store *s)
{
    struct bough_store_fsck_result report;
    int other = 0;

    CHECK_OK(bough_store_fsck(s, BOUGH_FSCK_DEEP, only_quarantine, &other, &report, &t->err));
    CHECK_INT(0, other);
    CHECK_INT(2, report.warnings);
    CHECK(report.entries >= 50 && report.records >= 50 && report.attachments == 2);
}

static int64_t hits(struct test *t, struct bough_store *s, const char *text)
{
    struct bough_search_options how = { .query = text };
    struct bough_hits out;

    CHECK_OK(bough_search(s, t->arena, &how, &out, &t->err));
    return (int64_t)out.n;
}

TEST_SECONDS(a_store_of_version_0_1_is_read_as_it_was_written, 60)
{
    const char *url = copy_of(t, STORE_0_1 "store.db.gz");
    const char *want = slurp(t, STORE_0_1 "expected.jsonl").p;
    struct bough_store *s = open_later(t, url);

    seal_abandoned(t, s);
    check_told(t, want, told(t, s));
    check_sound(t, s);
    bough_store_close(&s);
    s = open_later(t, url);
    check_told(t, want, told(t, s));
    bough_store_close(&s);
}

TEST_SECONDS(a_store_of_version_0_1_keeps_its_lists_its_text_and_its_tokens, 60)
{
    struct bough_store *s = open_later(t, copy_of(t, STORE_0_1 "store.db.gz"));
    struct bough_spend_options of_root = { .session = "root-session", .project = "/srv/shop" };
    struct bough_spend_result spent;
    struct auth_tokens tokens;
    struct bough_session *root;

    CHECK_OK(bough_session_get(s, t->arena, "root-session", &root, &t->err));
    CHECK_INT(1, root->number);
    CHECK_STR("Once, however often it is sent.", root->first_user);
    CHECK_STR("berta", root->user_name);
    CHECK_INT(1210, root->own.cost);
    CHECK_OK(bough_spend(s, t->arena, &of_root, &spent, &t->err));
    CHECK(spent.total.used.cost >= root->own.cost && spent.total.calls >= root->calls);
    CHECK_INT(1, hits(t, s, "narrator"));
    CHECK_INT(1, hits(t, s, "title:damaged"));
    CHECK_OK(auth_token_list(s, t->arena, &tokens, &t->err));
    CHECK_INT(2, tokens.n);
    CHECK_STR("reader", tokens.at[0].label);
    CHECK_INT(AUTH_READ, tokens.at[0].scopes);
    CHECK(tokens.at[0].revoked > 0);
    /* All that there was then: a token never gains scopes that were added later. */
    CHECK_INT(255, tokens.at[1].scopes);
    CHECK_STR("/srv/shop", tokens.at[1].project);
    bough_store_close(&s);
}

TEST_SECONDS(a_store_of_version_0_1_can_be_written_on, 60)
{
    const char *url = copy_of(t, STORE_0_1 "store.db.gz");
    struct bough_entry_new e = { .role = BOUGH_ROLE_USER, .text = "Written today." };
    struct bough_append_options in = { .entries = &e, .n = 1 };
    struct bough_append_result out;
    struct bough_store *s = open_later(t, url);

    for (int i = 1; i <= 3; i++)
        CHECK_OK(bough_append(s, t->arena, arena_printf(t->arena, "#%d", i == 3 ? 4 : i), &in, &out,
                              &t->err));
    seal_abandoned(t, s);
    check_sound(t, s);
    CHECK_INT(3, hits(t, s, "written today"));
    bough_store_close(&s);
}

/* PostgreSQL keeps the same numbers in tables of its own. */
TEST_SECONDS(a_store_of_version_0_1_says_the_same_on_postgres, 120)
{
    const char *from = copy_of(t, STORE_0_1 "store.db.gz"), *to = postgres_url(t, "past");
    struct bough_migrate_result moved;
    struct bough_store *s = open_later(t, from);

    seal_abandoned(t, s);
    bough_store_close(&s);
    CHECK_OK(bough_migrate(from, to, NULL, &moved, &t->err));
    s = open_later(t, to);
    check_told(t, slurp(t, STORE_0_1 "expected.jsonl").p, told(t, s));
    check_sound(t, s);
    bough_store_close(&s);
    store_remove(to);
}
