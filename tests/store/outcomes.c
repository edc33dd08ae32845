/* Lists for people: errors, the state of the last message, cost, and counts. */
#include "lib/store_test.h"

#include "base/memory/arena.h"
#include "base/text/str.h"

#define FAILED                                                                                     \
    "{\"type\":\"tool\",\"tool\":\"bash\",\"callID\":\"c\",\"state\":{\"status\":\"error\","       \
    "\"input\":{},\"error\":\"no\",\"time\":{\"start\":1,\"end\":2}}}"
#define WORKED                                                                                     \
    "{\"type\":\"tool\",\"tool\":\"bash\",\"callID\":\"c\",\"state\":{\"status\":\"completed\","   \
    "\"input\":{},\"output\":\"error\",\"title\":\"t\",\"metadata\":{},\"time\":{\"start\":1,"     \
    "\"end\":2}}}"

static const char *say(struct test *t, const char *session, struct bough_entry_new e,
                       const char *part, const char *more)
{
    struct bough_str parts[] = { str_of(part), str_of(more) };
    struct bough_append_options in = { .entries = &e, .n = 1 };
    struct bough_append_result out;

    e.role = e.role ? e.role : BOUGH_ROLE_ASSISTANT;
    e.parts = parts;
    e.nparts = (part != NULL) + (size_t)(more != NULL);
    CHECK_OK(bough_append(t->store, t->arena, session, &in, &out, &t->err));
    return arena_strdup(t->arena, out.ids[0]);
}

#define NEW(...) ((struct bough_entry_new){ __VA_ARGS__ })

/* "2 error": before and after a fold. */
static void check_is(struct test *t, const char *session, const char *want)
{
    for (int i = 0; i < 2; i++) {
        const struct bough_session *s = get(t, session);

        CHECK_STR(want, arena_printf(t->arena, "%d %s", (int)s->errors,
                                     bough_outcome_name(s->last_state)));
        CHECK_OK(bough_store_upkeep(t->store, &t->err));
    }
}

STORE_TEST(errors_and_the_last_state_follow_the_messages_of_a_session)
{
    const char *s = new_session(t, "one"), *bad, *last;

    check_is(t, s, "0 ");
    user(t, s, "go");
    check_is(t, s, "0 ok");
    say(t, s, NEW(0), FAILED, FAILED);
    check_is(t, s, "2 ok"); /* the agent can go on */
    say(t, s, NEW(0), WORKED, NULL);
    check_is(t, s, "2 ok");
    bad = say(t, s, NEW(.error = { "{\"name\":\"Overloaded\"}", 21 }), NULL, NULL);
    check_is(t, s, "3 error");
    last = say(t, s, NEW(.finish = "interrupted"), FAILED, NULL);
    check_is(t, s, "4 interrupted");
    CHECK_OK(bough_entry_delete(t->store, s, last, &t->err));
    check_is(t, s, "3 error");
    CHECK_OK(bough_entry_delete(t->store, s, bad, &t->err));
    check_is(t, s, "2 ok");
    CHECK_OK(bough_entry_restore(t->store, s, last, &t->err));
    check_is(t, s, "3 interrupted");
    say(t, s, NEW(.role = BOUGH_ROLE_TOOL),
        "{\"type\":\"tool_result\",\"tool_use_id\":\"c\",\"content\":\"no\",\"is_error\":true}",
        NULL);
    check_is(t, s, "4 error");
}

STORE_TEST(an_open_message_is_the_last_state_until_it_is_sealed)
{
    const char *s = new_session(t, "one");
    struct bough_entry_new e = { .role = BOUGH_ROLE_ASSISTANT };
    struct bough_message_open_options open = { .entry = &e };
    struct bough_message_seal_options seal = { .finish = "error" };
    struct bough_message_open_result m;

    user(t, s, "go");
    CHECK_OK(bough_message_open(t->store, t->arena, s, &open, &m, &t->err));
    check_is(t, s, "0 open");
    CHECK_OK(bough_message_seal(t->store, t->arena, &m.writing, &seal, NULL, &t->err));
    check_is(t, s, "1 error");
}

/* Messages are counted where they were written; a copy has written all of them. */
STORE_TEST(a_fork_has_its_own_errors_and_a_copy_has_all)
{
    struct bough_session_fork_options copy = { .copy = true };
    const char *s = new_session(t, "one"), *gone, *f;
    struct bough_session *out;

    user(t, s, "go");
    gone = say(t, s, NEW(0), FAILED, NULL);
    say(t, s, NEW(0), FAILED, FAILED);
    CHECK_OK(bough_entry_delete(t->store, s, gone, &t->err));
    f = fork_at(t, s, "#1.3");
    check_is(t, f, "0 ");
    say(t, f, NEW(.finish = "error"), NULL, NULL);
    check_is(t, f, "1 error");
    CHECK_OK(bough_session_fork(t->store, t->arena, s, &copy, &out, &t->err));
    check_is(t, out->id, "2 ok");
}

/* ---- lists ---- */

static const char *titles(struct test *t, struct bough_session_list_options f)
{
    struct bough_sessions found;
    const char *all = "";

    CHECK_OK(bough_session_list(t->store, t->arena, &f, &found, &t->err));
    for (size_t i = 0; i < found.n; i++)
        all = arena_printf(t->arena, "%s%s%s", all, i ? " " : "", found.at[i].title);
    if (f.count)
        all = arena_printf(t->arena, "%s of %d", all, (int)found.total);
    return all;
}

#define LIST(...) ((struct bough_session_list_options){ __VA_ARGS__ })
#define BOTH(want, ...)                                                                            \
    do {                                                                                           \
        CHECK_STR(want, titles(t, LIST(__VA_ARGS__)));                                             \
        CHECK_OK(bough_store_upkeep(t->store, &t->err));                                           \
        CHECK_STR(want, titles(t, LIST(__VA_ARGS__)));                                             \
    } while (0)

static const char *session_of(struct test *t, const char *title, const char *model, int64_t cost)
{
    struct bough_session_create_options in = { .title = title,
                                               .model_provider = "acme",
                                               .model_name = "asked" };
    struct bough_call_new call = { .provider = "acme", .model = model, .used = { .cost = cost } };
    struct bough_append_options pay = { .call = &call };
    struct bough_append_result out;
    struct bough_session *s;

    CHECK_OK(bough_session_create(t->store, t->arena, &in, &s, &t->err));
    CHECK_OK(bough_append(t->store, t->arena, s->id, &pay, &out, &t->err));
    return s->id;
}

STORE_TEST(sessions_are_found_by_errors_last_state_cost_and_model)
{
    const char *a = session_of(t, "a", "big", 30), *b = session_of(t, "b", "small", 10);
    const char *c = session_of(t, "c", "big", 20);
    struct bough_sessions found;

    say(t, a, NEW(0), FAILED, NULL);
    say(t, b, NEW(.finish = "error"), NULL, NULL);
    user(t, c, "fine");
    BOTH("b a", .errors = true);
    BOTH("b", .last_state = BOUGH_OUTCOME_ERROR);
    BOTH("c a", .last_state = BOUGH_OUTCOME_OK);
    BOTH("b", .errors = true, .last_state = BOUGH_OUTCOME_ERROR, .order = BOUGH_BY_UPDATED);
    BOTH("c a", .cost_from = 20);
    BOTH("a c b", .order = BOUGH_BY_COST);
    BOTH("a c", .order = BOUGH_BY_COST, .cost_from = 20);
    BOTH("a c", .order = BOUGH_BY_COST, .limit = 2);
    BOTH("c a", .model_name = "big"); /* it answered, whatever was asked for */
    BOTH("c b a", .model_name = "asked");
    BOTH("", .model_name = "other");
    say(t, b, NEW(.usage = &(struct bough_totals){ .cost = 100 }, .call_model = "big"), NULL, NULL);
    BOTH("c b a", .model_name = "big");
    BOTH("b a c", .order = BOUGH_BY_COST);
    BOTH("c b a", .last_state = BOUGH_OUTCOME_OK);
    CHECK_RC(BOUGH_INVALID,
             bough_session_list(t->store, t->arena, &LIST(.order = 4), &found, &t->err));
    CHECK_RC(BOUGH_INVALID,
             bough_session_list(t->store, t->arena, &LIST(.last_state = 9), &found, &t->err));
    CHECK_RC(BOUGH_INVALID,
             bough_session_list(t->store, t->arena, &LIST(.cost_from = -1), &found, &t->err));
}

/* What a subagent spends moves its parent in the order of cost. */
STORE_TEST(the_order_of_cost_counts_subagents)
{
    const char *a = session_of(t, "a", "m", 10);
    struct bough_session_create_options in = { .title = "sub",
                                               .kind = BOUGH_SUBAGENT,
                                               .parent = a };
    struct bough_session *sub;

    session_of(t, "b", "m", 15);
    CHECK_OK(bough_session_create(t->store, t->arena, &in, &sub, &t->err));
    BOTH("b a sub", .order = BOUGH_BY_COST);
    say(t, sub->id, NEW(.usage = &(struct bough_totals){ .cost = 6 }), NULL, NULL);
    BOTH("a b sub", .order = BOUGH_BY_COST);
}

STORE_TEST(pages_by_cost_follow_each_other)
{
    struct bough_session_list_options f = { .order = BOUGH_BY_COST, .limit = 2, .count = true };
    struct bough_sessions found;
    const char *all = "";

    for (int i = 0; i < 7; i++)
        session_of(t, arena_printf(t->arena, "%c", 'a' + i), "m", i % 3);
    do {
        CHECK_OK(bough_session_list(t->store, t->arena, &f, &found, &t->err));
        for (size_t i = 0; i < found.n; i++)
            all = arena_printf(t->arena, "%s%s", all, found.at[i].title);
        CHECK_INT(7, found.total); /* on every page */
        f.cursor = found.next;
    } while (*found.next);
    CHECK_STR("fcebgda", all);
    f.order = BOUGH_BY_UPDATED;
    f.cursor = "3.1.1";
    CHECK_RC(BOUGH_INVALID, bough_session_list(t->store, t->arena, &f, &found, &t->err));
}

STORE_TEST(all_that_match_are_counted)
{
    const char *a = session_of(t, "a", "big", 30), *b = session_of(t, "b", "small", 10);

    session_of(t, "c", "big", 20);
    BOTH("c of 3", .limit = 1, .count = true);
    BOTH("c a of 2", .model_name = "big", .count = true);
    say(t, a, NEW(0), FAILED, NULL); /* pending: in place of the stored row */
    BOTH("a of 1", .errors = true, .count = true);
    BOTH("c b a of 3", .count = true, .status = "idle");
    CHECK_OK(bough_session_delete(t->store, b, &t->err));
    BOTH("c a of 2", .count = true);
    BOTH("c b a of 3", .count = true, .include_deleted = true);
    BOTH("b of 1", .count = true, .only_deleted = true);
    BOTH("a of 1", .count = true, .query = "A");
    CHECK_OK(bough_session_purge(t->store, t->arena, a, NULL, &t->err));
    BOTH("c of 1", .count = true);
    BOTH(" of 0", .count = true, .project = "/none");
}

/* "a:2 b:1", the last used first. */
static const char *facet(struct test *t, const struct bough_facets *f)
{
    const char *all = "";

    for (size_t i = 0; i < f->n; i++)
        all = arena_printf(t->arena, "%s%s%s%s%s:%d", all, i ? " " : "", f->at[i].provider,
                           *f->at[i].provider ? "/" : "", f->at[i].name, (int)f->at[i].sessions);
    return all;
}

static struct bough_session_facets_result facets(struct test *t, const char *project)
{
    struct bough_session_facets_result r;

    CHECK_OK(bough_session_facets(t->store, t->arena, project, &r, &t->err));
    return r;
}

STORE_TEST(facets_are_the_values_that_sessions_have)
{
    struct bough_session_create_options in = { .project = "/shop",
                                               .account = "ann",
                                               .role_name = "coder",
                                               .model_provider = "acme",
                                               .model_name = "big" };
    struct bough_source source = { .path = "/x.jsonl", .format = "pi" };
    struct bough_session_facets_result r = facets(t, NULL);
    struct bough_session *s;
    const char *b;

    CHECK(r.complete);
    CHECK_INT(0, r.projects.n);
    CHECK_OK(bough_session_create(t->store, t->arena, &in, &s, &t->err));
    say(t, s->id,
        NEW(.finish = "error", .usage = &(struct bough_totals){ .cost = 7 },
            .call_provider = "acme", .call_model = "small"),
        NULL, NULL);
    b = session_of(t, "b", "asked", 5);
    CHECK_OK(bough_session_create(t->store, t->arena, &in, &s, &t->err));
    CHECK_OK(bough_source_put(t->store, t->arena, &source, NULL, &t->err));
    for (int i = 0; i < 2; i++) {
        r = facets(t, NULL);
        CHECK_STR("/shop:2", facet(t, &r.projects));
        CHECK_INT(7, r.projects.at[0].cost);
        CHECK(r.projects.at[0].last > 0);
        CHECK_STR("ann:2", facet(t, &r.accounts));
        CHECK_STR("acme/big:2 acme/asked:1 acme/small:1", facet(t, &r.models));
        CHECK_STR("idle:3", facet(t, &r.statuses));
        CHECK_STR("primary:3", facet(t, &r.kinds));
        CHECK_STR("error:1", facet(t, &r.last_states));
        CHECK_STR("coder:2", facet(t, &r.roles));
        CHECK_STR("pi:1", facet(t, &r.tools));
        CHECK_INT(3, r.sessions);
        r = facets(t, "/shop");
        CHECK_INT(2, r.sessions);
        CHECK_STR("acme/big:2 acme/small:1", facet(t, &r.models));
        CHECK_INT(0, r.tools.n);
        r = facets(t, "/none");
        CHECK_INT(0, r.sessions);
        CHECK_OK(bough_store_upkeep(t->store, &t->err));
    }
    CHECK_OK(bough_session_delete(t->store, b, &t->err));
    r = facets(t, NULL);
    CHECK_INT(2, r.sessions);
}

STORE_TEST(a_long_list_of_facets_is_cut_and_says_so)
{
    struct bough_session_facets_result r;

    for (int i = 0; i < 201; i++) {
        struct bough_session_create_options in = { .project = arena_printf(t->arena, "/p%d", i) };
        struct bough_session *s;

        CHECK_OK(bough_session_create(t->store, t->arena, &in, &s, &t->err));
    }
    r = facets(t, NULL);
    CHECK(r.projects.cut && !r.models.cut);
    CHECK_INT(200, r.projects.n);
    CHECK_STR("/p200", r.projects.at[0].name);
}
