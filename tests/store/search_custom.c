/* Custom messages: their content is in data, and they are found unless they are hidden. */
#include "lib/store_test.h"

#include <string.h>

#include "base/text/str.h"

static size_t hits(struct test *t, const char *query)
{
    struct bough_search_options in = { .query = query, .wait_ms = 60000 };
    struct bough_hits out;

    CHECK_OK(bough_search(t->store, t->arena, &in, &out, &t->err));
    return out.n;
}

static void custom(struct test *t, const char *session, const char *data)
{
    struct bough_entry_new e = { .kind = BOUGH_ENTRY_CUSTOM_MESSAGE, .data = str_of(data) };
    struct bough_append_options in = { .entries = &e, .n = 1 };
    struct bough_append_result out;

    CHECK_OK(bough_append(t->store, t->arena, session, &in, &out, &t->err));
}

STORE_TEST(a_custom_message_is_found_by_its_content_unless_it_is_hidden)
{
    const char *session = new_session(t, NULL);

    custom(t, session, "{\"customType\":\"note\",\"content\":\"a walrus\",\"display\":true}");
    custom(t, session,
           "{\"customType\":\"note\",\"content\":[{\"type\":\"text\",\"text\":\"a puffin\"}]}");
    custom(t, session, "{\"customType\":\"note\",\"content\":\"a narwhal\",\"display\":false}");
    CHECK_INT(1, hits(t, "walrus"));
    CHECK_INT(1, hits(t, "puffin"));
    CHECK_INT(0, hits(t, "narwhal"));
    CHECK_INT(0, hits(t, "note"));
    CHECK_OK(bough_session_purge(t->store, t->arena, session, NULL, &t->err));
    CHECK_INT(0, hits(t, "walrus"));
}
