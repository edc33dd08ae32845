/* Routes through the loopback: what handlers receive, and how their replies are sent. */
#include "http/world.h"

#include <stdlib.h>
#include <zlib.h>

#include "base/memory/arena.h"
#include "base/text/str.h"

static struct http_reply ask(struct test *t, const char *method, const char *target,
                             const char *headers, const char *body)
{
    struct http_ask a = {
        .method = method, .target = target, .headers = headers, .body = str_of(body)
    };
    struct http_reply r;

    http_loopback(&world_app, t->arena, &a, &r);
    return r;
}

#define JSON "Content-Type: application/json\r\n"

TEST(a_route_gets_its_parameters_and_its_body)
{
    struct http_reply r = ask(t, "POST", "/things/a%20b", JSON, "{\"x\": 1.0}");

    CHECK_INT(201, r.status);
    CHECK_SPAN("{\"id\":\"a b\",\"body\":{\"x\": 1.0}}", r.body);
    CHECK_STR("application/json; charset=utf-8", http_reply_header(&r, "content-type"));
    CHECK_STR("no-store", http_reply_header(&r, "cache-control"));
    CHECK_STR("nosniff", http_reply_header(&r, "x-content-type-options"));
    CHECK(http_reply_header(&r, "x-request-id"));
}

TEST(an_unknown_path_is_404_and_405_lists_the_allowed_methods)
{
    struct http_reply r = ask(t, "GET", "/nothing", "", "");

    CHECK_INT(404, r.status);
    CHECK_SPAN("{\"error\":{\"code\":\"not_found\",\"message\":\"there is nothing at this path\"}}",
               r.body);
    CHECK_INT(404, ask(t, "POST", "/things/", JSON, "{}").status);
    CHECK_INT(404, ask(t, "POST", "/things/a/b", JSON, "{}").status);
    CHECK_INT(404, ask(t, "GET", "/hello/", "", "").status);
    CHECK_INT(400, ask(t, "GET", "/a/../numbers", "", "").status);
    r = ask(t, "GET", "/things/a", "", "");
    CHECK_INT(405, r.status);
    CHECK_STR("POST, PUT", http_reply_header(&r, "allow"));
    r = ask(t, "DELETE", "/", "", "");
    CHECK_STR("GET, HEAD", http_reply_header(&r, "allow"));
}

TEST(a_writing_request_needs_a_json_content_type)
{
    CHECK_INT(415, ask(t, "POST", "/things/a", "", "{}").status);
    CHECK_INT(415, ask(t, "POST", "/things/a", "Content-Type: text/plain\r\n", "{}").status);
    CHECK_INT(201,
              ask(t, "POST", "/things/a", "Content-Type: application/JSON; charset=utf-8\r\n", "{}")
                  .status);
    CHECK_INT(422, ask(t, "POST", "/things/a", JSON, "[]").status);
    CHECK_INT(400, ask(t, "POST", "/things/a", JSON, "{").status);
}

TEST(unknown_doubled_and_broken_query_parameters_are_refused)
{
    CHECK_INT(422, ask(t, "GET", "/?x=1", "", "").status);
    CHECK_INT(422, ask(t, "GET", "/numbers?n=1&n=2", "", "").status);
    CHECK_INT(422, ask(t, "GET", "/numbers?n=%00", "", "").status);
    CHECK_INT(200, ask(t, "GET", "/numbers?n=1", "", "").status);
}

TEST(a_body_where_none_is_taken_or_too_large_is_413)
{
    struct http_ask a = { .method = "POST", .target = "/things/a", .headers = JSON };
    struct http_reply r;

    CHECK_INT(413, ask(t, "GET", "/", "", "x").status);
    a.body = str_make(arena_zalloc(t->arena, (1 << 20) + 1), (1 << 20) + 1);
    http_loopback(&world_app, t->arena, &a, &r);
    CHECK_INT(413, r.status);
}

TEST(head_answers_as_get_does_without_the_body)
{
    struct http_reply r = ask(t, "HEAD", "/", "", "");

    CHECK_INT(200, r.status);
    CHECK_STR("5", http_reply_header(&r, "content-length"));
    CHECK_INT(0, r.body.n);
    r = ask(t, "HEAD", "/numbers?n=100000", "", "");
    CHECK_INT(200, r.status);
    CHECK_INT(0, r.body.n);
}

TEST(errors_come_from_the_one_table_and_name_the_current_head)
{
    struct http_reply r = ask(t, "GET", "/failing", "", "");

    CHECK_INT(409, r.status);
    CHECK_SPAN("{\"error\":{\"code\":\"conflict\",\"message\":\"the head moved\","
               "\"detail\":{\"head\":{\"branch\":3,\"depth\":17}}}}",
               r.body);
}

TEST(a_route_may_have_a_form_of_its_own_for_errors_also_for_those_of_the_gate)
{
    struct http_reply r = ask(t, "GET", "/shortly/failing", "", "");

    CHECK_INT(409, r.status);
    CHECK_SPAN("{\"wrong\":\"conflict\",\"detail\":{\"head\":{\"branch\":3,\"depth\":17}}}",
               r.body);
    r = ask(t, "GET", "/shortly/failing", "X-Word: wrong\r\n", "");
    CHECK_INT(401, r.status);
    CHECK_SPAN("{\"wrong\":\"unauthorized\",\"detail\":null}", r.body);
    CHECK_INT(422, ask(t, "GET", "/shortly/failing?x=1", "", "").status);
}

TEST(the_last_parameter_of_a_path_may_take_all_the_rest)
{
    struct http_reply r = ask(t, "POST", "/files/a/b%20c/d.txt", JSON, "{}");

    CHECK_SPAN("{\"id\":\"a/b c/d.txt\",\"body\":{}}", r.body);
    r = ask(t, "POST", "/files/a", JSON, "{}");
    CHECK_SPAN("{\"id\":\"a\",\"body\":{}}", r.body);
    CHECK_INT(404, ask(t, "POST", "/files/", JSON, "{}").status);
    CHECK_INT(404, ask(t, "POST", "/files", JSON, "{}").status);
    CHECK_INT(400, ask(t, "POST", "/files/a/../b", JSON, "{}").status);
}

TEST(tags_make_304_and_412)
{
    struct http_reply r = ask(t, "GET", "/tagged", "", "");

    CHECK_STR("\"v1\"", http_reply_header(&r, "etag"));
    CHECK_STR("private, no-cache", http_reply_header(&r, "cache-control"));
    r = ask(t, "GET", "/tagged", "If-None-Match: \"x\", W/\"v1\"\r\n", "");
    CHECK_INT(304, r.status);
    CHECK_INT(0, r.body.n);
    CHECK(!http_reply_header(&r, "content-length"));
    CHECK_INT(200, ask(t, "GET", "/tagged", "If-None-Match: \"v2\"\r\n", "").status);
    CHECK_INT(200, ask(t, "GET", "/tagged", "If-Match: \"v0\", \"v1\"\r\n", "").status);
    CHECK_INT(200, ask(t, "GET", "/tagged", "If-Match: *\r\n", "").status);
    r = ask(t, "GET", "/tagged", "If-Match: \"v2\"\r\n", "");
    CHECK_INT(412, r.status);
    CHECK(!http_reply_header(&r, "etag"));
}

TEST(ranges_are_cut_out_or_416)
{
    static const struct {
        const char *range, *body;
        int status;
    } rows[] = {
        { "bytes=2-4", "234", 206 },        { "bytes=7-", "789", 206 },
        { "bytes=-2", "89", 206 },          { "bytes=0-99", "0123456789", 206 },
        { "bytes=-99", "0123456789", 206 }, { "bytes=4-2", "0123456789", 200 },
        { "lines=1-2", "0123456789", 200 }, { "bytes=1-2,4-5", "0123456789", 200 },
        { "bytes=x-2", "0123456789", 200 },
    };
    struct http_reply r;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        r = ask(t, "GET", "/ranged", arena_printf(t->arena, "Range: %s\r\n", rows[i].range), "");
        CHECK_INT(rows[i].status, r.status);
        CHECK_SPAN(rows[i].body, r.body);
    }
    r = ask(t, "GET", "/ranged", "Range: bytes=2-4\r\n", "");
    CHECK_STR("bytes 2-4/10", http_reply_header(&r, "content-range"));
    r = ask(t, "GET", "/ranged", "Range: bytes=10-\r\n", "");
    CHECK_INT(416, r.status);
    CHECK_STR("bytes */10", http_reply_header(&r, "content-range"));
}

TEST(a_pull_is_asked_until_it_ends_and_its_state_is_let_go)
{
    struct http_reply r;

    world_reset();
    r = ask(t, "GET", "/numbers?n=10000", "", "");
    CHECK_INT(160000, r.body.n);
    CHECK(!r.cut);
    CHECK_INT(1, world_look().dropped);
    r = ask(t, "GET", "/numbers?n=10000&fail=true", "", "");
    CHECK(r.cut);
    CHECK_INT(2, world_look().dropped);
}

TEST(a_body_over_the_memory_limit_is_read_back_from_its_file)
{
    struct http_reply r = ask(t, "GET", "/spilled?n=200000", "", "");

    CHECK_INT(3200000, r.body.n);
    CHECK_STR("3200000", http_reply_header(&r, "content-length"));
    for (int64_t i = 0; i < 200000; i += 777)
        CHECK_INT(i, strtoll(r.body.p + i * 16, NULL, 10));
}

static size_t gunzip(struct test *t, struct bough_str in, size_t room)
{
    z_stream z = { .next_in = (Bytef *)in.p, .avail_in = (uInt)in.n };
    size_t n;

    CHECK_INT(Z_OK, inflateInit2(&z, 31));
    z.next_out = arena_alloc(t->arena, room);
    z.avail_out = (uInt)room;
    CHECK_INT(Z_STREAM_END, inflate(&z, Z_FINISH));
    n = z.total_out;
    inflateEnd(&z);
    return n;
}

TEST(gzip_is_used_when_asked_for_and_worth_it)
{
    static const char *const big[] = { "/numbers?n=10000", "/spilled?n=10000",
                                       "/spilled?n=100000" };
    struct http_reply r = ask(t, "GET", "/", "Accept-Encoding: gzip\r\n", "");

    CHECK(!http_reply_header(&r, "content-encoding"));
    r = ask(t, "GET", "/numbers?n=10000", "Accept-Encoding: br, gzip;q=0\r\n", "");
    CHECK(!http_reply_header(&r, "content-encoding"));
    for (size_t i = 0; i < sizeof big / sizeof *big; i++) {
        r = ask(t, "GET", big[i], "Accept-Encoding: br, gzip;q=0.5\r\n", "");
        CHECK_STR("gzip", http_reply_header(&r, "content-encoding"));
        CHECK(r.body.n < 100000 * (i == 2 ? 10 : 1));
        CHECK_INT(i == 2 ? 1600000 : 160000, gunzip(t, r.body, 2000000));
    }
}

TEST(a_body_in_pieces_reaches_its_handler_or_ends_it)
{
    struct http_ask a = { .method = "POST", .target = "/upload" };
    struct http_reply r;
    char *body = arena_zalloc(t->arena, 1000000);

    world_reset();
    a.body = str_make(body, 1000000);
    http_loopback(&world_app, t->arena, &a, &r);
    CHECK_SPAN("{\"bytes\":1000000}", r.body);
    CHECK_INT(1, world_look().dropped);
    body[500000] = '!';
    http_loopback(&world_app, t->arena, &a, &r);
    CHECK_INT(422, r.status);
    CHECK_INT(2, world_look().dropped);
}

TEST(the_gate_answers_before_the_handler_is_called)
{
    struct http_reply r;

    world_reset();
    r = ask(t, "GET", "/", "X-Word: wrong\r\n", "");
    CHECK_INT(401, r.status);
    CHECK_INT(0, world_look().calls);
}

TEST(request_ids_and_traces_are_given_back_when_they_are_sane)
{
    static const char trace[] = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    struct http_reply r =
        ask(t, "GET", "/",
            arena_printf(t->arena, "X-Request-Id: abc-1\r\ntraceparent: %s\r\n", trace), "");

    CHECK_STR("abc-1", http_reply_header(&r, "x-request-id"));
    CHECK_STR(trace, http_reply_header(&r, "traceparent"));
    r = ask(t, "GET", "/", "X-Request-Id: a b\r\ntraceparent: 00-x\r\n", "");
    CHECK_INT(16, strlen(http_reply_header(&r, "x-request-id")));
    CHECK(!http_reply_header(&r, "traceparent"));
}

TEST(events_are_replayed_up_to_the_hub)
{
    struct http_reply r;

    world_hub = http_hub_create(250);
    r = ask(t, "GET", "/events", "Last-Event-ID: 3\r\n", "");
    http_hub_destroy(world_hub);
    CHECK_STR("text/event-stream; charset=utf-8", http_reply_header(&r, "content-type"));
    CHECK(str_starts(r.body, "id: 4\nevent: n\ndata: {\"n\":4}\n\nid: 5\n"));
    CHECK(strstr(r.body.p, "data: {\"n\":250}\n\n"));
    CHECK(!strstr(r.body.p, "251"));
}
