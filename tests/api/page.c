/* The web page as it is served: its addresses, its files, its policy. */
#include "page/page.h"

#include <string.h>
#include <zlib.h>

#include "api/world.h"
#include "base/memory/arena.h"
#include "base/os/fs.h"
#include "base/text/str.h"

static const struct http_route *const tables[] = { page_routes, NULL };

static void open_page(struct test *t, struct world *w)
{
    if (!page_files_count)
        SKIP("built with NO_UI=1");
    world_open_with(t, w, (struct api_config){ .more = tables });
}

static const struct page_file *file_ending(const char *end)
{
    for (uint64_t i = 0; i < page_files_count; i++)
        if (str_ends(str_of(page_files[i].name), end) && page_files[i].hashed)
            return &page_files[i];
    return NULL;
}

STORE_TEST(every_address_of_the_page_is_its_one_file_for_everybody)
{
    static const char *const addresses[] = { "/",
                                             "/sessions",
                                             "/sessions/cache-bug?panel=tree&entry=%231.4",
                                             "/cost?days=7",
                                             "/compare?one=a&other=b",
                                             "/search?q=x",
                                             "/settings/tokens",
                                             "/runs/1",
                                             "/providers" };
    struct http_reply first, r;
    struct world w;

    open_page(t, &w);
    first = world_ask(t, &w, "GET", "/", "", "");
    CHECK_INT(200, first.status);
    CHECK(strstr(arena_strndup(t->arena, first.body.p, first.body.n), "<div id=\"app\">"));
    for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++) {
        r = world_ask(t, &w, "GET", addresses[i], "", "");
        CHECK_INT(200, r.status);
        CHECK(str_eq(first.body, r.body));
        CHECK_STR("no-cache", http_reply_header(&r, "cache-control"));
    }
    CHECK_INT(404, world_ask(t, &w, "GET", "/nothing", "", "").status);
    world_close(&w);
}

STORE_TEST(the_page_may_run_only_its_own_scripts_and_make_no_html)
{
    const char *policy;
    struct http_reply r;
    struct world w;

    open_page(t, &w);
    r = world_ask(t, &w, "GET", "/sessions", "", "");
    policy = http_reply_header(&r, "content-security-policy");
    CHECK(strstr(policy, "default-src 'none'"));
    CHECK(strstr(policy, "script-src 'self';"));
    CHECK(strstr(policy, "style-src 'self';"));
    CHECK(strstr(policy, "require-trusted-types-for 'script'; trusted-types 'none'"));
    CHECK(strstr(policy, "frame-ancestors 'none'"));
    CHECK(!strstr(policy, "unsafe") && !strstr(policy, "http:") && !strstr(policy, "https:"));
    CHECK(!strstr(arena_strndup(t->arena, r.body.p, r.body.n), "<script>"));
    world_close(&w);
}

static struct bough_str unpacked(struct test *t, struct bough_str gz)
{
    z_stream z = { .next_in = (unsigned char *)gz.p, .avail_in = (uInt)gz.n };
    size_t room = 8 << 20;
    unsigned char *out = arena_alloc(t->arena, room);

    z.next_out = out;
    z.avail_out = (uInt)room;
    CHECK_INT(Z_OK, inflateInit2(&z, 15 + 16));
    CHECK_INT(Z_STREAM_END, inflate(&z, Z_FINISH));
    inflateEnd(&z);
    return str_make((const char *)out, room - z.avail_out);
}

STORE_TEST(files_with_a_hash_are_kept_for_ever_and_are_the_same_with_and_without_gzip)
{
    const struct page_file *js;
    struct http_reply plain, packed, again;
    const char *path;
    struct world w;

    open_page(t, &w);
    js = file_ending(".js");
    CHECK(js);
    path = arena_printf(t->arena, "/%s", js->name);
    plain = world_ask(t, &w, "GET", path, "", "");
    packed = world_ask(t, &w, "GET", path, "Accept-Encoding: gzip\r\n", "");
    CHECK_INT(200, plain.status);
    CHECK_STR("public, max-age=31536000, immutable", http_reply_header(&plain, "cache-control"));
    CHECK_STR("text/javascript; charset=utf-8", http_reply_header(&plain, "content-type"));
    CHECK_STR("nosniff", http_reply_header(&plain, "x-content-type-options"));
    CHECK(!http_reply_header(&plain, "content-encoding"));
    CHECK_STR("gzip", http_reply_header(&packed, "content-encoding"));
    CHECK_STR("Accept-Encoding", http_reply_header(&packed, "vary"));
    CHECK(packed.body.n < plain.body.n);
    CHECK(str_eq(plain.body, unpacked(t, packed.body)));
    again = world_ask(t, &w, "GET", path,
                      arena_printf(t->arena, "Accept-Encoding: gzip\r\nIf-None-Match: %s\r\n",
                                   http_reply_header(&packed, "etag")),
                      "");
    CHECK_INT(304, again.status);
    CHECK_INT(404, world_ask(t, &w, "GET", "/assets/index-00000000.js", "", "").status);
    CHECK_INT(400, world_ask(t, &w, "GET", "/assets/..%2findex.html", "", "").status);
    world_close(&w);
}

STORE_TEST(the_page_is_not_part_of_the_api)
{
    struct http_reply r;
    struct world w;

    open_page(t, &w);
    r = world_ask(t, &w, "GET", "/api/v1/openapi.json", "", "");
    CHECK(!strstr(arena_strndup(t->arena, r.body.p, r.body.n), "\"/assets/{file}\""));
    /* An unknown parameter is refused by the API, but is the page's own business. */
    CHECK_INT(422, world_own(t, &w, "GET", "/api/v1/sessions?panel=x", "").status);
    world_close(&w);
}

STORE_TEST(a_folder_can_stand_in_for_the_embedded_files)
{
    struct http_reply r;
    struct world w;

    open_page(t, &w);
    CHECK_OK(fs_mkdirs(test_path(t, "web/assets"), 0700, &t->err));
    CHECK_OK(fs_write(test_path(t, "web/index.html"), str_of("edited"), 0600, &t->err));
    CHECK_OK(fs_write(test_path(t, "web/assets/a.css"), str_of("x{}"), 0600, &t->err));
    page_from(test_path(t, "web"));
    r = world_ask(t, &w, "GET", "/sessions", "", "");
    CHECK(str_is(r.body, "edited"));
    r = world_ask(t, &w, "GET", "/assets/a.css", "", "");
    CHECK_STR("text/css; charset=utf-8", http_reply_header(&r, "content-type"));
    CHECK_INT(404, world_ask(t, &w, "GET", "/assets/none.css", "", "").status);
    page_from(NULL);
    world_close(&w);
}
