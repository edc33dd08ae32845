/* What handlers read and count in the API they belong to. src/api/api.c creates it. */
#include "api/kit/api.h"

#include "api/kit/inside.h"
#include "base/text/str.h"

static struct api *of(const struct http_req *req)
{
    return req->app->user;
}

struct api_call *api_of(const struct http_req *req)
{
    return req->call;
}

/* ---- limits per caller ---- */

bool api_enter(struct api *a, struct smap *m, const char *who, int most)
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

void api_leave(struct api *a, struct smap *m, const char *who)
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
    return api_enter(a, &a->streams, who, a->streams_each);
}

void api_stream_end(struct api *a, const char *who)
{
    api_leave(a, &a->streams, who);
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

/* ---- what belongs to the server ---- */

const struct http_route *const *api_all(const struct api *a)
{
    return a->tables;
}

void *api_gateway(const struct http_req *req)
{
    return of(req)->gateway;
}

void *api_runner(const struct http_req *req)
{
    return of(req)->runner;
}

bool api_works(const struct api *a)
{
    return a->runner != NULL;
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

void api_more_metrics(const struct http_req *req, struct http_res *res)
{
    if (of(req)->metrics)
        of(req)->metrics(of(req)->gateway, res);
}

bool api_draining(struct api *a)
{
    const struct http_server *s = __atomic_load_n(&a->server, __ATOMIC_ACQUIRE);

    return s && http_server_draining(s);
}
