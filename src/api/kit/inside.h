/* Inside struct api. For src/api/api.c, which creates it, and kit/api.c; handlers use api.h. */
#ifndef API_KIT_INSIDE_H
#define API_KIT_INSIDE_H

#include <pthread.h>

#include "api/kit/api.h"
#include "base/memory/map.h"

enum { API_TABLES = 64 }; /* with the NULL at the end */

struct api {
    struct bough_store *store;
    struct auth *auth;
    struct http_app app;
    const struct http_route *tables[API_TABLES];
    void *gateway, *runner;
    void (*metrics)(void *gateway, struct http_res *res);
    const struct http_server *server; /* atomic */
    struct event_pump *pump;
    pthread_mutex_t matching;      /* see api_match_begin() */
    pthread_mutex_t lock;          /* guards both maps */
    struct smap requests, streams; /* requests and streams in progress, by caller */
    int requests_each, streams_each;
};

/* Count one more of `who` in the map; false when there are `most` already. */
bool api_enter(struct api *a, struct smap *m, const char *who, int most);
void api_leave(struct api *a, struct smap *m, const char *who);

#endif
