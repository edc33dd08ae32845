/* The PostgreSQL views of alkhub's tables for plain SQL, and their query plans. */
#include <libpq-fe.h>

#include "base/memory/arena.h"
#include "lib/store_test.h"

/* Every value of every row, "|" between columns and a newline after each row. */
static const char *rows(struct test *t, PGconn *pg, const char *sql)
{
    PGresult *r = PQexec(pg, sql);
    const char *all = "";

    if (PQresultStatus(r) != PGRES_TUPLES_OK && PQresultStatus(r) != PGRES_COMMAND_OK)
        FAIL("%s: %s", sql, PQresultErrorMessage(r));
    for (int i = 0; i < PQntuples(r); i++)
        for (int k = 0; k < PQnfields(r); k++)
            all = arena_printf(t->arena, "%s%s%s", all, PQgetvalue(r, i, k),
                               k + 1 < PQnfields(r) ? "|" : "\n");
    PQclear(r);
    return all;
}

static const char *a_conversation(struct test *t)
{
    static const char tool[] =
        "{\"type\":\"tool\",\"callID\":\"c1\",\"tool\":\"bash\",\"state\":"
        "{\"status\":\"completed\",\"input\":{},\"output\":\"\\u0000 1.0e3\","
        "\"title\":\"x\",\"metadata\":{},\"time\":{\"start\":1,\"end\":2}}}";
    struct bough_str parts[] = { { "{\"type\":\"text\",\"text\":\"sure, \\ud800\"}", 0 },
                                 { tool, sizeof tool - 1 } };
    struct bough_session_create_options in = { .title = "A plan",
                                               .project = "/work",
                                               .role_name = "architect",
                                               .provider_path = "opencode",
                                               .data = { "{\"model\":\"m\",\"cost\":1.50}", 25 } };
    struct bough_entry_new e = { .role = BOUGH_ROLE_ASSISTANT,
                                 .parts = parts,
                                 .nparts = 2,
                                 .data = { "{\"agent\":\"build\"}", 17 } };
    struct bough_append_options append = { .entries = &e, .n = 1 };
    struct bough_append_result out;
    struct bough_session *s;

    parts[0].n = strlen(parts[0].p);
    CHECK_OK(bough_session_create(t->store, t->arena, &in, &s, &t->err));
    user(t, s->id, "do it");
    CHECK_OK(bough_append(t->store, t->arena, s->id, &append, &out, &t->err));
    CHECK_OK(bough_store_upkeep(t->store, &t->err));
    return s->id;
}

STORE_TEST(views_show_sessions_messages_and_parts_to_plain_sql)
{
    const char *s, *sql;
    PGconn *pg;

    if (store_has_file(t) || !store_lasts(t))
        SKIP("views are PostgreSQL's; bough sql has them over SQLite");
    s = a_conversation(t);
    pg = postgres_connect(t);
    CHECK_STR(arena_printf(t->arena,
                           "%s|a-plan|A plan|idle|1|opencode|architect|/work|||"
                           "{\"model\":\"m\",\"cost\":1.50}|{}\n",
                           s),
              rows(t, pg,
                   "SELECT id, slug, title, status, version, provider, role_name, project_id,"
                   " workspace_id, parent_id, data, metadata FROM sessions"));
    sql = arena_printf(t->arena,
                       "SELECT role, sequence, data FROM messages WHERE session_id = '%s'"
                       " ORDER BY created_at, id",
                       s);
    CHECK_STR("user|0|{}\nassistant|1|{\"agent\":\"build\"}\n", rows(t, pg, sql));
    sql = arena_printf(t->arena, "SELECT type, data FROM parts WHERE session_id = '%s' ORDER BY id",
                       s);
    CHECK_STR(
        "text|{\"type\":\"text\",\"text\":\"do it\"}\n"
        "text|{\"type\":\"text\",\"text\":\"sure, \\ud800\"}\n"
        "tool|{\"type\":\"tool\",\"callID\":\"c1\",\"tool\":\"bash\",\"state\":{\"status\":"
        "\"completed\",\"input\":{},\"output\":\"\\u0000 1.0e3\",\"title\":\"x\",\"metadata\":"
        "{},\"time\":{\"start\":1,\"end\":2}}}\n",
        rows(t, pg, sql));
    CHECK_STR("1\n", rows(t, pg, "SELECT count(*) FROM parts WHERE type = 'tool'"));
    PQfinish(pg);
}

STORE_TEST(views_do_not_show_what_was_deleted)
{
    const char *s, *gone;
    PGconn *pg;

    if (store_has_file(t) || !store_lasts(t))
        SKIP("views are PostgreSQL's; bough sql has them over SQLite");
    s = a_conversation(t);
    gone = new_session(t, "gone");
    user(t, gone, "hidden");
    CHECK_OK(bough_entry_delete(t->store, s, user(t, s, "oops"), &t->err));
    CHECK_OK(bough_session_delete(t->store, gone, &t->err));
    pg = postgres_connect(t);
    CHECK_STR("1|2|3\n", rows(t, pg,
                              "SELECT (SELECT count(*) FROM sessions), (SELECT count(*) FROM"
                              " messages), (SELECT count(*) FROM parts)"));
    PQfinish(pg);
}

/* The queries of alkhub's document, and the index each must use. */
static const struct {
    const char *where, *index;
} asked[] = {
    { "SELECT * FROM sessions WHERE id = 'x'", "session_id" },
    { "SELECT * FROM sessions WHERE slug = 'x'", "session_slug" },
    { "SELECT * FROM sessions WHERE status = 'busy'", "head_status" },
    { "SELECT * FROM messages WHERE session_id = 'x' ORDER BY created_at, id", "entry_pkey" },
    { "SELECT * FROM messages WHERE id = 'x'", "entry_id" },
    { "SELECT * FROM parts WHERE message_id = 'x' ORDER BY id", "entry_id" },
    { "SELECT * FROM parts WHERE session_id = 'x'", "entry_pkey" },
    { "SELECT * FROM parts WHERE session_id = 'x' AND type = 'tool'", "entry_pkey" },
    { "SELECT sid FROM list WHERE workspace = 3", "list_workspace" },
    { "SELECT sid FROM list WHERE account = 3", "list_account" },
    { "SELECT sid FROM list WHERE role_name = 'x'", "list_role" },
    { "SELECT sid FROM list WHERE project = 3", "list_project" },
    { "SELECT sid FROM list WHERE parent = 3", "list_parent" },
};

STORE_TEST(views_answer_the_queries_of_their_document_by_an_index)
{
    PGconn *pg;

    if (store_has_file(t) || !store_lasts(t))
        SKIP("views are PostgreSQL's; bough sql has them over SQLite");
    for (int i = 0; i < 150; i++)
        user(t, new_session(t, ""), "hello");
    CHECK_OK(bough_store_upkeep(t->store, &t->err));
    pg = postgres_connect(t);
    /* The tables are small, so sequential scans are disabled: the index must be usable. */
    (void)rows(t, pg,
               "SET enable_seqscan = off; ANALYZE session, head, list, entry, branch, record");
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        const char *plan;

        plan = rows(t, pg, arena_printf(t->arena, "EXPLAIN %s", asked[i].where));
        if (!strstr(plan, asked[i].index))
            FAIL("%s does not use %s:\n%s", asked[i].where, asked[i].index, plan);
    }
    PQfinish(pg);
}
