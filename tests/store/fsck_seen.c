/* Seen rows: fsck compares them with what they are derived from, and repair derives them again. */
#include <string.h>

#include "store/exchange_world.h"
#include "store/fsck_world.h"

/* The session with the key "w1", its branch, and the depth of its first reply. */
enum { W1 = 1, BRANCH = 1, REPLY = 2 };

#define SEES(name)                                                                                 \
    static void sees_##name(struct test *t);                                                       \
    STORE_TEST(fsck_##name)                                                                        \
    {                                                                                              \
        build_exchanges(t);                                                                        \
        CHECK_OK(bough_store_upkeep(t->store, &t->err));                                           \
        sees_##name(t);                                                                            \
    }                                                                                              \
    static void sees_##name(struct test *t)

SEES(I_36_sees_a_reply_that_is_not_found)
{
    drop(t, row_of(t, RAW_SEEN, BRANCH, REPLY, 0));
    expect(t, "I-36", "", "#1");
}

SEES(I_36_sees_a_key_that_leads_to_another_reply)
{
    struct raw_row *r = row_of(t, RAW_SEEN, BRANCH, REPLY, 0);

    r->u.seen.depth += 2;
    put(t, r);
    expect(t, "I-36", "", "#1");
    r->u.seen.bid++;
    put(t, r);
    expect(t, "I-36", "", "#1");
}

SEES(I_36_sees_a_row_that_nothing_explains)
{
    struct raw_row *r = row_of(t, RAW_SEEN, BRANCH, REPLY, 0);

    memset(r->u.seen.key, 7, sizeof r->u.seen.key);
    put(t, r);
    expect(t, "I-36", "", "#1");
    r->u.seen.bid = 70;
    put(t, r);
    expect(t, "I-36", "", "#70.2");
}

SEES(I_36_sees_a_client_key_that_is_not_found)
{
    drop(t, row_of(t, RAW_SEEN, 0, W1, 0));
    expect(t, "I-36", "", "#1");
}

SEES(I_36_sees_what_a_client_key_leads_to)
{
    struct raw_row *r = row_of(t, RAW_SEEN, 0, W1, 0);

    r->u.seen.depth = 70;
    put(t, r);
    expect(t, "I-36", "", "#0.70");
}

SEES(I_04_sees_a_row_from_the_future)
{
    struct raw_row *r = row_of(t, RAW_SEEN, BRANCH, REPLY, 0);

    drop(t, r);
    r->u.seen.no = 100000;
    put(t, r);
    expect(t, "I-04", "", "#1.2");
}

static void forget(struct test *t)
{
    struct raw_row want = { .table = RAW_SEEN }, *r;

    for (int64_t bid = 0; bid < 16; bid++)
        for (int64_t depth = 1; depth < 20; depth++) {
            want.u.seen = (struct seen_row){ .bid = bid, .depth = depth };
            while ((r = row_like(t, &want)))
                CHECK_OK(t->store->e->ops->raw_fix(t->store->e->backend, r, true, &t->err));
        }
}

STORE_TEST(repair_finds_replies_again)
{
    struct bough_store_repair_result report;
    const char *session = build_exchanges(t);
    struct told x;

    CHECK_OK(bough_store_upkeep(t->store, &t->err));
    forget(t);
    CHECK(look(t, BOUGH_FSCK_FULL, false).errors[0]);
    CHECK_OK(bough_store_repair(t->store, BOUGH_FSCK_FULL, NULL, NULL, NULL, &report, &t->err));
    check_clean(t);
    x = ASK(.key = "w1", .sent = "u All of it, in few words | a r2 again | u q4 | a r4 | u q5",
            .reply = "r5");
    CHECK_STR(session, x.session);
    CHECK_STR("append", how_word(&x));
    x = ASK(.sent = "u one | a cut | u two | a r2 | u three", .reply = "r3");
    CHECK_STR("append", how_word(&x));
    CHECK_INT(0, x.begin.variants);
    x = ASK(.previous = "resp_0123456789", .sent = "u from the first reply on", .reply = "r");
    CHECK_STR(session, x.session);
    check_clean(t);
}

STORE_TEST(a_reply_is_found_after_its_call_was_deleted)
{
    struct told x = ASK(.sent = "u q1", .reply = "r1");

    CHECK_OK(bough_call_delete(t->store, x.finish.call, &t->err));
    check_clean(t);
    x = ASK(.sent = "u q1 | a r1 | u q2", .reply = "r2");
    CHECK_STR("append", how_word(&x));
    check_clean(t);
}

STORE_TEST(a_purged_session_leaves_no_keys)
{
    const char *session = build_exchanges(t);
    struct raw_row want = { .table = RAW_SEEN, .u.seen = { .bid = BRANCH, .depth = REPLY } };
    struct told x;

    CHECK_OK(bough_session_purge(t->store, t->arena, session, NULL, &t->err));
    CHECK_OK(bough_store_upkeep(t->store, &t->err));
    CHECK(!row_like(t, &want)); /* also where a fork still shows the entry */
    check_clean(t);
    x = ASK(.key = "w1", .sent = "u q1 | a r1 | u q2", .reply = "r2");
    CHECK(x.begin.made);
    x = ASK(.key = "w2", .sent = "u q1 | a r1 | u of a fork | a of a fork | u more", .reply = "r");
    CHECK_STR("append", how_word(&x));
    check_clean(t);
}
