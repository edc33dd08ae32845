/* Varints: lengths, round trips, truncation, overlong input. */
#include "lib/test.h"

#include "base/memory/varint.h"

TEST(numbers_take_one_byte_per_seven_bits)
{
    unsigned char out[VARINT_MAX];
    int bits;

    CHECK_INT(1, varint_put(0, out));
    CHECK_INT(1, varint_put(127, out));
    CHECK_INT(2, varint_put(128, out));
    CHECK_MEM("\x80\x01", out, 2);
    for (bits = 1; bits <= 64; bits++)
        CHECK_INT((bits + 6) / 7, varint_put(UINT64_C(1) << (bits - 1), out));
    CHECK_INT(10, varint_put(UINT64_MAX, out));
}

TEST(numbers_come_back_and_every_truncation_is_noticed)
{
    unsigned char out[VARINT_MAX];
    uint64_t back = 0;
    int i;

    for (i = 0; i < 20000; i++) {
        uint64_t v = env_u64(&t->env.env) >> (i % 64);
        size_t n = varint_put(v, out), cut;
        const unsigned char *p = out;

        CHECK(varint_get(&p, out + n, &back) && back == v && p == out + n);
        for (cut = 0; cut < n; cut++) {
            p = out;
            CHECK(!varint_get(&p, out + cut, &back) && p == out);
        }
    }
}

TEST(signed_numbers_come_back_and_small_ones_are_short)
{
    static const int64_t all[] = { 0, -1, 1, -64, 63, 64, -65, INT32_MIN, INT64_MAX, INT64_MIN };
    unsigned char out[VARINT_MAX];
    int64_t back = 0;
    size_t i;

    CHECK_INT(1, varint_put_i64(-64, out));
    CHECK_INT(1, varint_put_i64(63, out));
    CHECK_INT(2, varint_put_i64(64, out));
    for (i = 0; i < sizeof all / sizeof all[0]; i++) {
        const unsigned char *p = out;
        size_t n = varint_put_i64(all[i], out);

        CHECK(varint_get_i64(&p, out + n, &back) && back == all[i]);
        p = out;
        CHECK(!varint_get_i64(&p, out + n - 1, &back));
    }
}

TEST(more_than_64_bits_are_refused)
{
    static const unsigned char max[] = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01";
    static const unsigned char over[] = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02";
    static const unsigned char longer[] = "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00";
    const unsigned char *p = max;
    uint64_t v = 0;

    CHECK(varint_get(&p, max + 10, &v) && v == UINT64_MAX);
    p = over;
    CHECK(!varint_get(&p, over + 10, &v) && p == over);
    p = longer;
    CHECK(!varint_get(&p, longer + 11, &v));
}

TEST(varints_go_into_buffers)
{
    struct buf b;

    buf_init(&b, 100);
    buf_put_varint(&b, 300);
    buf_put_varint_i64(&b, -1);
    CHECK_INT(3, b.n);
    CHECK_MEM("\xac\x02\x01", b.p, 3);
    buf_finish(&b);
}
