/* A file cannot take over a session that did not come from it: its ids match only what an import of
 * its format stored. */
#include <stdio.h>
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "corpus.h"

static const char *pi_file(struct test *t, const char *id, const char *parent)
{
    return arena_printf(
        t->arena,
        "{\"type\":\"session\",\"version\":3,\"id\":\"%s\",\"timestamp\":\"2026-01-02T03:04:05Z\","
        "\"cwd\":\"/srv/evil\"%s%s%s}\n"
        "{\"type\":\"message\",\"id\":\"aaaa1111\",\"parentId\":null,\"timestamp\":"
        "\"2026-01-02T03:04:06Z\",\"message\":{\"role\":\"user\",\"content\":\"evil\"}}\n",
        id, parent ? ",\"parentSession\":\"" : "", parent ? parent : "", parent ? "\"" : "");
}

static const char *bough_file(struct test *t, const char *id, const char *parent)
{
    return arena_printf(
        t->arena,
        "{\"bough\":1,\"type\":\"session\",\"id\":\"%s\",\"slug\":\"evil\",\"title\":\"evil\","
        "\"created\":1700000000000%s%s%s}\n"
        "{\"type\":\"entry\",\"id\":\"e1\",\"parent\":\"\",\"role\":\"user\",\"time\":"
        "1700000000001,"
        "\"parts\":[{\"type\":\"text\",\"text\":\"evil\"}]}\n"
        "{\"type\":\"head\",\"id\":\"e1\"}\n",
        id, parent ? ",\"subagent\":true,\"parent\":\"" : "", parent ? parent : "",
        parent ? "\"" : "");
}

struct victim {
    const struct bough_session *s;
    const char *names[5]; /* its slug, number, prefix, given id, NULL */
};

static struct victim victim(struct test *t)
{
    struct bough_session_create_options in = { .id = "mine", .title = "cache bug" };
    struct bough_session *s;

    CHECK_OK(bough_session_create(t->store, t->arena, &in, &s, &t->err));
    user(t, s->id, "good");
    return (struct victim){
        get(t, s->id), { "cache-bug", "#1", arena_strndup(t->arena, s->id, 12), "mine", NULL }
    };
}

static void check_untouched(struct test *t, const struct victim *v, const char *name)
{
    const struct bough_session *now = get(t, v->s->id);

    if (strcmp(path_text(t, v->s->id), "good") != 0 || now->head.depth != 1 ||
        strcmp(now->title, "cache bug") != 0 || now->rolled.cost || now->deleted)
        FAIL("a file with the name %s changed the session", name);
}

static void import_text(struct test *t, const char *text, struct bough_import_file_result *out)
{
    const char *path = file_make(t, "f.jsonl", text, strlen(text));

    if (import_rc(t, path, out))
        out->session = "";
}

STORE_TEST(a_file_of_another_tool_names_no_session_that_was_made_here)
{
    struct victim v = victim(t);
    struct bough_import_file_result out;

    for (size_t i = 0; v.names[i]; i++) {
        import_text(t, pi_file(t, v.names[i], NULL), &out);
        CHECK(strcmp(out.session, v.s->id) != 0);
        check_untouched(t, &v, v.names[i]);
    }
}

STORE_TEST(our_own_format_names_a_session_by_its_full_id_only)
{
    struct victim v = victim(t);
    struct bough_import_file_result out;

    for (size_t i = 0; v.names[i]; i++) {
        import_text(t, bough_file(t, v.names[i], NULL), &out);
        CHECK(strcmp(out.session, v.s->id) != 0);
        check_untouched(t, &v, v.names[i]);
    }
}

STORE_TEST(an_export_of_a_session_with_a_given_id_is_known_to_the_store_that_made_it)
{
    struct victim v = victim(t);
    struct bough_str text = export_text(t, v.s->id, "bough");
    struct bough_import_file_result out;

    import_text(t, text.p, &out);
    CHECK_STR(v.s->id, out.session);
    CHECK_INT(0, out.sessions + out.added);
    check_untouched(t, &v, "mine");
}

STORE_TEST(a_parent_in_a_file_is_a_session_that_came_from_that_format)
{
    struct victim v = victim(t);
    struct bough_import_file_result out;

    for (size_t i = 0; v.names[i]; i++) {
        import_text(t, pi_file(t, arena_printf(t->arena, "pi-%zu", i), v.names[i]), &out);
        CHECK_STR("", get(t, out.session)->parent);
        import_text(t, bough_file(t, arena_printf(t->arena, "b-%zu", i), v.names[i]), &out);
        CHECK_STR("", get(t, out.session)->parent);
        check_untouched(t, &v, v.names[i]);
    }
}

STORE_TEST(an_id_of_one_tool_is_not_an_id_of_another)
{
    struct bough_import_file_result pi, bough;

    import_text(t, pi_file(t, "shared", NULL), &pi);
    CHECK(*pi.session);
    import_text(t, bough_file(t, "shared", NULL), &bough);
    CHECK(strcmp(pi.session, bough.session) != 0);
    CHECK_INT(1, get(t, pi.session)->head.depth);
}

/* The store moved to another machine: its sessions came from our own format. */
STORE_TEST(a_file_goes_on_in_a_store_that_its_session_was_moved_to)
{
    const char *text = pi_file(t, "0199aa", NULL);
    struct bough_import_file_result out;
    struct bough_str moved;

    import_text(t, text, &out);
    moved = export_text(t, out.session, "bough");
    fresh_store(t);
    import_text(t, moved.p, &out);
    CHECK_INT(1, out.added);
    import_text(t, text, &out);
    CHECK_INT(0, out.added + out.sessions);
}

/* What another tool went on with: it keeps the id, so the file cannot have it in this store. */
STORE_TEST(a_file_whose_id_came_from_another_tool_gets_another_one)
{
    const char *claude =
        "{\"parentUuid\":null,\"sessionId\":\"0199aa00-0000-7000-8000-000000000001\",\"type\":"
        "\"user\",\"uuid\":\"u1\",\"timestamp\":\"2026-02-03T04:05:06Z\",\"cwd\":\"/"
        "p\",\"message\":{\"role\":\"user\",\"content\":\"hi\"}}\n";
    const char *more =
        "{\"parentUuid\":\"u1\",\"sessionId\":\"0199aa00-0000-7000-8000-000000000001\",\"type\":"
        "\"user\",\"uuid\":\"u2\",\"cwd\":\"/"
        "p\",\"message\":{\"role\":\"user\",\"content\":\"on\"}}\n";
    const char *path, *both = arena_printf(t->arena, "%s%s", claude, more);
    struct bough_import_file_result pi, first, again;

    import_text(t, pi_file(t, "0199aa00-0000-7000-8000-000000000001", NULL), &pi);
    path = file_make(t, "claude.jsonl", claude, strlen(claude));
    first = import_file(t, path);
    CHECK_INT(1, first.sessions);
    CHECK_INT(1, first.nproblems);
    CHECK(strcmp(pi.session, first.session) != 0);
    CHECK_STR("evil", path_text(t, pi.session));
    CHECK_STR("hi", path_text(t, first.session));
    path = file_make(t, "claude.jsonl", both, strlen(both));
    again = import_file(t, path);
    CHECK_STR(first.session, again.session);
    CHECK_INT(0, again.sessions);
    CHECK_INT(1, again.added);
    CHECK_STR("hi on", path_text(t, first.session));
    CHECK_STR("claude-code:0199aa00-0000-7000-8000-000000000001", get(t, first.session)->origin);
}
