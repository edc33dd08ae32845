/* Messages of JSON-RPC: what is read, what is refused, and what answers look like. */
#include "rpc/message.h"

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "lib/test.h"

static struct rpc_message good(struct test *t, const char *line)
{
    struct rpc_message m;
    struct rpc_bad bad;

    if (!rpc_read(t->arena, str_of(line), &m, &bad))
        FAIL("%s: %s", line, bad.why);
    return m;
}

static struct rpc_bad refused(struct test *t, const char *line)
{
    struct rpc_message m;
    struct rpc_bad bad;

    if (rpc_read(t->arena, str_of(line), &m, &bad))
        FAIL("%s: not refused", line);
    return bad;
}

TEST(requests_notifications_and_answers_are_told_apart)
{
    struct rpc_message m = good(t, "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"a\",\"params\":{}}");

    CHECK_INT(RPC_REQUEST, m.kind);
    CHECK_SPAN("0", json_raw(m.id));
    CHECK_STR("a", m.method);
    m = good(t, "{\"jsonrpc\":\"2.0\",\"id\":\"\",\"method\":\"a\",\"more\":1}");
    CHECK_INT(RPC_REQUEST, m.kind);
    CHECK(!m.params.doc);
    m = good(t, "{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"params\":[1]}");
    CHECK_INT(RPC_NOTIFICATION, m.kind);
    m = good(t, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":null}");
    CHECK_INT(RPC_ANSWER, m.kind);
    m = good(t, "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":1}}");
    CHECK_INT(RPC_ANSWER, m.kind);
}

TEST(what_is_no_message_is_refused_with_its_id_if_it_has_one)
{
    static const struct {
        const char *line, *id;
        int code;
    } cases[] = {
        { "", "", RPC_PARSE_ERROR },
        { "{", "", RPC_PARSE_ERROR },
        { "{} {}", "", RPC_PARSE_ERROR },
        { "\"\xff\"", "", RPC_PARSE_ERROR },
        { "[]", "", RPC_INVALID_REQUEST },
        { "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\"}]", "", RPC_INVALID_REQUEST },
        { "7", "", RPC_INVALID_REQUEST },
        { "{}", "", RPC_INVALID_REQUEST },
        { "{\"id\":1,\"method\":\"a\"}", "1", RPC_INVALID_REQUEST },
        { "{\"jsonrpc\":2.0,\"id\":1,\"method\":\"a\"}", "1", RPC_INVALID_REQUEST },
        { "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"a\"}", "", RPC_INVALID_REQUEST },
        { "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"a\"}", "", RPC_INVALID_REQUEST },
        { "{\"jsonrpc\":\"2.0\",\"id\":true,\"method\":\"a\"}", "", RPC_INVALID_REQUEST },
        { "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":7}", "\"x\"", RPC_INVALID_REQUEST },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\"}", "1", RPC_INVALID_REQUEST },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"params\":7}", "1",
          RPC_INVALID_REQUEST },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"a\"}", "", RPC_INVALID_REQUEST },
        { "{\"jsonrpc\":\"2.0\",\"id\":1}", "1", RPC_INVALID_REQUEST },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":1,\"error\":{}}", "1", RPC_INVALID_REQUEST },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":7}", "1", RPC_INVALID_REQUEST },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rpc_bad bad = refused(t, cases[i].line);

        CHECK_INT(cases[i].code, bad.code);
        CHECK_SPAN(cases[i].id, bad.id.doc ? json_raw(bad.id) : str_make("", 0));
    }
}

TEST(ids_are_equal_by_value_and_type)
{
    static const char *const ids[] = { "1", "\"1\"", "\"a\"", "\"\\u0061\"", "2" };
    struct json parsed[5];

    for (size_t i = 0; i < 5; i++)
        CHECK_OK(json_parse(t->arena, str_of(ids[i]), &parsed[i], &t->err));
    CHECK(rpc_same_id(t->arena, parsed[0], parsed[0]));
    CHECK(!rpc_same_id(t->arena, parsed[0], parsed[1]));
    CHECK(!rpc_same_id(t->arena, parsed[0], parsed[4]));
    CHECK(rpc_same_id(t->arena, parsed[2], parsed[3]));
    CHECK(!rpc_same_id(t->arena, parsed[2], (struct json){ 0 }));
}

TEST(answers_are_one_line_with_the_id_as_it_came)
{
    struct rpc_message m = good(t, "{\"jsonrpc\":\"2.0\",\"id\":\"a\\u0062\",\"method\":\"x\"}");
    struct json_writer w;
    struct buf out;

    buf_init(&out, 4096);
    rpc_begin_result(&w, &out, m.id);
    jw_raw(&w, str_of("{\n\"a\":\r\n1}"));
    rpc_end(&w);
    CHECK_STR("{\"jsonrpc\":\"2.0\",\"id\":\"a\\u0062\",\"result\":{\"a\":1}}", out.p);
    buf_reset(&out);
    rpc_error(&out, (struct json){ 0 }, RPC_PARSE_ERROR, "no \"JSON\"\n", str_of("[1]"));
    CHECK_STR("{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":"
              "\"no \\\"JSON\\\"\\n\",\"data\":[1]}}",
              out.p);
    buf_finish(&out);
}
