/* Contexts for providers of every session that the real tools wrote, cut after every part: no
 * provider refuses one. Sessions of tests/data, and of the corpora if they are here. */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/context/context.h"
#include "corpus.h"
#include "lib/strict.h"

static const char *const dialects[] = { "openai-chat", "openai-responses", "anthropic", "gemini" };

static void check_context(struct test *t, const char *file, struct context_input *in, size_t n,
                          size_t parts)
{
    struct bough_arena *a = bough_arena_create();
    struct bough_context_result c;
    const char *why;

    for (size_t d = 0; d < 2 * sizeof dialects / sizeof *dialects; d++) {
        in->dialect = dialects[d / 2];
        in->trailing = d % 2;
        bough_arena_reset(a);
        CHECK_OK(context_build(a, in, &c, &t->err));
        why = strict_check(a, in->dialect, &c, in->trailing);
        if (why)
            FAIL("%s, cut after part %zu of entry %zu, %s: %s", file, parts, n, in->dialect, why);
    }
    bough_arena_destroy(a);
}

/* The path of the session, up to every part. */
static void check_path(struct test *t, const char *file, const char *session)
{
    struct bough_entries_read_options how = { .what = BOUGH_ENTRIES_SINCE_MARKER,
                                              .inherit = true,
                                              .deleted = true };
    struct bough_arena *a = bough_arena_create();
    struct bough_entries_read_result path;
    struct context_input in = { .n = 0 };

    CHECK_OK(bough_entries_read(t->store, a, session, &how, &path, &t->err));
    in.entries = path.entries.at;
    in.marker = path.marker;
    for (size_t i = 0; i < path.entries.n; i++) {
        struct bough_entry *last = &path.entries.at[i];
        size_t parts = last->nparts;

        in.n = i + 1;
        for (last->nparts = parts ? 1 : 0; last->nparts <= parts; last->nparts++)
            check_context(t, file, &in, i, last->nparts);
        last->nparts = parts;
    }
    bough_arena_destroy(a);
}

static size_t check_file(struct test *t, const char *file)
{
    struct bough_session_list_options all = { .include_deleted = true };
    struct bough_import_file_result in;
    struct bough_sessions list;

    CHECK_OK(bough_store_open(&t->store, "memory:", NULL, &t->err));
    if (import_rc(t, file, &in) != BOUGH_OK) {
        bough_store_close(&t->store);
        return 0;
    }
    CHECK_OK(bough_session_list(t->store, t->arena, &all, &list, &t->err));
    for (size_t i = 0; i < list.n; i++) {
        struct bough_context_options how = { .trailing = true };
        struct bough_context_result c;

        check_path(t, file, list.at[i].id);
        for (size_t d = 0; d < sizeof dialects / sizeof *dialects; d++) {
            const char *why;

            how.dialect = dialects[d];
            CHECK_OK(bough_context(t->store, t->arena, list.at[i].id, &how, &c, &t->err));
            why = strict_check(t->arena, dialects[d], &c, true);
            if (why)
                FAIL("%s, from the store, %s: %s", file, dialects[d], why);
        }
    }
    bough_store_close(&t->store);
    bough_arena_reset(t->arena);
    return list.n;
}

static size_t check_all(struct test *t, const char *root, const char *const *patterns)
{
    size_t n = 0;
    glob_t found;
    char pattern[512];

    for (; *patterns; patterns++) {
        snprintf(pattern, sizeof pattern, "%s/%s", root, *patterns);
        if (glob(pattern, 0, NULL, &found) == 0)
            for (size_t i = 0; i < found.gl_pathc; i++)
                n += check_file(t, found.gl_pathv[i]);
        globfree(&found);
    }
    return n;
}

TEST_SECONDS(no_provider_refuses_a_session_of_a_real_tool_cut_after_any_part, 600)
{
    static const char *const ours[] = { "*/*.json", "*/*.jsonl", NULL };
    static const char *const theirs[] = {
        "pi-*/*.jsonl",    "claude-code-*/*.jsonl",
        "codex-*/*.jsonl", "opencode-*/*.json",
        "ai-*/*.json",     "opencode-1.1.65/storage/session/*/*.json",
        "opencode-*/*.db", NULL
    };
    const char *root = getenv("BOUGH_CORPORA");

    CHECK(check_all(t, "tests/data", ours) > 20);
    if (corpora_here())
        CHECK(check_all(t, root ? root : "../shared/corpora", theirs) > 50);
}
