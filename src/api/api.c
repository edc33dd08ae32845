/* What a request needs beside its row: the store bounded by the client, on whose behalf, the key.
 */
#include "api/api.h"

#include <pthread.h>
#include <string.h>

#include "api/event.h"
#include "base/arena.h"
#include "base/limits.h"
#include "base/map.h"
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
    pthread_mutex_t matching;      /* see api_match_begin() */
    pthread_mutex_t lock;          /* guards both maps */
    struct smap requests, streams; /* of whom, how many now */
    int requests_each, streams_each;
};

static struct api *of(const struct http_req *req)
{
    return req->app->user;
}

struct api_call *api_of(const struct http_req *req)
{
    return req->call;
}

/* ---- how much of whom ---- */

static bool enter(struct api *a, struct smap *m, const char *who, int most)
{
    uint64_t n = 0;
    bool fits;

    pthread_mutex_lock(&a->lock);
    (void)smap_get(m, str_of(who), &n);
    fits = n < (uint64_t)most;
    if (fits)
        smap_put(m, str_of(who), n + 1);
    pthread_mutex_unlock(&a->lock);
    return fits;
}

static void leave(struct api *a, struct smap *m, const char *who)
{
    uint64_t n = 0;

    pthread_mutex_lock(&a->lock);
    if (smap_get(m, str_of(who), &n) && n > 1)
        smap_put(m, str_of(who), n - 1);
    else
        (void)smap_del(m, str_of(who));
    pthread_mutex_unlock(&a->lock);
}

bool api_stream_begin(struct api *a, const char *who)
{
    return enter(a, &a->streams, who, a->streams_each);
}

void api_stream_end(struct api *a, const char *who)
{
    leave(a, &a->streams, who);
}

bool api_match_begin(struct http_req *req)
{
    bool wanted = http_header(req, "if-match") != NULL;

    if (wanted)
        pthread_mutex_lock(&of(req)->matching);
    return wanted;
}

void api_match_end(struct http_req *req, bool begun)
{
    if (begun)
        pthread_mutex_unlock(&of(req)->matching);
}

/* ---- around every request ---- */

static enum bough_rc count(struct http_req *req, struct http_res *res)
{
    struct api_call *call = arena_zalloc(req->arena, sizeof *call);
    const char *who = req->route->needs & AUTH_OPEN ? "" : auth_who(req)->name;
    enum bough_rc rc;

    if (*who && !enter(of(req), &of(req)->requests, who, of(req)->requests_each)) {
        rc = http_refuse(res, 429, "too_many", "%d of your requests are being served already",
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
        return bough_fail(err, BOUGH_INVALID, "an Idempotency-Key has 1 to %d bytes", LIMIT_KEY);
    return rc ? rc : count(req, res);
}

static void begin(struct http_req *req)
{
    struct api_call *call = req->call;
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
}

static void end(struct http_req *req)
{
    struct api_call *call = req->call;

    if (!call)
        return;
    bough_store_close(&call->store);
    if (call->counted)
        leave(of(req), &of(req)->requests, auth_who(req)->name);
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
    a->requests_each = config->requests_each ? config->requests_each : 256;
    a->streams_each = config->streams_each ? config->streams_each : 1024;
    pthread_mutex_init(&a->matching, NULL);
    pthread_mutex_init(&a->lock, NULL);
    smap_init(&a->requests);
    smap_init(&a->streams);
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
