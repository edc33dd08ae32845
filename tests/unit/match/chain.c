/* Chains: what changes the loose and the strict one, and keys made of them. */
#include "core/match/chain.h"

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "lib/talk.h"

static struct chain_link link_of(struct test *t, const char *talk)
{
    struct units u = { .a = t->arena };
    struct chain_link out;
    struct chain c;
    size_t n;
    struct bough_entry *e = talk_entries(t, talk, &n);

    for (size_t i = 0; i < n; i++)
        units_add(&u, &e[i], i % 2);
    units_end(&u);
    chain_init(&c);
    for (size_t i = 0; i < u.n; i++)
        chain_add(&c, &u.at[i]);
    out = chain_link(&c, u.n);
    chain_finish(&c);
    return out;
}

static bool same_loose(struct test *t, const char *one, const char *other)
{
    struct chain_link a = link_of(t, one), b = link_of(t, other);

    return memcmp(a.loose, b.loose, sizeof a.loose) == 0;
}

static bool same_strict(struct test *t, const char *one, const char *other)
{
    return link_of(t, one).strict == link_of(t, other).strict;
}

TEST(the_loose_chain_does_not_see_what_clients_change)
{
    CHECK(same_loose(t, "u q | a one + two", "u q | a one\n\ntwo"));
    CHECK(same_loose(t, "u q | a one + two", "u q | a onetwo"));
    CHECK(same_loose(t, "u q | a @think:hm + yes", "u q | a yes"));
    CHECK(same_loose(t, "u <system-reminder>x</system-reminder> + q", "u q"));
    CHECK(
        same_loose(t, "a @call:a:ls:{\"x\":1} | u @res:a:long", "a @call:b:ls:{} | u @res:b:[x]"));
    CHECK(!same_loose(t, "u one | a two", "u one | u two"));
    CHECK(!same_loose(t, "u one | a two", "u one | a three"));
    CHECK(!same_loose(t, "a @call:a:ls:{}", "a @call:a:cat:{}"));
    CHECK(!same_loose(t, "a @call:a:ls:{}", "a ls"));
    CHECK(!same_loose(t, "u @res:a:1 + @res:b:2", "u @res:a:1"));
    CHECK(!same_loose(t, "u @img:AAAA", "u @img:AAAB"));
}

TEST(the_strict_chain_sees_arguments_and_results)
{
    CHECK(same_strict(t, "u q | a one + two", "u q | a onetwo"));
    CHECK(same_strict(t, "a @call:a:ls:{\"x\":1,\"y\":2}", "a @call:b:ls:{\"y\":2,\"x\":1}"));
    CHECK(!same_strict(t, "a @call:a:ls:{\"x\":1}", "a @call:a:ls:{}"));
    CHECK(!same_strict(t, "u @res:a:long", "u @res:a:[x]"));
}

TEST(a_link_is_made_behind_each_reply)
{
    struct units u = { .a = t->arena };
    struct chain_link *at, all;
    struct chain last;
    size_t n, m;
    struct bough_entry *e =
        talk_entries(t, "u q | a yes + @call:a:ls:{} | u @res:a:x | a no | a more | u r", &m);

    for (size_t i = 0; i < m; i++)
        units_add(&u, &e[i], false);
    at = chain_replies(&u, &n, &last);
    CHECK_INT(2, n);
    CHECK_INT(3, at[0].units);
    CHECK_INT(6, at[1].units);
    all = link_of(t, "u q | a yes + @call:a:ls:{}");
    CHECK_MEM(all.loose, at[0].loose, sizeof all.loose);
    all = chain_link(&last, 7);
    CHECK_MEM(link_of(t, "u q | a yes + @call:a:ls:{} | u @res:a:x | a no | a more | u r").loose,
              all.loose, sizeof all.loose);
    chain_finish(&last);
}

TEST(G44_keys_of_another_scope_or_letter_differ)
{
    unsigned char a[SEEN_KEY], b[SEEN_KEY];
    int64_t mine = seen_scope("token:a", "p"), other = seen_scope("token:", "ap");

    CHECK(mine && mine != other);
    CHECK(seen_scope("", "") != 0);
    seen_key(SEEN_ID, mine, "x", 1, a);
    seen_key(SEEN_ID, mine, "x", 1, b);
    CHECK_MEM(a, b, SEEN_KEY);
    seen_key(SEEN_CLIENT, mine, "x", 1, b);
    CHECK(memcmp(a, b, SEEN_KEY) != 0);
    seen_key(SEEN_ID, other, "x", 1, b);
    CHECK(memcmp(a, b, SEEN_KEY) != 0);
}

TEST(ids_are_strong_when_they_are_long_and_have_digits)
{
    CHECK(unit_id_is_strong("toolu_01ABC234567"));
    CHECK(unit_id_is_strong("call_9900112233"));
    CHECK(!unit_id_is_strong("call_0"));
    CHECK(!unit_id_is_strong("call_abcdefghij12"));
    CHECK(!unit_id_is_strong(""));
}
