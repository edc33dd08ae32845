/* Where a request belongs on a stored path. */
#include "core/match/place.h"

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "lib/talk.h"

#define ID "toolu_01ABC234567"

static const char *const hows[] = { "none",    "append", "reply",     "sibling", "branch",
                                    "trimmed", "behind", "compacted", "root" };

/* "how at message.part", and of a compaction "window keep". */
static const char *placed(struct test *t, enum place_given given, const char *stored,
                          const char *sent, const char *summary)
{
    struct history x = { 0 }, y = { 0 };
    struct bough_str text = str_of(summary);
    struct place_input in = { &x, &y, given, &text, summary ? 1 : 0 };
    struct place p;
    const char *out;

    x.entries = talk_entries(t, sent, &x.n);
    y.entries = talk_entries(t, stored, &y.n);
    history_units(t->arena, &x, false);
    history_units(t->arena, &y, true);
    place_decide(&in, &p);
    out = arena_printf(t->arena, "%s %zu %zu.%zu", hows[p.how], p.at, p.message, p.part);
    if (p.how == PLACE_COMPACTED)
        out = arena_printf(t->arena, "%s window %zu keep %lld", out, p.window,
                           p.keep == SIZE_MAX ? -1ll : (long long)p.keep);
    return p.nvariants ? arena_printf(t->arena, "%s %zu variants", out, p.nvariants) : out;
}

static const char *by_content(struct test *t, const char *stored, const char *sent)
{
    return placed(t, PLACE_BY_CONTENT, stored, sent, NULL);
}

static const char *by_key(struct test *t, const char *stored, const char *sent)
{
    return placed(t, PLACE_BY_KEY, stored, sent, NULL);
}

TEST(known_then_new_is_appended)
{
    CHECK_STR("append 2 2.0", by_content(t, "u q1 | a r1", "u q1 | a r1 | u q2"));
    CHECK_STR("append 0 0.0", by_key(t, "", "u q1"));
    CHECK_STR("append 2 1.1", by_content(t, "u q1 | a r1", "u q1 | a r1 + more | u q2"));
}

TEST(all_known_is_a_reply_or_another_one)
{
    CHECK_STR("reply 3 3.0", by_content(t, "u q1 | a r1 | u q2", "u q1 | a r1 | u q2"));
    CHECK_STR("sibling 3 3.0", by_content(t, "u q1 | a r1 | u q2 | a r2", "u q1 | a r1 | u q2"));
    CHECK_STR("sibling 1 1.0", by_key(t, "u q1 | a r1", "u q1"));           /* G14 */
    CHECK_STR("append 2 2.0", by_content(t, "u q1 | a r1", "u q1 | a r1")); /* a prefill */
}

TEST(what_differs_is_a_branch_or_a_root)
{
    CHECK_STR("branch 2 2.0",
              by_content(t, "u q1 | a r1 | u q2 | a r2", "u q1 | a r1 | u q2' | a x | u q3"));
    CHECK_STR("root 0 0.0", by_key(t, "u q1 | a r1", "u q1'")); /* G12 */
    CHECK_STR("root 0 0.0", by_key(t, "u q1 | a r1", "u x | a y | u z"));
    CHECK_STR("none 2 0.0", by_content(t, "u q1 | a r1", "u q1"));
    CHECK_STR("none 2 0.0", by_content(t, "u q1 | a r1", "u x | a y | u z"));
    CHECK_STR("branch 1 1.0", by_key(t, "u q1 | a r1 | u q2 | a r2", "u q1 | a r2 | u q2 | a r1"));
}

TEST(G37_only_an_explicit_session_takes_only_new_messages)
{
    CHECK_STR("behind 2 0.0", placed(t, PLACE_EXPLICIT, "u q1 | a r1", "u q2", NULL));
    CHECK_STR("root 0 0.0", placed(t, PLACE_EXPLICIT, "u q1 | a r1", "u x | a y | u q2", NULL));
}

TEST(G38_a_trimmed_history_is_appended)
{
    CHECK_STR("trimmed 4 2.0", by_content(t, "u q1 | a r1 | u q2 | a r2", "u q2 | a r2 | u q3"));
    CHECK_STR("trimmed 4 1.0", by_key(t, "u q1 | a r1 | u q2 | a r2", "a r2 | u q3"));
    CHECK_STR("none 3 0.0", by_content(t, "u q1 | a r1 | u q2", "u q2")); /* no reply among it */
}

TEST(G19_a_message_without_units_is_stored_once)
{
    static const char soft[] = "u <system-reminder>x</system-reminder>";
    const char *sent = arena_printf(t->arena, "u q1 | a r1 | %s", soft);

    CHECK_STR("append 2 2.0", by_content(t, "u q1 | a r1", sent));
    CHECK_STR("append 3 3.0", by_content(t, sent, sent));
    CHECK_STR("append 3 2.0", by_content(t, sent, "u q1 | a r1 | u q2"));
}

TEST(G32_G35_a_summary_and_a_kept_run_are_a_compaction)
{
    CHECK_STR("compacted 4 2.0 window 1 keep 3",
              by_key(t, "u q1 | a r1 | u q2 | a r2", "u summary of it | a r2 | u q3"));
    CHECK_STR("compacted 4 3.0 window 1 keep 2",
              by_content(t, "u q1 | a r1 | a @call:" ID ":ls:{} | u @res:" ID ":x",
                         "u summary of it | a @call:" ID ":ls:{} | u @res:" ID ":x | u q3"));
    /* The kept run must reach the end, hold more than the user's texts, and follow an unknown text.
     */
    CHECK_STR("root 0 0.0",
              by_key(t, "u q1 | a r1 | u q2 | a r2", "u summary of it | a r1 | u q3"));
    CHECK_STR("root 0 0.0", by_key(t, "u q1 | a r1 | u q2", "u summary of it | u q2 | u q3"));
}

TEST(G33_G34_a_text_that_holds_the_summary_is_a_compaction)
{
    static const char summary[] = "## Goal\nKeep a record of the work so far.\n- short\n"
                                  "There were eight messages about pears.\n";
    const char *held = arena_printf(t->arena, "Go on from here.\n\n%s\nThat was all.", summary);

    CHECK_STR("compacted 4 3.0 window 3 keep -1",
              placed(t, PLACE_BY_KEY, "u q1 | a r1 | u q2 | a r2",
                     arena_printf(t->arena, "u q1 | u q2 | u %s | u q3", held), summary));
    CHECK_STR("compacted 4 2.0 window 2 keep -1",
              placed(t, PLACE_BY_KEY, "u q1 | a r1 | u q2 | a r2",
                     arena_printf(t->arena, "u What was done? | a %s | u q3", held), summary));
    CHECK_STR("branch 1 1.0", placed(t, PLACE_BY_KEY, "u q1 | a r1 | u q2 | a r2",
                                     "u q1 | u q2 | u Keep a record | u q3", summary));
    CHECK(place_holds_summary(str_of("x line number one y"), str_of("line number one\n")));
    CHECK(!place_holds_summary(str_of("short"), str_of("short\nlines\n")));
}

TEST(variants_come_with_the_place)
{
    CHECK_STR("append 2 2.0 1 variants",
              by_content(t, "u q1 | a @call:" ID ":ls:{}",
                         "u q1 | a @call:" ID ":ls:{\"x\":1} | u @res:" ID ":y"));
}
