/*
 * Fuzz: whatever an MCP server sends, the client stays bounded. Lines of the input are what the
 * server says to each request: tools that are listed have a name and a schema that is an object, a
 * result has text in UTF-8 and content that is an array, and a secret is never in it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "base/text/utf8.h"
#include "mcp/client/inside.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n);

#define MUST(cond)                                                                                 \
    do {                                                                                           \
        if (!(cond)) {                                                                             \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #cond);                             \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

static const char secret[] = "canary-in-the-mine";
static struct bough_str script; /* what the server says from now on */

/* All lines up to one that answers; the id of the request stands for N in them. */
static enum bough_rc ask(struct mcp_client *c, const struct mcp_ask *asked,
                         struct bough_str request, struct mcp_pending *p, struct bough_error *err)
{
    (void)asked;
    MUST(json_check(request, LIMIT_JSON_DEPTH, NULL) == BOUGH_OK);
    MUST(!memchr(request.p, '\n', request.n));
    while (script.n && !mcp_is_done(c, p)) {
        const char *end = memchr(script.p, '\n', script.n);
        size_t n = end ? (size_t)(end - script.p) : script.n;
        struct buf line;

        buf_init(&line, 1 << 20);
        for (size_t i = 0; i < n; i++)
            if (script.p[i] == 'N')
                buf_printf(&line, "%lld", (long long)p->id);
            else
                buf_putc(&line, script.p[i]);
        mcp_take(c, buf_str(&line));
        buf_finish(&line);
        script.p += n + (end != NULL);
        script.n -= n + (end != NULL);
    }
    return mcp_is_done(c, p) ? BOUGH_OK : bough_fail(err, BOUGH_IO, "the server has ended");
}

static void tell(struct mcp_client *c, const char *method, struct bough_str message)
{
    (void)c;
    (void)method;
    MUST(json_check(message, LIMIT_JSON_DEPTH, NULL) == BOUGH_OK);
}

static void check_tools(struct mcp_client *c, struct bough_arena *a)
{
    struct mcp_client_tools tools;
    struct bough_error err;

    if (mcp_client_tools(c, a, &tools, &err))
        return;
    MUST(tools.n <= MCP_TOOLS_MOST);
    for (size_t i = 0; i < tools.n; i++) {
        struct json j;

        MUST(*tools.at[i].name);
        MUST(!json_parse(a, tools.at[i].schema, &j, &err) && json_type(j) == JSON_OBJECT);
    }
}

static void check_call(struct mcp_client *c, struct bough_arena *a)
{
    const struct mcp_client_call in = { .name = "t",
                                        .args =
                                            str_of("{\"x\":\" \",\"y\":{\"z\":1},\"w\":true}") };
    struct mcp_client_result out;
    struct bough_error err;
    struct json j;

    mcp_client_call(c, a, &in, &out);
    MUST(utf8_valid(out.text.p, out.text.n) == out.text.n);
    MUST(!memmem(out.text.p, out.text.n, secret, sizeof secret - 1));
    MUST(!json_parse(a, out.content, &j, &err) && json_type(j) == JSON_ARRAY);
    MUST(!out.structured.n || !json_parse(a, out.structured, &j, &err));
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n)
{
    static const struct mcp_transport transport = { .ask = ask, .tell = tell };
    static const char *const secrets[] = { secret, NULL };
    struct bough_arena *a = bough_arena_create();
    struct mcp_client c = { .in = { .name = "fuzz",
                                    .url = "https://example.com/",
                                    .secrets = secrets,
                                    .start_ms = 1000000,
                                    .silent_ms = 1000000,
                                    .whole_ms = 1000000 },
                            .transport = &transport,
                            .has_tools = true };

    c.era = n && data[0] == '!' ? MCP_HANDSHAKE : MCP_STATELESS;
    script = str_make((const char *)data, n);
    pthread_mutex_init(&c.lock, NULL);
    pthread_cond_init(&c.changed, NULL);
    check_tools(&c, a);
    check_call(&c, a);
    check_call(&c, a);
    bough_arena_destroy(c.list_a);
    pthread_cond_destroy(&c.changed);
    pthread_mutex_destroy(&c.lock);
    bough_arena_destroy(a);
    return 0;
}
