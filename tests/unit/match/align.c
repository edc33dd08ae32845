/* How far a history that a client sends agrees with the stored one. */
#include "core/match/align.h"

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "lib/talk.h"

#define STRONG "toolu_01ABC234567"
#define STRONG2 "toolu_01ABC234599"

struct pair {
    struct units sent, stored;
};

static void units_of(struct test *t, struct units *u, const char *talk, bool stored)
{
    size_t n;
    struct bough_entry *e = talk_entries(t, talk, &n);

    *u = (struct units){ .a = t->arena };
    for (size_t i = 0; i < n; i++) {
        if (e[i].nparts && strstr(e[i].parts[e[i].nparts - 1].json.p, "...CUT"))
            e[i].finish = "interrupted";
        units_add(u, &e[i], stored);
    }
    units_end(u);
}

/* "units of units, messages of messages" that agree, then the variants. */
static const char *aligned_from(struct test *t, const char *stored, const char *sent, size_t from,
                                size_t at)
{
    struct pair p;
    struct aligned m;
    const char *out;

    units_of(t, &p.stored, stored, true);
    units_of(t, &p.sent, sent, false);
    m = units_align(&p.sent, from, &p.stored, at);
    CHECK(m.sent <= p.sent.n && m.messages <= p.stored.nmessages);
    if (m.sent > from)
        CHECK(units_begin_alike(&p.sent, from, &p.stored, at) || m.nvariants);
    out = arena_printf(t->arena, "%zu of %zu, %zu of %zu%s", m.sent, p.sent.n, m.messages,
                       p.stored.nmessages, m.to_end ? " all" : "");
    for (size_t i = 0; i < m.nvariants; i++)
        out = arena_printf(t->arena, "%s, %s %zu=%zu.%zu", out, variant_name(m.variants[i].what),
                           m.variants[i].sent, m.variants[i].message, m.variants[i].part);
    return out;
}

static const char *aligned(struct test *t, const char *stored, const char *sent)
{
    return aligned_from(t, stored, sent, 0, 0);
}

/* ---- soft units ---- */

TEST(G3_a_reply_without_its_reasoning_agrees)
{
    CHECK_STR("2 of 2, 2 of 2 all", aligned(t, "u q | a @think:hm + yes", "u q | a yes"));
    CHECK_STR("2 of 2, 2 of 2 all", aligned(t, "u q | a yes", "u q | a @think:hm + yes"));
    CHECK_STR("2 of 2, 2 of 2 all", aligned(t, "u q | a <think>hm</think>\n\nyes", "u q | a yes"));
    CHECK_STR("1 of 2, 1 of 2", aligned(t, "u q | a <think>hm</think>no", "u q | a yes"));
}

TEST(G20_system_and_developer_messages_are_not_compared)
{
    CHECK_STR("2 of 2, 3 of 3 all", aligned(t, "s be nice | u q | a yes", "u q | d hurry | a yes"));
}

TEST(G18_wrappers_in_user_messages_are_not_compared)
{
    CHECK_STR("2 of 2, 2 of 2 all",
              aligned(t, "u <system-reminder>\nMonday\n</system-reminder>\n + q | a yes",
                      "u q + <environment_context>\n<day>Tuesday</day>\n</environment_context> | "
                      "u <ide_opened_file>x</ide_opened_file> | a yes"));
    CHECK_STR("2 of 2, 2 of 2 all",
              aligned(t, "u q | a yes",
                      "u <command-name>/x</command-name> + q + "
                      "<system-reminder>a</system-reminder>\n<system-reminder>b</system-reminder> "
                      "| a yes"));
    /* Not a wrapper: two kinds, words between them, words around it, another name. */
    CHECK_STR("0 of 2, 0 of 1", aligned(t, "u q",
                                        "u <command-name>/x</command-name>\n"
                                        "<command-args></command-args> + q"));
    CHECK_STR("0 of 2, 0 of 1", aligned(t, "u q",
                                        "u <system-reminder>a</system-reminder> and "
                                        "<system-reminder>b</system-reminder> + q"));
    CHECK_STR("0 of 2, 0 of 1",
              aligned(t, "u q", "u see <system-reminder>a</system-reminder> + q"));
    CHECK_STR("0 of 2, 0 of 1", aligned(t, "u q", "u <b>a</b> + q"));
}

TEST(wrappers_at_the_end_of_a_result_are_cut_off)
{
    CHECK_STR("1 of 1, 1 of 1 all",
              aligned(t, "u @res:a:four\n\n<system-reminder>\nhalf past\n</system-reminder>",
                      "u @res:b:four <system-reminder>two</system-reminder>\n"
                      "<system-reminder>three</system-reminder>\n"));
    CHECK_STR("0 of 1, 0 of 1",
              aligned(t, "u @res:a:<system-reminder>x</system-reminder> four", "u @res:b:four"));
}

/* ---- texts ---- */

TEST(G4_G5_text_blocks_agree_with_their_join_by_white_space)
{
    static const char stored[] = "u q | a one + two";

    CHECK_STR("2 of 2, 2 of 2 all", aligned(t, stored, "u q | a one\n\ntwo"));
    CHECK_STR("2 of 2, 2 of 2 all", aligned(t, stored, "u q | a onetwo"));
    CHECK_STR("2 of 2, 2 of 2 all", aligned(t, stored, "u q | a one\r\ntwo\n"));
    CHECK_STR("3 of 3, 2 of 2 all", aligned(t, stored, "u q | a one\n | a two"));
    CHECK_STR("1 of 2, 1 of 2", aligned(t, stored, "u q | a one, two"));
    CHECK_STR("1 of 2, 1 of 2", aligned(t, "u q | a a  b", "u q | a a b")); /* inside it counts */
    CHECK_STR("1 of 2, 1 of 2", aligned(t, stored, "u q | a one"));
}

TEST(G42_a_prefill_and_its_reply_agree_with_their_join)
{
    CHECK_STR("2 of 3, 3 of 3 all",
              aligned(t, "u q | a { | a \"a\":1}", "u q | a {\"a\":1} | u next"));
}

TEST(G23_borders_of_messages_do_not_count)
{
    CHECK_STR("4 of 5, 2 of 2 all",
              aligned(t, "a look + @call:a:ls:{} | u @res:a:1 + @res:b:2",
                      "a look | a @call:z:ls:{ } | u @res:a:1 | u @res:b:2 | u next"));
    CHECK_STR("3 of 3, 3 of 3 all", aligned(t, "u @res:a:1 | u @res:b:2 | u @res:c:3",
                                            "u @res:a:1 + @res:b:2 + @res:c:3"));
}

TEST(what_agrees_ends_inside_a_sent_message_but_never_inside_a_stored_one)
{
    CHECK_STR("2 of 3, 2 of 2 all", aligned(t, "u one | u two", "u one + two + three"));
    CHECK_STR("0 of 2, 0 of 1", aligned(t, "u one + two", "u one + three"));
    CHECK_STR("0 of 1, 0 of 1", aligned(t, "u one", "u one more")); /* nor inside a block */
}

/* ---- calls, results, files ---- */

TEST(G9_G10_calls_agree_by_arguments_or_by_a_strong_id)
{
    CHECK_STR("1 of 1, 1 of 1 all",
              aligned(t, "a @call:a:ls:{\"x\":1,\"y\":2}", "a @call:b:ls:{\"y\":2,\"x\":1}"));
    CHECK_STR("0 of 1, 0 of 1",
              aligned(t, "a @call:call_0:ls:{\"x\":1}", "a @call:call_0:ls:{\"x\":2}"));
    CHECK_STR("1 of 1, 1 of 1 all, arguments 0=0.0",
              aligned(t, "a @call:" STRONG ":ls:{\"x\":1}", "a @call:" STRONG ":ls:{\"x\":2}"));
    CHECK_STR("0 of 1, 0 of 1",
              aligned(t, "a @call:" STRONG ":ls:{}", "a @call:" STRONG ":cat:{}"));
    CHECK_STR("0 of 2, 0 of 1", /* an id that occurs twice is not strong */
              aligned(t, "a @call:" STRONG ":ls:{} + @call:" STRONG ":ls:{\"x\":1}",
                      "a @call:" STRONG ":ls:{} + @call:" STRONG ":ls:{\"x\":2}"));
}

TEST(G11_results_agree_by_text_or_by_a_strong_id)
{
    CHECK_STR("1 of 1, 1 of 1 all", aligned(t, "u @res:a:x  y\n", "u @res:b:x y"));
    CHECK_STR("1 of 1, 1 of 1 all, result 0=0.0",
              aligned(t, "u @res:" STRONG ":x", "u @res:" STRONG ":[cleared]"));
    CHECK_STR("0 of 1, 0 of 1", aligned(t, "u @res:a:x", "u @res:a:y"));
    CHECK_STR("1 of 1, 1 of 1 all", aligned(t, "t x y", "u @res:a:x y")); /* a tool's message */
}

TEST(files_agree_by_their_bytes_and_unknown_parts_by_what_they_say)
{
    CHECK_STR("1 of 1, 1 of 1 all", aligned(t, "u @img:AAAA", "u @img:AAAA"));
    CHECK_STR("0 of 1, 0 of 1", aligned(t, "u @img:AAAA", "u @img:AAAB"));
    CHECK_STR("1 of 1, 1 of 1 all", aligned(t, "u @img:AAAA",
                                            "u @raw:{\"type\":\"image_url\",\"image_url\":{\"url\":"
                                            "\"data:image/png;base64,AAAA\"}}"));
    CHECK_STR("0 of 1, 0 of 1",
              aligned(t, "u @raw:{\"type\":\"x\",\"n\":1}", "u @raw:{\"type\":\"x\",\"n\":2}"));
    CHECK_STR("1 of 1, 1 of 1 all",
              aligned(t, "u @raw:{\"type\":\"x\",\"n\":1}",
                      "u @raw:{\"n\":1,\"type\":\"x\",\"cache_control\":{}}"));
    CHECK_STR("1 of 1, 1 of 1 all",
              aligned(t, "a @raw:{\"type\":\"refusal\",\"refusal\":\"no\"}", "a no"));
}

TEST(tools_of_the_provider_are_calls_and_results)
{
    static const char stored[] =
        "a @raw:{\"type\":\"server_tool_use\",\"id\":\"" STRONG "\",\"name\":\"web_search\","
        "\"input\":{}} + @raw:{\"type\":\"web_search_tool_result\",\"tool_use_id\":\"" STRONG
        "\",\"content\":[{\"a\":1}]} + found | a "
        "@raw:{\"type\":\"web_search_call\",\"id\":\"ws_1\",\"status\":\"completed\",\"action\":{}"
        "}";

    CHECK_STR("4 of 4, 2 of 2 all",
              aligned(t, stored,
                      "a @raw:{\"type\":\"server_tool_use\",\"id\":\"" STRONG
                      "\",\"name\":\"web_search\",\"input\":{}} + "
                      "@raw:{\"type\":\"web_search_tool_result\",\"tool_use_id\":\"" STRONG
                      "\",\"content\":[{\"a\":1}],\"cache_control\":{}} + found | a "
                      "@raw:{\"action\":{},\"type\":\"web_search_call\",\"id\":\"ws_9\"}"));
}

TEST(G41_a_reference_stands_for_its_item)
{
    struct units sent, stored = { .a = t->arena };
    struct aligned m;
    size_t n;
    struct bough_entry *e = talk_entries(
        t,
        "u q | a @raw:{\"type\":\"output_text\",\"text\":\"one\"} + "
        "@raw:{\"type\":\"output_text\",\"text\":\"two\"} + "
        "@raw:{\"type\":\"function_call\",\"id\":\"fc_7\",\"call_id\":\"c\",\"name\":\"f\","
        "\"arguments\":\"{}\"}",
        &n);

    e[1].data = str_of("{\"items\":[{\"at\":0,\"n\":2,\"id\":\"msg_7\"}]}");
    units_add(&stored, &e[0], true);
    units_add(&stored, &e[1], true);
    units_end(&stored);
    units_of(t, &sent, "u q | a @ref:rs_1 + @ref:msg_7 | a @ref:fc_7 | u next", false);
    m = units_align(&sent, 0, &stored, 0);
    CHECK_INT(3, m.sent);
    CHECK_INT(2, m.messages);
    CHECK(m.to_end);
    units_of(t, &sent, "u q | a @ref:msg_8", false);
    CHECK_INT(1, units_align(&sent, 0, &stored, 0).sent);
}

/* ---- variants ---- */

TEST(G22_reasoning_that_came_back_as_text_is_a_variant)
{
    static const char stored[] = "u q | a @think:hm + @call:" STRONG ":ls:{} | u @res:" STRONG ":x";

    CHECK_STR("4 of 4, 3 of 3 all, reasoning 1=1.0",
              aligned(t, stored, "u q | a hm | a @call:" STRONG ":ls:{} | u @res:" STRONG ":x"));
    CHECK_STR("2 of 3, 2 of 2 all, reasoning 1=1.0",
              aligned(t, "u q | a @think:hm + yes", "u q | a hm\n\nyes | u next"));
    CHECK_STR("2 of 3, 2 of 2 all, reasoning 1=1.0",
              aligned(t, "u q | a @think:hm + yes", "u q | a hmyes | u next"));
    CHECK_STR("1 of 3, 1 of 2", aligned(t, "u q | a @think:hm + yes", "u q | a hm, no | u next"));
    /* A later message with reasoning, after one whose reasoning was left out. */
    CHECK_STR("5 of 5, 4 of 4 all, reasoning 3=3.0",
              aligned(t, "u q | a @think:hm + yes | u r | a @think:so + no",
                      "u q | a yes | u r | a so | a no"));
}

TEST(G24_of_a_cut_reply_one_text_is_the_beginning_of_the_other)
{
    CHECK_STR("2 of 3, 2 of 2 all, cut 1=1.0",
              aligned(t, "u q | a one two...CUT", "u q | a one t | u next"));
    CHECK_STR("2 of 3, 2 of 2 all, cut 1=1.0",
              aligned(t, "u q | a one two...CUT", "u q | a one two...CUT and three | u next"));
    CHECK_STR("2 of 2, 2 of 2 all, cut 1=1.0",
              aligned(t, "u q | a one two...CUT", "u q | a one t"));
    CHECK_STR("1 of 3, 1 of 2", aligned(t, "u q | a one two...CUT", "u q | a other | u next"));
    CHECK_STR("1 of 3, 1 of 2", aligned(t, "u q | a one two", "u q | a one t | u next"));
}

TEST(G25_a_cut_reply_that_was_left_out_does_not_agree)
{
    CHECK_STR("1 of 2, 1 of 2",
              aligned(t, "u q | a one...CUT", "u q | u <turn_aborted>x</turn_aborted> | u next"));
}

TEST(G47_a_unit_edited_in_place_is_a_variant_if_the_rest_agrees)
{
    CHECK_STR("4 of 5, 4 of 4 all, edited 0=0.0",
              aligned(t, "u one | a yes | u two | a no", "u uno | a yes | u two | a no | u three"));
    CHECK_STR("4 of 5, 4 of 4 all, edited 1=1.0",
              aligned(t, "u one | a yes | u two | a no", "u one | a si | u two | a no | u three"));
    CHECK_STR(
        "4 of 5, 4 of 4 all, edited 0=0.0", /* longer, shorter */
        aligned(t, "u one | a yes | u two | a no", "u one more | a yes | u two | a no | u 3"));
    CHECK_STR("4 of 5, 4 of 4 all, edited 0=0.0", aligned(t, "u one more | a yes | u two | a no",
                                                          "u one | a yes | u two | a no | u 3"));
    /* No reply behind the edit, not to the end, too many edits, another kind. */
    CHECK_STR("3 of 5, 3 of 4",
              aligned(t, "u one | a yes | u two | a no", "u one | a yes | u two | a x | u three"));
    CHECK_STR("0 of 3, 0 of 4",
              aligned(t, "u one | a yes | u two | a no", "u uno | a yes | u two"));
    CHECK_STR("0 of 6, 0 of 6",
              aligned(t, "u 1 | u 2 | u 3 | u 4 | u 5 | a 6", "u a | u b | u c | u d | u e | a 6"));
    CHECK_STR("5 of 5, 5 of 5 all, edited 0=0.0, edited 1=1.0, edited 2=2.0, edited 3=3.0",
              aligned(t, "u 1 | u 2 | u 3 | u 4 | a 6", "u a | u b | u c | u d | a 6"));
    CHECK_STR("0 of 2, 0 of 2", aligned(t, "u 1 | a 2", "u @img:AAAA | a 2"));
}

TEST(G13_G40_an_edit_that_goes_elsewhere_is_none)
{
    CHECK_STR("2 of 3, 2 of 4",
              aligned(t, "u one | a yes | u a  b | a no", "u one | a yes | u a b"));
    CHECK_STR("1 of 4, 1 of 4", /* C9 f */
              aligned(t, "u q1 | a r1 | u q2 | a r2", "u q1 | a r2 | u q2 | a r1"));
}

/* ---- from the middle ---- */

TEST(G38_histories_are_compared_from_the_middle)
{
    CHECK_STR("2 of 3, 4 of 4 all",
              aligned_from(t, "u q1 | a r1 | u q2 | a r2", "u q2 | a r2 | u q3", 0, 2));
    CHECK_STR("3 of 4, 4 of 4 all",
              aligned_from(t, "u q1 | a r1 | u q2 | a r2", "u sum | u q2 | a r2 | u q3", 1, 2));
    CHECK_STR("1 of 1, 2 of 2 all", aligned_from(t, "u q1 | a r1", "u q2", 1, 2));
}
