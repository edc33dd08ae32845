/* From one tool to another: the file of another tool says what the session says, and an export that
 * comes back is recognised. */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>

#include <bough/context.h>

#include "base/json/json.h"
#include "base/memory/arena.h"
#include "base/memory/buf.h"
#include "base/text/str.h"
#include "core/model/text.h"
#include "corpus.h"
#include "lib/strict.h"

static const char *const targets[] = { "pi",          "claude-code",      "codex",     "opencode",
                                       "openai-chat", "openai-responses", "anthropic", "ai-sdk" };
enum { TARGETS = sizeof targets / sizeof *targets };

static const char *file_name(const char *format)
{
    return str_ends(str_of(format), "code") || strcmp(format, "codex") == 0 ||
                   strcmp(format, "pi") == 0
               ? "crossed.jsonl"
               : "crossed.json";
}

static const char *write_file(struct test *t, const char *session, const char *format)
{
    struct bough_str out = export_text(t, session, format);

    return file_make(t, strcmp(format, "opencode") == 0 ? "crossed.json" : file_name(format), out.p,
                     out.n);
}

/* ---- what a session says to a model ---- */

/* Without white space, and without the words around a summary. */
static void put_squeezed(struct buf *b, struct bough_str text)
{
    static const char before[] = "This summary replaces the earlier messages of the conversation:";

    for (size_t i = 0; i < text.n; i++) {
        struct bough_str rest = str_make(text.p + i, text.n - i);

        if (str_starts(rest, before))
            i += sizeof before - 2;
        else if (str_starts(rest, "<summary>"))
            i += strlen("<summary>") - 1;
        else if (str_starts(rest, "</summary>"))
            i += strlen("</summary>") - 1;
        else if (!strchr(" \t\r\n", text.p[i]))
            buf_putc(b, text.p[i]);
    }
}

static void put_content(struct test *t, struct buf *b, struct json content)
{
    struct json_iter it = json_iter(content);
    struct bough_str text;

    if (json_str(t->arena, content, &text)) {
        put_squeezed(b, text);
        return;
    }
    while (json_type(content) == JSON_ARRAY && json_next(&it)) {
        if (json_str(t->arena, json_member(it.value, "text"), &text))
            put_squeezed(b, text);
        else
            put_squeezed(b, json_raw(it.value));
    }
}

static void put_calls(struct test *t, struct buf *b, struct json calls)
{
    struct json_iter it = json_iter(calls);

    while (json_type(calls) == JSON_ARRAY && json_next(&it)) {
        struct json f = json_member(it.value, "function"), arguments;
        struct bough_str text = { "", 0 };

        buf_printf(b, "\ncall %s ", json_cstr(t->arena, f, "name"));
        json_str(t->arena, json_member(f, "arguments"), &text);
        CHECK_OK(json_parse(t->arena, text, &arguments, &t->err));
        json_canon(b, arguments);
    }
}

/* The conversation in OpenAI's form, one line a speaker, without ids and system texts. */
static const char *said(struct test *t, const char *session)
{
    struct bough_context_options how = { .dialect = "openai-chat", .trailing = true };
    struct bough_context_result c;
    const char *before = "", *out;
    struct json_iter it;
    struct json list;
    struct buf b;

    CHECK_OK(bough_context(t->store, t->arena, session, &how, &c, &t->err));
    CHECK_OK(json_parse(t->arena, c.messages, &list, &t->err));
    buf_init(&b, 64 << 20);
    for (it = json_iter(list); json_next(&it);) {
        const char *role = json_cstr(t->arena, it.value, "role");

        if (strcmp(role, "system") == 0 || strcmp(role, "developer") == 0 ||
            json_is(json_member(it.value, "content"), "(continued)"))
            continue;
        if (strcmp(role, before) != 0 || strcmp(role, "tool") == 0)
            buf_printf(&b, "\n%s: ", role);
        before = role;
        put_content(t, &b, json_member(it.value, "content"));
        put_calls(t, &b, json_member(it.value, "tool_calls"));
    }
    out = arena_strdup(t->arena, b.p);
    buf_finish(&b);
    return out;
}

/* ---- crossing ---- */

/* A list of an API is what its provider takes. */
static void check_list(struct test *t, const char *file, const char *session, const char *format)
{
    struct bough_str out = export_text(t, session, format);
    struct bough_context_result c = { .messages = text_trim(out) };
    struct json j, list;
    const char *why;

    if (strcmp(format, "ai-sdk") == 0)
        return;
    CHECK_OK(json_parse(t->arena, c.messages, &j, &t->err));
    if (json_type(j) == JSON_OBJECT) {
        list = json_member(j, strcmp(format, "openai-responses") == 0 ? "input" : "messages");
        c.messages = json_raw(list);
        c.count = json_count(list);
    } else {
        c.count = json_count(j);
    }
    why = strict_check(t->arena, format, &c, true);
    if (why)
        FAIL("%s in the form of %s: %s", file, format, why);
}

/* The same conversation read from a file of that format, in a store that knows nothing of it. */
static void check_crossing(struct test *t, const char *file, const char *session, const char *want,
                           const char *format)
{
    const char *path = write_file(t, session, format), *got;
    struct bough_store *store = t->store;
    struct bough_import_file_result in;

    CHECK_OK(bough_store_open(&t->store, "memory:", NULL, &t->err));
    in = import_file(t, path);
    /* A list of texts looks alike in two APIs. */
    if (strcmp(in.format, format) != 0 && strcmp(format, "anthropic") != 0)
        FAIL("%s in the form of %s is taken for %s", file, format, in.format);
    got = said(t, in.session);
    if (strcmp(want, got) != 0)
        FAIL("%s in the form of %s says%s\n\nnot%s", file, format, got, want);
    store_check(t, t->store);
    bough_store_close(&t->store);
    t->store = store;
}

static void check_session(struct test *t, const char *file, const char *format, const char *session)
{
    struct bough_session *s = get(t, session);
    const char *want = said(t, session);
    struct bough_totals own = s->own;
    int64_t messages = s->messages;
    struct bough_entry *marker;

    if (!*want)
        return;
    CHECK_OK(bough_marker_latest(t->store, t->arena, session, true, &marker, &t->err));
    for (size_t i = 0; i < TARGETS; i++) {
        struct bough_import_file_result in;
        bool list = i >= 4; /* it has no place for ids of a store or for compactions */

        if (strcmp(targets[i], format) == 0 || (list && marker))
            continue;
        check_crossing(t, file, session, want, targets[i]);
        if (list) {
            check_list(t, file, session, targets[i]);
            continue;
        }
        in = import_file(t, write_file(t, session, targets[i]));
        s = get(t, session);
        if (in.added || strcmp(in.session, s->id) != 0 || s->messages != messages ||
            s->own.output != own.output || s->own.cost != own.cost)
            FAIL("%s as %s came back as something else: %lld added to %s", file, targets[i],
                 (long long)in.added, in.session);
    }
}

static size_t check_file(struct test *t, const char *file)
{
    struct bough_session_list_options all = { .limit = 100 };
    struct bough_import_file_result in;
    struct bough_sessions list;

    CHECK_OK(bough_store_open(&t->store, "memory:", NULL, &t->err));
    if (import_rc(t, file, &in) != BOUGH_OK) {
        bough_store_close(&t->store);
        return 0;
    }
    CHECK_OK(bough_session_list(t->store, t->arena, &all, &list, &t->err));
    for (size_t i = 0; i < list.n; i++)
        if (!*list.at[i].fork_entry)
            check_session(t, file, in.format, list.at[i].id);
    store_check(t, t->store);
    bough_store_close(&t->store);
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

TEST_SECONDS(a_file_of_another_tool_says_what_the_session_says_and_is_known_when_it_comes_back, 300)
{
    static const char *const ours[] = { "*/*.json", "*/*.jsonl", NULL };

    CHECK(check_all(t, "tests/data", ours) > 20);
}

TEST_SECONDS(sessions_of_the_real_tools_cross_into_every_other_one, 900)
{
    static const char *const theirs[] = { "pi-*/*.jsonl",    "claude-code-*/*.jsonl",
                                          "codex-*/*.jsonl", "opencode-*/*.json",
                                          "ai-*/*.json",     NULL };
    const char *root = getenv("BOUGH_CORPORA");

    if (!corpora_here())
        SKIP("the corpora are not here; BOUGH_CORPORA says where they are");
    CHECK(check_all(t, root ? root : "../shared/corpora", theirs) > 40);
}
