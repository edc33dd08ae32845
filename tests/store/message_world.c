/* Helpers for tests of open messages. */
#include "message_world.h"
#include "base/text/str.h"

struct bough_writing open_message(struct test *t, const char *session, int64_t lease_ms)
{
    struct bough_entry_new entry = { .role = BOUGH_ROLE_ASSISTANT,
                                     .data = str_of("{\"agent\":\"a\"}") };
    struct bough_message_open_options in = { .entry = &entry, .owner = "me", .lease_ms = lease_ms };
    struct bough_message_open_result out;

    CHECK_OK(bough_message_open(t->store, t->arena, session, &in, &out, &t->err));
    CHECK_INT(0, out.last);
    return out.writing;
}

enum bough_rc step(struct test *t, const struct bough_writing *w, int64_t number,
                   enum bough_step_kind kind, size_t part, const char *bytes)
{
    struct bough_step s = { .kind = kind, .part = part, .bytes = str_of(bytes) };
    struct bough_message_step_result out;

    return bough_message_step(t->store, w, number, &s, 1, &out, &t->err);
}

void say(struct test *t, const struct bough_writing *w, const char *bytes)
{
    CHECK_OK(step(t, w, 0, BOUGH_STEP_TEXT, 0, bytes));
}

struct bough_writing begin_text(struct test *t, const char *session)
{
    struct bough_writing w = open_message(t, session, 0);

    CHECK_OK(step(t, &w, 1, BOUGH_STEP_PART, 0, TEXT_PART));
    return w;
}

struct bough_message_step_result flush_steps(struct test *t, const struct bough_writing *w)
{
    struct bough_message_step_result out;

    CHECK_OK(bough_message_flush(t->store, w, &out, &t->err));
    return out;
}

struct bough_entry *seal(struct test *t, const struct bough_writing *w)
{
    struct bough_entry *e;

    CHECK_OK(bough_message_seal(t->store, t->arena, w, NULL, &e, &t->err));
    return e;
}

struct bough_entry *entry_at(struct test *t, const char *id)
{
    struct bough_entry *e;

    CHECK_OK(bough_entry_get(t->store, t->arena, NULL, id, &e, &t->err));
    return e;
}

struct bough_message_follow_result follow(struct test *t, const char *id, int64_t offset)
{
    struct bough_message_follow_result f;

    CHECK_OK(bough_message_follow(t->store, t->arena, id, offset, 0, &f, &t->err));
    return f;
}
