/* Export as Markdown and HTML: readable, and safe whatever the messages contain. */
#include <stdio.h>
#include <stdlib.h>

#include "base/hash/sha256.h"
#include "base/json/json.h"
#include "base/memory/arena.h"
#include "base/memory/buf.h"
#include "base/text/base64.h"
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

/* The lines of the page's script elements for data, which begin with `tag`, in a row. */
static struct bough_str page_lines(struct test *t, struct bough_str page, const char *tag)
{
    const char *at = page.p, *end;
    struct buf out;
    struct bough_str lines;

    buf_init(&out, 16 << 20);
    while ((at = strstr(at, tag)) != NULL) {
        at += strlen(tag);
        CHECK(*at == '\n');
        end = strstr(at, "</script>");
        CHECK(end);
        buf_put(&out, at + 1, (size_t)(end - at - 1));
        at = end;
    }
    lines = str_make(arena_strndup(t->arena, out.p ? out.p : "", out.n), out.n);
    buf_finish(&out);
    return lines;
}

#define CHUNK_TAG "<script type=\"text/plain\" class=\"chunk\">"
#define SESSION_TAG "<script type=\"application/json\" id=\"session\">"
#define END_TAG "<script type=\"application/json\" id=\"end\">"

/* Parse the next line, and move behind it. */
static struct json next_json(struct test *t, struct bough_str *lines)
{
    const char *end = memchr(lines->p, '\n', lines->n);
    struct json j;

    CHECK(end);
    CHECK_OK(json_parse(t->arena, str_make(lines->p, (size_t)(end - lines->p)), &j, &t->err));
    *lines = str_make(end + 1, lines->n - (size_t)(end + 1 - lines->p));
    return j;
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
    struct bough_str page = export_text(t, nasty_session(t), "html"),
                     raw = page_lines(t, page, CHUNK_TAG), nodes;
    struct json content;

    CHECK(!memchr(raw.p, '<', raw.n) && !memchr(raw.p, '>', raw.n) && !memchr(raw.p, '&', raw.n));
    (void)next_json(t, &raw);
    content = next_json(t, &raw);
    nodes = json_raw(json_member(content, "parts"));
    CHECK(strstr(nodes.p, "Say \\u003c/script\\u003e\\u003cscript\\u003ealert(1)"));
    for (int i = 0; i < 4; i++)
        (void)next_json(t, &raw);
    CHECK_INT(0, raw.n);
    CHECK(!strstr(page.p, "http://") && !strstr(page.p, "https://") && !strstr(page.p, " src=\""));
}

/* The hash of the policy for the text between two tags of the page. */
static const char *hash_of(struct test *t, struct bough_str page, const char *from, const char *to)
{
    const char *at = strstr(page.p, from), *end;
    unsigned char sum[SHA256_LEN];
    char text[64] = "";

    CHECK(at);
    at += strlen(from);
    end = strstr(at, to);
    CHECK(end);
    sha256(at, (size_t)(end - at), sum);
    base64_encode(sum, sizeof sum, text);
    return arena_printf(t->arena, "'sha256-%s'", text);
}

STORE_TEST(P42_the_policy_of_a_page_allows_its_own_style_and_script_only)
{
    struct bough_str page = export_text(t, nasty_session(t), "html");
    const char *policy = strstr(page.p, "Content-Security-Policy");

    CHECK(policy && strstr(policy, "default-src 'none'"));
    CHECK(!strstr(page.p, "unsafe-inline"));
    CHECK(strstr(policy,
                 arena_printf(t->arena, "style-src %s;", hash_of(t, page, "<style>", "</style>"))));
    CHECK(strstr(policy, arena_printf(t->arena, "script-src %s;",
                                      hash_of(t, page, "\n<script>", "</script>"))));
}

/* The nodes that a text becomes on a page. */
static const char *nodes_of(struct test *t, const char *text)
{
    const char *s = new_session(t, "x");
    struct bough_str lines;
    struct json part;
    struct json_iter it;
    struct bough_str raw;

    user(t, s, text);
    lines = page_lines(t, export_text(t, s, "html"), CHUNK_TAG);
    (void)next_json(t, &lines);
    it = json_iter(json_member(next_json(t, &lines), "parts"));
    CHECK(json_next(&it));
    part = it.value;
    raw = json_raw(json_member(part, "md"));
    return arena_strndup(t->arena, raw.p, raw.n);
}

STORE_TEST(P42_markdown_is_nodes_of_known_elements_on_a_page)
{
    char deep[2001];

    CHECK_STR("[[\"h2\",\"A\"],[\"p\",\"b \",[\"strong\",\"c\"],\" \",[\"code\",\"d\"]]]",
              nodes_of(t, "## A\nb **c** `d`"));
    CHECK_STR("[[\"ol\",3,[\"li\",\"x\"]],[\"pre\",\"y\\n\"]]",
              nodes_of(t, "3. x\n\n```js\ny\n```"));
    CHECK_STR("[[\"p\",[\"a\",\"https://x.y/?a=1\\u0026b\",\"l\"]]]",
              nodes_of(t, "[l](https://x.y/?a=1&amp;b)"));
    CHECK_STR("[[\"p\",[\"a\",\"javascript:x\",\"l\"]]]", nodes_of(t, "[l](&#106;avascript:x)"));
    CHECK_STR("[[\"p\",\"\\u003cb\\u003e \\u003c\"]]", nodes_of(t, "<b> &lt;"));
    memset(deep, '>', 2000);
    deep[2000] = '\0';
    CHECK(strlen(nodes_of(t, deep)) < 2000);
}

STORE_TEST(P42_a_page_has_calls_results_system_and_custom_content)
{
    struct bough_import_file_result in = import_file(t, data_path(t, "claude-code/tools.jsonl"));
    struct bough_str lines = page_lines(t, export_text(t, in.session, "html"), CHUNK_TAG);
    const char *s;
    struct bough_session_create_options how = { .system_prompt = "Be brief." };
    struct bough_session *made;
    struct bough_entry_new e = { .kind = BOUGH_ENTRY_CUSTOM_MESSAGE,
                                 .data = str_of("{\"customType\":\"note\",\"content\":\"seen\","
                                                "\"display\":true}") };
    struct bough_append_options add = { .entries = &e, .n = 1 };
    struct bough_append_result out;

    CHECK(strstr(lines.p, "\"calls\":[\"toolu_a\""));
    CHECK(strstr(lines.p, "\"results\":[\"toolu_a\""));
    CHECK(strstr(lines.p, "\"k\":\"result\",\"call\":\"toolu_a\""));
    CHECK_OK(bough_session_create(t->store, t->arena, &how, &made, &t->err));
    s = made->id;
    user(t, s, "Which one?");
    CHECK_OK(bough_append(t->store, t->arena, s, &add, &out, &t->err));
    lines = page_lines(t, export_text(t, s, "html"), CHUNK_TAG);
    CHECK(strstr(lines.p, "[\"p\",\"seen\"]"));
    lines = page_lines(t, export_text(t, s, "html"), SESSION_TAG);
    CHECK(strstr(lines.p, "\"system\":\"Be brief.\""));
    CHECK(strstr(lines.p, "\"title\":\"Which one?\""));
    CHECK(strstr(export_text(t, s, "markdown").p, "seen\n"));
}

static void becomes_a_page(struct test *t, const char *path)
{
    struct bough_import_file_result in = import_file(t, path);
    struct bough_str page = export_text(t, in.session, "html"),
                     raw = page_lines(t, page, CHUNK_TAG), last = page_lines(t, page, END_TAG);
    int64_t n = 0;

    CHECK(!memchr(raw.p, '<', raw.n));
    for (; raw.n; n++) {
        (void)next_json(t, &raw);
        (void)next_json(t, &raw);
    }
    CHECK_INT(in.added, n);
    CHECK(json_cstr(t->arena, next_json(t, &last), "head") != NULL);
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

/* The last message of a session with this text, in Markdown. */
static const char *said_as(struct test *t, const char *text)
{
    const char *s = new_session(t, "x"), *md, *at;

    user(t, s, text);
    md = export_text(t, s, "markdown").p;
    at = strstr(md, "## User");
    CHECK(at && strchr(at, '\n'));
    return strchr(at, '\n') + 2;
}

STORE_TEST(raw_html_is_escaped_in_markdown_and_code_is_not)
{
    CHECK_STR("a \\<b>c\\</b> `<i>` <https://x.y> 1 < 2\n\n",
              said_as(t, "a <b>c</b> `<i>` <https://x.y> 1 < 2"));
    CHECK_STR("\\<script>\nx()\n\\</script>\n\n", said_as(t, "<script>\nx()\n</script>"));
    CHECK_STR("```\n<b>\n```\n\n", said_as(t, "```\n<b>\n```"));
    /* What a block of HTML contains is Markdown once the block is escaped. */
    CHECK_STR("\\<div>\n`\\<b>`\n\\<i>\n\n", said_as(t, "<div>\n`<b>`\n<i>"));
    CHECK_STR("\\<!-- \\<img src=x> -->\n\n", said_as(t, "<!-- <img src=x> -->"));
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
