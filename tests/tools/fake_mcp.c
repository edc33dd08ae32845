/* A scripted MCP server, in both eras, with a tool for each shape and fault. */
#include "tools/fake_mcp.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/json/json.h"
#include "base/memory/arena.h"
#include "base/memory/buf.h"
#include "base/text/str.h"

extern char **environ;

struct fake {
    const char *how;
    struct bough_arena *a; /* of one message */
    int lists, changed;
    char waiting[64]; /* id of a call that is not answered yet */
    char said[4096];  /* answers to our own requests */
};

static bool is(const struct fake *f, const char *word)
{
    size_t n = strlen(word);

    for (const char *p = f->how; (p = strstr(p, word)); p += n)
        if ((p == f->how || p[-1] == ',') && (!p[n] || p[n] == ',' || p[n] == '='))
            return true;
    return false;
}

static void note(const struct fake *f, const char *what)
{
    const char *at = strstr(f->how, "count=");
    FILE *file = at ? fopen(at + 6, "a") : NULL;

    if (!file)
        return;
    fprintf(file, "%s\n", what);
    fclose(file);
}

static void put(const struct fake *f, const char *text)
{
    size_t n = strlen(text), half = is(f, "halves") ? n / 2 : n;

    if (is(f, "garbage"))
        printf("this is no message\n{\"jsonrpc\":\"2.0\"}\n\n[]\n{\"id\":77,\"result\":{}}\n"
               "{\"jsonrpc\":\"2.0\",\"id\":4711,\"result\":{}}\n"
               "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":1,\"message\":\"x\"}}\n");
    fwrite(text, 1, half, stdout);
    fflush(stdout);
    if (half < n) {
        usleep(20000);
        fwrite(text + half, 1, n - half, stdout);
    }
    putchar('\n');
    fflush(stdout);
}

static void result(const struct fake *f, const char *id, const char *json)
{
    put(f, arena_printf(f->a, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}", id, json));
}

static void fail(const struct fake *f, const char *id, int code, const char *message)
{
    put(f, arena_printf(
               f->a, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{\"code\":%d,\"message\":\"%s\"}}",
               id, code, message));
}

static void text(const struct fake *f, const char *id, const char *escaped)
{
    result(f, id,
           arena_printf(f->a,
                        "{\"resultType\":\"complete\",\"content\":[{\"type\":\"text\","
                        "\"text\":\"%s\"}]}",
                        escaped));
}

static const char *escaped(const struct fake *f, const char *plain)
{
    struct buf out;

    buf_init(&out, 1 << 20);
    json_escape(&out, str_of(plain));
    return buf_give(&out, f->a).p;
}

/* ---- lists ---- */

#define SCHEMA                                                                                     \
    "{ \"type\" : \"object\",\"properties\":{\"x\":{\"$ref\":\"http://127.0.0.1:1/x\"}} }"

#define TOOL(name, more) "{\"name\":\"" name "\",\"inputSchema\":{\"type\":\"object\"}" more "}"
#define ECHO_TOOL                                                                                  \
    "{\"name\":\"echo\",\"description\":\"Says it again\",\"inputSchema\":" SCHEMA                 \
    ",\"annotations\":{\"readOnlyHint\":true,\"title\":\"Echo\"}}"
#define TASK_ONLY ",\"execution\":{\"taskSupport\":\"required\"}"

static const char *const tools[] = {
    ECHO_TOOL,
    TOOL("kinds", ",\"title\":\"Kinds\""),
    TOOL("bad", ""),
    TOOL("refuse", ""),
    TOOL("structured", ""),
    TOOL("environment", ""),
    TOOL("die", ""),
    TOOL("hang", ""),
    TOOL("cancelled", ""),
    TOOL("flood", ""),
    TOOL("steady", ""),
    TOOL("huge", ""),
    TOOL("asks", ""),
    TOOL("input", ""),
    TOOL("change", ""),
    TOOL("twice", ""),
    TOOL("a name with blanks", ""),
    TOOL("task", TASK_ONLY),
    "{\"name\":\"no schema\"}",
    "{\"inputSchema\":{}}",
};

enum { TOOLS = sizeof tools / sizeof *tools, PAGE = 7 };

static void list(struct fake *f, const char *id, struct json params)
{
    const char *cursor = json_cstr(f->a, params, "cursor");
    size_t from = cursor ? (size_t)strtol(cursor, NULL, 10) : 0;
    size_t to = is(f, "pages") && from + PAGE < TOOLS ? from + PAGE : TOOLS;
    struct buf out;

    note(f, "list");
    buf_init(&out, 1 << 20);
    buf_puts(&out, "{\"resultType\":\"complete\",\"tools\":[");
    for (size_t i = from; i < to; i++)
        buf_printf(&out, "%s%s", i > from ? "," : "", tools[i]);
    if (f->changed)
        buf_puts(&out, ",{\"name\":\"new\",\"inputSchema\":{\"type\":\"object\"}}");
    buf_puts(&out, "]");
    if (is(f, "endless"))
        buf_puts(&out, ",\"nextCursor\":\"0\"");
    else if (to < TOOLS)
        buf_printf(&out, ",\"nextCursor\":\"%zu\"", to);
    if (is(f, "brief"))
        buf_puts(&out, ",\"ttlMs\":0,\"cacheScope\":\"private\"");
    buf_puts(&out, "}");
    result(f, id, buf_give(&out, f->a).p);
}

/* ---- tools ---- */

static void progress(const struct fake *f, const char *token, int n)
{
    put(f,
        arena_printf(f->a,
                     "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{"
                     "\"progressToken\":%s,\"progress\":%d,\"total\":%d,\"message\":\"step %d\"}}",
                     token, n, n + 1, n));
}

static void say_environment(struct fake *f, const char *id)
{
    struct buf out;

    buf_init(&out, 1 << 20);
    for (char **e = environ; *e; e++)
        buf_printf(&out, "%s\n", *e);
    fprintf(stderr, "%s", out.p);
    fflush(stderr);
    text(f, id, escaped(f, buf_give(&out, f->a).p));
}

static void say_huge(const char *id)
{
    static char block[1 << 16];

    memset(block, 'x', sizeof block);
    printf("{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"",
           id);
    for (int i = 0; i < 40 * 16; i++)
        fwrite(block, 1, sizeof block, stdout);
    printf("\"}]}}\n");
    fflush(stdout);
}

static const char kinds[] =
    "{\"content\":[{\"type\":\"text\",\"text\":\"words\"},"
    "{\"type\":\"image\",\"data\":\"AAAA\",\"mimeType\":\"image/png\"},"
    "{\"type\":\"resource_link\",\"uri\":\"file:///x\",\"name\":\"x\"},"
    "{\"type\":\"resource\",\"resource\":{\"uri\":\"file:///y\",\"text\":\"inside\"}},"
    "{\"type\":\"resource\",\"resource\":{\"uri\":\"file:///z\",\"blob\":\"AAAA\"}},"
    "{\"type\":\"later\"}],\"isError\":false}";

static void call(struct fake *f, const char *id, struct json params)
{
    const char *name = json_cstr(f->a, params, "name"), *token;
    struct json args = json_member(params, "arguments");

    token = arena_printf(
        f->a, "%.*s", (int)json_raw(json_member(json_member(params, "_meta"), "progressToken")).n,
        json_raw(json_member(json_member(params, "_meta"), "progressToken")).p);
    if (strcmp(name, "echo") == 0) {
        text(f, id,
             escaped(f, arena_printf(f->a, "%.*s", (int)json_raw(args).n, json_raw(args).p)));
    } else if (strcmp(name, "kinds") == 0) {
        result(f, id, kinds);
    } else if (strcmp(name, "bad") == 0) {
        result(f, id,
               "{\"content\":[{\"type\":\"text\",\"text\":\"it went wrong\"}],"
               "\"isError\":true}");
    } else if (strcmp(name, "refuse") == 0) {
        fail(f, id, -32602, "not these arguments");
    } else if (strcmp(name, "structured") == 0) {
        result(f, id, "{\"content\":[],\"structuredContent\":[1, 2]}");
    } else if (strcmp(name, "environment") == 0) {
        say_environment(f, id);
    } else if (strcmp(name, "die") == 0) {
        fprintf(stderr, "dying as told\n");
        fflush(stderr);
        _exit(3);
    } else if (strcmp(name, "hang") == 0) {
        snprintf(f->waiting, sizeof f->waiting, "%s", id);
        progress(f, token, 1);
    } else if (strcmp(name, "cancelled") == 0) {
        text(f, id, *f->said ? f->said : "nothing was cancelled");
    } else if (strcmp(name, "flood") == 0) {
        for (int i = 0; i < 20000; i++)
            progress(f, token, i);
        text(f, id, "flooded");
    } else if (strcmp(name, "steady") == 0) {
        for (int i = 0; i < 30; i++) {
            usleep(100000);
            progress(f, token, i);
        }
        text(f, id, "steady");
    } else if (strcmp(name, "huge") == 0) {
        say_huge(id);
    } else if (strcmp(name, "asks") == 0) {
        put(f, "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"ping\"}");
        put(f, "{\"jsonrpc\":\"2.0\",\"id\":\"s\",\"method\":\"sampling/createMessage\","
               "\"params\":{}}");
        put(f, "{\"jsonrpc\":\"2.0\",\"id\":\"r\",\"method\":\"roots/list\"}");
        *f->said = '\0';
        snprintf(f->waiting, sizeof f->waiting, "%s", id);
    } else if (strcmp(name, "input") == 0) {
        result(f, id, "{\"resultType\":\"input_required\",\"inputRequests\":{}}");
    } else if (strcmp(name, "change") == 0) {
        f->changed = 1;
        put(f, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}");
        text(f, id, "changed");
    } else if (strcmp(name, "twice") == 0) {
        text(f, id, "first");
        text(f, id, "second");
    } else {
        text(f, id, "called");
    }
}

/* ---- messages ---- */

static void on_cancelled(struct fake *f, struct json params)
{
    snprintf(f->said, sizeof f->said, "cancelled %.*s",
             (int)json_raw(json_member(params, "requestId")).n,
             json_raw(json_member(params, "requestId")).p);
    if (*f->waiting) { /* too late: its caller has given up */
        progress(f, f->waiting, 2);
        text(f, f->waiting, "late");
        *f->waiting = '\0';
    }
}

/* An answer of the client to a request of ours. */
static void on_answer(struct fake *f, struct json root)
{
    struct json error = json_member(root, "error");
    size_t n = strlen(f->said);

    snprintf(f->said + n, sizeof f->said - n, "%.*s %.*s;",
             (int)json_raw(json_member(root, "id")).n, json_raw(json_member(root, "id")).p,
             error.doc ? (int)json_raw(json_member(error, "code")).n : 2,
             error.doc ? json_raw(json_member(error, "code")).p : "ok");
    if (strstr(f->said, "\"r\"")) {
        text(f, f->waiting, escaped(f, f->said));
        *f->waiting = '\0';
    }
}

static void on_request(struct fake *f, const char *method, const char *id, struct json params)
{
    bool modern = is(f, "modern");
    const char *version =
        json_cstr(f->a, json_member(params, "_meta"), "io.modelcontextprotocol/protocolVersion");
    const char *changes = is(f, "changes") ? "{\"listChanged\":true}" : "{}";

    if (modern && (!version || strcmp(version, "2026-07-28") != 0))
        fail(f, id, -32601, "there is no handshake");
    else if (modern && strcmp(method, "server/discover") == 0)
        result(f, id,
               arena_printf(f->a,
                            "{\"resultType\":\"complete\",\"supportedVersions\":[\"2026-07-28\"],"
                            "\"capabilities\":{\"tools\":%s},\"_meta\":{"
                            "\"io.modelcontextprotocol/serverInfo\":{\"name\":\"fake\","
                            "\"version\":\"2.0\"}}}",
                            changes));
    else if (!modern && strcmp(method, "initialize") == 0)
        result(f, id,
               arena_printf(f->a,
                            "{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{\"tools\":"
                            "%s},\"serverInfo\":{\"name\":\"fake\",\"version\":\"1.0\"}}",
                            changes));
    else if (strcmp(method, "tools/list") == 0)
        list(f, id, params);
    else if (strcmp(method, "tools/call") == 0)
        call(f, id, params);
    else if (strcmp(method, "subscriptions/listen") == 0)
        note(f, "listen");
    else
        fail(f, id, -32601, "no such method");
}

static void on_line(struct fake *f, char *line)
{
    struct bough_error err;
    struct json root, id;
    const char *method;

    if (json_parse(f->a, str_of(line), &root, &err))
        return;
    method = json_cstr(f->a, root, "method");
    id = json_member(root, "id");
    if (!method)
        on_answer(f, root);
    else if (id.doc)
        on_request(f, method, arena_printf(f->a, "%.*s", (int)json_raw(id).n, json_raw(id).p),
                   json_member(root, "params"));
    else if (strcmp(method, "notifications/cancelled") == 0)
        on_cancelled(f, json_member(root, "params"));
}

static int serve(const char *how)
{
    struct fake f = { .how = how, .a = bough_arena_create() };
    char *line = NULL;
    size_t room = 0;

    note(&f, "start");
    if (is(&f, "quit")) {
        fprintf(stderr, "I do not want to\n");
        bough_arena_destroy(f.a);
        return 7;
    }
    while (getline(&line, &room, stdin) > 0) {
        if (!is(&f, "silent"))
            on_line(&f, line);
        bough_arena_reset(f.a);
    }
    free(line);
    bough_arena_destroy(f.a);
    return 0;
}

__attribute__((constructor)) static void maybe_serve(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], FAKE_MCP) == 0)
        exit(serve(argv[2]));
}
