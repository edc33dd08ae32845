/* Uploads are first read in a child process. */
#include "transfer/sources/rehearse.h"

#include <string.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "corpus.h"
#include "databases.h"

static const char pi_text[] =
    "{\"type\":\"session\",\"version\":3,\"id\":\"s\",\"timestamp\":\"2026-01-02T03:04:05Z\"}\n"
    "{\"type\":\"message\",\"id\":\"a\",\"parentId\":null,\"message\":{\"role\":\"user\","
    "\"content\":\"x\"}}";

TEST(a_file_that_can_be_read_passes_in_every_format)
{
    static const char *const texts[] = {
        pi_text,
        "[{\"role\":\"user\",\"content\":\"hello\"}]",
        "{\"info\":{\"id\":\"ses_1\"},\"messages\":[]}",
        "nothing that is known",
        "",
    };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const char *path = file_make(t, "f", texts[i], strlen(texts[i]));

        CHECK_OK(rehearse(path, NULL, &rehearse_limits, NULL, &t->err));
        CHECK_OK(rehearse(path, "pi", &rehearse_limits, NULL, &t->err));
        CHECK_OK(rehearse(path, "openai-chat", &rehearse_limits, NULL, &t->err));
    }
    CHECK_OK(rehearse(db_make(t, "s.db", hygge_schema, ""), NULL, &rehearse_limits, NULL, &t->err));
}

/* One line that is larger than what the process could have free already. The sanitizers have an
 * allocator of their own, which does not always survive a refusal. */
TEST(a_file_that_takes_too_much_memory_ends_only_the_child)
{
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
    SKIP("a sanitizer's allocator ends in its own way");
#else
    static const struct confined_limits small = { .memory = 4 << 20, .cpu_s = 60 };
    static const char begin[] = "{\"type\":\"session\",\"id\":\"s\"";
    const char *path = file_make(t, "f", begin, sizeof begin - 1);

    CHECK_INT(0, truncate(path, (off_t)1 << 30));
    CHECK_RC(BOUGH_TOO_LARGE, rehearse(path, "pi", &small, NULL, &t->err));
#endif
}

TEST(a_caller_that_left_ends_the_reading)
{
    const bool gone = true;

    CHECK_RC(BOUGH_TIMEOUT,
             rehearse(file_make(t, "f", "x", 1), NULL, &rehearse_limits, &gone, &t->err));
}
