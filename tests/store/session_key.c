/* Idempotency keys of new sessions. */
#include "lib/store_test.h"

static enum bough_rc create(struct test *t, const char *key, const char *title,
                            struct bough_session **out)
{
    struct bough_session_create_options in = { .title = title, .slug = "taken", .key = key };

    return bough_session_create(t->store, t->arena, &in, out, &t->err);
}

static size_t sessions(struct test *t)
{
    struct bough_sessions all;

    CHECK_OK(bough_session_list(t->store, t->arena, NULL, &all, &t->err));
    return all.n;
}

STORE_TEST(a_session_is_created_once_for_a_key_and_given_back_as_it_is_now)
{
    struct bough_session *one, *again;

    CHECK_OK(create(t, "k", "x", &one));
    CHECK_OK(bough_session_rename(t->store, one->id, "renamed", &t->err));
    CHECK_OK(create(t, "k", "x", &again));
    CHECK_STR(one->id, again->id);
    CHECK_STR("renamed", again->title);
    CHECK_INT(1, (int)sessions(t));
    CHECK_RC(BOUGH_KEY_CONFLICT, create(t, "k", "y", &again));
    CHECK_RC(BOUGH_EXISTS, create(t, "other", "x", &again)); /* its slug */
    CHECK_RC(BOUGH_EXISTS, create(t, NULL, "x", &again));
}

STORE_TEST(the_key_of_a_session_is_of_its_principal_and_ends_after_a_week)
{
    struct bough_session_create_options in = { .title = "x", .key = "k" };
    struct bough_store *bob =
        bough_store_scoped(t->store, &(struct bough_store_scoped_options){ .principal = "bob" });
    struct bough_session *one, *other, *later;

    CHECK_OK(bough_session_create(t->store, t->arena, &in, &one, &t->err));
    CHECK_OK(bough_session_create(bob, t->arena, &in, &other, &t->err));
    CHECK(strcmp(one->id, other->id) != 0);
    test_later(t, INT64_C(7) * 24 * 3600 * 1000 + 1);
    CHECK_OK(bough_session_create(t->store, t->arena, &in, &later, &t->err));
    CHECK(strcmp(one->id, later->id) != 0);
    bough_store_close(&bob);
}

STORE_TEST(a_key_whose_session_was_purged_is_gone_and_a_failure_stores_none)
{
    struct bough_session *one, *again;

    CHECK_OK(create(t, "k", "x", &one));
    CHECK_RC(BOUGH_EXISTS, create(t, "fails", "x", &again));
    CHECK_OK(bough_session_purge(t->store, t->arena, one->id, NULL, &t->err));
    CHECK_RC(BOUGH_GONE, create(t, "k", "x", &again));
    CHECK_OK(create(t, "fails", "another", &again));
}

STORE_TEST(the_key_of_a_session_does_not_meet_the_key_of_an_append)
{
    struct bough_entry_new e = { .role = BOUGH_ROLE_USER, .text = "x" };
    struct bough_append_options in = { .entries = &e, .n = 1, .key = "k" };
    struct bough_append_result out;
    struct bough_session *one;

    CHECK_OK(create(t, "k", "x", &one));
    CHECK_OK(bough_append(t->store, t->arena, one->id, &in, &out, &t->err));
    CHECK(!out.replayed);
    CHECK_OK(bough_append(t->store, t->arena, one->id, &in, &out, &t->err));
    CHECK(out.replayed);
}

STORE_TEST(a_fork_is_made_once_for_a_key_by_reference_and_as_a_copy)
{
    const char *s = new_session(t, "x");
    struct bough_session_fork_options how = { .title = "f", .key = "k" };
    struct bough_session *one, *again;

    add(t, s, BOUGH_ROLE_USER, "hello");
    for (int copy = 0; copy < 2; copy++) {
        how.copy = copy;
        how.key = copy ? "copied" : "k";
        CHECK_OK(bough_session_fork(t->store, t->arena, s, &how, &one, &t->err));
        CHECK_OK(bough_session_fork(t->store, t->arena, s, &how, &again, &t->err));
        CHECK_STR(one->id, again->id);
    }
    how.copy = false;
    CHECK_RC(BOUGH_KEY_CONFLICT, bough_session_fork(t->store, t->arena, s, &how, &one, &t->err));
    CHECK_INT(3, (int)sessions(t));
}
