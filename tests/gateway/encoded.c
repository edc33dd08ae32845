/* Requests whose bodies are compressed: Codex sends zstd, others gzip. */
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "gateway/world.h"

#define CHAT "/v1/chat/completions"

static struct bough_str gzip(struct test *t, struct bough_str text)
{
    size_t most = text.n / 16 + 1024; /* of what these tests pack */
    char *out = arena_alloc(t->arena, most);
    z_stream z = { .next_in = (Bytef *)text.p,
                   .avail_in = (uInt)text.n,
                   .next_out = (Bytef *)out,
                   .avail_out = (uInt)most };

    CHECK(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    CHECK(deflate(&z, Z_FINISH) == Z_STREAM_END);
    deflateEnd(&z);
    return str_make(out, most - z.avail_out);
}

static struct bough_str zstd(struct test *t, struct bough_str text)
{
    size_t most = ZSTD_compressBound(text.n), n;
    char *out = arena_alloc(t->arena, most);

    n = ZSTD_compress(out, most, text.p, text.n, 1);
    CHECK(!ZSTD_isError(n));
    return str_make(out, n);
}

static struct got send_packed(struct world *w, const char *encoding, struct bough_str body)
{
    struct talk k = talk_begin_raw(
        w, "POST", CHAT, arena_printf(w->t->arena, "Content-Encoding: %s\r\n", encoding), body);

    return talk_end(&k);
}

static const char *body_of(struct test *t, const char *text)
{
    return arena_printf(
        t->arena, "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"%s\"}]}", text);
}

STORE_TEST(a_compressed_request_is_read_and_sent_on_plain)
{
    static const char reply[] = "{\"choices\":[{\"message\":{\"content\":\"ok\"}}]}";
    char *large = arena_alloc(t->arena, 300001);
    const char *body = body_of(t, "packed"), *long_body;
    struct world w;

    memset(large, 'x', 300000);
    large[300000] = '\0';
    long_body = body_of(t, large);
    world_open(t, &w);
    for (int i = 0; i < 4; i++)
        fake_json(w.up, 200, reply);
    CHECK_INT(200, send_packed(&w, "gzip", gzip(t, str_of(body))).status);
    check_path(&w, "user:packed assistant:ok");
    CHECK_INT(200, send_packed(&w, "zstd", zstd(t, str_of(body))).status);
    CHECK_INT(200, send_packed(&w, "ZSTD", zstd(t, str_of(long_body))).status);
    CHECK_INT(200, send_packed(&w, "identity", str_of(body)).status);
    for (size_t i = 0; i < 4; i++) {
        CHECK(strstr(fake_asked(w.up, i), i == 2 ? long_body : body));
        CHECK(!strcasestr(fake_asked(w.up, i), "content-encoding"));
    }
    world_close(&w);
}

STORE_TEST(a_compressed_request_that_is_damaged_cut_or_unknown_is_refused)
{
    struct bough_str text = str_of(body_of(t, "packed")), gz = gzip(t, text), zs = zstd(t, text);
    const struct {
        const char *encoding;
        struct bough_str body;
        int status;
    } cases[] = {
        { "gzip", str_of("no gzip data"), 400 },
        { "gzip", str_make(gz.p, gz.n / 2), 400 },
        { "gzip", zs, 400 },
        { "zstd", str_of("no zstd data"), 400 },
        { "zstd", str_make(zs.p, zs.n / 2), 400 },
        { "zstd", gz, 400 },
        { "gzip", gzip(t, str_of("{\"model\":")), 400 },
        { "br", text, 415 },
        { "gzip, gzip", gz, 415 },
    };
    struct world w;

    world_open(t, &w);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct got g = send_packed(&w, cases[i].encoding, cases[i].body);

        if (g.status != cases[i].status)
            FAIL("case %zu: %d %s", i, g.status, g.body.p);
        CHECK(strstr(g.body.p, "\"error\""));
    }
    CHECK_INT(0, fake_count(w.up));
    world_close(&w);
}

/* 65 MB of blanks are small when they are packed. They are refused before they take more than the
 * limit. */
STORE_TEST(a_compressed_request_that_grows_too_large_is_413)
{
    struct bough_str blanks = { arena_alloc(t->arena, (size_t)65 << 20), (size_t)65 << 20 };
    struct world w;

    memset((char *)blanks.p, ' ', blanks.n);
    world_open(t, &w);
    CHECK_INT(413, send_packed(&w, "gzip", gzip(t, blanks)).status);
    CHECK_INT(413, send_packed(&w, "zstd", zstd(t, blanks)).status);
    CHECK_INT(0, fake_count(w.up));
    world_close(&w);
}
