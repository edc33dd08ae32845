/* Test messages: words and code from a generator, the same in every run. */
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "base/memory/arena.h"
#include "base/memory/buf.h"
#include "bench.h"

static const char *const words[] = {
    "the",      "of",        "and",         "to",       "a",          "in",        "is",
    "that",     "it",        "for",         "was",      "on",         "are",       "as",
    "with",     "this",      "be",          "at",       "one",        "have",      "from",
    "or",       "had",       "by",          "not",      "but",        "what",      "some",
    "we",       "can",       "out",         "other",    "were",       "all",       "there",
    "when",     "use",       "your",        "how",      "said",       "each",      "she",
    "which",    "do",        "their",       "time",     "if",         "will",      "way",
    "about",    "many",      "then",        "them",     "write",      "would",     "like",
    "so",       "these",     "her",         "long",     "make",       "thing",     "see",
    "him",      "two",       "has",         "look",     "more",       "day",       "could",
    "go",       "come",      "did",         "number",   "sound",      "no",        "most",
    "people",   "my",        "over",        "know",     "water",      "than",      "call",
    "first",    "who",       "may",         "down",     "side",       "been",      "now",
    "find",     "function",  "returns",     "value",    "error",      "session",   "message",
    "file",     "test",      "because",     "should",   "before",     "after",     "branch",
    "commit",   "directory", "parser",      "buffer",   "allocate",   "pointer",   "thread",
    "lock",     "snapshot",  "transaction", "index",    "query",      "request",   "response",
    "upstream", "timeout",   "retry",       "config",   "default",    "option",    "argument",
    "expected", "actual",    "assertion",   "failed",   "passed",     "warning",   "deprecated",
    "compile",  "linker",    "symbol",      "header",   "library",    "module",    "package",
    "version",  "release",   "migrate",     "schema",   "column",     "table",     "record",
    "history",  "context",   "token",       "model",    "prompt",     "assistant", "system",
    "explain",  "refactor",  "simplify",    "remove",   "rename",     "extract",   "inline",
    "measure",  "profile",   "benchmark",   "latency",  "throughput", "cache",     "memory",
    "however",  "therefore", "although",    "instead",  "otherwise",  "already",   "probably",
    "quickly",  "carefully", "separately",  "together", "usually",    "sometimes", "always",
};

static const char *const code[] = {
    "static int %s_%s(struct %s *%s)\\n{\\n",
    "    if (!%s->%s)\\n        return -1;\\n",
    "    for (size_t i = 0; i < %s->%s; i++)\\n        %s(%s[i]);\\n",
    "    %s = %s_%s(%s);\\n",
    "    return %s(%s, %s->%s);\\n}\\n\\n",
    "    /* %s %s %s %s */\\n",
    "def %s_%s(%s, %s=None):\\n",
    "    assert %s.%s == \\\"%s %s\\\"\\n",
};

/* Frequent words come first in the list. Taking the smaller of two random numbers makes them
 * frequent. */
static const char *word(uint64_t *rng)
{
    size_t n = sizeof words / sizeof *words, x = rng_below(rng, n), y = rng_below(rng, n);

    return words[x < y ? x : y];
}

/* A file uses the same few names repeatedly. */
enum { NAMES = 12 };

static void choose_names(const char *names[NAMES], uint64_t *rng)
{
    for (size_t i = 0; i < NAMES; i++)
        names[i] = words[rng_below(rng, sizeof words / sizeof *words)];
}

static void put_code(struct buf *b, uint64_t *rng, const char *const names[NAMES])
{
    const char *line = code[rng_below(rng, sizeof code / sizeof *code)];

    for (; *line; line++) {
        if (line[0] == '%' && line[1] == 's') {
            buf_puts(b, names[rng_below(rng, NAMES)]);
            line++;
        } else {
            buf_putc(b, *line);
        }
    }
}

/* About `n` bytes of JSON string content, escapes included. */
static void put_prose(struct buf *b, uint64_t *rng, size_t n)
{
    size_t end = b->n + n, in_line = 0;
    const char *names[NAMES];

    choose_names(names, rng);
    while (b->n < end) {
        size_t what = rng_below(rng, 100);

        if (what == 0 && n > 300) {
            buf_puts(b, "\\n\\n```c\\n");
            for (size_t i = 2 + rng_below(rng, 8); i > 0 && b->n < end; i--)
                put_code(b, rng, names);
            buf_puts(b, "```\\n");
            in_line = 0;
            continue;
        }
        buf_puts(b, word(rng));
        in_line++;
        if (what < 4)
            buf_printf(b, " `%s_%s`", word(rng), word(rng));
        else if (what == 5)
            buf_printf(b, " %zu", rng_below(rng, 100000));
        else if (what == 6)
            buf_puts(b, " \xe2\x80\x94");
        else if (what == 7)
            buf_puts(b, " \\\"quoted\\\"");
        if (in_line > 6 && what > 80) {
            buf_puts(b, what > 96 ? ".\\n" : ". ");
            in_line = 0;
        } else {
            buf_putc(b, ' ');
        }
    }
}

static struct bough_str keep(struct bough_arena *a, struct buf *b)
{
    struct bough_str s = { arena_strndup(a, b->p, b->n), b->n };

    buf_reset(b);
    return s;
}

static void put_output(struct buf *b, uint64_t *rng, size_t n)
{
    size_t end = b->n + n, line = 1;
    const char *names[NAMES];

    while (b->n < end) {
        const char *dir = word(rng), *file = word(rng);

        choose_names(names, rng);
        for (size_t i = 3 + rng_below(rng, 12); i > 0 && b->n < end; i--) {
            line += 1 + rng_below(rng, 30);
            buf_printf(b, "src/%s/%s.c:%zu: ", dir, file, line);
            put_code(b, rng, names);
        }
    }
}

struct bough_str message_tool(struct bough_arena *a, uint64_t *rng, size_t bytes)
{
    struct bough_str s;
    struct buf b;

    buf_init(&b, 1 << 20);
    buf_printf(&b,
               "{\"type\":\"tool\",\"callID\":\"toolu_%016llx\",\"tool\":\"grep\",\"state\":{"
               "\"status\":\"completed\",\"input\":{\"pattern\":\"%s_%s\",\"path\":\"src/%s\"},"
               "\"output\":\"",
               (unsigned long long)rng_next(rng), word(rng), word(rng), word(rng));
    put_output(&b, rng, bytes);
    buf_printf(&b,
               "\",\"title\":\"%s\",\"metadata\":{\"truncated\":false},\"time\":{\"start\":"
               "1731676809001,\"end\":1731676809140}}}",
               word(rng));
    s = keep(a, &b);
    buf_finish(&b);
    return s;
}

static struct bough_str make_part(struct bough_arena *a, struct buf *b, uint64_t *rng, size_t n,
                                  size_t k, enum bough_role role)
{
    if (role == BOUGH_ROLE_ASSISTANT && k == 2)
        return message_tool(a, rng, n > 260 ? n - 260 : 8);
    buf_puts(b, role == BOUGH_ROLE_ASSISTANT && k == 1 ? "{\"type\":\"reasoning\",\"text\":\""
                                                       : "{\"type\":\"text\",\"text\":\"");
    put_prose(b, rng, n > 40 ? n - 40 : 8);
    buf_puts(b, "\"}");
    return keep(a, b);
}

static struct message pool[MESSAGES];
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Lengths are exponentially distributed: many short messages, a few long ones. */
static void make_all(void)
{
    struct bough_arena *a = bough_arena_create(); /* never freed */
    uint64_t rng = 42;
    double sum = 0;
    struct buf b;

    buf_init(&b, 1 << 20);
    for (size_t i = 0; i < MESSAGES; i++) {
        struct message *m = &pool[i];
        double u = (double)(rng_next(&rng) >> 11) / 9007199254740992.0;
        size_t total = 120 + (size_t)(-log(1 - u) * 940);

        m->role = i % 2 ? BOUGH_ROLE_ASSISTANT : BOUGH_ROLE_USER;
        m->n = total < 300 ? 1 : 1 + rng_below(&rng, 3);
        if (total > 6000)
            total = 6000;
        for (size_t k = 0; k < m->n; k++) {
            m->parts[k] = make_part(a, &b, &rng, total / m->n, k, m->role);
            m->content += m->parts[k].n;
        }
        sum += (double)m->content;
    }
    buf_finish(&b);
    note("messages: %d, mean content %.0f bytes", MESSAGES, sum / MESSAGES);
}

const struct message *message(size_t i)
{
    pthread_once(&once, make_all);
    return &pool[i % MESSAGES];
}

struct bough_entry_new message_entry(size_t i)
{
    const struct message *m = message(i);

    return (struct bough_entry_new){
        .kind = BOUGH_ENTRY_MESSAGE, .role = m->role, .parts = m->parts, .nparts = m->n
    };
}
