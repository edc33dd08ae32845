/* Export as Markdown and HTML: readable, and safe whatever the messages contain. */
#include <stdio.h>
#include <stdlib.h>

#include "base/json/json.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "corpus.h"

#define NASTY "</script><script>alert(1)</script><!-- & \\u2028 ]]> ``` ````"

static const char *nasty_session(struct test *t)
{
    const char *s = new_session(t, "A <b>title</b> # with `ticks`\nand lines");
    struct bough_str parts[] = {
        str_of("{\"type\":\"thinking\",\"thinking\":\"hm\\nhm\"}"),
        str_of(
            "{\"type\":\"tool_use\",\"id\":\"c\",\"name\":\"</script>\",\"input\":{\"a\":\"" NASTY
            "\"}}"),
        str_of("{\"type\":\"tool_result\",\"tool_use_id\":\"c\",\"content\":\"" NASTY "\"}")
    };
    struct bough_entry_new e = { .role = BOUGH_ROLE_ASSISTANT, .parts = parts, .nparts = 3 };
    struct bough_append_options in = { .entries = &e, .n = 1 };
    struct bough_append_result out;

    user(t, s, "Say " NASTY);
    CHECK_OK(bough_append(t->store, t->arena, s, &in, &out, &t->err));
    agent(t, s, "Done.");
    CHECK_OK(bough_label_set(t->store, s, out.ids[0], "</script>", &t->err));
    return s;
}

/* The data of the page, from its script element. */
static struct bough_str page_data(struct bough_str page)
{
    const char *from = strstr(page.p, "id=\"data\">"), *to;

    CHECK(from);
    from += strlen("id=\"data\">");
    to = strstr(from, "</script>");
    CHECK(to);
    return str_make(from, (size_t)(to - from));
}

STORE_TEST(P42_a_page_has_the_title_of_its_session)
{
    const char *id = new_session(t, "Caches & <b>keys</b>");

    user(t, id, "x");
    CHECK(strstr(export_text(t, id, "html").p,
                 "<title>Caches &amp; &lt;b&gt;keys&lt;/b&gt;</title>\n"));
}

STORE_TEST(P42_nothing_that_was_said_can_leave_the_data_of_an_html_page)
{
    struct bough_str page = export_text(t, nasty_session(t), "html"), raw = page_data(page);
    struct json data;
    struct bough_str text;
    struct json_iter it;

    CHECK(!memchr(raw.p, '<', raw.n) && !memchr(raw.p, '>', raw.n) && !memchr(raw.p, '&', raw.n));
    CHECK_OK(json_parse(t->arena, raw, &data, &t->err));
    CHECK_INT(3, json_count(json_member(data, "entries")));
    it = json_iter(json_member(data, "entries"));
    CHECK(json_next(&it));
    it = json_iter(json_member(it.value, "parts"));
    CHECK(json_next(&it) && json_str(t->arena, json_member(it.value, "text"), &text));
    CHECK_STR("Say " NASTY, text.p);
    CHECK(!strstr(page.p, "http://") && !strstr(page.p, "https://") && !strstr(page.p, " src=\""));
    CHECK(strstr(page.p, "Content-Security-Policy") && strstr(page.p, "default-src 'none'"));
}

static void becomes_a_page(struct test *t, const char *path)
{
    struct bough_import_file_result in = import_file(t, path);
    struct bough_str page = export_text(t, in.session, "html"), raw = page_data(page);
    struct json data;

    CHECK(!memchr(raw.p, '<', raw.n));
    CHECK_OK(json_parse(t->arena, raw, &data, &t->err));
    CHECK_INT(in.added, json_count(json_member(data, "entries")));
    CHECK(json_cstr(t->arena, data, "head") != NULL);
    CHECK(export_text(t, in.session, "markdown").n > 200);
}

STORE_TEST_SECONDS(P42_every_session_becomes_a_page_with_all_its_entries, 60)
{
    each_file(t,
              FILES("pi/branched.jsonl", "pi/multiturn.jsonl", "claude-code/content.jsonl",
                    "codex/content.jsonl", "opencode/content.json", "ai-sdk/tools.json",
                    "openai-chat/tools.json", "anthropic/tools.json"),
              FILES("pi-1.5.0/sdk-branched.jsonl", "pi-1.5.0/rpc-content.jsonl",
                    "claude-code-2.1.325/content.jsonl", "codex-0.166.0/content.jsonl",
                    "opencode-1.18.33/content.json"),
              becomes_a_page);
}

STORE_TEST(markdown_reads_as_a_conversation_and_no_fence_is_left)
{
    struct bough_str md = export_text(t, nasty_session(t), "markdown");

    CHECK(str_starts(md, "# A \\<b\\>title\\</b\\> \\# with \\`ticks\\` and lines\n"));
    CHECK(strstr(md.p, "## User · "));
    CHECK(strstr(md.p, "> hm\n> hm\n"));
    CHECK(strstr(md.p, "\n`````json\n{\"a\":"));
    CHECK(strstr(md.p, "**Result**\n\n`````\n</script>"));
    CHECK(strstr(md.p, "Done.\n"));
}

STORE_TEST(a_format_for_export_only_cannot_be_imported)
{
    struct bough_import_file_options how = { .format = "html" };
    struct bough_import_file_result in;

    CHECK_RC(BOUGH_INVALID,
             bough_import_file(t->store, t->arena, file_make(t, "x", "{}", 2), &how, &in, &t->err));
    CHECK(!bough_format_detect(str_of("hello")) && !bough_format_detect(str_of("[]")));
}

/* A fence that a text could end would let it write headings and other messages. */
STORE_TEST(no_number_of_backticks_or_tildes_leaves_a_fence_of_markdown)
{
    static const int counts[] = { 3, 199, 200, 300, 5000 };

    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (int both = 0; both < 2; both++) {
            const char *s = new_session(t, "x");
            char *run = arena_zalloc(t->arena, (size_t)counts[i] + 1);
            char *waves = arena_zalloc(t->arena, (size_t)counts[i] + 1);
            struct bough_str part, text;
            struct bough_entry_new e = { .role = BOUGH_ROLE_TOOL, .parts = &part, .nparts = 1 };
            struct bough_append_options in = { .entries = &e, .n = 1 };
            struct bough_append_result out;
            size_t fence;
            const char *p;
            char c;

            memset(run, '`', (size_t)counts[i]);
            memset(waves, '~', both ? (size_t)counts[i] : 0);
            part = str_of(arena_printf(t->arena,
                                       "{\"type\":\"tool_result\",\"tool_use_id\":\"c\","
                                       "\"content\":\"a\\n%s\\n%s\\n# evil\"}",
                                       run, waves));
            CHECK_OK(bough_append(t->store, t->arena, s, &in, &out, &t->err));
            text = export_text(t, s, "markdown");
            p = strstr(text.p, "\na\n");
            CHECK(p);
            while (p > text.p && p[-1] != '\n')
                p--;
            c = *p;
            fence = strspn(p, c == '~' ? "~" : "`");
            CHECK(fence > (size_t)(c == '`' ? counts[i] : both ? counts[i] : 2));
        }
}
