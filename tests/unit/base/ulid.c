/* ULIDs: known texts, round trips, refused texts. */
#include "lib/test.h"

#include "base/text/ulid.h"

static bool decode(const char *s, struct ulid *u)
{
    return ulid_decode(s, strlen(s), u);
}

TEST(known_values_have_known_texts)
{
    char out[ULID_LEN + 1];
    struct ulid u = { 0, 0 };

    ulid_encode(u, out);
    CHECK_STR("00000000000000000000000000", out);
    u = (struct ulid){ UINT64_MAX, UINT64_MAX };
    ulid_encode(u, out);
    CHECK_STR("7ZZZZZZZZZZZZZZZZZZZZZZZZZ", out);
    u = (struct ulid){ 0, 1 };
    ulid_encode(u, out);
    CHECK_STR("00000000000000000000000001", out);
    u = (struct ulid){ UINT64_C(0x0123456789abcdef), UINT64_C(0xfedcba9876543210) };
    ulid_encode(u, out);
    CHECK_STR("014D2PF2DBSQQZXQ5TK1V58CGG", out);
}

TEST(random_values_come_back_in_either_case)
{
    char out[ULID_LEN + 1];
    struct ulid u, back;
    int i, k;

    for (i = 0; i < 10000; i++) {
        u.hi = env_u64(&t->env.env);
        u.lo = env_u64(&t->env.env);
        ulid_encode(u, out);
        CHECK(decode(out, &back) && back.hi == u.hi && back.lo == u.lo);
        for (k = 0; k < ULID_LEN; k++)
            if (out[k] >= 'A')
                out[k] = (char)(out[k] - 'A' + 'a');
        CHECK(decode(out, &back) && back.hi == u.hi && back.lo == u.lo);
    }
}

TEST(texts_sort_like_their_values)
{
    char a[ULID_LEN + 1], b[ULID_LEN + 1];
    struct ulid x = { 5, UINT64_MAX }, y = { 6, 0 };

    ulid_encode(x, a);
    ulid_encode(y, b);
    CHECK(strcmp(a, b) < 0);
}

TEST(wrong_texts_are_refused)
{
    static const char ok[] = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
    static const char bad[] = "ILOUilou-_ /:@[`{\x80\xff";
    struct ulid u = { 1, 2 };
    char s[ULID_LEN + 1];
    size_t i, k;

    CHECK(decode(ok, &u));
    u = (struct ulid){ 1, 2 };
    for (i = 0; i < ULID_LEN; i++) {
        for (k = 0; k < sizeof bad; k++) { /* including the NUL at its end */
            memcpy(s, ok, sizeof s);
            s[i] = bad[k];
            CHECK(!ulid_decode(s, ULID_LEN, &u));
        }
    }
    CHECK(!decode("8ZZZZZZZZZZZZZZZZZZZZZZZZZ", &u));
    CHECK(!decode("80000000000000000000000000", &u));
    CHECK(!decode("G0000000000000000000000000", &u));
    CHECK(!ulid_decode(ok, 25, &u));
    CHECK(!ulid_decode("01ARZ3NDEKTSV4RRFFQ69G5FAVX", 27, &u));
    CHECK(!ulid_decode("", 0, &u));
    CHECK(u.hi == 1 && u.lo == 2);
}
