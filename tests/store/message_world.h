/* Helpers for tests of open messages. */
#ifndef MESSAGE_WORLD_H
#define MESSAGE_WORLD_H

#include "lib/store_test.h"

#define TEXT_PART "{\"type\":\"text\",\"text\":\"\"}"

/* Open a message with owner "me". lease_ms 0: the default. */
struct bough_writing open_message(struct test *t, const char *session, int64_t lease_ms);
enum bough_rc step(struct test *t, const struct bough_writing *w, int64_t number,
                   enum bough_step_kind kind, size_t part, const char *bytes);
void say(struct test *t, const struct bough_writing *w, const char *bytes);
struct bough_writing begin_text(struct test *t, const char *session);
struct bough_message_step_result flush_steps(struct test *t, const struct bough_writing *w);
struct bough_entry *seal(struct test *t, const struct bough_writing *w);
struct bough_entry *entry_at(struct test *t, const char *id);
struct bough_message_follow_result follow(struct test *t, const char *id, int64_t offset);

#endif
