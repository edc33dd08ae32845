/* Sessions made here, exported to pi: every id in the file names a line of the file. */
#include <string.h>

#include "base/json/json.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "corpus.h"

/* Every id that a line names is the id of a line. */
static void check_ids(struct test *t, struct bough_str file)
{
    static const char *const names[] = { "parentId",        "firstKeptEntryId", "fromId",
                                         "beforeMessageId", "targetId",         "bough.left",
                                         "bough.of" };
    char *rest = arena_strndup(t->arena, file.p, file.n), *line;

    while ((line = strsep(&rest, "\n")) != NULL) {
        struct json j;

        if (!*line)
            continue;
        CHECK_OK(json_parse(t->arena, str_of(line), &j, &t->err));
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            const char *id = json_cstr(t->arena, j, names[i]);

            if (id && strcmp(id, "root") != 0 &&
                !strstr(file.p, arena_printf(t->arena, "\"id\":\"%s\"", id)))
                CHECK_STR("an id of the file", arena_printf(t->arena, "%s %s", names[i], id));
        }
    }
}

static const char *context_text(struct test *t, const char *session)
{
    struct bough_context_options how = { .dialect = "pi" };
    struct bough_context_result c;

    CHECK_OK(bough_context(t->store, t->arena, session, &how, &c, &t->err));
    return c.messages.p;
}

/* Only what was said: ids and times of the context differ between stores. */
static const char *said(struct test *t, const char *session)
{
    const char *text = context_text(t, session), *out = "";

    for (; (text = strstr(text, "said ")) != NULL; text += 6)
        out = arena_printf(t->arena, "%s%.6s|", out, text);
    return out;
}

/* Export and import elsewhere: the same context, the same bytes. */
static void check_there(struct test *t, const char *session, const char *want)
{
    struct bough_str out = export_text(t, session, "pi"), again;
    const char *path = file_make(t, "out.jsonl", out.p, out.n);

    CHECK_STR(want, said(t, session));
    check_ids(t, out);
    next_store(t);
    session = import_file(t, path).session;
    CHECK_STR(want, said(t, session));
    again = export_text(t, session, "pi");
    CHECK_SPAN(out.p, again);
    CHECK_INT(0, import_file(t, path).added);
}

/* The same, and importing it here adds nothing. */
static void check_pi(struct test *t, const char *session, const char *want)
{
    struct bough_str out = export_text(t, session, "pi");

    CHECK_INT(0, import_file(t, file_make(t, "out.jsonl", out.p, out.n)).added);
    check_there(t, session, want);
}

struct talk {
    const char *s, *id[6];
};

static struct talk talk(struct test *t)
{
    struct talk k = { .s = new_session(t, "Talk") };

    for (int i = 1; i <= 5; i++)
        k.id[i] = add(t, k.s, i % 2 ? BOUGH_ROLE_USER : BOUGH_ROLE_ASSISTANT,
                      arena_printf(t->arena, "said %d", i));
    return k;
}

static void compact(struct test *t, const char *s, struct bough_compact_options how)
{
    char id[BOUGH_ID_LEN + 1];

    how.summary = "sum";
    CHECK_OK(bough_compact(t->store, s, &how, id, &t->err));
    add(t, s, BOUGH_ROLE_USER, "said 6");
}

STORE_TEST(a_compaction_made_here_keeps_the_same_messages_in_pi)
{
    struct talk k = talk(t);

    compact(t, k.s, (struct bough_compact_options){ .first_kept = k.id[3] });
    check_pi(t, k.s, "said 3|said 4|said 5|said 6|");
}

STORE_TEST(a_compaction_made_here_before_a_message_keeps_the_same_messages_in_pi)
{
    struct talk k = talk(t);

    compact(t, k.s, (struct bough_compact_options){ .before = k.id[2] });
    check_pi(t, k.s, "said 3|said 4|said 5|said 6|");
}

STORE_TEST(a_compaction_made_here_that_keeps_nothing_keeps_nothing_in_pi)
{
    struct talk k = talk(t);

    compact(t, k.s, (struct bough_compact_options){ .tokens_before = 7 });
    check_pi(t, k.s, "said 6|");
}

STORE_TEST(a_compaction_by_depth_keeps_the_same_messages_in_pi)
{
    struct talk k = talk(t);
    struct bough_entry_new e = { .kind = BOUGH_ENTRY_COMPACTION,
                                 .data = str_of("{\"summary\":\"sum\"}"),
                                 .keep_from = 4 };
    struct bough_append_options in = { .entries = &e, .n = 1 };
    struct bough_append_result out;

    CHECK_OK(bough_append(t->store, t->arena, k.s, &in, &out, &t->err));
    check_pi(t, k.s, "said 4|said 5|");
}

STORE_TEST(a_compaction_from_a_deleted_message_on_keeps_what_follows_it_in_pi)
{
    struct talk k = talk(t);

    compact(t, k.s, (struct bough_compact_options){ .first_kept = k.id[3] });
    CHECK_OK(bough_entry_delete(t->store, k.s, k.id[3], &t->err));
    check_there(t, k.s, "said 4|said 5|said 6|");
}

STORE_TEST(a_compaction_that_keeps_a_tool_and_its_result_keeps_both_in_pi)
{
    struct talk k = talk(t);
    struct bough_str part =
        str_of("{\"type\":\"tool\",\"tool\":\"bash\",\"callID\":\"c1\",\"state\":{\"status\":"
               "\"completed\",\"input\":{\"x\":1},\"output\":\"said 7\",\"title\":\"\","
               "\"metadata\":{},\"time\":{\"start\":1,\"end\":2}}}");
    struct bough_entry_new e = { .role = BOUGH_ROLE_ASSISTANT, .parts = &part, .nparts = 1 };
    struct bough_append_options in = { .entries = &e, .n = 1 };
    struct bough_append_result out;
    struct bough_str file;
    const char *kept;

    CHECK_OK(bough_append(t->store, t->arena, k.s, &in, &out, &t->err));
    compact(t, k.s, (struct bough_compact_options){ .first_kept = out.ids[0] });
    file = export_text(t, k.s, "pi");
    kept = strstr(file.p, "\"firstKeptEntryId\":\"");
    CHECK(kept && strncmp(kept + 20, "bough-", 6) == 0); /* the line with the call */
    check_pi(t, k.s, "said 7|said 6|");
}

STORE_TEST(a_branch_summary_made_here_names_lines_of_the_file_in_pi)
{
    struct talk k = talk(t);
    struct bough_branch_with_summary_options how = { .target = k.id[2], .summary = "said 8" };
    char id[BOUGH_ID_LEN + 1];

    CHECK_OK(bough_branch_with_summary(t->store, k.s, &how, id, &t->err));
    add(t, k.s, BOUGH_ROLE_USER, "said 6");
    check_pi(t, k.s, "said 1|said 2|said 8|said 6|");
}

STORE_TEST(a_fork_made_here_names_its_parent_in_pi)
{
    struct talk k = talk(t);
    const char *fork = fork_at(t, k.s, k.id[2]);
    struct bough_str parent = export_text(t, k.s, "pi"), child;
    const char *one = file_make(t, "one.jsonl", parent.p, parent.n), *two;

    compact(t, fork, (struct bough_compact_options){ .first_kept = k.id[2] });
    child = export_text(t, fork, "pi");
    CHECK(strstr(child.p, arena_printf(t->arena, "\"parentSession\":\"%s\"", k.s)));
    CHECK(!strstr(parent.p, "parentSession"));
    check_ids(t, child);
    two = file_make(t, "two.jsonl", child.p, child.n);
    next_store(t);
    import_file(t, one);
    CHECK_STR(k.s, get(t, get(t, import_file(t, two).session)->parent)->origin);
    CHECK_STR("said 2|said 6|", said(t, fork));
    CHECK_SPAN(child.p, export_text(t, fork, "pi"));
}
