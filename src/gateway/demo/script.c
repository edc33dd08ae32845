/* What the demo provider answers: chosen by words of the last prompt, by the tools that are offered
 * and by their results. The same request always gets the same answer. */
#include <ctype.h>
#include <string.h>

#include "base/json/json.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "gateway/demo/inside.h"

enum {
    SHOWN_MOST = 200,   /* bytes of a prompt that are repeated */
    RESULT_MOST = 2000, /* bytes of a tool's result that are repeated */
    STORY_LINES = 60,
    BYTES_PER_TOKEN = 4,
    WAIT_USUAL_S = 5,
    WAIT_MOST_S = 60,
};

/* What of a request decides the answer. */
struct asked {
    struct json tools;
    const char *prompt; /* the last message of a user */
    const char *result; /* the last message, if it is of a tool; else NULL */
    bool to_title, to_summarise;
};

/* ---- reading ---- */

/* The text of a message: a string, or the text of its blocks. */
static const char *text_of(struct bough_arena *a, struct json message)
{
    struct json content = json_member(message, "content");
    struct bough_str text = { "", 0 };
    struct json_iter it = json_iter(content);

    if (json_str(a, content, &text))
        return arena_strndup(a, text.p, text.n);
    while (json_type(content) == JSON_ARRAY && json_next(&it)) {
        const char *part = json_cstr(a, it.value, "text");

        if (part)
            return part;
    }
    return "";
}

static bool has_word(const char *text, const char *word)
{
    size_t n = strlen(word);

    for (; *text; text++)
        if (strncasecmp(text, word, n) == 0)
            return true;
    return false;
}

static void read_messages(struct bough_arena *a, struct json root, struct asked *in)
{
    struct json_iter it = json_iter(json_member(root, "messages"));

    while (json_next(&it)) {
        const char *text = text_of(a, it.value);
        bool system = json_is(json_member(it.value, "role"), "system");

        in->result = json_is(json_member(it.value, "role"), "tool") ? text : NULL;
        if (json_is(json_member(it.value, "role"), "user"))
            in->prompt = text;
        in->to_title |= system && has_word(text, "You name conversations");
        in->to_summarise |= system && has_word(text, "summar");
    }
}

/* The offered tool of the demo server with this name; NULL: it is not offered. */
static const char *tool_named(struct bough_arena *a, struct json tools, const char *name)
{
    struct json_iter it = json_iter(tools);

    while (json_next(&it)) {
        const char *full = json_cstr(a, json_member(it.value, "function"), "name");
        size_t n = full ? strlen(full) : 0, end = strlen(name);

        if (full && n >= end && strcmp(full + n - end, name) == 0 && strstr(full, "demo"))
            return full;
    }
    return NULL;
}

/* ---- arguments of tools ---- */

typedef void print_arguments(struct json_writer *w, struct bough_arena *a, const char *prompt);

/* The word behind "in", or a city. */
static void weather_arguments(struct json_writer *w, struct bough_arena *a, const char *prompt)
{
    const char *in = strstr(prompt, " in ");
    size_t n = 0;

    while (in && (isalpha((unsigned char)in[4 + n]) || (unsigned char)in[4 + n] >= 0x80))
        n++;
    jw_kv_cstr(w, "city", n && n < 60 ? arena_strndup(a, in + 4, n) : "Oslo");
}

static void edit_arguments(struct json_writer *w, struct bough_arena *a, const char *prompt)
{
    (void)a;
    (void)prompt;
    jw_kv_cstr(w, "path", "README.md");
    jw_kv_cstr(w, "content", "# Pretend file\nNothing is written.\nThe demo adds this line.\n");
}

static void slow_arguments(struct json_writer *w, struct bough_arena *a, const char *prompt)
{
    int64_t seconds = 0;

    (void)a;
    prompt += strcspn(prompt, "0123456789");
    for (; isdigit((unsigned char)*prompt) && seconds < WAIT_MOST_S; prompt++)
        seconds = seconds * 10 + (*prompt - '0');
    jw_kv_i64(w, "seconds",
              !seconds                ? WAIT_USUAL_S
              : seconds > WAIT_MOST_S ? WAIT_MOST_S
                                      : seconds);
}

static const struct tool_row {
    const char *word, *tool;
    print_arguments *print;
} tool_rows[DEMO_CALLS_MOST] = {
    { "weather", "weather", weather_arguments },
    { "edit", "edit", edit_arguments },
    { "wait", "slow", slow_arguments },
};

static void add_calls(struct bough_arena *a, const struct asked *in, struct demo_reply *out)
{
    for (size_t i = 0; i < DEMO_CALLS_MOST; i++) {
        const struct tool_row *row = &tool_rows[i];
        const char *name =
            has_word(in->prompt, row->word) ? tool_named(a, in->tools, row->tool) : NULL;
        struct json_writer w;
        struct buf b;

        if (!name)
            continue;
        buf_init(&b, DEMO_CHUNK);
        jw_init(&w, &b);
        jw_obj(&w);
        row->print(&w, a, in->prompt);
        jw_end_obj(&w);
        out->calls[out->ncalls++] = (struct demo_call){ name, buf_give(&b, a) };
    }
}

/* ---- texts ---- */

static const char *story(struct bough_arena *a)
{
    static const char *const lines[] = {
        "A branch grew beside the first one, and nothing on either was lost.",
        "The reader went back to the fork and took the other way.",
        "Somewhere a tool asked for permission, and waited without hurry.",
        "Every word was written down as it came, so that nothing had to be said twice.",
    };
    struct buf b;

    buf_init(&b, DEMO_CHUNK);
    buf_puts(&b, "A long story by the demo provider. Press **Stop** whenever you like.\n\n");
    for (int i = 0; i < STORY_LINES; i++)
        buf_printf(&b, "%d. %s\n", i + 1, lines[i % 4]);
    return buf_give(&b, a).p;
}

static const char *greeting(struct bough_arena *a, const struct asked *in)
{
    size_t n = strlen(in->prompt);
    bool tools = json_count(in->tools) > 0;

    if (n > SHOWN_MOST)
        for (n = SHOWN_MOST; n && ((unsigned char)in->prompt[n] & 0xc0) == 0x80; n--)
            ;
    return arena_printf(
        a,
        "This is the **demo provider**. Its answers are canned: no model, no key, no network.\n\n"
        "You wrote: %.*s\n\n"
        "Tools are **%s**. Try one of these prompts:\n\n"
        "- `weather in Oslo` calls a demo tool, with tools on\n"
        "- `edit the file` asks for your approval, with tools on\n"
        "- `wait 20 seconds` keeps the session busy, with tools on\n"
        "- `tell a long story` streams long enough to queue a prompt, or to stop it\n"
        "- `show some code` answers with code and a table\n"
        "- `fail` answers with an error\n",
        (int)n, in->prompt, tools ? "on" : "off");
}

static const char code_text[] =
    "Code and a table, by the demo provider:\n\n"
    "```python\ndef fib(n):\n    a, b = 0, 1\n    for _ in range(n):\n        a, b = b, a + b\n"
    "    return a\n```\n\n"
    "| n | fib(n) |\n|--:|--:|\n| 10 | 55 |\n| 20 | 6765 |\n| 30 | 832040 |\n";

static const char *after_tool(struct bough_arena *a, const char *result)
{
    size_t n = strlen(result);

    if (n > RESULT_MOST)
        for (n = RESULT_MOST; n && ((unsigned char)result[n] & 0xc0) == 0x80; n--)
            ;
    return arena_printf(a, "The demo provider read this result of a tool:\n\n```\n%.*s\n```\n",
                        (int)n, result);
}

static void answer(struct bough_arena *a, const struct asked *in, struct demo_reply *out)
{
    if (in->to_title)
        out->text = "A chat with the demo provider";
    else if (in->to_summarise)
        out->text = "A summary by the demo provider: a person tried the demo, and it answered.";
    else if (in->result)
        out->text = after_tool(a, in->result);
    else if (has_word(in->prompt, "story"))
        out->text = story(a);
    else if (has_word(in->prompt, "code"))
        out->text = code_text;
    else if (!out->ncalls)
        out->text = greeting(a, in);
    else
        out->text = "The demo provider calls a tool.";
}

void demo_answer(struct bough_arena *a, struct bough_str body, struct demo_reply *out)
{
    struct asked in = { .prompt = "" };
    struct json root;
    bool quoted;

    *out = (struct demo_reply){ .status = 400, .text = "the body is not a JSON object" };
    if (json_parse(a, body, &root, NULL) || json_type(root) != JSON_OBJECT)
        return;
    read_messages(a, root, &in);
    in.tools = json_member(root, "tools");
    *out = (struct demo_reply){ .status = 200,
                                .model = json_cstr(a, root, "model"),
                                .input = (int64_t)(body.n / BYTES_PER_TOKEN) };
    json_bool(json_member(root, "stream"), &out->stream);
    json_bool(json_member(json_member(root, "stream_options"), "include_usage"), &out->usage);
    /* A title or a summary is asked for with a prompt that quotes the conversation. */
    quoted = in.to_title || in.to_summarise;
    if (!in.result && !quoted && has_word(in.prompt, "fail")) {
        out->status = 500;
        out->text = "the demo provider fails, because the prompt asks it to";
        return;
    }
    if (!in.result && !quoted)
        add_calls(a, &in, out);
    if (!quoted)
        out->thought = in.result ? "The tool has answered, so I can say what it found."
                                 : "The prompt is looked up in the script of the demo.";
    answer(a, &in, out);
}
