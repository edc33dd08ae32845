/* Requests of the three wires, read: what the conversation is, what the client asks for. */
#include "core/wire/request.h"

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "lib/test.h"

static struct wire_request read_ok(struct test *t, enum wire wire, const char *body)
{
    struct wire_request r;

    CHECK_OK(wire_request_read(t->arena, wire, str_of(body), &r, &t->err));
    return r;
}

/* "role:parts data" of a message. */
static const char *shown(struct test *t, const struct bough_entry_new *e)
{
    const char *all = arena_printf(t->arena, "%s", bough_role_name(e->role));

    for (size_t i = 0; i < e->nparts; i++)
        all = arena_printf(t->arena, "%s %.*s", all, (int)e->parts[i].n, e->parts[i].p);
    return e->data.n ? arena_printf(t->arena, "%s | %.*s", all, (int)e->data.n, e->data.p) : all;
}

TEST(a_chat_request_is_read)
{
    struct wire_request r = read_ok(
        t, WIRE_CHAT,
        "{\"model\":\"fir\",\"stream\":true,\"n\":2,\"max_tokens\":9,\"temperature\":0.5,"
        "\"tools\":[{\"type\":\"function\"}],\"session_id\":\"s1\",\"metadata\":{\"a\":\"b\"},"
        "\"messages\":[{\"role\":\"system\",\"content\":\"be nice\"},"
        "{\"role\":\"developer\",\"content\":[{\"type\":\"text\",\"text\":\"and brief\"}]},"
        "{\"role\":\"user\",\"content\":\"hello\"}]}");

    CHECK_STR("fir", r.model);
    CHECK(r.stream && r.tools && !r.only_title);
    CHECK_INT(WIRE_USAGE_OPEN, r.usage);
    CHECK_INT(9, r.max_output);
    CHECK_INT(2, r.choices);
    CHECK_STR("s1", r.session_id);
    CHECK_INT(2, r.nsystem);
    CHECK_SPAN("be nice\n\nand brief", wire_system_text(t->arena, r.system, r.nsystem));
    CHECK_INT(1, r.nmessages);
    CHECK_STR("user {\"type\":\"text\",\"text\":\"hello\"}", shown(t, &r.messages[0]));
    CHECK_SPAN("{\"n\":2,\"max_tokens\":9,\"temperature\":0.5,\"tools\":[{\"type\":\"function\"}]}",
               r.parameters);
}

TEST(W3_foreign_words_and_unknown_members_are_kept)
{
    struct wire_request r =
        read_ok(t, WIRE_CHAT,
                "{\"messages\":[{\"role\":\"function\",\"name\":\"f\",\"content\":\"4\"},"
                "{\"role\":\"critic\",\"content\":\"no\",\"mood\":3},"
                "{\"role\":\"assistant\",\"content\":null,\"refusal\":\"I will not\"},"
                "{\"role\":\"user\",\"content\":[{\"type\":\"text\"}]}]}");

    CHECK_STR("tool {\"type\":\"text\",\"text\":\"4\"} | {\"role\":\"function\",\"name\":\"f\"}",
              shown(t, &r.messages[0]));
    CHECK_STR("other {\"type\":\"text\",\"text\":\"no\"} | "
              "{\"role\":\"critic\",\"hecate.more\":{\"mood\":3}}",
              shown(t, &r.messages[1]));
    CHECK_STR("assistant {\"type\":\"refusal\",\"refusal\":\"I will not\"} | "
              "{\"hecate.more\":{\"refusal\":\"I will not\"}}",
              shown(t, &r.messages[2]));
    CHECK_STR("user {\"type\":\"bough.raw\",\"raw\":{\"type\":\"text\"}}",
              shown(t, &r.messages[3]));
}

TEST(reasoning_beside_the_content_is_a_part_and_comes_back_as_a_member)
{
    struct wire_request r = read_ok(t, WIRE_CHAT,
                                    "{\"messages\":[{\"role\":\"assistant\",\"content\":\"yes\","
                                    "\"reasoning_content\":\"hm\",\"audio\":null}]}");
    struct bough_part parts[2] = { { BOUGH_PART_REASONING, { 0 } }, { BOUGH_PART_TEXT, { 0 } } };
    struct bough_entry e = { .role = BOUGH_ROLE_ASSISTANT, .parts = parts, .nparts = 2 };
    struct json_writer w;
    struct buf b;

    CHECK_INT(2, r.messages[0].nparts);
    for (size_t i = 0; i < 2; i++)
        parts[i].json = r.messages[0].parts[i];
    e.data = r.messages[0].data;
    buf_init(&b, 4096);
    jw_init(&w, &b);
    jw_obj(&w);
    chat_message_write(&w, t->arena, &e);
    jw_end_obj(&w);
    CHECK_STR("{\"role\":\"assistant\",\"content\":\"yes\",\"reasoning_content\":\"hm\","
              "\"audio\":null}",
              b.p);
    buf_finish(&b);
}

TEST(a_messages_request_is_read)
{
    struct wire_request r = read_ok(
        t, WIRE_MESSAGES,
        "{\"model\":\"larch\",\"max_tokens\":1,"
        "\"system\":[{\"type\":\"text\",\"text\":\"x-anthropic-billing-header: v=2\"},"
        "{\"type\":\"text\",\"text\":\"Be brief.\",\"cache_control\":{\"type\":\"ephemeral\"}}],"
        "\"messages\":[{\"role\":\"user\",\"content\":\"hi\"},{\"role\":\"assistant\",\"content\":["
        "{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"ls\",\"input\":{}}]},"
        "{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"t1\"}]},"
        "{\"role\":\"system\",\"content\":\"stay\"}]}");

    CHECK(!r.stream);
    CHECK_INT(WIRE_USAGE_ASKED, r.usage);
    CHECK_SPAN("Be brief.", wire_system_text(t->arena, r.system, r.nsystem));
    CHECK_INT(4, r.nmessages);
    CHECK_INT(BOUGH_ROLE_SYSTEM, r.messages[3].role); /* not leading: it stays where it is */
}

TEST(items_of_the_model_that_follow_each_other_are_one_message)
{
    struct wire_request r = read_ok(
        t, WIRE_RESPONSES,
        "{\"model\":\"yew\",\"instructions\":\"Be brief.\",\"previous_response_id\":\"resp_1\","
        "\"conversation\":{\"id\":\"conv_1\"},\"input\":["
        "{\"role\":\"developer\",\"content\":\"And kind.\"},"
        "{\"type\":\"message\",\"role\":\"user\",\"id\":\"msg_1\","
        "\"content\":[{\"type\":\"input_text\",\"text\":\"hi\"}]},"
        "{\"type\":\"reasoning\",\"id\":\"rs_1\",\"summary\":[]},"
        "{\"type\":\"message\",\"role\":\"assistant\",\"id\":\"msg_2\",\"status\":\"completed\","
        "\"content\":[{\"type\":\"output_text\",\"text\":\"yes\"}]},"
        "{\"type\":\"function_call\",\"call_id\":\"c1\",\"name\":\"f\",\"arguments\":\"{}\"},"
        "{\"type\":\"function_call_output\",\"call_id\":\"c1\",\"output\":\"4\"}]}");

    CHECK_STR("resp_1", r.previous_response_id);
    CHECK_STR("conv_1", r.conversation);
    CHECK_SPAN("Be brief.\n\nAnd kind.", wire_system_text(t->arena, r.system, r.nsystem));
    CHECK_INT(3, r.nmessages);
    CHECK_STR("user {\"type\":\"input_text\",\"text\":\"hi\"} | "
              "{\"items\":[{\"at\":0,\"n\":1,\"id\":\"msg_1\"}]}",
              shown(t, &r.messages[0]));
    CHECK_STR("assistant {\"type\":\"reasoning\",\"id\":\"rs_1\",\"summary\":[]} "
              "{\"type\":\"output_text\",\"text\":\"yes\"} "
              "{\"type\":\"function_call\",\"call_id\":\"c1\",\"name\":\"f\",\"arguments\":\"{}\"} "
              "| {\"items\":[{\"at\":1,\"n\":1,\"id\":\"msg_2\",\"status\":\"completed\"}]}",
              shown(t, &r.messages[1]));
    CHECK_INT(BOUGH_ROLE_TOOL, r.messages[2].role);
    r = read_ok(t, WIRE_RESPONSES, "{\"input\":\"hello\",\"conversation\":\"conv_2\"}");
    CHECK_STR("conv_2", r.conversation);
    CHECK_STR("user {\"type\":\"text\",\"text\":\"hello\"}", shown(t, &r.messages[0]));
}

TEST(requests_for_a_title_are_noticed_on_every_wire)
{
    static const char schema[] = "{\"type\":\"object\",\"properties\":{\"title\":{}}}";
    struct wire_request r;

    r = read_ok(t, WIRE_CHAT,
                arena_printf(t->arena,
                             "{\"messages\":[],\"response_format\":{\"type\":\"json_schema\","
                             "\"json_schema\":{\"schema\":%s}}}",
                             schema));
    CHECK(r.only_title);
    r = read_ok(
        t, WIRE_RESPONSES,
        arena_printf(t->arena, "{\"input\":[],\"text\":{\"format\":{\"schema\":%s}}}", schema));
    CHECK(r.only_title);
    r = read_ok(t, WIRE_MESSAGES,
                arena_printf(t->arena,
                             "{\"messages\":[],\"output_config\":{\"format\":{\"schema\":%s}}}",
                             schema));
    CHECK(r.only_title);
    r = read_ok(t, WIRE_CHAT,
                "{\"messages\":[],\"response_format\":{\"json_schema\":{\"schema\":"
                "{\"properties\":{\"title\":{},\"body\":{}}}}}}");
    CHECK(!r.only_title);
}

TEST(what_the_client_says_of_usage_is_read)
{
    CHECK_INT(WIRE_USAGE_REFUSED, read_ok(t, WIRE_CHAT,
                                          "{\"messages\":[],\"stream\":true,"
                                          "\"stream_options\":{\"include_usage\":false}}")
                                      .usage);
    CHECK_INT(WIRE_USAGE_ASKED, read_ok(t, WIRE_CHAT,
                                        "{\"messages\":[],\"stream\":true,"
                                        "\"stream_options\":{\"include_usage\":true}}")
                                    .usage);
    CHECK_INT(
        WIRE_USAGE_OPEN,
        read_ok(t, WIRE_CHAT, "{\"messages\":[],\"stream\":true,\"stream_options\":null}").usage);
    CHECK_INT(WIRE_USAGE_ASKED, read_ok(t, WIRE_CHAT, "{\"messages\":[]}").usage);
}

TEST(malformed_requests_say_what_is_wrong)
{
    static const struct {
        enum wire wire;
        const char *body, *message;
    } rows[] = {
        { WIRE_CHAT, "{", "the body is not JSON" },
        { WIRE_CHAT, "[]", "the body must be a JSON object" },
        { WIRE_CHAT, "{}", "messages must be a list of messages" },
        { WIRE_CHAT, "{\"messages\":[{\"role\":\"user\",\"content\":7}]}", "message 1: content" },
        { WIRE_MESSAGES, "{\"messages\":[{\"content\":\"x\"}]}", "message 1: a message must be" },
        { WIRE_MESSAGES, "{\"messages\":[{\"role\":\"user\",\"content\":{}}]}", "message 1: con" },
        { WIRE_RESPONSES, "{\"input\":7}", "input must be a string or a list" },
        { WIRE_RESPONSES, "{\"input\":[7]}", "item 1 of input must be an object" },
        { WIRE_GEMINI, "{}", "requests in Gemini's format are not read" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wire_request r;

        CHECK_RC(BOUGH_INVALID,
                 wire_request_read(t->arena, rows[i].wire, str_of(rows[i].body), &r, &t->err));
        if (!str_starts(str_of(t->err.msg), rows[i].message))
            FAIL("row %zu: %s", i, t->err.msg);
    }
}

/* ---- edits ---- */

static const char *edited(struct test *t, enum wire wire, const char *body,
                          struct wire_edit_options how)
{
    struct wire_request r = read_ok(t, wire, body), again;
    struct bough_str out = wire_request_edit(t->arena, &r, &how);

    CHECK_OK(wire_request_read(t->arena, wire, out, &again, &t->err)); /* it is still a request */
    return arena_strndup(t->arena, out.p, out.n);
}

TEST(without_an_edit_the_same_bytes_go_out)
{
    static const char body[] = " {\"messages\" : [ ] , \"model\":\"x\", \"n\":1e0 }\n";
    struct wire_request r = read_ok(t, WIRE_CHAT, body);

    CHECK(wire_request_edit(t->arena, &r, &(struct wire_edit_options){ 0 }).p == r.body.p);
}

TEST(members_that_are_ours_are_cut_out)
{
    struct wire_edit_options how = { 0 };

    CHECK_STR("{\"model\":\"x\", \"messages\":[]}",
              edited(t, WIRE_CHAT,
                     "{\"session_id\":\"s\" , \"model\":\"x\", \"session_id\":\"again\", "
                     "\"messages\":[]}",
                     how));
    CHECK_STR("{ \"messages\":[] }",
              edited(t, WIRE_CHAT, "{ \"messages\":[] , \"session_id\":\"s\" }", how));
    CHECK_STR("{\"messages\":[{\"role\":\"user\",\"content\":\"a\"},{\"role\":\"tool\"}]}",
              edited(t, WIRE_CHAT,
                     "{\"messages\":[{\"role\":\"user\",\"content_blocks\":[],\"content\":\"a\"},"
                     "{\"role\":\"tool\",\"tool_error\":true,\"content_blocks\":[{}]}]}",
                     how));
    CHECK_STR("{\"input\":[]}",
              edited(t, WIRE_RESPONSES,
                     "{\"previous_response_id\":\"r\",\"conversation\":\"c\",\"input\":[]}",
                     (struct wire_edit_options){ .drop_conversation = true }));
}

TEST(C7_the_prompt_is_put_in_front_unless_there_is_one)
{
    struct wire_edit_options how = { .prompt = "be \"nice\"" };
    static const char with[] = "{\"messages\":[{\"role\":\"SYSTEM\",\"content\":\"own\"}]}";

    CHECK_STR("{\"messages\":[{\"role\":\"system\",\"content\":\"be \\\"nice\\\"\"},"
              "{\"role\":\"user\",\"content\":\"a\"}]}",
              edited(t, WIRE_CHAT, "{\"messages\":[{\"role\":\"user\",\"content\":\"a\"}]}", how));
    CHECK_STR("{\"messages\":[{\"role\":\"system\",\"content\":\"be \\\"nice\\\"\"}]}",
              edited(t, WIRE_CHAT, "{\"messages\":[]}", how));
    CHECK_STR(with, edited(t, WIRE_CHAT, with, how));
    CHECK_STR("{\"system\":\"be \\\"nice\\\"\",\"messages\":[]}",
              edited(t, WIRE_MESSAGES, "{\"messages\":[]}", how));
    CHECK_STR("{\"system\":\"own\",\"messages\":[]}",
              edited(t, WIRE_MESSAGES, "{\"system\":\"own\",\"messages\":[]}", how));
    CHECK_STR("{\"instructions\":\"be \\\"nice\\\"\",\"input\":\"a\"}",
              edited(t, WIRE_RESPONSES, "{\"instructions\":null,\"input\":\"a\"}", how));
}

TEST(usage_is_asked_for_where_the_client_left_it_open)
{
    struct wire_edit_options how = { .ask_usage = true };
    static const char no[] =
        "{\"messages\":[],\"stream\":true,\"stream_options\":{\"include_usage\":false}}";

    CHECK_STR("{\"stream_options\":{\"include_usage\":true},\"messages\":[],\"stream\":true}",
              edited(t, WIRE_CHAT, "{\"messages\":[],\"stream\":true}", how));
    CHECK_STR("{\"messages\":[],\"stream\":true,\"stream_options\":{\"include_usage\":true,"
              "\"x\":1}}",
              edited(t, WIRE_CHAT, "{\"messages\":[],\"stream\":true,\"stream_options\":{\"x\":1}}",
                     how));
    CHECK_STR("{\"messages\":[],\"stream\":true,\"stream_options\":{\"include_usage\":true}}",
              edited(t, WIRE_CHAT, "{\"messages\":[],\"stream\":true,\"stream_options\":{}}", how));
    CHECK_STR(no, edited(t, WIRE_CHAT, no, how));
    CHECK_STR("{\"messages\":[]}", edited(t, WIRE_CHAT, "{\"messages\":[]}", how));
}

TEST(all_edits_go_together)
{
    CHECK_STR("{\"stream_options\":{\"include_usage\":true},\"model\":\"m\",\"stream\":true,"
              "\"messages\":[{\"role\":\"system\",\"content\":\"p\"},{\"role\":\"user\"}]}",
              edited(t, WIRE_CHAT,
                     "{\"session_id\":\"s\",\"model\":\"a/m\",\"stream\":true,"
                     "\"messages\":[{\"role\":\"user\",\"tool_error\":true}]}",
                     (struct wire_edit_options){ .prompt = "p", .ask_usage = true, .model = "m" }));
}
