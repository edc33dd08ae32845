/* Contexts for providers, of random conversations cut after every part: no provider refuses one.
 * BOUGH_RANDOM_SESSIONS says how many conversations (default: 150); BOUGH_RANDOM_SEED the first. */
#include <stdio.h>
#include <stdlib.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "build.h"
#include "core/model/names.h"
#include "lib/strict.h"

static const char *const dialects[] = { "openai-chat", "openai-responses", "anthropic", "gemini",
                                        NULL };

struct chance {
    uint64_t state;
};

static unsigned any(struct chance *c, unsigned n)
{
    c->state = c->state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(c->state >> 33) % n;
}

#define PICK(c, list) ((list)[any(c, sizeof(list) / sizeof *(list))])

/* ---- parts ---- */

static const char *const texts[] = { "hello",
                                     "",
                                     " \\n\\t",
                                     "a \\ud83c\\udf33 tree",
                                     "half \\ud800 of a pair",
                                     "\\udc00\\ud83c",
                                     "quote \\\" and \\\\ slash",
                                     "<system-reminder>x</system-reminder>",
                                     "ends in space \\n",
                                     "\\u00a0\\u2003",
                                     "\xc3\xbc\xe6\x97\xa5 \xe2\x80\xa8 x" };
static const char *const ids[] = { "call_1",
                                   "call_2",
                                   "call_3",
                                   "call_0",
                                   "call_0",
                                   "",
                                   "toolu_01A09q90qw90lq917835lq9",
                                   "with space",
                                   "a|b",
                                   ("this-id-is-much-longer-than-forty-characters-and-even-than-"
                                    "sixty-four-of-them"),
                                   "\\u00fc" };
static const char *const names[] = { "read",
                                     "bash",
                                     "mcp.server/tool",
                                     "",
                                     "9lives",
                                     "-x",
                                     ("a_name_of_a_tool_that_is_much_longer_than_sixty_four_"
                                      "characters_is_cut_here"),
                                     "\\u65e5" };
static const char *const inputs[] = {
    "{}",   "{\"a\":1}", "{\"a\":\"\\ud800\"}",        "[1]", "\"x\"",
    "null", "7",         "{\"a\":{\"b\":[true,null]}}"
};
static const char *const quoted[] = { "{}",   "{\\\"a\\\":1}",  "", "{broken", "[1]",
                                      "null", " {\\\"a\\\":1} " };
static const char *const outputs[] = {
    "\"done\"",
    "\"\"",
    "null",
    "{\"x\":1}",
    "[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"text\",\"text\":\"b\"}]",
    ("[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"image\",\"source\":{\"type\":\"base64\","
     "\"media_type\":\"image/png\",\"data\":\"iVBORw0KGgo=\"}}]"),
    "[{\"type\":\"image\",\"data\":\"iVBORw0KGgo=\",\"mimeType\":\"image/png\"}]",
    "{\"content\":[{\"type\":\"image\",\"data\":\"iVBORw0KGgo=\",\"mimeType\":\"image/webp\"}]}",
    "[1,2]",
    "\"half \\ud800\"",
    "[]",
};
static const char *const files[] = {
    "{\"type\":\"file\",\"mime\":\"image/png\",\"url\":\"data:image/png;base64,iVBORw0KGgo=\"}",
    "{\"type\":\"file\",\"mime\":\"image/svg+xml\",\"url\":\"data:image/svg+xml;base64,iVBO\"}",
    ("{\"type\":\"file\",\"mime\":\"application/pdf\",\"url\":\"data:application/pdf;base64,JVBE\","
     "\"filename\":\"a.pdf\"}"),
    "{\"type\":\"file\",\"mime\":\"audio/wav\",\"url\":\"data:audio/wav;base64,UklG\"}",
    "{\"type\":\"file\",\"mime\":\"image/png\",\"url\":\"https://example.org/a.png\"}",
    "{\"type\":\"file\",\"mime\":\"image/png\",\"url\":\"file:///tmp/a.png\"}",
    "{\"type\":\"file\",\"mime\":\"text/plain\",\"url\":\"data:text/plain;base64,aGk=\"}",
    "{\"type\":\"image\",\"data\":\"not base64!\",\"mimeType\":\"image/png\"}",
    "{\"type\":\"image\",\"data\":\"\",\"mimeType\":\"image/png\"}",
    "{\"type\":\"image_url\",\"image_url\":{\"url\":\"https://example.org/b.jpg\"}}",
    "{\"type\":\"input_image\",\"image_url\":\"data:image\\/jpeg;base64,\\/9j\\/\"}",
    ("{\"type\":\"document\",\"source\":{\"type\":\"base64\",\"media_type\":\"application/pdf\","
     "\"data\":\"JVBERi0=\"},\"title\":\"t\"}"),
    "{\"type\":\"file\",\"mediaType\":\"video/mp4\",\"url\":\"data:video/mp4;base64,AAAA\"}",
};
static const char *const others[] = {
    "{\"type\":\"step-start\"}",
    "{\"type\":\"data-x\",\"data\":1}",
    "{\"type\":\"source-url\",\"sourceId\":\"1\",\"url\":\"https://x\"}",
    "{\"type\":\"something\",\"text\":\"said\"}",
    "{\"type\":\"bough.raw\",\"json\":1}",
    "{\"type\":\"compaction\",\"auto\":true}",
    "{\"type\":\"subtask\",\"prompt\":\"p\",\"description\":\"d\",\"agent\":\"a\"}",
    "{\"type\":\"patch\",\"hash\":\"h\",\"files\":[]}",
    "{\"type\":\"refusal\",\"refusal\":\"no\"}",
    "{\"type\":\"server_tool_use\",\"id\":\"srvtoolu_1\",\"name\":\"web_search\",\"input\":{}}",
    "{\"type\":\"web_search_tool_result\",\"tool_use_id\":\"srvtoolu_1\",\"content\":[]}",
    "{\"type\":\"web_search_call\",\"id\":\"ws_1\",\"status\":\"completed\"}",
    "{\"type\":\"local_shell_call\",\"call_id\":\"call_1\",\"action\":{\"command\":[\"ls\"]}}",
    "{\"type\":\"local_shell_call_output\",\"call_id\":\"call_1\",\"output\":\"x\"}",
    ("{\"type\":\"tool-search\",\"toolCallId\":\"p1\",\"state\":\"output-available\",\"input\":{},"
     "\"output\":1,\"providerExecuted\":true}"),
};
static const char *const thoughts[] = {
    "{\"type\":\"thinking\",\"thinking\":\"hm\",\"signature\":\"c2ln\"}",
    "{\"type\":\"thinking\",\"thinking\":\"hm\",\"signature\":\"\"}",
    "{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"c2ln\"}",
    "{\"type\":\"redacted_thinking\",\"data\":\"cmVk\"}",
    "{\"type\":\"thinking\",\"thinking\":\"hm\",\"thinkingSignature\":\"c2ln\"}",
    "{\"type\":\"thinking\",\"thinking\":\"hm\",\"thinkingSignature\":\"{\\\"type\\\":"
    "\\\"reasoning\\\",\\\"id\\\":\\\"rs_1\\\",\\\"summary\\\":[],\\\"encrypted_content\\\":"
    "\\\"ZW5j\\\"}\"}",
    "{\"type\":\"reasoning\",\"text\":\"r\"}",
    "{\"type\":\"reasoning\",\"text\":\"r\",\"metadata\":{\"google\":{\"thoughtSignature\":\"Z\"}}"
    "}",
    "{\"type\":\"reasoning\",\"id\":\"rs_2\",\"summary\":[],\"encrypted_content\":\"ZW5j\"}",
    "{\"type\":\"reasoning\",\"summary\":[{\"type\":\"summary_text\",\"text\":\"s\"}]}",
    "{\"type\":\"reasoning\",\"text\":\"r\",\"providerMetadata\":{\"openai\":{\"itemId\":\"rs_3\","
    "\"reasoningEncryptedContent\":\"ZW5j\"}}}",
};

static const char *call_part(struct bough_arena *a, struct chance *c)
{
    const char *id = PICK(c, ids), *name = PICK(c, names), *input = PICK(c, inputs);
    const char *filled = *id ? id : "x", *named = *name ? name : "n";

    switch (any(c, 7)) {
    case 0:
        return arena_printf(a, "{\"type\":\"tool_use\",\"id\":\"%s\",\"name\":\"%s\",\"input\":%s}",
                            filled, named, input);
    case 1:
        return arena_printf(
            a, "{\"type\":\"toolCall\",\"id\":\"%s\",\"name\":\"%s\",\"arguments\":%s}", id, name,
            input);
    case 2:
        return arena_printf(a,
                            "{\"type\":\"function\",\"id\":\"%s\",\"function\":{\"name\":\"%s\","
                            "\"arguments\":\"%s\"}}",
                            id, named, PICK(c, quoted));
    case 3:
        return arena_printf(a,
                            "{\"type\":\"function_call\",\"call_id\":\"%s\",\"name\":\"%s\","
                            "\"arguments\":\"%s\"}",
                            id, named, PICK(c, quoted));
    case 4:
        return arena_printf(a,
                            "{\"type\":\"custom_tool_call\",\"call_id\":\"%s\",\"name\":\"%s\","
                            "\"input\":\"%s\"}",
                            id, name, PICK(c, texts));
    case 5:
        return arena_printf(a,
                            "{\"type\":\"tool-%s\",\"toolCallId\":\"%s\",\"state\":"
                            "\"output-available\",\"input\":{},\"output\":%s}",
                            named, id, PICK(c, outputs));
    default:
        return arena_printf(a,
                            "{\"type\":\"tool\",\"callID\":\"%s\",\"tool\":\"%s\",\"state\":"
                            "{\"status\":\"running\",\"input\":{},\"time\":{\"start\":1}}}",
                            id, name);
    }
}

static const char *result_part(struct bough_arena *a, struct chance *c)
{
    const char *id = PICK(c, ids), *output = PICK(c, outputs);

    switch (any(c, 3)) {
    case 0:
        return arena_printf(
            a, "{\"type\":\"tool_result\",\"tool_use_id\":\"%s\",\"content\":%s,\"is_error\":true}",
            *id ? id : "x", output);
    case 1:
        return arena_printf(
            a, "{\"type\":\"function_call_output\",\"call_id\":\"%s\",\"output\":%s}", id, output);
    default:
        return arena_printf(
            a, "{\"type\":\"custom_tool_call_output\",\"call_id\":\"%s\",\"output\":%s}", id,
            output);
    }
}

static const char *part(struct bough_arena *a, struct chance *c, enum bough_role role)
{
    unsigned kind = any(c, 10);

    if (kind < 4)
        return arena_printf(a, "{\"type\":\"%s\",\"text\":\"%s\"%s}",
                            any(c, 5) ? "text" : "output_text", PICK(c, texts),
                            any(c, 8) ? "" : ",\"ignored\":true");
    if (kind == 4)
        return PICK(c, files);
    if (kind == 5)
        return PICK(c, others);
    if (role == BOUGH_ROLE_TOOL)
        return result_part(a, c);
    if (role != BOUGH_ROLE_ASSISTANT)
        return any(c, 2) ? result_part(a, c)
                         : arena_printf(a, "{\"type\":\"text\",\"text\":\"%s\"}", PICK(c, texts));
    return kind < 8 ? call_part(a, c) : PICK(c, thoughts);
}

/* ---- conversations ---- */

static const char *content(struct bough_arena *a, struct chance *c, enum bough_role role)
{
    unsigned n = any(c, 5);
    const char *out = "[";

    for (unsigned i = 0; i < n; i++)
        out = arena_printf(a, "%s%s%s", out, i ? "," : "", part(a, c, role));
    return arena_printf(a, "%s]", out);
}

static void add_answer(struct path *p, struct chance *c)
{
    static const char *const data[] = {
        NULL,
        "{\"model\":\"m1\",\"id\":\"msg_1\"}",
        "{\"model\":\"m1\",\"id\":\"msg_1\",\"api\":\"anthropic-messages\"}",
        "{\"model\":\"m2\",\"api\":\"openai-responses\"}",
        "{\"model\":\"m1\",\"stopReason\":\"error\"}",
        "{\"modelID\":\"m1\",\"summary\":true}",
        "{\"model\":\"m1\",\"api\":\"google-generative-ai\"}",
    };

    add_message(p, BOUGH_ROLE_ASSISTANT, content(p->t->arena, c, BOUGH_ROLE_ASSISTANT),
                PICK(c, data));
}

static void add_tool(struct path *p, struct chance *c)
{
    struct bough_arena *a = p->t->arena;

    if (any(c, 2)) {
        add_message(p, BOUGH_ROLE_TOOL, content(a, c, BOUGH_ROLE_TOOL), NULL);
        return;
    }
    add_message(p, BOUGH_ROLE_TOOL, content(a, c, BOUGH_ROLE_SYSTEM),
                arena_printf(a, "{\"%s\":\"%s\",\"isError\":%s}",
                             any(c, 2) ? "toolCallId" : "tool_call_id", PICK(c, ids),
                             any(c, 2) ? "true" : "false"));
}

static void add_odd(struct path *p, struct chance *c)
{
    struct bough_arena *a = p->t->arena;
    unsigned before = p->n ? 1 + any(c, (unsigned)p->n) : 1;

    switch (any(c, 9)) {
    case 0:
        add_entry(p, "branch_summary", "{\"summary\":\"went elsewhere\"}");
        break;
    case 1:
        add_entry(p, "custom_message", "{\"customType\":\"x\",\"content\":\"note\"}");
        break;
    case 2:
        add_message(p, BOUGH_ROLE_BASH, NULL,
                    "{\"role\":\"bashExecution\",\"command\":\"ls\",\"output\":\"a\"}");
        break;
    case 3:
        add_message(p, BOUGH_ROLE_SYSTEM, content(a, c, BOUGH_ROLE_SYSTEM),
                    any(c, 2) ? NULL : "{\"role\":\"developer\"}");
        break;
    case 4:
        add_entry(p, "custom",
                  arena_printf(a,
                               "{\"customType\":\"bough.amend\",\"data\":{\"target\":\"%026u\","
                               "\"parts\":[%s]}}",
                               before, part(a, c, BOUGH_ROLE_USER)));
        break;
    case 5:
        add_entry(p, "context_edit",
                  arena_printf(a, "{\"targetId\":\"%026u\",\"replacement\":%s}", before,
                               any(c, 2) ? "null" : "{\"content\":\"edited\"}"));
        break;
    case 6:
        add_entry(p, "model_change", "{\"provider\":\"x\",\"modelId\":\"m1\"}");
        break;
    case 7:
        add_message(p, BOUGH_ROLE_OTHER, content(a, c, BOUGH_ROLE_USER), "{\"role\":\"critic\"}");
        break;
    default:
        add_entry(p, "compaction",
                  any(c, 2) ? "{\"summary\":\"so far \\ud800\"}" : "{\"tokensBefore\":1}");
        break;
    }
}

static void add_any(struct path *p, struct chance *c)
{
    unsigned kind = any(c, 10);

    if (kind < 3)
        add_message(p, BOUGH_ROLE_USER, content(p->t->arena, c, BOUGH_ROLE_USER), NULL);
    else if (kind < 6)
        add_answer(p, c);
    else if (kind < 8)
        add_tool(p, c);
    else
        add_odd(p, c);
    p->at[p->n - 1].deleted = any(c, 15) ? 0 : 1;
    p->at[p->n - 1].open = !any(c, 20);
}

/* ---- the property ---- */

static void check_context(struct test *t, uint64_t seed, const struct path *p, const char *dialect,
                          struct bough_entry *marker, bool trailing)
{
    struct bough_arena *a = bough_arena_create();
    struct context_input in = { .dialect = dialect,
                                .entries = (struct bough_entry *)p->at,
                                .n = p->n,
                                .marker = marker,
                                .trailing = trailing };
    struct bough_context_result c, again;
    const char *why;

    CHECK_OK(context_build(a, &in, &c, &t->err));
    why = strict_check(a, dialect, &c, trailing);
    if (why)
        FAIL("seed %llu, %zu entries, %s%s: %s\n%s", (unsigned long long)seed, p->n, dialect,
             trailing ? ", trailing" : "", why, c.messages.p);
    CHECK_OK(context_build(a, &in, &again, &t->err));
    CHECK(str_eq(c.messages, again.messages) && str_eq(c.system, again.system));
    bough_arena_destroy(a);
}

/* The conversation up to every part of its last entry. */
static void check_cuts(struct test *t, uint64_t seed, struct path *p)
{
    struct bough_entry *last = &p->at[p->n - 1], *marker = NULL;
    size_t parts = last->nparts;

    for (size_t i = 0; i < p->n; i++)
        if (p->at[i].kind == BOUGH_ENTRY_COMPACTION && !p->at[i].deleted)
            marker = &p->at[i];
    for (size_t n = 0; n <= parts; n++) {
        last->nparts = n;
        for (size_t d = 0; dialects[d]; d++) {
            check_context(t, seed, p, dialects[d], marker, false);
            check_context(t, seed, p, dialects[d], marker, true);
        }
    }
    last->nparts = parts;
}

static void check_session(struct test *t, uint64_t seed)
{
    struct path p = { .t = t };
    struct chance c = { seed * 0x9e3779b97f4a7c15u + 1 };
    unsigned length = 2 + any(&c, 14);

    for (unsigned i = 0; i < length; i++) {
        add_any(&p, &c);
        check_cuts(t, seed, &p);
    }
    bough_arena_reset(t->arena);
}

TEST_SECONDS(no_provider_refuses_a_random_conversation_cut_after_any_part, 3600)
{
    const char *many = getenv("BOUGH_RANDOM_SESSIONS"), *first = getenv("BOUGH_RANDOM_SEED");
    unsigned long n = many ? strtoul(many, NULL, 10) : 150;
    unsigned long from = first ? strtoul(first, NULL, 10) : 1;

    for (unsigned long i = 0; i < n; i++)
        check_session(t, from + i);
}
