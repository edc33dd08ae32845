/*
 * A program as a user of 0.2 wrote it. scripts/test-promises compiles it with the frozen headers in
 * include-0.2 and runs it with today's library: it must keep compiling and working. With GROWN it
 * is compiled with headers in which two structs have a new member, `added`.
 *
 * program URL
 */
#include <bough/bough.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TALK = 7 };

static struct bough_store *store;
static struct bough_arena *a;
static struct bough_error err;

#define OK(call)                                                                                   \
    do {                                                                                           \
        if (call)                                                                                  \
            fail(__LINE__, err.msg);                                                               \
    } while (0)
#define IS(condition)                                                                              \
    do {                                                                                           \
        if (!(condition))                                                                          \
            fail(__LINE__, #condition);                                                            \
    } while (0)

static void fail(int line, const char *why)
{
    fprintf(stderr, "program.c:%d: %s\n", line, why);
    exit(1);
}

/* Seven messages in one append: the stride of arrays in and out. */
static struct bough_session *talk(void)
{
    const struct bough_totals spent = { .input = 10, .output = 20, .cost = 30 };
    const struct bough_call_new call = { .provider = "p", .model = "m", .used = spent };
    struct bough_session_create_options how = { .title = "An old program", .project = "/old" };
    struct bough_entry_new e[TALK] = { 0 };
    struct bough_append_options in = { .entries = e, .n = TALK, .call = &call, .key = "k" };
    struct bough_append_result out, again;
    struct bough_session *s;

    for (int i = 0; i < TALK; i++) {
        e[i].role = i % 2 ? BOUGH_ROLE_ASSISTANT : BOUGH_ROLE_USER;
        e[i].text = i % 2 ? "an answer" : "a question about boughs";
        e[i].usage = i % 2 ? &spent : NULL;
    }
    e[1].by_call = true;
    OK(bough_session_create(store, a, &how, &s, &err));
    OK(bough_append(store, a, s->id, &in, &out, &err));
    OK(bough_append(store, a, s->id, &in, &again, &err));
    IS(out.n == TALK && out.head.depth == TALK && out.no > 0 && *out.call);
    IS(again.replayed && strcmp(out.ids[TALK - 1], again.ids[TALK - 1]) == 0);
    OK(bough_session_get(store, a, s->id, &s, &err));
    IS(s->messages == TALK && s->calls == 3 && s->own.cost == 90 && s->rolled.input == 30);
    IS(strcmp(s->project, "/old") == 0 && !s->lease && s->head.depth == TALK);
    return s;
}

static void check_pages(const struct bough_session *s)
{
    struct bough_entries_read_options read = { .limit = 3 };
    struct bough_tree_entries_options tree = { .limit = 2 };
    struct bough_store_log_options log = { .limit = 1 };
    struct bough_entries_read_result path;
    struct bough_entries entries;
    struct bough_changes changes;
    int64_t depth = 0, no = 0, seen = 0;

    do {
        OK(bough_entries_read(store, a, s->id, &read, &path, &err));
        for (size_t i = 0; i < path.entries.n; i++) {
            const struct bough_entry *e = &path.entries.at[i];

            IS(e->at.depth == ++depth && e->mno == depth && e->nparts == 1);
            IS(!e->usage == (e->role == BOUGH_ROLE_USER));
            IS(!e->usage || (e->usage->output == 20 && *e->call));
        }
        read.cursor = path.entries.next;
    } while (*path.entries.next);
    IS(depth == TALK && !path.marker);
    do {
        OK(bough_tree_entries(store, a, s->id, &tree, &entries, &err));
        for (size_t i = 0; i < entries.n; i++, seen++) {
            IS(entries.at[i].no > no);
            no = entries.at[i].no;
        }
        tree.cursor = entries.next;
    } while (*entries.next);
    IS(seen == TALK);
    do {
        OK(bough_store_log(store, a, &log, &changes, &err));
        IS(changes.n <= 1);
        seen += changes.n ? changes.at[0].count : 0;
        log.cursor = changes.next;
    } while (*changes.next);
    IS(seen >= 2 * TALK + 1);
}

static void check_search(const struct bough_session *s)
{
    struct bough_search_options in = { .query = "boughs", .limit = 3, .wait_ms = 5000 };
    struct bough_hits hits;
    size_t n = 0;

    do {
        OK(bough_search(store, a, &in, &hits, &err));
        for (size_t i = 0; i < hits.n; i++, n++) {
            IS(strcmp(hits.at[i].session, s->id) == 0 && hits.at[i].role == BOUGH_ROLE_USER);
            IS(hits.at[i].nmatches == 1 && hits.at[i].matches[0].n == 6);
        }
        in.cursor = hits.next;
    } while (*hits.next);
    IS(n == (TALK + 1) / 2 && hits.complete && !*hits.refused);
}

static void check_fork(const struct bough_session *s)
{
    struct bough_session_fork_options how = { .entry = "#1.3", .title = "Fork" };
    struct bough_session_list_options list = { .limit = 1, .order = BOUGH_BY_CREATED };
    struct bough_entry_new e = { .role = BOUGH_ROLE_USER, .text = "another way" };
    struct bough_append_options in = { .entries = &e, .n = 1, .expect_head = &s->head };
    struct bough_append_result out;
    struct bough_tree_diff_result diff;
    struct bough_sessions sessions;
    struct bough_session *fork;
    size_t n = 0;

    OK(bough_session_fork(store, a, s->id, &how, &fork, &err));
    IS(bough_append(store, a, fork->id, &in, &out, &err) == BOUGH_CONFLICT);
    IS(err.head.depth == 3);
    in.expect_head = &err.head;
    OK(bough_append(store, a, fork->id, &in, &out, &err));
    OK(bough_tree_diff(
        store, a, &(struct bough_tree_diff_options){ .session = s->id, .other_session = fork->id },
        &diff, &err));
    IS(diff.common->at.depth == 3 && diff.one.n == TALK - 3 && diff.other.n == 1);
    IS(diff.one_used.cost == 60 && diff.other_used.cost == 0);
    do {
        OK(bough_session_list(store, a, &list, &sessions, &err));
        n += sessions.n;
        list.cursor = sessions.next;
    } while (*sessions.next);
    IS(n == 2);
}

/* What this library does not know is refused, not ignored. */
static void check_growth(const struct bough_session *s)
{
    struct bough_entry_new e[2] = { { .role = BOUGH_ROLE_USER, .text = "a" },
                                    { .role = BOUGH_ROLE_USER, .text = "b" } };
    struct bough_append_options in = { .entries = e, .n = 2 };
    struct bough_append_result out;

#ifdef GROWN
    e[1].added = "new";
    IS(bough_append(store, a, s->id, &in, &out, &err) == BOUGH_INVALID);
    IS(strstr(err.msg, "bough_entry_new.reserved"));
    e[1].added = NULL;
    in.added = "new";
    IS(bough_append(store, a, s->id, &in, &out, &err) == BOUGH_INVALID);
    IS(strstr(err.msg, "bough_append_options.reserved"));
    in.added = NULL;
#endif
    OK(bough_append(store, a, s->id, &in, &out, &err));
    IS(out.n == 2);
}

int main(int argc, char **argv)
{
    struct bough_store_fsck_result checked;
    const struct bough_session *s;

    IS(argc == 2);
    a = bough_arena_create();
    OK(bough_store_open(&store, argv[1], NULL, &err));
    s = talk();
    check_pages(s);
    check_search(s);
    check_fork(s);
    check_growth(s);
    OK(bough_store_fsck(store, BOUGH_FSCK_FULL, NULL, NULL, &checked, &err));
    IS(!checked.errors && checked.sessions == 2);
    bough_store_close(&store);
    bough_arena_destroy(a);
    return 0;
}
