/* A gateway over a store, and clients. */
#include "gateway/world.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "api/api.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "child/child.h"
#include "gateway/providers_api.h"
#include "gateway/summary/routes.h"
#include "run/api/routes.h"
#include "run/hecate/routes.h"
#include "tools/tools.h"

/* ---- the gateway ---- */

void world_set(struct world *w, const char *section, const char *name, const char *value)
{
    CHECK(w->nsettings < sizeof w->settings / sizeof *w->settings);
    w->settings[w->nsettings++] = (struct gateway_setting){ section, name, value };
}

static void add_provider(struct world *w, const char *section, const char *kind)
{
    world_set(w, section, "kind", kind);
    world_set(w, section, "base_url",
              arena_printf(w->t->arena, "http://127.0.0.1:%d/v1", fake_port(w->up)));
    world_set(w, section, "allow_private", "yes");
    world_set(w, section, "key_env", "GATEWAY_TEST_KEY");
}

void world_prepare(struct test *t, struct world *w)
{
    *w = (struct world){ .t = t, .up = fake_start(t) };
    setenv("GATEWAY_TEST_KEY", "sk-canary-0123456789", 1);
    add_provider(w, "provider \"up\"", "openai");
    add_provider(w, "provider \"claude\"", "anthropic");
}

void world_start(struct world *w)
{
    static const struct http_route *const more[] = {
        gateway_routes,   gateway_provider_routes, gateway_summary_routes,
        RUN_ROUTE_TABLES, HECATE_ROUTE_TABLES,     NULL
    };
    struct test *t = w->t;
    struct http_limits limits = { .drain_ms = 500 };
    struct http_listen where = { .fd = -1 };

    w->socket = test_path(t, "g.sock");
    where.path = w->socket;
    CHECK_OK(gateway_create(
        &w->gateway,
        &(struct gateway_config){ .store = t->store, .settings = w->settings, .n = w->nsettings },
        &t->err));
    CHECK_OK(children_create(&w->children, &t->err));
    CHECK_OK(tool_host_create(&w->tools,
                              &(struct tool_host_config){ .store = t->store,
                                                          .children = w->children,
                                                          .settings = w->settings,
                                                          .n = w->nsettings },
                              &t->err));
    CHECK_OK(runner_create(&w->runner,
                           &(struct runner_config){ .store = t->store,
                                                    .gateway = w->gateway,
                                                    .tools = w->tools,
                                                    .children = w->children,
                                                    .settings = w->settings,
                                                    .n = w->nsettings,
                                                    .host = w->host ? w->host : "here" },
                           &t->err));
    runner_stop_within(w->runner, 0);
    w->auth = auth_create(t->store, NULL, NULL);
    w->api = api_create(&(struct api_config){ .store = t->store,
                                              .auth = w->auth,
                                              .more = more,
                                              .gateway = w->gateway,
                                              .runner = w->runner,
                                              .metrics = gateway_metrics });
    CHECK_OK(http_server_start(&w->server, api_app(w->api), &where, 1, &limits, &t->err));
}

void world_open(struct test *t, struct world *w)
{
    world_prepare(t, w);
    world_start(w);
}

void world_close(struct world *w)
{
    http_server_destroy(w->server);
    api_destroy(w->api);
    auth_destroy(w->auth);
    runner_destroy(w->runner);
    tool_host_destroy(w->tools);
    children_destroy(w->children);
    gateway_destroy(w->gateway);
    fake_stop(w->up);
}

/* ---- clients ---- */

struct talk talk_begin_raw(struct world *w, const char *method, const char *path,
                           const char *headers, struct bough_str body)
{
    struct sockaddr_un to = { .sun_family = AF_UNIX };
    struct talk k = { .w = w, .fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0) };
    struct buf text;

    buf_init(&text, 256 << 20);
    buf_printf(&text,
               "%s %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
               "Connection: close\r\n%s",
               method, path, headers);
    if (body.n)
        buf_printf(&text, "Content-Length: %zu\r\n", body.n);
    buf_puts(&text, "\r\n");
    buf_put_str(&text, body);
    CHECK(strlen(w->socket) < sizeof to.sun_path);
    memcpy(to.sun_path, w->socket, strlen(w->socket));
    CHECK(connect(k.fd, (struct sockaddr *)&to, sizeof to) == 0);
    CHECK(send(k.fd, text.p, text.n, MSG_NOSIGNAL) == (ssize_t)text.n);
    buf_finish(&text);
    buf_init(&k.in, 256 << 20);
    return k;
}

struct talk talk_begin(struct world *w, const char *path, const char *headers, const char *body)
{
    return talk_begin_raw(w, "POST", path, headers, str_of(body));
}

static bool read_some(struct talk *k)
{
    char *to = buf_reserve(&k->in, 65536);
    ssize_t n = to ? read(k->fd, to, 65536) : -1;

    if (n <= 0)
        return false;
    k->in.n += (size_t)n;
    buf_end(&k->in);
    return true;
}

bool talk_hears(struct talk *k, const char *text)
{
    while (!k->in.n || !memmem(k->in.p, k->in.n, text, strlen(text)))
        if (!read_some(k))
            return false;
    return true;
}

void talk_leave(struct talk *k)
{
    close(k->fd);
    buf_finish(&k->in);
}

/* Take the framing of chunks off. False: the last one did not come. */
static bool unchunk(struct bough_str in, struct buf *out)
{
    while (in.n) {
        const char *end = memmem(in.p, in.n, "\r\n", 2);
        size_t n = strtoul(in.p, NULL, 16), line;

        if (!end)
            return false;
        line = (size_t)(end - in.p) + 2;
        if (!n)
            return true;
        if (in.n < line + n + 2) {
            buf_put(out, in.p + line, in.n - line < n ? in.n - line : n);
            return false;
        }
        buf_put(out, in.p + line, n);
        in = str_make(in.p + line + n + 2, in.n - line - n - 2);
    }
    return false;
}

struct got talk_end(struct talk *k)
{
    struct test *t = k->w->t;
    struct got g = { 0 };
    const char *end, *length;
    struct bough_str body;
    struct buf plain;

    while (read_some(k))
        ;
    end = k->in.n ? strstr(k->in.p, "\r\n\r\n") : NULL;
    if (!end) {
        talk_leave(k);
        return g;
    }
    g.status = (int)strtol(k->in.p + 9, NULL, 10);
    g.head = arena_strndup(t->arena, k->in.p, (size_t)(end - k->in.p) + 2);
    body = str_make(end + 4, k->in.n - (size_t)(end + 4 - k->in.p));
    buf_init(&plain, 256 << 20);
    if (strcasestr(g.head, "\r\nTransfer-Encoding: chunked")) {
        g.complete = unchunk(body, &plain);
    } else {
        length = strcasestr(g.head, "\r\nContent-Length:");
        buf_put_str(&plain, body);
        g.complete = length && strtoul(length + 17, NULL, 10) == body.n;
    }
    g.body = str_make(arena_strndup(t->arena, plain.p, plain.n), plain.n);
    buf_finish(&plain);
    talk_leave(k);
    return g;
}

struct got ask(struct world *w, const char *path, const char *headers, const char *body)
{
    struct talk k = talk_begin(w, path, headers, body);

    return talk_end(&k);
}

const char *head_value(struct test *t, const struct got *g, const char *name)
{
    const char *at = strcasestr(g->head, arena_printf(t->arena, "\r\n%s:", name)), *end;

    if (!at)
        return NULL;
    at += strlen(name) + 3;
    while (*at == ' ')
        at++;
    end = strstr(at, "\r\n");
    return arena_strndup(t->arena, at, (size_t)(end - at));
}

/* ---- what is stored ---- */

const char *only_session(struct world *w)
{
    struct test *t = w->t;
    struct bough_sessions list;

    for (struct wait wait = { 0 };;) {
        CHECK_OK(bough_session_list(t->store, t->arena,
                                    &(struct bough_session_list_options){ .limit = 10 }, &list,
                                    &t->err));
        if (list.n == 1)
            return list.at[0].id;
        if (list.n > 1 || !wait_more(&wait))
            FAIL("%zu sessions instead of one", list.n);
    }
}

static const char *parts_text(struct test *t, const struct bough_entry *e)
{
    const char *all = "";

    for (size_t i = 0; i < e->nparts; i++) {
        struct bough_str raw = e->parts[i].json;
        const char *text;
        struct json j;

        CHECK_OK(json_parse(t->arena, raw, &j, &t->err));
        text = json_cstr(t->arena, j, "text");
        all = arena_printf(t->arena, "%s%s%s", all, *all ? "+" : "",
                           text ? text : arena_strndup(t->arena, raw.p, raw.n));
    }
    return all;
}

const char *messages_text(struct world *w, const char *session)
{
    struct test *t = w->t;
    struct bough_entries_read_result path;
    const char *all = "";

    CHECK_OK(bough_entries_read(t->store, t->arena, session,
                                &(struct bough_entries_read_options){ .messages = true }, &path,
                                &t->err));
    for (size_t i = 0; i < path.entries.n; i++) {
        const struct bough_entry *e = &path.entries.at[i];

        all = arena_printf(t->arena, "%s%s%s:%s%s", all, *all ? " " : "", bough_role_name(e->role),
                           parts_text(t, e), e->open ? "(open)" : "");
    }
    return all;
}

const char *calls_text(struct world *w, const char *session)
{
    struct test *t = w->t;
    struct bough_calls calls;
    const char *all = "";

    CHECK_OK(bough_call_list(t->store, t->arena, session, &calls, &t->err));
    for (size_t i = 0; i < calls.n; i++)
        all = arena_printf(t->arena, "%s%s%s %s %lld+%lld%s%s", all, *all ? ", " : "",
                           calls.at[i].status, calls.at[i].model, (long long)calls.at[i].used.input,
                           (long long)calls.at[i].used.output, calls.at[i].cost_source ? " " : "",
                           calls.at[i].cost_source ? bough_cost_source_name(calls.at[i].cost_source)
                                                   : "");
    return all;
}

void check_path(struct world *w, const char *want)
{
    const char *session = only_session(w), *got = "";

    for (struct wait wait = { 0 };;) {
        got = messages_text(w, session);
        if (strcmp(got, want) == 0)
            return;
        if (!wait_more(&wait))
            FAIL("the path is %s, not %s", got, want);
    }
}
