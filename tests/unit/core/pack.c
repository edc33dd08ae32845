/* Packed rows: what comes back, and what damaged bytes with a right checksum become. */
#include "core/pack/pack.h"

#include <string.h>

#include "base/hash/crc32c.h"
#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/pack/bodies.h"
#include "lib/test.h"

static struct bough_str packed(struct test *t)
{
    static const struct bough_part parts[] = {
        { BOUGH_PART_TEXT, { "{\"type\":\"text\",\"text\":\"a\"}", 26 } },
        { BOUGH_PART_OTHER, { "{\"type\":\"x\"}", 12 } },
    };
    const struct bough_entry e = { .kind = BOUGH_ENTRY_MESSAGE,
                                   .kind_name = "",
                                   .role = BOUGH_ROLE_USER,
                                   .at = { 0, 7 },
                                   .mno = 5,
                                   .time = 1700000000000,
                                   .origin = "o",
                                   .finish = "stop",
                                   .data = str_of("{}"),
                                   .metadata = str_of(""),
                                   .error = str_of(""),
                                   .parts = parts,
                                   .nparts = 2,
                                   .usage = &(const struct bough_totals){ .input = 1,
                                                                          .output = 2,
                                                                          .reasoning = 3,
                                                                          .cache_read = 4,
                                                                          .cache_write = 5,
                                                                          .cost = 6 } };
    const struct pack_extra x = { .made = 1700000000000, .chk = 9 };
    struct squeezed tail;

    pack_tail(t->arena, &e, 0, &tail);
    return pack_entry(t->arena, &e, &x, &tail);
}

/* The body with one byte changed, or cut, and its checksum as if that were right. */
static struct bough_str forged(struct test *t, struct bough_str body, size_t at, unsigned value,
                               size_t n)
{
    unsigned char *p = arena_alloc(t->arena, n + 1);
    uint32_t sum;

    memcpy(p, body.p, n);
    if (at < n)
        p[at] = (unsigned char)value;
    sum = crc32c(0, p + PACK_PREFIX, n - PACK_PREFIX);
    for (int i = 0; i < 4; i++)
        p[1 + i] = (unsigned char)(sum >> (8 * i));
    return str_make((char *)p, n);
}

static bool reads(struct test *t, struct bough_str body, struct bough_entry *e)
{
    struct pack_extra x;
    enum bough_rc rc = pack_entry_read(t->arena, body, e, &x, &t->err);

    CHECK(!rc || rc == BOUGH_CORRUPT || rc == BOUGH_VERSION);
    return !rc;
}

TEST(a_packed_entry_comes_back)
{
    struct bough_str body = packed(t);
    struct bough_entry e;

    CHECK(pack_entry_sound(body));
    CHECK(reads(t, body, &e));
    CHECK_INT(7, e.at.depth);
    CHECK_INT(5, e.mno);
    CHECK_INT(1700000000000, e.time);
    CHECK_STR("stop", e.finish);
    CHECK_STR("o", e.origin);
    CHECK_INT(2, e.nparts);
    CHECK_INT(BOUGH_PART_OTHER, e.parts[1].type);
    CHECK_SPAN("{\"type\":\"x\"}", e.parts[1].json);
    for (int i = 0; i < 6; i++)
        CHECK_INT(i + 1, ((const int64_t *)e.usage)[i]);
}

TEST(a_packed_entry_with_any_byte_changed_is_refused_or_within_its_bounds)
{
    struct bough_str body = packed(t);

    for (size_t at = PACK_PREFIX; at < body.n; at++)
        for (unsigned value = 0; value < 256; value++) {
            struct bough_str bad = forged(t, body, at, value, body.n);
            struct bough_entry e;

            if (!reads(t, bad, &e))
                continue;
            CHECK((unsigned)e.kind <= BOUGH_ENTRY_OTHER && (unsigned)e.role <= BOUGH_ROLE_OTHER);
            CHECK(e.nparts <= LIMIT_PARTS);
            for (size_t i = 0; i < e.nparts; i++) {
                CHECK((unsigned)e.parts[i].type <= BOUGH_PART_OTHER);
                CHECK(e.parts[i].json.p >= bad.p && e.parts[i].json.n < body.n &&
                      e.parts[i].json.p + e.parts[i].json.n < bad.p + bad.n);
            }
        }
}

TEST(a_packed_entry_that_is_cut_is_corrupt)
{
    struct bough_str body = packed(t);
    struct bough_entry e;

    for (size_t n = PACK_PREFIX; n < body.n; n++)
        CHECK(!reads(t, forged(t, body, SIZE_MAX, 0, n), &e));
    CHECK(!reads(t, str_make(body.p, PACK_PREFIX - 1), &e));
}

/* ---- bodies by a table ---- */

static struct bough_str packed_call(struct test *t)
{
    const struct call_body b = { .model = "m",
                                 .used = { .input = 1,
                                           .output = 2,
                                           .reasoning = 3,
                                           .cache_read = 4,
                                           .cache_write = 5,
                                           .cost = 6 },
                                 .time = -1 };

    return body_pack(t->arena, call_fields, &b);
}

TEST(a_packed_body_that_is_cut_or_changed_is_corrupt_or_whole)
{
    struct bough_str body = packed_call(t);
    struct call_body b;

    CHECK_OK(body_read(call_fields, body, &b, &t->err));
    CHECK_STR("m", b.model);
    CHECK_INT(6, b.used.cost);
    CHECK_INT(-1, b.time);
    for (size_t n = 0; n <= body.n; n++)
        for (size_t at = 4; at <= n; at++) {
            unsigned char *p = arena_dup(t->arena, body.p, n + 1);
            uint32_t sum;
            enum bough_rc rc;

            if (n < 4)
                continue;
            if (at < n)
                p[at] ^= 0x80; /* a number that goes on, or a longer text */
            sum = crc32c(0, p + 4, n - 4);
            for (int i = 0; i < 4; i++)
                p[i] = (unsigned char)(sum >> (8 * i));
            rc = body_read(call_fields, str_make((char *)p, n), &b, &t->err);
            CHECK(!rc || rc == BOUGH_CORRUPT || rc == BOUGH_VERSION);
            if (at == n - 1) /* its last byte says that it goes on */
                CHECK_RC(BOUGH_CORRUPT, rc);
        }
}

/* ---- compressing ---- */

TEST(only_what_compression_makes_an_eighth_smaller_is_compressed)
{
    char *noise = arena_alloc(t->arena, 4000), *same = arena_alloc(t->arena, 4000);
    struct squeezed s;
    struct bough_str back;

    env_random(&t->env.env, noise, 4000);
    memset(same, 'x', 4000);
    s = squeeze(t->arena, str_make(noise, 4000), SQUEEZE_FROM);
    CHECK(!s.zstd);
    CHECK_INT(4000, s.bytes.n);
    s = squeeze(t->arena, str_make(same, 4000), SQUEEZE_FROM);
    CHECK(s.zstd && s.bytes.n < 100);
    CHECK_INT(4000, s.raw);
    CHECK(unsqueeze(t->arena, &s, &back));
    CHECK_INT(4000, back.n);
    CHECK_MEM(same, back.p, 4000);
    CHECK(!squeeze(t->arena, str_make(same, SQUEEZE_FROM - 1), SQUEEZE_FROM).zstd);
    CHECK(squeeze(t->arena, str_make(same, SQUEEZE_FROM), SQUEEZE_FROM).zstd);
    CHECK(!squeeze(t->arena, str_make(same, 4000), 0).zstd);
}
