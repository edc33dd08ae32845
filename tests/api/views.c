/* Parts as views: the same members for every format, and the files of parts. */
#include <string.h>

#include "api/world.h"
#include "base/memory/arena.h"
#include "base/text/str.h"

static const char *append(struct test *t, struct world *w, const char *session, const char *entry)
{
    return text_at(t,
                   world_gives(t, w, "POST", of_session(t, session, "/entries"),
                               arena_printf(t->arena, "{\"entries\":[%s]}", entry), 201),
                   "ids.0");
}

static struct json view_of(struct test *t, struct world *w, const char *session, const char *entry)
{
    return world_gives(
        t, w, "GET", of_session(t, session, arena_printf(t->arena, "/entries/%s?view=true", entry)),
        "", 200);
}

STORE_TEST(a_call_has_the_same_view_in_every_format)
{
    static const char *const parts[] = {
        "{\"type\":\"tool_use\",\"id\":\"c1\",\"name\":\"bash\",\"input\":{\"command\":\"ls\"}}",
        "{\"type\":\"toolCall\",\"id\":\"c1\",\"name\":\"bash\",\"arguments\":{\"command\":"
        "\"ls\"}}",
        "{\"type\":\"function\",\"id\":\"c1\",\"function\":{\"name\":\"bash\",\"arguments\":\"{"
        "\\\"command\\\":\\\"ls\\\"}\"}}",
        "{\"type\":\"function_call\",\"call_id\":\"c1\",\"name\":\"bash\",\"arguments\":\"{"
        "\\\"command\\\":\\\"ls\\\"}\"}",
        "{\"type\":\"tool-call\",\"toolCallId\":\"c1\",\"toolName\":\"bash\",\"input\":{"
        "\"command\":\"ls\"}}",
    };
    const char *id = new_session(t, "one");
    struct world w;

    world_open(t, &w);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const char *entry = append(
            t, &w, id, arena_printf(t->arena, "{\"role\":\"assistant\",\"parts\":[%s]}", parts[i]));
        struct json j = view_of(t, &w, id, entry);

        check_fits(t, "Entry", j);
        CHECK_STR("call", text_at(t, j, "view.0.kind"));
        CHECK_STR("c1", text_at(t, j, "view.0.call"));
        CHECK_STR("bash", text_at(t, j, "view.0.tool"));
        CHECK_STR("ls", text_at(t, j, "view.0.input.command"));
        CHECK_STR(arena_printf(t->arena, "%s.0000", entry), text_at(t, j, "view.0.id"));
        CHECK_INT(0, json_count(json_member(j, "parts")));
    }
    world_close(&w);
}

STORE_TEST(a_tool_part_shows_its_state_result_time_and_what_the_tool_kept)
{
    const char *id = new_session(t, "one"), *entry;
    struct world w;
    struct json j;

    world_open(t, &w);
    entry = append(
        t, &w, id,
        "{\"role\":\"assistant\",\"parts\":[{\"type\":\"tool\",\"callID\":\"c1\",\"tool\":\"edit\","
        "\"state\":{\"status\":\"error\",\"input\":{\"path\":\"a.c\"},\"error\":\"no such file\","
        "\"time\":{\"start\":1,\"end\":43},\"metadata\":{\"exit\":2}}},{\"type\":\"reasoning\","
        "\"text\":\"hm\"},{\"type\":\"video\",\"frames\":3}]}");
    j = view_of(t, &w, id, entry);
    check_fits(t, "Entry", j);
    CHECK_STR("tool", text_at(t, j, "view.0.kind"));
    CHECK_STR("error", text_at(t, j, "view.0.state"));
    CHECK_STR("true", text_at(t, j, "view.0.failed"));
    CHECK_STR("no such file", text_at(t, j, "view.0.output"));
    CHECK_STR("43", text_at(t, j, "view.0.time.end"));
    CHECK_STR("2", text_at(t, j, "view.0.metadata.exit"));
    CHECK_STR("reasoning", text_at(t, j, "view.1.kind"));
    CHECK_STR("hm", text_at(t, j, "view.1.text"));
    CHECK_STR("other", text_at(t, j, "view.2.kind"));
    CHECK_STR("3", text_at(t, j, "view.2.raw.frames"));
    world_close(&w);
}

STORE_TEST(a_tool_message_with_its_call_id_beside_the_content_is_one_result)
{
    const char *id = new_session(t, "one"), *entry;
    struct world w;
    struct json j;

    world_open(t, &w);
    entry = append(t, &w, id,
                   "{\"role\":\"tool\",\"parts\":[{\"type\":\"text\",\"text\":\"a\"},{\"type\":"
                   "\"text\",\"text\":\"b\"}],\"data\":{\"toolCallId\":\"c1\",\"toolName\":\"ls\","
                   "\"isError\":true}}");
    j = view_of(t, &w, id, entry);
    check_fits(t, "Entry", j);
    CHECK_INT(1, json_count(json_member(j, "view")));
    CHECK_STR("result", text_at(t, j, "view.0.kind"));
    CHECK_STR("c1", text_at(t, j, "view.0.call"));
    CHECK_STR("a\nb", text_at(t, j, "view.0.output"));
    CHECK_STR("true", text_at(t, j, "view.0.failed"));
    CHECK_STR(entry, text_at(t, j, "view.0.id"));
    world_close(&w);
}

STORE_TEST(long_texts_of_a_view_are_cut_between_characters_and_their_sizes_are_told)
{
    const char *id = new_session(t, "one");
    char *text = arena_alloc(t->arena, 2001);
    struct world w;
    struct json j;

    world_open(t, &w);
    for (size_t i = 0; i < 2000; i += 2)
        memcpy(text + i, "\xc3\xa9", 2);
    text[2000] = '\0';
    append(t, &w, id,
           arena_printf(t->arena,
                        "{\"role\":\"assistant\",\"parts\":[{\"type\":\"text\",\"text\":\"x%s\"},{"
                        "\"type\":\"tool\",\"callID\":\"c1\",\"tool\":\"cat\",\"state\":{\"status\""
                        ":\"completed\",\"title\":\"cat\",\"metadata\":{},\"time\":{\"start\":1,"
                        "\"end\":2},\"input\":{\"path\":\"%"
                        "s\"},\"output\":\"%s\"}}]}",
                        text, text, text));
    j = world_gives(t, &w, "GET", of_session(t, id, "/entries?view=true&cut=256"), "", 200);
    check_fits(t, "Path", j);
    CHECK_INT(255, strlen(text_at(t, j, "items.0.view.0.text")));
    CHECK_STR("2001", text_at(t, j, "items.0.view.0.cut.text"));
    CHECK_INT(256, strlen(text_at(t, j, "items.0.view.1.output")));
    CHECK_STR("2000", text_at(t, j, "items.0.view.1.cut.output"));
    CHECK(strstr(text_at(t, j, "items.0.view.1.input"),
                 "\"bough.cut\":[{\"path\":\"/path\",\"bytes\":2000}]"));
    world_close(&w);
}

STORE_TEST(the_file_of_a_part_is_sent_whether_it_was_stored_apart_or_inside_the_part)
{
    static const char png[] = "\x89PNG\r\n\x1a\n bytes";
    const char *id = new_session(t, "one"), *entry, *file;
    struct http_reply r;
    struct world w;
    struct json j;

    world_open(t, &w);
    entry = append(t, &w, id,
                   "{\"role\":\"user\",\"parts\":[{\"type\":\"image\",\"source\":{\"type\":"
                   "\"base64\",\"media_type\":\"image/png\",\"data\":\"iVBORw0KGgogYnl0ZXM=\"}},{"
                   "\"type\":\"text\",\"text\":\"see\"},{\"type\":\"tool_result\",\"tool_use_id\":"
                   "\"c1\",\"content\":[{\"type\":\"text\",\"text\":\"shot\"},{\"type\":\"image\","
                   "\"source\":{\"type\":\"base64\",\"media_type\":\"image/svg+xml\",\"data\":"
                   "\"PHN2Zz4=\"}}]}]}");
    j = view_of(t, &w, id, entry);
    check_fits(t, "Entry", j);
    CHECK_STR("file", text_at(t, j, "view.0.kind"));
    CHECK_STR("image/png", text_at(t, j, "view.0.mime"));
    CHECK_STR("true", text_at(t, j, "view.0.has_bytes"));
    CHECK_STR("1", text_at(t, j, "view.2.images"));
    file = arena_printf(t->arena, "/api/v1/parts/%s.0000/file", entry);
    r = world_own(t, &w, "GET", file, "");
    CHECK_INT(200, r.status);
    CHECK_INT(sizeof png - 1, r.body.n);
    CHECK(memcmp(png, r.body.p, r.body.n) == 0);
    CHECK_STR("image/png", http_reply_header(&r, "content-type"));
    CHECK(strstr(http_reply_header(&r, "content-security-policy"), "sandbox"));
    /* A type that could run scripts is only a download. */
    r = world_own(t, &w, "GET", arena_printf(t->arena, "/api/v1/parts/%s.0002/file", entry), "");
    CHECK_INT(200, r.status);
    CHECK_STR("application/octet-stream", http_reply_header(&r, "content-type"));
    CHECK(str_is(r.body, "<svg>"));
    CHECK_INT(404, world_own(t, &w, "GET",
                             arena_printf(t->arena, "/api/v1/parts/%s.0001/file", entry), "")
                       .status);
    CHECK_INT(404,
              world_own(t, &w, "GET",
                        arena_printf(t->arena, "/api/v1/parts/%s.0002/file?index=1", entry), "")
                  .status);
    world_close(&w);
}

STORE_TEST(an_uploaded_file_is_sent_by_the_part_that_shows_it)
{
    const char *id = new_session(t, "one"), *entry, *url;
    struct http_ask ask = { .method = "POST",
                            .target = "/api/v1/attachments",
                            .headers = "Content-Type: image/png\r\n",
                            .body = { "0123456789", 10 },
                            .via = HTTP_VIA_UNIX };
    struct http_reply r;
    struct world w;

    world_open(t, &w);
    http_loopback(api_app(w.api), t->arena, &ask, &r);
    url = text_at(t, reply_json(t, &r), "url");
    entry = append(t, &w, id,
                   arena_printf(t->arena,
                                "{\"role\":\"user\",\"parts\":[{\"type\":\"file\",\"mime\":"
                                "\"image/png\",\"filename\":\"a.png\",\"url\":\"%s\"}]}",
                                url));
    CHECK_STR("true", text_at(t, view_of(t, &w, id, entry), "view.0.has_bytes"));
    r = world_own(t, &w, "GET", arena_printf(t->arena, "/api/v1/parts/%s.0000/file", entry), "");
    CHECK_INT(200, r.status);
    CHECK(str_is(r.body, "0123456789"));
    world_close(&w);
}
