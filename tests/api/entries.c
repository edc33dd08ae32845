/* Entries, heads, labels, markers, contexts and trees over HTTP. */
#include <string.h>

#include "api/world.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "http/exchange.h"

static struct http_reply own_with(struct test *t, struct world *w, const char *method,
                                  const char *target, const char *headers, const char *body)
{
    struct http_ask ask = { .method = method,
                            .target = target,
                            .headers = arena_printf(
                                t->arena, "Content-Type: application/json\r\n%s", headers),
                            .body = str_of(body),
                            .via = HTTP_VIA_UNIX };
    struct http_reply r;

    http_loopback(api_app(w->api), t->arena, &ask, &r);
    return r;
}

#define SAY(text) "{\"entries\":[{\"role\":\"user\",\"text\":\"" text "\"}]}"

STORE_TEST(entries_and_their_call_are_appended_at_once_and_read_back_as_they_came)
{
    const char *id = new_session(t, "one"), *entry;
    struct world w;
    struct json j;

    world_open(t, &w);
    j = world_gives(
        t, &w, "POST", of_session(t, id, "/entries"),
        "{\"entries\":[{\"role\":\"user\",\"text\":\"why?\",\"id\":\"u1\"},{\"role\":\"assistant\","
        "\"parts\":[{\"type\":\"text\",\"text\":\"so\",\"x\":1.0}],\"finish\":\"stop\",\"by_call\":"
        "true,\"usage\":{\"input\":3,\"cost_usd\":0.25}},{\"kind\":\"oddity\",\"data\":{\"a\":1}}],"
        "\"call\":{\"provider\":\"p\",\"model\":\"m\",\"used\":{\"input\":3,\"cost_usd\":0.25}}}",
        201);
    CHECK_INT(3, json_count(json_member(j, "ids")));
    CHECK_STR("#1.3", text_at(t, j, "head"));
    entry = text_at(t, j, "ids.1");
    j = world_gives(t, &w, "GET", of_session(t, id, "/entries"), "", 200);
    CHECK_STR("why?", text_at(t, j, "items.0.parts.0.text"));
    CHECK_STR("{\"type\":\"text\",\"text\":\"so\",\"x\":1.0}", text_at(t, j, "items.1.parts.0"));
    CHECK_STR("0.25", text_at(t, j, "items.1.usage.cost_usd"));
    CHECK_STR("oddity", text_at(t, j, "items.2.kind"));
    j = world_gives(t, &w, "GET", of_session(t, id, "/entries/u1"), "", 200);
    CHECK_STR("u1", text_at(t, j, "origin"));
    CHECK_STR(
        entry,
        text_at(t, world_gives(t, &w, "GET", of_session(t, id, "/entries/@2"), "", 200), "id"));
    j = world_gives(t, &w, "GET", arena_printf(t->arena, "/api/v1/entries/%s", entry), "", 200);
    CHECK_STR("stop", text_at(t, j, "finish"));
    j = world_gives(t, &w, "GET", arena_printf(t->arena, "/api/v1/parts/%s.0000", entry), "", 200);
    CHECK_STR("so", text_at(t, j, "part.text"));
    world_gives(t, &w, "GET", of_session(t, id, "/entries/@9"), "", 404);
    world_gives(t, &w, "GET", of_session(t, id, "/entries/nope"), "", 404);
    j = world_gives(t, &w, "DELETE", of_session(t, id, "/entries/u1"), "", 200);
    CHECK(strcmp("null", text_at(t, j, "deleted")) != 0);
    j = world_gives(t, &w, "GET", of_session(t, id, "/latest-user"), "", 200);
    CHECK_STR("null", text_at(t, j, "id"));
    world_gives(t, &w, "POST", of_session(t, id, "/entries/u1/restore"), "", 200);
    world_gives(t, &w, "POST", of_session(t, id, "/entries"),
                "{\"entries\":[{\"rolle\":\"user\"}]}", 422);
    world_gives(t, &w, "POST", of_session(t, id, "/entries"),
                "{\"entries\":[{\"role\":\"user\",\"parts\":[{\"type\":\"tool\"}]}]}", 422);
    world_close(&w);
}

STORE_TEST(an_append_that_expects_another_head_is_refused_with_where_it_is)
{
    const char *id = new_session(t, "one");
    struct http_reply r;
    struct world w;
    struct json j;

    world_open(t, &w);
    r = own_with(t, &w, "POST", of_session(t, id, "/entries"), "If-Match: \"0.0\"\r\n", SAY("a"));
    CHECK_INT(201, r.status);
    CHECK_STR("\"1.1\"", http_reply_header(&r, "etag"));
    r = own_with(t, &w, "POST", of_session(t, id, "/entries"), "If-Match: \"0.0\"\r\n", SAY("b"));
    CHECK_INT(412, r.status);
    j = reply_json(t, &r);
    check_fits(t, "Error", j);
    CHECK_STR("1", text_at(t, j, "error.detail.head.branch"));
    CHECK_STR("1", text_at(t, j, "error.detail.head.depth"));
    j = world_gives(t, &w, "POST", of_session(t, id, "/entries"),
                    "{\"expect_head\":\"\",\"entries\":[{\"role\":\"user\",\"text\":\"b\"}]}", 409);
    CHECK_STR("conflict", text_at(t, j, "error.code"));
    CHECK_STR("1", text_at(t, j, "error.detail.head.depth"));
    world_gives(t, &w, "POST", of_session(t, id, "/entries"),
                "{\"expect_head\":\"#1.1\",\"entries\":[{\"role\":\"user\",\"text\":\"b\"}]}", 201);
    r = own_with(t, &w, "POST", of_session(t, id, "/entries"), "If-Match: \"x\"\r\n", SAY("c"));
    CHECK_INT(412, r.status);
    CHECK_STR("a b", path_text(t, id));
    world_close(&w);
}

STORE_TEST(the_same_key_gives_the_same_answer_and_another_request_is_a_conflict)
{
    const char *id = new_session(t, "one"), *key = "Idempotency-Key: k1\r\n", *first;
    struct http_reply r;
    struct world w;
    struct json j;

    world_open(t, &w);
    r = own_with(t, &w, "POST", of_session(t, id, "/entries"), key, SAY("a"));
    CHECK_INT(201, r.status);
    first = text_at(t, reply_json(t, &r), "ids.0");
    r = own_with(t, &w, "POST", of_session(t, id, "/entries"), key, SAY("a"));
    CHECK_INT(201, r.status);
    j = reply_json(t, &r);
    CHECK_STR(first, text_at(t, j, "ids.0"));
    CHECK_STR("true", text_at(t, j, "replayed"));
    r = own_with(t, &w, "POST", of_session(t, id, "/entries"), key, SAY("b"));
    CHECK_INT(409, r.status);
    CHECK_STR("key_conflict", text_at(t, reply_json(t, &r), "error.code"));
    CHECK_STR("a", path_text(t, id));
    world_close(&w);
}

STORE_TEST(a_whole_history_is_recorded_once_and_an_edited_one_branches)
{
    const char *id = new_session(t, "one");
    struct world w;
    struct json j;

    world_open(t, &w);
    world_gives(t, &w, "POST", of_session(t, id, "/record"),
                "{\"history\":[{\"role\":\"user\",\"text\":\"a\"}],"
                "\"reply\":{\"role\":\"assistant\",\"text\":\"b\"}}",
                201);
    j = world_gives(t, &w, "POST", of_session(t, id, "/record"),
                    "{\"history\":[{\"role\":\"user\",\"text\":\"a\"},{\"role\":\"assistant\","
                    "\"text\":\"b\"},{\"role\":\"user\",\"text\":\"c\"}]}",
                    201);
    CHECK_STR("2", text_at(t, j, "matched"));
    CHECK_STR("a b c", path_text(t, id));
    j = world_gives(t, &w, "POST", of_session(t, id, "/record"),
                    "{\"history\":[{\"role\":\"user\",\"text\":\"a\"},{\"role\":\"assistant\","
                    "\"text\":\"B\"},{\"role\":\"user\",\"text\":\"c\"}]}",
                    201);
    CHECK_STR("true", text_at(t, j, "branched"));
    j = world_gives(t, &w, "GET", of_session(t, id, "/branches"), "", 200);
    CHECK_INT(2, json_count(json_member(j, "items")));
    world_close(&w);
}

STORE_TEST(paths_are_read_in_pages_from_either_end_and_since_a_marker)
{
    const char *id = new_session(t, "one"), *third = NULL;
    struct world w;
    struct json j;

    world_open(t, &w);
    for (int i = 0; i < 7; i++) {
        const char *e = user(t, id, arena_printf(t->arena, "m%d", i));

        third = i == 2 ? e : third;
    }
    j = world_gives(t, &w, "GET", of_session(t, id, "/entries?limit=3"), "", 200);
    CHECK_STR("m0", text_at(t, j, "items.0.parts.0.text"));
    j = world_gives(
        t, &w, "GET",
        of_session(t, id,
                   arena_printf(t->arena, "/entries?limit=3&cursor=%s", text_at(t, j, "next"))),
        "", 200);
    CHECK_STR("m3", text_at(t, j, "items.0.parts.0.text"));
    j = world_gives(t, &w, "GET", of_session(t, id, "/entries?limit=3&newest=true"), "", 200);
    CHECK_STR("m4", text_at(t, j, "items.0.parts.0.text"));
    world_gives(t, &w, "GET", of_session(t, id, "/entries?cursor=x"), "", 422);
    world_gives(t, &w, "GET", of_session(t, id, "/entries?what=none"), "", 422);
    world_gives(t, &w, "GET", of_session(t, id, "/markers/latest"), "", 404);
    world_gives(t, &w, "POST", of_session(t, id, "/markers"),
                arena_printf(t->arena, "{\"summary\":\"short\",\"before\":\"%s\"}", third), 201);
    j = world_gives(t, &w, "GET", of_session(t, id, "/entries?what=since_marker&messages=true"), "",
                    200);
    CHECK_STR("m3", text_at(t, j, "items.0.parts.0.text"));
    CHECK_STR("compaction", text_at(t, j, "marker.kind"));
    j = world_gives(t, &w, "GET", of_session(t, id, "/entries?what=since_marker&all=true"), "",
                    200);
    CHECK_STR("compaction", text_at(t, j, "marker.kind"));
    j = world_gives(t, &w, "GET", of_session(t, id, "/markers"), "", 200);
    CHECK_INT(1, json_count(json_member(j, "items")));
    world_gives(t, &w, "GET", of_session(t, id, "/markers/latest?inherit=true"), "", 200);
    j = world_gives(t, &w, "GET", of_session(t, id, "/context"), "", 200);
    CHECK_STR("compactionSummary", text_at(t, j, "messages.0.role"));
    j = world_gives(t, &w, "GET",
                    of_session(t, id, arena_printf(t->arena, "/context?dialect=ui&at=%s", third)),
                    "", 200);
    CHECK_STR("3", text_at(t, j, "count"));
    j = world_gives(t, &w, "GET",
                    of_session(t, id, "/context?dialect=anthropic&trailing=true&memories=true"), "",
                    200);
    CHECK_STR("user", text_at(t, j, "messages.0.role"));
    CHECK_STR("text", text_at(t, j, "messages.0.content.0.type"));
    world_gives(t, &w, "GET", of_session(t, id, "/context?dialect=gemini&trailing=perhaps"), "",
                422);
    world_gives(t, &w, "GET", of_session(t, id, "/context?dialect=klingon"), "", 422);
    world_close(&w);
}

STORE_TEST(the_head_moves_and_branches_are_compared)
{
    const char *id = new_session(t, "one"), *a = user(t, id, "a"), *b = agent(t, id, "b"), *c;
    const char *hash;
    struct world w;
    struct json j;

    world_open(t, &w);
    hash = text_at(t, world_gives(t, &w, "GET", of_session(t, id, "/hash"), "", 200), "hash");
    CHECK_INT(64, strlen(hash));
    j = world_gives(t, &w, "PUT", of_session(t, id, "/head"),
                    arena_printf(t->arena, "{\"entry\":\"%s\"}", a), 200);
    CHECK_STR("#1.1", text_at(t, j, "head"));
    world_gives(t, &w, "PUT", of_session(t, id, "/head"), "{\"entry\":\"nope\"}", 404);
    world_gives(t, &w, "PUT", of_session(t, id, "/head"), "{}", 422);
    c = user(t, id, "c");
    j = world_gives(t, &w, "GET",
                    of_session(t, id, arena_printf(t->arena, "/diff?one=%s&other=%s", b, c)), "",
                    200);
    CHECK_STR(a, text_at(t, j, "common"));
    CHECK_STR(b, text_at(t, j, "one.entries.0"));
    CHECK_STR(c, text_at(t, j, "other.entries.0"));
    j = world_gives(t, &w, "GET",
                    of_session(t, id, arena_printf(t->arena, "/common?one=%s&other=%s", b, c)), "",
                    200);
    CHECK_STR(a, text_at(t, j, "id"));
    j = world_gives(t, &w, "GET",
                    of_session(t, id, arena_printf(t->arena, "/entries/%s/children", a)), "", 200);
    CHECK_INT(2, json_count(json_member(j, "items")));
    j = world_gives(t, &w, "POST", of_session(t, id, "/branches"),
                    arena_printf(t->arena, "{\"target\":\"%s\",\"summary\":\"went back\"}", b),
                    201);
    j = world_gives(t, &w, "GET",
                    of_session(t, id, arena_printf(t->arena, "/entries/%s", text_at(t, j, "id"))),
                    "", 200);
    CHECK_STR("branch_summary", text_at(t, j, "kind"));
    j = world_gives(t, &w, "GET", of_session(t, id, "/tree?limit=2"), "", 200);
    CHECK_STR("b", text_at(t, j, "items.1.parts.0.text"));
    j = world_gives(
        t, &w, "GET",
        of_session(t, id, arena_printf(t->arena, "/tree?cursor=%s", text_at(t, j, "next"))), "",
        200);
    CHECK_STR("c", text_at(t, j, "items.0.parts.0.text"));
    j = world_gives(t, &w, "DELETE", of_session(t, id, "/head"), "", 200);
    CHECK_STR("null", text_at(t, j, "head"));
    j = world_gives(t, &w, "GET", of_session(t, id, "/roots"), "", 200);
    CHECK_STR(a, text_at(t, j, "items.0.id"));
    world_gives(t, &w, "POST", of_session(t, id, "/clear"), "", 200);
    world_close(&w);
}

STORE_TEST(labels_are_set_listed_and_removed)
{
    const char *id = new_session(t, "one"), *a = user(t, id, "a"), *path;
    struct world w;
    struct json j;

    world_open(t, &w);
    path = of_session(t, id, arena_printf(t->arena, "/labels/%s", a));
    CHECK_STR("", text_at(t, world_gives(t, &w, "GET", path, "", 200), "label"));
    world_gives(t, &w, "PUT", path, "{\"label\":\"here\"}", 200);
    CHECK_STR("here", text_at(t, world_gives(t, &w, "GET", path, "", 200), "label"));
    j = world_gives(t, &w, "GET", of_session(t, id, "/labels"), "", 200);
    CHECK_STR(a, text_at(t, j, "items.0.entry"));
    world_gives(t, &w, "PUT", path, "{}", 422);
    world_gives(t, &w, "DELETE", path, "", 200);
    j = world_gives(t, &w, "GET", of_session(t, id, "/labels"), "", 200);
    CHECK_INT(0, json_count(json_member(j, "items")));
    world_close(&w);
}

/* ---- large answers ---- */

static void fill(struct test *t, const char *id, int n)
{
    struct bough_entry_new *e = arena_array(t->arena, 1000, sizeof *e);
    struct bough_append_options in = { .entries = e, .n = 1000 };
    struct bough_append_result out;

    for (int i = 0; i < 1000; i++)
        e[i] = (struct bough_entry_new){ .role = BOUGH_ROLE_USER, .text = "a line of some words" };
    for (; n > 0; n -= 1000)
        CHECK_OK(bough_append(t->store, t->arena, id, &in, &out, &t->err));
}

/* Runs the steps of the exchange one by one, to check the memory used after each. */
STORE_TEST_SECONDS(a_path_of_20000_entries_is_sent_in_small_pieces_from_memory_that_does_not_grow,
                   60)
{
    const char *id = new_session(t, "long");
    struct parse_head *head = arena_zalloc(t->arena, sizeof *head);
    struct parse_scan scan = { 0 };
    struct parse_error bad;
    struct exchange *x;
    struct world w;
    char *text;
    size_t pieces = 0, largest = 0, used = 0, total = 0;

    world_open(t, &w);
    fill(t, id, 20000);
    text = arena_printf(t->arena,
                        "GET /api/v1/sessions/%s/entries?all=true HTTP/1.1\r\nHost: x\r\n\r\n", id);
    CHECK_INT(PARSE_DONE, parse_scan(&scan, text, strlen(text), &bad));
    CHECK_INT(PARSE_DONE, parse_head(head, text, strlen(text), &bad));
    x = exchange_create(api_app(w.api), head, HTTP_VIA_UNIX, "unix");
    exchange_run(x, EXCHANGE_CALL);
    CHECK_INT(200, x->res.status);
    while (x->more != HTTP_END) {
        exchange_run(x, EXCHANGE_PULL);
        pieces++;
        total += x->res.out.n;
        largest = x->res.out.n > largest ? x->res.out.n : largest;
        if (pieces == 2)
            used = arena_used(x->req.arena);
    }
    CHECK(!x->cut);
    CHECK_INT(used, arena_used(x->req.arena));
    CHECK(pieces >= 400 && largest < 64 * 1024 && total > 4 * 1024 * 1024);
    exchange_destroy(x);
    {
        struct json j = world_gives(t, &w, "GET", of_session(t, id, "/entries?all=true"), "", 200);

        CHECK_INT(20000, json_count(json_member(j, "items")));
    }
    world_close(&w);
}

STORE_TEST(a_time_that_does_not_exist_or_is_zero_is_refused_not_changed)
{
    static const char *const times[] = { "\"2026-13-01T00:00:00Z\"",
                                         "\"2026-02-30T10:00:00Z\"",
                                         "\"1970-01-01T00:00:00Z\"",
                                         "0",
                                         "-1",
                                         "\"soon\"" };
    const char *id = new_session(t, "one");
    struct world w;
    struct json j;

    world_open(t, &w);
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        world_gives(t, &w, "POST", of_session(t, id, "/entries"),
                    arena_printf(t->arena,
                                 "{\"entries\":[{\"role\":\"user\",\"text\":\"x\",\"time\":%s}]}",
                                 times[i]),
                    422);
        world_gives(t, &w, "POST", "/api/v1/sessions",
                    arena_printf(t->arena, "{\"created\":%s}", times[i]), 422);
    }
    j = world_gives(t, &w, "GET", of_session(t, id, "/entries"), "", 200);
    CHECK_INT(0, json_count(json_member(j, "items")));
    world_close(&w);
}

STORE_TEST(a_role_comes_back_as_the_word_that_was_given)
{
    static const char *const words[][2] = {
        { "developer", "system" }, { "function", "tool" }, { "model", "assistant" },
        { "toolResult", "tool" },  { "bot", "other" },     { "user", "user" },
    };
    const char *id = new_session(t, "one");
    struct world w;
    struct json j;

    world_open(t, &w);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        world_gives(
            t, &w, "POST", of_session(t, id, "/entries"),
            arena_printf(t->arena,
                         "{\"entries\":[{\"role\":\"%s\",\"text\":\"x\",\"data\":{\"a\":1.0}}]}",
                         words[i][0]),
            201);
    j = world_gives(t, &w, "GET", of_session(t, id, "/entries"), "", 200);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        CHECK_STR(words[i][0], text_at(t, j, arena_printf(t->arena, "items.%zu.role", i)));
        CHECK_STR(words[i][1], text_at(t, j, arena_printf(t->arena, "items.%zu.speaker", i)));
        CHECK_STR("1.0", text_at(t, j, arena_printf(t->arena, "items.%zu.data.a", i)));
    }
    world_close(&w);
}

STORE_TEST(a_page_begins_at_a_depth_and_says_how_long_the_path_is)
{
    const char *id = new_session(t, "one"), *fork, *third;
    struct world w;
    struct json j;

    world_open(t, &w);
    j = world_gives(t, &w, "GET", of_session(t, id, "/entries"), "", 200);
    CHECK_STR("0", text_at(t, j, "depth"));
    user(t, id, "a");
    agent(t, id, "b");
    third = user(t, id, "c");
    fork = fork_at(t, id, third);
    agent(t, fork, "d");
    user(t, fork, "e");
    agent(t, id, "D");
    j = world_gives(t, &w, "GET", of_session(t, fork, "/entries?from=3&limit=2"), "", 200);
    CHECK_STR("c", text_at(t, j, "items.0.parts.0.text"));
    CHECK_STR("d", text_at(t, j, "items.1.parts.0.text"));
    CHECK_STR("5", text_at(t, j, "depth"));
    j = world_gives(
        t, &w, "GET",
        of_session(t, fork,
                   arena_printf(t->arena, "/entries?limit=2&cursor=%s", text_at(t, j, "next"))),
        "", 200);
    CHECK_STR("e", text_at(t, j, "items.0.parts.0.text"));
    CHECK_STR("null", text_at(t, j, "next"));
    j = world_gives(t, &w, "GET",
                    of_session(t, fork, arena_printf(t->arena, "/entries?from=2&at=%s", third)), "",
                    200);
    CHECK_INT(2, json_count(json_member(j, "items")));
    CHECK_STR("3", text_at(t, j, "depth"));
    j = world_gives(t, &w, "GET", of_session(t, id, "/entries?from=2&user=true"), "", 200);
    CHECK_INT(1, json_count(json_member(j, "items")));
    CHECK_STR("4", text_at(t, j, "depth"));
    j = world_gives(t, &w, "GET", of_session(t, id, "/entries?from=9"), "", 200);
    CHECK_INT(0, json_count(json_member(j, "items")));
    j = world_gives(t, &w, "GET", of_session(t, fork, "/entries?all=true"), "", 200);
    CHECK_STR("5", text_at(t, j, "depth"));
    j = world_gives(t, &w, "GET", of_session(t, fork, "/entries?what=direct"), "", 200);
    CHECK_STR("5", text_at(t, j, "depth"));
    world_gives(t, &w, "GET", of_session(t, id, "/entries?from=0"), "", 422);
    world_gives(t, &w, "GET", of_session(t, id, "/entries?from=2&newest=true"), "", 422);
    world_gives(t, &w, "GET", of_session(t, id, "/entries?from=2&all=true"), "", 422);
    world_gives(t, &w, "GET", of_session(t, id, "/entries?from=2&cursor=1.2"), "", 422);
    world_gives(t, &w, "GET", of_session(t, id, "/entries?from=2&what=direct"), "", 422);
    world_close(&w);
}

STORE_TEST(entries_come_with_the_calls_that_produced_them)
{
    static const char reply[] =
        "{\"entries\":[{\"role\":\"assistant\",\"text\":\"b\",\"by_call\":true},{\"role\":\"tool\","
        "\"text\":\"c\",\"by_call\":true}],\"call\":{\"provider\":\"p\",\"model\":\"m\","
        "\"used\":{\"input\":3,\"cost_usd\":0.25}}}";
    const char *id = new_session(t, "one"), *fork, *call, *one;
    struct json_iter it;
    struct world w;
    struct json j;

    world_open(t, &w);
    user(t, id, "a");
    call =
        text_at(t, world_gives(t, &w, "POST", of_session(t, id, "/entries"), reply, 201), "call");
    fork = fork_at(t, id, "#1.3");
    world_gives(t, &w, "POST", of_session(t, fork, "/entries"), reply, 201);
    j = world_gives(t, &w, "GET", of_session(t, fork, "/entries?calls=true"), "", 200);
    CHECK_INT(5, json_count(json_member(j, "items")));
    it = json_iter(json_member(j, "calls"));
    CHECK(json_next(&it) && json_is(it.key, call));
    CHECK_STR(id, text_at(t, it.value, "session"));
    CHECK_STR("0.25", text_at(t, it.value, "used.cost_usd"));
    CHECK(json_next(&it));
    CHECK_STR(fork, text_at(t, it.value, "session"));
    CHECK(!json_next(&it)); /* two entries of one call give it once */
    j = world_gives(t, &w, "GET", of_session(t, id, "/entries?calls=true&limit=1"), "", 200);
    CHECK_STR("{}", text_at(t, j, "calls"));
    CHECK(
        !json_get(world_gives(t, &w, "GET", of_session(t, id, "/entries"), "", 200), "calls", &j));
    world_gives(t, &w, "GET", of_session(t, id, "/entries?calls=true&all=true"), "", 422);
    one = of_session(t, id, "/entries/@2?calls=true");
    j = json_member(world_gives(t, &w, "GET", one, "", 200), "calls");
    CHECK_STR("p", text_at(t, json_member(j, call), "provider"));
    CHECK_OK(bough_call_delete(t->store, call, &t->err));
    CHECK_STR("{}", text_at(t, world_gives(t, &w, "GET", one, "", 200), "calls"));
    j = world_gives(t, &w, "GET", of_session(t, fork, "/entries?calls=true"), "", 200);
    CHECK_INT(1, json_count(json_member(j, "calls")));
    world_close(&w);
}

STORE_TEST(an_outline_and_the_prompts_of_a_session_are_served)
{
    const char *id = new_session(t, "one"), *a = user(t, id, "a"), *fork;
    struct world w;
    struct json j;

    world_open(t, &w);
    agent(t, id, "b");
    fork = fork_at(t, id, a);
    user(t, fork, "B");
    CHECK_OK(bough_label_set(t->store, id, a, "start", &t->err));
    j = world_gives(t, &w, "GET", of_session(t, id, "/outline"), "", 200);
    CHECK_STR("#1.2", text_at(t, j, "head"));
    CHECK_STR("1", text_at(t, j, "branches.0.first"));
    CHECK_STR("2", text_at(t, j, "branches.0.entries"));
    CHECK_STR("user", text_at(t, j, "branches.0.role"));
    CHECK_STR("label", text_at(t, j, "marks.0.kind"));
    CHECK_STR("fork", text_at(t, j, "marks.1.kind"));
    CHECK_STR(fork, text_at(t, j, "marks.1.session"));
    CHECK_STR("idle", text_at(t, j, "marks.1.status"));
    CHECK_STR("1", text_at(t, j, "marks.1.messages"));
    j = world_gives(t, &w, "GET", of_session(t, fork, "/outline?limit=1"), "", 200);
    CHECK_INT(1, json_count(json_member(j, "branches")));
    j = world_gives(
        t, &w, "GET",
        of_session(t, fork, arena_printf(t->arena, "/outline?cursor=%s", text_at(t, j, "next"))),
        "", 200);
    CHECK_STR(id, text_at(t, j, "branches.0.session"));
    CHECK_STR("1", text_at(t, j, "branches.0.tip"));
    j = world_gives(t, &w, "GET", of_session(t, fork, "/prompts?newest=true&limit=1"), "", 200);
    CHECK_STR("B", text_at(t, j, "items.0.preview"));
    CHECK_STR("2", text_at(t, j, "items.0.message_number"));
    j = world_gives(t, &w, "GET", of_session(t, fork, "/prompts?at=%231.1"), "", 200);
    CHECK_STR("a", text_at(t, j, "items.0.preview"));
    world_gives(t, &w, "GET", of_session(t, id, "/outline?limit=10001"), "", 422);
    world_gives(t, &w, "GET", of_session(t, id, "/outline?cursor=7777"), "", 422);
    world_close(&w);
}
