/* Captures of exchanges, read from JSON lines. */
#include "lib/capture.h"

#include <dirent.h>
#include <stdlib.h>

#include "base/memory/arena.h"
#include "base/os/fs.h"
#include "base/text/str.h"

const char *capture_corpora(struct test *t)
{
    const char *corpora = getenv("BOUGH_CORPORA");
    const char *path = corpora ? arena_printf(t->arena, "%s/gateway", corpora) : NULL;
    DIR *d = path ? opendir(path) : NULL;

    if (!d)
        return NULL;
    closedir(d);
    return path;
}

const char *capture_own(struct test *t)
{
    (void)t;
    return "tests/data/gateway";
}

static struct bough_str text_of(struct test *t, struct json j)
{
    struct bough_str s;

    return json_str(t->arena, j, &s) ? s : str_make(NULL, 0);
}

static void read_headers(struct test *t, struct json headers, struct capture *c)
{
    struct json_iter it = json_iter(headers);

    c->headers = arena_array(t->arena, json_count(headers) + 1, sizeof *c->headers);
    while (json_next(&it))
        c->headers[c->nheaders++] =
            (struct client_header){ text_of(t, it.key), text_of(t, it.value) };
}

static struct capture read_one(struct test *t, struct json j)
{
    struct json body = json_member(j, "body");
    struct capture c = { .method = json_cstr(t->arena, j, "method"),
                         .type = json_cstr(t->arena, j, "type"),
                         .response = text_of(t, json_member(j, "response")) };
    struct bough_str url = text_of(t, json_member(j, "url"));
    const char *query = memchr(url.p, '?', url.n);

    c.path = str_make(url.p, query ? (size_t)(query - url.p) : url.n);
    (void)json_i64(json_member(j, "n"), &c.n);
    (void)json_i64(json_member(j, "status"), &c.status);
    (void)json_bool(json_member(j, "left"), &c.left);
    c.body = json_type(body) == JSON_STRING ? text_of(t, body)
             : json_type(body) == JSON_NULL ? str_make(NULL, 0)
                                            : json_raw(body);
    read_headers(t, json_member(j, "headers"), &c);
    return c;
}

struct captures capture_read(struct test *t, const char *folder, const char *name)
{
    const char *path = arena_printf(t->arena, "%s/%s.jsonl", folder, name);
    struct captures out = { 0 };
    struct bough_str all;

    CHECK_OK(fs_read(t->arena, path, 64 << 20, &all, &t->err));
    while (all.n) {
        const char *end = memchr(all.p, '\n', all.n);
        size_t n = end ? (size_t)(end - all.p) : all.n;
        struct json j;

        CHECK_OK(json_parse(t->arena, str_make(all.p, n), &j, &t->err));
        out.at = arena_room(t->arena, out.at, out.n, sizeof *out.at);
        out.at[out.n++] = read_one(t, j);
        all = str_make(all.p + n + (end != NULL), all.n - n - (end != NULL));
    }
    return out;
}

bool capture_streams(const struct capture *c)
{
    return c->type && strncmp(c->type, "text/event-stream", 17) == 0;
}

static void each_of(struct test *t, const char *folder, const char *const *names,
                    void (*fn)(struct test *t, const struct capture *c, enum wire wire))
{
    for (; *names; names++) {
        struct captures all = capture_read(t, folder, *names);

        for (size_t i = 0; i < all.n; i++) {
            enum wire wire;

            if (cstr_eq(all.at[i].method, "POST") && wire_of_path(all.at[i].path, &wire))
                fn(t, &all.at[i], wire);
        }
    }
}

void capture_each(struct test *t,
                  void (*fn)(struct test *t, const struct capture *c, enum wire wire))
{
    static const char *const own[] = { "loop-messages", "loop-chat", "loop-responses", NULL };
    static const char *const real[] = { "claude-code/compaction",
                                        "claude-code/subagent",
                                        "claude-code/tool-loop-resume",
                                        "codex/tool-loop-resume",
                                        "codex/websocket-first",
                                        "opencode/title-and-loop",
                                        "pi/anthropic",
                                        "pi/chat",
                                        "pi/responses",
                                        "sdk/openai-and-anthropic",
                                        NULL };

    each_of(t, capture_own(t), own, fn);
    if (capture_corpora(t))
        each_of(t, capture_corpora(t), real, fn);
}
