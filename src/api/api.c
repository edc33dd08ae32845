/* Creates the API, and prepares each request: the gate, a store handle, the limits of a caller. */
#include "api/api.h"

#include <string.h>

#include "api/events/event.h"
#include "api/kit/inside.h"
#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/memory/mem.h"
#include "base/text/str.h"
#include "store/lookup/upload.h"

enum { LONG_MS = 110000, STILL_MS = 500 };

static struct api *of(const struct http_req *req)
{
    return req->app->user;
}

/* ---- around every request ---- */

static enum bough_rc count(struct http_req *req, struct http_res *res)
{
    struct api_call *call = arena_zalloc(req->arena, sizeof *call);
    const char *who = req->route->needs & AUTH_OPEN ? "" : auth_who(req)->name;
    enum bough_rc rc;

    if (*who && !api_enter(of(req), &of(req)->requests, who, of(req)->requests_each)) {
        rc = http_refuse(res, 429, "too_many", "too many requests at the same time: %d are running",
                         of(req)->requests_each);
        http_set(res, "Retry-After", "1");
        return rc;
    }
    call->counted = *who != '\0';
    req->call = call;
    return BOUGH_OK;
}

static enum bough_rc gate(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    const char *key = http_header(req, "idempotency-key");
    enum bough_rc rc = auth_gate(of(req)->auth, req, res, err);

    if (!rc && key && (!*key || strlen(key) > LIMIT_KEY))
        return bough_fail(err, BOUGH_INVALID, "Idempotency-Key must have 1 to %d bytes", LIMIT_KEY);
    return rc ? rc : count(req, res);
}

static void begin(struct http_req *req)
{
    struct api_call *call = req->call;
    const struct auth_who *who = auth_who(req);
    struct bough_store_scoped_options scope = { .deadline_ms = req->deadline_ms,
                                                .cancel = req->cancel };

    if (req->route->flags & HTTP_LONG)
        scope.deadline_ms = LONG_MS;
    /* Without a principal, the owner shares idempotency keys with programs that use the library. */
    scope.principal = strncmp(who->name, "token:", 6) == 0 ? who->name : NULL;
    call->store = bough_store_scoped(of(req)->store, &scope);
    if (*who->project)
        upload_only_of(call->store, who->project);
    call->who = who;
    call->api = of(req);
    if (req->route->flags & HTTP_KEYED)
        call->key = http_header(req, "idempotency-key");
}

static void end(struct http_req *req)
{
    struct api_call *call = req->call;

    if (!call)
        return;
    bough_store_close(&call->store);
    if (call->counted)
        api_leave(of(req), &of(req)->requests, auth_who(req)->name);
    req->call = NULL;
}

/* A pulled answer or a replay can last: check again. */
static bool still(struct http_req *req)
{
    struct auth_who *who = req->who;

    if (!who || !*who->pass.hash)
        return true;
    auth_look(of(req)->auth, STILL_MS);
    return auth_still(of(req)->auth, &who->pass);
}

static const char *label(const struct http_req *req)
{
    return auth_who(req) ? auth_who(req)->name : NULL;
}

/* ---- create and destroy ---- */

static size_t add_tables(struct api *a, size_t n, const struct http_route *const *from)
{
    for (; from && *from && n + 1 < API_TABLES; from++)
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
    a->gateway = config->gateway;
    a->runner = config->runner;
    a->metrics = config->metrics;
    a->pump = event_pump_create(config->store, config->auth);
    a->requests_each = config->requests_each ? config->requests_each : 256;
    a->streams_each = config->streams_each ? config->streams_each : 1024;
    pthread_mutex_init(&a->matching, NULL);
    pthread_mutex_init(&a->lock, NULL);
    smap_init(&a->requests);
    smap_init(&a->streams);
    n = add_tables(a, 0, api_tables);
    n = add_tables(a, n, ours);
    add_tables(a, n, config->more);
    a->app = (struct http_app){ .tables = a->tables,
                                .user = a,
                                .gate = gate,
                                .begin = begin,
                                .end = end,
                                .still = still,
                                .label = label };
    return a;
}

void api_destroy(struct api *a)
{
    if (!a)
        return;
    event_pump_destroy(a->pump);
    smap_finish(&a->requests);
    smap_finish(&a->streams);
    pthread_mutex_destroy(&a->lock);
    pthread_mutex_destroy(&a->matching);
    mem_free(a);
}

const struct http_app *api_app(struct api *a)
{
    return &a->app;
}

void api_watch(struct api *a, const struct http_server *server)
{
    __atomic_store_n(&a->server, server, __ATOMIC_RELEASE);
}
