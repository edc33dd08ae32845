/* Errors in the words of each wire. */
#include "core/wire/fault.h"

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "lib/test.h"

static const struct wire_fault broke = {
    .status = 402, .message = "the budget is spent", .more = { "{\"cap\":5}", 9 }, .sequence = 7
};

TEST(a_refusal_is_written_as_the_provider_would)
{
    CHECK_SPAN("{\"error\":{\"message\":\"the budget is spent\",\"type\":\"insufficient_quota\","
               "\"param\":null,\"code\":\"budget_exceeded\",\"cap\":5}}",
               wire_fault_body(t->arena, WIRE_CHAT, &broke));
    CHECK_SPAN("{\"type\":\"error\",\"error\":{\"type\":\"billing_error\",\"message\":"
               "\"the budget is spent\",\"code\":\"budget_exceeded\",\"cap\":5}}",
               wire_fault_body(t->arena, WIRE_MESSAGES, &broke));
}

TEST(an_error_event_is_whole_and_in_the_wires_form)
{
    struct wire_fault lost = { .status = 502, .message = "line\nbreak", .sequence = 3 };

    CHECK_SPAN("data: {\"error\":{\"message\":\"line\\nbreak\",\"type\":\"server_error\","
               "\"param\":null,\"code\":\"upstream_unreachable\"}}\n\n",
               wire_fault_event(t->arena, WIRE_CHAT, &lost));
    CHECK_SPAN("event: error\ndata: {\"type\":\"error\",\"sequence_number\":3,\"message\":"
               "\"line\\nbreak\",\"param\":null,\"code\":\"upstream_unreachable\"}\n\n",
               wire_fault_event(t->arena, WIRE_RESPONSES, &lost));
    CHECK_SPAN("event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"api_error\","
               "\"message\":\"line\\nbreak\",\"code\":\"upstream_unreachable\"}}\n\n",
               wire_fault_event(t->arena, WIRE_MESSAGES, &lost));
}

TEST(every_status_of_ours_has_words)
{
    static const int statuses[] = { 400, 401, 402, 403, 404, 413, 415, 426, 502, 503, 504, 500 };

    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
        struct wire_fault f = { .status = statuses[i], .message = "m", .code = "c" };
        struct json j;

        CHECK_OK(json_parse(t->arena, wire_fault_body(t->arena, WIRE_MESSAGES, &f), &j, &t->err));
        CHECK_STR("c", json_cstr(t->arena, json_member(j, "error"), "code"));
    }
}

TEST(a_failed_answer_is_kept_as_json)
{
    CHECK_SPAN("{\"a\":1}", wire_fault_keep(t->arena, str_of("{\"a\":1}"), 100));
    CHECK_SPAN("\"<html>\"", wire_fault_keep(t->arena, str_of("<html>"), 100));
    CHECK_SPAN("\"{\\\"a\"", wire_fault_keep(t->arena, str_of("{\"a\":1}"), 3));
    CHECK_SPAN("\"\"", wire_fault_keep(t->arena, str_of(""), 3));
    CHECK_SPAN("\"\xef\xbf\xbd\"", wire_fault_keep(t->arena, str_of("\xff"), 3));
}
