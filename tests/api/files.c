/* Attachments, import and export over HTTP. */
#include <string.h>

#include "api/world.h"
#include "base/memory/arena.h"
#include "base/text/str.h"

static struct http_reply raw(struct test *t, struct world *w, const char *method,
                             const char *target, const char *headers, struct bough_str body)
{
    struct http_ask ask = {
        .method = method, .target = target, .headers = headers, .body = body, .via = HTTP_VIA_UNIX
    };
    struct http_reply r;

    http_loopback(api_app(w->api), t->arena, &ask, &r);
    return r;
}

STORE_TEST(a_file_is_stored_as_it_arrives_and_read_in_ranges_by_the_entry_that_shows_it)
{
    const char *id = new_session(t, "one"), *entry, *path, *tag;
    struct bough_str file = { NULL, 1000000 };
    char *bytes = arena_alloc(t->arena, file.n);
    struct http_reply r;
    struct world w;
    struct json j;

    world_open(t, &w);
    for (size_t i = 0; i < file.n; i++)
        bytes[i] = (char)(i * 7 + i / 1000);
    file.p = bytes;
    r = raw(t, &w, "POST", "/api/v1/attachments", "Content-Type: image/png\r\n", file);
    CHECK_INT(201, r.status);
    j = reply_json(t, &r);
    check_fits(t, "Stored", j);
    CHECK_STR("1000000", text_at(t, j, "size"));
    j = world_gives(
        t, &w, "POST", of_session(t, id, "/entries"),
        arena_printf(t->arena,
                     "{\"entries\":[{\"role\":\"user\",\"parts\":[{\"type\":\"file\",\"mime\":"
                     "\"image/png\",\"filename\":\"a.png\",\"url\":\"%s\"}]}]}",
                     text_at(t, j, "url")),
        201);
    entry = text_at(t, j, "ids.0");
    path = of_session(t, id, arena_printf(t->arena, "/entries/%s/attachments", entry));
    j = world_gives(t, &w, "GET", path, "", 200);
    CHECK_STR("image/png", text_at(t, j, "items.0.mime"));
    path = arena_printf(t->arena, "%s/0", path);
    r = raw(t, &w, "GET", path, "", str_of(""));
    CHECK_INT(200, r.status);
    CHECK_INT(file.n, r.body.n);
    CHECK(memcmp(bytes, r.body.p, file.n) == 0 && !r.cut);
    CHECK_STR("image/png", http_reply_header(&r, "content-type"));
    CHECK_STR("attachment", http_reply_header(&r, "content-disposition"));
    CHECK(strstr(http_reply_header(&r, "content-security-policy"), "sandbox"));
    r = raw(t, &w, "GET", path, "Range: bytes=500000-500009\r\n", str_of(""));
    CHECK_INT(206, r.status);
    CHECK_INT(10, r.body.n);
    CHECK(memcmp(bytes + 500000, r.body.p, 10) == 0);
    CHECK_INT(416, raw(t, &w, "GET", path, "Range: bytes=2000000-\r\n", str_of("")).status);
    tag = http_reply_header(&r, "etag");
    CHECK_INT(206,
              raw(t, &w, "GET", path,
                  arena_printf(t->arena, "Range: bytes=0-9\r\nIf-Range: %s\r\n", tag), str_of(""))
                  .status);
    CHECK_INT(
        200,
        raw(t, &w, "GET", path, "Range: bytes=0-9\r\nIf-Range: \"other\"\r\n", str_of("")).status);
    CHECK_INT(200,
              raw(t, &w, "GET", path,
                  "Range: bytes=0-9\r\nIf-Range: Tue, 17 Nov 2026 08:00:00 GMT\r\n", str_of(""))
                  .status);
    CHECK_INT(404, world_own(t, &w, "GET", arena_printf(t->arena, "%s1", path), "").status);
    CHECK_INT(201, raw(t, &w, "POST", "/api/v1/attachments", "", str_of("")).status);
    world_close(&w);
}

static const char pi_file[] =
    "{\"type\":\"session\",\"version\":3,\"id\":\"s-1\",\"timestamp\":\"2026-11-15T20:00:00.000Z\","
    "\"cwd\":\"/srv/toy\"}\n"
    "{\"type\":\"message\",\"id\":\"a\",\"parentId\":null,\"timestamp\":\"2026-11-15T20:00:01."
    "000Z\","
    "\"message\":{\"role\":\"user\",\"content\":\"where is the quokka\",\"timestamp\":1}}\n";

STORE_TEST(an_uploaded_file_is_imported_once_and_goes_out_again_in_every_format)
{
    struct http_reply r;
    struct world w;
    struct json j, all;
    struct json_iter it;
    const char *id;

    world_open(t, &w);
    for (int i = 0; i < 2; i++) {
        r = raw(t, &w, "POST", "/api/v1/import", "", str_of(pi_file));
        CHECK_INT(200, r.status);
        j = reply_json(t, &r);
        check_fits(t, "Imported", j);
        CHECK_STR(i ? "unchanged" : "new", text_at(t, j, "status"));
        CHECK(!strstr(r.body.p, "/tmp"));
    }
    id = text_at(t, j, "session");
    CHECK_STR("where is the quokka", path_text(t, id));
    r = raw(t, &w, "POST", "/api/v1/import?name=a/b.jsonl&dry=true", "", str_of(pi_file));
    CHECK_STR("upload:a/b.jsonl", text_at(t, reply_json(t, &r), "path"));
    CHECK_INT(422, raw(t, &w, "POST", "/api/v1/import", "", str_of("what is this")).status);
    all = world_gives(t, &w, "GET", "/api/v1/formats", "", 200);
    for (it = json_iter(json_member(all, "items")); json_next(&it);) {
        if (json_type(json_member(it.value, "writes")) != JSON_TRUE)
            continue;
        r = raw(
            t, &w, "GET",
            of_session(t, id,
                       arena_printf(t->arena, "/export?format=%s", text_at(t, it.value, "name"))),
            "", str_of(""));
        if (r.status != 200 || !strstr(r.body.p, "quokka"))
            FAIL("%s: %d %s", text_at(t, it.value, "name"), r.status, r.body.p);
    }
    CHECK_INT(422,
              raw(t, &w, "GET", of_session(t, id, "/export?format=odd"), "", str_of("")).status);
    r = raw(t, &w, "GET", "/api/v1/export", "", str_of(""));
    CHECK_INT(200, r.status);
    CHECK(strstr(r.body.p, "quokka"));
    world_close(&w);
}

STORE_TEST(a_token_for_one_project_does_not_import_nor_see_the_whole_store)
{
    static const struct {
        const char *method, *target;
    } rows[] = { { "POST", "/api/v1/import" },
                 { "GET", "/api/v1/export" },
                 { "GET", "/api/v1/store" },
                 { "GET", "/api/v1/store/stats" },
                 { "POST", "/api/v1/store/fsck" },
                 { "POST", "/api/v1/store/repair" },
                 { "GET", "/api/v1/audit" },
                 { "GET", "/api/v1/sources" },
                 { "GET", "/api/v1/places/workspace" },
                 { "DELETE", "/api/v1/places/project?name=x" } };
    struct http_reply r;
    const char *headers;
    struct world w;

    world_open(t, &w);
    headers = arena_printf(t->arena, "%sContent-Type: application/json\r\n",
                           bearer(t, world_token(t, "a", "all", "/p")));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        r = world_ask(t, &w, rows[i].method, rows[i].target, headers, "");
        if (r.status != 403)
            FAIL("%s: %d %s", rows[i].target, r.status, r.body.p);
    }
    world_close(&w);
}

/* Knowing the hash of a file is no right to its bytes. */
STORE_TEST(an_upload_is_shown_only_in_the_project_that_it_was_uploaded_for)
{
    static const char *const projects[] = { "/ours", "/theirs" };
    const char *json = "Content-Type: application/json\r\n", *headers[2], *sessions[2], *body;
    struct http_reply r;
    struct world w;

    world_open(t, &w);
    for (size_t i = 0; i < 2; i++) {
        struct bough_session_create_options in = { .project = projects[i] };
        struct bough_session *s;

        CHECK_OK(bough_session_create(t->store, t->arena, &in, &s, &t->err));
        sessions[i] = s->id;
        headers[i] = bearer(t, world_token(t, projects[i], "read,append", projects[i]));
    }
    r = world_ask(t, &w, "POST", "/api/v1/attachments", headers[0], "a secret file");
    CHECK_INT(201, r.status);
    body = arena_printf(t->arena,
                        "{\"entries\":[{\"role\":\"user\",\"parts\":[{\"type\":\"file\",\"url\":"
                        "\"%s\",\"mediaType\":\"text/plain\"}]}]}",
                        text_at(t, reply_json(t, &r), "url"));
    for (int i = 1; i >= 0; i--) {
        r = world_ask(t, &w, "POST", of_session(t, sessions[i], "/entries"),
                      arena_printf(t->arena, "%s%s", headers[i], json), body);
        CHECK_INT(i ? 404 : 201, r.status);
    }
    /* The same after it is shown. With the bytes themselves they may. */
    CHECK_INT(404, world_ask(t, &w, "POST", of_session(t, sessions[1], "/entries"),
                             arena_printf(t->arena, "%s%s", headers[1], json), body)
                       .status);
    CHECK_INT(201,
              world_ask(t, &w, "POST", "/api/v1/attachments", headers[1], "a secret file").status);
    CHECK_INT(201, world_ask(t, &w, "POST", of_session(t, sessions[1], "/entries"),
                             arena_printf(t->arena, "%s%s", headers[1], json), body)
                       .status);
    world_close(&w);
}
