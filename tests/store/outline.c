/* The outline of a session, and the places on a path to jump to. */
#include "lib/store_test.h"

#include "base/memory/arena.h"
#include "base/text/str.h"

static struct bough_tree_outline_result outline(struct test *t, const char *session)
{
    struct bough_tree_outline_result out;

    CHECK_OK(bough_tree_outline(t->store, t->arena, session, NULL, &out, &t->err));
    CHECK_STR("", out.next);
    return out;
}

static const struct bough_outline_mark *mark(const struct bough_tree_outline_result *o,
                                             enum bough_outline_kind kind, size_t skip)
{
    for (size_t i = 0; i < o->nmarks; i++)
        if (o->marks[i].kind == kind && skip-- == 0)
            return &o->marks[i];
    FAIL("no %s", bough_outline_kind_name(kind));
}

static size_t marks(const struct bough_tree_outline_result *o, enum bough_outline_kind kind)
{
    size_t n = 0;

    for (size_t i = 0; i < o->nmarks; i++)
        n += o->marks[i].kind == kind;
    return n;
}

/* Append behind an entry; the head follows. */
static const char *behind(struct test *t, const char *session, const char *at, const char *text)
{
    struct bough_entry_new e = { .role = BOUGH_ROLE_ASSISTANT, .text = text };
    struct bough_append_options in = { .entries = &e, .n = 1, .at = at };
    struct bough_append_result out;

    CHECK_OK(bough_append(t->store, t->arena, session, &in, &out, &t->err));
    return out.ids[0];
}

STORE_TEST(an_outline_has_every_branch_with_its_ends_and_how_it_begins)
{
    const char *s = new_session(t, "one"), *a;
    struct bough_tree_outline_result o;
    struct bough_entry *e;

    o = outline(t, s);
    CHECK_INT(0, o.nbranches);
    CHECK_INT(0, o.head.branch);
    a = user(t, s, "why is the build red");
    test_later(t, 1000);
    agent(t, s, "a test fails");
    test_later(t, 1000);
    behind(t, s, a, "because of the cache");
    o = outline(t, s);
    CHECK_INT(2, o.nbranches);
    CHECK_INT(1, o.branches[0].first);
    CHECK_INT(2, o.branches[0].tip);
    CHECK_INT(2, o.branches[0].messages);
    CHECK_STR(s, o.branches[0].session);
    CHECK_STR("why is the build red", o.branches[0].preview);
    CHECK_INT(BOUGH_ROLE_USER, o.branches[0].role);
    CHECK(o.branches[0].updated - o.branches[0].created >= 1000);
    CHECK(!o.branches[0].head && o.branches[1].head);
    CHECK_INT(1, o.branches[1].base.depth);
    CHECK_INT(2, o.branches[1].first);
    CHECK_INT(2, o.branches[1].tip);
    CHECK_INT(1, o.branches[1].messages);
    CHECK_STR("because of the cache", o.branches[1].preview);
    CHECK_INT(o.branches[1].number, o.head.branch);
    CHECK_INT(0, o.nmarks);
    CHECK_OK(bough_entry_get(t->store, t->arena, s, a, &e, &t->err));
    CHECK_INT(e->time, o.branches[0].created);
}

/* The first message is looked for behind what is none, and deleted ones do not count. */
STORE_TEST(a_lane_begins_with_its_first_message_that_is_not_deleted)
{
    struct bough_entry_new e[] = { { .kind = BOUGH_ENTRY_MODEL_CHANGE,
                                     .data = { "{\"modelId\":\"m\"}", 15 } },
                                   { .role = BOUGH_ROLE_USER, .text = "first" },
                                   { .role = BOUGH_ROLE_USER, .text = "second" } };
    struct bough_append_options in = { .entries = e, .n = 3 };
    const char *s = new_session(t, "one");
    struct bough_tree_outline_result o;
    struct bough_append_result out;

    CHECK_OK(bough_append(t->store, t->arena, s, &in, &out, &t->err));
    CHECK_STR("first", outline(t, s).branches[0].preview);
    CHECK_INT(2, outline(t, s).branches[0].messages);
    CHECK_OK(bough_entry_delete(t->store, s, out.ids[1], &t->err));
    o = outline(t, s);
    CHECK_STR("second", o.branches[0].preview);
    CHECK_INT(2, o.branches[0].messages);
    CHECK_OK(bough_entry_delete(t->store, s, out.ids[2], &t->err));
    o = outline(t, s);
    CHECK_STR("", o.branches[0].preview);
    CHECK_INT(BOUGH_ROLE_NONE, o.branches[0].role);
}

STORE_TEST(a_preview_is_cut_at_a_character)
{
    const char *s = new_session(t, "one");
    struct bough_tree_outline_result o;

    user(t, s,
         "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567"
         "8901234567890123456789012345678\xe2\x82\xac and more");
    o = outline(t, s);
    CHECK_INT(119, strlen(o.branches[0].preview));
}

STORE_TEST(labels_compactions_and_summaries_stand_on_their_entries)
{
    const char *s = new_session(t, "one"), *a, *b;
    struct bough_compact_options compact = { .summary = "we fixed the cache" };
    struct bough_branch_with_summary_options leave = { .summary = "it did not help" };
    char compaction[BOUGH_ID_LEN + 1], summary[BOUGH_ID_LEN + 1];
    const struct bough_outline_mark *m;
    struct bough_tree_outline_result o;

    a = user(t, s, "a");
    b = agent(t, s, "b");
    CHECK_OK(bough_label_set(t->store, s, a, "start", &t->err));
    CHECK_OK(bough_label_set(t->store, s, b, "gone", &t->err));
    CHECK_OK(bough_label_set(t->store, s, b, "", &t->err));
    CHECK_OK(bough_compact(t->store, s, &compact, compaction, &t->err));
    leave.target = a;
    CHECK_OK(bough_branch_with_summary(t->store, s, &leave, summary, &t->err));
    o = outline(t, s);
    CHECK_INT(3, o.nmarks);
    m = mark(&o, BOUGH_OUTLINE_LABEL, 0);
    CHECK_STR("start", m->text);
    CHECK_STR(a, m->entry);
    CHECK_INT(1, m->at.depth);
    CHECK(m->time > 0 && !m->child);
    m = mark(&o, BOUGH_OUTLINE_COMPACTION, 0);
    CHECK_STR("we fixed the cache", m->text);
    CHECK_STR(compaction, m->entry);
    CHECK_INT(3, m->at.depth);
    m = mark(&o, BOUGH_OUTLINE_BRANCH_SUMMARY, 0);
    CHECK_STR("it did not help", m->text);
    CHECK_STR(summary, m->entry);
    CHECK_INT(2, o.nbranches);
    CHECK_INT(0, o.branches[1].messages);
    CHECK_OK(bough_entry_delete(t->store, s, compaction, &t->err));
    o = outline(t, s);
    CHECK_INT(0, marks(&o, BOUGH_OUTLINE_COMPACTION));
}

STORE_TEST(an_inherited_lane_ends_where_the_session_leaves_it)
{
    const char *s = new_session(t, "one"), *b, *f, *ff;
    struct bough_tree_outline_result o;

    user(t, s, "a");
    b = agent(t, s, "b");
    user(t, s, "c");
    CHECK_OK(bough_label_set(t->store, s, "#1.3", "not here", &t->err));
    CHECK_OK(bough_label_set(t->store, s, "#1.1", "here", &t->err));
    f = fork_at(t, s, b);
    agent(t, f, "C");
    o = outline(t, f);
    CHECK_INT(2, o.nbranches);
    CHECK_STR(f, o.branches[0].session);
    CHECK_STR(s, o.branches[1].session);
    CHECK_INT(2, o.branches[1].tip);
    CHECK_INT(2, o.branches[1].messages);
    CHECK_INT(1, o.nmarks);
    CHECK_STR("here", o.marks[0].text);
    ff = fork_at(t, f, "#1.1"); /* an entry of the first session */
    user(t, ff, "x");
    o = outline(t, ff);
    CHECK_INT(2, o.nbranches);
    CHECK_INT(1, o.branches[1].tip);
    o = outline(t, f);
    CHECK_INT(1, marks(&o, BOUGH_OUTLINE_FORK));
    CHECK_STR(ff, mark(&o, BOUGH_OUTLINE_FORK, 0)->child->id);
    CHECK_INT(1, mark(&o, BOUGH_OUTLINE_FORK, 0)->at.depth);
    o = outline(t, s);
    CHECK_STR(f, mark(&o, BOUGH_OUTLINE_FORK, 0)->child->id);
    CHECK_INT(2, mark(&o, BOUGH_OUTLINE_FORK, 0)->at.depth);
    CHECK_OK(bough_session_delete(t->store, f, &t->err));
    o = outline(t, s);
    CHECK_INT(0, marks(&o, BOUGH_OUTLINE_FORK));
}

/* A message with a tool call. */
static const char *calls_tool(struct test *t, const char *session, const char *id)
{
    struct bough_str part =
        str_of(arena_printf(t->arena,
                            "{\"type\":\"tool\",\"tool\":\"task\",\"callID\":\"%s\",\"state\":{"
                            "\"status\":\"running\",\"input\":{},\"time\":{\"start\":1}}}",
                            id));
    struct bough_entry_new e = { .role = BOUGH_ROLE_ASSISTANT, .parts = &part, .nparts = 1 };
    struct bough_append_options in = { .entries = &e, .n = 1 };
    struct bough_append_result out;

    CHECK_OK(bough_append(t->store, t->arena, session, &in, &out, &t->err));
    return out.ids[0];
}

static const char *spawn(struct test *t, const char *parent, const char *tool, const char *title)
{
    struct bough_session_create_options in = {
        .kind = BOUGH_SUBAGENT, .parent = parent, .parent_tool_use_id = tool, .title = title
    };
    struct bough_session *out;

    CHECK_OK(bough_session_create(t->store, t->arena, &in, &out, &t->err));
    return out->id;
}

STORE_TEST(a_subagent_stands_on_the_entry_whose_tool_call_spawned_it)
{
    const char *s = new_session(t, "one"), *call, *one, *late;
    const struct bough_outline_mark *m;
    struct bough_tree_outline_result o;

    for (int i = 0; i < 40; i++) {
        test_later(t, 5000);
        agent(t, s, "before");
    }
    call = calls_tool(t, s, "call-1");
    test_later(t, 200);
    one = spawn(t, s, "call-1", "look for it");
    user(t, one, "please");
    late = spawn(t, s, "call-2", "stored before its message");
    spawn(t, s, "call-3", "no such call");
    test_later(t, 60000);
    calls_tool(t, s, "call-2");
    for (int i = 0; i < 40; i++) {
        test_later(t, 5000);
        agent(t, s, "after");
    }
    o = outline(t, s);
    CHECK_INT(3, marks(&o, BOUGH_OUTLINE_SUBAGENT));
    m = mark(&o, BOUGH_OUTLINE_SUBAGENT, 0);
    CHECK_STR(one, m->child->id);
    CHECK_STR(call, m->entry);
    CHECK_INT(41, m->at.depth);
    CHECK_STR("look for it", m->text);
    CHECK_INT(1, m->child->messages);
    m = mark(&o, BOUGH_OUTLINE_SUBAGENT, 1);
    CHECK_STR(late, m->child->id);
    CHECK_INT(42, m->at.depth);
    m = mark(&o, BOUGH_OUTLINE_SUBAGENT, 2);
    CHECK_INT(0, m->at.branch);
    CHECK_STR("", m->entry);
    CHECK_STR("no such call", m->text);
}

STORE_TEST(an_outline_comes_in_pages_of_branches_with_their_marks)
{
    const char *s = new_session(t, "one"), *a = user(t, s, "a"), *f, *last = "";
    struct bough_tree_outline_options how = { .limit = 3 };
    struct bough_tree_outline_result o;
    size_t branches = 0, labels = 0;

    for (int i = 0; i < 7; i++)
        last = behind(t, s, a, arena_printf(t->arena, "way %d", i));
    CHECK_OK(bough_label_set(t->store, s, last, "best", &t->err));
    f = fork_at(t, s, last);
    for (int i = 0; i < 2; i++)
        behind(t, f, last, arena_printf(t->arena, "fork %d", i));
    do {
        CHECK_OK(bough_tree_outline(t->store, t->arena, f, &how, &o, &t->err));
        CHECK(o.nbranches <= 3);
        branches += o.nbranches;
        for (size_t i = 0; i < o.nmarks; i++)
            labels += strcmp(o.marks[i].text, "best") == 0;
        how.cursor = o.next;
        how.limit = 2;
    } while (*o.next);
    CHECK_INT(5, branches); /* three of its own, one of them empty, the last way, the beginning */
    CHECK_INT(1, labels);
    how.cursor = "999";
    CHECK_RC(BOUGH_INVALID, bough_tree_outline(t->store, t->arena, f, &how, &o, &t->err));
    how = (struct bough_tree_outline_options){ .limit = -1 };
    CHECK_RC(BOUGH_INVALID, bough_tree_outline(t->store, t->arena, f, &how, &o, &t->err));
    CHECK_RC(BOUGH_NOT_FOUND, bough_tree_outline(t->store, t->arena, "nope", NULL, &o, &t->err));
}

/* ---- prompts ---- */

static const char *prompts(struct test *t, const char *session,
                           struct bough_tree_prompts_options how)
{
    struct bough_tree_prompts_result out;
    const char *text = "";

    CHECK_OK(bough_tree_prompts(t->store, t->arena, session, &how, &out, &t->err));
    for (size_t i = 0; i < out.n; i++)
        text = arena_printf(t->arena, "%s%s%lld:%s", text, i ? " " : "",
                            (long long)out.at[i].at.depth, out.at[i].preview);
    return arena_printf(t->arena, "%s%s", text, *out.next ? " ..." : "");
}

#define HOW(...) ((struct bough_tree_prompts_options){ __VA_ARGS__ })

STORE_TEST(the_prompts_of_a_path_are_the_users_messages_and_the_compactions)
{
    const char *s = new_session(t, "one"), *a, *f;
    struct bough_compact_options compact = { .summary = "so far" };
    struct bough_tree_prompts_options how = { .limit = 2 };
    struct bough_tree_prompts_result out;
    char id[BOUGH_ID_LEN + 1];

    CHECK_STR("", prompts(t, s, HOW(0)));
    a = user(t, s, "a");
    agent(t, s, "b");
    user(t, s, "c");
    CHECK_OK(bough_compact(t->store, s, &compact, id, &t->err));
    user(t, s, "d");
    agent(t, s, "e");
    CHECK_STR("1:a 3:c 4:so far 5:d", prompts(t, s, HOW(0)));
    CHECK_STR("1:a 3:c ...", prompts(t, s, HOW(.limit = 2)));
    CHECK_STR("4:so far 5:d ...", prompts(t, s, HOW(.limit = 2, .newest = true)));
    CHECK_STR("1:a 3:c", prompts(t, s, HOW(.at = "#1.3")));
    CHECK_OK(bough_tree_prompts(t->store, t->arena, s, &how, &out, &t->err));
    CHECK_STR(a, out.at[0].entry);
    CHECK_INT(1, out.at[0].mno);
    CHECK_INT(BOUGH_ENTRY_MESSAGE, out.at[0].kind);
    CHECK(out.at[0].time > 0);
    CHECK_STR("4:so far 5:d", prompts(t, s, HOW(.limit = 2, .cursor = out.next)));
    how.newest = true;
    CHECK_OK(bough_tree_prompts(t->store, t->arena, s, &how, &out, &t->err));
    CHECK_INT(BOUGH_ENTRY_COMPACTION, out.at[0].kind);
    CHECK_INT(3, out.at[0].mno);
    CHECK_STR("1:a 3:c", prompts(t, s, HOW(.limit = 2, .newest = true, .cursor = out.next)));
    f = fork_at(t, s, "#1.3");
    user(t, f, "D");
    CHECK_STR("1:a 3:c 4:D", prompts(t, f, HOW(0)));
    CHECK_STR("3:c 4:D ...", prompts(t, f, HOW(.limit = 2, .newest = true)));
    CHECK_OK(bough_entry_delete(t->store, s, a, &t->err));
    CHECK_STR("3:c 4:D", prompts(t, f, HOW(0)));
    how = HOW(.limit = -1);
    CHECK_RC(BOUGH_INVALID, bough_tree_prompts(t->store, t->arena, s, &how, &out, &t->err));
    how = HOW(.cursor = "x");
    CHECK_RC(BOUGH_INVALID, bough_tree_prompts(t->store, t->arena, s, &how, &out, &t->err));
}
