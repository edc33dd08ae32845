/* Todos, memories, labels and audit rows (H37, H38, P19). */
#include "lib/store_test.h"

#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"

/* --- H37: todos --- */

STORE_TEST(H37_the_whole_list_is_replaced_and_summed_up)
{
    const char *s = new_session(t, "x");
    struct bough_todo items[] = { { .content = "a", .status = "pending", .priority = "high" },
                                  { .content = "b", .status = "in_progress", .priority = "" },
                                  { .content = "c", .status = "completed", .priority = NULL },
                                  { .content = "d", .status = "cancelled", .priority = "low" },
                                  { .content = "e", .status = "completed", .priority = "low" } };
    struct bough_todos out;

    CHECK_OK(bough_todo_replace(t->store, t->arena, s, items, 5, &out, &t->err));
    for (int i = 0; i < 2; i++) {
        CHECK_INT(5, out.n);
        CHECK_INT(5, out.total);
        CHECK_INT(2, out.incomplete);
        CHECK_INT(1, out.in_progress);
        CHECK_INT(2, out.completed);
        CHECK_INT(1, out.cancelled);
        CHECK(out.updated > 0);
        CHECK_STR("a", out.at[0].content);
        CHECK_STR("high", out.at[0].priority);
        CHECK_STR("", out.at[2].priority);
        CHECK_STR("cancelled", out.at[3].status);
        CHECK_OK(bough_todo_get(t->store, t->arena, s, &out, &t->err));
    }
    CHECK_OK(bough_todo_replace(t->store, t->arena, s, items, 1, NULL, &t->err));
    CHECK_OK(bough_todo_get(t->store, t->arena, s, &out, &t->err));
    CHECK_INT(1, out.n);
    CHECK_INT(0, out.completed);
}

STORE_TEST(H37_no_list_and_an_empty_list_are_all_zeros)
{
    const char *s = new_session(t, "x");
    struct bough_todos out;

    CHECK_OK(bough_todo_get(t->store, t->arena, s, &out, &t->err));
    CHECK_INT(0, out.n + (size_t)(out.total + out.incomplete + out.completed + out.updated));
    CHECK_OK(bough_todo_replace(t->store, t->arena, s, NULL, 0, &out, &t->err));
    CHECK_INT(0, out.n);
    CHECK_INT(0, out.total);
    CHECK_RC(BOUGH_NOT_FOUND, bough_todo_get(t->store, t->arena, "nobody", &out, &t->err));
    CHECK_RC(BOUGH_NOT_FOUND,
             bough_todo_replace(t->store, t->arena, "nobody", NULL, 0, NULL, &t->err));
}

STORE_TEST(H37_an_unknown_status_is_refused_and_the_old_list_stays)
{
    const char *s = new_session(t, "x");
    struct bough_todo good = { .content = "a", .status = "pending", .priority = "" },
                      bad[] = { good, { .content = "b", .status = "doing", .priority = "" } };
    struct bough_todos out;

    CHECK_OK(bough_todo_replace(t->store, t->arena, s, &good, 1, NULL, &t->err));
    CHECK_RC(BOUGH_INVALID, bough_todo_replace(t->store, t->arena, s, bad, 2, NULL, &t->err));
    CHECK(strstr(t->err.msg, "2"));
    bad[1].status = NULL;
    CHECK_RC(BOUGH_INVALID, bough_todo_replace(t->store, t->arena, s, bad, 2, NULL, &t->err));
    CHECK_OK(bough_todo_get(t->store, t->arena, s, &out, &t->err));
    CHECK_INT(1, out.n);
}

STORE_TEST(H37_todos_with_any_text_come_back_also_after_reopening)
{
    const char *s = new_session(t, "x");
    struct bough_todo item = { .content = "tab\t \"quoted\" \\ Ü 🌳\n",
                               .status = "pending",
                               .priority = "p\"" };
    struct bough_todos out;

    CHECK_OK(bough_todo_replace(t->store, t->arena, s, &item, 1, NULL, &t->err));
    if (store_lasts(t))
        store_reopen(t);
    CHECK_OK(bough_todo_get(t->store, t->arena, s, &out, &t->err));
    CHECK_STR(item.content, out.at[0].content);
    CHECK_STR("p\"", out.at[0].priority);
}

STORE_TEST(H37_forks_do_not_inherit_todos)
{
    const char *s = new_session(t, "x"), *f;
    struct bough_todo item = { .content = "a", .status = "pending", .priority = "" };
    struct bough_todos out;

    CHECK_OK(bough_todo_replace(t->store, t->arena, s, &item, 1, NULL, &t->err));
    f = fork_at(t, s, user(t, s, "one"));
    CHECK_OK(bough_todo_get(t->store, t->arena, f, &out, &t->err));
    CHECK_INT(0, out.n);
}

/* --- H38: memories --- */

static struct bough_memory *remember(struct test *t, enum bough_memory_scope scope, const char *of,
                                     const char *content)
{
    struct bough_memory in = { .scope = scope, .of = of, .content = content }, *out;

    CHECK_OK(bough_memory_add(t->store, t->arena, &in, &out, &t->err));
    return out;
}

static const char *memories(struct test *t, enum bough_memory_scope scope, const char *of)
{
    struct bough_memories all;
    const char *text = "";

    CHECK_OK(bough_memory_list(t->store, t->arena, scope, of, &all, &t->err));
    for (size_t i = 0; i < all.n; i++) {
        CHECK_INT(scope, all.at[i].scope);
        CHECK_INT(0, all.at[i].deleted);
        text = arena_printf(t->arena, "%s%s%s", text, i ? " " : "", all.at[i].content);
    }
    return text;
}

static enum bough_rc forget(struct test *t, enum bough_memory_scope scope, const char *of,
                            const char *id)
{
    struct bough_memory *m;

    return bough_memory_forget(t->store, t->arena, scope, of, id, &m, &t->err);
}

STORE_TEST(H38_a_memory_is_trimmed_and_keeps_its_fields)
{
    const char *s = new_session(t, "x");
    struct bough_memory in = { .scope = BOUGH_MEMORY_OF_SESSION,
                               .of = s,
                               .title = "T",
                               .body = "B",
                               .content = " \n\t content \xc2\xa0\n",
                               .source = "S",
                               .path = "/p" },
                        *m;
    struct bough_memories all;

    CHECK_OK(bough_memory_add(t->store, t->arena, &in, &m, &t->err));
    CHECK_STR("content", m->content);
    CHECK_STR(s, m->of);
    CHECK_OK(bough_memory_list(t->store, t->arena, BOUGH_MEMORY_OF_SESSION, s, &all, &t->err));
    CHECK_INT(1, all.n);
    CHECK_STR(m->id, all.at[0].id);
    CHECK_STR("T", all.at[0].title);
    CHECK_STR("B", all.at[0].body);
    CHECK_STR("content", all.at[0].content);
    CHECK_STR("S", all.at[0].source);
    CHECK_STR("/p", all.at[0].path);
    CHECK_INT(m->created, all.at[0].created);
    CHECK_INT(m->created, all.at[0].updated);
}

STORE_TEST(H38_a_memory_without_content_is_refused)
{
    const char *s = new_session(t, "x");
    const char *empty[] = { NULL, "", " \n\t", "\xe3\x80\x80" };

    for (size_t i = 0; i < 4; i++) {
        struct bough_memory in = { .scope = BOUGH_MEMORY_OF_SESSION, .of = s, .content = empty[i] },
                            *m;

        CHECK_RC(BOUGH_INVALID, bough_memory_add(t->store, t->arena, &in, &m, &t->err));
    }
    CHECK_STR("", memories(t, BOUGH_MEMORY_OF_SESSION, s));
}

STORE_TEST(H38_the_three_scopes_are_apart_and_in_order_of_creation)
{
    const char *a = new_session(t, "a"), *b = new_session(t, "b");

    remember(t, BOUGH_MEMORY_OF_SESSION, a, "a1");
    remember(t, BOUGH_MEMORY_OF_PROJECT, "/p", "p1");
    remember(t, BOUGH_MEMORY_OF_STORE, NULL, "g1");
    remember(t, BOUGH_MEMORY_OF_SESSION, b, "b1");
    remember(t, BOUGH_MEMORY_OF_PROJECT, "/q", "q1");
    remember(t, BOUGH_MEMORY_OF_SESSION, a, "a2");
    remember(t, BOUGH_MEMORY_OF_PROJECT, "/p", "p2");
    remember(t, BOUGH_MEMORY_OF_STORE, "", "g2");
    CHECK_STR("a1 a2", memories(t, BOUGH_MEMORY_OF_SESSION, a));
    CHECK_STR("b1", memories(t, BOUGH_MEMORY_OF_SESSION, b));
    CHECK_STR("p1 p2", memories(t, BOUGH_MEMORY_OF_PROJECT, "/p"));
    CHECK_STR("q1", memories(t, BOUGH_MEMORY_OF_PROJECT, "/q"));
    CHECK_STR("", memories(t, BOUGH_MEMORY_OF_PROJECT, "/none"));
    CHECK_STR("g1 g2", memories(t, BOUGH_MEMORY_OF_STORE, NULL));
}

STORE_TEST(H38_forget_is_soft_and_gives_the_row_and_again_is_memory_not_found)
{
    const char *s = new_session(t, "x");
    const enum bough_memory_scope scopes[] = { BOUGH_MEMORY_OF_SESSION, BOUGH_MEMORY_OF_PROJECT,
                                               BOUGH_MEMORY_OF_STORE };
    const char *ofs[] = { s, "/p", NULL };

    for (int i = 0; i < 3; i++) {
        struct bough_memory *one = remember(t, scopes[i], ofs[i], "one"), *gone;

        remember(t, scopes[i], ofs[i], "two");
        CHECK_OK(
            bough_memory_forget(t->store, t->arena, scopes[i], ofs[i], one->id, &gone, &t->err));
        CHECK_STR("one", gone->content);
        CHECK(gone->deleted > one->created);
        CHECK_INT(gone->deleted, gone->updated);
        CHECK_STR("two", memories(t, scopes[i], ofs[i]));
        CHECK_RC(BOUGH_MEMORY_NOT_FOUND, forget(t, scopes[i], ofs[i], one->id));
    }
}

STORE_TEST(H38_a_memory_of_another_session_scope_or_project_is_memory_not_found)
{
    const char *a = new_session(t, "a"), *b = new_session(t, "b");
    struct bough_memory *m = remember(t, BOUGH_MEMORY_OF_SESSION, a, "a1"),
                        *p = remember(t, BOUGH_MEMORY_OF_PROJECT, "/p", "p1"),
                        *g = remember(t, BOUGH_MEMORY_OF_STORE, NULL, "g1");

    remember(t, BOUGH_MEMORY_OF_PROJECT, "/q", "q1");
    CHECK_RC(BOUGH_MEMORY_NOT_FOUND, forget(t, BOUGH_MEMORY_OF_SESSION, b, m->id));
    CHECK_RC(BOUGH_MEMORY_NOT_FOUND, forget(t, BOUGH_MEMORY_OF_STORE, NULL, m->id));
    CHECK_RC(BOUGH_MEMORY_NOT_FOUND, forget(t, BOUGH_MEMORY_OF_PROJECT, "/q", p->id));
    CHECK_RC(BOUGH_MEMORY_NOT_FOUND, forget(t, BOUGH_MEMORY_OF_STORE, NULL, p->id));
    CHECK_RC(BOUGH_MEMORY_NOT_FOUND, forget(t, BOUGH_MEMORY_OF_PROJECT, "/p", g->id));
    CHECK_RC(BOUGH_MEMORY_NOT_FOUND, forget(t, BOUGH_MEMORY_OF_SESSION, a, "nope"));
    CHECK_RC(BOUGH_MEMORY_NOT_FOUND, forget(t, BOUGH_MEMORY_OF_SESSION, a, user(t, a, "x")));
    CHECK_STR("a1", memories(t, BOUGH_MEMORY_OF_SESSION, a));
    CHECK_STR("p1", memories(t, BOUGH_MEMORY_OF_PROJECT, "/p"));
}

STORE_TEST(H38_a_memory_in_an_unknown_project_is_memory_not_found)
{
    struct bough_memory *m = remember(t, BOUGH_MEMORY_OF_STORE, NULL, "g1");

    CHECK_RC(BOUGH_MEMORY_NOT_FOUND, forget(t, BOUGH_MEMORY_OF_PROJECT, "/nowhere", m->id));
}

STORE_TEST(H38_a_memory_of_an_unknown_session_is_not_found)
{
    struct bough_memory in = { .scope = BOUGH_MEMORY_OF_SESSION, .of = "nobody", .content = "c" },
                        *m;
    struct bough_memories all;

    CHECK_RC(BOUGH_NOT_FOUND, bough_memory_add(t->store, t->arena, &in, &m, &t->err));
    CHECK_RC(BOUGH_NOT_FOUND, bough_memory_list(t->store, t->arena, BOUGH_MEMORY_OF_SESSION,
                                                "nobody", &all, &t->err));
    in.scope = BOUGH_MEMORY_OF_PROJECT;
    in.of = "";
    CHECK_RC(BOUGH_INVALID, bough_memory_add(t->store, t->arena, &in, &m, &t->err));
}

STORE_TEST(H38_forks_do_not_inherit_memories_and_purge_takes_them)
{
    const char *s = new_session(t, "x"), *f;
    struct bough_memory *m = remember(t, BOUGH_MEMORY_OF_SESSION, s, "mine");

    remember(t, BOUGH_MEMORY_OF_STORE, NULL, "ours");
    f = fork_at(t, s, user(t, s, "one"));
    CHECK_STR("", memories(t, BOUGH_MEMORY_OF_SESSION, f));
    CHECK_RC(BOUGH_MEMORY_NOT_FOUND, forget(t, BOUGH_MEMORY_OF_SESSION, f, m->id));
    CHECK_OK(bough_session_purge(t->store, t->arena, s, NULL, &t->err));
    CHECK_RC(BOUGH_GONE, forget(t, BOUGH_MEMORY_OF_SESSION, s, m->id));
    CHECK_STR("ours", memories(t, BOUGH_MEMORY_OF_STORE, NULL));
}

STORE_TEST(H38_a_deleted_project_takes_its_memories)
{
    int64_t n;

    remember(t, BOUGH_MEMORY_OF_PROJECT, "/p", "old");
    CHECK_OK(bough_group_delete(t->store, "project", "/p", &n, &t->err));
    CHECK_STR("", memories(t, BOUGH_MEMORY_OF_PROJECT, "/p"));
    remember(t, BOUGH_MEMORY_OF_PROJECT, "/p", "new");
    CHECK_STR("new", memories(t, BOUGH_MEMORY_OF_PROJECT, "/p"));
}

/* --- P19: labels --- */

static const char *label(struct test *t, const char *s, const char *entry)
{
    const char *text;

    CHECK_OK(bough_label_get(t->store, t->arena, s, entry, &text, &t->err));
    return text;
}

static size_t labels(struct test *t, const char *s)
{
    struct bough_labels all;

    CHECK_OK(bough_label_list(t->store, t->arena, s, &all, &t->err));
    return all.n;
}

STORE_TEST(P19_the_latest_label_wins_and_an_empty_one_clears)
{
    const char *s = new_session(t, "x"), *one = user(t, s, "one"), *two = agent(t, s, "two");
    struct bough_labels all;

    CHECK_STR("", label(t, s, one));
    CHECK_OK(bough_label_set(t->store, s, one, "first", &t->err));
    CHECK_OK(bough_label_set(t->store, s, two, "other", &t->err));
    CHECK_OK(bough_label_set(t->store, s, one, "second", &t->err));
    CHECK_STR("second", label(t, s, one));
    CHECK_OK(bough_label_list(t->store, t->arena, s, &all, &t->err));
    CHECK_INT(2, all.n);
    CHECK_STR(one, all.at[0].entry);
    CHECK_STR("second", all.at[0].text);
    CHECK_STR("other", all.at[1].text);
    CHECK_OK(bough_label_set(t->store, s, one, "", &t->err));
    CHECK_STR("", label(t, s, one));
    CHECK_OK(bough_label_set(t->store, s, two, NULL, &t->err));
    CHECK_INT(0, labels(t, s));
    CHECK_STR("one two", path_text(t, s));
}

STORE_TEST(P19_an_appended_label_entry_labels_its_target)
{
    const char *s = new_session(t, "x"), *one = user(t, s, "one"), *two = agent(t, s, "two");
    struct bough_entry_new e = { .kind = BOUGH_ENTRY_LABEL };
    struct bough_append_options in = { .entries = &e, .n = 1 };
    struct bough_append_result out;

    e.data = str_of(arena_printf(t->arena, "{\"targetId\":\"%s\",\"label\":\"appended\"}", one));
    CHECK_OK(bough_append(t->store, t->arena, s, &in, &out, &t->err));
    CHECK_STR("appended", label(t, s, one));
    CHECK_STR("", label(t, s, two));
    e.data = str_of(arena_printf(t->arena, "{\"targetId\":\"%s\"}", one));
    CHECK_OK(bough_append(t->store, t->arena, s, &in, &out, &t->err));
    CHECK_STR("", label(t, s, one));
    CHECK_INT(0, labels(t, s));
}

STORE_TEST(P19_labels_are_of_the_session_and_not_of_a_branch)
{
    const char *s = new_session(t, "x"), *one = user(t, s, "one"), *side = agent(t, s, "side");

    CHECK_OK(bough_head_move(t->store, s, one, &t->err));
    agent(t, s, "main");
    CHECK_OK(bough_label_set(t->store, s, side, "aside", &t->err));
    CHECK_STR("aside", label(t, s, side));
    CHECK_INT(1, labels(t, s));
}

STORE_TEST(P19_a_label_on_an_unknown_or_foreign_entry_is_refused)
{
    const char *s = new_session(t, "x"), *other = new_session(t, "o");

    user(t, s, "one");
    CHECK_RC(BOUGH_NOT_FOUND, bough_label_set(t->store, s, "nope", "l", &t->err));
    CHECK_RC(BOUGH_INVALID, bough_label_set(t->store, s, user(t, other, "o1"), "l", &t->err));
    CHECK_RC(BOUGH_NOT_FOUND, bough_label_set(t->store, "nobody", "nope", "l", &t->err));
    CHECK_INT(0, labels(t, s));
}

STORE_TEST(P19_inherited_labels_show_and_a_forks_own_label_shows_only_there)
{
    const char *s = new_session(t, "x"), *one = user(t, s, "one"), *two, *f, *ff;

    CHECK_OK(bough_label_set(t->store, s, one, "parents", &t->err));
    two = agent(t, s, "two");
    CHECK_OK(bough_label_set(t->store, s, two, "beyond", &t->err));
    f = fork_at(t, s, one);
    CHECK_STR("parents", label(t, f, one));
    CHECK_INT(1, labels(t, f));
    CHECK_OK(bough_label_set(t->store, f, one, "forks", &t->err));
    CHECK_STR("forks", label(t, f, one));
    CHECK_STR("parents", label(t, s, one));
    ff = fork_at(t, f, user(t, f, "f1"));
    CHECK_STR("forks", label(t, ff, one));
    CHECK_OK(bough_label_set(t->store, ff, one, "", &t->err));
    CHECK_STR("", label(t, ff, one));
    CHECK_STR("forks", label(t, f, one));
    CHECK_INT(0, labels(t, ff));
    CHECK_OK(bough_label_set(t->store, s, one, "later", &t->err));
    CHECK_STR("forks", label(t, f, one));
}

STORE_TEST(P19_a_later_label_of_the_parent_shows_in_a_fork_without_its_own)
{
    const char *s = new_session(t, "x"), *one = user(t, s, "one"), *f = fork_at(t, s, one);

    CHECK_OK(bough_label_set(t->store, s, one, "later", &t->err));
    CHECK_STR("later", label(t, f, one));
}

STORE_TEST(P19_labels_are_there_after_reopening)
{
    const char *s = new_session(t, "x"), *one = user(t, s, "one");

    CHECK_OK(bough_label_set(t->store, s, one, "Ü 🌳", &t->err));
    if (store_lasts(t))
        store_reopen(t);
    CHECK_STR("Ü 🌳", label(t, s, one));
}

/* --- audit --- */

STORE_TEST(audit_rows_tell_of_deletes_and_purges_oldest_first)
{
    const char *s = new_session(t, "x"), *one = user(t, s, "one");
    struct bough_store *bob =
        bough_store_scoped(t->store, &(struct bough_store_scoped_options){ .principal = "bob" });
    struct bough_audits all;

    CHECK_OK(bough_entry_delete(t->store, s, one, &t->err));
    CHECK_OK(bough_session_delete(bob, s, &t->err));
    CHECK_OK(bough_session_delete(bob, s, &t->err));
    CHECK_OK(bough_session_purge(t->store, t->arena, s, NULL, &t->err));
    bough_store_close(&bob);
    CHECK_OK(bough_audit_list(t->store, t->arena, &all, &t->err));
    CHECK_INT(3, all.n);
    CHECK_STR("delete entry", all.at[0].action);
    CHECK_STR(one, all.at[0].target);
    CHECK_STR("", all.at[0].principal);
    CHECK_STR("delete", all.at[1].action);
    CHECK_STR(s, all.at[1].target);
    CHECK_STR("bob", all.at[1].principal);
    CHECK_STR("purge", all.at[2].action);
    CHECK_STR(s, all.at[2].target);
    for (size_t i = 0; i < all.n; i++) {
        CHECK(all.at[i].time > 0);
        CHECK(!i || all.at[i].no > all.at[i - 1].no);
    }
}

STORE_TEST(audit_rows_are_not_written_for_what_was_refused)
{
    struct bough_audits all;

    CHECK_RC(BOUGH_NOT_FOUND, bough_session_delete(t->store, "nobody", &t->err));
    CHECK_OK(bough_audit_list(t->store, t->arena, &all, &t->err));
    CHECK_INT(0, all.n);
}
