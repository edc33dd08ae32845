/* Time and randomness of the system and of the test environment. */
#include "lib/test.h"

#include "base/env.h"

TEST(the_system_clock_is_in_milliseconds_since_1970)
{
    int64_t now = env_now(&env_system);

    CHECK(now > INT64_C(1700000000000) && now < INT64_C(4000000000000));
}

TEST(the_monotonic_clock_does_not_go_back)
{
    int64_t last = mono_us();
    int i;

    for (i = 0; i < 1000; i++) {
        int64_t now = mono_us();

        CHECK(now >= last);
        last = now;
    }
}

TEST(system_randomness_differs_every_time)
{
    unsigned char big[1000] = { 0 };
    size_t i, zeros = 0;

    CHECK(env_u64(&env_system) != env_u64(&env_system));
    env_random(&env_system, big, sizeof big);
    for (i = 0; i < sizeof big; i++)
        zeros += big[i] == 0;
    CHECK(zeros < 50);
}

TEST(the_test_clock_stands_still_unless_told_to_move)
{
    int64_t a = env_now(&t->env.env);

    CHECK_INT(a, env_now(&t->env.env));
    t->env.step = 5;
    CHECK_INT(a, env_now(&t->env.env));
    CHECK_INT(a + 5, env_now(&t->env.env));
    t->env.now = 42;
    CHECK_INT(42, env_now(&t->env.env));
}

TEST(the_test_randomness_repeats_from_its_seed)
{
    uint64_t a = env_u64(&t->env.env), b = env_u64(&t->env.env);

    CHECK(a != b);
    t->env.seed = 1;
    CHECK(env_u64(&t->env.env) == a);
}
