/* Replies of the three wires: what parts they become, whole, streamed and cut. */
#include "core/wire/reply/reply.h"

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/wire/reply/sse.h"
#include "lib/capture.h"

/* ---- reading and showing ---- */

static const char *choice_text(struct test *t, const struct reply_choice *c)
{
    const char *all = arena_printf(t->arena, "%s%s%s:", c->finish, c->refused ? " refused" : "",
                                   c->cut ? " cut" : "");

    for (size_t i = 0; i < c->nparts; i++)
        all = arena_printf(t->arena, "%s %.*s", all, (int)c->parts[i].n, c->parts[i].p);
    return c->data.n ? arena_printf(t->arena, "%s | %.*s", all, (int)c->data.n, c->data.p) : all;
}

static const char *result_text(struct test *t, const struct reply_result *r)
{
    const char *all =
        arena_printf(t->arena, "id %s model %s usage %.*s error %.*s %s%s%zu\n", r->id, r->model,
                     (int)r->usage.n, r->usage.p, (int)r->error.n, r->error.p,
                     r->ended ? "ended " : "", r->truncated ? "truncated " : "", r->malformed);

    for (size_t i = 0; i < r->nchoices; i++)
        all = arena_printf(t->arena, "%s%s\n", all, choice_text(t, &r->choices[i]));
    return all;
}

/* Texts of the steps, by part. */
struct told {
    struct buf parts[64];
    size_t n;
};

static void take_steps(struct reply *r, struct told *told)
{
    size_t n;
    const struct bough_step *steps = reply_steps(r, &n);

    for (size_t i = 0; i < n; i++) {
        if (steps[i].kind == BOUGH_STEP_PART) {
            CHECK(told->n < 64);
            buf_init(&told->parts[told->n], 1 << 20);
            buf_put_str(&told->parts[told->n++], steps[i].bytes);
        } else {
            CHECK(steps[i].part < told->n);
            buf_put_str(&told->parts[steps[i].part], steps[i].bytes);
        }
    }
}

/* Feed in pieces of `size` bytes; 0: all at once. */
static const char *read_all(struct test *t, enum wire wire, bool stream, struct bough_str bytes,
                            size_t size)
{
    struct reply *r = reply_create(wire, stream);
    struct told told = { .n = 0 };
    const char *out;

    for (size_t at = 0; at < bytes.n;) {
        size_t n = size && size < bytes.n - at ? size : bytes.n - at;

        reply_feed(r, bytes.p + at, n);
        take_steps(r, &told);
        at += n;
    }
    out = result_text(t, reply_end(r));
    for (size_t i = 0; i < told.n; i++) {
        out = arena_printf(t->arena, "%s> %s\n", out, told.parts[i].p);
        buf_finish(&told.parts[i]);
    }
    reply_destroy(r);
    return out;
}

static const char *streamed(struct test *t, enum wire wire, const char *bytes)
{
    const char *whole = read_all(t, wire, true, str_of(bytes), 0);

    CHECK_STR(whole, read_all(t, wire, true, str_of(bytes), 1));
    return whole;
}

static const char *document(struct test *t, enum wire wire, const char *bytes)
{
    return read_all(t, wire, false, str_of(bytes), 0);
}

/* ---- chat ---- */

TEST(a_chat_stream_becomes_reasoning_text_and_calls)
{
    CHECK_STR(
        "id c1 model m2 usage {\"prompt_tokens\":5} error  ended 0\n"
        "tool_calls: {\"type\":\"reasoning\",\"text\":\"hm\",\"member\":\"reasoning_content\"} "
        "{\"type\":\"text\",\"text\":\"yes\"} "
        "{\"id\":\"k1\",\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"a"
        "\\\":1}\"}} {\"id\":\"k2\",\"type\":\"function\",\"function\":{\"name\":\"g\","
        "\"arguments\":\"{}\"}} | {\"system_fingerprint\":\"fp\"}\n"
        "> {\"type\":\"reasoning\",\"text\":\"\"}hm\n> {\"type\":\"text\",\"text\":\"\"}yes\n"
        "> {\"id\":\"k1\",\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"a"
        "\\\":1}\"}}\n> {\"id\":\"k2\",\"type\":\"function\",\"function\":{\"name\":\"g\","
        "\"arguments\":\"{}\"}}\n",
        streamed(
            t, WIRE_CHAT,
            "data: {\"id\":\"c1\",\"model\":\"m2\",\"system_fingerprint\":\"fp\",\"choices\":[{"
            "\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n"
            ": a comment\n\n"
            "data: {\"choices\":[{\"delta\":{\"reasoning_content\":\"h\"}}]}\r\n\r\n"
            "data: {\"choices\":[{\"delta\":{\"reasoning_content\":\"m\"}}]}\n\n"
            "data: {\"choices\":[{\"delta\":{\"content\":\"ye\"}}],\"usage\":null}\n\n"
            "data: "
            "{\"system_fingerprint\":\"fp\",\"choices\":[{\"delta\":{\"content\":\"s\"}}]}\n\n"
            "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"k1\",\"type\":"
            "\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"\"}}]}}]}\n\n"
            "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{"
            "\"arguments\":\"{\\\"a\\\"\"}}]}}]}\n\n"
            "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{"
            "\"arguments\":\":1}\"}}]}}]}\n\n"
            "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":1,\"id\":\"k2\",\"type\":"
            "\"function\",\"function\":{\"name\":\"g\",\"arguments\":\"{}\"}}]}}]}\n\n"
            "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n"
            "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":5}}\n\n"
            "data: [DONE]\n\n"));
}

TEST(the_last_usage_counts_wherever_it_stands)
{
    CHECK_STR(
        "id  model  usage {\"n\":2} error  0\nstop: {\"type\":\"text\",\"text\":\"ab\"}\n"
        "> {\"type\":\"text\",\"text\":\"\"}ab\n",
        streamed(t, WIRE_CHAT,
                 "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}],\"usage\":{\"n\":1}}\n\n"
                 "data: {\"choices\":[{\"delta\":{\"content\":\"b\"},\"finish_reason\":"
                 "\"stop\"}],\"usage\":{\"n\":2}}\n\n"));
}

TEST(calls_that_all_have_the_index_0_are_told_apart_by_their_ids)
{
    CHECK_STR(
        "id  model  usage  error  0\n"
        "stop: {\"id\":\"a\",\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":"
        "\"{}\"}} {\"id\":\"b\",\"type\":\"function\",\"function\":{\"name\":\"f\","
        "\"arguments\":\"{}\"}}\n"
        "> {\"id\":\"a\",\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":"
        "\"{}\"}}\n> {\"id\":\"b\",\"type\":\"function\",\"function\":{\"name\":\"f\","
        "\"arguments\":\"{}\"}}\n",
        streamed(t, WIRE_CHAT,
                 "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\","
                 "\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]}}"
                 "]}\n\n"
                 "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"b\","
                 "\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]}}"
                 "]}\n\n"
                 "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"));
}

TEST(several_choices_are_the_reply_and_its_siblings)
{
    CHECK_STR("id c model m usage  error  ended 0\n"
              "stop: {\"type\":\"text\",\"text\":\"one\"} | "
              "{\"logprobs\":{\"content\":[1]},\"hecate.more\":{\"annotations\":[]}}\n"
              "length: {\"type\":\"text\",\"text\":\"two\"}\n",
              document(t, WIRE_CHAT,
                       "{\"id\":\"c\",\"model\":\"m\",\"choices\":["
                       "{\"index\":1,\"message\":{\"role\":\"assistant\",\"content\":\"two\"},"
                       "\"finish_reason\":\"length\"},"
                       "{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"one\","
                       "\"annotations\":[]},\"logprobs\":{\"content\":[1]},"
                       "\"finish_reason\":\"stop\"}]}"));
}

TEST(an_error_in_a_chat_stream_and_in_a_document_is_an_error)
{
    CHECK_STR("id  model  usage  error {\"message\":\"no\"} 0\n cut: "
              "{\"type\":\"text\",\"text\":\"a\"}\n> {\"type\":\"text\",\"text\":\"\"}a\n",
              streamed(t, WIRE_CHAT,
                       "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n"
                       "data: {\"error\":{\"message\":\"no\"}}\n\n"));
    CHECK_STR("id  model  usage  error {\"message\":\"no\"} ended 0\n:\n",
              document(t, WIRE_CHAT, "{\"error\":{\"message\":\"no\"}}"));
}

TEST(half_a_character_in_each_of_two_pieces_is_one_character)
{
    const char *got = read_all(
        t, WIRE_CHAT, true,
        str_of("data: {\"choices\":[{\"delta\":{\"content\":\"\\ud83d\"}}]}\n\n"
               "data: {\"choices\":[{\"delta\":{\"content\":\"\\ude00\"},\"finish_reason\":"
               "\"stop\"}]}\n\n"),
        0);

    CHECK(strstr(got, "{\"type\":\"text\",\"text\":\"\\ud83d\\ude00\"}") != NULL);
}

/* ---- messages ---- */

#define M_START                                                                                    \
    "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\","       \
    "\"model\":\"l\",\"usage\":{\"input_tokens\":3,\"output_tokens\":1,\"x\":null}}}\n\n"

TEST(a_messages_stream_becomes_blocks_and_usage_replaces)
{
    CHECK_STR(
        "id msg_1 model l usage {\"input_tokens\":3,\"output_tokens\":9} error  ended 0\n"
        "tool_use: {\"type\":\"thinking\",\"thinking\":\"hm\",\"signature\":\"sig\"} "
        "{\"type\":\"text\",\"text\":\"yes\",\"citations\":[{\"c\":1},{\"c\":2}]} "
        "{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"f\",\"input\":{\"a\": 1}} "
        "{\"type\":\"redacted_thinking\",\"data\":\"xx\"} "
        "{\"type\":\"web_search_tool_result\",\"tool_use_id\":\"t2\",\"content\":[]} "
        "{\"type\":\"new\",\"bough.deltas\":[{\"type\":\"new_delta\",\"n\":1}]}\n"
        "> {\"type\":\"reasoning\",\"text\":\"\"}hm\n> {\"type\":\"text\",\"text\":\"\"}yes\n"
        "> {\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"f\",\"input\":{\"a\": 1}}\n"
        "> {\"type\":\"redacted_thinking\",\"data\":\"xx\"}\n"
        "> {\"type\":\"web_search_tool_result\",\"tool_use_id\":\"t2\",\"content\":[]}\n"
        "> {\"type\":\"new\",\"bough.deltas\":[{\"type\":\"new_delta\",\"n\":1}]}\n",
        streamed(
            t, WIRE_MESSAGES,
            M_START
            "event: ping\ndata: {\"type\":\"ping\"}\n\n"
            "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":"
            "\"thinking\",\"thinking\":\"\",\"signature\":\"\"}}\n\n"
            "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":"
            "\"thinking_delta\",\"thinking\":\"hm\"}}\n\n"
            "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":"
            "\"signature_delta\",\"signature\":\"sig\"}}\n\n"
            "data: {\"type\":\"content_block_stop\",\"index\":0}\n\n"
            "data: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":"
            "\"text\",\"text\":\"\"}}\n\n"
            "data: "
            "{\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"text_delta\","
            "\"text\":\"ye\"}}\n\n"
            "data: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":"
            "\"citations_delta\",\"citation\":{\"c\":1}}}\n\n"
            "data: "
            "{\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"text_delta\","
            "\"text\":\"s\"}}\n\n"
            "data: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":"
            "\"citations_delta\",\"citation\":{\"c\":2}}}\n\n"
            "data: {\"type\":\"content_block_stop\",\"index\":1}\n\n"
            "data: {\"type\":\"content_block_start\",\"index\":2,\"content_block\":{\"type\":"
            "\"tool_use\",\"id\":\"t1\",\"name\":\"f\",\"input\":{}}}\n\n"
            "data: {\"type\":\"content_block_delta\",\"index\":2,\"delta\":{\"type\":"
            "\"input_json_delta\",\"partial_json\":\"{\\\"a\\\"\"}}\n\n"
            "data: {\"type\":\"content_block_delta\",\"index\":2,\"delta\":{\"type\":"
            "\"input_json_delta\",\"partial_json\":\": 1}\"}}\n\n"
            "data: {\"type\":\"content_block_stop\",\"index\":2}\n\n"
            "data: {\"type\":\"content_block_start\",\"index\":3,\"content_block\":{\"type\":"
            "\"redacted_thinking\",\"data\":\"xx\"}}\n\n"
            "data: {\"type\":\"content_block_stop\",\"index\":3}\n\n"
            "data: {\"type\":\"content_block_start\",\"index\":4,\"content_block\":{\"type\":"
            "\"web_search_tool_result\",\"tool_use_id\":\"t2\",\"content\":[]}}\n\n"
            "data: {\"type\":\"content_block_stop\",\"index\":4}\n\n"
            "data: {\"type\":\"content_block_start\",\"index\":5,\"content_block\":{\"type\":"
            "\"new\"}}\n\n"
            "data: {\"type\":\"content_block_delta\",\"index\":5,\"delta\":{\"type\":\"new_delta\","
            "\"n\":1}}\n\n"
            "data: {\"type\":\"content_block_stop\",\"index\":5}\n\n"
            "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\","
            "\"stop_sequence\":null},\"usage\":{\"input_tokens\":null,\"output_tokens\":5}}\n\n"
            "data: {\"type\":\"message_delta\",\"delta\":{},\"usage\":{\"output_tokens\":9}}\n\n"
            "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"));
}

TEST(what_a_cut_stream_of_blocks_leaves_is_kept)
{
    CHECK_STR("id msg_1 model l usage {\"input_tokens\":3,\"output_tokens\":1} error  1\n"
              " cut: {\"type\":\"text\",\"text\":\"ye\"} {\"type\":\"tool_use\",\"id\":\"t1\","
              "\"name\":\"f\",\"input\":{},\"bough.partial\":\"{\\\"a\"}\n"
              "> {\"type\":\"text\",\"text\":\"\"}ye\n",
              streamed(t, WIRE_MESSAGES,
                       M_START
                       "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{"
                       "\"type\":\"text\",\"text\":\"ye\"}}\n\n"
                       "data: {\"type\":\"content_block_stop\",\"index\":0}\n\n"
                       "data: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{"
                       "\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"f\",\"input\":{}}}\n\n"
                       "data: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":"
                       "\"input_json_delta\",\"partial_json\":\"{\\\"a\"}}\n\n"
                       "data: {\"type\":\"content_bl"));
}

TEST(a_whole_message_a_refusal_and_an_error_event)
{
    CHECK_STR("id msg_1 model l usage {\"input_tokens\":1} error  ended 0\n"
              "refusal refused: {\"type\":\"text\",\"text\":\"no\"} | {\"stop_sequence\":\"x\"}\n",
              document(t, WIRE_MESSAGES,
                       "{\"id\":\"msg_1\",\"type\":\"message\",\"role\":\"assistant\",\"model\":"
                       "\"l\",\"content\":[{\"type\":\"text\",\"text\":\"no\"}],\"stop_reason\":"
                       "\"refusal\",\"stop_sequence\":\"x\",\"usage\":{\"input_tokens\":1}}"));
    CHECK_STR("id msg_1 model l usage {\"input_tokens\":3,\"output_tokens\":1} error "
              "{\"type\":\"overloaded_error\"} 1\n cut:\n",
              streamed(t, WIRE_MESSAGES,
                       M_START "data: nonsense\n\n"
                               "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":"
                               "\"overloaded_error\"}}\n\n"));
}

/* ---- responses ---- */

TEST(the_final_object_of_a_response_is_the_reply)
{
    CHECK_STR(
        "id resp_1 model y usage {\"input_tokens\":2} error  ended 0\n"
        "max_output_tokens: {\"type\":\"reasoning\",\"id\":\"rs_1\",\"summary\":[],"
        "\"encrypted_content\":\"e\"} {\"type\":\"output_text\",\"text\":\"yes\"} "
        "{\"type\":\"function_call\",\"call_id\":\"c\",\"name\":\"f\",\"arguments\":\"{}\"} | "
        "{\"items\":[{\"at\":1,\"n\":1,\"id\":\"msg_1\"}],\"incomplete_details\":{\"reason\":"
        "\"max_output_tokens\"},\"service_tier\":\"flex\"}\n"
        "> {\"type\":\"text\",\"text\":\"\"}ye\n",
        streamed(
            t, WIRE_RESPONSES,
            "event: response.created\ndata: {\"type\":\"response.created\",\"response\":{\"id\":"
            "\"resp_1\",\"model\":\"y\",\"usage\":null},\"sequence_number\":0}\n\n"
            "data: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"content_index\":0,"
            "\"delta\":\"ye\",\"sequence_number\":1}\n\n"
            "data: {\"type\":\"response.incomplete\",\"sequence_number\":2,\"response\":{\"id\":"
            "\"resp_1\",\"status\":\"incomplete\",\"incomplete_details\":{\"reason\":"
            "\"max_output_tokens\"},\"service_tier\":\"flex\",\"tools\":[{\"big\":1}],\"output\":["
            "{\"type\":\"reasoning\",\"id\":\"rs_1\",\"summary\":[],\"encrypted_content\":\"e\"},"
            "{\"type\":\"message\",\"role\":\"assistant\",\"id\":\"msg_1\",\"content\":[{\"type\":"
            "\"output_text\",\"text\":\"yes\"}]},"
            "{\"type\":\"function_call\",\"call_id\":\"c\",\"name\":\"f\",\"arguments\":\"{}\"}],"
            "\"usage\":{\"input_tokens\":2}}}\n\n"));
}

TEST(a_cut_response_is_assembled_from_its_pieces)
{
    CHECK_STR(
        "id resp_1 model  usage  error  0\n"
        " cut: {\"type\":\"reasoning\",\"id\":\"rs_1\",\"summary\":[{\"type\":\"summary_text\","
        "\"text\":\"hm\"}]} "
        "{\"type\":\"output_text\",\"text\":\"yes\",\"annotations\":[{\"a\":1}]} "
        "{\"type\":\"function_call\",\"call_id\":\"c\",\"name\":\"f\",\"arguments\":\"{\\\"a\"} | "
        "{\"items\":[{\"at\":1,\"n\":1,\"id\":\"msg_1\"}]}\n"
        "> {\"type\":\"reasoning\",\"text\":\"\"}hm\n> {\"type\":\"text\",\"text\":\"\"}yes\n",
        streamed(
            t, WIRE_RESPONSES,
            "data: {\"type\":\"response.created\",\"response\":{\"id\":\"resp_1\"}}\n\n"
            "data: {\"type\":\"response.output_item.added\",\"output_index\":0,\"item\":{\"type\":"
            "\"reasoning\",\"id\":\"rs_1\",\"summary\":[]}}\n\n"
            "data: {\"type\":\"response.reasoning_summary_text.delta\",\"output_index\":0,"
            "\"summary_index\":0,\"delta\":\"hm\"}\n\n"
            "data: {\"type\":\"response.output_item.added\",\"output_index\":1,\"item\":{\"type\":"
            "\"message\",\"role\":\"assistant\",\"id\":\"msg_1\",\"content\":[]}}\n\n"
            "data: {\"type\":\"response.output_text.delta\",\"output_index\":1,\"content_index\":0,"
            "\"delta\":\"ye\"}\n\n"
            "data: {\"type\":\"response.output_text.delta\",\"output_index\":1,\"content_index\":0,"
            "\"delta\":\"s\"}\n\n"
            "data: {\"type\":\"response.output_text.annotation.added\",\"output_index\":1,"
            "\"content_index\":0,\"annotation\":{\"a\":1}}\n\n"
            "data: {\"type\":\"response.output_item.added\",\"output_index\":2,\"item\":{\"type\":"
            "\"function_call\",\"call_id\":\"c\",\"name\":\"f\",\"arguments\":\"\"}}\n\n"
            "data: {\"type\":\"response.function_call_arguments.delta\",\"output_index\":2,"
            "\"delta\":\"{\\\"a\"}\n\n"));
}

TEST(a_failed_response_and_an_error_event)
{
    CHECK_STR("id r model  usage  error {\"code\":\"x\"} ended 0\nfailed:\n",
              streamed(t, WIRE_RESPONSES,
                       "data: {\"type\":\"response.failed\",\"response\":{\"id\":\"r\",\"status\":"
                       "\"failed\",\"error\":{\"code\":\"x\"},\"output\":[]}}\n\n"));
    CHECK_STR(
        "id  model  usage  error {\"type\":\"error\",\"code\":\"y\"} 0\n cut:\n",
        streamed(t, WIRE_RESPONSES, "event: error\ndata: {\"type\":\"error\",\"code\":\"y\"}\n\n"));
}

/* ---- captures ---- */

static const char *last_reply;

/* In pieces of any size a stream gives the same; cut anywhere it gives parts that a store takes. */
static void check_capture(struct test *t, const struct capture *c, enum wire wire)
{
    static const size_t sizes[] = { 1, 2, 3, 7, 64, 1000 };
    const char *whole;

    if (!c->response.n || c->status != 200)
        return;
    whole = read_all(t, wire, capture_streams(c), c->response, 0);
    last_reply = whole;
    if (!strstr(whole, "ended 0\n") || strstr(whole, " cut"))
        FAIL("exchange %lld: %s", (long long)c->n, whole);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        CHECK_STR(whole, read_all(t, wire, capture_streams(c), c->response, sizes[i]));
}

TEST_SECONDS(captured_replies_are_read_whole_and_in_any_pieces, 120)
{
    capture_each(t, check_capture);
    CHECK(last_reply != NULL);
}

static void cut_capture(struct test *t, const struct capture *c, enum wire wire)
{
    size_t step = c->response.n > 4000 ? 37 : 5;

    if (!c->response.n || !capture_streams(c))
        return;
    for (size_t n = 0; n < c->response.n; n += step) {
        struct reply *r = reply_create(wire, true);
        const struct reply_result *out;

        reply_feed(r, c->response.p, n);
        out = reply_end(r);
        CHECK(out->nchoices >= 1);
        for (size_t i = 0; i < out->choices[0].nparts; i++) {
            enum bough_part_type type;

            CHECK_OK(bough_part_check(out->choices[0].parts[i], &type, &t->err));
        }
        reply_destroy(r);
    }
}

TEST_SECONDS(a_stream_cut_anywhere_leaves_parts_that_a_store_takes, 120)
{
    capture_each(t, cut_capture);
}

/* ---- events ---- */

static void note_event(void *user, const struct sse_event *e)
{
    struct buf *b = user;

    buf_printf(b, "%.*s=%.*s;", (int)e->name.n, e->name.p, (int)e->data.n, e->data.p);
}

TEST(events_are_read_as_the_standard_says)
{
    static const char bytes[] = "\xef\xbb\xbf"
                                "event: a\ndata: 1\ndata:2\n\n: comment\n\ndata\n\nid: 7\n\n"
                                "data:  x\r\n\r\ndata: y\r\rdata: z";
    struct buf whole, pieces;
    struct sse s;

    buf_init(&whole, 1000);
    buf_init(&pieces, 1000);
    sse_init(&s, 1000);
    sse_feed(&s, bytes, sizeof bytes - 1, note_event, &whole);
    sse_end(&s, note_event, &whole);
    sse_finish(&s);
    CHECK_STR("a=1\n2;=;= x;=y;=z;", whole.p);
    sse_init(&s, 1000);
    for (size_t i = 0; i < sizeof bytes - 1; i++)
        sse_feed(&s, bytes + i, 1, note_event, &pieces);
    sse_end(&s, note_event, &pieces);
    CHECK_STR(whole.p, pieces.p);
    sse_finish(&s);
    buf_finish(&whole);
    buf_finish(&pieces);
}

TEST(an_event_that_is_too_large_is_dropped_and_counted)
{
    struct buf b;
    struct sse s;

    buf_init(&b, 1000);
    sse_init(&s, 8);
    sse_feed(&s, "data: 123456789\n\ndata: 1\n\n", 26, note_event, &b);
    CHECK_STR("=1;", b.p);
    CHECK_INT(1, s.dropped);
    sse_finish(&s);
    buf_finish(&b);
}
