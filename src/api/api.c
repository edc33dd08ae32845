/* What a request needs beside its row: the store bounded by the client, on whose behalf, the key.
 */
#include "api/api.h"

#include <string.h>

#include "api/event.h"
#include "base/arena.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/str.h"

enum { TABLES_MAX = 64, LONG_MS = 110000 };

struct api {
    struct bough_store *store;
    struct auth *auth;
    struct http_app app;
    const struct http_route *tables[TABLES_MAX];
    const struct http_server *server; /* atomic */
    struct event_pump *pump;
};

static struct api *of(const struct http_req *req)
{
    return req->app->user;
}

struct api_call *api_of(const struct http_req *req)
{
    return req->call;
}

/* ---- around every request ---- */

static enum bough_rc gate(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    const char *key = http_header(req, "idempotency-key");
    enum bough_rc rc = auth_gate(of(req)->auth, req, res, err);

    if (!rc && key && (!*key || strlen(key) > LIMIT_KEY))
        return bough_fail(err, BOUGH_INVALID, "an Idempotency-Key has 1 to %d bytes", LIMIT_KEY);
    return rc;
}

static void begin(struct http_req *req)
{
    struct api_call *call = arena_zalloc(req->arena, sizeof *call);
    const struct auth_who *who = auth_who(req);
    struct bough_scope scope = { .deadline_ms = req->deadline_ms, .cancel = req->cancel };

    if (req->route->flags & HTTP_LONG)
        scope.deadline_ms = LONG_MS;
    /* The owner's keys are the same over HTTP and in the library. */
    scope.principal = strncmp(who->name, "token:", 6) == 0 ? who->name : NULL;
    call->store = bough_store_scoped(of(req)->store, &scope);
    call->who = who;
    call->api = of(req);
    if (req->route->flags & HTTP_KEYED)
        call->key = http_header(req, "idempotency-key");
    req->call = call;
}

static void end(struct http_req *req)
{
    struct api_call *call = req->call;

    if (call)
        bough_store_close(&call->store);
    req->call = NULL;
}

static const char *label(const struct http_req *req)
{
    return auth_who(req) ? auth_who(req)->name : NULL;
}

/* ---- making one ---- */

static size_t add_tables(struct api *a, size_t n, const struct http_route *const *from)
{
    for (; from && *from && n + 1 < TABLES_MAX; from++)
        a->tables[n++] = *from;
    return n;
}

struct api *api_create(const struct api_config *config)
{
    static const struct http_route *const ours[] = { auth_routes, NULL };
    struct api *a = mem_zalloc(sizeof *a);
    size_t n;

    a->store = config->store;
    a->auth = config->auth;
    a->pump = event_pump_create(config->store);
    n = add_tables(a, 0, api_tables);
    n = add_tables(a, n, ours);
    add_tables(a, n, config->more);
    a->app = (struct http_app){
        .tables = a->tables, .user = a, .gate = gate, .begin = begin, .end = end, .label = label
    };
    return a;
}

void api_destroy(struct api *a)
{
    if (!a)
        return;
    event_pump_destroy(a->pump);
    mem_free(a);
}

const struct http_app *api_app(struct api *a)
{
    return &a->app;
}

const struct http_route *const *api_all(const struct api *a)
{
    return a->tables;
}

void api_watch(struct api *a, const struct http_server *server)
{
    __atomic_store_n(&a->server, server, __ATOMIC_RELEASE);
}

struct event_pump *api_pump(struct api *a)
{
    return a->pump;
}

bool api_figures(struct api *a, struct http_figures *out)
{
    const struct http_server *s = __atomic_load_n(&a->server, __ATOMIC_ACQUIRE);

    if (s)
        http_server_figures(s, out);
    return s != NULL;
}

bool api_draining(struct api *a)
{
    const struct http_server *s = __atomic_load_n(&a->server, __ATOMIC_ACQUIRE);

    return s && http_server_draining(s);
}
