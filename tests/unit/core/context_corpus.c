/* The pi dialect compared with pi: with files of our own (tests/data), and with the real pi 1.5.0
 * for every file of the corpora (P21-P25). */
#include "pi_corpus.h"

#include <stdio.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/context/context.h"

static const char *origin_of(const struct bough_entry *path, size_t n, const char *id)
{
    size_t i;

    for (i = 0; i < n; i++) {
        if (cstr_eq(path[i].id, id))
            return path[i].origin;
    }
    return "?";
}

/* Compare the entry id and role of every message, in order. */
static void check_sources(struct test *t, const char *file, const struct bough_context_result *got,
                          const struct bough_entry *path, size_t n, struct json want, bool ids)
{
    struct json_iter it = json_iter(want), have;
    struct json messages;
    size_t i;

    CHECK_OK(json_parse(t->arena, got->messages, &messages, &t->err));
    have = json_iter(messages);
    if (json_count(want) != got->count || json_count(messages) != got->count)
        FAIL("%s: %u messages, not %zu", file, json_count(want), got->count);
    for (i = 0; json_next(&it) && json_next(&have); i++) {
        struct json_iter pair = json_iter(it.value);
        struct bough_str id, role;

        json_next(&pair);
        json_str(t->arena, pair.value, &id);
        json_next(&pair);
        json_str(t->arena, pair.value, &role);
        if (ids && !str_is(id, origin_of(path, n, got->sources[i])))
            FAIL("%s: message %zu is of %s, not %s", file, i, origin_of(path, n, got->sources[i]),
                 id.p);
        if (!json_is(json_member(have.value, "role"), role.p))
            FAIL("%s: message %zu is not of role %s", file, i, role.p);
    }
}

static void check_leaf(struct test *t, const char *file, const struct pi_file *f, struct json want)
{
    const char *leaf = json_cstr(t->arena, want, "leaf");
    const char *sum = json_cstr(t->arena, want, "sha256");
    struct json model = json_member(want, "model");
    struct context_input in = { .dialect = "pi" };
    struct bough_context_result got;
    bool ids = true;
    char hash[65];

    in.entries = pi_corpus_path(t, f, leaf, &in.n);
    if (!in.n) { /* pi invents ids for version 1 files, so only the last entry can be the leaf */
        ids = false;
        in.entries = pi_corpus_path(t, f, f->at[f->n - 1].origin, &in.n);
    }
    CHECK_OK(context_build(t->arena, &in, &got, &t->err));
    check_sources(t, file, &got, in.entries, in.n, json_member(want, "sources"), ids);
    CHECK_STR(json_cstr(t->arena, want, "thinkingLevel"), got.thinking_level);
    if (json_type(model) == JSON_OBJECT) {
        CHECK_STR(json_cstr(t->arena, model, "provider"), got.model_provider);
        CHECK_STR(json_cstr(t->arena, model, "modelId"), got.model_name);
    } else {
        CHECK_STR("", got.model_name);
    }
    pi_corpus_hash(got.messages, hash);
    if (sum && strcmp(sum, hash) != 0)
        FAIL("%s: other messages at %s: %.*s", file, leaf, (int)got.messages.n, got.messages.p);
}

static size_t check_file(struct test *t, const char *file, struct json want)
{
    struct json_iter it = json_iter(json_member(want, "leaves"));
    struct pi_file f;
    size_t n = 0;

    if (!json_count(json_member(want, "leaves")))
        return 0;
    f = pi_corpus_read(t, file);
    for (; json_next(&it); n++)
        check_leaf(t, file, &f, it.value);
    return n;
}

static void check_folder(struct test *t, const char *dir, const char *expected, size_t files,
                         size_t leaves)
{
    size_t n = 0, nfiles = 0, nleaves = 0;
    const char *end, *text = corpus_text(t, arena_printf(t->arena, "%s/%s", dir, expected), &n);
    struct json j;

    if (!text)
        SKIP("the corpora are not here; BOUGH_CORPORA says where they are");
    for (; n; n -= (size_t)(end + 1 - text), text = end + 1, nfiles++) {
        end = memchr(text, '\n', n);
        if (!end)
            FAIL("%s: the last line has no end", dir);
        CHECK_OK(json_parse(t->arena, str_make(text, (size_t)(end - text)), &j, &t->err));
        nleaves +=
            check_file(t, arena_printf(t->arena, "%s/%s", dir, json_cstr(t->arena, j, "file")), j);
    }
    CHECK_INT(files, nfiles);
    CHECK_INT(leaves, nleaves);
}

static void check_release(struct test *t, const char *dir, size_t files, size_t leaves)
{
    check_folder(t, dir, "expected-by-1.5.0.ndjson", files, leaves);
}

TEST(files_of_every_version_of_pi_give_the_contexts_pi_gives)
{
    check_folder(t, "tests/data/pi", "expected.ndjson", 6, 7);
}

TEST(files_of_pi_0_30_give_the_contexts_pi_1_5_gives)
{
    check_release(t, "pi-0.30.2", 7, 7);
}

TEST(files_of_pi_0_73_give_the_contexts_pi_1_5_gives)
{
    check_release(t, "pi-0.73.1", 10, 48);
}

TEST(files_of_pi_1_5_give_the_contexts_pi_1_5_gives)
{
    check_release(t, "pi-1.5.0", 5, 5);
}

TEST(damaged_files_give_the_contexts_pi_1_5_gives)
{
    size_t n = 0, leaves = 0;
    const char *text = corpus_text(t, "pi-damaged/expected.json", &n);
    struct json_iter it;
    struct json root;

    if (!text)
        SKIP("the corpora are not here; BOUGH_CORPORA says where they are");
    CHECK_OK(json_parse(t->arena, str_make(text, n), &root, &t->err));
    for (it = json_iter(root); json_next(&it);) {
        struct bough_str name;

        json_str(t->arena, it.key, &name);
        leaves += check_file(t, arena_printf(t->arena, "pi-damaged/%s.jsonl", name.p),
                             json_member(it.value, "1.5.0"));
    }
    CHECK_INT(32, leaves);
}
